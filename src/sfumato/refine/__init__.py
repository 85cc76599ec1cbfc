"""Who may see more: levels over one report, the keys that climb them, and keys that recover."""

from sfumato.refine.birkhoff import key_for_channel
from sfumato.refine.keys import Binding, Key
from sfumato.refine.ladder import Ladder, Publication, View
from sfumato.refine.randomness import KeyCosts, key_costs, separate_bits, xor_ladder_bits
from sfumato.refine.recovery_keys import (
    RecoveryKey,
    ShiftKey,
    favoured_share,
    reduced_key_law,
    reused_channel,
    sequence_channel,
    sequence_entropy_bits,
    shift_channel,
)
from sfumato.refine.shifts import TwoLevelShift

__all__ = [
    "Binding",
    "Key",
    "KeyCosts",
    "Ladder",
    "Publication",
    "RecoveryKey",
    "ShiftKey",
    "TwoLevelShift",
    "View",
    "favoured_share",
    "key_costs",
    "key_for_channel",
    "reduced_key_law",
    "reused_channel",
    "separate_bits",
    "sequence_channel",
    "sequence_entropy_bits",
    "shift_channel",
    "xor_ladder_bits",
]
