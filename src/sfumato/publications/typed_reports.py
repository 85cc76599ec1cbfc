"""Reports that were collected on paper, typed in and counted.

Such a file has no note, so the study is needed. The column of a question's reports is the named one, else the one with
the question's id, or `report`, or the only column where one question was asked. A column of counts is used only when
named.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.certificates.auditing import SAMPLES_LIMIT_BYTES
from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import empty_file
from sfumato.files.formats import Format, table_format
from sfumato.files.parquet import batches, is_text
from sfumato.files.row_files import file_rows
from sfumato.files.tables import (
    LONGEST_LABEL,
    MOST_COUNT,
    TABLE_LIMIT_BYTES,
    column_keys,
    lines_until,
    parquet_file,
    row_counts,
    text_lines,
)
from sfumato.files.texts import csv_errors, find_separator, normal, open_reader
from sfumato.numbers.exact import parse_count
from sfumato.prob.file_entries import in_reading_order
from sfumato.prob.structured import AnyChannel
from sfumato.publications.note import ColumnNote, PartNote, ReportsNote
from sfumato.sampling.mechanism import Tally
from sfumato.study.cells import codes_of
from sfumato.study.handler import Handler
from sfumato.study.study import Study

# --- The columns of reports, groups and counts


REPORT, COUNT = "report", "count"
"""Where reports stand, and what a column of counts is usually called."""


@dataclass(frozen=True, slots=True)
class WantedColumns:
    """What was asked for."""

    column: str | None
    prefer: str | None
    group: str | None
    count: str | None
    is_nobody: Callable[[str], bool] | None = None
    """Says of a text that it means no report; without it every row has one."""

    def lacks(self, report: str) -> bool:
        """Whether a cell holds no report, and may."""
        return self.is_nobody is not None and (not report or self.is_nobody(report))


@dataclass(frozen=True, slots=True)
class ReportColumns:
    """Where to look: the names of the columns, count and group only if there are any."""

    report: str
    group: str | None
    count: str | None
    unused_count: bool

    @property
    def names(self) -> list[str]:
        """All that are read."""
        return [name for name in (self.report, self.group, self.count) if name is not None]


def find_columns(names: Sequence[str], path: str | Path, wanted: WantedColumns) -> ReportColumns:
    """Find the columns that are meant; refusals may name columns, which are no answers."""
    here = Place(file=str(path))
    if len(set(names)) != len(names):
        raise UnreadableFile("has two columns of the same name", place=here, way_out="Rename one of the two.")
    asked = [("column", wanted.column), ("group", wanted.group), ("count", wanted.count)]
    for parameter, name in asked:
        if name is not None and name not in names:
            raise UnreadableFile(
                "is not a column of this file",
                parameter=parameter,
                value=name,
                place=here,
                way_out="Name one that is in its header.",
            )
    for i, (parameter, name) in enumerate(asked):
        for other, same in asked[i + 1 :]:
            if name is not None and name == same:
                raise InvalidParameter(
                    f"and `{other}` are both {name!r}", parameter=parameter, way_out="Name different columns."
                )
    others = [name for name in names if name not in (wanted.group, wanted.count)]
    alone = [name for name in others if name != COUNT]
    report = wanted.column
    for known in (wanted.prefer, REPORT):
        report = known if report is None and known in others else report
    if report is None:
        if len(alone) != 1:
            raise UnreadableFile(
                f"has no column {REPORT!r}",
                place=here,
                way_out="Rename the column that holds the reports, or name it with `column`.",
            )
        (report,) = alone
    unused = wanted.count is None and COUNT in names and COUNT not in (report, wanted.group)
    return ReportColumns(report, wanted.group, wanted.count, unused)


def check_types(schema: Any, columns: ReportColumns, path: str | Path) -> None:
    """Refuse columns that can hold neither text nor whole numbers."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    for name in columns.names:
        kind = schema.field(name).type
        if not (pa.types.is_integer(kind) or (is_text(kind) and name != columns.count)):
            raise UnreadableFile(
                f"column {name} is of type {kind}, and reports and groups are text or whole numbers, counts whole "
                f"numbers",
                place=Place(file=str(path)),
                way_out="Convert it.",
            )


# --- One row of reports as text: its report, its group and its count
# A refusal says where the row is, and never repeats a cell.


Cells = tuple[str, ...]


