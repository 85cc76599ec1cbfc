"""Nageswaran and Narayan: answers that are right often enough. Theory: docs/theory/recoverable_answers.md."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

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
    new_figure,
)
from sfumato import measures, recoverable
from sfumato.numbers.checks import Number
from sfumato.recoverable.schemes import chernoff_radius_nats, exact_right_guesses

# --- The formulas of [A] as they stand in print, on values in the order given; nothing else may compute with them.

Rows = tuple[tuple[Fraction, ...], ...]

HALF = Fraction(1, 2)

# The example in the remarks on [A, Thm 5], and its two numbers.
PRIOR = (HALF, Fraction(3, 10), Fraction(1, 5))
PRINTED_BEST, PRINTED_PAIR = Fraction(2, 5), Fraction(19, 50)


def example(rho: Fraction) -> recoverable.Query:
    """P = (0.5, 0.3, 0.2) and f(x) = x."""
    return recoverable.Query.of(PRIOR, (0, 1, 2), rho)


def printed_privacy(query: recoverable.Query) -> Fraction:
    """[A, eq. (19)]."""
    return 1 - max(*query.masses, query.rho * query.total)


def printed_predicate_privacy(query: recoverable.Query, predicate: Sequence[int]) -> Fraction:
    """[A, eq. (28)]."""
    sums = [[Fraction(0)] * (max(predicate) + 1) for _ in query.values]
    for place, hidden, mass in zip(query.f, predicate, query.masses, strict=True):
        sums[place][hidden] += mass
    likeliest: Fraction = max(sum(column, Fraction(0)) for column in zip(*sums, strict=True))
    return 1 - max(likeliest, query.rho * sum((max(row) for row in sums), Fraction(0)))


def printed_noise(query: recoverable.Query) -> Rows:
    """[A, eqs. (46), (59), (60)]: V_1 above ρ = 1/2 and V_2 up to there, values as they come."""
    size = len(query.values)
    if query.rho > HALF:
        rows = [[Fraction(0)] * size for _ in range(size)]
        for j in range(size):
            rows[j][(j + 1) % size if j % 2 == 0 else j - 1] = 1 - query.rho
            rows[j][j] = query.rho
        return tuple(map(tuple, rows))
    block = _block(query)
    return tuple(
        tuple(Fraction(int(i // block == j // block), min(block, size - j // block * block)) for i in range(size))
        for j in range(size)
    )


def printed_promise(query: recoverable.Query, n: int) -> Fraction:
    """[A, eqs. (49), (61)]: what V_1 has at least, and what V_2 has, values as they come."""
    if query.rho > HALF:
        return 1 - query.total + recoverable.minority_chance(query.rho, n) * sum(query.maxima[1::2], Fraction(0))
    return 1 - sum(query.maxima[:: _block(query)], Fraction(0))


def printed_upper_bound(query: recoverable.Query, n: int) -> Fraction:
    """[A, Thm 4] with eq. (36)."""
    spare = min(1 - query.critical_rho, 1 - query.rho, recoverable.minority_chance(query.rho, n))
    return 1 - query.total + query.total * spare


def printed_exponent_bits(rho: float) -> float:
    """[A, eq. (73)], for every ρ."""
    return -math.log2(2 * math.sqrt(rho * (1 - rho)))


def printed_condition(query: recoverable.Query, n: int) -> bool:
    """[A, Prop 8 (i)]: for which n the upper bound is said to hold."""
    return recoverable.minority_bounds(float(query.rho), n)[1] <= 1 - min(query.rho, query.critical_rho)


def printed_guarantee(priors: Sequence[Sequence[Fraction]], f: Sequence[int], rho: Fraction) -> Fraction:
    """[A, Sec. VI]: the privacy of the least favourable prior, said to be had under all of them."""
    return min(printed_privacy(recoverable.Query.of(prior, f, rho)) for prior in priors)


def printed_largest_part(rho: Fraction) -> Fraction:
    """[A, eq. (14)]: the largest P(wrong guess, Z = i) of W_o, said to be the most there is."""
    return largest_part(recoverable.best_answer(example(rho)).channel.rows)


def largest_part(rows: Sequence[Sequence[Number]]) -> Fraction:
    """max_i P(g(Z) ≠ X, Z = i) for the best guesser g, at P = (0.5, 0.3, 0.2)."""
    columns = [[p * Fraction(q) for p, q in zip(PRIOR, column, strict=True)] for column in zip(*rows, strict=True)]
    return max(sum(column, Fraction(0)) - max(column) for column in columns)


def printed_most_of_repeated(query: recoverable.Query, _: int) -> Fraction:
    """[A, eq. (80)]: what n times V_o has at most for large n, namely what V_2 has."""
    return recoverable.block_privacy(query)


def _block(query: recoverable.Query) -> int:
    return len(query.values) if query.rho * len(query.values) <= 1 else math.floor(1 / query.rho)


# --- [A, Prop. 11(i)] with its exceptions: when n times V_o hides more than n times V_2, for every n.
#
# Let m_0 ≥ … ≥ m_{k-1} be the sorted maxima and ρ ≤ 1/2. For ρ ≤ ρ_c rows of V_o are equal where the m_i are, and
# with a equal largest ones π(V_o^n) falls to 1 - m_0 - Σ_{i≥a} m_i; V_2 has 1 - Σ_i m_{ib} for every n, b = ⌊1/ρ⌋ ≥ a.
# Term by term m_{ib} ≤ m_{a+i-1}, and the two are equal only for a = k, where both schemes say nothing, or for
# a = b = k-1. There the limit is reached from above, so that (80) fails for every n.
# Proof: docs/theory/many_responses.md


def is_exception(query: recoverable.Query) -> bool:
    """Whether k ≥ 3, m_0 = … = m_{k-2} > m_{k-1} and 1/k < ρ ≤ ρ_c: then (80) fails for every n, elsewhere for few."""
    ordered, size = sorted(query.maxima, reverse=True), len(query.maxima)
    if size < 3 or not ordered[0] == ordered[-2] > ordered[-1]:
        return False
    return Fraction(1, size) < query.rho <= query.critical_rho


def best_noise_privacy(query: recoverable.Query, n: int) -> Fraction:
    """π(V_o^n), exact."""
    return 1 - exact_right_guesses(query.maxima, recoverable.best_noise(query), n)


def excess(query: recoverable.Query, n: int) -> Fraction:
    """π(V_o^n) - π(V_2^n), exact; (80) says that it is at most 0 for large n."""
    return best_noise_privacy(query, n) - recoverable.block_privacy(query)


# --- Where we depart from [A], each entry with its kind and an example that runs.

# An order that eq. (45) rules out.
SCRAMBLED = (Fraction(1, 10), Fraction(1, 2), Fraction(1, 10), Fraction(3, 10))

# Section VI: two priors, and the permutations of one.
TWO_PRIORS = (
    (Fraction("0.55"), Fraction("0.413"), Fraction("0.037")),
    (Fraction("0.455"), Fraction("0.035"), Fraction("0.51")),
)
TWO_PRIORS_RHO = Fraction("0.547")
PERMUTED = tuple(sorted(set(itertools.permutations((Fraction(3, 5), Fraction(1, 5), Fraction(1, 5))))))
PERMUTED_RHO = Fraction(3, 5)

# Proposition 11 (i): two equal maxima above a third.
TIED, TIED_RHO = (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)), Fraction(7, 20)


def scrambled(rho: Fraction) -> recoverable.Query:
    """P = (0.1, 0.5, 0.1, 0.3) and f(x) = x."""
    return recoverable.Query.of(SCRAMBLED, (0, 1, 2, 3), rho)


def check_order(printed: Callable[[recoverable.Query, int], Fraction] = printed_promise) -> None:
    """V_1 and V_2 on values as they come have less privacy than eqs. (49) and (61) say."""
    for rho in (Fraction(1, 3), Fraction(3, 5)):
        query = scrambled(rho)
        found = recoverable.privacy_of_noise(query, printed_noise(query), 2)
        must_show("the scheme has 0.2", holds=math.isclose(found.midpoint, 0.2, abs_tol=1e-12))
        must_show("the print promises more", holds=printed(query, 2) > found.upper + 0.1)
        own = recoverable.privacy_of_noise(query, recoverable.published_noise(query), 2)
        must_show("sorted values have more", holds=own.lower > found.upper + 0.1)


def check_chernoff(printed: Callable[[float], float] = printed_exponent_bits) -> None:
    """With three values and ρ = 0.1 the second and the third row share a response, which the print overlooks."""
    rows = printed_noise(example(Fraction(9, 10)))
    swapped = [[1 - p if p else p for p in row] for row in rows]
    found = min(measures.chernoff_information_nats(p, q) for p, q in itertools.combinations(swapped, 2)) / math.log(2)
    must_show("the radius is 0.152 bits", holds=math.isclose(found, -math.log2(0.9), rel_tol=1e-9))
    must_show("the print is far above it", holds=printed(0.1) > found + 0.5)


def check_largest_part(printed: Callable[[Fraction], Fraction] = printed_largest_part) -> None:
    """At ρ = 0 a constant answer is best for eq. (11) too, and has a larger part than W_o."""
    constant = ((Fraction(1), Fraction(0), Fraction(0)),) * 3
    must_show("a constant answer has 1/2", holds=largest_part(constant) == Fraction(1, 2))
    must_show("W_o does not maximise eq. (14)", holds=printed(Fraction(0)) < Fraction(1, 2))


def check_condition(printed: Callable[[recoverable.Query, int], bool] = printed_condition) -> None:
    """At ρ = 3/4, n = 3 the bound is below 1 and holds, though the condition rules it out."""
    query = example(Fraction(3, 4))
    bound = recoverable.decay_bounds(query, 3)[1]
    must_show("the bound says something", holds=math.isclose(bound, 0.632813, abs_tol=1e-6))
    must_show("the bound holds", holds=recoverable.converse(query, 3) < bound)
    must_show("the condition rules it out", holds=not printed(query, 3))


def check_guarantee(
    printed: Callable[[Sequence[Sequence[Fraction]], Sequence[int], Fraction], Fraction] = printed_guarantee,
) -> None:
    """No response has what is printed under both priors, and the response named has less than another one."""
    places = (0, 1, 2)
    reached = recoverable.robust(TWO_PRIORS, places, TWO_PRIORS_RHO)
    must_show("0.360 is the most", holds=math.isclose(float(reached.privacy), 0.36, abs_tol=5e-4))
    must_show("the print is out of reach", holds=printed(TWO_PRIORS, places, TWO_PRIORS_RHO) > reached.upper + 0.08)
    other = recoverable.robust(PERMUTED, places, PERMUTED_RHO)
    must_show("W_o(P*) has 0.34", holds=math.isclose(float(other.least_favourable), 0.34, abs_tol=1e-9))
    must_show("another response has 0.40", holds=math.isclose(float(other.privacy), 0.4, abs_tol=1e-9))


def tied(rho: Fraction = TIED_RHO) -> recoverable.Query:
    """P = (2/5, 2/5, 1/5) and f(x) = x."""
    return recoverable.Query.of(TIED, (0, 1, 2), rho)


def check_order_of_schemes(
    printed: Callable[[recoverable.Query, int], Fraction] = printed_most_of_repeated,
) -> None:
    """At P = (2/5, 2/5, 1/5), ρ = 7/20 n times V_o hides more than n times V_2, for every n."""
    query = tied()
    must_show("this is one of the exceptions", holds=is_exception(query))
    expected = {1: Fraction(1, 5), 2: Fraction(23, 125)}
    for n in (1, 2, 5, 10):
        found = excess(query, n)
        must_show("the excess is as stated", holds=found == expected.get(n, found) > 0)
        must_show("the print allows less", holds=printed(query, n) < best_noise_privacy(query, n))
    must_show("a little below 1/3 it holds", holds=excess(tied(Fraction(3, 10)), 2) == Fraction(-2, 125))


ERRATA = (
    Erratum("Theorems 5 and 6, the order of the values", "missing hypothesis", check_order),
    Erratum("Lemma 10, eq. (73)", "error", check_chernoff),
    Erratum("Section II, eq. (14)", "error", check_largest_part),
    Erratum("Proposition 8 (i), the condition on n", "question settled", check_condition),
    Erratum("Section VI, the guarantee for a family of priors", "question settled", check_guarantee),
    Erratum("Proposition 11 (i)", "error", check_order_of_schemes),
)


# --- The numbers that [A] prints in its text, and what n responses and families of priors have, exactly.

# Which n are shown at which ρ; programs are solved up to three responses.
RHOS, COUNTS, MOST_SOLVED = (Fraction(3, 5), Fraction(4, 5)), (1, 2, 3, 5, 7), 3
_STARTS = 2


def best_found(rho: Fraction, n: int, starts: int = _STARTS) -> recoverable.ResponsesDesign:
    """The best of all schemes at the paper's example."""
    return recoverable.design_responses(example(rho), n, starts=starts)


