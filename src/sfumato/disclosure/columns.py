"""Column generation for disclosures: the master program and the pricing of new columns.

The master program knows some corners; the pricer searches for a better one at its prices. The least reduced cost,
bounded by branch and bound, bounds the remaining gap, so a lower and an upper bound are known at any moment: for all
prices, Σ price·p plus the least of H(W) - price·v over S is at most H(W|Y). If the solver fails or the time limit is
reached, the last cover of the prior and the best bound are returned.
Theory: docs/theory/skewed_laws.md
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from sfumato.disclosure.data import FloatArray, entropy_bits, floored, most_by_cell
from sfumato.errors import NotCertified
from sfumato.sampling.sources import KeyedBits

# --- HiGHS with the settings that rare cells need: small entries are kept, and a failure is retried


_TOLERANCE = 1e-10
# HiGHS drops entries of the matrix up to 1e-9 by default, which would remove a rare cell from its row.
_SMALLEST_ENTRY = 1e-12
_SECOND_TRIES: tuple[tuple[str, str | int], ...] = (
    ("threads", 1),
    ("simplex_scale_strategy", 4),
    ("simplex_strategy", 4),
    ("presolve", "on"),
)


def new_model(*, scaled: bool) -> Any:
    """Return an empty model; one that is `scaled` by what is known about it is left alone by presolve and scaling."""
    import highspy  # noqa: PLC0415  slow to import

    model = highspy.Highs()  # type: ignore[no-untyped-call]
    options: list[tuple[str, str | int | float | bool]] = [
        ("output_flag", False),
        ("threads", 1),
        ("primal_feasibility_tolerance", _TOLERANCE),
        ("dual_feasibility_tolerance", _TOLERANCE),
        ("small_matrix_value", _SMALLEST_ENTRY),
    ]
    if scaled:
        options += [("simplex_scale_strategy", 0), ("presolve", "off")]
    for name, value in options:
        model.setOptionValue(name, value)
    return model


def pass_program(
    model: Any, costs: FloatArray, matrix: Any, levels: tuple[FloatArray, FloatArray], highest: FloatArray
) -> None:
    """Give the model a whole program: least costs·x with levels on matrix·x and 0 ≤ x ≤ highest."""
    import highspy  # noqa: PLC0415  slow to import
    from scipy.sparse import csc_matrix  # noqa: PLC0415  scipy is slow to import

    program = highspy.HighsLp()
    columns = csc_matrix(matrix)
    program.num_col_, program.num_row_ = matrix.shape[1], matrix.shape[0]
    program.col_cost_ = costs
    program.col_lower_, program.col_upper_ = np.zeros(matrix.shape[1]), highest
    program.row_lower_, program.row_upper_ = levels
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = columns.indptr, columns.indices
    program.a_matrix_.value_ = columns.data
    model.passModel(program)


def run_model(model: Any) -> bool:
    """Run warm; a solver that gives up is started cold, then scaled by itself, by the other simplex, presolved."""
    model.run()
    for name, value in _SECOND_TRIES:
        if is_optimal(model):
            return True
        _, before = model.getOptionValue(name)
        model.clearSolver()
        model.setOptionValue(name, value)
        model.run()
        model.setOptionValue(name, before)
    return is_optimal(model)


def is_optimal(model: Any) -> bool:
    """Whether the last run ended with an optimum."""
    import highspy  # noqa: PLC0415  slow to import

    return bool(model.getModelStatus() == highspy.HighsModelStatus.kOptimal)


# --- The master program: weights on known corners of S that average to the prior, and prices of the cells
# The primal divides row x by p(x) and multiplies column y by s_y = min p(x)/v_y(x), so entries lie in [0, 1], the right
# side is 1, and every cell is covered to the same relative accuracy. The dual measures price(x) in parts of 1/most(x),
# so entries lie in [0, 1] too; prices stay in a box, |price(x)|·most(x) ≤ 64 bits. A restricted dual still bounds the
# optimum. Neither side alone is accurate where masses range from 1 to 1e-14.
# Theory: docs/theory/skewed_laws.md


MOST_PRICE_BITS = 64.0
# Costs of rare columns are as small as their weights; the solver's least tolerance on reduced costs is 1e-10.
_COST_SCALE = 2.0**20
_SAME_DIGITS = 9
# Solver values below this part of what a cell can hold are rounding.
_NOTHING = 1e-14
_UNUSED = 1e-11
_COVERED = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """Laws of S with weights that average to the prior; `cost` is Σ u_y H(W|y)."""

    laws: FloatArray
    weights: FloatArray
    cost: float


class Master:
    """Both programs, kept warm between rounds. The prior itself is the first law, and covers itself alone."""

    def __init__(self, prior: FloatArray, most: FloatArray, first_cost: float) -> None:
        import highspy  # noqa: PLC0415  slow to import

        self._prior, self._most = prior, np.maximum(most, prior)
        self._infinity = highspy.kHighsInf
        self._weighing, self._pricing = new_model(scaled=True), new_model(scaled=True)
        nothing = np.array([], dtype=np.int32)
        for share in prior / self._most:
            self._weighing.addRow(1.0, 1.0, 0, nothing, np.array([]))
            # HiGHS minimises, and prices are to be as high as the laws allow.
            self._pricing.addCol(-_COST_SCALE * share, -MOST_PRICE_BITS, MOST_PRICE_BITS, 0, nothing, np.array([]))
        self._laws: list[FloatArray] = []
        self._costs: list[float] = []
        self._scales: list[float] = []
        self._seen: set[bytes] = set()
        self.add(prior, first_cost)
        self._best = Cover(laws=prior[None], weights=np.ones(1), cost=first_cost)

    def add(self, law: FloatArray, cost: float) -> int:
        """Add a law unless it is there; returns how many were added."""
        law = np.where(law > _NOTHING * self._most, law, 0.0)
        # A corner is known by its support alone; other laws by how their cells are filled, too.
        mark = np.packbits(law > 0).tobytes() + np.round(law / self._most, _SAME_DIGITS).tobytes()
        if mark in self._seen:
            return 0
        self._seen.add(mark)
        places = np.flatnonzero(law).astype(np.int32)
        ratio = law[places] / self._prior[places]
        scale = 1.0 / float(ratio.max())
        self._weighing.addCol(_COST_SCALE * scale * cost, 0.0, self._infinity, len(places), places, scale * ratio)
        self._pricing.addRow(-self._infinity, cost, len(places), places, law[places] / self._most[places])
        self._laws.append(law)
        self._costs.append(cost)
        self._scales.append(scale)
        return 1

    def prices(self) -> FloatArray | None:
        """Return the highest prices within their box at which no known law costs less; None if the solver gives up."""
        if not run_model(self._pricing):
            return None
        parts = np.array(self._pricing.getSolution().col_value)
        prices: FloatArray = np.clip(parts, -MOST_PRICE_BITS, MOST_PRICE_BITS) / self._most
        return prices

    def cover(self) -> Cover:
        """Return the cheapest cover; the best one known so far where the solver gives up."""
        if not run_model(self._weighing):
            return self._best
        shares = np.array(self._weighing.getSolution().col_value)
        used = np.flatnonzero(shares > _UNUSED)
        laws = np.array([self._laws[c] for c in used])
        weights = shares[used] * np.array(self._scales)[used]
        if used.size and np.abs(weights @ laws / self._prior - 1.0).max() <= _COVERED:
            cost = float(weights @ np.array(self._costs)[used])
            if cost < self._best.cost:
                self._best = Cover(laws=laws, weights=weights, cost=cost)
        return self._best


# --- Pricing: the distribution in S with the least H(W) minus its price, by branch and bound
# H is concave, so the optimum is a corner. On a box of values of P(w) the concave -t·log t lies above its chord, so a
# linear program on the box gives a lower bound; the box is cut where the chord is furthest off. One warm HiGHS model
# solves all programs. Cells are scaled by the most that any distribution in S can put on them, so all variables lie in
# [0, 1] and all levels are 1.
# Ref: [D, Thm 1]; [FS69] for the branching


_LOG2_E = 1 / math.log(2)
# More than the rounding of a sum of so many products as a program has, relative to their absolute values.


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """The least value found and a bound for all distributions, with good distributions found during the search."""

    least: float
    bound: float
    found: tuple[FloatArray, ...]
    nodes: int


class Pricer:
    """Linear programs over S = {v ≥ 0, A v = b} with the feature's law t = W v as variables of their own.

    Inside, v = most·r and t = span·τ; costs, laws and prices are those of v for everybody outside.
    """

    def __init__(self, rows: FloatArray, goal: FloatArray, feature: FloatArray) -> None:
        self._feature = feature
        is_identity = feature.shape[0] == feature.shape[1] and np.array_equal(feature, np.eye(len(feature)))
        self.size = feature.shape[1]
        self.most = most_by_cell(rows, goal)
        count = feature.shape[0]
        scaled = rows * self.most / goal[:, None]
        if is_identity:
            self._span = self.most
            matrix, level = scaled, np.ones(len(rows))
            self._columns = np.arange(self.size, dtype=np.int32)
        else:
            self._span = np.minimum(1.0, feature @ self.most)
            matrix = np.block(
                [
                    [scaled, np.zeros((len(rows), count))],
                    [feature * self.most / self._span[:, None], -np.eye(count)],
                ]
            )
            level = np.concatenate([np.ones(len(rows)), np.zeros(count)])
            self._columns = np.arange(self.size, self.size + count, dtype=np.int32)
        self._width = matrix.shape[1]
        self._matrix, self._level = matrix, level
        self._sizes = np.abs(matrix)
        self._least, self._is_empty = 0.0, False
        self._model = new_model(scaled=True)
        pass_program(self._model, np.zeros(self._width), matrix, (level, level), np.ones(self._width))
        self._all = np.arange(self._width, dtype=np.int32)
        self.programs = 0
        self.lowest, self.highest = self._ranges()

    def solve(
        self, cost: FloatArray, slope: FloatArray | None = None, box: tuple[FloatArray, FloatArray] | None = None
    ) -> FloatArray | None:
        """Minimise cost·v + slope·τ with τ in the box; None when the box meets S nowhere."""
        import highspy  # noqa: PLC0415  slow to import

        costs = np.zeros(self._width)
        costs[: self.size] = cost * self.most
        if slope is not None:
            costs[self._columns] += slope
        low, high = box if box is not None else (np.zeros(len(self._columns)), np.ones(len(self._columns)))
        # Prices can be huge while the master knows few laws; the solver's tolerances are meant for costs of about 1.
        scale = max(1.0, float(np.abs(costs).max()))
        self._model.changeColsCost(self._width, self._all, costs / scale)
        self._model.changeColsBounds(len(self._columns), self._columns, low, high)
        self._model.run()
        self.programs += 1
        infeasible = highspy.HighsModelStatus.kInfeasible
        if not (self._model.getModelStatus() == infeasible or is_optimal(self._model) or run_model(self._model)):
            raise NotCertified(
                "the solver did not reach the optimum of a pricing program", way_out="Try a smaller problem."
            )
        if self._model.getModelStatus() == infeasible:
            self._is_empty = self._is_proved_empty(low, high)
            return None
        found = self._model.getSolution()
        self._least = self._dual_bound(costs, scale * np.array(found.row_dual), low, high)
        solution: FloatArray = self.most * np.maximum(np.array(found.col_value[: self.size]), 0.0)
        return solution

    def _dual_bound(self, costs: FloatArray, duals: FloatArray, low: FloatArray, high: FloatArray) -> float:
        """Bound the program from below by its dual, whatever the solver's tolerance: variables stay within bounds.

        Level, matrix and costs are rounded, and so are the sums: what that can do is taken off.
        """
        reduced = costs - duals @ self._matrix
        lowest, highest = np.zeros(self._width), np.ones(self._width)
        lowest[self._columns], highest[self._columns] = low, high
        value = float(duals @ self._level + np.where(reduced > 0, reduced * lowest, reduced * highest).sum())
        terms = float((np.abs(costs) + np.abs(duals) @ self._sizes) @ highest + np.abs(duals) @ self._level)
        return value - _ROUNDING * terms

    def _is_proved_empty(self, low: FloatArray, high: FloatArray) -> bool:
        """Whether a combination of the rows has no solution in the box by itself, whatever the solver's tolerance."""
        _, _, ray = self._model.getDualRay()
        if len(ray) != len(self._level):
            return False
        weights = np.array(ray)
        lowest, highest = np.zeros(self._width), np.ones(self._width)
        lowest[self._columns], highest[self._columns] = low, high
        entries, level = weights @ self._matrix, float(weights @ self._level)
        least = float(np.where(entries > 0, entries * lowest, entries * highest).sum())
        most = float(np.where(entries > 0, entries * highest, entries * lowest).sum())
        margin = _ROUNDING * float(np.abs(weights) @ (self._sizes @ highest + self._level))
        return level < least - margin or level > most + margin

    def worth(self, v: FloatArray, price: FloatArray) -> float:
        """H(W) under v, less its price."""
        return float(entropy_bits((self._feature @ v)[:, None])[0] - price @ v)

    def descend(self, v: FloatArray, price: FloatArray) -> tuple[FloatArray, float]:
        """Go from corner to corner along the tangent of H while that helps."""
        value = self.worth(v, price)
        for _ in range(60):
            t = np.maximum(self._feature @ v, 1e-12 * self._span)
            step = self.solve(self._feature.T @ (-(np.log2(t) + _LOG2_E)) - price)
            if step is None:
                break
            better = self.worth(step, price)
            if better > value - 1e-12:
                break
            v, value = step, better
        return v, value

    def least(self, price: FloatArray, *, tolerance: float, deadline: float, most_nodes: int = 200_000) -> Priced:
        """Return the least worth with a bound; they agree to the tolerance unless time or nodes ran out."""
        # `passed` is the least bound of a box that was left aside: what lies in it may be that much better.
        best, passed, kept = math.inf, math.inf, []
        root = self._node(self.lowest, self.highest, price)
        if root is None:
            raise NotCertified(
                "the pricing program has no solution, though the prior itself is one",
                way_out="Try a smaller problem.",
            )
        heap: list[tuple[float, int, FloatArray, FloatArray, Any]] = [(root[0], 0, self.lowest, self.highest, root)]
        nodes = 0
        while heap:
            bound, _, low, high, node = heap[0]
            if bound >= best - tolerance or nodes > most_nodes or time.monotonic() > deadline:
                break
            heapq.heappop(heap)
            v, value = node[1], self.worth(node[1], price)
            if value < best - 1e-12:
                v, value = self.descend(v, price)
                best = value
                kept.append(v)
            place = int(np.argmax(node[3]))
            if node[3][place] < 1e-13:
                passed = min(passed, bound)
                continue
            width = high[place] - low[place]
            cut = min(max(node[2][place], low[place] + 0.1 * width), high[place] - 0.1 * width)
            for side in (0, 1):
                below, above = low.copy(), high.copy()
                (above if side == 0 else below)[place] = cut
                child = self._node(below, above, price)
                if child is None:
                    passed = passed if self._is_empty else min(passed, bound)
                    continue
                if child[0] < best - tolerance:
                    nodes += 1
                    heapq.heappush(heap, (child[0], nodes, below, above, child))
                else:
                    passed = min(passed, child[0])
        bound = min([best, passed, *(entry[0] for entry in heap)])
        return Priced(least=best, bound=bound, found=tuple(kept), nodes=nodes)

    def _node(
        self, low: FloatArray, high: FloatArray, price: FloatArray
    ) -> tuple[float, FloatArray, FloatArray, FloatArray] | None:
        width = high - low
        at_low, at_high = self._term(low), self._term(high)
        is_wide = width > 1e-13
        at_low = np.where(is_wide, at_low, np.minimum(at_low, at_high))
        slope = np.where(is_wide, (at_high - at_low) / np.maximum(width, 1e-13), 0.0)
        constant = float((at_low - slope * low).sum())
        v = self.solve(-price, slope, (low, high))
        if v is None:
            return None
        t = (self._feature @ v) / self._span
        bound = constant + self._least
        return bound, v, t, self._term(np.maximum(t, 0.0)) - (at_low + slope * (t - low))

    def _term(self, part: FloatArray) -> FloatArray:
        """-t·log t for t = span·τ."""
        t = self._span * part
        result: FloatArray = -t * np.log2(np.where(t > 0, t, 1.0))
        return result

    def _ranges(self) -> tuple[FloatArray, FloatArray]:
        """Return how low and how high each P(w) can get in S, in parts of its span; pushed out by the dual."""
        count = len(self._columns)
        low, high = np.zeros(count), np.ones(count)
        for place in range(count):
            for sign in (1.0, -1.0):
                if self.solve(sign * self._feature[place] / self._span[place]) is None:
                    raise NotCertified(
                        "the protected marginals contradict each other", way_out="Give the law in exact fractions."
                    )
                if sign > 0:
                    low[place] = 0.0 if self._least < 1e-11 else self._least
                else:
                    high[place] = min(1.0, -self._least)
        return low, high


