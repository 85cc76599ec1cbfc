"""Rows of tables that somebody holds: Arrow, pandas, polars, DuckDB, dictionaries of columns.

They are handed over chunk by chunk, only the columns that are asked for, so that nothing is held twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sfumato.errors import InvalidParameter, Place, SfumatoError, UnreadableFile
from sfumato.files.chunks import CHUNK_ROWS
from sfumato.files.parquet_tables import common_kind
from sfumato.files.texts import check_names


class ArrowRows:
    """A table, a batch or whatever else hands over a stream of Arrow; a reader can be read once."""

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
