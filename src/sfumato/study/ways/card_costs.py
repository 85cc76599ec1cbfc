"""What a card costs in respondents: the chosen design beside its rivals, and every design at every level of privacy.

Exact counts are searched for with the intervals and tests that will be used. Where those would take long, and along
a whole curve, the normal approximation stands in and says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from sfumato import measures
from sfumato.design import SurveyDesign, survey, unrelated_question, warner
from sfumato.errors import InvalidInput
from sfumato.infer import ShareModel, respondents_for_half_width, respondents_for_test
from sfumato.infer.planning import MOST_RESPONDENTS
from sfumato.prob import Channel
from sfumato.study.ways.goals import Goal
from sfumato.study.ways.plans import CostLevel

if TYPE_CHECKING:
    from sfumato.study.ways.card import Card

# Beyond this an exact search takes seconds, and the approximation is off by less than one in a hundred.
MOST_EXACT = 200_000
LEVELS = tuple(Fraction(text) for text in ("0.05", "0.1", "0.2", "0.3", "0.35", "0.4", "0.45"))
ANY_EPSILON = "three outputs, any ε"


class Rule(StrEnum):
    """How a number of respondents was found."""

    EXACT = "exact"
    NORMAL = "normal approximation"


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignCost:
    """One design, what it protects, and how many respondents it needs; None when more than a hundred million."""

    name: str
    design: SurveyDesign
    respondents: int | None
    rule: Rule
    information: float
    guess_error: Fraction
    epsilon: float
    exposure: Fraction
    is_chosen: bool = False


def design_costs(card: Card) -> tuple[DesignCost, ...]:
    """Count what the card's design costs, and its rivals; the chosen design comes first."""
    design = card.design()
    rivals = rival_designs(card, card.guess_error)
    costs = [_cost(design.name, design, card.goal, is_chosen=True)]
    costs += [
        _cost(name, rival, card.goal) for name, rival in rivals.items() if rival.channel.rows != design.channel.rows
    ]
    return tuple(costs)


def cost_levels(card: Card, guess_errors: Sequence[Fraction] = LEVELS) -> tuple[CostLevel, ...]:
    """Return about how many respondents each design needs at each guess error that the card's weight allows."""
    levels = []
    for error in sorted({*guess_errors, card.guess_error}):
        if 0 < error <= min(card.weight, 1 - card.weight) and error < Fraction(1, 2):
            rivals = rival_designs(card, error)
            needs = tuple((name, _about(rival.channel, card.goal)) for name, rival in rivals.items())
            levels.append(CostLevel(guess_error=error, respondents=needs))
    return tuple(levels)


def rival_designs(card: Card, guess_error: Fraction) -> dict[str, SurveyDesign]:
    """Return all designs that keep the card's limits at this guess error; with a limit on ε, also the one without."""
    weight, answers, share, epsilon = card.weight, card.answers, card.goal.share, card.epsilon_below
    three = survey(guess_error=guess_error, weight=weight, max_epsilon=epsilon, answers=answers)
    two = survey(guess_error=guess_error, weight=weight, max_epsilon=epsilon, answers=answers, outputs=2, theta=share)
    found = {
        "three outputs": three,
        "two outputs": two,
        "Warner": warner(guess_error=guess_error, weight=weight, max_epsilon=epsilon, answers=answers),
        "unrelated question": unrelated_question(
            guess_error=guess_error, weight=weight, max_epsilon=epsilon, answers=answers
        ),
    }
    if epsilon is not None:
        found[ANY_EPSILON] = survey(guess_error=guess_error, weight=weight, answers=answers)
    return found


def _cost(name: str, design: SurveyDesign, goal: Goal, *, is_chosen: bool = False) -> DesignCost:
    respondents, rule = _respondents(design.channel, goal)
    return DesignCost(
        name=name,
        design=design,
        respondents=respondents,
        rule=rule,
        information=float(design.fisher_information(goal.share)),
        guess_error=Fraction(measures.weighted_guess_error(design.channel, design.limits.weight)),
        epsilon=measures.epsilon(design.channel),
        exposure=Fraction(measures.exposure(design.channel)),
        is_chosen=is_chosen,
    )


def _respondents(channel: Channel, goal: Goal) -> tuple[int | None, Rule]:
    about = _about(channel, goal)
    if about > MOST_RESPONDENTS * 0.8:
        return None, Rule.NORMAL
    if about > MOST_EXACT:
        return math.ceil(about), Rule.NORMAL
    if goal.theta_1 is not None and goal.theta_2 is not None and goal.error is not None:
        needed = respondents_for_test(channel, float(goal.theta_1), float(goal.theta_2), error=float(goal.error))
    else:
        needed = respondents_for_half_width(
            channel, float(goal.share), float(goal.width), confidence=float(goal.confidence)
        )
    return needed.n, Rule.EXACT


def _about(channel: Channel, goal: Goal) -> float:
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
