"""Estimates of a question with their intervals, and the differences between groups and between answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, groupby
from math import hypot, isfinite, isnan
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sfumato import inference
from sfumato.display.notebooks import Shown, headline, html_table, paragraphs
from sfumato.display.text import Show, epsilon_text, number_text
from sfumato.errors import InvalidParameter, printable
from sfumato.inference.estimates import (
    NEAREST,
    LinearEstimate,
    Pairs,
    ReportedShares,
    Side,
    difference_intervals,
    option_difference,
)
from sfumato.inference.exact import Method
from sfumato.inference.quantities import (
    Picture,
    Quantity,
    Unit,
    all_lines,
    estimate_column,
    first_column,
    quantity_cells,
    shown_places,
)
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel
from sfumato.sampling.mechanism import Estimate, Mechanism, Tally

if TYPE_CHECKING:
    from sfumato.mechanisms.options import AssignedOptions
    from sfumato.study.ladder_questions import LadderQuestion
    from sfumato.study.question import Question


# --- Differences between the shares of two answers of one sample; computed only on request


class ShareDifferences(Protocol):
    """What can be said of the difference of two shares."""

    @property
    def holds_together(self) -> bool:
        """Whether the intervals of all differences hold at once, at the confidence of the estimate."""

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate | None, ...]:
        """Return the share of the first minus that of the second, for each pair of places; None if nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedDifferences:
    """Of answers whose reports were seen through a channel, which is made when it is needed."""

    channel: Callable[[], AnyChannel]
    counts: Sequence[int]
    holds_together: bool = False

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate, ...]:
        """Read each difference as one mean of scores."""
        return ReportedShares(self.channel(), self.counts).differences(pairs, confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoDifferences:
    """Of two answers: twice the share of one of them, less 1, and its interval is as exact as that of the share."""

    channel: Channel
    counts: Sequence[int]
    method: inference.Method
    raw: float
    error: float
    holds_together: bool = False

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate, ...]:
        """Read them off the share of the second answer; `raw` and `error` are of its unbiased share."""
        found = inference.estimate_share(self.channel, self.counts, confidence=confidence, method=self.method)
        ends = [2 * found.interval.lower - 1, 2 * found.interval.upper - 1]
        signs = [1 if first else -1 for first, _ in pairs]
        return tuple(
            LinearEstimate(
                value=sign * (2 * found.share - 1),
                raw=sign * (2 * self.raw - 1),
                standard_error=2 * self.error,
                interval=Interval(*sorted(sign * end for end in ends)),
            )
            for sign in signs
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionDifferences:
    """Of options of which some are asked of the same people, and some of others."""

    rung: AssignedOptions
    tally: Tally
    holds_together: bool = False

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate | None, ...]:
        """Compare two options at a time; an option that was never asked about has no result."""
        found = self.rung.estimate(self.tally, confidence=confidence)
        asked = self.rung.option_counts(self.tally).sum(axis=1).tolist()
        places = {pair: place for place, pair in enumerate(self.rung.pairs)}
        together = self.rung.pair_counts(self.tally)
        sides = [
            Side(
                value=found.projected[place],
                raw=found.raw[place],
                error=found.standard_errors[place],
                lower=found.intervals[place].lower,
                upper=found.intervals[place].upper,
                confidence=confidence,
            )
            for place in range(len(asked))
        ]
        made: list[LinearEstimate | None] = []
        for first, second in pairs:
            if not asked[first] or not asked[second]:
                made.append(None)
                continue
            place = places.get((min(first, second), max(first, second)))
            both = np.zeros(4, dtype=np.int64) if place is None else together[place]
            # Of 00, 01, 10 and 11 the two in the middle change places with the options.
            ordered = both if first < second else both[[0, 2, 1, 3]]
            counts = asked[first], asked[second]
            made.append(
                option_difference(sides[first], sides[second], counts, ordered, self.rung.probabilities, confidence)
            )
        return tuple(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberDifferences:
    """Of answers that reports hit or not, where it is not counted which of them a report hits together.

    The intervals of two shares that hold together at a confidence, each at half of what is left, give one of their
    difference: its ends subtracted crosswise. It is wider than it could be, and true.
    """

    mechanism: Mechanism
    tally: Tally
    holds_together: bool = False

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate, ...]:
        """Subtract them, pair by pair."""
        found = self.mechanism.estimate(self.tally, confidence=(1 + confidence) / 2)
        joint = JointDifferences(raw=found.raw, shares=found.projected, intervals=found.intervals)
        return joint.of(pairs, confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointDifferences:
    """Of texts that were picked by the same reports: from intervals that hold for all texts at once, picked or not.

    As these hold together, so does what follows from them: a difference lies between the ends subtracted crosswise.
    """

    raw: Sequence[float]
    shares: Sequence[float]
    intervals: Sequence[Interval]
    holds_together: bool = True

    def of(self, pairs: Pairs, confidence: float) -> tuple[LinearEstimate, ...]:
        """Subtract them; `confidence` is that of the intervals, whatever is asked."""
        del confidence
        return tuple(
            LinearEstimate(
                value=self.shares[first] - self.shares[second],
                raw=self.raw[first] - self.raw[second],
                standard_error=float("nan"),
                interval=Interval(
                    self.intervals[first].lower - self.intervals[second].upper,
                    self.intervals[first].upper - self.intervals[second].lower,
                ),
            )
            for first, second in pairs
        )


# Answers up to which intervals are made from scores where a mechanism has no exact ones.
MOST_SCORED = 256
MEAN = "mean"
"""The name of the quantity that is a mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEstimate(Shown):
    """Shares of the answers to one question among one group; `shares` are plausible, `raw` unbiased.

    `band` is where the share of the second answer could lie if a share `ignoring` of the respondents ignored the
    instructions. `together` is the confidence at which all intervals of the question hold at once, if that was asked.
    `numbers` is where answers lie on an axis, where their labels do not say it: the middles of ranges.
    `raw_errors` are the standard errors of `raw`, where `standard_errors` are those of `shares`.
    `shares_of` says what the shares are of where that is not the answers as they were given, such as rounded ones.
    `differences` compares the shares of two answers when it is asked; None where nothing can be said of them.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 500}, insecure_seed=7)
    >>> found, = sf.estimate_reports(made.reports)
    >>> found.labels, [round(share, 2) for share in found.shares], found.total
    (('no', 'yes'), [0.44, 0.56], 1000)
    >>> round(found.intervals[1].lower, 2), round(found.intervals[1].upper, 2), found.method
    (0.49, 0.62, 'maximum likelihood, exact interval')
    """

    question: Question
    group: str | None
    level: int
    epsilon: float
    labels: tuple[str, ...]
    shares: Sequence[float]
    raw: Sequence[float]
    standard_errors: Sequence[float]
    intervals: Sequence[Interval]
    confidence: float
    total: int
    method: str
    quantities: tuple[Quantity, ...] = ()
    picture: Picture = Picture.ANSWERS
    numbers: tuple[float, ...] = ()
    raw_errors: Sequence[float] = ()
    band: Interval | None = None
    ignoring: float | None = None
    together: float | None = None
    shares_of: str = ""
    notes: tuple[str, ...] = ()
    differences: ShareDifferences | None = field(default=None, compare=False, repr=False)

    def _view(self) -> str:
        group = "" if self.group is None else f" · {self.group}"
        title = f"{self.question.text}{group} ({self.total:,} reports, ε = {epsilon_text(self.epsilon)})"
        lines, _ = all_lines(self)
        header = (first_column(self), estimate_column(self), f"{100 * self.confidence:g} % interval")
        table = html_table(header, [(line.name, line.value, line.reach) for line in lines])
        rest = len(self.labels) - len(shown_places(self))
        notes = [f"and {rest} rarer answers"] * bool(rest) + list(self.notes)
        return f"{headline(title)}{table}{paragraphs(notes)}"

    @classmethod
    def of_shares(
        cls,
        question: Question,
        found: Estimate,
        reading: Reading,
        *,
        epsilon: float,
        seen: ReportedShares | None = None,
        quantities: tuple[Quantity, ...] = (),
        differences: ShareDifferences | None = None,
    ) -> QuestionEstimate:
        """Return what the estimate of a mechanism says of the answers to a question.

        With what was `seen` through a channel, the likeliest shares are shown in place of the nearest law. Intervals of
        the mechanism stay where they are exact.
        """
        shares: Sequence[float] = found.projected
        intervals: Sequence[Interval] = found.intervals
        if seen is not None:
            shares = tuple(seen.likeliest.tolist())
            if not found.exact and len(shares) <= MOST_SCORED:
                intervals = tuple(one.interval for one in seen.shares(reading.confidence))
            intervals = tuple(
                Interval(min(ends.lower, share), max(ends.upper, share))
                for ends, share in zip(intervals, shares, strict=True)
            )
        return cls(
            question=question,
            group=reading.group,
            level=reading.level,
            epsilon=epsilon,
            labels=question.labels,
            shares=shares,
            raw=found.raw,
            standard_errors=found.standard_errors,
            intervals=intervals,
            confidence=reading.confidence,
            total=found.total,
            method=NEAREST if seen is None else seen.method,
            quantities=quantities,
            differences=differences,
        )

    @property
    def claims(self) -> int:
        """How many of its intervals say something of their own: of two answers, one follows from the other.

        Intervals that hold together already are one.
        """
        if self.together is not None:
            return 1
        return 1 if self.is_pair else len(self.labels) + len(self.quantities)

    @property
    def is_pair(self) -> bool:
        """Whether the question has two answers that exclude each other, so that the second says it all.

        Two texts that were found among many are not such a pair.
        """
        excludes = self.picture is not Picture.OPTIONS
        return excludes and len(self.labels) == 2 and len(self.question.labels) == 2

    @property
    def mean(self) -> Quantity | None:
        """The mean, where answers are numbers."""
        return next((one for one in self.quantities if one.name == MEAN), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The true shares of a question's answers, or the true mean of a count; for simulations."""

    shares: tuple[float, ...] | None = None
    mean: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How reports are to be read: at which level, with which intervals.

    `method` and `ignoring` are for questions with two answers.
    """

    level: int
    confidence: float = 0.95
    group: str | None = None
    method: Method = Method.EXACT
    ignoring: float | None = None

    def plain(self, question: str) -> Reading:
        """Return the reading for a question that has more than two answers; refuses what is for two."""
        for parameter, is_given in (
            ("method", self.method is not Method.EXACT),
            ("ignoring", self.ignoring is not None),
        ):
            if is_given:
                raise InvalidParameter(
                    f"is for questions with two answers, and {question!r} has another number",
                    parameter=parameter,
                    way_out=f"Leave out `{parameter}`, or name the questions with two answers.",
                )
        return self

    def among(self, group: str | None) -> Reading:
        """Return the same reading of one group."""
        return replace(self, group=group)


# --- Means of numeric answers: from the share of two values, or from the maximum-likelihood shares of many


def mean_of_two(values: tuple[float, float], share: float, raw: float, error: float, interval: Interval) -> Quantity:
    """Read the mean off the share of the second of two values; its interval is as exact as that of the share."""
    low, span = values[0], values[1] - values[0]
    return Quantity(
        name=MEAN,
        value=low + span * share,
        raw=low + span * float(raw),
        standard_error=span * error,
        interval=Interval(low + span * interval.lower, low + span * interval.upper),
        within=Interval(*values),
    )


def mean_of_shares(
    seen: ReportedShares, values: Sequence[float | Fraction] | None, confidence: float
) -> tuple[Quantity, ...]:
    """Return the mean of the values of the answers, read off the likeliest shares; nothing where they have none."""
    if values is None:
        return ()
    numbers = tuple(map(float, values))
    found = seen.linear(numbers, confidence)
    return (
        Quantity(
            name=MEAN,
            value=found.value,
            raw=found.raw,
            standard_error=found.standard_error,
            interval=found.interval,
            within=Interval(min(numbers), max(numbers)),
        ),
    )


# --- Results among those who answer, where it is hidden who does: a ratio of two sums over all reports
# Everyone reports, so the share that answers is an estimate. The mean among them is estimable only while the interval
# of that share does not reach 0.
# Theory: docs/theory/no_answer.md


# Of longer lists the shares of all respondents say enough.
MOST_SHARES = 30
NOT_ESTIMABLE = "not estimable: perhaps nobody answers, the interval of the share that does reaches 0"


def among_answering(question: LadderQuestion, reported: ReportedShares, confidence: float) -> tuple[Quantity, ...]:
    """Return the mean of numbers, or the shares of the answers, among those who answer; nothing where all do."""
    if not question.hides:
        return ()
    who = question.who_answers
    if question.values is not None:
        return (_ratio(reported, MEAN, tuple(map(float, question.values)), confidence, words=who),)
    answers = question.choices
    if len(answers) > MOST_SHARES:
        return ()
    # Of two answers one share follows from the other.
    places = (1,) if len(answers) == 2 else range(len(answers))
    return tuple(
        _ratio(reported, f"{answers[i]}, {who}", np.eye(len(answers))[i].tolist(), confidence, unit=Unit.SHARE)
        for i in places
    )


def _ratio(
    reported: ReportedShares,
    name: str,
    values: Sequence[float],
    confidence: float,
    *,
    unit: Unit = Unit.NUMBER,
    words: str = "",
) -> Quantity:
    among = [*(True for _ in values), False]
    found = reported.ratio([*map(float, values), 0.0], among, confidence)
    ends = Interval(float(min(values)), float(max(values)))
    if found is None:
        return Quantity(name=name, value=None, interval=ends, unit=unit, words=NOT_ESTIMABLE)
    return Quantity(
        name=name,
        value=found.value,
        raw=found.raw,
        standard_error=found.standard_error,
        interval=found.interval,
        unit=unit,
        words=words,
        within=ends,
    )


# --- Contrasts between two groups: the difference of the same share or mean, with its own interval


SHARE = "share"
"""The name of the quantity that is the share of an answer."""
MOST_PAIRED = 6
"""How many groups or answers are compared each with each; of more, the first is compared with the others."""


class Between(StrEnum):
    """What contrasts are between: groups of people, or the answers of the same people."""

    GROUPS = "groups"
    ANSWERS = "answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A number among the people of one group minus the same number among those of another, or what answers differ by.

    `first` and `second` are groups, or between answers two of these; `group` is then whose answers they are, None
    being everybody. Between groups `answer` is the answer whose share it is, or None where it is another `quantity`.
    `value` is the difference of what is shown and inside `interval`, `raw` is that of the unbiased numbers.
    `standard_error` is that of `raw`, None where intervals of many texts that hold at once say it all. `together` is
    the confidence at which all contrasts of the question hold at once. `shares_of` is that of the estimates.
    """

    between: Between = Between.GROUPS
    question: str
    text: str
    group: str | None = None
    first: str
    second: str
    quantity: str
    answer: str | None
    unit: Unit
    value: float
    raw: float
    standard_error: float | None
    interval: Interval
    confidence: float
    together: float | None = None
    epsilon: float
    reports: int
    shares_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Number:
    """A number that both groups may have; it lies within `bounds`."""

    quantity: str
    answer: str | None
    unit: Unit
    value: float
    raw: float
    error: float
    ends: Interval
    bounds: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """The same number of two groups."""

    first: QuestionEstimate
    second: QuestionEstimate
    one: _Number
    other: _Number


