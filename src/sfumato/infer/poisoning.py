"""What fake respondents can do to an estimate, and intervals that hold although some reports are fake.

A fake report is any report: nothing tells it from an honest one, so no estimate is safe from it. What can be said is
this: if m of n reports are fake, the others are an honest sample, and its interval covers as it says. Which m they are
is not known, so the robust interval is the hull of the intervals over every removal of m reports. It covers at least as
often, however the fakes were chosen, also by somebody who has seen all honest reports.

There are too many removals to try. For a share that is read off one count of hits, the ends of exact intervals rise
with the count, so the hull is attained where all m are hits, and where none is. Where a number is a mean of scores, the
m reports with the highest scores are removed, and those with the lowest.   Proof: docs/theory/collection.md
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.prob.share_bounds import binomial_share_intervals
from sfumato.values import Interval
from sfumato.values.checks import check_between, check_integer

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def check_fakes(fakes: int, total: int) -> int:
    """Refuse a number of fakes that leaves no report, or is none."""
    found = check_integer("fakes", fakes)
    if found < 1:
        raise InvalidParameter("must be at least 1", parameter="fakes", value=found, way_out="Leave it out for none.")
    if found >= total:
        raise InvalidParameter(
            f"leaves none of {total} reports",
            parameter="fakes",
            value=found,
            way_out="Say how many of the reports may be fake; nothing is known where all are.",
        )
    return found


def robust_share_interval(
    hits: int, total: int, other: float, own: float, fakes: int, confidence: float = 0.95
) -> Interval:
    """Return the hull of exact intervals over every removal of `fakes` reports, for a share that one count tells of.

    A report hits with the chance `own` where the answer is held, and with the chance `other` where it is not.

    >>> import sfumato as sf
    >>> for fakes in (1, 20, 100):
    ...     found = sf.infer.robust_share_interval(600, 1000, 0.25, 0.75, fakes=fakes)
    ...     print(fakes, f"{found.lower:.2f} {found.upper:.2f}")
    1 0.64 0.76
    20 0.62 0.79
    100 0.55 0.90
    """
    left = total - check_fakes(fakes, total)
    check_between("hits", check_integer("hits", hits), 0, total, way_out="Count those of the reports that hit.")
    # All fakes are hits as far as there are hits; or all are misses as far as there are misses.
    counts = [max(hits - fakes, 0), min(hits, left)]
    lower, upper = binomial_share_intervals(counts, left, other, own, confidence)
    first, last = binomial_share_intervals([hits], total, other, own, confidence)
    return Interval(min(float(lower[0]), float(first[0])), max(float(upper[1]), float(last[0])))


def extreme_removals(counts: npt.ArrayLike, scores: FloatArray, fakes: int) -> list[IntArray]:
    """Return the counts that are left where the reports with the highest scores are removed, and with the lowest.

    `scores` has a row a report and a column for each number that is a mean of scores; what is left twice is named once.
    """
    table = np.asarray(counts, dtype=np.int64)
    check_fakes(fakes, int(table.sum()))
    columns = scores.reshape(table.size, -1).T
    found = [without(table, order, fakes) for column in columns for order in (-column, column)]
    return [np.array(one, dtype=np.int64) for one in dict.fromkeys(tuple(one.tolist()) for one in found)]


def without(counts: IntArray, order: FloatArray, fakes: int) -> IntArray:
    """Return what is left of the counts when so many reports are removed, those with the smallest `order` first."""
    first = np.argsort(order, kind="stable")
    taken = np.diff(np.minimum(np.cumsum(counts[first]), fakes), prepend=0)
    found = counts.copy()
    found[first] -= taken
    return found


def hull(intervals: Iterable[Interval]) -> Interval:
    """Return the smallest interval that holds all of them."""
    found: Sequence[Interval] = tuple(intervals)
    return Interval(min(one.lower for one in found), max(one.upper for one in found))
