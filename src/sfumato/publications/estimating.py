"""Estimates of each question from reports and their note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from sfumato.display.notebooks import Shown, view_of
from sfumato.errors import InvalidParameter
from sfumato.inference.exact import Method
from sfumato.inference.quantities import Unit
from sfumato.inference.results import (
    SHARE,
    Between,
    Contrast,
    QuestionEstimate,
    Reading,
    answer_contrasts,
    group_contrasts,
)
from sfumato.numbers.checks import check_between
from sfumato.numbers.intervals import Interval
from sfumato.publications.note import ReportsNote


class Collected(Protocol):
    """Reports however they were collected: a note, and tallies of each question."""

    @property
    def note(self) -> ReportsNote:
        """What they are."""

    def tallies(self, question: str, group: str | None = None) -> Iterator[tuple[str | None, Any]]:
        """Count the reports of a question: over all people first, then by group."""

    def __len__(self) -> int: ...


class Estimates(Shown, tuple[QuestionEstimate, ...]):
    """Estimates of several questions and groups, over all people first."""

    __slots__ = ()

    def _view(self) -> str:
        return "".join(map(view_of, self))

    def to_rows(self, contrasts: Sequence[Contrast] | None = None) -> list[dict[str, Any]]:
        """Return one row for the share of each answer, and one for each number beside the shares.

        `quantity` says which it is: share, mean, median. Of a share `answer` is whose it is; of a quantity that is an
        answer `answer` is that one, and `value`, `lower` and `upper` are places in the list, from 0. With `contrasts`
        rows follow for these: `minus` is the group or the answer that is subtracted, None in the rows before.
        """
        rows = [row for found in self for row in (*_share_rows(found), *_quantity_rows(found))]
        if contrasts is None:
            return rows
        return [row | {"minus": None} for row in rows] + [_contrast_row(one) for one in contrasts]

    def contrasts(self, between: Between | str = Between.GROUPS) -> tuple[Contrast, ...]:
        """Return differences with intervals of their own: between groups of each share and mean, or between answers.

        Between answers they are of two shares of the same people: all, and each group. Up to six groups or answers each
        is compared with each, of more the first with the others. With simultaneous intervals all differences of a
        question hold together as well.
        """
        return (answer_contrasts if between_of(between) is Between.ANSWERS else group_contrasts)(self)

    def to_arrow(self, contrasts: Sequence[Contrast] | None = None) -> Any:
        """Return the rows as an Arrow table."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        return pa.Table.from_pylist(self.to_rows(contrasts))


def estimate_collected(
    reports: Collected,
    *,
    confidence: float = 0.95,
    group: str | None = None,
    questions: Sequence[str] | None = None,
    method: Method | str = Method.EXACT,
    ignoring: float | None = None,
    simultaneous: bool = False,
) -> Estimates:
    """Estimate every question, or those named; over all people first, then by the groups of a public column.

    With `simultaneous` all intervals of a question hold together (Bonferroni); `ignoring` is the share of respondents
    who may have ignored the instructions of a question with two answers.
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-9, way_out="Write a share: 0.95, not 95.")
    found = []
    for name in reports.note.questions if questions is None else questions:
        handler, level = reports.note.handler(name), reports.note.column(name).level
        counted = list(reports.tallies(name, group))
        reading = Reading(level=level, confidence=confidence, method=method_of(method), ignoring=ignoring)
        made = [handler.estimate(tally, reading.among(label)) for label, tally in counted]
        if simultaneous:
            reading = replace(reading, confidence=1 - (1 - confidence) / max(1, sum(one.claims for one in made)))
            made = [handler.estimate(tally, reading.among(label)) for label, tally in counted]
            made = [replace(one, together=confidence) for one in made]
        found += made
    said = reports.note.assumptions
    return Estimates(tuple(replace(one, notes=(*one.notes, *said)) if said else one for one in found))


def _share_rows(found: QuestionEstimate) -> list[dict[str, Any]]:
    return [
        _row(found, SHARE, label, found.shares[i], found.raw[i], found.standard_errors[i], found.intervals[i])
        for i, label in enumerate(found.labels)
    ]


def _quantity_rows(found: QuestionEstimate) -> list[dict[str, Any]]:
    rows = []
    for one in found.quantities:
        answer = one.scale[round(one.value)] if one.unit is Unit.ANSWER and one.value is not None else None
        rows.append(_row(found, one.name, answer, one.value, one.raw, one.standard_error, one.interval, one.words))
    return rows


def _row(
    found: QuestionEstimate,
    quantity: str,
    answer: str | None,
    value: float | None,
    raw: float | None,
    error: float | None,
    interval: Interval,
    words: str = "",
) -> dict[str, Any]:
    return {
        "question": found.question.id,
        "group": found.group,
        "quantity": quantity,
        "answer": answer,
        "value": value,
        "raw": raw,
        "standard_error": error,
        "lower": interval.lower,
        "upper": interval.upper,
        "confidence": found.confidence,
        "reports": found.total,
        "epsilon": found.epsilon,
        "words": words,
    }


def _contrast_row(one: Contrast) -> dict[str, Any]:
    of_answers = one.between is Between.ANSWERS
    return {
        "question": one.question,
        "group": one.group if of_answers else one.first,
        "quantity": one.quantity,
        "answer": one.first if of_answers else one.answer,
        "value": one.value,
        "raw": one.raw,
        "standard_error": one.standard_error,
        "lower": one.interval.lower,
        "upper": one.interval.upper,
        "confidence": one.confidence,
        "reports": one.reports,
        "epsilon": one.epsilon,
        "words": "",
        "minus": one.second,
    }


def between_of(between: Between | str) -> Between:
    """Read what contrasts are between."""
    if between not in set(Between):
        raise InvalidParameter(
            "is not known",
            parameter="between",
            value=between,
            way_out=f"Choose one of {', '.join(one.value for one in Between)}.",
        )
    return Between(between)


def method_of(method: Method | str) -> Method:
    """Read the name of a method, however it is spelled."""
    if isinstance(method, Method):
        return method
    known = {one.value.lower().replace(" ", "-"): one for one in Method}
    found = known.get(method.lower().replace(" ", "-"))
    if found is None:
        raise InvalidParameter(
            "is not known", parameter="method", value=method, way_out=f"Choose one of {', '.join(known)}."
        )
    return found
