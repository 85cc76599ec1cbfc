"""sfumato keys: key files and key pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import SECRETS, AllowUnprotected, Json, OpeningKey, PassphraseFile, UnprotectedFiles
from sfumato.cli.output import console, say, tell_json
from sfumato.cli.secrets import passphrase_from, protection_for, remark_on_folder, unlocker_of

if TYPE_CHECKING:
    from sfumato.keys.key_documents import KeyHeader


keys_app = typer.Typer(
    name="keys",
    help="Look at key files, split, merge, rotate and protect them.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FILE = typer.Argument(help="A key file.")
OLD_PASSPHRASE = typer.Option(help="A file whose first line is the passphrase of today.", rich_help_panel=SECRETS)
NEW_PASSPHRASE = typer.Option(help="A file whose first line is the new passphrase.", rich_help_panel=SECRETS)
OUT = typer.Option("--out", "-o", help="Write the new key file here.")


@keys_app.command("show")
def show_command(
    files: Annotated[list[Path], typer.Argument(help="Key files.")],
    json: Json = False,
) -> None:
    """Show what key files are for: study, question, what they show, rows and protection. Never what they hold.

    Example:

        sfumato keys show keys/ministry.affair.key
    """
    from sfumato.keys.key_files import read_key_header

    headers = {path: read_key_header(path) for path in files}
    if json:
        tell_json([_as_json(path, header) for path, header in headers.items()])
        return
    from rich.table import Table

    from sfumato.display.text import epsilon_text

    table = Table()
    table.add_column("file", overflow="fold")
    for column in ("question", "epoch", "shows", "rows", "guarantee", "protection", "reports made"):
        table.add_column(column)
    for path, header in headers.items():
        table.add_row(
            path.name,
            header.binding.question or "-",
            str(header.binding.epoch),
            "the answers" if header.level == 0 else f"ε = {epsilon_text(header.epsilon)}",
            _rows(header),
            header.guarantee.value.replace("_", " "),
            header.protection.replace("_", " "),
            "no" if header.produced is None else f"yes, {header.produced[:8]}…",
        )
    console().print(table)


@keys_app.command("split")
def split_command(
    file: Annotated[Path, FILE],
    at: Annotated[list[int], typer.Option(help="First row of the next part. Repeatable.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the parts into this folder.")],
    passphrase_file: PassphraseFile = None,
    private_key: OpeningKey = None,
    unprotected: UnprotectedFiles = False,
    allow_unprotected: AllowUnprotected = False,
) -> None:
    """Split a key by rows, so that each holder opens only a part of the reports.

    Example:

        sfumato keys split keys/ministry.affair.key --at 1000 --out parts --unprotected
    """
    from sfumato.workflows.key_files import split_key_file

    unlock = unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected)
    protection = protection_for(passphrase_file, unprotected=unprotected)
    for target in split_key_file(file, at, out, protection=protection, unlock=unlock):
        say(f"wrote {target}")
    remark_on_folder(out)


@keys_app.command("merge")
def merge_command(
    files: Annotated[list[Path], typer.Argument(help="The parts, in any order.")],
    out: Annotated[Path, OUT],
    passphrase_file: PassphraseFile = None,
    private_key: OpeningKey = None,
    unprotected: UnprotectedFiles = False,
    allow_unprotected: AllowUnprotected = False,
) -> None:
    """Put the parts of a split key together again.

    Example:

        sfumato keys merge parts/ministry.affair.0-999.key parts/ministry.affair.1000-6365.key -o all.key --unprotected
    """
    from sfumato.workflows.key_files import merge_key_files

    unlock = unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected)
    merge_key_files(files, out, protection=protection_for(passphrase_file, unprotected=unprotected), unlock=unlock)
    say(f"wrote {out}")


@keys_app.command("rotate")
def rotate_command(
    file: Annotated[Path, FILE],
    out: Annotated[Path, OUT],
    passphrase_file: PassphraseFile = None,
    private_key: OpeningKey = None,
    unprotected: UnprotectedFiles = False,
    allow_unprotected: AllowUnprotected = False,
) -> None:
    """Take a computational key to the next epoch; every holder does it alone, and the keys still fit together.

    Example:

        sfumato keys rotate seeds/ministry.affair.key -o next/ministry.affair.key --unprotected
    """
    from sfumato.workflows.key_files import rotate_key_file

    unlock = unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected)
    protection = protection_for(passphrase_file, unprotected=unprotected)
    rotated = rotate_key_file(file, out, protection=protection, unlock=unlock)
    say(f"wrote {out}, for epoch {rotated.binding.epoch}")


@keys_app.command("pair")
def pair_command(
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the private key here, the public one beside it.")],
    passphrase_file: PassphraseFile = None,
    kem: Annotated[str, typer.Option(help="x25519, or mlkem768-x25519 for a study that is collected so.")] = "x25519",
) -> None:
    """Make a key pair: others seal key files to the public key, only the private one opens them.

    With --passphrase-file the private key is locked, by the same Argon2id as key files; that of mlkem768-x25519 by
    PBKDF2, as PEM files are.

    Example:

        sfumato keys pair --out ministry.private
    """
    from sfumato.workflows.key_files import make_key_pair

    passphrase = None if passphrase_file is None else passphrase_from(passphrase_file)
    public = make_key_pair(out, passphrase=passphrase, kem=kem)
    say(f"wrote {out}, keep it; and {public}, give it to whoever publishes")


@keys_app.command("unseal")
def unseal_command(
    shares: Annotated[Path, typer.Argument(help="The sealed bodies of one receiver, as they were exported.")],
    reports: Annotated[Path, typer.Argument(help="The reports of the same export.")],
    private_key: Annotated[Path, typer.Option(help="The private key of the receiver.", rich_help_panel=SECRETS)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the key files into this folder.")],
    passphrase_file: PassphraseFile = None,
    new_passphrase_file: Annotated[Path | None, NEW_PASSPHRASE] = None,
    unprotected: UnprotectedFiles = False,
    json: Json = False,
) -> None:
    """Convert what devices sealed for one receiver into ordinary key files, once.

    A body that does not open, or holds no draws, drops its row: it is counted, and a selection of the other rows is
    written beside the keys, to be opened with them. The key files are sealed under the receiver's own private key,
    unless something else is said.

    Example:

        sfumato keys unseal out/shares-ministry.parquet out/reports.parquet --private-key ministry.private -o keys
    """
    from sfumato.cli.secrets import share_key_from
    from sfumato.workflows.collecting import unseal_shares

    key = share_key_from(shares, private_key, passphrase_file)
    protection = None
    if unprotected or new_passphrase_file is not None:
        protection = protection_for(new_passphrase_file, unprotected=unprotected, named="new_passphrase_file")
    made = unseal_shares(shares, reports, key, out, protection=protection)
    remark_on_folder(out)
    if json:
        tell_json(
            {
                "keys": [str(path) for path in made.keys],
                "rows": made.rows,
                "dropped": len(made.dropped),
                "reports": str(made.reports),
                "guarantee": "computational",
            }
        )
        return
    for path in made.keys:
        say(f"wrote {path}")
    say(f"{made.rows:,} rows, guarantee: computational")
    if made.dropped:
        lost = f"{len(made.dropped):,} of {made.rows + len(made.dropped):,} rows"
        say(f"WARNING: {lost} have no draws that can be used, and are dropped; open {made.reports} with these keys")


@keys_app.command("protect")
def protect_command(
    file: Annotated[Path, typer.Argument(help="A key file, or a private key.")],
    passphrase_file: Annotated[Path | None, OLD_PASSPHRASE] = None,
    private_key: OpeningKey = None,
    new_passphrase_file: Annotated[Path | None, NEW_PASSPHRASE] = None,
    unprotected: UnprotectedFiles = False,
    allow_unprotected: AllowUnprotected = False,
) -> None:
    """Change the passphrase of a key file or a private key, or give it its first, in place.

    What the file holds and its log of use stay. Copies of the old file still open as before. A private key in a PEM
    file is written anew, under the Argon2id of key files.

    Example:

        sfumato keys protect keys/ministry.affair.key --allow-unprotected --new-passphrase-file secret.txt
    """
    from sfumato.workflows.key_files import protect_key_file, protection_of

    before = protection_of(file)
    unlock = unlocker_of(passphrase_file, private_key, allow_unprotected=allow_unprotected)
    protection = protection_for(
        new_passphrase_file, unprotected=unprotected, named="new_passphrase_file", what=str(file)
    )
    protect_key_file(file, protection=protection, unlock=unlock)
    after = "unprotected: whoever has it can use it" if unprotected else "under its new passphrase"
    say(f"wrote {file}, {after}{'; before, anyone could have written it' if before == 'none' else ''}")


def _rows(header: KeyHeader) -> str:
    if (header.start, header.stop) == (0, header.total):
        return f"all {header.total:,}"
    return f"{header.start:,} to {header.stop - 1:,} of {header.total:,}"


def _as_json(path: Path, header: KeyHeader) -> dict[str, Any]:
    return {
        "file": str(path),
        "study": header.binding.study,
        "question": header.binding.question,
        "column": header.binding.column,
        "epoch": header.binding.epoch,
        "level": header.level,
        "epsilon": "inf" if header.level == 0 else header.epsilon,
        "start": header.start,
        "stop": header.stop,
        "total": header.total,
        "guarantee": header.guarantee.value,
        "protection": header.protection,
        "produced": header.produced,
    }
