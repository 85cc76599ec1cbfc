"""The best yes/no survey for a given protection.   Ref: [C, Thm 1]; theory: docs/theory/survey.md

Respondents whose truth is "no" draw their report from p_0, the others from p_1. Under a limit on the guess error alone
the optimum has three reports ("either", "no", "yes") and the last two prove the answer. Under a second limit on ε the
optimum has likelihood ratios e^-ε, (1-w)/w and e^ε only: every f-divergence is the mean of a convex function of the
likelihood ratio, and the guess limit has its one kink at (1-w)/w.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato import measures
from sfumato.certificates import ChannelSubject
from sfumato.certificates.channel_subjects import channel_subject
from sfumato.certificates.registry import subject_of
from sfumato.design.channel_designs import CertifiedDesign
from sfumato.design.limits import Limits
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.prob.alphabet import normal_label
from sfumato.prob.exact import round_to_grid
from sfumato.values.checks import Number, as_exact, check_between, check_integer
from sfumato.values.types import Real

Pair = tuple[tuple[Fraction, ...], tuple[Fraction, ...]]

EITHER = "either"
# What one word can draw exactly; finer laws are tightened a little and rounded to this grid.
_WORD = 1 << 64
_HAIRS = tuple(Fraction(1, 1 << bits) for bits in (52, 44, 36, 28))


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyDesign(CertifiedDesign):
    """A yes/no survey: how to report, and what it protects.

    It is certified with the weight as the prior of "yes", so that the guess error is the weighted one.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> best = sf.design.survey(guess_error=0.375)
    >>> best.channel.outputs, best.channel.rows[1]
    (('either', 'no', 'yes'), (Fraction(3, 4), Fraction(0, 1), Fraction(1, 4)))
    >>> best.fisher_information(Fraction(1, 10))
    Fraction(25, 9)
    >>> best.certificate["guess_error"].value
    Fraction(3, 8)
    >>> best.mechanism.privatize([0, 1, 1]).shape
    (3,)
    """

    name: str
    channel: Channel
    limits: Limits

    def fisher_information(self, theta: Number) -> Number:
        """J_θ of one report."""
        return measures.fisher_information(self.channel, theta)


@subject_of.register
def _survey_subject(thing: SurveyDesign) -> ChannelSubject:
    return channel_subject(thing.channel, [1 - thing.limits.weight, thing.limits.weight])


def survey(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    outputs: int = 3,
    theta: Real | None = None,
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Return the survey with the most Fisher information under the limits.

    With three outputs it is best for every share θ at once; with two, `theta` (the share of the second answer that
    one expects) decides between two designs.

    At the same guess error one report tells several times as much as one by Warner's coin.

    Raises:
        InvalidParameter: a limit lies outside its range, or two outputs are asked for without `theta`.

    >>> import sfumato as sf
    >>> best = sf.design.survey(guess_error=0.375, max_epsilon=2)
    >>> best.name, round(sf.measures.epsilon(best.channel), 6)
    ('three outputs', 2.0)
    >>> coin = sf.design.warner(guess_error=0.375)
    >>> round(float(best.fisher_information(0.1) / coin.fisher_information(0.1)), 2)
    4.65
    """
    limits = Limits.of(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon)
    labels = check_answers(answers)
    check_between("outputs", check_integer("outputs", outputs), 2, 3, way_out="More than three outputs never help.")
    if outputs == 3:
        return best_design(limits, labels)
    if theta is None:
        raise InvalidParameter(
            "needs `theta`, the share of the second answer that you expect: the best of the two possible designs "
            "depends on it",
            parameter="outputs",
            value=2,
            way_out="Give `theta`, or use 3 `outputs`.",
        )
    share = as_exact("theta", theta)
    check_between("theta", share, 0, 1)
    pair, reports = _two_outputs(limits, share, labels)
    return _design("two outputs", pair, reports, limits, labels)


def best_design(limits: Limits, answers: tuple[str, str] = ("no", "yes")) -> SurveyDesign:
    """Return the optimum over all surveys within the limits, for every share and every f-divergence at once.

    >>> import sfumato as sf
    >>> limits = sf.design.Limits.of(guess_error=0.25, max_epsilon=1)
    >>> found = sf.design.best_design(limits)
    >>> found.name, sf.measures.odds(found.channel) == limits.max_odds
    ('binary randomised response', True)
    >>> round(float(sf.measures.guess_error(found.channel, [0.5, 0.5])), 4)
    0.2689
    """
    pair, reports = _three_outputs(limits, answers)
    name = "three outputs" if len(reports) == 3 else "binary randomised response"
    return _design(name, pair, reports, limits, answers)


def check_answers(answers: Sequence[str]) -> tuple[str, str]:
    """Return the two labels of a yes/no question, "no" first."""
    labels: tuple[Any, ...] = tuple(map(normal_label, answers))
    if len(labels) != 2 or labels[0] == labels[1] or EITHER in labels or "" in labels:
        raise InvalidParameter(
            f"must be two different texts, none of them {EITHER!r} (which is a report of its own)",
            parameter="answers",
            way_out="Give for instance ('no', 'yes').",
        )
    return labels[0], labels[1]


