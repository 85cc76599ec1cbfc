"""Weights: what each report counts towards each answer, as a table for other programs.

The weights of an answer, summed over reports, are an unbiased count of those who gave it. So whatever can join, group
and sum reads shares from reports, and these are the `raw` shares of `sfumato estimate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.files.tables import labelled_column
from sfumato.study.notes import ReportsNote
from sfumato.study.ways import Way

MOST_WEIGHTS = 1 << 24


def report_texts(way: Way) -> tuple[str, ...]:
    """How each report stands in a file, as text: its label, or its number."""
    if way.report_numbers is not None:
        return tuple(map(str, way.report_numbers))
    return way.report_labels or tuple(map(str, range(way.report_count)))


def weights_table(note: ReportsNote, questions: Sequence[str] | None = None) -> Any:
    """Return the weights of some questions, or of all, as an Arrow table: question, report, answer, weight."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    names = tuple(note.questions if questions is None else dict.fromkeys(questions))
    ways = {name: note.way(name) for name in names}
    _check_size({name: way.report_count * len(way.question.labels) for name, way in ways.items()})
    parts = []
    for name, way in ways.items():
        if not way.question.labels:
            raise way.without_weights()
        weights = way.weights(note.column(name).level)
        reports, answers = weights.shape
        places = np.arange(reports, dtype=np.int64), np.arange(answers, dtype=np.int64)
        columns = {
            "question": labelled_column(np.zeros(weights.size, dtype=np.int64), [name]),
            "report": labelled_column(np.repeat(places[0], answers), report_texts(way)),
            "answer": labelled_column(np.tile(places[1], reports), way.question.labels),
            "weight": pa.Array.from_buffers(pa.float64(), weights.size, [None, pa.py_buffer(weights.ravel())]),
        }
        parts.append(pa.table({key: _as_codes(column) for key, column in columns.items()}))
    return pa.concat_tables(parts)


def _as_codes(column: Any) -> Any:
    """Give all questions the same type of code."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if not pa.types.is_dictionary(column.type):
        return column
    return pa.DictionaryArray.from_arrays(column.indices.cast(pa.int32()), column.dictionary)


def _check_size(cells: dict[str, int]) -> None:
    if sum(cells.values()) > MOST_WEIGHTS:
        name = max(cells, key=cells.__getitem__)
        raise InvalidParameter(
            f"question {name!r} has {cells[name]:,} weights, one for each report and answer, and a table holds at most "
            f"{MOST_WEIGHTS:,}",
            way_out="Name other questions with `question`; `sfumato estimate` needs no table of weights.",
        )
