from sfumato.ladders.certificate import LadderSubject
from sfumato.ladders.choice import LadderAdvice, LadderPrediction, advise_ladder
from sfumato.ladders.evidence import coalition_odds, joint_channel
from sfumato.ladders.key_operations import merge_keys, rotate_key, split_key
from sfumato.ladders.keys import Binding, Key
from sfumato.ladders.ladder import Ladder, Publication, View
from sfumato.ladders.level_mechanisms import Rung
from sfumato.ladders.nested_levels import FlagsRung, SetsRung
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
from sfumato.ladders.shift_levels import ArcRung, CyclicRung, FlipRung, OneTimePad, OptionsRung, PadRung
from sfumato.ladders.spec import FAMILIES, HittingRung, best_rung, declared_rung, hitting_rung, rung_over
from sfumato.ladders.steps import TwoLevelShift

__all__ = [
    "FAMILIES",
    "ArcRung",
    "Binding",
    "CyclicRung",
    "FlagsRung",
    "FlipRung",
    "HittingRung",
    "Key",
    "KeyCosts",
    "Ladder",
    "LadderAdvice",
    "LadderPrediction",
    "LadderSubject",
    "OneTimePad",
    "OptionsRung",
    "PadRung",
    "Publication",
    "RecoveryKey",
    "Rung",
    "SealedAnswers",
    "SetsRung",
    "ShiftKey",
    "TwoLevelShift",
    "View",
    "advise_ladder",
    "best_rung",
    "coalition_odds",
    "declared_rung",
    "favoured_share",
    "hitting_rung",
    "joint_channel",
    "key_costs",
    "key_for_channel",
    "merge_keys",
    "reduced_key_law",
    "reused_channel",
    "rotate_key",
    "rung_over",
    "separate_bits",
    "sequence_channel",
    "sequence_entropy_bits",
    "shift_channel",
    "split_key",
    "xor_ladder_bits",
]
