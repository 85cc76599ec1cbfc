"""Folders of key files, and the indexes from people to rows beside them.

The keys of a publication's first part are `NAME.QUESTION.key`, those of later parts `NAME.QUESTION.PART.key`, with the
first digits of the part's id. A seed needs no file for later parts: it opens them too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import InvalidParameter, KeyRefused, Place, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.disk import read_bytes, write_atomically, writing_sentences
from sfumato.files.formats import make_private_folder
from sfumato.files.staging import discard, flush_staged, remove_stale, staging_inside
from sfumato.files.texts import normal
from sfumato.keys.key_files import read_own_key, record_use, write_key
from sfumato.keys.protection import Protection, Unlock, Unprotected
from sfumato.keys.sealed_files import People, PeopleIndex, index_protection, open_index, reseal_index, seal_index
from sfumato.ladders.keys import Key
from sfumato.publications.part import Keys, binding_of
from sfumato.study.readers import REGISTRAR
from sfumato.study.study import Study

Unlocker = Callable[[Path], Unlock | None]
"""What opens a key file; None where nothing was said about it."""
SHORT = 8
"""How many digits of a part's id stand in the names of its files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """One key file: who holds it, for which question, at which level."""

    holder: str
    question: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFolder:
    """The key files of one part by their paths; none where there are no keys."""

    study: Study
    epoch: int
    files: Mapping[Path, Holding]

    @classmethod
    def of(cls, study: Study, folder: Path | None, epoch: int = 0, later: str | None = None) -> KeyFolder:
        """Plan the files of a study, of its first part or a `later` one; a folder is needed if there are keys."""
        holdings = _holdings(study)
        if folder is None:
            if holdings:
                raise InvalidParameter(
                    "the study has readers with keys", way_out="Say in which folder to write them: give `keys`."
                )
            return cls(study=study, epoch=epoch, files={})
        part = "" if later is None else f".{later[:SHORT]}"
        files = {folder / f"{holding.holder}.{holding.question}{part}.key": holding for holding in holdings}
        return cls(study=study, epoch=epoch, files=files)

    @classmethod
    def of_later(cls, study: Study, folder: Path | None, epoch: int, part: str) -> KeyFolder:
        """Find the files that a later part has: none where seeds open it, and an amendment has those of its cells."""
        planned = cls.of(study, folder, epoch, later=part)
        there = {path: holding for path, holding in planned.files.items() if path.exists()}
        return cls(study=study, epoch=epoch, files=there)

    @property
    def holders(self) -> tuple[str, ...]:
        """Who gets keys."""
        return tuple(dict.fromkeys(holding.holder for holding in self.files.values()))

    @property
    def present(self) -> tuple[Path, ...]:
        """Files that are there already."""
        return tuple(path for path in self.files if path.exists())

    @property
    def registrars(self) -> tuple[Path, ...]:
        """The registrar's files."""
        return tuple(path for path, holding in self.files.items() if holding.holder == REGISTRAR)

    def held_keys(self, unlock: Unlocker) -> dict[str, Mapping[int, Key]] | None:
        """Return the registrar's keys that are there already, to publish under; None when the folder is new.

        They must be of this study, question and epoch, and it must be the registrar who wrote them.
        """
        if not self.present:
            return None
        missing = [path for path in self.registrars if not path.exists()]
        if missing or not self.registrars:
            raise InvalidParameter(
                "holds key files of an earlier publication, but not the registrar's, so nothing can be published "
                "under them",
                parameter="keys",
                value=str(self.present[0].parent),
                way_out="Choose another folder for new keys.",
            )
        held: dict[str, Mapping[int, Key]] = {}
        for path in self.registrars:
            key = read_own_key(path, unlock(path))
            wanted = binding_of(self.study, self.files[path].question, self.epoch)
            for part in ("study", "question", "column", "epoch"):
                if getattr(key.binding, part) != getattr(wanted, part):
                    raise KeyRefused(
                        f"the key file {path} was drawn for another {part}, and its draws are not for this one",
                        way_out="Choose another folder for new keys, or rotate the keys to a new epoch.",
                    )
            held[wanted.question] = {0: key}
        drawings = {key.drawing for by_level in held.values() for key in by_level.values()}
        if len(drawings) > 1:
            raise KeyRefused(
                "the registrar's keys of different questions are of different parts",
                way_out="Put keys that were published together into one folder.",
            )
        return held

    def in_order(self, *, is_new: bool) -> list[tuple[Path, Holding]]:
        """Return the files in the order of writing: of new ones the registrar's last, so where it is all others are."""
        return sorted(self.files.items(), key=lambda item: (item[1].holder == REGISTRAR) == is_new)

    def write(self, keys: Keys, protections: Mapping[str, Protection], unlock: Unlocker) -> tuple[Path, ...]:
        """Write new files, the registrar's last: where they are, all others were written, even if one was interrupted.

        Where they are already, mark them with what they made, under a lock; files handed over since are not missed.
        """
        for path in {path.parent for path in self.files}:
            make_private_folder(path)
        is_new = not self.present
        for path, holding in self.in_order(is_new=is_new):
            produced = next(iter(keys[holding.question].values())).produced
            if is_new or produced is None:
                write_key(keys[holding.question][holding.level], path, protections[holding.holder])
            elif path.exists():
                self.mark(path, holding, produced, unlock)
        return tuple(self.files)

    def mark(self, path: Path, holding: Holding, produced: str, unlock: Unlocker) -> None:
        """Write into a file that is there what was made under it."""
        try:
            record_use(path, unlock(path) or Unprotected(), produced)
        except (InvalidParameter, KeyRefused):
            # An analyst's file may be sealed to the analyst; the registrar's is the one that reports are made with.
            if holding.holder == REGISTRAR:
                raise


def _holdings(study: Study) -> list[Holding]:
    found = []
    for handler in study.column_ways:
        for analyst in study.analysts:
            level = handler.level_of(analyst)
            if level in handler.key_levels:
                found.append(Holding(holder=analyst.name, question=handler.question.id, level=level))
        if 0 in handler.key_levels:
            found.append(Holding(holder=REGISTRAR, question=handler.question.id, level=0))
    return sorted(found, key=lambda holding: (holding.holder == REGISTRAR, holding.holder))


# --- Indexes from people to rows
# One sealed file a part beside the registrar's keys.


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
    """Keep copies of indexes as they are, so that the same people can be found again; older copies stay."""
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
