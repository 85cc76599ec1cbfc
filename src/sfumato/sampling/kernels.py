"""Compiled loops of the samplers.

The decisions of plain integers are made here by bounds on the same numbers, and the attempts that the bounds leave open
are handed back: 2^-33 of the attempts at 64 bits. Exponents are counted in steps of 2^-48, chances in steps of 2^-62;
the steps that either may be off are added up beside them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.sampling.compiling import numba

# The compiled loop of the entropy-recycling sampler. Import it only to draw: the compiler takes a second to load.


Words = npt.NDArray[np.uint64]


@numba.njit(cache=True, nogil=True)
def draw_by_recycling(
    words: Words,
    word_bits: np.uint64,
    floor: np.uint64,
    totals: Words,
    guide: npt.NDArray[np.int64],
    depth: np.uint64,
    skip: np.uint64,
    state: Words,
    outcomes: npt.NDArray[np.int64],
    done: int,
) -> tuple[int, int]:
    """Fill `outcomes` from `done` on until it is full or the words run out; returns how many are done and words used.

    `state` holds a number and the range 0..range-1 on which it is uniform. Below the last multiple of 2^depth in the
    range, the low bits of the number choose an outcome, and the high ones with the place inside the outcome are again
    uniform on a smaller range; above it there is no outcome, and the rest is uniform too. Below `floor` the range is
    refilled with a word.
    """
    value, reach = state[0], state[1]
    used = 0
    mask = (np.uint64(1) << depth) - np.uint64(1)
    while done < outcomes.size:
        if reach < floor:
            if used == words.size:
                break
            value = (value << word_bits) | words[used]
            reach = reach << word_bits
            used += 1
            continue
        whole = reach >> depth
        high = value >> depth
        if high < whole:
            low = value & mask
            outcome = guide[low >> skip]
            while totals[outcome + 1] <= low:
                outcome += 1
            count = totals[outcome + 1] - totals[outcome]
            value = high * count + (low - totals[outcome])
            reach = whole * count
            outcomes[done] = outcome
            done += 1
        else:
            value -= whole << depth
            reach -= whole << depth
    state[0], state[1] = value, reach
    return done, used


PLACES = 48
# This many whole units of the scale or more, once in e^31 attempts, are left to plain integers.
MOST_WHOLE = 30
# Scales up to this are divided in steps of 16 bits within a word.
MOST_SCALE = 1 << 47
# A larger coefficient of the square is replaced by this one: the exponent of any number but 0 is beyond `_FAR` anyway.
MOST_SQUARE = 64
POWER_PLACES = 62
POWER_DIGITS = 256

_PLACES = np.uint64(PLACES)
_POWER_PLACES = np.uint64(POWER_PLACES)
_CUT = np.uint64(POWER_PLACES - PLACES)
# η lacks 1 step, so η² < 2·31+2, times a coefficient of 64 at most and with what that lacks < 64·64+31²+1; then the
# linear term and the level.
_LACKING = np.uint64(1 << 13)
# Three powers and two products lack 1 step each, the short series 3, the last product 1.
_OFF = np.uint64(16) + (_LACKING << _CUT)
# e^-34 < 2^-49
_FAR = np.uint64(34 << PLACES)
_OPEN = 2

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_WORD = np.uint64(64)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SIXTEEN = np.uint64(16)
_BYTE = np.uint64(255)


@numba.njit(cache=True, nogil=True, inline="always")
def _product(one: np.uint64, other: np.uint64, places: np.uint64) -> np.uint64:
    """⌊one·other/2^places⌋, which must be below 2^64."""
    one_low, one_high = one & _LOW, one >> _HALF
    other_low, other_high = other & _LOW, other >> _HALF
    low = one_low * other_low
    middle = one_high * other_low + (low >> _HALF)
    cross = one_low * other_high + (middle & _LOW)
    high = one_high * other_high + (middle >> _HALF) + (cross >> _HALF)
    return (high << (_WORD - places)) | (((cross << _HALF) | (low & _LOW)) >> places)


@numba.njit(cache=True, nogil=True, inline="always")
def _quotient(remainder: np.uint64, scale: np.uint64) -> np.uint64:
    """⌊remainder·2^48/scale⌋, in three divisions."""
    found = _ZERO
    for _ in range(3):
        remainder = remainder << _SIXTEEN
        found = (found << _SIXTEEN) | (remainder // scale)
        remainder %= scale
    return found


@numba.njit(cache=True, nogil=True, inline="always")
def _exponent(whole: np.uint64, part: np.uint64, square: np.uint64, linear: np.uint64, level: np.uint64) -> np.uint64:
    """The exponent of an attempt's last coin, from below."""
    ratio = (whole << _PLACES) + part
    above = _product(_product(ratio, ratio, _PLACES), square, _PLACES) + _product(ratio, linear, _PLACES) + level
    below = whole << _PLACES
    return above - below if above > below else _ZERO


