"""What a yes/no design costs in respondents, and what it protects.

Exact counts are searched for with the intervals and tests that will be used. Where those would take long, and along
a whole curve, the normal approximation stands in and says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from sfumato import measures
from sfumato.errors import InvalidInput
from sfumato.infer import ShareModel, respondents_for_test
from sfumato.infer.planning import MOST_RESPONDENTS, number_for_half_width
from sfumato.prob import Channel
from sfumato.study.ways.goals import Goal

# Beyond this an exact search takes seconds, and the approximation is off by less than one in a hundred.
MOST_EXACT = 200_000


class Rule(StrEnum):
    """How a number of respondents was found."""

    EXACT = "exact"
    NORMAL = "normal approximation"


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignCost:
    """One design, what it protects, and how many respondents it needs; None when more than a hundred million."""

    name: str
    channel: Channel
    respondents: int | None
    rule: Rule
    information: float
    guess_error: Fraction
    epsilon: float
    exposure: Fraction
    posterior: Fraction
    """How likely the second answer is after the report that speaks most for it, at the share that is told of."""
    is_chosen: bool = False


def cost_of(name: str, channel: Channel, goal: Goal, weight: Fraction, *, is_chosen: bool = False) -> DesignCost:
    """Count what a design costs; `weight` is that of missing the second answer."""
    respondents, rule = _respondents(channel, goal)
    return DesignCost(
        name=name,
        channel=channel,
        respondents=respondents,
        rule=rule,
        information=float(measures.fisher_information(channel, goal.share)),
        guess_error=Fraction(measures.weighted_guess_error(channel, weight)),
        epsilon=measures.epsilon(channel),
        exposure=Fraction(measures.exposure(channel)),
        posterior=worst_posterior(channel, goal.told_shares.expected),
        is_chosen=is_chosen,
    )


def worst_posterior(channel: Channel, share: Fraction) -> Fraction:
    """Return how likely the second answer is after the report that speaks most for it."""
    first, second = channel.rows
    return max(Fraction(measures.raised_share(share, q, p)) for p, q in zip(first, second, strict=True))


@lru_cache(maxsize=512)
def _respondents(channel: Channel, goal: Goal) -> tuple[int | None, Rule]:
    about = about_respondents(channel, goal)
    if about > MOST_RESPONDENTS * 0.8:
        return None, Rule.NORMAL
    if about > MOST_EXACT:
        return math.ceil(about), Rule.NORMAL
    if goal.theta_1 is not None and goal.theta_2 is not None and goal.error is not None:
        needed = respondents_for_test(channel, float(goal.theta_1), float(goal.theta_2), error=float(goal.error)).n
    else:
        needed = number_for_half_width(channel, float(goal.share), float(goal.width), confidence=float(goal.confidence))
    return needed, Rule.EXACT


def about_respondents(channel: Channel, goal: Goal) -> float:
    """Return the number of respondents by the normal approximation; 0 where a report decides at once."""
    try:
        model = ShareModel.of(channel)
    except InvalidInput:  # both answers give the same reports
        return math.inf
    if goal.theta_1 is not None and goal.theta_2 is not None and goal.error is not None:
        return _about_test(model, float(goal.theta_1), float(goal.theta_2), float(goal.error))
    information = model.information(float(goal.share))
    deviations = NormalDist().inv_cdf(float(1 + goal.confidence) / 2)
    return (deviations / float(goal.width)) ** 2 / information


def _about_test(model: ShareModel, theta_1: float, theta_2: float, error: float) -> float:
    """Both errors of the likelihood-ratio test: its sum must stay on one side of 0 by enough standard deviations."""
    laws = model.law(theta_1), model.law(theta_2)
    scores = np.log(laws[1] / laws[0])
    deviations = NormalDist().inv_cdf(1 - error)
    needed = []
    for law in laws:
        mean = float(law @ scores)
        variance = float(law @ scores**2) - mean**2
        needed.append(deviations**2 * variance / mean**2)
    return max(1.0, *needed)
