"""What privacy costs in respondents: the chosen design beside its rivals, and every design at every level.

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

import numpy as np

from sfumato import measures
from sfumato.design import SpinnerCard, SurveyDesign, spinner_card, survey, unrelated_question, warner
from sfumato.errors import InvalidInput, InvalidParameter
from sfumato.infer import ShareModel, respondents_for_half_width, respondents_for_test
from sfumato.infer.planning import MOST_RESPONDENTS
from sfumato.prob import Channel
from sfumato.study.surveys import DEFAULT_HALF_WIDTH, Plan, Survey
from sfumato.values.rounding import float_below

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLevel:
    """At one guess error, about how many respondents each design needs, by name; inf when it learns nothing."""

    guess_error: Fraction
    respondents: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyPlan:
    """A study worked out: its design and card, the rivals beside it, and the cost of each privacy level.

    `card` is None when the draw is too fine to be made by hand or phone; `faces` of the study makes it playable.
    """

    study: Survey
    design: SurveyDesign
    card: SpinnerCard | None
    costs: tuple[DesignCost, ...]
    levels: tuple[CostLevel, ...]


def plan_survey(study: Survey) -> SurveyPlan:
    """Design the survey and count its cost; the chosen design comes first."""
    design = study.design()
    try:
        card = spinner_card(design.channel)
    except InvalidParameter:
        card = None
    rivals = rival_designs(study, study.limits.guess_error)
    costs = [_cost(design.name, design, study.plan, is_chosen=True)]
    costs += [
        _cost(name, rival, study.plan) for name, rival in rivals.items() if rival.channel.rows != design.channel.rows
    ]
    levels = cost_levels(study, sorted({*LEVELS, study.limits.guess_error}))
    return SurveyPlan(study=study, design=design, card=card, costs=tuple(costs), levels=levels)


def cost_levels(study: Survey, guess_errors: Sequence[Fraction]) -> tuple[CostLevel, ...]:
    """Return about how many respondents each design needs at each guess error that the study's weight allows."""
    weight = study.limits.weight
    levels = []
    for error in guess_errors:
        if 0 < error <= min(weight, 1 - weight) and error < Fraction(1, 2):
            rivals = rival_designs(study, error)
            needs = tuple((name, _about(rival.channel, study.plan)) for name, rival in rivals.items())
            levels.append(CostLevel(guess_error=error, respondents=needs))
    return tuple(levels)


def rival_designs(study: Survey, guess_error: Fraction) -> dict[str, SurveyDesign]:
    """Return all designs that keep the study's limits at this guess error; with a limit on ε, also the one without."""
    weight, answers, share = study.limits.weight, study.answers, study.plan.share
    epsilon = None if study.limits.max_epsilon is None else float_below(study.limits.max_epsilon)
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


def _cost(name: str, design: SurveyDesign, plan: Plan, *, is_chosen: bool = False) -> DesignCost:
    respondents, rule = _respondents(design.channel, plan)
    return DesignCost(
        name=name,
        design=design,
        respondents=respondents,
        rule=rule,
        information=float(design.fisher_information(plan.share)),
        guess_error=Fraction(measures.weighted_guess_error(design.channel, design.limits.weight)),
        epsilon=measures.epsilon(design.channel),
        exposure=Fraction(measures.exposure(design.channel)),
        is_chosen=is_chosen,
    )


def _respondents(channel: Channel, plan: Plan) -> tuple[int | None, Rule]:
    about = _about(channel, plan)
    if about > MOST_RESPONDENTS * 0.8:
        return None, Rule.NORMAL
    if about > MOST_EXACT:
        return math.ceil(about), Rule.NORMAL
    if plan.theta_1 is not None and plan.theta_2 is not None and plan.error is not None:
        needed = respondents_for_test(channel, float(plan.theta_1), float(plan.theta_2), error=float(plan.error))
    else:
        half_width = float(plan.half_width or DEFAULT_HALF_WIDTH)
        needed = respondents_for_half_width(channel, float(plan.share), half_width, confidence=float(plan.confidence))
    return needed.n, Rule.EXACT


def _about(channel: Channel, plan: Plan) -> float:
    """Return the number of respondents by the normal approximation; 0 where a report decides at once."""
    try:
        model = ShareModel.of(channel)
    except InvalidInput:  # both answers give the same reports
        return math.inf
    if plan.theta_1 is not None and plan.theta_2 is not None and plan.error is not None:
        return _about_test(model, float(plan.theta_1), float(plan.theta_2), float(plan.error))
    information = model.information(float(plan.share))
    deviations = NormalDist().inv_cdf(float(1 + plan.confidence) / 2)
    return (deviations / float(plan.half_width or DEFAULT_HALF_WIDTH)) ** 2 / information


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
