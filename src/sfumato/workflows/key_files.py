"""Splitting, merging, rotating and protecting key files, and making key pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import InvalidParameter, KeyRefused, SfumatoError, UnreadableFile
from sfumato.files.disk import read_bytes
from sfumato.files.formats import check_folder, check_free, check_places, make_private_folder
from sfumato.keys.key_files import protect_key, read_key_for, read_key_header, write_key, write_keys
from sfumato.keys.protection import Passphrase, PrivateKey, Protection, Unlock, Unprotected, new_key_pair
from sfumato.keys.sealed_files import (
    index_protection,
    is_private_key_file,
    protect_private_key,
    protection_of_private_key,
    write_key_pair,
)
from sfumato.keys.shares import Kem, write_share_pair
from sfumato.ladders.key_operations import merge_keys, rotate_key, split_key
from sfumato.ladders.keys import Key
from sfumato.ladders.ladder import Ladder
from sfumato.publications.key_folder import ENDING, Unlocker
from sfumato.publications.note import ReportsNote
from sfumato.study.collect_terms import kem_of
from sfumato.study.readers import REGISTRAR

Keys = Key | str | Path | Iterable[Key | str | Path] | Mapping[str, Mapping[int, Key]]
"""Keys, or files of them; or the keys of a publication, by question and level."""
Unlocking = Unlock | Sequence[Unlock] | Unlocker | None
"""A secret, several of different kinds, or what is asked for a file; None is no word about it."""


def unlocker_of(unlock: Unlocking) -> Unlocker:
    """Return what opens a key file: the secret given, of several the one of its kind, or what is asked for it."""
    if unlock is None:
        return lambda _: None
    if callable(unlock):
        return unlock
    secrets = (unlock,) if isinstance(unlock, Passphrase | PrivateKey | Unprotected) else tuple(unlock)
    return lambda path: _fitting(secrets, path)


def opener_of_found(unlock: Unlocking, protection: object) -> Unlocker:
    """Return what opens keys that lie in a folder already: what was said of them, or else of how new ones are kept."""
    registrars = protection.get(REGISTRAR) if isinstance(protection, Mapping) else protection
    if unlock is None and isinstance(registrars, Passphrase | PrivateKey | Unprotected):
        return unlocker_of(registrars)
    return unlocker_of(unlock)


def protection_of(file: str | Path) -> str:
    """Say what opens a key file, a private key or an index: "passphrase", "public_key", "private_key" or "none"."""
    if Path(file).suffix == ENDING:
        return index_protection(read_bytes(file, limit_bytes=max(1, Path(file).stat().st_size)))
    return protection_of_private_key(file) if is_private_key_file(file) else read_key_header(file).protection


def keys_of(keys: Keys, unlock: Unlocking, *, becomes: Protection | None = None) -> list[Key]:
    """Read key files, and take keys as they are.

    Where protected files are to be made of them (`becomes`), it must be known who wrote them, or be said of an
    unprotected one that it is meant: what anyone could have written must not look like one's own afterwards.
    """
    several, opener = _listed(keys), unlocker_of(unlock)
    return [key if isinstance(key, Key) else read_key_for(key, opener(Path(key)), becomes) for key in several]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundKeys:
    """The keys that were opened, and the files of folders that the secret at hand does not open."""

    keys: tuple[Key, ...]
    unopened: tuple[Path, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Which files were not opened, in a sentence."""
        named = ", ".join(map(str, self.unopened))
        return (f"key files that do not open with what was given, and were not used: {named}.",) if named else ()


def opening_keys(note: ReportsNote, keys: Keys, unlock: Unlocking) -> FoundKeys:
    """Read analysts' keys to some reports: of a folder those that fit and that the secret opens.

    A file that is named must open.
    """
    several = _meant(keys, recover=False)
    found: list[Key] = []
    refusals: dict[Path, SfumatoError] = {}
    for one in several:
        if isinstance(one, Key) or not Path(one).is_dir():
            found += keys_of(one, unlock)
            continue
        files, damaged = _files_in(Path(one), note, recover=False)
        refusals |= damaged
        for path in files:
            try:
                found += keys_of(path, unlock)
            except KeyRefused as error:
                refusals[path] = error
    if refusals and not found:
        raise next(iter(refusals.values()))
    return FoundKeys(keys=tuple(found), unopened=tuple(refusals))


def keys_for(note: ReportsNote, keys: Keys, unlock: Unlocking, *, recover: bool) -> list[Key]:
    """Read the keys to some reports, the registrar's to `recover`: of a folder those that fit, and each must open."""
    several = _meant(keys, recover=recover)
    found: list[Key | str | Path] = []
    for one in several:
        if isinstance(one, Key) or not Path(one).is_dir():
            found.append(one)
            beside = _sealed_beside(note, Path(one)) if recover and not isinstance(one, Key) else None
            if beside is not None and beside not in {Path(given) for given in several if not isinstance(given, Key)}:
                found.append(beside)
            continue
        files, damaged = _files_in(Path(one), note, recover=recover)
        if damaged:
            raise next(iter(damaged.values()))
        found += files
    return keys_of(found, unlock)


