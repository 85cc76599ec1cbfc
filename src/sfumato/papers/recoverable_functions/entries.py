"""What [A] says in its figures and text, number by number, beside what the software finds."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato import design
from sfumato.papers.records import Entry
from sfumato.papers.recoverable_functions import printed
from sfumato.papers.recoverable_functions.errata import (
    PERMUTED,
    PERMUTED_RHO,
    TWO_PRIORS,
    TWO_PRIORS_RHO,
    scrambled,
    tied,
)
from sfumato.papers.recoverable_functions.figures import BLOCK_RHO, BLOCK_SIZE, falling
from sfumato.papers.recoverable_functions.proposition_11 import best_noise_privacy
from sfumato.papers.recoverable_functions.tables import best_found

_LABELS = (0, 1, 2)
_SIXTY = Fraction(3, 5)
_FAMILY = "Section VI, the guarantee for a family of priors"
_ORDER = "Theorems 5 and 6, the order of the values"
# A predicate of four values of the data, and the function that is told.
PREDICATE = ((Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)), (0, 1, 1, 0), (0, 1, 0, 0))


def _repeated(query: design.Query, n: int, *, best: bool) -> float:
    noise = design.best_noise(query) if best else design.published_noise(query)
    return design.privacy_of_noise(query, noise, n).midpoint


def _filler(size: int) -> int:
    """How many values the last block of V_2 has."""
    return sum(p > 0 for p in design.block_noise(falling(size, BLOCK_RHO))[-1])


def _largest_part(rho: Fraction) -> Fraction:
    """The most of eq. (14): everyone says one thing as often as is allowed."""
    query = printed.example(rho)
    return max(
        printed.largest_part([[1 - rho * (f != i) if j == i else rho * (f == j) for j in _LABELS] for f in query.f])
        for i in _LABELS
    )


def _predicate(rho: Fraction) -> design.Query:
    return design.Query.of(PREDICATE[0], PREDICATE[1], rho)


def _radius_bits(rho: Fraction) -> float:
    """C(V_1) with k = 3, rows typed from eq. (46), for small ρ too."""
    rows = ((rho, 1 - rho, Fraction(0)), (1 - rho, rho, Fraction(0)), (1 - rho, Fraction(0), rho))
    return design.chernoff_radius_nats(printed.example(rho), rows)[0] / math.log(2)


def _bounded(most: int) -> int:
    """For how many n ≤ `most` the upper bound of Prop 8 is above what Theorem 4 allows."""
    query = printed.example(Fraction(3, 4))
    return sum(design.decay_bounds(query, n)[1] >= design.converse(query, n) for n in range(1, most + 1))


def _allowed(most: int) -> int:
    query = printed.example(Fraction(3, 4))
    return sum(printed.printed_condition(query, n) for n in range(1, most + 1))


ENTRIES = (
    Entry(
        place="figure-1",
        what="most privacy of one answer, P = (0.5, 0.3, 0.2)",
        parameter="ρ",
        value=_SIXTY,
        ours=lambda rho: design.recoverable(printed.PRIOR, _LABELS, rho).privacy,
        says="1 - max{P(x*), ρ Σ P(x_i*)}, eq. (19)",
        printed=lambda rho: printed.printed_privacy(printed.example(rho)),
    ),
    Entry(
        place="figure-2",
        what="V_1 with k = 5: chance that the last value is called the first",
        parameter="ρ",
        value=Fraction(3, 4),
        ours=lambda rho: design.pair_noise(falling(5, rho))[4][0],
        says="1 - ρ",
        printed=lambda rho: 1 - rho,
    ),
    Entry(
        place="figure-3",
        what="V_2 with ρ = 1/3: values in the last block",
        parameter="k",
        value=BLOCK_SIZE,
        ours=_filler,
        says="k mod ⌊1/ρ⌋",
        printed=lambda size: size % 3,
    ),
    Entry(
        place="responses",
        what="V_1 repeated, ρ = 3/5: privacy of n responses",
        parameter="n",
        value=3,
        ours=lambda n: _repeated(printed.example(_SIXTY), n, best=False),
        says="at least eq. (49)",
        printed=lambda n: printed.printed_promise(printed.example(_SIXTY), n),
        relation="≥",
    ),
    Entry(
        place="responses",
        what="V_2 repeated, ρ = 2/5: privacy of one response or of many",
        parameter="ρ",
        value=Fraction(2, 5),
        ours=lambda rho: _repeated(printed.example(rho), 5, best=False),
        says="eq. (61)",
        printed=lambda rho: printed.printed_promise(printed.example(rho), 5),
    ),
    Entry(
        place="responses",
        what="V_o repeated, ρ = 3/5: privacy of n responses",
        parameter="n",
        value=3,
        ours=lambda n: _repeated(printed.example(_SIXTY), n, best=True),
        says="at most Theorem 4",
        printed=lambda n: printed.printed_upper_bound(printed.example(_SIXTY), n),
        relation="≤",
    ),
    Entry(
        place="responses",
        what="the best responses found, ρ = 3/5",
        parameter="n",
        value=2,
        ours=lambda n: best_found(_SIXTY, n, starts=8).privacy.midpoint,
        says="whether anything beats V_1 is left open",
    ),
    Entry(
        place="examples",
        what="one response by V_1, P = (0.5, 0.3, 0.2)",
        parameter="ρ",
        value=_SIXTY,
        ours=lambda rho: _repeated(printed.example(rho), 1, best=False),
        says="0.38",
        printed=lambda _: printed.PRINTED_PAIR,
    ),
    Entry(
        place="examples",
        what="one response by V_o, P = (0.5, 0.3, 0.2)",
        parameter="ρ",
        value=_SIXTY,
        ours=lambda rho: _repeated(printed.example(rho), 1, best=True),
        says="0.4",
        printed=lambda _: printed.PRINTED_BEST,
    ),
    Entry(
        place="priors",
        what="most privacy under both of two priors",
        parameter="ρ",
        value=TWO_PRIORS_RHO,
        ours=lambda rho: design.robust(TWO_PRIORS, _LABELS, rho).privacy,
        says="π(ρ; P*)",
        printed=lambda rho: printed.printed_guarantee(TWO_PRIORS, _LABELS, rho),
        erratum=_FAMILY,
    ),
    Entry(
        place="priors",
        what="what W_o(P*) has under every permutation of (0.6, 0.2, 0.2)",
        parameter="ρ",
        value=PERMUTED_RHO,
        ours=lambda rho: design.robust(PERMUTED, _LABELS, rho).least_favourable,
        says="π(ρ; P*)",
        printed=lambda rho: printed.printed_guarantee(PERMUTED, _LABELS, rho),
        erratum=_FAMILY,
    ),
    Entry(
        place="Proposition 3",
        what="most privacy of a predicate, P = (0.4, 0.3, 0.2, 0.1)",
        parameter="ρ",
        value=Fraction(9, 10),
        ours=lambda rho: design.hide_predicate(_predicate(rho), PREDICATE[2]).privacy,
        says="eq. (28)",
        printed=lambda rho: printed.printed_predicate_privacy(_predicate(rho), PREDICATE[2]),
    ),
    Entry(
        place="Theorem 6",
        what="V_2 on values as they come, P = (0.1, 0.5, 0.1, 0.3): privacy",
        parameter="ρ",
        value=Fraction(1, 3),
        ours=lambda rho: design.privacy_of_noise(scrambled(rho), printed.printed_noise(scrambled(rho)), 2).midpoint,
        says="eq. (61)",
        printed=lambda rho: printed.printed_promise(scrambled(rho), 2),
        erratum=_ORDER,
    ),
    Entry(
        place="Lemma 10",
        what="C(V_1) with k = 3, bits",
        parameter="ρ",
        value=Fraction(1, 10),
        ours=_radius_bits,
        says="-log 2√(ρ(1-ρ)), eq. (73)",
        printed=lambda rho: printed.printed_exponent_bits(float(rho)),
        erratum="Lemma 10, eq. (73)",
    ),
    Entry(
        place="Section II",
        what="largest P(wrong guess, Z = i) of any answer, P = (0.5, 0.3, 0.2)",
        parameter="ρ",
        value=Fraction(0),
        ours=_largest_part,
        says="that of W_o, eq. (14)",
        printed=printed.printed_largest_part,
        erratum="Section II, eq. (14)",
    ),
    Entry(
        place="Proposition 8",
        what="for how many n up to N the upper bound holds, ρ = 3/4",
        parameter="N",
        value=20,
        ours=_bounded,
        says="those with (⌊n/2⌋+1)e^(-nD) ≤ 1 - min{ρ, ρ_c}",
        printed=_allowed,
        erratum="Proposition 8 (i), the condition on n",
    ),
    Entry(
        place="Proposition 11",
        what="V_o repeated, P = (2/5, 2/5, 1/5), ρ = 7/20: privacy of n responses",
        parameter="n",
        value=10,
        ours=lambda n: best_noise_privacy(tied(), n),
        says="at most that of V_2, eq. (80), for large n",
        printed=lambda n: printed.printed_most_of_repeated(tied(), n),
        relation="≤",
        erratum="Proposition 11 (i)",
    ),
)
