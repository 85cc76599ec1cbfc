"""Disclosures about how many of many exchangeable samples are 1.

Of exchangeable binary samples only the distribution of the count 0..n is needed. A symbol that keeps the count's mean,
E[count|y] = E[count], keeps every P(X_i=1|y) = E[count|y]/n. The best symbols name two counts, one on each side of the
mean. A linear program finds how often, and its solution is made exact: what the counts below lack of the mean equals
what the counts above have over it, and along a tree of pairs the amounts follow in Fractions.
Ref: [D, Thm 1], averaged over permutations; theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.disclosure.columns import Mixture
from sfumato.disclosure.data import DataLaw, FeatureLike, FloatArray, entropy_bits
from sfumato.errors import ClaimRefused, InvalidLaw, InvalidParameter, NotCertified
from sfumato.measures.shannon import mutual_information_interval
from sfumato.numbers.exact import LawLike, check_law
from sfumato.numbers.intervals import Interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.mechanism import ReportArray, bits_or_default, smallest_dtype, unmasked
from sfumato.sampling.samplers import RowDraws
from sfumato.sampling.sources import MOST_WIDTH, BitSource

# --- Exchangeable samples: everything depends on how many of them are 1
# When samples are binary and exchangeable and the feature depends on the count alone, averaging a mapping over
# permutations costs nothing. S becomes the distributions of the count with the right mean. Its corners have at most two
# counts, one on each side of the mean, and one linear program over those pairs gives the optimum.


def counts_law(law: DataLaw, feature: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the law of the count and P(w|count), or None when order or more than the count matters."""
    if set(law.shape) != {2}:
        return None
    counts = law.cells.sum(axis=1)
    masses = np.zeros(law.n + 1)
    features = np.zeros((feature.shape[0], law.n + 1))
    for count in range(law.n + 1):
        mine = np.flatnonzero(counts == count)
        if mine.size == 0:
            continue
        values = law.array[mine]
        whole = mine.size == math.comb(law.n, count)
        if not whole or np.ptp(values) > 1e-12 * values.max() or np.ptp(feature[:, mine], axis=1).max() > 1e-12:
            return None
        masses[count] = values.sum()
        features[:, count] = feature[:, mine[0]]
    return masses, features


