"""Columns as codes into a list of texts, typed cells as text, and the size of chunks."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import UnreadableFile
from sfumato.files.parquet import is_text


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """A column as numbers into a list of different texts, without blanks around them.

    A chunk of a longer column knows how many rows came `first`, so that a refusal names the row of the whole. Where
    empty cells were left out, `filled` says which rows are not.
    """

    codes: npt.NDArray[np.int64]
    texts: tuple[str, ...]
    first: int = 0
    filled: npt.NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return self.codes.size

    @property
    def rows(self) -> int:
        """How many rows there are, empty ones among them."""
        return self.codes.size if self.filled is None else self.filled.size

    def row(self, place: int | np.integer[Any]) -> int:
        """Return the number, from 1, of the row at a place."""
        there = int(place) if self.filled is None else int(np.flatnonzero(self.filled)[int(place)])
        return self.first + there + 1

    def among(self, count: int | np.integer[Any]) -> str:
        """Say how many rows are like this, of those that have been read: after a chunk come others."""
        return count_among(int(count), self.first + self.rows)


def count_among(count: int, rows: int) -> str:
    """Say how many of the rows that have been read are like this; true of a whole table and of a chunk."""
    return f"{count:,} of the first {rows:,} rows"


# --- Typed columns as the text that a CSV file would hold: 3.0 is 3, and a Boolean is True or False
#
# A table is therefore read alike in every file format. A type without one canonical text, such as a date, is refused.


# Floats beyond this are not read as whole numbers.
_MOST_WHOLE = 2.0**53


WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
"""Types of whole numbers."""
DECIMAL = re.compile(r"decimal(128|256)\((\d{1,2}), (\d{1,2})\)")
"""Types of exact decimals: so many digits, so many of them after the point."""


def plain_kind(kind: Any) -> str:
    """Return the name of a type of numbers or of truth, whatever it is coded by; "" for text and all else."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    found = str(kind.value_type if pa.types.is_dictionary(kind) else kind)
    return found if found in {*WHOLE, "float", "double", "bool"} or DECIMAL.fullmatch(found) else ""


def spelled(column: Any, name: str) -> Any:
    """Return a column of texts or whole numbers; a number that is none is an empty cell."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind):
        return column
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode() if isinstance(column, pa.Array) else column.cast(kind)
    if pa.types.is_boolean(kind):
        return pc.if_else(column, "True", "False")
    if pa.types.is_decimal(kind):
        return column.cast(pa.string())
    if pa.types.is_floating(kind):
        return _numbers(column, kind)
    raise UnreadableFile(f"column {name} is of type {kind}, and answers are text or numbers", way_out=_way_out(kind))


def _numbers(column: Any, kind: Any) -> Any:
    """Spell floats with the fewest digits that identify them at their width; each different one once."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    held = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    held = (held if isinstance(held, pa.Array) else held.chunk(0)).fill_null(float("nan"))
    # Straight from its buffer: `to_numpy` would import pandas to do it.
    buffer = np.frombuffer(held.buffers()[1] or b"", dtype=kind.to_pandas_dtype())
    numbers = buffer[held.offset : held.offset + len(held)]
    values, codes = np.unique(numbers, return_inverse=True)
    spell = single_spelled if kind == pa.float32() else number_spelled
    texts = [None if np.isnan(value) else spell(value) for value in values]
    places = pa.array([None if np.isnan(value) else i for i, value in enumerate(values)], pa.int32())
    # Empty cells have no place in the list of texts.
    indices = places.take(pa.Array.from_buffers(pa.int64(), codes.size, [None, pa.py_buffer(codes.astype(np.int64))]))
    words = pa.array([text or "" for text in texts], pa.string())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, words)])


def number_spelled(value: Any) -> str:
    """Write a number without a point where it is whole, else with the fewest digits that identify it."""
    number = float(value) if not isinstance(value, int) else value
    if isinstance(number, int) or (number.is_integer() and abs(number) <= _MOST_WHOLE):
        return str(int(number))
    return str(np.format_float_positional(number, trim="-")) if 1e-9 < abs(number) < 1e17 else str(number)


def single_spelled(value: Any) -> str:
    """Write a number of single precision: 3.1 is no 3.0999999."""
    number = np.float32(value)
    if not number.is_integer() and 1e-9 < abs(number) < 1e17:
        return str(np.format_float_positional(number, trim="-"))
    return number_spelled(float(number))


def _way_out(kind: Any) -> str:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if pa.types.is_temporal(kind):
        return "Ask for what is wanted of a date, such as the year or the age, and write that as a whole number."
    return "Convert it to text or to numbers."


# --- The number of rows that are read, drawn, coded and written at a time
#
# It is a multiple of the block size, so that seeds and digests of blocks are never cut. A key file of true draws is
# coded and sealed in segments of this many rows, so this number is part of its format (docs/reference/files.md).


CHUNK_ROWS = 1 << 18
# glibc's parameters: the size from which memory is mapped, and how much freed memory is kept.
_MAP_FROM, _TRIM_FROM = -3, -1
_KEPT_BYTES = 1 << 26


@functools.cache
def keep_memory() -> None:
    """Ask the C library to keep what arrays of a chunk took, for those of the next; once in a process, where it can.

    Else it hands megabytes back to the system after each chunk and has them mapped anew, page by page: a sixth of the
    time that publishing takes.
    """
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        if hasattr(library, "gnu_get_libc_version"):  # the numbers are those of GNU's library
            library.mallopt(_MAP_FROM, _KEPT_BYTES)
            library.mallopt(_TRIM_FROM, _KEPT_BYTES)
