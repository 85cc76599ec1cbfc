"""Places of a publication: staged parts put in place, and parts rewritten without some rows.

Incomplete staging was never noted or paid for, and is discarded. Complete staging is finished without drawing. A
publication is one file, or a folder whose manifest, written last, names its parts.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter, Place, SfumatoError, UnreadableFile
from sfumato.files.disk import flush_folder
from sfumato.files.formats import make_private_folder
from sfumato.files.public_tables import TableWriter, write_beside_table
from sfumato.files.staging import (
    discard,
    discard_others,
    flush_staged,
    put_in_place,
    remove_stale,
    staged_afresh,
    staging_beside,
    staging_inside,
)
from sfumato.files.tables import codebook_path, note_path
from sfumato.keys.digests import ReportTree, blocks_of
from sfumato.keys.key_files import KeyWriter, read_key_header, write_key
from sfumato.keys.protection import Protection
from sfumato.ladders.keys import Key
from sfumato.ledger.releases import Published
from sfumato.publications.coded_reports import codebook
from sfumato.publications.key_folder import SHORT, KeyFolder, Unlocker, index_path
from sfumato.publications.manifest import (
    NAME,
    Manifest,
    ManifestPart,
    files_of_parts,
    is_publication,
    note_digest,
    read_manifest,
)
from sfumato.publications.note import PartNote, ReportsNote, Salts
from sfumato.publications.part import Keys, WrittenFile, take_file
from sfumato.publications.reports import Chunk, Progress, Reports, Source, read_report_files, rooted
from sfumato.sampling.sources import SystemBits
from sfumato.study.file import write_beside
from sfumato.study.study import Study

# --- Staging
# Rows and true draws are written as they come. Nothing is in place until the part is complete.


class StagedPart:
    """Takes rows and draws, and is completed by the note and the keys, which know what was made."""

    def __init__(
        self,
        *,
        table: Path,
        keys: Path | None,
        files: KeyFolder,
        protections: Mapping[str, Protection],
        rows: int,
    ) -> None:
        self.table, self.keys = table, keys
        self._files, self._protections, self._rows = files, protections, rows
        self._writer: TableWriter | None = None
        self._attempts: Path | None = None
        self._stores: dict[str, _Store] = {}
        self.kept: tuple[str, ...] = ()

    def check_room(self, rows: int, *, draws: bool) -> None:
        """Refuse before drawing if there is not enough disk space."""
        columns = len(self._files.study.column_ways) + 1
        # A byte a cell is less than a table takes; key files of true draws take about as much again for each level.
        levels = sum(len(handler.key_levels) for handler in self._files.study.column_ways) if draws else 0
        needed: dict[int, int] = {}
        for parameter, place, size in (
            ("out", self.table.parent, rows * columns),
            ("keys", self.keys, rows * levels // 2),
        ):
            if place is None:
                continue
            disk = place.stat().st_dev
            needed[disk] = needed.get(disk, 0) + size
            free = shutil.disk_usage(place).free
            if needed[disk] > free:
                raise InvalidParameter(
                    f"lies on a disk with {free:,} bytes left, and at least {needed[disk]:,} are needed for {rows:,} "
                    f"rows",
                    parameter=parameter,
                    value=str(place.parent),
                    way_out="Make room, or choose another disk; nothing was drawn.",
                )

    def write(self, table: Any) -> None:
        """Write rows."""
        if self._writer is None:
            self._writer = TableWriter(self.table)
        self._writer.write(table)

    def attempts(self) -> Path:
        """Return a folder for files that other machines write; the part becomes a folder of those that are taken."""
        if self._attempts is None:
            self._attempts = self.table.parent / "attempts"
            self._attempts.mkdir()
            self.table.mkdir()
        return self._attempts

    def take(self, file: WrittenFile) -> None:
        """Take one of the files into the part, under the number of its first row."""
        take_file(self.attempts(), file, self.table / f"{file.first:013d}.parquet")

    def store(self, question: str) -> _Store:
        """Return what writes the true draws of a question."""
        if question not in self._stores:
            self._stores[question] = _Store(self, question)
        return self._stores[question]

    def writers(self, question: str, blanks: Mapping[int, Key]) -> dict[int, list[KeyWriter]]:
        """Open the key files of a question by level, for as many rows as there are."""
        found: dict[int, list[KeyWriter]] = {}
        for path, holding in self._files.files.items():
            if self.keys is not None and holding.question == question and holding.level in blanks:
                blank = replace(blanks[holding.level], start=0, stop=self._rows, total=self._rows)
                writer = KeyWriter(blank, self.keys / path.name, self._protections[holding.holder])
                found.setdefault(holding.level, []).append(writer)
        return found

    def complete(self, note: ReportsNote, keys: Keys) -> None:
        """Write what is known at the end: key files with their record, the note, the codebook."""
        for path, holding in self._files.in_order(is_new=True):
            if self.keys is None:
                break
            store = self._stores.get(holding.question)
            if store is None or not store.levels:
                key = keys[holding.question][holding.level]
                write_key(key, self.keys / path.name, self._protections[holding.holder])
        for question, store in self._stores.items():
            for level, writers in store.levels.items():
                for writer in writers:
                    writer.finish(keys[question][level].produced)
        words = codebook(note, self.kept)
        if self._attempts is not None:
            # Files that are still being written there belong to abandoned runs.
            discard(self._attempts)
            flush_folder(self.table)
            write_beside_table(self.table, note=note.to_text(), codebook=words)
        elif self._writer is not None:
            self._writer.finish(note.to_text(), codebook=words)
        for folder in (self.table.parent, self.keys):
            if folder is not None:
                flush_staged(folder)

    def close(self) -> None:
        """Let go of files that were not completed."""
        if self._writer is not None:
            self._writer.discard()
        for store in self._stores.values():
            for writers in store.levels.values():
                for writer in writers:
                    with contextlib.suppress(OSError):
                        writer.discard()


class _Store:
    """Writes the true draws of a question into key files."""

    def __init__(self, part: StagedPart, question: str) -> None:
        self._part, self._question = part, question
        self.levels: dict[int, list[KeyWriter]] = {}

    def begin(self, blanks: Mapping[int, Key]) -> None:
        """Open the files, before anything is drawn."""
        self.levels = self._part.writers(self._question, blanks)

    def append(self, level: int, shifts: Any) -> None:
        """Write the draws of the next rows."""
        for writer in self.levels.get(level, ()):
            writer.append(shifts)


# --- Erasing rows from a part
# Their rows go, their blocks get new salts, and the record names the rewritten blocks. The digest that a block had when
# the keys were made is kept, so that keys can still be checked against the rest of the part. Its salt is deleted:
# without it, guesses of the erased report cannot be tested.


@dataclass(slots=True, kw_only=True, eq=False)
class Erasure:
    """A part without some of its rows: chunks go in, and come out without them; at the end there is its new note."""

    part: PartNote
    rows: frozenset[int]
    _before: ReportTree
    _after: ReportTree
    _salt_of: Any

    @classmethod
    def of(cls, part: PartNote, rows: Collection[int]) -> Erasure:
        """Prepare to take rows out of a part."""
        rewritten = set(blocks_of(sorted(rows)))
        fresh = Salts(part.id, SystemBits())

        def salt_of(block: int) -> bytes:
            return fresh(block) if block in rewritten else part.salt_of(block)

        names = list(part.roots)
        return cls(
            part=part,
            rows=frozenset(rows),
            _before=ReportTree(names, part.salt_of),
            _after=ReportTree(names, salt_of),
            _salt_of=salt_of,
        )

    def kept(self, chunk: Chunk, reports: Reports) -> Any:
        """Return the rows of a chunk that stay."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        values = {name: chunk.reports(reports.note.handler(name)) for name in self.part.roots}
        self._before.add(chunk.numbers, values)
        stays = np.isin(chunk.numbers, np.array(sorted(self.rows), dtype=np.int64), invert=True)
        self._after.add(chunk.numbers[stays], {name: column[stays] for name, column in values.items()})
        return chunk.table if stays.all() else chunk.table.filter(pa.array(stays.tolist()))

    def note(self) -> PartNote:
        """Return the note of what is left, once all rows were met."""
        part = self.part
        self._before.finish(part.all_blocks)
        old = {block: dict(digests) for block, digests in part.rewritten.items()}
        for block in blocks_of(sorted(self.rows)):
            if block not in old:  # else the keys remember what it was before it was rewritten the first time
                old[block] = {name: self._before.digests[name][block].hex() for name in part.roots}
        erased = tuple(sorted({*part.erased, *self.rows}))
        return rooted(replace(part, erased=erased, rewritten=old), self._after, self._salt_of)


