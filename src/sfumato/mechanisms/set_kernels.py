"""Compiled loops over sets of residues and spaces of masks.

They compute the definitions of :mod:`sfumato.mechanisms.set_systems` for columns, as words with a bit for each member,
in integers only, so that the sampled laws are the declared ones. Import this module only to draw: its compiler takes a
second to load.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.extending import intrinsic

from sfumato.mechanisms.set_systems import (
    BESIDE,
    DIGIT,
    ENTRY,
    FILLINGS,
    GUESSES,
    HELD,
    LEADING,
    MOST_RESIDUES,
    OFFSET,
    PIVOTS,
    RANKS,
    ROWS,
    SHIFT,
)
from sfumato.sampling.compiling import numba

Whole = npt.NDArray[np.int64]

_CHOOSE = np.array([[math.comb(n, r) for r in range(n + 1)] + [0] * (MOST_RESIDUES - n) for n in range(65)], np.int64)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def spell_set(code: int, size: int, members: int) -> int:
    """The set with a number, among those of so many `members` of `size` residues, as bits."""
    bits = 0
    for member in range(size - 1, -1, -1):
        if members > 0 and code >= _CHOOSE[member, members]:
            code -= _CHOOSE[member, members]
            members -= 1
            bits |= 1 << member
    return bits


@numba.njit(cache=True, nogil=True, error_model="numpy")
def number_set(bits: int, size: int) -> int:
    """The number of a set."""
    code, found = np.int64(0), 0
    for member in range(size):
        if (bits >> member) & 1:
            found += 1
            code += _CHOOSE[member, found]
    return int(code)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _chosen(bits: int, size: int, place: int, wanted: int) -> int:
    """The residue at a place among the members, or with `wanted` 0 among the others."""
    for residue in range(size):
        if (bits >> residue) & 1 == wanted:
            if place == 0:
                return residue
            place -= 1
    return -1


@numba.njit(cache=True, nogil=True, error_model="numpy")
def go_inside(codes: Whole, erased: npt.NDArray[np.uint8], places: Whole, size: int, outer: int, inner: int) -> None:
    """Replace sets of `outer` members by those of `inner` that were drawn: any, or one inside."""
    for row in range(codes.size):
        if erased[row]:
            codes[row] = places[row]
        elif inner < outer:
            bits, kept = spell_set(codes[row], size, outer), spell_set(places[row], outer, inner)
            found, seen = 0, 0
            for residue in range(size):
                if (bits >> residue) & 1:
                    found |= ((kept >> seen) & 1) << residue
                    seen += 1
            codes[row] = number_set(found, size)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def pick(codes: Whole, outside: npt.NDArray[np.uint8], places: Whole, size: int, members: int) -> None:
    """Replace sets by residues that were drawn: members, or others."""
    for row in range(codes.size):
        bits = spell_set(codes[row], size, members)
        codes[row] = _chosen(bits, size, places[row], 0 if outside[row] else 1)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def shifts_of_residues(numbers: Whole, publics: Whole, size: int, public: int, shifts: Whole) -> None:
    """By how much each residue, numbered with those of the row's public set first, shifts an answer: back by it."""
    for row in range(numbers.size):
        number = numbers[row]
        if publics.size and publics[row]:
            bits = spell_set(publics[row], size, public)
            number = _chosen(bits, size, number, 1) if number < public else _chosen(bits, size, number - public, 0)
        shifts[row] = size - number if number else 0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def count_members(
    symbols: Whole, codes: Whole, publics: Whole, size: int, members: int, public: int, counts: Whole
) -> None:
    """Count what every report hits: the set of its level, seen from the row's public set, moved by its symbol."""
    for row in range(symbols.size):
        bits = spell_set(codes[row], size, members)
        base = spell_set(publics[row], size, public) if publics.size else 1
        inside, outside = 0, public
        for residue in range(size):
            if (base >> residue) & 1:
                place = inside
                inside += 1
            else:
                place = outside
                outside += 1
            if (bits >> place) & 1:
                hit = residue + symbols[row]
                counts[hit - size if hit >= size else hit] += 1


# --- Spaces of masks: numbers to bases and back, for the loops over columns
#
# They read the tables of :mod:`sfumato.mechanisms.set_systems`. A table may be a part of a longer one, so a loop over
# several steps gets all its tables as one.


AnyWhole = npt.NDArray[Any]

MOST_ROWS = 64
_ONES = (1 << DIGIT) - 1
_CHOOSE_PIVOTS = np.array([[math.comb(n, r) for r in range(16)] for n in range(1 << DIGIT)], dtype=np.int64)


