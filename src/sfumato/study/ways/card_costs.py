"""What a card costs in respondents: the chosen design beside its rivals, and every design at every level of privacy."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.design import SurveyDesign, crosswise, forced_response, survey, unrelated_question, warner
from sfumato.study.ways.design_costs import DesignCost, about_respondents, cost_of
from sfumato.study.ways.design_footings import CROSSWISE, DIRECT, FORCED, FORCED_YES, direct_channel
from sfumato.study.ways.plans import CostLevel

if TYPE_CHECKING:
    from sfumato.study.ways.card import Card

LEVELS = tuple(Fraction(text) for text in ("0.05", "0.1", "0.2", "0.3", "0.35", "0.4", "0.45"))
ANY_EPSILON = "three outputs, any ε"


def design_costs(card: Card) -> tuple[DesignCost, ...]:
    """Count what the card's design costs, and its rivals at the same guess error; the chosen design comes first."""
    design, goal, weight = card.design(), card.goal, card.weight
    rivals = {name: rival.channel for name, rival in rival_designs(card, card.guess_error).items()}
    rivals |= {
        FORCED: forced_response(
            guess_error=card.guess_error,
            weight=weight,
            max_epsilon=card.epsilon_below,
            answers=card.answers,
            forced_yes=FORCED_YES,
        ).channel,
        CROSSWISE: crosswise(
            guess_error=card.guess_error, weight=weight, max_epsilon=card.epsilon_below, answers=card.answers
        ).channel,
        DIRECT: direct_channel(card.answers),
    }
    if ANY_EPSILON in rivals:
        rivals[ANY_EPSILON] = rivals.pop(ANY_EPSILON)
    costs = [cost_of(design.name, design.channel, goal, weight, is_chosen=True)]
    costs += [
        cost_of(name, channel, goal, weight) for name, channel in rivals.items() if channel.rows != design.channel.rows
    ]
    return tuple(costs)


def cost_levels(card: Card, guess_errors: Sequence[Fraction] = LEVELS) -> tuple[CostLevel, ...]:
    """Return about how many respondents each design needs at each guess error that the card's weight allows."""
    levels = []
    for error in sorted({*guess_errors, card.guess_error}):
        if 0 < error <= min(card.weight, 1 - card.weight) and error < Fraction(1, 2):
            rivals = rival_designs(card, error)
            needs = tuple((name, about_respondents(rival.channel, card.goal)) for name, rival in rivals.items())
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
