"""The file beside a study that lists what was published of it, and where a study is found.

A publication is noted before any of it can be seen, as intended, and as released when all of it is in place. The file
is replaced as a whole, under a lock, through to the disk. Its seal finds damage and accidental edits. A person who may
write the file can replace or delete it; only a ledger that is kept elsewhere detects that.
Format: docs/reference/files.md
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import DigestMismatch, InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.documents import check_schema
from sfumato.files.formats import check_places
from sfumato.files.staging import locked, remove_stale
from sfumato.files.texts import decode_text
from sfumato.ledger.documents import checked_time, now
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.releases import Published, check_parts, published_from, published_json
from sfumato.study.file import read_study
from sfumato.study.readers import ReaderSum, worst_sums
from sfumato.study.study import Study

SCHEMA = "sfumato/record/2"
_LIMIT_BYTES = 2**26


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRelease:
    """A publication, when it was intended, and when it was in place; None until then."""

    published: Published
    time: str
    released: str | None = None


class Record:
    """A locked registry: no other process writes to it, and each change is on the disk when the call returns."""

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
    """Be the only process at work on a registry; one that is not there yet is empty, and made with its first entry."""
    with locked(path):
        remove_stale(path)
        yield Record(Path(path), read_record_file(path))


def read_record_file(path: str | Path) -> tuple[RecordedRelease, ...]:
    """Return what was published, in order; nothing where there is no registry. Any other file is refused."""
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
            "the registry does not match its seal: it was damaged, or changed by something else than Sfumato",
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
        "the file is not a registry of releases, or it is damaged",
        way_out="Put back the latest copy: it guards the people of the study. Or name another file with `registry`.",
        place=Place(file=str(path)),
    )


# --- The study of a step and its ledger
# A step takes a study or its file, and the ledger that the study names.


RECORD = "releases.json"
"""What the registry is called, in the folder of a study."""


def study_of(study: Study | str | Path) -> Study:
    """Read a study, or take it as it is."""
    return study if isinstance(study, Study) else read_study(study)


def ledger_of(study: Study | str | Path | None, ledger: str | Path | None = None) -> Path | None:
    """Return the ledger to debit: the one given, else the one that the study names, else none.

    The name in a study is relative to the study's file, as links in a page are.
    """
    named = None
    if study is not None:
        declared = study_of(study)
        if declared.ledger is not None:
            folder = Path() if isinstance(study, Study) else Path(study).parent
            named = folder / declared.ledger
    given = None if ledger is None else Path(ledger)
    if given is not None and named is not None and given.resolve() != named.resolve():
        raise InvalidParameter(
            f"is not the ledger of the study, {named}",
            parameter="ledger",
            value=str(given),
            way_out="Leave out `ledger`, or change [budget] in the study.",
        )
    return given or named


def record_beside(study: str | Path) -> Path:
    """Return where the registry of a study's file stands; beside the file itself, not beside a link to it."""
    file = Path(study)
    return (Path(os.path.realpath(file)) if file.is_symlink() else file).parent / RECORD


def may_be_remembered(path: Path, study: Study) -> bool:
    """Whether there is a place that may know of releases of a study: a ledger, or a registry beside its file."""
    return study.ledger is not None or os.path.lexists(record_beside(path))


# --- Where releases are remembered: the registry, a ledger, or both
# The registry stands beside the study, one for all studies of a folder, so a copy of a study under another name is
# found. In memory a study's file is an absolute path; in a registry or a ledger it is relative to that file.


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A publication, when it was noted, and whether all of it is known to be in place."""

    published: Published
    time: str
    released: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The registry and the ledger of a study, either of them None where there is none."""

    registry: Path | None
    ledger: Path | None
    file: str | None = None

    def check_there(self) -> None:
        """Refuse a release that would not be registered anywhere."""
        if self.registry is None and self.ledger is None:
            raise InvalidParameter(
                "must say where releases are remembered: the study is not a file in a folder that may be written, and "
                "a second release about the same people tells more than one",
                parameter="registry",
                way_out="Name a file that stays with the study, or give a `ledger`; nothing was drawn. Simulations "
                "with `insecure_seed` are no releases and need none.",
            )

    def history(self, registry: Record | None = None) -> tuple[Remembered, ...]:
        """Return what was published, in order. Of what both know, the registry has the last word."""
        found = {}
        if self.ledger is not None:
            for entry in Ledger(self.ledger).read().live:
                if entry.release.published is not None:
                    one = here(entry.release.published, self.ledger)
                    settled = entry.settled is not None
                    found[one.id] = Remembered(published=one, time=entry.receipt.time, released=settled)
        if self.registry is not None:
            for noted in read_record_file(self.registry) if registry is None else registry.releases:
                one = here(noted.published, self.registry)
                released = noted.released is not None
                found[one.id] = Remembered(published=one, time=noted.time, released=released)
        return tuple(sorted(found.values(), key=lambda one: one.time))

    def noted(self, published: Published) -> Published:
        """Return a publication as the registry writes it."""
        return published if self.registry is None else _seen_from(self.registry, published)

    def billed(self, published: Published) -> Published:
        """Return a publication as the ledger writes it."""
        return published if self.ledger is None else _seen_from(self.ledger, published)

    @contextlib.contextmanager
    def held(self) -> Iterator[Record | None]:
        """Be the only process that notes a release here; who also holds the place of a publication took that first."""
        if self.registry is None:
            yield None
            return
        with held_record(self.registry) as registry:
            yield registry


