"""[B, Lemma 3]: that two reports are enough, which is true from R_c on and false below.

Every term (q-q')²/(q+q') of the sum is convex and homogeneous, so merging two reports never raises it: data processing.
Appendix C has the inequality the other way round. From R_c on two reports are best all the same, since every term is at
most tanh²(ε/2)·(q+q') and binary randomised response has that in each. Below R_c the limit on entropy rules it out, and
being silent most of the time and answering by it otherwise can be worth more than two reports.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sfumato import infer
from sfumato.papers.records import Erratum, must_show
from sfumato.papers.successive_refinement import printed as in_print

Pair = tuple[tuple[float, ...], tuple[float, ...]]


def silent_or_answer(epsilon: float, told: float) -> Pair:
    """Three reports: with probability `told` binary randomised response, and silence otherwise."""
    keep = in_print.printed_rappor_keep(epsilon)
    return (told * keep, told * (1 - keep), 1 - told), (told * (1 - keep), told * keep, 1 - told)


def silent_contrast(epsilon: float, random_bits: float) -> float:
    """Σ(q-q')²/(q+q') of the most talkative of them that keeps the budget."""
    low, high = 0.0, 0.5
    for _ in range(80):
        middle = (low + high) / 2
        fits = entropy_bits(silent_or_answer(epsilon, middle)[0]) <= random_bits
        low, high = (middle, high) if fits else (low, middle)
    return in_print.printed_contrast(*silent_or_answer(epsilon, low))


def entropy_bits(law: tuple[float, ...]) -> float:
    """H of a law."""
    return -math.fsum(p * math.log2(p) for p in law if p)


def check_two_reports(printed: Callable[[float, float], float] = in_print.printed_two_report_contrast) -> None:
    """At ε = 3, R = 0.25 silence in 96 of 100 cases and randomised response in the others has more than two reports."""
    epsilon, budget = 3.0, 0.25
    first, second = silent_or_answer(epsilon, 0.039)
    must_show("R lies below R_c", holds=budget < infer.critical_random_bits(epsilon))
    for law in (first, second):
        must_show("it keeps the budget", holds=entropy_bits(law) < budget)
    worst = max(max(p / q, q / p) for p, q in zip(first, second, strict=True))
    must_show("it is 3-private", holds=worst < math.exp(epsilon) * (1 + 1e-12))
    found = in_print.printed_contrast(first, second)
    must_show("three reports have 0.0639", holds=math.isclose(found, 0.0639, abs_tol=5e-5))
    must_show("two have less", holds=found > 1.7 * printed(epsilon, budget))


LEMMA_3 = Erratum(
    where="Lemma 3",
    kind="error",
    quoted="The optimal solution of the non-convex optimization problem P1 is obtained when the output size is m = 2.",
    reading="for R < R_c; from R_c on it is true",
    printed="no number of reports has a larger Σ (q-q')²/(q+q') than two reports",
    correct=(
        "below R_c three reports can have more. Merging two reports never raises the sum, which is convex and "
        "homogeneous: step (a) of (74) in Appendix C has data processing the wrong way round"
    ),
    counter_example=(
        "ε = 3, R = 0.25, which is less than R_c = 0.2754: the best two reports have 0.0367. Silence with "
        "probability 0.961 and binary randomised response otherwise keeps ε and R, and has 0.0639."
    ),
    check=check_two_reports,
)
