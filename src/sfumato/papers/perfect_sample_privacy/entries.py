"""What [D] says in its examples, table, figures and text, number by number, beside what the software finds."""

from __future__ import annotations

from fractions import Fraction

from sfumato.disclose.data_laws import DataLaw, feature_of
from sfumato.disclose.disclosures import check_independence, told_bits
from sfumato.disclose.optimal_disclosure import ceiling_bits
from sfumato.disclose.polytope import corners, nullity
from sfumato.disclose.running_sums import RunningSums
from sfumato.disclose.two_binary import two_binary_corners
from sfumato.disclose.window_schemes import overlap_leaks
from sfumato.errors import NotCertified
from sfumato.measures.enclosures import entropy_interval
from sfumato.papers.perfect_sample_privacy import examples, printed
from sfumato.papers.records import Entry

TENTH, QUARTER, THREE_TENTHS = Fraction(1, 10), Fraction(1, 4), Fraction(3, 10)
TWO_THIRDS = Fraction(2, 3)


def _first_weight(alpha: Fraction, beta: Fraction, r: Fraction) -> Fraction:
    law = DataLaw.of([[alpha - r, r], [beta - alpha + r, 1 - beta - r]])
    return two_binary_corners(law)[0][1]


def _outputs_of_sum(modulus: int) -> int:
    """How many outputs tell all of the sum of four fair samples; refused unless that is private and the most."""
    law, mapping = examples.sum_of_four(modulus)
    check_independence(law, law.singles(), mapping)
    feature = feature_of(law, mapping.array.reshape((*law.shape, modulus)))
    if told_bits(law, mapping, feature).upper < ceiling_bits(law, law.singles(), feature) - 1e-9:
        raise NotCertified("the sum itself is not the best disclosure of the sum")
    return mapping.shape[1]


def _called_necessary(modulus: int) -> int:
    law, _ = examples.sum_of_four(modulus)
    return printed.printed_fewest_outputs(law.size, law.size - nullity(law, law.singles()))


def _block_corners(count: int) -> int:
    law = examples.blocks_law(count)
    return len(corners(law, law.singles()))


def _first_leak(q: Fraction) -> float:
    scheme = examples.pairs(q, 3)
    return overlap_leaks(scheme.law, scheme.mapping, size=3, stride=1, n=4)[0].midpoint


def _entropy(q: Fraction) -> float:
    return entropy_interval(((q, 1), (1 - q, 1))).midpoint


def _in_both_sets(epsilon: Fraction) -> int:
    sets = [set(examples.weakly_typical(examples.TENTH, 20, Fraction(epsilon), value)) for value in (0, 1)]
    return len(sets[0] & sets[1])


_CHAIN = "Section V-C2, eq. (67)"


def _measured(count: int, value: float, tolerance: float) -> Entry:
    return Entry(
        place="table-1",
        what=f"I_s of {count} measurements of W ~ Bern(1/3) through BSC(α), bits",
        parameter="α",
        value=TENTH,
        ours=lambda alpha: examples.through_bsc(count, alpha).lower_bits,
        says=f"{value:.2e}",
        printed=lambda _: value,
        tolerance=tolerance,
    )


