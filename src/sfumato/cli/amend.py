"""sfumato amend: corrected answers supersede published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import (
    Decimal,
    Encoding,
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
    StudyFile,
    UnprotectedFiles,
    data_file,
)
from sfumato.cli.output import say, show_waiting, tell, tell_json
from sfumato.cli.publish import protections, tell_keys
from sfumato.cli.secrets import remark_on_folder, unlocker_of


def amend_command(
    data: Annotated[
        Path, typer.Argument(help="The corrections: a column `row` or ids, and questions; empty cells stay.")
    ],
    study: StudyFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the publication.")],
    keys: Annotated[Path | None, typer.Option(help="The folder with the key files.")] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="The column of ids, which the index beside the keys knows.")
    ] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    decimal: Decimal = ".",
    sheet: Sheet = None,
    cover: Annotated[
        int, typer.Option(min=0, help="Redraw so many people besides, chosen by chance, who did not change; they pay.")
    ] = 0,
    epoch: Epoch = 0,
    ledger: PayingLedger = None,
    registry: ReleaseRegistry = None,
    guarantee: KeyGuarantee = GuaranteeWord.TRUE,
    passphrase_file: PassphraseFile = None,
    private_key: SealingKey = None,
    unprotected: UnprotectedFiles = False,
    to: Receivers = None,
    insecure_seed: InsecureSeed = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Correct answers of a publication in a folder: only the amended cells are drawn again, and paid for again.

    With the registrar's keys at hand, cells that are right already are left alone. THAT A CELL WAS AMENDED IS PUBLIC,
    whatever ε says; of two answers it means that the other one is true now. --cover hides corrected people among
    others, who pay as well.

    Example:

        sfumato amend corrections.csv --study study.toml --out reports --keys keys --id person --unprotected
    """
    from sfumato.display.text import counted
    from sfumato.publications.key_folder import KeyFolder
    from sfumato.publications.note import sums_words
    from sfumato.workflows.amending import amend

    with show_waiting("amending"):
        made = amend(
            study,
            data_file(data, encoding, separator, decimal, sheet),
            out=out,
            keys=keys,
            protection=lambda holders: protections(
                holders, passphrase_file, private_key, unprotected, to or [], later=True
            ),
            unlock=unlocker_of(passphrase_file, private_key, allow_unprotected=unprotected),
            id_column=id_column,
            cover=cover,
            epoch=epoch,
            guarantee=guarantee.value,
            ledger=ledger,
            registry=registry,
            insecure_seed=insecure_seed,
        )
    note, published = made.publication.reports.note, made.publication.published
    folder = KeyFolder.of_later(note.study, keys, epoch, note.parts[-1].id if published is None else published.part)
    remark_on_folder(keys)
    if note.insecure:
        say(f"WARNING: {note.source}")
    if made.resumed:
        say("note: finished the amendment that was interrupted, with the reports that were drawn then.")
    if json:
        document: dict[str, Any] = {
            "schema": "sfumato/amended/1",
            "study": note.study.name,
            "publication": note.publication,
            "reports": str(out),
            "cells": made.cells,
            "rows": made.rows,
            "covered": made.covered,
            "unchanged": made.unchanged,
            "keys": [str(path) for path in folder.files],
            "resumed": made.resumed,
            "worst_epsilon": {one.holder: one.as_json for one in made.sums},
        }
        tell_json(document)
        return
    if quiet:
        return
    tell(f"{note.study.name}: {counted(made.cells, 'cell')} of {counted(made.rows, 'row')} amended in {out}")
    if made.unchanged:
        tell(f"{counted(made.unchanged, 'cell')} held the right answer already, and stay as they are.")
    tell_keys(folder)
    if made.sums:
        tell(f"Of the person of whom most is seen, over all questions: {sums_words(made.sums)}.")
    tell(_public_words(made.covered))


def _public_words(covered: int) -> str:
    if covered:
        return (
            f"Everybody sees which rows were amended, {covered:,} of them as cover: who is corrected hides among them, "
            f"and no further."
        )
    return (
        "Everybody sees which rows were amended, outside any ε: these people's answers changed, and of two answers it "
        "is known which way. --cover hides them among others."
    )
