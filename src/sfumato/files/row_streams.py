"""Rows in chunks from any kind of table, in memory that does not grow with their number.

Files, folders and tables are sources, each kind in its own module; this module cuts their rows into chunks of one size.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from sfumato.errors import InvalidParameter, Place, SfumatoError, UnreadableFile
from sfumato.files.columns import CHUNK_ROWS, keep_memory, plain_kind
from sfumato.files.formats import DataFile
from sfumato.files.parquet import common_kind, plain_text
from sfumato.files.row_files import file_rows
from sfumato.files.tables import TableLike, not_a_table
from sfumato.files.texts import check_names, no_column
from sfumato.numbers.checks import check_at_least, check_integer

# --- Rows of tables in memory: Arrow, pandas, polars, DuckDB, dictionaries of columns
#
# They are read in chunks, and only the columns that are needed, so that no data is held twice.


class ArrowRows:
    """A table, a batch or any other object with an Arrow stream; a reader can be read once."""

    place: Place | None = None

    def __init__(
        self,
        names: Sequence[str],
        stream: Callable[[Sequence[str], int], Iterator[Any]],
        *,
        rows: int | None = None,
        once: bool = False,
    ) -> None:
        self.names = tuple(names)
        self.rows = rows
        self._stream = stream
        self.once = once
        self._is_read = False
        check_names(self.names)

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns."""
        if self.once and self._is_read:
            raise InvalidParameter(
                "can be read once, and was",
                parameter="data",
                way_out="Hand over a table or a file, or a new reader.",
            )
        self._is_read = True
        with _foreign_errors():
            yield from self._stream(list(columns), size)


class ColumnRows:
    """Columns one by one, cut where they are: a dictionary, or a table of pandas."""

    place: Place | None = None

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.names = tuple(columns)
        self._columns = dict(columns)
        check_names(self.names)
        try:
            lengths = {len(column) for column in columns.values()}
        except TypeError:
            lengths = {0, 1}
        if len(lengths) > 1:
            raise InvalidParameter(
                "has columns of different lengths, or without any",
                parameter="data",
                way_out="Give every column as many cells as there are rows.",
            )
        self.rows: int | None = lengths.pop() if lengths else 0

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns, of one type each from the first row to the last."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        kinds = {name: self._kind(name) for name in columns}
        for start in range(0, self.rows or 0, size):
            arrays = [self._piece(name, kinds[name], start, start + size) for name in columns]
            yield pa.record_batch(arrays, names=list(columns))

    def _kind(self, name: str) -> Any:
        """Return the type that all cells of a column have, None where the column says so itself."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        column = self._columns[name]
        if str(getattr(column, "dtype", "object")) != "object":
            return None
        found = pa.null()
        for start in range(0, self.rows or 0, CHUNK_ROWS):
            try:
                other = pa.infer_type(list(_cut(column, start, start + CHUNK_ROWS)), from_pandas=True)
                found = common_kind(found, other)
            except (pa.ArrowException, TypeError, ValueError, KeyError):
                raise _mixed(name) from None
        return found

    def _piece(self, name: str, kind: Any, start: int, stop: int) -> Any:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        try:
            found = pa.array(_cut(self._columns[name], start, stop), type=kind, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, KeyError):
            raise _mixed(name) from None
        return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def frame_rows(data: Any) -> ArrowRows | ColumnRows | None:
    """Return the rows of a table in memory; None if it is none that is known here."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return ArrowRows(data.column_names, _slices_of(data), rows=data.num_rows)
    if isinstance(data, pa.RecordBatchReader):
        return ArrowRows(data.schema.names, lambda columns, _: _selected(data, columns), once=True)
    if isinstance(data, Mapping):
        return ColumnRows({str(name): column for name, column in data.items()})
    made_by = type(data).__module__.split(".")[0]
    if made_by == "pandas" and hasattr(data, "iloc") and hasattr(data, "columns"):
        names = [str(name) for name in data.columns]
        check_names(names)
        return ColumnRows({name: data.iloc[:, place] for place, name in enumerate(names)})
    if made_by == "polars" and hasattr(data, "collect_schema"):
        return _of_polars(data)
    if made_by in {"duckdb", "_duckdb"} and hasattr(data, "project"):
        return ArrowRows(data.columns, _of_duckdb(data))
    if hasattr(data, "__arrow_c_stream__"):
        with _foreign_errors():
            names = pa.RecordBatchReader.from_stream(data).schema.names
        return ArrowRows(names, lambda columns, _: _selected(pa.RecordBatchReader.from_stream(data), columns))
    return None


def _of_polars(data: Any) -> ArrowRows:
    if hasattr(data, "height"):
        return ArrowRows(
            data.columns,
            lambda columns, size: (piece.to_arrow() for piece in data.select(columns).iter_slices(size)),
            rows=data.height,
        )

    def computed(columns: Sequence[str], size: int) -> Iterator[Any]:
        chosen = data.select(list(columns))
        if hasattr(chosen, "collect_batches"):
            pieces = chosen.collect_batches(chunk_size=size, maintain_order=True)
        else:  # before it could be had piece by piece
            pieces = chosen.collect().iter_slices(size)
        return (piece.to_arrow() for piece in pieces)

    with _foreign_errors():
        return ArrowRows(data.collect_schema().names(), computed)


def _of_duckdb(data: Any) -> Callable[[Sequence[str], int], Iterator[Any]]:
    def run(columns: Sequence[str], size: int) -> Iterator[Any]:
        chosen = data.project(", ".join('"' + name.replace('"', '""') + '"' for name in columns))
        reader = chosen.to_arrow_reader if hasattr(chosen, "to_arrow_reader") else chosen.fetch_record_batch
        yield from reader(size)

    return run


def _slices_of(table: Any) -> Callable[[Sequence[str], int], Iterator[Any]]:
    def run(columns: Sequence[str], size: int) -> Iterator[Any]:
        chosen = table.select(list(columns))
        return (chosen.slice(start, size) for start in range(0, table.num_rows, size))

    return run


def _selected(reader: Any, columns: Sequence[str]) -> Iterator[Any]:
    return (batch.select(list(columns)) for batch in reader)


def _cut(column: Any, start: int, stop: int) -> Any:
    """Cut by place, where a table of pandas would cut by label."""
    return (column.iloc if hasattr(column, "iloc") else column)[start:stop]


@contextlib.contextmanager
def _foreign_errors() -> Iterator[None]:
    """Turn what another program says, which may quote a row, into a sentence that does not."""
    try:
        yield
    except (SfumatoError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  each program has its own, and none of them is ours
        raise UnreadableFile(
            f"the table could not be computed or handed over ({type(error).__name__})",
            way_out="Run the query by itself to see why, or write the table to a file.",
        ) from None


def _mixed(name: str) -> InvalidParameter:
    return InvalidParameter(
        f"has values of mixed kinds in column {name!r}",
        parameter="data",
        way_out="Use text or whole numbers throughout.",
    )


class RowSource(Protocol):
    """Where rows come from."""

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that there are."""

    @property
    def rows(self) -> int | None:
        """How many rows there are; None where that is not known before they are read."""

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
        """Return how many rows there are; where that is not known, one column is read to count them."""
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
    """Return the rows of some columns of a file, a folder, a pattern, or a table in memory.

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
