"""Weights of reports for other programs. They follow from the note, so that no report is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sfumato.files.places import check_table_place
from sfumato.files.table_writers import write_table
from sfumato.files.tables import number_column, text_column
from sfumato.study.estimating import Collected
from sfumato.study.reports import Reports
from sfumato.study.weights import weights_table

if TYPE_CHECKING:
    import pyarrow as pa


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
    >>> sf.report_weights(made.reports).column_names
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
    >>> sf.raw_shares(made.reports, "name").num_rows
    100
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    found = Reports.read(reports) if isinstance(reports, str | Path) else reports
    way, level = found.note.way(question), found.note.column(question).level
    _, tally = next(iter(found.tallies(question)))
    labels, raw, errors = way.raw_shares(tally, level)
    answers = text_column(np.arange(len(labels)), labels)
    return pa.table({"answer": answers, "raw": number_column(raw), "standard_error": number_column(errors)})
