"""Two options of one question: how many chose both, and how many more the one than the other.

Both are flipped apart from each other. So of those who are asked about both, two bits are seen through the product of
two flips: a channel from the four ways to choose to the four ways to report. The share of those who chose both is one
of the four shares behind these counts, and the difference of two options is that of those who chose one of them only.
Theory: docs/theory/several.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.infer.contrasts import Side, difference_intervals
from sfumato.infer.reported import LinearEstimate, ManyReports, ReportedShares
from sfumato.prob import Channel
from sfumato.values import Interval

_SECOND_ONLY, _FIRST_ONLY, _BOTH = 1, 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PairShare:
    """The share of those who chose both of two options, from `total` who were asked about both.

    `raw` is unbiased, `value` the likeliest; where nobody was asked both are None.
    """

    value: float | None = None
    raw: float | None = None
    standard_error: float | None = None
    interval: Interval
    total: int


def pair_shares(
    counts: npt.NDArray[np.int64], own: Fraction, other: Fraction, confidence: float
) -> tuple[PairShare, ...]:
    """Return a share for each row of counts of the reports 00, 01, 10 and 11."""
    totals = counts.sum(axis=1).tolist()
    found = [PairShare(interval=Interval(0.0, 1.0), total=0) for _ in totals]
    known = [place for place, total in enumerate(totals) if total]
    if not known:
        return tuple(found)
    shares = ManyReports(_two_flips(own, other), counts[known]).shares(confidence)
    columns = (shares.value, shares.raw, shares.error, shares.lower, shares.upper)
    for place, numbers in zip(known, zip(*(column[:, _BOTH].tolist() for column in columns), strict=True), strict=True):
        value, raw, error, lower, upper = numbers
        found[place] = PairShare(
            value=value, raw=raw, standard_error=error, interval=Interval(lower, upper), total=totals[place]
        )
    return tuple(found)


def option_difference(
    first: Side,
    second: Side,
    asked: tuple[int, int],
    both: npt.NDArray[np.int64],
    flips: tuple[Fraction, Fraction],
    confidence: float,
) -> LinearEstimate:
    """Return the share of one option minus that of another.

    `asked` is how many were asked about each, `both` how many of those who were asked both report 00, 01, 10 and 11.
    Where all were, the counts of these four say it. Else the two are from different people, but for those: what their
    two numbers have in common is the covariance of the choices, for the flips are apart from each other.
    """
    if asked == (int(both.sum()),) * 2:
        seen = ReportedShares(_two_flips(*flips), both)
        return seen.differences([(_FIRST_ONLY, _SECOND_ONLY)], confidence)[0]
    shares = float(np.asarray(first.value)), float(np.asarray(second.value))
    covariance = 0.0
    if both.any():
        together = float(ReportedShares(_two_flips(*flips), both).likeliest[_BOTH])
        # As many as the two shares allow.
        together = min(max(together, sum(shares) - 1, 0.0), *shares)
        covariance = float(both.sum()) * (together - shares[0] * shares[1]) / (asked[0] * asked[1])
    lower, upper = difference_intervals(first, second, low=0.0, high=1.0, confidence=confidence, covariance=covariance)
    errors = float(np.asarray(first.error)), float(np.asarray(second.error))
    return LinearEstimate(
        value=shares[0] - shares[1],
        raw=float(np.asarray(first.raw) - np.asarray(second.raw)),
        standard_error=float(np.sqrt(max(errors[0] ** 2 + errors[1] ** 2 - 2 * covariance, 0.0))),
        interval=Interval(float(lower[0]), float(upper[0])),
    )


def _two_flips(own: Fraction, other: Fraction) -> Channel:
    flip = ((own, other), (other, own))
    cells = [(first, second) for first in range(2) for second in range(2)]
    return Channel([[flip[a][c] * flip[b][d] for c, d in cells] for a, b in cells])
