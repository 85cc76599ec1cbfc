"""Reports with their note: files and folders of them, rows checked against digests, and columns of people."""

from __future__ import annotations

import glob
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.display.notebooks import Shown, html_table
from sfumato.display.text import epsilon_text
from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.disk import read_bytes
from sfumato.files.formats import Format, check_places, check_table_place, format_of
from sfumato.files.public_tables import TableWriter
from sfumato.files.row_streams import open_rows, row_source
from sfumato.files.tables import (
    NOTE_LIMIT_BYTES,
    TableLike,
    codebook_path,
    labelled_column,
    note_inside,
    note_path,
    numbers_of,
    with_gaps,
    words_of,
)
from sfumato.files.texts import decode_text
from sfumato.keys.digests import NOTHING, Numbers, ReportTree
from sfumato.prob.structured import AnyChannel
from sfumato.publications.coded_reports import codebook, described_columns
from sfumato.publications.counting import Found, check_group, check_groups, check_together, count_rows, in_order
from sfumato.publications.manifest import is_publication, note_digest, read_manifest
from sfumato.publications.note import PartNote, ReportsNote, Salts, not_as_noted, releases_words
from sfumato.sampling.sources import SystemBits
from sfumato.study.file import write_beside
from sfumato.study.handler import Handler

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


# --- Rows of reports, chunk by chunk, with their parts and numbers
# A file holds the rows of one part after those of another, each in ascending order of their numbers. A selection of
# rows made by another tool is identified by its column `row` alone, and cannot be checked against the roots of its
# part.


ROW, PART = "row", "part"
"""Columns of every file of reports: a row's number in its part, and which part that is where there are several."""

# The most digits of a report that is a number: it fits a signed word.
_MOST_DIGITS = 19


class MadeRows(ABC):
    """Rows that are made when they are read."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns that there are."""

    @abstractmethod
    def chunks(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield tables of the columns that are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """Where rows lie, and of which parts they are, in this order. `is_whole` unless rows were selected."""

    rows: TableLike | MadeRows
    parts: tuple[PartNote, ...]
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Chunk:
    """Some rows of one part, with their numbers there."""

    part: PartNote
    numbers: Numbers
    table: Any
    first: int
    """How many rows of the file come before."""
    _read: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict, repr=False)

    def reports(self, handler: Handler) -> npt.NDArray[np.int64]:
        """Return the reports of a question as numbers; `NOTHING` where an amendment leaves a cell as it was.

        It is also `NOTHING` where there was no answer, and that is public.
        """
        name = handler.question.id
        if name not in self._read:
            has_gaps = self.part.amends is not None or handler.question.has_gaps
            self._read[name] = read_column(handler, self.table, first=self.first, has_gaps=has_gaps)
        return self._read[name]


def chunks_of(source: Source, columns: Sequence[str]) -> Iterator[Chunk]:
    """Go through the rows once. The numbers of a part that is whole must be those that its note speaks of."""
    if source.is_whole and not any(part.present for part in source.parts):
        return  # everybody was erased
    wanted = [ROW, *columns]
    held = source.rows
    tables = held.chunks(wanted) if isinstance(held, MadeRows) else open_rows(held, columns=wanted).chunks()
    parts, first = list(source.parts), 0
    place, last = 0, -1  # how many rows of the present part were met, and the number of the last
    for table in tables:
        done = 0
        while done < table.num_rows:
            part = parts[0] if parts else None
            left = table.num_rows - done if not source.is_whole or part is None else part.present - place
            if part is None:
                raise not_as_noted(ROW)
            if left == 0:
                parts.pop(0)
                place, last = 0, -1
                continue
            piece = table.slice(done, left)
            numbers = _numbers(piece, part, place, last, is_whole=source.is_whole)
            yield Chunk(part=part, numbers=numbers, table=piece, first=first + done)
            done += piece.num_rows
            place, last = place + piece.num_rows, int(numbers[-1])
        first += table.num_rows
    if source.is_whole and sum(part.present for part in parts) != place:
        raise not_as_noted(ROW)


def names_of(source: Source) -> tuple[str, ...]:
    """Return the columns that a source has."""
    held = source.rows
    return tuple(held.names if isinstance(held, MadeRows) else row_source(held).names)


