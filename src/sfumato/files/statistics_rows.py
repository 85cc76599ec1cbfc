"""The rows of files of SPSS, Stata and SAS with their value labels.

A code that has a label is read as its label, unless codes are requested for the column. Values that the respondent or
the file declares missing are empty cells. The library that reads these files runs in a child process for each file,
because some damaged files crash it.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from sfumato.errors import UnreadableFile
from sfumato.files.disk import SteadyFile
from sfumato.files.formats import check_installed
from sfumato.files.reader_processes import MEMORY_BYTES, ReaderProcess, broken_down, seconds_for
from sfumato.files.texts import check_names

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_MOST_COLUMNS = 100_000


class _About(msgspec.Struct):
    """What a file says of itself."""

    names: list[str]
    rows: int | None
    labels: dict[str, dict[str, str]]


class _Refused(msgspec.Struct):
    """Why a reader refuses."""

    rule: str
    way_out: str


class StatisticsRows:
    """A file of a statistics program as a source of rows."""

    def __init__(self, file: SteadyFile, *, seconds: float | None = None, memory: int = MEMORY_BYTES) -> None:
        self._file, self.place = file, file.place
        self._memory = memory
        check_installed("pyreadstat", self.place)
        with file.opened() as stream:
            self._seconds = seconds_for(stream.seek(0, io.SEEK_END)) if seconds is None else seconds
            child, about = self._started()
        # Idle readers: the first reading of rows takes the one that described the file.
        self._idle = [child]
        self.names: tuple[str, ...] = tuple(about.names)
        if not all(self.names) or not 1 <= len(self.names) <= _MOST_COLUMNS:
            raise UnreadableFile(
                f"the file has {len(self.names):,} columns, or one without a name",
                way_out="Save it with fewer columns, and name each.",
                place=self.place,
            )
        check_names(self.names, self.place)
        self.rows: int | None = about.rows
        self.value_labels: dict[str, dict[str, str]] = about.labels
        self._by_code: frozenset[str] = frozenset()

    def with_codes(self, names: Collection[str]) -> Self:
        """Return the same rows, with the codes of some columns instead of their labels."""
        found = copy.copy(self)
        found._by_code = frozenset(names)  # noqa: SLF001  its own
        return found

    @staticmethod
    def kind(name: str) -> Any:
        """Return the type of a column: text."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        del name
        return pa.string()

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns, in pieces that the reader chooses by their width."""
        del size
        with self._file.opened():
            child = self._idle.pop() if self._idle else self._started()[0]
            try:
                child.ask({"columns": list(columns), "codes": sorted(self._by_code), "seconds": self._seconds})
                while (said := child.answer())[0] != b"E":
                    yield self._batch(self._body(said, b"B"), columns)
            except BaseException:
                child.close()
                raise
            self._idle.append(child)

    def _started(self) -> tuple[ReaderProcess, _About]:
        """Start a reader; return it, and what the file says of itself."""
        child = ReaderProcess("sfumato.files.statistics_process", self.place, seconds=self._seconds)
        held = self._file.held
        try:
            child.ask(
                {
                    "path": str(self._file.path),
                    "held": None if held is None else len(held),
                    "reader": _READERS[Path(self._file.path).suffix.lower()],
                    "seconds": self._seconds,
                    "memory": self._memory,
                },
                held or b"",
            )
            body = self._body(child.answer(), b"A")
            return child, msgspec.json.decode(body, type=_About)
        except msgspec.DecodeError:
            child.close()
            raise broken_down(self.place) from None
        except BaseException:
            child.close()
            raise

    def _batch(self, body: bytes, columns: Sequence[str]) -> Any:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        try:
            batch = pa.ipc.open_stream(body).read_next_batch()
            batch.validate(full=True)
        except pa.ArrowException:
            raise broken_down(self.place) from None
        if batch.schema != pa.schema([(name, pa.string()) for name in columns]):
            raise broken_down(self.place)
        return batch

    def _body(self, said: tuple[bytes, bytes], wanted: bytes) -> bytes:
        """Return what was asked for, or raise what the reader refuses."""
        kind, body = said
        if kind == wanted:
            return body
        try:
            refused = msgspec.json.decode(body, type=_Refused)
        except msgspec.DecodeError:
            raise broken_down(self.place) from None
        raise UnreadableFile(refused.rule, way_out=refused.way_out, place=self.place)
