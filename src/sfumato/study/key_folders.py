"""A folder of key files: whose they are, which were there before, and how new reports are made under old keys.

The keys of a publication's first part are `NAME.QUESTION.key`, those of later parts `NAME.QUESTION.PART.key`, with the
first digits of the part's id. A seed needs no file for later parts: it opens them too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.places import make_private_folder
from sfumato.io.key_files import read_own_key, record_use, write_key
from sfumato.refine import Key
from sfumato.refine.key_protection import Protection, Unlock, Unprotected
from sfumato.study.audience import REGISTRAR
from sfumato.study.part_sinks import Keys
from sfumato.study.publishing import binding_of
from sfumato.study.studies import Study

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
    """The key files of one part by their paths; none where nobody has a key."""

    study: Study
    epoch: int
    files: Mapping[Path, Holding]

    @classmethod
    def of(cls, study: Study, folder: Path | None, epoch: int = 0, later: str | None = None) -> KeyFolder:
        """Plan the files of a study, of its first part or a `later` one; a folder is needed if somebody has a key."""
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
    for way in study.column_ways:
        for analyst in study.analysts:
            level = way.level_of(analyst)
            if level in way.key_levels:
                found.append(Holding(holder=analyst.name, question=way.question.id, level=level))
        if 0 in way.key_levels:
            found.append(Holding(holder=REGISTRAR, question=way.question.id, level=0))
    return sorted(found, key=lambda holding: (holding.holder == REGISTRAR, holding.holder))
