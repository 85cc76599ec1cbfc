"""Whole tables in memory from files, Arrow objects and data frames.

Parquet carries the note in its footer. CSV has no place for it, so the note is in `<name>.about.json` beside the file.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.columns import Words, count_among, spelled
from sfumato.files.csv_rows import place_name
from sfumato.files.disk import empty_file, open_for_reading, read_bytes
from sfumato.files.formats import DataFile, Format, as_file, format_for_reading, table_format
from sfumato.files.parquet import arrow_errors, check_words, is_text, open_parquet, plain_text
from sfumato.files.row_files import file_rows
from sfumato.files.texts import decode_text, no_column, normal, not_text

# Limits of counting in a stream: lines and batches are read one after another, whatever the size of the file.


MOST_COUNT = 10**15
"""Largest count in one row; the sum of a batch of them fits into 64 bits."""
LONGEST_LABEL = 1_000
_LONGEST_LINE = 2**20


@contextlib.contextmanager
def text_lines(path: str | Path, *, limit_bytes: int) -> Iterator[tuple[Iterator[str], BinaryIO]]:
    """Open a file of text as bounded lines, beside the stream they come from; what goes wrong becomes a sentence."""
    with open_for_reading(path, limit_bytes=limit_bytes) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        try:
            yield _bounded(text, path, limit_bytes), stream
        except UnicodeDecodeError:
            raise not_text(path) from None
        except OSError as error:
            raise UnreadableFile(
                f"the file could not be read to its end: {error.strerror}",
                way_out="Copy it and retry.",
                place=Place(file=str(path)),
            ) from None
        finally:
            text.detach()


@contextlib.contextmanager
def parquet_file(path: str | Path, *, limit_bytes: int) -> Iterator[tuple[Any, int]]:
    """Open a Parquet file for reading batch by batch, beside its size in bytes."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    with open_for_reading(path, limit_bytes=limit_bytes) as stream:
        found = os.fstat(stream.fileno())
        is_regular = stat.S_ISREG(found.st_mode)
        if is_regular and found.st_size == 0:
            raise empty_file(path)
        with arrow_errors(path):
            # The footer is at the end, so a pipe has to be held in memory.
            source = stream if is_regular else pa.BufferReader(read_bytes(path, limit_bytes=limit_bytes))
            yield open_parquet(source, path), found.st_size


def lines_until(chunk: list[list[str]], cells: tuple[str, ...]) -> int:
    """How many lines it takes to get to a row; a quoted cell may run over several."""
    rows = itertools.takewhile(lambda row: tuple(row) != cells, chunk)
    return 1 + sum(1 + sum(cell.count("\n") for cell in row) for row in rows)


def column_keys(column: Any, path: str | Path) -> tuple[Any, list[str] | None]:
    """Return what to group by and, for text, the words it stands for: grouping numbers is ten times quicker."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if not is_text(column.type):
        return column, None
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return encoded.indices, check_words(encoded.dictionary, path, longest=LONGEST_LABEL)


def row_counts(batch: Any, path: str | Path, count: str | None) -> Any:
    """Return how often each row of a batch counts: what the column named `count` says, or once."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415

    if count is None:
        return pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
    counts = batch.column(count).cast(pa.int64())
    ends = pc.min_max(counts).as_py()
    if batch.num_rows and not 0 <= ends["min"] <= ends["max"] <= MOST_COUNT:
        raise UnreadableFile(
            f"column {count} must hold whole numbers from 0 to {MOST_COUNT}",
            way_out="Correct it.",
            place=Place(file=str(path)),
        )
    return counts


def _bounded(text: io.TextIOWrapper, path: str | Path, limit_bytes: int) -> Iterator[str]:
    """Yield lines, none so long and not so many that memory or patience runs out."""
    read = 0
    while line := text.readline(_LONGEST_LINE):
        read += len(line)
        if len(line) >= _LONGEST_LINE or "\0" in line:
            raise not_text(path)
        if read > limit_bytes:  # only a pipe gets here: a file's size is known beforehand
            raise UnreadableFile(
                f"the file is longer than {limit_bytes} bytes",
                way_out="Raise `limit_bytes` if that is meant.",
                place=Place(file=str(path)),
            )
        yield line


