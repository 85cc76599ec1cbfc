"""Reports that no share explains well: someone did not follow the card, or it was another card.

With k classes of reports and one share to fit, k - 2 degrees of freedom are left to test the design itself. For the
three-output design at weight ½ it is the number of "either", whose chance does not depend on the share at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sfumato.infer.share_model import ShareModel

# One false alarm in ten thousand groups; below this many reports the limit law is no guide.
_ALARM = 1e-4
_LEAST_REPORTS = 30
_MISFIT = (
    "No share explains these reports well: had everyone followed the card, chance would do this less than once in ten "
    "thousand surveys. Check that it was this design, and that respondents understood it."
)


def misfit_notes(model: ShareModel, seen: Sequence[int], share: float) -> tuple[str, ...]:
    """Return a note when the counts differ from what any share predicts by more than chance would."""
    n = sum(seen)
    if len(seen) < 3 or n < _LEAST_REPORTS:
        return ()
    law = model.law(share).tolist()
    deviance = 2 * math.fsum(k * math.log(k / (n * p)) for k, p in zip(seen, law, strict=True) if k and p > 0)
    if _chance(max(0.0, deviance), len(seen) - 2) >= _ALARM:
        return ()
    return (_MISFIT,)


def _chance(deviance: float, degrees: int) -> float:
    """Pr[χ² ≥ deviance]."""
    if degrees == 1:
        return math.erfc(math.sqrt(deviance / 2))
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    return float(gammaincc(degrees / 2, deviance / 2))
