"""The rows of reports, wherever they lie: chunk by chunk, each with the part it belongs to and its numbers there.

A file holds the rows of one part after those of another, each in ascending order of their numbers. A selection of rows,
made by another tool, is told by its column `row` alone; nothing can check it against the roots of its part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.frames import TableLike
from sfumato.files.row_streams import open_rows, row_source
from sfumato.files.tables import numbers_of, words_of
from sfumato.files.words import Words
from sfumato.refine.report_trees import NOTHING, Numbers
from sfumato.study.part_notes import PartNote, not_as_noted
from sfumato.study.ways import Way

ROW, PART = "row", "part"
"""Columns of every file of reports: a row's number in its part, and which part that is where there are several."""

# Of a report that is a number: it fits a signed word.
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

    def reports(self, way: Way) -> npt.NDArray[np.int64]:
        """Return the reports of a question as numbers; `NOTHING` where an amendment leaves a cell as it was.

        So it is where nobody answered, and that is public.
        """
        name = way.question.id
        if name not in self._read:
            has_gaps = self.part.amends is not None or way.question.has_gaps
            self._read[name] = read_column(way, self.table, first=self.first, has_gaps=has_gaps)
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


def read_column(way: Way, table: Any, *, first: int = 0, has_gaps: bool = False) -> npt.NDArray[np.int64]:
    """Return the reports of a column as numbers, whether it holds labels or numbers."""
    name = way.question.id
    column = table.column(name) if name in table.column_names else None
    if has_gaps and column is not None and column.null_count:
        import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

        filled = np.asarray(pc.is_valid(column).to_pylist(), dtype=np.bool_)
        reports = np.full(filled.size, NOTHING, dtype=np.int64)
        if filled.any():
            reports[filled] = read_column(way, table.filter(pc.is_valid(column)), first=first)
        return reports
    if way.report_labels is None and column is not None and not column.null_count and _is_whole_numbers(column):
        numbers = numbers_of(table, name)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < way.report_count:
            outside = np.flatnonzero((numbers < 0) | (numbers >= way.report_count))
            raise _unknown(name, first + int(outside[0]) + 1)
        return numbers
    return _read_words(way, words_of(table, name, first=first))


def _is_whole_numbers(column: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return bool(pa.types.is_integer(column.type))


def _read_words(way: Way, words: Words) -> npt.NDArray[np.int64]:
    labels = way.report_labels if way.report_numbers is None else tuple(map(str, way.report_numbers))
    if not len(words):
        return words.codes
    if labels is None:
        count = way.report_count
        places = [int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else -1 for text in words.texts]
        places = [place if place < count else -1 for place in places]
    else:
        known = {label: place for place, label in enumerate(labels)}
        places = [known.get(text, -1) for text in words.texts]
    found: npt.NDArray[np.int64] = np.array(places, dtype=np.int64)[words.codes]
    if found.min() < 0:
        raise _unknown(way.question.id, words.row(int(np.flatnonzero(found < 0)[0])))
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
