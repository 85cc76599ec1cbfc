"""sfumato open and sfumato recover: what a key shows of public reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import Confidence, Group, Json, LimitMb, Quiet
from sfumato.cli.output import MEGABYTE, console, say, show_waiting, tell, tell_json
from sfumato.cli.secrets import ALLOW_UNPROTECTED, PASSPHRASE_FILE, PRIVATE_KEY, unlocker_of

if TYPE_CHECKING:
    from sfumato.study.estimating import Estimates
    from sfumato.study.notes import ReportsNote

KEYS = typer.Option("--key", "-k", help="A key file. Repeat it for several questions, or for the parts of one key.")


def open_command(
    reports: Annotated[Path, typer.Argument(help="The public reports (CSV or Parquet).")],
    key: Annotated[list[Path], KEYS],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the opened reports here.")] = None,
    group: Group = None,
    confidence: Confidence = 0.95,
    passphrase_file: Annotated[Path | None, PASSPHRASE_FILE] = None,
    private_key: Annotated[Path | None, PRIVATE_KEY] = None,
    allow_unprotected: Annotated[bool, ALLOW_UNPROTECTED] = False,
    json: Json = False,
    quiet: Quiet = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """Open public reports with a key: the same reports, as sharp as the key allows, and what they say.

    Example:

        sfumato open reports.parquet --key keys/ministry.affair.key
    """
    from sfumato.study.reports import Reports, check_reports_place
    from sfumato.study.steps import estimate_reports, keys_of, open_reports

    if out is not None:
        check_reports_place(out)
    public = Reports.read(reports, limit_bytes=limit_mb * MEGABYTE)
    # Before anything is shown to move: somebody may be asked for a passphrase.
    keys = keys_of(key, unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected))
    with show_waiting("opening reports"):
        opened = open_reports(public, keys)
        asked = [question for question in opened.note.columns if question in {held.binding.question for held in keys}]
        estimates = estimate_reports(opened, confidence=confidence, group=group, questions=asked)
    if out is not None:
        opened.write(out)
        if not quiet:
            say(f"wrote {out}")
    show_estimates(estimates, opened.note, json=json, quiet=quiet)


def recover_command(
    reports: Annotated[Path, typer.Argument(help="The public reports (CSV or Parquet).")],
    key: Annotated[list[Path], KEYS],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the answers here, for your eyes only.")],
    passphrase_file: Annotated[Path | None, PASSPHRASE_FILE] = None,
    private_key: Annotated[Path | None, PRIVATE_KEY] = None,
    allow_unprotected: Annotated[bool, ALLOW_UNPROTECTED] = False,
    quiet: Quiet = False,
    limit_mb: LimitMb = 2000,
) -> None:
    """Recover the answers themselves with the registrar's keys.

    Example:

        sfumato recover reports.parquet --key keys/registrar.affair.key --out answers.csv
    """
    from sfumato.files.places import check_table_place
    from sfumato.render.words import counted
    from sfumato.study.reports import Reports
    from sfumato.study.steps import keys_of, recover_answers, write_answers

    check_table_place("out", out)
    public = Reports.read(reports, limit_bytes=limit_mb * MEGABYTE)
    keys = keys_of(key, unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected))
    with show_waiting("recovering answers"):
        answers = recover_answers(public, keys)
        write_answers(answers, out)
    if not quiet:
        questions = counted(len({held.binding.question for held in keys}), "question")
        say(f"recovered {answers.num_rows:,} answers to {questions} in {out}; only you may read it")


def show_estimates(estimates: Estimates, note: ReportsNote, *, json: bool, quiet: bool) -> None:
    """Print estimates as tables or as JSON."""
    from sfumato.render.estimate_documents import estimates_document
    from sfumato.render.estimate_tables import estimates_tables
    from sfumato.study.release_words import releases_words

    if note.insecure:
        say(f"WARNING: {note.source}")
    if json:
        tell_json(estimates_document(estimates, note))
    elif not quiet:
        for part in estimates_tables(estimates):
            console().print(part)
        if note.earlier:
            tell(releases_words(note))
