"""Opening reports with keys, and recovering answers with registrar's keys.

Amended cells replace those that they amend, so the result has one row a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused, UnreadableFile
from sfumato.files.tables import number_column
from sfumato.keys.digests import NOTHING, Numbers, ReportTree
from sfumato.ladders.key_operations import merge_keys
from sfumato.ladders.keys import BLOCK_ROWS, Key, Seed
from sfumato.publications.coded_reports import written_column
from sfumato.publications.note import PartNote, ReportsNote
from sfumato.publications.reports import ROW, Chunk, MadeRows, Reports, Source, with_part
from sfumato.study.handler import Handler

# --- Which key opens which part
# A key of true draws, or of single blocks, opens the part that it was drawn for. A seed opens every part of its series,
# whenever that was published.


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRing:
    """The keys of some reports, by part and question; `level` is by question the level that they open."""

    keys: Mapping[tuple[str, str], Key]

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are opened."""
        return tuple(dict.fromkeys(question for _, question in self.keys))

    def level(self, question: str) -> int:
        """Return the level to which a question is opened."""
        return next(key.level for (_, asked), key in self.keys.items() if asked == question)

    def answers(self, question: str) -> str:
        """Return the type that answers to a question had in their table, "" where no key remembers it."""
        return next((key.answers for (_, asked), key in self.keys.items() if asked == question and key.answers), "")

    def get(self, part: PartNote, question: str) -> Key | None:
        """Return the key of a question to a part."""
        return self.keys.get((part.id, question))


def ring_of(note: ReportsNote, keys: Iterable[Key]) -> KeyRing:
    """Check that keys belong to these reports, put the parts of split keys together, and find each its part."""
    held: dict[tuple[str, str, int], list[Key]] = {}
    for key in keys:
        if key.binding.study != note.fingerprint:
            raise KeyRefused("a key is of another study than the reports", way_out="Look for the reports it came with.")
        if key.binding.epoch != note.epoch:
            raise KeyRefused(
                f"a key is of epoch {key.binding.epoch}, and the reports are of epoch {note.epoch}",
                way_out="Rotate the key, or take the reports of its epoch.",
            )
        held.setdefault((key.binding.question, key.drawing, key.level), []).append(key)
    if not held:
        raise InvalidParameter("holds none", parameter="keys", way_out="Give at least one key.")
    merged = [group[0] if len(group) == 1 else merge_keys(group) for group in held.values()]
    found: dict[tuple[str, str], Key] = {}
    for key in sorted(merged, key=lambda one: -one.level):  # the sharpest last
        mine = [part for part in note.parts if _opens(key, part)]
        if not mine:
            raise KeyRefused(
                "the key was made for other reports than these",
                way_out="Look for the file that was published with it.",
            )
        for part in mine:
            found[part.id, key.binding.question] = for_part(key, part)
    order = {name: place for place, name in enumerate(note.columns)}
    ring = KeyRing(keys=dict(sorted(found.items(), key=lambda item: order[item[0][1]])))
    _check_complete(note, ring)
    return ring


def for_part(key: Key, part: PartNote) -> Key:
    """Return a key as that of one part: a seed knows no number of rows."""
    if not isinstance(key.material, Seed):
        if key.stop > part.start + part.rows:
            raise KeyRefused(
                f"a key opens rows up to {key.stop}, and there are {part.rows} reports",
                way_out="Look for the reports it came with.",
            )
        return key
    made = key.produced if key.drawing == part.id else None
    rows = part.start + part.rows if part.is_dense else (part.all_blocks[-1] + 1) * BLOCK_ROWS
    return replace(key, drawing=part.id, start=0, stop=rows, total=rows, produced=made)


def _opens(key: Key, part: PartNote) -> bool:
    if key.binding.question not in part.roots:
        return False
    return key.drawing == part.id or (isinstance(key.material, Seed) and key.drawing == part.seeds)


def _check_complete(note: ReportsNote, ring: KeyRing) -> None:
    for question in ring.questions:
        levels = {key.level for (_, asked), key in ring.keys.items() if asked == question}
        for part in note.parts:
            if question in part.roots and ring.get(part, question) is None:
                what = "an amendment" if part.amends is not None else "a part"
                raise KeyRefused(
                    f"no key opens column {question} of {what} of the reports, {part.present} rows ({part.id[:8]})",
                    way_out="Give its key as well, or name the files of the other parts alone.",
                )
        if len(levels) > 1:
            raise KeyRefused(
                f"the keys open column {question} to different levels in different parts",
                way_out="Use keys of one holder.",
            )


def check_record(key: Key, part: PartNote, question: str, tree: ReportTree) -> None:
    """Refuse reports other than those that a key remembers to have made; what was erased since is on the record."""
    if key.produced is not None and key.is_whole and part.first_root(question, tree) != key.produced:
        raise KeyRefused(
            "the key was made for other reports than these", way_out="Look for the file that was published with it."
        )


