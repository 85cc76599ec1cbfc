"""Reports that were collected on paper and typed in: counted, question by question, for the ways that allow it.

There is no note beside such a file, so the study is needed. Which column holds a question's reports is its id, or
`report` or the only column where one question was asked, or what is named; a column of counts is used only when named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter, Place
from sfumato.files.tables import TABLE_LIMIT_BYTES
from sfumato.io.reports import ReportCounts, read_report_counts
from sfumato.prob import AnyChannel
from sfumato.study.notes import ColumnNote, ReportsNote
from sfumato.study.part_notes import PartNote
from sfumato.study.studies import Study
from sfumato.study.ways import Way
from sfumato.study.ways.no_answer import codes_of
from sfumato.values import Tally

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TypedReports:
    """Counts of typed-in reports by question and, if asked for, by group; what a note says, as far as it is known."""

    note: ReportsNote
    counts: Mapping[str, ReportCounts]
    group: str | None = None

    @classmethod
    def read(
        cls,
        study: Study,
        path: str | Path,
        *,
        questions: tuple[str, ...] | None = None,
        column: str | None = None,
        group: str | None = None,
        count: str | None = None,
        limit_bytes: int = TABLE_LIMIT_BYTES,
        progress: Progress | None = None,
    ) -> TypedReports:
        """Count the reports in a table, in a stream."""
        ways = _on_paper(study, questions)
        if column is not None and len(ways) > 1:
            raise InvalidParameter(
                f"names one column, and {len(ways)} questions were asked with a card",
                parameter="column",
                value=column,
                way_out="Name each column by the id of its question, or choose one with `question`.",
            )
        counts = {
            way.question.id: read_report_counts(
                path,
                known=list(way.report_labels or ()),
                column=column if len(ways) == 1 else way.question.id,
                prefer=way.question.id,
                count=count,
                group=group,
                is_nobody=codes_of(way.question) if way.question.has_gaps else None,
                limit_bytes=limit_bytes,
                progress=progress,
            )
            for way in ways
        }
        # Of a question that not everybody answers there are fewer.
        totals = {counts[way.question.id].total for way in ways if not way.question.has_gaps}
        most = max(found.total for found in counts.values())
        if len(totals) > 1 or (totals and most > max(totals)):
            raise InvalidParameter(
                "has questions with different numbers of reports",
                place=Place(file=str(path)),
                way_out='Fill the gaps, or write missing = "public" into the study.',
            )
        mark = sha256("\n".join(_digest(found) for found in counts.values()).encode()).hexdigest()[:32]
        note = ReportsNote(
            study=study,
            epoch=0,
            source="drawn by hand and typed in",
            columns={name: ColumnNote(declaration=None, level=1) for name in counts},
            parts=(PartNote(id=mark, rows=most, roots={}, salts=b"", blocks=()),),
            publication=mark,
        )
        return cls(note=note, counts=counts, group=group)

    def tallies(self, question: str, group: str | None = None) -> Iterator[tuple[str | None, Any]]:
        """Return the counts of a question: over everybody first, then by group."""
        self.note.column(question)
        if group is not None and group != self.group:
            raise InvalidParameter(
                "was not counted when the reports were read",
                parameter="group",
                value=group,
                way_out="Read the reports with this `group`.",
            )
        found = self.counts[question]
        yield None, Tally(mechanism=question, counts=found.counts)
        if group is not None:
            for label, counts in found.groups:
                yield label, Tally(mechanism=question, counts=counts)

    def channel(self, question: str) -> AnyChannel:
        """Return the exact channel of a question."""
        return self.note.way(question).channel(self.note.column(question).level)

    @property
    def unused_count(self) -> bool:
        """Whether there is a column that looks like counts and was not named."""
        return any(found.unused_count for found in self.counts.values())

    def __len__(self) -> int:
        return self.note.rows


def _digest(found: ReportCounts) -> str:
    """Mark what was typed in, so that no other people's reports are taken for a view of these."""
    return sha256(" ".join(map(str, found.counts)).encode()).hexdigest()


def _on_paper(study: Study, questions: tuple[str, ...] | None) -> list[Way]:
    wanted = study.ways if questions is None else tuple(study.way(name) for name in questions)
    found = [way for way in wanted if way.on_paper]
    others = [way.question.id for way in wanted if not way.on_paper]
    if not found or (questions is not None and others):
        raise InvalidParameter(
            f"question {(others or ['?'])[0]!r} is not asked with a card, so its reports cannot have been typed in",
            way_out="Use the file of reports that was published; it needs no study.",
        )
    return found
