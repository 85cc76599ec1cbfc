"""Rows in an order of chance, so that nobody who knows the order of a table knows whose report is whose."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource
from sfumato.files.chunks import CHUNK_ROWS
from sfumato.files.row_streams import RowStream, open_rows
from sfumato.files.table_writers import plain_rows


def shuffled(stream: RowStream, source: BitSource) -> RowStream:
    """Return the same rows in another order, each order as probable as any other; they are held in memory."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    # Decoded first: a dictionary would keep the order in which its values came.
    table = pa.concat_tables([plain_rows(table) for table in stream.chunks()], promote_options="permissive")
    wide = pa.schema(
        [(one.name, pa.large_string() if pa.types.is_string(one.type) else one.type) for one in table.schema]
    )
    whole = table.cast(wide).combine_chunks()
    order = permutation(whole.num_rows, source)
    starts = range(0, order.size, CHUNK_ROWS)
    held: Any = pa.concat_tables([plain_rows(whole.take(pa.array(order[at : at + CHUNK_ROWS]))) for at in starts])
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
