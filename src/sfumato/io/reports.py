"""What a survey brings in: one report a row, counted by report and, if asked, by group.

The reports stand in the column that is named, else in the one that is preferred, in `report`, or in the only column
there is; a column of counts, which says how often a row stands for itself, is used only when it is named. Further
columns are not looked at. Tables are read in a stream. The reports are people's data: a
refusal says where it is, and never repeats a cell.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_tables import csv_errors, find_separator, open_reader
from sfumato.files.disk import empty_file
from sfumato.files.formats import Format, table_format
from sfumato.files.parquet_tables import batches
from sfumato.files.row_files import file_rows
from sfumato.files.streams import (
    column_keys,
    lines_until,
    parquet_file,
    row_counts,
    text_lines,
)
from sfumato.io.labels import in_reading_order
from sfumato.io.report_cells import Cells, at_row, read_row, unknown_report
from sfumato.io.report_columns import REPORT, ReportColumns, WantedColumns, check_types, find_columns
from sfumato.io.samples import SAMPLES_LIMIT_BYTES

MOST_GROUPS = 10_000
_CHUNK = 2**16

Progress = Callable[[int], None]
Pairs = Counter[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCounts:
    """How often each report came in, over all rows and by group; groups are in reading order, none if not asked.

    `read_report_counts` makes it of a file.

    >>> import sfumato as sf
    >>> found = sf.io.ReportCounts(reports=("no", "yes"), counts=(2, 1), groups=(("Bonn", (1, 0)), ("Ulm", (1, 1))))
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
    >>> _ = Path("reports.csv").write_text("report,town\nyes,Ulm\nno,Ulm\nno,Bonn\n")
    >>> found = sf.io.read_report_counts("reports.csv", known=("no", "yes"), group="town")
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
    """Return what to call now and then to report how far a file has been read; a pipe has no place to tell."""
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
