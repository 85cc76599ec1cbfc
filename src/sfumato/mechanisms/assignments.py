"""Who is asked about which options: public, balanced, and decided by the position alone.

Positions come in rounds of as many as there are options. A round has a public order of the options; the first of its
positions is asked about the first m of them, the next about those from the second on, and so on in a circle. So in
every round each option is asked of exactly m respondents. Orders are those of words of a cipher under a public key, as
good as drawn at random, so over many rounds every set of m options is asked equally often, and so is every pair.
Theory: docs/theory/several.md
"""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import numpy.typing as npt

from sfumato.bits import RowStarts
from sfumato.bits.mechanism import Positions

IntArray = npt.NDArray[np.int64]


def assigned_options(options: int, asked: int, count: int, positions: Positions) -> IntArray:
    """Return for each of `count` positions the `asked` options that it is asked about, ascending: a row a position."""
    if asked == options:
        return np.broadcast_to(np.arange(options, dtype=np.int64), (count, options))
    if isinstance(positions, np.ndarray):
        numbers = positions.astype(np.int64)
    else:
        numbers = np.arange(positions, positions + count, dtype=np.int64)
    rounds, turns = np.divmod(numbers, options)
    different, places = np.unique(rounds, return_inverse=True)
    orders = _orders(options, different)
    window = (turns[:, None] + np.arange(asked)) % options
    found: IntArray = np.sort(orders[places[:, None], window], axis=1)
    return found


def _orders(options: int, rounds: IntArray) -> IntArray:
    """Return the public order of the options in each of these rounds: those with the smallest words come first."""
    numbers = (rounds[:, None] * options + np.arange(options)).reshape(-1)
    words = RowStarts(numbers.size)
    words.take(numbers)
    key = sha256(f"sfumato assignment of {options} options".encode()).digest()
    lanes = words.under(key).reshape(-1, options)
    orders: IntArray = np.argsort(lanes, axis=1, kind="stable").astype(np.int64)
    return orders
