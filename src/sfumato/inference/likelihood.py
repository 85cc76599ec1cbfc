"""Maximum-likelihood shares of answers from counts of reports, and unbiased scores of reports.

Without the constraint that shares sum to one, the problem is to minimise Σ p - Σ f·ln(pA) over p ≥ 0, where f are the
shares of the reports and A is the channel. Its minimum sums to one. The distance of any p from the maximum is bounded
by Frank and Wolfe's gap, max_x g_x - 1 with g = A(f/pA) [FW56]: the log-likelihood can still gain at most n times that.
Up to a few hundred answers a primal-dual interior-point method finds the maximum for many samples at once. Above that
projected gradients are used, whose steps a structured channel computes by FFT.
Theory: docs/theory/bounded_intervals.md
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.prob.channel import Channel
from sfumato.prob.intervals import nearest_law
from sfumato.prob.structured import AnyChannel

FloatArray = npt.NDArray[np.float64]

MOST_NEWTON = 256
"""Answers up to which every step solves a system of equations."""
MOST_LIKELIEST = 1 << 12
"""Answers up to which the likeliest shares are looked for; above it the nearest law to the raw shares is shown."""
GAP = 1e-10
"""The gap at which a maximum counts as found; steps by gradient end at ten times the statistical one, 1e-4/n."""

_STEPS = 100
_GRADIENTS = 1000
_TO_THE_WALL = 0.995
_BATCH = 2_000_000
_NOTHING = 1e-10


class Passage(Protocol):
    """A channel as two products: of laws of answers, and of numbers that stand for reports."""

    def forward(self, shares: FloatArray) -> FloatArray:
        """Return the laws of the reports."""
        ...

    def forward_any(self, numbers: FloatArray) -> FloatArray:
        """Return the same product for numbers of any sign."""
        ...

    def backward(self, numbers: FloatArray) -> FloatArray:
        """Return the mean of the numbers for each answer."""
        ...


class DensePassage:
    """All entries of a channel."""

    __slots__ = ("array",)

    def __init__(self, array: FloatArray) -> None:
        self.array = array

    def forward(self, shares: FloatArray) -> FloatArray:
        """Multiply."""
        return self.forward_any(shares)

    def forward_any(self, numbers: FloatArray) -> FloatArray:
        """Multiply."""
        found: FloatArray = numbers @ self.array
        return found

    def backward(self, numbers: FloatArray) -> FloatArray:
        """Multiply by the transpose."""
        found: FloatArray = numbers @ self.array.T
        return found


class ShiftPassage:
    """A shift, by FFT."""

    __slots__ = ("_inputs", "_outputs", "_spectrum")

    def __init__(self, law: FloatArray, inputs: int) -> None:
        from scipy import fft  # noqa: PLC0415  scipy is slow to import

        self._inputs, self._outputs, self._spectrum = inputs, law.size, fft.rfft(law)

    def forward(self, shares: FloatArray) -> FloatArray:
        """Convolve; what is negative by rounding is 0."""
        return np.maximum(self.forward_any(shares), 0.0)

    def forward_any(self, numbers: FloatArray) -> FloatArray:
        """Convolve."""
        from scipy import fft  # noqa: PLC0415  scipy is slow to import

        found = fft.irfft(fft.rfft(numbers, n=self._outputs) * self._spectrum, n=self._outputs)
        return np.asarray(found, dtype=np.float64)

    def backward(self, numbers: FloatArray) -> FloatArray:
        """Correlate."""
        from scipy import fft  # noqa: PLC0415  scipy is slow to import

        found = fft.irfft(fft.rfft(numbers) * np.conj(self._spectrum), n=self._outputs)
        return np.asarray(found[..., : self._inputs], dtype=np.float64)


def passage_of(channel: AnyChannel) -> Passage:
    """Return the products of a channel: written out while there are few answers, by FFT where it is a shift."""
    if isinstance(channel, Channel) or channel.shape[0] <= MOST_NEWTON:
        return DensePassage(np.ascontiguousarray(channel.array))
    levels = np.array([float(level) for level in channel.levels])
    return ShiftPassage(levels[channel.codes], channel.input_count)


def maximum_likelihood(passage: Passage, seen: FloatArray, start: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the likeliest shares of answers, a row for each row of `seen`, the shares of the reports.

    `start` are shares to begin with, `totals` how many reports each row has.
    """
    if isinstance(passage, DensePassage) and passage.array.shape[0] <= MOST_NEWTON:
        rows = max(1, _BATCH // passage.array.size)
        pieces = [_by_newton(passage.array, seen[at : at + rows]) for at in range(0, len(seen), rows)]
        return np.concatenate(pieces)
    return np.stack([_by_gradients(passage, *row) for row in zip(seen, start, totals.tolist(), strict=True)])


def gap_of(passage: Passage, seen: FloatArray, shares: FloatArray) -> FloatArray:
    """Return max_x g_x - 1, which bounds what a report's log-likelihood can still gain on average."""
    found: FloatArray = passage.backward(_over(seen, passage.forward(shares))).max(axis=-1) - 1
    return found


def _over(seen: FloatArray, law: FloatArray) -> FloatArray:
    """Divide; a report that was not seen counts nothing, however improbable."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(seen > 0, seen / law, 0.0)
    return found


def _by_newton(rows: FloatArray, seen: FloatArray) -> FloatArray:
    size = len(rows)
    shares = np.full((len(seen), size), 1 / size)
    slack = np.ones_like(shares)
    left = np.arange(len(seen))
    for _ in range(_STEPS):
        p, z, f = shares[left], slack[left], seen[left]
        q = p @ rows
        ratio = _over(f, q)
        g = ratio @ rows.T
        # Scaled to a law, p has the gradient g·Σp.
        gap = g.max(axis=1) * p.sum(axis=1) - 1
        going = gap > GAP
        if not going.any():
            break
        left, p, z, f, q, ratio, g = (part[going] for part in (left, p, z, f, q, ratio, g))
        curvature = np.where(f > 0, ratio / np.where(q > 0, q, 1.0), 0.0)
        hessian = (rows * curvature[:, None, :]) @ rows.T
        hessian += (z / p)[:, :, None] * np.eye(size)
        centre = 0.1 * (p * z).mean(axis=1, keepdims=True)
        step = np.linalg.solve(hessian, (g - 1 + centre / p)[..., None])[..., 0]
        turn = centre / p - z - z / p * step
        shares[left] = p + _stride(p, step) * step
        slack[left] = z + _stride(z, turn) * turn
    shares /= shares.sum(axis=1, keepdims=True)
    shares[shares < _NOTHING] = 0.0
    found: FloatArray = shares / shares.sum(axis=1, keepdims=True)
    return found


def _stride(point: FloatArray, step: FloatArray) -> FloatArray:
    """How far one may go along a step and stay positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(step < 0, -point / step, np.inf).min(axis=1, keepdims=True)
    found: FloatArray = np.minimum(1.0, _TO_THE_WALL * room)
    return found


def _by_gradients(passage: Passage, seen: FloatArray, start: FloatArray, total: float) -> FloatArray:
    """Accelerated projected gradients that start anew whenever they lose height."""
    enough = max(GAP, 1e-3 / total)
    size = start.size
    best = current = 0.999 * start + 0.001 / size
    momentum, pace = 1.0, 1.0
    height = _height(passage, seen, best)
    for _ in range(_GRADIENTS):
        law = passage.forward(current)
        g = passage.backward(_over(seen, law))
        here = _height_of(seen, law)
        while True:
            moved = nearest_law(current + pace * g)
            change = moved - current
            reached = _height(passage, seen, moved)
            if reached >= here + g @ change - change @ change / (2 * pace) or pace < 1e-12:
                break
            pace /= 2
        if reached < height:
            current, momentum = best, 1.0
            pace *= 1.5
            continue
        following = (1 + np.sqrt(1 + 4 * momentum * momentum)) / 2
        ahead = moved + (momentum - 1) / following * (moved - best)
        best, height, momentum = moved, reached, following
        current = ahead if ahead.min() >= 0 else nearest_law(ahead)
        pace *= 1.1
        if gap_of(passage, seen, best) <= enough:
            break
    return best


def _height(passage: Passage, seen: FloatArray, shares: FloatArray) -> float:
    return _height_of(seen, passage.forward(shares))


def _height_of(seen: FloatArray, law: FloatArray) -> float:
    is_seen = seen > 0
    with np.errstate(divide="ignore"):
        return float(seen[is_seen] @ np.log(law[is_seen]))


# --- Scores of reports, whose mean is an unbiased mean of the values of the answers
# Of all numbers w with E[w | x] = v_x for every answer x, these have the least variance when all answers are equally
# frequent. They do not depend on the counts, so their means are unbiased and add up over groups. A shift of all v
# shifts all w.
# Proof: docs/theory/bounded_intervals.md


_EXACT_ENOUGH = 1e-8
_MOST_STEPS = 500
_PASSES = 2


class LinearScores:
    """The scores of a channel."""

    def __init__(self, passage: Passage, inputs: int) -> None:
        self._passage, self._inputs = passage, inputs

    def of(self, values: FloatArray) -> FloatArray:
        """Return a number for each report; `values` lie about 0, since what is far from it is lost in rounding."""
        weights = self._solved(values)
        found: FloatArray = self._passage.forward_any(weights) * self._inverse
        missed = np.abs(self._passage.backward(found) - values).max()
        if not missed <= _EXACT_ENOUGH * max(1.0, float(np.abs(values).max())):
            raise InvalidParameter(
                "some answers cannot be told apart from any number of reports, since a row of the channel is a mixture "
                "of others",
                way_out="Merge those answers.",
            )
        return found

    def raw_shares(self, seen: FloatArray) -> FloatArray:
        """Return the unbiased shares of all answers, a row for each row of shares of reports."""
        return self._solved(self._passage.backward(seen * self._inverse))

    @cached_property
    def _inverse(self) -> FloatArray:
        """One over the law of reports when all answers are equally frequent."""
        law = self._passage.forward(np.full(self._inputs, 1 / self._inputs))
        with np.errstate(divide="ignore"):
            found: FloatArray = np.where(law > 0, 1 / law, 0.0)
        return found

    @cached_property
    def _gram(self) -> FloatArray | None:
        if not isinstance(self._passage, DensePassage):
            return None
        rows = self._passage.array
        found: FloatArray = (rows * self._inverse) @ rows.T
        return found

    @cached_property
    def _matrix(self) -> FloatArray | None:
        if self._gram is None:
            return None
        return np.asarray(np.linalg.pinv(self._gram, hermitian=True), dtype=np.float64)

    def _solved(self, right: FloatArray) -> FloatArray:
        """Solve A·Q⁻¹·Aᵀ·x = right: directly where the channel is written out, else by conjugate gradients."""
        if self._matrix is not None and self._gram is not None:
            found: FloatArray = right @ self._matrix
            # Where there is much noise the inverse has few right digits; each pass adds as many.
            for _ in range(_PASSES):
                found = found + (right - found @ self._gram) @ self._matrix
            return found
        if right.ndim > 1:
            return np.stack([self._solved(row) for row in right])
        return self._by_conjugate_gradients(right)

    def _by_conjugate_gradients(self, right: FloatArray) -> FloatArray:
        point = np.zeros_like(right)
        rest = right.copy()
        way, size = rest.copy(), float(rest @ rest)
        enough = 1e-26 * max(size, 1e-300)
        for _ in range(_MOST_STEPS):
            if size <= enough:
                break
            image = self._passage.backward(self._passage.forward_any(way) * self._inverse)
            pace = size / float(way @ image)
            point += pace * way
            rest -= pace * image
            before, size = size, float(rest @ rest)
            way = rest + size / before * way
        return point
