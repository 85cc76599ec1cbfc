"""How verbs get at passphrases and private keys. A secret is read from a file or typed, never given as an argument:
arguments are seen by everybody on the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from sfumato.refine.key_protection import Passphrase, Protection, Unlock

_MOST_PASSPHRASE = 4096

PASSPHRASE_FILE = typer.Option(help="A file whose first line is the passphrase.", rich_help_panel="Secrets")
PRIVATE_KEY = typer.Option(help="Your private key (PEM), for keys sealed to you.", rich_help_panel="Secrets")
UNPROTECTED = typer.Option(
    "--unprotected", help="Write key files that anyone who has them can use.", rich_help_panel="Secrets"
)


def passphrase_from(path: Path) -> Passphrase:
    """Read the first line of a file."""
    from sfumato.errors import InvalidParameter, Place
    from sfumato.files import read_bytes
    from sfumato.refine.key_protection import Passphrase

    try:
        line = read_bytes(path, limit_bytes=_MOST_PASSPHRASE).decode("utf-8").splitlines()[0].strip()
    except (UnicodeDecodeError, IndexError):
        line = ""
    if not line:
        raise InvalidParameter(
            "there is no passphrase on its first line",
            place=Place(file=str(path)),
            way_out="Write one there, in UTF-8.",
        )
    return Passphrase(line)


def protection_for(passphrase_file: Path | None, *, unprotected: bool) -> Protection:
    """Return how new key files are protected: as said, or by a passphrase typed twice."""
    from sfumato.errors import InvalidParameter
    from sfumato.refine.key_protection import Unprotected

    if unprotected:
        if passphrase_file is not None:
            raise InvalidParameter(
                "and `passphrase_file` exclude each other", parameter="unprotected", way_out="Choose one."
            )
        return Unprotected()
    if passphrase_file is not None:
        return passphrase_from(passphrase_file)
    return _typed("Passphrase for the new key files", twice=True)


def unlocker_of(passphrase_file: Path | None, private_key: Path | None) -> Callable[[Path], Unlock]:
    """Return what finds the secret for a key file; a passphrase is typed once and tried on all of them."""
    typed: list[Passphrase] = []

    def unlock(path: Path) -> Unlock:
        from sfumato.errors import InvalidParameter
        from sfumato.io.key_files import read_key_header, read_private_key
        from sfumato.refine.key_protection import Unprotected

        protection = read_key_header(path).protection
        if protection == "none":
            return Unprotected()
        if protection == "public_key":
            if private_key is None:
                raise InvalidParameter(
                    f"the key file {path} is sealed to a public key", way_out="Give its `private_key`."
                )
            return read_private_key(private_key, None if passphrase_file is None else passphrase_from(passphrase_file))
        if passphrase_file is not None:
            return passphrase_from(passphrase_file)
        if not typed:
            typed.append(_typed(f"Passphrase of {path}", twice=False))
        return typed[0]

    return unlock


def _typed(prompt: str, *, twice: bool) -> Passphrase:
    from sfumato.errors import InvalidParameter
    from sfumato.refine.key_protection import Passphrase

    if not sys.stdin.isatty():
        raise InvalidParameter(
            "a passphrase is needed and nobody is there to type it",
            way_out="Give `passphrase_file`, or `unprotected` for new key files.",
        )
    return Passphrase(typer.prompt(prompt, hide_input=True, confirmation_prompt=twice, err=True))
