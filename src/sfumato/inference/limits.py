"""Lower bounds on the error of every private estimator of shares [B].

Risk is sup over distributions p of E‖p̂ - p‖². A bound for k' ≤ k answers holds for k, since a distribution may give
the other answers probability 0; so the floor is the maximum over k'. Parameters are searched for in floats, and the
bound at the parameters found is evaluated exactly and rounded down. A search that stops early gives a lower floor,
which is still valid.
Proofs: docs/theory/floors.md
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.mechanisms.binary_hadamard import binary_entropy_bits, inverse_binary_entropy
from sfumato.numbers.checks import check_at_least, check_integer, check_positive
from sfumato.numbers.intervals import float_below, ln_bounds

# --- Lower bounds on the risk at given parameters, in exact arithmetic
# Every function here holds for any choice of its parameters; the search below chooses them. Odds are an upper bound on
# e^ε. All bounds fall as odds grow, so the result is never above the true bound.
# Proofs: docs/theory/floors.md


# 50 digits leave 33 to spare over a double; exp and ln are rounded to half a unit, hence a step outwards after each.
_DOWN = Context(prec=50, rounding=ROUND_FLOOR)
_UP = Context(prec=50, rounding=ROUND_CEILING)
_GRID = 1 << 96
_ROOT_GRID = 1 << 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyperbola:
    """A floor top/(n·slope + offset), as van Trees' inequality gives it."""

    top: Fraction
    slope: Fraction
    offset: Fraction

    def at(self, n: int) -> float:
        """Return the floor for n users, rounded down."""
        return float_below(self.top / (n * self.slope + self.offset))

    def users(self, risk: float) -> int:
        """Return the least number of users that it does not exclude at this risk."""
        return max(0, math.ceil((self.top / Fraction(risk) - self.offset) / self.slope))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """A floor top·e^(-n·rate), as Assouad's method gives it."""

    top: Fraction
    rate: Fraction

    def at(self, n: int) -> float:
        """Return the floor for n users, rounded down."""
        exponent = -_decimal(n * self.rate, _UP)
        return float_below(_DOWN.multiply(_decimal(self.top, _DOWN), _DOWN.next_minus(_DOWN.exp(exponent))))

    def users(self, risk: float) -> int:
        """Return the least number of users that it does not exclude at this risk."""
        ratio = _decimal(self.top / Fraction(risk), _DOWN)
        if ratio <= 1:
            return 0
        most = _DOWN.divide(_DOWN.next_minus(_DOWN.ln(ratio)), _decimal(self.rate, _UP))
        return max(0, math.ceil(most))


FloorBound = Hyperbola | Decay


def odds_above(epsilon: float) -> Fraction:
    """Return a multiple of 2^-96 that is at least e^ε, by hardly more than one step.

    >>> import math
    >>> import sfumato as sf
    >>> from sfumato.inference.limits import odds_above
    >>> odds = odds_above(1.0)
    >>> float(odds) == math.e, odds.denominator.bit_length() <= 97
    (True, True)
    """
    check_positive("epsilon", epsilon)
    context = Context(prec=60 + int(epsilon), rounding=ROUND_CEILING)
    return Fraction(math.ceil(Fraction(context.next_plus(context.exp(Decimal(epsilon)))) * _GRID), _GRID)


def answer_information(size: int, odds: Fraction, favoured: int) -> Fraction:
    """g_d = (o-1)²·d(k-d)/(k·v²), v = 1+(o-1)d/k: Fisher information at uniform shares where d answers are favoured."""
    mean = 1 + (odds - 1) * Fraction(favoured, size)
    return ((odds - 1) / mean) ** 2 * Fraction(favoured * (size - favoured), size)


def largest_information(size: int, odds: Fraction) -> Fraction:
    """G = max over d of g_d: the trace of the Fisher information at uniform shares of any report with these odds.

    By Cramér and Rao no unbiased estimate has less than (k-1)²/(nG) there, and subset selection has just that. As a
    function of d, g_d rises up to d = k/(o+1) and falls from there.

    >>> import sfumato as sf
    >>> from sfumato.inference.limits import odds_above
    >>> odds = odds_above(1.0)
    >>> told = sf.inference.largest_information(100, odds)
    >>> round(99**2 / (10**6 * float(told)), 6)  # no unbiased estimate from a million reports has a smaller risk
    0.000361
    """
    check_at_least("size", check_integer("size", size), 2)
    turn = math.floor(size / (odds + 1))
    return max(answer_information(size, odds, d) for d in {max(1, turn), min(size - 1, turn + 1)})


