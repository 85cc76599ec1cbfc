"""Rows in an order of chance, so that nobody who knows the order of a table knows whose report is whose."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource
from sfumato.files.row_streams import RowStream, open_rows


def shuffled(stream: RowStream, source: BitSource) -> RowStream:
    """Return the same rows in another order, each order as probable as any other; they are held in memory."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    table = pa.concat_tables(list(stream.chunks()), promote_options="permissive").unify_dictionaries()
    order = permutation(table.num_rows, source)
    held: Any = table.combine_chunks().take(pa.array(order))
    return open_rows(held, columns=list(stream.columns))


def permutation(count: int, source: BitSource) -> npt.NDArray[np.int64]:
    """Return an order of 0..count-1, all equally probable: by independent words, drawn anew where two are equal.

    Words that are all different are in each order with the same probability, since they are exchangeable.
    """
    while True:
        words = source.words(count)
        order = np.argsort(words, kind="stable")
        ranked = words[order]
        if not np.any(ranked[1:] == ranked[:-1]):
            return order
