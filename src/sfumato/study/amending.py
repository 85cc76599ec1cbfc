"""Corrected answers: which cells of a part they are, and the part that takes their place.

Only amended cells are drawn again. That a cell was amended is public, whatever ε says: an amendment has the number of
the row that it amends. Of two answers it means that the other one is true now, unless unchanged people are redrawn
beside it, as cover.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, UniformBelow
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.tables import number_column
from sfumato.refine.report_trees import NOTHING, Numbers, ReportTree, blocks_of
from sfumato.study.amended_cells import amended_answers, check_units, corrected_texts
from sfumato.study.codebooks import written_column
from sfumato.study.notes import ReportsNote
from sfumato.study.part_notes import PartNote, Salts
from sfumato.study.part_plans import PartPlan
from sfumato.study.part_sinks import Keys, PartSink
from sfumato.study.publishing import arrow_table, draw_of, finished_part
from sfumato.study.report_rows import ROW
from sfumato.study.studies import Study

Cells = Mapping[str, Mapping[int, str]]
"""By question: the answers, by the number of the row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """The cells of one part that are drawn again: corrected ones, and those of people who are redrawn as cover."""

    part: PartNote
    cells: Cells
    corrected: int
    covered: int = 0

    @property
    def numbers(self) -> Numbers:
        """The rows that are amended, ascending."""
        return np.array(sorted({number for column in self.cells.values() for number in column}), dtype=np.int64)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are amended."""
        return tuple(name for name, column in self.cells.items() if column)


def corrections(table: Any, study: Study, rows: Sequence[tuple[str, int]]) -> dict[str, dict[str, dict[int, str]]]:
    """Return the cells that a table corrects, by part and question; an empty cell stays as it is."""
    found: dict[str, dict[str, dict[int, str]]] = {}
    texts = {
        question.id: corrected_texts(table, question)
        for question in study.questions
        if not set(question.sources).isdisjoint(table.column_names)
    }
    check_units(study, texts)
    for name, column in texts.items():
        for line, text in column.items():
            part, number = rows[line]
            found.setdefault(part, {}).setdefault(name, {})[number] = text
    if not found:
        raise UnreadableFile("the table corrects nothing", way_out="Fill in the answers that are to be corrected.")
    return found


def check_rows(part: PartNote, numbers: Iterable[int]) -> None:
    """Refuse rows that a part does not have, or no longer."""
    gone = set(part.erased)
    for number in numbers:
        if number in gone:
            raise InvalidParameter(
                "was erased, and does not come back by an amendment", parameter=ROW, value=number, way_out="Drop it."
            )
        if not part.start <= number < part.start + part.rows:
            raise InvalidParameter(
                f"is none of the rows {part.start} to {part.start + part.rows - 1} of part {part.id[:8]}",
                parameter=ROW,
                value=number,
                way_out="Take the numbers from the column `row` of the reports.",
            )


def with_cover(
    amendment: Amendment, answers: Mapping[str, Mapping[int, str]], cover: int, source: BitSource
) -> Amendment:
    """Add the cells of people who are drawn by chance, with the answers that they have; each pays as if corrected.

    `answers` are those of everybody in the part who is left. A covering row is amended in the same questions as one of
    the corrected rows, so that it looks like one; each of these has as many, and chance says which have one more.
    """
    taken = set(amendment.numbers.tolist())
    others = sorted(set.intersection(*(set(column) for column in answers.values())) - taken) if answers else []
    if cover > len(others):
        raise InvalidParameter(
            f"asks for more people than the {len(others)} whose answers are not corrected",
            parameter="cover",
            value=cover,
            way_out="Lower it.",
        )
    patterns = [
        tuple(name for name, column in amendment.cells.items() if number in column)
        for number in amendment.numbers.tolist()
    ]
    cells = {name: dict(column) for name, column in amendment.cells.items()}
    rounds, over = divmod(cover, len(patterns))
    looks = [*range(len(patterns))] * rounds + _chosen(range(len(patterns)), over, source)
    for look, number in zip(looks, _chosen(others, cover, source), strict=True):
        for name in patterns[look]:
            cells[name][number] = answers[name][number]
    return replace(amendment, cells=cells, covered=cover)


def draw_amendment(plan: PartPlan, amendment: Amendment, kept: Any, sink: PartSink) -> tuple[ReportsNote, Keys]:
    """Draw the amended cells as a part of their own; `kept` has the columns that were kept, of the amended rows."""
    numbers = amendment.numbers
    source = plan.source
    salt_of = Salts(plan.part, source)
    ways = {way: way.question.id for way in plan.study.ways if way.question.id in amendment.questions}
    ways |= {way.sealed: name for way, name in ways.items() if way.sealed is not None}
    tree = ReportTree([way.question.id for way in ways], salt_of)
    reports: dict[str, npt.NDArray[np.int64]] = {}
    keys = {}
    made: dict[str, Any] = {ROW: number_column(numbers)}
    for way, asked in ways.items():
        name = way.question.id
        column = amendment.cells[asked]
        filled = np.array([number in column for number in numbers.tolist()], dtype=np.bool_)
        drawer = way.drawer(draw_of(plan, way, sink))
        drawn = drawer.draw(amended_answers(way, column, numbers[filled]), numbers, filled)
        reports[name] = np.full(numbers.size, NOTHING, dtype=np.int64)
        reports[name][filled] = drawn
        made[name] = _spread(written_column(way, drawn), filled)
        if held := drawer.keys(numbers.size):
            keys[name] = held
    tree.add(numbers, reports)
    sink.write(arrow_table(made | {name: kept.column(name) for name in plan.keep}))
    return finished_part(plan, tree, salt_of, rows=numbers.size, blocks=blocks_of(numbers), keys=keys)


def _spread(column: Any, filled: npt.NDArray[np.bool_]) -> Any:
    """Return a column with empty cells where nothing is amended."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    places = np.cumsum(filled) - 1
    return column.take(
        pa.array([int(place) if full else None for place, full in zip(places, filled, strict=True)], pa.int64())
    )


def _chosen(others: Sequence[int], count: int, source: BitSource) -> list[int]:
    """Return so many of the others, each selection as probable as any other."""
    pool = list(others)
    chosen = []
    for _ in range(count):
        place = int(UniformBelow(bound=len(pool)).sample(source, 1)[0]) if len(pool) > 1 else 0
        pool[place], pool[-1] = pool[-1], pool[place]
        chosen.append(pool.pop())
    return chosen
