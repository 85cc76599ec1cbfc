"""Who may see more: levels over one report, the keys that climb them, and keys that recover."""

from sfumato.refine.keys import Binding, Key
from sfumato.refine.ladder import Ladder, Publication, View
from sfumato.refine.shifts import TwoLevelShift

__all__ = ["Binding", "Key", "Ladder", "Publication", "TwoLevelShift", "View"]
