"""Where [E, Sec. 2 to 4] is misprinted or mistaken: logarithms, the balance function, and the basic channels.

Each check takes what is printed as an argument, so that a test can hand it the right thing and see it complain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from sfumato.design.exponential_noise import exponential, exponential_of, noise_entropy_nats
from sfumato.measures.balances.plateau import plateau_bits
from sfumato.measures.capacity import capacity_bits
from sfumato.measures.correlations import neighbour_epsilon
from sfumato.measures.enclosures import entropy_interval
from sfumato.measures.ldp import epsilon as ldp_epsilon
from sfumato.papers.dalenius_goal import examples, noise
from sfumato.papers.dalenius_goal import printed as in_print
from sfumato.papers.records import Erratum, must_show

_TWO, _THOUSAND = Fraction(2), Fraction(1000)
_ANSWERS, _KEPT = 100_000, Fraction(97, 100)


def uniform_response() -> tuple[float, float]:
    """ε in nats and I(X;Y) in bits of randomised response with many answers, all equally likely."""
    other = (1 - _KEPT) / (_ANSWERS - 1)
    noise = entropy_interval([(_KEPT, 1), (other, _ANSWERS - 1)])
    return math.log(_KEPT / other), math.log2(_ANSWERS) - noise.upper


def check_base(printed: Callable[[float], float] = in_print.printed_max_information_bits) -> None:
    """An ε in nats is 1.44 times as many bits; Theorem 1 and Corollary 1 say ε bits."""
    epsilon = neighbour_epsilon(examples.geometric_count(_TWO), (2, 2))
    nearly = examples.max_information(_TWO, Fraction(1, 1000))
    must_show("max-information comes as near to one bit as one likes", holds=0.99 < nearly < 1)
    must_show("more than is printed", holds=nearly > printed(epsilon) + 0.3)
    nats, bits = uniform_response()
    must_show("I(X;Y) too can be more bits than ε has nats", holds=bits > printed(nats) + 0.9)


def check_degenerate(printed: Callable[[float], float] = in_print.printed_degenerate_bits) -> None:
    """A value that cannot happen is not in the maximum: at a degenerate law there is nothing to learn."""
    at = [examples.max_information(_TWO, Fraction(1, n)) for n in (10, 100, 1000)]
    must_show("it rises towards log2 of the odds", holds=at == sorted(at) and at[-1] < 1)
    there = examples.max_information(_TWO, Fraction(0))
    must_show("at the degenerate law it is 0", holds=there == 0)
    must_show("the print says otherwise", holds=printed(2.0) > there + 0.5)


def check_converse(printed: Callable[[float], float] = in_print.printed_epsilon) -> None:
    """A report that rarely says anything leaks 0.01 bits, and is nowhere near 0.01-differentially private."""
    channel = examples.rarely_told(_THOUSAND)
    leak = capacity_bits(channel)
    must_show("C_1 is below 0.01 bits", holds=leak.upper < 0.01)
    must_show("ε is far more", holds=ldp_epsilon(channel) > printed(leak.upper) + 6)


def check_plateau(printed: Callable[[int], float] = in_print.printed_plateau_bits) -> None:
    """The parity of n bits: an adversary who lacks n - 1 of n bits learns as much as one who lacks none."""
    for records in (3, 4):
        end = plateau_bits(examples.truth_of("parity", records), (2,) * records)
        must_show("g is 0 up to n - 1 bits", holds=abs(end - (records - 1)) < 1e-9)
        must_show("the print has it rise before", holds=printed(records) < end - 1)
    found = examples.balances("parity", (0.0, 1.0, 2.0, 2.5))
    must_show("the program finds no gain either", holds=max(one.bits.upper for one in found[:3]) < 1e-5)
    must_show("it rises after that", holds=found[3].bits.lower > 0.2)


def check_no_law(printed: Callable[[float], float] = in_print.printed_least_entropy) -> None:
    """On an interval of length 1/2 the largest entropy is -1 bit: no law is in Δ(X)_0."""
    must_show("the largest entropy is negative", holds=noise.largest_entropy_bits(0.25) == -1)
    must_show("the print needs one that is not", holds=printed(0.25) > -0.5)


def check_open_case(printed: Callable[[int], int] = in_print.printed_settled) -> None:
    """Two values of one record whose answers differ make the whole binary symmetric channel."""
    must_show("all 62 functions of a ternary record and a bit reach it", holds=examples.settled(3) == 62)
    must_show("constant functions leak nothing", holds=examples.individual_bits(examples.TENTH, (0,) * 6) < 1e-8)
    must_show("the print leaves some open", holds=printed(3) < 62)


def check_noise_entropy(printed: Callable[[int, float], float] = in_print.printed_noise_entropy) -> None:
    """Four answers, λ = 1: the sum itself, and (82) with a logarithm of base 2."""
    weights = [math.exp(-rank) for rank in range(4)]
    law = [weight / math.fsum(weights) for weight in weights]
    direct = -math.fsum(p * math.log2(p) for p in law)
    must_show("H(Z) is 1.36701 bits", holds=abs(direct - 1.36701) < 5e-6)
    must_show("in nats (82) is right", holds=math.isclose(noise_entropy_nats(4, 1.0) / math.log(2), direct))
    must_show("in bits it is not", holds=abs(printed(4, 1.0) - direct) > 0.1)


def check_rate(printed: Callable[[float], float] = in_print.printed_largest_rate) -> None:
    """Two answers and half a bit: λ = 2.09 is within the budget, and λ = 1 uses a third of it."""
    found = exponential(examples.on_a_line(2), budget_bits=Fraction(1, 2))
    must_show("the sharper channel is within the budget", holds=found.capacity_bits.upper <= 0.5)
    must_show("its rate is 2.09", holds=abs(found.rate - 2.09) < 0.005)
    must_show("the print forbids it", holds=printed(0.5) < found.rate - 0.5)
    slow = exponential_of(examples.on_a_line(2), ratio=Fraction(math.exp(-1)).limit_denominator(10**6))
    must_show("at λ = 1 0.16 bits leak", holds=abs(slow.capacity_bits.upper - 0.1601) < 5e-5)


LEAK_ERRATA = (
    Erratum(
        where="Theorem 1 and Corollary 1, the logarithm",
        printed="ε of differential privacy and ε bits of information are one number",
        correct="the ε of [4,6], with e^ε for the odds, is in nats and makes ε·log2(e) bits; Theorem 1 holds in any "
        "one base",
        counter_example="The count of two bits with geometric noise of odds 2: ε = ln 2 = 0.6931, and max-information "
        "about independent bits comes as near to 1 bit as one likes. Randomised response with 100000 answers, 97 of "
        f"100 true: ε = {uniform_response()[0]:.4f}, and I(X;Y) is {uniform_response()[1]:.4f} bits.",
        check=check_base,
    ),
    Erratum(
        where="Proof of Theorem 1, after eq. (14)",
        printed="(10) is an equality where the law of the record is degenerate",
        correct="there I_∞ = 0, as the other value cannot happen. The equality is a limit: C_{1,∞} is a supremum that "
        "no law reaches.",
        counter_example="Randomised response of odds 2: I_∞ is 0 at the degenerate law, where the print has 1 bit, and "
        "below 1 bit at every other.",
        check=check_degenerate,
    ),
    Erratum(
        where="Abstract and Section 1, “equivalent”",
        printed="with independent records, differential privacy is equivalent to Dalenius’ goal",
        correct="it implies it. Dalenius’ goal is defined by I(X_i;Y), and only the bound on I_∞ is equivalent.",
        counter_example="A bit, told with probability 1/100 with odds of 1000: C_1 is 0.0099 bits, and ε is 6.9078.",
        check=check_converse,
    ),
    Erratum(
        where="After Lemma 1, b and δ",
        printed="the larger b, the larger δ = g(b)",
        correct="g never falls, but it can stay 0: an adversary who lacks almost everything may learn as much as any",
        counter_example="The parity of n bits through BSC(1/10): g(b) = 0 up to b = n - 1.",
        check=check_plateau,
    ),
    Erratum(
        where="Lemma 1 and Proposition 4, g(0) for continuous records",
        printed="g(0) = 0; with b_n = 0 the noise is that for all adversaries",
        correct="for discrete records. By eq. (85) entropy can be negative, and H(X) ≥ 0 leaves out the adversaries "
        "who know most, or all of them.",
        counter_example="A record in [-1/4, 1/4]: no law has an entropy above -1 bit, so Δ(X)_0 is empty.",
        check=check_no_law,
    ),
    Erratum(
        where="Section 4.1, records with three or more values",
        printed="C_1 ≤ log 2 - H(p); whether it is reached is unknown",
        correct="it is reached for every f that is not constant: two values of one record whose answers differ "
        "suffice. A constant leaks nothing, which the case of two values overlooks.",
        counter_example="All 62 such functions of a ternary record and a bit have C_1 = 1 - H2(1/10) = 0.5310.",
        check=check_open_case,
    ),
    Erratum(
        where="Equations (71)-(82), the logarithm",
        printed="H(Z) with log and exp, beside log k - H(Z) ≤ ε with ε in bits",
        correct="(82) is in nats: with log2 its two fractions need a factor log2(e)",
        counter_example=f"Four answers, λ = 1: H(Z) is 1.36701 bits; (82) with log2 has "
        f"{in_print.printed_noise_entropy(4, 1.0):.5f}.",
        check=check_noise_entropy,
    ),
    Erratum(
        where="After eq. (82), λ ≤ 1",
        printed="λ = 1/N ≤ 1",
        correct="any λ > 0, as Definition 15 has any N > 0; with few answers all but small budgets need λ > 1",
        counter_example="Two answers and a budget of half a bit: λ = 2.09. At λ = 1 only 0.1601 bits leak.",
        check=check_rate,
    ),
)