Progress = Callable[[float, float], None]
# More than the rounding of an entropy and of Σ price·p, relative to the sum of absolute values.
_ROUNDING = 2.0**-48


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """Laws in S with weights that average to the prior: `laws[y]` is the posterior of the data given output y.

    `classes` numbers the cells that every law treats alike, where it is known; empty otherwise.
    """

    laws: FloatArray
    weights: FloatArray
    lower_bits: float
    upper_bits: float
    rounds: int
    classes: tuple[int, ...] = ()


def generate_columns(
    rows: FloatArray,
    prior: FloatArray,
    feature: FloatArray,
    *,
    tolerance: float,
    seconds: float,
    progress: Progress | None = None,
) -> Mixture:
    """Solve to the tolerance, or as far as the time allows; the bounds say how far that is."""
    deadline = time.monotonic() + seconds
    whole = _entropy(feature, prior)
    raised, is_raised = floored(prior)
    if is_raised:
        found = generate_columns(rows, raised, feature, tolerance=tolerance, seconds=seconds, progress=progress)
        return replace(found, upper_bits=whole)
    try:
        pricer = Pricer(rows, rows @ prior, feature)
    except NotCertified:
        return _prior_alone(prior, whole)
    master = Master(prior, pricer.most, whole)
    directions = _directions(len(prior))
    _first_columns(pricer, master, feature, directions)
    bound, rounds = -math.inf, 0
    while True:
        rounds += 1
        price = master.prices()
        if price is None:
            break
        if progress is not None:
            progress(whole - master.cover().cost, whole - bound)
        added = _cheap_columns(pricer, master, price, feature, directions, tolerance, deadline)
        if not added:
            priced = _priced(pricer, price, tolerance / 2, deadline)
            if priced is None:
                break
            bound = max(bound, _bound(price, prior, priced))
            for law in priced.found:
                if pricer.worth(law, price) < -tolerance / 10:
                    added += master.add(law, _entropy(feature, law))
            if master.cover().cost - bound <= tolerance or not added:
                break
        if time.monotonic() > deadline:
            if bound == -math.inf:
                # Not one full pricing fitted into the time: the box around S still gives a bound.
                priced = _priced(pricer, price, tolerance, time.monotonic() + 1.0)
                bound = bound if priced is None else _bound(price, prior, priced)
            break
    cover = master.cover()
    return Mixture(
        laws=cover.laws,
        weights=cover.weights,
        lower_bits=max(0.0, whole - cover.cost),
        upper_bits=min(whole, max(0.0, whole - bound)) + 64 * _ROUNDING,
        rounds=rounds,
    )


