"""What [B] says in its tables, figures and text, number by number, beside what the software finds."""

from __future__ import annotations

import math
from collections.abc import Callable

from sfumato import infer, measures
from sfumato.mechanisms import BinaryHadamard
from sfumato.mechanisms.randomness_budget import inverse_binary_entropy, rarer_yes
from sfumato.papers.records import Entry
from sfumato.papers.successive_refinement import error_figures, figures, printed, printed_bounds, tables
from sfumato.papers.successive_refinement.lemma_3 import silent_contrast
from sfumato.refine.randomness import separate_bits, xor_ladder_bits
from sfumato.refine.recovery_keys import ShiftKey
from sfumato.values.checks import Number

_BITS = 1e-6
_USERS_PER_GROUP = 1000


def _row(place: int) -> Callable[[int], tables.SchemeRow]:
    return lambda size: tables.scheme_rows(size, tables.EPSILON)[place]


def _parting(random_bits: float) -> float:
    """The ε from which on so many random bits are enough; the need falls as ε grows."""
    low, high = 0.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if infer.critical_random_bits(middle) > random_bits else (low, middle)
    return high


def _contrast(random_bits: float, epsilon: float) -> float:
    """Of the best points of Figure 7, which the mechanism of Theorem 2 has."""
    first, second = figures.corners(random_bits, epsilon)[0]
    return printed.printed_contrast((first, 1 - first), (second, 1 - second))


def _risk(random_bits: float) -> float:
    size = 1 << 16
    odds, yes = rarer_yes(1.0, random_bits, 64)
    return BinaryHadamard(size=size, odds=odds, yes=yes).largest_risk(_USERS_PER_GROUP * (size - 1))


def _least_objective(epsilon: float) -> int:
    return min(range(1, 100), key=lambda s: printed.printed_key_objective(100, s, epsilon, math.log))


def _heaviest(epsilon: float) -> Number:
    return measures.heaviest_output(printed.printed_hadamard_response(7, epsilon).channel())


def _bits_entry(place: int, what: str, says: str, by_print: Callable[[int, float], float], **more: object) -> Entry:
    row = _row(place)
    return Entry(
        place="table-1",
        what=f"{what}: random bits a user, ε = {tables.EPSILON:g}",
        parameter="k",
        value=tables.SIZE,
        ours=lambda size: row(size).computed,
        says=says,
        printed=lambda size: by_print(size, tables.EPSILON),
        tolerance=_BITS,
        **more,  # type: ignore[arg-type]
    )


def _risk_entry(place: int, what: str, says: str) -> Entry:
    row = _row(place)
    return Entry(
        place="table-1-risk",
        what=f"{what}: n·E‖raw - p‖² at uniform shares, ε = {tables.EPSILON:g}",
        parameter="k",
        value=tables.SIZE,
        ours=lambda size: row(size).risk(),
        says=f"of order {says}, which leaves a constant open",
    )


def _storage_entry(size: int, says: str, saved: float, tolerance: float) -> Entry:
    return Entry(
        place="storage",
        what=f"share of storage saved, k = {size}",
        parameter="ε",
        value=tables.GAIN_EPSILON,
        ours=lambda epsilon: ShiftKey.within(size=size, epsilon=epsilon).saved().midpoint,
        says=says,
        printed=lambda _: saved,
        tolerance=tolerance,
    )


def _error_entry(random_bits: float, users: int) -> Entry:
    return Entry(
        place="figure-4a",
        what=f"ℓ1 error, ε = 1, R = {random_bits:g}, negatives clipped",
        parameter="n",
        value=users,
        ours=lambda n: error_figures.l1_errors(1.0, random_bits, n).clipped,
        says="1.4",
        printed=lambda _: 1.4,
        tolerance=0.05,
    )


