"""Columns as codes whose order says nothing about the rows.

A column read from a file is coded as its values come up, and then the first row is always 0. Here codes follow the
reading order of the values (2 before 10), or the order in which they are declared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.files.tables import words_of
from sfumato.files.words import Words
from sfumato.io.labels import in_reading_order


def coded_column(table: Any, name: str, declared: Sequence[str] | None = None, *, parameter: str = "law") -> Words:
    """Return a column whose code 0 is the first of its values in order, or the first that is declared."""
    words = words_of(table, name)
    order = tuple(map(str, in_reading_order(words.texts))) if declared is None else tuple(declared)
    if missing := set(words.texts) - set(order):
        raise InvalidParameter(
            f"{'has no probability for' if parameter == 'law' else 'leaves out'} {len(missing)} of the values of "
            f"column {name}",
            parameter=parameter,
            way_out="Declare every value that can occur, with `values` where nothing else does.",
        )
    place = {text: code for code, text in enumerate(order)}
    codes = np.array([place[text] for text in words.texts], dtype=np.int64)
    return Words(codes[words.codes] if len(words) else words.codes, order, words.first)
