"""Which difference set to favour: the candidates for an alphabet, and the noise that each adds to a share.

With odds o, n times the variance of a share that nobody holds is V0 = (d+λ(o-1))(K-d+(d-λ)(o-1))/((d-λ)(o-1))². No
mechanism of odds o does better than about V* = 4o/(o-1)² on many answers.   Theory: docs/theory/cyclic_response.md
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.difference_sets import (
    MOST_MODULUS,
    DifferenceSet,
    check_paley,
    check_singer,
    next_paley_modulus,
    paley_set,
    singer_parameters,
    singer_set,
)
from sfumato.mechanisms.finite_fields import MOST_PRIME, is_order

WORTH = 1.01
"""A smaller alphabet of reports is worth this much variance: shorter reports and quicker decoding."""


class Family(StrEnum):
    """Where the difference set comes from."""

    SINGER = "Singer"
    PALEY = "Paley"


@dataclass(frozen=True, slots=True, kw_only=True)
class FavouredSet:
    """A difference set by name: `q` and `t` of Singer's, or K = `q` of Paley's (t = 1)."""

    q: int
    t: int
    family: Family

    @property
    def parameters(self) -> tuple[int, int, int]:
        """(K, d, λ)."""
        if self.family is Family.PALEY:
            return self.q, (self.q - 1) // 2, (self.q - 3) // 4
        return singer_parameters(self.q, self.t)

    @property
    def modulus(self) -> int:
        """K."""
        return self.parameters[0]

    def check(self) -> None:
        """Refuse names that no set has, without making one."""
        if self.family is Family.SINGER:
            check_singer(self.q, self.t)
            return
        check_paley(self.q)
        if self.t != 1:
            raise InvalidParameter(
                "must be 1 for a set of Paley's, which has no dimension", parameter="t", value=self.t, way_out="Say 1."
            )

    def members(self) -> DifferenceSet:
        """Return the set itself."""
        return singer_set(self.q, self.t) if self.family is Family.SINGER else paley_set(self.q)

    def noise(self, odds: float) -> float:
        """V0: n times the variance of the share of an answer that nobody holds."""
        modulus, members, repeats = self.parameters
        inside = members + repeats * (odds - 1)
        outside = modulus - members + (members - repeats) * (odds - 1)
        return inside * outside / ((members - repeats) * (odds - 1)) ** 2


def least_noise(odds: float) -> float:
    """V* = 4o/(o-1)², what the best set comes close to on many answers."""
    return 4 * odds / (odds - 1) ** 2


def best_set(size: int, badness: Callable[[FavouredSet], float]) -> FavouredSet:
    """Return the set with the fewest reports among those within a hundredth of the least badness."""
    judged = [(badness(candidate), candidate) for candidate in candidate_sets(size)]
    least = min(value for value, _ in judged)
    good = [candidate for value, candidate in judged if value <= WORTH * least]
    return min(good, key=lambda choice: (choice.modulus, choice.q, choice.t))


@lru_cache(maxsize=64)
def candidate_sets(size: int) -> tuple[FavouredSet, ...]:
    """Return what is chosen from: of each field the smallest set that holds so many answers, and Paley's."""
    found = []
    for q in _orders():
        t = next(t for t in range(2, 40) if singer_parameters(q, t)[0] >= size)
        if singer_parameters(q, t)[0] <= MOST_MODULUS:
            found.append(FavouredSet(q=q, t=t, family=Family.SINGER))
    if size <= MOST_MODULUS // 2:
        found.append(FavouredSet(q=next_paley_modulus(max(size, 7)), t=1, family=Family.PALEY))
    if not found:
        raise InvalidParameter(
            f"is more than {MOST_MODULUS} residues hold",
            parameter="size",
            value=size,
            way_out="Hash the answers first.",
        )
    return tuple(found)


@cache
def _orders() -> tuple[int, ...]:
    """How many elements fields have."""
    return tuple(q for q in range(2, MOST_PRIME + 1) if is_order(q))
