"""The best yes/no survey for a given protection, and the theorems that no survey does better [C].

Respondents whose truth is "no" draw their report from p_0, the others from p_1. Under a limit on the guess error alone
the optimum has three reports ("either", "no", "yes"), and the last two prove the answer. Under a second limit on ε the
optimum has only the likelihood ratios e^-ε, (1-w)/w and e^ε: every f-divergence is the mean of a convex function of the
likelihood ratio, and the guess limit has its one kink at (1-w)/w.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato import measures
from sfumato.certificates.certificate import subject_of
from sfumato.certificates.channels import ChannelSubject, channel_subject
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.mechanisms.tabulated import CertifiedDesign
from sfumato.numbers.checks import Number, Real, as_exact, check_between, check_integer, check_positive
from sfumato.numbers.exact import round_to_grid
from sfumato.numbers.intervals import fraction_below_exp
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution, normal_label

# --- The two limits of a yes/no survey: the guess error, and the odds by which a report may favour an answer


# Odds are rounded down to multiples of 2^-32, so the limit holds and epsilon falls short by less than 2.4e-10.
_ODDS_GRID = 1 << 32
# Beyond this the reports are public for any practical purpose.
_MOST_EPSILON = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """A guesser who weighs a wrong "yes" by 1-weight and a wrong "no" by weight errs by at least `guess_error`.

    And no report favours an answer by more than `max_odds`, infinite when there is no such limit. Refs: [C, eq. (1)]
    with a = `guess_error` and δ = 1 - 2a.

    >>> import sfumato as sf
    >>> limits = sf.surveys.Limits.of(guess_error=0.375, max_epsilon=2)
    >>> limits.delta, limits.weight, round(float(limits.max_odds), 3)
    (Fraction(1, 4), Fraction(1, 2), 7.389)
    >>> sf.surveys.meets(sf.surveys.warner_device(0.6).channel, limits)
    True
    """

    guess_error: Fraction
    weight: Fraction
    max_odds: Number = math.inf

    def __post_init__(self) -> None:
        a, w = self.guess_error, self.weight
        if not 0 < a < Fraction(1, 2):
            raise InvalidParameter(
                "must lie strictly between 0 and 0.5 (`delta` = 1 - 2·`guess_error` strictly between 0 and 1): at 0.5 "
                "nothing is learned, at 0 nothing is hidden",
                parameter="guess_error",
                value=float(a),
                way_out="Choose for instance 0.375.",
            )
        if not a <= w <= 1 - a:
            raise InvalidParameter(
                f"must lie in [a, 1-a] = [{_show(a)}, {_show(1 - a)}]: with this much guess error the two mistakes "
                f"cannot be weighed so unevenly",
                parameter="weight",
                value=float(w),
                way_out=f"Lower `guess_error` to at most {_show(min(w, 1 - w))} (`delta` to at least "
                f"{_show(abs(1 - 2 * w))}) or move `weight` towards 0.5.",
            )

    @classmethod
    def of(
        cls,
        *,
        guess_error: Real | None = None,
        delta: Real | None = None,
        weight: Real = Fraction(1, 2),
        max_epsilon: float | None = None,
    ) -> Limits:
        """Read the limits as people give them: a guess error or δ, and ε rather than odds."""
        if (guess_error is None) == (delta is None):
            raise InvalidParameter(
                "one of `guess_error` and `delta` = 1 - 2·`guess_error` is needed, and not both",
                way_out="Give one of the two.",
            )
        a = as_exact("guess_error", guess_error) if delta is None else (1 - as_exact("delta", delta)) / 2
        if delta is not None and not 0 < as_exact("delta", delta) < 1:
            raise InvalidParameter(
                "must lie strictly between 0 and 1", parameter="delta", value=delta, way_out="Choose for instance 0.25."
            )
        return cls(guess_error=a, weight=as_exact("weight", weight), max_odds=odds_within(max_epsilon))

    @property
    def delta(self) -> Fraction:
        """δ = 1 - 2a: the largest ‖(1-w)p_0 - w p_1‖_1."""
        return 1 - 2 * self.guess_error


def odds_within(max_epsilon: float | None) -> Number:
    """Return the odds that a limit on ε allows, never more; infinite where there is none."""
    if max_epsilon is None or max_epsilon == math.inf:
        return math.inf
    check_positive("max_epsilon", max_epsilon)
    if max_epsilon > _MOST_EPSILON:
        raise InvalidParameter(
            f"must be at most {_MOST_EPSILON}: beyond that a report is public for any practical purpose",
            parameter="max_epsilon",
            value=max_epsilon,
            way_out="Leave `max_epsilon` out to drop the limit.",
        )
    return fraction_below_exp(max_epsilon, denominator=_ODDS_GRID)


def _show(value: Fraction) -> str:
    return f"{float(value):.6g}"


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
    >>> best = sf.surveys.survey(guess_error=0.375)
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
    >>> best = sf.surveys.survey(guess_error=0.375, max_epsilon=2)
    >>> best.name, round(sf.measures.epsilon(best.channel), 6)
    ('three outputs', 2.0)
    >>> coin = sf.surveys.warner(guess_error=0.375)
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
    >>> limits = sf.surveys.Limits.of(guess_error=0.25, max_epsilon=1)
    >>> found = sf.surveys.best_design(limits)
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
    >>> limits = sf.surveys.Limits.of(guess_error=0.25, max_epsilon=1)
    >>> [sf.surveys.meets(sf.surveys.warner_device(p).channel, limits) for p in (0.7, 0.74, 0.75)]
    [True, False, False]
    """
    return (
        measures.weighted_guess_error(channel, limits.weight) >= limits.guess_error
        and measures.odds(channel) <= limits.max_odds
    )


