"""The formulas of [B] as they stand in print, right or wrong; nothing else may compute with them.

[B, Thm 1] and its neighbours are in `printed_bounds` under the names `eq8_…` to `eq12_…`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sfumato import infer, mechanisms
from sfumato.mechanisms.randomness_budget import inverse_binary_entropy

Logarithm = Callable[[float], float]


def printed_rappor_keep(epsilon: float) -> float:
    """[B, Table 1], RAPPOR: how probably a coordinate is kept."""
    return math.exp(epsilon) / (math.exp(epsilon) + 1)


def printed_rappor_bits(size: int, epsilon: float) -> float:
    """[B, Table 1], RAPPOR."""
    return size * infer.critical_random_bits(epsilon)


def printed_rr_bits(size: int, epsilon: float) -> float:
    """[B, Table 1], RR, in bits as its row says."""
    total = size - 1 + math.exp(epsilon)
    return math.log2(total) - epsilon * math.exp(epsilon) / total


def printed_hr_bits(size: int, epsilon: float) -> float:
    """[B, Table 1], HR; an upper bound."""
    odds = math.exp(epsilon)
    return math.log2(2 * size * (3 * odds - 1) / odds) - epsilon * odds / (3 * odds - 1)


def printed_bh_bits(_: int, epsilon: float) -> float:
    """[B, Table 1], BH, which no size enters."""
    return infer.critical_random_bits(epsilon)


def printed_hadamard_response(size: int, epsilon: float) -> mechanisms.HadamardResponse:
    """[B, Sec. 7.2]: Hadamard response with as many blocks as the print takes from [ASZ19]."""
    blocks = 1 << max(0, math.ceil(math.log2(min(math.exp(epsilon), 2 * size))) - 1)
    return mechanisms.HadamardResponse.within(size=size, epsilon=epsilon, blocks=blocks)


def printed_key_objective(size: int, favoured: int, epsilon: float, logarithm: Logarithm) -> float:
    """[B, eq. (48)], what is minimised over the number of favoured keys."""
    odds = math.exp(epsilon)
    total = favoured * (odds - 1) + size
    return logarithm(total) - favoured * odds / total


def printed_key_optimum(size: int, epsilon: float) -> float:
    """[B, eq. (49)], before it is rounded; right."""
    odds, gap = math.exp(epsilon), math.expm1(epsilon)
    # Near 0 the quotient is 0/0 and loses all digits; the print needs no such care.
    return size * (odds * (epsilon - 1) + 1) / gap**2 if epsilon > 1e-5 else size * (1 / 2 - epsilon / 6)


def printed_favoured_keys(size: int, epsilon: float) -> int:
    """[B, Sec. 7.1], after eq. (49): the whole number nearest to it."""
    return round(printed_key_optimum(size, epsilon))


def printed_best_contrast(epsilon: float, scarce: float) -> float:
    """[B, eq. (26)], second case: the largest Σ(q-q')²/(q+q') below R_c."""
    return 2 * (scarce * math.expm1(epsilon)) ** 2 / math.exp(2 * epsilon)


def printed_parting(_: float) -> float:
    """[B, Sec. 4], Figure 4b: the ε below which the smaller budget costs accuracy."""
    return 0.8


def printed_contrast(first: Sequence[float], second: Sequence[float]) -> float:
    """[B, eq. (23)]: the objective of P1; right."""
    return math.fsum((p - q) ** 2 / (p + q) for p, q in zip(first, second, strict=True))


def printed_two_report_contrast(epsilon: float, random_bits: float) -> float:
    """[B, Lemma 3 with eq. (25)], below R_c: the most with two reports, said to be the most with any number."""
    scarce = inverse_binary_entropy(random_bits)
    rarer = scarce / math.exp(epsilon)
    return printed_contrast((scarce, 1 - scarce), (rarer, 1 - rarer))


def printed_largest_contrast(epsilon: float) -> float:
    """[B, eq. (25)], first case: Σ(q-q')²/(q+q') of the pair that is best from R_c on."""
    keep = printed_rappor_keep(epsilon)
    return printed_contrast((keep, 1 - keep), (1 - keep, keep))


def printed_ladder_bits(epsilons: Sequence[float]) -> float:
    """[B, Thm 3]: ΣH2(q_j), where flips of q_1 to q_j together are a flip of z_j."""
    total, before = 0.0, 0.0
    for epsilon in epsilons:
        flip = 1 / (math.exp(epsilon) + 1)
        step = (flip - before) / (1 - 2 * before)
        total += _binary_entropy(step)
        before = flip
    return total


def printed_separate_bits(epsilons: Sequence[float]) -> float:
    """[B, Sec. 4]: ΣH2(z_j)."""
    return math.fsum(_binary_entropy(1 / (math.exp(epsilon) + 1)) for epsilon in epsilons)


def printed_key_bits(size: int, epsilon: float) -> float:
    """[B, Thm 4]: the entropy of the key, the better of the two whole numbers next to eq. (49)."""
    point = printed_key_optimum(size, epsilon)
    odds = math.exp(epsilon)

    def bits(favoured: int) -> float:
        total = favoured * (odds - 1) + size
        return math.log2(total) - epsilon * favoured * odds * math.log2(math.e) / total

    return min(bits(max(1, math.floor(point))), bits(max(1, math.ceil(point))))


def _binary_entropy(p: float) -> float:
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p) if 0 < p < 1 else 0.0
