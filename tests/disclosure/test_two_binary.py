"""Two binary samples: the closed form against a linear program, for α on both sides of β."""

from fractions import Fraction

import numpy as np
import pytest

from disclosure.disclosure_oracles import best_by_vertices, random_feature
from sfumato.disclosure import DataLaw, Solver, optimum, two_binary_corners
from sfumato.disclosure.data import feature_of
from sfumato.errors import InvalidParameter


def law_of(alpha, beta, r):
    return [[alpha - r, r], [beta - alpha + r, 1 - beta - r]]


def cases(count=200):
    random = np.random.default_rng(25)
    found = []
    while len(found) < count:
        alpha, beta = (Fraction(int(k), 24) for k in random.integers(1, 24, 2))
        low, high = max(Fraction(0), alpha - beta), min(alpha, 1 - beta)
        found.append((alpha, beta, low + (high - low) * Fraction(int(random.integers(0, 9)), 8)))
    return found


def test_both_orders_and_both_ends_occur():
    given = cases()
    assert sum(alpha > beta for alpha, beta, _ in given) > 50
    assert sum(alpha < beta for alpha, beta, _ in given) > 50
    assert any(r in {max(0, a - b), min(a, 1 - b)} for a, b, r in given)


def test_closed_form_is_the_program_on_two_hundred_laws():
    random = np.random.default_rng(26)
    for alpha, beta, r in cases():
        law = DataLaw.of(law_of(alpha, beta, r))
        about = random_feature(random, (2, 2), int(random.integers(2, 5)))
        best, found = best_by_vertices(law.cells.tolist(), law.masses, law.singles(), feature_of(law, about))
        ours = optimum(law, about)
        assert ours.lower_bits - 1e-9 <= best <= ours.upper_bits + 1e-9
        assert len(two_binary_corners(law)) == len(found)
        assert ours.is_exact
        assert ours.method in {Solver.CLOSED_FORM.value, "nothing can be told"}


def test_corners_and_weights_are_exact():
    for alpha, beta, r in cases(40):
        ends = two_binary_corners(DataLaw.of(law_of(alpha, beta, r)))
        assert sum(weight for _, weight in ends) == 1
        for corner, weight in ends:
            assert weight > 0
            assert min(corner) >= 0
            assert (corner[0] + corner[1], corner[0] + corner[2]) == (alpha, beta)
            assert len(ends) == 1 or min(corner) == 0
        mixed = [sum(weight * corner[c] for corner, weight in ends) for c in range(4)]
        assert mixed == [p for row in law_of(alpha, beta, r) for p in row]


def test_print_fails_for_alpha_above_beta():
    """(24) with r_0 = 0 has a negative entry."""
    alpha, beta, r = Fraction(3, 5), Fraction(2, 5), Fraction(3, 10)
    printed = [p + r * d for p, d in zip([alpha - r, r, beta - alpha + r, 1 - beta - r], (1, -1, -1, 1), strict=True)]
    assert min(printed) < 0


def test_other_shapes_are_refused():
    for law in ([Fraction(1)], [[0.5, 0.25, 0.25]], [[[0.125] * 2] * 2] * 2):
        with pytest.raises(InvalidParameter, match="two binary samples"):
            two_binary_corners(DataLaw.of(law))
    with pytest.raises(InvalidParameter, match="two binary samples"):
        optimum([[[0.125] * 2] * 2] * 2, method=Solver.CLOSED_FORM)


@pytest.mark.parametrize("seed", range(40))
def test_any_law_in_floats_has_an_optimum(seed):
    """Masses that sum to 1 only up to rounding once gave a corner a probability just below 0."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 30, size=(2, 2))
    law = weights / weights.sum()
    assert optimum(law.tolist()).leak_bits < 1e-12
