"""The rungs of a ladder: which mechanisms have levels, their odds, and the step from one level to the next."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.mechanisms import BinaryHadamard, CyclicResponse
from sfumato.mechanisms.declared import nominal_odds, odds_keeping
from sfumato.mechanisms.randomness_budget import odds_within
from sfumato.refine.shifts import TwoLevelShift
from sfumato.values.checks import as_number

Rung = CyclicResponse | BinaryHadamard
Number = TypeVar("Number", float, Fraction)

MOST_LEVELS = 32


def check_mechanism(mechanism: object) -> None:
    """Refuse a mechanism whose reports no shift takes back."""
    if not isinstance(mechanism, CyclicResponse | BinaryHadamard):
        raise InvalidParameter(
            f"mechanism must be a CyclicResponse or a BinaryHadamard, not {type(mechanism).__name__}: levels need "
            f"reports that a shift takes back. Use Ladder.within(size=…, epsilons=…)."
        )


def descending(name: str, values: Sequence[Number]) -> tuple[Number, ...]:
    """Return levels that fall strictly."""
    given: object = values
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidParameter(f"{name} must be a list with one number for each level, like [2.0, 1.0, 0.5].")
    levels = tuple(values)
    for value in levels:
        as_number(name, value)
    if not 1 <= len(levels) <= MOST_LEVELS:
        raise InvalidParameter(f"{name} must have between 1 and {MOST_LEVELS} levels, not {len(levels)}.")
    if any(not upper > lower for upper, lower in itertools.pairwise(levels)):
        raise InvalidParameter(f"{name} must fall from level to level, sharpest first. Sort them, each once.")
    return levels


def rung_at(mechanism: Rung, odds: Fraction) -> Rung:
    """Return the mechanism at other odds; over binary Hadamard everybody answers, as often yes as the odds allow."""
    if isinstance(mechanism, BinaryHadamard):
        return BinaryHadamard(size=mechanism.size, odds=odds, width=mechanism.width)
    return replace(mechanism, odds=odds)


def odds_for(mechanism: Rung, epsilon: float) -> Fraction:
    """Return the largest odds on the mechanism's grid that keep `epsilon`."""
    if isinstance(mechanism, BinaryHadamard):
        return odds_within(epsilon, 1.0, mechanism.width)
    weight = (nominal_odds(epsilon) + 1) * mechanism.modulus
    return odds_keeping(epsilon, weight=weight, size=mechanism.size, width=mechanism.width)


def inside_weight(favoured: int, modulus: int, odds: Fraction) -> Fraction:
    """P(in the favoured set) when each member is `odds` times as probable as any other shift."""
    return favoured * odds / (favoured * odds + modulus - favoured)


def steps_between(mechanism: Rung, odds: tuple[Fraction, ...]) -> tuple[TwoLevelShift, ...]:
    """Return the shift of level 1, and what takes each level to the next.

    A two-level law is uniform but for a part c = P(one favoured) - P(one other); the step that takes c to c' keeps
    the report with probability c'/c, and else replaces it by a uniform one.
    """
    if isinstance(mechanism, BinaryHadamard):
        modulus, favoured = 2, np.zeros(1, dtype=np.int64)
    else:
        modulus, favoured = mechanism.modulus, mechanism.difference_set.members
    laws = [
        TwoLevelShift(modulus=modulus, favoured=favoured, inside=inside_weight(favoured.size, modulus, value))
        for value in odds
    ]
    parts = [high - low for high, low in (law.probabilities for law in laws)]
    below = [TwoLevelShift.erasure(modulus, 1 - lower / upper) for upper, lower in itertools.pairwise(parts)]
    return (laws[0], *below)
