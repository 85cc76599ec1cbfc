"""The mean where answers are numbers: from the share of two values, or from the likeliest shares of many."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sfumato.infer import ReportedShares
from sfumato.study.ways.estimates import MEAN, Quantity
from sfumato.values import Interval


def mean_of_two(values: tuple[float, float], share: float, raw: float, error: float, interval: Interval) -> Quantity:
    """Read the mean off the share of the second of two values; its interval is as exact as that of the share."""
    low, span = values[0], values[1] - values[0]
    return Quantity(
        name=MEAN,
        value=low + span * share,
        raw=low + span * float(raw),
        standard_error=span * error,
        interval=Interval(low + span * interval.lower, low + span * interval.upper),
        within=Interval(*values),
    )


def mean_of_shares(
    seen: ReportedShares, values: Sequence[float | Fraction] | None, confidence: float
) -> tuple[Quantity, ...]:
    """Return the mean of the values of the answers, read off the likeliest shares; nothing where they have none."""
    if values is None:
        return ()
    numbers = tuple(map(float, values))
    found = seen.linear(numbers, confidence)
    return (
        Quantity(
            name=MEAN,
            value=found.value,
            raw=found.raw,
            standard_error=found.standard_error,
            interval=found.interval,
            within=Interval(min(numbers), max(numbers)),
        ),
    )
