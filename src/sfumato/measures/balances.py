"""The balance function of [E], with lower and upper bounds by branch and bound.

C_1^b is the most that a report reveals about one record to an adversary whose law of all records has an entropy of at
least b bits, and g(b) = C_1 − C_1^b is the value of that ignorance [E, Def. 11]. By [E, Prop. 3] a channel with
C_1 ≤ ε + g(b) is as good against such adversaries as one with C_1 ≤ ε is against all. The paper leaves g unevaluated;
here it comes with two bounds, each computed from a witness (a law; prices) and rounded outward.
Theory: docs/theory/balance.md
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.individual import (
    INDIVIDUAL_GAP_BITS,
    Places,
    check_shape,
    check_sizes,
    datasets_by_value,
    individual_capacity_bits,
    normalised_rows,
)
from sfumato.numbers.checks import Real, Reals, as_number, check_at_least, check_integer, check_positive
from sfumato.numbers.exact import FloatArray, entries_of
from sfumato.numbers.intervals import LOG2_E, UNIT_ROUNDOFF, Interval, entropy_interval, log2_bounds, log2_interval
from sfumato.prob.distribution import Distribution
from sfumato.prob.structured import AnyChannel, ChannelLike, as_channel

# --- Classes of data sets that a record cannot distinguish, which reduce the search without loss
#
# I(X_i;Y) depends on a data set x only through the value x_i and the row P(·|x). All data sets that share both are one
# *class* c with N_c members. A law q of the classes allows the entropy H(q) + Σ q_c log2 N_c and no more (spread it
# evenly inside each class), so the search over joint laws is one over q.   Ref: [E, Def. 11]; docs/theory/balance.md


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordClasses:
    """One record's classes: their rows, the value of the record in each, and how many data sets each holds."""

    record: int
    rows: FloatArray
    values: Places
    counts: FloatArray
    places: Places
    """For every data set its class."""

    @property
    def value_count(self) -> int:
        """How many values the record has."""
        return int(self.values.max()) + 1

    @property
    def uniform(self) -> FloatArray:
        """The law of the classes when every data set is equally likely: the one of largest entropy."""
        law: FloatArray = self.counts / self.counts.sum()
        return law

    def dataset_law(self, law: FloatArray) -> FloatArray:
        """Spread a law of the classes evenly over their data sets."""
        share: FloatArray = (law / self.counts)[self.places]
        return share

    def conditionals(self, law: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P(x_i) and P(y|x_i) under a law of the classes; a value without mass gets its rows' average."""
        weights = np.maximum(law, 1e-300)
        masses = self.by_value(weights[:, None])
        return self.by_value(law[:, None])[:, 0], self.by_value(weights[:, None] * self.rows) / masses

    def by_value(self, table: FloatArray) -> FloatArray:
        """Add up the rows of a table of the classes that share a value of the record."""
        total = np.zeros((self.value_count, table.shape[1]))
        np.add.at(total, self.values, table)
        return total

    def information_bits(self, law: FloatArray) -> float:
        """I(X_i;Y), in plain floats: for the search, never for a claim."""
        masses, given = self.conditionals(law)
        outputs = np.maximum(masses @ given, 1e-300)
        terms = given * (np.log2(np.maximum(given, 1e-300)) - np.log2(outputs))
        return float(masses @ terms.sum(axis=1))

    def key(self) -> tuple[tuple[bytes, ...], ...]:
        """What the problem depends on: equal for records that differ in name, or in the names of their values, only."""
        found = []
        for value in range(self.value_count):
            here = self.values == value
            classes = zip(self.rows[here], self.counts[here], strict=True)
            found.append(tuple(sorted(row.tobytes() + count.tobytes() for row, count in classes)))
        return tuple(sorted(found))


def record_classes(channel: AnyChannel, shape: tuple[int, ...]) -> tuple[RecordClasses, ...]:
    """Return the records that pose different problems, each with its classes."""
    rows = normalised_rows(channel)
    # An output that never occurs says nothing, and has no logarithm.
    rows = np.ascontiguousarray(rows[:, rows.max(axis=0) > 0])
    different: dict[tuple[tuple[bytes, ...], ...], RecordClasses] = {}
    for record in range(len(shape)):
        found = _classes(rows, shape, record)
        different.setdefault(found.key(), found)
    return tuple(different.values())


def _classes(rows: FloatArray, shape: tuple[int, ...], record: int) -> RecordClasses:
    value_of = np.zeros(len(rows), dtype=np.int64)
    for value, here in enumerate(datasets_by_value(shape, (record,))):
        value_of[here] = value
    table = np.column_stack([value_of.astype(np.float64), rows])
    kept, places, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    return RecordClasses(
        record=record,
        rows=np.ascontiguousarray(kept[:, 1:]),
        values=kept[:, 0].astype(np.int64),
        counts=counts.astype(np.float64),
        places=places.ravel().astype(np.int64),
    )


def law_entropy_interval(law: Sequence[float] | FloatArray) -> Interval:
    """H of the law that these weights are in proportion to, whatever their sum misses by rounding."""
    return entropy_interval(((float(p), 1) for p in law), ulps=2 * len(law) + 8)


def joint_information_interval(joint: FloatArray, *, terms: int) -> Interval:
    """I of a table P(x_i, y), each entry a float sum of at most `terms` products of rounded factors.

    Entries, margins and their quotients are then right to k·u with the k below, and the weights err as little; all are
    sums of non-negative terms, in which nothing cancels.
    """
    sizes = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    entries, products = joint.ravel().tolist(), sizes.ravel().tolist()
    ulps = 4 * (terms + joint.shape[0] * joint.shape[1]) + 32
    values, slack = [], []
    for entry, product in zip(entries, products, strict=True):
        if entry < 1e-280 or product < 1e-280:
            # Too small for its digits: at most |p log2 p| twice over, far below the last bound's own size.
            slack.append(1e-250 if entry else 0.0)
            continue
        logarithm = math.log2(entry / product)
        values.append(entry * logarithm)
        slack.append(entry * ulps * UNIT_ROUNDOFF * (abs(logarithm) + 3))
    total = math.fsum(values)
    return Interval(total, total).widened(math.fsum(slack) + 4 * UNIT_ROUNDOFF * abs(total)).at_least(0.0)


# --- Boxes: bounds on P(y|x_i=a) for each value of a record, the chords above r log2 r in them, and their cuts
#
# Ref: [E, Def. 11]; docs/theory/balance.md


_ULP = 4 * UNIT_ROUNDOFF
# Any tilt gives a bound; these are close to the best one.
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


# --- The entropy up to which ignorance is worth nothing, for a yes/no answer
#
# For a function f of the records with values 0 and 1, published through any binary symmetric channel, C_1^b = C_1
# exactly up to a b that counting gives: 1 + (log2|A_0| + log2|A_1|)/2, the largest over records i and sets T of its
# values, with A_1 = {x : x_i ∈ T, f(x) = 1} and A_0 = {x : x_i ∉ T, f(x) = 0}.   Ref: [E, Def. 11]; proof:
# docs/theory/balance.md


Truth = Sequence[int] | npt.NDArray[np.integer[Any] | np.bool]


def plateau_bits(truth: Truth, shape: Sequence[int]) -> float:
    """Return the largest b with g(b) = 0; `truth` is f(x) for every data set x, the last record running fastest.

    >>> import sfumato as sf
    >>> round(sf.measures.plateau_bits([0, 1, 1, 0], (2, 2)), 4)  # of the parity of two bits, for any noise
    1.0
    >>> round(sf.measures.plateau_bits([0, 0, 0, 1], (2, 2)), 4)  # of "both"
    1.5
    """
    return plateau_interval(truth, shape).midpoint


def plateau_interval(truth: Truth, shape: Sequence[int]) -> Interval:
    """Enclose the b up to which g(b) = 0, a few ulps wide.

    >>> import sfumato as sf
    >>> found = sf.measures.plateau_interval([0, 0, 0, 1], (2, 2))
    >>> 1.5 in found, found.width < 1e-15
    (True, True)
    """
    sizes = check_sizes(shape)
    answers = _answers(truth, sizes)
    if len(set(answers)) == 1:  # a constant says nothing, whatever the adversary knows
        return log2_interval(Fraction(len(answers)))
    best = max(_largest_product(answers, sizes, record) for record in range(len(sizes)))
    twice = log2_interval(Fraction(4 * best))
    return Interval(twice.lower / 2, twice.upper / 2)


def _answers(truth: Truth, shape: tuple[int, ...]) -> tuple[int, ...]:
    way_out = "Give f(x) for every data set, the last record running fastest."
    entries = entries_of("truth", truth, rule="must be a list of answers", way_out=way_out)
    if len(entries) != math.prod(shape):
        raise InvalidParameter(
            f"has {len(entries)} entries and `shape`={shape} means {math.prod(shape)} data sets",
            parameter="truth",
            way_out=way_out,
        )
    answers = []
    for value in entries:
        if isinstance(value, np.ndarray) or value not in (0, 1):
            raise InvalidParameter(
                f"holds {value!r}, and the plateau is known for answers 0 and 1 only",
                parameter="truth",
                way_out="Write the two values of f as 0 and 1, or bound the balance of the channel itself with "
                "balance().",
            )
        answers.append(int(bool(value)))
    return tuple(answers)


def _largest_product(answers: tuple[int, ...], shape: tuple[int, ...], record: int) -> int:
    """The largest |A_0|·|A_1| over all sets T of values.

    Each value of the record goes into T, and adds its ones, or stays out, and adds its zeros; for each number of ones
    only the largest number of zeros is worth keeping, so there are never more cases than data sets.
    """
    most_zeros = {0: 0}
    for here in datasets_by_value(shape, (record,)):
        ones = sum(answers[x] for x in here)
        zeros = len(here) - ones
        fresh: dict[int, int] = {}
        for one, zero in most_zeros.items():
            fresh[one + ones] = max(fresh.get(one + ones, 0), zero)
            fresh[one] = max(fresh.get(one, 0), zero + zeros)
        most_zeros = fresh
    return max(one * zero for one, zero in most_zeros.items())


# --- One concave program: the largest H(Y) + gains·q over laws q of large entropy
#
# maximise  H(qW) + gains·q   subject to   H(q) + sizes·q ≥ floor,   limits q ≥ 0,   q a law        (all in nats)
#
# A primal-dual interior-point method that may start outside of the limits. Its results are not trusted: its law only
# proposes a lower bound and its multipliers an upper bound, and both are evaluated afterwards with their rounding.
# Ref: docs/theory/balance.md


_MOST_STEPS = 60
_SHRINK = 0.15
_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Program:
    """The data of the program; `sizes` are the logarithms of the classes' member counts."""

    rows: FloatArray
    gains: FloatArray
    sizes: FloatArray
    floor: float
    limits: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """Where the method stands: a law, the price of entropy, the prices of the limits, and how far it may have to go."""

    law: FloatArray
    entropy_price: float
    limit_prices: FloatArray
    gap: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Iterate:
    """The law, the slack of entropy and limits, their prices, the prices of q ≥ 0 and the one of Σq = 1."""

    law: FloatArray
    slack: FloatArray
    prices: FloatArray
    idle: FloatArray
    level: float


def interior_steps(program: Program, start: FloatArray) -> Iterator[Step]:
    """Yield steps that approach the optimum; it ends when Newton's matrix can no longer be solved."""
    slack = np.maximum(_margins(program, start), 0.1)
    iterate: _Iterate | None = _Iterate(
        law=start, slack=slack, prices=0.1 / slack, idle=np.full(len(start), 0.1), level=0.0
    )
    for _ in range(_MOST_STEPS):
        if iterate is None:
            return
        step, iterate = _advanced(program, iterate)
        yield step


def _advanced(program: Program, at: _Iterate) -> tuple[Step, _Iterate | None]:
    """Judge an iterate and take one step of Newton's method on the perturbed optimality conditions."""
    # Far from the optimum a quotient may overflow; such a step is not finite and ends the search.
    with np.errstate(all="ignore"):
        law, slack, prices, idle = at.law, at.slack, at.prices, at.idle
        outputs = np.maximum(law @ program.rows, _TINY)
        jacobian = np.vstack([program.sizes - np.log(law) - 1, program.limits])
        dual = program.rows @ (np.log(outputs) + 1) - program.gains - prices @ jacobian - idle + at.level
        primal = _margins(program, law) - slack
        excess = float(law.sum() - 1)
        gap = float(prices @ slack + idle @ law)
        off = float(np.abs(primal).max()) + abs(excess) + float(law @ np.abs(dual))
        step = Step(law=law / law.sum(), entropy_price=float(prices[0]), limit_prices=prices[1:], gap=gap + off)

        target = _SHRINK * gap / (len(law) + len(slack))
        matrix = (program.rows / outputs) @ program.rows.T + (jacobian.T * (prices / slack)) @ jacobian
        matrix[np.diag_indices(len(law))] += (prices[0] + idle) / law
        right = -dual + ((target - slack * prices - prices * primal) / slack) @ jacobian + (target - law * idle) / law
        try:
            both = np.linalg.solve(matrix, np.column_stack([right, np.ones(len(law))]))
        except np.linalg.LinAlgError:
            return step, None
        level_step = float((both[:, 0].sum() + excess) / both[:, 1].sum())
        law_step = both[:, 0] - level_step * both[:, 1]
        slack_step = jacobian @ law_step + primal
        price_step = (target - slack * prices - prices * slack_step) / slack
        idle_step = (target - law * idle - idle * law_step) / law
        if not all(np.isfinite(part).all() for part in (law_step, slack_step, price_step, idle_step)):
            return step, None
        forward = min(_longest(law, law_step), _longest(slack, slack_step))
        back = min(_longest(prices, price_step), _longest(idle, idle_step))
        return step, _Iterate(
            law=np.maximum(law + forward * law_step, _TINY),
            slack=np.maximum(slack + forward * slack_step, _TINY),
            prices=np.maximum(prices + back * price_step, _TINY),
            idle=np.maximum(idle + back * idle_step, _TINY),
            level=at.level + back * level_step,
        )


def _margins(program: Program, law: FloatArray) -> FloatArray:
    entropy = float(law @ (program.sizes - np.log(law))) - program.floor
    return np.concatenate([[entropy], program.limits @ law])


def _longest(point: FloatArray, direction: FloatArray) -> float:
    """How far one may go along `direction` and stay positive, at most one full step."""
    falling = direction < 0
    if not falling.any():
        return 1.0
    return min(1.0, 0.99 * float((-point[falling] / direction[falling]).min()))


# --- Lower bounds of C_1^b: laws of large entropy under which a report reveals much about one record
#
# I(X_i;Y) = H(Y) + Σ_a π_a Σ_y r log r, with r = P(y|x_i=a), is concave plus convex in the law. The convex part lies
# above its tangents. So the tangent at the present law is put in its place and the rest, a concave program, is
# maximised. This never decreases the value, and repeating it climbs to a local optimum (the convex-concave procedure).
# Only the last law is evaluated with rounding, and only if its entropy surely suffices.   Ref: [E, Def. 11];
# docs/theory/balance.md


_MOST_ROUNDS = 40
# Margins added to the floor: a law that meets the floor in floats may miss it exactly.
_MARGINS = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-9, 1e-6)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """A law of all data sets whose entropy surely suffices, and a lower bound on its information about a record."""

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