def table_examples(
    *,
    prior: tuple[Fraction, ...] = PRIOR,
    rhos: tuple[Fraction, ...] = RHOS,
    counts: tuple[int, ...] = COUNTS,
) -> Table:
    """Schemes and bounds for n responses at the paper's example."""
    return Table(
        title=f"P = ({', '.join(f'{float(p):g}' for p in prior)}), f(x) = x: privacy of n responses",
        columns=("ρ", "n", "print: V_1", "print: best", "V_1", "V_o", "alternating programs", "no scheme passes"),
        rows=tuple(_example(prior, rho, n) for rho in rhos for n in counts),
        notes=(
            "The print gives 0.38 for V_1 and 0.4 for the best at ρ = 0.6, n = 1. All others are ours.",
            "Alternating programs beat both repeated schemes for n = 2 and n = 3, which the print leaves open.",
        ),
    )


def table_priors(*, rhos: tuple[Fraction, ...] = (TWO_PRIORS_RHO, PERMUTED_RHO)) -> Table:
    """The number that the print calls a lower bound for ρ-privacy, and what one response guarantees."""
    families: tuple[tuple[str, Sequence[Sequence[Fraction]]], ...] = (
        ("(0.55, 0.413, 0.037), (0.455, 0.035, 0.51)", TWO_PRIORS),
        ("the permutations of (0.6, 0.2, 0.2)", PERMUTED),
    )
    # One ρ for each family, as in the example; any other number of them for both.
    cases = (
        [(name, priors, rho) for (name, priors), rho in zip(families, rhos, strict=True)]
        if len(rhos) == len(families)
        else [(name, priors, rho) for rho in rhos for name, priors in families]
    )
    return Table(
        title="Families of priors, f(x) = x: privacy under the worst of them",
        columns=("priors", "ρ", "print: π(ρ; P*)", "W_o(P*) really has", "the best response has"),
        rows=tuple(_family(name, priors, rho) for name, priors, rho in cases),
        notes=("P* is the prior with the least π(ρ; P). Its own best response can be worse under another prior.",),
    )


