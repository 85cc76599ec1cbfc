"""sfumato erase: people are taken out of a publication."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import AllowUnprotected, Json, OpeningKey, PassphraseFile, Quiet
from sfumato.cli.output import say, show_rows, tell, tell_json
from sfumato.cli.secrets import unlocker_of


def erase_command(
    reports: Annotated[Path, typer.Argument(help="The public reports: the folder of a publication, or a file.")],
    row: Annotated[
        list[str] | None,
        typer.Option(help="Erase this row: its number, or PART:NUMBER where there are several parts. Repeatable."),
    ] = None,
    person: Annotated[
        list[str] | None, typer.Option("--id", help="Erase this person, whom the index knows. Repeatable.")
    ] = None,
    ids_file: Annotated[Path | None, typer.Option(help="Erase the people whose ids stand here, one a line.")] = None,
    keys: Annotated[Path | None, typer.Option(help="The folder with the key files and the index.")] = None,
    passphrase_file: PassphraseFile = None,
    private_key: OpeningKey = None,
    allow_unprotected: AllowUnprotected = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Take people out of a publication, of its keys and of its index.

    Their rows are deleted from the reports and from every amendment. In the key files that open here, fresh draws
    replace theirs. The block of rows gets a new salt, so that no remaining digest shows which report was theirs. Copies
    that were made or given away before cannot be changed; the command lists what they may be.

    Example:

        sfumato erase reports --id p4711 --keys keys --passphrase-file secret.txt
    """
    from sfumato.display.text import counted
    from sfumato.errors import InvalidParameter
    from sfumato.workflows.erasing import erase

    ids = [*(person or []), *([] if ids_file is None else _lines(ids_file))]
    rows = []
    for text in row or []:
        part, _, number = text.rpartition(":")
        if not number.isdecimal() or len(number) > 13:
            raise InvalidParameter(
                "must be a whole number, or PART:NUMBER", parameter="row", value=text, way_out="Take it from `row`."
            )
        rows.append((part or None, int(number)))
    with show_rows("writing reports anew") as progress:
        gone = erase(
            reports,
            rows=rows,
            ids=ids,
            keys=keys,
            unlock=unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected),
            progress=progress,
        )
    if json:
        tell_json(
            {
                "schema": "sfumato/erased/1",
                "reports": str(reports),
                "people": gone.people,
                "parts": gone.parts,
                "keys": [str(path) for path in gone.keys],
                "closed_keys": [str(path) for path in gone.closed],
                "seeds": gone.has_seeds,
            }
        )
    elif not quiet:
        who = "one person" if gone.people == 1 else f"{gone.people:,} people"
        tell(f"{who} erased from {reports}")
        if gone.keys:
            tell(f"fresh draws stand for theirs in {counted(len(gone.keys), 'key file')}")
        for path in gone.closed:
            say(f"note: {path} could not be opened, and still holds how their reports were shifted.")
        if gone.has_seeds:
            say(
                "note: seeds give the draws of every row for ever; with a copy of the old reports they still open them."
            )
        if keys is None:
            say("note: no keys were given: key files and the index, if there are any, are as they were.")
        say("note: copies of the reports, of keys and of opened files that others hold are beyond reach; ask for them.")


def _lines(path: Path) -> list[str]:
    from sfumato.files.disk import read_bytes
    from sfumato.files.texts import decode_text

    text = decode_text(read_bytes(path), path)
    return [line.strip() for line in text.splitlines() if line.strip()]
