"""Where we depart from [B], each entry with its kind and an example that runs.

Each check takes what is printed as an argument, so that a test can hand it the right thing and see it complain.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from sfumato import infer, measures
from sfumato.mechanisms import BinaryHadamard, RandomizedResponse
from sfumato.mechanisms.randomness_budget import inverse_binary_entropy, rarer_yes
from sfumato.papers.records import Erratum, must_show
from sfumato.papers.successive_refinement import printed as in_print
from sfumato.papers.successive_refinement import printed_bounds
from sfumato.papers.successive_refinement.lemma_3 import LEMMA_3
from sfumato.prob import AnyChannel, Channel
from sfumato.refine.recovery_keys import ShiftKey

Bound = Callable[[int, int, float, float | None], float]

_SCARCE = 0.02
_WIDTH = 64


def check_lower_bound(printed: Bound = printed_bounds.eq8_lower_bound) -> None:
    """The mechanism of [B, Thm 2] keeps ε = 1 and R = 0.02, and its largest risk is a third of the bound."""
    size = 1 << 16
    users = 1000 * (size - 1)
    odds, yes = rarer_yes(1.0, _SCARCE, _WIDTH)
    own = BinaryHadamard(size=size, odds=odds, yes=yes)
    must_show("the mechanism is 1-private", holds=Fraction(math.e) > own.odds)
    must_show("it keeps the budget", holds=own.randomness_bits().upper <= _SCARCE)
    ratio = own.largest_risk(users) / printed(size, users, 1.0, _SCARCE)
    must_show("its risk is 0.332 of the bound", holds=math.isclose(ratio, 0.332, abs_tol=5e-4))


def check_every_n(printed: Bound = printed_bounds.eq8_lower_bound) -> None:
    """At k = 1000, ε = 0.1, n = 1772 the bound passes what guessing uniform shares risks without any report."""
    size, users = 1000, 1772
    guess = 1 - 1 / size  # sup over p of ‖1/k - p‖², at a law of one answer
    must_show("guessing beats the bound", holds=printed(size, users, 0.1, None) > 12 * guess)


def check_l1_constant(printed: Bound = printed_bounds.eq8_l1_lower_bound) -> None:
    """Assouad's method, step by step over δ, gives half of the printed bound for a million users."""
    size, users, epsilon = 100, 10**6, 1.0
    root = math.sqrt(8 * users * infer.information_per_user(epsilon))
    steps = (i / (1000 * size) for i in range(1, 1001))
    best = max(step * size / 2 * (1 - root * step) for step in steps)
    must_show("the software states what the method gives", holds=best <= infer.l1_floor(size, users, epsilon) * 1.0001)
    ratio = printed(size, users, epsilon, None) / best
    must_show("the print is twice that", holds=math.isclose(ratio, 2, abs_tol=1e-3))


def check_best_contrast(printed: Callable[[float, float], float] = in_print.printed_best_contrast) -> None:
    """The pair of [B, eq. (25)] itself has more than the largest value that is printed below it."""
    scarce = inverse_binary_entropy(_SCARCE)
    rarer = scarce / math.e
    found = in_print.printed_contrast((scarce, 1 - scarce), (rarer, 1 - rarer))
    must_show("the print is no upper bound", holds=found > 100 * printed(1.0, scarce))


def check_rappor_row(printed: Callable[[float], float] = in_print.printed_rappor_keep) -> None:
    """Keeping each coordinate with the printed probability makes ε twice as large."""
    for epsilon in (0.5, 1.0, 2.0):
        channel = _unary(3, Fraction(printed(epsilon)))
        must_show("the channel is 2ε-private", holds=math.isclose(measures.epsilon(channel), 2 * epsilon, rel_tol=1e-9))
        per_coordinate = measures.largest_randomness_interval(channel).upper / 3
        needed = infer.critical_random_bits(epsilon / 2)
        must_show("ε-privacy takes more bits", holds=needed > per_coordinate + 0.01)


def check_rr_bits(printed: Callable[[int, float], float] = in_print.printed_rr_bits) -> None:
    """The excess over the entropy of the channel is (log2 e - 1)·εe^ε/(k-1+e^ε)."""
    for size, epsilon in ((4, 2.0), (10, 1.0), (2, 3.0)):
        channel = RandomizedResponse.within(size=size, epsilon=epsilon).channel()
        excess = printed(size, epsilon) - measures.largest_randomness_interval(channel).upper
        odds = math.exp(epsilon)
        expected = (math.log2(math.e) - 1) * epsilon * odds / (size - 1 + odds)
        must_show("a factor log2 e is missing", holds=math.isclose(excess, expected, rel_tol=1e-6))


