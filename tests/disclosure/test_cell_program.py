"""The refined program: bounds on both sides in every round, closing on what enumeration says."""

from fractions import Fraction

import numpy as np
import pytest

from disclosure.disclosure_oracles import best_by_vertices, measured_through_bsc, random_feature, random_law
from sfumato.disclosure import DataLaw, Solver, optimum
from sfumato.disclosure.cells import cut_cells
from sfumato.disclosure.data import feature_of, independent_rows, marginal_matrix


def programme(law, about):
    data = DataLaw.of(law)
    feature = feature_of(data, about)
    return data, feature, independent_rows(marginal_matrix(data, data.singles()))


def test_every_round_has_the_optimum_between_its_bounds():
    random = np.random.default_rng(2)
    law, about = random_law(random, (2, 2, 2, 2)), random_feature(random, (2, 2, 2, 2), 2)
    data, feature, rows = programme(law, about)
    best, _ = best_by_vertices(data.cells.tolist(), data.masses, data.singles(), feature)
    seen = []
    mixture = cut_cells(
        rows, data.array, feature[1], tolerance=1e-8, seconds=30, progress=lambda a, b: seen.append((a, b))
    )
    assert len(seen) >= 2
    for lower, upper in seen:
        assert lower - 1e-9 <= best <= upper + 1e-9
    gaps = [upper - lower for lower, upper in seen]
    assert gaps == sorted(gaps, reverse=True)
    assert mixture.upper_bits - mixture.lower_bits <= 1e-8


def test_its_own_solution_is_a_mapping():
    law, about = measured_through_bsc(4)
    data, feature, rows = programme(law, about)
    mixture = cut_cells(rows, data.array, feature[1], tolerance=1e-8, seconds=30)
    assert mixture.laws.min() >= 0
    assert np.abs(mixture.weights @ mixture.laws - data.array).max() < 1e-9
    assert np.abs(rows @ mixture.laws.T - (rows @ data.array)[:, None]).max() < 1e-7


def test_no_time_leaves_both_bounds():
    random = np.random.default_rng(3)
    law, about = random_law(random, (2, 2, 2, 2)), random_feature(random, (2, 2, 2, 2), 2)
    data, feature, rows = programme(law, about)
    best, _ = best_by_vertices(data.cells.tolist(), data.masses, data.singles(), feature)
    rough = cut_cells(rows, data.array, feature[1], tolerance=1e-12, seconds=0)
    assert rough.lower_bits <= best + 1e-9 <= rough.upper_bits + 2e-9


def test_which_value_is_called_one_does_not_matter():
    law, about = measured_through_bsc(3)
    turned = [[[pair[::-1] for pair in row] for row in block] for block in about]
    first, second = (optimum(law, one, method=Solver.CELLS) for one in (about, turned))
    assert first.lower_bits == pytest.approx(second.lower_bits, abs=1e-9)


def test_a_feature_that_can_be_told_whole():
    """The parity of fair coins: H2 is 0 at both ends of the range."""
    law = DataLaw.independent([Fraction(1, 2), Fraction(1, 2)], 3)
    about = [[[[1 - (a + b + c) % 2, (a + b + c) % 2] for c in (0, 1)] for b in (0, 1)] for a in (0, 1)]
    found = optimum(law, about, method=Solver.CELLS)
    assert found.lower_bits == pytest.approx(1, abs=1e-12)
    assert found.is_exact
