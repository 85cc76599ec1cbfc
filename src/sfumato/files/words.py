"""A column as numbers into a list of texts. It stands by itself: who plans a study reads no table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


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