# --- Upper bounds of C_1^b, by branch and bound on P(y|x_i=a)
#
# With r = P(y|x_i=a) known to lie in [low, high], the convex r log r lies below its chord, and with the chord in its
# place the problem is concave. Its dual gives a bound without trust in a solver: for every law z of the outputs and all
# prices λ > 0, μ ≥ 0,   C ≤ λ log2 Σ_c N_c 2^(v_c/λ) − λb   with   v_c = chords + Σ_y W_c(y) log2(1/z_y) + Σ_j μ_j
# limit_j(c). Boxes whose bound is too high are cut in two until the bounds meet.   Ref: [E, Def. 11];
# docs/theory/balance.md


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


BALANCE_GAP_BITS = 1e-3
MOST_BOXES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """g(b) and what it is made of, all in bits.

    `law` is a joint law of all records with an entropy of at least b, under which the report says as much about
    `record` as the lower end of `constrained`: the worst adversary found who is that ignorant.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])  # "no" and "yes" through a noisy line
    >>> both = sf.Channel([says[a and b] for a in (0, 1) for b in (0, 1)])
    >>> found = sf.measures.balance(both, (2, 2), 1.8)
    >>> round(found.unconstrained.upper, 3), round(found.constrained.upper, 3), round(found.bits.lower, 3)
    (0.531, 0.387, 0.144)
    >>> [round(share, 2) for share in found.law.array.tolist()]  # the worst who lacks 1.8 of the 2 bits
    [0.28, 0.28, 0.06, 0.39]
    """

    b: float
    bits: Interval
    constrained: Interval
    unconstrained: Interval
    record: int
    law: Distribution