def _files_in(folder: Path, note: ReportsNote, *, recover: bool) -> tuple[list[Path], dict[Path, SfumatoError]]:
    """Return the key files of a folder that fit by their headers, unopened, and those that are damaged.

    They are the registrar's to recover answers, and others to open a level.
    """
    drawings = {part.id for part in note.parts} | {part.seeds for part in note.parts}
    found: list[Path] = []
    damaged: dict[Path, SfumatoError] = {}
    for path in sorted(folder.glob("*.key")):
        try:
            header = read_key_header(path)
        except (KeyRefused, UnreadableFile) as error:
            damaged[path] = error
            continue
        mine = header.binding.study == note.fingerprint and header.binding.epoch == note.epoch
        if mine and header.drawing in drawings and (header.level == 0) == recover:
            found.append(path)
    if not found and not damaged:
        whose = "the registrar's" if recover else "analysts'"
        raise InvalidParameter(
            f"is a folder without {whose} keys to these reports",
            parameter="keys",
            value=str(folder),
            way_out="Name the folder that was published with them, or key files.",
        )
    return found, damaged


def questions_wanted(note: ReportsNote, keys: Keys) -> tuple[str, ...] | None:
    """Return the questions whose answers are asked for: all where a folder is given, else None: those of the keys."""
    given = any(not isinstance(one, Key) and Path(one).is_dir() for one in _listed(keys))
    return note.questions if given or isinstance(keys, Mapping) else None


def _listed(keys: Keys) -> list[Key | str | Path]:
    if isinstance(keys, Mapping):
        return [key for by_level in keys.values() for key in by_level.values()]
    return [keys] if isinstance(keys, Key | str | Path) else list(keys)


def _meant(keys: Keys, *, recover: bool) -> list[Key | str | Path]:
    """List the keys; of those that a publication made, the registrar's to recover and the others to open a level."""
    several = _listed(keys)
    if isinstance(keys, Mapping):
        return [one for one in several if isinstance(one, Key) and (one.level == 0) == recover]
    return several


def _sealed_beside(note: ReportsNote, path: Path) -> Path | None:
    """Return the key file of the sealed column that lies beside the registrar's key to a question."""
    header = read_key_header(path)
    question = header.binding.question
    sealed = note.handler(question).sealed if question in note.questions and header.level == 0 else None
    if sealed is None:
        return None
    place = path.with_name(path.name.replace(f".{question}.", f".{sealed.question.id}.", 1))
    return place if place != path and place.exists() else None


def split_key_file(
    file: str | Path,
    at: Sequence[int],
    out: str | Path,
    *,
    protection: Protection,
    unlock: Unlocking = None,
) -> tuple[Path, ...]:
    """Split a key at rows into files in the folder `out`, so that each holder opens only a part of the reports."""
    (key,) = keys_of(file, unlock, becomes=protection)
    parts = split_key(key, Ladder.declared(key.ladder), at)
    check_folder("out", out)
    targets = {Path(out) / f"{Path(file).stem}.{part.start}-{part.stop - 1}.key": part for part in parts}
    check_free("out", *targets)
    make_private_folder(out)
    write_keys(targets, protection)
    return tuple(targets)


def merge_key_files(
    files: Sequence[str | Path], out: str | Path, *, protection: Protection, unlock: Unlocking = None
) -> Key:
    """Put the parts of a split key together again."""
    merged = merge_keys(keys_of(files, unlock, becomes=protection))
    check_places(out=out)
    check_free("out", Path(out))
    write_key(merged, out, protection)
    return merged


def rotate_key_file(file: str | Path, out: str | Path, *, protection: Protection, unlock: Unlocking = None) -> Key:
    """Take a computational key to the next epoch; every holder does it alone, and the keys still fit together."""
    (key,) = keys_of(file, unlock, becomes=protection)
    rotated = rotate_key(key)
    check_folder("out", Path(out).parent)
    check_free("out", Path(out))
    make_private_folder(Path(out).parent)
    write_key(rotated, out, protection)
    return rotated


def make_key_pair(out: str | Path, *, passphrase: Passphrase | None = None, kem: Kem | str = Kem.X25519) -> Path:
    """Make a key pair: the private key at `out`, the public one beside it; returns where that is.

    A hybrid pair is for what devices seal in a study that is collected over the web, and protects no key files.
    """
    check_places(out=out)
    check_free("out", Path(out), Path(f"{out}.pub"))
    if kem_of(kem) is Kem.HYBRID:
        return write_share_pair(out, passphrase)
    private, _ = new_key_pair()
    return write_key_pair(private, out, Unprotected() if passphrase is None else passphrase)


def protect_key_file(file: str | Path, *, protection: Protection, unlock: Unlocking = None) -> None:
    """Write a key file or a private key anew under another protection, in its place; what it holds stays as it is.

    The file is the old one or the new one, whatever happens in between. Copies of the old one stay as they are.
    """
    protect = protect_private_key if is_private_key_file(file) else protect_key
    protect(file, unlocker_of(unlock)(Path(file)), protection)


def _fitting(secrets: Sequence[Unlock], path: Path) -> Unlock:
    kind = _OPENED_BY[protection_of(path)]
    return next((secret for secret in secrets if isinstance(secret, kind)), secrets[0])


_OPENED_BY: dict[str, type[Unlock]] = {
    "passphrase": Passphrase,
    "public_key": PrivateKey,
    "private_key": PrivateKey,
    "none": Unprotected,
}
