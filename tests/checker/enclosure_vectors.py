"""Logarithms and exponentials at the corners, in whole numbers of 2^-192: every verifier must find the same.

    python tests/checker/enclosure_vectors.py

writes tests/vectors/enclosures.json from `sfumato_check.py`. That the ends enclose the truth is tested beside it, by
another way of computing.
"""

import json
from fractions import Fraction
from pathlib import Path

import sfumato_check as checker

PATH = Path(__file__).parents[1] / "vectors" / "enclosures.json"
ONE = checker.ONE

# Steps of the table and what stands beside them, powers of two, and where an integer becomes longer than 192 bits.
INTEGERS = [
    *range(1, 9), *(128 + j + d for j in (0, 1, 63, 127) for d in (-1, 0, 1)), 1000, 10**18, 2**53 - 1,
    *(2**k + d for k in (64, 191, 192, 193, 256, 4000) for d in (-1, 0, 1)), 3**200, 7 * 2**190, 7**500,
]  # fmt: skip
RATIOS = [Fraction(3, 2), Fraction(1, 3), Fraction(2**64 + 1, 2**64), Fraction(10**40, 3), Fraction(1, 10**60)]
POWERS = [Fraction(2) ** k for k in (-70, -1, 0, 1, 192)]
EXPONENTS = [
    Fraction(0), Fraction(1, 2**192), Fraction(1, 10**30), Fraction(1, 256), Fraction(1, 2), Fraction(69314718, 10**8),
    Fraction(69314719, 10**8), Fraction(1), Fraction(2), Fraction(56), Fraction(133), Fraction(3000),
]  # fmt: skip
SMALL = [0, 1, 2, ONE >> 8, (ONE >> 8) - 1, ONE // 5, ONE // 3]


def make():
    """Return the vectors."""
    near = {
        "ln_of_integer": [(str(n), checker.ln_of_integer(n)) for n in INTEGERS],
        "ln": [(str(r), checker.ln(r)) for r in RATIOS],
        "log2": [(str(r), checker.log2(r)) for r in POWERS + RATIOS],
        "exp_of_minus": [(str(r), checker.exp_of_minus(checker.exactly(r))) for r in EXPONENTS],
    }
    found = {name: [[of, str(n.low), str(n.high)] for of, n in numbers] for name, numbers in near.items()}
    return {
        "source": "tests/checker/enclosure_vectors.py: low and high in units of 2^-192, at most 200 units for atanh",
        **found,
        "atanh_below": [[str(t), str(checker._atanh_below(t)), str(checker._ATANH_SHORT)] for t in SMALL],
    }


if __name__ == "__main__":
    PATH.write_text(json.dumps(make(), indent=1) + "\n")
