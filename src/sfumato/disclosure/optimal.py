"""The mapping that discloses most and is independent of every protected part [D].

One call chooses the method by size and structure. The result always has both bounds, the mapping, and the method's
name. The mapping is certified to be independent of every protected group.
Ref: [D, Thm 1]; theory: docs/theory/disclosure.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.disclosure.cells import cut_cells
from sfumato.disclosure.columns import Master, Mixture, Progress, generate_columns
from sfumato.disclosure.counts import best_by_counts, counts_law
from sfumato.disclosure.data import (
    LEAST_MASS,
    DataLaw,
    DataLawLike,
    FeatureLike,
    FloatArray,
    Groups,
    can_tell,
    corners,
    entropy_bits,
    feature_of,
    floored,
    marginal_matrix,
    most_by_cell,
    scarce_rows,
)
from sfumato.disclosure.exact_rows import rows_in_fractions
from sfumato.disclosure.orbits import best_by_orbits, orbit_chance
from sfumato.errors import ClaimRefused, InvalidParameter, NotCertified
from sfumato.measures.shannon import mutual_information_interval
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.prob.operations import coarsen
from sfumato.sampling.mechanism import ReportArray, bits_or_default, smallest_dtype, unmasked
from sfumato.sampling.samplers import RowDraws
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- Disclosures: mappings of the data set to a public symbol that is independent of every protected group
# Distributions t_y and weights u_y give the channel p(y|x) = u_y t_y(x)/p(x). Where the prior is exact and small, they
# are solved for again in Fractions, and independence is exact. Elsewhere the mutual information between the symbol and
# each group is bounded from above, rounding included.
# Ref: [D, Def. 1]; theory: docs/theory/disclosure.md


MOST_EXACT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """`channel` maps each cell that can happen to a symbol; between `lower_bits` and `upper_bits` lies the optimum.

    `leak_bits` bounds what the symbol tells about any protected group: 0 exactly, or a bound with its rounding.
    `because` says why nothing can be told, where that is so.

    `optimum` makes one.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> told = sf.disclosure.optimum(sf.disclosure.DataLaw.independent([Fraction(1, 2), Fraction(1, 2)], 2))
    >>> [[str(chance) for chance in row] for row in told.channel.rows]
    [['0', '1'], ['1', '0'], ['1', '0'], ['0', '1']]
    >>> round(told.lower_bits, 4), told.leak_bits, told.is_exact
    (1.0, 0.0, True)
    >>> told.release([[0, 0], [0, 1]]).tolist()
    [1, 0]
    """

    law: DataLaw
    groups: Groups
    channel: Channel
    lower_bits: float
    upper_bits: float
    method: str
    leak_bits: float
    is_exact: bool
    because: str = ""

    @property
    def gap_bits(self) -> float:
        """How much the optimum may lie above."""
        return self.upper_bits - self.lower_bits

    def release(
        self, cells: Sequence[Sequence[int]] | npt.NDArray[np.int64], bits: BitSource | None = None
    ) -> ReportArray:
        """Draw a symbol for each data set, given as rows of sample values."""
        for row in [cells] if isinstance(cells, np.ndarray) else cells:
            unmasked("cells", row)
        place = {tuple(cell): c for c, cell in enumerate(self.law.cells.tolist())}
        symbols = np.array([place.get(tuple(row), -1) for row in cells], dtype=np.int64)
        if symbols.size and symbols.min() < 0:
            raise NotCertified(
                f"data set {int(np.flatnonzero(symbols < 0)[0]) + 1} has probability 0 under the law, so nothing is "
                f"known about what it would reveal",
                way_out="Correct the law.",
            )
        # Drawn from the channel itself: a neighbour with denominators that fit a word would no longer be private.
        drawn = RowDraws(self.channel.to_exact(), MOST_WIDTH).draw(bits_or_default(bits), symbols)
        return drawn.astype(smallest_dtype(self.channel.shape[1]))


def make_disclosure(
    law: DataLaw, groups: Groups, mixture: Mixture, feature: FloatArray | None, method: str, upper_bits: float
) -> Disclosure:
    """Return the disclosure of a mixture: exact if the law allows, else with a bound on its leak."""
    exact = None
    if law.exact and law.size <= MOST_EXACT:
        exact = rows_in_fractions(law, groups, mixture.laws, mixture.weights, mixture.classes)
    labels = [tuple(cell) for cell in law.cells.tolist()]
    if exact is not None:
        channel = Channel(exact, labels)
        check_independence(law, groups, channel)
        leak = 0.0
    else:
        channel = Channel(_float_rows(mixture, law.array).tolist(), labels).to_exact()
        leak = leak_bound(law, groups, channel)
    told = told_bits(law, channel, feature)
    return Disclosure(
        law=law,
        groups=groups,
        channel=channel,
        lower_bits=max(0.0, told.lower),
        upper_bits=max(told.upper, upper_bits),
        method=method,
        leak_bits=leak,
        is_exact=exact is not None,
    )


def _float_rows(mixture: Mixture, prior: FloatArray) -> FloatArray:
    """Return P(y|x) as the mixture has it; a cell that it leaves uncovered gets the law of the symbols themselves."""
    # A solver's zero may lie a little below; what is cut off is in the bound on the leak.
    joint = np.maximum(mixture.weights[:, None] * mixture.laws, 0.0)
    covered = joint.sum(axis=0)
    is_covered = covered > 0.5 * prior
    rows = np.where(is_covered, joint / np.where(is_covered, covered, 1.0), joint.sum(axis=1, keepdims=True)).T
    made: FloatArray = rows / rows.sum(axis=1, keepdims=True)
    return made


def told_bits(law: DataLaw, channel: Channel, feature: FloatArray | None) -> Interval:
    """Enclose I(W;Y), or I(X^n;Y) without a feature; with a float feature the enclosure is up to its rounding."""
    prior = Distribution(law.masses, channel.inputs)
    if feature is None:
        return mutual_information_interval(channel, prior)
    masses = law.array
    weights = feature @ masses
    rows = (feature * masses) @ channel.array / weights[:, None]
    from_feature = Channel((rows / rows.sum(axis=1, keepdims=True)).tolist())
    return mutual_information_interval(from_feature, Distribution((weights / weights.sum()).tolist()))


def check_independence(law: DataLaw, groups: Groups, channel: Channel) -> None:
    """Raise unless the symbol is independent of every protected group, in Fractions."""
    masses = [Fraction(mass) for mass in law.masses]
    # Rows are made anew each time they are asked for.
    rows = channel.rows
    outputs = range(channel.shape[1])
    totals = [sum((m * row[y] for m, row in zip(masses, rows, strict=True)), Fraction(0)) for y in outputs]
    for group in groups:
        codes = law.group_codes(group).tolist()
        for value in set(codes):
            mine = [c for c, code in enumerate(codes) if code == value]
            mass = sum((masses[c] for c in mine), Fraction(0))
            for y in outputs:
                if sum((masses[c] * rows[c][y] for c in mine), Fraction(0)) != mass * totals[y]:
                    raise ClaimRefused(
                        f"the symbol depends on the samples {group}; the mapping is not private",
                        way_out="Make the disclosure again, and do not publish with this one.",
                    )


def leak_bound(law: DataLaw, groups: Groups, channel: Channel) -> float:
    """Return the largest I(X_group;Y) over the protected groups, rounded up."""
    prior = Distribution(law.masses, channel.inputs).to_exact()
    worst = 0.0
    for group in groups:
        codes = law.group_codes(group).tolist()
        of = dict(zip(channel.inputs, codes, strict=True))
        merged, merged_law = coarsen(channel, prior, of)
        worst = max(worst, mutual_information_interval(merged, merged_law).upper)
    return worst


# --- Two binary samples in closed form, for any marginals
# With α = P(X1=0), β = P(X2=0) and r = P(0,1), distributions with these marginals lie on a segment: r lies between r0 =
# max(0, α-β) and R = min(α, 1-β). Its two ends are the corners, and the prior is their mixture, for any feature.
# Ref: [D, eqs. (25), (26)], which need α ≤ β; theory: docs/theory/disclosure.md


_DIRECTION = (1, -1, -1, 1)


def two_binary_corners(law: DataLaw) -> tuple[tuple[tuple[Fraction, ...], Fraction], ...]:
    """Return the corners of S over the cells 00, 01, 10, 11 with their weights; only one if nothing can be disclosed.

    The closed form behind `optimum` for a table of two by two.

    Returns:
        For each corner its probabilities and its weight; weights sum to 1, and the weighted corners to the law.

    Raises:
        InvalidParameter: the samples are not two, or not binary.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.disclosure.DataLaw.independent([Fraction(1, 3), Fraction(2, 3)], 2)
    >>> for corner, weight in sf.disclosure.two_binary_corners(law):
    ...     print([str(mass) for mass in corner], weight)
    ['0', '1/3', '1/3', '1/3'] 2/3
    ['1/3', '0', '0', '2/3'] 1/3
    """
    if law.shape != (2, 2):
        raise InvalidParameter(
            f"must be of two binary samples, not of shape {law.shape}", parameter="law", way_out="Use `optimum`."
        )
    p = [Fraction(0)] * 4
    for (first, second), mass in zip(law.cells.tolist(), law.masses, strict=True):
        p[2 * first + second] = Fraction(mass)
    alpha, beta, r = p[0] + p[1], p[0] + p[2], p[1]
    # The sum of the masses is 1 but for rounding, and in Fractions that would show.
    least, most = max(Fraction(0), alpha - beta), min(alpha, sum(p) - beta)
    if least == most or r in {least, most}:
        return ((tuple(p), Fraction(1)),)
    span = most - least
    ends = ((r - most, (r - least) / span), (r - least, (most - r) / span))
    return tuple((tuple(q + move * d for q, d in zip(p, _DIRECTION, strict=True)), weight) for move, weight in ends)


# Column generation has a row for each cell; this limit bounds its memory.
MOST_CELLS_SOLVED = 5_000
_FEW_CELLS = 8
# With fewer samples a search for corners is as fast as listing them up to order.
_LEAST_ORBITS = 6


class Solver(StrEnum):
    """How the optimum is found.

    `optimum` chooses by size and structure, unless one is named.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> law = sf.disclosure.DataLaw.independent([Fraction(1, 3), Fraction(2, 3)], 2)
    >>> sf.disclosure.optimum(law).method
    'two binary samples, closed form'
    >>> sf.disclosure.optimum(law, method=sf.disclosure.Solver.CORNERS).method
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
    >>> told = sf.disclosure.optimum(table)
    >>> round(told.lower_bits, 4), told.leak_bits, told.method
    (0.4855, 0.0, 'two binary samples, closed form')
    >>> parity = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    >>> round(sf.disclosure.optimum(table, parity).lower_bits, 4)
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
    >>> law = sf.disclosure.DataLaw.independent([0.5, 0.5], 3)
    >>> round(sf.disclosure.ceiling_bits(law, law.singles(), None), 4)
    2.0
    >>> round(sf.disclosure.ceiling_bits(law, law.windows(2), None), 4)
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
