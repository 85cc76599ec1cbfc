"""Exchangeable binary samples: corners up to order against every basis, and the optimum against the other methods."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from disclosure.disclosure_oracles import best_by_vertices, entropy, is_independent, rows_of, vertices
from sfumato.disclosure import DataLaw, Solver, optimum
from sfumato.disclosure.data import marginal_matrix, scarce_rows
from sfumato.disclosure.orbits import best_by_orbits, laws_of_atoms, orbit_chance
from sfumato.errors import InvalidParameter


def corner_kinds(samples, chance):
    """Every corner by numpy, as its sorted masses with the count of ones of each."""
    cells = list(itertools.product((0, 1), repeat=samples))
    prior = np.array([math.prod(chance if x else 1 - chance for x in cell) for cell in cells])
    found = vertices(rows_of(cells, [(i,) for i in range(samples)]), prior)
    return {
        tuple(sorted((round(mass, 7), sum(cell)) for mass, cell in zip(corner, cells, strict=True) if mass > 1e-9))
        for corner in found
    }


def our_kinds(samples, chance):
    """The same from the listing."""
    return {
        tuple(sorted((round(float(mass), 7), int(ones)) for mass, ones in zip(orbit.law, counts, strict=True)))
        for orbit in laws_of_atoms(samples, chance)[0]
        for counts in orbit.counts
    }


@pytest.mark.parametrize("chance", [Fraction(3, 10), Fraction(1, 2), Fraction(1, 3), Fraction(41, 100)])
@pytest.mark.parametrize("samples", [2, 3, 4])
def test_no_corner_is_missing(samples, chance):
    """The listing may hold laws of S that are no corners, which cost nothing, but no corner may be missing."""
    assert corner_kinds(samples, float(chance)) <= our_kinds(samples, chance)


@pytest.mark.slow
def test_no_corner_of_five_samples_is_missing():
    assert corner_kinds(5, 0.3) <= our_kinds(5, Fraction(3, 10))


def test_how_many_laws_of_atoms_there_are():
    """1, 2, 7 and 28 for three to six atoms: the same as all simplices of cells around the prior's mean have."""
    sizes = [len(orbit.law) for orbit in laws_of_atoms(5, Fraction(3, 10))[0]]
    assert [sizes.count(atoms) for atoms in range(2, 7)] == [1, 1, 2, 7, 28]


def test_every_law_of_the_listing_lies_in_the_polytope():
    for orbit in laws_of_atoms(4, Fraction(2, 7))[0]:
        for choice in range(len(orbit.counts)):
            rows = orbit.chosen(choice, 4)
            assert rows @ orbit.law == pytest.approx([2 / 7] * 4, abs=1e-12)
            assert sorted(rows.sum(axis=0)) == sorted(orbit.counts[choice])
            assert orbit.type_law(choice, 4) @ np.arange(5) == pytest.approx(8 / 7)


def exchangeable(by_count):
    n = len(by_count) - 1
    law = np.empty((2,) * n, dtype=object)
    for x in itertools.product((0, 1), repeat=n):
        law[x] = Fraction(by_count[sum(x)], sum(math.comb(n, k) * v for k, v in enumerate(by_count)))
    return law.tolist()


LAWS = {
    "independent": DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 4),
    "rare": DataLaw.independent([Fraction(99, 100), Fraction(1, 100)], 4),
    "dependent": exchangeable([7, 1, 2, 1, 4]),
    "counts that cannot happen": exchangeable([3, 1, 0, 2, 1]),
    "three samples": exchangeable([1, 2, 3, 5]),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_optimum_is_that_of_all_corners(name):
    law = DataLaw.of(LAWS[name])
    found = optimum(law, method=Solver.ORBITS)
    other = optimum(law, method=Solver.COLUMNS)
    assert found.gap_bits < 1e-7
    assert found.lower_bits <= other.upper_bits + 1e-12
    assert other.lower_bits <= found.upper_bits + 1e-12
    assert found.is_exact
    for group in found.groups:
        assert is_independent(law.cells.tolist(), law.masses, group, found.channel.rows)
    if name != "rare":
        best, _ = best_by_vertices(law.cells.tolist(), law.masses, law.singles())
        assert found.lower_bits - 1e-9 <= best <= found.upper_bits + 1e-9


def test_floats_are_bounded_too():
    law = DataLaw.independent([0.7, 0.3], 4)
    found = optimum(law, method=Solver.ORBITS)
    exact = optimum(LAWS["independent"], method=Solver.COLUMNS)
    assert found.lower_bits <= exact.upper_bits + 1e-9
    assert exact.lower_bits <= found.upper_bits
    assert not found.is_exact
    assert found.leak_bits < 1e-12


@pytest.mark.parametrize("seconds", [0.0, 0.02])
def test_time_may_run_out(seconds):
    law = LAWS["independent"]
    rows = scarce_rows(marginal_matrix(law, law.singles()), law.array)
    mixture = best_by_orbits(law, Fraction(3, 10), rows, tolerance=1e-9, seconds=seconds)
    best = 1.7911075
    assert mixture.lower_bits <= best + 1e-7
    assert mixture.upper_bits >= best - 1e-7
    assert mixture.upper_bits <= entropy(law.array) + 1e-9
    assert np.abs(mixture.weights @ mixture.laws / law.array - 1).max() < 1e-7


@pytest.mark.parametrize(
    "law",
    [
        exchangeable([1, 2, 3, 1, 2, 1, 1, 2, 1]),
        DataLaw.independent([Fraction(1, 3)] * 3, 3),
        DataLaw.independent([Fraction(1000, 1009), Fraction(9, 1009)], 3),
        [[[1 / 8 + 0.01, 1 / 8], [1 / 8, 1 / 8]], [[1 / 8 - 0.01, 1 / 8], [1 / 8, 1 / 8]]],
    ],
    ids=["eight samples", "three values", "many digits", "order matters"],
)
def test_where_it_does_not_apply(law):
    data = DataLaw.of(law)
    assert orbit_chance(data) is None
    with pytest.raises(InvalidParameter, match="exchangeable"):
        optimum(data, method=Solver.ORBITS)


def test_it_is_not_for_features_or_groups():
    law = LAWS["independent"]
    about = np.full((2, 2, 2, 2, 2), 0.5)
    about[0, 0] = [0.2, 0.8]
    with pytest.raises(InvalidParameter, match="no feature"):
        optimum(law, about, method=Solver.ORBITS)
    with pytest.raises(InvalidParameter, match="one by one"):
        optimum(law, groups=law.windows(2), method=Solver.ORBITS)


@pytest.mark.slow
def test_six_samples_close():
    law = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 6)
    found = optimum(law)
    assert found.method == Solver.ORBITS.value
    assert found.is_exact
    assert found.leak_bits == 0
    assert found.gap_bits < 1e-9
    assert found.lower_bits == pytest.approx(3.412262, abs=5e-7)


@pytest.mark.slow
def test_seven_samples_close():
    law = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 7)
    found = optimum(law, seconds=600)
    assert found.method == Solver.ORBITS.value
    assert found.gap_bits < 1e-6
    assert found.lower_bits == pytest.approx(4.222105, abs=5e-7)
    assert found.leak_bits < 1e-12
