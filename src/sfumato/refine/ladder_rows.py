"""A ladder on some rows of a part: reports made from answers and shifts, and reports undone as far as a key reaches.

What :class:`Ladder` does for a whole column in memory, for chunk after chunk of columns of any length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import ReportArray, check_symbols
from sfumato.errors import KeyRefused
from sfumato.refine.expansion import shifts_at
from sfumato.refine.keys import Key
from sfumato.refine.ladder import Ladder

_Rows = npt.NDArray[np.int64]
_Shifts = npt.NDArray[np.integer[Any]]


def made_rows(ladder: Ladder, values: npt.ArrayLike, shifts: _Shifts, positions: int | _Rows) -> ReportArray:
    """Return the public reports of answers at these positions."""
    return ladder.levels[0].made(values, shifts, positions)


def undone_rows(
    ladder: Ladder, reports: npt.ArrayLike, key: Key, numbers: _Rows, places: _Rows, positions: int | _Rows
) -> _Rows:
    """Return reports as a key shows them, with the key of level 0 the answers; stored draws stand at `places`."""
    if key.ladder != ladder.declaration:
        raise KeyRefused(
            "the key belongs to another ladder: other answers, levels or set", way_out="Use the study it is of."
        )
    if key.level == 0 and not ladder.outline.gives_answers:
        raise KeyRefused("this ladder does not recover answers", way_out="Build it with recover=True.")
    public = check_symbols("reports", reports, ladder.modulus)
    shifts = shifts_at(key, ladder.steps, numbers, places)
    if key.level > 0:
        seen: _Rows = ladder.levels[key.level - 1].seen(public, shifts).astype(np.int64)
        return seen
    answers: _Rows = ladder.levels[0].recovered(public, shifts, positions)
    if answers.size and answers.min() < 0:
        raise KeyRefused(
            "the reports are not the ones that this key was made for", way_out="Look for the file it came with."
        )
    return answers
