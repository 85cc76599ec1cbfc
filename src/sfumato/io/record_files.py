"""The record: a file beside a study that remembers what was published of it, with or without keys and a ledger.

A publication is noted before any of it can be seen, as intended, and as released when all of it is in place. The file
is replaced as a whole, under a lock, through to the disk. Its seal finds damage and edits; who may write the file can
write another, or delete it, and only a ledger that is kept elsewhere knows better.   Format: docs/reference/files.md
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.account.periods import checked_time, now
from sfumato.account.published import Published, check_parts
from sfumato.account.published_documents import published_from, published_json
from sfumato.errors import DigestMismatch, Place, UnreadableFile
from sfumato.files import read_bytes, write_atomically
from sfumato.files.csv_tables import decode_text
from sfumato.files.json_documents import check_schema
from sfumato.files.locks import locked
from sfumato.files.staging import remove_stale

SCHEMA = "sfumato/record/2"
_LIMIT_BYTES = 2**26


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRelease:
    """A publication, when it was intended, and when it was in place; None while nobody said so."""

    published: Published
    time: str
    released: str | None = None


class Record:
    """A record that is held: nobody else writes to it meanwhile, and each change is on the disk when it returns."""

    def __init__(self, path: Path, releases: tuple[RecordedRelease, ...]) -> None:
        self._path = path
        self.releases = releases

    def intend(self, published: Published) -> None:
        """Note a publication before any of it can be seen; one that is noted already stays as it is."""
        if all(one.published.id != published.id for one in self.releases):
            self._write((*self.releases, RecordedRelease(published=published, time=now())))

    def settle(self, published: Published) -> None:
        """Note that all of it is in place."""
        self._write(
            tuple(
                replace(one, released=now()) if one.published.id == published.id and one.released is None else one
                for one in self.releases
            )
        )

    def void(self, published: Published) -> None:
        """Forget an intended publication of which nothing was ever seen; one that is released is never forgotten."""
        self._write(tuple(one for one in self.releases if one.published.id != published.id or one.released is not None))

    def _write(self, releases: tuple[RecordedRelease, ...]) -> None:
        if releases != self.releases:
            write_atomically(self._path, _sealed(releases))
            self.releases = releases


@contextlib.contextmanager
def held_record(path: str | Path) -> Iterator[Record]:
    """Be the only process at work on a record; one that is not there yet is empty, and made with its first entry."""
    with locked(path):
        remove_stale(path)
        yield Record(Path(path), read_record_file(path))


def read_record_file(path: str | Path) -> tuple[RecordedRelease, ...]:
    """Return what was published, in order; nothing where there is no record. Whatever is no record is refused."""
    if not os.path.lexists(path):
        return ()
    text = decode_text(read_bytes(path, limit_bytes=_LIMIT_BYTES), path)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise _damaged(path) from None
    if not isinstance(document, dict) or not str(document.get("schema")).startswith("sfumato/record/"):
        raise _damaged(path)
    check_schema(document, path, kind="record", version=2)
    try:
        releases = tuple(_release_from(one) for one in document["releases"])
        check_parts(one.published for one in releases)
        spelled = _sealed(releases)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _damaged(path) from None
    # Whatever was accepted but means something else is spelt otherwise, and has another seal.
    if spelled != text:
        raise DigestMismatch(
            "the record does not match its seal: it was damaged, or changed by something else than Sfumato",
            way_out="Put back the latest copy: it guards the people of the study.",
            place=Place(file=str(path)),
        )
    return releases


def _sealed(releases: tuple[RecordedRelease, ...]) -> str:
    content = {"schema": SCHEMA, "releases": [_release_json(one) for one in releases]}
    seal = sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return json.dumps({**content, "seal": seal}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _release_json(one: RecordedRelease) -> dict[str, Any]:
    return {**published_json(one.published), "time": one.time, "released": one.released}


def _release_from(document: dict[str, Any]) -> RecordedRelease:
    times = {name: document[name] for name in ("time", "released")}
    checked_time(times["time"])
    if times["released"] is not None:
        checked_time(times["released"])
    rest = {name: value for name, value in document.items() if name not in times}
    return RecordedRelease(published=published_from(rest), **times)


def _damaged(path: str | Path) -> UnreadableFile:
    return UnreadableFile(
        "the file is not a record of releases, or it is damaged",
        way_out="Put back the latest copy: it guards the people of the study. Or name another file with `record`.",
        place=Place(file=str(path)),
    )