def _example(prior: tuple[Fraction, ...], rho: Fraction, n: int) -> tuple[Cell, ...]:
    query = recoverable.Query.of(prior, range(len(prior)), rho)
    single = prior == PRIOR and rho == Fraction(3, 5) and n == 1
    pair, best = (
        recoverable.privacy_of_noise(query, noise(query), n)
        for noise in (recoverable.pair_noise, recoverable.best_noise)
    )
    found: Cell = recoverable.alternating(query, n, starts=_STARTS)[1].lower if n <= MOST_SOLVED else "not tried"
    return (
        str(rho),
        str(n),
        PRINTED_PAIR if single else "",
        PRINTED_BEST if single else "",
        pair.midpoint,
        best.midpoint,
        found,
        float(recoverable.converse(query, n)),
    )


def _family(name: str, priors: Sequence[Sequence[Fraction]], rho: Fraction) -> tuple[Cell, ...]:
    found = recoverable.robust(priors, (0, 1, 2), rho)
    return (
        name,
        str(rho),
        float(printed_guarantee(priors, (0, 1, 2), rho)),
        float(found.least_favourable),
        float(found.privacy),
    )


TABLES = {"examples": table_examples, "priors": table_priors}


# --- [A, Figs. 1 to 3], and a figure that the print lacks: every scheme and bound for n responses. Data first.