# --- The two limits of a survey with a list of answers: the guess error, and the odds of a report
# Theory: docs/theory/listed_survey.md


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLimits:
    """A guesser for whom answer x has the chance weights[x] beforehand is wrong at least `guess_error` of the time.

    That is Σ_y max_x w_x p(y|x) ≤ 1 - a. And no report favours an answer by more than `max_odds`, infinite when there
    is no such limit.

    >>> import sfumato as sf
    >>> limits = sf.surveys.AnswerLimits.of(3, guess_error=0.5, max_epsilon=2)
    >>> limits.size, float(limits.most_right), round(float(limits.max_odds), 3)
    (3, 0.5, 7.389)
    >>> ways = ("train", "car", "on foot")
    >>> limits.kept_by(sf.surveys.list_response(ways, limits))
    True
    """

    guess_error: Fraction
    weights: tuple[Fraction, ...]
    max_odds: Number = math.inf

    def __post_init__(self) -> None:
        if len(self.weights) < 2:
            raise InvalidParameter("must be at least two", parameter="weights", way_out="Give one for each answer.")
        if min(self.weights) <= 0 or sum(self.weights) != 1:
            raise InvalidParameter(
                "must be above 0 and sum to 1", parameter="weights", way_out="Leave `weights` out for equal ones."
            )
        most = 1 - max(self.weights)
        if not 0 < self.guess_error <= most:
            raise InvalidParameter(
                f"must lie in (0, {float(most):.6g}]: without any report a guesser is wrong {float(most):.6g} of the "
                f"time, and reports make no guess worse",
                parameter="guess_error",
                value=float(self.guess_error),
                way_out="Lower `guess_error`, or weigh the answers more evenly.",
            )

    @classmethod
    def of(
        cls,
        answers: int,
        *,
        guess_error: Real,
        weights: Sequence[Real] | None = None,
        max_epsilon: float | None = None,
    ) -> AnswerLimits:
        """Return the limits from weights, equal by default, and from ε rather than odds."""
        masses = (
            (Fraction(1, answers),) * answers
            if weights is None
            else tuple(as_exact("weights", weight) for weight in weights)
        )
        if len(masses) != answers:
            raise InvalidParameter(
                f"must be {answers}, one for each answer", parameter="weights", way_out="Count the answers."
            )
        return cls(guess_error=as_exact("guess_error", guess_error), weights=masses, max_odds=odds_within(max_epsilon))

    @property
    def size(self) -> int:
        """How many answers there are."""
        return len(self.weights)

    @property
    def most_right(self) -> Fraction:
        """How often a guesser may be right."""
        return 1 - self.guess_error

    @property
    def even(self) -> bool:
        """Whether all answers weigh the same."""
        return len(set(self.weights)) == 1

    def kept_by(self, channel: Channel) -> bool:
        """Whether a channel keeps both limits, exactly."""
        return (
            measures.guess_error(channel, self.weights) >= self.guess_error and measures.odds(channel) <= self.max_odds
        )


# --- The theorems of [C] as functions: the most that any survey reaches
# Each maximum is the value of the optimal pair itself; tests compare it with a linear programme over likelihood ratios.


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalFor:
    """The only weight, and the guess error at it, for which a pair is optimal.

    >>> import sfumato as sf
    >>> found = sf.surveys.optimal_weight(sf.surveys.survey(guess_error=0.3, weight=0.4).channel)
    >>> found.weight, found.guess_error
    (Fraction(2, 5), Fraction(3, 10))
    """

    weight: Fraction
    guess_error: Fraction


def optimal_weight(channel: Channel) -> OptimalFor | None:
    """For which weight does this yes/no channel have the most Fisher information at its guess error? [C, Thm 2]

    A pair is optimal iff every report that both answers can give has the same likelihood ratio p_1/p_0 = (1-w)/w. So
    there is at most one such weight; None means that some other pair is better for every weight.

    Raises:
        InvalidLaw: the channel has not exactly two answers.

    >>> import sfumato as sf
    >>> sf.surveys.optimal_weight(sf.surveys.survey(guess_error=0.3, weight=0.4).channel)
    OptimalFor(weight=Fraction(2, 5), guess_error=Fraction(3, 10))
    >>> sf.surveys.optimal_weight(sf.surveys.warner(guess_error=0.3).channel) is None
    True
    """
    if channel.shape[0] != 2:
        raise InvalidLaw(
            f"the channel has {channel.shape[0]} inputs; a yes/no question has 2", way_out="Pick its two rows."
        )
    first, second = channel.to_exact().rows
    shared = [(Fraction(p), Fraction(q)) for p, q in zip(first, second, strict=True) if p > 0 and q > 0]
    ratios = {q / p for p, q in shared}
    if len(ratios) != 1:
        return None  # several ratios can be improved on; without a shared report the guess error is 0
    weight = 1 / (1 + ratios.pop())
    error = (1 - weight) * sum((p for p, _ in shared), Fraction(0))
    # A guess error of ½ leaves no room for any information: such a pair says nothing.
    return OptimalFor(weight=weight, guess_error=error) if error < Fraction(1, 2) else None


