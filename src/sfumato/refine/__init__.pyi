from sfumato.refine.birkhoff import key_for_channel
from sfumato.refine.coalitions import coalition_odds, joint_channel
from sfumato.refine.key_documents import open_key, read_header, seal_key
from sfumato.refine.key_headers import KeyHeader
from sfumato.refine.key_operations import merge_keys, rotate_key, split_key
from sfumato.refine.key_protection import Passphrase, PrivateKey, PublicKey, Unprotected, new_key_pair
from sfumato.refine.key_sequences import reused_channel, sequence_channel, sequence_entropy_bits
from sfumato.refine.keys import Binding, Key
from sfumato.refine.ladder import Ladder
from sfumato.refine.ladder_advice import LadderAdvice, LadderPrediction, advise_ladder
from sfumato.refine.ladder_certificates import LadderSubject
from sfumato.refine.publications import Publication, View
from sfumato.refine.randomness import KeyCosts, key_costs, separate_bits, xor_ladder_bits
from sfumato.refine.recovery_keys import (
    RecoveryKey,
    ShiftKey,
    favoured_share,
    reduced_key_law,
    shift_channel,
)
from sfumato.refine.sealed_certificates import SealedAnswers
from sfumato.refine.shifts import TwoLevelShift

__all__ = [
    "Binding",
    "Key",
    "KeyCosts",
    "KeyHeader",
    "Ladder",
    "LadderAdvice",
    "LadderPrediction",
    "LadderSubject",
    "Passphrase",
    "PrivateKey",
    "PublicKey",
    "Publication",
    "RecoveryKey",
    "SealedAnswers",
    "ShiftKey",
    "TwoLevelShift",
    "Unprotected",
    "View",
    "advise_ladder",
    "coalition_odds",
    "favoured_share",
    "joint_channel",
    "key_costs",
    "key_for_channel",
    "merge_keys",
    "new_key_pair",
    "open_key",
    "read_header",
    "reduced_key_law",
    "reused_channel",
    "rotate_key",
    "seal_key",
    "separate_bits",
    "sequence_channel",
    "sequence_entropy_bits",
    "shift_channel",
    "split_key",
    "xor_ladder_bits",
]