# The two questions of Figure 1: the paper's example, and data of which f(x) tells only a part.
FIVE, PARTS = tuple(Fraction(p, 100) for p in (35, 25, 20, 12, 8)), (0, 0, 1, 1, 2)
_COUNTED = {3: "three", 5: "five"}
QUESTIONS = (
    ("P = (0.5, 0.3, 0.2), f(x) = x", PRIOR, (0, 1, 2)),
    ("five values of the data, three of f", FIVE, PARTS),
)
FIGURE_RHOS = tuple(Fraction(step, 100) for step in range(101))

# The settings of Figures 2 and 3.
PAIR_SIZES, PAIR_RHO = (4, 5), Fraction(3, 4)
BLOCK_SIZE, BLOCK_RHO = 8, Fraction(1, 3)

# The figure of n responses: the two regimes, and up to where programs are solved.
PANELS = (Fraction(3, 5), Fraction(2, 5))
FIGURE_COUNTS = tuple(range(1, 16))
MOST_PROGRAMS = 4


def privacies(prior: Sequence[Fraction], f: Sequence[int], rhos: Sequence[Fraction] = FIGURE_RHOS) -> list[Fraction]:
    """π(ρ), each from the response itself."""
    return [recoverable.recoverable(prior, f, rho).privacy for rho in rhos]