def group_contrasts(estimates: Sequence[QuestionEstimate]) -> tuple[Contrast, ...]:
    """Return the contrasts between groups, question by question.

    Up to `MOST_PAIRED` groups each is compared with each, of more the first with each other one. Medians and other
    answers have none, nor has what can be said of one of the groups only.
    """
    if not any(found.group is not None for found in estimates):
        raise InvalidParameter(
            "are between groups, and these estimates have none",
            parameter="contrasts",
            way_out="Estimate by the groups of a public column, or compare answers: `between` = answers.",
        )
    made: list[Contrast] = []
    for _, same in groupby(estimates, key=lambda found: (found.question.id, found.level)):
        groups = [found for found in same if found.group is not None]
        compared = ((groups[first], groups[second]) for first, second in compared_places(len(groups)))
        pairs = [(first, second, _shared(first, second)) for first, second in compared]
        # Of two answers there is one number, in whatever way it is said.
        claims = sum(min(1, len(shared)) if first.is_pair else len(shared) for first, _, shared in pairs)
        flat = [
            _Pair(first=first, second=second, one=one, other=other)
            for first, second, shared in pairs
            for one, other in shared
        ]
        confidences = [_confidence(pair.first, claims) for pair in flat]
        ends = _ends(flat, confidences)
        made += map(_contrast, flat, confidences, ends)
    return tuple(made)


