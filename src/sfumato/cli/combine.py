"""sfumato combine: parts of several offices as one publication."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import AllowUnprotected, Json, OpeningKey, PassphraseFile, Quiet
from sfumato.cli.output import say, show_waiting, tell, tell_json
from sfumato.cli.secrets import unlocker_of


def combine_command(
    reports: Annotated[list[Path], typer.Argument(help="Public reports of one study: files and folders.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder for the publication.")],
    keys: Annotated[
        list[Path] | None,
        typer.Option(help="A folder of keys with the index of people, to find those who are in twice. Repeatable."),
    ] = None,
    assume_disjoint: Annotated[
        bool,
        typer.Option(
            "--assume-disjoint", help="You know that no one is in two of them; every estimate will repeat this."
        ),
    ] = False,
    passphrase_file: PassphraseFile = None,
    private_key: OpeningKey = None,
    allow_unprotected: AllowUnprotected = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Put public reports of one study under one manifest: nothing is drawn, paid or renumbered, and keys stay valid.

    People who are in two of them would be counted twice. The indexes of all parts find them, and such parts are
    refused. Without all indexes parts of several publications are combined only with --assume-disjoint.

    Examples:

        sfumato combine north south.parquet -o country --keys north-keys --keys south-keys --passphrase-file secret.txt

        sfumato combine north south.parquet -o unchecked --assume-disjoint
    """
    from sfumato.display.text import counted
    from sfumato.workflows.combining import combine

    with show_waiting("combining"):
        made = combine(
            reports,
            out,
            keys=keys or [],
            assume_disjoint=assume_disjoint,
            unlock=unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected),
        )
    note = made.reports.note
    if json:
        tell_json(
            {
                "schema": "sfumato/combined/1",
                "study": note.study.name,
                "reports": str(out),
                "rows": note.rows,
                "parts": [part.id for part in note.parts],
                "people_compared": made.is_compared,
                "assumed_disjoint": note.assumed_disjoint,
            }
        )
    elif not quiet:
        tell(f"{note.study.name}: {note.rows:,} reports in {counted(len(note.parts), 'part')} in {out}")
        for said in note.assumptions:
            say(f"note: {said}")
