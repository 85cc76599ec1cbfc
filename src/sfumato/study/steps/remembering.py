"""Where publications of a study are remembered, and what was published before: a record, a ledger, or both.

The record stands beside the study, one for all studies of a folder, so that a copy of a study under another name is
found out. In memory a study's file is an absolute path; in a record or a ledger it is written as seen from there.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sfumato.account import Ledger, Published
from sfumato.errors import InvalidParameter
from sfumato.files.places import check_places
from sfumato.io.record_files import Record, held_record, read_record_file
from sfumato.study.steps.study_places import RECORD, record_beside
from sfumato.study.studies import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A publication, when it was noted, and whether all of it is known to be in place."""

    published: Published
    time: str
    released: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The record and the ledger of a study, either of them None where there is none."""

    record: Path | None
    ledger: Path | None
    file: str | None = None

    def check_there(self) -> None:
        """Refuse to release what nobody would remember."""
        if self.record is None and self.ledger is None:
            raise InvalidParameter(
                "must say where releases are remembered: the study is not a file in a folder that may be written, and "
                "a second release about the same people tells more than one",
                parameter="record",
                way_out="Name a file that stays with the study, or give a `ledger`; nothing was drawn. Simulations "
                "with `insecure_seed` are no releases and need none.",
            )

    def history(self, record: Record | None = None) -> tuple[Remembered, ...]:
        """Return what was published, in order. Of what both know, the record has the last word."""
        found = {}
        if self.ledger is not None:
            for entry in Ledger(self.ledger).read().live:
                if entry.release.published is not None:
                    one = here(entry.release.published, self.ledger)
                    settled = entry.settled is not None
                    found[one.id] = Remembered(published=one, time=entry.receipt.time, released=settled)
        if self.record is not None:
            for noted in read_record_file(self.record) if record is None else record.releases:
                one = here(noted.published, self.record)
                released = noted.released is not None
                found[one.id] = Remembered(published=one, time=noted.time, released=released)
        return tuple(sorted(found.values(), key=lambda one: one.time))

    def noted(self, published: Published) -> Published:
        """Return a publication as the record writes it."""
        return published if self.record is None else _seen_from(self.record, published)

    def billed(self, published: Published) -> Published:
        """Return a publication as the ledger writes it."""
        return published if self.ledger is None else _seen_from(self.ledger, published)

    @contextlib.contextmanager
    def held(self) -> Iterator[Record | None]:
        """Be the only process that notes a release here; who also holds the place of a publication took that first."""
        if self.record is None:
            yield None
            return
        with held_record(self.record) as record:
            yield record


def memory_of(study: Study | str | Path, record: str | Path | None, ledger: Path | None) -> Memory:
    """Return where publications of a study are remembered: the record given, else the one beside the study's file."""
    file = None if isinstance(study, Study) else os.path.realpath(study)
    if record is not None:
        check_places(record=record)
        if not _may_write(Path(record).parent):
            raise InvalidParameter(
                "lies in a folder that may not be written by this user",
                parameter="record",
                value=str(record),
                way_out="Choose another folder; nothing was drawn.",
            )
        return Memory(record=Path(record), ledger=ledger, file=file)
    beside = None if isinstance(study, Study) or not Path(study).is_file() else record_beside(study)
    is_kept = beside is not None and _may_write(beside.parent)
    return Memory(record=beside if is_kept else None, ledger=ledger, file=file)


def _seen_from(book: Path, published: Published) -> Published:
    if published.file is None:
        return published
    file = os.path.relpath(published.file, os.path.realpath(book.parent))
    return replace(published, file=Path(file).as_posix())


def here(published: Published, book: Path) -> Published:
    """Return a publication as it is seen from here, where a record or a ledger wrote it as seen from there."""
    if published.file is None:
        return published
    return replace(published, file=os.path.realpath(Path(os.path.realpath(book.parent)) / published.file))


def _may_write(folder: Path) -> bool:
    """Try it: a folder of a read-only disk looks writable."""
    trial = folder / f".{RECORD}.{secrets.token_hex(8)}.tmp"
    try:
        os.close(os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        trial.unlink(missing_ok=True)  # who holds the record tidies beside it
    except OSError:
        return False
    return True
