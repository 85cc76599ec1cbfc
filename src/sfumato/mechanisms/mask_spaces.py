"""Spaces of masks, numbered: each c-dimensional space of t-bit masks has a number below [t, c]_2, and the way back.

A space is told by its reduced basis: each row has a pivot, its lowest bit, where no other row has one, and any bits at
the higher places that are no pivots: its filling. Spaces of one mask are numbered by the mask, from 0. Larger ones are
numbered by their pivots, those with the longest fillings first, and then by the filling, that of the first row in the
highest bits. So nothing is divided to spell a number. But the spaces that hold the first `held` unit masks come before
all others, in the order of what they are beside these; 0 is always the space of the first c unit masks.
:mod:`sfumato.mechanisms.mask_kernel` has the same in compiled passes.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

MOST_CODE_BITS = 62
"""Numbers of spaces, with an element of the field beside, fit a signed word."""

DIGIT = 5
"""Bits that a place or a number of places takes where those of several rows are packed into one word."""
# Where a table has what: of its own spaces, and where the table of those that hold the first masks begins.
ROWS, LEADING, HELD, BESIDE, SHIFT, GUESSES, RANKS, HEAD = range(8)
# What a table says of one set of pivots, and how many numbers that is.
START, OFFSET, PIVOTS, FILLINGS, ENTRY = range(5)
# The set of pivots is looked up by the first bits of a number, of which there are so many.
_GUESS_BITS = 9

Table = npt.NDArray[np.int64]


@lru_cache(maxsize=4096)
def spaces(length: int, dimension: int) -> int:
    """[length, dimension]_2, how many spaces of masks there are."""
    if not 0 <= dimension <= length:
        return 0
    found = 1
    for i in range(dimension):
        found = found * ((1 << (length - i)) - 1) // ((1 << (i + 1)) - 1)
    return found


class _Shape(NamedTuple):
    """One set of pivots: how long the filling of each row is, the first number, and the filling that it stands for."""

    pivots: tuple[int, ...]
    fillings: tuple[int, ...]
    start: int
    first: int


@lru_cache(maxsize=64)
def _shapes(length: int, dimension: int, held: int) -> tuple[_Shape, ...]:
    """All sets of pivots in their order."""
    every = [
        (pivots, tuple(length - dimension - pivot + i for i, pivot in enumerate(pivots)))
        for pivots in itertools.combinations(range(length), dimension)
    ]
    every.sort(key=lambda one: (-sum(one[1]), one[0]))
    found, start = [], spaces(length - held, dimension - held) if held else 0
    for pivots, fillings in every:
        # Those that hold the first masks have no filling in their rows, and came before.
        first = 1 << sum(fillings[held:]) if held and pivots[:held] == tuple(range(held)) else 0
        found.append(_Shape(pivots, fillings, start, first))
        start += (1 << sum(fillings)) - first
    return tuple(found)


def rows_of_space(code: int, length: int, dimension: int, held: int = 0) -> tuple[int, ...]:
    """Return the reduced basis of the space with a number, by the definition."""
    if dimension <= 1:
        return (code + 1,) * dimension
    if held and code < spaces(length - held, dimension - held):
        beside = rows_of_space(code, length - held, dimension - held)
        return (*(1 << place for place in range(held)), *(row << held for row in beside))
    shape = next(one for one in reversed(_shapes(length, dimension, held)) if one.start <= code)
    filling, rows = code - shape.start + shape.first, list[int]()
    for pivot, bits in zip(reversed(shape.pivots), reversed(shape.fillings), strict=True):
        others = [place for place in range(pivot + 1, length) if place not in shape.pivots]
        rows.append((1 << pivot) | sum(((filling >> i) & 1) << place for i, place in enumerate(others)))
        filling >>= bits
    return tuple(reversed(rows))


def code_of_space(rows: tuple[int, ...], length: int, held: int = 0) -> int:
    """Return the number of the space that independent masks span, by the definition."""
    reduced = reduced_rows(rows)
    if len(reduced) <= 1:
        return sum(reduced) - len(reduced)
    if held and reduced[:held] == tuple(1 << place for place in range(held)):
        return code_of_space(tuple(row >> held for row in reduced[held:]), length - held)
    pivots, filling = tuple((row & -row).bit_length() - 1 for row in reduced), 0
    shape = next(one for one in _shapes(length, len(reduced), held) if one.pivots == pivots)
    for row, pivot, bits in zip(reduced, pivots, shape.fillings, strict=True):
        others = [place for place in range(pivot + 1, length) if place not in pivots]
        filling = (filling << bits) | sum(((row >> place) & 1) << i for i, place in enumerate(others))
    return shape.start + filling - shape.first


def reduced_rows(rows: tuple[int, ...]) -> tuple[int, ...]:
    """Return the reduced basis of what masks span, by pivot."""
    found: list[int] = []
    for given in rows:
        row = given
        for other in found:
            if row & (other & -other):
                row ^= other
        if row:
            low = row & -row
            found = [other ^ row if other & low else other for other in found] + [row]
    return tuple(sorted(found, key=lambda row: row & -row))


@lru_cache(maxsize=64)
def space_table(length: int, dimension: int, held: int = 0) -> Table:
    """What compiled passes read and write numbers with: sets of pivots, where to look for that of a number, and ranks.

    A set of pivots p_0 < p_1 < … has the rank C(p_0, 1) + C(p_1, 2) + …
    """
    head = [0] * HEAD
    head[ROWS], head[HELD] = dimension, held
    body = list[int]()
    if dimension > 1:
        shapes = _shapes(length, dimension, held)
        head[LEADING] = shapes[0].start
        total = spaces(length, dimension)
        head[SHIFT], head[GUESSES] = max(0, total.bit_length() - _GUESS_BITS), HEAD
        guesses = 1 + ((total - 1) >> head[SHIFT])
        first, place = HEAD + guesses, 0
        for guess in range(guesses):
            while place + 1 < len(shapes) and shapes[place + 1].start <= guess << head[SHIFT]:
                place += 1
            body.append(first + ENTRY * place)
        for shape in shapes:
            body += [shape.start, shape.start - shape.first, _packed(shape.pivots), _packed(shape.fillings)]
        body += [1 << MOST_CODE_BITS, 0, 0, 0]
        head[RANKS] = HEAD + len(body)
        ranks = {shape.pivots: first + ENTRY * number for number, shape in enumerate(shapes)}
        body += [
            ranks[pivots] for pivots in sorted(itertools.combinations(range(length), dimension), key=_rank_of_pivots)
        ]
    head[BESIDE] = HEAD + len(body)
    beside = space_table(length - held, dimension - held).tolist() if held and dimension > 1 else []
    table = np.array([*head, *body, *beside], dtype=np.int64)
    table.setflags(write=False)
    return table


def _packed(numbers: tuple[int, ...]) -> int:
    return sum(number << (DIGIT * i) for i, number in enumerate(numbers))


def _rank_of_pivots(pivots: tuple[int, ...]) -> int:
    return sum(math.comb(pivot, i + 1) for i, pivot in enumerate(pivots))
