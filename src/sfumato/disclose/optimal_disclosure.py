"""optimum: the mapping that tells most about a feature, or about the data set, and nothing about any protected group.

One call chooses the method by size and structure. The result always has both bounds, the mapping, and the method's
name; the mapping is certified independent of every protected group. Ref: [D, Thm 1]; theory: docs/theory/disclosure.md
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from sfumato.disclose.cell_program import cut_cells
from sfumato.disclose.column_generation import Mixture, Progress, generate_columns
from sfumato.disclose.data_laws import DataLaw, DataLawLike, FeatureLike, FloatArray, Groups, feature_of
from sfumato.disclose.disclosures import Disclosure, leak_bound, make_disclosure
from sfumato.disclose.exchangeable import best_by_counts, counts_law
from sfumato.disclose.master_program import Master
from sfumato.disclose.orbit_disclosures import best_by_orbits, orbit_chance
from sfumato.disclose.polytope import can_tell, corners, entropy_bits, marginal_matrix
from sfumato.disclose.scaled_rows import LEAST_MASS, floored, most_by_cell, scarce_rows
from sfumato.disclose.two_binary import two_binary_corners
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel

# Column generation holds a program with a row for each cell; beyond, it would fill memory before it fills time.
MOST_CELLS_SOLVED = 5_000
_FEW_CELLS = 8
# With fewer samples a search for corners is as fast as listing them up to order.
_LEAST_ORBITS = 6


class Solver(StrEnum):
    """How the optimum is found.

    `optimum` chooses by size and structure, unless one is named.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.disclose.DataLaw.independent([Fraction(1, 3), Fraction(2, 3)], 2)
    >>> sf.disclose.optimum(law).method
    'two binary samples, closed form'
    >>> sf.disclose.optimum(law, method=sf.disclose.Solver.CORNERS).method
    'all corners, one program'
    """

    CLOSED_FORM = "two binary samples, closed form"
    CORNERS = "all corners, one program"
    COUNTS = "exchangeable samples, by counts"
    ORBITS = "exchangeable binary samples, all corners up to order"
    CELLS = "binary feature, cells refined"
    COLUMNS = "column generation with branch and bound"


def optimum(
    law: DataLawLike,
    about: FeatureLike | None = None,
    *,
    groups: Sequence[Sequence[int]] | None = None,
    method: Solver | None = None,
    tolerance: float = 1e-7,
    seconds: float = 60.0,
    progress: Progress | None = None,
) -> Disclosure:
    """Return the best disclosure of a data set's law; `about` is P(w|x), None for the data set itself.

    `groups` are the samples to be protected together, each alone by default. `method` is chosen by itself unless named.

    Returns:
        The mapping, certified independent of every protected group, with a lower and an upper bound on the optimum.

    Raises:
        InvalidParameter: the law has more than 5000 cells that can happen, `groups` leave a sample out, or `method`
            does not fit.
        InvalidLaw: law or feature are no probabilities.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> table = [[Fraction(4, 10), Fraction(1, 10)], [Fraction(2, 10), Fraction(3, 10)]]
    >>> told = sf.disclose.optimum(table)
    >>> round(told.lower_bits, 4), told.leak_bits, told.method
    (0.4855, 0.0, 'two binary samples, closed form')
    >>> parity = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    >>> round(sf.disclose.optimum(table, parity).lower_bits, 4)
    0.4123
    """
    data = DataLaw.of(law)
    protected = data.checked_groups(groups)
    feature = feature_of(data, about)
    _check_size(data)
    matrix = marginal_matrix(data, protected)
    if not can_tell(matrix, feature):
        return _nothing(data, protected, feature)
    chosen = _choose(data, protected, feature) if method is None else method
    mixture = _solve(chosen, data, protected, feature, matrix, tolerance, seconds, progress)
    return make_disclosure(
        data, protected, mixture, feature, chosen.value, min(mixture.upper_bits, ceiling_bits(data, protected, feature))
    )


def ceiling_bits(law: DataLaw, groups: Groups, feature: FloatArray | None) -> float:
    """Return min over groups of I(W;X^n) - I(W;X_group), which no disclosure passes [D, Prop 2]; rounded up.

    For the data set itself that is min H(X^n|X_group).

    >>> import sfumato as sf
    >>> law = sf.disclose.DataLaw.independent([0.5, 0.5], 3)
    >>> round(sf.disclose.ceiling_bits(law, law.singles(), None), 4)
    2.0
    >>> round(sf.disclose.ceiling_bits(law, law.windows(2), None), 4)
    1.0
    """
    masses = law.array
    table = np.eye(law.size) if feature is None else feature
    whole = float(entropy_bits((table @ masses)[:, None])[0])
    given_all = float(masses @ entropy_bits(table))
    least = whole - given_all
    for group in groups:
        codes = law.group_codes(group)
        given_group = 0.0
        for value in range(int(codes.max()) + 1):
            mine = codes == value
            # A value too rare for a float has no part in the sum.
            mass = max(float(masses[mine].sum()), LEAST_MASS)
            given_group += mass * float(entropy_bits((table[:, mine] @ masses[mine] / mass)[:, None])[0])
        least = min(least, given_group - given_all)
    return max(0.0, least) + 1e-12


def _choose(law: DataLaw, groups: Groups, feature: FloatArray | None) -> Solver:
    singles = groups == law.singles()
    if law.shape == (2, 2) and singles:
        return Solver.CLOSED_FORM
    if feature is not None and singles and counts_law(law, feature) is not None:
        return Solver.COUNTS
    if law.size <= _FEW_CELLS:
        return Solver.CORNERS
    if feature is None and singles and law.n >= _LEAST_ORBITS and orbit_chance(law) is not None:
        return Solver.ORBITS
    if feature is not None and feature.shape[0] == 2 and law.size > 64:
        return Solver.CELLS
    return Solver.COLUMNS


def _solve(
    method: Solver,
    law: DataLaw,
    groups: Groups,
    feature: FloatArray | None,
    matrix: FloatArray,
    tolerance: float,
    seconds: float,
    progress: Progress | None,
) -> Mixture:
    table = np.eye(law.size) if feature is None else feature
    if method in {Solver.CLOSED_FORM, Solver.COUNTS, Solver.ORBITS} and groups != law.singles():
        raise InvalidParameter(
            "protects samples one by one only, and there are `groups`",
            parameter="method",
            value=method.value,
            way_out="Use column generation.",
        )
    if method is Solver.CLOSED_FORM:
        return _mixture_of_two(law, table)
    if method is Solver.CORNERS:
        return _mixture_of_corners(law, groups, table, scarce_rows(matrix, law.array))
    if method is Solver.COUNTS:
        by_count = None if feature is None else counts_law(law, feature)
        if by_count is None:
            raise InvalidParameter(
                "needs samples that are exchangeable and a feature of their count",
                parameter="method",
                value=method.value,
                way_out="Use column generation.",
            )
        return _spread(law, best_by_counts(*by_count))
    rows = scarce_rows(matrix, law.array)
    if method is Solver.ORBITS:
        chance = orbit_chance(law) if feature is None else None
        if chance is None:
            raise InvalidParameter(
                "needs 2 to 7 binary samples that are exchangeable, a chance of few digits, and no feature",
                parameter="method",
                value=method.value,
                way_out="Use column generation.",
            )
        return best_by_orbits(law, chance, rows, tolerance=tolerance, seconds=seconds, progress=progress)
    if method is Solver.CELLS:
        if feature is None or feature.shape[0] != 2:
            raise InvalidParameter(
                "needs a feature with two values",
                parameter="method",
                value=method.value,
                way_out="Use column generation.",
            )
        return cut_cells(rows, law.array, feature[1], tolerance=tolerance, seconds=seconds, progress=progress)
    return generate_columns(rows, law.array, table, tolerance=tolerance, seconds=seconds, progress=progress)


def _mixture_of_two(law: DataLaw, table: FloatArray) -> Mixture:
    ends = two_binary_corners(law)
    flat = [2 * first + second for first, second in law.cells.tolist()]
    laws = np.array([[float(corner[c]) for c in flat] for corner, _ in ends])
    weights = np.array([float(weight) for _, weight in ends])
    return _mixture(laws, weights, law.array, table)


def _mixture_of_corners(law: DataLaw, groups: Groups, table: FloatArray, rows: FloatArray) -> Mixture:
    laws = np.array([[float(v) for v in corner] for corner in corners(law, groups)])
    costs = entropy_bits(table @ laws.T)
    prior, is_raised = floored(law.array)
    whole = float(entropy_bits((table @ prior)[:, None])[0])
    master = Master(prior, most_by_cell(rows, rows @ prior), whole)
    for corner, cost in zip(laws, costs.tolist(), strict=True):
        master.add(corner, cost)
    cover, prices = master.cover(), master.prices()
    # The prices bound the optimum, whatever the solver's tolerance: no corner may be cheaper than its price.
    bound = whole
    if prices is not None and not is_raised:
        bound = whole - float(prices @ prior) - float((costs - laws @ prices).min())
    value = max(0.0, whole - cover.cost)
    return Mixture(
        laws=cover.laws, weights=cover.weights, lower_bits=value, upper_bits=max(value, bound) + 1e-12, rounds=1
    )


def _mixture(laws: FloatArray, weights: FloatArray, prior: FloatArray, table: FloatArray) -> Mixture:
    whole = float(entropy_bits((table @ prior)[:, None])[0])
    value = max(0.0, whole - float(weights @ entropy_bits(table @ laws.T)))
    return Mixture(laws=laws, weights=weights, lower_bits=value, upper_bits=value + 1e-9, rounds=1)


def _spread(law: DataLaw, by_count: Mixture) -> Mixture:
    """Spread laws of the count evenly over the data sets with that count."""
    counts = law.cells.sum(axis=1)
    sizes = np.bincount(counts, minlength=law.n + 1)
    laws = by_count.laws[:, counts] / sizes[counts]
    return Mixture(
        laws=laws,
        weights=by_count.weights,
        lower_bits=by_count.lower_bits,
        upper_bits=by_count.upper_bits,
        rounds=by_count.rounds,
        classes=tuple(counts.tolist()),
    )


def _nothing(law: DataLaw, groups: Groups, feature: FloatArray | None) -> Disclosure:
    channel = Channel([[1]] * law.size, [tuple(cell) for cell in law.cells.tolist()])
    what = "the data set" if feature is None else "the feature"
    return Disclosure(
        law=law,
        groups=groups,
        channel=channel,
        lower_bits=0.0,
        upper_bits=0.0,
        method="nothing can be told",
        leak_bits=leak_bound(law, groups, channel),
        is_exact=True,
        because=(
            f"Whatever moves {what} without moving a protected marginal does not exist here: the protected samples fix "
            f"all that could be told [D, Prop 1]. Protect less, or ask about something else."
        ),
    )


def _check_size(law: DataLaw) -> None:
    if law.size > MOST_CELLS_SOLVED:
        raise InvalidParameter(
            f"has {law.size} cells that can happen, and at most {MOST_CELLS_SOLVED} are solved for",
            parameter="law",
            way_out="For independent samples use windows that share one sample, or the uniformiser; else merge values.",
        )
