"""Capacity of a bounded number plus normal noise, with its error bounded.

Y = X + Z with |X| ≤ T and Z ~ N(0, N). The best law of X has finitely many mass points [Smi71]; with q its output law,
Σ p(x)D(N(x,N)‖q) ≤ C ≤ max over [-T, T] of D(N(x,N)‖q). ½ log2(1+T²/N), which [E, Cor. 6] prints as the capacity, is
the capacity under a limit on the mean power E X² ≤ T² and only an upper bound here.

Theory: docs/theory/gaussian_noise.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.gaussian import best_points, best_weights, mirrored
from sfumato.numbers.checks import Number, as_number, check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.exact import FloatArray
from sfumato.numbers.intervals import LOG2_E, UNIT_ROUNDOFF, Interval

# --- D(N(x,1)‖q) for a mixture q of unit normals centred in [-T, T], with every error bounded
#
# D(x) = -h(Z) - ∫ φ(y-x) ln q(y) dy in nats, h(Z) = ½ ln 2πe. Four errors are added up:
#
# *Quadrature.* The trapezoid rule with step h errs by at most 2M/(e^(2πa/h)-1) when the integrand is analytic in the
# strip |Im y| ≤ a and M bounds ∫|g(u±ia)|du [TW14, Thm 5.1]. The terms of q(u+iv) have phases v·(x_k-u), which differ
# by no more than 2vT; for v ≤ a = π/(4T) all lie within ±π/4 of one direction, hence |q(u+iv)| ≥ e^(v²/2) q(u)/√2 > 0
# and ln q is analytic there. *Tails.* Points more than 12 deviations beyond ±T weigh e^-72, and ln q grows like a
# square only. *Rounding.* First order in u = 2^-53 with generous constants. *Between grid points.* D'' = 1 - E
# Var(X|x+Z) lies in [1-T², 1], so on a cell of width d it exceeds its chord by at most (T²-1)d²/8; where T ≤ 1 it is
# convex and largest at ±T.


_REACH = 12.0
_FIRST_CELLS = 64
_MOST_ROUNDS = 24
# Entries of one block of the matrix φ(y-x).
_BLOCK = 2_000_000


class MixtureDivergence:
    """D(N(x,1)‖q) at any x in [-end, end], q the mixture with these centres and weights."""

    def __init__(self, centres: FloatArray, weights: FloatArray) -> None:
        self._end = float(np.abs(centres).max())
        strip = math.pi / (4 * max(self._end, 1.0))
        # e^(-2πa/h) = e^-40, that is 4e-18, times a norm of a few hundred.
        step = 2 * math.pi * strip / 40
        half = math.ceil((self._end + _REACH) / step)
        self._nodes = step * np.arange(-half, half + 1)
        self._step = step
        exponents = -0.5 * (self._nodes[:, None] - centres[None, :]) ** 2
        top = exponents.max(axis=1)
        self._log_output = top + np.log(np.exp(exponents - top[:, None]) @ weights) - 0.5 * math.log(2 * math.pi)
        self.slack = self._bound_of_errors(strip, len(centres), float(min(weights[0], weights[-1])))

    def at(self, points: FloatArray) -> FloatArray:
        """Return D(x) in nats; the true value is within `slack`."""
        found = np.empty(len(points))
        block = max(1, _BLOCK // len(self._nodes))
        for start in range(0, len(points), block):
            part = points[start : start + block]
            density = np.exp(-0.5 * (self._nodes[None, :] - part[:, None]) ** 2)
            found[start : start + block] = density @ self._log_output
        return -found * self._step / math.sqrt(2 * math.pi) - 0.5 * math.log(2 * math.pi * math.e)

    def largest(self, resolution: float) -> float:
        """Bound max D(x) over [-end, end] from above, not more than about `resolution` too high, slack included."""
        # q is symmetric, but nothing here relies on it.
        left = np.linspace(-self._end, self._end, _FIRST_CELLS + 1)
        values = self.at(left)
        best = float(values.max())
        if self._end <= 1:
            return max(float(values[0]), float(values[-1])) + self.slack
        starts, ends, low, high = left[:-1], left[1:], values[:-1], values[1:]
        bound = best
        for _ in range(_MOST_ROUNDS):
            over = np.maximum(low, high) + (self._end**2 - 1) * (ends - starts) ** 2 / 8 * (1 + 1e-9)
            best = max(best, float(np.maximum(low, high).max()))
            ripe = over <= best + resolution
            bound = max(bound, float(over[ripe].max(initial=-math.inf)))
            if ripe.all():
                break
            starts, ends, low, high = starts[~ripe], ends[~ripe], low[~ripe], high[~ripe]
            middle = (starts + ends) / 2
            value = self.at(middle)
            starts, ends = np.concatenate([starts, middle]), np.concatenate([middle, ends])
            low, high = np.concatenate([low, value]), np.concatenate([value, high])
        else:
            bound = max(bound, float((np.maximum(low, high) + (self._end**2 - 1) * (ends - starts) ** 2 / 8).max()))
        return bound + self.slack

    def _bound_of_errors(self, strip: float, count: int, lightest_end: float) -> float:
        end = self._end
        # ln q(y) ≥ ln(weight of the farther end) - (|y|+T)²/2 - ½ ln 2π, and E(|x+Z|+T)² ≤ (2T+1)².
        log_size = (2 * end + 1) ** 2 / 2 + abs(math.log(max(lightest_end, 1e-300))) + 1
        # On the edge of the strip: e^(a²/2)·E(|ln q| + a²/2 + ln √2 + π/4 + a|u|).
        norm = math.exp(strip**2 / 2) * (log_size + strip**2 / 2 + 1.2 + strip * (end + 1))
        quadrature = 2 * norm / math.expm1(2 * math.pi * strip / self._step)
        # The rest of the sum and of the integral, each below e^-72 times a polynomial.
        tails = (
            4
            * math.exp(-(_REACH**2) / 2)
            * (2 * end + _REACH + 3) ** 2
            * (1 + abs(math.log(max(lightest_end, 1e-300))))
        )
        # A node errs by a few u of its size, its exponent (squared differences up to (2T+12)²/2) by as many u.
        largest_exponent = (2 * end + _REACH) ** 2
        rounding = UNIT_ROUNDOFF * (len(self._nodes) + count + 4 * largest_exponent + 64) * (log_size + 2)
        return quadrature + tails + rounding


# Beyond these bounds the capacity, or the noise, is negligible.
LEAST_RATIO, MOST_RATIO = 1e-6, 220.0
LEAST_BUDGET_BITS, MOST_BUDGET_BITS = 1e-6, 3.0
DEFAULT_GAP_BITS = 1e-6
# Up to here a gap of 1e-6 is quick; beyond, D is so flat between its peaks that the last digit takes seconds.
_SHARP = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AmplitudeCapacity:
    """The capacity at T²/N = `ratio`, in bits, and the law that proves it; positions are in units of T, on [-1, 1].

    >>> import sfumato as sf
    >>> found = sf.measures.amplitude_capacity(1)  # normal noise as wide as the number may reach
    >>> found.positions, found.weights, round(found.bits.upper, 4)
    ((-1.0, 1.0), (0.5, 0.5), 0.4859)
    >>> found.method
    'the best law, certified'
    """

    ratio: float
    bits: Interval
    positions: tuple[float, ...]
    weights: tuple[float, ...]
    method: str

    @property
    def gap_bits(self) -> float:
        """How far the optimality conditions are from holding exactly, errors of evaluation included."""
        return self.bits.width


def amplitude_capacity(
    ratio: Number, *, points: int | None = None, gap_bits: float = DEFAULT_GAP_BITS
) -> AmplitudeCapacity:
    """Enclose the capacity at amplitude-to-noise ratio T²/N in an interval no wider than `gap_bits`.

    `points`: at most so many values may be sent. Two of them lie at ±T, since spreading two points apart is the same as
    shrinking the noise. With more, yet fewer than the best law has, the interval reaches from the best symmetric law
    that was found to the smaller of log2(points) and the capacity without the limit, and is as wide as that is.

    Raises:
        InvalidParameter: the ratio lies outside of 0.000001 to 220.
        NotCertified: the bounds could not be brought so close together.

    >>> import math
    >>> import sfumato as sf
    >>> [round(sf.measures.amplitude_capacity(ratio).bits.upper, 4) for ratio in (0.25, 0.5, 1)]
    [0.1607, 0.2905, 0.4859]
    >>> [round(math.log2(1 + ratio) / 2, 4) for ratio in (0.25, 0.5, 1)]  # the bound by mean power, which is larger
    [0.161, 0.2925, 0.5]
    """
    size = float(as_number("ratio", ratio))
    check_positive("ratio", size)
    check_between("ratio", size, LEAST_RATIO, MOST_RATIO)
    check_positive("gap_bits", gap_bits)
    if points is not None:
        check_at_least("points", check_integer("points", points), 2)
    return _capacity(size, points, float(gap_bits))


@lru_cache(maxsize=256)
def _capacity(ratio: float, points: int | None, gap_bits: float) -> AmplitudeCapacity:
    end = math.sqrt(ratio)
    if points == 2:
        return _two_points(ratio, end)
    free = _unrestricted(ratio, end, gap_bits)
    if points is None or len(free.positions) <= points:
        return free
    return _few_points(free, end, points)


def _two_points(ratio: float, end: float) -> AmplitudeCapacity:
    """Two mirrored inputs are a symmetric channel: equal weights are best, and D is the same at both."""
    law = MixtureDivergence(np.array([-end, end]), np.array([0.5, 0.5]))
    found = float(law.at(np.array([end]))[0])
    bits = Interval(found * LOG2_E, found * LOG2_E).widened(law.slack * LOG2_E).at_least(0.0)
    return AmplitudeCapacity(
        ratio=ratio, bits=bits, positions=(-1.0, 1.0), weights=(0.5, 0.5), method="two points, by symmetry"
    )


def _unrestricted(ratio: float, end: float, gap_bits: float) -> AmplitudeCapacity:
    best: AmplitudeCapacity | None = None
    for finest in (0.02, 0.004, 0.001):
        if end <= 1:
            # D is convex on [-T, T] for every q, so nothing but ±T can carry mass.
            positions, weights = np.array([-end, end]), np.array([0.5, 0.5])
        else:
            nodes, step = _search_nodes(end)
            positions, weights = mirrored(
                *best_points(lambda x: _rows(x, nodes, step), end, min(0.25, end / 4), finest=finest)  # noqa: B023
            )
        bits = _bounds(positions, weights, gap_bits)
        if best is None or bits.width < best.bits.width:
            best = AmplitudeCapacity(
                ratio=ratio,
                bits=bits,
                positions=tuple((positions / end).tolist()),
                weights=tuple(weights.tolist()),
                method="the best law, certified",
            )
        if best.bits.width <= gap_bits:
            return best
    raise NotCertified(
        f"could not be reached: the capacity at `ratio`={ratio:g} could only be bounded to "
        f"{best.bits.width if best else math.inf:.1e} bits",
        parameter="gap_bits",
        value=gap_bits,
        way_out="Allow a larger `gap_bits`.",
    )


def _few_points(free: AmplitudeCapacity, end: float, points: int) -> AmplitudeCapacity:
    nodes, step = _search_nodes(end)
    positions = np.linspace(0.0 if points % 2 else end / (points - 1), end, (points + 1) // 2)
    positions, weights = _descend(positions, nodes, step)
    both, masses = mirrored(positions, weights)
    law = MixtureDivergence(both, masses)
    lower = (float(masses @ law.at(both)) - law.slack) * LOG2_E
    upper = min(free.bits.upper, math.nextafter(math.log2(points), math.inf))
    return AmplitudeCapacity(
        ratio=free.ratio,
        bits=Interval(max(0.0, min(lower, upper)), upper),
        positions=tuple((both / end).tolist()),
        weights=tuple(masses.tolist()),
        method=f"{points} points found; from above the capacity of any law",
    )


def _descend(positions: FloatArray, nodes: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    """Move the inner points, each along the slope of D, as long as the information grows."""
    end = positions[-1]

    def told(at: FloatArray) -> tuple[float, FloatArray]:
        rows, own = _rows(at, nodes, step)
        weights = best_weights(rows, own)
        return float(weights @ (own - rows @ np.log(weights @ rows))), weights

    value, weights = told(positions)
    stride = end / 8
    movable = [i for i in range(len(positions) - 1) if positions[i] > 0]
    while stride > 1e-6 * end and movable:
        moved = False
        for i in movable:
            for direction in (-stride, stride):
                trial = positions.copy()
                trial[i] = min(max(trial[i] + direction, 0.0), end)
                if len(np.unique(trial)) == len(trial) and (found := told(np.sort(trial)))[0] > value:
                    positions, (value, weights), moved = np.sort(trial), found, True
        if not moved:
            stride /= 2
    return positions, weights


def _search_nodes(end: float) -> tuple[FloatArray, float]:
    step = min(0.25, math.pi**2 / (2 * end * 22))
    half = math.ceil((end + 9.0) / step)
    return step * np.arange(-half, half + 1, dtype=np.float64), step


def _rows(positions: FloatArray, nodes: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    scale = step / math.sqrt(2 * math.pi)
    right = scale * np.exp(-0.5 * (nodes[None, :] - positions[:, None]) ** 2)
    own = np.full(len(positions), math.log(scale) - 0.5)
    return (right + right[:, ::-1]) / 2, own


def _bounds(positions: FloatArray, weights: FloatArray, gap_bits: float) -> Interval:
    law = MixtureDivergence(positions, weights)
    divergences = law.at(positions)
    # Weights sum to 1 up to rounding, which the slack of a dot product with them covers.
    lower = float(weights @ divergences) / float(weights.sum()) - law.slack
    upper = law.largest(gap_bits / LOG2_E / 4)
    return Interval(max(0.0, min(lower, upper)) * LOG2_E, max(0.0, upper) * LOG2_E).widened(0.0).at_least(0.0)


def amplitude_ratio(budget_bits: float, *, points: int | None = None) -> float:
    """Return the largest T²/N whose capacity is within the budget: the least noise, N = T²/ratio.

    The certified upper end of the capacity is held against the budget, so the ratio errs towards more noise.

    Raises:
        InvalidParameter: the budget lies outside of 0.000001 to 3 bits, or so few points need no noise.

    >>> import sfumato as sf
    >>> ratio = sf.measures.amplitude_ratio(0.1)
    >>> round(ratio, 4), sf.measures.amplitude_capacity(ratio).bits.upper <= 0.1
    (0.1488, True)
    """
    check_positive("budget_bits", budget_bits)
    check_between("budget_bits", budget_bits, LEAST_BUDGET_BITS, MOST_BUDGET_BITS)
    if points is not None:
        check_at_least("points", check_integer("points", points), 2)
        if budget_bits >= math.log2(points):
            raise InvalidParameter(
                f"is no limit for `points`={points}: so few values hold log2({points}) bits at most, so no noise "
                "is needed",
                parameter="budget_bits",
                value=budget_bits,
                way_out="Lower `budget_bits`.",
            )
    # The capacity lies below ½ log2(1+ratio), so the printed ratio is always safe, and the least candidate.
    printed = math.expm1(2 * budget_bits / LOG2_E) * (1 - 1e-14)
    if _upper(printed * (1 + 1e-4), points) > budget_bits:
        return printed
    low, high = printed, min(1.5 * printed, MOST_RATIO)
    while high < MOST_RATIO and _upper(high, points) <= budget_bits:
        low, high = high, min(1.5 * high, MOST_RATIO)
    from scipy.optimize import brentq  # noqa: PLC0415  scipy is slow to import

    if _upper(high, points) <= budget_bits:
        return high
    root = float(brentq(lambda ratio: _upper(ratio, points) - budget_bits, low, high, xtol=1e-9 * low, rtol=1e-8))
    # What is returned was itself held against the budget, and not only its neighbour.
    for hair in (0.0, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4):
        if _upper(root * (1 - hair), points) <= budget_bits:
            return root * (1 - hair)
    return low


def _upper(ratio: float, points: int | None) -> float:
    return amplitude_capacity(ratio, points=points, gap_bits=1e-6 if ratio < _SHARP else 1e-5).bits.upper