def check_recoverable(printed: Callable[[int, float], AnyChannel] | None = None) -> None:
    """A report that several answers favour weighs more than 1, so no key can give the answers back."""
    make = printed or (lambda size, epsilon: in_print.printed_hadamard_response(size, epsilon).channel())
    for size, epsilon, weight in ((7, 0.5, 1.0893), (10, 2.0, 1.0135)):
        channel = make(size, epsilon)
        found = float(measures.heaviest_output(channel))
        must_show(f"a column sums to {weight}", holds=math.isclose(found, weight, abs_tol=5e-5))
        must_show("no key recovers the answers", holds=not measures.is_recoverable(channel))


def check_key_objective(
    printed: Callable[[int, int, float, in_print.Logarithm], float] = in_print.printed_key_objective,
) -> None:
    """At k = 100, ε = 2 what is printed is least at s = 2 or, with log2, at 1; the entropy is least at 21."""
    size, epsilon = 100, 2.0
    best = ShiftKey.within(size=size, epsilon=epsilon)
    least = min(range(1, size), key=lambda s: _key_bits(size, s, epsilon))
    must_show("21 favoured keys are best", holds=least == best.favoured == 21)
    logarithms: tuple[tuple[in_print.Logarithm, int], ...] = ((math.log, 2), (math.log2, 1))
    for logarithm, expected in logarithms:
        found = min(range(1, size), key=lambda s, log=logarithm: printed(size, s, epsilon, log))  # type: ignore[misc]
        must_show(f"the print is least at {expected}", holds=found == expected)
        must_show("that key costs more", holds=_key_bits(size, found, epsilon) > best.entropy_bits().upper)


def check_nearest_integer(printed: Callable[[int, float], int] = in_print.printed_favoured_keys) -> None:
    """At ε = 5 the nearest whole number is 0: a uniform key, which saves nothing."""
    for size, saved in ((2, 0.9420), (4, 0.9141), (10, 0.8503)):
        found = printed(size, 5.0)
        must_show("the nearest whole number is 0", holds=found == 0)
        must_show("a uniform key costs log2 k", holds=_key_bits(size, found, 5.0) == math.log2(size))
        best = ShiftKey.within(size=size, epsilon=5.0).saved().midpoint
        must_show("one favoured key saves most of it", holds=math.isclose(best, saved, abs_tol=5e-5))


def check_parting(printed: Callable[[float], float] = in_print.printed_parting) -> None:
    """R = 0.6 is less than R_c up to ε = 1.766; the 0.8 of the print fits R = 0.9, of which it speaks next."""
    parting = printed(0.6)
    must_show("0.6 bits are too few even at its double", holds=infer.critical_random_bits(2 * parting) > 0.6)
    must_show("0.9 bits are enough at it", holds=infer.critical_random_bits(parting) < 0.9)


def _key_bits(size: int, favoured: int, epsilon: float) -> float:
    """H(U) with any number of favoured keys; with none of them it is uniform."""
    if favoured == 0:
        return math.log2(size)
    return replace(ShiftKey.within(size=size, epsilon=epsilon), favoured=favoured).entropy_bits().midpoint


def _unary(size: int, keep: Fraction) -> Channel:
    """Every bit of a row with a single one is kept with this probability."""
    return Channel(
        [
            [
                math.prod(keep if bit == (i == x) else 1 - keep for i, bit in enumerate(bits))
                for bits in itertools.product((0, 1), repeat=size)
            ]
            for x in range(size)
        ]
    )


