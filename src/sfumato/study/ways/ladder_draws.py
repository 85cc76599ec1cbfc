"""Making the reports of a ladder for chunk after chunk of a part, under new draws or under those of keys.

Draws belong to rows: what a row draws under a seed depends on its part and its number there, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import RowWords
from sfumato.bits.row_words import RowArray
from sfumato.refine import Key, Ladder
from sfumato.refine.drawing import LevelDraws, blank_key, check_drawn, check_keys, draw_keys
from sfumato.refine.expansion import shifts_at
from sfumato.refine.keys import Seed
from sfumato.refine.ladder_rows import made_rows
from sfumato.study.ways.base import IntArray
from sfumato.study.ways.drawing import Draw, Drawer
from sfumato.values import Guarantee

if TYPE_CHECKING:
    from sfumato.study.ways.ladder_questions import LadderQuestion

Placed = Callable[[IntArray, str], int | IntArray]
"""The positions of rows of a part."""
_UNKNOWN = 1  # how many rows there are is known at the end


class LadderDrawer(Drawer):
    """Draws for one question of one part."""

    def __init__(self, question: LadderQuestion, ladder: Ladder, draw: Draw, placed: Placed) -> None:
        self._question, self._ladder, self._draw, self._placed = question, ladder, draw, placed
        self._keys: Mapping[int, Key] = {}
        self._levels: LevelDraws | None = None
        self._place = 0
        if draw.keys is not None:
            check_keys(draw.keys, ladder.declaration, draw.binding)
            self._keys = {level: replace(key, drawing=draw.part) for level, key in draw.keys.items()}
            return
        blank = blank_key(ladder.declaration, _UNKNOWN, draw.bits, draw.binding, drawing=draw.part)
        self._draw_afresh(blank)

    def _draw_afresh(self, blank: Key) -> None:
        ladder, draw = self._ladder, self._draw
        if draw.secret is not None and not ladder.key_levels:
            self._keys = {0: replace(blank, guarantee=Guarantee.COMPUTATIONAL, material=Seed(draw.secret))}
        elif draw.guarantee is Guarantee.INFORMATION_THEORETIC or not ladder.key_levels:
            held = replace(blank, guarantee=draw.bits.guarantee)
            self._keys = self._typed({level: replace(held, level=level) for level in ladder.key_levels})
            self._levels = LevelDraws(ladder.steps, draw.bits)
            if draw.store is not None:
                draw.store.begin(self._keys)
        else:
            self._keys = self._typed(draw_keys(blank, ladder.steps, draw.bits, guarantee=draw.guarantee))

    def _typed(self, keys: Mapping[int, Key]) -> Mapping[int, Key]:
        """Let the registrar's key, and no other, know the type that answers have in their table."""
        return {level: key if level else replace(key, answers=self._draw.answers) for level, key in keys.items()}

    def draw(self, answers: Any, numbers: IntArray, filled: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[Any]:
        """Make a report for each answer; a row that is not filled has its draw all the same, so that places stay."""
        shifts = self._shifts(numbers)
        rows = numbers if filled is None else numbers[filled]
        if not rows.size:
            return np.empty(0, dtype=np.int64)

        def words(answered: npt.NDArray[np.bool_] | None) -> RowWords:
            which = rows if answered is None else rows[answered]
            return rounding_words(self._question.id, self._draw.part, which)

        symbols = self._question.symbols(answers, words)
        drawn = shifts if filled is None else shifts[filled]
        return made_rows(self._ladder, symbols, drawn, self._placed(rows, self._draw.base))

    def _shifts(self, numbers: IntArray) -> npt.NDArray[Any]:
        place, self._place = self._place, self._place + numbers.size
        if self._levels is None:
            check_drawn(self._keys[0], self._place, is_all=False)
            return shifts_at(self._keys[0], self._ladder.steps, numbers, np.arange(place, self._place))
        drawn = self._levels.next(numbers.size)
        if self._draw.store is not None:
            for level in self._ladder.key_levels:
                self._draw.store.append(level, drawn[level])
        return drawn[0]

    @property
    def top(self) -> Key | None:
        """The key of level 0, where there are keys."""
        return self._keys.get(0) if self._draw.keys is not None or self._ladder.key_levels else None

    def keys(self, rows: int) -> Mapping[int, Key]:
        """Return the keys of the ladder's levels; of fresh true draws without what they hold."""
        handed = self._ladder.key_levels
        if self._draw.keys is not None:
            check_drawn(self._keys[0], rows, is_all=True)
        return {
            level: replace(key, start=0, stop=rows, total=rows) for level, key in self._keys.items() if level in handed
        }


def rounding_words(question: str, part: str, numbers: RowArray) -> RowWords:
    """Return what counts are rounded with: words of the rows, fixed by question, part and row number.

    So publishing again makes the same reports, in whatever pieces. Rounding need not be secret: whatever it is, the
    ladder after it keeps its ε; it must only not depend on answers.
    """
    return RowWords(sha256(f"sfumato rounding {part} {question}".encode()).digest(), numbers)
