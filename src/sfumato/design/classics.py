"""The classic yes/no designs, at the best setting that keeps the same limits. Refs: [War65], [Gre69], [Bor71], [Yu08].

Warner's coin, the unrelated question, forced response and the crosswise model are one thing to a reader: the truth with
probability t, else "yes" with probability φ. Warner's coin and the crosswise model have φ = 1/2. What differs is what
respondents do, and how finely t can be set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from sfumato.design.limits import Limits
from sfumato.design.surveys import SurveyDesign, check_answers
from sfumato.prob import Channel
from sfumato.values.checks import Number, as_exact, check_at_least, check_between, check_integer
from sfumato.values.types import Real

CROSSWISE_REPORTS = ("both or neither", "one of the two")
"""What respondents of the crosswise model say; the second speaks for "yes"."""


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

    >>> import sfumato as sf
    >>> coin = sf.design.warner(guess_error=0.25)
    >>> coin.channel.rows[1]
    (Fraction(1, 4), Fraction(3, 4))
    >>> round(float(sf.design.warner(guess_error=0.25, max_epsilon=1.0).channel[1, 1]), 4)
    0.7311
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

    >>> import sfumato as sf
    >>> asked = sf.design.unrelated_question(guess_error=0.3, eta=0.25)
    >>> asked.channel.rows
    ((Fraction(17, 20), Fraction(3, 20)), (Fraction(9, 20), Fraction(11, 20)))
    >>> round(sf.measures.epsilon(asked.channel), 3)
    1.299
    """
    limits = Limits.of(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon)
    innocent = as_exact("eta", eta)
    check_between("eta", innocent, 0, 1)
    asked = min([Fraction(1), *_ceilings(limits, innocent)])
    return SurveyDesign(name="unrelated question", channel=diluted_truth(asked, innocent, answers), limits=limits)


def forced_response(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    forced_yes: Real = Fraction(1, 2),
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Answer truly with some probability, else say what a die says: `forced_yes` is how often that is "yes" [Bor71].

    With the sum of two dice, 2 to 4 for a forced "yes" and 11 or 12 for a forced "no" make it 2/3.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> by_dice = sf.design.forced_response(guess_error=0.3, forced_yes=Fraction(2, 3))
    >>> by_dice.channel.rows
    ((Fraction(3, 5), Fraction(2, 5)), (Fraction(1, 5), Fraction(4, 5)))
    >>> by_dice.fisher_information(Fraction(1, 10))
    Fraction(50, 77)
    """
    limits = Limits.of(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon)
    forced = as_exact("forced_yes", forced_yes)
    check_between("forced_yes", forced, 0, 1)
    asked = min([Fraction(1), *_ceilings(limits, forced)])
    return SurveyDesign(name="forced response", channel=diluted_truth(asked, forced, answers), limits=limits)


def crosswise(
    *,
    guess_error: Real | None = None,
    delta: Real | None = None,
    weight: Real = Fraction(1, 2),
    days: int = 365,
    max_epsilon: float | None = None,
    answers: Sequence[str] = ("no", "yes"),
) -> SurveyDesign:
    """Say whether two statements are both true or both false: the sensitive one, and a birthday in part of the year.

    The part is the fewest whole `days` of the year that keep the limits. It is Warner's coin with the birthday for a
    coin, so that nobody carries one and nobody lies in words [Yu08].

    >>> import sfumato as sf
    >>> birthday = sf.design.crosswise(guess_error=0.25)
    >>> birthday.channel.outputs
    ('both or neither', 'one of the two')
    >>> birthday.channel[0, 1]
    Fraction(92, 365)
    """
    check_at_least("days", check_integer("days", days), 2)
    coin = warner(guess_error=guess_error, delta=delta, weight=weight, max_epsilon=max_epsilon, answers=answers)
    return SurveyDesign(
        name="crosswise",
        channel=crosswise_channel(Fraction(coin.channel[0, 1]), days, answers),
        limits=coin.limits,
    )


def crosswise_channel(least: Fraction, days: int = 365, answers: Sequence[str] = ("no", "yes")) -> Channel:
    """Return the crosswise model whose birthday has the fewest days that are at least a part `least` of the year.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> channel = sf.design.crosswise_channel(Fraction(1, 4))
    >>> channel[0, 1], float(sf.measures.guess_error(channel, [0.5, 0.5])) >= 0.25
    (Fraction(92, 365), True)
    """
    labels = check_answers(answers)
    born = min(Fraction(math.ceil(least * days), days), Fraction(1, 2))
    return Channel([[1 - born, born], [born, 1 - born]], labels, CROSSWISE_REPORTS)


def diluted_truth(truth: Fraction, forced_yes: Fraction, answers: Sequence[str] = ("no", "yes")) -> Channel:
    """Return the channel that tells the truth with probability `truth`, else "yes" with probability `forced_yes`.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> channel = sf.design.diluted_truth(Fraction(3, 4), Fraction(1, 3))
    >>> channel.rows
    ((Fraction(11, 12), Fraction(1, 12)), (Fraction(1, 6), Fraction(5, 6)))
    """
    labels = check_answers(answers)
    yes_if_no = (1 - truth) * forced_yes
    yes_if_yes = truth + yes_if_no
    return Channel([[1 - yes_if_no, yes_if_no], [1 - yes_if_yes, yes_if_yes]], labels, labels)


def most_truth(forced_yes: Fraction, *, yes_odds: Number, no_odds: Number = math.inf) -> Fraction:
    """Return the largest probability of the truth at which no report favours "yes", or "no", by more than its odds.

    t + (1-t)φ ≤ o·(1-t)φ for "yes", and the same with 1-φ for "no": both are linear in t.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> truth = sf.design.most_truth(Fraction(1, 2), yes_odds=3)
    >>> truth, sf.measures.odds(sf.design.diluted_truth(truth, Fraction(1, 2)))
    (Fraction(1, 2), Fraction(3, 1))
    """
    found = Fraction(1)
    for odds, forced in ((yes_odds, forced_yes), (no_odds, 1 - forced_yes)):
        if odds != math.inf:
            room = forced * (Fraction(odds) - 1)
            found = min(found, room / (1 + room))
    return found


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
