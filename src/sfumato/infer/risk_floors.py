"""What no ε-private estimation of shares can beat: the best of several lower bounds, over their parameters.

Risk is sup over laws p of E‖p̂ - p‖². A bound for k' ≤ k answers holds for k, since a law may leave the others out; the
maximum over k' makes the floor grow with k. Parameters are searched for in floats, and the bound at those that were
found is evaluated exactly and rounded down: a search that stopped early would be a lower floor, never a false one.
Proofs: docs/theory/floors.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.infer import floor_bounds
from sfumato.infer.floor_bounds import FloorBound, Hyperbola, odds_above
from sfumato.infer.frequency_bounds import check_counts, information_per_user
from sfumato.values.checks import check_positive

_Floats = npt.NDArray[np.float64]
_Objective = Callable[["_Guess"], _Floats]

_GOLDEN = (math.sqrt(5) - 1) / 2
_ROUNDS = 36
_SIZES = 64
# Odds beyond these change no digit of a floor that is searched for.
_MOST_SEARCHED = Fraction(10**15)
# Below 1 by what floats may add to τ.
_SHORT_OF_ONE = 1 - 1e-9
# The sum of all that is rounded in `information_per_user` is far less than this.
_SLACK = Fraction(1, 1 << 36)


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskFloor:
    """A floor, and what proves it: which bound, for how many of the answers, with which parameters.

    >>> import sfumato as sf
    >>> floor = sf.infer.proved_floor(100, 10**6, 1.0)
    >>> round(floor.value, 7), floor.method, floor.size
    (0.0002797, 'van Trees, Dirichlet prior', 100)
    """

    value: float
    method: str
    size: int
    a: float | None = None
    c: float | None = None


def risk_floor(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """No ε-private estimation of shares from n reports has a smaller risk, if respondents do not see others' reports.

    Public coins are allowed. With `random_bits`, nor has any whose reports use so many random bits.

    >>> import sfumato as sf
    >>> cyclic = sf.mechanisms.CyclicResponse.within(size=100, epsilon=1.0)
    >>> reached = sum(float(one) for one in cyclic.variance(sf.Distribution.uniform(100), 10**6))
    >>> round(reached / sf.infer.risk_floor(100, 10**6, 1.0), 2)  # nobody can do better by more than this factor
    1.32
    """
    return proved_floor(size, n, epsilon, random_bits).value


def interactive_risk_floor(size: int, n: int, epsilon: float) -> float:
    """No ε-private estimation has a smaller risk, even if respondents see the reports of those before them.

    >>> import sfumato as sf
    >>> round(sf.infer.interactive_risk_floor(100, 10**6, 1.0), 7), round(sf.infer.risk_floor(100, 10**6, 1.0), 7)
    (0.0001145, 0.0002797)
    """
    return proved_floor(size, n, epsilon, interactive=True).value


def proved_floor(
    size: int, n: int, epsilon: float, random_bits: float | None = None, *, interactive: bool = False
) -> RiskFloor:
    """Return the floor with what proves it; an `interactive` one holds for sequential methods too.

    >>> import sfumato as sf
    >>> for n in (10, 1000, 100_000):
    ...     floor = sf.infer.proved_floor(100, n, 1.0)
    ...     print(f"{n} {floor.value:.4g} {floor.method}, {floor.size} answers")
    10 0.1324 Assouad, random matching, 6 answers
    1000 0.01781 Assouad, random matching, 34 answers
    100000 0.001052 van Trees, Dirichlet prior, 61 answers
    """
    check_counts(size, n)
    check_positive("epsilon", epsilon)
    best = _free_floor(size, n, epsilon, interactive)
    if random_bits is None:
        return best
    told = _told_under(epsilon, random_bits)
    scarce = _scarce_bound(size, told, math.sqrt(n * told) / math.pi, lambda bound: bound.at(n))
    return max(best, scarce, key=lambda one: one.value)


def users_floor(size: int, risk: float, epsilon: float, random_bits: float | None = None) -> int:
    """No private estimation has this risk with fewer users: `risk_floor` inverted. 0 when it excludes nothing.

    Every bound is inverted by itself, which is exact, and the largest number counts.
    It stands in for the lower half of [B, eq. (12)], and grows as 1/p_R, not as 1/p_R².

    >>> import sfumato as sf
    >>> sf.infer.users_floor(100, 1e-6, 1.0), sf.infer.users_floor(100, 1e-6, 1.0, random_bits=0.1)
    (360383468, 1634931777)
    """
    check_counts(size, 1)
    check_positive("epsilon", epsilon)
    check_positive("risk", risk)
    free = _free_users(size, risk, epsilon)
    if random_bits is None:
        return free
    told = _told_under(epsilon, random_bits)
    scarce = _scarce_bound(size, told, 1 / (16 * math.pi**2 * risk), lambda bound: bound.users(risk))
    return max(free, int(scarce.value))


@lru_cache(maxsize=256)
def _free_floor(size: int, n: int, epsilon: float, interactive: bool) -> RiskFloor:
    """Return the floor without a budget of random bits."""
    found = (
        _evaluated(one, size, epsilon, lambda guess: guess.at(n), lambda bound: bound.at(n))
        for one in ((_BLENDED,) if interactive else (_DIRICHLET, _MATCHING, _BLENDED))
    )
    return max(found, key=lambda one: one.value)


@lru_cache(maxsize=256)
def _free_users(size: int, risk: float, epsilon: float) -> int:
    """Return how many users are needed at least without a budget of random bits."""
    found = (
        _evaluated(one, size, epsilon, lambda guess: guess.users(risk), lambda bound: bound.users(risk))
        for one in (_DIRICHLET, _MATCHING, _BLENDED)
    )
    return max(int(one.value) for one in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Guess:
    """A bound for many sizes and parameters at once, in floats: top/(n·slope + offset), or top·e^(-n·slope)."""

    top: _Floats
    slope: _Floats
    offset: _Floats | None = None

    def at(self, n: int) -> _Floats:
        """Return logarithms of floors, which do not underflow."""
        if self.offset is None:
            return np.log(self.top) - n * self.slope
        return np.log(self.top) - np.log(n * self.slope + self.offset)

    def users(self, risk: float) -> _Floats:
        """Return how many users are excluded at the least; negative where none are."""
        if self.offset is None:
            return np.log(self.top / risk) / self.slope
        return (self.top / risk - self.offset) / self.slope


@dataclass(frozen=True, slots=True, kw_only=True)
class _Method:
    """A bound with one parameter u: roughly for the search, and exactly. Between `low` and `high` it has one peak."""

    name: str
    guess: Callable[[_Floats, float, _Floats], _Guess]
    bound: Callable[..., FloorBound]
    parameters: Callable[[int, Fraction, float], dict[str, float]]
    low: float
    high: float
    even: bool = False


def _evaluated(
    method: _Method,
    size: int,
    epsilon: float,
    roughly: _Objective,
    exactly: Callable[[FloorBound], float],
) -> RiskFloor:
    """Return a method's best floor, or number of users."""
    odds = odds_above(epsilon)
    best_size, u = _searched(method, size, float(min(odds, _MOST_SEARCHED)), roughly)
    named = method.parameters(best_size, odds, u)
    bound = method.bound(best_size, odds, **{name: Fraction(value) for name, value in named.items()})
    return RiskFloor(value=exactly(bound), method=method.name, size=best_size, **named)


