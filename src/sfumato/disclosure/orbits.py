"""Self-disclosure of exchangeable binary samples by corners up to order.

Averaging a mapping over permutations of the samples costs nothing, so the master program has a row for each count of
ones and a column for each orbit of corners, all of which are known. Its prices bound the optimum without a search. A
second program picks as few members as possible of the orbits that are used, which average to the prior itself.
Ref: [D, Thm 1]; theory: docs/theory/skewed_laws.md
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.disclosure.columns import Master, Mixture, Progress
from sfumato.disclosure.counts import counts_law
from sfumato.disclosure.data import DataLaw, FloatArray, IntArray, entropy_bits, most_by_cell
from sfumato.errors import NotCertified

# --- Corners of S for exchangeable binary samples, up to order: distributions of few atoms, and counts of ones
# A corner is a distribution λ on at most n + 1 data sets; sample i is the subset of them in which it is 1, of mass c =
# P(X_i = 1). The subsets determine λ. So every corner is one of finitely many λ, with n of the subsets that have mass c
# in it, in any order. Its entropy is that of λ, and its probability of k ones is the mass of atoms in k subsets.
# Theory: docs/theory/skewed_laws.md


MOST_SAMPLES = 7
# Above this, two different distributions could be equal in floats.
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
    from sfumato.disclosure.atom_kernel import fill, search_laws  # noqa: PLC0415  numba is slow to import

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


_CLOSE = 1e-12
_LAWS_A_ROUND = 60
# More than the rounding of sums of 128 products of numbers up to 64.
_ROUNDING = 1e-11


def orbit_chance(law: DataLaw) -> Fraction | None:
    """Return P(X_i = 1) where this method applies: few binary samples in any order, and a chance of few digits."""
    if not 2 <= law.n <= MOST_SAMPLES or counts_law(law, np.ones((1, law.size))) is None:
        return None
    if law.exact:
        chance = sum((Fraction(m) for m, cell in zip(law.masses, law.cells, strict=True) if cell[0]), Fraction(0))
        return chance if chance.denominator <= MOST_DENOMINATOR and 0 < chance < 1 else None
    value = float(law.array @ law.cells[:, 0])
    chance = Fraction(value).limit_denominator(MOST_DENOMINATOR)
    return chance if 0 < chance < 1 and abs(float(chance) - value) <= _CLOSE else None


def best_by_orbits(
    law: DataLaw,
    chance: Fraction,
    rows: FloatArray,
    *,
    tolerance: float,
    seconds: float,
    progress: Progress | None = None,
) -> Mixture:
    """Solve for a law that `orbit_chance` accepts; `rows` are its protected marginals."""
    deadline = time.monotonic() + seconds
    prior, counts = law.array, law.cells.sum(axis=1)
    whole = float(entropy_bits(prior[:, None])[0])
    masses = on_counts(counts, prior, law.n)
    corners, has_all = laws_of_atoms(law.n, chance, deadline)
    orbits = [one for one in (_possible(found, masses) for found in corners) if one is not None]
    chosen, prices, least = _program(orbits, masses, whole, chance)
    bound = -math.inf
    if has_all:
        bound = float(prices[counts] @ prior) + least - _ROUNDING - _drift(law, chance, prices)
    members = np.concatenate([prior[None], *(_members(law, orbits[k], choice) for k, choice in chosen)])
    costs = entropy_bits(members.T)
    master = Master(prior, most_by_cell(rows, rows @ prior), whole)
    for place in range(0, len(members), max(1, len(members) // (2 * law.size))):
        master.add(members[place], float(costs[place]))
    rounds = 0
    while True:
        rounds += 1
        cover, price = master.cover(), master.prices()
        if progress is not None:
            progress(whole - cover.cost, whole - bound)
        if price is None or cover.cost - bound <= tolerance or time.monotonic() > deadline:
            break
        worth = costs - members @ price
        best = np.argsort(worth, kind="stable")[:_LAWS_A_ROUND]
        if not sum(master.add(members[c], float(costs[c])) for c in best if worth[c] < 0):
            break
    return Mixture(
        laws=cover.laws,
        weights=cover.weights,
        lower_bits=max(0.0, whole - cover.cost),
        upper_bits=min(whole, max(0.0, whole - bound, whole - cover.cost)),
        rounds=rounds,
    )


def _possible(orbit: AtomLaw, masses: FloatArray) -> AtomLaw | None:
    """Leave out choices that put mass on a count which cannot happen; None when none is left."""
    kept = (masses > 0)[orbit.counts].all(axis=1)
    if not kept.any():
        return None
    return AtomLaw(law=orbit.law, subsets=orbit.subsets, counts=orbit.counts[kept], entropy=orbit.entropy)


def _program(
    orbits: list[AtomLaw], masses: FloatArray, whole: float, chance: Fraction
) -> tuple[list[tuple[int, int]], FloatArray, float]:
    """Return orbits that cover the law of the count, as places and choices; prices of counts, and the least worth."""
    samples = len(masses) - 1
    happens = np.flatnonzero(masses > 0)
    ones = np.arange(samples + 1)
    mean = samples * float(chance)
    # Markov: so much of any law in S can lie on k ones.
    most = np.minimum(1.0, np.minimum(mean / np.maximum(ones, 0.5), (samples - mean) / np.maximum(samples - ones, 0.5)))
    master = Master(masses[happens], most[happens], whole)
    known: set[tuple[int, int]] = set()
    best_bound, best = -math.inf, (np.zeros(samples + 1), 0.0)
    while True:
        price = master.prices()
        if price is None:
            break
        prices = np.zeros(samples + 1)
        prices[happens] = price
        offers = []
        for k, orbit in enumerate(orbits):
            worth = orbit.entropy - prices[orbit.counts] @ orbit.law
            choice = int(np.argmin(worth))
            offers.append((float(worth[choice]), k, choice))
        offers.sort()
        if float(prices @ masses) + offers[0][0] > best_bound:
            best_bound, best = float(prices @ masses) + offers[0][0], (prices, offers[0][0])
        fresh = [(k, choice) for worth, k, choice in offers[:_LAWS_A_ROUND] if worth < 0 and (k, choice) not in known]
        added = 0
        for k, choice in fresh:
            known.add((k, choice))
            added += master.add(orbits[k].type_law(choice, samples)[happens], orbits[k].entropy)
        if master.cover().cost - best_bound <= _CLOSE or not added:
            break
    cover = master.cover()
    used = {tuple(np.round(row, 9)) for row in cover.laws}
    chosen = [
        (k, choice)
        for k, choice in sorted(known)
        if tuple(np.round(orbits[k].type_law(choice, samples)[happens], 9)) in used
    ]
    return chosen, *best


def _members(law: DataLaw, orbit: AtomLaw, choice: int) -> FloatArray:
    """Return every law of an orbit over the cells, each once."""
    samples = law.n
    bits = orbit.chosen(choice, samples).astype(np.int64)
    places = np.full(1 << samples, -1)
    places[law.cells @ (1 << np.arange(samples))] = np.arange(law.size)
    orders = np.array(list(itertools.permutations(range(samples))))
    cells: IntArray = places[(1 << orders) @ bits]
    laws = np.zeros((len(orders), law.size))
    for atom, mass in enumerate(orbit.law.tolist()):
        np.add.at(laws, (np.arange(len(orders)), cells[:, atom]), mass)
    return np.unique(laws, axis=0)


def _drift(law: DataLaw, chance: Fraction, prices: FloatArray) -> float:
    """How far the bound may be off because a float law's marginals are not the chance itself.

    A law with those marginals is next to one with the chance: so much mass moved, in total variation, as they differ.
    """
    marginals = law.array @ law.cells
    moved = float(np.abs(marginals - float(chance)).sum()) + 1e-15
    return moved * (law.n - math.log2(moved) + 2 * float(np.abs(prices).max()))