@numba.njit(cache=True, nogil=True, inline="always")
def _chance(exponent: np.uint64, powers: Words) -> np.uint64:
    """e^-exponent: powers of e from a table for the whole part and the first two bytes, a short series for the rest."""
    found = powers[0, exponent >> _PLACES]
    found = _product(found, powers[1, (exponent >> np.uint64(40)) & _BYTE], _POWER_PLACES)
    found = _product(found, powers[2, (exponent >> _HALF) & _BYTE], _POWER_PLACES)
    rest = exponent & _LOW
    squared = rest * rest
    cubed = (squared >> _HALF) * rest // np.uint64(6)
    series = (_ONE << _POWER_PLACES) - (rest << _CUT) + (squared >> np.uint64(35)) - (cubed >> np.uint64(50))
    return _product(found, series, _POWER_PLACES)


@numba.njit(cache=True, nogil=True)
def chance_bounds(exponent: np.uint64, powers: Words) -> tuple[np.uint64, np.uint64]:
    """The first 48 bits of e^-x for every x that `exponent` may stand for lie between these two."""
    if exponent >= _FAR:
        return _ZERO, _ZERO
    found = _chance(exponent, powers)
    return (found - _OFF) >> _CUT if found > _OFF else _ZERO, (found + _OFF) >> _CUT


@numba.njit(cache=True, nogil=True, inline="always")
def _throw(word: np.uint64, lower: np.uint64, upper: np.uint64) -> int:
    if word < lower:
        return 1
    return 0 if word > upper else _OPEN


@numba.njit(cache=True, nogil=True)
def draw_two_sided(
    words: Words,
    width: np.uint64,
    last: np.uint64,
    scale: np.uint64,
    square: np.uint64,
    linear: np.uint64,
    level: np.uint64,
    powers: Words,
    outcomes: npt.NDArray[np.int64],
    done: int,
) -> tuple[int, int, bool]:
    """Fill `outcomes` from `done` on until it is full, the words run out, or bounds leave an attempt open.

    Returns how many are done, how many words their attempts used, and whether the next attempt was left open. An
    attempt that lacks words is made anew from its first word when there are more: nothing about it is forgotten, or
    attempts that need many words would be too rare.
    """
    # Of words beyond 48 bits the first 48 are compared, with narrower words as many bits of the chance.
    past = width - _PLACES if width > _PLACES else _ZERO
    lacking = _PLACES - width if width < _PLACES else _ZERO
    unit_lower, unit_upper = chance_bounds(_ONE << _PLACES, powers)
    unit_lower, unit_upper = unit_lower >> lacking, unit_upper >> lacking
    both = scale + scale
    used = 0
    while done < outcomes.size:
        place = used
        if place == words.size:
            break
        word = words[place]
        place += 1
        if word > last:
            used = place
            continue
        number = word % both
        remainder, negative = number >> _ONE, number & _ONE
        whole = _ZERO
        while True:
            if place == words.size:
                return done, used, False
            throw = _throw(words[place] >> past, unit_lower, unit_upper)
            place += 1
            if throw == 0:
                break
            whole += _ONE
            if throw == _OPEN or whole > np.uint64(MOST_WHOLE):
                return done, used, True
        size = np.int64(remainder + scale * whole)
        if size == 0 and negative == _ONE:
            used = place
            continue
        if place == words.size:
            return done, used, False
        exponent = _exponent(whole, _quotient(remainder, scale), square, linear, level)
        lower, upper = chance_bounds(exponent, powers)
        throw = _throw(words[place] >> past, lower >> lacking, upper >> lacking)
        place += 1
        if throw == _OPEN:
            return done, used, True
        used = place
        if throw == 1:
            outcomes[done] = -size if negative == _ONE else size
            done += 1
    return done, used, False
