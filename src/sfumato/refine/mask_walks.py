"""All steps of a ladder of flags at once, for the rows of a seed: what the steps say one after the other, in one pass.

Theory: docs/theory/flags.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.bits import RowStarts, RowWords
from sfumato.bits.row_words import ROW_WIDTH
from sfumato.refine.shifts import Sums

if TYPE_CHECKING:
    from sfumato.refine.mask_steps import ElementStep, SpaceStep

# No half of a lane is as large.
_NEVER = 1 << ROW_WIDTH


@dataclass(frozen=True)
class MaskWalk:
    """Steps from the public space upwards, the last of which may lead to an element."""

    steps: tuple[SpaceStep | ElementStep, ...]

    @cached_property
    def _plan(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64], npt.NDArray[np.int64], tuple[int, ...]]:
        """Words, shapes and tables for the compiled pass, and which steps have lanes after their first."""
        wide = tuple(number for number, step in enumerate(self.steps) if _is_wide(step))
        words, shapes, tables, size = list[list[int]](), list[list[int]](), list[npt.NDArray[np.int64]](), 0
        for number, step in enumerate(self.steps):
            after = len(self.steps) + wide.index(number) if number in wide else number
            mine = step.tables()
            ends = np.cumsum([size, *(table.size for table in mine)]).tolist()
            starts = ends[:2] if mine else [0, 0]
            tables, size = [*tables, *mine], ends[-1]
            words.append(_compared(step))
            shapes.append([*step.span, *starts, after, int(0 < step.chance < 1)])
        every = np.concatenate([*tables, np.zeros(1, dtype=np.int64)])
        every.setflags(write=False)  # as tables are, so that passes over them are compiled once
        return np.array(words, dtype=np.uint64), np.array(shapes, dtype=np.int64), every, wide

    def add_numbered(self, keys: Sequence[bytes], starts: RowStarts, sums: Sums) -> None:
        """Draw for numbered rows under the keys of the steps; `sums` is where it goes."""
        from sfumato.refine.mask_walk_kernel import walk  # noqa: PLC0415  numba is slow to import

        words, shapes, tables, wide = self._plan
        lanes = np.empty((len(self.steps) + len(wide), sums.size), dtype=np.uint64)
        for number, key in enumerate(keys):
            after = [lanes[len(self.steps) + wide.index(number)]] if number in wide else []
            starts.fill_under(key, lanes[number], *after)
        left = np.empty(sums.size, dtype=np.bool_)
        first = self.steps[0]
        climbs = sum(step.is_climb for step in self.steps)
        if walk(lanes, words, shapes, tables, first.length, first.public, climbs, sums, left):
            rows = np.flatnonzero(left)
            again = np.zeros(rows.size, dtype=np.int64)
            for step, key in zip(self.steps, keys, strict=True):
                step.add_rows(RowWords(key, starts.numbers_at(rows)), again)
            sums[rows] = again


@lru_cache(maxsize=32)
def walk_of(steps: tuple[SpaceStep | ElementStep, ...]) -> MaskWalk:
    """Return the pass of steps, of which the first starts at the public space."""
    return MaskWalk(steps)


def _is_wide(step: SpaceStep | ElementStep) -> bool:
    return 0 < step.chance < 1 and any(step.row_places(size).width > ROW_WIDTH for size in step.sizes)


def _compared(step: SpaceStep | ElementStep) -> list[int]:
    """What words are compared with, as :mod:`sfumato.refine.mask_walk_kernel` says."""
    width = min(step.width, ROW_WIDTH)
    chance, rest = step.chance, Fraction(0)
    if 0 < chance < 1:
        border, rest = divmod(chance * (1 << width), 1)
    else:  # always, or never
        border = int(chance) * _NEVER
    found = [ROW_WIDTH - width, int(border), int(border) if rest else _NEVER]
    for size in step.sizes:
        sampler = step.row_places(size)
        last = (1 << 64) - 1 if size == 1 else sampler.last
        found += [size, last, (_NEVER - 1) // size, 65 - sampler.width if sampler.width > ROW_WIDTH else 0]
    return found
