"""Whole numbers with P(z) = (1-r)/(1+r)·r^|z|, exactly, for a rational r: the two-sided geometric law.   Ref: [GRS12]

A geometric number counts how many coins of chance r succeed in a row; the difference of two of them has the law above,
since P(z) = Σ_g (1-r)² r^(2g+|z|). Each coin compares words with the digits of r, so no float is used and no logarithm.
How many coins are thrown depends on the noise alone, never on what it will hide.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sfumato.bits.coins import Coin
from sfumato.bits.samplers import IndexArray
from sfumato.bits.source import MOST_WIDTH, BitSource
from sfumato.errors import InvalidParameter
from sfumato.values.checks import as_number, check_at_least, check_integer


def two_sided_geometric(ratio: Fraction, bits: BitSource, count: int, *, width: int = MOST_WIDTH) -> IndexArray:
    """`count` independent numbers, positive and negative alike."""
    check_at_least("count", check_integer("count", count), 0)
    exact = as_number("ratio", ratio)
    if not isinstance(exact, Fraction) or not 0 <= exact < 1:
        raise InvalidParameter(
            "must be exact, and lie in [0, 1)",
            parameter="ratio",
            value=exact,
            way_out="Pass a Fraction such as Fraction(3, 5).",
        )
    runs = _runs(Coin(chance=exact, width=width), bits, 2 * count)
    numbers: IndexArray = runs[:count] - runs[count:]
    return numbers


def _runs(coin: Coin, bits: BitSource, count: int) -> IndexArray:
    """How many throws succeed in a row."""
    runs = np.zeros(count, dtype=np.int64)
    running = np.arange(count)
    while running.size:
        running = running[coin.sample(bits, running.size) == 1]
        runs[running] += 1
    return runs
