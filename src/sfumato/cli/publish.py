"""sfumato publish: private reports for everyone, and key files for readers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import (
    RELEASES,
    Decimal,
    Encoding,
    Engine,
    EngineWord,
    Epoch,
    GuaranteeWord,
    InsecureSeed,
    Json,
    KeyGuarantee,
    PassphraseFile,
    PayingLedger,
    Quiet,
    Receivers,
    ReleaseRegistry,
    SealingKey,
    Separator,
    Sheet,
    SparkMaster,
    StudyFile,
    UnprotectedFiles,
    data_file,
    engine_called,
)
from sfumato.cli.output import say, show_rows, tell, tell_json
from sfumato.cli.secrets import private_key_from, protection_for, remark_on_folder, unlocker_of

if TYPE_CHECKING:
    from sfumato.keys.protection import Protection
    from sfumato.publications.key_folder import KeyFolder
    from sfumato.publications.note import ReportsNote
    from sfumato.publications.part import StudyPublication


def publish_command(
    data: Annotated[
        Path, typer.Argument(help="The answers, a row a respondent: CSV, Parquet, Excel, SPSS, Stata, or a folder.")
    ],
    study: StudyFile,
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Write the public reports here: CSV, Parquet, or a folder, which can grow."),
    ],
    keys: Annotated[Path | None, typer.Option(help="Write the key files into this folder.")] = None,
    keep: Annotated[
        list[str] | None, typer.Option(help="Copy this column to the reports as it is, in public. Repeatable.")
    ] = None,
    epoch: Epoch = 0,
    append: Annotated[
        bool, typer.Option("--append", help="These are new people: add them to the publication in the folder.")
    ] = False,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id", help="A column of ids: refuse people twice, and write a sealed index of them beside the keys."
        ),
    ] = None,
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="Put the rows in an order of chance; they are held in memory.")
    ] = False,
    ledger: PayingLedger = None,
    registry: ReleaseRegistry = None,
    again: Annotated[
        str | None,
        typer.Option(
            help="Release about the same people again, under this name: paid for and added up.",
            rich_help_panel=RELEASES,
        ),
    ] = None,
    people: Annotated[
        str | None,
        typer.Option(
            help="Declare that these are other people than under other names, or none. It is not checked; in a "
            "ledger, a release without a name counts for all people.",
            rich_help_panel=RELEASES,
        ),
    ] = None,
    guarantee: KeyGuarantee = GuaranteeWord.TRUE,
    passphrase_file: PassphraseFile = None,
    private_key: SealingKey = None,
    unprotected: UnprotectedFiles = False,
    to: Receivers = None,
    insecure_seed: InsecureSeed = None,
    engine: Engine = EngineWord.ARROW,
    master: SparkMaster = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Publish one private report for each respondent and question, and the keys that open them by degrees.

    Each analyst of the study gets a file NAME.QUESTION.key; `registrar` recovers the answers. Publishing again into
    the same folder makes the same reports again, and refuses changed answers: draws are used once. It takes the secret
    that the registrar's keys were sealed under, or --unprotected where there was none. Questions without
    keys (cards, free text, recoverable answers) would be answered afresh, so a study with one is not published twice.
    A study that names a ledger in [budget] is debited to it before anything is written. A codebook stands beside the
    reports and says how each column is to be read.

    The registry beside the study lists every release, and a second one about the same people is refused: with fresh
    draws it discloses more, and enough releases disclose everything. After an interruption the same command finishes
    what was drawn.

    With --engine spark the answers are a folder of Parquet files, which executors read, and the part that they write
    goes into a folder; its draws come from seeds, so it takes --guarantee computational.

    Example:

        sfumato publish answers.csv --study study.toml --out reports.parquet --keys keys --unprotected
    """
    from sfumato.publications.key_folder import KeyFolder
    from sfumato.workflows.publishing import publish

    on = engine_called(engine, master)
    with show_rows("drawing reports") as progress:
        made = publish(
            study,
            data_file(data, encoding, separator, decimal, sheet),
            out=out,
            keys=keys,
            protection=lambda holders: protections(
                holders, passphrase_file, private_key, unprotected, to or [], later=append
            ),
            unlock=unlocker_of(passphrase_file, private_key, allow_unprotected=unprotected),
            keep=keep or [],
            epoch=epoch,
            guarantee=guarantee.value,
            ledger=ledger,
            registry=registry,
            again=again,
            people=people,
            insecure_seed=insecure_seed,
            id_column=id_column,
            shuffle=shuffle,
            append=append,
            engine=on,
            progress=progress,
        )
    note = made.reports.note
    folder = KeyFolder.of(note.study, keys, epoch)
    if append:
        part = note.parts[-1].id if made.published is None else made.published.part
        folder = KeyFolder.of_later(note.study, keys, epoch, part)
    remark_on_folder(keys)
    if note.insecure:
        say(f"WARNING: {note.source}")
    if made.resumed:
        say("note: finished the publication that was interrupted, with the reports that were drawn then.")
    for question in note.study.questions if not quiet else ():
        if question.has_gaps:
            say(f"note: everybody sees which cells of {question.id} are empty.")
    for name, why in note.study.not_recovered.items() if not quiet else ():
        say(f"note: the registrar does not get the answers to {name} back: {why}.")
    if json:
        tell_json(_as_json(made, out, folder))
    elif not quiet:
        _print(note, out, folder)


