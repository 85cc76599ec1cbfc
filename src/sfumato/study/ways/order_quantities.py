"""What order adds to shares: cumulative shares, and the median and other quantiles by inverting their intervals.

The share of those who answer j or lower is a sum of shares, with an interval of its own. A quantile is the first answer
whose cumulative share reaches it; the interval holds every answer of which the cumulative shares, within their
intervals, say that it may be the first. At the last answer the cumulative share is 1, so that it is never empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from sfumato.infer.reported import LinearEstimate, ReportedShares
from sfumato.prob.share_bounds import binomial_share_intervals
from sfumato.refine.rungs.base import Rung
from sfumato.study.ways.estimates import Quantity, Unit
from sfumato.values import Interval

MEDIAN = "median"
QUARTILES = (("lower quartile", 0.25), (MEDIAN, 0.5), ("upper quartile", 0.75))
NOT_ESTIMABLE = "The share of those who answer may be 0, so nothing can be said of their answers."


@dataclass(frozen=True, slots=True, kw_only=True)
class CumulativeShares:
    """For each answer the share of those who give it or a lower one, among those who answer; rising."""

    values: tuple[float, ...]
    raw: tuple[float | None, ...]
    errors: tuple[float | None, ...]
    intervals: tuple[Interval, ...]


def cumulative_shares(
    reported: ReportedShares,
    choices: Sequence[str],
    *,
    hides: bool,
    confidence: float,
    told: Sequence[int] | None = None,
    rung: Rung | None = None,
) -> CumulativeShares | None:
    """Return cumulative shares with intervals; None where nothing can be said of those who answer.

    Where a report is one of the answers, `told` counts them by answer, and intervals are exact: how many reports say
    one of some answers is one binomial count.
    """
    count = len(choices)
    among = [1] * count + [0] * hides
    found = []
    for place in range(count - 1):
        held = [1.0] * (place + 1) + [0.0] * (count - place - 1 + hides)
        one = reported.ratio(held, among, confidence) if hides else reported.linear(held, confidence)
        if one is None:
            return None
        found.append(one)
    if told is not None and rung is not None and rung.says_answers and not hides:
        ends = exact_ends(rung, told, confidence)
        found = [
            replace(one, interval=Interval(min(low, one.value), max(high, one.value)))
            for one, (low, high) in zip(found, ends, strict=True)
        ]
    return rising(found)


def exact_ends(rung: Rung, told: Sequence[int], confidence: float) -> list[tuple[float, float]]:
    """Return the ends for the share of the first answer, of the first two, and so on, without that of all.

    Of m answers, each of the others is reported as one of them with m times the lower probability.
    """
    law = [float(p) for p in rung.law(0)]
    low, gap = min(law), max(law) - min(law)
    found = []
    for place, hits in enumerate(accumulate(told[:-1]), start=1):
        lower, upper = binomial_share_intervals([hits], sum(told), place * low, place * low + gap, confidence)
        found.append((float(lower[0]), float(upper[0])))
    return found


def rising(found: Sequence[LinearEstimate]) -> CumulativeShares:
    """Return the sums of more and more shares as cumulative ones, with that of all answers."""
    # What is cumulative does not fall: an interval is widened where another one reaches over its end.
    lowers = list(accumulate((one.interval.lower for one in reversed(found)), min))[::-1]
    uppers = list(accumulate((one.interval.upper for one in found), max))
    values = list(accumulate((one.value for one in found), max))
    ends = [
        Interval(min(low, value), max(high, value)) for low, value, high in zip(lowers, values, uppers, strict=True)
    ]
    return CumulativeShares(
        values=(*values, 1.0),
        raw=(*(one.raw for one in found), None),
        errors=(*(one.standard_error for one in found), None),
        intervals=(*ends, Interval(1.0, 1.0)),
    )


def cumulative_quantities(sums: CumulativeShares | None, choices: Sequence[str]) -> tuple[Quantity, ...]:
    """Return a share for each answer but the last, which is 1."""
    if sums is None:
        return ()
    return tuple(
        Quantity(
            name=f"“{choice}” or lower",
            value=sums.values[place],
            raw=sums.raw[place],
            standard_error=sums.errors[place],
            interval=sums.intervals[place],
            unit=Unit.SHARE,
        )
        for place, choice in enumerate(choices[:-1])
    )


def median_answer(sums: CumulativeShares | None, choices: tuple[str, ...]) -> Quantity:
    """Return the middle answer as a place in the scale."""
    if sums is None:
        whole = Interval(0.0, len(choices) - 1.0)
        return Quantity(name=MEDIAN, value=None, interval=whole, unit=Unit.ANSWER, scale=choices, words=NOT_ESTIMABLE)
    first, place, last = _places(sums, 0.5)
    ends = Interval(float(first), float(last))
    return Quantity(name=MEDIAN, value=float(place), interval=ends, unit=Unit.ANSWER, scale=choices)


def quantiles(sums: CumulativeShares | None, points: Sequence[float], *, in_bins: bool) -> tuple[Quantity, ...]:
    """Return median and quartiles as numbers.

    `points` are the values, or with `in_bins` the edges of bins, one more than those: inside of a bin numbers are taken
    to be spread evenly for the value, and for nothing in the interval, which goes from edge to edge.
    """
    if sums is None:
        whole = Interval(points[0], points[-1])
        return tuple(Quantity(name=name, value=None, interval=whole, words=NOT_ESTIMABLE) for name, _ in QUARTILES)
    found = []
    for name, share in QUARTILES:
        first, place, last = _places(sums, share)
        value = points[place]
        if in_bins:
            below = sums.values[place - 1] if place else 0.0
            part = (share - below) / (sums.values[place] - below)
            value += part * (points[place + 1] - value)
        found.append(Quantity(name=name, value=value, interval=Interval(points[first], points[last + in_bins])))
    return tuple(found)


def _places(sums: CumulativeShares, share: float) -> tuple[int, int, int]:
    """The first answer that may be the quantile, the one that is, and the last that may be."""
    first = next(place for place, one in enumerate(sums.intervals) if one.upper >= share)
    place = next(place for place, value in enumerate(sums.values) if value >= share)
    last = next(place for place, one in enumerate(sums.intervals) if one.lower >= share)
    return min(first, place), place, max(last, place)