def falling(size: int, rho: Fraction) -> recoverable.Query:
    """A question whose values are sorted: m_i falls evenly."""
    weights = [Fraction(2 * (size - i), size * (size + 1)) for i in range(size)]
    return recoverable.Query.of(weights, range(size), rho)


def repeated(query: recoverable.Query, *, best: bool, counts: Sequence[int] = FIGURE_COUNTS) -> list[float]:
    """π of n times V_o, or of n times V_1 or V_2."""
    noise = recoverable.best_noise(query) if best else recoverable.published_noise(query)
    return [recoverable.privacy_of_noise(query, noise, n).midpoint for n in counts]


@lru_cache(maxsize=8)
def alternated(rho: Fraction, most: int = MOST_PROGRAMS, prior: tuple[Fraction, ...] = PRIOR) -> tuple[float, ...]:
    """π of the responses that alternating programs find from two starts, for n = 1, 2, …"""
    query = recoverable.Query.of(prior, range(len(prior)), rho)
    starts = [2] * min(most, MOST_PROGRAMS - 1) + [1] * (most - MOST_PROGRAMS + 1)
    return tuple(recoverable.alternating(query, n, starts=tries)[1].lower for n, tries in enumerate(starts, start=1))


def ceilings(query: recoverable.Query, counts: Sequence[int] = FIGURE_COUNTS) -> list[float]:
    """What n responses cannot pass: [A, Thm 4] for n or for fewer, since more responses never hide more."""
    return [float(min(recoverable.converse(query, fewer) for fewer in range(1, n + 1))) for n in counts]


def figure_1(
    *, prior: tuple[Fraction, ...] = PRIOR, data: tuple[Fraction, ...] = FIVE, parts: tuple[int, ...] = PARTS
) -> Figure:
    """Most privacy against how often the answer must be right."""
    told = len(set(parts))
    questions = (
        (f"P = {_law_words(prior)}, f(x) = x", prior, tuple(range(len(prior)))),
        (f"{_COUNTED.get(len(data), len(data))} values of the data, {_COUNTED.get(told, told)} of f", data, parts),
    )
    with house_style():
        figure = new_figure(8.2, 3.3)
        for axes, (title, law, f) in zip(figure.subplots(1, 2, sharey=True), questions, strict=True):
            query = recoverable.Query.of(law, f, 1)
            critical, least = float(query.critical_rho), float(1 - query.total)
            axes.plot(floats(FIGURE_RHOS), floats(privacies(law, f)), color=BLUE)
            axes.axvline(critical, color=GREY, linewidth=1, linestyle=":")
            axes.annotate(f"$ρ_c$ = {critical:.3g}", (critical, 0.02), (4, 0), textcoords="offset points", fontsize=9)
            axes.axhline(least, color=GREY, linewidth=1, linestyle=":")
            axes.set(xlabel="ρ, how often the answer must be right", xlim=(0, 1), ylim=(0, 0.8))
            axes.set_title(title)
        figure.axes[0].set_ylabel("privacy π(ρ)")
        return figure