def _as_json(made: StudyPublication, out: Path, folder: KeyFolder) -> Any:
    from sfumato.files.tables import codebook_path
    from sfumato.study.study import totals_of

    note, published = made.reports.note, made.published
    return {
        "schema": "sfumato/publication/1",
        "study": note.study.name,
        "fingerprint": note.fingerprint,
        "publication": note.publication,
        "epoch": note.epoch,
        "rows": note.rows,
        "reports": str(out),
        "codebook": str(codebook_path(out)),
        "source": note.source,
        "insecure": note.insecure,
        "keys": [
            {"file": str(path), "holder": held.holder, "question": held.question, "level": held.level}
            for path, held in folder.files.items()
        ],
        "total_epsilon": {total.holder: total.as_json for total in totals_of(note.study)},
        "registry": None if made.registry is None else str(made.registry),
        "release": None if published is None else published.token,
        "people": None if published is None else published.people,
        "again": note.again,
        "resumed": made.resumed,
        "releases": len(note.earlier) + 1,
        "total_epsilon_of_releases": {one.holder: one.as_json for one in note.sums},
    }


def _print(note: ReportsNote, out: Path, folder: KeyFolder) -> None:
    from sfumato.display.text import counted
    from sfumato.output.plans import totals_words
    from sfumato.publications.note import releases_words

    study = note.study
    tell(f"{study.name}: {note.rows:,} reports on {counted(len(study.questions), 'question')} in {out}")
    tell_keys(folder)
    tell(totals_words(study))
    if note.earlier:
        tell(releases_words(note))


def tell_keys(folder: KeyFolder) -> None:
    """Say whom each key file is for."""
    from sfumato.keys.key_files import read_key_header

    if folder.files:
        tell(f"{len(folder.files)} key files in {next(iter(folder.files)).parent}; hand each to its holder:")
        for holder in folder.holders:
            names = [path.name for path, held in folder.files.items() if held.holder == holder]
            tell(f"  {holder}: {', '.join(names)}")
        if any(path.exists() and read_key_header(path).protection == "none" for path in folder.files):
            say("note: key files without a passphrase open for anyone who has them.")


def protections(
    holders: tuple[str, ...],
    passphrase_file: Path | None,
    private_key: Path | None,
    unprotected: bool,
    receivers: list[str],
    *,
    later: bool,
) -> dict[str, Protection]:
    """Return how the new files of each holder are protected; in a `later` part not everybody gets one."""
    from sfumato.errors import InvalidParameter
    from sfumato.keys.protection import Unprotected
    from sfumato.keys.sealed_files import read_public_key
    from sfumato.study.readers import REGISTRAR

    found: dict[str, Protection] = {}
    for receiver in receivers:
        name, _, path = receiver.partition("=")
        if name not in holders or not path:
            raise InvalidParameter(
                f"must be NAME=FILE with NAME one of {', '.join(holders)}",
                parameter="to",
                value=receiver,
                way_out="Name one that gets a new key file; seeds that were handed out open later parts without one."
                if later
                else "Name one that has a key.",
            )
        found[name] = read_public_key(path)
    if private_key is not None and REGISTRAR in holders:
        found.setdefault(REGISTRAR, private_key_from(private_key, passphrase_file))
    rest = [holder for holder in holders if holder not in found]
    if rest and private_key is not None and not unprotected:
        # A passphrase given here is that of the private key, and no analyst may have it.
        raise InvalidParameter(
            f"is the registrar's alone, and nothing is said for {rest[0]}",
            parameter="private_key",
            way_out="Seal the keys of every analyst `to` a public key, or say `unprotected`.",
        )
    if rest and private_key is not None:
        found |= dict.fromkeys(rest, Unprotected())
    elif rest:
        found |= dict.fromkeys(rest, protection_for(passphrase_file, unprotected=unprotected))
    return found
