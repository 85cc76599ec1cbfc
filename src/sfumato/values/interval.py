"""An interval that surely holds a number: how a certified value is written."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.errors import InvalidParameter


@dataclass(frozen=True, slots=True)
class Interval:
    """`lower ≤ v ≤ upper`: how a certified number is written. Infinite ends are allowed; NaN is not.

    >>> import sfumato as sf
    >>> found = sf.measures.capacity_bits(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> round(found.lower, 9), found.width < 1e-9, 0.1887 in found
    (0.188721876, True, False)
    >>> sf.values.Interval(0.25, 0.5).overlaps(sf.values.Interval(0.5, 1.0))
    True
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise InvalidParameter(
                f"must be at most `upper`={self.upper}",
                parameter="lower",
                value=self.lower,
                way_out="Exchange the two, or check how they were computed.",
            )

    @classmethod
    def around(cls, value: float, slack: float) -> Interval:
        """Return what lies within `slack` ≥ 0 and one ulp of a number, for rounding that was bounded by hand."""
        return cls(math.nextafter(value - slack, -math.inf), math.nextafter(value + slack, math.inf))

    @property
    def width(self) -> float:
        """How much is left open; 0 for a single point, infinite or not."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    @property
    def midpoint(self) -> float:
        """The number to print when only one is wanted."""
        return self.lower if self.lower == self.upper else self.lower + (self.upper - self.lower) / 2

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def encloses(self, other: Interval) -> bool:
        """Whether every point of `other` lies in this interval."""
        return self.lower <= other.lower and other.upper <= self.upper

    def overlaps(self, other: Interval) -> bool:
        """Whether the two intervals can hold the same number."""
        return self.lower <= other.upper and other.lower <= self.upper

    def widened(self, slack: float) -> Interval:
        """Return the interval pushed outwards by `slack` ≥ 0 and one ulp, for rounding that was bounded by hand."""
        if math.isinf(self.lower) and self.lower == self.upper:
            return self
        return Interval(math.nextafter(self.lower - slack, -math.inf), math.nextafter(self.upper + slack, math.inf))

    def at_least(self, floor: float) -> Interval:
        """Return the interval cut off below `floor`, for a quantity known to be no smaller."""
        return self if self.lower >= floor else Interval(floor, max(self.upper, floor))

    def __str__(self) -> str:
        return f"[{self.lower!r}, {self.upper!r}]"