def best_by_counts(masses: FloatArray, features: FloatArray) -> Mixture:
    """Solve for a law of the count 0..n and a feature P(w|count); `laws` of the mixture are laws of the count."""
    from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import
    from scipy.sparse import csc_matrix  # noqa: PLC0415

    counts = np.arange(len(masses))
    possible = counts[masses > 0]
    mean = float(counts @ masses)
    below, above = possible[possible < mean - 1e-12], possible[possible > mean + 1e-12]
    first, second = (grid.ravel() for grid in np.meshgrid(below, above, indexing="ij"))
    share = (second - mean) / (second - first)
    exact = possible[np.abs(possible - mean) <= 1e-12]
    rows = np.concatenate([first, second, exact])
    places = np.arange(len(first))
    columns = np.concatenate([places, places, len(first) + np.arange(len(exact))])
    values = np.concatenate([share, 1 - share, np.ones(len(exact))])
    total = len(first) + len(exact)
    corners = csc_matrix((values, (rows, columns)), shape=(len(masses), total))
    costs = entropy_bits(features @ corners.toarray()) if total < 20_000 else entropy_bits((corners.T @ features.T).T)
    found = linprog(
        costs,
        A_eq=corners[possible],
        b_eq=masses[possible],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise NotCertified("the solver did not reach the optimum over counts", way_out="Try a smaller problem.")
    whole = float(entropy_bits((features @ masses)[:, None])[0])
    used = np.flatnonzero(found.x > 1e-12)
    value = whole - float(found.fun)
    # The dual bounds the optimum: its reduced costs must not be negative by more than their rounding.
    prices = np.asarray(found.eqlin.marginals)
    reduced = costs - corners[possible].T @ prices
    slack = max(0.0, -float(reduced.min()))
    bound = whole - (float(masses[possible] @ prices) - slack)
    return Mixture(
        laws=corners[:, used].toarray().T,
        weights=np.asarray(found.x)[used],
        lower_bits=max(0.0, value),
        upper_bits=max(value, bound, 0.0),
        rounds=1,
    )


# Pairs of counts grow with n²/4; this many samples take a few seconds and a few hundred megabytes.
MOST_SAMPLES = 800

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSymbol:
    """A public symbol: the counts that it leaves possible with their probabilities, and how often it is published.

    A `CountDisclosure` is made of them.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> told = sf.disclosure.optimum_of_counts([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
    >>> for symbol in told.symbols:
    ...     print(symbol.counts, [str(chance) for chance in symbol.chances], symbol.probability)
    (0, 2) ['1/2', '1/2'] 1/2
    (1,) ['1'] 1/2
    """

    counts: tuple[int, ...]
    chances: tuple[Fraction, ...]
    probability: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class CountDisclosure:
    """Symbols that disclose the count in part; the optimum lies between `lower_bits` and `upper_bits`.

    Every symbol has the count's mean exactly, so it is independent of every single sample, to the last digit. Floats
    are read as the fractions they are, divided by their sum.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> told = sf.disclosure.optimum_of_counts([Fraction(1, 8), Fraction(3, 8), Fraction(3, 8), Fraction(1, 8)])
    >>> [symbol.counts for symbol in told.symbols]
    [(0, 2), (1, 3)]
    >>> [str(chance) for chance in told.row(1)]
    ['0', '1']
    >>> round(told.lower_bits, 4), told.gap_bits < 1e-6
    (1.0, True)
    """

    masses: tuple[Fraction, ...]
    symbols: tuple[CountSymbol, ...]
    lower_bits: float
    upper_bits: float

    def __post_init__(self) -> None:
        check_means(self.masses, self.symbols)

    @property
    def n(self) -> int:
        """How many samples there are."""
        return len(self.masses) - 1

    @property
    def gap_bits(self) -> float:
        """How much the optimum may lie above."""
        return self.upper_bits - self.lower_bits

    def row(self, count: int) -> tuple[Fraction, ...]:
        """P(symbol|count), for a count that can happen."""
        if not (0 <= count <= self.n and self.masses[count]):
            raise NotCertified(
                "has probability 0 under the law, so nothing is known about what it would reveal",
                parameter="count",
                way_out="Correct the law.",
            )
        return tuple(
            sum(
                (symbol.probability * p for c, p in zip(symbol.counts, symbol.chances, strict=True) if c == count),
                Fraction(0),
            )
            / self.masses[count]
            for symbol in self.symbols
        )

    def release(self, counts: npt.ArrayLike, bits: BitSource | None = None) -> ReportArray:
        """Draw a symbol for the count of each data set, exactly by `row`."""
        given = np.atleast_1d(unmasked("counts", counts))
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise InvalidParameter(
                "must be whole numbers, one for each data set", parameter="counts", way_out="Pass a list of them."
            )
        source = bits_or_default(bits)
        drawn = np.zeros(given.size, dtype=smallest_dtype(len(self.symbols)))
        for count in sorted(set(given.tolist())):
            mine = np.flatnonzero(given == count)
            rows = RowDraws(Channel([self.row(count)]), MOST_WIDTH)
            drawn[mine] = rows.draw(source, np.zeros(mine.size, dtype=np.int64))
        return drawn


def optimum_of_counts(count_law: Distribution | LawLike, about: FeatureLike | None = None) -> CountDisclosure:
    """Return the best disclosure for a law of the count 0..n; `about` has a row P(w|count) for each, None is the count.

    The samples must be exchangeable: data sets with the same count are equally likely, and w depends on the count only.

    Returns:
        The symbols, private to the last digit, with both bounds.

    Raises:
        InvalidParameter: there are more than 800 samples.
        InvalidLaw: law or feature are no probabilities.

    >>> from math import comb
    >>> import sfumato as sf
    >>> fifty = sf.disclosure.optimum_of_counts([comb(50, k) / 2**50 for k in range(51)])
    >>> fifty.n, round(fifty.lower_bits, 3), round(fifty.upper_bits, 3)
    (50, 3.183, 3.183)
    """
    given = count_law.probabilities if isinstance(count_law, Distribution) else count_law
    if len(given) > MOST_SAMPLES + 1:
        raise InvalidParameter(
            f"is of {len(given) - 1} samples; at most {MOST_SAMPLES} are solved for",
            parameter="count_law",
            way_out="Use windows that share one sample, or the uniformiser.",
        )
    total = sum((Fraction(mass) for mass in check_law("count_law", given)), Fraction(0))
    masses = tuple(Fraction(mass) / total for mass in check_law("count_law", given))
    floats = np.array([float(mass) for mass in masses])
    features = _features(len(masses), about)
    mixture = best_by_counts(floats, features)
    symbols = _ship(masses, _edges(mixture))
    told = _told(symbols, features)
    return CountDisclosure(
        masses=masses,
        symbols=symbols,
        lower_bits=max(0.0, told.lower),
        upper_bits=max(told.upper, mixture.upper_bits),
    )


def check_means(masses: Sequence[Fraction], symbols: Iterable[CountSymbol]) -> None:
    """Raise unless the symbols average to the law and each has its mean, in Fractions."""
    mean = sum((k * mass for k, mass in enumerate(masses)), Fraction(0))
    left = list(masses)
    for symbol in symbols:
        pairs = list(zip(symbol.counts, symbol.chances, strict=True))
        if min(symbol.chances) < 0 or sum(symbol.chances) != 1 or symbol.probability < 0:
            raise ClaimRefused(
                "a symbol has chances that are no law; the mapping is not one", way_out="Make the disclosure again."
            )
        if sum((k * p for k, p in pairs), Fraction(0)) != mean:
            raise ClaimRefused(
                f"the symbol for the counts {symbol.counts} moves the mean; the mapping is not private",
                way_out="Make the disclosure again, and do not publish with this one.",
            )
        for k, p in pairs:
            left[k] -= symbol.probability * p
    if any(left):
        raise ClaimRefused(
            "the symbols do not average to the law of the count; the mapping is not one",
            way_out="Make the disclosure again.",
        )


def _features(size: int, about: FeatureLike | None) -> FloatArray:
    if about is None:
        return np.eye(size)
    table = about.array if isinstance(about, Channel) else np.array(about, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != size:
        raise InvalidLaw(
            f"must have a row for each count from 0 to {size - 1}, and has the shape {table.shape}",
            parameter="about",
            way_out="Give one law of the feature for each count.",
        )
    if not (np.all(table >= 0) and np.all(np.abs(table.sum(axis=1) - 1) <= 1e-9)):
        raise InvalidLaw(
            "must hold probabilities that sum to 1 for each count", parameter="about", way_out="Check its last axis."
        )
    features: FloatArray = (table / table.sum(axis=1, keepdims=True)).T
    return features


def _edges(mixture: Mixture) -> list[Edge]:
    """The pairs that the program uses, the most used first."""
    found = []
    for place in np.argsort(-mixture.weights):
        support = np.flatnonzero(mixture.laws[place])
        if len(support) == 2:
            found.append((int(support[0]), int(support[1])))
    return found


def _ship(masses: Sequence[Fraction], edges: Sequence[Edge]) -> tuple[CountSymbol, ...]:
    """Ship p_a(mean-a) from counts below to p_b(b-mean) above: first along the program's tree, from its leaves."""
    mean = sum((k * mass for k, mass in enumerate(masses)), Fraction(0))
    left = {k: mass * abs(k - mean) for k, mass in enumerate(masses) if mass and k != mean}
    shipped: dict[Edge, Fraction] = {}
    at: dict[int, set[Edge]] = {k: set() for k in left}
    for edge in edges:
        for k in edge:
            at[k].add(edge)
    queue = [k for k, mine in at.items() if len(mine) == 1]
    while queue:
        k = queue.pop()
        if len(at[k]) != 1:
            continue
        edge = at[k].pop()
        other = edge[0] + edge[1] - k
        at[other].discard(edge)
        _move(edge, left, shipped)
        if len(at[other]) == 1:
            queue.append(other)
    # What rounding left over, and counts too rare for the program to see: any pairs will do.
    below, above = ([k for k in sorted(left) if (k > mean) == side] for side in (False, True))
    while below and above:
        edge = (below[0], above[0])
        _move(edge, left, shipped)
        below, above = [k for k in below if left[k]], [k for k in above if left[k]]
    symbols = [_pair(edge, amount, mean) for edge, amount in sorted(shipped.items()) if amount]
    if mean.denominator == 1 and masses[mean.numerator]:
        middle = mean.numerator
        symbols.append(CountSymbol(counts=(middle,), chances=(Fraction(1),), probability=masses[middle]))
    return tuple(symbols)


def _move(edge: Edge, left: dict[int, Fraction], shipped: dict[Edge, Fraction]) -> None:
    amount = min(left[k] for k in edge)
    for k in edge:
        left[k] -= amount
    shipped[edge] = shipped.get(edge, Fraction(0)) + amount


def _pair(edge: Edge, amount: Fraction, mean: Fraction) -> CountSymbol:
    low, high = edge
    share = (high - mean) / (high - low)
    return CountSymbol(
        counts=edge,
        chances=(share, 1 - share),
        probability=amount / (mean - low) + amount / (high - mean),
    )


def _told(symbols: Sequence[CountSymbol], features: FloatArray) -> Interval:
    """Enclose I(W;Y) up to the rounding of a float feature."""
    weights = np.array([float(symbol.probability) for symbol in symbols])
    laws = np.array([sum(float(p) * features[:, k] for k, p in zip(s.counts, s.chances, strict=True)) for s in symbols])
    possible = weights > 0
    laws = laws[possible] / laws[possible].sum(axis=1, keepdims=True)
    return mutual_information_interval(Channel(laws), Distribution((weights[possible] / weights.sum()).tolist()))