def _counted(typing_context: Any, value: Any) -> Any:  # noqa: ARG001  numba calls it so

    def generated(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(arguments[0])

    return value(value), generated


popcount: Any = intrinsic(_counted)
"""How many bits are set."""


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def spread(value: int, pivots: int) -> int:
    """Leave the pivots free: bits go to the places between them, the first to the lowest."""
    while pivots:
        pivot = pivots & -pivots
        pivots ^= pivot
        value += value & -pivot  # what is not below the pivot moves up by one
    return value


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def _closed(value: int, pivots: int) -> int:
    """Take the places of the pivots out, where no bit is."""
    gone = 0
    while pivots:
        pivot = (pivots & -pivots) >> gone
        pivots &= pivots - 1
        value -= (value & -pivot) >> 1
        gone += 1
    return value


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def spell_beside(code: int, table: Whole, at: int, rows: AnyWhole, first: int, apart: int = 1) -> int:
    """Write the reduced basis of a numbered space, where no masks come first; return its pivots.

    Its rows stand at `first` and so far `apart`. The filling is taken from its end, so the last row is the first.
    """
    count = table[at + ROWS]
    if count < 2:
        rows[first] = code + 1
        return (code + 1) & -(code + 1) if count else 0
    entry = at + table[at + table[at + GUESSES] + (code >> table[at + SHIFT])]
    while code >= table[entry + ENTRY]:  # where the next one starts
        entry += ENTRY
    filling, pivots = code - table[entry + OFFSET], 0
    places, sizes = table[entry + PIVOTS], table[entry + FILLINGS]
    for number in range(count - 1, -1, -1):
        low, size = 1 << ((places >> (DIGIT * number)) & _ONES), (sizes >> (DIGIT * number)) & _ONES
        rows[first + number * apart] = low | spread((filling & ((1 << size) - 1)) * (low + low), pivots)
        filling >>= size
        pivots |= low
    return pivots


@numba.njit(cache=True, nogil=True, error_model="numpy")
def spell_space(code: int, table: Whole, at: int, rows: AnyWhole, first: int = 0, apart: int = 1) -> int:
    """Write the reduced basis of a numbered space; return its pivots."""
    if code >= table[at + LEADING]:
        return int(spell_beside(code, table, at, rows, first, apart))
    held = table[at + HELD]
    pivots = spell_beside(code, table, at + table[at + BESIDE], rows, first + held * apart, apart)
    for number in range(held):
        rows[first + number * apart] = 1 << number
    for number in range(held, table[at + ROWS]):
        rows[first + number * apart] <<= held
    return int((pivots << held) | ((1 << held) - 1))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _number_beside(rows: Whole, first: int, pivots: int, table: Whole, at: int) -> int:
    """The number of the space whose reduced basis stands in `rows` from `first` on, moved up by as many places."""
    count = table[at + ROWS]
    if count < 2:
        return int((rows[first] >> first) - 1) if count else 0
    rank, waiting = np.int64(0), pivots
    for number in range(count):
        rank += _CHOOSE_PIVOTS[popcount((waiting & -waiting) - 1), number + 1]
        waiting &= waiting - 1
    entry = at + table[at + table[at + RANKS] + rank]
    sizes, filling, waiting = table[entry + FILLINGS], 0, pivots
    for number in range(count):
        low = waiting & -waiting
        waiting ^= low
        mine = _closed((rows[first + number] >> first) ^ low, waiting) >> popcount(low + low - 1)
        filling = (filling << ((sizes >> (DIGIT * number)) & _ONES)) | mine
    return int(table[entry + OFFSET]) + filling


@numba.njit(cache=True, nogil=True, error_model="numpy")
def number_space(rows: Whole, pivots: int, table: Whole, at: int) -> int:
    """The number of the space whose reduced basis stands in `rows`, by pivot."""
    held = table[at + HELD] if table[at + ROWS] > 1 else 0
    is_leading = held > 0
    for number in range(held):
        is_leading &= rows[number] == 1 << number
    if is_leading:
        return _number_beside(rows, held, pivots >> held, table, at + table[at + BESIDE])
    return _number_beside(rows, 0, pivots, table, at)


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def put_above(rows: Whole, low: int, high: int, pivots: int) -> int:
    """Make one reduced basis of that of a space and of what was spelled behind it; return all pivots.

    Spaces above it are spaces of what is left when its pivots are taken out.
    """
    taken = pivots
    for number in range(low, high):
        row = spread(rows[number], taken)
        pivot = row & -row
        for older in range(low):
            rows[older] ^= row & -np.int64((rows[older] & pivot) != 0)
        rows[number] = row
        pivots |= pivot
    return pivots


@numba.njit(cache=True, nogil=True, error_model="numpy")
def put_in_order(rows: Whole, count: int) -> None:
    """Sort rows by their pivots."""
    for number in range(1, count):
        row, place = rows[number], number
        while place > 0 and (rows[place - 1] & -rows[place - 1]) > (row & -row):
            rows[place] = rows[place - 1]
            place -= 1
        rows[place] = row


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def number_element(rows: Whole, count: int, pivots: int, place: int, odd: int, length: int, public: int) -> int:
    """The number of the element whose bits beside the pivots are those of `place`, and whose masks are as `odd` says.

    Bit i of `odd` is for the row with the i-th pivot; rows may stand in any order. Elements are numbered so that those
    at which the first `public` unit masks are even come first.
    """
    element, own = spread(place, pivots), 0
    for number in range(count):
        row = rows[number]
        low = row & -row
        own |= low & -((popcount(row & element) ^ (odd >> popcount(pivots & (low - 1)))) & 1)
    element |= own
    first, rest = element & ((1 << public) - 1), element >> public
    return rest - 1 if first == 0 else (first << (length - public)) + rest - 1


# --- Spaces of masks in columns: spaces above a space, answers hidden, reports undone, masks counted


@numba.njit(cache=True, nogil=True, error_model="numpy")
def climb(
    codes: Whole,
    erased: npt.NDArray[np.uint8],
    places: Whole,
    low: int,
    high: int,
    tables: tuple[Whole, Whole, Whole],
) -> None:
    """Replace spaces of dimension `low` by those of dimension `high` that were drawn: any, or one above."""
    rows = np.empty(MOST_ROWS, dtype=np.int64)
    for row in range(codes.size):
        if erased[row]:
            codes[row] = places[row]
        elif low < high:
            pivots = spell_space(codes[row], tables[0], 0, rows)
            spell_beside(places[row], tables[1], 0, rows, low)
            pivots = put_above(rows, low, high, pivots)
            put_in_order(rows, high)
            codes[row] = number_space(rows, pivots, tables[2], 0)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def hide(
    codes: Whole,
    outside: npt.NDArray[np.uint8],
    places: Whole,
    length: int,
    dimension: int,
    public: int,
    table: Whole,
) -> None:
    """Replace spaces by numbers of elements that were drawn: all masks of the space are even at it, or not all.

    Elements are numbered so that those at which the first `public` unit masks are even come first.
    """
    rows, free = np.empty(MOST_ROWS, dtype=np.int64), length - dimension
    for row in range(codes.size):
        place, odd = places[row] + 1, 0
        if outside[row]:
            odd, place = (places[row] >> free) + 1, places[row] & ((1 << free) - 1)
        pivots = spell_space(codes[row], table, 0, rows)
        codes[row] = number_element(rows, dimension, pivots, place, odd, length, public)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def shifts_of_numbers(
    numbers: npt.NDArray[np.int64],
    publics: Whole,
    length: int,
    public: int,
    table: Whole,
    logs: Whole,
    shifts: Whole,
) -> None:
    """By how much each numbered element shifts an answer, where the masks of its row are those of a public space."""
    rows = np.empty(MOST_ROWS, dtype=np.int64)
    favoured, order = (1 << (length - public)) - 1, (1 << length) - 1
    for row in range(numbers.size):
        number, odd = numbers[row], 0
        even = number + 1
        if number >= favoured:
            odd = ((number - favoured) >> (length - public)) + 1
            even = (number - favoured) & favoured
        element = odd | (even << public)
        if publics.size and publics[row]:
            pivots = spell_space(publics[row], table, 0, rows)
            element = spread(even, pivots)
            waiting, bits = pivots, 0
            for place in range(public):
                low = waiting & -waiting
                waiting ^= low
                if (popcount(rows[place] & element) ^ (odd >> place)) & 1:
                    bits |= low
            element |= bits
        log = logs[element]
        shifts[row] = order - log if log else 0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def count_masks(
    symbols: Whole,
    codes: Whole,
    publics: Whole,
    length: int,
    dimension: int,
    public: int,
    tables: tuple[Whole, Whole],
    masks: Whole,
    mask_logs: Whole,
    counts: Whole,
) -> None:
    """Count every mask of every report: the space of its level, moved to the row's public masks and by its symbol."""
    rows, base = np.empty(MOST_ROWS, dtype=np.int64), np.empty(MOST_ROWS, dtype=np.int64)
    order = (1 << length) - 1
    for row in range(symbols.size):
        spell_space(codes[row], tables[0], 0, rows)
        is_moved = publics.size > 0 and publics[row] > 0
        taken = 0
        if is_moved:
            taken = spell_space(publics[row], tables[1], 0, base)
        for number in range(dimension):
            mask = rows[number]
            if is_moved:
                moved = spread(mask >> public, taken)
                for place in range(public):
                    if (mask >> place) & 1:
                        moved ^= base[place]
                mask = moved
            log = mask_logs[mask] - symbols[row]
            rows[number] = masks[log + order if log < 0 else log]
        mask = 0
        counts[0] += 1
        for step in range(1, 1 << dimension):  # each differs from the one before by one row
            changed, number = step, 0
            while not changed & 1:
                changed >>= 1
                number += 1
            mask ^= rows[number]
            counts[mask] += 1
