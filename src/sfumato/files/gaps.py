"""Columns with empty cells: what is there, and which rows it is of. Null, no letter and blanks alone are empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.files.parquet_tables import plain_text
from sfumato.files.tables import words_of
from sfumato.files.texts import no_column
from sfumato.files.words import Words

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
    """Leave out what means nothing, and texts that then nobody has."""
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
