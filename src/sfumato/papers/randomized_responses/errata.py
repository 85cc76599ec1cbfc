"""Where we depart from [C], each entry with its kind and an example that runs.

Each check takes what is printed as an argument, so that a test can hand it the right thing and see it complain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from statistics import NormalDist

from sfumato import design, measures
from sfumato.papers.randomized_responses import printed as in_print
from sfumato.papers.records import Erratum, must_show
from sfumato.prob import Channel
from sfumato.values.checks import Number

Law = Sequence[Number]

_LIMITS = design.Limits.of(delta=Fraction(1, 4), weight=Fraction(2, 5))
_HALF = Fraction(1, 2)


def check_two_outputs(printed: Callable[[design.Limits, Fraction], Channel] = in_print.printed_two_outputs) -> None:
    """The printed pairs keep the limit and have less information than the printed maximum, on both sides of θ_0."""
    for theta, value in ((Fraction(1, 20), Fraction(1200, 1957)), (_HALF, Fraction(4, 31))):
        pair = printed(_LIMITS, theta)
        most = design.largest_fisher_information(_LIMITS, theta, outputs=2)
        best = design.survey(delta=_LIMITS.delta, weight=_LIMITS.weight, outputs=2, theta=theta)
        must_show("the printed pair keeps the limit", holds=design.meets(pair, _LIMITS))
        must_show("it falls short of the maximum", holds=measures.fisher_information(pair, theta) == value < most)
        must_show("another pair reaches the maximum", holds=best.fisher_information(theta) == most)
        must_show("that pair keeps the limit", holds=design.meets(best.channel, _LIMITS))
        other = printed(_LIMITS, _HALF if theta < _HALF else Fraction(1, 20))
        must_show("that pair is the other one", holds=measures.fisher_information(other, theta) == most)


def check_warner_row(printed: Callable[[Fraction], Channel] = in_print.printed_warner) -> None:
    """½‖p_0 - p_1‖_1 of the printed pair is |1-2δ|: over the limit below δ = ⅓, wasteful above it, silent at ½."""
    for delta in (Fraction(k, 24) for k in range(1, 24)):
        pair, best = printed(delta), design.warner(delta=delta).channel
        distance = measures.total_variation(*pair.rows)
        must_show("the printed distance is |1-2δ|", holds=distance == abs(1 - 2 * delta))
        must_show("it is δ at δ = 1/3 only", holds=(distance == delta) == (delta == Fraction(1, 3)))
        must_show("with (1+δ)/2 it is δ", holds=measures.total_variation(*best.rows) == delta)
        same = design.unrelated_question(delta=delta, eta=_HALF).channel
        must_show("with (1+δ)/2 Figure 3's caption holds", holds=same.rows == best.rows)
    quarter, half = printed(Fraction(1, 4)), printed(_HALF)
    must_show(
        "the guesser errs too seldom at δ = 1/4",
        holds=measures.weighted_guess_error(quarter, _HALF) == Fraction(1, 4) < Fraction(3, 8),
    )
    must_show("nothing is learnt at δ = 1/2", holds=measures.fisher_information(half, Fraction(1, 10)) == 0)


def check_renyi_arguments(printed: Callable[[Law, Law, float], float] = in_print.printed_renyi_nats) -> None:
    """The printed D_{1+s}(p‖q) is D_{1+s}(q‖p), and tends to D(q‖p) as s → 0."""
    p, q = _laws(Fraction(1, 10), Fraction(9, 10))
    forth, back = measures.kullback_leibler_nats(p, q), measures.kullback_leibler_nats(q, p)
    must_show("the two orders differ", holds=abs(forth - back) > 0.1)
    for s in (2.0**-20, -(2.0**-20)):
        must_show("the limit is D(q‖p)", holds=abs(printed(p, q, s) - back) < 1e-6)
    for s in (-0.5, 0.25, 1.0, 3.0):
        swapped = measures.renyi_nats(q, p, 1 + s)
        must_show("it is D_{1+s}(q‖p)", holds=math.isclose(printed(p, q, s), swapped, rel_tol=1e-9))


def check_corollary_sum(printed: Callable[[Iterable[float]], float] = math.fsum) -> None:
    """Summing D_f, which has no y in it, over the three reports adds (ln 3)/s to the largest D_{1+s}."""
    p, q = _laws(Fraction(1, 10), Fraction(9, 10))
    for s in (0.5, 1.0, 2.0):
        divergence = _power_divergence(p, q, 1 + s)
        print_says = math.log(printed([divergence] * len(p))) / s
        largest = design.largest_renyi_nats(_LIMITS, Fraction(1, 10), Fraction(9, 10), 1 + s)
        must_show("without the sum it is right", holds=math.isclose(math.log(divergence) / s, largest, rel_tol=1e-9))
        must_show("the excess is (ln 3)/s", holds=math.isclose(print_says - largest, math.log(3) / s, rel_tol=1e-9))


def check_confidence_level(
    printed: Callable[[float], tuple[float, float]] = in_print.printed_normal_quantiles,
) -> None:
    """The printed interval covers with probability 1-α, so at α = 0.95 once in twenty."""
    normal = NormalDist()
    low, high = (normal.inv_cdf(level) for level in printed(0.95))
    covered = normal.cdf(high) - normal.cdf(low)
    must_show("the interval covers with probability 0.05", holds=math.isclose(covered, 0.05, rel_tol=1e-9))


def check_objective(printed: Callable[[Iterable[Number]], Number] = min) -> None:
    """The least Fisher information under the limit is 0, reached by a survey that says nothing."""
    silent, best = Channel([[1, 0], [1, 0]]), design.best_design(_LIMITS).channel
    must_show("a silent survey keeps the limit", holds=design.meets(silent, _LIMITS))
    values = [measures.fisher_information(channel, Fraction(1, 10)) for channel in (silent, best)]
    must_show("minimising teaches nothing", holds=printed(values) == 0 < max(values))


def _power_divergence(p: Law, q: Law, order: float) -> float:
    return measures.f_divergence(p, q, lambda ratio: ratio**order, slope_at_infinity=math.inf)


def _laws(theta_1: Fraction, theta_2: Fraction) -> tuple[Law, Law]:
    channel = design.best_design(_LIMITS).channel
    return design.share_law(channel, theta_1), design.share_law(channel, theta_2)


ERRATA = (
    Erratum(
        where="Theorem 1, two outputs",
        kind="error",
        quoted=(
            "In these three cases, from top to bottom, the distributions p_0 and p_1 to achieve the maximum value is "
            "given as"
        ),
        reading="the pairs that are said to reach the maxima in cases (i) and (ii)",
        printed="θ ≤ θ0: p0 = [a/(1-w), 1-a/(1-w)], p1 = [1, 0]; θ > θ0: p0 = [1, 0], p1 = [a/w, 1-a/w]",
        correct="the other way round; the maxima in eq. (2) are right, and Step 4 of the proof has the right pairs",
        counter_example=(
            "δ = 1/4, w = 2/5, so θ0 = 1/10. At θ = 1/20 the printed pair has J = 0.6132, the maximum is 1.2539; at "
            "θ = 1/2 it has 0.1290, the maximum is 0.9231. Each time the other pair reaches the maximum."
        ),
        check=check_two_outputs,
    ),
    Erratum(
        where="Table I, Warner's row",
        kind="error",
        quoted=(
            "under the constraint (1/2)‖p_0 - p_1‖_1 ≤ δ, the Fisher information achieves the maximum value at "
            "the following"
        ),
        reading="with the δ of the constraint in the pair of the first row",
        printed="p0 = [δ, 1-δ], p1 = [1-δ, δ]",
        correct="p0 = [(1+δ)/2, (1-δ)/2], p1 = [(1-δ)/2, (1+δ)/2]",
        counter_example=(
            "½‖p0-p1‖ of the printed pair is |1-2δ|, which is δ at δ = 1/3 only. At δ = 1/4 it is 1/2: the guesser "
            "errs 1/4 of the time where 3/8 is asked. At δ = 1/2 it is 0 and nothing is learnt. Only the corrected "
            "pair equals the unrelated question with η = 1/2, as the caption of Figure 3 says it does."
        ),
        check=check_warner_row,
    ),
    Erratum(
        where="Section V, the arguments of D_{1+s}",
        kind="unit or notation",
        quoted="the relative Rényi entropy D_{1+s}(p_θ1‖p_θ2) is defined [14] as",
        reading="as the divergence of [14], and with the case s = 0 as its limit",
        printed="D_{1+s}(p‖q) = (1/s) ln Σ p^(-s) q^(1+s)",
        correct="D_{1+s}(p‖q) = (1/s) ln Σ p^(1+s) q^(-s), which the proof of Corollary 1 uses",
        counter_example=(
            "δ = 1/4, w = 2/5, p and q the laws of a report at θ = 1/10 and 9/10. As s → 0 the print tends to "
            "D(q‖p) = 0.3337, not to its own case s = 0, D(p‖q) = 0.5160. The Chernoff bound is the same either way."
        ),
        check=check_renyi_arguments,
    ),
    Erratum(
        where="Section V, proof of Corollary 1",
        kind="error",
        quoted="The maximization problem (10) can be rewritten as",
        reading="with D_f as it is defined before Theorem 3, a sum over the reports",
        printed="max D_{1+s} = (1/s) ln max Σ_y D_f(p‖q), and likewise for s < 0",
        correct="without Σ_y: D_f is already a sum over the reports",
        counter_example=(
            "With the three reports of the optimum the extra sum multiplies D_f by 3, so it adds (ln 3)/s to the "
            "largest D_{1+s}: 1.0986 at s = 1."
        ),
        check=check_corollary_sum,
    ),
    Erratum(
        where="Section II, the confidence level",
        kind="unit or notation",
        quoted="when we require the confidence level to be α, the confidence interval is approximately given as",
        reading="“confidence level” as the probability to cover; as the probability to miss it is right",
        printed="the interval from Φ⁻¹(α/2) to Φ⁻¹(1-α/2) has confidence level α",
        correct="its confidence level is 1-α",
        counter_example="At α = 0.95 the printed interval covers the share once in twenty: with probability 0.05.",
        check=check_confidence_level,
    ),
    Erratum(
        where="Section II, after eq. (1)",
        kind="error",
        quoted="Under this constraint, we minimize the Fisher information J_θ.",
        reading="as printed; Theorem 1 maximises",
        printed="the Fisher information is minimised under the constraint",
        correct="it is maximised, as Theorem 1 says",
        counter_example="p0 = p1 keeps every limit and has J = 0, so the least is 0 and says nothing.",
        check=check_objective,
    ),
)
