"""A tally: the counts of reports, and the only thing an estimator needs."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import InvalidParameter
from sfumato.values.checks import check_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often each report was seen. Tallies of the same mechanism add, in any order, exactly.

    Where one report counts in several places (a unary report has several bits set), `reports` is how many there were;
    otherwise it is left out and is the sum of the counts.

    Raises:
        InvalidParameter: there are no counts, one is negative, or tallies that are added are not of one mechanism.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> north, south = coin.tally([0, 0, 1]), coin.tally([1, 1])
    >>> north + south
    Tally(mechanism='randomized_response size=2 odds=3', counts=(2, 3), reports=None)
    """

    mechanism: str
    counts: tuple[int, ...]
    reports: int | None = None

    def __post_init__(self) -> None:
        if not self.counts:
            raise InvalidParameter(
                "must not be empty", parameter="counts", way_out="Give one count for each possible report."
            )
        # Python integers, whatever came in: a numpy count would overflow when tallies add.
        counts = tuple(self.counts)
        if set(map(type, counts)) != {int}:
            counts = tuple(check_integer("counts", count) for count in counts)
        if min(counts) < 0:
            raise InvalidParameter(
                "must be whole numbers ≥ 0", parameter="counts", way_out="Count each possible report once."
            )
        object.__setattr__(self, "counts", counts)
        if self.reports is not None:
            reports = check_integer("reports", self.reports)
            if reports < max(counts):
                raise InvalidParameter(
                    "must be at least the largest count",
                    parameter="reports",
                    value=reports,
                    way_out="Count every report once: it counts at most once in each place.",
                )
            object.__setattr__(self, "reports", reports)

    @property
    def total(self) -> int:
        """The number of reports."""
        return sum(self.counts) if self.reports is None else self.reports

    def __add__(self, other: Tally) -> Tally:
        if self.mechanism != other.mechanism:
            raise InvalidParameter(
                f"tallies of different mechanisms do not add: {self.mechanism} and {other.mechanism}",
                way_out="Estimate each on its own.",
            )
        if len(self.counts) != len(other.counts):
            raise InvalidParameter(
                f"tallies of {len(self.counts)} and {len(other.counts)} possible reports do not add",
                way_out="Count the reports of one mechanism, in one order.",
            )
        if (self.reports is None) != (other.reports is None):
            raise InvalidParameter(
                "one tally states its number of reports and the other does not", way_out="State it in both."
            )
        return Tally(
            mechanism=self.mechanism,
            counts=tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
            reports=None if self.reports is None else self.total + other.total,
        )
