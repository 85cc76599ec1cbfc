"""Key files split, merged, rotated and made in pairs. All places are checked before the first file is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.files.places import check_folder, check_places
from sfumato.io.key_files import read_key, write_key, write_key_pair
from sfumato.refine import Key, Ladder, merge_keys, new_key_pair, rotate_key, split_key
from sfumato.refine.key_protection import Passphrase, Protection, Unlock, Unprotected
from sfumato.study.key_folders import Unlocker

Keys = Key | str | Path | Iterable[Key | str | Path]
"""Keys, or files of them."""


def unlocker_of(unlock: Unlock | Unlocker | None) -> Unlocker:
    """Return what opens a key file: the same for all, or what is asked for each of them."""
    if unlock is None:
        return lambda _: Unprotected()
    if callable(unlock):
        return unlock
    return lambda _: unlock


def keys_of(keys: Keys, unlock: Unlock | Unlocker | None) -> list[Key]:
    """Read key files, and take keys as they are."""
    several, opener = [keys] if isinstance(keys, Key | str | Path) else list(keys), unlocker_of(unlock)
    return [key if isinstance(key, Key) else read_key(key, opener(Path(key))) for key in several]


def split_key_file(
    file: str | Path,
    at: Sequence[int],
    out: str | Path,
    *,
    protection: Protection,
    unlock: Unlock | Unlocker | None = None,
) -> tuple[Path, ...]:
    """Split a key at rows into files in the folder `out`, so that each holder opens only a part of the reports."""
    (key,) = keys_of(file, unlock)
    parts = split_key(key, Ladder.declared(key.ladder), at)
    check_folder("out", out)
    targets = {Path(out) / f"{Path(file).stem}.{part.start}-{part.stop - 1}.key": part for part in parts}
    _check_free(*targets)
    Path(out).mkdir(parents=True, exist_ok=True)
    for target, part in targets.items():
        write_key(part, target, protection)
    return tuple(targets)


def merge_key_files(
    files: Sequence[str | Path], out: str | Path, *, protection: Protection, unlock: Unlock | Unlocker | None = None
) -> Key:
    """Put the parts of a split key together again."""
    merged = merge_keys(keys_of(files, unlock))
    check_places(out=out)
    _check_free(Path(out))
    write_key(merged, out, protection)
    return merged


def rotate_key_file(
    file: str | Path, out: str | Path, *, protection: Protection, unlock: Unlock | Unlocker | None = None
) -> Key:
    """Take a computational key to the next epoch; every holder does it alone, and the keys still fit together."""
    (key,) = keys_of(file, unlock)
    rotated = rotate_key(key)
    check_folder("out", Path(out).parent)
    _check_free(Path(out))
    Path(out).parent.mkdir(parents=True, exist_ok=True)
    write_key(rotated, out, protection)
    return rotated


def make_key_pair(out: str | Path, *, passphrase: Passphrase | None = None) -> Path:
    """Make a key pair: the private key at `out`, the public one beside it; returns where that is."""
    check_places(out=out)
    _check_free(Path(out), Path(f"{out}.pub"))
    private, _ = new_key_pair()
    return write_key_pair(private, out, passphrase)


def _check_free(*targets: Path) -> None:
    for target in targets:
        if os.path.lexists(target):
            raise InvalidParameter(
                "exists already, and keys that are lost cannot be had again",
                parameter="out",
                value=str(target),
                way_out="Choose another name, or delete it first; nothing was written.",
            )