def read_row(cells: Cells, columns: ReportColumns, known: tuple[str, ...]) -> tuple[tuple[str, str], int]:
    """Read the cells that matter; none at all is a row of the wrong length."""
    if not cells:
        raise UnreadableFile("has another number of cells than the header", way_out="Complete the line, or drop it.")
    report = normal(cells[0]).strip()
    if report not in known:
        raise unknown_report(report, known)
    name = "" if columns.group is None else normal(cells[1]).strip()
    if columns.group is not None and not 0 < len(name) <= LONGEST_LABEL:
        raise UnreadableFile(
            f"names no group, or one of more than {LONGEST_LABEL} characters", way_out="Fill it in, or drop it."
        )
    count = (
        1 if columns.count is None else parse_count(cells[-1], f"has a column {columns.count} that", most=MOST_COUNT)
    )
    return (report, name), count


def at_row(path: str | Path, error: UnreadableFile, row: int) -> UnreadableFile:
    """A table has rows where a text has lines."""
    return UnreadableFile(f"row {row} {error.rule}", way_out=error.way_out, place=Place(file=str(path)))


def unknown_report(report: str, known: tuple[str, ...]) -> UnreadableFile:
    """Say what is wrong with a report without repeating it."""
    labels = ", ".join(map(repr, known))
    if not report:
        return UnreadableFile("holds no report", way_out=f"Write one of {labels}, or drop the line.")
    return UnreadableFile(
        "holds a report that the design never gives",
        way_out=f"Its reports are {labels}; correct the line, or drop it.",
    )


# --- Counting typed reports by report and, if asked, by group
# Reports are in the named column, else in the preferred one, in `report`, or in the only column. A column of counts is
# used only when it is named. Other columns are ignored. Tables are read in a stream.


MOST_GROUPS = 10_000
_CHUNK = 2**16