def _numbers(piece: Any, part: PartNote, place: int, last: int, *, is_whole: bool) -> Numbers:
    found = numbers_of(piece, ROW)
    if is_whole and part.is_dense:
        if not np.array_equal(found, part.numbers_from(place, found.size)):
            raise not_as_noted(ROW)
    elif found[0] <= last or np.any(found[1:] <= found[:-1]):
        raise UnreadableFile(
            f"column {ROW} must rise from row to row",
            way_out=f"Sort the rows by {ROW}; of a publication in several parts, select from one part at a time.",
        )
    if not is_whole:
        check_known(found, part)
    return found


def check_known(found: Numbers, part: PartNote) -> None:
    """Refuse a selection with rows that the part never had, or that were erased from it since."""
    if found[0] < part.start or found[-1] >= part.start + part.rows:
        raise UnreadableFile(
            f"column {ROW} has numbers that the note does not know", way_out="Take the note that belongs to these rows."
        )
    if part.erased and np.any(np.isin(found, np.array(part.erased, dtype=np.int64))):
        raise UnreadableFile(
            f"column {ROW} has rows that were erased since: they were selected from an older copy",
            way_out="Select again, from the reports as they are now.",
        )


def read_column(handler: Handler, table: Any, *, first: int = 0, has_gaps: bool = False) -> npt.NDArray[np.int64]:
    """Return the reports of a column as numbers, whether it holds labels or numbers."""
    name = handler.question.id
    column = table.column(name) if name in table.column_names else None
    if has_gaps and column is not None and column.null_count:
        import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

        filled = np.asarray(pc.is_valid(column).to_pylist(), dtype=np.bool_)
        reports = np.full(filled.size, NOTHING, dtype=np.int64)
        if filled.any():
            reports[filled] = read_column(handler, table.filter(pc.is_valid(column)), first=first)
        return reports
    if handler.report_labels is None and column is not None and not column.null_count and _is_whole_numbers(column):
        numbers = numbers_of(table, name)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < handler.report_count:
            outside = np.flatnonzero((numbers < 0) | (numbers >= handler.report_count))
            raise _unknown(name, first + int(outside[0]) + 1)
        return numbers
    return _read_words(handler, words_of(table, name, first=first))


