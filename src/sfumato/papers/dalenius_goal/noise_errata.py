"""Where we depart from [E, Sec. 5]: the Gaussian channel, its utility, and the private mean.

Each check takes what is printed as an argument, so that a test can hand it the right thing and see it complain.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sfumato.measures.amplitude.capacities import amplitude_capacity
from sfumato.papers.dalenius_goal import examples, noise
from sfumato.papers.dalenius_goal import printed as in_print
from sfumato.papers.records import Erratum, must_show

CAPACITIES = {1: 0.48594, 3: 0.84659, 7: 1.16594, 15: 1.50487}
_DELTA = 1e-5


def check_amplitude(printed: Callable[[float], float] = in_print.printed_gaussian_bits) -> None:
    """|f| ≤ T limits the amplitude, not the mean power: the capacity is Smith's, and less noise will do."""
    for ratio, bits in CAPACITIES.items():
        found = amplitude_capacity(ratio)
        must_show("the capacity is as said", holds=abs(found.bits.midpoint - bits) < 5e-6)
        must_show("the certified upper end is below print", holds=found.bits.upper < printed(ratio) - 0.01)
    for budget, times in ((0.5, 1.044), (1.0, 1.557), (1.5, 2.121), (2.0, 2.625)):
        spared = in_print.printed_gaussian_variance(budget * examples.LN2) / examples.least_variance(budget)
        must_show("the printed noise is larger by so much", holds=abs(spared - times) < 5e-4)


def check_variances(printed: Callable[[float], float] = in_print.printed_laplace) -> None:
    """Δf = 1, ε = 1/2: Laplace's scale is 2, its variance 8 and its standard deviation 2.83."""
    variance = noise.laplace_deviation(0.5) ** 2
    must_show("the variance is 8", holds=math.isclose(variance, 8))
    must_show("the print has another number", holds=abs(printed(0.5) - variance) > 5)


def check_large_epsilon(printed: Callable[[float, float], float] = in_print.printed_gaussian_mechanism) -> None:
    """ε = 10, δ' = 1e-5: with this noise δ' is exceeded twice over; up to ε = 1 it is not."""
    exceeded = noise.gaussian_delta(printed(10.0, _DELTA), 10.0)
    must_show("δ is 2.3e-5", holds=exceeded > 2.2e-5)
    kept = [noise.gaussian_delta(in_print.printed_gaussian_mechanism(e, _DELTA), e) for e in (0.1, 0.5, 1.0)]
    must_show("the rule holds up to ε = 1", holds=max(kept) < _DELTA)


def check_sensitivity(printed: Callable[[float], float] = in_print.printed_sensitivity) -> None:
    """f(x) = x for one record in [-T, T] moves by 2T; the mean of n records by 2T/n."""
    must_show("f moves by 2T", holds=noise.sensitivity_of_mean(1.0, 1) == 2)
    must_show("the print allows less", holds=printed(1.0) < 2)
    must_show("a mean of 100 moves by 2T/100", holds=math.isclose(noise.sensitivity_of_mean(1.0, 100), 0.02))


def check_comparison(printed: Callable[[float], float] = in_print.printed_gaussian_deviation) -> None:
    """With the print's own numbers and Δf = T, Laplace noise is larger at every ε, not smaller."""
    for epsilon in (0.01, 0.1, 1.0, 3.0):
        must_show("Laplace's scale is larger", holds=in_print.printed_laplace(epsilon) > printed(epsilon))
    must_show("for the mean of 1000 records it is smaller", holds=noise.laplace_deviation(1.0, 0.002) < printed(1.0))


def check_miss(printed: Callable[[float, float], float] = in_print.printed_miss) -> None:
    """ε = 1 nat, T = τ = 1: the mean misses by τ with probability 0.0115 in the limit, for which (122) has 0.157."""
    limit = noise.limit_miss(1.0, 1.0)
    must_show("the limit is 0.0115", holds=abs(limit - 0.0115) < 5e-5)
    must_show("at any n it is between the limit and Chebyshev's bound", holds=limit < noise.miss(1.0, 1.0, 400) < 0.157)
    must_show("the print has more", holds=printed(1.0, 1.0) > limit + 0.1)
    must_show("at τ = 1/4 the print is no probability", holds=in_print.printed_miss(1.0, 0.25) > 1)


def check_left_over(printed: Callable[[float], float] = in_print.printed_limit_variance) -> None:
    """ε = 1 nat, T = 1: Var(W) tends to N = 0.1565; with its τ² the printed limit of N is wrong unless τ = 1."""
    left = noise.mean_variance(1.0, 10**9)
    must_show("0.1565 is left", holds=abs(left - 0.1565) < 5e-5)
    must_show("the print has less", holds=printed(1.0) < left - 0.1)


