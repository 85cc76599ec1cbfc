"""[E]'s example and equations as tables, print beside recomputed, and further than the print goes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sfumato.account.composition import compose_parallel, compose_two_data_sets, joint_of_two_data_sets
from sfumato.design.flipped_answers import FlipDesign
from sfumato.design.gaussian_noise import gaussian
from sfumato.papers.dalenius_goal import examples, printed
from sfumato.papers.ranges import check_inside
from sfumato.papers.records import Cell, Table
from sfumato.prob import Channel

BUDGETS = (0.5, 1.0, 1.5, 2.0)
FLIPS = (Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(3, 10))


def example_1(*, p: Fraction = examples.TENTH) -> Table:
    """The 17 channels of Example 1, grouped by what they are."""
    check_inside("p", [p], 0, 1)
    rows: list[tuple[Cell, ...]] = []
    for record in (1, 2):
        groups: dict[tuple[int, ...], list[float]] = {}
        for answers, bits in examples.selections(p, record):
            groups.setdefault(answers, []).append(bits)
        rows.extend(
            (f"record {record}", ", ".join(map(str, answers)), str(len(bits)), f"{max(bits):.6f}")
            for answers, bits in sorted(groups.items())
        )
    full = FlipDesign(flip=min(p, 1 - p)).capacity_bits.midpoint
    reached = (
        f"C_1 = 1 - H2({p}) = {full:.6f} bits. Record 1 has three values, for which the print leaves open whether the "
        f"bound is reached: six of its eight channels reach it."
    )
    return Table(
        title=f"Example 1 through BSC({p}): the channels that a record can select",
        columns=("record", "f for each of its values", "channels", "capacity, bits"),
        rows=tuple(rows),
        notes=(reached,),
    )


def gaussian_noise(*, budgets: tuple[float, ...] = BUDGETS) -> Table:
    """The printed formula beside the capacity, and the noise for a budget."""
    check_inside("budgets", budgets, 0, 5)
    rows: list[tuple[Cell, ...]] = []
    for budget in budgets:
        ratio = 4.0**budget - 1
        said, least = printed.printed_gaussian_variance(budget * examples.LN2), examples.least_variance(budget)
        rows.append(
            (
                f"{budget:g}",
                f"{ratio:g}",
                f"{printed.printed_gaussian_bits(ratio):.5f}",
                f"{examples.gaussian_bits(ratio):.5f}",
                f"{examples.gaussian_bits(ratio, 2):.5f}",
                f"{said:.5f}",
                f"{least:.5f}",
                f"{said / least:.3f}",
            )
        )
    found = gaussian(bound=1, budget_bits=1.0)
    discrete = (
        f"The software adds discrete noise, which can be drawn exactly: for one bit its variance is "
        f"{found.variance:.5f}·T², certified to tell at most {found.capacity_bits.upper:.6f} bits."
    )
    return Table(
        title="Gaussian channel with |f| ≤ T: capacity at the printed noise, and the least noise",
        columns=(
            "budget, bits",
            "T²/N printed",
            "bits printed",
            "bits",
            "bits, record of 2 values",
            "N/T² printed",
            "least N/T²",
            "ratio",
        ),
        rows=tuple(rows),
        notes=(
            "T is half the width of the range of f: centre f first. Eq. (117) has ε in nats.",
            discrete,
        ),
    )


def composition(*, flips: tuple[Fraction, ...] = FLIPS) -> Table:
    """Two data sets of the same people: the printed sum, the tightened one, and what is told."""
    check_inside("flips", flips, 0, Fraction(1, 2))
    rows = [_parities(flip) for flip in flips]
    rows.append(_two_bits_told())
    excesses = "; ".join(f"p = {float(flip):g}: {_excess(flip):.5f}" for flip in flips)
    return Table(
        title="Two releases about two data sets of the same two people, bits about one of them",
        columns=("releases", "C^11 + C^22", "four terms, eq. (162)", "tightened", "told"),
        rows=tuple(rows),
        notes=(
            "The last row shows that the cross terms are not idle: the first release alone tells the pair of values.",
            f"Parallel composition: τ of Proposition 7 for X_1 = X_2 through a BSC(p) each. {excesses}.",
        ),
    )


def _parities(flip: Fraction) -> tuple[Cell, ...]:
    channel, _ = examples.two_parities(flip)
    return _row(f"parity through BSC({float(flip):g}), twice", channel, channel)


def _two_bits_told() -> tuple[Cell, ...]:
    plain = Channel([[int(x == y) for y in range(4)] for x in range(4)])
    silent = Channel([[1]] * 4)
    return _row("two bits told plainly; nothing", plain, silent)


def _row(name: str, first: Channel, second: Channel) -> tuple[Cell, ...]:
    found = compose_two_data_sets(first, (2, 2), second, (2, 2))
    told = joint_of_two_data_sets(first, (2, 2), second, (2, 2))
    own = sum(bits.midpoint for bits in found.own)
    return name, f"{own:.4f}", f"{found.printed_bound:.4f}", f"{found.bound:.4f}", f"{told.midpoint:.4f}"


def _excess(flip: Fraction) -> float:
    noisy = examples.one_bit((1 - flip) / flip)
    return compose_parallel([noisy, noisy], [(2,), (2,)]).excess.midpoint


TABLES: dict[str, Callable[..., Table]] = {
    "example-1": example_1,
    "gaussian-noise": gaussian_noise,
    "composition": composition,
}
