from sfumato.refine.rungs.arc import ArcRung
from sfumato.refine.rungs.base import Rung
from sfumato.refine.rungs.cyclic import CyclicRung
from sfumato.refine.rungs.families import FAMILIES, HittingRung, best_rung, declared_rung, hitting_rung, rung_over
from sfumato.refine.rungs.flags import FlagsRung
from sfumato.refine.rungs.flips import FlipRung
from sfumato.refine.rungs.options import OptionsRung
from sfumato.refine.rungs.pad import OneTimePad, PadRung
from sfumato.refine.rungs.sets import SetsRung

__all__ = [
    "FAMILIES",
    "ArcRung",
    "CyclicRung",
    "FlagsRung",
    "FlipRung",
    "HittingRung",
    "OneTimePad",
    "OptionsRung",
    "PadRung",
    "Rung",
    "SetsRung",
    "best_rung",
    "declared_rung",
    "hitting_rung",
    "rung_over",
]
