"""Cyclic difference sets, and the finite fields that they are made from.

**Singer's** sets come from geometry: in GF(q^t) with a generator x, the exponents i mod K, K = (q^t-1)/(q-1), for which
a fixed linear function of x^i vanishes. They have d = (q^(t-1)-1)/(q-1) members, and each difference occurs
λ = (q^(t-2)-1)/(q-1) times. **Paley's** sets are the squares modulo a prime K ≡ 3 mod 4. Refs: [Sin38], [Pal33].

The polynomial behind a Singer set is the first in a fixed order whose root generates, so the same (q, t) gives the
same set in every version: reports made with one stay readable. Each set is checked for its property before it is used.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.columns import distinct

# --- Small finite fields GF(q) as addition and multiplication tables


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


# --- Powers of x modulo a polynomial over a small field, as short lists, for which arrays would be slower
#
# Modulo a prime no table is needed; in the other fields tables are read as lists, which are made once for each field.


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


MOST_MODULUS = 1 << 22
# Sets up to this size have their differences counted one by one, this many rows at a time.
_FEW, _PART = 2048, 256
# An FFT is quick when its length has no prime factor above this.
_GOOD_FACTOR = 128
ShiftArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceSet:
    """`members` mod `modulus`; every non-zero difference occurs `repeats` times."""

    modulus: int
    repeats: int
    members: ShiftArray

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self.members)

    def indicator(self) -> npt.NDArray[np.float64]:
        """1 at the members, 0 elsewhere."""
        result = np.zeros(self.modulus)
        result[self.members] = 1.0
        return result


def singer_parameters(q: int, t: int) -> tuple[int, int, int]:
    """(K, d, λ) of the Singer set over GF(q) in dimension t."""
    return (q**t - 1) // (q - 1), (q ** (t - 1) - 1) // (q - 1), (q ** (t - 2) - 1) // (q - 1)


@lru_cache(maxsize=32)
def singer_set(q: int, t: int) -> DifferenceSet:
    """Return the Singer difference set over GF(q), q a prime power, in dimension t ≥ 2."""
    check_singer(q, t)
    field = field_of(q)
    modulus, size, repeats = singer_parameters(q, t)
    residues = next(found for found in _candidates(q, t) if _generates(found, modulus))
    members = np.flatnonzero(_sequence(field, residues, modulus) == 0)
    return _checked(DifferenceSet(modulus=modulus, repeats=repeats, members=members), size)


@lru_cache(maxsize=32)
def paley_set(modulus: int) -> DifferenceSet:
    """Return the non-zero squares modulo a prime K ≡ 3 mod 4."""
    check_paley(modulus)
    members = distinct(np.arange(1, modulus, dtype=np.int64) ** 2 % modulus)
    found = DifferenceSet(modulus=modulus, repeats=(modulus - 3) // 4, members=members)
    return _checked(found, (modulus - 1) // 2)


def check_singer(q: int, t: int) -> None:
    """Refuse what names no set of Singer's, or one too large to make; nothing is made."""
    check_between("t", check_integer("t", t), 2, 40)
    check_order(q)
    check_between("modulus", singer_parameters(q, t)[0], 3, MOST_MODULUS, way_out="Choose a smaller q or t.")


def check_paley(modulus: int) -> None:
    """Refuse what names no set of Paley's, or one too large to make; nothing is made."""
    check_between("modulus", check_integer("modulus", modulus), 3, MOST_MODULUS)
    if modulus % 4 != 3 or prime_factors(modulus) != [modulus]:
        raise InvalidParameter(
            "must be a prime that leaves 3 when divided by 4",
            parameter="modulus",
            value=modulus,
            way_out="Try the next one.",
        )


def next_paley_modulus(least: int) -> int:
    """Return the smallest prime ≡ 3 mod 4 that is at least `least`."""
    candidate = max(3, least + (3 - least) % 4)
    while prime_factors(candidate) != [candidate]:
        candidate += 4
    return candidate