def expected_information(size: int, odds: Fraction, a: Fraction) -> Fraction:
    """T_a = max over d of g_d(1 + v_d·g_d/(k(ka+1))): the most that a report reveals of Dirichlet shares.

    Its logarithm is concave in the chance of a favoured report, which grows with d, so the maximum is found by halving.
    """

    def told(favoured: int) -> Fraction:
        own = answer_information(size, odds, favoured)
        mean = 1 + (odds - 1) * Fraction(favoured, size)
        return own * (1 + mean * own / (size * (size * a + 1)))

    low, high = 1, size - 1
    while low < high:
        middle = (low + high) // 2
        if told(middle) < told(middle + 1):
            low = middle + 1
        else:
            high = middle
    return told(low)


def prior_information(size: int, a: Fraction) -> Fraction:
    """(k-1)(ka-1)(ka-2)/(a-2): the trace of the Fisher information of Dirichlet's law with all parameters a > 2."""
    return (size - 1) * (size * a - 1) * (size * a - 2) / (a - 2)


def dirichlet_bound(size: int, odds: Fraction, a: Fraction) -> Hyperbola:
    """(k-1)²/(n·T_a + prior information): van Trees' inequality with Dirichlet's law as the prior."""
    return Hyperbola(
        top=Fraction((size - 1) ** 2),
        slope=expected_information(size, odds, a),
        offset=prior_information(size, a),
    )


def blended_bound(size: int, odds: Fraction, a: Fraction, c: Fraction) -> Hyperbola:
    """(k-1)²/(nG/(1-c) + prior information/c²): the prior is blended with uniform shares, (1-c)/k each.

    It holds for sequential methods too: no report tells more than G/(1-c), whatever was seen before it.
    """
    return Hyperbola(
        top=Fraction((size - 1) ** 2),
        slope=largest_information(size, odds) / (1 - c),
        offset=prior_information(size, a) / c**2,
    )


def matching_bound(size: int, odds: Fraction, c: Fraction) -> Decay:
    """kL²·e^(-2nh/√(1-τ²)), L = c/k, τ = L(o-1) < 1: answers are paired at random, one of a pair has 2L more.

    h = L²/(1+√(1-τ²)) · 2k/(k-1) · (o-1)²/(4o) · (1+oL²B), and B bounds the sum over pairs of (q-q')² over the square
    of the mean of q: 2k·tanh²(ε/2) up to odds 3, k(o-1)/4 above. `size` is even.
    """
    step = c / size
    root = _root_below(1 - (step * (odds - 1)) ** 2)
    spread = 2 * size * ((odds - 1) / (odds + 1)) ** 2 if odds <= 3 else size * (odds - 1) / 4
    told = Fraction(2 * size, size - 1) * (odds - 1) ** 2 / (4 * odds) * (1 + odds * step**2 * spread)
    return Decay(top=size * step**2, rate=2 * step**2 / (1 + root) * told / root)


def _root_below(value: Fraction) -> Fraction:
    """Return a square root, rounded down."""
    return Fraction(math.isqrt(math.floor(value * _ROOT_GRID**2)), _ROOT_GRID)


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


# --- Floors for shares of `size` answers from n reports, under epsilon and a budget of random bits
# Proof and counter-examples: docs/theory/binary_hadamard.md


def critical_random_bits(epsilon: float) -> float:
    """R_c = H2(e^ε/(e^ε+1)): more random bits than that do not help a yes/no report.

    >>> import math
    >>> import sfumato as sf
    >>> round(sf.inference.critical_random_bits(math.log(3)), 4)  # H2(3/4)
    0.8113
    """
    check_positive("epsilon", epsilon)
    return binary_entropy_bits(1 / (1 + math.exp(-epsilon)))


def scarce_yes(epsilon: float, random_bits: float | None) -> float | None:
    """p_R = H2inv(R) when the budget lies below R_c, else None; no budget means no limit."""
    critical = critical_random_bits(epsilon)
    if random_bits is None:
        return None
    check_positive("random_bits", random_bits)
    return inverse_binary_entropy(random_bits) if random_bits < critical else None


