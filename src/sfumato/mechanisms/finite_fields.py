"""Small finite fields GF(q) as addition and multiplication tables."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import lru_cache

from sfumato.errors import InvalidParameter

MOST_ORDER = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Elements are 0..q-1, 0 and 1 being what they are called; `add[a][b]` and `multiply[a][b]`."""

    add: tuple[tuple[int, ...], ...]
    multiply: tuple[tuple[int, ...], ...]


def check_order(q: int) -> None:
    """Refuse a number of elements that no field has, or none here."""
    factors = prime_factors(q) if 2 <= q <= MOST_ORDER else []
    if len(set(factors)) != 1:
        raise InvalidParameter(
            f"must be a prime power from 2 to {MOST_ORDER}",
            parameter="q",
            value=q,
            way_out=f"Try {next_prime_power(q)}.",
        )


@lru_cache(maxsize=64)
def field_of(q: int) -> Field:
    """Return GF(q) for a prime power q ≤ 256: polynomials over GF(p) modulo the first that makes a field."""
    check_order(q)
    factors = prime_factors(q)
    p, m = factors[0], len(factors)
    digits = [_digits(a, p, m) for a in range(q)]
    add = tuple(tuple(_number([(x + y) % p for x, y in zip(a, b, strict=True)], p) for b in digits) for a in digits)
    for modulus in itertools.product(range(p), repeat=m):
        multiply = _multiplication(digits, modulus, p)
        if multiply is not None:
            return Field(add=add, multiply=multiply)
    raise InvalidParameter("has no field of so many elements", parameter="q", value=q, way_out="Try another `q`.")


def _multiplication(digits: list[list[int]], modulus: tuple[int, ...], p: int) -> tuple[tuple[int, ...], ...] | None:
    """Return the table modulo a polynomial; None at the first row that shows that it makes no field."""
    rows: list[tuple[int, ...]] = []
    for a in digits:
        row = tuple(_number(_product(a, b, modulus, p), p) for b in digits)
        # No zero divisors: each non-zero element multiplies the others to a permutation.
        if rows and len(set(row)) != len(digits):
            return None
        rows.append(row)
    return tuple(rows)


def next_prime_power(least: int) -> int:
    """Return the smallest prime power that is at least `least` (at most 256)."""
    candidate = min(max(2, least), MOST_ORDER)
    while len(set(prime_factors(candidate))) != 1:
        candidate += 1
    return candidate


def prime_factors(n: int) -> list[int]:
    """Return the prime factors of n, ascending, with repetition; by trial division."""
    found, divisor = [], 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            found.append(divisor)
            n //= divisor
        divisor += 1 if divisor == 2 else 2
    return [*found, n] if n > 1 else found


def _digits(number: int, base: int, length: int) -> list[int]:
    return [number // base**i % base for i in range(length)]


def _number(digits: list[int], base: int) -> int:
    return sum(digit * base**i for i, digit in enumerate(digits))


def _product(a: list[int], b: list[int], modulus: tuple[int, ...], p: int) -> list[int]:
    """a·b modulo x^m = Σ modulus_i x^i."""
    m = len(modulus)
    total = [0] * m
    for coefficient in reversed(b):
        top = total[-1]
        total = [(low + top * c) % p for low, c in zip([0, *total[:-1]], modulus, strict=True)]
        total = [(x + coefficient * y) % p for x, y in zip(total, a, strict=True)]
    return total
