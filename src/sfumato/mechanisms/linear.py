"""What linear estimators share: checks of a tally, and an Estimate from unbiased numbers and their errors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.prob.simplex import nearest_law
from sfumato.values import Estimate, Interval, Tally
from sfumato.values.checks import check_between

FloatArray = npt.NDArray[np.float64]


def check_tally(tally: Tally, name: str) -> int:
    """Return the number of reports of a tally that this mechanism made and that is not empty."""
    if tally.mechanism != name:
        raise InvalidParameter(
            f"the tally was made by [{tally.mechanism}], not by [{name}]. Estimate with the mechanism that made the "
            f"reports."
        )
    if tally.total == 0:
        raise InvalidParameter("the tally is empty. Collect at least one report.")
    return tally.total


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that no interval is meant for."""
    check_between("confidence", confidence, 0.5, 1 - 1e-12)


def normal_estimate(raw: FloatArray, variances: FloatArray, *, total: int, confidence: float) -> Estimate:
    """Unbiased shares with standard errors, their nearest law, and normal intervals cut to [0, 1]."""
    from scipy.special import ndtri  # noqa: PLC0415  scipy is slow to import

    check_confidence(confidence)
    errors = np.sqrt(np.maximum(variances, 0.0))
    reach = float(ndtri((1 + confidence) / 2)) * errors
    lower, upper = np.clip(raw - reach, 0.0, 1.0), np.clip(raw + reach, 0.0, 1.0)
    return Estimate(
        raw=tuple(raw.tolist()),
        standard_errors=tuple(errors.tolist()),
        projected=tuple(nearest_law(raw).tolist()),
        intervals=tuple(Interval(low, high) for low, high in zip(lower.tolist(), upper.tolist(), strict=True)),
        confidence=confidence,
        total=total,
    )
