"""Rows in chunks, from wherever people keep them, whatever their number: a few chunks are in memory, never the whole.

Files, folders and tables are sources, each in a module of its own; here they become chunks of one size.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.chunks import CHUNK_ROWS, keep_memory
from sfumato.files.frames import TableLike, not_a_table
from sfumato.files.layouts import DataFile
from sfumato.files.parquet_tables import plain_text
from sfumato.files.row_files import file_rows
from sfumato.files.row_frames import frame_rows
from sfumato.files.texts import no_column
from sfumato.files.typed_cells import plain_kind
from sfumato.values.checks import check_at_least, check_integer


class RowSource(Protocol):
    """Where rows come from."""

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that there are."""

    @property
    def rows(self) -> int | None:
        """How many rows there are; None where nobody knows before they are read."""

    @property
    def place(self) -> Place | None:
        """The file, the folder or the pattern, for a sentence."""

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns in pieces of any length, of about `size` where that can be chosen."""


class RowStream:
    """Some columns of a source, in the order they are asked for, in chunks; a second reading gives the same rows.

    Rows are counted from 1 through the whole source: through all files of a folder, in the order of their paths.
    """

    __slots__ = ("_source", "columns", "names", "place", "rows")

    def __init__(self, source: RowSource, columns: Sequence[str]) -> None:
        self._source = source
        self.columns = tuple(columns)
        self.names = source.names
        self.rows = source.rows
        self.place = source.place
        if not self.columns or len(set(self.columns)) != len(self.columns):
            raise InvalidParameter(
                "must name at least one column, and each once", parameter="columns", way_out="Name what is needed."
            )
        for name in self.columns:
            if name not in self.names:
                raise no_column(name, self.names, self.place)

    def chunks(self, size: int = CHUNK_ROWS) -> Iterator[Any]:
        """Yield Arrow tables of exactly `size` rows, but for the last; a source without rows is refused."""
        check_at_least("size", check_integer("size", size), 1)
        if self.rows is None or self.rows > size:
            keep_memory()
        return self._chunks(size)

    def count(self) -> int:
        """Return how many rows there are; where nobody knows, one column is read through."""
        if self.rows is not None:
            return self.rows
        return sum(table.num_rows for table in RowStream(self._source, self.columns[:1]).chunks())

    def kinds(self) -> dict[str, str]:
        """Return the names of the types that columns of numbers have in the first rows; of text nothing is said.

        Nor is it of what can be read once.
        """
        if getattr(self._source, "once", False):
            return {}
        first = next(iter(self._source.batches(self.columns, 1)), None)
        return {} if first is None else {name: plain_kind(first.column(name).type) for name in self.columns}

    def _chunks(self, size: int) -> Iterator[Any]:
        is_empty = True
        batches = self._source.batches(self.columns, size)
        for chunk in _regrouped((_plain(batch, self.columns) for batch in batches), size):
            is_empty = False
            yield chunk
        if is_empty:
            raise UnreadableFile("the table has no rows", way_out="Give at least one respondent.", place=self.place)

    def __repr__(self) -> str:
        count = "rows" if self.rows is None else f"{self.rows:,} rows"
        return f"<RowStream: {count} of {', '.join(self.columns)}>"


def open_rows(data: TableLike, *, columns: Sequence[str], limit_bytes: int | None = None) -> RowStream:
    """Return the rows of some columns of a file, a folder, a pattern, or a table that somebody holds.

    No file may be larger than `limit_bytes`, if that is given.
    """
    return RowStream(row_source(data, limit_bytes=limit_bytes, needed=columns), columns)


def row_source(data: TableLike, *, limit_bytes: int | None = None, needed: Collection[str] | None = None) -> RowSource:
    """Return where the rows of a table come from; nothing but names, sizes and footers is read yet.

    Of text, columns that are `needed` tell what stands between cells.
    """
    if isinstance(data, str | Path | DataFile):
        return file_rows(data, limit_bytes=limit_bytes, needed=needed)
    found = frame_rows(data)
    if found is None:
        raise not_a_table(data)
    return found


def _plain(batch: Any, columns: Sequence[str]) -> Any:
    """Return a batch as a table of these columns, without remarks of its writer, its text laid out plainly.

    They are picked by name once more: asked for `a`, Parquet hands over `a.b` as well.
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table([plain_text(batch.column(name)) for name in columns], names=list(columns))


def _regrouped(tables: Iterator[Any], size: int) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    held: list[Any] = []
    count = 0
    for table in tables:
        held.append(table)
        count += table.num_rows
        while count >= size:
            joined = pa.concat_tables(held)
            yield joined.slice(0, size)
            count -= size
            held = [joined.slice(size)] if count else []
    if count:
        yield pa.concat_tables(held)
