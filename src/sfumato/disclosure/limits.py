"""Limits of disclosure as the number of samples grows [D, Thm 2-4].

Samples X_1, X_2, … are noisy measurements of W, identically distributed and independent given W. Values of W with the
same noise distribution cannot be distinguished; merged, they make W~. The best disclosure of W tends to C_1(0), the
best mapping of W~ alone that is independent of one more measurement. Between the two lies J, for which the curator sees
W~ and n samples.
Ref: [D, Thm 2; Thm 3; Prop 5; Thm 4]; theory: docs/theory/disclosure_limits.md
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.disclosure.cells import cut_cells
from sfumato.disclosure.columns import Mixture, generate_columns
from sfumato.disclosure.data import DataLaw, Nested, independent_rows, marginal_matrix
from sfumato.disclosure.optimal import Disclosure, check_independence, leak_bound, make_disclosure
from sfumato.errors import ClaimRefused, InvalidLaw, InvalidParameter
from sfumato.measures.shannon import mutual_information_interval
from sfumato.numbers.checks import Number, check_at_least, check_integer
from sfumato.numbers.exact import LawLike, solve_exactly
from sfumato.numbers.intervals import Interval, entropy_interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution

# A program for J has a row for each pair of a value of W and a data set.
MOST_PAIRS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """W~ and its noise: `prior` of the merged values, `noise` P(x|w~), and which values of W each one merges.

    `of` makes them from a prior of W and the noise P(x|w).

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
    >>> measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> measured.merged
    ((0, 1), (2,))
    >>> round(measured.told_in_the_end.upper, 4), round(measured.told_by_one.upper, 4)
    (0.8813, 0.3483)
    """

    prior: Distribution
    noise: Channel
    merged: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, prior: Distribution | LawLike, noise: Channel) -> Measurements:
        """Merge values of W with equal rows; values of probability 0 are left out [D, Sec. IV-A]."""
        law = (prior if isinstance(prior, Distribution) else Distribution(prior)).fractions
        if len(law) != noise.shape[0]:
            raise InvalidLaw(
                f"has {len(law)} values and `noise` {noise.shape[0]} rows",
                parameter="prior",
                way_out="Give one row for each.",
            )
        groups: dict[tuple[Number, ...], list[int]] = {}
        for w, row in enumerate(noise.to_exact().rows):
            if law[w]:
                groups.setdefault(row, []).append(w)
        merged = tuple(tuple(group) for group in groups.values())
        return cls(
            prior=Distribution([sum((law[w] for w in group), Fraction(0)) for group in merged]),
            noise=Channel(list(groups), outputs=noise.outputs),
            merged=merged,
        )

    @property
    def told_in_the_end(self) -> Interval:
        """C_X(W) = H(W~): what all samples together reveal about W, without any privacy [D, Thm 2]."""
        return entropy_interval((p, 1) for p in self.prior.probabilities)

    @property
    def told_by_one(self) -> Interval:
        """I(W;X), which is I(W~;X)."""
        return mutual_information_interval(self.noise, self.prior)

    @property
    def open_after_one(self) -> Interval:
        """H(W~|X)."""
        whole, one = self.told_in_the_end, self.told_by_one
        return Interval(whole.lower - one.upper, whole.upper - one.lower).widened(0.0).at_least(0.0)

    def joint(self, n: int) -> DataLaw:
        """The law of (W~, X_1, …, X_n)."""
        check_at_least("n", check_integer("n", n), 1)
        values, symbols = self.noise.shape
        if n > 64 or values * symbols**n > MOST_PAIRS:
            raise InvalidParameter(
                f"makes more than {MOST_PAIRS} pairs of a feature and a data set",
                parameter="n",
                value=n,
                way_out="Take fewer.",
            )
        cells = [
            p * math.prod((row[x] for x in data), start=Fraction(1))
            for p, row in zip(self.prior.fractions, self.noise.rows, strict=True)
            for data in itertools.product(range(symbols), repeat=n)
        ]
        return DataLaw.of(np.array(cells, dtype=object).reshape((values,) + (symbols,) * n))

    def data_law(self, n: int) -> tuple[Nested, Nested]:
        """The law of X^n and P(w~|x^n), as `optimum` takes them; a data set that cannot happen has any feature."""
        joint = self.joint(n)
        table = np.full(joint.shape, Fraction(0), dtype=object)
        for cell, mass in zip(joint.cells.tolist(), joint.masses, strict=True):
            table[tuple(cell)] = mass
        law = table.sum(axis=0)
        safe = np.where(law > 0, law, 1)
        about = np.where(law > 0, table, np.array([1] + [0] * (len(table) - 1)).reshape((-1,) + (1,) * n)) / safe
        return law.tolist(), np.moveaxis(about, 0, -1).tolist()

    def count_law(self, n: int) -> tuple[list[Fraction], list[list[float]]]:
        """The law of how many of n binary samples are 1 and P(w~|count), as `optimum_of_counts` takes them."""
        if self.noise.shape[1] != 2:
            raise InvalidParameter(
                "must have two outputs: only binary samples are counted",
                parameter="noise",
                way_out="Merge the outputs into two.",
            )
        parts = [
            [p * math.comb(n, k) * Fraction(row[1]) ** k * Fraction(row[0]) ** (n - k) for k in range(n + 1)]
            for p, row in zip(self.prior.fractions, self.noise.rows, strict=True)
        ]
        columns = list(zip(*parts, strict=True))
        law = [sum(column, Fraction(0)) for column in columns]
        first = [1.0] + [0.0] * (len(parts) - 1)
        about = [[float(v / mass) for v in c] if mass else first for c, mass in zip(columns, law, strict=True)]
        return law, about


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitDisclosure:
    """C_1(0) with the mapping of W~ that reaches it; `leak_bits` bounds what it reveals about a measurement.

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> found = sf.disclosure.limit_disclosure(measured)
    >>> found.is_exact, found.leak_bits, round(found.lower_bits, 4)
    (True, 0.0, 0.8385)
    """

    channel: Channel
    lower_bits: float
    upper_bits: float
    leak_bits: float
    is_exact: bool


def limit_disclosure(measurements: Measurements, *, tolerance: float = 1e-9, seconds: float = 60.0) -> LimitDisclosure:
    """Return C_1(0), what the best disclosure of W tends to [D, Thm 3]: nothing when the noise laws are independent.

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> found = sf.disclosure.limit_disclosure(measured)
    >>> found.channel.shape, round(found.lower_bits, 4), round(found.upper_bits, 4)
    ((3, 2), 0.8385, 0.8385)
    >>> two = sf.disclosure.Measurements.of([0.5, 0.5], sf.Channel([[0.9, 0.1], [0.2, 0.8]]))
    >>> sf.disclosure.limit_disclosure(two).upper_bits
    0.0
    """
    prior = measurements.prior.array
    matrix = measurements.noise.array.T.copy()
    rows = independent_rows(matrix)
    size = len(prior)
    if len(rows) == size:
        alone = Channel([[1]] * size)
        return LimitDisclosure(channel=alone, lower_bits=0.0, upper_bits=0.0, leak_bits=0.0, is_exact=True)
    mixture = generate_columns(rows, prior, np.eye(size), tolerance=tolerance, seconds=seconds)
    exact = _exact_channel(measurements, mixture)
    joint = mixture.weights[:, None] * mixture.laws
    rounded = (joint / joint.sum(axis=0, keepdims=True)).T
    channel = Channel(rounded).to_exact() if exact is None else exact
    pairs = measurements.joint(1)
    by_pair = Channel([channel.rows[w] for w, _ in pairs.cells.tolist()], [tuple(c) for c in pairs.cells.tolist()])
    if exact is not None:
        check_independence(pairs, ((1,),), by_pair)
    told = mutual_information_interval(channel, measurements.prior)
    return LimitDisclosure(
        channel=channel,
        lower_bits=max(0.0, told.lower),
        upper_bits=max(told.upper, mixture.upper_bits),
        leak_bits=0.0 if exact is not None else leak_bound(pairs, ((1,),), by_pair),
        is_exact=exact is not None,
    )


def full_data_disclosure(
    measurements: Measurements, n: int = 1, *, tolerance: float = 1e-7, seconds: float = 60.0
) -> Disclosure:
    """Return J(W, X^n): the curator sees W~ and n samples, and protects those; C_2(0) for n = 1 [D, eq. (41)].

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> found = sf.disclosure.full_data_disclosure(measured)
    >>> found.groups, round(found.lower_bits, 3), round(found.upper_bits, 3)
    (((1,),), 1.127, 1.127)
    """
    joint = measurements.joint(n)
    groups = tuple((i,) for i in range(1, n + 1))
    feature = (joint.cells[:, 0][None] == np.arange(joint.shape[0])[:, None]).astype(np.float64)
    rows = independent_rows(marginal_matrix(joint, groups))
    if joint.shape[0] == 2:
        mixture = cut_cells(rows, joint.array, feature[1], tolerance=tolerance, seconds=seconds)
    else:
        mixture = generate_columns(rows, joint.array, feature, tolerance=tolerance, seconds=seconds)
    return make_disclosure(joint, groups, mixture, feature, "feature and samples seen", mixture.upper_bits)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitChain:
    """[D, Prop 5], from the smallest to the largest; `between` holds J for 2, 3, … samples, largest first.

    Everything is in bits; `check` refuses a chain that is out of order.

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> chain = sf.disclosure.chain_of_limits(measured, n=2)
    >>> round(chain.floor_bits, 3), round(chain.limit.upper, 3), [round(one.upper, 3) for one in chain.between]
    (0.571, 0.839, [1.127])
    >>> round(chain.full_data.upper, 3), round(chain.open_after_one.upper, 3)
    (1.127, 1.331)
    """

    floor_bits: float
    limit: Interval
    between: tuple[Interval, ...]
    full_data: Interval
    open_after_one: Interval

    def check(self) -> None:
        """Raise unless each is at most the next, by their bounds."""
        values = [Interval(self.floor_bits, self.floor_bits), self.limit, *reversed(self.between), self.full_data]
        for smaller, larger in itertools.pairwise([*values, self.open_after_one]):
            if smaller.lower > larger.upper:
                raise ClaimRefused(
                    f"the limits are out of order: {smaller} is above {larger}",
                    way_out="Compute them again; if they stay so, report it.",
                )


def chain_of_limits(measurements: Measurements, *, n: int = 3, seconds: float = 60.0) -> LimitChain:
    """Compute (C_X(W) - log|X|)⁺ ≤ C_1(0) ≤ J(n) ≤ … ≤ J(2) ≤ C_2(0) ≤ H(W~|X).

    J is reckoned for 1 to `n` samples.

    >>> import sfumato as sf
    >>> noise = sf.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> measured = sf.disclosure.Measurements.of([0.3, 0.4, 0.3], noise)
    >>> chain = sf.disclosure.chain_of_limits(measured, n=1)
    >>> round(chain.limit.lower, 3), round(chain.full_data.lower, 3), round(chain.open_after_one.lower, 3)
    (0.839, 1.127, 1.331)
    """
    limit = limit_disclosure(measurements, seconds=seconds)
    found = [full_data_disclosure(measurements, seen, seconds=seconds) for seen in range(1, n + 1)]
    full, *between = [Interval(one.lower_bits, one.upper_bits) for one in found]
    chain = LimitChain(
        floor_bits=max(0.0, measurements.told_in_the_end.lower - math.log2(measurements.noise.shape[1])),
        limit=Interval(limit.lower_bits, limit.upper_bits),
        between=tuple(between),
        full_data=full,
        open_after_one=measurements.open_after_one,
    )
    chain.check()
    return chain


def self_disclosure_interval(law: Distribution | LawLike, n: int, *, together: int = 1) -> Interval:
    """Enclose max I(X^n;Y) for n independent samples, `together` neighbours protected [D, Cor 1.2; Cor 4.1; Prop 2].

    Corners have no more cells than P has rank, so H(X^n|Y) ≤ log2 of it; that divided by H(X^n) tends to 0.

    >>> import sfumato as sf
    >>> alone = sf.disclosure.self_disclosure_interval([0.5, 0.5], 100)
    >>> round(alone.lower, 2), round(alone.upper, 2)
    (93.34, 99.0)
    >>> round(sf.disclosure.self_disclosure_interval([0.5, 0.5], 100, together=5).upper, 2)
    95.0
    """
    one = law if isinstance(law, Distribution) else Distribution(law)
    check_at_least("together", check_integer("together", together), 1)
    check_at_least("n", check_integer("n", n), together)
    size = sum(p > 0 for p in one.probabilities)
    rank = size**together + (n - together) * (size**together - size ** (together - 1))
    each = entropy_interval((p, 1) for p in one.probabilities)
    return Interval(n * each.lower - math.log2(rank), (n - together) * each.upper).widened(0.0).at_least(0.0)


def efficiency_interval_of(law: Distribution | LawLike, n: int, told: Interval | None = None) -> Interval:
    """Enclose the part of H(X^n) that can be disclosed; from `told`, or from the bounds that tend to 1 [D, Thm 4].

    >>> import sfumato as sf
    >>> for n in (10, 100, 1000):
    ...     share = sf.disclosure.efficiency_interval_of([0.3, 0.7], n)
    ...     print(n, round(share.lower, 3), round(share.upper, 3))
    10 0.607 0.9
    100 0.924 0.99
    1000 0.989 0.999
    """
    one = law if isinstance(law, Distribution) else Distribution(law)
    each = entropy_interval((p, 1) for p in one.probabilities)
    if each.lower <= 0:
        raise InvalidLaw(
            "has no entropy, so there is nothing to tell a part of",
            parameter="law",
            way_out="Give a law with at least two values that can happen.",
        )
    found = self_disclosure_interval(one, n) if told is None else told
    return Interval(found.lower / (n * each.upper), found.upper / (n * each.lower)).widened(0.0)


def _exact_channel(measurements: Measurements, mixture: Mixture) -> Channel | None:
    """Solve for corners and weights again in Fractions; None when that is not possible."""
    prior = list(measurements.prior.fractions)
    columns = [[Fraction(v) for v in row] for row in measurements.noise.rows]
    symbols = range(measurements.noise.shape[1])
    goal = [sum((p * row[x] for p, row in zip(prior, columns, strict=True)), Fraction(0)) for x in symbols]
    laws = []
    for found in mixture.laws:
        support = np.flatnonzero(found > 1e-9).tolist()
        solution = solve_exactly([[columns[w][x] for w in support] for x in symbols], goal)
        if solution is None or min(solution) < 0:
            return None
        by_value = dict(zip(support, solution, strict=True))
        laws.append([by_value.get(w, Fraction(0)) for w in range(len(prior))])
    weights = solve_exactly([[law[w] for law in laws] for w in range(len(prior))], prior)
    if weights is None or min(weights) < 0:
        return None
    return Channel([[u * law[w] / p for u, law in zip(weights, laws, strict=True)] for w, p in enumerate(prior)])


__all__ = [
    "LimitChain",
    "LimitDisclosure",
    "Measurements",
    "chain_of_limits",
    "efficiency_interval_of",
    "full_data_disclosure",
    "limit_disclosure",
    "self_disclosure_interval",
]
