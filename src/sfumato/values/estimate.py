"""An estimate: the unbiased numbers and the plausible ones, never mixed."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.values.columns import Column, Intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Shares of each answer, read from `total` reports.

    `raw` is unbiased and may leave [0, 1]; `projected` is the nearest law to it. `intervals` belong to `raw`, one
    answer at a time, at the stated confidence; they lie within [0, 1], have width, and hold the projected share.
    All four are columns, which are read like tuples and make no object before it is asked for.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> found = coin.estimate(sf.values.Tally(mechanism=coin.name, counts=(760, 240)))
    >>> [round(share, 2) for share in found.raw], [round(share, 2) for share in found.projected]
    ([1.02, -0.02], [1.0, 0.0])
    >>> found.total, found.exact, round(found.intervals[1].upper, 3)
    (1000, True, 0.036)
    """

    raw: Column
    standard_errors: Column
    projected: Column
    intervals: Intervals
    confidence: float
    total: int
    exact: bool = False
    """Whether the intervals cover at least as often as they say, whatever the number of reports."""
