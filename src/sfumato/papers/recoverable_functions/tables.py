"""The numbers that [A] prints in its text, and what n responses and families of priors have, exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from sfumato import design
from sfumato.papers.records import Cell, Table
from sfumato.papers.recoverable_functions import printed
from sfumato.papers.recoverable_functions.errata import PERMUTED, PERMUTED_RHO, TWO_PRIORS, TWO_PRIORS_RHO

# Which n are shown at which ρ; programs are solved up to three responses.
RHOS, COUNTS, MOST_SOLVED = (Fraction(3, 5), Fraction(4, 5)), (1, 2, 3, 5, 7), 3
_STARTS = 2


def best_found(rho: Fraction, n: int, starts: int = _STARTS) -> design.ResponsesDesign:
    """The best of all schemes at the paper's example."""
    return design.design_responses(printed.example(rho), n, starts=starts)


def table_examples(
    *,
    prior: tuple[Fraction, ...] = printed.PRIOR,
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
    query = design.Query.of(prior, range(len(prior)), rho)
    single = prior == printed.PRIOR and rho == Fraction(3, 5) and n == 1
    pair, best = (design.privacy_of_noise(query, noise(query), n) for noise in (design.pair_noise, design.best_noise))
    found: Cell = design.alternating(query, n, starts=_STARTS)[1].lower if n <= MOST_SOLVED else "not tried"
    return (
        str(rho),
        str(n),
        printed.PRINTED_PAIR if single else "",
        printed.PRINTED_BEST if single else "",
        pair.midpoint,
        best.midpoint,
        found,
        float(design.converse(query, n)),
    )


def _family(name: str, priors: Sequence[Sequence[Fraction]], rho: Fraction) -> tuple[Cell, ...]:
    found = design.robust(priors, (0, 1, 2), rho)
    return (
        name,
        str(rho),
        float(printed.printed_guarantee(priors, (0, 1, 2), rho)),
        float(found.least_favourable),
        float(found.privacy),
    )


TABLES: dict[str, Callable[..., Table]] = {"examples": table_examples, "priors": table_priors}
