"""Spaces of masks in compiled passes: numbers to bases and back, spaces above a space, answers hidden, masks counted.

What :mod:`sfumato.mechanisms.mask_spaces` defines, for columns. Integers only: what is drawn is what the laws say.
Import this module only when there is something to draw: the compiler behind it takes a second to load.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]

_MOST_ROWS = 64


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def _spread(value: int, pivots: int) -> int:
    """Make room at the pivots: bits go to the places between them, the first to the lowest."""
    while pivots:
        pivot = pivots & -pivots
        pivots ^= pivot
        below = value & (pivot - 1)
        value = ((value ^ below) << 1) | below
    return value


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def _closed(value: int, pivots: int) -> int:
    """Take the places of the pivots out, where no bit is."""
    gone = 0
    while pivots:
        pivot = (pivots & -pivots) >> gone
        pivots &= pivots - 1
        below = value & (pivot - 1)
        value = ((value ^ below) >> 1) | below
        gone += 1
    return value


@numba.njit(cache=True, nogil=True, inline="always", error_model="numpy")
def _parity(value: int) -> int:
    value ^= value >> 32
    value ^= value >> 16
    value ^= value >> 8
    value ^= value >> 4
    return (0x6996 >> (value & 15)) & 1


@numba.njit(cache=True, nogil=True, error_model="numpy")
def spell_space(code: int, length: int, dimension: int, table: Whole, rows: Whole) -> int:
    """Write the reduced basis of a numbered space; return its pivots."""
    pivots, left, place, found = 0, dimension, 0, 0
    while left > 0:
        rest = length - place
        block = table[rest - 1, left - 1]
        lead = block << (rest - left)
        if code < lead:
            filling = np.int64(np.uint64(code) // np.uint64(block))  # of unsigned words, which is quicker
            code -= filling * block
            rows[found] = filling
            found += 1
            pivots |= 1 << place
            left -= 1
        else:
            code -= lead
        place += 1
    waiting = pivots
    for number in range(dimension):
        low = waiting & -waiting
        waiting ^= low
        rows[number] = low | _spread(rows[number] * (low + low), waiting)
    return pivots


@numba.njit(cache=True, nogil=True, error_model="numpy")
def number_space(rows: Whole, pivots: int, length: int, dimension: int, table: Whole) -> int:
    """The number of the space whose reduced basis stands in `rows`, by pivot."""
    code, left, place, found = 0, dimension, 0, 0
    while left > 0:
        block, low = table[length - place - 1, left - 1], 1 << place
        if pivots & low:
            above = pivots & ~(low | (low - 1))
            code += block * (_closed(rows[found] ^ low, above) >> (place + 1))
            found += 1
            left -= 1
        else:
            code += block << (length - place - left)
        place += 1
    return code


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _above(
    code: int,
    place: int,
    length: int,
    low: int,
    high: int,
    tables: tuple[Whole, Whole, Whole],
    rows: Whole,
    more: Whole,
) -> int:
    """The number of the space of dimension `high` that a place among those above a space of dimension `low` stands for.

    Spaces above it are spaces of what is left when its pivots are taken out.
    """
    pivots = spell_space(code, length, low, tables[0], rows)
    spell_space(place, length - low, high - low, tables[1], more)
    taken = pivots
    for number in range(high - low):
        row = _spread(more[number], taken)
        pivot = row & -row
        for older in range(low):
            if rows[older] & pivot:
                rows[older] ^= row
        more[number] = row
        pivots |= pivot
    # The old rows and the new ones are in order of their pivots, and so is what they are merged to, from the end.
    old, new = low - 1, high - low - 1
    for number in range(high - 1, -1, -1):
        if new < 0 or (old >= 0 and (rows[old] & -rows[old]) > (more[new] & -more[new])):
            rows[number] = rows[old]
            old -= 1
        else:
            rows[number] = more[new]
            new -= 1
    return number_space(rows, pivots, length, high, tables[2])


@numba.njit(cache=True, nogil=True, error_model="numpy")
def climb(
    codes: Whole,
    erased: npt.NDArray[np.uint8],
    places: Whole,
    length: int,
    low: int,
    high: int,
    tables: tuple[Whole, Whole, Whole],
) -> None:
    """Replace spaces of dimension `low` by those of dimension `high` that were drawn: any, or one above."""
    rows, more = np.empty(_MOST_ROWS, dtype=np.int64), np.empty(_MOST_ROWS, dtype=np.int64)
    for row in range(codes.size):
        if erased[row] or codes[row] == 0:  # above the first space stand the first ones
            codes[row] = places[row]
        elif low < high:
            codes[row] = _above(codes[row], places[row], length, low, high, tables, rows, more)


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
    rows = np.empty(_MOST_ROWS, dtype=np.int64)
    favoured, below = (1 << (length - public)) - 1, (1 << public) - 1
    free = length - dimension
    for row in range(codes.size):
        place, syndrome = places[row] + 1, 0
        if outside[row]:
            syndrome, place = (places[row] >> free) + 1, places[row] & ((1 << free) - 1)
        pivots = spell_space(codes[row], length, dimension, table, rows)
        element = _spread(place, pivots)
        waiting = pivots
        bits = 0
        for number in range(dimension):
            low = waiting & -waiting
            waiting ^= low
            if _parity(rows[number] & element) ^ ((syndrome >> number) & 1):
                bits |= low
        element |= bits
        odd, even = element & below, element >> public
        codes[row] = even - 1 if odd == 0 else favoured + ((odd - 1) << (length - public)) + even


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
    rows = np.empty(_MOST_ROWS, dtype=np.int64)
    favoured, order = (1 << (length - public)) - 1, (1 << length) - 1
    for row in range(numbers.size):
        number, odd = numbers[row], 0
        even = number + 1
        if number >= favoured:
            odd = ((number - favoured) >> (length - public)) + 1
            even = (number - favoured) & favoured
        element = odd | (even << public)
        if publics.size and publics[row]:
            pivots = spell_space(publics[row], length, public, table, rows)
            element = _spread(even, pivots)
            waiting, bits = pivots, 0
            for place in range(public):
                low = waiting & -waiting
                waiting ^= low
                if _parity(rows[place] & element) ^ ((odd >> place) & 1):
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
    rows, base = np.empty(_MOST_ROWS, dtype=np.int64), np.empty(_MOST_ROWS, dtype=np.int64)
    order = (1 << length) - 1
    for row in range(symbols.size):
        spell_space(codes[row], length, dimension, tables[0], rows)
        is_moved = publics.size > 0 and publics[row] > 0
        taken = 0
        if is_moved:
            taken = spell_space(publics[row], length, public, tables[1], base)
        for number in range(dimension):
            mask = rows[number]
            if is_moved:
                moved = _spread(mask >> public, taken)
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


@numba.njit(cache=True, nogil=True, error_model="numpy")
def first_places(
    lanes: npt.NDArray[np.uint64],
    after: npt.NDArray[np.uint64],
    coin: npt.NDArray[np.uint64],
    sizes: npt.NDArray[np.uint64],
    lasts: npt.NDArray[np.uint64],
    wide: npt.NDArray[np.uint8],
    chosen: npt.NDArray[np.uint8],
    places: Whole,
    left: npt.NDArray[np.bool_],
) -> int:
    """Read which of two classes each row falls into and its place there; return how many need more words.

    The high half of a lane is the coin's word: below the border it falls on 1, at `undecided` it goes on. The low half
    is the place's, with the high half of the lane after it where a class is `wide`.
    """
    half, low = np.uint64(32), np.uint64((1 << 32) - 1)
    spare, border, undecided, found = coin[0], coin[1], coin[2], 0
    for row in range(lanes.size):
        word = (lanes[row] >> half) >> spare
        kind = 1 if word < border else 0
        place = lanes[row] & low
        if wide[kind]:
            place = (place << half) | (after[row] >> half)
        else:
            place >>= spare
        is_left = (word == undecided) | (place > lasts[kind])
        left[row] = is_left
        found += is_left
        chosen[row] = kind
        places[row] = np.int64(place % sizes[kind])
    return found
