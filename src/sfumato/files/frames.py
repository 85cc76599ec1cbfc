"""Tables from wherever people keep them: files, Arrow, pandas, polars, plain dictionaries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.files.layouts import DataFile
from sfumato.files.tables import TABLE_LIMIT_BYTES, read_table


class ArrowStream(Protocol):
    """What hands its columns over by Arrow's C interface: tables of Arrow, polars, duckdb and new pandas."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the stream."""


class PandasFrame(Protocol):
    """What looks like a table of pandas, whichever version of its types is installed."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""

    def itertuples(self, index: bool = True, name: Any = "Pandas") -> Any:
        """Yield the rows."""


class LazyTable(Protocol):
    """What looks like a lazy table of polars: computed when it is read."""

    def collect_schema(self) -> Any:
        """Return the names and types of the columns."""


Column = Sequence[str | int | float | bool | None] | npt.NDArray[Any]
"""Cells in order: answers are text or whole numbers, None is an empty cell."""
TableLike = str | Path | DataFile | Mapping[str, Column] | ArrowStream | PandasFrame | LazyTable
"""A table as people keep it: a file, a dictionary of columns, or a table of Arrow, polars, pandas or DuckDB.

A `DataFile` says how a file is written where that is not plain."""


def as_arrow(data: TableLike, *, limit_bytes: int = TABLE_LIMIT_BYTES, columns: Collection[str] | None = None) -> Any:
    """Return an Arrow table from a path, an Arrow, pandas or polars table, or a dictionary of columns.

    Of a file only `columns` are read, where they are given and all there.
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if isinstance(data, str | Path | DataFile):
        return read_table(data, limit_bytes=limit_bytes, columns=columns)[0]
    if isinstance(data, pa.Table):
        return data
    try:
        if isinstance(data, pa.RecordBatch):
            return pa.Table.from_batches([data])
        if isinstance(data, Mapping):
            return pa.table({str(name): list(column) for name, column in data.items()})
        if type(data).__module__.split(".")[0] == "pandas":
            return pa.Table.from_pandas(data, preserve_index=False)
        if hasattr(data, "__arrow_c_stream__"):  # polars, duckdb and others
            return pa.table(data)
    except (pa.ArrowException, TypeError, ValueError):
        raise InvalidParameter(
            "has a column of mixed kinds, or columns of different lengths",
            parameter="data",
            way_out="Use text or whole numbers throughout.",
        ) from None
    raise not_a_table(data)


def not_a_table(data: object) -> InvalidParameter:
    """Return the refusal of what is no table."""
    return InvalidParameter(
        f"must be a table, not {type(data).__name__}",
        parameter="data",
        way_out="Pass a path, an Arrow, pandas, polars or DuckDB table, or a dictionary of columns.",
    )
