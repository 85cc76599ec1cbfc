"""Yes/no designs compared at equal protection, and what they cost in respondents.

"The same protection" has several meanings: a design that is best at one guess error may prove answers, and another that
needs few respondents at the same ε may be easier to guess from. So each comparison holds one measure equal and shows
the others. A design that proves answers has an infinite ε and no row at a finite one, which is stated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sfumato import measures
from sfumato.display.text import at_most, percent_at_least, percent_at_most
from sfumato.errors import InvalidInput, InvalidParameter
from sfumato.inference.exact import ShareModel
from sfumato.inference.shares import MOST_RESPONDENTS, number_for_half_width, respondents_for_test
from sfumato.numbers.checks import Number, Real, as_exact
from sfumato.prob.channel import Channel
from sfumato.study.goals import Goal
from sfumato.study.question_plans import Compared, CostLevel, PlanTable
from sfumato.surveys.classic_designs import (
    crosswise,
    crosswise_channel,
    diluted_truth,
    forced_response,
    most_truth,
    unrelated_question,
    warner,
)
from sfumato.surveys.design import SurveyDesign, survey

if TYPE_CHECKING:
    from sfumato.study.kinds.card import Card


# --- Respondents needed and protection of one design
# Exact counts are searched for with the intervals and tests that will be used. Where that takes long, and along a whole
# curve, the normal approximation is used and named.


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


WARNER, UNRELATED = "Warner", "unrelated question"
FORCED, CROSSWISE, DIRECT = "forced response 2:1", "crosswise (birthday)", "direct question"
FORCED_YES = Fraction(2, 3)
"""How often a forced answer is "yes" where two dice force it: 2 to 4 against 11 and 12."""
_HALF = Fraction(1, 2)


class Equal(StrEnum):
    """What a comparison holds equal."""

    GUESS_ERROR = "guess error"
    EPSILON = "epsilon"
    POSTERIOR = "posterior"


@dataclass(frozen=True, slots=True, kw_only=True)
class Footing:
    """Designs with one thing equal, the chosen one first; `left_out` names those that have no row, and why."""

    equal: Equal
    costs: tuple[DesignCost, ...]
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What all designs are asked for: the answers, the goal, and the weight of missing the second answer."""

    answers: tuple[str, str]
    goal: Goal
    weight: Fraction = _HALF


def direct_channel(answers: Sequence[str]) -> Channel:
    """Return the channel of a plain question: the report is the answer."""
    return Channel([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]], answers, answers)


def footings_of(chosen: DesignCost, ours: Sequence[DesignCost], asked: Asked) -> tuple[Footing, ...]:
    """Set the chosen design beside the classics at its ε, and at its worst posterior; `ours` are others of our own."""
    either = Fraction(measures.odds(chosen.channel)) if math.isfinite(chosen.epsilon) else math.inf
    second = lift(chosen.channel)
    return (
        _footing(Equal.EPSILON, chosen, [one for one in ours if one.epsilon <= chosen.epsilon], asked, either, either),
        _footing(
            Equal.POSTERIOR, chosen, [one for one in ours if lift(one.channel) <= second], asked, second, math.inf
        ),
    )


def lift(channel: Channel) -> Number:
    """By how much a report can favour the second answer over the first; infinite where one proves it."""
    ratios: list[Number] = []
    for p, q in zip(*channel.rows, strict=True):
        if q > 0:
            ratios.append(q / p if p > 0 else math.inf)
    return max(ratios)


def classics_within(yes_odds: Number, no_odds: Number, answers: Sequence[str]) -> dict[str, Channel]:
    """Return each classic design where no report favours either answer by more than its odds."""
    even = most_truth(_HALF, yes_odds=yes_odds, no_odds=no_odds)
    forced = most_truth(FORCED_YES, yes_odds=yes_odds, no_odds=no_odds)
    return {
        WARNER: diluted_truth(even, _HALF, answers),
        UNRELATED: diluted_truth(even, _HALF, answers),
        FORCED: diluted_truth(forced, FORCED_YES, answers),
        CROSSWISE: crosswise_channel((1 - even) / 2, answers=answers),
    }


