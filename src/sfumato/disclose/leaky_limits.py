"""What may be told about a feature while a measurement of it leaks a little: C_1(α) and C_2(α) from both sides.

A symbol Y turns the prior into posteriors v. What is told is H(W) - Σθ·H(W|v), what leaks is H(X) - Σθ·H(X|v), and
both entropies are concave in v. Cells cover the laws v; in each, H(W|v) lies above its chord and H(X|v) below its
tangent at the centre. A program priced so bounds C(α) from above, by its dual, whatever the solver's tolerance; the
same program on single laws with their own entropies makes a mapping, which is evaluated in Fractions and bounds it from
below. Cells that the solution uses are cut.   Ref: [D, Def. 3]; theory: docs/theory/disclosure_limits.md
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sfumato.disclose.asymptotics import Measurements, full_data_disclosure, limit_disclosure
from sfumato.disclose.data_laws import FloatArray
from sfumato.disclose.leaky_programs import Cells, FeatureCells, PairCells, State, solve, state_of
from sfumato.disclose.simplex_cells import entropies_of
from sfumato.errors import NotCertified
from sfumato.measures import mutual_information_interval
from sfumato.prob import Channel
from sfumato.values import Interval
from sfumato.values.checks import check_at_least, check_positive

DEFAULT_GAP_BITS = 1e-5
_MOST_ROUNDS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakyDisclosure:
    """C_1(α) or C_2(α): `bits` encloses it, and `channel` tells its lower end about W~ and `leak` about a measurement.

    The inputs of `channel` are values of W~, or pairs of one and a measurement if the curator sees it.

    C_1(α) is the most that a mapping of W~ tells about W while it tells at most α bits about one measurement; for
    C_2(α) it may look at that measurement, too [D, Def. 3].

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> measured = sf.disclose.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> found = sf.disclose.leaky_disclosure(measured, 0.1, gap_bits=1e-3)
    >>> found.bits.upper - found.bits.lower <= 1e-3, found.leak.upper <= 0.1, found.channel.inputs
    (True, True, (0, 1, 2))
    """

    bits: Interval
    channel: Channel
    leak: Interval


def with_leak_interval(
    measurements: Measurements,
    alpha: float,
    *,
    sees_sample: bool = False,
    gap_bits: float = DEFAULT_GAP_BITS,
    seconds: float = 30.0,
) -> Interval:
    """Enclose C_1(α), or C_2(α) if the curator `sees_sample`: the most about W while I(X;Y) ≤ α [D, Def. 3].

    The interval is at most `gap_bits` wide unless `seconds` run out first; it is true in any case.

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> measured = sf.disclose.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> for alpha in (0.0, 0.1, 0.2):
    ...     print(alpha, round(sf.disclose.with_leak_interval(measured, alpha, gap_bits=1e-3).midpoint, 2))
    0.0 0.84
    0.1 1.22
    0.2 1.47
    """
    check_at_least("alpha", alpha, 0)
    if alpha == 0:
        start = full_data_disclosure(measurements) if sees_sample else limit_disclosure(measurements)
        return Interval(start.lower_bits, start.upper_bits)
    return leaky_disclosure(measurements, alpha, sees_sample=sees_sample, gap_bits=gap_bits, seconds=seconds).bits


def leaky_disclosure(
    measurements: Measurements,
    alpha: float,
    *,
    sees_sample: bool = False,
    gap_bits: float = DEFAULT_GAP_BITS,
    seconds: float = 30.0,
) -> LeakyDisclosure:
    """Return C_1(α) or C_2(α) for α > 0 with a mapping that reaches the lower end and leaks no more than α.

    Returns:
        The enclosure, with the mapping, what that tells and what it leaks.

    Raises:
        NotCertified: the mapping that was found leaks more than α by its last digits.

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> measured = sf.disclose.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> found = sf.disclose.leaky_disclosure(measured, 0.1, gap_bits=1e-3)
    >>> round(found.bits.midpoint, 2), round(found.leak.upper, 4)
    (1.22, 0.1)
    """
    check_positive("alpha", alpha)
    check_positive("gap_bits", gap_bits)
    deadline = time.monotonic() + seconds
    state = state_of(measurements, sees_sample=sees_sample)
    whole = measurements.told_in_the_end
    above = min(whole.upper, alpha + measurements.open_after_one.upper)
    if alpha >= measurements.told_by_one.upper:
        above = whole.upper
    cells: Cells = PairCells(state) if sees_sample else FeatureCells(state)
    points = _Points(state, alpha)
    below = 0.0
    for _ in range(_MOST_ROUNDS):
        bound, posteriors = cells.bound(alpha)
        above = min(above, bound)
        below = points.told(posteriors)
        if above - below <= gap_bits / 2 or time.monotonic() > deadline or not cells.cut():
            break
    channel, told, leak = points.mapping(measurements)
    return LeakyDisclosure(bits=Interval(min(told, above), above), channel=channel, leak=leak)


class _Points:
    """Single laws with their own entropies: the best mixture of them within the leak is a mapping."""

    def __init__(self, state: State, alpha: float) -> None:
        self._state, self._alpha = state, alpha
        self._prior = np.array([float(mass) for mass in state.law])
        self._fixed = np.vstack([np.eye(len(self._prior)), self._prior])
        self._laws = self._fixed
        self._weights = np.append(np.zeros(len(self._prior)), 1.0)

    def told(self, fresh: list[FloatArray]) -> float:
        """Take more laws in and return what the best mixture tells, before anything is rounded."""
        kept = self._laws[self._weights > 1e-10]
        self._laws = np.unique(np.vstack([self._fixed, kept, *fresh]), axis=0)
        costs = entropies_of(self._laws @ self._state.feature.T)
        leaks = self._state.whole_sample - entropies_of(self._laws @ self._state.sample.T)
        self._weights, _, _ = solve(costs, leaks[None], np.array([self._alpha]), self._laws.T, self._prior)
        return self._state.whole_feature - float(costs @ self._weights)

    def mapping(self, measurements: Measurements) -> tuple[Channel, float, Interval]:
        """Return the mapping, what it surely tells and what it leaks, in Fractions; told less often if it leaks more.

        Saying nothing in a part of the cases scales what is told and what leaks alike.
        """
        used = self._weights > 1e-12
        joint = self._weights[used, None] * self._laws[used]
        rows = np.maximum(joint, 0.0).T
        rows[rows.sum(axis=1) <= 0, 0] = 1.0  # a state so rare that the solver left it out says anything
        drawn = Channel(np.asarray(rows / rows.sum(axis=1, keepdims=True))).to_exact()
        told, leak = self._measured(measurements, drawn)
        if leak.upper > self._alpha:
            part = Fraction(self._alpha) / Fraction(leak.upper) * (1 - Fraction(1, 10**12))
            drawn = Channel([[*(part * Fraction(v) for v in row), 1 - part] for row in drawn.rows])
            told, leak = self._measured(measurements, drawn)
        if leak.upper > self._alpha:
            raise NotCertified("a mapping leaks more than it may, by its last digits", way_out="Allow a little more.")
        return Channel(drawn.rows, inputs=self._labels()), max(0.0, told.lower), leak

    def _measured(self, measurements: Measurements, drawn: Channel) -> tuple[Interval, Interval]:
        """I(W~;Y) and I(X;Y) of a mapping of the state."""
        values, symbols = measurements.noise.shape
        by_feature = [[Fraction(0)] * drawn.shape[1] for _ in range(values)]
        by_sample = [[Fraction(0)] * drawn.shape[1] for _ in range(symbols)]
        noise, prior = measurements.noise.rows, measurements.prior.fractions
        for label, mass, row in zip(self._state.labels, self._state.law, drawn.rows, strict=True):
            seen = [label[1]] if len(label) > 1 else list(range(symbols))
            for y, share in enumerate(row):
                by_feature[label[0]][y] += mass * Fraction(share)
                for x in seen:
                    both = mass if len(label) > 1 else prior[label[0]] * Fraction(noise[label[0]][x])
                    by_sample[x][y] += both * Fraction(share)
        return _information(by_feature), _information(by_sample)

    def _labels(self) -> list[Any]:
        if len(self._state.labels[0]) > 1:
            return list(self._state.labels)
        return [label[0] for label in self._state.labels]


def _information(joint: list[list[Fraction]]) -> Interval:
    masses = [sum(row, Fraction(0)) for row in joint]
    rows = [[v / mass for v in row] for row, mass in zip(joint, masses, strict=True) if mass]
    return mutual_information_interval(Channel(rows), [mass for mass in masses if mass])