Pairs = Counter[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCounts:
    """How often each report came in, over all rows and by group; groups are in reading order, none if not asked.

    `read_report_counts` makes it of a file.

    >>> import sfumato as sf
    >>> from sfumato.publications import ReportCounts
    >>> groups = (("Bonn", (1, 0)), ("Ulm", (1, 1)))
    >>> found = ReportCounts(reports=("no", "yes"), counts=(2, 1), groups=groups)
    >>> found.total, found.by_group["Ulm"]
    (3, (1, 1))
    """

    reports: tuple[str, ...]
    counts: tuple[int, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...] = ()
    unused_count: bool = False
    """Whether there is a column that looks like counts and was not named."""

    @property
    def total(self) -> int:
        """The number of reports."""
        return sum(self.counts)

    @property
    def by_group(self) -> dict[str, tuple[int, ...]]:
        """The counts of each group, in the order of `reports`."""
        return dict(self.groups)


def read_report_counts(
    path: str | Path,
    *,
    known: Sequence[str],
    column: str | None = None,
    prefer: str | None = None,
    group: str | None = None,
    count: str | None = None,
    is_nobody: Callable[[str], bool] | None = None,
    limit_bytes: int = SAMPLES_LIMIT_BYTES,
    progress: Progress | None = None,
) -> ReportCounts:
    r"""Count the reports in a table; `known` are the labels that the design can give.

    `column` names the reports, `count` how often each row stands for itself; without a column, `prefer` is taken if it
    is there. With `is_nobody` rows may lack a report: where the cell is empty, or holds a text of which it says so.
    `progress` is called with the number of bytes read since its last call.

    Returns:
        The counts in the order of `known`, over all rows and by group.

    Raises:
        UnreadableFile: there is no such column or no report, a cell is none of the reports, or the file is damaged
            or too large; the place is told, never the cell.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> from sfumato.publications import read_report_counts
    >>> _ = Path("reports.csv").write_text("report,town\nyes,Ulm\nno,Ulm\nno,Bonn\n")
    >>> found = read_report_counts("reports.csv", known=("no", "yes"), group="town")
    >>> found.counts, found.by_group
    ((2, 1), {'Bonn': (1, 0), 'Ulm': (1, 1)})
    """
    read = {Format.CSV: _read_csv, Format.PARQUET: _read_parquet}.get(table_format(path), _read_sheet)
    wanted = WantedColumns(column, prefer, group, count, is_nobody)
    pairs, columns = read(path, tuple(known), wanted, limit_bytes, progress or (lambda _: None))
    if sum(pairs.values()) == 0:
        raise UnreadableFile(
            "holds no reports",
            place=Place(file=str(path)),
            way_out=f"Write one a row under the header {REPORT}.",
        )
    names = in_reading_order({name for (_, name), n in pairs.items() if n}) if group is not None else ()
    return ReportCounts(
        reports=tuple(known),
        counts=tuple(sum(n for (report, _), n in pairs.items() if report == label) for label in known),
        groups=tuple((str(name), tuple(pairs[label, str(name)] for label in known)) for name in names),
        unused_count=columns.unused_count,
    )


def _read_csv(
    path: str | Path, known: tuple[str, ...], wanted: WantedColumns, limit: int, progress: Progress
) -> tuple[Pairs, ReportColumns]:
    with text_lines(path, limit_bytes=limit) as (lines, stream):
        return _count_lines(lines, path, known, wanted, _follow(stream, progress))


def _count_lines(
    lines: Iterator[str],
    path: str | Path,
    known: tuple[str, ...],
    wanted: WantedColumns,
    advance: Callable[[], None],
) -> tuple[Pairs, ReportColumns]:
    first = next(lines, None)
    if first is None:
        raise empty_file(path)
    with csv_errors(path):
        reader = open_reader(itertools.chain([first], lines), find_separator(first))
        names = [cell.strip() for cell in next(reader, [])]
        if wanted.column is None and set(names) & set(known):
            raise UnreadableFile(
                "this is a report and no header",
                place=Place(file=str(path), line=1),
                way_out=f"Write {REPORT} above it.",
            )
        columns = find_columns(names, path, wanted)
        pick = [names.index(name) for name in columns.names]
        pairs: Pairs = Counter()
        line = reader.line_num
        while chunk := list(itertools.islice(reader, _CHUNK)):
            for cells, times in Counter(_picked(chunk, pick, len(names))).items():
                if cells and wanted.lacks(cells[0].strip()):
                    continue
                try:
                    pair, count = read_row(cells, columns, known)
                except UnreadableFile as error:
                    place = line + _first_line(chunk, cells, pick, len(names))
                    raise UnreadableFile(
                        f"the line {error.rule}", way_out=error.way_out, place=Place(file=str(path), line=place)
                    ) from None
                pairs[pair] += times * count
            _check_groups(pairs, path)
            advance()
            line = reader.line_num
    return pairs, columns


def _follow(stream: BinaryIO, progress: Progress) -> Callable[[], None]:
    """Return a function that reports how far a file has been read; a pipe has no position."""
    seen = 0

    def advance() -> None:
        nonlocal seen
        here = stream.tell()
        progress(here - seen)
        seen = here

    return advance if stream.seekable() else lambda: None


def _picked(chunk: list[list[str]], pick: list[int], width: int) -> Iterator[Cells]:
    """Yield the cells that matter; a row of the wrong length yields none, a blank line nothing at all."""
    take = itemgetter(*pick) if len(pick) > 1 else lambda row: (row[pick[0]],)
    for row in chunk:
        if len(row) == width:
            if width > 1 or row != [""]:
                yield take(row)
        elif row not in ([], [""]):
            yield ()


def _first_line(chunk: list[list[str]], cells: Cells, pick: list[int], width: int) -> int:
    """How many lines it takes to the first row that gives these cells."""
    found = next(row for row in chunk if next(_picked([row], pick, width), None) == cells)
    return lines_until(chunk, tuple(found))


def _read_parquet(
    path: str | Path, known: tuple[str, ...], wanted: WantedColumns, limit: int, progress: Progress
) -> tuple[Pairs, ReportColumns]:
    with parquet_file(path, limit_bytes=limit) as (opened, size):
        columns = find_columns(opened.schema_arrow.names, path, wanted)
        check_types(opened.schema_arrow, columns, path)
        pairs: Pairs = Counter()
        rows = 0
        for batch in batches(opened, columns.names):
            pairs.update(_count_batch(batch, columns, path, known, rows, wanted))
            _check_groups(pairs, path)
            rows += batch.num_rows
            progress(size * batch.num_rows // max(1, opened.metadata.num_rows))
        return pairs, columns


def _read_sheet(
    path: str | Path, known: tuple[str, ...], wanted: WantedColumns, limit: int, progress: Progress
) -> tuple[Pairs, ReportColumns]:
    """Read what another program wrote: a workbook, or a file of SPSS, Stata or SAS."""
    source = file_rows(path, limit_bytes=limit)
    columns = find_columns(source.names, path, wanted)
    pairs: Pairs = Counter()
    rows = 0
    for batch in source.batches(columns.names, _CHUNK):
        texts = [["" if cell is None else str(cell) for cell in column.to_pylist()] for column in batch.columns]
        found = list(zip(*texts, strict=True))
        for cells, times in Counter(found).items():
            if wanted.lacks(cells[0].strip()):
                continue
            try:
                pair, count = read_row(cells, columns, known)
            except UnreadableFile as error:
                raise at_row(path, error, rows + found.index(cells) + 1) from None
            pairs[pair] += times * count
        _check_groups(pairs, path)
        rows += len(found)
    progress(Path(path).stat().st_size)
    return pairs, columns


def _count_batch(
    batch: Any, columns: ReportColumns, path: str | Path, known: tuple[str, ...], rows: int, wanted: WantedColumns
) -> Pairs:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    there = batch.column(columns.report).is_valid()
    if wanted.is_nobody is not None and batch.column(columns.report).null_count:
        first = next((i for i, is_one in enumerate(there.to_pylist()) if is_one), None)
        if first is None:
            return Counter()
        # Some report stands in the place of those that are not there, and is counted no time.
        places = [i if is_one else first for i, is_one in enumerate(there.to_pylist())]
        filled = batch.column(columns.report).take(pa.array(places, pa.int64()))
        batch = batch.set_column(batch.schema.get_field_index(columns.report), columns.report, filled)
    for name in columns.names:
        if batch.column(name).null_count:
            place = rows + batch.column(name).is_null().to_pylist().index(True) + 1
            raise at_row(path, UnreadableFile("has an empty cell", way_out="Fill it in, or drop the row."), place)
    report_keys, report_words = column_keys(batch.column(columns.report), path)
    ones = pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
    group_keys, group_words = (
        (ones, ["", ""]) if columns.group is None else column_keys(batch.column(columns.group), path)
    )
    counts = ones if columns.count is None else row_counts(batch, path, columns.count)
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    counts = pc.if_else(there, counts, 0)
    table = pa.table({"report": report_keys, "group": group_keys, "n": counts})
    sums = table.group_by(["report", "group"], use_threads=False).aggregate([("n", "sum")])
    pairs: Pairs = Counter()
    for report, name, n in zip(*(sums.column(key).to_pylist() for key in ("report", "group", "n_sum")), strict=True):
        label = _word(report, report_words)
        if wanted.lacks(label):
            continue
        if label not in known:
            raise at_row(path, unknown_report(label, known), rows + report_keys.to_pylist().index(report) + 1)
        pair = label, _word(name, group_words)
        if columns.group is not None and not pair[1]:
            place = rows + group_keys.to_pylist().index(name) + 1
            raise at_row(path, UnreadableFile("names no group", way_out="Fill it in, or drop the row."), place)
        pairs[pair] += n
    return pairs


def _word(key: int, words: list[str] | None) -> str:
    return str(key) if words is None else words[key].strip()


def _check_groups(pairs: Pairs, path: str | Path) -> None:
    if len({name for _, name in pairs}) > MOST_GROUPS:
        raise UnreadableFile(
            f"has more than {MOST_GROUPS} groups",
            place=Place(file=str(path)),
            way_out="An identifier is no group; merge some.",
        )


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
        handlers = _on_paper(study, questions)
        if column is not None and len(handlers) > 1:
            raise InvalidParameter(
                f"names one column, and {len(handlers)} questions were asked with a card",
                parameter="column",
                value=column,
                way_out="Name each column by the id of its question, or choose one with `question`.",
            )
        counts = {
            handler.question.id: read_report_counts(
                path,
                known=list(handler.report_labels or ()),
                column=column if len(handlers) == 1 else handler.question.id,
                prefer=handler.question.id,
                count=count,
                group=group,
                is_nobody=codes_of(handler.question) if handler.question.has_gaps else None,
                limit_bytes=limit_bytes,
                progress=progress,
            )
            for handler in handlers
        }
        # Of a question that not everybody answers there are fewer.
        totals = {counts[handler.question.id].total for handler in handlers if not handler.question.has_gaps}
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
        """Return the counts of a question: over all people first, then by group."""
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
        return self.note.handler(question).channel(self.note.column(question).level)

    @property
    def unused_count(self) -> bool:
        """Whether there is a column that looks like counts and was not named."""
        return any(found.unused_count for found in self.counts.values())

    def __len__(self) -> int:
        return self.note.rows


def _digest(found: ReportCounts) -> str:
    """Mark what was typed in, so that no other people's reports are taken for a view of these."""
    return sha256(" ".join(map(str, found.counts)).encode()).hexdigest()


def _on_paper(study: Study, questions: tuple[str, ...] | None) -> list[Handler]:
    wanted = study.handlers if questions is None else tuple(study.handler(name) for name in questions)
    found = [handler for handler in wanted if handler.on_paper]
    others = [handler.question.id for handler in wanted if not handler.on_paper]
    if not found or (questions is not None and others):
        raise InvalidParameter(
            f"question {(others or ['?'])[0]!r} is not asked with a card, so its reports cannot have been typed in",
            way_out="Use the file of reports that was published; it needs no study.",
        )
    return found
