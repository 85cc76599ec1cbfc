"""Where a part goes as it is drawn: into files, or into memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from sfumato.refine import Key
from sfumato.refine.keys import Draws
from sfumato.study.codebooks import described_columns
from sfumato.study.notes import ReportsNote
from sfumato.study.reports import Reports
from sfumato.study.ways.drawing import KeyStore

Keys = Mapping[str, Mapping[int, Key]]
"""Keys by question and level."""


class PartSink(Protocol):
    """Where a part goes as it is drawn: rows, and the true draws of each question."""

    def write(self, table: Any) -> None:
        """Take rows."""
        ...

    def store(self, question: str) -> KeyStore:
        """Return where true draws of a question go."""
        ...


class MemorySink:
    """A part that stays in memory."""

    def __init__(self) -> None:
        self.tables: list[Any] = []
        self.stores: dict[str, MemoryStore] = {}

    def write(self, table: Any) -> None:
        """Keep rows."""
        self.tables.append(table)

    def store(self, question: str) -> MemoryStore:
        """Keep draws."""
        return self.stores.setdefault(question, MemoryStore())

    def reports(self, note: ReportsNote) -> Reports:
        """Return the rows as reports."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        return Reports.of(described_columns(pa.concat_tables(self.tables), note), note)

    def keys(self, keys: Keys) -> Keys:
        """Return keys with what they hold."""
        return {name: self._filled(name, held) for name, held in keys.items()}

    def _filled(self, name: str, held: Mapping[int, Key]) -> Mapping[int, Key]:
        store = self.stores.get(name)
        if store is None or not store.levels:
            return held
        return {level: replace(key, material=store.draws(level)) for level, key in held.items()}


class MemoryStore:
    """True draws that stay in memory, by level."""

    def __init__(self) -> None:
        self.levels: dict[int, list[Any]] = {}

    def begin(self, blanks: Mapping[int, Key]) -> None:
        """Nothing has to be got ready."""

    def append(self, level: int, shifts: Any) -> None:
        """Keep them."""
        self.levels.setdefault(level, []).append(shifts)

    def draws(self, level: int) -> Any:
        """Return all of a level."""
        return Draws(np.concatenate(self.levels[level]))
