"""Where we depart from [D] in a remark, in a proof and between two lines of a formula.

Each check takes what is printed as an argument, so that a test can hand it the right thing and see it complain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from sfumato.papers.perfect_sample_privacy import examples
from sfumato.papers.perfect_sample_privacy import printed as in_print
from sfumato.papers.records import Erratum, must_show

_Q = tuple(Fraction(k, 10) for k in (1, 3, 4))


def check_typical_sets(printed: Callable[[Sequence[int]], tuple[int, ...]] = in_print.printed_typical) -> None:
    """BSC(1/10): the sets of eq. (37) for the two values of W have no sequence in common below ε = 1.267970."""
    cases = ((20, Fraction(3, 10), (1, 3), (17, 19)), (1000, Fraction(6, 5), (0, 478), (522, 1000)))
    for count, epsilon, zero, one in cases:
        sets = [examples.weakly_typical(examples.TENTH, count, epsilon, value) for value in (0, 1)]
        must_show("the sets are as said", holds=[(found[0], found[-1]) for found in sets] == [zero, one])
        must_show("nothing is in both", holds=not set(sets[0]) & set(sets[1]))
        must_show("the print says that they are equal", holds=set(printed(sets[0])) == set(sets[0]) != set(sets[1]))
    border = 0.8 / 2 * math.log2(9)
    must_show("they are disjoint below 1.267970", holds=abs(border - 1.267970) < 5e-7)
    wide = [set(examples.weakly_typical(examples.TENTH, 1000, Fraction(13, 10), value)) for value in (0, 1)]
    must_show("and not above", holds=bool(wide[0] & wide[1]))


def check_other_value(printed: Callable[[int], float] = in_print.printed_other_value) -> None:
    """A fair W through BSC(1/10), a tenth of the samples 1: the other value stays possible, less and less so."""
    for count, said in ((10, 2.323057e-8), (20, 5.396595e-16), (40, 2.912324e-31)):
        found = examples.other_value(count)
        must_show("it is as said", holds=math.isclose(found, said, rel_tol=5e-7))
        must_show("it is more than is printed", holds=printed(count) < found)


def check_third_line(printed: Callable[[Fraction], float] = in_print.printed_third_line_bits) -> None:
    """Without the weights the line is negative, which no information is; with them it is the fourth line."""
    said = ((-1.982042, 0.011695), (-1.701767, 0.159482), (-1.152450, 0.381123))
    for q, (wrong, right) in zip(_Q, said, strict=True):
        told = examples.uniformised(q).information_bits(2)
        must_show("two samples tell as much as said", holds=abs(told.midpoint - right) < 5e-7)
        must_show("the print has less than nothing", holds=abs(printed(q) - wrong) < 5e-7)


PROOF_ERRATA = (
    Erratum(
        where="Remark 3",
        kind="error",
        quoted="nothing can be inferred about W if one uses (37) instead of (29) in the proof of achievability, since "
        "A(p_{X|W}(·|w_1)) = A(p_{X|W}(·|w_2)), ∀ε > 0",
        reading="for every ε > 0; it is true of large ε, and two laws with one entropy are not told apart by entropies",
        printed="the weakly typical sets of both values of W are equal",
        correct="they are disjoint for ε < (1-2α)/2·log2((1-α)/α), since -(1/n) log p(x^n) also tells where x^n comes "
        "from: weak typicality does tell the values of W apart there",
        counter_example="α = 1/10: disjoint for ε < 1.267970 bits. n = 20, ε = 0.3: from 1 to 3 ones for W = 0, from "
        "17 to 19 for W = 1. n = 1000, ε = 1.2: 0 to 478 and 522 to 1000.",
        check=check_typical_sets,
    ),
    Erratum(
        where="Appendix C, after eq. (84)",
        kind="error",
        quoted="the δ-typical sets …, ∀w, are disjoint, which results in p_{W|X^n}(j|x^n) = 0, … ∀j ≠ w",
        reading="as an equality for finite n; Lemma 4, which it serves, can be repaired",
        printed="p(W = j | x^n) = 0 for x^n typical for another value",
        correct="it is exponentially small, not 0: every x^n has positive probability under every j. With the factor "
        "1 + o(1) in (83) the proof goes through.",
        counter_example="W fair through BSC(1/10), a tenth of the samples 1: 2.323057e-8, 5.396595e-16, 2.912324e-31 "
        "for n = 10, 20, 40.",
        check=check_other_value,
    ),
    Erratum(
        where="Section V-C2, eq. (67), third line",
        kind="error",
        quoted="= Σ_{k=1}^{n-1} (1 - Σ H(S_k⊕S_{k+1} | X_k = x_k, X_{k+1} = x_{k+1}))",
        reading="as printed, without weights; the fourth line has them",
        printed="the four conditional entropies are added as they are",
        correct="each with its weight p(x_k, x_{k+1})",
        counter_example="q = 1/10, 3/10, 2/5, two samples: -1.982042, -1.701767, -1.152450 bits as printed; with the "
        "weights 0.011695, 0.159482, 0.381123.",
        check=check_third_line,
    ),
)
