from sfumato.bits.coins import Coin
from sfumato.bits.discrete_gaussian import DiscreteGaussian
from sfumato.bits.economical import Economical, Metered
from sfumato.bits.mechanism import Mechanism
from sfumato.bits.row_draws import RowDraws
from sfumato.bits.row_words import AnyRows, RowSource, RowStarts, RowWords
from sfumato.bits.samplers import Categorical, Sampler, UniformBelow, enumerated_law, law_of
from sfumato.bits.source import BitSource, BulkBits, InsecureSeeded, KeyedBits, ScriptedBits, SystemBits

__all__ = [
    "AnyRows",
    "BitSource",
    "BulkBits",
    "Categorical",
    "Coin",
    "DiscreteGaussian",
    "Economical",
    "InsecureSeeded",
    "KeyedBits",
    "Mechanism",
    "Metered",
    "RowDraws",
    "RowSource",
    "RowStarts",
    "RowWords",
    "Sampler",
    "ScriptedBits",
    "SystemBits",
    "UniformBelow",
    "enumerated_law",
    "law_of",
]
