"""Upper bounds of C_1^b, by branch and bound on what each value of a record says.

With r = P(y|x_i=a) known to lie in [low, high], the convex r log r lies below its chord, and with the chord in its
place the problem is concave. Its dual needs no solver to be believed: for every law z of the outputs and all prices
λ > 0, μ ≥ 0,   C ≤ λ log2 Σ_c N_c 2^(v_c/λ) − λb   with   v_c = chords + Σ_y W_c(y) log2(1/z_y) + Σ_j μ_j limit_j(c).
Boxes whose bound is too high are cut in two until the bounds meet.   Ref: [E, Def. 11]; docs/theory/balance.md
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.measures.balances.boxes import Box, chords, halves, limits, whole_box
from sfumato.measures.balances.classes import RecordClasses
from sfumato.measures.balances.program import Program, interior_steps
from sfumato.measures.balances.search import Found, climb, lifted, proved
from sfumato.measures.enclosures import LOG2_E, UNIT_ROUNDOFF
from sfumato.prob.exact import FloatArray
from sfumato.values.interval import Interval

_LN2 = math.log(2)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bounded:
    """What is known of a box: no law in it says more than `upper_bits`; `law` is where the relaxation's optimum is."""

    box: Box
    upper_bits: float
    law: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome:
    """Both bounds, the law that reaches the lower one, and the number of boxes that it took."""

    bits: Interval
    best: Found
    boxes: int


def constrained_capacity(
    records: Sequence[RecordClasses], floor_bits: float, *, ceiling_bits: float, gap_bits: float, most_boxes: int
) -> Outcome:
    """Enclose C_1^b; `ceiling_bits` is an upper bound that is known beforehand."""
    best = max(
        (proved(classes, _start(classes, floor_bits, gap_bits), floor_bits) for classes in records),
        key=lambda found: found.bits.lower,
    )
    settled, boxes = 0.0, 0
    queue: list[tuple[float, int, Bounded]] = []
    order = itertools.count()
    waiting = [(whole_box(classes, floor_bits), ceiling_bits) for classes in records]
    while True:
        for box, ceiling in waiting:
            boxes += 1
            known = bounded(box, floor_bits, stop_bits=best.bits.lower + gap_bits / 2, gap_bits=gap_bits)
            best = _better(best, known, floor_bits, gap_bits)
            upper = min(known.upper_bits, ceiling)
            if upper <= best.bits.lower + gap_bits / 2:
                settled = max(settled, upper)
            else:
                heapq.heappush(queue, (-upper, next(order), known))
        if not queue or -queue[0][0] <= best.bits.lower + gap_bits or boxes >= most_boxes:
            break
        negative, _, known = heapq.heappop(queue)
        waiting = [(part, -negative) for part in halves(known.box, known.law)]
    highest = max([settled, best.bits.lower, *(-entry[0] for entry in queue)])
    return Outcome(bits=Interval(best.bits.lower, highest), best=best, boxes=boxes)


def bounded(box: Box, floor_bits: float, *, stop_bits: float, gap_bits: float) -> Bounded:
    """Bound a box from above, no more carefully than it takes to be below `stop_bits` or near the optimum."""
    classes = box.classes
    offsets, slopes, slack = chords(box.low, box.high)
    pieces = offsets[classes.values] + slopes[classes.values] * classes.rows
    rows, sizes = limits(box)
    program = Program(
        rows=classes.rows,
        gains=pieces.sum(axis=1) * _LN2,
        sizes=np.log(classes.counts),
        floor=floor_bits * _LN2,
        limits=rows,
    )
    doubt = (np.abs(offsets)[classes.values] + np.abs(slopes)[classes.values] * classes.rows).sum(axis=1)
    doubt = doubt * UNIT_ROUNDOFF * (classes.rows.shape[1] + 16) + slack[classes.values].sum(axis=1)
    # A price of entropy this small loses a hundredth of the gap at most, and spares the case λ = 0.
    least_price = 0.01 * gap_bits / max(1.0, math.log2(len(classes.places)))
    upper, law = math.inf, classes.uniform
    for step in interior_steps(program, classes.uniform):
        law = step.law
        price = max(step.entropy_price, least_price)
        outputs = np.maximum(law @ classes.rows, 1e-290)
        here = _dual(program, doubt, sizes, outputs / outputs.sum(), price, step.limit_prices, floor_bits)
        upper = min(upper, here)
        if upper <= stop_bits or step.gap < 0.02 * gap_bits * _LN2:
            break
    return Bounded(box=box, upper_bits=upper, law=law)


def _dual(
    program: Program,
    doubt: FloatArray,
    sizes: FloatArray,
    outputs: FloatArray,
    price: float,
    limit_prices: FloatArray,
    floor_bits: float,
) -> float:
    """Evaluate the dual bound in bits, rounded up. Every law `outputs` and all non-negative prices give a bound."""
    with np.errstate(all="ignore"):  # prices without end give no bound, and no warning either
        surprise = -np.log2(outputs)
        prices = limit_prices * LOG2_E
        values = program.gains * LOG2_E + program.rows @ surprise + prices @ program.limits
        terms = program.rows.shape[1] + len(prices) + 24
        spread = np.abs(program.gains) * LOG2_E + program.rows @ np.abs(surprise) + prices @ sizes + 1.0
        top = float(values.max())
        exponents = (values - top) / price
        total = float((np.exp2(exponents) * np.exp(program.sizes)).sum())
        result = top + price * (math.log2(total) - floor_bits)
        # λ log2 Σ 2^(v/λ) moves by no more than the largest error of a v; the sum and its logarithm add their own.
        error = float((doubt + UNIT_ROUNDOFF * terms * spread).max()) + 8 * UNIT_ROUNDOFF * float(np.ptp(values))
        error += UNIT_ROUNDOFF * price * (8 * len(values) + 16 * (abs(math.log2(total)) + floor_bits) + 16)
        error += 8 * UNIT_ROUNDOFF * (abs(top) + abs(result) + len(outputs))
    upper = math.nextafter(result + 1.01 * error, math.inf)
    return upper if math.isfinite(upper) else math.inf


def _start(classes: RecordClasses, floor_bits: float, gap_bits: float) -> FloatArray:
    return climb(classes, classes.uniform, floor_bits, gain_bits=0.01 * gap_bits)


def _better(best: Found, known: Bounded, floor_bits: float, gap_bits: float) -> Found:
    """Climb from the relaxation's optimum if it says more than the best law so far."""
    classes = known.box.classes
    gain_bits = 0.01 * gap_bits
    if classes.information_bits(lifted(classes, known.law, floor_bits)) <= best.bits.lower + gain_bits:
        return best
    found = proved(classes, climb(classes, known.law, floor_bits, gain_bits=gain_bits), floor_bits)
    return found if found.bits.lower > best.bits.lower else best