TABLE_LIMIT_BYTES = 2_000_000_000
NOTE_LIMIT_BYTES = 2**26
_FEW = 4096
_ROWS = 2**16
NOTE_KEY = b"sfumato"
"""Where a Parquet file carries its note."""


def read_table(
    data: str | Path | DataFile, *, limit_bytes: int = TABLE_LIMIT_BYTES, columns: Collection[str] | None = None
) -> tuple[Any, str | None]:
    """Return an Arrow table and its note, None if it has none. Cells of a CSV are text.

    With `columns`, others are left where they are; a table that lacks one of these is read whole, to tell what it has.
    """
    layout = as_file(data)
    path = layout.path
    kind = table_format(path)
    if kind is Format.PARQUET and layout.is_plain and (columns is None or not Path(path).is_file()):
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        return _read_parquet(pa.BufferReader(read_bytes(path, limit_bytes=limit_bytes)), path, columns)
    if kind is Format.PARQUET and layout.is_plain:
        with open_for_reading(path, limit_bytes=limit_bytes) as stream:
            return _read_parquet(stream, path, columns)
    beside = note_path(path)
    has_note = kind is Format.CSV and beside.exists()
    note = decode_text(read_bytes(beside, limit_bytes=NOTE_LIMIT_BYTES), beside) if has_note else None
    return _read_rows(layout, limit_bytes, columns), note


def number_column(values: npt.NDArray[Any]) -> Any:
    """Return a column of whole numbers. pyarrow's own conversion imports pandas, which takes a second."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    held = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(held.dtype), held.size, [None, pa.py_buffer(held)])


def labelled_column(codes: npt.NDArray[np.int64], labels: Sequence[str]) -> Any:
    """Return a dictionary column of all labels in their order, whether they occur or not: code 1 is the second."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    kind = np.int8 if len(labels) <= 127 else np.int32
    return pa.DictionaryArray.from_arrays(number_column(codes.astype(kind)), _label_array(labels))


def text_column(codes: npt.NDArray[np.int64], labels: Sequence[str]) -> Any:
    """Return a column of texts, `labels[code]` for each code; without pandas, as above."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    codes = codes.astype(np.int32)
    return pa.DictionaryArray.from_arrays(number_column(codes), _label_array(labels)).cast(pa.string())


def _label_array(labels: Sequence[str]) -> Any:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    parts = [label.encode() for label in labels]
    ends = np.cumsum([0, *(len(part) for part in parts)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(parts), pa.py_buffer(ends), pa.py_buffer(b"".join(parts)))


def with_gaps(column: Any, there: npt.NDArray[np.bool_] | None) -> Any:
    """Return a column whose cells are empty where nothing is there."""
    if there is None or there.all():
        return column
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return column.take(pa.array([place if full else None for place, full in enumerate(there.tolist())], pa.int64()))


def note_inside(path: str | Path) -> str | None:
    """Return the note that a Parquet file carries; None where it has none, and for other files."""
    if Path(path).is_dir() or format_for_reading(path) is not Format.PARQUET or not Path(path).is_file():
        return None
    with parquet_file(path, limit_bytes=sys.maxsize) as (opened, _):
        note = (opened.metadata.metadata or {}).get(NOTE_KEY)
        return None if note is None else decode_text(note, path)


def note_path(path: str | Path) -> Path:
    """Where the note of a table stands."""
    return Path(f"{path}.about.json")


def codebook_path(path: str | Path) -> Path:
    """Where the codebook of a table stands."""
    return Path(f"{path}.codebook.md")


def words_of(table: Any, name: str, first: int = 0) -> Words:
    """Return a column of texts or whole numbers; empty cells are refused by their row, counted after `first` others."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    if name not in table.column_names:
        raise no_column(name, table.column_names)
    column = spelled(plain_text(table.column(name)), name)
    if column.null_count:
        row = int(np.flatnonzero(pc.is_null(column).to_numpy())[0])
        raise UnreadableFile(
            f"column {name}, row {first + row + 1} is empty "
            f"({count_among(column.null_count, first + table.num_rows)} are)",
            way_out='Fill it in, or drop the row; an answer such as "prefer not to answer" can be listed in the study.',
        )
    encoded = column.combine_chunks().dictionary_encode() if not pa.types.is_dictionary(column.type) else column
    encoded = pa.chunked_array([encoded]) if isinstance(encoded, pa.Array) else encoded
    encoded = encoded.unify_dictionaries().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    return _stripped(_numbers_of(encoded.indices), [str(text) for text in encoded.dictionary.to_pylist()], first)