def _three_outputs(limits: Limits, answers: tuple[str, str]) -> tuple[Pair, tuple[str, ...]]:
    a, w, odds = limits.guess_error, limits.weight, limits.max_odds
    if odds == math.inf:
        either_no, either_yes = a / (1 - w), a / w
        rows = (either_no, 1 - either_no, Fraction(0)), (either_yes, Fraction(0), 1 - either_yes)
        return rows, (EITHER, *answers)
    o = Fraction(odds)
    if o <= (1 - a) / a:
        truth = o / (1 + o)
        return ((truth, 1 - truth), (1 - truth, truth)), answers
    low = (1 - w - a) / (1 - w - w / o)
    high = (w - a) / (w * o - (1 - w))
    middle = 1 - low - high
    return ((middle, low, high), (middle * (1 - w) / w, low / o, high * o)), (EITHER, *answers)


def _two_outputs(limits: Limits, theta: Fraction, answers: tuple[str, str]) -> tuple[Pair, tuple[str, ...]]:
    """J is convex in the pair, so it is largest at a corner of the polygon of allowed (p_0, p_1)."""
    corners = binary_corners(limits)

    def information(corner: tuple[Fraction, Fraction]) -> Number:
        p, q = corner
        return measures.fisher_information(Channel([[1 - p, p], [1 - q, q]]), theta)

    # Corners below the diagonal only rename the reports; among equals the first is taken.
    p, q = max((corner for corner in corners if corner[0] <= corner[1]), key=information)
    no, yes = answers
    if p == 0:
        return ((1 - p, p), (1 - q, q)), (EITHER, yes)
    if q == 1:
        return ((p, 1 - p), (q, 1 - q)), (EITHER, no)
    return ((1 - p, p), (1 - q, q)), (no, yes)


def binary_corners(limits: Limits) -> list[tuple[Fraction, Fraction]]:
    """Return the corners of the polygon of two-report channels (p_0, p_1) = chance of the second report."""
    w, delta = limits.weight, limits.delta
    # Each line is (u, v, c) for u·p + v·q ≤ c.
    lines: list[tuple[Fraction, Fraction, Fraction]] = []
    one, zero = Fraction(1), Fraction(0)
    for u, v, c in ((-one, zero, zero), (one, zero, one), (zero, -one, zero), (zero, one, one)):
        lines.append((u, v, c))
    for first, second in itertools.product((1, -1), repeat=2):
        # first·((1-w)p - wq) + second·((1-w)(1-p) - w(1-q)) ≤ δ
        lines.append(((first - second) * (1 - w), (second - first) * w, delta - second * (1 - 2 * w)))
    if limits.max_odds != math.inf:
        o = Fraction(limits.max_odds)
        lines += [(one, -o, zero), (-o, one, zero), (-one, o, o - 1), (o, -one, o - 1)]
    corners = set()
    for (u1, v1, c1), (u2, v2, c2) in itertools.combinations(lines, 2):
        determinant = u1 * v2 - u2 * v1
        if determinant:
            p, q = (c1 * v2 - c2 * v1) / determinant, (u1 * c2 - u2 * c1) / determinant
            if all(u * p + v * q <= c for u, v, c in lines):
                corners.add((p, q))
    return sorted(corners)


def _design(name: str, pair: Pair, reports: Sequence[str], limits: Limits, answers: tuple[str, str]) -> SurveyDesign:
    channel = Channel(pair, answers, reports)
    if channel.integers()[1] > _WORD:
        channel = _fit_word(name, limits, answers, reports)
    return SurveyDesign(name=name, channel=channel, limits=limits)


def _fit_word(name: str, limits: Limits, answers: tuple[str, str], reports: Sequence[str]) -> Channel:
    """Round a three-output law to 64-bit words so that both limits still hold, by aiming a hair inside them.

    The rarer the rarest report, the coarser the words are for it, and the wider the hair.
    """
    for hair in _HAIRS:
        tighter = replace(
            limits,
            guess_error=min(limits.guess_error * (1 + hair), limits.weight, 1 - limits.weight),
            max_odds=limits.max_odds if limits.max_odds == math.inf else Fraction(limits.max_odds) * (1 - hair),
        )
        pair, _ = _three_outputs(tighter, answers)
        rows = [[Fraction(count, _WORD) for count in round_to_grid(row, 64)] for row in pair]
        channel = Channel(rows, answers, reports)
        if meets(channel, limits):
            return channel
    raise InvalidParameter(
        f"the {name} design for these limits is too fine for 64-bit words",
        way_out="Give `guess_error` and `weight` as fractions with smaller denominators, or lower `max_epsilon`.",
    )


def meets(channel: Channel, limits: Limits) -> bool:
    """Whether a yes/no channel keeps both limits, exactly.

    >>> import sfumato as sf
    >>> limits = sf.design.Limits.of(guess_error=0.25, max_epsilon=1)
    >>> [sf.design.meets(sf.design.warner_device(p).channel, limits) for p in (0.7, 0.74, 0.75)]
    [True, False, False]
    """
    return (
        measures.weighted_guess_error(channel, limits.weight) >= limits.guess_error
        and measures.odds(channel) <= limits.max_odds
    )
