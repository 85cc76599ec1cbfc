"""Which cells a table of corrections names, and which of them hold another answer than was published."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.frames import TableLike
from sfumato.files.tables import numbers_of, words_of
from sfumato.files.words import Words
from sfumato.refine.people_indexes import PeopleIndex
from sfumato.study.amended_cells import units_of
from sfumato.study.amending import Amendment, check_rows, corrections, with_cover
from sfumato.study.key_folders import SHORT
from sfumato.study.opening import recovered_chunks, recovering
from sfumato.study.part_indexes import find_person, read_indexes
from sfumato.study.report_rows import PART, ROW
from sfumato.study.reports import Reports
from sfumato.study.steps.keys import keys_for
from sfumato.study.steps.staging import Destination
from sfumato.study.value_labels import answers_table
from sfumato.study.ways import NO_ANSWER, Question

PartCells = Mapping[str, Mapping[str, Mapping[int, str]]]
"""By part and question: the answers, by the number of the row."""


def named_cells(reports: Reports, place: Destination, data: TableLike, id_column: str | None) -> PartCells:
    """Return the cells that a table names; refuses rows that are not there, or no longer."""
    table = answers_table(data, reports.note.study.questions)
    sources = {name for question in reports.note.study.questions for name in question.sources}
    if sources.isdisjoint(table.column_names):
        raise InvalidParameter("has no column of a question", parameter="data", way_out="Name it by the question's id.")
    cells = corrections(table, reports.note.study, _rows(reports, place, table, id_column))
    for name, columns in cells.items():
        check_rows(reports.note.part(name), {number for column in columns.values() for number in column})
    return cells


def amendment_of(
    reports: Reports, place: Destination, named: PartCells, cover: int, source: BitSource
) -> tuple[Amendment, int]:
    """Return the cells that are amended, and how many were named that were right already."""
    cells, unchanged = named, 0
    held = _answers(reports, place, _asked(cells), set(cells))
    if held is not None:
        cells, unchanged = _changed(cells, held, units_of(reports.note.study))
    if cover and held is None:
        raise InvalidParameter(
            "takes the registrar's keys, which tell the answers of those who are redrawn as cover",
            parameter="cover",
            way_out="Give the folder `keys` that holds them, or leave it out.",
        )
    if not cells:
        raise InvalidParameter(
            "corrects nothing: every answer in it is the one that was published",
            parameter="data",
            way_out="Nothing has to be done.",
        )
    (name, columns), *others = cells.items()
    if others:
        raise InvalidParameter(
            f"corrects rows of {len(cells)} parts, and one is amended at a time",
            parameter="data",
            way_out=f"Give the rows of part {name[:8]} first, then the others.",
        )
    corrected = len({number for column in columns.values() for number in column})
    amendment = Amendment(part=reports.note.part(name), cells=columns, corrected=corrected)
    if cover and held is not None:
        amendment = with_cover(amendment, held[name], cover, source)
    return amendment, unchanged


def _rows(reports: Reports, place: Destination, table: Any, id_column: str | None) -> list[tuple[str, int]]:
    """Return the part and the number of each row of a table of corrections."""
    bases = [part for part in reports.note.parts if part.amends is None]
    if id_column is not None:
        indexes = read_indexes(place.keys, reports.note.fingerprint, [part.id for part in bases], place.unlock)
        words = words_of(table, id_column)
        rows = [_person(indexes, words, line, id_column) for line in range(len(words))]
    elif ROW not in table.column_names:
        raise InvalidParameter(
            f"has no column {ROW!r} that says which rows are corrected",
            parameter="data",
            way_out="Add it, or name a column of ids with `id_column`.",
        )
    else:
        numbers = numbers_of(table, ROW).tolist()
        for line, number in enumerate(numbers):
            if number < 0:
                raise _at(ROW, line, "is no whole number", "Take it from the column `row` of the reports.")
        if PART in table.column_names:
            words = words_of(table, PART)
            named = [_part_called(words, line, bases) for line in range(len(words))]
        elif len(bases) > 1:
            raise InvalidParameter(
                f"must say in a column {PART!r} which of the {len(bases)} parts a row is of",
                parameter="data",
                way_out="Take it from the reports, or name a column of ids with `id_column`.",
            )
        else:
            named = [bases[0].id] * len(numbers)
        rows = list(zip(named, numbers, strict=True))
    seen: set[tuple[str, int]] = set()
    for line, row in enumerate(rows):
        if row in seen:
            column = ROW if id_column is None else id_column
            raise _at(column, line, "names somebody whom an earlier row names", "Correct each once.")
        seen.add(row)
    return rows


def _person(indexes: dict[str, PeopleIndex], words: Words, line: int, column: str) -> tuple[str, int]:
    try:
        return find_person(indexes, words.texts[words.codes[line]])
    except InvalidParameter as error:
        raise _at(column, line, error.rule, error.way_out) from None


def _part_called(words: Words, line: int, bases: Sequence[Any]) -> str:
    name = words.texts[words.codes[line]]
    found = [part.id for part in bases if part.id.startswith(name)] if len(name) >= SHORT else []
    if len(found) != 1:
        raise _at(PART, line, "is not the id of a part of this publication", "Take it from the reports.")
    return str(found[0])


def _at(column: str, line: int, rule: str, way_out: str) -> UnreadableFile:
    """Name the cell of a table of corrections, and not what stands in it."""
    return UnreadableFile(f"column {column}, row {line + 1} {rule}", way_out=way_out)


def _asked(cells: PartCells) -> list[str]:
    return list(dict.fromkeys(name for columns in cells.values() for name in columns))


def _answers(
    reports: Reports, place: Destination, asked: Sequence[str], parts: set[str]
) -> dict[str, dict[str, dict[int, str]]] | None:
    """Return everybody's answers in some parts, by part and question; None without the registrar's keys."""
    if place.keys is None or not all(reports.note.way(name).key_levels[:1] == (0,) for name in asked):
        return None
    try:
        keys = keys_for(reports.note, place.keys, place.unlock, recover=True)
    except InvalidParameter:
        return None
    columns = reports.note.study.with_sealed(asked)
    recovery = recovering(reports.note, [key for key in keys if key.binding.question in columns], rounded=True)
    if recovery.rounded.keys() & set(asked):
        return None  # a rounded answer does not tell whether one is right already
    found: dict[str, dict[str, dict[int, str]]] = {name: {question: {} for question in asked} for name in parts}
    bases = [part.id for part in reports.note.parts if part.amends is None]
    for table in recovered_chunks(reports, recovery, as_text=True):
        name = str(table.column(PART)[0]) if PART in table.column_names else bases[0]
        if name in found:
            numbers = numbers_of(table, ROW).tolist()
            for question in asked:
                # Who gave no answer has none that could be drawn again, unless that is hidden.
                none = NO_ANSWER if reports.note.study.question(question).hides else None
                texts = (
                    none if text is None else text for text in _cells(reports.note.study.question(question), table)
                )
                there = zip(numbers, texts, strict=True)
                found[name][question].update({number: text for number, text in there if text is not None})
    return found


def _cells(question: Question, table: Any) -> list[str | None]:
    """Return the cells of a question in a table of answers, as they are read; None where there is none."""
    words = question.cells.read(question.words(table))
    texts = iter([words.texts[code] for code in words.codes.tolist()])
    filled = [True] * table.num_rows if words.filled is None else words.filled.tolist()
    return [next(texts) if full else None for full in filled]


def _changed(
    cells: PartCells, held: PartCells, units: Collection[frozenset[str]]
) -> tuple[dict[str, dict[str, dict[int, str]]], int]:
    """Return the cells whose answer is another one now, and how many are as they were.

    What is amended together stays together.
    """
    found: dict[str, dict[str, dict[int, str]]] = {}
    same = 0
    for name, columns in cells.items():
        for question, column in columns.items():
            for number, answer in column.items():
                beside = next((unit for unit in units if question in unit), frozenset({question}))
                if all(held[name][other].get(number) == columns[other][number] for other in beside):
                    same += 1
                else:
                    found.setdefault(name, {}).setdefault(question, {})[number] = answer
    return found, same