def risk_ceiling(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """η of [B, eq. (10)]: binary Hadamard does at least this well when its groups are equal. Loose; true.

    >>> import sfumato as sf
    >>> round(sf.inference.risk_ceiling(100, 10**6, 1.0), 6), round(sf.inference.risk_floor(100, 10**6, 1.0), 6)
    (0.000937, 0.00028)
    >>> round(sf.inference.risk_ceiling(100, 10**6, 1.0, random_bits=0.5), 6)  # with half a random bit each
    0.041345
    """
    check_counts(size, n)
    scarce = scarce_yes(epsilon, random_bits)
    yes = 1 / (1 + math.exp(-epsilon)) if scarce is None else scarce
    return 2 * size / (n * (yes * -math.expm1(-epsilon)) ** 2)


def l1_ceiling(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """√(kη) of [B, Thm 2]: binary Hadamard in equal groups has no larger sup over p of E‖p̂ - p‖₁. Loose; true.

    >>> import sfumato as sf
    >>> round(sf.inference.l1_ceiling(100, 10**6, 1.0), 3), round(sf.inference.l1_floor(100, 10**6, 1.0), 3)
    (0.306, 0.006)
    """
    return math.sqrt(size * risk_ceiling(size, n, epsilon, random_bits))


def information_per_user(epsilon: float, random_bits: float | None = None) -> float:
    """A: no (ε, R)-private report reveals more about a pair of answers, whatever its alphabet.

    A = e^ε·tanh²(ε/2) from R_c on, and e^ε·[p_R·tanh²(ε/2) + p_R²(1-e^-ε)²/(4(1-p_R))] below.

    >>> import sfumato as sf
    >>> [round(sf.inference.information_per_user(1.0, random_bits), 4) for random_bits in (0.25, 0.5, None)]
    [0.0247, 0.0676, 0.5805]
    """
    scarce = scarce_yes(epsilon, random_bits)
    square = math.tanh(epsilon / 2) ** 2
    if scarce is None:
        return math.exp(epsilon) * square
    return math.exp(epsilon) * (scarce * square + (scarce * math.expm1(-epsilon)) ** 2 / (4 * (1 - scarce)))


def l1_floor(size: int, n: int, epsilon: float, random_bits: float | None = None) -> float:
    """A floor for sup over p of E‖p̂ - p‖₁: √(kτ/32) with τ = k/(16nA), once n ≥ k²/(32A); Assouad's bound before.

    It stands in for √(kτ/8) of [B, Thm 1].

    >>> import sfumato as sf
    >>> [round(sf.inference.l1_floor(100, n, 1.0), 4) for n in (10**4, 10**6, 10**8)]
    [0.058, 0.0058, 0.0006]
    """
    check_counts(size, n)
    even = size - size % 2
    information = n * information_per_user(epsilon, random_bits)
    if 32 * information >= even**2:
        return math.sqrt(even * (even / (16 * information)) / 32)
    return (1 - math.sqrt(8 * information) / even) / 2


def users_enough(size: int, risk: float, epsilon: float, random_bits: float | None = None) -> int:
    """Return how many users surely reach this risk with binary Hadamard in equal groups: [B, eq. (10)] inverted.

    >>> import sfumato as sf
    >>> sf.inference.users_floor(100, 0.001, 1.0), sf.inference.users_enough(100, 0.001, 1.0)
    (110825, 936539)
    """
    check_positive("risk", risk)
    return math.ceil(risk_ceiling(size, 1, epsilon, random_bits) / risk)


def check_counts(size: int, n: int) -> None:
    """Refuse fewer than two answers, and fewer than one person."""
    check_at_least("size", check_integer("size", size), 2)
    check_at_least("n", check_integer("n", n), 1)


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
    >>> floor = sf.inference.proved_floor(100, 10**6, 1.0)
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
    >>> round(reached / sf.inference.risk_floor(100, 10**6, 1.0), 2)  # nobody can do better by more than this factor
    1.32
    """
    return proved_floor(size, n, epsilon, random_bits).value


def interactive_risk_floor(size: int, n: int, epsilon: float) -> float:
    """No ε-private estimation has a smaller risk, even if respondents see the reports of those before them.

    >>> import sfumato as sf
    >>> floors = sf.inference.interactive_risk_floor(100, 10**6, 1.0), sf.inference.risk_floor(100, 10**6, 1.0)
    >>> tuple(round(floor, 7) for floor in floors)
    (0.0001145, 0.0002797)
    """
    return proved_floor(size, n, epsilon, interactive=True).value


def proved_floor(
    size: int, n: int, epsilon: float, random_bits: float | None = None, *, interactive: bool = False
) -> RiskFloor:
    """Return the floor with what proves it; an `interactive` one holds for sequential methods too.

    >>> import sfumato as sf
    >>> for n in (10, 1000, 100_000):
    ...     floor = sf.inference.proved_floor(100, n, 1.0)
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
    >>> sf.inference.users_floor(100, 1e-6, 1.0), sf.inference.users_floor(100, 1e-6, 1.0, random_bits=0.1)
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
    bound=dirichlet_bound,
    parameters=lambda _size, _odds, u: {"a": 2 + math.exp(u)},
    low=-10.0,
    high=45.0,
)
_BLENDED = _Method(
    name="van Trees, Dirichlet prior blended with uniform shares",
    guess=_blended_guess,
    bound=blended_bound,
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
    bound=matching_bound,
    parameters=lambda size, odds, u: {
        "c": math.exp(u) * float(min(Fraction(1), Fraction(_SHORT_OF_ONE) * size / (odds - 1)))
    },
    low=-35.0,
    high=0.0,
    even=True,
)


# --- Floors for E max|p̂ - p|, the largest error of a share, by Fano's inequality
# One unknown answer has Δ more than the others, and a report gives I nats about which. So E max|p̂ - p| ≥ (Δ/2)(1 - (nI
# + ln 2)/ln k) for every Δ; for two answers the inequality is empty. Δ is searched for in floats and the bound there
# evaluated exactly and rounded down.
# Proofs: docs/theory/floors.md


_LARGEST_ERROR_ROUNDS = 60
_LN2_ABOVE = Fraction(ln_bounds(Fraction(2))[1])

_Told = Callable[[Fraction], Fraction]


def largest_error_floor(size: int, n: int, epsilon: float) -> float:
    """No ε-private estimation has a smaller E max|p̂ - p|, if respondents do not see others' reports.

    I = (Δ²/2V*)(1 + η/(3(1-η))) with η = Δ(o-1) < 1 and V* = 4o/(o-1)²; and never more than Δ²/V*.

    >>> import sfumato as sf
    >>> [round(sf.inference.largest_error_floor(size, 10_000, 1.0), 4) for size in (10, 100, 1000)]
    [0.0046, 0.0087, 0.0116]
    """
    check_counts(size, n)
    check_positive("epsilon", epsilon)
    odds = odds_above(epsilon)
    squared = (odds - 1) ** 2 / (4 * odds)

    def told(step: Fraction) -> Fraction:
        reach = step * (odds - 1)
        return step**2 / 2 * squared * (1 + reach / (3 * (1 - reach)))

    wide = _best(size, n, lambda step: step**2 * squared, 1.0)
    return max(wide, _best(size, n, told, min(1.0, (1 - 1e-9) / float(odds - 1))))


def interactive_largest_error_floor(size: int, n: int, epsilon: float) -> float:
    """No ε-private estimation has a smaller E max|p̂ - p|, even if respondents see the reports before theirs.

    I = Δ²(o-1)²/4, whatever is believed of the answer by then.

    >>> import sfumato as sf
    >>> round(sf.inference.interactive_largest_error_floor(100, 10_000, 1.0), 4)
    0.0038
    >>> round(sf.inference.largest_error_floor(100, 10_000, 1.0), 4)  # if respondents do not see others' reports
    0.0087
    """
    check_counts(size, n)
    check_positive("epsilon", epsilon)
    squared = (odds_above(epsilon) - 1) ** 2 / 4
    return _best(size, n, lambda step: step**2 * squared, 1.0)


def _best(size: int, n: int, told: _Told, most: float) -> float:
    """Return the best bound over Δ up to `most`; it is concave in Δ."""
    if size == 2:
        return 0.0
    whole = Fraction(ln_bounds(Fraction(size))[0])

    def bound(step: float) -> Fraction:
        exact = Fraction(step)
        return exact / 2 * (1 - (n * told(exact) + _LN2_ABOVE) / whole)

    low, high = 0.0, most
    for _ in range(_LARGEST_ERROR_ROUNDS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        if bound(left) < bound(right):
            low = left
        else:
            high = right
    return max(0.0, float_below(max(bound((low + high) / 2), bound(most))))
