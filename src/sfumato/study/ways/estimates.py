"""What the reports say of a question: shares with intervals, and the mean where answers are numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from sfumato.errors import InvalidParameter
from sfumato.infer import Method, ReportedShares
from sfumato.infer.reported import NEAREST
from sfumato.study.ways.pictures import Picture
from sfumato.study.ways.share_differences import ShareDifferences
from sfumato.values import Estimate, Interval
from sfumato.values.shown import Shown

if TYPE_CHECKING:
    from sfumato.study.ways.question import Question

# Answers up to which intervals are made from scores where a mechanism has no exact ones.
MOST_SCORED = 256
MEAN = "mean"
"""The name of the quantity that is a mean."""


class Unit(StrEnum):
    """What a quantity is measured in, and so how it is shown."""

    NUMBER = "number"
    SHARE = "share"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number of its own beside the shares: a mean, a median, a cumulative share.

    `value` is plausible and inside `interval`; `raw` is unbiased, and with few reports it may lie outside of what can
    be answered. `value` is None where nothing can be said, and `words` say why. Where the unit is an answer, numbers
    are places in `scale`. `within` is where a mean lies whatever people answer, if that is known.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> hours = sf.BoundedNumber(id="hours", text="Hours of sleep?", lowest=0, highest=10, epsilon=Fraction(2))
    >>> made = sf.publish(sf.Study(name="Rest", questions=(hours,)), {"hours": [6, 8] * 500}, insecure_seed=7)
    >>> mean = sf.estimate_reports(made.reports)[0].mean
    >>> mean.name, round(mean.value, 1), round(mean.interval.lower, 1), round(mean.interval.upper, 1)
    ('mean', 7.0, 6.8, 7.4)
    >>> mean.within
    Interval(lower=0.0, upper=10.0)
    """

    name: str
    value: float | None
    interval: Interval
    raw: float | None = None
    standard_error: float | None = None
    unit: Unit = Unit.NUMBER
    scale: tuple[str, ...] = ()
    words: str = ""
    within: Interval | None = None


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
