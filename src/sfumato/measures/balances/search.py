"""Laws of large entropy under which a report says much about one record: lower bounds of C_1^b.

I(X_i;Y) = H(Y) + Σ_a π_a Σ_y r log r, with r = P(y|x_i=a), is concave plus convex in the law. The convex part lies
above its tangents, so putting the tangent at the present law in its place and maximising the rest, a concave program,
never loses; repeating it climbs to a local optimum (the convex-concave procedure). Only where it ends is evaluated with
rounding, and only if its entropy surely suffices.   Ref: [E, Def. 11]; docs/theory/balance.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.measures.balances.classes import RecordClasses, joint_information_interval, law_entropy_interval
from sfumato.measures.balances.program import Program, interior_steps
from sfumato.prob.exact import FloatArray
from sfumato.values.interval import Interval

_MOST_ROUNDS = 40
_LN2 = math.log(2)
# A law that meets the floor in floats may miss it in truth: how much more to ask for, until it surely does not.
_MARGINS = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-9, 1e-6)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """A law of all data sets whose entropy surely suffices, and what it surely tells about a record."""

    record: int
    law: FloatArray
    bits: Interval


def climb(classes: RecordClasses, law: FloatArray, floor_bits: float, *, gain_bits: float) -> FloatArray:
    """Improve a law of the classes until a round gains less than `gain_bits`; it may miss the floor a little."""
    sizes = np.log(classes.counts)
    no_limits = np.zeros((0, len(law)))
    best = law
    value = -math.inf
    for _ in range(_MOST_ROUNDS):
        _, given = classes.conditionals(best)
        gains = (classes.rows * np.log(np.maximum(given, 1e-300))[classes.values]).sum(axis=1)
        program = Program(rows=classes.rows, gains=gains, sizes=sizes, floor=floor_bits * _LN2, limits=no_limits)
        step = None
        for step in interior_steps(program, classes.uniform):
            if step.gap < 0.1 * gain_bits * _LN2:
                break
        if step is None or not np.isfinite(step.law).all():
            return best
        fresh = classes.information_bits(lifted(classes, step.law, floor_bits))
        if fresh <= value + gain_bits:
            return step.law if fresh > value else best
        best, value = step.law, fresh
    return best


def lifted(classes: RecordClasses, law: FloatArray, floor_bits: float) -> FloatArray:
    """Mix in as little of the uniform law as brings the entropy up to the floor (entropy is concave)."""
    if class_entropy_bits(classes, law) >= floor_bits:
        return law
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if class_entropy_bits(classes, (1 - middle) * law + middle * classes.uniform) >= floor_bits:
            high = middle
        else:
            low = middle
    mixed: FloatArray = (1 - high) * law + high * classes.uniform
    return mixed


def class_entropy_bits(classes: RecordClasses, law: FloatArray) -> float:
    """The largest entropy of data sets whose classes have this law."""
    return float(law @ (np.log2(classes.counts) - np.log2(np.maximum(law, 1e-300))))


def proved(classes: RecordClasses, law: FloatArray, floor_bits: float) -> Found:
    """Evaluate a law with rounding: first lift it until its entropy is surely at least the floor."""
    for margin in _MARGINS:
        lift = lifted(classes, law, floor_bits + margin)
        spread = classes.dataset_law(lift / lift.sum())
        if law_entropy_interval(spread).lower >= floor_bits:
            return _evaluated(classes, spread)
    # The uniform law has the largest entropy of all, log2 |X|, so it needs no proof.
    return evenly(classes)


def evenly(classes: RecordClasses) -> Found:
    """Evaluate the uniform law."""
    return _evaluated(classes, np.full(len(classes.places), 1 / len(classes.places)))


def _evaluated(classes: RecordClasses, spread: FloatArray) -> Found:
    masses = np.bincount(classes.places, spread, len(classes.rows))
    joint = classes.by_value(masses[:, None] * classes.rows)
    return Found(record=classes.record, law=spread, bits=joint_information_interval(joint, terms=len(spread)))
