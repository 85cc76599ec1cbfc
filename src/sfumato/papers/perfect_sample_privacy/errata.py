"""Where we depart from [D], each entry with its kind and an example that runs.

Each check takes what is printed as an argument, so that a test can hand it the right thing and see it complain.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from sfumato.disclose.data_laws import DataLaw, feature_of
from sfumato.disclose.disclosures import check_independence, told_bits
from sfumato.disclose.optimal_disclosure import ceiling_bits, optimum
from sfumato.disclose.polytope import corners, nullity
from sfumato.disclose.running_sums import RunningSums
from sfumato.disclose.scheme_checks import information_by_listing
from sfumato.disclose.two_binary import two_binary_corners
from sfumato.disclose.window_schemes import overlap_leaks
from sfumato.papers.perfect_sample_privacy import examples
from sfumato.papers.perfect_sample_privacy import printed as in_print
from sfumato.papers.perfect_sample_privacy.proof_errata import PROOF_ERRATA
from sfumato.papers.records import Erratum, must_show
from sfumato.prob import Channel

_Q = Fraction(3, 10)
_ALPHA, _BETA, _R = Fraction(3, 5), Fraction(2, 5), Fraction(3, 10)


def check_posterior(printed: Callable[[Fraction], in_print.Rows] = in_print.printed_posterior) -> None:
    """The printed P(w|x) makes X1 a fair coin given W, so it belongs to no α but 1/2 beside the printed law."""
    law, about = examples.example_2_law(Fraction(2, 3))
    masses = [Fraction(mass) for mass in law.masses]
    first = printed(Fraction(2, 3))[0]
    flipped = sum((p * w for p, w, cell in zip(masses, first, law.cells.tolist(), strict=True) if cell[0]), Fraction(0))
    must_show("the printed matrix flips X1 half the time when W = 0", holds=2 * flipped == Fraction(1, 2))
    right = printed(Fraction(1, 3))[0]
    must_show(
        "the entries of the other α are Bayes' rule",
        holds=list(right) == [cell[0] for row in about for cell in row],
    )
    as_printed = np.array([[float(v) for v in row] for row in printed(Fraction(2, 3))]).T.reshape(2, 3, 2)
    values = [optimum(law, table).lower_bits for table in (about, as_printed)]
    must_show("I_s is the same for both", holds=abs(values[0] - values[1]) < 1e-9)


def check_two_binary(
    printed: Callable[[Fraction, Fraction, Fraction], tuple[tuple[Fraction, ...], ...]] = in_print.printed_corners,
) -> None:
    """For α > β the printed corner has negative entries; from r_0 = α-β on, the closed form is right."""
    law = DataLaw.of([[_ALPHA - _R, _R], [_BETA - _ALPHA + _R, 1 - _BETA - _R]])
    must_show("a printed corner is no law", holds=min(min(corner) for corner in printed(_ALPHA, _BETA, _R)) < 0)
    ours = two_binary_corners(law)
    must_show("ours are the corners", holds={corner for corner, _ in ours} == set(corners(law, law.singles())))
    must_show("the weights are 1/4 and 3/4", holds=[weight for _, weight in ours] == [Fraction(1, 4), Fraction(3, 4)])
    turned = printed(_BETA, _ALPHA, _R - (_ALPHA - _BETA))
    swapped = {(a, c, b, d) for a, b, c, d in turned}
    must_show("with the samples exchanged the print is right", holds=swapped == {corner for corner, _ in ours})


def check_fewest_outputs(printed: Callable[[int, int], int] = in_print.printed_fewest_outputs) -> None:
    """The parity of four fair coins is told whole by two outputs, which are no corners; four are called necessary."""
    law, parity = examples.sum_of_four(2)
    check_independence(law, law.singles(), parity)
    feature = feature_of(law, parity.array.reshape((2,) * 5))
    told = told_bits(law, parity, feature)
    must_show("two outputs reach the ceiling", holds=told.upper >= ceiling_bits(law, law.singles(), feature) - 1e-9)
    rank = law.size - nullity(law, law.singles())
    must_show("more than two are called necessary", holds=printed(law.size, rank) > parity.shape[1])


def check_one_direction(printed: Callable[[Sequence[int], int], bool] = in_print.printed_one_direction) -> None:
    """Two 2×2 blocks meet the printed condition; S has four corners, and the best mapping depends on the feature."""
    law = examples.blocks_law(2)
    must_show("the condition is met", holds=printed(law.shape, law.size))
    must_show("two directions are free", holds=nullity(law, law.singles()) == 2)
    must_show("S has four corners", holds=len(corners(law, law.singles())) == 4)
    alike, crossed = (_block_feature(law, turn) for turn in (0, 1))
    first, second = optimum(law, alike), optimum(law, crossed)
    must_show("both features can be told", holds=min(first.lower_bits, second.lower_bits) > 0.5)
    borrowed = told_bits(law, first.channel, feature_of(law, crossed))
    must_show("the best mapping for one is not best for the other", holds=borrowed.upper < second.lower_bits - 0.1)


def check_running_sums(printed: Callable[[int, int, int], float] = in_print.printed_running_sums) -> None:
    """Four ternary samples, sums of two with a mask: all data sets listed, the efficiency is 1/2."""
    sums = RunningSums(modulus=3, window=2, masked=True)
    listed = information_by_listing(sums.law, 4, sums.output_law).midpoint / (4 * math.log2(3))
    must_show("the efficiency is 1/2", holds=math.isclose(listed, 0.5, rel_tol=1e-9))
    must_show("the printed bound from below is above it", holds=printed(4, 2, 3) > 0.6)


def check_overlap(printed: Callable[[int], float] = in_print.printed_overlap_leak) -> None:
    """Windows of three at every sample: each is private, and together they are not."""
    scheme = examples.pairs(_Q, 3)
    leaks = overlap_leaks(scheme.law, scheme.mapping, size=3, stride=1, n=4)
    expected = (0.1119, 0.1535, 0.1535, 0.1119)
    must_show(
        "the leaks are as said",
        holds=all(abs(leak.midpoint - said) < 5e-5 for leak, said in zip(leaks, expected, strict=True)),
    )
    must_show("more leaks than is printed", holds=min(leak.lower for leak in leaks) > printed(3) + 0.1)
    scheme.certify_small(5)
    alone = overlap_leaks(scheme.law, scheme.mapping, size=3, stride=1, n=3)
    must_show("one window alone leaks nothing", holds=all(leak.upper == 0 for leak in alone))


def check_uniformised(printed: Callable[[Fraction, int], float] = in_print.printed_uniformised_bits) -> None:
    """Listing all data sets and outputs gives more than the sum over pairs, which is right for two samples only."""
    for q, count, exact, less in ((_Q, 4, 0.72120, 0.47844), (Fraction(2, 5), 5, 2.06192, 1.52449)):
        chain = examples.uniformised(q)
        listed = information_by_listing(chain.law, count, chain.output_law).midpoint
        must_show("this much is told", holds=abs(listed - exact) < 5e-6)
        must_show("the recursion says so too", holds=abs(chain.information_bits(count).midpoint - listed) < 1e-9)
        must_show("the print says less", holds=abs(printed(q, count) - less) < 5e-6)
        must_show(
            "the print is right for two samples",
            holds=math.isclose(printed(q, 2), chain.information_bits(2).midpoint, rel_tol=1e-9),
        )
    low, pairs = examples.uniformised(Fraction(1, 10)), examples.pairs(Fraction(1, 10))
    must_show(
        "at q = 1/10 the chain tells more of many samples than pairs do",
        holds=low.asymptotic_efficiency.lower > 1.7 * pairs.asymptotic_efficiency.upper,
    )
    must_show("the print says the reverse", holds=printed(Fraction(1, 10), 2) < pairs.window_bits.lower)


def _block_feature(law: DataLaw, turn: int) -> Channel:
    """W says whether X1 and X2 have the same place inside their block, the other way round in block 1 if `turn`."""
    rows = []
    for a, b in itertools.product(*map(range, law.shape)):
        one = int((a + b + turn * (a // 2)) % 2 == 0)
        rows.append([1 - one, one])
    return Channel(rows)


ERRATA = (
    Erratum(
        where="Example 2, eq. (20)",
        kind="error",
        quoted="Set α = 2/3, and e = 1/2, which results in",
        reading="the matrix of eq. (20) beside the printed law of the samples, both for α = 2/3",
        printed="P(W=0|x) = 1, 2/3, 0, 1, 1/3, 0 beside the law of α = 2/3",
        correct="1, 1/3, 0, 1, 2/3, 0: the printed entries are those of α = 1/3. I_s is the same for both.",
        counter_example="With the printed entries X1 differs from W = 0 with probability 1/2, not 2/3.",
        check=check_posterior,
    ),
    Erratum(
        where="Section III-B, eqs. (24)-(26)",
        kind="missing hypothesis",
        quoted="while r ∈ [0, R] with R ≜ min{α, 1 - β} determines the interdependency between X_1 and X_2",
        reading="for any α and β in (0, 1); for α ≤ β, which exchanging the samples brings about, it is true",
        printed="r lies in [0, R], R = min(α, 1-β); corners p-(R-r)n and p+rn with weights r/R and (R-r)/R",
        correct="r lies in [r0, R], r0 = max(0, α-β); corners p-(R-r)n and p+(r-r0)n, weights (r-r0)/(R-r0) and "
        "(R-r)/(R-r0). The print needs α ≤ β.",
        counter_example="α = 3/5, β = 2/5, r = 3/10: the printed corner p+rn has the entry -1/5. The weights are 1/4 "
        "and 3/4, not 1/2.",
        check=check_two_binary,
    ),
    Erratum(
        where="Corollary 1.1",
        kind="error",
        quoted="In the evaluation of (2), it is necessary to have |Y| ≥ ⌈|X^|/rank(P)⌉.",
        reading="of every mapping that reaches the maximum; the proof has those with extreme posteriors",
        printed="no fewer than ⌈|X^|/rank(P)⌉ outputs will do",
        correct="only of mappings whose posteriors are corners; others can be as good with fewer outputs",
        counter_example="Four fair coins and W their parity: Y = W is private, tells all of W and has 2 outputs; 4 are "
        "called necessary.",
        check=check_fewest_outputs,
    ),
    Erratum(
        where="Proposition 4",
        kind="missing hypothesis",
        quoted="the optimal synergistic disclosure strategy, i.e., P*_{Y|X^n}, does not depend on p_{W|X^n}",
        reading="for every support with that many cells, whatever the rank of P",
        printed="|X^| = Σ|X_i| - n + 2 makes the best mapping independent of W",
        correct="nul(P) = 1 does. The count of cells says so only if rank(P) is as large as it can be, Σ|X_i| - n + 1.",
        counter_example="Two disjoint 2×2 blocks of fair coins: 8 = 4 + 4 - 2 + 2 cells, nul(P) = 2, four corners, and "
        "the mapping that is best for one feature is not for another.",
        check=check_one_direction,
    ),
    Erratum(
        where="Example 3, eq. (61)",
        kind="unit or notation",
        quoted="= lim ((n-k+1)M - log M)/(nM) = 1, (61)",
        reading="M for log M in the fraction, before the limit; as limits, which is all that is printed, it is true",
        printed="((n-k+1) M - log M)/(n M)",
        correct="((n-k+1) log M - log M)/(n log M) = (n-k)/n, which is the efficiency exactly",
        counter_example="M = 3, n = 4, k = 2: all data sets listed, the efficiency is 0.5000; the printed bound from "
        "below is 0.6179.",
        check=check_running_sums,
    ),
    Erratum(
        where="Section V-C1, windows of k ≥ 3",
        kind="error",
        quoted=(
            "Following a proof entirely analogous to the one of Lemma 7, one can show that Y_par(k) … satisfies "
            "perfect sample privacy for all k ∈ [n-1]."
        ),
        reading="of all outputs together, one for each run of k neighbours",
        printed="for every k, private mappings of k samples, one for each run of k, are private together",
        correct="for k = 2 only, or when windows share no more than one sample (a new one every k-1 samples)",
        counter_example="X_i ~ Bern(3/10), k = 3, n = 4: the outputs tell 0.1119, 0.1535, 0.1535 and 0.1119 bits about "
        "the four samples.",
        check=check_overlap,
    ),
    Erratum(
        where="Section V-C2, eq. (67)",
        kind="error",
        quoted="I(Y_pre; X^n) = Σ_{k=1}^{n-1} I(S_k⊕S_{k+1}; X_k, X_{k+1})",
        reading="as an equality for n > 2",
        printed="I(Y_pre; X^n) is the sum over pairs of neighbours",
        correct="the sum is a bound from below, exact for n = 2 only: given X^n, neighbouring outputs share a noise",
        counter_example="q = 3/10, n = 4: 0.72120 bits, by eq. (67) 0.47844. q = 2/5, n = 5: 2.06192 against 1.52449. "
        "At q = 1/10 the chain tells more of many samples than pairs do, not less as Figure 5 has it.",
        check=check_uniformised,
    ),
    *PROOF_ERRATA,
)
