"""Surveys with a list of answers under a limit on guessing: answer or silence, and reports that are sets.

"Answer or silence": with a probability that depends on the answer only through its weight, say "any"; otherwise tell
the answer. Where all answers weigh and are expected the same no survey within the limit is better, and elsewhere it
loses little. The best survey for expected shares reports sets that contain the answer. Both prove answers, so ε is
infinite unless it is limited as well.   Theory: docs/theory/listed_survey.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.certificates import ChannelSubject
from sfumato.certificates.channel_subjects import channel_subject
from sfumato.certificates.registry import subject_of
from sfumato.design.answer_limits import AnswerLimits
from sfumato.design.channel_designs import CertifiedDesign
from sfumato.design.column_rays import ReportColumn, report_columns
from sfumato.design.least_variances import least_variance
from sfumato.design.variance_floors import FloorProof, Shares, total_variance, variance_floor
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.prob import Channel
from sfumato.prob.exact import round_to_grid
from sfumato.values import Interval
from sfumato.values.checks import as_exact
from sfumato.values.rounding import float_above, float_below
from sfumato.values.types import Real

ANY = "any"
"""What is reported by whoever tells nothing."""
SILENCE = "answer or silence"
# What one word can draw exactly; limits are tightened by a hair before a law is rounded to that grid.
_WORD_BITS = 64
_HAIRS = tuple(Fraction(1, 1 << bits) for bits in (42, 34, 26))
_DUST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSurvey(CertifiedDesign):
    """A survey with a list of answers: how to report, and what it protects.

    `laws` are the shares that it was made for, each with what its total variance is measured in; `proof` shows how good
    any other can be. It is certified with the weights as the prior, so that the guess error is the weighted one.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> best = sf.design.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    >>> best.channel.outputs
    ('train', 'car', 'on foot', 'train or car', 'train or on foot', 'car or on foot', 'any')
    >>> round(best.enclosure.lower, 4), round(best.enclosure.upper, 4)
    (2.44, 2.44)
    >>> round(float(best.certificate["guess_error"].value), 4)
    0.5
    """

    name: str
    channel: Channel
    limits: AnswerLimits
    laws: tuple[Shares, ...] = ()
    proof: FloorProof | None = None

    def total_variance(self, shares: Sequence[Real]) -> Fraction | None:
        """Return n times the sum of the variances of all shares, from n reports; None where not all can be told."""
        return total_variance(self.channel, checked_shares("shares", shares, self.limits.size))

    @property
    def floor(self) -> Fraction | None:
        """What Σ counts·(total variance) over the laws is at least, for every survey within the limits; proved exactly.

        None where the survey was not made for expected shares. For one law the count is 1.
        """
        return None if self.proof is None else variance_floor(self.limits, self.laws, self.proof)

    @property
    def enclosure(self) -> Interval:
        """Between a proven floor and what this survey has lies the least that any survey within the limits can have."""
        if self.proof is None or self.floor is None:
            raise NotCertified(
                "the survey was not made for expected shares, so nothing says how good others are",
                way_out="Make it by `listed_survey` with `shares`.",
            )
        found = Fraction(0)
        for count, law in zip(self.proof.counts, self.laws, strict=True):
            variance = total_variance(self.channel, law)
            if variance is None:
                raise NotCertified("some answers are not told apart", way_out="Lower `guess_error`.")
            found += count * variance
        return Interval(float_below(self.floor), float_above(found))


@subject_of.register
def _listed_subject(thing: ListedSurvey) -> ChannelSubject:
    return channel_subject(thing.channel, thing.limits.weights)


def answer_or_silence(
    answers: Sequence[str], *, guess_error: Real, weights: Sequence[Real] | None = None
) -> ListedSurvey:
    """Say "any" with probability μ/w_x, else the answer x; μ = a/(k-1) makes the guess limit tight.

    Guesses are right with probability μ for "any" and Σ(w_x - μ) for the answers: 1 - (k-1)μ in all.

    Raises:
        InvalidParameter: so much guess error would silence the answers of least weight altogether.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> quiet = sf.design.answer_or_silence(ways, guess_error=0.5)
    >>> quiet.channel.outputs, quiet.channel.rows[0]
    (('train', 'car', 'on foot', 'any'), (Fraction(1, 4), Fraction(0, 1), Fraction(0, 1), Fraction(3, 4)))
    """
    labels = checked_answers(answers)
    limits = AnswerLimits.of(len(labels), guess_error=guess_error, weights=weights)
    level = silent_level(limits)
    if level is None:
        raise InvalidParameter(
            f"must lie below {float((limits.size - 1) * min(limits.weights)):.6g} for answer or silence: beyond, rare "
            f"answers would be always silent",
            parameter="guess_error",
            value=float(limits.guess_error),
            way_out="Use `listed_survey`, lower `guess_error`, or weigh the answers more evenly.",
        )
    rows = []
    for x, weight in enumerate(limits.weights):
        silent = level / weight
        rows.append([1 - silent if y == x else Fraction(0) for y in range(limits.size)] + [silent])
    channel = Channel(rows, labels, (*labels, ANY))
    if channel.integers()[1] > 1 << _WORD_BITS:
        # More silence than asked for: every right guess of an answer becomes one of several.
        words = [math.ceil(row[-1] * (1 << _WORD_BITS)) for row in rows]
        silences = [Fraction(words[x], 1 << _WORD_BITS) for x in range(limits.size)]
        channel = Channel(
            [
                [1 - silent if y == x else Fraction(0) for y in range(limits.size)] + [silent]
                for x, silent in enumerate(silences)
            ],
            labels,
            (*labels, ANY),
        )
        if not limits.kept_by(channel):
            raise _too_fine()
    return ListedSurvey(name=SILENCE, channel=channel, limits=limits)


def silent_level(limits: AnswerLimits) -> Fraction | None:
    """Return how often "any" would be said by a person of weight 1; None where some answer would be never told."""
    level = limits.guess_error / (limits.size - 1)
    return level if limits.max_odds == math.inf and level < min(limits.weights) else None


def listed_survey(
    answers: Sequence[str],
    *,
    guess_error: Real,
    shares: Sequence[Real] | None = None,
    any_of: Sequence[Sequence[Real]] = (),
    weights: Sequence[Real] | None = None,
    max_epsilon: float | None = None,
) -> ListedSurvey:
    """Return the survey within the limits whose shares have the least variances in all, if `shares` are expected.

    With several laws in `any_of` it is the one that loses least, in the worst of them, against what is best for that
    law alone. Without either, all answers are expected to be as frequent.

    Where the shares are not alike it reports sets, and has a little less variance than answer or silence.

    Raises:
        InvalidParameter: shares or weights are no laws, or there are too many answers to look through all their sets.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> best = sf.design.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    >>> quiet = sf.design.answer_or_silence(ways, guess_error=0.5)
    >>> [round(float(one.total_variance([0.2, 0.5, 0.3])), 3) for one in (best, quiet)]
    [2.44, 2.48]
    """
    labels = checked_answers(answers)
    limits = AnswerLimits.of(len(labels), guess_error=guess_error, weights=weights, max_epsilon=max_epsilon)
    if shares is not None and any_of:
        raise InvalidParameter(
            "and `any_of` are two different wishes", parameter="shares", way_out="Put all laws into `any_of`."
        )
    even = (Fraction(1, limits.size),) * limits.size
    wished = [shares] if shares is not None else list(any_of) or [even]
    return _best(limits, labels, tuple(checked_shares("shares", law, limits.size) for law in wished))


@lru_cache(maxsize=128)
def _best(limits: AnswerLimits, labels: tuple[str, ...], laws: tuple[Shares, ...]) -> ListedSurvey:
    columns = report_columns(limits)
    scales = [1.0]
    if len(laws) > 1:
        scales = [least_variance(limits, columns, [law], [1.0]).value for law in laws]
    found = least_variance(limits, columns, laws, scales)
    if silent_level(limits) is not None:
        silence = answer_or_silence(labels, guess_error=limits.guess_error, weights=limits.weights)
        if _largest(silence.channel, laws, scales) <= found.value * (1 + 1e-9):
            # As good, in round numbers.
            return replace(silence, laws=laws, proof=found.proof)
    channel = _drawn(limits, labels, laws, scales)
    return ListedSurvey(name="sets", channel=channel, limits=limits, laws=laws, proof=found.proof)


def _drawn(limits: AnswerLimits, labels: tuple[str, ...], laws: tuple[Shares, ...], scales: list[float]) -> Channel:
    """Round the survey to words so that both limits still hold, by aiming a hair inside them."""
    for hair in _HAIRS:
        tighter = replace(
            limits,
            guess_error=min(limits.guess_error * (1 + hair), 1 - max(limits.weights)),
            max_odds=limits.max_odds if limits.max_odds == math.inf else Fraction(limits.max_odds) * (1 - hair),
        )
        columns = report_columns(tighter)
        amounts = least_variance(tighter, columns, laws, scales).amounts
        channel = _rounded(labels, *_met(columns, amounts))
        if limits.kept_by(channel):
            return channel
    raise _too_fine()


def _met(
    columns: Sequence[ReportColumn], amounts: npt.NDArray[np.float64]
) -> tuple[list[ReportColumn], npt.NDArray[np.float64]]:
    """Drop what is nearly nothing, and move the rest so that rows sum to 1 as nearly as floats can."""
    kept = np.flatnonzero(amounts > _DUST * amounts.max()).tolist()
    table = np.array([[float(p) for p in columns[y].chances] for y in kept])
    used = amounts[kept]
    for _ in range(2):
        # Changes in proportion to what there is, so that nothing falls below 0.
        scaled = table * used[:, None]
        used = used * (1 + np.linalg.lstsq(scaled.T, 1 - scaled.sum(axis=0))[0])
    return [columns[y] for y in kept], used


def _rounded(labels: tuple[str, ...], columns: Sequence[ReportColumn], amounts: npt.NDArray[np.float64]) -> Channel:
    exact = [Fraction(float(amount)) for amount in amounts]
    rows = []
    for x in range(len(labels)):
        row = [amount * column.chances[x] for amount, column in zip(exact, columns, strict=True)]
        total = sum(row, Fraction(0))
        counts = round_to_grid([p / total for p in row], _WORD_BITS)
        rows.append([Fraction(count, 1 << _WORD_BITS) for count in counts])
    return Channel(rows, labels, report_names(labels, columns))


def report_names(labels: tuple[str, ...], columns: Sequence[ReportColumn]) -> tuple[str, ...]:
    """Name each report by the answers that it speaks for; the second of the same name gets a number."""
    named: list[str] = []
    for column in columns:
        whole = len(column.favoured) == len(labels)
        name = ANY if whole else " or ".join(labels[x] for x in column.favoured)
        number, tried = 2, name
        while tried in named:
            tried, number = f"{name} ({number})", number + 1
        named.append(tried)
    return tuple(named)


def checked_answers(answers: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of a list of answers."""
    labels = tuple(answers)
    if len(labels) < 2 or len(set(labels)) != len(labels) or ANY in labels or "" in labels:
        raise InvalidParameter(
            f"must be at least two different texts, none of them {ANY!r} (which is a report of its own)",
            parameter="answers",
            way_out="Give for instance ('train', 'car', 'on foot').",
        )
    return labels


def checked_shares(name: str, shares: Sequence[Real], size: int) -> Shares:
    """Return a law of the answers, exact, with none of them at 0."""
    law = tuple(as_exact(name, share) for share in shares)
    if len(law) != size or min(law) <= 0 or sum(law) != 1:
        raise InvalidParameter(
            f"must be {size} numbers above 0 that sum to 1",
            parameter=name,
            way_out="Write fractions where decimals do not sum to 1.",
        )
    return law


def _largest(channel: Channel, laws: tuple[Shares, ...], scales: list[float]) -> float:
    found = [total_variance(channel, law) for law in laws]
    return max(math.inf if one is None else float(one) / scale for one, scale in zip(found, scales, strict=True))


def _too_fine() -> InvalidParameter:
    return InvalidParameter(
        "and the weights leave no room in which the survey can be drawn with 64-bit words",
        parameter="guess_error",
        way_out="Lower `guess_error` a little, or give weights with smaller denominators.",
    )