def memory_of(study: Study | str | Path, registry: str | Path | None, ledger: Path | None) -> Memory:
    """Return where publications of a study are remembered: the registry given, else the one beside the study's file."""
    file = None if isinstance(study, Study) else os.path.realpath(study)
    if registry is not None:
        check_places(registry=registry)
        if not _may_write(Path(registry).parent):
            raise InvalidParameter(
                "lies in a folder that may not be written by this user",
                parameter="registry",
                value=str(registry),
                way_out="Choose another folder; nothing was drawn.",
            )
        return Memory(registry=Path(registry), ledger=ledger, file=file)
    beside = None if isinstance(study, Study) or not Path(study).is_file() else record_beside(study)
    is_kept = beside is not None and _may_write(beside.parent)
    return Memory(registry=beside if is_kept else None, ledger=ledger, file=file)


def _seen_from(book: Path, published: Published) -> Published:
    if published.file is None:
        return published
    file = os.path.relpath(published.file, os.path.realpath(book.parent))
    return replace(published, file=Path(file).as_posix())


def here(published: Published, book: Path) -> Published:
    """Return a publication as it is seen from here, where a registry or a ledger wrote it as seen from there."""
    if published.file is None:
        return published
    return replace(published, file=os.path.realpath(Path(os.path.realpath(book.parent)) / published.file))


def _may_write(folder: Path) -> bool:
    """Try it: a folder of a read-only disk looks writable."""
    trial = folder / f".{RECORD}.{secrets.token_hex(8)}.tmp"
    try:
        os.close(os.open(trial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        trial.unlink(missing_ok=True)  # who holds the registry tidies beside it
    except OSError:
        return False
    return True


# --- The releases of a study so far


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecord:
    """The releases of a study in their order, and the files that remember them."""

    study: Study
    registry: Path | None
    ledger: Path | None
    releases: tuple[Remembered, ...]

    def sums_at(self, number: int) -> tuple[ReaderSum, ...]:
        """What readers see of the same people up to a release: it, and those before it about the same people."""
        one = self.releases[number].published
        before = [other.published for other in self.releases[:number] if one.is_about(other.published)]
        return worst_sums((other.payer, other.seen) for other in (*before, one))

    @property
    def sums(self) -> tuple[ReaderSum, ...]:
        """What readers see of the person of whom most is seen, whatever the epoch.

        No person is in two parts of a publication; an amendment adds to the part that it amends. No person is counted
        under two names of people, and all are counted with those who have none.
        """
        return worst_sums((one.published.payer, one.published.seen) for one in self.releases)


def read_registry(
    study: Study | str | Path, *, registry: str | Path | None = None, ledger: str | Path | None = None
) -> StudyRecord:
    """Return what was released of a study, from the registry beside it or the one given, and from its ledger if any.

    Returns:
        The releases, oldest first.

    Raises:
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> from sfumato.publications.registry import read_registry
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "study.toml"
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> sf.write_study(study, path)
    >>> made = sf.publish(path, {"tired": ["no", "yes"] * 50}, out=path.with_name("reports.csv"))
    >>> len(read_registry(path).releases)
    1
    """
    declared, payer = study_of(study), ledger_of(study, ledger)
    beside = None if isinstance(study, Study) else record_beside(study)
    file = None if isinstance(study, Study) else os.path.realpath(study)
    memory = Memory(registry=beside if registry is None else Path(registry), ledger=payer, file=file)
    mine = tuple(
        one
        for one in memory.history()
        if one.published.study == declared.name or (file is not None and one.published.file == file)
    )
    return StudyRecord(study=declared, registry=memory.registry, ledger=payer, releases=mine)