ENTRIES = (
    _bits_entry(0, "RAPPOR", "k H2(e^ε/(e^ε+1))", printed.printed_rappor_bits, erratum="Table 1, RAPPOR"),
    _bits_entry(1, "RR", "log(k-1+e^ε) - εe^ε/(k-1+e^ε)", printed.printed_rr_bits, erratum="Table 1, RR and HR"),
    _bits_entry(2, "HR", "≤ log(2k(3e^ε-1)/e^ε) - εe^ε/(3e^ε-1)", printed.printed_hr_bits, relation="≤"),
    _bits_entry(3, "BH", "H2(e^ε/(e^ε+1))", printed.printed_bh_bits),
    _risk_entry(0, "RAPPOR", "k/ε²"),
    _risk_entry(1, "RR", "k²/ε²"),
    _risk_entry(2, "HR", "k/ε²"),
    _risk_entry(3, "BH", "k/ε²"),
    _storage_entry(2, "94.2 %", 0.942, 5e-4),
    _storage_entry(4, "91.4 %", 0.914, 5e-4),
    _storage_entry(10, "85 %", 0.85, 5e-3),
    Entry(
        place="ladder-randomness",
        what="two levels on one report, ε₁ = 1: random bits",
        parameter="ε₂",
        value=0.9,
        ours=lambda second: xor_ladder_bits((1.0, second)),
        says="Theorem 3: ΣH2(q_j)",
        printed=lambda second: printed.printed_ladder_bits((1.0, second)),
    ),
    Entry(
        place="ladder-randomness",
        what="two levels on two reports, ε₁ = 1: random bits",
        parameter="ε₂",
        value=0.9,
        ours=lambda second: separate_bits((1.0, second)),
        says="ΣH2(z_j)",
        printed=lambda second: printed.printed_separate_bits((1.0, second)),
    ),
    _error_entry(1.0, 150_000),
    _error_entry(0.7, 850_000),
    Entry(
        place="figure-4b",
        what="the ε below which the budget costs accuracy",
        parameter="R",
        value=0.6,
        ours=_parting,
        says="0.8",
        printed=printed.printed_parting,
        tolerance=0.05,
        erratum="Section 4, Figure 4b",
    ),
    Entry(
        place="figure-5a",
        what="two reports cost so many times what one does, ε₁ = 1",
        parameter="ε₂",
        value=0.999,
        ours=lambda second: separate_bits((1.0, second)) / xor_ladder_bits((1.0, second)),
        says="about 2 when ε₁ - ε₂ is small",
        printed=lambda _: 2.0,
        tolerance=0.05,
    ),
    Entry(
        place="figure-5b",
        what="d levels on one report, ε_j = 2 - 0.1j: random bits",
        parameter="d",
        value=10,
        ours=lambda count: xor_ladder_bits(figures.printed_levels(count)),
        says="Theorem 3: ΣH2(q_j)",
        printed=lambda count: printed.printed_ladder_bits(figures.printed_levels(count)),
    ),
    Entry(
        place="figure-6",
        what="bits to store a key, k = 100",
        parameter="ε",
        value=2.0,
        ours=lambda epsilon: ShiftKey.within(size=100, epsilon=epsilon).entropy_bits().midpoint,
        says="Theorem 4",
        printed=lambda epsilon: printed.printed_key_bits(100, epsilon),
        tolerance=_BITS,
    ),
    Entry(
        place="figure-7",
        what="largest Σ(q-q')²/(q+q') from R_c on, R = 1",
        parameter="ε",
        value=1.0,
        ours=lambda epsilon: _contrast(1.0, epsilon),
        says="that of eq. (25), q = e^ε/(e^ε+1)",
        printed=printed.printed_largest_contrast,
        tolerance=_BITS,
    ),
    Entry(
        place="figure-7",
        what="largest Σ(q-q')²/(q+q') below R_c, ε = 1",
        parameter="R",
        value=0.5,
        ours=lambda budget: _contrast(budget, 1.0),
        says="eq. (26): 2 p_R² (e^ε-1)²/e^(2ε)",
        printed=lambda budget: printed.printed_best_contrast(1.0, inverse_binary_entropy(budget)),
        tolerance=_BITS,
        erratum="Lemma 2, eq. (26), below R_c",
    ),
    Entry(
        place="Lemma 3",
        what="Σ(q-q')²/(q+q') of being silent or answering by randomised response, ε = 3",
        parameter="R",
        value=0.25,
        ours=lambda budget: silent_contrast(3.0, budget),
        says="at most that of the best two reports",
        printed=lambda budget: printed.printed_two_report_contrast(3.0, budget),
        relation="≤",
        erratum="Lemma 3",
    ),
    Entry(
        place="Theorem 1",
        what="largest risk of the mechanism of Theorem 2, ε = 1, k = 65536, n = 1000(k-1)",
        parameter="R",
        value=0.02,
        ours=_risk,
        says="≥ eq. (8)",
        printed=lambda budget: printed_bounds.eq8_lower_bound(1 << 16, _USERS_PER_GROUP * ((1 << 16) - 1), 1.0, budget),
        relation="≥",
        erratum="Theorem 1, eq. (8), below R_c",
    ),
    Entry(
        place="Theorem 1",
        what="largest risk of guessing uniform shares without any report, n = 1772, ε = 0.1",
        parameter="k",
        value=1000,
        ours=lambda size: 1 - 1 / size,
        says="≥ eq. (8), for every k and n",
        printed=lambda size: printed_bounds.eq8_lower_bound(size, 1772, 0.1, None),
        relation="≥",
        erratum="Theorem 1, for every n",
    ),
    Entry(
        place="Theorem 5",
        what="heaviest report of Hadamard response, k = 7",
        parameter="ε",
        value=0.5,
        ours=_heaviest,
        says="≤ 1: recoverable from its key",
        printed=lambda _: 1.0,
        relation="≤",
        erratum="Theorem 5",
    ),
    Entry(
        place="Section 7.1",
        what="favoured keys of the cheapest key, k = 100",
        parameter="ε",
        value=2.0,
        ours=lambda epsilon: float(ShiftKey.within(size=100, epsilon=epsilon).favoured),
        says="least of eq. (48), log taken as ln",
        printed=_least_objective,
        erratum="Section 7.1, eq. (48)",
    ),
    Entry(
        place="Section 7.1",
        what="favoured keys of the cheapest key, ε = 5",
        parameter="k",
        value=2,
        ours=lambda size: float(ShiftKey.within(size=size, epsilon=5.0).favoured),
        says="the whole number nearest to eq. (49)",
        printed=lambda size: printed.printed_favoured_keys(size, 5.0),
        erratum="Section 7.1, after eq. (49)",
    ),
)
