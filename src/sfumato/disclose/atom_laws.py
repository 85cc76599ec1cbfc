"""Corners of S for binary samples whose order does not matter, up to that order: laws of few atoms, and counts of ones.

A corner is a law λ on at most n + 1 data sets; sample i is the subset of them in which it is 1, of mass c = P(X_i = 1).
The subsets determine λ, or it would be no corner. So every corner is one of finitely many λ, with n of the subsets that
have mass c in it, in any order; its entropy is that of λ, and what it puts on k ones is the mass of atoms in k subsets.
Theory: docs/theory/skewed_laws.md
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.disclose.data_laws import FloatArray
from sfumato.disclose.polytope import entropy_bits
from sfumato.errors import NotCertified

MOST_SAMPLES = 7
# Above, two different laws could be taken for one in floats.
MOST_DENOMINATOR = 1000
_LISTS_A_TIME = 1_000_000
_DIGITS = 8
_SAME = 1e-9

Counts = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AtomLaw:
    """A law of atoms, the subsets of mass c in it, and for every choice of n of them how many hold each atom."""

    law: FloatArray
    subsets: Counts
    counts: Counts
    entropy: float

    def type_law(self, choice: int, samples: int) -> FloatArray:
        """Return what the corner puts on 0..n ones."""
        return on_counts(self.counts[choice], self.law, samples)

    def chosen(self, choice: int, samples: int) -> Counts:
        """Return the n subsets of a choice, a row each."""
        rows = _reach(self.subsets, self.counts[choice].astype(np.int64), samples, 0)
        if rows is None:
            raise NotCertified("no subsets have the counts of a corner", way_out="Use column generation.")
        return self.subsets[rows]


def laws_of_atoms(samples: int, chance: Fraction, deadline: float = math.inf) -> tuple[list[AtomLaw], bool]:
    """Return corners for so many samples, each 1 with this chance, up to the order of samples, and whether all of them.

    They are all there unless the time, as `time.monotonic` tells it, passes the deadline.
    """
    value = float(chance)
    found = [_with_counts(np.array([max(value, 1 - value), min(value, 1 - value)]), value, samples)]
    for atoms in range(3, samples + 2):
        laws, whole = _searched(atoms, value, deadline)
        for law in laws:
            if time.monotonic() > deadline:
                return found, False
            found.append(_with_counts(law, value, samples))
        if not whole:
            return found, False
    return found, True


def _searched(atoms: int, chance: float, deadline: float) -> tuple[FloatArray, bool]:
    from sfumato.disclose.atom_kernel import fill, search_laws  # noqa: PLC0415  numba is slow to import

    columns = atoms - 3
    images = np.array(
        [
            [sum(((point >> order[k]) & 1) << k for k in range(columns)) for point in range(1 << columns)]
            for order in itertools.permutations(range(columns))
        ],
        dtype=np.int64,
    )
    points = np.zeros(atoms, dtype=np.int64)
    fill(points, 0, 0, 0)
    room = np.zeros((4 << (2 * atoms), atoms))
    found, whole = np.zeros((0, atoms)), False
    while not whole and time.monotonic() <= deadline:
        count, whole = search_laws(points, chance, images, _LISTS_A_TIME, room)
        both = np.concatenate([found, room[:count]])
        _, first = np.unique(np.round(both, _DIGITS), axis=0, return_index=True)
        found = both[first]
    return found, whole


def on_counts(counts: npt.NDArray[np.integer], masses: FloatArray, samples: int) -> FloatArray:
    """Return the mass on each count 0..n."""
    return np.asarray(np.bincount(counts, weights=masses, minlength=samples + 1), dtype=np.float64)


def _with_counts(law: FloatArray, chance: float, samples: int) -> AtomLaw:
    atoms = len(law)
    every = ((np.arange(1 << atoms)[:, None] >> np.arange(atoms)) & 1).astype(np.int8)
    subsets = every[np.abs(every @ law - chance) < _SAME]
    counts = np.zeros((1, atoms), dtype=np.int8)
    digits = (samples + 1) ** np.arange(atoms)
    for _ in range(samples):
        counts = (counts[:, None, :] + subsets[None]).reshape(-1, atoms)
        # Atoms of one mass may change places.
        for start, end in _equal_runs(law):
            counts[:, start:end] = np.sort(counts[:, start:end], axis=1)
        _, first = np.unique(counts @ digits, return_index=True)
        counts = counts[first]
    return AtomLaw(law=law, subsets=subsets, counts=counts, entropy=float(entropy_bits(law[:, None])[0]))


def _equal_runs(law: FloatArray) -> list[tuple[int, int]]:
    edges = [0, *(np.flatnonzero(np.abs(np.diff(law)) > _SAME) + 1).tolist(), len(law)]
    return [(start, end) for start, end in itertools.pairwise(edges) if end - start > 1]


def _reach(subsets: Counts, left: npt.NDArray[np.int64], samples: int, first: int) -> list[int] | None:
    """Return the places of subsets, in order, that add up to the counts."""
    if samples == 0:
        return [] if not left.any() else None
    if left.max() > samples:
        return None
    for place in range(first, len(subsets)):
        rest = left - subsets[place]
        if rest.min() >= 0:
            more = _reach(subsets, rest, samples - 1, place)
            if more is not None:
                return [place, *more]
    return None