def figure_2(*, sizes: tuple[int, ...] = PAIR_SIZES, rho: Fraction = PAIR_RHO) -> Figure:
    """V_1: neighbours flip into each other, and with odd k the last value leaks to the first."""
    with house_style():
        figure = new_figure(4.1 * len(sizes), 3.9)
        for axes, size in zip(figure.subplots(1, len(sizes), squeeze=False)[0], sizes, strict=True):
            _matrix(axes, recoverable.pair_noise(falling(size, rho)))
            axes.set_title(f"$V_1$, k = {size}, ρ = {rho}")
        return figure


def figure_3(*, size: int = BLOCK_SIZE, block_rho: Fraction = BLOCK_RHO) -> Figure:
    """V_2: a value is hidden among those of its block."""
    with house_style():
        figure = new_figure(4.6, 4.4)
        axes = figure.subplots()
        _matrix(axes, recoverable.block_noise(falling(size, block_rho)))
        axes.set_title(f"$V_2$, k = {size}, ρ = {block_rho}")
        return figure


def figure_responses(
    *, prior: tuple[Fraction, ...] = PRIOR, rhos: tuple[Fraction, ...] = PANELS, most: int = FIGURE_COUNTS[-1]
) -> Figure:
    """Privacy of n responses: repeated schemes, bounds, and responses that differ from one another."""
    with house_style():
        figure = new_figure(4.1 * len(rhos), 4.2)
        panels = figure.subplots(1, len(rhos), squeeze=False)[0]
        counts = range(1, most + 1)
        for axes, rho in zip(panels, rhos, strict=True):
            query = recoverable.Query.of(prior, range(len(prior)), rho)
            high = rho > Fraction(1, 2)
            axes.plot(counts, ceilings(query, counts), color=BLACK, linewidth=1.2, label="no scheme passes (Thm 4)")
            if high:
                pairs = [recoverable.decay_bounds(query, n) for n in counts]
                axes.plot(counts, [top for _, top in pairs], color=GREY, linestyle="-.", label="Prop 8, above")
                below = [float(recoverable.pair_bound(query, n)) for n in counts]
                axes.plot(counts, below, color=VERMILION, linestyle=":", label="$V_1$ at least (Thm 5)")
                axes.plot(counts, [low for low, _ in pairs], color=GREY, linestyle=":", label="Prop 8, below")
            axes.plot(
                counts,
                repeated(query, best=True, counts=counts),
                "s--",
                color=BLUE,
                markersize=3.5,
                label="$V_o$ repeated",
            )
            name = "$V_1$ repeated" if high else "$V_2$ repeated"
            axes.plot(
                counts, repeated(query, best=False, counts=counts), "o-", color=VERMILION, markersize=3.5, label=name
            )
            found = alternated(rho, MOST_PROGRAMS, prior)
            axes.plot(range(1, len(found) + 1), found, "D", color=GREEN, markersize=6, label="alternating programs")
            axes.set(xlabel="number of responses n", xlim=(0.5, most + 0.5), ylim=(0, 0.8))
            axes.set_title(f"P = {_law_words(prior)}, ρ = {rho}")
            axes.legend(
                loc="upper right",
                fontsize=7,
                ncols=2,
                columnspacing=1,
                handlelength=2.2,
                frameon=True,
                framealpha=1,
                edgecolor="white",
            )
        panels[0].set_ylabel("privacy $π_n$")
        return figure


def _law_words(prior: Sequence[Fraction]) -> str:
    return f"({', '.join(f'{float(p):g}' for p in prior)})"


def _matrix(axes: Axes, rows: Sequence[Sequence[Fraction]]) -> None:
    """A stochastic matrix as shades with its numbers."""
    size = len(rows)
    axes.grid(visible=False)
    axes.imshow([floats(row) for row in rows], cmap="Blues", vmin=0, vmax=1.4)
    for j, row in enumerate(rows):
        for i, p in enumerate(row):
            axes.text(i, j, str(p), ha="center", va="center", fontsize=9, color=BLACK if p else GREY)
    axes.set(xlabel="response i", ylabel="value j", xticks=range(size), yticks=range(size))


