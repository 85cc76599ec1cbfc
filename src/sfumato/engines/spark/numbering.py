"""Row numbers that survive when a task runs again: by file and place in it, or by the order of a column.

Spark's own counters change with the partitions, so they are not used. A row of a Parquet file is named by its file and
its index there, which Spark tells in `_metadata`; files come in the order of their paths. Any other table is numbered
by one pass over a column of ids, each of which is there once: sorted by that column, the first row is 0.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from sfumato.engines.spark.frames import map_rows, spark_sentences
from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.row_files import file_rows
from sfumato.files.texts import no_column

NUMBER = "sfumato_row_number"
"""The column of row numbers while rows are moved; it is never written."""
_BUCKET, _FILE, _INDEX, _BASE = (f"sfumato_{name}" for name in ("bucket", "file", "index", "base"))
# A literal map is searched from its beginning for every row.
_FEW_FILES = 12
_BUCKET_ROWS = 1 << 18
_MOST_BUCKETS = 1 << 12
_SAMPLES_A_BUCKET = 40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowPlaces:
    """Where a row stands: in which file and as which row of it, or where in the order of a column."""

    files: tuple[str, ...] = field(default=(), repr=False)
    starts: tuple[int, ...] = field(default=(), repr=False)
    column: str | None = None

    def of(self, number: int) -> tuple[Place | None, int]:
        """Return the file of a row, and how many rows come before it there."""
        if not self.files:
            return None, number
        index = int(np.searchsorted(np.array(self.starts), number, side="right")) - 1
        return Place(file=self.files[index]), number - self.starts[index]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NumberedFrame:
    """A table with a column of row numbers, from 0 to one less than there are rows.

    `is_in_order` where rows lie nearly in the order of their numbers.
    """

    frame: Any
    rows: int
    places: RowPlaces
    is_in_order: bool

    def count(self) -> int:
        """Return how many rows there are."""
        return self.rows


def number_rows(frame: Any, columns: Sequence[str], *, by: str | None = None) -> NumberedFrame:
    """Number the rows of a table, and keep the columns that are needed; `by` names a column of ids."""
    for name in (*columns, *([] if by is None else [by])):
        if frame.columns.count(name) > 1:
            raise InvalidParameter(
                f"has two columns called {name!r}", parameter="data", way_out="Rename or drop one of them."
            )
        if name not in frame.columns:
            raise no_column(name, frame.columns)
    with spark_sentences(frame):
        return _by_files(frame, [_named(name) for name in columns]) if by is None else _by_column(frame, columns, by)


def _by_files(frame: Any, chosen: Sequence[Any]) -> NumberedFrame:
    from pyspark.errors import AnalysisException  # noqa: PLC0415  an extra
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    try:
        placed = frame.select(f.col("_metadata.file_path").alias(_FILE), f.col("_metadata.row_index").alias(_INDEX))
    except AnalysisException:
        raise InvalidParameter(
            "has no rows that can be numbered: Spark knows the place of a row only in Parquet files, before any join",
            parameter="data",
            way_out="Name a column of ids by `id_column`, or write the table to Parquet and read it from there.",
        ) from None
    counts = _rows_by_file(frame, placed)
    files = sorted(counts, key=lambda name: Path(unquote(urlsplit(name).path)).parts)
    sizes = [counts[name] for name in files]
    starts = [0, *np.cumsum(sizes[:-1], dtype=np.int64).tolist()] if sizes else []
    if not sum(sizes):
        raise UnreadableFile("the table has no rows", way_out="Give at least one respondent.")
    path, index = f.col("_metadata.file_path"), f.col("_metadata.row_index")
    pairs = [(spelled, start) for name, start in zip(files, starts, strict=True) for spelled in _spellings(name)]
    if len(files) <= _FEW_FILES:
        bases = f.create_map(*[f.lit(part) for pair in pairs for part in pair])
        numbered = frame.select((f.element_at(bases, path) + index).alias(NUMBER), *chosen)
    else:
        bases = frame.sparkSession.createDataFrame(pairs, f"{_FILE} string, {_BASE} bigint")
        # A row of a file that is not known would be lost; it is found out when its block does not become whole.
        numbered = (
            frame.select(path.alias(_FILE), index.alias(_INDEX), *chosen)
            .join(f.broadcast(bases), _FILE)
            .withColumn(NUMBER, f.col(_BASE) + f.col(_INDEX))
            .drop(_FILE, _INDEX, _BASE)
        )
    named = tuple(_plain(name) for name in files)
    places = RowPlaces(files=named, starts=tuple(starts))
    return NumberedFrame(frame=numbered, rows=sum(sizes), places=places, is_in_order=True)


def _rows_by_file(frame: Any, placed: Any) -> dict[str, int]:
    """Return how many rows each file has: from its footer, where this machine can read it; else they are counted."""
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    names = frame.inputFiles()
    found: dict[str, int] = {}
    for name in names:
        here = Path(_plain(name))
        if urlsplit(name).scheme not in {"", "file"} or not here.is_file():
            break
        found[name] = file_rows(here).rows or 0
    if names and len(found) == len(names) and frame.count() == sum(found.values()):
        return found
    grouped = placed.groupBy(_FILE).agg(f.count("*").alias("rows"), f.max(_INDEX).alias("last")).collect()
    counted = {row[_FILE]: row["rows"] for row in grouped}
    if any(row[_FILE] is None or row["rows"] != row["last"] + 1 for row in grouped):
        raise InvalidParameter(
            "has not all the rows of its files, so that their places are no numbers from first to last",
            parameter="data",
            way_out="Name a column of ids by `id_column`, or write the table to Parquet and read it from there.",
        )
    return counted


def _by_column(frame: Any, columns: Sequence[str], by: str) -> NumberedFrame:
    from pyspark.sql import Window  # noqa: PLC0415  an extra
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra
    from pyspark.sql.types import IntegralType, StringType  # noqa: PLC0415  an extra

    kind = frame.schema[by].dataType
    if not isinstance(kind, IntegralType | StringType):
        raise InvalidParameter(
            "must be a column of texts or whole numbers", parameter="id_column", value=by, way_out="Convert it."
        )
    column = _named(by)
    rows, named = frame.select(f.count("*"), f.count(column)).first()
    if not rows:
        raise UnreadableFile("the table has no rows", way_out="Give at least one respondent.")
    if named < rows:
        raise UnreadableFile(
            f"column {by} is empty in {rows - named:,} of {rows:,} rows",
            way_out="Give everybody an id, or drop the row.",
        )
    wanted = [*dict.fromkeys((by, *columns))]
    tagged = map_rows(
        frame.select(*[_named(name) for name in wanted]),
        _tagging(by, _edges(frame, column, rows)),
        {_BUCKET: "integer"},
    )
    counted = tagged.groupBy(_BUCKET).agg(f.count("*").alias("rows"), f.count_distinct(column).alias("ids")).collect()
    twice = sum(row["rows"] - row["ids"] for row in counted)
    if twice:
        raise UnreadableFile(
            f"column {by} names somebody in two rows, {twice:,} times",
            way_out="Leave one of the two rows out; corrected answers are for `sfumato amend`.",
        )
    sizes = {row[_BUCKET]: row["rows"] for row in counted}
    starts = [0, *np.cumsum([sizes.get(bucket, 0) for bucket in range(max(sizes))]).tolist()]
    base = f.element_at(f.array(*[f.lit(start).cast("bigint") for start in starts]), f.col(_BUCKET) + 1)
    number = base + f.row_number().over(Window.partitionBy(_BUCKET).orderBy(column)) - 1
    numbered = tagged.select(number.alias(NUMBER), *[_named(name) for name in columns])
    return NumberedFrame(frame=numbered, rows=rows, places=RowPlaces(column=by), is_in_order=False)


def _edges(frame: Any, column: Any, rows: int) -> list[Any]:
    """Return ids that divide the rows into buckets of about the same size; they stay out of Spark's plans."""
    buckets = min(_MOST_BUCKETS, rows // _BUCKET_ROWS + 1)
    if buckets == 1:
        return []
    share = min(1.0, _SAMPLES_A_BUCKET * buckets / rows)
    sampled = sorted(row[0] for row in frame.select(column).sample(share, seed=1).collect())
    return sorted({sampled[place * len(sampled) // buckets] for place in range(1, buckets)}) if sampled else []


def _tagging(by: str, edges: list[Any]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return what tells for each row which bucket its id belongs to."""

    def tagged(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        for batch in batches:
            ids = batch.column(batch.schema.get_field_index(by)).to_pylist()
            buckets = pa.array([bisect.bisect_right(edges, person) for person in ids], pa.int32())
            yield pa.RecordBatch.from_arrays([*batch.columns, buckets], names=[*batch.schema.names, _BUCKET])

    return tagged


def _named(name: str) -> Any:
    from pyspark.sql import functions as f  # noqa: PLC0415  an extra

    return f.col("`" + name.replace("`", "``") + "`")


def _spellings(name: str) -> set[str]:
    """Return how Spark may spell a file: of a local one it says file:/path in a row, and elsewhere file:///path."""
    local = name.removeprefix("file:").lstrip("/")
    return {f"file:/{local}", f"file:///{local}"} if name.startswith("file:") else {name}


def _plain(name: str) -> str:
    """Return the path of a local file as people write it; any other address as it is."""
    found = urlsplit(name)
    return unquote(found.path) if found.scheme in {"", "file"} else name
