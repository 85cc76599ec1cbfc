"""The indexes of a publication: one sealed file a part beside the registrar's keys, from a person to a row."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.errors import InvalidParameter, KeyRefused, Place, UnreadableFile
from sfumato.files import read_bytes, write_atomically
from sfumato.files.disk import writing_sentences
from sfumato.files.staging import discard, flush_staged, remove_stale, staging_inside
from sfumato.files.texts import normal
from sfumato.files.words import Words
from sfumato.refine.key_protection import Protection, Unlock, Unprotected
from sfumato.refine.people_indexes import People, PeopleIndex, index_protection, open_index, reseal_index, seal_index
from sfumato.study.key_folders import SHORT, Unlocker

ENDING = ".index"
_KEPT, _FORGOTTEN = "people.kept", "people.forgotten"


class IndexBuilder:
    """Notes who is in which row while a part is drawn; a person is in one row only."""

    def __init__(self, column: str, known: Iterable[PeopleIndex] = ()) -> None:
        self.column = column
        self._known = [set(index.people.rows) for index in known]
        self._rows: dict[str, int] = {}

    def add(self, words: Words, numbers: Sequence[int]) -> None:
        """Note the people of a chunk; refuses one who is in already, by the row and never by the id."""
        for code, number in zip(words.codes.tolist(), numbers, strict=True):
            person = words.texts[code]
            if person in self._rows:
                raise UnreadableFile(
                    f"column {self.column}, row {number + 1} names somebody who is in row {self._rows[person] + 1} "
                    f"already",
                    way_out="Leave one of the two rows out; corrected answers are for `sfumato amend`.",
                )
            if any(person in held for held in self._known):
                raise UnreadableFile(
                    f"column {self.column}, row {number + 1} names somebody who is in the publication already",
                    way_out="Leave the row out; corrected answers are for `sfumato amend`.",
                )
            self._rows[person] = number

    def finished(self, study: str, part: str) -> PeopleIndex:
        """Return the index."""
        return PeopleIndex(study=study, part=part, column=self.column, people=People(self._rows))


def index_path(folder: Path, part: str) -> Path:
    """Return where the index of a part stands."""
    return folder / f"people.{part[:SHORT]}{ENDING}"


def write_index(index: PeopleIndex, path: Path, protection: Protection) -> None:
    """Write an index that only its owner may read."""
    write_atomically(path, seal_index(index, protection), private=True)


def read_index(path: Path, unlock: Unlocker) -> PeopleIndex:
    """Read and open an index; one that is not protected is read only where that was said."""
    data = read_bytes(path, limit_bytes=path.stat().st_size)
    secret: Unlock | None = unlock(path)
    if secret is None and index_protection(data) == "none":
        raise KeyRefused(
            "the index is not protected, and nothing was said about that: anyone could have written it",
            way_out="Look for the one that is sealed, or say by `unlock` that unprotected ones are meant.",
            place=Place(file=str(path)),
        )
    try:
        return open_index(data, Unprotected() if secret is None else secret)
    except KeyRefused as error:
        raise error.at(Place(file=str(path))) from None


def read_indexes(folder: Path | None, study: str, parts: Iterable[str], unlock: Unlocker) -> dict[str, PeopleIndex]:
    """Return the indexes of parts that have one; `study` is the fingerprint of their study."""
    if folder is None:
        return {}
    found = {}
    for part in parts:
        path = index_path(folder, part)
        if path.exists():
            found[part] = read_index(path, unlock)
            if (found[part].study, found[part].part) != (study, part):
                raise KeyRefused(
                    "the index is of another study or part than its name says",
                    way_out="Look for the one that was published with these reports.",
                    place=Place(file=str(path)),
                )
    return found


def rewrite_index(index: PeopleIndex, path: Path, unlock: Unlocker) -> None:
    """Replace an index, under the protection that it had."""
    remove_stale(path)
    write_atomically(
        path, reseal_index(index, read_bytes(path, limit_bytes=path.stat().st_size), unlock(path)), private=True
    )


def keep_indexes(folder: Path, parts: Iterable[str]) -> None:
    """Keep copies of indexes as they are, for whoever has to find the same people again; older copies stay."""
    place = staging_inside(folder, _KEPT)
    with writing_sentences(folder):
        place.mkdir(mode=0o700, exist_ok=True)
    for part in parts:
        path, copy = index_path(folder, part), index_path(place, part)
        if path.exists() and not copy.exists():
            write_atomically(copy, read_bytes(path, limit_bytes=path.stat().st_size), private=True)
    flush_staged(place)


def read_kept_indexes(
    folder: Path | None, study: str, parts: Iterable[str], unlock: Unlocker
) -> dict[str, PeopleIndex]:
    """Return the copies that were kept by a call that was interrupted; those that do not open are none."""
    found: dict[str, PeopleIndex] = {}
    if folder is not None:
        for part in parts:
            with contextlib.suppress(KeyRefused):
                found |= read_indexes(staging_inside(folder, _KEPT), study, [part], unlock)
    return found


def tidy_indexes(folder: Path) -> None:
    """Remove what is left of copies that were forgotten."""
    discard(staging_inside(folder, _FORGOTTEN))


def forget_indexes(folder: Path) -> None:
    """Remove the copies: all at once, for half of them would find half of the people."""
    kept, gone = staging_inside(folder, _KEPT), staging_inside(folder, _FORGOTTEN)
    tidy_indexes(folder)
    if kept.exists():
        with writing_sentences(folder):
            kept.replace(gone)
        discard(gone)


def find_person(indexes: dict[str, PeopleIndex], person: str) -> tuple[str, int]:
    """Return the part and the row of a person; the refusal does not repeat the id."""
    id_ = normal(person)  # as the columns of ids are read
    found = [(part, index.people.rows[id_]) for part, index in indexes.items() if id_ in index.people.rows]
    if len(found) != 1:
        rule = "a person who is in two parts" if found else "a person who is not in the indexes of this publication"
        raise InvalidParameter(
            f"names {rule}",
            parameter="id",
            way_out="Check the id, and that the folder `keys` holds the index of every part.",
        )
    return found[0]