def _searched(method: _Method, size: int, odds: float, objective: _Objective) -> tuple[int, float]:
    """Look for the best number of answers on ever finer grids, and for the best parameter of each by golden section."""
    step = 2 if method.even else 1
    low, high = 2, size - size % step
    while True:
        sizes = _between(low, high, step)
        parameters, values = _peaks(method, sizes, odds, objective)
        best = int(values.argmax())
        if high - low <= step * (len(sizes) - 1):
            return int(sizes[best]), float(parameters[best])
        low, high = int(sizes[max(best - 1, 0)]), int(sizes[min(best + 1, len(sizes) - 1)])


def _between(low: int, high: int, step: int) -> npt.NDArray[np.int64]:
    """Return all whole numbers from low to high, or some of them with equal ratios."""
    if high - low < _SIZES * step:
        return np.arange(low, high + 1, step)
    rough = np.geomspace(low, high, _SIZES).astype(np.int64)
    return np.unique(np.concatenate([[low], rough - rough % step, [high]]))


def _peaks(
    method: _Method, sizes: npt.NDArray[np.int64], odds: float, objective: _Objective
) -> tuple[_Floats, _Floats]:
    """Return the best parameter for each size, and its value."""
    answers = sizes.astype(np.float64)
    low, high = np.full(len(sizes), method.low), np.full(len(sizes), method.high)

    def judged(parameters: _Floats) -> _Floats:
        found = objective(method.guess(answers, odds, parameters))
        return np.where(np.isnan(found), -np.inf, found)

    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = judged(left), judged(right)
    for _ in range(_ROUNDS):
        falls = at_left >= at_right
        low, high = np.where(falls, low, left), np.where(falls, right, high)
        fresh = np.where(falls, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        at_fresh = judged(fresh)
        left, right = np.where(falls, fresh, right), np.where(falls, left, fresh)
        at_left, at_right = np.where(falls, at_fresh, at_right), np.where(falls, at_left, at_fresh)
    tried = np.stack([(low + high) / 2, np.full(len(sizes), method.high)])
    values = np.stack([judged(one) for one in tried])
    best = values.argmax(axis=0)
    return tried[best, np.arange(len(sizes))], values.max(axis=0)


def _scarce_bound(size: int, told: Fraction, turn: float, exactly: Callable[[Hyperbola], float]) -> RiskFloor:
    """k'/(8(nA + π²k'²)) with squared cosines as the prior, for the even numbers of answers next to where it turns."""
    square = Fraction(math.pi) ** 2 * (1 + _SLACK)
    below = 2 * max(1, math.floor(min(turn, size) / 2))
    found = (
        RiskFloor(
            value=exactly(Hyperbola(top=Fraction(even), slope=8 * told, offset=8 * square * even**2)),
            method="van Trees, squared cosines",
            size=even,
        )
        for even in {below, min(below + 2, size - size % 2)}
    )
    return max(found, key=lambda one: one.value)


def _told_under(epsilon: float, random_bits: float) -> Fraction:
    return Fraction(information_per_user(epsilon, random_bits)) * (1 + _SLACK)


def _rough_information(k: _Floats, odds: float) -> tuple[_Floats, _Floats]:
    """G and v, with d rounded: good enough to search by."""
    favoured = np.clip(np.rint(k / (odds + 1)), 1, k - 1)
    mean = 1 + (odds - 1) * favoured / k
    return ((odds - 1) / mean) ** 2 * favoured * (k - favoured) / k, mean


def _dirichlet_guess(k: _Floats, odds: float, u: _Floats) -> _Guess:
    a = 2 + np.exp(u)
    told, mean = _rough_information(k, odds)
    slope = told * (1 + mean * told / (k * (k * a + 1)))
    return _Guess(top=(k - 1) ** 2, slope=slope, offset=(k - 1) * (k * a - 1) * (k * a - 2) / (a - 2))


def _blended_guess(k: _Floats, odds: float, u: _Floats) -> _Guess:
    # (ka-1)(ka-2)/(a-2) is least at the same a for every c.
    least = (k - 1) * (k * (4 * k - 3) + 2 * k * np.sqrt((2 * k - 1) * (2 * k - 2)))
    told, _ = _rough_information(k, odds)
    return _Guess(top=(k - 1) ** 2, slope=told * (1 + np.exp(u)), offset=least * (1 + np.exp(-u)) ** 2)


def _matching_guess(k: _Floats, odds: float, u: _Floats) -> _Guess:
    step = np.exp(u) * np.minimum(1.0, _SHORT_OF_ONE * k / (odds - 1)) / k
    root = np.sqrt(1 - (step * (odds - 1)) ** 2)
    spread = 2 * k * ((odds - 1) / (odds + 1)) ** 2 if odds <= 3 else k * (odds - 1) / 4
    told = 2 * k / (k - 1) * (odds - 1) ** 2 / (4 * odds) * (1 + odds * step**2 * spread)
    return _Guess(top=k * step**2, slope=2 * step**2 / (1 + root) * told / root)


_DIRICHLET = _Method(
    name="van Trees, Dirichlet prior",
    guess=_dirichlet_guess,
    bound=floor_bounds.dirichlet_bound,
    parameters=lambda _size, _odds, u: {"a": 2 + math.exp(u)},
    low=-10.0,
    high=45.0,
)
_BLENDED = _Method(
    name="van Trees, Dirichlet prior blended with uniform shares",
    guess=_blended_guess,
    bound=floor_bounds.blended_bound,
    parameters=lambda size, _odds, u: {
        "a": 2 + math.sqrt((2 * size - 1) * (2 * size - 2)) / size,
        "c": 1 / (1 + math.exp(-u)),
    },
    low=-35.0,
    high=35.0,
)
_MATCHING = _Method(
    name="Assouad, random matching",
    guess=_matching_guess,
    bound=floor_bounds.matching_bound,
    parameters=lambda size, odds, u: {
        "c": math.exp(u) * float(min(Fraction(1), Fraction(_SHORT_OF_ONE) * size / (odds - 1)))
    },
    low=-35.0,
    high=0.0,
    even=True,
)