FIGURES = {
    "figure-1": figure_1,
    "figure-2": figure_2,
    "figure-3": figure_3,
    "responses": figure_responses,
}


# --- What [A] says in its figures and text, number by number, beside what the software finds.

_LABELS = (0, 1, 2)
_SIXTY = Fraction(3, 5)
_FAMILY = "Section VI, the guarantee for a family of priors"
_ORDER = "Theorems 5 and 6, the order of the values"

# A predicate of four values of the data, and the function that is told.
PREDICATE = ((Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)), (0, 1, 1, 0), (0, 1, 0, 0))


def _repeated(query: recoverable.Query, n: int, *, best: bool) -> float:
    noise = recoverable.best_noise(query) if best else recoverable.published_noise(query)
    return recoverable.privacy_of_noise(query, noise, n).midpoint


def _filler(size: int) -> int:
    """How many values the last block of V_2 has."""
    return sum(p > 0 for p in recoverable.block_noise(falling(size, BLOCK_RHO))[-1])


def _largest_part(rho: Fraction) -> Fraction:
    """The most of eq. (14): everyone says one thing as often as is allowed."""
    query = example(rho)
    return max(
        largest_part([[1 - rho * (f != i) if j == i else rho * (f == j) for j in _LABELS] for f in query.f])
        for i in _LABELS
    )


def _predicate(rho: Fraction) -> recoverable.Query:
    return recoverable.Query.of(PREDICATE[0], PREDICATE[1], rho)


def _radius_bits(rho: Fraction) -> float:
    """C(V_1) with k = 3, rows typed from eq. (46), for small ρ too."""
    rows = ((rho, 1 - rho, Fraction(0)), (1 - rho, rho, Fraction(0)), (1 - rho, Fraction(0), rho))
    return chernoff_radius_nats(example(rho), rows)[0] / math.log(2)


def _bounded(most: int) -> int:
    """For how many n ≤ `most` the upper bound of Prop 8 is above what Theorem 4 allows."""
    query = example(Fraction(3, 4))
    return sum(recoverable.decay_bounds(query, n)[1] >= recoverable.converse(query, n) for n in range(1, most + 1))


def _allowed(most: int) -> int:
    query = example(Fraction(3, 4))
    return sum(printed_condition(query, n) for n in range(1, most + 1))