ENTRIES = (
    _measured(2, printed.TABLE_1[2], 5e-6),
    _measured(3, printed.TABLE_1[3], 5e-5),
    _measured(4, printed.TABLE_1[4], 5e-5),
    Entry(
        place="example-2",
        what="I_s, W a fair coin through BSC(α) and BEC(1/2), bits",
        parameter="α",
        value=TWO_THIRDS,
        ours=lambda alpha: examples.example_2(alpha).lower_bits,
        says="0.0134",
        printed=lambda _: printed.EXAMPLE_2_BITS,
        tolerance=5e-5,
    ),
    Entry(
        place="example-2",
        what="P(W=0 | X1=0, X2 erased)",
        parameter="α",
        value=TWO_THIRDS,
        ours=lambda alpha: examples.example_2_law(alpha)[1][0][1][0],
        says="2/3",
        printed=lambda alpha: printed.printed_posterior(alpha)[0][1],
        erratum="Example 2, eq. (20)",
    ),
    Entry(
        place="Section III-B",
        what="two binary samples, α = 1/3, β = 1/2: weight of the corner p-(R-r)n",
        parameter="r",
        value=QUARTER,
        ours=lambda r: _first_weight(Fraction(1, 3), Fraction(1, 2), r),
        says="r/R",
        printed=lambda r: printed.printed_weight(Fraction(1, 3), Fraction(1, 2), r),
    ),
    Entry(
        place="Section III-B",
        what="two binary samples, α = 3/5, β = 2/5: weight of the corner p-(R-r)n",
        parameter="r",
        value=THREE_TENTHS,
        ours=lambda r: _first_weight(Fraction(3, 5), Fraction(2, 5), r),
        says="r/R",
        printed=lambda r: printed.printed_weight(Fraction(3, 5), Fraction(2, 5), r),
        erratum="Section III-B, eqs. (24)-(26)",
    ),
    Entry(
        place="Corollary 1.1",
        what="outputs that tell all of the sum mod M of four fair samples",
        parameter="M",
        value=2,
        ours=_outputs_of_sum,
        says="at least ⌈M⁴/(4M-3)⌉",
        printed=_called_necessary,
        relation="≥",
        erratum="Corollary 1.1",
    ),
    Entry(
        place="Proposition 4",
        what="corners of S for disjoint 2×2 blocks of fair coins, with |X^| = Σ|X_i| - n + 2",
        parameter="blocks",
        value=2,
        ours=_block_corners,
        says="two extreme points",
        printed=lambda _: 2,
        erratum="Proposition 4",
    ),
    Entry(
        place="Example 3",
        what="efficiency of masked sums of two neighbours mod 3",
        parameter="n",
        value=4,
        ours=lambda n: RunningSums(modulus=3, window=2, masked=True).efficiency(n),
        says="at least ((n-k+1)M - log M)/(nM)",
        printed=lambda n: printed.printed_running_sums(n, 2, 3),
        relation="≥",
        erratum="Example 3, eq. (61)",
    ),
    Entry(
        place="Section V-C1",
        what="what windows of three at every sample tell about the first of four samples, bits",
        parameter="q",
        value=THREE_TENTHS,
        ours=_first_leak,
        says="nothing",
        printed=lambda _: printed.printed_overlap_leak(3),
        erratum="Section V-C1, windows of k ≥ 3",
    ),
    Entry(
        place="figure-4",
        what="the optimum: part of four samples that is told",
        parameter="q",
        value=THREE_TENTHS,
        ours=lambda q: examples.four_coins(q).lower_bits / (4 * _entropy(q)),
        says="a curve",
    ),
    Entry(
        place="figure-4",
        what="pairs of neighbours: part of four samples that is told",
        parameter="q",
        value=THREE_TENTHS,
        ours=lambda q: examples.pairs(q).efficiency(4).midpoint,
        says="Σ I(Y_j; X_j | X_{j+1}) / H(X^4)",
        printed=lambda q: printed.printed_pairs_bits(q, 4) / (4 * _entropy(q)),
    ),
    Entry(
        place="figure-4",
        what="the uniformised chain: part of four samples that is told",
        parameter="q",
        value=THREE_TENTHS,
        ours=lambda q: examples.uniformised(q).efficiency(4).midpoint,
        says="eq. (67) / H(X^4)",
        printed=lambda q: printed.printed_uniformised_bits(q, 4) / (4 * _entropy(q)),
        erratum=_CHAIN,
    ),
    Entry(
        place="figure-5",
        what="pairs of neighbours: part of many samples that is told",
        parameter="q",
        value=THREE_TENTHS,
        ours=lambda q: examples.pairs(q).asymptotic_efficiency.midpoint,
        says="I(Y_1; X_1 | X_2) / H(X_1)",
        printed=lambda q: printed.printed_pairs_bits(q, 2) / _entropy(q),
    ),
    Entry(
        place="figure-5",
        what="the uniformised chain: part of many samples that is told",
        parameter="q",
        value=TENTH,
        ours=lambda q: examples.uniformised(q).asymptotic_efficiency.midpoint,
        says="eq. (67) for two samples / h(q)",
        printed=lambda q: printed.printed_uniformised_bits(q, 2) / _entropy(q),
        erratum=_CHAIN,
    ),
    Entry(
        place="Section V-C2",
        what="what the uniformised chain tells of four samples, bits",
        parameter="q",
        value=THREE_TENTHS,
        ours=lambda q: examples.uniformised(q).information_bits(4).midpoint,
        says="eq. (67)",
        printed=lambda q: printed.printed_uniformised_bits(q, 4),
        erratum=_CHAIN,
    ),
    Entry(
        place="Remark 3",
        what="numbers of ones among 20 samples through BSC(1/10) that eq. (37) calls typical for both values of W",
        parameter="ε",
        value=THREE_TENTHS,
        ours=_in_both_sets,
        says="all that are typical for one",
        printed=lambda epsilon: len(
            printed.printed_typical(examples.weakly_typical(examples.TENTH, 20, Fraction(epsilon), 0))
        ),
        erratum="Remark 3",
    ),
    Entry(
        place="Appendix C",
        what="P(W = 1 | x^n), W fair through BSC(1/10), a tenth of x^n ones",
        parameter="n",
        value=10,
        ours=lambda n: float(examples.other_value(n)),
        says="0",
        printed=printed.printed_other_value,
        erratum="Appendix C, after eq. (84)",
    ),
    Entry(
        place="Section V-C2",
        what="what the uniformised chain tells of two samples, bits",
        parameter="q",
        value=THREE_TENTHS,
        ours=lambda q: examples.uniformised(q).information_bits(2).midpoint,
        says="eq. (67), third line",
        printed=printed.printed_third_line_bits,
        erratum="Section V-C2, eq. (67), third line",
    ),
)
