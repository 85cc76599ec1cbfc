"""sfumato open and sfumato recover: what keys show of public reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.options import (
    AllowUnprotected,
    Confidence,
    DictionaryFiles,
    Engine,
    EngineWord,
    Group,
    Json,
    NoteFile,
    OpeningKey,
    PassphraseFile,
    Quiet,
    ReportFiles,
    SparkMaster,
    engine_called,
)
from sfumato.cli.output import console, say, show_rows, show_waiting, tell, tell_json
from sfumato.cli.secrets import unlocker_of

if TYPE_CHECKING:
    from sfumato.inference.results import Contrast
    from sfumato.publications.estimating import Collected, Estimates
    from sfumato.publications.note import ReportsNote
    from sfumato.workflows.key_files import FoundKeys


KEYS = typer.Option("--key", "-k", help="A key file or a folder of them; once for each question or part of a key.")


def open_command(
    reports: ReportFiles,
    key: Annotated[list[Path], KEYS],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the opened reports here.")] = None,
    group: Group = None,
    confidence: Confidence = 0.95,
    passphrase_file: PassphraseFile = None,
    private_key: OpeningKey = None,
    allow_unprotected: AllowUnprotected = False,
    note: NoteFile = None,
    dictionary: DictionaryFiles = None,
    engine: Engine = EngineWord.ARROW,
    master: SparkMaster = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Open public reports with a key: the same reports, as sharp as the key allows, and what they say.

    Of a folder of keys those are used that the passphrase or private key opens; the others are listed.

    Example:

        sfumato open reports.parquet --key keys/ministry.affair.key
    """
    from sfumato.workflows.key_files import opening_keys
    from sfumato.workflows.reading import (
        check_opened_place,
        estimate_reports,
        open_reports,
        read_published,
        write_reports,
    )

    on = engine_called(engine, master)
    if out is not None:
        check_opened_place(out, on)
    remember_dictionaries(dictionary)
    public = read_published(reports, note=note, engine=on)
    # Before anything is shown to move: somebody may be asked for a passphrase.
    unlock = unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected)
    held = opening_keys(public.note, key, unlock)
    remark(public)
    remark(held)
    opened = open_reports(public, held.keys)
    if out is not None:
        with show_rows("opening reports") as progress:
            write_reports(opened, out, progress=progress)
        opened = read_published(out, engine=on)  # so that rows are opened once
    with show_waiting("estimating"):
        asked = [
            question for question in opened.note.columns if question in {one.binding.question for one in held.keys}
        ]
        estimates = estimate_reports(opened, confidence=confidence, group=group, questions=asked)
    if out is not None and not quiet:
        say(f"wrote {out}")
    show_estimates(estimates, opened.note, json=json, quiet=quiet)


def recover_command(
    reports: ReportFiles,
    key: Annotated[list[Path], KEYS],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the answers here, for your eyes only.")],
    passphrase_file: PassphraseFile = None,
    private_key: OpeningKey = None,
    allow_unprotected: AllowUnprotected = False,
    note: NoteFile = None,
    dictionary: DictionaryFiles = None,
    rounded: Annotated[
        bool,
        typer.Option("--rounded", help="Where answers do not come back, write what reports hold of them instead."),
    ] = False,
    engine: Engine = EngineWord.ARROW,
    master: SparkMaster = None,
    quiet: Quiet = False,
) -> None:
    """Recover the answers themselves with the registrar's keys: each as it was, in a Parquet file with its type.

    A key to sealed answers, registrar.QUESTION_sealed.key, is found beside registrar.QUESTION.key.

    Example:

        sfumato recover reports.parquet --key keys/registrar.affair.key --out answers.parquet
    """
    from sfumato.display.text import counted
    from sfumato.workflows.key_files import keys_for, questions_wanted
    from sfumato.workflows.reading import check_answers_place, read_published, recover_answers, recovery_for

    on = engine_called(engine, master)
    check_answers_place(out, on)
    remember_dictionaries(dictionary)
    public = read_published(reports, note=note, engine=on)
    unlock = unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected)
    keys = keys_for(public.note, key, unlock, recover=True)
    remark(public)
    found = recovery_for(public, keys, rounded=rounded, wanted=questions_wanted(public.note, key))
    with show_rows("recovering answers") as progress:
        rows = recover_answers(public, keys, out=out, progress=progress, rounded=rounded)
    for said in found.remarks:
        say(f"note: {said}")
    if not quiet:
        exact = [name for name in found.ring.questions if name not in found.rounded]
        what = f"answers to {counted(len(exact), 'question')}" if exact else "rounded values"
        say(f"recovered {rows:,} {what} in {out}; only you may read it")


def remember_dictionaries(paths: list[Path] | None) -> None:
    """Read dictionaries that stand elsewhere than beside the reports."""
    from sfumato.study.kinds.dictionaries import remember_dictionary

    for path in paths or ():
        remember_dictionary(path)


def remark(reports: Collected | FoundKeys) -> None:
    """Say what a reader should know: that reports were not checked, that people were erased, which keys do not open."""
    for said in getattr(reports, "remarks", ()):
        say(f"note: {said}")


def show_estimates(
    estimates: Estimates, note: ReportsNote, *, json: bool, quiet: bool, contrasts: Sequence[Contrast] | None = None
) -> None:
    """Print estimates as tables or as JSON, and the contrasts after them."""
    from sfumato.output.estimates import contrasts_tables, estimates_document, estimates_tables
    from sfumato.publications.note import releases_words

    if note.insecure:
        say(f"WARNING: {note.source}")
    if json:
        tell_json(estimates_document(estimates, note, contrasts))
    elif not quiet:
        for part in (*estimates_tables(estimates), *contrasts_tables(contrasts or ())):
            console().print(part)
        if note.earlier:
            tell(releases_words(note))