ERRATA = (
    Erratum(
        where="Theorem 1, eq. (8), below R_c",
        kind="error",
        quoted="For every ε, R ≥ 0 and k, n ∈ N, the minimax risk under ℓ2-norm loss is bounded by",
        reading="the second case of eq. (8)",
        printed="risk ≥ k e^ε/(16 n p_R² (e^ε-1)²) when R < R_c",
        correct=(
            "risk ≥ k'/(8(nA + π²k'²)) for every even k' ≤ k, A = e^ε[p_R tanh²(ε/2) + p_R²(1-e^-ε)²/(4(1-p_R))]; p_R "
            "has power 1, not 2"
        ),
        counter_example=(
            "ε = 1, R = 0.02, k = 65536: the mechanism of Theorem 2 keeps both limits, and its largest risk is 0.332 "
            "of the printed lower bound."
        ),
        check=check_lower_bound,
    ),
    Erratum(
        where="Theorem 1, for every n",
        kind="error",
        quoted="For every ε, R ≥ 0 and k, n ∈ N, the minimax risk under ℓ2-norm loss is bounded by",
        reading="for n below the order of k²",
        printed="eq. (8) holds for every k and n",
        correct="only once n is of order k²; for every n there are floors of another form, which grow with k",
        counter_example=(
            "k = 1000, ε = 0.1, n = 1772: the printed bound is 12.8; guessing uniform shares, without any report, "
            "risks less than 1."
        ),
        check=check_every_n,
    ),
    Erratum(
        where="Theorem 1, the ℓ1 bound",
        kind="gap in a proof",
        quoted="The minimax risk under 1-norm loss is bounded by r ≥ √(kτ/8).",
        reading="nobody knows it to be false; its proof, with φ(x) = |x| in Section 5.1, gives less",
        printed="risk ≥ √(kτ/8)",
        correct="√(kτ/32) is what the proof gives; the software states that",
        counter_example=(
            "k = 100, ε = 1, a million users: Assouad's method, the best step taken, gives half of the printed bound."
        ),
        check=check_l1_constant,
    ),
    Erratum(
        where="Lemma 2, eq. (26), below R_c",
        kind="error",
        quoted="Substituting from (25) into the objective function (23), we get",
        reading="the second case of eq. (26), at the pair of eq. (25)",
        printed="Σ (q-q')²/(q+q') ≤ 2 p_R² (e^ε-1)²/e^(2ε)",
        correct="the rarer report alone gives p_R (e^ε-1)²/(e^ε (e^ε+1)); the print has the wrong power of p_R",
        counter_example=(
            "ε = 1, R = 0.02: the pair that eq. (25) calls the best has more than a hundred times the value printed."
        ),
        check=check_best_contrast,
    ),
    LEMMA_3,
    Erratum(
        where="Table 1, RAPPOR",
        kind="error",
        quoted="Table 1 describe the amount of randomness required to implement different ε-LDP mechanisms",
        reading="with ε that of the whole report, as for the other mechanisms of the table",
        printed="k H2(e^ε/(e^ε+1)) bits",
        correct="k H2(e^(ε/2)/(e^(ε/2)+1)) bits: two answers differ in two coordinates, each may spend half of ε",
        counter_example=(
            "ε = 1: 0.840 bits a coordinate make a channel with ε = 2; the channel with ε = 1 takes 0.956 bits."
        ),
        check=check_rappor_row,
    ),
    Erratum(
        where="Table 1, RR and HR",
        kind="unit or notation",
        quoted="Randomness per user (R in bits)",
        reading="log as log2; with natural logarithms the entries are right in nats",
        printed="log(k-1+e^ε) - εe^ε/(k-1+e^ε) bits, and likewise for HR",
        correct="log2(k-1+e^ε) - εe^ε log2(e)/(k-1+e^ε) bits, and likewise for HR",
        counter_example=(
            "k = 4, ε = 2: the print says 1.9545 bits, the channel has 1.3248. With natural logarithms it would be "
            "right, in nats. HR's bound stays one."
        ),
        check=check_rr_bits,
    ),
    Erratum(
        where="Theorem 5",
        kind="error",
        quoted="The Hadamard Response mechanism from [ASZ19] satisfies private-recoverability",
        reading="for every k and ε",
        printed="Hadamard response is recoverable from its key",
        correct="for some k and ε. A key exists when no report has Σ_x Q(y|x) > 1, and only then",
        counter_example=(
            "k = 7, ε = 0.5: all seven answers favour report 0, and its column sums to 1.0893. k = 10, ε = 2, four "
            "blocks: 1.0135."
        ),
        check=check_recoverable,
    ),
    Erratum(
        where="Section 7.1, eq. (48)",
        kind="error",
        quoted="where s is an integer parameter chosen to minimize the entropy as follows",
        reading="that the printed objective is this entropy up to a constant",
        printed="minimise log(s(e^ε-1)+k) - se^ε/(s(e^ε-1)+k)",
        correct="minimise ln(s(e^ε-1)+k) - ε se^ε/(s(e^ε-1)+k), from which eq. (49) does follow",
        counter_example="k = 100, ε = 2: the print is least at s = 2 (with log2: 1), the entropy of the key at s = 21.",
        check=check_key_objective,
    ),
    Erratum(
        where="Section 7.1, after eq. (49)",
        kind="error",
        quoted="Hence, we get the closest integer to the real value in (49).",
        reading="for every k and ε; Theorem 4 itself takes the better neighbour",
        printed="take the whole number nearest to l",
        correct="take the better of ⌊l⌋ and ⌈l⌉, but at least 1; Theorem 4 takes the better, and so never s = 0",
        counter_example=(
            "ε = 5, k = 2: l = 0.0547, and s = 0 is a uniform key of 1 bit. s = 1 takes 0.0580 bits, 94.20 % less, as "
            "Section 4 says."
        ),
        check=check_nearest_integer,
    ),
    Erratum(
        where="Section 4, Figure 4b",
        kind="error",
        quoted=(
            "In Figure 4b, we find that the ℓ1 error depends on the randomness R for all ε < 0.8, since we have R "
            "= 0.9 < H(e^ε/(e^ε+1)) for all ε < 0.8."
        ),
        reading="for R = 0.6, which the figure has, and for 0.9",
        printed="R is 1 or 0.6; the budget matters for ε < 0.8, where 0.9 < R_c",
        correct="0.6 bits are too few for ε < 1.766; 0.9 bits are too few for ε < 0.772",
        counter_example="At ε = 1.7 R_c is 0.6209: more than 0.6. At ε = 0.8 it is 0.8932: less than 0.9.",
        check=check_parting,
    ),
)
