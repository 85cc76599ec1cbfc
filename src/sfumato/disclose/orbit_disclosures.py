"""Self-disclosure of binary samples whose order does not matter: one program over corners up to order.

Averaging a mapping over permutations of the samples costs nothing, so the master program has a row for each count of
ones and a column for each orbit of corners, all of which are known. Its prices bound the optimum without a search. A
second program picks members of the orbits that are used, as few as needed, to average to the prior itself.
Ref: [D, Thm 1]; theory: docs/theory/skewed_laws.md
"""

from __future__ import annotations

import itertools
import math
import time
from fractions import Fraction

import numpy as np

from sfumato.disclose.atom_laws import MOST_DENOMINATOR, MOST_SAMPLES, AtomLaw, laws_of_atoms, on_counts
from sfumato.disclose.column_generation import Mixture, Progress
from sfumato.disclose.data_laws import DataLaw, FloatArray, IntArray
from sfumato.disclose.exchangeable import counts_law
from sfumato.disclose.master_program import Master
from sfumato.disclose.polytope import entropy_bits
from sfumato.disclose.scaled_rows import most_by_cell

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
