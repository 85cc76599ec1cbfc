"""Coins that fall on 1 with probability e^-x, exactly, for a rational x: words are compared with the bits of e^-x.

As with a rational coin, a word of w bits decides unless it agrees with all of the first w bits of the chance; then the
next word goes on with the bits that follow. Since e^-x is irrational for a rational x > 0 [Lambert], its bits are known
as soon as two bounds agree on them, and bounds as close as that are found by integers alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.values.checks import check_at_least, check_between, check_integer

# Bits beyond those asked for, at first; they are doubled until the two bounds agree.
_GUARD = 48
# The series is summed at arguments below 2^-4, where a term is less than a sixteenth of the one before.
_SMALL = 4


def exponential_bits(exponent: Fraction, count: int) -> int:
    """The first `count` bits of e^-exponent behind the point, as a whole number: ⌊e^-exponent·2^count⌋."""
    if exponent == 0:
        return 1 << count
    if exponent >= count:
        return 0  # e^-x < 2^-x
    guard = _GUARD
    while True:
        lower, upper = _bounds(exponent, count + guard)
        if lower >> guard == upper >> guard:
            return lower >> guard
        guard *= 2


def _bounds(exponent: Fraction, places: int) -> tuple[int, int]:
    """Enclose e^-exponent·2^places: the series at exponent/2^k, squared k times."""
    halvings = int(exponent).bit_length() + _SMALL
    argument = (exponent.numerator << places) // (exponent.denominator << halvings)
    term = total = 1 << places
    turn = 0
    while term:
        turn += 1
        term = (term * argument >> places) // turn
        total += -term if turn % 2 else term
    # A term lacks less than 2 units: one cut off here, and a sixteenth of what the term before lacked. All terms that
    # are left out are below one together, and the argument lacks less than one.
    lower, upper = total - 2 * turn - 2, total + 2 * turn + 2
    for _ in range(halvings):
        lower, upper = lower * lower >> places, (upper * upper >> places) + 1
    return lower, upper


@functools.lru_cache(maxsize=64)
def _unit_bits(count: int) -> int:
    """Return the bits of 1/e. Those of other chances tell about somebody's noise, and are not kept."""
    return exponential_bits(Fraction(1), count)


def exponential_coin(exponent: Fraction, take: Callable[[], int], width: int = MOST_WIDTH) -> bool:
    """One throw of a coin of chance e^-exponent, from words of `width` bits that `take` hands out, at least one."""
    seen = depth = 0
    while True:
        seen, depth = seen << width | take(), depth + width
        border = _unit_bits(depth) if exponent == 1 else exponential_bits(exponent, depth)
        if seen != border:
            return seen < border


def exponential_coins(
    exponent: Fraction, bits: BitSource, count: int, width: int = MOST_WIDTH
) -> npt.NDArray[np.int64]:
    """`count` throws of a coin that falls on 1 with probability e^-exponent, exactly."""
    check_at_least("exponent", exponent, 0)
    check_at_least("count", check_integer("count", count), 0)
    check_between("width", check_integer("width", width), 1, MOST_WIDTH)
    if exponent == 0:
        return np.ones(count, dtype=np.int64)
    throws = np.zeros(count, dtype=np.int64)
    waiting = np.arange(count)
    depth = 0
    while waiting.size:
        depth += width
        # Who is still waiting has agreed with all the bits before these.
        border = exponential_bits(exponent, depth) % (1 << width)
        words = bits.words(waiting.size, width)
        throws[waiting[words < words.dtype.type(border)]] = 1
        waiting = waiting[words == words.dtype.type(border)]
    return throws
