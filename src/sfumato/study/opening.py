"""From public reports back towards the answers, as far as a key reaches; chunk by chunk, whatever their number.

Amended cells take the place of those that they amend, so what comes out has one row a person and nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.files.tables import number_column
from sfumato.refine import Key
from sfumato.refine.report_trees import NOTHING, Numbers, ReportTree
from sfumato.study.codebooks import written_column
from sfumato.study.key_rings import KeyRing, check_record, ring_of
from sfumato.study.notes import ReportsNote
from sfumato.study.part_notes import PartNote
from sfumato.study.recovered import Recovery, recovery_of
from sfumato.study.report_rows import ROW, Chunk, MadeRows, Source
from sfumato.study.reports import Reports, with_part
from sfumato.study.ways import Way

Values = npt.NDArray[np.int64]
Amended = tuple[Numbers, Values]
"""Amended cells: the numbers of their rows, rising, and what they hold."""


def open_table(reports: Reports, keys: Iterable[Key]) -> Reports:
    """Return the reports as the keys show them: columns with a key sharper, the others as they were."""
    note, ring = reports.note, opening_ring(reports.note, keys)
    levels = {name: replace(note.column(name), level=ring.level(name)) for name in ring.questions}
    rows, remarks = OpenedRows(reports=reports, ring=ring), reports.remarks
    parts = tuple(rows.view_of(part) for part in note.parts if part.amends is None)
    columns = {**note.columns, **levels}
    if any(view.rows < note.part(view.id).rows for view in parts):
        # Some of its rows say nothing about a question that is read from all of them together.
        columns = {name: column for name, column in columns.items() if note.way(name).by_row}
        left_out = tuple(name for name in note.columns if name not in columns)
        remarks += tuple(f"{name} is read from all rows together, and left out of some of them." for name in left_out)
        rows = replace(rows, left_out=left_out)
    return Reports(
        sources=(Source(rows=rows, parts=parts, is_whole=all(source.is_whole for source in reports.sources)),),
        note=replace(note, columns=columns, parts=parts),
        remarks=remarks,
    )


def recovered_chunks(reports: Reports, recovery: Recovery, *, as_text: bool = False) -> Iterator[Any]:
    """Yield the answers themselves of every question that a registrar's key was given for, with kept columns.

    They are of the type that the table had, or canonical text.
    """
    opened = OpenedRows(reports=reports, ring=recovery.ring)
    several = sum(part.amends is None for part in reports.note.parts) > 1
    for chunk, values in opened.pieces(recovery.ring.questions, reports.kept):
        columns = {name: chunk.table.column(name) for name in reports.kept}
        for name in recovery.ring.questions:
            columns |= recovery.columns(reports.note, name, values[name], as_text=as_text)
        table = opened.table({ROW: number_column(chunk.numbers), **columns})
        yield with_part(replace(chunk, table=table), several=several) if several else table


def recover_table(
    reports: Reports, keys: Iterable[Key], *, rounded: bool = False, wanted: Sequence[str] | None = None
) -> Any:
    """Return the answers in memory."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    recovery = recovering(reports.note, keys, rounded=rounded, wanted=wanted)
    return pa.concat_tables(list(recovered_chunks(reports, recovery)), promote_options="permissive")


