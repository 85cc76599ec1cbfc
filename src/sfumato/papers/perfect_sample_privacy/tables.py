"""[D, Table I and Example 2], print beside recomputed, and further than the print goes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sfumato.disclose.asymptotics import Measurements
from sfumato.disclose.count_disclosures import optimum_of_counts
from sfumato.disclose.polytope import corners
from sfumato.papers.perfect_sample_privacy import examples, printed
from sfumato.papers.ranges import check_inside, check_whole
from sfumato.papers.records import Cell, Table
from sfumato.prob import Channel

FLIP, SHARE = Fraction(1, 10), Fraction(1, 3)
ALPHA = Fraction(2, 3)
MORE = (5, 10, 20, 50, 100, 200)
_LISTED = (2, 3)


def table_1(
    *, alpha: Fraction = FLIP, share: Fraction = SHARE, counts: tuple[int, ...] = (*printed.TABLE_1, *MORE)
) -> Table:
    """I_s of noisy measurements: not monotone, and 0 in the end, since two noise laws can always be inverted."""
    check_inside("alpha", [alpha], 0, 1)
    check_inside("share", [share], 0, 1)
    check_whole("counts", counts, 2, 1000)
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


def example_2(*, alpha: Fraction = ALPHA) -> Table:
    """The mapping of Example 2; every entry is printed right."""
    check_inside("alpha", [alpha], 0, 1)
    found = examples.example_2(alpha)
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
    value = printed.TABLE_1.get(count)
    if value is None:
        return str(count), "", f"{lower:.7f}", f"{upper:.7f}", "stops at n = 4"
    agrees = f"{lower:.2e}" == f"{value:.2e}"
    return str(count), f"{value:.2e}", f"{lower:.7f}", f"{upper:.7f}", "agrees" if agrees else "differs"


def _ranks(count: int) -> tuple[str, ...]:
    return ("largest", "middle", "least") if count == 3 else tuple(f"{rank}." for rank in range(1, count + 1))


def _corner_count(count: int) -> int:
    law = examples.through_bsc(count, FLIP).law
    return len(corners(law, law.singles()))


TABLES: dict[str, Callable[..., Table]] = {"table-1": table_1, "example-2": example_2}
