"""Designs for two answers on equal footing: at the same ε, or where no report makes the second answer likelier.

"The same protection" means nothing by itself: a design that is best at one guess error may prove answers, and another
that needs few respondents at the same ε is easier to guess from. So each comparison holds one thing equal and shows
the others. A design that proves answers has an infinite ε and no row at a finite one, and that is said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from sfumato import measures
from sfumato.certificates.words import at_most, percent_at_least, percent_at_most
from sfumato.design import crosswise_channel, diluted_truth, most_truth
from sfumato.prob import Channel
from sfumato.study.ways.design_costs import DesignCost, Rule, cost_of
from sfumato.study.ways.goals import Goal
from sfumato.study.ways.plans import Compared, PlanTable
from sfumato.values.checks import Number

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
