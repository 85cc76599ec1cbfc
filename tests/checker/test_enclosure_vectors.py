"""The shared vectors are what the checker finds, and enclose what an independent evaluation finds."""

import json
import math
from decimal import Context, Decimal
from fractions import Fraction

import sfumato_check as checker
from checker.enclosure_vectors import PATH, make

WIDE = Context(prec=120, Emax=10**9, Emin=-(10**9))
HAIR = Fraction(1, 10**100)
VECTORS = json.loads(PATH.read_text())


def real(number):
    return WIDE.divide(Decimal(number.numerator), Decimal(number.denominator))


TRUE = {
    "ln_of_integer": lambda of: WIDE.ln(real(of)),
    "ln": lambda of: WIDE.ln(real(of)),
    "log2": lambda of: WIDE.divide(WIDE.ln(real(of)), WIDE.ln(Decimal(2))),
    "exp_of_minus": lambda of: WIDE.exp(WIDE.minus(real(of))),
}


def test_they_are_what_the_checker_finds():
    assert make() == VECTORS, "run tests/checker/enclosure_vectors.py"


def test_they_enclose_the_truth_and_not_much_more():
    seen = 0
    for name, true_of in TRUE.items():
        for of, low, high in VECTORS[name]:
            true = Fraction(true_of(Fraction(of))) * checker.ONE
            off = HAIR * checker.ONE * max(1, math.ceil(abs(true / checker.ONE)))
            assert int(low) - off <= true <= int(high) + off, (name, of)
            assert int(high) - int(low) < 1 << 24, (name, of)
            seen += 1
    assert seen > 50


def test_the_remainder_of_the_series_is_needed():
    """Somewhere what is left out is more than nothing: a remainder of 0 would be wrong."""
    t, below, _ = next(one for one in VECTORS["atanh_below"] if int(one[0]) == checker.ONE // 3)
    t = Fraction(int(t), checker.ONE)
    true = Fraction(WIDE.ln(real((1 + t) / (1 - t)))) / 2 * checker.ONE
    assert int(below) + 1 < true < int(below) + checker._ATANH_SHORT
