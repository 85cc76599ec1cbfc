"""The plan of a card: what respondents do, what protects them, and what each design costs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sfumato.certificates import Certificate
from sfumato.certificates.words import at_most, percent
from sfumato.design import SpinnerCard, spinner_card
from sfumato.errors import InvalidParameter
from sfumato.study.ways.card_costs import cost_levels, design_costs
from sfumato.study.ways.design_costs import DesignCost
from sfumato.study.ways.design_footings import WARNER, Asked, Equal, Footing, compared, cost_document, footings_of
from sfumato.study.ways.plans import CostCurve, CostLevel, LevelPlan, PlanTable, QuestionPlan, Said

if TYPE_CHECKING:
    from sfumato.study.ways.card import Card

TOO_FINE = (
    "The draw is too fine for coins, dice or a phone. Give the question faces = 1000 for a card, or let the software "
    "draw."
)
_OURS = ("three outputs", "two outputs")
# Where the curve of a picture is drawn.
_CURVE = tuple(Fraction(i, 200) for i in range(2, 97))


def plan_card(card: Card, levels: tuple[LevelPlan, ...], certificate: Certificate) -> QuestionPlan:
    """Work a card out: its draw, its costs, and those of its rivals."""
    design, found = card.design(), spinner(card)
    costs, by_error = design_costs(card), cost_levels(card)
    asked = Asked(answers=card.answers, goal=card.goal, weight=card.weight)
    same_error = Footing(equal=Equal.GUESS_ERROR, costs=costs)
    ours = [cost for cost in costs[1:] if cost.name in _OURS]
    beside = compared((same_error, *footings_of(costs[0], ours, asked)), asked)
    said = protection(certificate)
    lines = (TOO_FINE,) if found is None else found.lines()
    return QuestionPlan(
        question=card,
        because=f"Two answers, asked with a card: {design.name}. Each respondent draws unwatched.",
        levels=levels,
        certificate=certificate,
        sentences=said,
        instructions=tuple(lines),
        protection=said,
        arguments=(_means(costs), *beside.words),
        tables=(*beside.tables, _level_table(card, by_error)),
        costs=lambda: _curve(card),
        card=found,
        document=_document(card, costs, by_error, found) | {"comparisons": list(beside.documents)},
    )


def _means(costs: tuple[DesignCost, ...]) -> str:
    """Say what the comparison at equal guess error holds equal, and what it does not."""
    chosen, coin = costs[0], next((cost for cost in costs if cost.name == WARNER), costs[0])
    said = "“At equal guess error” compares how often the best guess of an answer is wrong, on average over reports."
    if chosen.epsilon > coin.epsilon:
        most = "∞: some of its reports prove an answer" if math.isinf(chosen.epsilon) else f"{at_most(chosen.epsilon)}"
        return (
            f"{said} It does not make single reports equal: the ε of {chosen.name} is {most}, that of Warner's coin "
            f"{at_most(coin.epsilon)}. Under a limit on ε alone no report says more about the share "
            f"than that of Warner's coin."
        )
    return said


def _curve(card: Card) -> CostCurve:
    return CostCurve(
        levels=cost_levels(card, _CURVE), guess_error=card.guess_error, goal=card.goal.words(card.answers[1])
    )


def spinner(card: Card) -> SpinnerCard | None:
    """Return the card to draw by, None when the draw is too fine to be made by hand or phone."""
    try:
        return spinner_card(card.design().channel)
    except InvalidParameter:
        return None


def protection(certificate: Certificate) -> tuple[Said, ...]:
    """Return the sentences that a respondent should know."""
    claims = [certificate[measure] for measure in ("guess_error", "exposure", "epsilon")]
    return tuple(
        Said(
            sentence=claim.sentence,
            is_alarm=(claim.measure == "exposure" and claim.value != 0) or claim.value == math.inf,
        )
        for claim in claims
    )


def _level_table(card: Card, levels: tuple[CostLevel, ...]) -> PlanTable:
    return PlanTable(
        title="About how many respondents each level of privacy costs",
        header=("guess error", *(name for name, _ in levels[0].respondents)),
        rows=tuple((percent(level.guess_error), *(_about(n) for _, n in level.respondents)) for level in levels),
        chosen=next((i for i, level in enumerate(levels) if level.guess_error == card.guess_error), None),
    )


def _about(respondents: float) -> str:
    """Round to two digits: the approximation is good for no more."""
    if not math.isfinite(respondents):
        return "too many"
    return f"{_rounded(max(1, math.ceil(respondents)), 2):,}"


def _rounded(whole: int, digits: int) -> int:
    return round(whole, digits - len(str(whole)))


def _document(
    card: Card, costs: tuple[DesignCost, ...], levels: tuple[CostLevel, ...], found: SpinnerCard | None
) -> dict[str, Any]:
    design = card.design()
    channel = design.channel
    return {
        "design": {
            "name": design.name,
            "answers": channel.inputs,
            "reports": channel.outputs,
            "rows": [[str(p) for p in row] for row in channel.rows],
        },
        "respondents": costs[0].respondents,
        "card": None
        if found is None
        else {"faces": found.faces, "device": found.device, "lines": found.lines(), "ranges": found.ranges},
        "designs": [cost_document(cost) for cost in costs],
        "levels_of_privacy": [
            {
                "guess_error": str(level.guess_error),
                "respondents_about": {name: n if math.isfinite(n) else "inf" for name, n in level.respondents},
            }
            for level in levels
        ],
    }
