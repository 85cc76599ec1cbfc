"""How much discrete Gaussian noise lets through of what some people move: searched for, and enclosed.

Theory: docs/theory/gaussian_noise.md, docs/theory/correlated_noise.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.certificates.rules import publish
from sfumato.errors import NotCertified
from sfumato.measures.lattice.noise import lattice_capacity, lattice_capacity_from
from sfumato.measures.lattice.selection_limits import none_exceeds, stated_bits
from sfumato.measures.lattice.selections import is_affordable, selection_capacity
from sfumato.values import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseBound:
    """A published enclosure of what passes through the noise, and the input law that proves it."""

    bits: Interval
    positions: tuple[int, ...]
    weights: tuple[float, ...]


def moved_by(people: int | None, change: Fraction | None, width: Fraction) -> Fraction:
    """How far so many people move a number of a range, when one record moves it by at most `change`."""
    return width if people is None or change is None else min(people * change, width)


def steps_moved(people: int | None, change: Fraction | None, width: Fraction, grid: Fraction) -> int:
    """How far they move it after rounding: an interval of length t, rounded half up, has at most ⌈t⌉ + 1 values."""
    return math.ceil(moved_by(people, change, width) / grid)


def bound_noise(variance: Fraction, steps: int, values: int | None) -> NoiseBound:
    """Search for the input law that tells most, and enclose the capacity by it."""
    if uses_selections(variance, steps, values):
        found = selection_capacity(variance, steps, values or 2)
        bits = publish(stated_bits(variance, steps, found.positions, found.weights))
        if not none_exceeds(variance, steps, found.weights, bits.upper):
            raise NotCertified("the race and the check of its outcome disagree", way_out="Please report this noise.")
        return NoiseBound(bits=bits, positions=found.positions, weights=found.weights)
    _, law = lattice_capacity(variance, steps)
    places = np.flatnonzero(law)
    positions, weights = tuple((places - steps).tolist()), tuple(law[places].tolist())
    # From the witness as it will stand in a file, so that whoever evaluates it finds the same to the last digit.
    bits = lattice_capacity_from(variance, steps, positions, weights)
    return NoiseBound(bits=publish(bits), positions=positions, weights=weights)


def uses_selections(variance: Fraction, steps: int, values: int | None) -> bool:
    """Whether the number of values tightens the bound: when every selection of so many inputs can be bounded."""
    return values is not None and is_affordable(variance, steps, values)
