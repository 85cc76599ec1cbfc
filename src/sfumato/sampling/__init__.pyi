from sfumato.sampling.mechanism import Estimate, Mechanism, Tally
from sfumato.sampling.noise import DiscreteGaussian
from sfumato.sampling.rows import AnyRows, RowSource, RowStarts, RowWords
from sfumato.sampling.samplers import (
    Categorical,
    Coin,
    EntropyRecycling,
    Metered,
    RowDraws,
    Sampler,
    UniformBelow,
    enumerated_law,
    law_of,
)
from sfumato.sampling.sources import BitSource, BulkBits, Guarantee, InsecureSeeded, KeyedBits, ScriptedBits, SystemBits

__all__ = [
    "AnyRows",
    "BitSource",
    "BulkBits",
    "Categorical",
    "Coin",
    "DiscreteGaussian",
    "EntropyRecycling",
    "Estimate",
    "Guarantee",
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
    "Tally",
    "UniformBelow",
    "enumerated_law",
    "law_of",
]
