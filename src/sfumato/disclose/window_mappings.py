"""The mapping inside one window: what k samples can say together while each alone stays hidden.

Two binary samples have a closed form; a few more cells have few enough corners to list, and a linear program chooses
among them. Its answer is solved for again in Fractions, so the mapping is private to the last digit; that it is also
the best one holds to the program's tolerance.   Ref: [D, Thm 1; eqs. (25), (26)]; theory:
docs/theory/disclosure_schemes.md
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from sfumato.disclose.data_laws import DataLaw
from sfumato.disclose.polytope import corners
from sfumato.disclose.scheme_checks import check_sample_law
from sfumato.disclose.two_binary import two_binary_corners
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.prob import Channel, Distribution
from sfumato.prob.alphabet import product_labels
from sfumato.prob.exact_systems import solve_exactly
from sfumato.values.checks import check_at_least, check_integer

# 16 cells of four binary samples have 4368 bases and take a second or two.
MOST_LISTED_BASES = 20_000
# Weights below this are the solver's zeros; the exact solution then shows whether they were.
_ZERO = 1e-10

Corner = tuple[tuple[Fraction, ...], Fraction]
"""A law of the window with the marginals of the samples, and the probability with which it is published."""


def window_law(law: Distribution, size: int) -> Distribution:
    """The law of `size` independent samples, the last one moving fastest."""
    products = [math.prod(cell, start=Fraction(1)) for cell in itertools.product(law.fractions, repeat=size)]
    return Distribution(products, product_labels(*[law.labels] * size))


def best_mapping(law: Distribution, size: int) -> Channel:
    """Return the mapping of `size` samples that tells most about all of them and nothing about any one.

    `WindowScheme.best` uses it; it is exact, and refuses windows with too many corners to list.

    Raises:
        InvalidParameter: the window has too many corners to list.
        NotCertified: no exact counterpart of the optimum was found.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> mapping = sf.disclose.best_mapping(sf.Distribution([Fraction(1, 3), Fraction(2, 3)]), 2)
    >>> for window, row in zip(mapping.inputs, mapping.rows):
    ...     print(window, [str(chance) for chance in row])
    (0, 0) ['0', '1']
    (0, 1) ['1', '0']
    (1, 0) ['1', '0']
    (1, 1) ['1/2', '1/2']
    """
    exact = check_sample_law(law)
    check_at_least("size", check_integer("size", size), 2)
    whole = window_law(exact, size) if len(exact) ** size <= 64 else None
    if whole is None or math.comb(len(whole), size * (len(exact) - 1) + 1) > MOST_LISTED_BASES:
        raise InvalidParameter(
            f"samples of {len(exact)} values have too many corners to list",
            parameter="size",
            value=size,
            way_out="Take smaller windows, or give a mapping of your own.",
        )
    data = DataLaw.of(np.array(whole.fractions, dtype=object).reshape((len(exact),) * size))
    if data.shape == (2, 2):
        return mapping_of_corners(whole, two_binary_corners(data))
    listed = corners(data, tuple((i,) for i in range(size)))
    return mapping_of_corners(whole, _best_mixture(listed, whole.fractions))


def mapping_of_corners(whole: Distribution, mixture: Sequence[Corner]) -> Channel:
    """P(y|x) = u_y t_y(x)/p(x), where output y says that the window has the law t_y."""
    rows = [[weight * corner[cell] / mass for corner, weight in mixture] for cell, mass in enumerate(whole.fractions)]
    return Channel(rows, whole.labels)


def _best_mixture(listed: Sequence[tuple[Fraction, ...]], prior: Sequence[Fraction]) -> list[Corner]:
    """Mix corners into the prior so that their entropies are least on average."""
    from scipy.optimize import linprog  # noqa: PLC0415  scipy is slow to import

    table = np.array([[float(value) for value in corner] for corner in listed])
    cost = -(table * np.log2(np.where(table > 0, table, 1.0))).sum(axis=1)
    solved = linprog(cost, A_eq=table.T, b_eq=[float(p) for p in prior], method="highs-ds")
    if solved.status != 0:
        raise NotCertified("the program that mixes corners found no optimum", way_out="Give a mapping of your own.")
    used = [listed[i] for i in np.flatnonzero(solved.x > _ZERO).tolist()]
    weights = solve_exactly(list(zip(*used, strict=True)), list(prior))
    if weights is None or min(weights) < 0:
        raise NotCertified(
            "the program's mixture of corners has no exact counterpart", way_out="Give a mapping of your own."
        )
    return [(corner, weight) for corner, weight in zip(used, weights, strict=True) if weight]