def _footing(
    equal: Equal, chosen: DesignCost, ours: Sequence[DesignCost], asked: Asked, yes_odds: Number, no_odds: Number
) -> Footing:
    plain = cost_of(DIRECT, direct_channel(asked.answers), asked.goal, asked.weight)
    proved = f"needs {respondents_text(plain)} respondents and proves every answer"
    if yes_odds == math.inf:
        what = "answers" if equal is Equal.EPSILON else f"“{asked.answers[1]}”"
        return Footing(equal=equal, costs=(), left_out=(("chosen design", f"proves {what}"), (DIRECT, proved)))
    costs = [chosen, *(one for one in ours if one.channel.rows != chosen.channel.rows)]
    costs += [
        cost_of(name, channel, asked.goal, asked.weight)
        for name, channel in classics_within(yes_odds, no_odds, asked.answers).items()
    ]
    return Footing(equal=equal, costs=tuple(costs), left_out=((DIRECT, proved),))


def compared(footings: Sequence[Footing], asked: Asked) -> Compared:
    """Put comparisons into words and tables."""
    return Compared(
        words=footings_words([one for one in footings if one.equal is not Equal.GUESS_ERROR], asked.answers[1]),
        tables=tuple(footing_table(one, asked) for one in footings if one.costs),
        documents=tuple(footing_document(one) for one in footings),
    )


def footings_words(footings: Sequence[Footing], answer: str) -> tuple[str, ...]:
    """Say which designs have no row in which comparison, and why."""
    words = {Equal.EPSILON: "equal ε", Equal.POSTERIOR: f"equal worst posterior of “{answer}”"}
    said = []
    for has_rows in (False, True):
        found = [one for one in footings if bool(one.costs) is has_rows]
        if found:
            where = " and at ".join(words[one.equal] for one in found)
            reasons = dict(reversed([pair for one in found for pair in one.left_out]))
            names = "; ".join(f"the {name} {why}" for name, why in reversed(reasons.items()))
            nothing = "" if has_rows else ", and so there is nothing to compare with"
            said.append(f"A design that proves answers has no row at {where}{nothing}: {names}.")
    return tuple(said)


def footing_table(footing: Footing, asked: Asked) -> PlanTable:
    """Return the designs of a comparison beside each other."""
    answer, share = asked.answers[1], asked.goal.told_shares.expected
    chosen = footing.costs[0]
    held = f"{float(100 * share):.3g} % hold it"
    titles = {
        Equal.GUESS_ERROR: asked.goal.words(answer) + ", at equal guess error",
        Equal.EPSILON: f"Respondents at equal ε: no report favours either answer by more than e^{_epsilon(chosen)}",
        Equal.POSTERIOR: (
            f"Respondents at equal worst posterior: after no report is “{answer}” likelier than "
            f"{percent_at_most(chosen.posterior)}, if {held}"
        ),
    }
    return PlanTable(
        title=titles[footing.equal],
        header=("design", "respondents", "guess error", "ε (nats)", f"“{answer}” at worst", "answers proved"),
        rows=tuple(
            (
                cost.name,
                respondents_text(cost),
                percent_at_least(cost.guess_error),
                _epsilon(cost),
                percent_at_most(cost.posterior),
                percent_at_most(cost.exposure),
            )
            for cost in footing.costs
        ),
        chosen=0,
    )


def footing_document(footing: Footing) -> dict[str, Any]:
    """Return a comparison for programs."""
    return {
        "equal": footing.equal.value,
        "designs": [cost_document(cost) for cost in footing.costs],
        "left_out": dict(footing.left_out),
    }


def cost_document(cost: DesignCost) -> dict[str, Any]:
    """Return a design with what it costs and protects, for programs."""
    return {
        "name": cost.name,
        "chosen": cost.is_chosen,
        "respondents": cost.respondents,
        "rule": cost.rule,
        "fisher_information": _finite(cost.information),
        "guess_error": str(cost.guess_error),
        "epsilon": _finite(cost.epsilon),
        "exposure": str(cost.exposure),
        "worst_posterior": str(cost.posterior),
        "rows": [[str(p) for p in row] for row in cost.channel.rows],
    }