# --- Rewriting parts
# A part in a folder is written under a new name, and takes effect with the new manifest. A single file keeps its name:
# it is staged whole, with its note, and then put in place. The same call finishes an interrupted rewrite.


Advance = Callable[[int], None]
_REWRITING = "rewriting"
_WHOLE = "rewritten.whole"
"""Staging that is whole is not called like what a publication may tidy away."""


def settle_rewriting(out: Path) -> None:
    """Finish what was interrupted where its moment had come, and remove what is left of it where it had not."""
    if is_publication(out):
        discard(staging_inside(out, _REWRITING))
        _tidy(out)
    elif not out.is_dir():
        discard(staging_beside(out, _REWRITING))
        _put_whole(out)


def rewrite_without(out: Path, reports: Reports, wanted: dict[str, set[int]], progress: Progress | None = None) -> None:
    """Write every part anew that has rows of these people, and then say so, all at once."""
    changes = []
    for source in reports.sources:
        (part,) = source.parts
        gone = wanted.get(part.id if part.amends is None else part.amends, set())
        left = gone - set(part.erased)
        if not part.is_dense:
            left &= numbers_of_source(reports, source)
        if left:
            changes.append((source, part, left))
    if not changes:
        return
    total = sum(part.present for _, part, _ in changes)

    def advance(rows: int) -> None:
        if progress is not None:
            progress(rows, total)

    if out.is_dir():
        _rewrite_folder(out, reports, changes, advance)
        return
    ((source, part, left),) = changes
    with staged_afresh(staging_beside(out, _REWRITING)) as folder:
        _write_part(reports, source, part, left, folder / out.name, advance)
        flush_staged(folder)
        folder.replace(staging_beside(out, _WHOLE))
    _put_whole(out)


