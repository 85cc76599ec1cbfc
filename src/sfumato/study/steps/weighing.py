"""Weights of reports for other programs. They follow from the note, so that no report is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.files.places import check_table_place
from sfumato.files.table_writers import write_table
from sfumato.study.reports import Reports
from sfumato.study.weights import weights_table

if TYPE_CHECKING:
    import pyarrow as pa


def report_weights(
    reports: Reports | str | Path, *, questions: Sequence[str] | None = None, out: str | Path | None = None
) -> pa.Table:
    """Return what each report counts towards each answer: a table of question, report, answer and weight.

    Joined to the reports and summed, weights are unbiased counts of answers. With `out` the table is written there.
    """
    check_table_place("out", out)
    note = reports.note if isinstance(reports, Reports) else Reports.read(reports).note
    found = weights_table(note, questions)
    if out is not None:
        write_table(found, out)
    return found
