"""Whole tables in memory, from CSV and Parquet, with a note that tells what a table of reports is.

Parquet carries the note in its footer. CSV has no place for it, so it stands beside, in `<name>.about.json`.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UnreadableFile
from sfumato.files.csv_headers import place_name
from sfumato.files.csv_tables import decode_text
from sfumato.files.disk import open_for_reading, read_bytes
from sfumato.files.formats import Format, format_for_reading, table_format
from sfumato.files.layouts import DataFile, as_file
from sfumato.files.parquet_tables import arrow_errors, is_text, open_parquet, plain_text
from sfumato.files.row_files import file_rows
from sfumato.files.streams import parquet_file
from sfumato.files.texts import no_column, normal
from sfumato.files.typed_cells import spelled
from sfumato.files.words import Words, count_among

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
    """Return a column of whole numbers. pyarrow's own way asks pandas first, which takes a second to import."""
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