def largest_fisher_information(limits: Limits, theta: Real, *, outputs: int = 3) -> Fraction:
    """The maxima of [C, Thm 1] in closed form, exact; for a limit on the guess error alone.

    The print gives the right values and swaps the two-output pairs that reach them.

    Raises:
        InvalidParameter: ε is limited too, or `theta` is not strictly between 0 and 1.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> limits = sf.surveys.Limits.of(guess_error=0.375)
    >>> [str(sf.surveys.largest_fisher_information(limits, 0.1, outputs=outputs)) for outputs in (3, 2)]
    ['25/9', '100/39']
    >>> sf.surveys.survey(guess_error=0.375).fisher_information(Fraction(1, 10))
    Fraction(25, 9)
    """
    if limits.max_odds != math.inf:
        raise InvalidParameter(
            "the closed form knows no limit on `epsilon`", way_out="Ask the design for its Fisher information."
        )
    a, w, share = limits.guess_error, limits.weight, as_exact("theta", theta)
    if not 0 < share < 1:
        raise InvalidParameter(
            "must lie strictly between 0 and 1", parameter="theta", value=theta, way_out="Move it inside."
        )
    check_between("outputs", outputs, 2, 3)
    if outputs == 3:
        return (1 - a / (w * (1 - share) + (1 - w) * share)) / (share * (1 - share))
    if share <= (w - a) / limits.delta:
        return (w - a) / (share * (w * (1 - share) + a * share))
    return (1 - w - a) / ((1 - share) * (a * (1 - share) + (1 - w) * share))


def largest_f_divergence(
    limits: Limits, theta_1: Real, theta_2: Real, f: Callable[[float], float], *, slope_at_infinity: float
) -> float:
    """max D_f(p_θ1‖p_θ2) over all surveys within the limits [C, Thm 3]; one design reaches it for every f.

    With f(t) = |t - 1|/2 it is the total variation between the laws of a report.

    >>> import sfumato as sf
    >>> limits = sf.surveys.Limits.of(guess_error=0.375)
    >>> def half_distance(ratio):
    ...     return abs(ratio - 1) / 2
    >>> round(sf.surveys.largest_f_divergence(limits, 0.1, 0.9, half_distance, slope_at_infinity=0.5), 4)
    0.2
    """
    first, second = _laws(limits, theta_1, theta_2)
    return measures.f_divergence(first, second, f, slope_at_infinity=slope_at_infinity)


def largest_renyi_nats(limits: Limits, theta_1: Real, theta_2: Real, order: float) -> float:
    """max D_α(p_θ1‖p_θ2), α = 1+s in [C, Cor. 1].

    Order 1 is the Kullback-Leibler divergence.

    >>> import sfumato as sf
    >>> limits = sf.surveys.Limits.of(guess_error=0.375)
    >>> [round(sf.surveys.largest_renyi_nats(limits, 0.1, 0.9, order), 4) for order in (0.5, 1, 2)]
    [0.2107, 0.4394, 1.0217]
    """
    first, second = _laws(limits, theta_1, theta_2)
    return measures.renyi_nats(first, second, order)


def largest_chernoff_nats(limits: Limits, theta_1: Real, theta_2: Real) -> float:
    """The fastest exponent at which the error of distinguishing θ1 from θ2 can fall [C, Sec. V].

    >>> import sfumato as sf
    >>> limits = sf.surveys.Limits.of(guess_error=0.375)
    >>> round(sf.surveys.largest_chernoff_nats(limits, 0.1, 0.9), 4)
    0.1054
    """
    first, second = _laws(limits, theta_1, theta_2)
    return measures.chernoff_information_nats(first, second)


def _laws(limits: Limits, theta_1: Real, theta_2: Real) -> tuple[Sequence[Number], Sequence[Number]]:
    channel = best_design(limits).channel
    first, second = (share_law(channel, theta) for theta in (theta_1, theta_2))
    return first, second


def share_law(channel: Channel, theta: Real) -> tuple[Number, ...]:
    """p_θ = (1-θ)p_0 + θ p_1: the law of a report when a share θ holds the second answer.

    >>> import sfumato as sf
    >>> channel = sf.surveys.warner(guess_error=0.25).channel
    >>> [float(p) for p in sf.surveys.share_law(channel, 0.1)]
    [0.7, 0.3]
    """
    share = as_exact("theta", theta)
    check_between("theta", share, 0, 1)
    return channel.output_law(Distribution([1 - share, share], channel.inputs))
