"""The fields GF(2^t) as tables of powers, and the masks whose parity is a linear form of a product.

Elements are t-bit numbers, polynomials over GF(2) modulo a primitive one, so that α = 2 has every element but 0 among
its powers. A mask w reads an element v by the parity of w & v. Multiplying elements by g moves masks linearly as well:
with L(v) the lowest bit of v, the masks are φ(β): v ↦ L(β·v), and φ(β) reads v as φ(β/g) reads g·v.
Theory: docs/theory/flags.md
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.finite_fields import prime_factors
from sfumato.values.checks import check_between, check_integer

MOST_LENGTH = 22
"""Bits of an element: tables of 2^22 entries are built at once."""

Elements = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BinaryField:
    """GF(2^length): `powers[i]` = α^i, `logs` is the way back, and both once more for masks: `masks[i]` = φ(α^i)."""

    length: int
    powers: Elements
    logs: Elements
    masks: Elements
    mask_logs: Elements

    @property
    def order(self) -> int:
        """How many elements there are but 0: 2^t - 1."""
        return self.powers.size


@lru_cache(maxsize=4)
def binary_field(length: int) -> BinaryField:
    """Return GF(2^length), of the smallest primitive polynomial; kept, because a column is read in many parts."""
    check_between("length", check_integer("length", length), 2, MOST_LENGTH)
    order, polynomial = (1 << length) - 1, primitive_polynomial(length)
    powers = np.ones(order, dtype=np.int64)
    known = 1
    while known < order:  # α^known times what is known doubles it
        more = min(known, order - known)
        powers[known : known + more] = _multiplied(
            powers[:more], _times(int(powers[known - 1]), 2, polynomial), polynomial
        )
        known += more
    # Bit i of φ(α^m) is L(α^m·α^i), and the element 1 << i is α^i.
    lowest = powers & 1
    masks = np.zeros(order, dtype=np.int64)
    for bit in range(length):
        masks |= np.roll(lowest, -bit) << bit
    tables = [powers, np.zeros(order + 1, dtype=np.int64), masks, np.zeros(order + 1, dtype=np.int64)]
    for direct, inverse in ((0, 1), (2, 3)):
        tables[inverse][tables[direct]] = np.arange(order)
    for table in tables:
        table.setflags(write=False)
    return BinaryField(length=length, powers=tables[0], logs=tables[1], masks=tables[2], mask_logs=tables[3])


@lru_cache(maxsize=64)
def primitive_polynomial(length: int) -> int:
    """Return the smallest polynomial of a degree modulo which 2 has the order 2^length - 1."""
    order = (1 << length) - 1
    parts = [order // prime for prime in sorted(set(prime_factors(order)))]
    for polynomial in range((1 << length) + 1, 2 << length, 2):
        if _power(2, order, polynomial) == 1 and all(_power(2, part, polynomial) != 1 for part in parts):
            return polynomial
    raise InvalidParameter("has no field", parameter="length", value=length, way_out="Use another `length`.")


def _times(a: int, b: int, polynomial: int) -> int:
    """The product of two elements."""
    top, found = 1 << (polynomial.bit_length() - 1), 0
    while b:
        if b & 1:
            found ^= a
        a, b = a << 1, b >> 1
        if a & top:
            a ^= polynomial
    return found


def _power(a: int, exponent: int, polynomial: int) -> int:
    found = 1
    while exponent:
        if exponent & 1:
            found = _times(found, a, polynomial)
        a, exponent = _times(a, a, polynomial), exponent >> 1
    return found


def _multiplied(elements: Elements, factor: int, polynomial: int) -> Elements:
    """Many elements times one."""
    length = polynomial.bit_length() - 1
    moved, found = elements.copy(), np.zeros_like(elements)
    while factor:
        if factor & 1:
            found ^= moved
        factor >>= 1
        moved <<= 1
        moved ^= (moved >> length) * polynomial
    return found
