"""The plan of a card with a list of answers: what respondents do, what protects them, and what each design costs."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato import measures
from sfumato.certificates import Certificate
from sfumato.certificates.words import at_most, percent, percent_at_least, percent_at_most
from sfumato.design import ListedSurvey, SpinnerCard, answer_or_silence, list_response, listed_survey, spinner_card
from sfumato.design.listed_surveys import silent_level
from sfumato.errors import InvalidParameter
from sfumato.infer import ManyReports
from sfumato.prob import Channel
from sfumato.study.ways.card_plans import TOO_FINE, protection
from sfumato.study.ways.floor_ratios import times
from sfumato.study.ways.goals import DEFAULT_CONFIDENCE, DEFAULT_HALF_WIDTH
from sfumato.study.ways.plans import LevelPlan, PlanTable, QuestionPlan
from sfumato.values.rounding import float_above, float_below

if TYPE_CHECKING:
    from sfumato.study.ways.listed_card import ListedCard

RESPONSE, SILENT, BEST, DIRECT = "randomised response", "answer or silence", "sets, the best", "direct question"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCost:
    """One design, what it protects, and about how many respondents tell every share to the half-width planned for."""

    name: str
    channel: Channel
    respondents: float
    guess_error: Fraction
    epsilon: float
    exposure: Fraction


def plan_listed_card(card: ListedCard, levels: tuple[LevelPlan, ...], certificate: Certificate) -> QuestionPlan:
    """Work a card out: its draw, its costs, and those of its rivals."""
    design, found = card.design(), _spinner(card)
    costs, over = listed_costs(card), variance_over_floor(card)
    said = protection(certificate)
    return QuestionPlan(
        question=card,
        because=(
            f"{len(card.answers)} answers, asked with a card: {design.name}. Each respondent draws unwatched, and "
            f"reports an answer, several that hold theirs, or “any”."
        ),
        levels=levels,
        certificate=certificate,
        sentences=said,
        instructions=(TOO_FINE,) if found is None else found.lines(),
        protection=said,
        arguments=_arguments(costs, _floor_words(card, over)),
        tables=(_table(card, costs),),
        card=found,
        document=_document(card, costs, over, found),
    )


def listed_costs(card: ListedCard) -> tuple[ListedCost, ...]:
    """Count what the card's design costs, and its rivals within the same limits; the chosen design comes first."""
    limits, design = card.limits, card.design()
    rivals: dict[str, Channel] = {}
    if silent_level(limits) is not None:
        rivals[SILENT] = answer_or_silence(card.answers, guess_error=limits.guess_error, weights=limits.weights).channel
    if (best := best_survey(card)) is not None:
        rivals[BEST] = best.channel
    rivals[RESPONSE] = list_response(card.answers, limits)
    size = len(card.answers)
    told = [[Fraction(int(x == y)) for y in range(size)] for x in range(size)]
    rivals[DIRECT] = Channel(told, card.answers, card.answers)
    costs = [_cost(design.name, design.channel, card)]
    costs += [_cost(name, rival, card) for name, rival in rivals.items() if rival.rows != design.channel.rows]
    return tuple(costs)


def best_survey(card: ListedCard) -> ListedSurvey | None:
    """Return the survey that is best for the card's shares; None where too many answers have too many sets."""
    with suppress(InvalidParameter):
        return listed_survey(
            card.answers,
            guess_error=card.limits.guess_error,
            weights=card.limits.weights,
            shares=card.shares,
            max_epsilon=None if card.max_epsilon is None else float_below(card.max_epsilon),
        )
    return None


def variance_over_floor(card: ListedCard) -> Fraction | None:
    """Return how many times the proven least variance, summed over all shares, the card's design has; None if unknown.

    The floor holds for every survey within the card's limits, at the card's shares.
    """
    best = best_survey(card)
    floor = None if best is None else best.floor
    if floor is None:
        return None
    own = card.design().total_variance(card.shares)
    return None if own is None else own / floor


