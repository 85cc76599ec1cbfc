"""Laws of data sets: what is read, what is refused, and that refusals come before the memory is spent."""

import itertools
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest

from sfumato.disclosure import DataLaw, optimum
from sfumato.disclosure.data import MOST_CELLS, feature_of
from sfumato.errors import InvalidInput, InvalidLaw, InvalidParameter
from sfumato.prob import Channel, Distribution, Joint

HALF = Fraction(1, 2)


class TestReading:
    def test_only_what_can_happen_is_kept(self):
        law = DataLaw.of([[HALF, 0], [Fraction(1, 4), Fraction(1, 4)]])
        assert law.cells.tolist() == [[0, 0], [1, 0], [1, 1]]
        assert law.masses == (HALF, Fraction(1, 4), Fraction(1, 4))
        assert (law.n, law.size, law.exact, law.shape) == (2, 3, True, (2, 2))

    def test_lists_arrays_and_laws_are_the_same(self):
        table = [[0.125, 0.375], [0.25, 0.25]]
        first = DataLaw.of(table)
        assert DataLaw.of(first) is first
        for other in (DataLaw.of(np.array(table)), DataLaw.of(tuple(map(tuple, table)))):
            assert other.masses == first.masses
            assert other.cells.tolist() == first.cells.tolist()
        assert not first.exact

    def test_a_joint_is_a_law(self):
        law = DataLaw.of(Joint([HALF, 0, Fraction(1, 4), Fraction(1, 4)], [["a", "b"], ["yes", "no"]]))
        assert law.shape == (2, 2)
        assert law.cells.tolist() == [[0, 0], [1, 0], [1, 1]]

    def test_independent_samples(self):
        law = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 3)
        for cell, mass in zip(law.cells.tolist(), law.masses, strict=True):
            assert mass == Fraction(3, 10) ** sum(cell) * Fraction(7, 10) ** (3 - sum(cell))
        assert law.size == 8
        assert DataLaw.independent(Distribution([HALF, HALF]), 1).masses == (HALF, HALF)

    def test_a_value_that_never_happens_is_no_cell(self):
        assert DataLaw.independent([HALF, 0, HALF], 2).size == 4

    @pytest.mark.parametrize(
        "bad", [0.5, [], [[0.5, 0.6]], [[HALF, Fraction(1, 3)]], [[-0.5, 1.5]], [[float("nan"), 1.0]], [["a", "b"]]]
    )
    def test_no_law(self, bad):
        with pytest.raises(InvalidInput):
            DataLaw.of(bad)


class TestGroups:
    def test_windows(self):
        law = DataLaw.independent([HALF, HALF], 4)
        assert law.windows(2) == ((0, 1), (1, 2), (2, 3))
        assert law.windows(4) == ((0, 1, 2, 3),)
        assert law.windows(1) == law.singles()
        for k in (0, 5):
            with pytest.raises(InvalidParameter, match="k="):
                law.windows(k)

    def test_codes_tell_joint_values_apart(self):
        law = DataLaw.of([[[Fraction(1, 8)] * 2] * 2] * 2)
        for group in ((0,), (0, 2), (0, 1, 2)):
            codes = law.group_codes(group).tolist()
            values = [tuple(cell[i] for i in group) for cell in law.cells.tolist()]
            for (a, x), (b, y) in itertools.combinations(zip(codes, values, strict=True), 2):
                assert (a == b) == (x == y)

    @pytest.mark.parametrize(
        ("groups", "word"),
        [
            ([[0]], "leaves sample 1"),
            ([[0], [2]], "from 0 to 1"),
            ([[0], [1], []], "at least one"),
            ([[0], [-1]], "0 to"),
        ],
    )
    def test_every_sample_is_protected(self, groups, word):
        with pytest.raises(InvalidParameter, match=word):
            optimum([[0.25, 0.25], [0.25, 0.25]], groups=groups)


class TestFeatures:
    LAW = ((HALF, 0), (Fraction(1, 4), Fraction(1, 4)))

    def test_cells_get_their_own_rows(self):
        about = [[[1, 0, 0], [0.2, 0.8, 0]], [[0.5, 0.5, 0], [0.25, 0.75, 0]]]
        found = feature_of(DataLaw.of(self.LAW), about)
        # The third value never happens and is left out; the impossible cell is too.
        assert found.tolist() == [[1, 0.5, 0.25], [0, 0.5, 0.75]]

    def test_a_channel_from_the_data_sets(self):
        rows = [[1, 0], [0.2, 0.8], [0.5, 0.5], [0.25, 0.75]]
        assert feature_of(DataLaw.of(self.LAW), Channel(np.array(rows, dtype=float))).tolist() == [
            [1, 0.5, 0.25],
            [0, 0.5, 0.75],
        ]

    @pytest.mark.parametrize(
        "bad",
        [
            [1, 0],
            [[1, 0], [0, 1]],
            [[[1, 0]] * 2] * 3,
            [[[0.5, 0.6]] * 2] * 2,
            [[[1.5, -0.5]] * 2] * 2,
            [[[float("nan"), 1.0]] * 2] * 2,
        ],
    )
    def test_wrong_features_are_refused(self, bad):
        with pytest.raises(InvalidLaw, match="about must"):
            optimum(self.LAW, bad)


class TestSize:
    def test_long_columns_are_refused_at_once(self):
        for n in (20, 10**6):
            with pytest.raises(InvalidParameter, match=f"{n} samples on 2 values"):
                DataLaw.independent([HALF, HALF], n)

    def test_large_tables_are_refused_before_they_are_copied(self):
        table = np.broadcast_to(np.array(2.0**-24), (2,) * 24)
        tracemalloc.start()
        with pytest.raises(InvalidParameter, match="16777216 cells"):
            DataLaw.of(table)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
        tracemalloc.stop()

    def test_more_cells_than_are_solved_for(self):
        law = DataLaw.independent([HALF, HALF], 13)
        assert law.size < MOST_CELLS
        tracemalloc.start()
        with pytest.raises(InvalidParameter, match="8192 cells that can happen"):
            optimum(law)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
        tracemalloc.stop()
