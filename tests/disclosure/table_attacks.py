"""What an attacker does with a certificate of a disclosure: rebuild the table that it protects.

Attacks on any JSON document: masses are counts with as much added as the file says, and a mapping that is independent
of every sample under one law only gives that law away, and with it the counts. `NothingThere` says that a document has
nothing to work on.
"""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np


class NothingThere(Exception):
    """The document holds nothing that the attack needs."""


def walk(document, path=()):
    """Every list, object and leaf of a document, with its path."""
    yield path, document
    if isinstance(document, dict):
        for key, value in document.items():
            yield from walk(value, (*path, key))
    elif isinstance(document, list):
        for place, value in enumerate(document):
            yield from walk(value, (*path, place))


def _fractions(value):
    try:
        return [Fraction(entry) for entry in value]
    except (TypeError, ValueError):
        return None


def laws_in(document):
    """Every list of two or more numbers in it that are positive and sum to 1, whatever it is called."""
    found = []
    for path, value in walk(document):
        numbers = _fractions(value) if isinstance(value, list) and len(value) > 1 else None
        if numbers and min(numbers) >= 0 and sum(numbers) == 1:
            found.append((path, numbers))
    return found


def counts_of_law(law, document):
    """Take off what was added to every count: how much, and in how many records, is no secret."""
    told = [value for _, value in walk(document) if isinstance(value, dict) and "terms" in value and value["terms"]]
    if not told:
        raise NothingThere
    added = Fraction(told[0]["terms"]["smoothing"])
    return [mass * (told[0]["records"] + told[0]["cells"] * added) - added for mass in law]


def multiset_from_masses(document):
    """Read the table off a certificate: each cell as often as its mass says."""
    for path, masses in laws_in(document):
        for _, cells in walk(document):
            is_cells = isinstance(cells, list) and len(cells) == len(masses) and isinstance(cells[0], list)
            if is_cells and path[-1] == "masses" and all(isinstance(v, int) for cell in cells for v in cell):
                counts = counts_of_law(masses, document)
                assert all(count.denominator == 1 for count in counts)
                return Counter({tuple(cell): int(count) for cell, count in zip(cells, counts, strict=True)})
    raise NothingThere


def mapping_in(document):
    """A table whose rows are all laws, on the same symbols: the mapping."""
    rows = {}
    for path, numbers in laws_in(document):
        if isinstance(path[-1], int):
            rows.setdefault((path[:-1], len(numbers)), []).append([float(p) for p in numbers])
    if not rows:
        raise NothingThere
    return np.array(max(rows.values(), key=len))


def picks_of(mapping, shape):
    """Return the rows of 0 and 1, one for each value of each sample, that pick the cells with that value."""
    cells = list(itertools.product(*map(range, shape)))
    if len(cells) != len(mapping):
        raise NothingThere
    return np.array([[cell[i] == value for cell in cells] for i, size in enumerate(shape) for value in range(size)])


def law_from_mapping_and_release(document, shape, symbols):
    """Σ_{x_i=a} p(x)(K(y|x) - q_y) = 0 is linear in p; q is read from the released symbols, p from an SVD."""
    mapping = mapping_in(document)
    picks = picks_of(mapping, shape)
    shares = np.bincount(symbols, minlength=mapping.shape[1]) / len(symbols)
    system = np.concatenate([picks * (mapping[:, y] - shares[y]) for y in range(mapping.shape[1])])
    direction = np.abs(np.linalg.svd(system)[2][-1])
    return direction / direction.sum()


def law_from_mapping(document, shape, starts=12):
    """The same without the release: q is the output law of p itself, and the equations are solved by least squares."""
    from scipy.optimize import least_squares

    mapping = mapping_in(document)
    picks = picks_of(mapping, shape)

    def softmax(free):
        weights = np.exp(free - free.max())
        return weights / weights.sum()

    def off(free):
        law = softmax(free)
        return (picks @ (law[:, None] * (mapping - law @ mapping))).ravel()

    tries = np.random.default_rng(7)
    solved = [least_squares(off, tries.normal(size=len(mapping)), xtol=1e-15, ftol=1e-15) for _ in range(starts)]
    # A law that has died out in all cells but one value solves the equations too, and is no law of the table.
    alive = [found for found in solved if softmax(found.x).min() > 1e-6]
    law = softmax(min(alive or solved, key=lambda found: found.cost).x)
    for _ in range(4):  # with q from the law that was found the equations are linear, and an SVD solves them to the end
        shares = law @ mapping
        system = np.concatenate([picks * (mapping[:, y] - shares[y]) for y in range(mapping.shape[1])])
        direction = np.abs(np.linalg.svd(system)[2][-1])
        law = direction / direction.sum()
    return law


def total_variation(one, two):
    """How far two laws are apart."""
    return float(np.abs(np.asarray(one, dtype=float) - np.asarray(two, dtype=float)).sum() / 2)
