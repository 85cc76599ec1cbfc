"""sfumato weights: reports as numbers that other programs can sum."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Json, Questions, Quiet
from sfumato.cli.output import say, show_waiting, tell_json


def weights_command(
    reports: Annotated[Path, typer.Argument(help="Reports that were published or opened (CSV or Parquet).")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the weights (CSV or Parquet) here.")],
    question: Questions = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write what each report counts towards each answer, so that SQL can estimate shares with one join.

    The table has a row for each question, report and answer. Over any group of reports, the sum of the weights of an
    answer is an unbiased count of those who gave it, and divided by the number of reports it is the raw share of
    `sfumato estimate`. With few reports it may lie below 0 or above 1. The weights are those of the level at which the
    file stands, and say nothing about anybody.

    Example:

        sfumato weights reports.parquet --out weights.parquet
    """
    from sfumato.render.estimate_documents import weights_document
    from sfumato.study.reports import Reports
    from sfumato.study.steps import report_weights

    with show_waiting("weighing reports"):
        found = Reports.read(reports)
        made = report_weights(found, questions=question, out=out)
    note = found.note
    if note.insecure:
        say(f"WARNING: {note.source}")
    if not quiet:
        say(f"wrote {made.num_rows:,} weights to {out}")
    if json:
        tell_json(weights_document(note, question))