@dataclass(frozen=True, kw_only=True, eq=False)
class OpenedRows(MadeRows):
    """Rows as keys show them, made anew whenever they are read."""

    reports: Reports
    ring: KeyRing
    left_out: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that there are."""
        there = (name for name in self.reports.note.columns if name not in self.left_out)
        return (ROW, *there, *self.reports.kept)

    def chunks(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield tables of the columns that are asked for."""
        wanted = list(columns)
        asked = [name for name in self.reports.note.columns if name in wanted]
        others = [name for name in self.reports.kept if name in wanted]
        for chunk, values in self.pieces(asked, others):
            made: dict[str, Any] = {ROW: number_column(chunk.numbers)}
            for name in asked:
                made[name] = written_column(self.reports.note.way(name), values[name])
            yield self.table(made | {name: chunk.table.column(name) for name in others})

    @staticmethod
    def table(columns: Mapping[str, Any]) -> Any:
        """Return an Arrow table."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        return pa.table(dict(columns))

    def view_of(self, part: PartNote) -> PartNote:
        """Return the note of what is opened of a part; its roots are found when it is written."""
        first, last = self._range(part)
        return replace(
            part,
            start=first,
            rows=last - first if part.is_dense else part.rows,
            roots={},
            salts=b"",
            rewritten={},
            erased=tuple(number for number in part.erased if first <= number < last),
        )

    def _range(self, part: PartNote) -> tuple[int, int]:
        """Which rows of a part its keys open: all, or those of a split key."""
        whole = (part.start, part.start + part.rows)
        ranges = {
            (key.start, min(key.stop, whole[1]))
            for question in self.ring.questions
            if (key := self.ring.get(part, question)) is not None
        }
        if len(ranges) > 1:
            raise KeyRefused(
                "the keys open different rows of the reports", way_out="Use keys that were split at the same rows."
            )
        return ranges.pop() if ranges else whole

    def pieces(self, questions: Iterable[str], others: Iterable[str]) -> Iterator[tuple[Chunk, dict[str, Values]]]:
        """Go through the parts that bring people; amended cells are in their place."""
        asked = [name for name in self.reports.note.columns if name in set(questions)]
        amended = {name: self.amended_cells(name, asked) for name in self.reports.amended}
        for chunk, values in self._opened(self.reports, asked, list(others)):
            if chunk.part.amends is None:
                for name in asked:
                    put_amended(values[name], chunk.numbers, amended.get(chunk.part.id, {}).get(name))
                yield chunk, values

    def amended_cells(self, part: str, asked: Sequence[str]) -> dict[str, Amended]:
        """Return the amended cells of a part by question, the last amendment of a cell alone."""
        found: dict[str, dict[int, int]] = {name: {} for name in asked}
        for amendment in self.reports.amended.get(part, ()):
            wanted = amendment.note.parts[0]
            there = [name for name in asked if name in wanted.roots]
            for chunk, values in self._opened(amendment, there, []):
                if chunk.part.id != wanted.id:
                    continue
                for name in there:
                    cells = values[name]
                    filled = cells != NOTHING
                    found[name].update(zip(chunk.numbers[filled].tolist(), cells[filled].tolist(), strict=True))
        return {name: _sorted(cells) for name, cells in found.items() if cells}

    def _opened(
        self, reports: Reports, asked: list[str], others: list[str]
    ) -> Iterator[tuple[Chunk, dict[str, Values]]]:
        """Open chunk by chunk; at the end of a part its keys are asked whether they made these reports."""
        note = self.reports.note
        for source in reports.sources:
            alone, present, place = Reports(sources=(source,), note=replace(note, parts=source.parts)), None, 0
            for chunk in alone.chunks(asked, others, vouch=self._vouch):
                place = place if present is chunk.part else 0
                present, here = chunk.part, place
                place += chunk.numbers.size
                there = [name for name in asked if name in chunk.part.roots or chunk.part.amends is None]
                kept, values = _within(
                    chunk, {name: chunk.reports(note.way(name)) for name in there}, *self._range(chunk.part)
                )
                if kept.numbers.size:
                    yield kept, {name: self._open(name, kept, cells, here) for name, cells in values.items()}

    def _open(self, name: str, chunk: Chunk, cells: Values, place: int) -> Values:
        key = self.ring.get(chunk.part, name)
        if key is None:
            return cells
        places = _places(chunk, place) if not chunk.part.is_dense else chunk.numbers
        return opened_cells(self.reports.note.way(name), cells, key, chunk.numbers, places)

    def _vouch(self, part: PartNote, tree: ReportTree) -> None:
        for question in tree.digests:
            key = self.ring.get(part, question)
            if key is not None:
                check_record(key, part, question, tree)


def opened_cells(way: Way, cells: Values, key: Key, numbers: Numbers, places: Numbers) -> Values:
    """Return cells as a key shows them; what is empty stays so."""
    filled = cells != NOTHING
    if filled.all():
        return way.opened(cells, key, numbers, places)
    opened = cells.copy()
    if filled.any():
        opened[filled] = way.opened(cells[filled], key, numbers[filled], places[filled])
    return opened


def _places(chunk: Chunk, place: int) -> Numbers:
    """Return the places of rows among those that a part was made with, whose draws stand in that order."""
    erased = np.array(chunk.part.erased, dtype=np.int64)
    return np.arange(place, place + chunk.numbers.size) + np.searchsorted(erased, chunk.numbers)


def _within(chunk: Chunk, values: dict[str, Values], first: int, last: int) -> tuple[Chunk, dict[str, Values]]:
    if not chunk.part.is_dense or (chunk.numbers[0] >= first and chunk.numbers[-1] < last):
        return chunk, values
    low, high = np.searchsorted(chunk.numbers, [first, last]).tolist()
    kept = replace(chunk, numbers=chunk.numbers[low:high], table=chunk.table.slice(low, high - low))
    return kept, {name: cells[low:high] for name, cells in values.items()}


def put_amended(values: Values, numbers: Numbers, amended: Amended | None) -> None:
    """Put amended cells in the place of those that they amend, among rows with rising numbers."""
    if amended is None or not numbers.size:
        return
    wanted, cells = amended
    low, high = np.searchsorted(wanted, [numbers[0], numbers[-1] + 1]).tolist()
    places = np.searchsorted(numbers, wanted[low:high])
    there = (places < numbers.size) & (numbers[np.minimum(places, numbers.size - 1)] == wanted[low:high])
    values[places[there]] = cells[low:high][there]


def _sorted(cells: Mapping[int, int]) -> Amended:
    numbers = np.fromiter(cells, dtype=np.int64, count=len(cells))
    values = np.fromiter(cells.values(), dtype=np.int64, count=len(cells))
    order = np.argsort(numbers)
    return numbers[order], values[order]


def opening_ring(note: ReportsNote, keys: Iterable[Key]) -> KeyRing:
    """Return keys that open public reports to some level."""
    ring = _public_ring(note, keys)
    if any(ring.level(question) == 0 for question in ring.questions):
        raise KeyRefused("a registrar's key recovers answers and opens no level", way_out="Use recover.")
    return ring


def recovering(
    note: ReportsNote, keys: Iterable[Key], *, rounded: bool = False, wanted: Sequence[str] | None = None
) -> Recovery:
    """Return keys that give back the answers to public reports."""
    ring = _public_ring(note, keys)
    for question in ring.questions:
        if ring.level(question) != 0:
            raise KeyRefused(
                f"this key opens {note.way(question).level_words(ring.level(question))} and recovers nothing",
                way_out="Ask the registrar, whose key does.",
            )
    return recovery_of(note, ring, rounded=rounded, wanted=wanted)


def _public_ring(note: ReportsNote, keys: Iterable[Key]) -> KeyRing:
    held = list(keys)
    if not note.rows:
        raise UnreadableFile("nobody is left in these reports", way_out="There is nothing to open.")
    for question in dict.fromkeys(key.binding.question for key in held if key.binding.study == note.fingerprint):
        if note.column(question).level != len(note.way(question).epsilons):
            raise InvalidParameter(
                f"column {question} was opened already", way_out="Use the public reports, with this key alone."
            )
    return ring_of(note, held)