def compared_places(count: int) -> list[tuple[int, int]]:
    """Return which of so many are compared, by their places.

    Nothing is picked by what the reports say, so that each interval holds as often as it claims.
    """
    return list(combinations(range(count), 2)) if count <= MOST_PAIRED else [(0, place) for place in range(1, count)]


def _shared(first: QuestionEstimate, second: QuestionEstimate) -> list[tuple[_Number, _Number]]:
    """Return what is known of both."""
    others = {(one.quantity, one.answer): one for one in _numbers(second)}
    keyed = (((one.quantity, one.answer), one) for one in _numbers(first))
    return [(one, others[key]) for key, one in keyed if key in others]


def _numbers(found: QuestionEstimate) -> Iterator[_Number]:
    whole = Interval(0.0, 1.0)
    errors = found.raw_errors or found.standard_errors
    for place in range(int(found.is_pair), len(found.labels)):
        if isfinite(found.raw[place]) and isfinite(errors[place]):
            yield _Number(
                quantity=SHARE,
                answer=found.labels[place],
                unit=Unit.SHARE,
                value=found.shares[place],
                raw=found.raw[place],
                error=errors[place],
                ends=found.intervals[place],
                bounds=whole,
            )
    for one in found.quantities:
        bounds = whole if one.unit is Unit.SHARE else one.within
        if bounds is None or one.value is None or one.raw is None or one.standard_error is None:
            continue
        if isfinite(one.raw) and isfinite(one.standard_error):
            yield _Number(
                quantity=one.name,
                answer=None,
                unit=one.unit,
                value=one.value,
                raw=one.raw,
                error=one.standard_error,
                ends=one.interval,
                bounds=bounds,
            )


