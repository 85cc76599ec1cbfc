from sfumato.ladders.certificate import LadderSubject
from sfumato.ladders.choice import LadderAdvice, LadderPrediction, advise_ladder
from sfumato.ladders.evidence import coalition_odds, joint_channel
from sfumato.ladders.key_operations import merge_keys, rotate_key, split_key
from sfumato.ladders.keys import Binding, Key
from sfumato.ladders.ladder import Ladder, Publication, View
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.ladders.nested_levels import FlagsLevel, SetsLevel
from sfumato.ladders.recovery import (
    KeyCosts,
    RecoveryKey,
    ShiftKey,
    favoured_share,
    key_costs,
    key_for_channel,
    reduced_key_law,
    reused_channel,
    separate_bits,
    sequence_channel,
    sequence_entropy_bits,
    shift_channel,
    xor_ladder_bits,
)
from sfumato.ladders.sealed_column import SealedAnswers
from sfumato.ladders.shift_levels import ArcLevel, CyclicLevel, FlipLevel, OneTimePad, OptionsLevel, PadLevel
from sfumato.ladders.spec import FAMILIES, HittingLevel, best_level, declared_level, hitting_level, level_over
from sfumato.ladders.steps import TwoLevelShift

__all__ = [
    "FAMILIES",
    "ArcLevel",
    "Binding",
    "CyclicLevel",
    "FlagsLevel",
    "FlipLevel",
    "HittingLevel",
    "Key",
    "KeyCosts",
    "Ladder",
    "LadderAdvice",
    "LadderPrediction",
    "LadderSubject",
    "LevelMechanism",
    "OneTimePad",
    "OptionsLevel",
    "PadLevel",
    "Publication",
    "RecoveryKey",
    "SealedAnswers",
    "SetsLevel",
    "ShiftKey",
    "TwoLevelShift",
    "View",
    "advise_ladder",
    "best_level",
    "coalition_odds",
    "declared_level",
    "favoured_share",
    "hitting_level",
    "joint_channel",
    "key_costs",
    "key_for_channel",
    "level_over",
    "merge_keys",
    "reduced_key_law",
    "reused_channel",
    "rotate_key",
    "separate_bits",
    "sequence_channel",
    "sequence_entropy_bits",
    "shift_channel",
    "split_key",
    "xor_ladder_bits",
]
