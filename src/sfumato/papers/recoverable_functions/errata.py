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
from sfumato.papers.recoverable_functions.proposition_11 import best_noise_privacy, excess, is_exception

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


def tied(rho: Fraction = TIED_RHO) -> design.Query:
    """P = (2/5, 2/5, 1/5) and f(x) = x."""
    return design.Query.of(TIED, (0, 1, 2), rho)


def check_order_of_schemes(
    printed: Callable[[design.Query, int], Fraction] = in_print.printed_most_of_repeated,
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
        kind="question settled",
        quoted=(
            "a ρ-QR W_o(P*) or V_o(P*) will yield privacy π(ρ; P*) in (19) that serves as a guaranteed lower "
            "bound for ρ-privacy computed according to any prior pmf P"
        ),
        reading=(
            "true as printed, with ρ-privacy as it is defined, a maximum over mechanisms, each made for its prior; "
            "what one mechanism has under every prior of the family it leaves open"
        ),
        printed="π(ρ; P*) for the least favourable prior P* is at most the ρ-privacy under any prior of the family",
        correct=(
            "for one mechanism that number is an upper bound on what it guarantees, and W_o(P*) need not have it; the "
            "best response for the worst prior is a program"
        ),
        counter_example=(
            "P in {(0.55, 0.413, 0.037), (0.455, 0.035, 0.51)}, ρ = 0.547: π(ρ; P*) is 0.450, and no response has "
            "more than 0.360 under both. The permutations of (0.6, 0.2, 0.2), ρ = 0.6: W_o(P*) has 0.34, another "
            "response 0.40."
        ),
        check=check_guarantee,
    ),
    Erratum(
        where="Proposition 11 (i)",
        kind="error",
        quoted="For all n suitably large (depending on case below): (i) 0 ≤ ρ ≤ 0.5: π_ρ(V_2^n) ≥ π_ρ(V_o^n)",
        reading="for every P and ρ; under the print's own order of the values, and with m_i for P_X(x_i*)",
        printed="for n large enough n times V_2 hides at least as much as n times V_o",
        correct=(
            "except exactly where k ≥ 3, m_0 = … = m_{k-2} > m_{k-1} and 1/k < ρ ≤ ρ_c. There the limits are equal and "
            "that of V_o is reached from above, so n times V_o hides more for every n; Appendix D concludes from equal "
            "limits"
        ),
        counter_example=(
            "P = (2/5, 2/5, 1/5), f(x) = x, ρ = 7/20: V_2 has 2/5 for every n; V_o has 1/5 more for n = 1, 23/125 more "
            "for n = 2 and 0.1248 more for n = 10. At ρ = 3/10, which is below 1/3, it has 2/125 less for n = 2."
        ),
        check=check_order_of_schemes,
    ),
)
