"""Reports drawn on a device: one row, or many at once where devices are simulated, by the code that every part uses.

What a device draws of a question is its report and the shifts of each level that somebody can hold a key of. Who gets
which of them is the collection's affair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter
from sfumato.refine.report_trees import NOTHING
from sfumato.study.answer_cells import AnswerCells, needed_columns, read_cells
from sfumato.study.collections import Collection
from sfumato.study.part_notes import new_part_id
from sfumato.study.part_sinks import MemoryStore
from sfumato.study.publishing import binding_of
from sfumato.study.ways.drawing import Draw
from sfumato.values import Guarantee


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCell:
    """What was drawn of one question for one person: the report, None for a gap, and the shifts by level."""

    report: int | None = field(repr=False)
    shifts: Mapping[int, int] = field(repr=False)


def answers_table(collection: Collection, answers: Mapping[str, str] | Sequence[Mapping[str, str]]) -> Any:
    """Return answers as a table: one row a person, a column for everything that questions are read from."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    rows = [answers] if isinstance(answers, Mapping) else list(answers)
    columns = needed_columns(collection.study.questions)
    for row in rows:
        for name, given in row.items():
            text: object = given
            if name not in columns:
                raise InvalidParameter(
                    f"names what is not asked; the study asks: {', '.join(columns)}",
                    parameter="answers",
                    value=name,
                    way_out="Answer these.",
                )
            if not isinstance(text, str):
                raise InvalidParameter(
                    f"must be text, also where it is a number, and is not for {name}",
                    parameter="answers",
                    way_out="Put it in quotes.",
                )
    return pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in columns})


def cells_of(collection: Collection, question: str, table: Any) -> AnswerCells:
    """Read the answers to a question; whatever is no answer is refused without being repeated."""
    return read_cells(collection.study, collection.columns[question], table, 0)


def answer_mark(cells: AnswerCells) -> bytes:
    """Return what tells one answer of one person from another, however it was written."""
    is_drawn = cells.drawn is None or bool(cells.drawn.any())
    return repr(np.asarray(cells.answers).tolist() if is_drawn else None).encode()


def draw_cells(
    collection: Collection, question: str, cells: AnswerCells, rows: int, bits: BitSource
) -> list[DrawnCell]:
    """Draw a question for so many people, each with bits of their own."""
    store = MemoryStore()
    draw = Draw(
        bits=bits,
        guarantee=Guarantee.INFORMATION_THEORETIC,
        binding=binding_of(collection.study, question, 0),
        # It only says how numbers are rounded, and differs from one device to the next.
        part=new_part_id(bits),
        store=store,
    )
    drawer = collection.columns[question].drawer(draw)
    numbers = np.arange(rows, dtype=np.int64)
    reports = cells.spread(drawer.draw(cells.answers, numbers, cells.drawn)).tolist()
    levels = {level: np.concatenate(pieces).tolist() for level, pieces in store.levels.items()}
    return [
        DrawnCell(
            report=None if report == NOTHING else int(report),
            shifts={level: int(shifts[place]) for level, shifts in levels.items()},
        )
        for place, report in enumerate(reports)
    ]