def _is_whole_numbers(column: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return bool(pa.types.is_integer(column.type))


def _read_words(handler: Handler, words: Words) -> npt.NDArray[np.int64]:
    labels = handler.report_labels if handler.report_numbers is None else tuple(map(str, handler.report_numbers))
    if not len(words):
        return words.codes
    if labels is None:
        count = handler.report_count
        places = [int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else -1 for text in words.texts]
        places = [place if place < count else -1 for place in places]
    else:
        known = {label: place for place, label in enumerate(labels)}
        places = [known.get(text, -1) for text in words.texts]
    found: npt.NDArray[np.int64] = np.array(places, dtype=np.int64)[words.codes]
    if found.min() < 0:
        raise _unknown(handler.question.id, words.row(int(np.flatnonzero(found < 0)[0])))
    return found


def _unknown(name: str, row: int) -> UnreadableFile:
    return UnreadableFile(
        f"column {name}, row {row} holds what no report to its question is", way_out="Ask for the file again."
    )


def check_has_rows(names: Collection[str], path: str | Path) -> None:
    """Refuse reports whose rows have lost their numbers."""
    if ROW not in names:
        raise InvalidParameter(
            f"has no column {ROW!r}, which says which row of its part each report is",
            parameter="reports",
            value=str(path),
            way_out="Keep that column when selecting rows, or ask for the file again.",
        )


Progress = Callable[[int, int | None], None]
"""Told how many rows were done since it was last told, and how many there are in all where that is known."""
Vouch = Callable[[PartNote, ReportTree], None]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Reports(Shown):
    """Rows of reports with a column for each question, in one part or several, and their note.

    Rows stay where they lie, in files or in memory, and are read when they are asked for. `remarks` say what a reader
    should know of them: that they could not be checked, or that rows were erased.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> reports = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7).reports
    >>> len(reports), reports.channel("tired").shape
    (100, (2, 2))
    """

    sources: tuple[Source, ...]
    note: ReportsNote
    remarks: tuple[str, ...] = ()

    def _view(self) -> str:
        """Return the study, the level of each question, and the first rows."""
        note = self.note
        head = [(name, note.study.question(name).text, self._seen_at(name)) for name in note.questions]
        rows = self.table.slice(0, 5).to_pylist()
        names = list(self.table.column_names)
        warning = f"<p><strong>{escape(note.source)}</strong></p>" if note.insecure else ""
        warning += f"<p>{escape(releases_words(note))}</p>" if note.earlier else ""
        return (
            f"<p><strong>{escape(note.study.name)}</strong>: {len(self):,} reports</p>{warning}"
            + html_table(("question", "text", "seen at"), head)
            + html_table(names, [[str(row[name]) for name in names] for row in rows])
        )

    def _seen_at(self, name: str) -> str:
        handler, level = self.note.handler(name), self.note.column(name).level
        return "answers" if level == 0 else f"ε = {epsilon_text(handler.epsilons[level - 1])}"

    @classmethod
    def of(cls, rows: Any, note: ReportsNote) -> Reports:
        """Return the reports of one file, or of a table in memory."""
        return cls(sources=(Source(rows=rows, parts=note.parts),), note=note)

    @classmethod
    def read(cls, path: Any, *, note: str | Path | None = None) -> Reports:
        """Read reports that `sfumato publish` or `sfumato open` wrote: a file, a folder, a glob, or several of them.

        With `note`, the file beside the whole, a selection of rows is read that another tool made.
        """
        return read_report_files(path, note=note)

    # Rows.

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The columns that were kept as they are, in public."""
        known = {*self.note.columns, ROW, PART}
        return tuple(name for name in names_of(self.sources[0]) if name not in known)

    def chunks(
        self, questions: Sequence[str], others: Sequence[str] = (), *, vouch: Vouch | None = None
    ) -> Iterator[Chunk]:
        """Go through the rows once, part by part; at the end of a part its columns are checked against their roots.

        `vouch` is called with the digests of every part that was checked.
        """
        for source in self.sources:
            wanted = [name for name in questions if any(name in part.roots or not part.roots for part in source.parts)]
            present, tree = None, None
            for chunk in chunks_of(source, [*wanted, *others]):
                if chunk.part is not present:
                    _check(present, tree, vouch)
                    present, tree = chunk.part, chunk.part.tree(wanted) if source.is_whole else None
                if tree is not None:
                    tree.add(chunk.numbers, {name: chunk.reports(self.note.handler(name)) for name in tree.digests})
                yield chunk
            _check(present, tree, vouch)

    def current(self, chunk: Chunk, question: str) -> npt.NDArray[np.bool_] | None:
        """Say which rows of a chunk have a report on a question that no amendment has replaced; None is all."""
        if question not in chunk.part.roots and chunk.part.amends is not None:
            return np.zeros(chunk.numbers.size, dtype=np.bool_)
        gone = self.superseded.get((chunk.part.id, question))
        if chunk.part.amends is None:
            return None if gone is None else np.isin(chunk.numbers, gone, invert=True)
        there: npt.NDArray[np.bool_] = chunk.reports(self.note.handler(question)) != NOTHING
        return there if gone is None else there & np.isin(chunk.numbers, gone, invert=True)

    @cached_property
    def amended(self) -> Mapping[str, tuple[Reports, ...]]:
        """The amendments of each part, each as reports of its own, in their order."""
        found: dict[str, list[Reports]] = {}
        for source in self.sources:
            for part in source.parts:
                if part.amends is not None:
                    alone = Reports(sources=(source,), note=replace(self.note, parts=(part,)))
                    found.setdefault(part.amends, []).append(alone)
        return {name: tuple(several) for name, several in found.items()}

    @cached_property
    def superseded(self) -> dict[tuple[str, str], Numbers]:
        """By part and question: the rows whose report a later amendment replaced."""
        found: dict[tuple[str, str], Numbers] = {}
        for name, several in self.amended.items():
            for question in self.note.columns:
                later = np.empty(0, dtype=np.int64)
                for amendment in reversed(several):
                    part = amendment.note.parts[0]
                    if later.size:
                        found[part.id, question] = later
                    if question in part.roots:
                        later = np.union1d(later, _filled(amendment, question))
                if later.size:
                    found[name, question] = later
        return found

    def column(self, question: str) -> npt.NDArray[np.int64]:
        """Return the reports of a question as numbers, checked against the note; of two answers, 1 is the second."""
        self.note.column(question)
        handler = self.note.handler(question)
        # An amendment has columns of the questions that it amends, and no others.
        chunks = self.chunks([question])
        found = [chunk.reports(handler) for chunk in chunks if question in chunk.table.column_names]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def channel(self, question: str) -> AnyChannel:
        """Return the exact channel from answers to reports of a question, at the level that these reports show."""
        return self.note.handler(question).channel(self.note.column(question).level)

    def tallies(self, question: str, group: str | None = None) -> Iterator[tuple[str | None, Any]]:
        """Count the reports of a question: over all people first, then by the groups of a kept column."""
        return in_order(self.counts(question, group), question)

    def counts(self, question: str, group: str | None = None) -> Found:
        """Return the tallies of a question by group; none where no one is left."""
        handler, level = self.note.handler(question), self.note.column(question).level
        if group is not None:
            check_group(self.note, group, question, self.kept)
        check_together(self.note, question, is_whole=all(source.is_whole for source in self.sources))
        found: Found = {}
        for chunk in self.chunks([question], [] if group is None else [group]):
            if question in chunk.table.column_names:
                words = None if group is None else words_of(chunk.table, group, first=chunk.first)
                current = self.current(chunk, question)
                count_rows(found, handler, level, chunk.reports(handler), chunk.part, chunk.numbers, current, words)
                check_groups(found, group)
        return found

    # Tables for other tools.

    @property
    def table(self) -> Any:
        """All rows as an Arrow table in memory, part after part."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        names = [*self.note.columns, *self.kept]
        several = len({chunk_part.id for source in self.sources for chunk_part in source.parts}) > 1
        chunks = self.chunks(list(self.note.columns), self.kept)
        found = [with_part(_labelled(chunk, self.note), several=several) for chunk in chunks]
        joined = pa.concat_tables(found, promote_options="permissive").unify_dictionaries()
        there = [name for name in names if name in joined.column_names]
        return joined.select([*([PART] if several else []), ROW, *there])

    def to_arrow(self) -> pa.Table:
        """Return the table as it is; a report that is an answer stands there by its label."""
        return described_columns(self.table, self.note)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas DataFrame; pandas must be installed."""
        return self.table.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return a polars DataFrame; polars must be installed."""
        import polars  # noqa: PLC0415, ICN001  only if the reader has it

        return polars.DataFrame(polars.from_arrow(self.table))

    def write(self, path: str | Path, *, progress: Progress | None = None) -> None:
        """Write reports and note, as CSV or Parquet, and a codebook beside them.

        Opened reports are for the holder of the key: only the owner of the file may read it.
        """
        write_report_file(self, path, progress)

    @property
    def is_opened(self) -> bool:
        """Whether some column is sharper than the public one."""
        return any(column.level < len(self.note.handler(name).epsilons) for name, column in self.note.columns.items())

    def __len__(self) -> int:
        if all(source.is_whole for source in self.sources):
            return self.note.rows
        return sum(chunk.numbers.size for chunk in self.chunks([]))

    def __repr__(self) -> str:
        columns = ", ".join(
            f"{name} at {self.note.handler(name).level_words(self.note.column(name).level)}"
            for name in self.note.questions
        )
        return f"<Reports on {self.note.study.name!r}: {len(self):,} rows; {columns}>"


def with_part(chunk: Chunk, *, several: bool) -> Any:
    """Return the rows of a chunk, with their part where there are several."""
    if not several:
        return chunk.table
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    named = labelled_column(np.zeros(chunk.table.num_rows, dtype=np.int64), [chunk.part.id])
    rest = chunk.table.drop_columns([PART]) if PART in chunk.table.column_names else chunk.table
    return pa.table({PART: named, **{name: rest.column(name) for name in rest.column_names}})


def _labelled(chunk: Chunk, note: ReportsNote) -> Chunk:
    """Return a chunk whose labels have the codes of the study; a file knows only the labels that occur."""
    table = chunk.table
    for place, name in enumerate(table.column_names):
        handler = note.handler(name) if name in note.columns else None
        if handler is not None and handler.report_labels is not None and handler.report_numbers is None:
            there = chunk.reports(handler) != NOTHING
            codes = np.where(there, chunk.reports(handler), 0)
            table = table.set_column(place, name, with_gaps(labelled_column(codes, handler.report_labels), there))
    return replace(chunk, table=table)


def _check(part: PartNote | None, tree: ReportTree | None, vouch: Vouch | None) -> None:
    if part is not None and tree is not None:
        part.check(tree)
        if vouch is not None:
            vouch(part, tree)


def _filled(amendment: Reports, question: str) -> Numbers:
    """Return the rows that an amendment has a report of a question for."""
    handler = amendment.note.handler(question)
    wanted = amendment.note.parts[0].id
    found = [
        chunk.numbers[chunk.reports(handler) != NOTHING]
        for chunk in amendment.chunks([question])
        if chunk.part.id == wanted
    ]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


# --- Files of reports
# A file, a folder with a manifest, a glob, or several. All are written in the same format.


Paths = str | Path | Sequence[str | Path]


def read_report_files(paths: Paths, *, note: str | Path | None = None) -> Reports:
    """Read files, folders and globs as one: their parts side by side, each part once."""
    several = [paths] if isinstance(paths, str | Path) else list(paths)
    if not several:
        raise InvalidParameter("names no file", parameter="reports", way_out="Name at least one.")
    read = [one for path in several for one in _read(path, note)]
    found = read[0] if len(read) == 1 else joined(read)
    return replace(found, remarks=(*found.remarks, *_remarks(found.note)))


def joined(several: Sequence[Reports], *, in_order: bool = False) -> Reports:
    """Return the parts of several files as one: of one study and epoch, at the same levels, no part twice.

    Amendments follow one another by their turns, unless they are `in_order` already, as a manifest has them.
    """
    first = several[0].note
    for one in several[1:]:
        note = one.note
        if note.fingerprint != first.fingerprint:
            raise _differ("are of different studies", "Give reports of one study.")
        if note.epoch != first.epoch:
            raise _differ(f"are of epochs {first.epoch} and {note.epoch}", "Read each epoch by itself.")
        if note.columns != first.columns:
            raise _differ("are at different levels, or were made in another way", "Read each by itself.")
        if (note.again, note.earlier) != (first.again, first.earlier) and not _is_later(note, first):
            raise _differ("are of different releases about the same people", "Read each release by itself.")
    parts = tuple(part for one in several for part in one.note.parts)
    known = {part.id for part in parts}
    if len(known) < len(parts):
        raise _differ(
            "hold a part twice, perhaps as it was before somebody was erased", "Leave out the older of the two."
        )
    missing = [part for part in parts if part.amends is not None and part.amends not in known]
    if missing:
        raise _differ(
            "amend a part that is not among them", "Give the file that was amended as well, or the whole folder."
        )
    sources = [source for one in several for source in one.sources]
    selected = {part.id for source in sources if not source.is_whole for part in source.parts}
    if any(part.amends in selected for part in parts):
        raise _differ(
            "are a selection and an amendment, and nobody can tell which of its rows were to be selected",
            "Estimate by group, or select from the opened reports.",
        )
    if not in_order:
        _check_turns(several)
        sources.sort(key=lambda source: source.parts[0].turn if len(source.parts) == 1 else 0)
    return Reports(
        sources=tuple(sources),
        note=replace(
            first,
            parts=tuple(part for source in sources for part in source.parts),
            source="; ".join(dict.fromkeys(one.note.source for one in several)),
            insecure=any(one.note.insecure for one in several),
            # A manifest says whether the people of its parts were compared; of files side by side it is not known.
            assumed_disjoint=any(one.note.assumed_disjoint for one in several)
            or (not in_order and len({one.note.publication for one in several}) > 1),
        ),
        remarks=tuple(dict.fromkeys(remark for one in several for remark in one.remarks)),
    )


def _check_turns(several: Sequence[Reports]) -> None:
    """Refuse amendments in several files unless it is clear which of them came last: all there, each in its turn."""
    for base in {part.amends for one in several for part in one.note.parts if part.amends is not None}:
        turns = [[part.turn for part in one.note.parts if part.amends == base] for one in several]
        found = sorted(turn for held in turns for turn in held)
        if sum(map(bool, turns)) > 1 and found != list(range(1, len(found) + 1)):
            raise _differ(
                f"lack an amendment of part {base[:8]}, or have two that do not follow one another",
                "Name the whole folder, whose manifest knows their order.",
            )


def _is_later(note: ReportsNote, first: ReportsNote) -> bool:
    """A part that was appended or amended belongs to the release it was added to."""
    return note.publication == first.publication


def _read(path: str | Path, note: str | Path | None) -> list[Reports]:
    here = Path(path)
    if here.is_dir():
        if is_publication(here):
            return [_read_publication(here)]
        if note_path(here).exists():  # one part, in several files
            return [_read_file(here, None)]
        files = [found for found in sorted(here.iterdir()) if found.suffix in {".parquet", ".csv"}]
        if not files:
            raise UnreadableFile(
                "this folder holds no publication", way_out="Name the folder of one, or its files.", place=_at(here)
            )
        return [_read_file(found, note) for found in files]
    if _is_pattern(path):
        matched = sorted(glob.glob(str(path)))  # noqa: PTH207  the pattern may be absolute
        if not matched:
            raise UnreadableFile("no file matches this", way_out="Check the name.", place=_at(here))
        return [found for one in matched for found in _read(one, note)]
    if not here.exists():
        # Whatever its ending is: a folder that is not there yet has none.
        raise UnreadableFile("the file does not exist", way_out="Check the name and the folder.", place=_at(here))
    return [_read_file(here, note)]


def _read_publication(folder: Path) -> Reports:
    manifest, found = read_manifest(folder), []
    for part in manifest.parts:
        reports = _read_file(folder / part.file, None, expected=part.note)
        (noted,) = reports.note.parts
        if noted.id != part.id or noted.amends != part.amends or reports.note.fingerprint != manifest.fingerprint:
            raise _older(folder / part.file)
        found.append(reports)
    together = joined(found, in_order=True)
    return replace(together, note=replace(together.note, assumed_disjoint=manifest.assumed_disjoint))


def _read_file(path: Path, note: str | Path | None, *, expected: str | None = None) -> Reports:
    stream = row_source(path)  # refuses what is not there, or is no table
    # A note that is given goes before the one inside: some tools carry that along to a selection of rows.
    inside = note_inside(path) if note is None else None
    beside = note_path(path) if note is None else Path(note)
    text = inside
    if inside is None and (note is not None or beside.exists()):
        text = decode_text(read_bytes(beside, limit_bytes=NOTE_LIMIT_BYTES), beside)
    noted = ReportsNote.from_text(text, path)
    if expected is not None and text is not None and note_digest(text) != expected:
        raise _older(path)
    check_has_rows(stream.names, path)
    missing = [name for name in noted.columns if name not in stream.names and name in noted.parts[0].roots]
    present = sum(part.present for part in noted.parts)
    rows = None
    if inside is None:
        # A selection keeps no footer, but has the note of the whole beside it.
        rows = stream.rows
        if rows is None:
            rows = sum(table.num_rows for table in open_rows(path, columns=[ROW]).chunks())
    if missing and (inside is not None or rows == present):
        raise UnreadableFile(
            f"lacks the column {missing[0]!r} of its note", way_out="Ask for the file again.", place=_at(path)
        )
    if rows is None or rows == present:
        return Reports.of(path, noted)
    if len(noted.parts) > 1 or rows > present:
        raise UnreadableFile(
            f"has {rows} rows, and its note speaks of {present}",
            way_out="Ask for the file again, or select from one part.",
            place=_at(path),
        )
    if not noted.parts[0].is_dense:
        raise UnreadableFile(
            "is a selection from an amendment, whose rows mean something only all together",
            way_out="Select from the part that was amended, or from the opened reports.",
            place=_at(path),
        )
    kept = {name: column for name, column in noted.columns.items() if name in stream.names}
    if not kept:
        raise UnreadableFile("has no column of its note", way_out="Select the reports as well.", place=_at(path))
    remark = f"{rows:,} of {present:,} rows, selected by another tool: not checked against the digest of the reports."
    source = Source(rows=path, parts=noted.parts, is_whole=False)
    return Reports(sources=(source,), note=replace(noted, columns=kept), remarks=(remark,))


def _remarks(note: ReportsNote) -> tuple[str, ...]:
    """Say what was erased since the keys were made."""
    gone, blocks = note.erased, sum(len(part.rewritten) for part in note.parts)
    if not gone:
        return ()
    since = f"; rewritten since the keys were made, and not covered by their record: {blocks:,} of the blocks of rows"
    return (f"erased: {gone:,} of {note.rows + gone:,} people{since if blocks else ''}.",)


def write_report_file(reports: Reports, path: str | Path, progress: Progress | None = None) -> None:
    """Write reports as one table, part after part, with codebook and note beside them; chunk by chunk."""
    note, private = reports.note, reports.is_opened
    several = len(note.parts) > 1
    source = SystemBits()
    trees: dict[str, ReportTree] = {}
    salts = {}
    # What other tools selected becomes a part of its own rows: there is nothing else to hold them against.
    selected = {part.id: 0 for one in reports.sources if not one.is_whole for part in one.parts}
    with TableWriter(path, private=private) as writer:
        for chunk in reports.chunks(list(note.columns), reports.kept):
            part = chunk.part
            if not part.roots or part.id in selected:
                if part.id not in trees:
                    salts[part.id] = Salts(part.id, source)
                    trees[part.id] = ReportTree(note.columns, salts[part.id])
                trees[part.id].add(chunk.numbers, {name: chunk.reports(note.handler(name)) for name in note.columns})
            if part.id in selected:
                selected[part.id] += chunk.numbers.size
            writer.write(with_part(chunk, several=several))
            if progress is not None:
                progress(chunk.table.num_rows, note.rows)
        parts = []
        for part in note.parts:
            tree = trees.get(part.id)
            now = part if tree is None or part.id not in selected else _alone(part, selected[part.id], tree)
            parts.append(now if tree is None else rooted(now, tree, salts[part.id]))
        found = replace(note, parts=tuple(parts))
        write_beside(note.study, Path(path).parent)
        writer.finish(found.to_text(), codebook=codebook(found, reports.kept))


def _alone(part: PartNote, rows: int, tree: ReportTree) -> PartNote:
    """Return the note of selected rows as that of a part that has no others."""
    tree.finish()
    blocks = tuple(sorted(next(iter(tree.digests.values()))))
    return replace(part, rows=rows, start=0, blocks=blocks, erased=(), rewritten={})


def rooted(part: PartNote, tree: ReportTree, salt_of: object) -> PartNote:
    """Return the note of a part whose rows have all been met."""
    tree.finish(part.all_blocks)
    salts = b"".join(salt_of(block) for block in part.all_blocks)  # type: ignore[operator]
    return replace(part, roots={name: tree.root(name) for name in tree.digests}, salts=salts)


def check_reports_place(path: str | Path, parameter: str = "out") -> None:
    """Refuse a place where reports, their note or their codebook cannot be written."""
    check_table_place(parameter, path)
    for place in (codebook_path(path), note_path(path)):
        check_places(**{parameter: place})


def has_note(path: str | Path) -> bool:
    """Whether a table says what it is, inside or beside it; a folder or a pattern is asked when it is read."""
    if Path(path).is_dir() or _is_pattern(path):
        return True
    return note_path(path).exists() or (format_of(path) is Format.PARQUET and note_inside(path) is not None)


def _is_pattern(path: str | Path) -> bool:
    return glob.has_magic(str(path)) and not Path(path).exists()


def _older(path: Path) -> UnreadableFile:
    return UnreadableFile(
        "this is not the part that the manifest speaks of: perhaps an older copy, from before somebody was erased",
        way_out="Ask for the publication again; an older copy is not put back.",
        place=_at(path),
    )


def _differ(rule: str, way_out: str) -> InvalidParameter:
    return InvalidParameter(rule, parameter="reports", way_out=way_out)


def _at(path: Path) -> Place:
    return Place(file=str(path))


# --- The reports of people, one row each, with the public columns kept beside them
# Models are fitted to these rows. Amended cells replace those of their person, and erased people are left out. A person
# has `NOTHING` for a question that they did not answer, where that is public.


IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeopleRows:
    """Reports by question and public columns by name, a place for each person."""

    reports: Mapping[str, IntArray]
    columns: Mapping[str, Any]
    """Arrow columns."""
    rows: int


def read_people(reports: Reports, questions: Sequence[str], columns: Sequence[str] = ()) -> PeopleRows:
    """Read the reports of some questions and some kept columns, once."""
    check_stand_alone(reports, questions)
    check_kept(reports, columns)
    found: dict[str, list[IntArray]] = {name: [] for name in questions}
    kept: dict[str, list[Any]] = {name: [] for name in columns}
    places: dict[str, tuple[int, list[Numbers]]] = {}
    corrections: list[tuple[Chunk, str, IntArray, npt.NDArray[np.bool_]]] = []
    rows = 0
    for chunk in reports.chunks(list(questions), list(columns)):
        if chunk.part.amends is not None:
            corrections += [one for name in questions if (one := _corrected(reports, chunk, name)) is not None]
            continue
        first, numbers = places.setdefault(chunk.part.id, (rows, []))
        del first
        numbers.append(chunk.numbers)
        rows += chunk.numbers.size
        for name in questions:
            found[name].append(_current(reports, chunk, name))
        for name in columns:
            kept[name] += chunk.table.column(name).chunks
    if not rows:
        raise UnreadableFile("no report is left", way_out="There is nothing to fit a model to.")
    joined = {name: np.concatenate(pieces) for name, pieces in found.items()}
    for chunk, name, values, filled in corrections:
        first, numbers = places[str(chunk.part.amends)]
        base = np.concatenate(numbers)
        where = np.searchsorted(base, chunk.numbers[filled])
        known = (where < base.size) & (base[np.minimum(where, base.size - 1)] == chunk.numbers[filled])
        joined[name][first + where[known]] = values[filled][known]
    return PeopleRows(reports=joined, columns={name: _joined(pieces) for name, pieces in kept.items()}, rows=rows)


def check_stand_alone(reports: Reports, questions: Sequence[str]) -> None:
    """Refuse questions whose reports say something only together with others, or with the place of their row."""
    for name in questions:
        handler = reports.note.handler(name)
        if handler.by_position or handler.by_number or not handler.by_row or not handler.question.labels:
            raise InvalidParameter(
                "is read from many reports together, or by the place of a row, so that one report says nothing alone",
                parameter="question",
                value=name,
                way_out="Name a question with a list of answers, or numbers; `sfumato estimate` reads this one.",
            )


def check_kept(reports: Reports, columns: Sequence[str]) -> None:
    """Refuse columns that were not kept."""
    for name in columns:
        if name not in reports.kept:
            raise InvalidParameter(
                f"{name!r} is neither a question nor a column that was kept beside these reports; there are "
                f"{', '.join((*reports.note.questions, *reports.kept))}",
                way_out="Columns are kept when reports are made, by `keep`; name one of these, or publish with it.",
            )


def _current(reports: Reports, chunk: Chunk, name: str) -> IntArray:
    """Return the reports of rows of a part; those that an amendment replaced are left open for it."""
    handler = reports.note.handler(name)
    values = chunk.reports(handler).copy() if name in chunk.table.column_names else _nothing(chunk)
    current = reports.current(chunk, name)
    if current is not None:
        values[~current] = NOTHING
    return values


def _corrected(reports: Reports, chunk: Chunk, name: str) -> tuple[Chunk, str, IntArray, npt.NDArray[np.bool_]] | None:
    if name not in chunk.table.column_names:
        return None
    current = reports.current(chunk, name)
    values = chunk.reports(reports.note.handler(name))
    filled = values != NOTHING
    return chunk, name, values, filled if current is None else filled & current


def _nothing(chunk: Chunk) -> IntArray:
    return np.full(chunk.numbers.size, NOTHING, dtype=np.int64)


def _joined(pieces: list[Any]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    kinds = {piece.type for piece in pieces}
    if len(kinds) > 1 or any(pa.types.is_dictionary(kind) for kind in kinds):
        pieces = [piece.cast(pa.string()) if pa.types.is_dictionary(piece.type) else piece for piece in pieces]
    tables = [pa.table({"column": piece}) for piece in pieces]
    return pa.concat_tables(tables, promote_options="permissive").column("column")
