"""sfumato publish: private reports for everybody, and key files for those who may see more."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.output import MEGABYTE, say, show_waiting
from sfumato.cli.secrets import PASSPHRASE_FILE, UNPROTECTED, protection_for, unlocker_of

if TYPE_CHECKING:
    from sfumato.refine.key_protection import Protection
    from sfumato.study import Study
    from sfumato.study.key_folders import KeyFolder
    from sfumato.study.publishing import StudyPublication

_SECRETS = "Secrets"


def publish_command(
    data: Annotated[Path, typer.Argument(help="The answers: CSV or Parquet, one row a respondent.")],
    study: Annotated[Path, typer.Option(help="The study file (TOML).")],
    out: Annotated[Path, typer.Option(help="Write the public reports (CSV or Parquet) here.")],
    keys: Annotated[Path | None, typer.Option(help="Write the key files into this folder.")] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="Copy this column to the reports as it is, in public. Repeatable.")
    ] = None,
    epoch: Annotated[int, typer.Option(min=0, help="Which time step this is.")] = 0,
    kind: Annotated[
        str,
        typer.Option(help="information-theoretic (true draws) or computational (a seed).", rich_help_panel=_SECRETS),
    ] = "information-theoretic",
    passphrase_file: Annotated[Path | None, PASSPHRASE_FILE] = None,
    unprotected: Annotated[bool, UNPROTECTED] = False,
    to: Annotated[
        list[str] | None,
        typer.Option(help="Seal an analyst's keys to a public key: NAME=FILE. Repeatable.", rich_help_panel=_SECRETS),
    ] = None,
    insecure_seed: Annotated[
        int | None, typer.Option(min=0, help="Repeatable draws, for simulations only: anyone can undo them.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing when all goes well.")] = False,
    limit_mb: Annotated[int, typer.Option(min=1, help="Refuse data larger than this many MB.")] = 2000,
) -> None:
    """Publish one private report for each respondent and question, and the keys that open them by degrees.

    Each analyst of the study gets a file NAME.QUESTION.key; `registrar` recovers the answers. Publishing again into
    the same folder makes the same reports again, and refuses changed answers: draws are used once. Questions without
    keys (cards, free text, recoverable answers) would be answered afresh, so a study with one is not published twice.
    A study that names a ledger in [budget] is debited to it before anything is written.

    Example:

        sfumato publish answers.csv --study study.toml --out reports.parquet --keys keys --unprotected
    """
    from sfumato.bits import InsecureSeeded
    from sfumato.files.tables import read_table
    from sfumato.study import read_study
    from sfumato.study.budgets import (
        check_folder_of,
        id_of_reports,
        ledger_path,
        paid,
        refuse_simulation,
        release_of_reports,
    )
    from sfumato.study.key_folders import KeyFolder
    from sfumato.study.publishing import publish_table

    declared = read_study(study)
    folder = KeyFolder.of(declared, keys, epoch)
    bits = None if insecure_seed is None else InsecureSeeded(insecure_seed)
    if insecure_seed is not None:
        refuse_simulation(ledger_path(declared, study))
    guarantee = _guarantee(kind)
    table, _ = read_table(data, limit_bytes=limit_mb * MEGABYTE)
    unlocker = unlocker_of(passphrase_file, None)
    held = folder.held_keys(unlocker)
    protections = {} if held else _protections(folder.holders, passphrase_file, unprotected, to or [])
    with show_waiting("drawing reports"):
        published = publish_table(
            declared, table, bits=bits, guarantee=guarantee, epoch=epoch, keep=keep or [], keys=held
        )
        check_folder_of(out)
        release = None if declared.ledger is None else release_of_reports(declared, published.reports.note.rows)
        with paid(ledger_path(declared, study), release, id_of_reports(published)):
            # Keys before reports: reports whose keys were lost could never be opened, keys alone open nothing.
            folder.write(published.keys, protections, unlocker)
            published.reports.write(out)
    if published.reports.note.is_insecure:
        say(f"WARNING: {published.reports.note.source}")
    if json:
        typer.echo(json_module.dumps(_as_json(declared, published, out, folder), ensure_ascii=False))
    elif not quiet:
        _print(declared, published, out, folder)


def _guarantee(text: str) -> Any:
    from sfumato.errors import InvalidParameter
    from sfumato.values import Guarantee

    kinds = {
        "information-theoretic": Guarantee.INFORMATION_THEORETIC,
        "computational": Guarantee.COMPUTATIONAL,
    }
    if text not in kinds:
        raise InvalidParameter(f"kind={text!r} is not known. Choose one of {', '.join(kinds)}.")
    return kinds[text]


def _as_json(study: Study, published: StudyPublication, out: Path, folder: KeyFolder) -> Any:
    from sfumato.study.totals import totals_of

    return {
        "schema": "sfumato/publication/1",
        "study": study.name,
        "fingerprint": published.reports.note.fingerprint,
        "epoch": published.reports.note.epoch,
        "rows": published.reports.note.rows,
        "reports": str(out),
        "source": published.reports.note.source,
        "keys": [
            {"file": str(path), "holder": held.holder, "question": held.question, "level": held.level}
            for path, held in folder.files.items()
        ],
        "total_epsilon": {total.holder: total.as_json for total in totals_of(study)},
    }


def _print(study: Study, published: StudyPublication, out: Path, folder: KeyFolder) -> None:
    from sfumato.io.key_files import read_key_header
    from sfumato.render.studies import totals_words

    questions = "one question" if len(study.questions) == 1 else f"{len(study.questions)} questions"
    typer.echo(f"{study.name}: {published.reports.note.rows:,} reports on {questions} in {out}")
    if folder.files:
        typer.echo(f"{len(folder.files)} key files in {next(iter(folder.files)).parent}; hand each to its holder:")
        for holder in folder.holders:
            names = [path.name for path, held in folder.files.items() if held.holder == holder]
            typer.echo(f"  {holder}: {', '.join(names)}")
        if any(read_key_header(path).protection == "none" for path in folder.files):
            say("note: key files without a passphrase open for anyone who has them.")
    typer.echo(totals_words(study))


def _protections(
    holders: tuple[str, ...], passphrase_file: Path | None, unprotected: bool, receivers: list[str]
) -> dict[str, Protection]:
    from sfumato.errors import InvalidParameter
    from sfumato.io.key_files import read_public_key

    found: dict[str, Protection] = {}
    for receiver in receivers:
        name, _, path = receiver.partition("=")
        if name not in holders or not path:
            raise InvalidParameter(
                f"to={receiver!r} must be NAME=FILE with NAME one of {', '.join(holders)}. Name one that has a key."
            )
        found[name] = read_public_key(path)
    rest = [holder for holder in holders if holder not in found]
    if rest:
        found |= dict.fromkeys(rest, protection_for(passphrase_file, unprotected=unprotected))
    return found