def respondents_text(cost: DesignCost) -> str:
    """Show a number of respondents; what is approximate has three digits."""
    if cost.respondents is None:
        return "too many"
    whole = cost.respondents
    return f"{whole:,}" if cost.rule is Rule.EXACT else f"≈ {round(whole, 3 - len(str(whole))):,}"


def _epsilon(cost: DesignCost) -> str:
    return "∞" if cost.epsilon == math.inf else at_most(cost.epsilon)


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else "inf"


# --- Classic designs beside each other and beside optimal designs
# The designs are given; numbers and table are those of a plan.   Theory: docs/theory/devices.md


class NamedDesign(Protocol):
    """What can be compared: a `Device`, a `SurveyDesign`, anything with a name and a channel of two answers."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def channel(self) -> Channel:
        """What it does."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDevices:
    """Designs with guess error, ε, worst posterior, Fisher information and respondents, in the order given."""

    costs: tuple[DesignCost, ...]
    goal: Goal

    @property
    def words(self) -> tuple[str, ...]:
        """Say which designs prove answers; at a finite ε those cannot be compared."""
        return tuple(
            f"{cost.name}: ε is infinite, because a report proves an answer with probability up to "
            f"{percent_at_most(cost.exposure)}."
            for cost in self.costs
            if cost.epsilon == math.inf
        )

    def table(self) -> PlanTable:
        """Return the designs as rows of words."""
        return PlanTable(
            title=self.goal.words("yes"),
            header=("design", "respondents", "guess error", "ε (nats)", "“yes” at worst", "Fisher information"),
            rows=tuple(
                (
                    cost.name,
                    respondents_text(cost),
                    percent_at_least(cost.guess_error),
                    "infinite: proves answers" if cost.epsilon == math.inf else at_most(cost.epsilon),
                    percent_at_most(cost.posterior),
                    f"{cost.information:.4g}",
                )
                for cost in self.costs
            ),
        )

    def documents(self) -> tuple[dict[str, Any], ...]:
        """Return the designs for programs."""
        return tuple(cost_document(cost) for cost in self.costs)


def compare_devices(
    devices: Sequence[NamedDesign],
    *,
    share: Real,
    half_width: Real = Fraction(1, 20),
    confidence: Real = Fraction(19, 20),
    weight: Real = Fraction(1, 2),
) -> ComparedDevices:
    """Set designs for two answers beside each other at a share of the second answer.

    `respondents` are those whose interval is ± `half_width` there; `weight` is that of missing the second answer.

    Returns:
        A row for each device: protection, and people that it needs.

    Raises:
        InvalidParameter: the share or the guess error is outside of its range.

    >>> import sfumato as sf
    >>> from sfumato.study.compared_designs import compare_devices
    >>> coins = [sf.surveys.warner_device(0.7), sf.surveys.kuk_device(red_if_yes=0.8, red_if_no=0.2, draws=2)]
    >>> [row[:2] for row in compare_devices(coins, share=0.1).table().rows]
    [('Warner', '2,177'), ('Kuk', '363')]
    """
    if not devices:
        raise InvalidParameter("is empty", parameter="devices", way_out="Give at least one design.")
    for device in devices:
        if device.channel.shape[0] != 2:
            raise InvalidParameter(
                "hold one with more than two answers, of which there is no one share to compare at",
                parameter="devices",
                way_out="Leave it out.",
            )
    goal = Goal(
        expected_share=as_exact("share", share),
        half_width=as_exact("half_width", half_width),
        confidence=as_exact("confidence", confidence),
    )
    heavy = as_exact("weight", weight)
    return ComparedDevices(costs=tuple(cost_of(one.name, one.channel, goal, heavy) for one in devices), goal=goal)


# --- The cost of a card's design at every level of privacy


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