ENTRIES = (
    Entry(
        ("figure-1", "most privacy of one answer, P = (0.5, 0.3, 0.2)", "ρ", _SIXTY),
        ours=lambda rho: recoverable.recoverable(PRIOR, _LABELS, rho).privacy,
        says="1 - max{P(x*), ρ Σ P(x_i*)}, eq. (19)",
        printed=lambda rho: printed_privacy(example(rho)),
    ),
    Entry(
        ("figure-2", "V_1 with k = 5: chance that the last value is called the first", "ρ", Fraction(3, 4)),
        ours=lambda rho: recoverable.pair_noise(falling(5, rho))[4][0],
        says="1 - ρ",
        printed=lambda rho: 1 - rho,
    ),
    Entry(
        ("figure-3", "V_2 with ρ = 1/3: values in the last block", "k", BLOCK_SIZE),
        ours=_filler,
        says="k mod ⌊1/ρ⌋",
        printed=lambda size: size % 3,
    ),
    Entry(
        ("responses", "V_1 repeated, ρ = 3/5: privacy of n responses", "n", 3),
        ours=lambda n: _repeated(example(_SIXTY), n, best=False),
        says="at least eq. (49)",
        printed=lambda n: printed_promise(example(_SIXTY), n),
        relation="≥",
    ),
    Entry(
        ("responses", "V_2 repeated, ρ = 2/5: privacy of one response or of many", "ρ", Fraction(2, 5)),
        ours=lambda rho: _repeated(example(rho), 5, best=False),
        says="eq. (61)",
        printed=lambda rho: printed_promise(example(rho), 5),
    ),
    Entry(
        ("responses", "V_o repeated, ρ = 3/5: privacy of n responses", "n", 3),
        ours=lambda n: _repeated(example(_SIXTY), n, best=True),
        says="at most Theorem 4",
        printed=lambda n: printed_upper_bound(example(_SIXTY), n),
        relation="≤",
    ),
    Entry(
        ("responses", "the best responses found, ρ = 3/5", "n", 2),
        ours=lambda n: best_found(_SIXTY, n, starts=8).privacy.midpoint,
        says="whether anything beats V_1 is left open",
    ),
    Entry(
        ("examples", "one response by V_1, P = (0.5, 0.3, 0.2)", "ρ", _SIXTY),
        ours=lambda rho: _repeated(example(rho), 1, best=False),
        says="0.38",
        printed=lambda _: PRINTED_PAIR,
    ),
    Entry(
        ("examples", "one response by V_o, P = (0.5, 0.3, 0.2)", "ρ", _SIXTY),
        ours=lambda rho: _repeated(example(rho), 1, best=True),
        says="0.4",
        printed=lambda _: PRINTED_BEST,
    ),
    Entry(
        ("priors", "most privacy under both of two priors", "ρ", TWO_PRIORS_RHO),
        ours=lambda rho: recoverable.robust(TWO_PRIORS, _LABELS, rho).privacy,
        says="π(ρ; P*)",
        printed=lambda rho: printed_guarantee(TWO_PRIORS, _LABELS, rho),
        erratum=_FAMILY,
    ),
    Entry(
        ("priors", "what W_o(P*) has under every permutation of (0.6, 0.2, 0.2)", "ρ", PERMUTED_RHO),
        ours=lambda rho: recoverable.robust(PERMUTED, _LABELS, rho).least_favourable,
        says="π(ρ; P*)",
        printed=lambda rho: printed_guarantee(PERMUTED, _LABELS, rho),
        erratum=_FAMILY,
    ),
    Entry(
        ("Proposition 3", "most privacy of a predicate, P = (0.4, 0.3, 0.2, 0.1)", "ρ", Fraction(9, 10)),
        ours=lambda rho: recoverable.hide_predicate(_predicate(rho), PREDICATE[2]).privacy,
        says="eq. (28)",
        printed=lambda rho: printed_predicate_privacy(_predicate(rho), PREDICATE[2]),
    ),
    Entry(
        ("Theorem 6", "V_2 on values as they come, P = (0.1, 0.5, 0.1, 0.3): privacy", "ρ", Fraction(1, 3)),
        ours=lambda rho: recoverable.privacy_of_noise(scrambled(rho), printed_noise(scrambled(rho)), 2).midpoint,
        says="eq. (61)",
        printed=lambda rho: printed_promise(scrambled(rho), 2),
        erratum=_ORDER,
    ),
    Entry(
        ("Lemma 10", "C(V_1) with k = 3, bits", "ρ", Fraction(1, 10)),
        ours=_radius_bits,
        says="-log 2√(ρ(1-ρ)), eq. (73)",
        printed=lambda rho: printed_exponent_bits(float(rho)),
        erratum="Lemma 10, eq. (73)",
    ),
    Entry(
        ("Section II", "largest P(wrong guess, Z = i) of any answer, P = (0.5, 0.3, 0.2)", "ρ", Fraction(0)),
        ours=_largest_part,
        says="that of W_o, eq. (14)",
        printed=printed_largest_part,
        erratum="Section II, eq. (14)",
    ),
    Entry(
        ("Proposition 8", "for how many n up to N the upper bound holds, ρ = 3/4", "N", 20),
        ours=_bounded,
        says="those with (⌊n/2⌋+1)e^(-nD) ≤ 1 - min{ρ, ρ_c}",
        printed=_allowed,
        erratum="Proposition 8 (i), the condition on n",
    ),
    Entry(
        ("Proposition 11", "V_o repeated, P = (2/5, 2/5, 1/5), ρ = 7/20: privacy of n responses", "n", 10),
        ours=lambda n: best_noise_privacy(tied(), n),
        says="at most that of V_2, eq. (80), for large n",
        printed=lambda n: printed_most_of_repeated(tied(), n),
        relation="≤",
        erratum="Proposition 11 (i)",
    ),
)


PAPER = Paper(
    key="A",
    title="Data Privacy for a ρ-Recoverable Function",
    page="recoverable_functions_errata",
    figures=FIGURES,
    tables=TABLES,
    errata=ERRATA,
    entries=ENTRIES,
)