def _confidence(found: QuestionEstimate, claims: int) -> float:
    return found.confidence if found.together is None else 1 - (1 - found.together) / claims


def _ends(pairs: Sequence[_Pair], confidences: Sequence[float]) -> list[Interval]:
    """Return the intervals of all differences; those within the same bounds are found at once."""
    alike: dict[tuple[float, ...], list[int]] = {}
    for place, (pair, confidence) in enumerate(zip(pairs, confidences, strict=True)):
        bounds = pair.one.bounds
        key = (bounds.lower, bounds.upper, confidence, pair.first.confidence, pair.second.confidence)
        alike.setdefault(key, []).append(place)
    found: dict[int, Interval] = {}
    for (low, high, confidence, of_first, of_second), places in alike.items():
        lower, upper = difference_intervals(
            _side([pairs[place].one for place in places], of_first),
            _side([pairs[place].other for place in places], of_second),
            low=low,
            high=high,
            confidence=confidence,
        )
        found |= dict(zip(places, map(Interval, lower.tolist(), upper.tolist()), strict=True))
    return [found[place] for place in range(len(pairs))]


def _side(numbers: Sequence[_Number], confidence: float) -> Side:
    """Return numbers as one side of differences; `confidence` is that of their intervals."""
    return Side(
        value=[one.value for one in numbers],
        raw=[one.raw for one in numbers],
        error=[one.error for one in numbers],
        lower=[one.ends.lower for one in numbers],
        upper=[one.ends.upper for one in numbers],
        confidence=confidence,
    )


