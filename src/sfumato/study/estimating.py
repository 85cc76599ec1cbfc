"""What reports say about each question: shares with intervals, means of counts, by group if asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from sfumato.errors import InvalidParameter
from sfumato.infer import Method
from sfumato.study.notes import ReportsNote
from sfumato.study.ways import QuestionEstimate, Reading
from sfumato.values.checks import check_between


class Collected(Protocol):
    """Reports however they were collected: a note, and tallies of each question."""

    @property
    def note(self) -> ReportsNote:
        """What they are."""

    def tallies(self, question: str, group: str | None = None) -> Iterator[tuple[str | None, Any]]:
        """Count the reports of a question: over everybody first, then by group."""

    def __len__(self) -> int: ...


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
    """Estimate every question, or those named; over everybody first, then by the groups of a public column.

    With `simultaneous` all intervals of a question hold together (Bonferroni); `ignoring` is the share of respondents
    who may have ignored the instructions of a question with two answers.
    """
    check_between("confidence", confidence, 0.5, 1 - 1e-9)
    found = []
    for name in reports.note.columns if questions is None else questions:
        way, level = reports.note.way(name), reports.note.column(name).level
        counted = list(reports.tallies(name, group))
        reading = Reading(level=level, confidence=confidence, method=method_of(method), ignoring=ignoring)
        made = [way.estimate(tally, reading.among(label)) for label, tally in counted]
        if simultaneous:
            wider = replace(reading, confidence=1 - (1 - confidence) / max(1, sum(one.claims for one in made)))
            made = [way.estimate(tally, wider.among(label)) for label, tally in counted]
            made = [replace(one, together=confidence) for one in made]
        found += made
    return Estimates(tuple(found))


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
