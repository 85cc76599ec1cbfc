"""Private recoverability: the cheapest key with which Y = X + U mod k hides X and gives it back. Ref: [B, Thm 4]."""

from __future__ import annotations

import math

from sfumato import measures
from sfumato.papers.successive_refinement.printed import printed_key_optimum
from sfumato.prob import Circulant
from sfumato.values.rounding import fraction_below_exp

_ODDS_BITS = 40


def key_channel(size: int, favoured: int, epsilon: float) -> Circulant:
    """Y = X + U where `favoured` of the keys are e^epsilon times as probable as the others, rounded down."""
    odds = fraction_below_exp(epsilon, denominator=1 << _ODDS_BITS)
    return Circulant.two_level(size=size, support=range(favoured), odds=odds)


def key_bits(size: int, favoured: int, epsilon: float) -> float:
    """H(U): what it takes to store such a key. No favoured keys, or only such, are a uniform key."""
    if favoured in {0, size}:
        return math.log2(size)
    return measures.largest_randomness_interval(key_channel(size, favoured, epsilon)).upper


def favoured_keys(size: int, epsilon: float) -> int:
    """How many keys to favour: the better neighbour of [B, eq. (49)] among 1..size-1."""
    point = printed_key_optimum(size, epsilon)
    neighbours = {min(size - 1, max(1, s)) for s in (math.floor(point), math.ceil(point))}
    return min(sorted(neighbours), key=lambda s: key_bits(size, s, epsilon))


def storage_bits(size: int, epsilon: float) -> float:
    """The least entropy of a key of private recoverability."""
    return key_bits(size, favoured_keys(size, epsilon), epsilon)


def storage_saved(size: int, epsilon: float) -> float:
    """Which part of log2(size) need not be stored."""
    return 1 - storage_bits(size, epsilon) / math.log2(size)