def _contrast(pair: _Pair, confidence: float, interval: Interval) -> Contrast:
    first, second, one, other = pair.first, pair.second, pair.one, pair.other
    return Contrast(
        question=first.question.id,
        text=first.question.text,
        first=str(first.group),
        second=str(second.group),
        quantity=one.quantity,
        answer=one.answer,
        unit=one.unit,
        value=one.value - other.value,
        raw=one.raw - other.raw,
        standard_error=hypot(one.error, other.error),
        interval=interval,
        confidence=confidence,
        together=first.together,
        epsilon=first.epsilon,
        reports=first.total + second.total,
        shares_of=first.shares_of,
    )


# --- Contrasts between two answers: the difference of their shares among the same people, with its own interval


def answer_contrasts(estimates: Sequence[QuestionEstimate]) -> tuple[Contrast, ...]:
    """Return the contrasts between answers, question by question: of all reports, then of each group.

    Up to six answers each is compared with each, of more the first with the others; texts that were found stand with
    the most frequent first. Of two answers the second is compared with the first. “No answer” is one more answer.
    """
    made: list[Contrast] = []
    for _, same in groupby(estimates, key=lambda found: (found.question.id, found.level)):
        samples = [(found, _places(found)) for found in same]
        claims = sum(len(places) for _, places in samples)
        for found, places in samples:
            made += _compared(found, places, claims) if places else ()
    if not made:
        raise InvalidParameter(
            "are between answers, and no question here has two whose shares are known",
            parameter="contrasts",
            way_out="Name a question that is asked for shares.",
        )
    return tuple(made)


