from sfumato.numbers.columns import Column, Intervals
from sfumato.numbers.exact import LawLike
from sfumato.numbers.intervals import Interval

__all__ = [
    "Column",
    "Interval",
    "Intervals",
    "LawLike",
]