def _bound(price: FloatArray, prior: FloatArray, priced: Priced) -> float:
    """Every cover costs at least this: its laws cost no less than their price and the least that is left over."""
    return float(price @ prior) + priced.bound - _ROUNDING * float(np.abs(price) @ prior)


def _priced(pricer: Pricer, price: FloatArray, tolerance: float, deadline: float) -> Priced | None:
    try:
        return pricer.least(price, tolerance=tolerance, deadline=deadline)
    except NotCertified:
        return None


def _first_columns(pricer: Pricer, master: Master, feature: FloatArray, directions: Any) -> None:
    """Corners in random directions, in turn by the mass of a cell and by the part of what it can hold."""
    for attempt in range(min(2 * pricer.size, 200)):
        way = next(directions)
        corner = _corner(pricer, way if attempt % 2 else way / pricer.most)
        if corner is not None:
            master.add(corner, _entropy(feature, corner))


def _cheap_columns(
    pricer: Pricer,
    master: Master,
    price: FloatArray,
    feature: FloatArray,
    directions: Any,
    tolerance: float,
    deadline: float,
    tries: int = 20,
) -> int:
    """Look for columns that help by walking from corner to corner, before branch and bound has to."""
    added = 0
    for attempt in range(tries):
        if time.monotonic() > deadline:
            break
        way = next(directions) / (pricer.most if attempt % 4 < 2 else 1.0)
        start = _corner(pricer, way - (price if attempt % 2 else 0.0))
        if start is None:
            continue
        try:
            law, value = pricer.descend(start, price)
        except NotCertified:
            continue
        if value < -tolerance:
            added += master.add(law, _entropy(feature, law))
    return added


def _corner(pricer: Pricer, cost: FloatArray) -> FloatArray | None:
    try:
        return pricer.solve(cost)
    except NotCertified:
        return None


def _entropy(feature: FloatArray, law: FloatArray) -> float:
    return float(entropy_bits((feature @ law)[:, None])[0])


def _prior_alone(prior: FloatArray, whole: float) -> Mixture:
    """Return the prior as the only symbol, which discloses nothing: the result where the solver fails."""
    return Mixture(laws=prior[None], weights=np.ones(1), lower_bits=0.0, upper_bits=whole, rounds=0)


def _directions(size: int) -> Any:
    """Yield directions to look in, the same ones every time: a search has to be repeatable, not secret."""
    bits = KeyedBits(sha256(b"sfumato disclosure directions").digest())
    while True:
        words = bits.words(4 * size, 16).astype(np.float64).reshape(4, size)
        yield words.sum(axis=0) / 2.0**16 - 2.0