def share_variances(channel: Channel, shares: tuple[Fraction, ...]) -> list[float]:
    """n times the variance of each unbiased share, which intervals are made from; infinite where not all are told.

    The likeliest shares vary a little less where answers are not equally frequent.
    """
    law = np.array([float(share) for share in shares])
    if np.linalg.matrix_rank(channel.array) < len(law):
        return [math.inf] * len(law)
    weights = ManyReports(channel, np.eye(channel.shape[1])).raw
    found: list[float] = (law @ channel.array @ weights**2 - law**2).tolist()
    return found


def _cost(name: str, channel: Channel, card: ListedCard) -> ListedCost:
    deviations = NormalDist().inv_cdf(float(1 + DEFAULT_CONFIDENCE) / 2)
    return ListedCost(
        name=name,
        channel=channel,
        respondents=(deviations / float(DEFAULT_HALF_WIDTH)) ** 2 * max(share_variances(channel, card.shares)),
        guess_error=Fraction(measures.guess_error(channel, card.limits.weights)),
        epsilon=measures.epsilon(channel),
        exposure=Fraction(measures.exposure(channel)),
    )


def _floor_words(card: ListedCard, ratio: Fraction | None) -> str:
    if ratio is None:
        return ""
    expected = "the expected shares" if card.expected_shares is not None else "equal shares"
    return (
        f" At {expected}, the variances of all shares sum to at most {times(float_above(ratio))} times the least of "
        f"any survey within the same limits."
    )


def _arguments(costs: tuple[ListedCost, ...], floor: str) -> tuple[str, ...]:
    chosen, coin = costs[0], next((cost for cost in costs if cost.name == RESPONSE), costs[0])
    said = ["The guess error says how often the best guess of an answer is wrong, on average over reports."]
    if chosen.epsilon > coin.epsilon:
        most = "∞: some of its reports prove an answer" if math.isinf(chosen.epsilon) else at_most(chosen.epsilon)
        said.append(
            f"It does not make single reports equal: the ε of {chosen.name} is {most}, that of randomised response "
            f"{at_most(coin.epsilon)}."
        )
    return (" ".join(said) + floor,)


def _table(card: ListedCard, costs: tuple[ListedCost, ...]) -> PlanTable:
    expected = "as expected" if card.expected_shares is not None else "equally frequent"
    return PlanTable(
        title=(
            f"About how many respondents tell every share within ± {100 * float(DEFAULT_HALF_WIDTH):.6g} percentage "
            f"points, each with {percent(DEFAULT_CONFIDENCE)} confidence, if answers are {expected}"
        ),
        header=("design", "respondents", "guess error", "ε (nats)", "answers proved"),
        rows=tuple(
            (
                cost.name,
                "too many" if math.isinf(cost.respondents) else f"≈ {_three_digits(cost.respondents):,}",
                percent_at_least(cost.guess_error),
                "∞" if math.isinf(cost.epsilon) else at_most(cost.epsilon),
                percent_at_most(cost.exposure),
            )
            for cost in costs
        ),
        chosen=0,
    )


def _three_digits(respondents: float) -> int:
    whole = max(1, math.ceil(respondents))
    return round(whole, 3 - len(str(whole)))


def _spinner(card: ListedCard) -> SpinnerCard | None:
    try:
        return spinner_card(card.design().channel)
    except InvalidParameter:
        return None


def _document(
    card: ListedCard, costs: tuple[ListedCost, ...], over: Fraction | None, found: SpinnerCard | None
) -> dict[str, Any]:
    design = card.design()
    channel = design.channel
    return {
        "design": {
            "name": design.name,
            "answers": channel.inputs,
            "reports": channel.outputs,
            "rows": [[str(p) for p in row] for row in channel.rows],
            "variance_over_floor": None if over is None else float_above(over),
        },
        "card": None
        if found is None
        else {"faces": found.faces, "device": found.device, "lines": found.lines(), "ranges": found.ranges},
        "designs": [
            {
                "name": cost.name,
                "respondents_about": "inf" if math.isinf(cost.respondents) else cost.respondents,
                "guess_error": str(cost.guess_error),
                "epsilon": "inf" if math.isinf(cost.epsilon) else cost.epsilon,
                "exposure": str(cost.exposure),
                "rows": [[str(p) for p in row] for row in cost.channel.rows],
            }
            for cost in costs
        ],
    }
