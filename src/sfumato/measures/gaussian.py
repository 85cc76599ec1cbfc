"""How much discrete Gaussian noise lets through: capacity by witness, power bounds and bounded ranges [E].

Inputs are the whole numbers -m..m, the noise has P(z) = e^(-z²/2s)/K on all whole numbers. For any input law p with
output law q = pW the capacity lies between Σ p(x)D(W_x‖q) and max_x D(W_x‖q), evaluated here with three errors
counted:

*Tails.* Outputs more than L beyond ±m carry at most τ = 2e^(-(L+1)²/2s)/(1-e^(-(L+1)/s)) of any row (a geometric
series, and K ≥ 1). If p puts p_end > 0 on both ends, then beyond an end W_x(y) ≤ W_end(y) ≤ q(y)/p_end, so the tails
add at most τ·ln(1/p_end) to D. From below they take away no more than q's own mass there, τ.
*The normaliser* K is summed over the same range and is too small by a factor of 1+τ at most.
*Rounding*, first order in u = 2^-53 with generous constants.   Theory: docs/theory/gaussian_noise.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.capacity import capacity_with_witness, interior_laws
from sfumato.numbers.checks import check_at_least, check_integer, check_positive
from sfumato.numbers.exact import FloatArray
from sfumato.numbers.intervals import LOG2_E, UNIT_ROUNDOFF, Interval, check_witness, float_above, float_below
from sfumato.prob.channel import Channel

# --- A limit on power: the capacity of a whole vector in a ball plus discrete Gaussian noise
#
# Inputs x are whole vectors of k numbers with ‖x-c‖ ≤ r, c real; the noise is k independent numbers with
# P(z) = e^(-z²/2N)/Z_N, of variance V_N. Every output law is a bound, C ≤ max_x D(P_x‖Q). For Q(y) in proportion
# to e^(-‖y-c‖²/2S)
#
# C ≤ k·ln(Z_S/Z_N) + (k·V_N + r²)/2S - k·V_N/2N   nats for every S > 0,
#
# since E‖Y-c‖² = k·V_N + ‖x-c‖², and Σ_y e^(-(y-c)²/2S) ≤ Z_S for real c by Poisson's formula. The least is where
# V_S = V_N + r²/k. For normal noise this is (k/2)·ln(1 + r²/kN), which is too small for a coarse lattice.
#
# Numbers have 60 digits, so that their rounding (at most some hundred steps, each 10^-59 of its result) is far below
# the slack of 10^-45 that is added. From s = 8 on Z_s = √(2πs) and V_s = s up to 10^-57, again by Poisson's formula:
# 2Σe^(-2π²sj²) ≤ 3e^(-19s), and 0 ≤ s - V_s ≤ 160s²e^(-19s).   Theory: docs/theory/correlated_noise.md


_DIGITS = Context(prec=60)
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")
_LN2 = _DIGITS.ln(Decimal(2))
_SMOOTH = 8
# Terms of a sum are left out where e^-160 of its largest is left.
_FAR = 160
_SLACK = Decimal("1e-45")
_KEPT_BITS = 40


def power_bound(dimension: int, squared_radius: Fraction, variance: Fraction, spread: Fraction) -> Interval:
    """Enclose, in bits, the bound above for k, r², N and S; its upper end bounds what the noise lets through."""
    check_at_least("dimension", check_integer("dimension", dimension), 1)
    for name, value, is_meant in (
        ("squared_radius", squared_radius, squared_radius >= 0),
        ("variance", variance, variance > 0),
        ("spread", spread, spread > 0),
    ):
        if not is_meant:
            raise InvalidParameter(
                "must be positive, and a radius at least 0",
                parameter=name,
                value=value,
                way_out=f"Choose `{name}` > 0.",
            )
    count, radius = Decimal(dimension), _decimal(squared_radius)
    noise, wide = _decimal(variance), _decimal(spread)
    (log_noise, true_noise), (log_wide, _) = _lattice(variance), _lattice(spread)
    stretched = _DIGITS.multiply(count, _DIGITS.subtract(log_wide, log_noise))
    power = _DIGITS.add(_DIGITS.multiply(count, true_noise), radius)
    spent = _DIGITS.divide(power, 2 * wide)
    own = _DIGITS.divide(_DIGITS.multiply(count, true_noise), 2 * noise)
    nats = _DIGITS.subtract(_DIGITS.add(stretched, spent), own)
    slack = _SLACK * (1 + count * (abs(log_wide) + abs(log_noise) + 1) + spent + own)
    lower = _DIGITS.divide(nats - slack, _LN2)
    upper = _DIGITS.divide(nats + slack, _LN2)
    return Interval(float_below(lower - _SLACK), float_above(upper + _SLACK)).at_least(0.0)


def usual_spread(dimension: int, squared_radius: Fraction, variance: Fraction) -> Fraction:
    """N + r²/k, the best S but for noise of less than a step or so, where it is a valid one."""
    return variance + squared_radius / dimension


def best_spread(dimension: int, squared_radius: Fraction, variance: Fraction) -> Fraction:
    """Return about the S for which the bound is least, a short fraction: where V_S = V_N + r²/k."""
    own, added = Fraction(_lattice(variance)[1]), squared_radius / dimension
    if own + added >= 2 * _SMOOTH:
        return _short(own + added)
    wanted = float(own + added)
    low, high = float(variance), max(1.0, 2 * wanted)
    while _plain_variance(high) < wanted:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _plain_variance(middle) < wanted else (low, middle)
    return _short(Fraction(high))


def _short(value: Fraction) -> Fraction:
    """Round up to some forty binary digits; a spread of many steps needs none behind the point."""
    shift = max(0, _KEPT_BITS - math.floor(value).bit_length())
    return Fraction(math.ceil(value * 2**shift), 2**shift)


def least_power_bound(dimension: int, squared_radius: Fraction, variance: Fraction) -> Interval:
    """Enclose the bound at the best S that was found."""
    spread = best_spread(dimension, squared_radius, variance)
    return power_bound(dimension, squared_radius, variance, spread)


def _lattice(variance: Fraction) -> tuple[Decimal, Decimal]:
    """ln Z_s and V_s."""
    if variance >= _SMOOTH:
        exact = _decimal(variance)
        return _DIGITS.divide(_DIGITS.ln(_DIGITS.multiply(2 * _PI, exact)), Decimal(2)), exact
    mass, moment = Decimal(1), Decimal(0)
    for number in range(1, math.isqrt(math.ceil(2 * _FAR * variance)) + 2):
        weight = 2 * _DIGITS.exp(-_decimal(number**2 / (2 * variance)))
        mass = _DIGITS.add(mass, weight)
        moment = _DIGITS.add(moment, _DIGITS.multiply(weight, Decimal(number**2)))
    return _DIGITS.ln(mass), _DIGITS.divide(moment, mass)


def _plain_variance(scale: float) -> float:
    """V_s in doubles, for the search alone."""
    if scale >= _SMOOTH:
        return scale
    numbers = range(1, math.ceil(math.sqrt(80 * scale)) + 2)
    weights = [2 * math.exp(-(number**2) / (2 * scale)) for number in numbers]
    return math.fsum(w * number**2 for w, number in zip(weights, numbers, strict=True)) / (1 + math.fsum(weights))


def _decimal(value: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


# --- The best input law of a noisy symmetric scale
#
# Inputs are positions x ≥ 0 that stand for ±x with half the weight each: the noise is symmetric and the information is
# concave in the law, so mirroring a law and mixing it with its image loses nothing. The result is a proposal only; a
# bound is stated after evaluating the law again with its errors counted.   Ref: [Smi71]


# (rows, own): the laws of ±x together over the outputs, and Σ W_x ln W_x for each x.
Rows = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

_MOST_STEPS = 80
# Points lighter than this are dropped before the grid is refined around those that stay.
_LIGHT = 1e-7


def best_weights(rows: FloatArray, own: FloatArray, *, gap: float = 1e-12) -> FloatArray:
    """Return the law on these inputs with the most information, within `gap` nats or as near as doubles allow.

    A row here is the mean of two mirrored laws, so its own entropy is given apart.
    """
    best, least = np.full(len(rows), 1 / len(rows)), np.inf
    for law, gap_bits in itertools.islice(interior_laws(rows, own), _MOST_STEPS):
        if gap_bits < least:
            best, least = law, gap_bits
        if gap_bits <= gap * LOG2_E:
            break
    return best


def best_points(
    rows: Rows, end: float, spacing: float, *, finest: float, lattice: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return positions in [0, end] and their weights, ends of the scale included.

    A grid is refined around the points that carry mass until its spacing is `finest`; on a lattice positions are whole
    numbers and the spacing ends at 1. Elsewhere neighbours are finally merged: between two grid points the divergence
    is flat to second order, so mass on both stands for mass between them.
    """
    count = max(2, int(np.ceil(end / spacing)) + 1)
    positions = np.linspace(0.0, end, count)
    spacing = end / (count - 1)
    if lattice:
        positions = np.unique(np.round(positions))
    everywhere = positions
    weights = best_weights(*rows(positions))
    while spacing > finest:
        heavy = positions[weights > _LIGHT]
        step = spacing / 4
        around = heavy[:, None] + step * np.arange(-5, 6)[None, :]
        if lattice:
            around = np.round(around)
        around = around.ravel()
        # Rounding to the step's own grid lets neighbours that came from two sides be one point.
        kept = np.clip(around if lattice else np.round(around / step * 8) * step / 8, 0.0, end)
        # A point that got no mass on a coarse grid may deserve some on a finer one, so all of the first stay in.
        positions, spacing = np.unique(np.concatenate([kept, everywhere])), step
        weights = best_weights(*rows(positions))
    if lattice:
        return positions, weights
    return _merged(rows, positions, weights, reach=3 * spacing)


