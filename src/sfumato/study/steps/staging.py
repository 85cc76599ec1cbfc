"""A part on its way: keys and reports staged complete at their destinations, then put in place.

Incomplete staging was never noted or paid for, and is discarded. Complete staging is finished without drawing. A
publication is one file, or a folder whose manifest, written last, says which parts it has.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sfumato.account import Published
from sfumato.errors import InvalidParameter, Place, SfumatoError, UnreadableFile
from sfumato.files.places import make_private_folder
from sfumato.files.staging import (
    discard,
    discard_others,
    put_in_place,
    remove_stale,
    staged_afresh,
    staging_beside,
    staging_inside,
)
from sfumato.files.tables import codebook_path, note_path
from sfumato.io.key_files import read_key_header
from sfumato.refine.key_protection import Protection
from sfumato.study.key_folders import SHORT, KeyFolder, Unlocker
from sfumato.study.manifests import NAME, Manifest, ManifestPart, is_publication, note_digest, read_manifest
from sfumato.study.notes import ReportsNote
from sfumato.study.part_indexes import index_path
from sfumato.study.part_sinks import Keys
from sfumato.study.report_files import read_report_files
from sfumato.study.reports import Reports
from sfumato.study.steps.rewriting import beside, put_part, settle_rewriting
from sfumato.study.steps.staged_parts import StagedPart

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
                with contextlib.suppress(OSError):  # somebody may have put something there
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
        """Tell the keys that were here before what they made."""
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