def _places(found: QuestionEstimate) -> list[tuple[int, int]]:
    return [(1, 0)] if found.is_pair else compared_places(len(found.labels))


def _compared(found: QuestionEstimate, places: list[tuple[int, int]], claims: int) -> Iterator[Contrast]:
    if found.differences is None:
        raise InvalidParameter(
            f"have no intervals between the answers to {found.question.id!r}, which the same reports have found",
            parameter="contrasts",
            way_out="Name the other questions with `question`.",
        )
    confidence = found.confidence
    if found.together is not None and not found.differences.holds_together:
        confidence = 1 - (1 - found.together) / claims
    differences = found.differences.of(places, confidence)
    for (first, second), one in zip(places, differences, strict=True):
        if one is not None:
            yield _answer_contrast(found, first, second, one, confidence)


def _answer_contrast(
    found: QuestionEstimate, first: int, second: int, one: LinearEstimate, confidence: float
) -> Contrast:
    # What is shown may be the nearest law in place of the likeliest one.
    value = found.shares[first] - found.shares[second]
    return Contrast(
        between=Between.ANSWERS,
        question=found.question.id,
        text=found.question.text,
        group=found.group,
        first=found.labels[first],
        second=found.labels[second],
        quantity=SHARE,
        answer=None,
        unit=Unit.SHARE,
        value=value,
        raw=one.raw,
        standard_error=None if isnan(one.standard_error) else one.standard_error,
        interval=Interval(min(one.interval.lower, value), max(one.interval.upper, value)),
        confidence=confidence,
        together=found.together,
        epsilon=found.epsilon,
        reports=found.total,
        shares_of=found.shares_of,
    )


def contrast_name(one: Contrast) -> str:
    """Say of what it is the difference."""
    if one.answer is None:
        return printable(one.quantity)
    return f"share of “{printable(one.answer)}”{' (rounded)' if one.shares_of else ''}"


def contrast_cells(one: Contrast, show: Show = number_text) -> tuple[str, str]:
    """Return the difference and its interval; shares differ by points."""
    times, points = (100, " points") if one.unit is Unit.SHARE else (1, "")
    ends = Interval(times * one.interval.lower, times * one.interval.upper)
    found = Quantity(name=one.quantity, value=times * one.value, interval=ends)
    value, reach = quantity_cells(found, show)
    if points and quantity_cells(found)[0] in {"1", "-1"}:
        return f"{value} point", f"{reach.replace(' – ', ' to ')}{points}"
    return f"{value}{points}", f"{reach.replace(' – ', ' to ')}{points}"
