"""Reading and writing key files, and their record of what was published.

A key file can be read by its owner only, is replaced as a whole, and is written to under a lock. The record covers its
own file only: a copy made before the first use does not have what the original records later.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyRefused, KeyReused, Place
from sfumato.files.disk import ByteSource, GrowingFile, source_of, write_atomically
from sfumato.files.formats import check_free
from sfumato.files.staging import locked
from sfumato.keys.key_documents import KeyHeader, KeySealer, SealedKey, check_rows, seal_key, segments_of
from sfumato.keys.protection import (
    OpenLock,
    Passphrase,
    PrivateKey,
    Protection,
    PublicKeyLock,
    Unlock,
    Unprotected,
    same_protection,
    without_protection,
)
from sfumato.ladders.keys import Binding, Draws, Key, digest_of
from sfumato.ladders.ladder import Ladder, Publication
from sfumato.numbers.checks import check_integer

# --- Key files written while draws are made, or copied, in little memory for any number of rows
# A file is made under a temporary name that only its owner may read, and renamed when all of it is on the disk.


_COPIED_AT_ONCE = 1 << 20


class KeyWriter:
    """Writes the file of a key of true draws row after row, without ever holding more than a segment of them.

    `blank` says everything of the key but its draws and its record; `path` must be free unless it is to be overwritten.
    The caller holds the lock of the path if others could write there. Used in a `with` statement, what was not finished
    is discarded.
    """

    __slots__ = ("_file", "_path", "_replaces", "_sealer")

    def __init__(self, blank: Key, path: str | Path, protection: Protection, *, overwrite: bool = False) -> None:
        self._path, self._replaces = path, overwrite
        self._sealer = KeySealer(blank, protection)
        self._check_free()
        self._file = GrowingFile(path, self._sealer.front_bytes)

    def append(self, shifts: npt.NDArray[np.integer[Any]]) -> None:
        """Write the draws of the rows that follow, however many there are."""
        for segment in self._sealer.add(shifts):
            self._file.write(segment)

    def complete(self, produced: str | None = None) -> None:
        """Write header and box, once every row has come, and wait until all is on the disk; it has no name yet."""
        self._file.complete(self._sealer.front(produced))

    def put_in_place(self) -> None:
        """Give the complete file its name."""
        self._check_free()
        self._file.put_in_place()

    def finish(self, produced: str | None = None) -> None:
        """Complete the file, with the digest of the reports made under the key if there are any, and name it."""
        self.complete(produced)
        self.put_in_place()

    def discard(self) -> None:
        """Leave nothing of a file that is not in place; one that is stays."""
        self._file.discard()

    def _check_free(self) -> None:
        if not self._replaces:
            check_free("path", self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()


def key_file_bytes(blank: Key, protection: Protection) -> int:
    """Return how long the file of a key of true draws will be, to check beforehand whether it fits on the disk."""
    sealer = KeySealer(blank, protection)
    return sealer.front_bytes + sealer.segment_bytes


def write_sealed(key: Key, path: str | Path, protection: Protection) -> None:
    """Write or replace a key file; its draws pass through memory a segment at a time, and are sealed anew."""
    if not isinstance(key.material, Draws):
        write_atomically(path, seal_key(key, protection), private=True)
        return
    with filled_writer(key, path, protection, overwrite=True) as writer:
        writer.finish(key.produced)


def filled_writer(key: Key, path: str | Path, protection: Protection, *, overwrite: bool = False) -> KeyWriter:
    """Return a writer that all draws of a key were given to, to be finished."""
    check_rows(key)
    writer = KeyWriter(key, path, protection, overwrite=overwrite)
    try:
        for shifts in segments_of(key.material) if isinstance(key.material, Draws) else ():
            writer.append(shifts)
    except BaseException:
        writer.discard()
        raise
    return writer


def copy_with_front(source: ByteSource, front: bytes, skipped: int, path: str | Path) -> None:
    """Replace a key file by one with another front: what follows the first `skipped` bytes stays as it is."""
    with GrowingFile(path, len(front)) as file:
        place = skipped
        while piece := source.read(place, _COPIED_AT_ONCE):
            file.write(piece)
            place += len(piece)
        file.complete(front)
        file.put_in_place()


def write_key(key: Key, path: str | Path, protection: Protection, *, overwrite: bool = False) -> None:
    """Write a key file that only its owner may read; an existing one is replaced only on request."""
    with locked(path):
        if not overwrite:
            check_free("path", path)
        write_sealed(key, path, protection)


def write_keys(keys: Mapping[Path, Key], protection: Protection) -> None:
    """Write several key files, where there are none yet; none gets its name before all true draws are on the disk."""
    check_free("path", *keys)
    with contextlib.ExitStack() as stack:
        writers = {}
        for path, key in keys.items():
            if isinstance(key.material, Draws):
                writers[path] = stack.enter_context(filled_writer(key, path, protection))
                writers[path].complete(key.produced)
        for path, key in keys.items():
            if path in writers:
                with locked(path):
                    writers[path].put_in_place()
            else:
                write_key(key, path, protection)


def read_key(path: str | Path, unlock: Unlock) -> Key:
    """Read and open a key file; true draws stay in it until they are asked for."""
    return _sealed(path).opened(unlock).key


def read_key_header(path: str | Path) -> KeyHeader:
    """Return the public header of a key file; it is not authenticated until the file has been opened."""
    return _sealed(path).header


def read_own_key(path: str | Path, unlock: Unlock | None) -> Key:
    """Read a key that lay there, to make reports with or to vouch for: only one that its owner's secret vouches for.

    Whoever wrote the key of level 0 recovers all answers that are published under it. A passphrase or a private key
    shows that its owner wrote it. What was sealed to a public key can come from whoever has that, and what is not
    protected from anyone; the latter is used only where `unlock` says so, None being no word at all.
    """
    sealed = _sealed(path)
    header = sealed.header
    if header.level == 0 and isinstance(header.lock, PublicKeyLock):
        raise KeyRefused(
            "the registrar's key is sealed to a public key, and whoever has that could have written it",
            way_out="Publish under new keys, with the registrar's under a passphrase or a private key.",
            place=Place(file=str(path)),
        )
    if unlock is None and isinstance(header.lock, OpenLock):
        raise without_protection("and nothing was said about that").at(Place(file=str(path)))
    try:
        return sealed.opened(Unprotected() if unlock is None else unlock).key
    except KeyRefused as error:
        raise error.at(Place(file=str(path))) from None


def protect_key(path: str | Path, unlock: Unlock | None, protection: Protection) -> None:
    """Write a key file anew under another protection, in its place: what it holds and its record stay.

    Draws are sealed under a new content key: who knew the old secret and the old file has nothing of the new one.
    """
    with locked(path):
        write_sealed(read_key_for(path, unlock, protection), path, protection)


def read_key_for(path: str | Path, unlock: Unlock | None, protection: Protection | None) -> Key:
    """Read a key of which a file with this protection is to be made; one that vouches needs one that vouches."""
    if isinstance(protection, Passphrase | PrivateKey):
        return read_own_key(path, unlock)
    try:
        return read_key(path, Unprotected() if unlock is None else unlock)
    except KeyRefused as error:
        raise error.at(Place(file=str(path))) from None


def record_use(path: str | Path, unlock: Unlock, digest: str, *, drawing: str | None = None) -> Key:
    """Write into a key file which reports it makes, and return the key; raise KeyReused if it made others.

    Of two processes with different reports exactly one gets the key. With `drawing`, the file must still be of it.
    """
    with locked(path):
        sealed = _sealed(path)
        opened = sealed.opened(unlock)
        key = opened.key
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
                "difference of two reports is the difference of the answers, for everybody to see",
                way_out="Draw new keys, or rotate to a new epoch.",
                place=Place(file=str(path)),
            )
        # A header is as long with a record as without, so the draws are where the key that is returned looks for them.
        copy_with_front(sealed.source, opened.front_having_produced(digest), sealed.front_bytes, path)
        return key.having_produced(digest)


def overwrite_draws(path: str | Path, unlock: Unlock, rows: Sequence[int], fresh: Sequence[int]) -> None:
    """Put fresh draws in the place of those of some rows, which are gone from the file then; all others stay.

    `rows` count from the first row of the reports, `fresh` has a draw of the key's law for each. Position, length and
    record stay; all of the file is sealed anew under a new content key, so no part of the old file fits into it.
    """
    with locked(path):
        sealed = _sealed(path)
        key = sealed.opened(unlock).key
        if not isinstance(key.material, Draws):
            raise KeyRefused(
                "the key holds a seed, and the draws of a single row cannot be taken out of it",
                way_out="Publish with true draws where rows are to be erased from keys.",
                place=Place(file=str(path)),
            )
        places, shifts = _changes(key, rows, fresh)
        with KeyWriter(key, path, same_protection(unlock, sealed.header.lock), overwrite=True) as writer:
            start = 0
            for held in segments_of(key.material):
                first, last = np.searchsorted(places, (start, start + held.size))
                changed = held.copy()
                changed[places[first:last] - start] = shifts[first:last]
                writer.append(changed)
                start += held.size
            writer.finish(key.produced)


def _changes(
    key: Key, rows: Sequence[int], fresh: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the places of rows within a key, ascending, with their draws."""
    numbers = [check_integer("rows", row) for row in rows]
    shifts = [check_integer("fresh", shift) for shift in fresh]
    if not numbers or len(set(numbers)) < len(numbers) or not all(key.start <= row < key.stop for row in numbers):
        raise InvalidParameter(
            f"must be rows {key.start}..{key.stop - 1} of the key, each once, and at least one",
            parameter="rows",
            way_out="Count from the first row of the reports.",
        )
    modulus = Ladder.declared(key.ladder).modulus
    if len(shifts) != len(numbers) or not all(0 <= shift < modulus for shift in shifts):
        raise InvalidParameter(
            f"must be residues mod {modulus}, one for each of the rows", parameter="fresh", way_out="Draw them afresh."
        )
    order = np.argsort(numbers)
    return np.asarray(numbers, dtype=np.int64)[order] - key.start, np.asarray(shifts, dtype=np.int64)[order]


def _sealed(path: str | Path) -> SealedKey:
    return SealedKey.within(source_of(path))


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