def places_in(table: Any, name: str, known: Sequence[str], first: int = 0) -> npt.NDArray[np.int64]:
    """Return the place of each cell in a list of known texts; others are refused by their row, never by their text."""
    words = words_of(table, name, first)
    place = {text: i for i, text in enumerate(known)}
    found = np.array([place.get(text, -1) for text in words.texts], dtype=np.int64)
    places: npt.NDArray[np.int64] = found[words.codes] if len(words) else np.empty(0, dtype=np.int64)
    if places.size and places.min() < 0:
        unknown = np.flatnonzero(places < 0)
        raise UnreadableFile(
            f"column {name}, row {words.row(unknown[0])} holds a value that is not known here "
            f"({words.among(unknown.size)} do)",
            way_out="Correct it, or add the value.",
        )
    return places


def numbers_of(table: Any, name: str) -> npt.NDArray[np.int64]:
    """Return a column of whole numbers without gaps."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    column = table.column(name)
    if column.null_count or not pa.types.is_integer(column.type):
        if column.null_count == 0 and is_text(column.type):
            found = [int(text) if text.isdecimal() and len(text) <= 13 else -1 for text in column.to_pylist()]
            return np.array(found, dtype=np.int64)
        raise UnreadableFile(f"column {name} must hold whole numbers", way_out="Ask for the file again.")
    pieces = [_numbers_of(chunk) for chunk in (column.chunks if isinstance(column, pa.ChunkedArray) else [column])]
    return pieces[0] if len(pieces) == 1 else np.concatenate([np.empty(0, dtype=np.int64), *pieces])


def _numbers_of(array: Any) -> npt.NDArray[np.int64]:
    """Read whole numbers without gaps straight from their buffer; `to_numpy` would import pandas to do it."""
    if len(array) == 0:
        return np.empty(0, dtype=np.int64)
    held = np.frombuffer(array.buffers()[1], dtype=str(array.type))
    return held[array.offset : array.offset + len(array)].astype(np.int64)


def _stripped(codes: npt.NDArray[np.int64], texts: Sequence[str], first: int) -> Words:
    # Many different texts are hardly the same in the next chunk, and ids are not to be remembered.
    merged, kept = (_merged if len(texts) <= _FEW else _merged.__wrapped__)(tuple(texts))
    if len(kept) == len(texts):  # no two became the same: every code stays what it was
        return Words(codes, kept, first)
    return Words(np.array(merged, dtype=np.int64)[codes] if codes.size else codes, kept, first)


@functools.lru_cache(maxsize=4)
def _merged(texts: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Return texts in Unicode NFC without blanks around them, each once, and where each was put.

    Chunks often have the same texts.
    """
    place: dict[str, int] = {}
    merged = tuple(place.setdefault(normal(text).strip(), len(place)) for text in texts)
    return merged, tuple(place)


def _wanted(names: Sequence[str], columns: Collection[str] | None) -> list[str]:
    """Which of the columns to read: those that are asked for, or all where one of them is not there."""
    return [name for name in names if name in columns] if columns and set(columns) <= set(names) else list(names)