def _merged(rows: Rows, positions: FloatArray, weights: FloatArray, reach: float) -> tuple[FloatArray, FloatArray]:
    heavy = weights > _LIGHT
    points, masses = positions[heavy], weights[heavy]
    groups = np.split(np.arange(len(points)), np.flatnonzero(np.diff(points) > reach) + 1)
    centres = np.array([float(points[group] @ masses[group] / masses[group].sum()) for group in groups])
    # The outermost mass belongs at the end of the scale, and mass around the middle is one point and its mirror image.
    centres[-1] = positions[-1]
    if centres[0] < reach:
        centres[0] = 0.0
    return centres, best_weights(*rows(centres))


def mirrored(positions: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the law on both sides of 0."""
    middle = positions == 0
    outer, mass = positions[~middle], weights[~middle] / 2
    return (
        np.concatenate([-outer[::-1], positions[middle], outer]),
        np.concatenate([mass[::-1], weights[middle], mass]),
    )


# Deviations after which the tails begin: e^-72 of the mass is beyond.
_REACH = 12
# Up to this many inputs all are searched at once; a longer scale is searched at quarter deviations first.
_MOST_AT_ONCE = 300
_COARSE = 0.25
# The most entries of a matrix of rows that is held in memory.
_MOST_ENTRIES = 20_000_000
# With less weight on an end, q would underflow in the tail beyond it.
_LIGHTEST_END = 1e-200


class LatticeNoise:
    """Discrete Gaussian noise of parameter `variance` on whole numbers, seen from inputs -steps..steps."""

    def __init__(self, variance: Fraction, steps: int) -> None:
        self.steps = steps
        scale = float(variance)
        self.reach = math.ceil(_REACH * math.sqrt(scale)) + 1
        if (2 * steps + 1) * (2 * (steps + self.reach) + 1) > _MOST_ENTRIES:
            raise NotCertified(
                f"is too fine a scale to be certified with noise of variance {scale:.3g} steps²",
                parameter="steps",
                value=steps,
                way_out="Use fewer `steps`.",
            )
        farthest = 2 * steps + self.reach
        self._exponents = -0.5 * np.arange(-farthest, farthest + 1, dtype=np.float64) ** 2 / scale
        normaliser = math.fsum(np.exp(self._exponents).tolist())
        self._logs = self._exponents - math.log(normaliser)
        self._profile = np.exp(self._logs)
        ratio = math.exp(-(self.reach + 1) / scale)
        self.tail = 2 * math.exp(-((self.reach + 1) ** 2) / (2 * scale)) / (1 - ratio) * (1 + 1e-12)

    @property
    def largest_log(self) -> float:
        """The largest -ln P(y|x) over the range."""
        return float(-self._logs[0])

    @property
    def rows(self) -> FloatArray:
        """P(y|x), a row for each x from -steps, y from -(steps+reach): a view of one profile, not a copy."""
        return self._windows(self._profile)

    def _windows(self, profile: FloatArray) -> FloatArray:
        width = 2 * (self.steps + self.reach) + 1
        # Row x must have its peak at column x+steps+reach; the window that starts at steps-x does.
        windows: FloatArray = np.lib.stride_tricks.sliding_window_view(profile, width)[::-1]
        return windows

    def divergences(self, law: FloatArray) -> tuple[FloatArray, float]:
        """D(W_x‖pW) in nats for each x over the range, and a bound on rounding; the tails are counted by the caller."""
        rows = self.rows
        outputs = law @ rows
        with np.errstate(divide="ignore"):
            logs = np.log(outputs)
        own = (rows[self.steps] * self._windows(self._logs)[self.steps]).sum()
        # The row of 0 keeps reach+steps on either side; others lose at most a tail, which is counted with the tails.
        found = own - rows @ logs
        sizes = float((rows @ np.abs(logs)).max()) + abs(float(own)) + 1
        largest = float(-self._exponents[0])
        rounding = UNIT_ROUNDOFF * (rows.shape[1] + len(law) + 4 * largest + 64) * sizes
        return found, rounding

    def bounds(self, law: FloatArray) -> Interval:
        """Enclose the capacity, in bits, by evaluating one input law on -steps..steps."""
        end = float(min(law[0], law[-1]))
        if not end > _LIGHTEST_END:
            raise NotCertified("the witness of a capacity must put weight on both ends of the scale")
        found, rounding = self.divergences(law)
        if not np.isfinite(found).all():
            raise NotCertified(
                "the witness of a capacity leaves out outputs that are possible", way_out="Give it more points."
            )
        # W_x ln W_x beyond the range of another row: at most τ times the largest -ln W there, taken ten times over.
        slack = rounding + 10 * self.tail * (self.largest_log + 1)
        upper = float(found.max()) + slack + self.tail * math.log(1 / end)
        lower = float(law @ found) / float(law.sum()) - slack - self.tail
        upper, lower = max(0.0, upper), max(0.0, min(lower, upper))
        return Interval(lower * LOG2_E, upper * LOG2_E).widened(0.0).at_least(0.0)

    def best_law(self) -> FloatArray:
        """Search for the input law with the most information; `bounds` says what the result proves."""
        rows = self.rows

        def folded(positions: FloatArray) -> tuple[FloatArray, FloatArray]:
            places = positions.astype(np.int64)
            own = float((rows[self.steps] * self._windows(self._logs)[self.steps]).sum())
            both = (rows[self.steps + places] + rows[self.steps - places]) / 2
            return both, np.full(len(places), own)

        deviation = math.sqrt(-0.5 / float(self._exponents[2 * self.steps + self.reach + 1]))
        spacing = 1.0 if self.steps <= _MOST_AT_ONCE else max(1.0, _COARSE * deviation)
        positions, weights = mirrored(*best_points(folded, float(self.steps), spacing, finest=1.0, lattice=True))
        law = np.zeros(2 * self.steps + 1)
        law[positions.astype(np.int64) + self.steps] = weights
        return np.asarray(law / law.sum())


def lattice_capacity(variance: Fraction, steps: int) -> tuple[Interval, FloatArray]:
    """Return the capacity in bits and the input law on -steps..steps that proves it."""
    noise = LatticeNoise(variance, steps)
    law = noise.best_law()
    # Far from its peaks a law has weights like 1e-20, which say nothing: without them the witness is short.
    short = np.where(law > 1e-12, law, 0.0)
    short[0], short[-1] = law[0], law[-1]
    return noise.bounds(short / short.sum()), short / short.sum()


def lattice_capacity_from(
    variance: Fraction, steps: int, positions: tuple[int, ...], weights: tuple[float, ...]
) -> Interval:
    """Enclose the capacity by evaluating a witness: no search."""
    return LatticeNoise(variance, steps).bounds(checked_law(steps, positions, weights))


def checked_law(steps: int, positions: tuple[int, ...], weights: tuple[float, ...]) -> FloatArray:
    """Return the input law of a witness on -steps..steps; refuses what is none, to the last weight."""
    if len(positions) != len(weights) or not all(-steps <= x <= steps for x in positions):
        raise NotCertified("the witness of a capacity must be one weight for each of its positions on the scale")
    if list(positions) != sorted(set(positions)):
        raise NotCertified("the positions of a witness must stand once each, in ascending order")
    check_witness(weights)
    law = np.zeros(2 * steps + 1)
    law[[x + steps for x in positions]] = weights
    return np.asarray(law / law.sum())


# --- The capacity of a record that has only a few values
#
# By [E, Thm 2] a record with r values selects r of the inputs -m..m, whatever the others hold, so its capacity is the
# largest among the channels with r of the rows. Translation changes nothing, so selections are sets 0 < d_1 < … of
# differences up to 2m, and mirrored sets are equal. Two rows are mirror images of each other: equal weights are best,
# and one divergence for each distance settles it. For three and four rows candidates are eliminated: all selections run
# the Blahut-Arimoto iteration at once, and a selection is dropped when its upper bound falls below the best lower
# bound.
#
# Theory: docs/theory/gaussian_noise.md


# The most selections × values × outputs for the elimination, which takes seconds; beyond, the bound is the capacity of
# all inputs.
_MOST_WORK = 25_000_000
_CHUNK = 4_000_000
_MOST_ROUNDS = 3_000
_GAP = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionCapacity:
    """The largest capacity, in bits, of so many inputs; the positions and weights prove its lower end."""

    bits: Interval
    positions: tuple[int, ...]
    weights: tuple[float, ...]


def is_affordable(variance: Fraction, steps: int, values: int) -> bool:
    """Whether all selections of so many inputs can be bounded: always for two, at moderate sizes for three and four."""
    if values == 2:
        return True
    if values > 4 or values > 2 * steps + 1:
        return False
    outputs = 2 * (steps + math.ceil(12 * math.sqrt(float(variance))))
    return math.comb(2 * steps, values - 1) // 2 * values * outputs <= _MOST_WORK


def selection_capacity(variance: Fraction, steps: int, values: int) -> SelectionCapacity:
    """Enclose the largest capacity of `values` inputs among -steps..steps, every selection being bounded."""
    noise = LatticeNoise(variance, steps)
    if values == 2:
        sets = np.array([[0, distance] for distance in range(1, 2 * steps + 1)])
    else:
        sets = np.array(
            [(0, *rest) for rest in itertools.combinations(range(1, 2 * steps + 1), values - 1) if _first(rest)]
        )
    weights = np.full(sets.shape, 1 / values)
    return _race(noise, sets, weights)


def one_selection(variance: Fraction, steps: int, chosen: tuple[int, ...]) -> SelectionCapacity:
    """Enclose the capacity of one selection of inputs."""
    sets = np.array([chosen]) - min(chosen)
    return _race(LatticeNoise(variance, steps), sets, np.full(sets.shape, 1 / len(chosen)))


def _first(rest: tuple[int, ...]) -> bool:
    """Whether a set comes before its mirror image, so that one of the two is enough."""
    span = rest[-1]
    return rest <= tuple(sorted(span - d for d in (0, *rest[:-1])))


def _race(noise: LatticeNoise, sets: FloatArray, laws: FloatArray) -> SelectionCapacity:
    rows = noise.rows
    own = float((rows[noise.steps] * np.log(np.maximum(rows[noise.steps], 1e-300))).sum())
    width = rows.shape[1]
    chunk = max(1, _CHUNK // (width * sets.shape[1]))
    best_lower, best_upper, settled = -math.inf, -math.inf, 0.0
    winner, winning = sets[0], laws[0]
    # Longest spans first: the winner is usually among them, and a good lower bound makes the others drop out soon.
    order = np.argsort(-sets[:, -1], kind="stable")
    for start in range(0, len(order), chunk):
        live = order[start : start + chunk]
        chosen, law = sets[live], laws[live].copy()
        for rounds in range(_MOST_ROUNDS):
            taken = rows[chosen]
            outputs = np.einsum("sr,srw->sw", law, taken)
            # Where q is below 1e-300 a row is too, up to its weight, so what the floor hides is nothing.
            divergences = own - np.einsum("srw,sw->sr", taken, np.log(np.maximum(outputs, 1e-300)))
            lower, upper = (law * divergences).sum(axis=1), divergences.max(axis=1)
            leader = int(np.argmax(lower))
            if lower[leader] > best_lower:
                best_lower, winner, winning = float(lower[leader]), chosen[leader], law[leader].copy()
            done = (upper <= best_lower) | (upper - lower <= _GAP) | (rounds == _MOST_ROUNDS - 1)
            best_upper = max(best_upper, float(upper[done].max(initial=-math.inf)))
            # A weight that reaches 0 would stay there, so the tails' bound ln(1/weight) is kept finite.
            settled = max(settled, float(-np.log(law.min())))
            if done.all():
                break
            chosen, law, divergences = chosen[~done], law[~done], divergences[~done]
            law = np.maximum(law * np.exp(divergences - divergences.max(axis=1, keepdims=True)), 1e-12)
            law /= law.sum(axis=1, keepdims=True)
    # Rounding and tails as in LatticeNoise.bounds.
    size = noise.largest_log + abs(own) + 1
    slack = UNIT_ROUNDOFF * (width + 4 * size + 64) * (abs(own) + size) + noise.tail * (20 * size + settled + 2)
    middle = (int(winner[-1]) + 1) // 2
    return SelectionCapacity(
        bits=Interval((best_lower - slack) * LOG2_E, (max(best_upper, best_lower) + slack) * LOG2_E)
        .widened(0.0)
        .at_least(0.0),
        positions=tuple(int(d) - middle for d in winner),
        weights=tuple((winning / winning.sum()).tolist()),
    )


# --- Checking the capacity of a record with few values, without the elimination that found it
#
# From below, the input law of a certificate is evaluated. From above, any output law q proves that a selection S has a
# capacity of at most max_{x in S} D(W_x‖q). The certificate's own weights, put on every other selection, give a q that
# settles most of them; a few multiplicative corrections settle most of the others, and the interior-point method, which
# proves its own bound, decides the rest.   Ref: [E, Thm 2]; theory: docs/theory/gaussian_noise.md


SELECTION_GAP_BITS = 2e-7
"""The width of a stated capacity of few values above the information of its witness."""

_AT_ONCE = 4_000_000
_CORRECTIONS = 8
_LIGHTEST = 1e-12
_INNER_GAP_BITS = 1e-9


def told_bits(variance: Fraction, steps: int, positions: tuple[int, ...], weights: tuple[float, ...]) -> float:
    """Return a lower bound on the information of an input law on these positions, in bits."""
    if not all(weights) or len(set(positions)) != len(positions):
        raise NotCertified("the witness of a capacity must be a law on as many positions as there are values")
    law = checked_law(steps, positions, weights)
    noise = LatticeNoise(variance, steps)
    found, rounding = noise.divergences(law)
    held = law > 0
    nats = float(law[held] @ found[held]) - rounding - noise.tail * (10 * noise.largest_log + 11)
    return max(0.0, nats * LOG2_E)


def stated_bits(variance: Fraction, steps: int, positions: tuple[int, ...], weights: tuple[float, ...]) -> Interval:
    """Return the interval that a certificate states: from the information of the witness to the gap above it."""
    reached = told_bits(variance, steps, positions, weights)
    return Interval(reached, reached + SELECTION_GAP_BITS)


def none_exceeds(variance: Fraction, steps: int, weights: tuple[float, ...], limit_bits: float) -> bool:
    """Whether no selection of as many inputs as there are weights has a capacity above the limit."""
    noise = LatticeNoise(variance, steps)
    # Translation changes nothing, so every selection begins at the first input.
    rest = itertools.combinations(range(1, 2 * steps + 1), len(weights) - 1)
    sets: NDArray[np.int64] = np.array([(0, *others) for others in rest])
    step = max(1, _AT_ONCE // (noise.rows.shape[1] * len(weights)))
    for start in range(0, len(sets), step):
        left = _not_settled(noise, sets[start : start + step], np.array(weights), limit_bits)
        if any(_capacity_above(noise, chosen, limit_bits) for chosen in left):
            return False
    return True


def _not_settled(noise: LatticeNoise, sets: NDArray[np.int64], weights: FloatArray, limit: float) -> NDArray[np.int64]:
    rows, middle = noise.rows, noise.steps
    own = float((rows[middle] * np.log(np.maximum(rows[middle], 1e-300))).sum())
    size = noise.largest_log + abs(own) + 1
    # Rounding and tails as in LatticeNoise.bounds, at the lightest weight that a law here has.
    slack = UNIT_ROUNDOFF * (rows.shape[1] + 4 * size + 64) * (abs(own) + size)
    slack += noise.tail * (20 * size + math.log(1 / _LIGHTEST) + 2)
    laws = np.tile(np.maximum(weights, _LIGHTEST), (len(sets), 1))
    for _ in range(_CORRECTIONS):
        laws /= laws.sum(axis=1, keepdims=True)
        taken = rows[sets]
        outputs = np.matmul(laws[:, None, :], taken)[:, 0]
        divergences = own - np.matmul(taken, np.log(np.maximum(outputs, 1e-300))[:, :, None])[:, :, 0]
        above = (divergences.max(axis=1) + slack) * LOG2_E > limit
        sets, laws, divergences = sets[above], laws[above], divergences[above]
        if not len(sets):
            break
        laws = np.maximum(laws * np.exp(divergences - divergences.max(axis=1, keepdims=True)), _LIGHTEST)
    return sets


def _capacity_above(noise: LatticeNoise, chosen: NDArray[np.int64], limit_bits: float) -> bool:
    rows = noise.rows[chosen]
    found, _ = capacity_with_witness(Channel(rows / rows.sum(axis=1, keepdims=True)), gap_bits=_INNER_GAP_BITS)
    # Cutting the tails off and making the rest a law changes a capacity of few inputs by far less than the gap.
    return found.upper + 1e3 * noise.tail > limit_bits


# --- Range bound: the capacity when log-likelihood ratios to one law lie in a range of a given width
#
# If ln P_x(y)/Q(y) lies within an interval of width w as y varies, for each input x and one law Q, then
#
# C ≤ max_x D(P_x‖Q) ≤ z - 1 - ln z nats,   z = w/(1 - e^-w).
#
# R = Q/P_x has mean 1 under P_x and lies within some [a, a·e^w]. ln is concave, so E ln R is at least that of its
# chord, ln a + w(1-a)/(a(e^w-1)), which is least at a = w/(e^w-1) = z·e^-w, where it is ln a + 1 - a = -(z - 1 - ln
# z). Theory: docs/theory/correlated_noise.md


# Where e^-w is subtracted from 1, 60 + log10 w digits of z are left. z - 1 - ln z has a slope of about w/2 there, so
# its own error is still some 10^-60.


def bounded_range_bits(width: Fraction) -> Interval:
    """Enclose (z - 1 - ln z)·log2 e for a width in nats."""
    check_positive("width", width)
    exact = _DIGITS.divide(Decimal(width.numerator), Decimal(width.denominator))
    stretched = _DIGITS.divide(exact, _DIGITS.subtract(Decimal(1), _DIGITS.exp(-exact)))
    nats = _DIGITS.subtract(_DIGITS.subtract(stretched, Decimal(1)), _DIGITS.ln(stretched))
    bits, slack = _DIGITS.divide(nats, _LN2), _SLACK * (1 + stretched)
    return Interval(float_below(bits - slack), float_above(bits + slack)).at_least(0.0)
