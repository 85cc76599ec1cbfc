"""Samples whose order does not matter: everything is about how many of them are 1.

When the law is exchangeable, samples are binary and the feature depends on the count alone, averaging a mapping over
permutations costs nothing. S becomes the laws of the count with the right mean; its corners have at most two counts,
one on each side of the mean, and one linear program over those pairs is the optimum.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.disclose.column_generation import Mixture
from sfumato.disclose.data_laws import DataLaw, FloatArray
from sfumato.disclose.polytope import entropy_bits
from sfumato.errors import NotCertified


def counts_law(law: DataLaw, feature: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Return the law of the count and P(w|count), or None when order or more than the count matters."""
    if set(law.shape) != {2}:
        return None
    counts = law.cells.sum(axis=1)
    masses = np.zeros(law.n + 1)
    features = np.zeros((feature.shape[0], law.n + 1))
    for count in range(law.n + 1):
        mine = np.flatnonzero(counts == count)
        if mine.size == 0:
            continue
        values = law.array[mine]
        whole = mine.size == math.comb(law.n, count)
        if not whole or np.ptp(values) > 1e-12 * values.max() or np.ptp(feature[:, mine], axis=1).max() > 1e-12:
            return None
        masses[count] = values.sum()
        features[:, count] = feature[:, mine[0]]
    return masses, features


def best_by_counts(masses: FloatArray, features: FloatArray) -> Mixture:
    """Solve for a law of the count 0..n and a feature P(w|count); `laws` of the mixture are laws of the count."""
    from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import
    from scipy.sparse import csc_matrix  # noqa: PLC0415

    counts = np.arange(len(masses))
    possible = counts[masses > 0]
    mean = float(counts @ masses)
    below, above = possible[possible < mean - 1e-12], possible[possible > mean + 1e-12]
    first, second = (grid.ravel() for grid in np.meshgrid(below, above, indexing="ij"))
    share = (second - mean) / (second - first)
    exact = possible[np.abs(possible - mean) <= 1e-12]
    rows = np.concatenate([first, second, exact])
    places = np.arange(len(first))
    columns = np.concatenate([places, places, len(first) + np.arange(len(exact))])
    values = np.concatenate([share, 1 - share, np.ones(len(exact))])
    total = len(first) + len(exact)
    corners = csc_matrix((values, (rows, columns)), shape=(len(masses), total))
    costs = entropy_bits(features @ corners.toarray()) if total < 20_000 else entropy_bits((corners.T @ features.T).T)
    found = linprog(
        costs,
        A_eq=corners[possible],
        b_eq=masses[possible],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise NotCertified("the solver did not reach the optimum over counts", way_out="Try a smaller problem.")
    whole = float(entropy_bits((features @ masses)[:, None])[0])
    used = np.flatnonzero(found.x > 1e-12)
    value = whole - float(found.fun)
    # The dual bounds the optimum: its reduced costs must not be negative by more than their rounding.
    prices = np.asarray(found.eqlin.marginals)
    reduced = costs - corners[possible].T @ prices
    slack = max(0.0, -float(reduced.min()))
    bound = whole - (float(masses[possible] @ prices) - slack)
    return Mixture(
        laws=corners[:, used].toarray().T,
        weights=np.asarray(found.x)[used],
        lower_bits=max(0.0, value),
        upper_bits=max(value, bound, 0.0),
        rounds=1,
    )
