"""Boxes of what each value of a record says: bounds on P(y|x_i=a), the chords above r log2 r in them, and their cuts.

Ref: [E, Def. 11]; docs/theory/balance.md
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.measures.balances.classes import RecordClasses
from sfumato.measures.enclosures import LOG2_E, UNIT_ROUNDOFF
from sfumato.prob.exact import FloatArray

_ULP = 4 * UNIT_ROUNDOFF
# Any tilt gives a bound; these are close enough to the best one.
_TILTS = 2.0 ** np.arange(-4, 12, 0.25)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Box:
    """Bounds of r = P(y|x_i=a) for every value a and output y."""

    classes: RecordClasses
    low: FloatArray
    high: FloatArray


def whole_box(classes: RecordClasses, floor_bits: float) -> Box:
    """The smallest box known beforehand: what the rows can mix to, and no further from even than the entropy allows."""
    values = classes.value_count
    low = np.array([classes.rows[classes.values == a].min(axis=0) for a in range(values)])
    high = np.array([classes.rows[classes.values == a].max(axis=0) for a in range(values)])
    for a in range(values):
        here = classes.values == a
        rest = float(classes.counts[~here].sum())
        for y in range(classes.rows.shape[1]):
            column, counts = classes.rows[here, y], classes.counts[here]
            high[a, y] = min(high[a, y], _reach(column, counts, rest, floor_bits))
            low[a, y] = max(low[a, y], -_reach(-column, counts, rest, floor_bits))
    # The rows are rounded, so what they can mix to is known to a few units in the last place.
    return Box(classes=classes, low=low * (1 - _ULP), high=np.minimum(1.0, high * (1 + _ULP)))


def _reach(column: FloatArray, counts: FloatArray, rest: float, floor_bits: float) -> float:
    """How large r = Σ q_c w_c / Σ q_c over one value's classes can be when H ≥ b.

    For every tilt s > 0, b ≤ H(q) + Σ q_c log2 N_c + s Σ q_c (w_c − r) ≤ log2(rest + Σ N_c 2^(s(w_c − r))), which is an
    upper bound of r as soon as 2^b exceeds the number of data sets outside of this value.
    """
    needed = 2.0**floor_bits - rest
    if needed <= 1e-3 * 2.0**floor_bits:
        return np.inf
    top = float(column.max())
    sums = (counts * np.exp2(_TILTS[:, None] * (column - top))).sum(axis=1)
    reach = top + (np.log2(sums) - np.log2(needed)) / _TILTS
    # A relative error of the quotient is an absolute one of its logarithm; `needed` lost at most three digits.
    exponents = np.abs(_TILTS) * float(np.ptp(column)) + np.abs(np.log2(sums)) + abs(np.log2(needed))
    slack = UNIT_ROUNDOFF * ((8 * len(column) + 16 * exponents + 16_000) / _TILTS + 16)
    return float((reach + slack).min())


def chords(low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return offsets and slopes of lines above r log2 r on [low, high], with a bound on the rounding of the offsets.

    Whatever the slope β, r log2 r − βr is convex, so its larger end value is an offset that suffices.
    """
    at_low, at_high = _entropic(low), _entropic(high)
    width = high - low
    tangent = np.log2(np.maximum(high, 1e-290)) + LOG2_E
    slopes = np.where(width > 1e-12, (at_high - at_low) / np.where(width > 1e-12, width, 1.0), tangent)
    offsets = np.maximum(at_low - slopes * low, at_high - slopes * high)
    slack = 16 * UNIT_ROUNDOFF * (np.abs(at_low) + np.abs(at_high) + np.abs(slopes) * high) + 1e-280
    return offsets, slopes, slack


def limits(box: Box) -> tuple[FloatArray, FloatArray]:
    """The rows that keep r in its box, q·row ≥ 0, and the sizes of their terms; those that always hold are left out."""
    classes = box.classes
    # With two outputs the second is 1 minus the first.
    columns = 1 if classes.rows.shape[1] == 2 else classes.rows.shape[1]
    found, sizes = [], []
    for value in range(len(box.low)):
        here = classes.values == value
        for y in range(columns):
            column = classes.rows[:, y]
            for sign, edge in ((1.0, box.low[value, y]), (-1.0, box.high[value, y])):
                row = np.where(here, sign * (column - edge), 0.0)
                if (row < 0).any():
                    found.append(row)
                    sizes.append(np.where(here, column + edge, 0.0))
    count = len(classes.rows)
    return np.array(found).reshape(-1, count), np.array(sizes).reshape(-1, count)


def halves(box: Box, law: FloatArray) -> list[Box]:
    """Cut the box where its chords are furthest from the truth at this law; a part that nothing fits in is left out."""
    masses, given = box.classes.conditionals(law)
    offsets, slopes, _ = chords(box.low, box.high)
    inside = np.clip(given, box.low, box.high)
    excess = np.where(box.high - box.low > 1e-12, offsets + slopes * inside - _entropic(inside), 0.0)
    if box.low.shape[1] == 2:  # one cut narrows both outputs
        excess = np.column_stack([excess.sum(axis=1), np.zeros(len(excess))])
    weighed = masses[:, None] * excess
    if weighed.max() <= 1e-12:  # the chords are not what is wrong here: halve the widest side
        weighed = box.high - box.low
    a, y = np.unravel_index(int(weighed.argmax()), weighed.shape)
    left, right = float(box.low[a, y]), float(box.high[a, y])
    # Near an edge a cut would leave most of the box as it was.
    cut = min(max(float(inside[a, y]), left + 0.15 * (right - left)), right - 0.15 * (right - left))
    parts = []
    for edge_low, edge_high in ((left, cut), (cut, right)):
        low, high = box.low.copy(), box.high.copy()
        low[a, y], high[a, y] = edge_low, edge_high
        _tighten(low[a], high[a])
        if (low[a] <= high[a]).all():
            parts.append(Box(classes=box.classes, low=low, high=high))
    return parts


def _tighten(low: FloatArray, high: FloatArray) -> None:
    """The r of one value add up to 1; what follows for each from the others, rounded outward."""
    slack = _ULP * (len(low) + 2) * max(1.0, float(high.sum()))
    others_high, others_low = high.sum() - high, low.sum() - low
    np.maximum(low, 1 - others_high - slack, out=low)
    np.minimum(high, 1 - others_low + slack, out=high)


def _entropic(r: FloatArray) -> FloatArray:
    result: FloatArray = r * np.log2(np.maximum(r, 1e-290))
    return result
