"""What linear estimators share: checks of a tally, and an Estimate from unbiased numbers and their errors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.declared import law_of_answers
from sfumato.prob import Distribution, LawLike
from sfumato.prob.bounded import bounded_intervals
from sfumato.prob.share_bounds import binomial_share_intervals
from sfumato.prob.simplex import nearest_law
from sfumato.values import Column, Estimate, Intervals, Tally
from sfumato.values.checks import check_between

FloatArray = npt.NDArray[np.float64]


def check_tally(tally: Tally, name: str) -> int:
    """Return the number of reports of a tally that this mechanism made and that is not empty."""
    if tally.mechanism != name:
        raise InvalidParameter(
            f"was made by [{tally.mechanism}], not by [{name}]",
            parameter="tally",
            way_out="Estimate with the mechanism that made the reports.",
        )
    total = tally.total
    if total == 0:
        raise InvalidParameter("is empty", parameter="tally", way_out="Collect at least one report.")
    return total


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that no interval is meant for."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)


def member_estimate(hits: npt.ArrayLike, own: Fraction, other: Fraction, *, total: int, confidence: float) -> Estimate:
    """Shares of answers, when a report hits its own answer with probability `own` and any other with `other`.

    `hits[x]` is how many reports hit x. Intervals are Feldman and Cousins' for the chance of a hit, pulled back to the
    share: exact, right at 0 and 1 as well, and never of no width.   Theory: docs/theory/bounded_intervals.md
    """
    check_confidence(confidence)
    if own == other:
        raise InvalidParameter(
            "every report is pure noise; nothing can be estimated", way_out="Raise `odds`, or `width`."
        )
    counted = np.asarray(hits, dtype=np.float64)
    chances = counted / total
    base, gap = float(other), float(own - other)
    raw = (chances - base) / gap
    lower, upper = binomial_share_intervals(counted, total, base, base + gap, confidence)
    errors = np.sqrt(chances * (1 - chances) / total) / gap
    return replace(_estimate(raw, errors, lower, upper, total, confidence), exact=True)


def member_variance(
    law: Distribution | LawLike, size: int, n: int, own: Fraction, other: Fraction
) -> tuple[Fraction, ...]:
    """Return the exact variance of each share of `member_estimate`, from n reports, when answers follow `law`."""
    if own == other:
        raise InvalidParameter(
            "every report is pure noise; its variance has no end", way_out="Raise `odds`, or `width`."
        )
    chances = [other + (own - other) * share for share in law_of_answers(law, size, n)]
    return tuple(s * (1 - s) / (n * (own - other) ** 2) for s in chances)


def normal_estimate(raw: FloatArray, variances: FloatArray, *, total: int, confidence: float) -> Estimate:
    """Unbiased shares with errors, their nearest law, and intervals within [0, 1] that take them for normal."""
    check_confidence(confidence)
    errors = np.sqrt(np.maximum(variances, 0.0))
    # Reports that are all the same have no spread, and say nothing of how far the next would lie: as far as 0 from 1.
    lower, upper = bounded_intervals(raw, np.hypot(errors, 1 / total), 0.0, 1.0, confidence)
    return _estimate(raw, errors, lower, upper, total, confidence)


def _estimate(
    raw: FloatArray, errors: FloatArray, lower: FloatArray, upper: FloatArray, total: int, confidence: float
) -> Estimate:
    projected = nearest_law(raw)
    lower, upper = np.minimum(lower, projected), np.maximum(upper, projected)
    return Estimate(
        raw=Column(raw),
        standard_errors=Column(errors),
        projected=Column(projected),
        intervals=Intervals(lower, upper),
        confidence=confidence,
        total=total,
    )