def _read_rows(layout: DataFile, limit_bytes: int, columns: Collection[str] | None) -> Any:
    """Read a table that is no Parquet; columns without a name are left where they are, unless they are asked for."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    source = file_rows(layout, limit_bytes=limit_bytes, needed=columns)
    wanted = _wanted(source.names, columns)
    if columns is None or not set(columns) <= set(wanted):
        wanted = [name for number, name in enumerate(wanted, start=1) if name != place_name(number)] or wanted
    found = source.batches(wanted, _ROWS)
    pieces = [pa.Table.from_batches([piece]) if isinstance(piece, pa.RecordBatch) else piece for piece in found]
    if not pieces:
        return pa.table({name: pa.array([], pa.string()) for name in wanted})
    return pa.concat_tables(pieces, promote_options="permissive")


def _read_parquet(source: Any, path: str | Path, columns: Collection[str] | None) -> tuple[Any, str | None]:
    with arrow_errors(path):
        opened = open_parquet(source, path)
        note = (opened.metadata.metadata or {}).get(NOTE_KEY)
        wanted = _wanted(opened.schema_arrow.names, columns)
        whole = len(wanted) == len(opened.schema_arrow.names)
        table = opened.read() if whole else opened.read(columns=wanted)
        return table, None if note is None else decode_text(note, path)


# --- Tables from files, Arrow, pandas, polars and plain dictionaries


class ArrowStream(Protocol):
    """An object with Arrow's C interface for streams: tables of Arrow, polars, duckdb and new pandas."""

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


# --- Columns with empty cells: the values and their rows. Null, empty text and blanks are empty


Mask = npt.NDArray[np.bool_]


def _is_nothing(text: str) -> bool:
    return not text


def filled_words(table: Any, name: str, first: int = 0, is_empty: Callable[[str], bool] = _is_nothing) -> Words:
    """Return the cells of a column that are not empty, and which rows they are of; `is_empty` says so of texts too."""
    if name not in table.column_names:
        raise no_column(name, table.column_names)
    column = plain_text(table.column(name))
    there = _valid(column)
    if there is None:
        return _without(words_of(table, name, first), None, is_empty)
    if not there.any():
        return Words(np.empty(0, dtype=np.int64), (), first, there)
    # Some cell that is there stands in the place of the empty ones, so that a refusal names the right row.
    places = np.where(there, np.arange(there.size), int(np.flatnonzero(there)[0]))
    return _without(words_of(_taken(column, places, name), name, first), there, is_empty)


def _taken(column: Any, places: npt.NDArray[np.int64], name: str) -> Any:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table({name: column.take(pa.array(places.tolist(), pa.int64()))})


def _valid(column: Any) -> Mask | None:
    """Say which cells hold something; None is all of them."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    is_float = pa.types.is_floating(column.type)
    if not column.null_count and not is_float:
        return None
    found = np.asarray(pc.is_null(column, nan_is_null=is_float).to_pylist(), dtype=np.bool_)
    return ~found if found.any() else None


def without(words: Words, is_empty: Callable[[str], bool]) -> Words:
    """Leave out the cells of a column that mean nothing."""
    return _without(words, words.filled, is_empty)


def _without(words: Words, there: Mask | None, is_empty: Callable[[str], bool]) -> Words:
    """Leave out empty cells, and texts that are then unused."""
    gone = [code for code, text in enumerate(words.texts) if not text or is_empty(text)]
    if there is None and not gone:
        return words
    filled = np.ones(words.codes.size, dtype=np.bool_) if there is None else there
    if gone:
        filled &= ~np.isin(words.codes, gone)
    if filled.all():
        return words
    kept, codes_left = np.unique(words.codes[filled], return_inverse=True)
    texts = tuple(words.texts[code] for code in kept.tolist())
    return Words(codes_left.astype(np.int64).reshape(-1), texts, words.first, filled)
