"""sfumato open and sfumato recover: what a key shows of public reports."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.output import MEGABYTE, console, say, show_waiting
from sfumato.cli.secrets import PASSPHRASE_FILE, PRIVATE_KEY, read_keys

if TYPE_CHECKING:
    from sfumato.study.estimating import Estimates, QuestionEstimate
    from sfumato.study.notes import ReportsNote

KEYS = typer.Option("--key", "-k", help="A key file. Repeat it for several questions, or for the parts of one key.")
LIMIT = typer.Option(min=1, help="Refuse reports larger than this many MB.")


def open_command(
    reports: Annotated[Path, typer.Argument(help="The public reports (CSV or Parquet).")],
    key: Annotated[list[Path], KEYS],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the opened reports here.")] = None,
    group: Annotated[str | None, typer.Option(help="Estimate by the groups of this kept column as well.")] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    passphrase_file: Annotated[Path | None, PASSPHRASE_FILE] = None,
    private_key: Annotated[Path | None, PRIVATE_KEY] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the estimates as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no estimates.")] = False,
    limit_mb: Annotated[int, LIMIT] = 2000,
) -> None:
    """Open public reports with a key: the same reports, as sharp as the key allows, and what they say.

    Example:

        sfumato open reports.parquet --key keys/ministry.affair.key
    """
    from sfumato.study.estimating import estimate_table
    from sfumato.study.publishing import open_table
    from sfumato.study.reports import Reports

    public = Reports.read(reports, limit_bytes=limit_mb * MEGABYTE)
    keys = read_keys(key, passphrase_file, private_key)
    with show_waiting("opening reports"):
        opened = open_table(public, keys)
        asked = [question for question in opened.note.columns if question in {held.binding.question for held in keys}]
        estimates = estimate_table(opened, confidence=confidence, group=group, questions=asked)
    if out is not None:
        opened.write(out)
        say(f"wrote {out}")
    show_estimates(estimates, opened.note, json=json, quiet=quiet)


def recover_command(
    reports: Annotated[Path, typer.Argument(help="The public reports (CSV or Parquet).")],
    key: Annotated[list[Path], KEYS],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the answers here, for your eyes only.")],
    passphrase_file: Annotated[Path | None, PASSPHRASE_FILE] = None,
    private_key: Annotated[Path | None, PRIVATE_KEY] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing when all goes well.")] = False,
    limit_mb: Annotated[int, LIMIT] = 2000,
) -> None:
    """Recover the answers themselves with the registrar's keys.

    Example:

        sfumato recover reports.parquet --key keys/registrar.affair.key --out answers.csv
    """
    from sfumato.files.tables import write_table
    from sfumato.study.publishing import recover_table
    from sfumato.study.reports import Reports

    public = Reports.read(reports, limit_bytes=limit_mb * MEGABYTE)
    keys = read_keys(key, passphrase_file, private_key)
    with show_waiting("recovering answers"):
        answers = recover_table(public, keys)
        write_table(answers, out, private=True)
    if not quiet:
        count = len({held.binding.question for held in keys})
        questions = "one question" if count == 1 else f"{count} questions"
        say(f"recovered {answers.num_rows:,} answers to {questions} in {out}; only you may read it")


def show_estimates(estimates: Estimates, note: ReportsNote, *, json: bool, quiet: bool) -> None:
    """Print estimates as tables or as JSON."""
    from sfumato.render.studies import estimates_tables

    if note.is_insecure:
        say(f"WARNING: {note.source}")
    if json:
        typer.echo(json_module.dumps(estimates_json(estimates, note), ensure_ascii=False, allow_nan=False))
    elif not quiet:
        for part in estimates_tables(estimates):
            console().print(part)


def estimates_json(estimates: Estimates, note: ReportsNote) -> dict[str, Any]:
    """Return estimates as one document."""
    return {
        "schema": "sfumato/estimates/1",
        "study": note.study.name,
        "epoch": note.epoch,
        "source": note.source,
        "estimates": [_estimate_json(found) for found in estimates],
    }


def _estimate_json(found: QuestionEstimate) -> dict[str, Any]:
    from math import isfinite

    document: dict[str, Any] = {
        "question": found.question.id,
        "group": found.group,
        "level": found.level,
        "epsilon": found.epsilon if isfinite(found.epsilon) else "inf",
        "total": found.total,
        "confidence": found.confidence,
        "method": found.method,
        "answers": [
            {
                "answer": label,
                "share": found.shares[i],
                "raw": found.raw[i],
                "standard_error": found.standard_errors[i],
                "lower": found.intervals[i].lower,
                "upper": found.intervals[i].upper,
            }
            for i, label in enumerate(found.labels)
        ],
        "notes": list(found.notes),
    }
    if found.mean is not None:
        document["mean"] = {
            "mean": found.mean.mean,
            "standard_error": found.mean.standard_error,
            "lower": found.mean.interval.lower,
            "upper": found.mean.interval.upper,
        }
    return document
