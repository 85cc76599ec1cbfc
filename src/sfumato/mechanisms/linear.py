"""What linear estimators share: checks of a tally, and an Estimate from unbiased numbers and their errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.declared import law_of_answers
from sfumato.prob import Distribution, LawLike
from sfumato.prob.simplex import nearest_law
from sfumato.values import Estimate, Interval, Tally
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
    if tally.total == 0:
        raise InvalidParameter("is empty", parameter="tally", way_out="Collect at least one report.")
    return tally.total


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that no interval is meant for."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)


def member_estimate(hits: npt.ArrayLike, own: Fraction, other: Fraction, *, total: int, confidence: float) -> Estimate:
    """Shares of answers, when a report hits its own answer with probability `own` and any other with `other`.

    `hits[x]` is how many reports hit x. Intervals are Wilson's for the chance of a hit, pulled back to the share: they
    have width even where nothing was hit, and cover close to what they say.
    """
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    check_confidence(confidence)
    if own == other:
        raise InvalidParameter(
            "every report is pure noise; nothing can be estimated", way_out="Raise `odds`, or `width`."
        )
    chances = np.asarray(hits, dtype=np.float64) / total
    base, gap = float(other), float(own - other)
    raw = (chances - base) / gap
    spread = chances * (1 - chances) / total
    z = float(ndtri((1 + confidence) / 2))
    centre = (chances + z * z / (2 * total)) / (1 + z * z / total)
    reach = z * np.sqrt(spread + (z / (2 * total)) ** 2) / (1 + z * z / total)
    lower = np.clip((centre - reach - base) / gap, 0.0, 1.0)
    upper = np.clip((centre + reach - base) / gap, 0.0, 1.0)
    return _estimate(raw, np.sqrt(spread) / gap, lower, upper, total, confidence)


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
    """Unbiased shares with standard errors, their nearest law, and normal intervals cut to [0, 1]."""
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    check_confidence(confidence)
    errors = np.sqrt(np.maximum(variances, 0.0))
    reach = float(ndtri((1 + confidence) / 2)) * errors
    lower, upper = np.clip(raw - reach, 0.0, 1.0), np.clip(raw + reach, 0.0, 1.0)
    return _estimate(raw, errors, lower, upper, total, confidence)


def _estimate(
    raw: FloatArray, errors: FloatArray, lower: FloatArray, upper: FloatArray, total: int, confidence: float
) -> Estimate:
    return Estimate(
        raw=tuple(raw.tolist()),
        standard_errors=tuple(errors.tolist()),
        projected=tuple(nearest_law(raw).tolist()),
        intervals=tuple(Interval(low, high) for low, high in zip(lower.tolist(), upper.tolist(), strict=True)),
        confidence=confidence,
        total=total,
    )
