"""Key files, and the record in them of what was published: draws are used once, whichever process uses them.

A key file is its owner's alone to read, is replaced as a whole, and is written to under a lock. The record only knows
about its own file: a copy made before the first use does not know what was done with the original.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused, KeyReused, Place
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes, write_atomically
from sfumato.files.locks import locked
from sfumato.files.places import check_free
from sfumato.refine.key_documents import open_key, read_header, seal_key
from sfumato.refine.key_headers import KeyHeader
from sfumato.refine.key_protection import Passphrase, PrivateKey, Protection, Unlock, Unprotected
from sfumato.refine.key_seals import OpenLock, PublicKeyLock, same_protection, without_protection
from sfumato.refine.keys import Binding, Key, digest_of
from sfumato.refine.ladder import Ladder
from sfumato.refine.publications import Publication


def write_key(key: Key, path: str | Path, protection: Protection, *, overwrite: bool = False) -> None:
    """Write a key file that only its owner may read; one that is there already is replaced only when told to."""
    data = seal_key(key, protection)
    with locked(path):
        if not overwrite:
            check_free("path", path)
        write_atomically(path, data, private=True)


def read_key(path: str | Path, unlock: Unlock, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Key:
    """Read and open a key file."""
    return open_key(read_bytes(path, limit_bytes=limit_bytes), unlock)


def read_key_header(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> KeyHeader:
    """Return what a key file tells everybody; nobody vouches for it until the file has been opened."""
    return read_header(read_bytes(path, limit_bytes=limit_bytes))


def read_own_key(path: str | Path, unlock: Unlock | None, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Key:
    """Read a key that lay there, to make reports with or to vouch for: only one that its owner's secret vouches for.

    Whoever wrote the key of level 0 recovers all answers that are published under it. A passphrase or a private key
    shows that its owner wrote it. What was sealed to a public key can come from whoever has that, and what is not
    protected from anyone; the latter is used only where `unlock` says so, None being no word at all.
    """
    data = read_bytes(path, limit_bytes=limit_bytes)
    header = read_header(data)
    if header.level == 0 and isinstance(header.lock, PublicKeyLock):
        raise KeyRefused(
            "the registrar's key is sealed to a public key, and whoever has that could have written it",
            way_out="Publish under new keys, with the registrar's under a passphrase or a private key.",
            place=Place(file=str(path)),
        )
    if unlock is None and isinstance(header.lock, OpenLock):
        raise without_protection("and nothing was said about that").at(Place(file=str(path)))
    try:
        return open_key(data, Unprotected() if unlock is None else unlock)
    except KeyRefused as error:
        raise error.at(Place(file=str(path))) from None


def protect_key(path: str | Path, unlock: Unlock | None, protection: Protection) -> None:
    """Write a key file anew under another protection, in its place: what it holds and its record stay."""
    with locked(path):
        data = seal_key(read_key_for(path, unlock, protection), protection)
        write_atomically(path, data, private=True)


def read_key_for(path: str | Path, unlock: Unlock | None, protection: Protection | None) -> Key:
    """Read a key of which a file with this protection is to be made; one that vouches needs one that vouches."""
    if isinstance(protection, Passphrase | PrivateKey):
        return read_own_key(path, unlock)
    try:
        return read_key(path, Unprotected() if unlock is None else unlock)
    except KeyRefused as error:
        raise error.at(Place(file=str(path))) from None


def record_use(
    path: str | Path,
    unlock: Unlock,
    digest: str,
    *,
    drawing: str | None = None,
    limit_bytes: int = DEFAULT_LIMIT_BYTES,
) -> Key:
    """Write into a key file which reports it makes, and return the key; raise KeyReused if it made others.

    Of two processes with different reports exactly one gets the key. With `drawing`, the file must still be of it.
    """
    with locked(path):
        data = read_bytes(path, limit_bytes=limit_bytes)
        key = open_key(data, unlock)
        if drawing is not None and key.drawing != drawing:
            raise KeyRefused(
                "the key file was replaced while it was in use",
                way_out="Publish again with the new one.",
                place=Place(file=str(path)),
            )
        if key.produced == digest:
            return key
        if key.produced is not None:
            raise KeyReused(
                "the key file has already made other reports, perhaps in another process: under the same draws, the "
                "difference of two reports is the difference of the answers, for everybody to see (`sfumato explain "
                "key-reuse`)",
                way_out="Draw new keys, or rotate to a new epoch.",
                place=Place(file=str(path)),
            )
        key = key.having_produced(digest)
        write_atomically(path, seal_key(key, same_protection(unlock, read_header(data).lock)), private=True)
        return key


def publish_with_files(
    ladder: Ladder,
    values: npt.ArrayLike,
    paths: Mapping[int, str | Path],
    unlock: Unlock | Mapping[int, Unlock],
    binding: Binding,
) -> Publication:
    """Publish under keys drawn before, by level; level 0 must be among them, and `unlock` may differ by level.

    The file of level 0 is claimed before anything is returned, then the others are marked. If that is interrupted, the
    same values under the same files finish it.
    """
    if 0 not in paths:
        raise InvalidParameter(
            "must have the key file of level 0: reports are made with it",
            parameter="paths",
            way_out="Keep it to publish.",
        )
    if isinstance(unlock, Mapping) and not paths.keys() <= unlock.keys():
        raise InvalidParameter(
            "must open each of the levels in `paths`",
            parameter="unlock",
            way_out="Give a secret for every level, or one.",
        )
    unlocks = {level: unlock[level] if isinstance(unlock, Mapping) else unlock for level in paths}
    # Reports are made with level 0; the others only get their mark.
    readers = {level: read_own_key if level == 0 else read_key for level in paths}
    keys = {level: readers[level](path, unlocks[level]) for level, path in paths.items()}
    for level, key in keys.items():
        _check_binding(key, binding, paths[level])
    publication = ladder.publish(values, keys=keys, binding=binding)
    digest = digest_of(publication.reports)
    for level in sorted(paths):
        record_use(paths[level], unlocks[level], digest, drawing=keys[level].drawing)
    return publication


def _check_binding(key: Key, binding: Binding, path: str | Path) -> None:
    names = ("study", "question", "column", "epoch")
    differing = [name for name in names if getattr(key.binding, name) != getattr(binding, name)]
    if differing:
        raise KeyRefused(
            f"the key file was drawn for another {' and another '.join(differing)}",
            way_out="Use the key that was drawn for this one, or draw new keys.",
            place=Place(file=str(path)),
        )
