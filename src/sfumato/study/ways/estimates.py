"""What the reports say of a question: shares with intervals, and the mean where answers are numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sfumato.errors import InvalidParameter
from sfumato.infer import Method
from sfumato.values import Estimate, Interval

if TYPE_CHECKING:
    from sfumato.study.ways.question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanEstimate:
    """The mean of a count, with its standard error and an interval (normal approximation, or exact for two points).

    `mean` is plausible, `raw` unbiased: with few reports it may lie outside of what can be answered.
    """

    mean: float
    raw: float
    standard_error: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEstimate:
    """Shares of the answers to one question among one group; `shares` are plausible, `raw` unbiased.

    `band` is where the share of the second answer could lie if a share `ignoring` of the respondents ignored the
    instructions. `together` is the confidence at which all intervals of the question hold at once, if that was asked.
    """

    question: Question
    group: str | None
    level: int
    epsilon: float
    labels: tuple[str, ...]
    shares: tuple[float, ...]
    raw: tuple[float, ...]
    standard_errors: tuple[float, ...]
    intervals: tuple[Interval, ...]
    confidence: float
    total: int
    method: str
    mean: MeanEstimate | None = None
    band: Interval | None = None
    ignoring: float | None = None
    together: float | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_shares(
        cls,
        question: Question,
        found: Estimate,
        reading: Reading,
        *,
        epsilon: float,
        mean: MeanEstimate | None = None,
    ) -> QuestionEstimate:
        """Return what the estimate of a mechanism says of the answers to a question."""
        return cls(
            question=question,
            group=reading.group,
            level=reading.level,
            epsilon=epsilon,
            labels=question.labels,
            shares=found.projected,
            raw=found.raw,
            standard_errors=found.standard_errors,
            intervals=found.intervals,
            confidence=reading.confidence,
            total=found.total,
            method="unbiased shares, nearest law shown",
            mean=mean,
        )

    @property
    def claims(self) -> int:
        """How many of its intervals say something of their own: of two answers, one follows from the other."""
        return 1 if len(self.labels) == 2 else len(self.labels) + (self.mean is not None)


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
