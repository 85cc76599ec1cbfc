"""The files of a part while it is drawn: rows and true draws are written as they come, nothing is in place yet."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter
from sfumato.files.disk import flush_folder
from sfumato.files.staging import discard, flush_staged
from sfumato.files.table_writers import TableWriter, write_beside_table
from sfumato.io.key_files import write_key
from sfumato.io.key_writers import KeyWriter
from sfumato.refine import Key
from sfumato.refine.key_protection import Protection
from sfumato.study.codebooks import codebook
from sfumato.study.key_folders import KeyFolder
from sfumato.study.notes import ReportsNote
from sfumato.study.part_sinks import Keys
from sfumato.study.task_files import WrittenFile, take_file


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
        """Refuse before drawing what there is no room for."""
        columns = len(self._files.study.column_ways) + 1
        # A byte a cell is less than a table takes; key files of true draws take about as much again for each level.
        levels = sum(len(way.key_levels) for way in self._files.study.column_ways) if draws else 0
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
            # What is still being written there belongs to runs that nobody waits for.
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
    """The true draws of a question, on their way into key files."""

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
