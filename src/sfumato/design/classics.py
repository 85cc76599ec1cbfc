"""Warner's coin and the unrelated question, at the best setting that keeps the same limits. Refs: [War65], [Gre69]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from sfumato.design.limits import Limits
from sfumato.design.surveys import SurveyDesign, check_answers
from sfumato.prob import Channel
from sfumato.values.checks import as_exact, check_between
from sfumato.values.types import Real


def warner(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Tell the truth with probability π, the opposite otherwise; π = 1-a = (1+δ)/2 unless ε binds first.

    [C, Table I] prints π = δ for 1-δ here, which does not meet its own constraint.
    """
    limits = Limits.of(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon)
    labels = check_answers(answers)
    truth = 1 - limits.guess_error
    if limits.max_odds != math.inf:
        odds = Fraction(limits.max_odds)
        truth = min(truth, odds / (1 + odds))
    channel = Channel([[truth, 1 - truth], [1 - truth, truth]], labels, labels)
    return SurveyDesign(name="Warner", channel=channel, limits=limits)


def unrelated_question(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    eta: Real = Fraction(1, 2),
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Answer the sensitive question with probability π, else an innocent one to which a share `eta` says yes.

    Both limits are linear in π on each sign pattern of the l1 norm, so the largest π is the least of a few ratios.
    """
    limits = Limits.of(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon)
    labels = check_answers(answers)
    innocent = as_exact("eta", eta)
    check_between("eta", innocent, 0, 1)
    asked = min([Fraction(1), *_ceilings(limits, innocent)])
    yes_if_no = (1 - asked) * innocent
    yes_if_yes = asked + (1 - asked) * innocent
    channel = Channel([[1 - yes_if_no, yes_if_no], [1 - yes_if_yes, yes_if_yes]], labels, labels)
    return SurveyDesign(name="unrelated question", channel=channel, limits=limits)


def _ceilings(limits: Limits, eta: Fraction) -> list[Fraction]:
    """Every upper bound on π: intercept + slope·π ≤ bound, for the slopes that are positive."""
    w = limits.weight
    # Entries as (value at π = 0, slope): chance of no and of yes under either truth.
    no_if_no, yes_if_no = (1 - eta, eta), (eta, -eta)
    no_if_yes, yes_if_yes = (1 - eta, eta - 1), (eta, 1 - eta)
    lines: list[tuple[Fraction, Fraction, Fraction]] = []
    for sign_no, sign_yes in product((1, -1), repeat=2):
        intercept, slope = (
            sign_no * ((1 - w) * no_if_no[i] - w * no_if_yes[i])
            + sign_yes * ((1 - w) * yes_if_no[i] - w * yes_if_yes[i])
            for i in (0, 1)
        )
        lines.append((intercept, slope, limits.delta))
    if limits.max_odds != math.inf:
        o = Fraction(limits.max_odds)
        for favoured, other in ((yes_if_yes, yes_if_no), (no_if_no, no_if_yes)):
            lines.append((favoured[0] - o * other[0], favoured[1] - o * other[1], Fraction(0)))
    # no_if_no = 1 - yes_if_no: at π = 0 both truths share one law.
    return [max(Fraction(0), (bound - intercept) / slope) for intercept, slope, bound in lines if slope > 0]
