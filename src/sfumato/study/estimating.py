"""What a table of reports says about each question: shares with intervals, means of counts, by group if asked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato import infer
from sfumato.errors import InvalidParameter
from sfumato.files.tables import words_of
from sfumato.measures import epsilon
from sfumato.mechanisms import BinaryHadamard, CyclicResponse, Tabulated
from sfumato.prob import Channel
from sfumato.refine.rungs import Rung
from sfumato.study.collecting import card_for, hunt_for
from sfumato.study.hunts import found_texts
from sfumato.study.notes import ReportsNote
from sfumato.study.questions import Count, FreeText, Question, Recoverable
from sfumato.study.reports import Reports
from sfumato.values import Interval

MOST_GROUPS = 1000

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanEstimate:
    """The mean of a count, with its standard error and an interval (normal approximation, or exact for two points)."""

    mean: float
    standard_error: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEstimate:
    """Shares of the answers to one question among one group; `shares` are plausible, `raw` unbiased."""

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
    notes: tuple[str, ...] = ()


class Estimates(tuple[QuestionEstimate, ...]):
    """Estimates of several questions and groups, over everybody first."""

    __slots__ = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row for each answer."""
        return [
            {
                "question": found.question.id,
                "group": found.group,
                "answer": label,
                "share": found.shares[i],
                "raw": found.raw[i],
                "standard_error": found.standard_errors[i],
                "lower": found.intervals[i].lower,
                "upper": found.intervals[i].upper,
                "confidence": found.confidence,
                "reports": found.total,
                "epsilon": found.epsilon,
            }
            for found in self
            for i, label in enumerate(found.labels)
        ]

    def to_arrow(self) -> Any:
        """Return the rows as an Arrow table."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        return pa.Table.from_pylist(self.to_rows())

    def _repr_html_(self) -> str:
        from sfumato.render.notebooks import estimates_html  # noqa: PLC0415  a door into a later room, opened when used

        return estimates_html(self)


def estimate_table(
    reports: Reports,
    *,
    confidence: float = 0.95,
    group: str | None = None,
    questions: Sequence[str] | None = None,
) -> Estimates:
    """Estimate every question, or those named; over everybody first, then by the groups of a public column."""
    note = reports.note
    wanted = list(note.columns) if questions is None else list(questions)
    groups = _groups(reports.table, note, group)
    found = []
    for name in wanted:
        column = reports.column(name)
        found.append(_estimate(note, name, column, None, np.arange(column.size), confidence))
        for label, rows in groups:
            found.append(_estimate(note, name, column, label, rows, confidence))
    return Estimates(tuple(found))


def _groups(table: Any, note: ReportsNote, group: str | None) -> list[tuple[str, IntArray]]:
    if group is None:
        return []
    if group in note.columns:
        raise InvalidParameter(f"group={group!r} is a question; its reports are noise, not groups. Name a kept column.")
    words = words_of(table, group)
    if len(words.texts) > MOST_GROUPS:
        raise InvalidParameter(f"group={group!r} has more than {MOST_GROUPS} values. An identifier is no group.")
    order = sorted(range(len(words.texts)), key=lambda code: words.texts[code])
    return [(words.texts[code], np.flatnonzero(words.codes == code)) for code in order]


def _estimate(
    note: ReportsNote, name: str, reports: IntArray, group: str | None, rows: IntArray, confidence: float
) -> QuestionEstimate:
    question, column = note.study.question(name), note.column(name)
    common = {"question": question, "group": group, "confidence": confidence, "total": int(rows.size)}
    if isinstance(question, FreeText):
        return _texts(note, question, reports, common)
    if isinstance(question, Recoverable):
        return _told(question, reports[rows], common)
    if column.ladder is None:
        channel = card_for(note.study, question).channel
        return _two_answers(channel, reports[rows], column.level, common)
    if column.level == 0:
        raise InvalidParameter(f"column {name} holds answers, not reports. Count them.")
    rung = note.ladder(name).levels[column.level - 1]
    if rung.size == 2 and isinstance(rung, BinaryHadamard):
        return _two_answers(rung.channel(), reports[rows], column.level, common)
    return _many_answers(rung, reports, rows, note.offset, column.level, common)


def _two_answers(channel: Channel, reports: IntArray, level: int, common: dict[str, Any]) -> QuestionEstimate:
    counts = np.bincount(reports, minlength=channel.shape[1]).tolist()
    found = infer.estimate_share(channel, counts, confidence=common["confidence"])
    upper = found.interval
    lower = Interval(1 - upper.upper, 1 - upper.lower)
    return QuestionEstimate(
        **common,
        level=level,
        epsilon=epsilon(channel),
        labels=common["question"].labels,
        shares=(1 - found.share, found.share),
        raw=(1 - found.share, found.share),
        standard_errors=(found.standard_error, found.standard_error),
        intervals=(lower, upper),
        method="maximum likelihood, exact interval",
        mean=_mean_of_two(common["question"], found.share, found.standard_error, upper),
        notes=tuple(found.notes),
    )


def _many_answers(
    rung: Rung, reports: IntArray, rows: IntArray, offset: int, level: int, common: dict[str, Any]
) -> QuestionEstimate:
    if isinstance(rung, BinaryHadamard):
        if common["group"] is not None:
            raise InvalidParameter(
                f"question {common['question'].id!r} asks each position another question, so groups cannot be read "
                f"from its reports. Estimate without groups, or drop random_bits from the study."
            )
        tally = rung.tally(reports, offset=offset)
    else:
        tally = rung.tally(reports[rows])
    found = rung.estimate(tally, confidence=common["confidence"])
    return QuestionEstimate(
        **common,
        level=level,
        epsilon=math.log(rung.odds),
        labels=common["question"].labels,
        shares=found.projected,
        raw=found.raw,
        standard_errors=found.standard_errors,
        intervals=found.intervals,
        method="unbiased shares, nearest law shown",
        mean=_mean_of_many(common["question"], rung, np.array(tally.counts), common["confidence"]),
    )


def _told(question: Recoverable, reports: IntArray, common: dict[str, Any]) -> QuestionEstimate:
    """Read the shares of what may be told; the noise depends on nothing else."""
    design = question.design()
    if design.noise is None:
        raise InvalidParameter(f"question {question.id!r} hides more than its value; its shares cannot be read.")
    mechanism = Tabulated(design.noise)
    found = mechanism.estimate(mechanism.tally(reports), confidence=common["confidence"])
    return QuestionEstimate(
        **common,
        level=1,
        epsilon=epsilon(design.channel),
        labels=question.labels,
        shares=found.projected,
        raw=found.raw,
        standard_errors=found.standard_errors,
        intervals=found.intervals,
        method="unbiased shares, nearest law shown",
    )


def _texts(note: ReportsNote, question: FreeText, reports: IntArray, common: dict[str, Any]) -> QuestionEstimate:
    if common["group"] is not None or note.offset:
        raise InvalidParameter(
            f"question {question.id!r} is for free text, which is found from all reports together. Leave it out of "
            f"groups and parts: name the other questions."
        )
    found = found_texts(hunt_for(note.study, question), reports, max_bytes=question.longest)
    reach = NormalDist().inv_cdf((1 + common["confidence"]) / 2)
    return QuestionEstimate(
        **common,
        level=1,
        epsilon=float(note.study.levels(question)[-1]),
        labels=tuple(found),
        shares=tuple(min(1.0, max(0.0, share)) for share, _ in found.values()),
        raw=tuple(share for share, _ in found.values()),
        standard_errors=tuple(error for _, error in found.values()),
        intervals=tuple(
            Interval(min(1.0, max(0.0, share - reach * error)), min(1.0, max(0.0, share + reach * error)))
            for share, error in found.values()
        ),
        method="frequent texts, found byte by byte; shares of what was found tend high",
        notes=() if found else ("No text is surely frequent; ask more people, or raise epsilon.",),
    )


def _mean_of_two(question: Question, share: float, error: float, interval: Interval) -> MeanEstimate | None:
    if not isinstance(question, Count):
        return None
    low, span = question.lowest, question.highest - question.lowest
    return MeanEstimate(
        mean=low + span * share,
        standard_error=span * error,
        interval=Interval(low + span * interval.lower, low + span * interval.upper),
    )


def _mean_of_many(
    question: Question, rung: Rung, counts: npt.NDArray[np.float64], confidence: float
) -> MeanEstimate | None:
    """Give every report the number whose mean is the mean of the answers, and average."""
    if not isinstance(question, Count) or not isinstance(rung, CyclicResponse):
        return None
    values = np.zeros(rung.modulus)
    values[: rung.size] = question.values
    favoured = np.fft.rfft(rung.difference_set.indicator())
    hits = np.fft.irfft(np.fft.rfft(values) * favoured, n=rung.modulus)
    own, other = (float(p) for p in rung.probabilities)
    scores = (hits - other * values.sum()) / (own - other)
    total = counts.sum()
    mean = float(counts @ scores / total)
    error = math.sqrt(max(0.0, float(counts @ scores**2 / total) - mean**2) / total)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * error
    low, high = (min(max(end, question.lowest), question.highest) for end in (mean - reach, mean + reach))
    return MeanEstimate(mean=mean, standard_error=error, interval=Interval(float(low), float(high)))
