"""Small finite fields GF(q) as addition and multiplication tables."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter

MOST_ORDER = 256
"""Up to here there is a field for every prime power."""
MOST_PRIME = 2048
"""And up to here for every prime."""
ElementArray = npt.NDArray[np.uint16]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Field:
    """Elements are 0..q-1, 0 and 1 being what they are called; `add[a, b]` and `multiply[a, b]`."""

    add: ElementArray
    multiply: ElementArray

    @property
    def order(self) -> int:
        """How many elements there are."""
        return len(self.add)

    def plus(self, a: ElementArray, b: ElementArray) -> ElementArray:
        """a + b, entry by entry."""
        found: ElementArray = self.add.ravel().take(a.astype(np.int64) * self.order + b)
        return found

    def times(self, factor: int, a: ElementArray) -> ElementArray:
        """One element times each of many."""
        found: ElementArray = self.multiply[factor].take(a)
        return found


def is_order(q: int) -> bool:
    """Whether there is a field of q elements here."""
    if not 2 <= q <= MOST_PRIME:
        return False
    factors = prime_factors(q)
    return len(factors) == 1 or (q <= MOST_ORDER and len(set(factors)) == 1)


def check_order(q: int) -> None:
    """Refuse a number of elements that no field has, or none here."""
    if not is_order(q):
        raise InvalidParameter(
            f"must be a prime power from 2 to {MOST_ORDER}, or a prime up to {MOST_PRIME}",
            parameter="q",
            value=q,
            way_out=f"Try {next_order(q)}.",
        )


@lru_cache(maxsize=8)
def field_of(q: int) -> Field:
    """Return GF(q): numbers modulo a prime, or polynomials over GF(p) modulo the first that makes a field."""
    check_order(q)
    factors = prime_factors(q)
    p, m = factors[0], len(factors)
    elements = np.arange(q, dtype=np.int64)
    if m == 1:
        return _field(np.add.outer(elements, elements) % q, np.multiply.outer(elements, elements) % q)
    places = p ** np.arange(m)
    digits = elements[:, None] // places % p
    add = (digits[:, None] + digits) % p @ places
    scaled = np.arange(p)[:, None, None] * digits % p @ places  # a digit times an element
    for modulus in itertools.product(range(p), repeat=m):
        if modulus[0]:  # else x divides the polynomial
            reduced = int(np.array(modulus) @ places)
            multiply = _multiplication(add, scaled, digits, reduced, q // p)
            if (np.sort(multiply[1:], axis=1) == elements).all():  # no zero divisors: each row is a permutation
                return _field(add, multiply)
    raise InvalidParameter("has no field of so many elements", parameter="q", value=q, way_out="Try another `q`.")


def _field(add: npt.NDArray[np.int64], multiply: npt.NDArray[np.int64]) -> Field:
    tables = add.astype(np.uint16), multiply.astype(np.uint16)
    for table in tables:
        table.setflags(write=False)
    return Field(add=tables[0], multiply=tables[1])


def _multiplication(
    add: npt.NDArray[np.int64],
    scaled: npt.NDArray[np.int64],
    digits: npt.NDArray[np.int64],
    reduced: int,
    top: int,
) -> npt.NDArray[np.int64]:
    """The table modulo a polynomial, x^m being the element `reduced`: Horner's rule for all pairs at once."""
    elements = np.arange(len(add))
    times_x = add[elements % top * len(scaled), scaled[elements // top, reduced]]
    product = np.zeros_like(add)
    for place in reversed(range(digits.shape[1])):
        product = add[times_x[product], scaled[digits[:, place]].T]
    return product


def next_order(least: int) -> int:
    """Return the smallest number of elements of a field here that is at least `least`; of the largest, that one."""
    return next((q for q in range(max(2, least), MOST_PRIME) if is_order(q)), 2039)


def prime_factors(n: int) -> list[int]:
    """Return the prime factors of n, ascending, with repetition; by trial division."""
    found, divisor = [], 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            found.append(divisor)
            n //= divisor
        divisor += 1 if divisor == 2 else 2
    return [*found, n] if n > 1 else found