def put_part(staged: Path, table: Path, study: Study | None = None) -> None:
    """Put a part in place that is staged, or what is still missing of it: the reports last, which say nothing alone.

    Before it come the files that its reports are read with; a pipe or a device has no place for them.
    """
    if study is not None and (table.is_file() or table.is_dir() or not table.exists()):
        write_beside(study, table.parent)
    for target in beside(table):
        put_in_place(staged / target.name, target)


def beside(table: Path) -> tuple[Path, ...]:
    """What stands beside the reports, and the reports last."""
    return codebook_path(table), note_path(table), table


def numbers_of_source(reports: Reports, source: Source) -> set[int]:
    """Return the numbers of the rows that a source has."""
    alone = Reports(sources=(source,), note=replace(reports.note, parts=source.parts))
    return {number for chunk in alone.chunks([]) for number in chunk.numbers.tolist()}


def _rewrite_folder(
    out: Path, reports: Reports, changes: list[tuple[Source, PartNote, set[int]]], advance: Advance
) -> None:
    manifest = read_manifest(out)
    files = {one.id: one.file for one in manifest.parts}
    with staged_afresh(staging_inside(out, _REWRITING)) as folder:
        for source, part, left in changes:
            name = _next_name(files[part.id])
            note = _write_part(reports, source, part, left, folder / name, advance)
            entry = ManifestPart(id=part.id, file=name, note=note_digest(note), amends=part.amends)
            manifest = manifest.with_part(entry)
        flush_staged(folder)
        for _, part, _ in changes:
            put_part(folder, out / _next_name(files[part.id]))
        manifest.write(out)
    discard(staging_inside(out, _REWRITING))
    _tidy(out)


