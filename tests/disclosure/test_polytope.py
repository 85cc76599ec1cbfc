"""Corners and ranks against numpy, and the misprinted conditions on them."""

from fractions import Fraction

import numpy as np
import pytest

from disclosure.disclosure_oracles import best_by_vertices, random_law, rows_of, vertices
from sfumato.disclosure import DataLaw, nullity
from sfumato.disclosure.data import can_tell, corners, independent_rows, marginal_matrix
from sfumato.errors import InvalidParameter
from sfumato.numbers.exact import solve_exactly

SHAPES = [(2, 2), (2, 2, 2), (3, 2), (3, 3), (2, 3, 2)]


def laws():
    random = np.random.default_rng(7)
    return [DataLaw.of(random_law(random, shape, zeros=zeros)) for shape in SHAPES for zeros in (False, True)]


@pytest.mark.parametrize("law", laws(), ids=lambda law: f"{law.shape}-{law.size}")
class TestMatrices:
    def test_the_matrix_counts_values(self, law):
        ours, plain = marginal_matrix(law, law.singles()), rows_of(law.cells.tolist(), law.singles())
        assert sorted(map(tuple, ours)) == sorted(map(tuple, plain))

    def test_rank_and_nullity(self, law):
        matrix = marginal_matrix(law, law.singles())
        rank = np.linalg.matrix_rank(matrix)
        kept = independent_rows(matrix)
        assert len(kept) == np.linalg.matrix_rank(kept) == rank
        assert np.linalg.matrix_rank(np.vstack([matrix, kept])) == rank
        assert nullity(law, law.singles()) == law.size - rank

    def test_corners_are_the_vertices(self, law):
        ours = np.array([[float(v) for v in corner] for corner in corners(law, law.singles())])
        plain = vertices(rows_of(law.cells.tolist(), law.singles()), law.array)
        assert {tuple(row) for row in np.round(ours, 7) + 0.0} == {tuple(row) for row in np.round(plain, 7) + 0.0}
        goal = [sum(m * int(v) for m, v in zip(law.masses, row, strict=True)) for row in rows_of(law.cells, ((0,),))]
        for corner in corners(law, law.singles()):
            assert min(corner) >= 0
            assert [
                sum(m * int(v) for m, v in zip(corner, row, strict=True)) for row in rows_of(law.cells, ((0,),))
            ] == goal

    def test_what_can_be_told(self, law):
        """W = X_1 can never be told, the data set exactly when there is a direction to move in."""
        matrix = marginal_matrix(law, law.singles())
        first = (law.cells[:, 0][None] == np.arange(law.shape[0])[:, None]).astype(float)
        assert not can_tell(matrix, first)
        assert can_tell(matrix, None) == (nullity(law, law.singles()) > 0)


def test_example_2_has_four_corners():
    law = DataLaw.of([[Fraction(k, 12) for k in (1, 3, 2)], [Fraction(k, 12) for k in (2, 3, 1)]])
    quarter = Fraction(1, 4)
    assert set(corners(law, law.singles())) == {
        (quarter, 0, quarter, 0, 2 * quarter, 0),
        (0, 2 * quarter, 0, quarter, 0, quarter),
        (quarter, quarter, 0, 0, quarter, quarter),
        (0, quarter, quarter, quarter, quarter, 0),
    }


@pytest.mark.parametrize(("n", "count"), [(3, 6), (4, 52)])
def test_corners_of_independent_samples(n, count):
    law = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], n)
    assert len(corners(law, law.singles())) == count


def test_too_many_corners_are_refused():
    law = DataLaw.independent([Fraction(1, 2)] * 2, 6)
    with pytest.raises(InvalidParameter, match="too many corners"):
        corners(law, law.singles())


def test_systems_with_none_or_many_solutions():
    one, two = Fraction(1), Fraction(2)
    assert solve_exactly([[1, 1], [1, -1], [2, 0]], [two, Fraction(0), two]) == [one, one]
    assert solve_exactly([[1, 1], [2, 2]], [one, two]) is None
    assert solve_exactly([[1], [1]], [one, two]) is None


def test_two_blocks_meet_the_printed_condition_with_more_than_two_corners():
    """[D, Prop 4] asks for |support| = Σ|X_i| - n + 2; two 2×2 blocks have 8 = 4+4-2+2 cells, and nul(P) = 2."""
    table = np.zeros((4, 4), dtype=object)
    for (row, column), count in {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 4}.items():
        table[row, column] = table[row + 2, column + 2] = Fraction(count, 20)
    law = DataLaw.of(table)
    assert law.size == sum(law.shape) - law.n + 2
    assert nullity(law, law.singles()) == 2
    assert len(corners(law, law.singles())) == 4
    _, plain = best_by_vertices(law.cells.tolist(), law.masses, law.singles())
    assert len(plain) == 4
