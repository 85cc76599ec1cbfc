"""[D, Table I and Example 2], print beside recomputed, and further than the print goes."""

from __future__ import annotations

from fractions import Fraction

from sfumato.disclose.asymptotics import Measurements
from sfumato.disclose.count_disclosures import optimum_of_counts
from sfumato.disclose.polytope import corners
from sfumato.papers.perfect_sample_privacy import examples, printed
from sfumato.papers.records import Cell, Table
from sfumato.prob import Channel

FLIP = Fraction(1, 10)
MORE = (5, 10, 20, 50, 100, 200)
_LISTED = (2, 3)


def table_1() -> Table:
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
        title="Table I: W ~ Bern(1/3) measured n times through BSC(1/10), bits",
        columns=("n", "I_s, printed", "I_s, from below", "I_s, from above", "the print"),
        rows=tuple(_measured(n) for n in (*printed.TABLE_1, *MORE)),
        notes=(falling, listed),
    )


def example_2() -> Table:
    """The mapping of Example 2; every entry is printed right."""
    found = examples.example_2(Fraction(2, 3))
    cells = [tuple(cell) for cell in found.law.cells.tolist()]
    shown = {0: "0", 1: "erased", 2: "1"}
    rows: list[tuple[Cell, ...]] = [
        (f"X1 = {a}, X2 = {shown[b]}", mass, *sorted(row, reverse=True))
        for (a, b), mass, row in zip(cells, found.law.masses, found.channel.rows, strict=True)
    ]
    told = (
        f"I_s = {found.lower_bits:.6f} bits, printed 0.0134. Four corners, three of them used, each with 1/3. H(W|Y) = "
        f"{1 - found.lower_bits:.4f}, as printed."
    )
    return Table(
        title="Example 2 at α = 2/3, e = 1/2: the best mapping, each row's probabilities from the largest",
        columns=("data set", "probability", "largest", "middle", "least"),
        rows=tuple(rows),
        notes=(told, "The names of the three symbols are a solver's choice; up to them this is eq. (22)."),
    )


def measured_counts(count: int) -> tuple[float, float]:
    """Both bounds on I_s for any number of samples of Table I."""
    noise = Channel([[1 - FLIP, FLIP], [FLIP, 1 - FLIP]])
    given = Measurements.of([Fraction(2, 3), Fraction(1, 3)], noise)
    found = optimum_of_counts(*given.count_law(count))
    return found.lower_bits, found.upper_bits


def _measured(count: int) -> tuple[Cell, ...]:
    lower, upper = measured_counts(count)
    value = printed.TABLE_1.get(count)
    if value is None:
        return str(count), "", f"{lower:.7f}", f"{upper:.7f}", "stops at n = 4"
    agrees = f"{lower:.2e}" == f"{value:.2e}"
    return str(count), f"{value:.2e}", f"{lower:.7f}", f"{upper:.7f}", "agrees" if agrees else "differs"


def _corner_count(count: int) -> int:
    law = examples.through_bsc(count, FLIP).law
    return len(corners(law, law.singles()))


TABLES = {"table-1": table_1, "example-2": example_2}
