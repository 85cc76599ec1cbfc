"""Classic devices beside each other, and beside designs of our own: what each protects, and what it costs.

The numbers and the table are those of a plan (:mod:`sfumato.study.ways.design_footings`); here the designs are given.
Theory: docs/theory/devices.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from sfumato.certificates.words import at_most, percent_at_least, percent_at_most
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.study.ways.design_costs import DesignCost, cost_of
from sfumato.study.ways.design_footings import cost_document, respondents_text
from sfumato.study.ways.goals import Goal
from sfumato.study.ways.plans import PlanTable
from sfumato.values.checks import as_exact
from sfumato.values.types import Real


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
    >>> coins = [sf.design.warner_device(0.7), sf.design.kuk_device(red_if_yes=0.8, red_if_no=0.2, draws=2)]
    >>> [row[:2] for row in sf.compare_devices(coins, share=0.1).table().rows]
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