def _put_whole(out: Path) -> None:
    """Put a file that was rewritten in place, the table last; done again, it goes on where it was interrupted."""
    whole = staging_beside(out, _WHOLE)
    if whole.exists():
        put_part(whole, out)
        discard(whole)
    remove_stale(out, note_path(out), codebook_path(out))


def _tidy(out: Path) -> None:
    """Remove the files of parts that the manifest does not name: from before an erasure, or never finished."""
    parts = read_manifest(out).parts
    kept = {path.name for one in parts for path in (out / one.file, note_path(one.file), codebook_path(one.file))}
    stems = {one.file.partition(".")[0] for one in parts}
    for stem, path in files_of_parts(out):
        if stem in stems and path.name not in kept:
            discard(path) if path.is_dir() else path.unlink()
    remove_stale(out / NAME)


def _write_part(reports: Reports, source: Source, part: PartNote, rows: set[int], path: Path, advance: Advance) -> str:
    alone = Reports(sources=(source,), note=replace(reports.note, parts=(part,)))
    erasure = Erasure.of(part, rows)
    with TableWriter(path) as writer:
        for chunk in alone.chunks(list(part.roots), alone.kept):
            writer.write(erasure.kept(chunk, alone))
            advance(chunk.numbers.size)
        # The note of the part as it was published, with what is left of it.
        noted = read_report_files(_path_of(source)).note
        found = replace(noted, parts=(erasure.note(),))
        text = found.to_text()
        writer.finish(text, codebook=codebook(found, alone.kept))
    return text


def _path_of(source: Source) -> Path:
    if not isinstance(source.rows, str | Path):
        raise InvalidParameter("must be files", parameter="reports", way_out="Name the file or the folder.")
    return Path(source.rows)


