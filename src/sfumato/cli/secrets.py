"""How verbs get passphrases and private keys."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sfumato.cli.output import say

if TYPE_CHECKING:
    from sfumato.keys.protection import Passphrase, PrivateKey, Unlock, Unprotected
    from sfumato.keys.shares import ShareKey


_MOST_PASSPHRASE = 4096


def passphrase_from(path: Path) -> Passphrase:
    """Read the first line of a file."""
    from sfumato.errors import InvalidParameter, Place
    from sfumato.files.disk import read_bytes
    from sfumato.keys.protection import Passphrase

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


def protection_for(
    passphrase_file: Path | None,
    *,
    unprotected: bool,
    named: str = "passphrase_file",
    what: str = "the new key files",
) -> Passphrase | Unprotected:
    """Return how new files are protected: as said, or by a passphrase typed twice."""
    from sfumato.errors import InvalidParameter
    from sfumato.keys.protection import Unprotected

    if unprotected:
        if passphrase_file is not None:
            raise InvalidParameter(f"and `{named}` exclude each other", parameter="unprotected", way_out="Choose one.")
        return Unprotected()
    if passphrase_file is not None:
        return passphrase_from(passphrase_file)
    return _typed(f"Passphrase for {what}", twice=True, named=named)


def unlocker_of(
    passphrase_file: Path | None, private_key: Path | None, *, allow_unprotected: bool = False
) -> Callable[[Path], Unlock | None]:
    """Return what finds the secret for a file; a passphrase is typed once and tried on all of them.

    A file without protection gets the secret that was given, which is refused there, unless such files are allowed. No
    passphrase is asked for where a private key was given.
    """
    typed: list[Passphrase] = []
    opened: list[PrivateKey] = []

    def passphrase(path: Path) -> Passphrase:
        if passphrase_file is not None:
            return passphrase_from(passphrase_file)
        if not typed:
            typed.append(_typed(f"Passphrase of {path}", twice=False))
        return typed[0]

    def unlock(path: Path) -> Unlock | None:
        from sfumato.keys.protection import Unprotected
        from sfumato.workflows.key_files import protection_of

        protection = protection_of(path)
        if protection == "none" and allow_unprotected:
            return Unprotected()
        if protection == "passphrase" and (private_key is None or passphrase_file is not None):
            return passphrase(path)
        if protection == "none" and private_key is None and passphrase_file is not None:
            return passphrase(path)
        if private_key is not None:
            if not opened:
                opened.append(private_key_from(private_key, passphrase_file, allow_unprotected=allow_unprotected))
            return opened[0]
        return None

    return unlock


def remark_on_folder(keys: Path | None) -> None:
    """Say that others may look into a folder of keys; one that a command makes is closed to them."""
    from sfumato.files.formats import is_open_to_others

    if keys is not None and keys.is_dir() and is_open_to_others(keys):
        say(f"note: other users of this machine may look into the folder {keys}; `chmod 700 {keys}` closes it to them.")


def private_key_from(path: Path, passphrase_file: Path | None, *, allow_unprotected: bool = False) -> PrivateKey:
    """Read a private key, with its passphrase if it has one; a passphrase is not given for nothing."""
    from sfumato.keys.protection import Unprotected
    from sfumato.keys.sealed_files import protection_of_private_key, read_private_key

    is_locked = protection_of_private_key(path) == "passphrase"
    unlock: Passphrase | Unprotected = Unprotected()
    if passphrase_file is not None and (is_locked or not allow_unprotected):
        unlock = passphrase_from(passphrase_file)
    elif is_locked:
        unlock = _typed(f"Passphrase of {path}", twice=False)
    return read_private_key(path, unlock)


def _typed(prompt: str, *, twice: bool, named: str = "passphrase_file") -> Passphrase:
    from sfumato.errors import InvalidParameter
    from sfumato.keys.protection import Passphrase

    if not sys.stdin.isatty():
        raise InvalidParameter(
            "a passphrase is needed and nobody is there to type it",
            way_out=f"Give `{named}`, or `unprotected` for new files." if twice else f"Give `{named}`.",
        )
    return Passphrase(typer.prompt(prompt, hide_input=True, confirmation_prompt=twice, err=True))


# How verbs get at the private keys that open what devices sealed.


def share_key_from(shares: Path, private_key: Path, passphrase_file: Path | None) -> ShareKey:
    """Read the private key of a receiver, of the kind that the bodies are sealed for."""
    from sfumato.keys.protection import Unprotected
    from sfumato.keys.shares import Kem, ShareKey, read_share_private
    from sfumato.publications.collected import SharesNote

    kem = SharesNote.read(shares).kem
    if kem is Kem.X25519:
        return ShareKey(kem, private_key_from(private_key, passphrase_file).raw)
    unlock = Unprotected() if passphrase_file is None else passphrase_from(passphrase_file)
    return read_share_private(private_key, kem, unlock)
