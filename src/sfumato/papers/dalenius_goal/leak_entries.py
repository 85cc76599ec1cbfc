"""What [E, Sec. 2 to 4] says, number by number, beside what the software finds."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.design.exponential_noise import exponential, noise_entropy_nats
from sfumato.design.flipped_answers import flip as flip_for
from sfumato.measures.balances.plateau import plateau_bits
from sfumato.measures.capacity import capacity_bits
from sfumato.measures.correlations import max_individual_capacity_bits, neighbour_epsilon, neighbour_odds
from sfumato.measures.individual.capacities import individual_capacity_bits
from sfumato.measures.ldp import epsilon as ldp_epsilon
from sfumato.papers.dalenius_goal import examples, noise, printed
from sfumato.papers.records import Entry

_HALF, _TWO = Fraction(1, 2), Fraction(2)


def _independent_bits(odds: Fraction) -> float:
    """The least upper bound of max-information about independent records, in bits."""
    return math.log2(neighbour_odds(examples.geometric_count(odds), (2, 2)))


def _plateau(question: str, records: int) -> float:
    return plateau_bits(examples.truth_of(question, records), (2,) * records)


LEAK_ENTRIES = (
    Entry(
        place="example-1",
        what="channels that a record of Example 1 can select",
        parameter="record",
        value=1,
        ours=lambda record: len(examples.selections(examples.TENTH, record)),
        says="8 for the first, 9 for the second",
        printed=lambda record: printed.SELECTIONS[record],
    ),
    Entry(
        place="figure-1",
        what="C_1 of Example 1 through BSC(p), bits",
        parameter="p",
        value=examples.TENTH,
        ours=examples.individual_bits,
        says="≤ log 2 - H(p)",
        printed=printed.printed_flip_bits,
        relation="≤",
    ),
    Entry(
        place="Section 4.1",
        what="yes/no functions of a record with k values and a bit that are known to reach log 2 - H(p)",
        parameter="k",
        value=3,
        ours=examples.settled,
        says="unknown",
        printed=printed.printed_settled,
        erratum="Section 4.1, records with three or more values",
    ),
    Entry(
        place="budgets",
        what="the flip p* for ε bits",
        parameter="ε",
        value=_HALF,
        ours=lambda bits: flip_for(budget_bits=bits).flip,
        says="H(p) = log 2 - ε, eq. (57)",
        printed=printed.printed_flip,
        tolerance=2**-31,  # the software's flips are multiples of 2^-32
    ),
    Entry(
        place="budgets",
        what="the rate λ of four answers for ε bits",
        parameter="ε",
        value=_HALF,
        ours=lambda bits: examples.rate_for(4, bits),
        says="log k - H(Z) = ε, eq. (83)",
        printed=lambda bits: printed.printed_rate(4, bits),
    ),
    Entry(
        place="Section 4.2",
        what="C_1 of a record of three values told truly with probability q, bits",
        parameter="q",
        value=Fraction(4, 5),
        ours=lambda kept: individual_capacity_bits(examples.randomised_of_three(kept), (3,), gap_bits=1e-9).midpoint,
        says="log|Y| - H(Z), eq. (65)",
        printed=lambda kept: printed.printed_symmetric_bits((kept, (1 - kept) / 2, (1 - kept) / 2)),
    ),
    Entry(
        place="Section 4.3",
        what="H(Z) of four answers, bits",
        parameter="λ",
        value=1.0,
        ours=lambda rate: noise_entropy_nats(4, rate) / examples.LN2,
        says="eq. (82)",
        printed=lambda rate: printed.printed_noise_entropy(4, rate),
        erratum="The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)",
    ),
    Entry(
        place="Section 4.3",
        what="the sharpest rate λ of two answers for ε bits",
        parameter="ε",
        value=_HALF,
        ours=lambda bits: exponential(examples.on_a_line(2), budget_bits=bits).rate,
        says="λ ≤ 1",
        printed=printed.printed_largest_rate,
        relation="≤",
        erratum="After eq. (82), λ ≤ 1",
    ),
    Entry(
        place="Section 4.3",
        what="capacity of the exponential channel with k answers on a line at λ = ln 2, bits",
        parameter="k",
        value=4,
        ours=lambda k: examples.on_line_bits(k).upper,
        says="≤ log k - H(Z), eq. (84)",
        printed=lambda k: math.log2(k) - printed.printed_noise_entropy(k, math.log(2), math.log) / examples.LN2,
        relation="≤",
    ),
    Entry(
        place="Theorem 1",
        what="most max-information about independent bits, counted with geometric noise, bits",
        parameter="odds",
        value=_TWO,
        ours=_independent_bits,
        says="ε",
        printed=lambda odds: printed.printed_max_information_bits(
            neighbour_epsilon(examples.geometric_count(odds), (2, 2))
        ),
        erratum="The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)",
    ),
    Entry(
        place="correlated",
        what="most max-information about one of two bits that may be equal, same noise, bits",
        parameter="odds",
        value=_TWO,
        ours=lambda odds: max_individual_capacity_bits(examples.geometric_count(odds), (2, 2)).midpoint,
        says="more than with independent bits, log odds",
        printed=math.log2,
        relation="≥",
    ),
    Entry(
        place="Theorem 1, proof",
        what="I_∞ over what can happen of a bit through randomised response of odds 2, bits",
        parameter="P(1)",
        value=Fraction(0),
        ours=lambda surprise: examples.max_information(_TWO, surprise),
        says="log odds where P is degenerate",
        printed=lambda _: printed.printed_degenerate_bits(2.0),
        erratum="Definition 7 and after eq. (14), alphabet or support",
    ),
    Entry(
        place="Abstract",
        what="ε of a bit told with probability 1/100, nats",
        parameter="odds",
        value=Fraction(1000),
        ours=lambda odds: ldp_epsilon(examples.rarely_told(odds)),
        says="no more than C_1, as both are equivalent",
        printed=lambda odds: printed.printed_epsilon(capacity_bits(examples.rarely_told(odds)).upper),
        relation="≤",
        erratum="Abstract and Section 1, “equivalent”",
    ),
    Entry(
        place="balance",
        what="g(b) of the parity of three bits through BSC(1/10), bits",
        parameter="b",
        value=2.5,
        ours=lambda b: examples.balances("parity", (float(b),))[0].bits.midpoint,
        says="left open",
    ),
    Entry(
        place="balance",
        what="the b up to which g is 0, majority of n bits",
        parameter="n",
        value=3,
        ours=lambda n: _plateau("majority", n),
        says="left open",
    ),
    Entry(
        place="Section 2.2",
        what="the b up to which g is 0, parity of n bits",
        parameter="n",
        value=3,
        ours=lambda n: _plateau("parity", n),
        says="0: the larger b, the larger g",
        printed=printed.printed_plateau_bits,
        erratum="After Lemma 1, b and δ",
    ),
    Entry(
        place="Lemma 1",
        what="largest entropy of a record in [-T, T], bits",
        parameter="T",
        value=0.25,
        ours=noise.largest_entropy_bits,
        says="≥ 0, since every law is in Δ(X)_0",
        printed=printed.printed_least_entropy,
        relation="≥",
        erratum="Lemma 1 and Proposition 4, g(0) for continuous records",
    ),
)
