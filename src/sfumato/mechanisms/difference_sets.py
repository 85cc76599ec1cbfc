"""Cyclic difference sets: sets D of residues mod K in which every non-zero difference occurs equally often.

**Singer's** sets come from geometry: in GF(q^t) with a generator x, the exponents i mod K, K = (q^t-1)/(q-1), for which
a fixed linear function of x^i vanishes. They have d = (q^(t-1)-1)/(q-1) members, and each difference occurs
λ = (q^(t-2)-1)/(q-1) times. **Paley's** sets are the squares modulo a prime K ≡ 3 mod 4. Refs: [Sin38], [Pal33].

The polynomial behind a Singer set is the first in a fixed order whose root generates, so the same (q, t) gives the
same set in every version: reports made with one stay readable. Each set is checked for its property before it is used.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.mechanisms.field_powers import Residues
from sfumato.mechanisms.finite_fields import ElementArray, Field, check_order, field_of, prime_factors
from sfumato.prob.distinct_values import distinct
from sfumato.values.checks import check_between, check_integer

MOST_MODULUS = 1 << 22
# Sets up to this size have their differences counted one by one, so many rows of them at a time.
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
