"""D(N(x,1)‖q) for a mixture q of unit normals centred in [-T, T], with every error bounded.

D(x) = -h(Z) - ∫ φ(y-x) ln q(y) dy in nats, h(Z) = ½ ln 2πe. Four errors are added up:

*Quadrature.* The trapezoid rule with step h errs by at most 2M/(e^(2πa/h)-1) when the integrand is analytic in the
strip |Im y| ≤ a and M bounds ∫|g(u±ia)|du [TW14, Thm 5.1]. The terms of q(u+iv) have phases v·(x_k-u), which differ by
no more than 2vT; for v ≤ a = π/(4T) all lie within ±π/4 of one direction, hence |q(u+iv)| ≥ e^(v²/2) q(u)/√2 > 0 and
ln q is analytic there.
*Tails.* What lies more than 12 deviations beyond ±T weighs e^-72, and ln q grows like a square only.
*Rounding.* First order in u = 2^-53 with generous constants, as everywhere.
*Between grid points.* D'' = 1 - E Var(X|x+Z) lies in [1-T², 1], so on a cell of width d it exceeds its
chord by at most (T²-1)d²/8; where T ≤ 1 it is convex and largest at ±T.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.prob.exact import FloatArray

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
