"""What privacy costs in random bits: levels on one report, levels apart, and keys side by side.

Refs: [B, Thm 3] for the ladder, [B, Thm 4] for keys. Theory: docs/theory/recovery.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import log2_interval
from sfumato.mechanisms import CyclicResponse
from sfumato.mechanisms.randomness_budget import binary_entropy_bits
from sfumato.refine.recovery_keys import ShiftKey
from sfumato.values.checks import check_between, check_positive
from sfumato.values.interval import Interval

_MOST_EPSILON = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCosts:
    """Bits to store a key for one of `size` answers, three ways; all three give the answer back.

    >>> import sfumato as sf
    >>> costs = sf.refine.key_costs(6, 1.0)
    >>> [round(bits.upper, 3) for bits in (costs.minimum, costs.cyclic, costs.one_time_pad)], costs.residues
    ([2.407, 2.44, 2.585], 6)
    """

    size: int
    epsilon: float
    minimum: Interval
    """The cheapest key that keeps epsilon [B, Thm 4]."""
    cyclic: Interval
    """The shift of a cyclic response, which strangers can count by with the least error known."""
    residues: int
    """How many reports that response has."""
    one_time_pad: Interval
    """A uniform key on `size` values, under which the report says nothing; and what storing the answer takes."""


def key_costs(size: int, epsilon: float) -> KeyCosts:
    """Compare the cheapest key, the key of a cyclic response and a one-time pad.

    The cheapest key is that of `ShiftKey.within`.

    >>> import sfumato as sf
    >>> for epsilon in (0.5, 1.0, 3.0):
    ...     print(epsilon, round(sf.refine.key_costs(6, epsilon).minimum.upper, 3))
    0.5 2.541
    1.0 2.407
    3.0 1.183
    """
    response = CyclicResponse.within(size=size, epsilon=epsilon)
    return KeyCosts(
        size=size,
        epsilon=epsilon,
        minimum=ShiftKey.within(size=size, epsilon=epsilon).entropy_bits(),
        cyclic=measures.largest_randomness_interval(response.channel()),
        residues=response.modulus,
        one_time_pad=log2_interval(Fraction(size)),
    )


def xor_ladder_bits(epsilons: Sequence[float]) -> float:
    """ΣH2(q_j): random bits of one yes/no report that serves every level, from the largest epsilon down [B, Thm 3].

    >>> import sfumato as sf
    >>> [round(sf.refine.xor_ladder_bits(levels), 3) for levels in ([2], [2, 1], [2, 1, 0.5])]
    [0.527, 1.242, 2.029]
    """
    _check_levels(epsilons)
    bits = [binary_entropy_bits(_flip(epsilons[0]))]
    for above, below in pairwise(epsilons):
        # (z_j - z_{j-1})/(1 - 2z_{j-1}), written so that close levels do not cancel.
        step = math.sinh((above - below) / 2) / (2 * math.sinh(above / 2) * math.cosh(below / 2))
        bits.append(binary_entropy_bits(step))
    return math.fsum(bits)


def separate_bits(epsilons: Sequence[float]) -> float:
    """ΣH2(z_j): random bits of a yes/no report for each level, drawn apart.

    >>> import sfumato as sf
    >>> round(sf.refine.separate_bits([2, 1, 0.5]), 3), round(sf.refine.xor_ladder_bits([2, 1, 0.5]), 3)
    (2.323, 2.029)
    """
    _check_levels(epsilons)
    return math.fsum(binary_entropy_bits(_flip(epsilon)) for epsilon in epsilons)


def _flip(epsilon: float) -> float:
    """z = 1/(e^ε+1)."""
    return math.exp(-epsilon) / (1 + math.exp(-epsilon))


def _check_levels(epsilons: Sequence[float]) -> None:
    if len(epsilons) == 0:
        raise InvalidParameter(
            "is empty", parameter="epsilons", way_out="Give one epsilon for each level, the largest first."
        )
    for j, epsilon in enumerate(epsilons):
        check_positive(f"epsilons[{j}]", epsilon)
        check_between(f"epsilons[{j}]", epsilon, 0, _MOST_EPSILON)
    for j, (above, below) in enumerate(pairwise(epsilons)):
        if not below < above:
            raise InvalidParameter(
                f"must be less than epsilons[{j}]={above}: a level is blurrier than the one before it",
                parameter=f"epsilons[{j + 1}]",
                value=below,
                way_out="Sort the levels from the largest epsilon down and drop repeats.",
            )
