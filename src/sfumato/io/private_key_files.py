"""Files with private and public keys of receivers."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import InvalidParameter, Place
from sfumato.files.byte_sources import source_of
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.locks import locked
from sfumato.files.places import check_free
from sfumato.refine.key_protection import Passphrase, PrivateKey, Protection, PublicKey, Unlock, Unprotected
from sfumato.refine.key_seals import without_protection
from sfumato.refine.private_keys import (
    is_private_key,
    open_private_key,
    private_key_protection,
    seal_private_key,
)

_LIMIT_BYTES = 1 << 17
_HEAD_BYTES = 64


def write_private_key(private: PrivateKey, path: str | Path, protection: Passphrase | Unprotected) -> None:
    """Write a private key for its owner alone; a file that is there already is not replaced."""
    data = seal_private_key(private, protection)
    with locked(path):
        check_free("path", path)
        write_atomically(path, data, private=True)


def write_key_pair(private: PrivateKey, path: str | Path, protection: Passphrase | Unprotected) -> Path:
    """Write a private key, for its owner alone, and the public one beside it as `.pub`; return where that is."""
    public_path = Path(f"{path}.pub")
    data = seal_private_key(private, protection)
    with locked(path):
        check_free("path", path, public_path)
        write_atomically(path, data, private=True)
        write_atomically(public_path, private.public.to_pem())
    return public_path


def read_private_key(path: str | Path, unlock: Passphrase | Unprotected) -> PrivateKey:
    """Read a private key. A passphrase opens only what is locked: an open file could be anybody's."""
    return open_private_key(read_bytes(path, limit_bytes=_LIMIT_BYTES), unlock)


def read_public_key(path: str | Path) -> PublicKey:
    """Read a PEM file with a public key."""
    return PublicKey.from_pem(read_bytes(path, limit_bytes=_LIMIT_BYTES))


def is_private_key_file(path: str | Path) -> bool:
    """Whether a file holds a private key, and no key to reports."""
    return is_private_key(source_of(path).read(0, _HEAD_BYTES))


def protection_of_private_key(path: str | Path) -> str:
    """Say what a private key needs to open: "passphrase" or "none"."""
    return private_key_protection(read_bytes(path, limit_bytes=_LIMIT_BYTES))


def protect_private_key(path: str | Path, unlock: Unlock | None, protection: Protection) -> None:
    """Write a private key anew under another protection, in its place; a PEM file becomes one of ours."""
    if isinstance(unlock, PrivateKey) or isinstance(protection, PrivateKey | PublicKey):
        raise InvalidParameter(
            "is for key files: a private key is locked by a passphrase, or by nothing",
            parameter="private_key",
            way_out="Give the passphrase.",
        )
    with locked(path):
        if unlock is None and isinstance(protection, Passphrase) and protection_of_private_key(path) == "none":
            raise without_protection("and nothing was said about that", named="private key").at(Place(file=str(path)))
        private = read_private_key(path, Unprotected() if unlock is None else unlock)
        write_atomically(path, seal_private_key(private, protection), private=True)
