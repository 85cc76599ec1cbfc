"""The reports of people, a row each, with the public columns that were kept beside them: what models are fitted to.

Amended cells stand where their person stands; who was erased is gone. A person has `NOTHING` for a question that they
did not answer, where that is public.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.refine.report_trees import NOTHING, Numbers
from sfumato.study.report_rows import Chunk
from sfumato.study.reports import Reports

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
        way = reports.note.way(name)
        if way.by_position or way.by_number or not way.by_row or not way.question.labels:
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
    way = reports.note.way(name)
    values = chunk.reports(way).copy() if name in chunk.table.column_names else _nothing(chunk)
    current = reports.current(chunk, name)
    if current is not None:
        values[~current] = NOTHING
    return values


def _corrected(reports: Reports, chunk: Chunk, name: str) -> tuple[Chunk, str, IntArray, npt.NDArray[np.bool_]] | None:
    if name not in chunk.table.column_names:
        return None
    current = reports.current(chunk, name)
    values = chunk.reports(reports.note.way(name))
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