def balance(
    channel: ChannelLike,
    shape: Sequence[int],
    b: Real,
    *,
    gap_bits: float = BALANCE_GAP_BITS,
    most_boxes: int = MOST_BOXES,
) -> Balance:
    """Enclose g(b) = C_1 − C_1^b, with C_1^b known to `gap_bits`, or raise NotCertified [E, Def. 11].

    The rows of the channel are data sets, ordered as the product of the records' alphabets, whose sizes are `shape`.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> either = sf.Channel([says[a or b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.balance(either, (2, 2), 2).bits.lower, 3)  # against those who know nothing at all
    0.384
    >>> round(sf.measures.balance(either, (2, 2), 1.5).bits.upper, 3)
    0.0
    """
    return balance_curve(channel, shape, (b,), gap_bits=gap_bits, most_boxes=most_boxes)[0]


def balance_curve(
    channel: ChannelLike,
    shape: Sequence[int],
    bs: Reals,
    *,
    gap_bits: float = BALANCE_GAP_BITS,
    most_boxes: int = MOST_BOXES,
) -> tuple[Balance, ...]:
    """Enclose g at several b, in the order given; the bounds never fall as b grows, as g does not [E, Lemma 1].

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> parity = sf.Channel([says[a ^ b] for a in (0, 1) for b in (0, 1)])
    >>> [round(one.bits.midpoint, 2) for one in sf.measures.balance_curve(parity, (2, 2), [0, 1, 1.5, 2])]
    [0.0, 0.0, 0.23, 0.53]
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    check_positive("gap_bits", gap_bits)
    check_at_least("most_boxes", check_integer("most_boxes", most_boxes), 1)
    floors = [_checked_floor(b, channel.shape[0]) for b in bs]
    whole = individual_capacity_bits(channel, sizes, gap_bits=min(INDIVIDUAL_GAP_BITS, gap_bits / 10))
    records = record_classes(channel, sizes)
    found: dict[float, Outcome] = {}
    ceiling = whole.upper
    for floor in sorted(set(floors)):
        found[floor] = _enclosed(records, floor, ceiling, gap_bits, most_boxes)
        ceiling = min(ceiling, found[floor].bits.upper)
    # A law that is ignorant enough for one b is so for every smaller one.
    behind: Outcome | None = None
    for floor in sorted(found, reverse=True):
        if behind is not None and behind.bits.lower > found[floor].bits.lower:
            upper = max(found[floor].bits.upper, behind.bits.lower)
            bits = Interval(behind.bits.lower, upper)
            found[floor] = Outcome(bits=bits, best=behind.best, boxes=found[floor].boxes)
        behind = found[floor]
    return tuple(_balance(channel, floor, whole, found[floor]) for floor in floors)


def _checked_floor(b: Real, datasets: int) -> float:
    floor = float(as_number("b", b))
    highest = log2_bounds(Fraction(datasets))[1]
    if not 0 <= floor <= highest:
        raise InvalidParameter(
            f"must lie in [0, log2 {datasets}] = [0, {highest:.6g}]: no law of {datasets} data sets has a "
            "larger entropy, nor one below 0",
            parameter="b",
            value=floor,
            way_out="Move `b` into that range.",
        )
    return floor


def _enclosed(
    records: tuple[RecordClasses, ...], floor: float, ceiling: float, gap_bits: float, most_boxes: int
) -> Outcome:
    if floor >= log2_bounds(Fraction(len(records[0].places)))[1]:  # the uniform law alone is that ignorant
        laws = [evenly(classes) for classes in records]
        best = max(laws, key=lambda found: found.bits.lower)
        return Outcome(bits=Interval(best.bits.lower, max(found.bits.upper for found in laws)), best=best, boxes=0)
    outcome = constrained_capacity(records, floor, ceiling_bits=ceiling, gap_bits=gap_bits, most_boxes=most_boxes)
    if outcome.bits.width > gap_bits:
        raise NotCertified(
            f"could not be reached: after {outcome.boxes} boxes C_1^b at `b`={floor:.6g} is only known to lie in "
            f"[{outcome.bits.lower:.6g}, {outcome.bits.upper:.6g}]",
            parameter="gap_bits",
            value=gap_bits,
            way_out=f"Allow a `gap_bits` of {1.1 * outcome.bits.width:.2g}, or more boxes with `most_boxes`.",
        )
    return outcome


def _balance(channel: AnyChannel, floor: float, whole: Interval, outcome: Outcome) -> Balance:
    constrained = outcome.bits
    lower = max(0.0, math.nextafter(whole.lower - constrained.upper, -math.inf))
    upper = max(0.0, math.nextafter(whole.upper - constrained.lower, math.inf))
    return Balance(
        b=floor,
        bits=Interval(lower, max(lower, min(upper, whole.upper))),
        constrained=constrained,
        unconstrained=whole,
        record=outcome.best.record,
        law=Distribution(outcome.best.law.tolist(), channel.inputs),
    )