def _next_name(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    part, _, number = stem.partition(".")
    return f"{part}.{int(number or 0) + 1}.{ending}"


_FIRST = "0" * 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a part goes: a file or a folder of reports, the key files, and how keys that are there are opened.

    `files` are the key files of this part; where its draws come from seeds that are there, it has none.
    """

    out: Path
    keys: Path | None
    files: KeyFolder
    unlock: Unlocker

    @property
    def is_folder(self) -> bool:
        """Whether the publication is a folder."""
        return is_folder_place(self.out)

    def table(self, part: str) -> Path:
        """Return where the reports of a part are to stand."""
        return self.out / f"{part[:SHORT]}.parquet" if self.is_folder else self.out

    @property
    def lock(self) -> Path:
        """What is locked while something is published here."""
        return self.out / NAME if self.is_folder else self.out

    def staging(self, part: str) -> Path:
        """Return where the reports of a part are staged."""
        token = part[: len(_FIRST)]
        return staging_inside(self.out, token) if self.is_folder else staging_beside(self.out, token)

    def key_staging(self, part: str) -> Path | None:
        """Return where the key files of a part are staged."""
        return None if self.keys is None else staging_inside(self.keys, f"keys-{part[: len(_FIRST)]}")

    @property
    def holds_parts(self) -> bool:
        """Whether a publication is in this folder."""
        return is_publication(self.out)

    def read(self) -> Reports:
        """Return what is published here; not from a pipe or a device, which would wait for ever for another writer."""
        if _is_passage(self.out):
            raise UnreadableFile(
                "this is a pipe or a device, and what went into it cannot be read back",
                way_out="Name the file that it was kept in.",
                place=Place(file=str(self.out)),
            )
        return read_report_files(self.out)

    def made(self, note: ReportsNote) -> Reports:
        """Return the publication once a part is in place; of one file nothing is read before it is asked for."""
        return self.read() if self.is_folder else Reports.of(self.out, note)

    def make_ready(self) -> None:
        """Make the folder of a publication, which holds nothing yet."""
        if self.is_folder and not self.out.exists():
            try:
                self.out.mkdir(parents=True)
            except OSError as error:
                raise InvalidParameter(
                    f"cannot be made: {error.strerror}", parameter="out", value=str(self.out), way_out="Choose another."
                ) from None

    def for_part(self, published: Published) -> Destination:
        """Return the place of a part that was published before; later parts have key files of their own."""
        if published.of is None or self.keys is None:
            return self
        files = KeyFolder.of(self.files.study, self.keys, self.files.epoch, later=published.part)
        asked = {column.question for column in published.columns}
        mine = {path: held for path, held in files.files.items() if held.question in asked}
        staged = self.key_staging(published.part)
        is_new = any(path.exists() or (staged is not None and (staged / path.name).exists()) for path in mine)
        return replace(self, files=replace(files, files=mine if is_new else {}))

    def tidy(self, wanted: Iterable[str]) -> None:
        """Remove what earlier attempts left here, but for the parts that can still be finished."""
        # Keys and reports may go into one folder.
        kept = [place for part in wanted for place in (self.staging(part), self.key_staging(part)) if place is not None]
        discard_others(self.staging(_FIRST), kept)
        keys = self.key_staging(_FIRST)
        if keys is not None and self.keys is not None and self.keys.exists():
            discard_others(keys, kept)
        remove_stale(self.lock, note_path(self.out), codebook_path(self.out), *self.files.files)
        settle_rewriting(self.out)

    def discard(self, part: str) -> None:
        """Remove what is staged of a part; its reports last, by which it is found."""
        keys = self.key_staging(part)
        if keys is not None:
            discard(keys)
        discard(self.staging(part))

    @contextlib.contextmanager
    def staged(
        self, part: str, protections: Mapping[str, Protection] | None, rows: int, *, draws: bool = False
    ) -> Iterator[StagedPart]:
        """Stage a part for the caller to complete, with `protections` also new key files; a failure leaves nothing."""
        fresh = self.keys if self.keys is not None and not self.keys.exists() else None
        try:
            with contextlib.ExitStack() as stack:
                folder = stack.enter_context(staged_afresh(self.staging(part)))
                keys = None
                if protections is not None and self.keys is not None:
                    make_private_folder(self.keys)
                    place = self.key_staging(part)
                    keys = None if place is None else stack.enter_context(staged_afresh(place))
                table = folder / self.table(part).name
                made = StagedPart(table=table, keys=keys, files=self.files, protections=protections or {}, rows=rows)
                made.check_room(rows, draws=draws)
                stack.callback(made.close)
                yield made
        except BaseException as error:
            self.discard(part)
            if fresh is not None:
                with contextlib.suppress(OSError):  # it may hold files of others
                    fresh.rmdir()
            if isinstance(error, InvalidParameter) and error.parameter == "path":
                of_keys = self.keys is not None and Path(str(error.value)).is_relative_to(os.path.realpath(self.keys))
                error.parameter, error.value = ("keys", str(self.keys)) if of_keys else ("out", str(self.out))
            raise

    def was_put(self, published: Published) -> bool:
        """Whether all of a part is in place, and only its staging was not removed yet."""
        if self.holds(published) or not self.staging(published.part).exists() or self._reports(published) is None:
            return False
        return not self.is_folder or self._is_entered(published.part)

    def _is_entered(self, part: str) -> bool:
        return self.holds_parts and any(one.id == part for one in read_manifest(self.out).parts)

    def holds(self, published: Published) -> bool:
        """Whether reports are staged here, none of which is in place yet."""
        return (self.staging(published.part) / self.table(published.part).name).exists()

    def never_left(self, published: Published) -> bool:
        """Whether all of a part is staged here, whole, and nothing of it was ever in place.

        A file leaves staging by being renamed, so one that is staged was never in place; but what goes into a pipe or
        a device is written there, and leaves no trace. Keys that were here before are marked first of all.
        """
        waiting, table = self.staging(published.part), self.table(published.part)
        if not all((waiting / target.name).exists() for target in beside(table)):
            return False
        if os.path.lexists(table) and not table.is_file():
            return False
        # In a folder each part has names of its own: what has one of them is of this part. So has an index.
        own = [*(beside(table) if self.is_folder else ())]
        own += [] if self.keys is None else [index_path(self.keys, published.part)]
        if any(os.path.lexists(path) for path in own) or self._is_entered(published.part):
            return False
        if self._reports(published) is None:
            return False
        keys = self._staged_keys(published.part)
        if keys is not None:
            return all((keys / path.name).exists() and not os.path.lexists(path) for path in self.files.files)
        try:
            present = self.files.present
            headers = [read_key_header(path) for path in present]
        except SfumatoError:
            return False
        return bool(present) == bool(self.files.files) and all(header.produced is None for header in headers)

    def _reports(self, published: Published) -> Reports | None:
        """Return the reports of a part, staged here or in place; None unless they are whole."""
        part, table = published.part, self.table(published.part)
        staged = self.staging(part) / table.name
        here = staged if staged.exists() else table
        if _is_passage(here):
            return None
        # The note goes into place before the table, and a table of texts has no other.
        note = next((path for path in (note_path(here), note_path(table)) if path.exists()), None)
        try:
            reports = read_report_files(here, note=note)
            digests = {column.question: column.digest for column in published.columns}
            if reports.note.parts[0].id != part or dict(reports.note.parts[0].roots) != digests:
                return None
            for _ in reports.chunks(list(digests)):
                pass
        except SfumatoError:  # not there, damaged, or something else that has this name
            return None
        return reports

    def found(self, published: Published) -> Reports | None:
        """Return the reports of a part, staged here or in place; None unless its keys are here as well."""
        reports = self._reports(published)
        if reports is None:
            return None
        if not self.files.files or self._staged_keys(published.part) is not None:
            return reports
        drawings = {column.question: column.drawing for column in published.columns}
        held = self.files.held_keys(self.unlock) or {}
        is_same = held and all(key.drawing == drawings[name] for name, by in held.items() for key in by.values())
        return reports if is_same else None

    def put(self, note: ReportsNote, keys: Keys) -> None:
        """Put keys and reports in place, or what is still missing of them; the table, or the manifest, last.

        Keys before reports: reports whose keys were lost could never be opened, keys alone open nothing.
        """
        (noted,) = note.parts
        staged = self._staged_keys(noted.id)
        if staged is not None:
            self._put_keys(staged)
        elif self.files.files and self.files.present:
            self._mark(noted.roots, keys)
        put_part(self.staging(noted.id), self.table(noted.id), note.study)
        if self.is_folder:
            self._enter(note)

    def _enter(self, note: ReportsNote) -> None:
        """Write the manifest with a part more: from now on it is published."""
        (noted,) = note.parts
        held = Manifest(study=note.study.name, fingerprint=note.fingerprint, parts=())
        if is_publication(self.out):
            held = read_manifest(self.out)
        entry = ManifestPart(
            id=noted.id, file=self.table(noted.id).name, note=note_digest(note.to_text()), amends=noted.amends
        )
        held.with_part(entry).write(self.out)

    def _staged_keys(self, part: str) -> Path | None:
        folder = self.key_staging(part)
        return folder if folder is not None and folder.exists() else None

    def _put_keys(self, staged: Path) -> None:
        targets = [path for path, _ in self.files.in_order(is_new=True)]
        for target in targets:
            if (staged / target.name).exists() and os.path.lexists(target):
                raise InvalidParameter(
                    "is a key file already, and keys that are lost cannot be had again",
                    parameter="keys",
                    value=str(target),
                    way_out="Move it elsewhere and run the same again, which finishes the publication.",
                )
        if self.keys is not None:
            for index in staged.glob(f"*{index_path(self.keys, _FIRST).suffix}"):
                put_in_place(index, self.keys / index.name)
        for target in targets:
            put_in_place(staged / target.name, target)

    def _mark(self, roots: Mapping[str, str], keys: Keys) -> None:
        """Note in existing keys which reports they made."""
        for path, holding in self.files.in_order(is_new=False):
            held = keys.get(holding.question, {}).get(0)
            if path.exists() and (held is None or held.produced == roots[holding.question]):
                self.files.mark(path, holding, roots[holding.question], self.unlock)


def _is_passage(path: Path) -> bool:
    """Whether this is a pipe or a device, which keeps nothing of what is written to it."""
    return path.exists() and not path.is_file() and not path.is_dir()


def is_folder_place(out: Path) -> bool:
    """Whether a publication goes into a folder: one that is there, or a name without a known ending."""
    return out.is_dir() or not out.suffix