NOISE_ERRATA = (
    Erratum(
        where="Corollary 6, eqs. (115) and (118)",
        kind="error",
        quoted="(115) is due to [33, §9.1]",
        reading="as an equality, with the values of f in [-T, T] as Corollary 6 has them",
        printed="C_1 = ½ log(1 + T²/N), by the Gaussian channel of [33, §9.1]",
        correct="that is an upper bound: it needs a limit on power, and |f| ≤ T limits the amplitude. The capacity is "
        "Smith’s (1971), reached by finitely many values; (117) is safe in nats, and more noise than needed.",
        counter_example="T²/N = 1, 3, 7, 15: 0.48594, 0.84659, 1.16594, 1.50487 bits, where the print has 0.5, 1, 1.5, "
        "2. For these four budgets the printed variance is 1.044, 1.557, 2.121, 2.625 times the least one.",
        check=check_amplitude,
    ),
    Erratum(
        where="Section 5.2, “variances”",
        kind="unit or notation",
        quoted=(
            "The variances of the Laplace mechanism and the Gaussian mechanism are respective Δf/ε and √(2 "
            "ln(1.25/δ'))Δf/ε"
        ),
        reading="“variance” as the mean square; the print means a scale or a standard deviation",
        printed="Δf/ε, √(2 ln(1.25/δ'))Δf/ε and √N are variances",
        correct="the first is Laplace’s scale, whose standard deviation is √2 times it; the other two are standard "
        "deviations",
        counter_example="Δf = 1, ε = 1/2: Laplace’s variance is 8, its standard deviation 2.8284; the print has 2.",
        check=check_variances,
    ),
    Erratum(
        where="Section 5.2, eq. (119)",
        kind="missing hypothesis",
        quoted="(119) ensures (ε, δ')-differential privacy",
        reading="for every ε > 0",
        printed="it ensures (ε, δ')-differential privacy",
        correct="for ε < 1, as its source says; for large ε the exact δ is larger",
        counter_example="ε = 10, δ' = 1e-5: the exact δ is 2.3e-5.",
        check=check_large_epsilon,
    ),
    Erratum(
        where="Section 5.2, Δf ≤ T",
        kind="error",
        quoted="Noticing that Δf ≤ T for the same ε",
        reading="for f with values in [-T, T], as in Corollary 6, and Δf the largest change by one record",
        printed="Δf ≤ T for f between -T and T",
        correct="Δf ≤ 2T; the mean of n records has 2T/n",
        counter_example="f(x) = x for one record in [-T, T]: from -T to T it moves by 2T.",
        check=check_sensitivity,
    ),
    Erratum(
        where="Section 5.2, the comparison at b = 0",
        kind="error",
        quoted=(
            "then the variances of the Laplace mechanism and the Gaussian mechanism are more small than the "
            "variance of the Gaussian privacy channel"
        ),
        reading="for every f with Δf ≤ T, at the same ε and by the print's own three numbers",
        printed="for Δf ≤ T the Laplace mechanism has less noise than the Gaussian channel at the same ε",
        correct="only if Δf is small against T, as of a mean of many records: below T·ε/√(2(exp(2ε) - 1)), for equal "
        "standard deviations. At Δf = T Laplace has more at every ε.",
        counter_example="Δf = T = 1, ε = 1: by the print's own numbers 1 against 0.3956.",
        check=check_comparison,
    ),
    Erratum(
        where="Proposition 4, eq. (122)",
        kind="error",
        quoted="Pr[|W - μ| ≥ τ] → T²/(τ²(exp(2ε + 2δ) - 1)) as n → ∞",
        reading="the arrow as a limit; the proof, eq. (124), has a bound that tends there",
        printed="Pr[|W - μ| ≥ τ] → T²/(τ²(exp(2ε + 2δ) - 1))",
        correct="that is Chebyshev’s upper bound. The limit is 2Φ(-τ/√N), since the mean tends to μ and the noise "
        "stays.",
        counter_example="ε = 1 nat, T = τ = 1: the limit is 0.0115, the print has 0.1565. At τ = 1/4 the print is 2.5.",
        check=check_miss,
    ),
    Erratum(
        where="Proof of Proposition 4",
        kind="error",
        quoted="we have N → T²/(τ²(exp(2ε + 2δ) - 1)) and Var(W) → 0 as n → ∞",
        reading="for the N of Proposition 4 and eq. (123)",
        printed="N → T²/(τ²(exp(2ε + 2δ) - 1)) and Var(W) → 0",
        correct="N has no τ in it, and Var(W) = σ²/n + N → N",
        counter_example="ε = 1 nat, T = 1: Var(W) → 0.1565.",
        check=check_left_over,
    ),
)
