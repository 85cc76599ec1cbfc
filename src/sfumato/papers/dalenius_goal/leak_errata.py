"""Where we depart from [E, Sec. 2 to 4]: logarithms, the balance function, and the basic channels.

Each check takes what is printed as an argument, so that a test can hand it the right thing and see it complain.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from sfumato.design.exponential_noise import exponential, exponential_of, noise_entropy_nats
from sfumato.measures.amplitude.capacities import amplitude_capacity
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
    """Over the alphabet the print is right; over what can happen, at a degenerate law there is nothing to learn."""
    truth, lie = examples.one_bit(_TWO).row(0)
    over_alphabet = math.log2(max(truth, lie) / min(truth, lie))  # the law is sure of the other value
    must_show("over the alphabet the print is right", holds=math.isclose(printed(2.0), over_alphabet))
    at = [examples.max_information(_TWO, Fraction(1, n)) for n in (10, 1000, 10**6)]
    said = (0.862496, 0.998558, 0.999999)
    must_show("it is as said", holds=all(abs(one - bits) < 5e-7 for one, bits in zip(at, said, strict=True)))
    must_show("it rises towards log2 of the odds", holds=at == sorted(at) and at[-1] < 1)
    there = examples.max_information(_TWO, Fraction(0))
    must_show("at the degenerate law it is 0 over what can happen", holds=there == 0)


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
    must_show("all 62 functions onto {0, 1} of a ternary record and a bit reach it", holds=examples.settled(3) == 62)
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


def check_budget_unit(printed: Callable[[float], float] = in_print.printed_gaussian_variance) -> None:
    """A budget of one bit put into exp(2ε): the noise of (117) lets more than one bit through."""
    leak = amplitude_capacity(1 / printed(1.0)).bits
    must_show("more than one bit leaks", holds=leak.lower > 1.1)
    in_nats = amplitude_capacity(1 / in_print.printed_gaussian_variance(examples.LN2)).bits
    must_show("with ε in nats the budget is kept", holds=in_nats.upper <= 1)


Units = tuple[Callable[[float], float], Callable[[int, float], float], Callable[[float], float]]
_UNITS: Units = (
    in_print.printed_max_information_bits,
    in_print.printed_noise_entropy,
    in_print.printed_gaussian_variance,
)


def check_units(printed: Units = _UNITS) -> None:
    """One question in three places: Theorem 1, the exponential channel and the Gaussian channel."""
    base, entropy, budget = printed
    check_base(base)
    check_noise_entropy(entropy)
    check_budget_unit(budget)


LEAK_ERRATA = (
    Erratum(
        where="The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)",
        kind="unit or notation",
        quoted="any possible adversary can only obtain at most ε bits information of each individual",
        reading="one ε for e^ε, for log without a base and for bits; in one base Theorem 1, (82) and (117) are true",
        printed="ε of differential privacy, of log k - H(Z) ≤ ε and of exp(2ε) beside ε bits",
        correct="e^ε and exp take nats: ε nats are ε·log2(e) bits, with log2 the two fractions of (82) need a factor "
        "log2(e), and for ε bits (117) is T²/(4^ε - 1)",
        counter_example="The count of two bits with geometric noise of odds 2: ε = ln 2 = 0.6931, and max-information "
        "about independent bits comes as near to 1 bit as one likes. Randomised response with 100000 answers, 97 of "
        f"100 true: ε = {uniform_response()[0]:.4f}, and I(X;Y) is {uniform_response()[1]:.4f} bits. Four answers, "
        f"λ = 1: H(Z) is 1.36701 bits; (82) with log2 has {in_print.printed_noise_entropy(4, 1.0):.5f}. One bit by "
        "(117) as printed, N = T²/6.389, lets 1.1274 bits through.",
        check=check_units,
    ),
    Erratum(
        where="Definition 7 and after eq. (14), alphabet or support",
        kind="unit or notation",
        quoted="the equality of (10) holds when the probability distribution p(x_i) is one degenerate distribution",
        reading="the maximum of Definition 7 over the support; over the alphabet, as it is printed, it is true",
        printed="(10) is an equality where the law of the record is degenerate",
        correct="right as printed: a value of probability 0 is in the maximum, and P(y|x) is the channel's. The "
        "software measures a law over what can happen; there I_∞ is 0 at the degenerate law, and the equality a limit.",
        counter_example="Randomised response of odds 2: over the alphabet 1 bit at the degenerate law; over the "
        "support 0 there, and 0.862496, 0.998558, 0.999999 where the other value has probability 1/10, 1/1000, 10⁻⁶.",
        check=check_degenerate,
    ),
    Erratum(
        where="Abstract and Section 1, “equivalent”",
        kind="missing hypothesis",
        quoted="if the independence assumption is true, then differential privacy is equivalent to Dalenius' goal",
        reading=(
            "with the goal defined by I(X_i;Y), as in Section 2; Section 9.1 itself adds “when we define Dalenius "
            "security by using I_∞(X_i;Y)”, and so read it is true"
        ),
        printed="with independent records, differential privacy is equivalent to Dalenius’ goal",
        correct="it implies it. Dalenius’ goal is defined by I(X_i;Y), and only the bound on I_∞ is equivalent.",
        counter_example="A bit, told with probability 1/100 with odds of 1000: C_1 is 0.0099 bits, and ε is 6.9078.",
        check=check_converse,
    ),
    Erratum(
        where="After Lemma 1, b and δ",
        kind="unit or notation",
        quoted=(
            "the more large b is means that the more weak adversaries are, which then implies more large data "
            "utility and more large δ"
        ),
        reading="“larger” taken strictly; Lemma 1 has it right as “non-decreasing”",
        printed="the larger b, the larger δ = g(b)",
        correct="g never falls, but it can stay 0: an adversary who lacks almost everything may learn as much as any",
        counter_example="The parity of n bits through BSC(1/10): g(b) = 0 up to b = n - 1.",
        check=check_plateau,
    ),
    Erratum(
        where="Lemma 1 and Proposition 4, g(0) for continuous records",
        kind="missing hypothesis",
        quoted="0 = g(0) ≤ g(b) ≤ g(log |X|) ≤ C_1",
        reading="records in an interval, with the entropy of eq. (85)",
        printed="g(0) = 0; with b_n = 0 the noise is that for all adversaries",
        correct="for discrete records. By eq. (85) entropy can be negative, and H(X) ≥ 0 leaves out the adversaries "
        "who know most, or all of them.",
        counter_example="A record in [-1/4, 1/4]: no law has an entropy above -1 bit, so Δ(X)_0 is empty.",
        check=check_no_law,
    ),
    Erratum(
        where="Section 4.1, records with three or more values",
        kind="question settled",
        quoted="However, whether this bound is reachable is unknown.",
        reading="",
        printed="C_1 ≤ log 2 - H(p); whether it is reached is unknown",
        correct="it is reached for every f whose range is {0, 1}, as the print has f: two values of one record whose "
        "answers differ suffice",
        counter_example="All 62 such functions of a ternary record and a bit have C_1 = 1 - H2(1/10) = 0.5310.",
        check=check_open_case,
    ),
    Erratum(
        where="After eq. (82), λ ≤ 1",
        kind="missing hypothesis",
        quoted="where k ≥ 1 and λ = 1/N ≤ 1",
        reading="for any N > 0, as Definition 15 allows; for N ≥ 1 it is true",
        printed="λ = 1/N ≤ 1",
        correct="any λ > 0, as Definition 15 has any N > 0; with few answers all but small budgets need λ > 1",
        counter_example="Two answers and a budget of half a bit: λ = 2.09. At λ = 1 only 0.1601 bits leak.",
        check=check_rate,
    ),
)
