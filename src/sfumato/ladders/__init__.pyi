from sfumato.ladders.choice import LadderAdvice, advise_ladder
from sfumato.ladders.evidence import coalition_odds, joint_channel
from sfumato.ladders.key_operations import merge_keys, rotate_key, split_key
from sfumato.ladders.keys import Binding, Key
from sfumato.ladders.ladder import Ladder, Publication, View
from sfumato.ladders.recovery import (
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
from sfumato.ladders.steps import TwoLevelShift

__all__ = [
    "Binding",
    "Key",
    "Ladder",
    "LadderAdvice",
    "Publication",
    "RecoveryKey",
    "SealedAnswers",
    "ShiftKey",
    "TwoLevelShift",
    "View",
    "advise_ladder",
    "coalition_odds",
    "favoured_share",
    "joint_channel",
    "key_costs",
    "key_for_channel",
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
