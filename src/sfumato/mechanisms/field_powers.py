"""Powers of x modulo a polynomial over a small field: short lists of small numbers, where arrays would be slower.

Modulo a prime no table is asked; in the other fields tables are read as lists, which are made once for each field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sfumato.mechanisms.finite_fields import field_of, prime_factors

Table = list[list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Residues:
    """Polynomials over GF(q) modulo x^t - Σ c_j x^j, lowest coefficient first; `recurrence` holds the c_j."""

    q: int
    recurrence: tuple[int, ...]

    def power(self, exponent: int) -> list[int]:
        """Return x^exponent."""
        multiply = self._times_modulo_prime if _is_prime(self.q) else self._times_by_tables
        result = [1] + [0] * (len(self.recurrence) - 1)
        for bit in f"{exponent:b}":
            result = multiply(result, result)
            if bit == "1":
                result = self._times_x(result)
        return result

    def has_root(self) -> bool:
        """Whether an element of the field is a root of the polynomial, which then does not make a larger field."""
        if _is_prime(self.q):
            return any(self._value_modulo_prime(element) == 0 for element in range(self.q))
        add, times = _tables(self.q)
        for element in range(self.q):
            power, total = 1, 0
            for coefficient in self.recurrence:
                total, power = add[total][times[coefficient][power]], times[power][element]
            if total == power:
                return True
        return False

    def _value_modulo_prime(self, element: int) -> int:
        value = 1
        for coefficient in reversed(self.recurrence):
            value = (value * element - coefficient) % self.q
        return value

    def _times_x(self, a: Sequence[int]) -> list[int]:
        top = a[-1]
        if not top:
            return [0, *a[:-1]]
        if _is_prime(self.q):
            return [(low + top * c) % self.q for low, c in zip((0, *a[:-1]), self.recurrence, strict=True)]
        add, times = _tables(self.q)
        return [add[low][times[top][c]] for low, c in zip((0, *a[:-1]), self.recurrence, strict=True)]

    def _times_modulo_prime(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        q, t = self.q, len(self.recurrence)
        product = [0] * (2 * t - 1)
        for i, left in enumerate(a):
            if left:
                for j, right in enumerate(b):
                    product[i + j] += left * right
        for place in range(2 * t - 2, t - 1, -1):
            if high := product[place] % q:
                for j, c in enumerate(self.recurrence):
                    product[place - t + j] += high * c
        return [value % q for value in product[:t]]

    def _times_by_tables(self, a: Sequence[int], b: Sequence[int]) -> list[int]:
        add, times = _tables(self.q)
        t = len(self.recurrence)
        product = [0] * (2 * t - 1)
        for i, left in enumerate(a):
            if left:
                row = times[left]
                for j, right in enumerate(b):
                    product[i + j] = add[product[i + j]][row[right]]
        for place in range(2 * t - 2, t - 1, -1):
            if high := product[place]:
                row = times[high]
                for j, c in enumerate(self.recurrence):
                    product[place - t + j] = add[product[place - t + j]][row[c]]
        return product[:t]


@lru_cache(maxsize=256)
def _is_prime(q: int) -> bool:
    return prime_factors(q) == [q]


@lru_cache(maxsize=8)
def _tables(q: int) -> tuple[Table, Table]:
    field = field_of(q)
    return field.add.tolist(), field.multiply.tolist()
