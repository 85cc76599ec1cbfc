"""Sets of residues in compiled passes: sets inside a set, members and others, reports undone, hits counted.

What :mod:`sfumato.mechanisms.numbered_sets` defines, for columns, as words with a bit for each member. Integers only:
what is drawn is what the laws say. Import this module only when there is something to draw: the compiler behind it
takes a second to load.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sfumato.bits.compiling import numba
from sfumato.mechanisms.numbered_sets import MOST_RESIDUES

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
