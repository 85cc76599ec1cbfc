"""Rassouli, Rosas, Gündüz: telling about the whole, not about the parts. Theory: docs/theory/disclosure.md."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce.helper import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    VERMILION,
    Cell,
    Entry,
    Erratum,
    Paper,
    Table,
    floats,
    house_style,
    must_show,
)
from sfumato.disclosure.counts import optimum_of_counts
from sfumato.disclosure.data import DataLaw, corners, feature_of, nullity
from sfumato.disclosure.limits import Measurements
from sfumato.disclosure.optimal import (
    Disclosure,
    ceiling_bits,
    check_independence,
    optimum,
    told_bits,
    two_binary_corners,
)
from sfumato.disclosure.schemes import RunningSums, WindowScheme, information_by_listing, overlap_leaks
from sfumato.disclosure.uniformising import UniformisedChain
from sfumato.errors import NotCertified
from sfumato.numbers.intervals import entropy_interval, log2_interval
from sfumato.prob import Channel, Distribution

# --- Matrices and formulas of [D] as they stand in print, right or wrong; nothing else may compute with them.

Rows = tuple[tuple[Fraction, ...], ...]

TABLE_1 = {2: 8.34e-3, 3: 4.88e-2, 4: 4.47e-2}
EXAMPLE_2_BITS = 0.0134
THIRD, TWO_THIRDS = Fraction(1, 3), Fraction(2, 3)


def printed_posterior(alpha: Fraction) -> Rows:
    """[D, eq. (20)]: P(w|x1,x2), a row for each w; the print has these entries beside the law of α = 2/3."""
    one, zero = Fraction(1), Fraction(0)
    first = (one, alpha, zero, one, 1 - alpha, zero)
    return first, tuple(1 - p for p in first)


def printed_corners(alpha: Fraction, beta: Fraction, r: Fraction) -> tuple[tuple[Fraction, ...], ...]:
    """[D, before eq. (24)]: the two extreme points for two binary samples."""
    most = min(alpha, 1 - beta)
    law = (alpha - r, r, beta - alpha + r, 1 - beta - r)
    direction = (1, -1, -1, 1)
    return tuple(tuple(p + move * d for p, d in zip(law, direction, strict=True)) for move in (r - most, r))


def printed_weight(alpha: Fraction, beta: Fraction, r: Fraction) -> Fraction:
    """[D, eq. (24)]: the weight of the first extreme point."""
    return r / min(alpha, 1 - beta)


def printed_fewest_outputs(cells: int, rank: int) -> int:
    """[D, Cor 1.1]: a number of outputs called necessary."""
    return -(-cells // rank)


def printed_one_direction(shape: Sequence[int], cells: int) -> bool:
    """[D, Prop 4]: the condition under which S is said to have two extreme points."""
    return cells == sum(shape) - len(shape) + 2


def printed_running_sums(count: int, window: int, modulus: int) -> float:
    """[D, before eq. (61)]: the bound on the efficiency whose limit is taken."""
    return ((count - window + 1) * modulus - math.log2(modulus)) / (count * modulus)


def printed_overlap_leak(size: int) -> float:
    """[D, Sec. V-C1]: windows of any size, a new one at each sample, are said to tell nothing about a sample."""
    return 0.0 * size


def printed_uniformised_bits(q: Fraction, count: int) -> float:
    """[D, eq. (67)]: I(Y_pre; X^n)."""
    p = float(q)
    beta = (0.5 - p) / (1 - p)
    return (count - 1) * (1 - 2 * p * (1 - p) * _h(beta) - (1 - p) ** 2 * _h(2 * beta * (1 - beta)))


def printed_third_line_bits(q: Fraction) -> float:
    """[D, eq. (67), third line] for two samples: the four conditional entropies are added without weights."""
    p = float(q)
    beta = (0.5 - p) / (1 - p)
    return 1 - (2 * _h(beta) + _h(2 * beta * (1 - beta)))


def printed_typical(counts: Sequence[int]) -> tuple[int, ...]:
    """[D, Remark 3]: the weakly typical set of the other value is the same."""
    return tuple(counts)


def printed_other_value(count: int) -> float:
    """[D, App. C, after eq. (84)]: p(j|x^n) for a typical x^n and another value j."""
    return 0.0 * count


def printed_pairs_bits(q: Fraction, count: int) -> float:
    """[D, eq. (66)] with eq. (25) for two independent samples that are 1 with probability q ≤ 1/2."""
    p = float(q)
    zero, off = (1 - p) ** 2, p * (1 - p)
    alike = [(1 - 2 * p, p, p, 0.0), (1 - p, 0.0, 0.0, p)]
    share = off / p
    whole = sum(_term(v) for v in (zero, off, off, p * p))
    return (count - 1) * (whole - share * sum(map(_term, alike[0])) - (1 - share) * sum(map(_term, alike[1])))


def _h(p: float) -> float:
    return _term(p) + _term(1 - p)


def _term(p: float) -> float:
    return -p * math.log2(p) if p > 0 else 0.0


# --- The settings of [D], built once: samples that measure W through noisy channels, coins, and blocks.

TENTH = Fraction(1, 10)
HALF = Fraction(1, 2)


def example_2_law(alpha: Fraction) -> tuple[DataLaw, list[list[list[Fraction]]]]:
    """W a fair coin, X1 through BSC(α), X2 through BEC(1/2) with the erasure in the middle; and P(w|x1,x2)."""
    noise = [[1 - alpha, alpha], [alpha, 1 - alpha]]
    erased = [[HALF, HALF, Fraction(0)], [Fraction(0), HALF, HALF]]
    joint = [[[HALF * noise[w][a] * erased[w][b] for w in (0, 1)] for b in range(3)] for a in range(2)]
    law = [[sum(cell, Fraction(0)) for cell in row] for row in joint]
    about = [[[p / sum(cell) for p in cell] for cell in row] for row in joint]
    return DataLaw.of(law), about


def example_2(alpha: Fraction) -> Disclosure:
    """The optimum of Example 2."""
    return optimum(*example_2_law(alpha))


def through_bsc(count: int, flip: Fraction) -> Disclosure:
    """The optimum of Table I: W ~ Bern(1/3) seen `count` times."""
    noise = Channel([[1 - flip, flip], [flip, 1 - flip]])
    return optimum(*Measurements.of([1 - THIRD, THIRD], noise).data_law(count))


def blocks_law(count: int) -> DataLaw:
    """X1 and X2 in the same one of `count` 2×2 blocks; inside, they are fair coins."""
    table = np.full((2 * count, 2 * count), Fraction(0), dtype=object)
    for block, a, b in itertools.product(range(count), range(2), range(2)):
        table[2 * block + a, 2 * block + b] = Fraction(1, 4 * count)
    return DataLaw.of(table)


def sum_of_four(modulus: int) -> tuple[DataLaw, Channel]:
    """Four fair samples on `modulus` values, and their sum as a mapping and as a feature."""
    law = DataLaw.independent([Fraction(1, modulus)] * modulus, 4)
    rows = [[int(sum(cell) % modulus == y) for y in range(modulus)] for cell in law.cells.tolist()]
    return law, Channel(rows, [tuple(cell) for cell in law.cells.tolist()])


@lru_cache(maxsize=64)
def four_coins(q: Fraction) -> Disclosure:
    """The optimum for four independent samples that are 1 with probability q: a third of a second each."""
    return optimum(DataLaw.independent([1 - q, q], 4))


@lru_cache(maxsize=256)
def pairs(q: Fraction, size: int = 2) -> WindowScheme:
    """[D, Sec. V-C1]; windows share one sample."""
    return WindowScheme.best(Distribution([1 - q, q]), size)


@lru_cache(maxsize=256)
def uniformised(q: Fraction) -> UniformisedChain:
    """[D, Sec. V-C2] with the Z channel of Example 5."""
    return UniformisedChain.closest(Distribution([1 - q, q]))


def weakly_typical(flip: Fraction, count: int, epsilon: Fraction, value: int) -> tuple[int, ...]:
    """The numbers of ones among `count` samples of W = value through BSC(flip) that eq. (37) calls typical.

    -(1/n) log p(x^n) - H = (k/n - P(1))·log((1-flip)/flip) up to its sign, so these are the k near n·P(1).
    """
    ones = flip if value == 0 else 1 - flip
    slope = log2_interval((1 - flip) / flip)
    inside = [k for k in range(count + 1) if abs(float(Fraction(k, count) - ones)) * slope.upper <= epsilon]
    maybe = [k for k in range(count + 1) if abs(float(Fraction(k, count) - ones)) * slope.lower <= epsilon]
    if inside != maybe:
        raise NotCertified("a count lies on the border of the typical set", way_out="Move `epsilon` a little.")
    return tuple(inside)


def other_value(count: int, flip: Fraction = TENTH) -> Fraction:
    """P(W = 1 | x^n) for a fair W through BSC(flip), where a share of flip of the samples is 1: typical for W = 0."""
    ones = round(count * flip)
    likely = [flip**ones * (1 - flip) ** (count - ones), (1 - flip) ** ones * flip ** (count - ones)]
    return likely[1] / sum(likely)


# --- [D, Table I and Example 2], print beside recomputed, and further than the print goes.

FLIP, SHARE = Fraction(1, 10), Fraction(1, 3)
ALPHA = Fraction(2, 3)
MORE = (5, 10, 20, 50, 100, 200)
_LISTED = (2, 3)


def table_1(*, alpha: Fraction = FLIP, share: Fraction = SHARE, counts: tuple[int, ...] = (*TABLE_1, *MORE)) -> Table:
    """I_s of noisy measurements: not monotone, and 0 in the end, since two noise laws can always be inverted."""
    falling = (
        "The optimum for n = 4 is below that for n = 3, as the print says; n = 5 is above both. From there on it falls "
        "and tends to C_1(0), which is 0 here: two noise laws that differ can be inverted [D, Thm 3]."
    )
    listed = (
        f"S has {' and '.join(str(_corner_count(n)) for n in _LISTED)} corners for n = 2 and 3, and 130 and 6782 for 4 "
        f"and 5. Laws of the number of ones need none of them, so that 200 samples are no trouble."
    )
    return Table(
        title=f"Table I: W ~ Bern({share}) measured n times through BSC({alpha}), bits",
        columns=("n", "I_s, printed", "I_s, from below", "I_s, from above", "the print"),
        rows=tuple(_measured(n, alpha, share) for n in counts),
        notes=(falling, listed) if (alpha, share) == (FLIP, SHARE) else (),
    )


def table_of_example_2(*, alpha: Fraction = ALPHA) -> Table:
    """The mapping of Example 2; every entry is printed right."""
    found = example_2(alpha)
    cells = [tuple(cell) for cell in found.law.cells.tolist()]
    shown = {0: "0", 1: "erased", 2: "1"}
    rows: list[tuple[Cell, ...]] = [
        (f"X1 = {a}, X2 = {shown[b]}", mass, *sorted(row, reverse=True))
        for (a, b), mass, row in zip(cells, found.law.masses, found.channel.rows, strict=True)
    ]
    told = (
        f"I_s = {found.lower_bits:.6f} bits, printed 0.0134. Four corners, three of them used, each with 1/3. H(W|Y) = "
        f"{1 - found.lower_bits:.4f}, as printed."
        if alpha == ALPHA
        else f"I_s = {found.lower_bits:.6f} bits, H(W|Y) = {1 - found.lower_bits:.4f}."
    )
    own = alpha == ALPHA
    return Table(
        title=f"Example 2 at α = {alpha}, e = 1/2: the best mapping, each row's probabilities from the largest",
        columns=("data set", "probability", *_ranks(found.channel.shape[1])),
        rows=tuple(rows),
        notes=(told, f"The names of the symbols are a solver's choice{'; up to them this is eq. (22)' * own}."),
    )


def measured_counts(count: int, flip: Fraction = FLIP, share: Fraction = SHARE) -> tuple[float, float]:
    """Both bounds on I_s for any number of samples of Table I."""
    noise = Channel([[1 - flip, flip], [flip, 1 - flip]])
    given = Measurements.of([1 - share, share], noise)
    found = optimum_of_counts(*given.count_law(count))
    return found.lower_bits, found.upper_bits


def _measured(count: int, flip: Fraction, share: Fraction) -> tuple[Cell, ...]:
    lower, upper = measured_counts(count, flip, share)
    if (flip, share) != (FLIP, SHARE):
        return str(count), "", f"{lower:.7f}", f"{upper:.7f}", "has no such number"
    value = TABLE_1.get(count)
    if value is None:
        return str(count), "", f"{lower:.7f}", f"{upper:.7f}", "stops at n = 4"
    agrees = f"{lower:.2e}" == f"{value:.2e}"
    return str(count), f"{value:.2e}", f"{lower:.7f}", f"{upper:.7f}", "agrees" if agrees else "differs"


def _ranks(count: int) -> tuple[str, ...]:
    return ("largest", "middle", "least") if count == 3 else tuple(f"{rank}." for rank in range(1, count + 1))


def _corner_count(count: int) -> int:
    law = through_bsc(count, FLIP).law
    return len(corners(law, law.singles()))


TABLES = {"table-1": table_1, "example-2": table_of_example_2}


# --- [D, Figs. 4 and 5]: how much of n coins the schemes tell. Data first, drawing after.
#
# The print draws eq. (67) for the uniformised chain, which is only a bound; it is drawn here beside what is told.
# Windows of three and four that share one sample are added, since the print's own generalisation is not private.

COUNT = 4

# The optimum is a program at each share; the schemes are formulas.
FEW_SHARES = tuple(Fraction(k, 20) for k in range(1, 11))
SHARES = tuple(Fraction(k, 40) for k in range(1, 21))


def optimal_efficiencies(shares: Sequence[Fraction] = FEW_SHARES) -> list[float]:
    """I(X^4;Y)/H(X^4) of the best mapping."""
    return [four_coins(q).lower_bits / (COUNT * _entropy(q)) for q in shares]


def pair_efficiencies(shares: Sequence[Fraction] = SHARES, count: int | None = COUNT) -> list[float]:
    """Of windows of two; in the limit without `count`."""
    schemes = [pairs(q) for q in shares]
    return [(s.asymptotic_efficiency if count is None else s.efficiency(count)).midpoint for s in schemes]


def chain_efficiencies(shares: Sequence[Fraction] = SHARES, count: int | None = COUNT) -> list[float]:
    """Of the uniformised chain, as it is; in the limit without `count`."""
    chains = [uniformised(q) for q in shares]
    return [(c.asymptotic_efficiency if count is None else c.efficiency(count)).midpoint for c in chains]


def printed_chain_efficiencies(shares: Sequence[Fraction] = SHARES, count: int | None = COUNT) -> list[float]:
    """The same by eq. (67)."""
    if count is None:
        return [printed_uniformised_bits(q, 2) / _entropy(q) for q in shares]
    return [printed_uniformised_bits(q, count) / (count * _entropy(q)) for q in shares]


def triple_efficiencies(shares: Sequence[Fraction] = FEW_SHARES) -> list[float]:
    """Of windows of three that share one sample, in the limit."""
    return [pairs(q, 3).asymptotic_efficiency.midpoint for q in shares]


def figure_4(*, shares: tuple[Fraction, ...] = SHARES, marked: tuple[Fraction, ...] = FEW_SHARES) -> Figure:
    """Four coins: the optimum, pairs of neighbours, and the uniformised chain with what eq. (67) says of it."""
    with house_style():
        figure, axes = _axes("n = 4 independent samples")
        axes.plot(floats(marked), optimal_efficiencies(marked), color=BLACK, marker="o", markersize=4, label="optimum")
        _schemes(axes, COUNT, shares)
        axes.legend(loc="upper left")
        return figure


def figure_5(*, shares: tuple[Fraction, ...] = SHARES, marked: tuple[Fraction, ...] = FEW_SHARES) -> Figure:
    """Many coins: the optimum tells all; pairs, windows of three, and the uniformised chain tell a part."""
    with house_style():
        figure, axes = _axes("in the limit of many samples")
        axes.axhline(1, color=BLACK, label="optimum (Theorem 4)")
        _schemes(axes, None, shares)
        triples = triple_efficiencies(marked)
        axes.plot(floats(marked), triples, color=GREEN, linestyle="-.", label="windows of 3, sharing 1")
        axes.legend(loc="upper left", bbox_to_anchor=(0, 0.95))
        return figure


def _schemes(axes: Axes, count: int | None, shares: Sequence[Fraction]) -> None:
    places, chains = floats(shares), chain_efficiencies(shares, count)
    axes.plot(places, pair_efficiencies(shares, count), color=BLUE, label="pairs of neighbours")
    axes.plot(places, chains, color=VERMILION, linestyle="--", label="uniformised chain")
    by_print = printed_chain_efficiencies(shares, count)
    axes.plot(places, by_print, color=GREY, linestyle=":", label="uniformised chain, by eq. (67)")


def _axes(title: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.2, 3.9))
    axes = figure.subplots()
    axes.set(xlabel="share q of ones", ylabel="part of $H(X^n)$ that is told", xlim=(0, 0.5), ylim=(0, 1.05))
    axes.set_title(title)
    return figure, axes


def _entropy(q: Fraction) -> float:
    return entropy_interval(((q, 1), (1 - q, 1))).midpoint


FIGURES = {"figure-4": figure_4, "figure-5": figure_5}


# --- Where we depart from [D] in a remark, in a proof and between two lines of a formula.

_Q = tuple(Fraction(k, 10) for k in (1, 3, 4))


def check_typical_sets(printed: Callable[[Sequence[int]], tuple[int, ...]] = printed_typical) -> None:
    """BSC(1/10): the sets of eq. (37) for the two values of W have no sequence in common below ε = 1.267970."""
    cases = ((20, Fraction(3, 10), (1, 3), (17, 19)), (1000, Fraction(6, 5), (0, 478), (522, 1000)))
    for count, epsilon, zero, one in cases:
        sets = [weakly_typical(TENTH, count, epsilon, value) for value in (0, 1)]
        must_show("the sets are as said", holds=[(found[0], found[-1]) for found in sets] == [zero, one])
        must_show("nothing is in both", holds=not set(sets[0]) & set(sets[1]))
        must_show("the print says that they are equal", holds=set(printed(sets[0])) == set(sets[0]) != set(sets[1]))
    border = 0.8 / 2 * math.log2(9)
    must_show("they are disjoint below 1.267970", holds=abs(border - 1.267970) < 5e-7)
    wide = [set(weakly_typical(TENTH, 1000, Fraction(13, 10), value)) for value in (0, 1)]
    must_show("and not above", holds=bool(wide[0] & wide[1]))


def check_other_value(printed: Callable[[int], float] = printed_other_value) -> None:
    """A fair W through BSC(1/10), a tenth of the samples 1: the other value stays possible, less and less so."""
    for count, said in ((10, 2.323057e-8), (20, 5.396595e-16), (40, 2.912324e-31)):
        found = other_value(count)
        must_show("it is as said", holds=math.isclose(found, said, rel_tol=5e-7))
        must_show("it is more than is printed", holds=printed(count) < found)


def check_third_line(printed: Callable[[Fraction], float] = printed_third_line_bits) -> None:
    """Without the weights the line is negative, which no information is; with them it is the fourth line."""
    said = ((-1.982042, 0.011695), (-1.701767, 0.159482), (-1.152450, 0.381123))
    for q, (wrong, right) in zip(_Q, said, strict=True):
        told = uniformised(q).information_bits(2)
        must_show("two samples tell as much as said", holds=abs(told.midpoint - right) < 5e-7)
        must_show("the print has less than nothing", holds=abs(printed(q) - wrong) < 5e-7)


PROOF_ERRATA = (
    Erratum("Remark 3", "error", check_typical_sets),
    Erratum("Appendix C, after eq. (84)", "error", check_other_value),
    Erratum("Section V-C2, eq. (67), third line", "error", check_third_line),
)


# --- Where we depart from [D], each entry with its kind and an example that runs.

_SHARE = Fraction(3, 10)
_ALPHA, _BETA, _R = Fraction(3, 5), Fraction(2, 5), Fraction(3, 10)


def check_posterior(printed: Callable[[Fraction], Rows] = printed_posterior) -> None:
    """The printed P(w|x) makes X1 a fair coin given W, so it belongs to no α but 1/2 beside the printed law."""
    law, about = example_2_law(Fraction(2, 3))
    masses = [Fraction(mass) for mass in law.masses]
    first = printed(Fraction(2, 3))[0]
    flipped = sum((p * w for p, w, cell in zip(masses, first, law.cells.tolist(), strict=True) if cell[0]), Fraction(0))
    must_show("the printed matrix flips X1 half the time when W = 0", holds=2 * flipped == Fraction(1, 2))
    right = printed(Fraction(1, 3))[0]
    must_show(
        "the entries of the other α are Bayes' rule",
        holds=list(right) == [cell[0] for row in about for cell in row],
    )
    as_printed = np.array([[float(v) for v in row] for row in printed(Fraction(2, 3))]).T.reshape(2, 3, 2)
    values = [optimum(law, table).lower_bits for table in (about, as_printed)]
    must_show("I_s is the same for both", holds=abs(values[0] - values[1]) < 1e-9)


def check_two_binary(
    printed: Callable[[Fraction, Fraction, Fraction], tuple[tuple[Fraction, ...], ...]] = printed_corners,
) -> None:
    """For α > β the printed corner has negative entries; from r_0 = α-β on, the closed form is right."""
    law = DataLaw.of([[_ALPHA - _R, _R], [_BETA - _ALPHA + _R, 1 - _BETA - _R]])
    must_show("a printed corner is no law", holds=min(min(corner) for corner in printed(_ALPHA, _BETA, _R)) < 0)
    ours = two_binary_corners(law)
    must_show("ours are the corners", holds={corner for corner, _ in ours} == set(corners(law, law.singles())))
    must_show("the weights are 1/4 and 3/4", holds=[weight for _, weight in ours] == [Fraction(1, 4), Fraction(3, 4)])
    turned = printed(_BETA, _ALPHA, _R - (_ALPHA - _BETA))
    swapped = {(a, c, b, d) for a, b, c, d in turned}
    must_show("with the samples exchanged the print is right", holds=swapped == {corner for corner, _ in ours})


def check_fewest_outputs(printed: Callable[[int, int], int] = printed_fewest_outputs) -> None:
    """The parity of four fair coins is told whole by two outputs, which are no corners; four are called necessary."""
    law, parity = sum_of_four(2)
    check_independence(law, law.singles(), parity)
    feature = feature_of(law, parity.array.reshape((2,) * 5))
    told = told_bits(law, parity, feature)
    must_show("two outputs reach the ceiling", holds=told.upper >= ceiling_bits(law, law.singles(), feature) - 1e-9)
    rank = law.size - nullity(law, law.singles())
    must_show("more than two are called necessary", holds=printed(law.size, rank) > parity.shape[1])


def check_one_direction(printed: Callable[[Sequence[int], int], bool] = printed_one_direction) -> None:
    """Two 2×2 blocks meet the printed condition; S has four corners, and the best mapping depends on the feature."""
    law = blocks_law(2)
    must_show("the condition is met", holds=printed(law.shape, law.size))
    must_show("two directions are free", holds=nullity(law, law.singles()) == 2)
    must_show("S has four corners", holds=len(corners(law, law.singles())) == 4)
    alike, crossed = (_block_feature(law, turn) for turn in (0, 1))
    first, second = optimum(law, alike), optimum(law, crossed)
    must_show("both features can be told", holds=min(first.lower_bits, second.lower_bits) > 0.5)
    borrowed = told_bits(law, first.channel, feature_of(law, crossed))
    must_show("the best mapping for one is not best for the other", holds=borrowed.upper < second.lower_bits - 0.1)


def check_running_sums(printed: Callable[[int, int, int], float] = printed_running_sums) -> None:
    """Four ternary samples, sums of two with a mask: all data sets listed, the efficiency is 1/2."""
    sums = RunningSums(modulus=3, window=2, masked=True)
    listed = information_by_listing(sums.law, 4, sums.output_law).midpoint / (4 * math.log2(3))
    must_show("the efficiency is 1/2", holds=math.isclose(listed, 0.5, rel_tol=1e-9))
    must_show("the printed bound from below is above it", holds=printed(4, 2, 3) > 0.6)


def check_overlap(printed: Callable[[int], float] = printed_overlap_leak) -> None:
    """Windows of three at every sample: each is private, and together they are not."""
    scheme = pairs(_SHARE, 3)
    leaks = overlap_leaks(scheme.law, scheme.mapping, size=3, stride=1, n=4)
    expected = (0.1119, 0.1535, 0.1535, 0.1119)
    must_show(
        "the leaks are as said",
        holds=all(abs(leak.midpoint - said) < 5e-5 for leak, said in zip(leaks, expected, strict=True)),
    )
    must_show("more leaks than is printed", holds=min(leak.lower for leak in leaks) > printed(3) + 0.1)
    scheme.certify_small(5)
    alone = overlap_leaks(scheme.law, scheme.mapping, size=3, stride=1, n=3)
    must_show("one window alone leaks nothing", holds=all(leak.upper == 0 for leak in alone))


def check_uniformised(printed: Callable[[Fraction, int], float] = printed_uniformised_bits) -> None:
    """Listing all data sets and outputs gives more than the sum over pairs, which is right for two samples only."""
    for q, count, exact, less in ((_SHARE, 4, 0.72120, 0.47844), (Fraction(2, 5), 5, 2.06192, 1.52449)):
        chain = uniformised(q)
        listed = information_by_listing(chain.law, count, chain.output_law).midpoint
        must_show("this much is told", holds=abs(listed - exact) < 5e-6)
        must_show("the recursion says so too", holds=abs(chain.information_bits(count).midpoint - listed) < 1e-9)
        must_show("the print says less", holds=abs(printed(q, count) - less) < 5e-6)
        must_show(
            "the print is right for two samples",
            holds=math.isclose(printed(q, 2), chain.information_bits(2).midpoint, rel_tol=1e-9),
        )
    low, windows = uniformised(Fraction(1, 10)), pairs(Fraction(1, 10))
    must_show(
        "at q = 1/10 the chain tells more of many samples than pairs do",
        holds=low.asymptotic_efficiency.lower > 1.7 * windows.asymptotic_efficiency.upper,
    )
    must_show("the print says the reverse", holds=printed(Fraction(1, 10), 2) < windows.window_bits.lower)


def _block_feature(law: DataLaw, turn: int) -> Channel:
    """W says whether X1 and X2 have the same place inside their block, the other way round in block 1 if `turn`."""
    rows = []
    for a, b in itertools.product(*map(range, law.shape)):
        one = int((a + b + turn * (a // 2)) % 2 == 0)
        rows.append([1 - one, one])
    return Channel(rows)


ERRATA = (
    Erratum("Example 2, eq. (20)", "error", check_posterior),
    Erratum("Section III-B, eqs. (24)-(26)", "missing hypothesis", check_two_binary),
    Erratum("Corollary 1.1", "error", check_fewest_outputs),
    Erratum("Proposition 4", "missing hypothesis", check_one_direction),
    Erratum("Example 3, eq. (61)", "unit or notation", check_running_sums),
    Erratum("Section V-C1, windows of k ≥ 3", "error", check_overlap),
    Erratum("Section V-C2, eq. (67)", "error", check_uniformised),
    *PROOF_ERRATA,
)


# --- What [D] says in its examples, table, figures and text, number by number, beside what the software finds.

QUARTER, THREE_TENTHS = Fraction(1, 4), Fraction(3, 10)


def _first_weight(alpha: Fraction, beta: Fraction, r: Fraction) -> Fraction:
    law = DataLaw.of([[alpha - r, r], [beta - alpha + r, 1 - beta - r]])
    return two_binary_corners(law)[0][1]


def _outputs_of_sum(modulus: int) -> int:
    """How many outputs tell all of the sum of four fair samples; refused unless that is private and the most."""
    law, mapping = sum_of_four(modulus)
    check_independence(law, law.singles(), mapping)
    feature = feature_of(law, mapping.array.reshape((*law.shape, modulus)))
    if told_bits(law, mapping, feature).upper < ceiling_bits(law, law.singles(), feature) - 1e-9:
        raise NotCertified("the sum itself is not the best disclosure of the sum")
    return mapping.shape[1]


def _called_necessary(modulus: int) -> int:
    law, _ = sum_of_four(modulus)
    return printed_fewest_outputs(law.size, law.size - nullity(law, law.singles()))


def _block_corners(count: int) -> int:
    law = blocks_law(count)
    return len(corners(law, law.singles()))


def _first_leak(q: Fraction) -> float:
    scheme = pairs(q, 3)
    return overlap_leaks(scheme.law, scheme.mapping, size=3, stride=1, n=4)[0].midpoint


def _in_both_sets(epsilon: Fraction) -> int:
    sets = [set(weakly_typical(TENTH, 20, Fraction(epsilon), value)) for value in (0, 1)]
    return len(sets[0] & sets[1])


_CHAIN = "Section V-C2, eq. (67)"


def _entries_measured(count: int, value: float, tolerance: float) -> Entry:
    return Entry(
        ("table-1", f"I_s of {count} measurements of W ~ Bern(1/3) through BSC(α), bits", "α", TENTH),
        ours=lambda alpha: through_bsc(count, alpha).lower_bits,
        says=f"{value:.2e}",
        printed=lambda _: value,
        tolerance=tolerance,
    )


ENTRIES = (
    _entries_measured(2, TABLE_1[2], 5e-6),
    _entries_measured(3, TABLE_1[3], 5e-5),
    _entries_measured(4, TABLE_1[4], 5e-5),
    Entry(
        ("example-2", "I_s, W a fair coin through BSC(α) and BEC(1/2), bits", "α", TWO_THIRDS),
        ours=lambda alpha: example_2(alpha).lower_bits,
        says="0.0134",
        printed=lambda _: EXAMPLE_2_BITS,
        tolerance=5e-5,
    ),
    Entry(
        ("example-2", "P(W=0 | X1=0, X2 erased)", "α", TWO_THIRDS),
        ours=lambda alpha: example_2_law(alpha)[1][0][1][0],
        says="2/3",
        printed=lambda alpha: printed_posterior(alpha)[0][1],
        erratum="Example 2, eq. (20)",
    ),
    Entry(
        ("Section III-B", "two binary samples, α = 1/3, β = 1/2: weight of the corner p-(R-r)n", "r", QUARTER),
        ours=lambda r: _first_weight(Fraction(1, 3), Fraction(1, 2), r),
        says="r/R",
        printed=lambda r: printed_weight(Fraction(1, 3), Fraction(1, 2), r),
    ),
    Entry(
        ("Section III-B", "two binary samples, α = 3/5, β = 2/5: weight of the corner p-(R-r)n", "r", THREE_TENTHS),
        ours=lambda r: _first_weight(Fraction(3, 5), Fraction(2, 5), r),
        says="r/R",
        printed=lambda r: printed_weight(Fraction(3, 5), Fraction(2, 5), r),
        erratum="Section III-B, eqs. (24)-(26)",
    ),
    Entry(
        ("Corollary 1.1", "outputs that tell all of the sum mod M of four fair samples", "M", 2),
        ours=_outputs_of_sum,
        says="at least ⌈M⁴/(4M-3)⌉",
        printed=_called_necessary,
        relation="≥",
        erratum="Corollary 1.1",
    ),
    Entry(
        (
            "Proposition 4",
            "corners of S for disjoint 2×2 blocks of fair coins, with |X^| = Σ|X_i| - n + 2",
            "blocks",
            2,
        ),
        ours=_block_corners,
        says="two extreme points",
        printed=lambda _: 2,
        erratum="Proposition 4",
    ),
    Entry(
        ("Example 3", "efficiency of masked sums of two neighbours mod 3", "n", 4),
        ours=lambda n: RunningSums(modulus=3, window=2, masked=True).efficiency(n),
        says="at least ((n-k+1)M - log M)/(nM)",
        printed=lambda n: printed_running_sums(n, 2, 3),
        relation="≥",
        erratum="Example 3, eq. (61)",
    ),
    Entry(
        (
            "Section V-C1",
            "what windows of three at every sample tell about the first of four samples, bits",
            "q",
            THREE_TENTHS,
        ),
        ours=_first_leak,
        says="nothing",
        printed=lambda _: printed_overlap_leak(3),
        erratum="Section V-C1, windows of k ≥ 3",
    ),
    Entry(
        ("figure-4", "the optimum: part of four samples that is told", "q", THREE_TENTHS),
        ours=lambda q: four_coins(q).lower_bits / (4 * _entropy(q)),
        says="a curve",
    ),
    Entry(
        ("figure-4", "pairs of neighbours: part of four samples that is told", "q", THREE_TENTHS),
        ours=lambda q: pairs(q).efficiency(4).midpoint,
        says="Σ I(Y_j; X_j | X_{j+1}) / H(X^4)",
        printed=lambda q: printed_pairs_bits(q, 4) / (4 * _entropy(q)),
    ),
    Entry(
        ("figure-4", "the uniformised chain: part of four samples that is told", "q", THREE_TENTHS),
        ours=lambda q: uniformised(q).efficiency(4).midpoint,
        says="eq. (67) / H(X^4)",
        printed=lambda q: printed_uniformised_bits(q, 4) / (4 * _entropy(q)),
        erratum=_CHAIN,
    ),
    Entry(
        ("figure-5", "pairs of neighbours: part of many samples that is told", "q", THREE_TENTHS),
        ours=lambda q: pairs(q).asymptotic_efficiency.midpoint,
        says="I(Y_1; X_1 | X_2) / H(X_1)",
        printed=lambda q: printed_pairs_bits(q, 2) / _entropy(q),
    ),
    Entry(
        ("figure-5", "the uniformised chain: part of many samples that is told", "q", TENTH),
        ours=lambda q: uniformised(q).asymptotic_efficiency.midpoint,
        says="eq. (67) for two samples / h(q)",
        printed=lambda q: printed_uniformised_bits(q, 2) / _entropy(q),
        erratum=_CHAIN,
    ),
    Entry(
        ("Section V-C2", "what the uniformised chain tells of four samples, bits", "q", THREE_TENTHS),
        ours=lambda q: uniformised(q).information_bits(4).midpoint,
        says="eq. (67)",
        printed=lambda q: printed_uniformised_bits(q, 4),
        erratum=_CHAIN,
    ),
    Entry(
        (
            "Remark 3",
            "numbers of ones among 20 samples through BSC(1/10) that eq. (37) calls typical for both values of W",
            "ε",
            THREE_TENTHS,
        ),
        ours=_in_both_sets,
        says="all that are typical for one",
        printed=lambda epsilon: len(printed_typical(weakly_typical(TENTH, 20, Fraction(epsilon), 0))),
        erratum="Remark 3",
    ),
    Entry(
        ("Appendix C", "P(W = 1 | x^n), W fair through BSC(1/10), a tenth of x^n ones", "n", 10),
        ours=lambda n: float(other_value(n)),
        says="0",
        printed=printed_other_value,
        erratum="Appendix C, after eq. (84)",
    ),
    Entry(
        ("Section V-C2", "what the uniformised chain tells of two samples, bits", "q", THREE_TENTHS),
        ours=lambda q: uniformised(q).information_bits(2).midpoint,
        says="eq. (67), third line",
        printed=printed_third_line_bits,
        erratum="Section V-C2, eq. (67), third line",
    ),
)


PAPER = Paper(
    key="D",
    title="Data Disclosure under Perfect Sample Privacy",
    page="perfect_sample_privacy_errata",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)
