"""Columns that have a type of their own, as the texts that a CSV file would hold: 3.0 is 3, and truth is True or False.

So a table is read alike wherever it is kept. What has no one way of being written, such as a date, is refused.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sfumato.errors import UnreadableFile
from sfumato.files.parquet_tables import is_text

# Beyond, a float holds whole numbers that nobody counted.
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
    """Spell floats in as few digits as tell them apart, of their own width; each different one once."""
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
    """Write a number without a point where it is whole, else in as few digits as tell it from others."""
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
