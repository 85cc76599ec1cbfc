"""How much a bounded whole number plus discrete Gaussian noise can say, for the law that is really sampled.

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

import math
from fractions import Fraction

import numpy as np

from sfumato.errors import NotCertified
from sfumato.measures.amplitude.mass_points import best_points, mirrored
from sfumato.measures.enclosures import LOG2_E, UNIT_ROUNDOFF
from sfumato.measures.witnesses import check_witness
from sfumato.prob.exact import FloatArray
from sfumato.values.interval import Interval

# Deviations after which the tails begin: e^-72 of the mass is beyond.
_REACH = 12
# Up to so many inputs all are searched at once; a longer scale is searched at quarter deviations first.
_MOST_AT_ONCE = 300
_COARSE = 0.25
# Entries of a matrix of rows that a machine holds with ease.
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
        """Search for the input law that tells most; whatever is returned, `bounds` says what it proves."""
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
