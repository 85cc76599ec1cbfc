"""A publication on its way: keys and reports staged complete beside their destinations, then put in place.

Incomplete staging was never noted or paid for, and is discarded. Complete staging is finished without drawing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sfumato.account import Published
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.files.csv_tables import decode_text
from sfumato.files.disk import read_bytes
from sfumato.files.formats import Format, format_of
from sfumato.files.staging import discard, discard_others, put_in_place, staged_afresh, staging_beside
from sfumato.files.tables import NOTE_LIMIT_BYTES, note_path, read_table
from sfumato.io.key_files import read_key_header
from sfumato.refine.key_protection import Protection
from sfumato.study.key_folders import KeyFolder, Unlocker
from sfumato.study.notes import ReportsNote
from sfumato.study.publishing import Keys, StudyPublication
from sfumato.study.reports import Reports, codebook_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a publication goes: the reports, the key files of a folder, and how keys that are there are opened."""

    out: Path
    keys: Path | None
    folder: KeyFolder
    unlock: Unlocker

    def tidy(self, wanted: Iterable[Published]) -> None:
        """Remove what earlier attempts left here, but for the publications that can still be finished."""
        tokens = [published.token for published in wanted]
        for target in (self.out, self.keys):
            if target is not None:
                discard_others(target, [staging_beside(target, token) for token in tokens])

    def discard(self, published: Published) -> None:
        """Remove what is staged of a publication; its reports last, by which it is found."""
        if self.keys is not None:
            discard(staging_beside(self.keys, published.token))
        discard(staging_beside(self.out, published.token))

    def stage(self, made: StudyPublication, published: Published, protections: Mapping[str, Protection]) -> None:
        """Write reports, and key files if they are new, to where they wait; after a failure nothing is left."""
        note = made.reports.note
        self.discard(published)
        try:
            with staged_afresh(staging_beside(self.out, published.token)) as folder:
                made.reports.write(folder / self.out.name)
            if self.keys is not None and self.folder.files and not self.folder.present:
                self.keys.parent.mkdir(parents=True, exist_ok=True)
                with staged_afresh(staging_beside(self.keys, published.token)) as folder:
                    KeyFolder.of(note.study, folder, note.epoch).write(made.keys, protections, self.unlock)
        except BaseException as error:
            self.discard(published)
            if isinstance(error, InvalidParameter) and error.parameter == "path":
                error.parameter, error.value = "out", str(self.out)
            raise

    def holds(self, published: Published) -> bool:
        """Whether reports are staged here, none of which is in place yet."""
        return (staging_beside(self.out, published.token) / self.out.name).exists()

    def never_left(self, published: Published, limit_bytes: int) -> bool:
        """Whether all of a publication is staged here, whole, and nothing of it was ever in place.

        A file leaves staging by being renamed, so one that is staged was never in place; but what goes into a pipe or
        a device is written there, and leaves no trace. Keys that were here before are marked first of all.
        """
        waiting = staging_beside(self.out, published.token)
        if not all((waiting / target.name).exists() for target in self._targets):
            return False
        if os.path.lexists(self.out) and not self.out.is_file():
            return False
        if self._reports(published, limit_bytes) is None:
            return False
        keys = self._staged_keys(published)
        if keys is not None:
            return all((keys / path.name).exists() for path in self.folder.files)
        try:
            present = self.folder.present
            headers = [read_key_header(path) for path in present]
        except SfumatoError:
            return False
        return bool(present) == bool(self.folder.files) and all(header.produced is None for header in headers)

    def _reports(self, published: Published, limit_bytes: int) -> Reports | None:
        """Return the reports of a publication, staged here or in place; None unless they are whole."""
        staged = staging_beside(self.out, published.token) / self.out.name
        try:
            reports = self._read(staged if staged.exists() else self.out, limit_bytes)
            digests = {column.question: column.digest for column in published.columns}
            if {name: column.digest for name, column in reports.note.columns.items()} != digests:
                return None
            for name in digests:
                reports.column(name)
        except SfumatoError:  # not there, damaged, or something else that has this name
            return None
        return reports

    def found(self, published: Published, limit_bytes: int) -> Reports | None:
        """Return the reports of a publication, staged here or in place; None unless its keys are here as well."""
        reports = self._reports(published, limit_bytes)
        if reports is None:
            return None
        if not self.folder.files or self._staged_keys(published) is not None:
            return reports
        drawings = {column.question: column.drawing for column in published.columns}
        held = self.folder.held_keys(self.unlock) or {}
        is_same = held and all(key.drawing == drawings[name] for name, by in held.items() for key in by.values())
        return reports if is_same else None

    def put(self, published: Published, keys: Keys) -> None:
        """Put keys and reports in place, or what is still missing of them; the table of reports last.

        Keys before reports: reports whose keys were lost could never be opened, keys alone open nothing.
        """
        staged = self._staged_keys(published)
        if staged is not None:
            self._put_keys(staged)
        elif self.folder.files:
            self.folder.write(keys or self._marked(published), {}, self.unlock)
        waiting = staging_beside(self.out, published.token)
        for target in self._targets:
            put_in_place(waiting / target.name, target)

    @property
    def _targets(self) -> tuple[Path, ...]:
        """What stands beside the reports, and the reports last."""
        beside = [] if format_of(self.out) is Format.PARQUET else [note_path(self.out)]
        return (codebook_path(self.out), *beside, self.out)

    def _staged_keys(self, published: Published) -> Path | None:
        folder = None if self.keys is None else staging_beside(self.keys, published.token)
        return folder if folder is not None and folder.exists() else None

    def _put_keys(self, staged: Path) -> None:
        for target in self.folder.files:
            if (staged / target.name).exists() and os.path.lexists(target):
                raise InvalidParameter(
                    "is a key file already, and keys that are lost cannot be had again",
                    parameter="keys",
                    value=str(target),
                    way_out="Move it elsewhere and run the same again, which finishes the publication.",
                )
        for target in self.folder.files:
            target.parent.mkdir(parents=True, exist_ok=True)
            put_in_place(staged / target.name, target)

    def _marked(self, published: Published) -> Keys:
        """Return the keys that were here before, knowing what they made."""
        digests = {column.question: column.digest for column in published.columns}
        return {
            name: {level: key.having_produced(digests[name]) for level, key in by_level.items()}
            for name, by_level in (self.folder.held_keys(self.unlock) or {}).items()
        }

    def _read(self, path: Path, limit_bytes: int) -> Reports:
        table, text = read_table(path, limit_bytes=limit_bytes)
        if text is None:  # the note of a CSV goes first, and is in place already
            beside = note_path(self.out)
            text = decode_text(read_bytes(beside, limit_bytes=NOTE_LIMIT_BYTES), beside)
        return Reports(table=table, note=ReportsNote.from_text(text, path))
