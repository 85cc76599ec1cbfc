"""How many respondents two groups need so that a difference between their shares is seen.

The two-sided test of equal shares at 5 %, right in 80 of 100 surveys when the difference is there: the usual rule
n = (z_α/2 + z_β)²(v_1 + v_2)/Δ² in each group, by the normal approximation with exact variances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.certificates.words import percent
from sfumato.study.ways.plans import LevelPlan

if TYPE_CHECKING:
    from sfumato.study.ways.base import Way

FloatArray = npt.NDArray[np.float64]
LEVEL, POWER = 0.05, 0.8
# Beyond this nobody asks.
_MOST = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNeeds:
    """Respondents in each of two groups, reader by reader; None where no number is enough."""

    shares: tuple[Fraction, Fraction]
    levels: tuple[LevelPlan, ...]
    respondents: tuple[int | None, ...]

    @property
    def sentence(self) -> str:
        """Say it in words."""
        first, second = self.shares
        needs = ["no number is enough" if n is None else f"about {_rounded(n):,} respondents" for n in self.respondents]
        said = needs[0]
        if len(needs) > 1:
            said = "; ".join(f"{', '.join(level.readers)}: {n}" for level, n in zip(self.levels, needs, strict=True))
        return (
            f"Respondents in each of two groups, to see a difference of {100 * float(abs(second - first)):g} points "
            f"between {percent(first)} and {percent(second)} in 80 of 100 surveys (a test at the 5 % level): {said}."
        )

    @property
    def document(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "shares": [str(share) for share in self.shares],
            "significance": LEVEL,
            "power": POWER,
            "respondents_in_each_group": [
                {"level": level.level, "readers": list(level.readers), "respondents": n}
                for level, n in zip(self.levels, self.respondents, strict=True)
            ],
        }


def needs_of_groups(way: Way, levels: Sequence[LevelPlan]) -> GroupNeeds | None:
    """Count for every reader; None where the way reads no shares."""
    first = way.question.told_shares.expected
    gap = way.question.told_difference
    second = first + gap if first + gap <= 1 else first - gap
    found = []
    for level in levels:
        deviations = [way.share_deviation(level.level, float(share)) for share in (first, second)]
        if any(deviation is None for deviation in deviations):
            return None
        found.append(respondents_in_each([d for d in deviations if d is not None], float(gap)))
    return GroupNeeds(shares=(first, second), levels=tuple(levels), respondents=tuple(found))


def respondents_in_each(deviations: Sequence[float], gap: float) -> int | None:
    """Return the number in each group from √n times the deviation of each group's share."""
    normal = NormalDist()
    reach = normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(POWER)
    needed = reach**2 * sum(deviation**2 for deviation in deviations) / gap**2
    return None if not needed < _MOST else max(2, math.ceil(needed))


def _rounded(whole: int) -> int:
    """Three digits: the rule is good for no more."""
    return round(whole, 3 - len(str(whole))) if whole >= 1000 else whole


def weighted_deviation(channel: FloatArray, weights: FloatArray, share: float) -> float:
    """√n times the standard deviation of the worst unbiased share, where it is `share` and the others are even."""
    answers = len(channel)
    worst = 0.0
    for x, column in enumerate(weights.T):
        prior = np.full(answers, (1 - share) / max(1, answers - 1))
        prior[x] = share
        law = prior @ channel
        worst = max(worst, float(law @ column**2 - (law @ column) ** 2))
    return math.sqrt(worst)
