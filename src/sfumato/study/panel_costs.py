"""What the waves of a panel tell together, where a device gives an answer that it gave before the report of then.

Let a person answer x_1, …, x_w in w waves. Each different answer is drawn once, and reported whenever it is given. So
the reports of the waves are, for each different answer, one independent draw of its row of the channel. Two histories
with the same pattern (the waves in which equal answers stand) are told apart by at most d·ε, where d is how many
different answers they have: who never changes loses ε over all waves, as in one, and each change to a new answer costs
ε once more. The pattern itself is not hidden: where the reports of two waves differ, the answer has changed.

Proof: both joint laws are products over the d different answers, and each factor differs by e^ε at most. If the reports
of all waves were drawn afresh, everybody would lose w·ε.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.prob import Channel
from sfumato.study.studies import Study
from sfumato.values.rounding import float_above


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelCost:
    """What the waves tell at most about the answers to one question, in nats, of who gave `different` answers."""

    question: str
    epsilon: float
    different: int

    @property
    def total_epsilon(self) -> float:
        """ε of all waves together, among histories that change at the same times."""
        return math.inf if math.isinf(self.epsilon) else float_above(self.different * Fraction(self.epsilon))


def panel_cost(study: Study, question: str, different: int = 1, *, level: int | None = None) -> PanelCost:
    """Return what all waves tell of somebody who gave so many different answers, at a level or at the public one."""
    epsilons = study.way(question).epsilons
    return PanelCost(question=question, epsilon=epsilons[-1 if level is None else level - 1], different=different)


def pattern_of(history: Sequence[int]) -> tuple[int, ...]:
    """Return in which waves equal answers stand: each wave by the place of the first with its answer."""
    return tuple(list(history).index(answer) for answer in history)


def history_law(channel: Channel, history: Sequence[int]) -> Mapping[tuple[int, ...], Fraction]:
    """Return the exact joint law of the reports of all waves, given the answers as places in the channel's inputs."""
    different = list(dict.fromkeys(history))
    rows = [channel.to_exact().rows[answer] for answer in different]
    law: dict[tuple[int, ...], Fraction] = {}
    for reports in itertools.product(range(channel.shape[1]), repeat=len(different)):
        chance = math.prod(
            (Fraction(row[report]) for row, report in zip(rows, reports, strict=True)), start=Fraction(1)
        )
        if chance:
            told = tuple(reports[different.index(answer)] for answer in history)
            law[told] = law.get(told, Fraction(0)) + chance
    return law


def panel_words(study: Study) -> str:
    """Say to respondents what a change costs them."""
    told = "; ".join(
        f"{way.question.id}: ε = {way.epsilons[-1]:.3g} for an answer that stays, {2 * way.epsilons[-1]:.3g} after one "
        f"change, and so on"
        for way in study.ways
    )
    return (
        "A device that remembers repeats the report of an answer that stays the same, so that further waves tell "
        "nothing more about it. Each change to a new answer costs its ε once more (what everybody sees: "
        f"{told}). That an answer has changed is not hidden: where the reports of two waves differ, everybody sees it."
    )
