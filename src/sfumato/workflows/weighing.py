"""Weights of reports as a table for other programs.

A weight is what a report counts towards an answer. The weights of an answer, summed over reports, are an unbiased count
of those who gave it. So a program that can join, group and sum reads shares from reports; these are the `raw` shares of
`sfumato estimate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.files.formats import check_table_place
from sfumato.files.public_tables import write_table
from sfumato.files.tables import labelled_column, number_column, text_column
from sfumato.publications.estimating import Collected
from sfumato.publications.note import ReportsNote
from sfumato.publications.reports import Reports
from sfumato.study.handler import Handler

if TYPE_CHECKING:
    import pyarrow as pa


MOST_WEIGHTS = 1 << 24


def report_texts(handler: Handler) -> tuple[str, ...]:
    """How each report stands in a file, as text: its label, or its number."""
    if handler.report_numbers is not None:
        return tuple(map(str, handler.report_numbers))
    return handler.report_labels or tuple(map(str, range(handler.report_count)))


def weights_table(note: ReportsNote, questions: Sequence[str] | None = None) -> Any:
    """Return the weights of some questions, or of all, as an Arrow table: question, report, answer, weight."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    names = tuple(note.questions if questions is None else dict.fromkeys(questions))
    handlers = {name: note.handler(name) for name in names}
    _check_size({name: handler.report_count * len(handler.question.labels) for name, handler in handlers.items()})
    parts = []
    for name, handler in handlers.items():
        if not handler.question.labels:
            raise handler.without_weights()
        weights = handler.weights(note.column(name).level)
        reports, answers = weights.shape
        places = np.arange(reports, dtype=np.int64), np.arange(answers, dtype=np.int64)
        columns = {
            "question": labelled_column(np.zeros(weights.size, dtype=np.int64), [name]),
            "report": labelled_column(np.repeat(places[0], answers), report_texts(handler)),
            "answer": labelled_column(np.tile(places[1], reports), handler.question.labels),
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


def report_weights(
    reports: Reports | str | Path, *, questions: Sequence[str] | None = None, out: str | Path | None = None
) -> pa.Table:
    """Return what each report counts towards each answer: a table of question, report, answer and weight.

    Joined to the reports and summed, weights are unbiased counts of answers. With `out` the table is written there.

    Returns:
        The table of weights.

    Raises:
        InvalidParameter: a question has no weights of this kind.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> made = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7)
    >>> sf.workflows.report_weights(made.reports).column_names
    ['question', 'report', 'answer', 'weight']
    """
    check_table_place("out", out)
    note = reports.note if isinstance(reports, Reports) else Reports.read(reports).note
    found = weights_table(note, questions)
    if out is not None:
        write_table(found, out)
    return found


def raw_shares(reports: Collected | str | Path, question: str) -> pa.Table:
    """Return the unbiased share of every answer to a question with its standard error, however many there are.

    Estimates show of a long list only what was surely found; this is everything, noise and all.

    Returns:
        The unbiased shares, which may be negative.

    Raises:
        InvalidParameter: there is no such question or column.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> names = [f"name {number}" for number in range(100)]
    >>> question = sf.LargeList(id="name", text="Your surname?", dictionary=names, epsilon=Fraction(4))
    >>> study = sf.Study(name="Names", questions=(question,))
    >>> made = sf.publish(study, {"name": names * 5}, insecure_seed=7)
    >>> sf.workflows.raw_shares(made.reports, "name").num_rows
    100
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    found = Reports.read(reports) if isinstance(reports, str | Path) else reports
    handler, level = found.note.handler(question), found.note.column(question).level
    _, tally = next(iter(found.tallies(question)))
    labels, raw, errors = handler.raw_shares(tally, level)
    answers = text_column(np.arange(len(labels)), labels)
    return pa.table({"answer": answers, "raw": number_column(raw), "standard_error": number_column(errors)})
