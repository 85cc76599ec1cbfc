"""Where we depart from [A], each entry with its kind and an example that runs.

Each check takes what is printed as an argument, so that a test can hand it the right thing and see it complain.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from sfumato import design, measures
from sfumato.papers.records import Erratum, must_show
from sfumato.papers.recoverable_functions import printed as in_print

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
SLIPS = (93, 99, 105)


def scrambled(rho: Fraction) -> design.Query:
    """P = (0.1, 0.5, 0.1, 0.3) and f(x) = x."""
    return design.Query.of(SCRAMBLED, (0, 1, 2, 3), rho)


def check_order(printed: Callable[[design.Query, int], Fraction] = in_print.printed_promise) -> None:
    """V_1 and V_2 on values as they come have less privacy than eqs. (49) and (61) say."""
    for rho in (Fraction(1, 3), Fraction(3, 5)):
        query = scrambled(rho)
        found = design.privacy_of_noise(query, in_print.printed_noise(query), 2)
        must_show("the scheme has 0.2", holds=math.isclose(found.midpoint, 0.2, abs_tol=1e-12))
        must_show("the print promises more", holds=printed(query, 2) > found.upper + 0.1)
        own = design.privacy_of_noise(query, design.published_noise(query), 2)
        must_show("sorted values have more", holds=own.lower > found.upper + 0.1)


def check_chernoff(printed: Callable[[float], float] = in_print.printed_exponent_bits) -> None:
    """With three values and ρ = 0.1 the second and the third row share a response, which the print overlooks."""
    rows = in_print.printed_noise(in_print.example(Fraction(9, 10)))
    swapped = [[1 - p if p else p for p in row] for row in rows]
    found = min(measures.chernoff_information_nats(p, q) for p, q in itertools.combinations(swapped, 2)) / math.log(2)
    must_show("the radius is 0.152 bits", holds=math.isclose(found, -math.log2(0.9), rel_tol=1e-9))
    must_show("the print is far above it", holds=printed(0.1) > found + 0.5)


def check_largest_part(printed: Callable[[Fraction], Fraction] = in_print.printed_largest_part) -> None:
    """At ρ = 0 a constant answer is best for eq. (11) too, and has a larger part than W_o."""
    constant = ((Fraction(1), Fraction(0), Fraction(0)),) * 3
    must_show("a constant answer has 1/2", holds=in_print.largest_part(constant) == Fraction(1, 2))
    must_show("W_o does not maximise eq. (14)", holds=printed(Fraction(0)) < Fraction(1, 2))


def check_condition(printed: Callable[[design.Query, int], bool] = in_print.printed_condition) -> None:
    """At ρ = 3/4, n = 3 the bound is below 1 and holds, though the condition rules it out."""
    query = in_print.example(Fraction(3, 4))
    bound = design.decay_bounds(query, 3)[1]
    must_show("the bound says something", holds=math.isclose(bound, 0.632813, abs_tol=1e-6))
    must_show("the bound holds", holds=design.converse(query, 3) < bound)
    must_show("the condition rules it out", holds=not printed(query, 3))


def check_guarantee(
    printed: Callable[[Sequence[Sequence[Fraction]], Sequence[int], Fraction], Fraction] = in_print.printed_guarantee,
) -> None:
    """No response has what is printed under both priors, and the response named has less than another one."""
    places = (0, 1, 2)
    reached = design.robust(TWO_PRIORS, places, TWO_PRIORS_RHO)
    must_show("0.360 is the most", holds=math.isclose(float(reached.privacy), 0.36, abs_tol=5e-4))
    must_show("the print is out of reach", holds=printed(TWO_PRIORS, places, TWO_PRIORS_RHO) > reached.upper + 0.08)
    other = design.robust(PERMUTED, places, PERMUTED_RHO)
    must_show("W_o(P*) has 0.34", holds=math.isclose(float(other.least_favourable), 0.34, abs_tol=1e-9))
    must_show("another response has 0.40", holds=math.isclose(float(other.privacy), 0.4, abs_tol=1e-9))


def check_block_size(printed: Callable[[float], int] = in_print.printed_block_size) -> None:
    """⌊1/ρ⌋ in doubles is one too small at ρ = 1/93, and a block loses a value."""
    for m in SLIPS:
        query = design.Query.of([Fraction(1, 2 * m)] * (2 * m), range(2 * m), Fraction(1, m))
        must_show("two blocks are enough", holds=1 - design.block_privacy(query) == Fraction(2, 2 * m))
        must_show("the double says one less", holds=printed(1 / m) == m - 1)


ERRATA = (
    Erratum(
        where="Theorems 5 and 6, the order of the values",
        kind="missing hypothesis",
        quoted="our achievability schemes in Section IV, that are “universal” in the sense of not depending on P_X",
        reading=(
            "for any numbering of the values; under the print's own assumption (45) the formulas are right, and "
            "numbering the values so takes P"
        ),
        printed="V_1 and V_2 do not depend on P; that m_0 ≥ m_1 ≥ … is assumed for convenience",
        correct="sort the values by m_i first, which takes P; without it eqs. (49) and (61) are wrong",
        counter_example=(
            "P = (0.1, 0.5, 0.1, 0.3), f(x) = x, n = 2: at ρ = 1/3 eq. (61) says 0.6 and V_2 has 0.2; at ρ = 3/5 eq. "
            "(49) says 0.512 or more and V_1 has 0.2. Sorted, they have 0.4 and 0.352."
        ),
        check=check_order,
    ),
    Erratum(
        where="Lemma 10, eq. (73)",
        kind="error",
        quoted="C(V_1) = D(Ber(0.5)‖Ber(ρ)) = -log 2√(ρ(1-ρ)), 0 ≤ ρ ≤ 1",
        reading="for odd k and ρ < 1/5",
        printed="C(V_1) = -log 2√(ρ(1-ρ)) for 0 ≤ ρ ≤ 1",
        correct="for even k or ρ ≥ 1/5. With odd k the last row shares a response with the second: -log(1-ρ) below 1/5",
        counter_example="k = 3, ρ = 0.1: C(V_1) is 0.152 bits; the print says 0.737.",
        check=check_chernoff,
    ),
    Erratum(
        where="Section II, eq. (14)",
        kind="error",
        quoted="our liberal choice in (8), (11), which is equivalent to (14)",
        reading="that both maxima have a common maximiser, W_o, as the remark after Theorem 2 says",
        printed="maximising the largest P(wrong guess, Z = i) is the same as maximising their sum, eq. (11)",
        correct="W_o maximises the sum, not the largest part",
        counter_example="ρ = 0, P = (0.5, 0.3, 0.2), f(x) = x: W_o has 0.1875; a constant answer has 0.5.",
        check=check_largest_part,
    ),
    Erratum(
        where="Proposition 8 (i), the condition on n",
        kind="question settled",
        quoted="for all n such that (⌊n/2⌋+1) exp[-nD] ≤ 1 - min{ρ, ρ_c}",
        reading="true as printed: the condition is not needed",
        printed="for all n with (⌊n/2⌋+1)e^(-nD) ≤ 1 - min{ρ, ρ_c}",
        correct="for every n, as Γ_n is at most S times its last term; max is meant for min, and neither is needed",
        counter_example=(
            "P = (0.5, 0.3, 0.2), ρ = 3/4, n = 3: the bound is 0.6328, more than 1 - 0.5, and still above what Theorem "
            "4 allows, 0.1562."
        ),
        check=check_condition,
    ),
    Erratum(
        where="Section VI, the guarantee for a family of priors",
        kind="unit or notation",
        quoted=(
            "a ρ-QR W_o(P*) or V_o(P*) will yield privacy π(ρ; P*) in (19) that serves as a guaranteed lower "
            "bound for ρ-privacy computed according to any prior pmf P"
        ),
        reading=(
            "“ρ-privacy” as what the one mechanism W_o(P*) has under P; as the maximum over mechanisms, which is "
            "how it is defined, the sentence is true"
        ),
        printed="W_o(P*) for the least favourable prior P* has privacy π(ρ; P*) under every prior of the family",
        correct="that number is an upper bound on every guarantee; the best response for the worst prior is a program",
        counter_example=(
            "P in {(0.55, 0.413, 0.037), (0.455, 0.035, 0.51)}, ρ = 0.547: the print says 0.450, and no response has "
            "more than 0.360 under both. The permutations of (0.6, 0.2, 0.2), ρ = 0.6: W_o(P*) has 0.34, another "
            "response 0.40."
        ),
        check=check_guarantee,
    ),
    Erratum(
        where="Equation (60) in doubles",
        kind="unit or notation",
        quoted="",
        reading="true as printed: a matter of arithmetic",
        printed="blocks of ⌊1/ρ⌋ values",
        correct="right, but only in exact numbers: the software computes with fractions",
        counter_example="In doubles ⌊1/(1/93)⌋ is 92, and so for 1/99, 1/105 and others.",
        check=check_block_size,
    ),
)