# --- Recovery with registrar's keys
# The answers as they were or, where that is allowed, what they were rounded to.


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Which columns are undone with which keys; `rounded` are questions whose answers do not come back, and why."""

    ring: KeyRing
    rounded: Mapping[str, str] = field(default_factory=dict)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say of each question whose answers do not come back what comes instead."""
        given = self.ring.questions
        return tuple(
            f"{name} holds what its reports round answers to, and not the answers: {why}."
            if name in given
            else f"{name} is left out, its answers do not come back: {why}."
            for name, why in self.rounded.items()
        )

    def columns(self, note: ReportsNote, name: str, values: npt.NDArray[np.int64], *, as_text: bool) -> dict[str, Any]:
        """Return what came back of a column as columns of a table, in the type that the table had."""
        return note.handler(name).answer_columns(values, as_text=as_text, kind=self.ring.answers(name))


def recovery_of(
    note: ReportsNote, ring: KeyRing, *, rounded: bool = False, wanted: Sequence[str] | None = None
) -> Recovery:
    """Choose for each question that keys are at hand for what gives its answers back; refuses what gives none.

    `wanted` are all questions that were asked for, also those that have no key.
    """
    held = set(ring.questions)
    used: list[str] = []
    less: dict[str, str] = {}
    for name in note.questions:
        handler = note.handler(name)
        sealed = None if handler.sealed is None else handler.sealed.question.id
        if name not in held and sealed not in held and name not in (wanted or ()):
            continue
        if sealed is not None and sealed in held:
            used.append(sealed)
            continue
        why = f"reports round them, and no key to column {sealed} is at hand" if sealed else handler.not_recovered
        if why is None and name in held:
            used.append(name)
            continue
        less[name] = why or "no key to them is at hand"
        if not rounded:
            raise _lost(name, less[name], sealed)
        if name in held and handler.gives_rounded:
            used.append(name)
    if not used:
        raise KeyRefused("of these questions no answers come back", way_out="Estimate from the reports.")
    keys = {place: key for name in used for place, key in ring.keys.items() if place[1] == name}
    return Recovery(ring=replace(ring, keys=keys), rounded=less)


def _lost(name: str, why: str, sealed: str | None) -> KeyRefused:
    """Return the refusal to call something the answers that is not."""
    key = f"Give the registrar's key to {sealed} as well, or give" if sealed else "Give"
    return KeyRefused(
        f"the answers to question {name!r} do not come back: {why}",
        way_out=f"{key} `rounded`, for what reports hold of it in place of answers.",
    )


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
        columns = {name: column for name, column in columns.items() if note.handler(name).by_row}
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
                made[name] = written_column(self.reports.note.handler(name), values[name])
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
                    chunk, {name: chunk.reports(note.handler(name)) for name in there}, *self._range(chunk.part)
                )
                if kept.numbers.size:
                    yield kept, {name: self._open(name, kept, cells, here) for name, cells in values.items()}

    def _open(self, name: str, chunk: Chunk, cells: Values, place: int) -> Values:
        key = self.ring.get(chunk.part, name)
        if key is None:
            return cells
        places = _places(chunk, place) if not chunk.part.is_dense else chunk.numbers
        return opened_cells(self.reports.note.handler(name), cells, key, chunk.numbers, places)

    def _vouch(self, part: PartNote, tree: ReportTree) -> None:
        for question in tree.digests:
            key = self.ring.get(part, question)
            if key is not None:
                check_record(key, part, question, tree)


def opened_cells(handler: Handler, cells: Values, key: Key, numbers: Numbers, places: Numbers) -> Values:
    """Return cells as a key shows them; what is empty stays so."""
    filled = cells != NOTHING
    if filled.all():
        return handler.opened(cells, key, numbers, places)
    opened = cells.copy()
    if filled.any():
        opened[filled] = handler.opened(cells[filled], key, numbers[filled], places[filled])
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
                f"this key opens {note.handler(question).level_words(ring.level(question))} and recovers nothing",
                way_out="Ask the registrar, whose key does.",
            )
    return recovery_of(note, ring, rounded=rounded, wanted=wanted)


def _public_ring(note: ReportsNote, keys: Iterable[Key]) -> KeyRing:
    held = list(keys)
    if not note.rows:
        raise UnreadableFile("nobody is left in these reports", way_out="There is nothing to open.")
    for question in dict.fromkeys(key.binding.question for key in held if key.binding.study == note.fingerprint):
        if note.column(question).level != len(note.handler(question).epsilons):
            raise InvalidParameter(
                f"column {question} was opened already", way_out="Use the public reports, with this key alone."
            )
    return ring_of(note, held)
