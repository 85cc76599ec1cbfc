"""A law of surnames like that of a census: a few common names, and a long tail of a hundred thousand."""

import numpy as np

NAMES = 100_000
TOP = 32
MOST, LEAST = 0.0086, 0.0017  # of the first name, and of the last of the top


def surname_law(names=NAMES, unused=0):
    """Shares of names, the common ones first; `unused` names at the end are held by nobody.

    Zipf and Mandelbrot's law C/(i + b) from .86 % at i = 1 to .17 % at i = 32; from there on a power of i + b that
    falls as slowly as makes the shares of all names sum to 1.
    """
    rank = np.arange(1, names - unused + 1, dtype=np.float64)
    b = (LEAST * TOP - MOST) / (MOST - LEAST)
    top = MOST * (1 + b) / (rank[:TOP] + b)
    ratio = (TOP + b) / (rank[TOP:] + b)
    low, high = 0.0, 5.0
    for _ in range(80):
        middle = (low + high) / 2
        rest = LEAST * (ratio**middle).sum()
        low, high = (middle, high) if top.sum() + rest > 1 else (low, middle)
    law = np.concatenate([top, LEAST * ratio**low, np.zeros(unused)])
    return law / law.sum()


def drawn_names(law, people, seed):
    """Places of the names of people, each drawn from the law."""
    edges = np.cumsum(law)
    return np.minimum(np.searchsorted(edges, np.random.default_rng(seed).random(people) * edges[-1]), len(law) - 1)