def _checked(found: DifferenceSet, size: int) -> DifferenceSet:
    """Every difference must occur `repeats` times."""
    counted = _counted_differences(found) if found.size <= _FEW else _correlated_differences(found)
    expected = np.full(found.modulus, float(found.repeats))
    expected[0] = found.size
    # An FFT is off by far less than a half.
    if found.size != size or np.abs(counted - expected).max() > 0.25:
        raise NotCertified(
            f"the set of {found.size} residues modulo {found.modulus} is not a difference set",
            way_out="Please report its parameters.",
        )
    found.members.setflags(write=False)
    return found


def _counted_differences(found: DifferenceSet) -> npt.NDArray[np.float64]:
    """How often each difference occurs, one by one."""
    counts = np.zeros(found.modulus, dtype=np.int64)
    for start in range(0, found.size, _PART):
        apart = np.subtract.outer(found.members[start : start + _PART], found.members) % found.modulus
        counts += np.bincount(apart.ravel(), minlength=found.modulus)
    return counts.astype(np.float64)


def _correlated_differences(found: DifferenceSet) -> npt.NDArray[np.float64]:
    """How often each difference occurs, all at once by FFT."""
    from scipy import fft  # noqa: PLC0415  scipy is slow to import

    modulus = found.modulus
    # A length with a large prime factor takes many times as long as a line of a good length, wrapped around after.
    is_good = prime_factors(modulus)[-1] <= _GOOD_FACTOR
    length = modulus if is_good else fft.next_fast_len(2 * modulus, real=True)
    spectrum = fft.rfft(found.indicator(), n=length)
    line: npt.NDArray[np.float64] = fft.irfft(spectrum.real**2 + spectrum.imag**2, n=length)
    if is_good:
        return line
    around: npt.NDArray[np.float64] = line[:modulus] + np.concatenate([[0.0], line[modulus - 1 : 0 : -1]])
    return around


def _candidates(q: int, t: int) -> Iterator[Residues]:
    """Coefficients c of x^t = Σ c_j x^j, fewest terms first in effect, since high coefficients move slowest."""
    for rest in itertools.product(range(q), repeat=t - 1):
        if not any(rest):  # x^t is a constant, and t < K
            continue
        for constant in range(1, q):
            yield Residues(q=q, recurrence=(constant, *reversed(rest)))


def _generates(residues: Residues, modulus: int) -> bool:
    """Whether x generates all K points of the projective space: x^K is a constant, and no x^(K/r) is.

    A reducible polynomial cannot pass: its powers of x repeat, up to constants, before K. Most have a root, which is
    seen sooner.
    """
    if residues.has_root() or any(residues.power(modulus)[1:]):
        return False
    return all(any(residues.power(modulus // r)[1:]) for r in set(prime_factors(modulus)))


def _sequence(field: Field, residues: Residues, length: int) -> ElementArray:
    """The linear recurring sequence s_(i+t) = Σ c_j s_(i+j): a linear function of x^i.

    With x^n = Σ b_j x^j also s_(i+n) = Σ b_j s_(i+j), so n terms give nearly n more at once.
    """
    t = len(residues.recurrence)
    values = np.zeros(t, dtype=np.uint16)
    values[-1] = 1
    while values.size < length:
        known = values.size
        more = np.zeros(min(known - t + 1, length - known), dtype=np.uint16)
        for j, coefficient in enumerate(residues.power(known)):
            if coefficient:
                more = field.plus(more, field.times(coefficient, values[j : j + more.size]))
        values = np.concatenate([values, more])
    return values[:length]


# --- The fields GF(2^t) as tables of powers, and the masks whose parity is a linear form of a product
#
# Elements are t-bit numbers, polynomials over GF(2) modulo a primitive one, so that α = 2 has every element but 0
# among its powers. A mask w reads an element v by the parity of w & v. Multiplying elements by g moves masks linearly
# as well: with L(v) the lowest bit of v, the masks are φ(β): v ↦ L(β·v), and φ(β) reads v as φ(β/g) reads g·v. Theory:
# docs/theory/flags.md


MOST_LENGTH = 22
"""Bits of an element: tables of 2^22 entries are built at once."""

Elements = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BinaryField:
    """GF(2^length): `powers[i]` = α^i, `logs` is the inverse, and both once more for masks: `masks[i]` = φ(α^i)."""

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
