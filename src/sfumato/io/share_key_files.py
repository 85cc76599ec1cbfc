"""Files with the keys that devices seal draws for: those of X25519 as for key files, and pairs of the hybrid.

A hybrid key is two PEM blocks in one file, that of ML-KEM-768 and that of X25519, so that other programs read it too.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sfumato.errors import KeyRefused, Place
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.locks import locked
from sfumato.files.places import check_free
from sfumato.io.private_key_files import read_private_key
from sfumato.refine.key_protection import Passphrase, PublicKey, Unprotected, spelled
from sfumato.refine.sealed_shares import Kem, ShareKey, check_public, loaded_private, new_share_key

_LIMIT_BYTES = 1 << 17
_BLOCK = re.compile(rb"-----BEGIN [A-Z ]+-----.*?-----END [A-Z ]+-----\n?", re.DOTALL)


def read_share_public(path: str | Path, kem: Kem) -> bytes:
    """Read the public key of a receiver."""
    data = read_bytes(path, limit_bytes=_LIMIT_BYTES)
    try:
        if kem is Kem.X25519:
            return check_public(kem, PublicKey.from_pem(data).raw)
        return check_public(kem, b"".join(_raw(_load(block)) for block in _blocks(data, b"PUBLIC KEY")))
    except KeyRefused as error:
        raise error.at(Place(file=str(path))) from None


def read_share_private(path: str | Path, kem: Kem, unlock: Passphrase | Unprotected) -> ShareKey:
    """Read the private key of a receiver."""
    if kem is Kem.X25519:
        return ShareKey(kem, read_private_key(path, unlock).raw)
    password = spelled(unlock) if isinstance(unlock, Passphrase) else None
    data = read_bytes(path, limit_bytes=_LIMIT_BYTES)
    try:
        blocks = _blocks(data, b"PRIVATE KEY")
        raw = b"".join(_load(block, password, private=True).private_bytes_raw() for block in blocks)
        return ShareKey(kem, raw)
    except (KeyRefused, AttributeError):
        raise _no_pair("private").at(Place(file=str(path))) from None


def write_share_pair(path: str | Path, passphrase: Passphrase | None = None) -> Path:
    """Make a hybrid pair: the private key at `path`, for its owner alone, the public one beside it as `.pub`."""
    from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import

    key, public_path = new_share_key(Kem.HYBRID), Path(f"{path}.pub")
    locked_by: Any = pem.NoEncryption() if passphrase is None else pem.BestAvailableEncryption(spelled(passphrase))
    pair = loaded_private(key.kem, key.raw)
    private = b"".join(one.private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, locked_by) for one in pair)
    shown = pem.PublicFormat.SubjectPublicKeyInfo
    public = b"".join(one.public_key().public_bytes(pem.Encoding.PEM, shown) for one in pair)
    with locked(path):
        check_free("path", path, public_path)
        write_atomically(path, private, private=True)
        write_atomically(public_path, public)
    return public_path


def _blocks(data: bytes, kind: bytes) -> list[bytes]:
    found = _BLOCK.findall(data)
    if len(found) != 2 or not all(kind in block.splitlines()[0] for block in found):
        raise _no_pair(kind.split()[0].decode().lower())
    return found


def _load(block: bytes, password: bytes | None = None, *, private: bool = False) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  slow to import
    from cryptography.hazmat.primitives import serialization as pem  # noqa: PLC0415  slow to import

    try:
        return pem.load_pem_private_key(block, password) if private else pem.load_pem_public_key(block)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


def _raw(loaded: Any) -> bytes:
    if loaded is None or not hasattr(loaded, "public_bytes_raw"):
        raise _no_pair("public")
    found: bytes = loaded.public_bytes_raw()
    return found


def _no_pair(kind: str) -> KeyRefused:
    return KeyRefused(
        f"this is no file with a {kind} key of the hybrid of ML-KEM-768 and X25519, or it needs another passphrase",
        way_out="Make a pair with `sfumato keys pair` and this `kem`.",
    )
