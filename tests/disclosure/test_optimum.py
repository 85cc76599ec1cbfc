"""The optimum by every method that applies, against numbers in print, enumeration with numpy, and each other."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from disclosure.disclosure_oracles import (
    best_by_vertices,
    entropy,
    information,
    is_independent,
    measured_through_bsc,
    random_feature,
    random_law,
    rows_of,
    vertices,
)
from sfumato.disclosure import DataLaw, Solver, ceiling_bits, nullity, optimum
from sfumato.disclosure.columns import Pricer
from sfumato.disclosure.data import feature_of, independent_rows, marginal_matrix
from sfumato.errors import InvalidParameter

EXAMPLE_2 = [[Fraction(k, 12) for k in (1, 3, 2)], [Fraction(k, 12) for k in (2, 3, 1)]]
# P(w|x) of α = 2/3, which belongs to this law, and of α = 1/3, which stands in eq. (20).
RIGHT = [[[1, 0], [Fraction(1, 3), Fraction(2, 3)], [0, 1]], [[1, 0], [Fraction(2, 3), Fraction(1, 3)], [0, 1]]]
PRINTED = [[[1, 0], [Fraction(2, 3), Fraction(1, 3)], [0, 1]], [[1, 0], [Fraction(1, 3), Fraction(2, 3)], [0, 1]]]
TABLE_I = {2: (0.0083377, 2), 3: (0.0487570, 9), 4: (0.0447107, 130), 5: (0.0538973, 6782)}


def judge(found, law, about, groups=None, best=None):
    """What every answer must satisfy, whatever the method."""
    data = DataLaw.of(law)
    groups = data.singles() if groups is None else groups
    feature = feature_of(data, about)
    assert 0 <= found.lower_bits <= found.upper_bits
    assert found.upper_bits <= ceiling_bits(data, groups, feature) + 1e-9
    rows = found.channel.rows
    assert abs(information(data.masses, rows, feature) - found.lower_bits) < 1e-9
    if found.is_exact:
        assert found.leak_bits == 0
        for group in groups:
            assert is_independent(data.cells.tolist(), data.masses, group, rows)
    if best is not None:
        assert found.lower_bits <= best + 1e-9
        assert best <= found.upper_bits + 1e-9


def applicable(law, about):
    data = DataLaw.of(law)
    yield Solver.COLUMNS
    if data.size <= 12:
        yield Solver.CORNERS
    if about is not None and np.shape(about)[-1] == 2:
        yield Solver.CELLS
    if data.shape == (2, 2):
        yield Solver.CLOSED_FORM


class TestPrint:
    @pytest.mark.parametrize("about", [RIGHT, PRINTED], ids=["right", "as printed"])
    @pytest.mark.parametrize("method", [None, Solver.CORNERS, Solver.CELLS, Solver.COLUMNS])
    def test_example_2(self, about, method):
        found = optimum(EXAMPLE_2, about, method=method)
        judge(found, EXAMPLE_2, about)
        assert found.lower_bits == pytest.approx(0.013421, abs=5e-7)
        assert found.gap_bits < 1e-8
        assert found.channel.shape == (6, 3)
        law = [p for row in EXAMPLE_2 for p in row]
        assert sorted(_output(found.channel.rows, law)) == [Fraction(1, 3)] * 3

    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_table_1(self, n):
        law, about = measured_through_bsc(n)
        data = DataLaw.of(law)
        value, count = TABLE_I[n]
        best, found = best_by_vertices(data.cells.tolist(), data.masses, data.singles(), feature_of(data, about))
        assert len(found) == count
        for method in (Solver.COUNTS, Solver.CELLS, Solver.COLUMNS):
            ours = optimum(law, about, method=method)
            judge(ours, law, about, best=best)
            assert ours.lower_bits == pytest.approx(value, abs=5e-8)
            assert ours.gap_bits < 1e-7

    def test_table_1_goes_on(self):
        law, about = measured_through_bsc(5)
        ours = optimum(law, about)
        assert ours.method == Solver.COUNTS.value
        assert ours.lower_bits == pytest.approx(TABLE_I[5][0], abs=5e-8)
        judge(ours, law, about)

    def test_example_1_reaches_the_ceiling(self):
        """X_1 uniform on 2 values, X_2 on 4, W their sum mod 2: all of W can be told."""
        law = [[Fraction(1, 8)] * 4] * 2
        about = [[[1 - (a + b) % 2, (a + b) % 2] for b in range(4)] for a in range(2)]
        found = optimum(law, about)
        assert found.lower_bits == pytest.approx(1, abs=1e-12)
        judge(found, law, about)

    @pytest.mark.slow
    def test_six_independent_samples(self):
        law = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 6)
        found = optimum(law, tolerance=1e-6, seconds=120)
        assert found.lower_bits - 1e-6 <= 3.412262 <= found.upper_bits + 1e-6
        assert found.lower_bits > 3.4122
        assert found.leak_bits == 0


def _output(rows, law):
    return [sum(p * row[y] for p, row in zip(law, rows, strict=True)) for y in range(len(rows[0]))]


def random_cases(count, shapes):
    random = np.random.default_rng(1000 + count)
    for k, shape in zip(range(count), itertools.cycle(shapes), strict=False):
        law = random_law(random, shape, zeros=k % 2 == 1)
        values = (2, 3, None)[k % 3]
        yield law, None if values is None else random_feature(random, shape, values)


class TestMethods:
    def compare(self, law, about):
        data = DataLaw.of(law)
        feature = feature_of(data, about)
        best, _ = best_by_vertices(data.cells.tolist(), data.masses, data.singles(), feature)
        for method in applicable(law, about):
            found = optimum(law, about, method=method)
            judge(found, law, about, best=best)
            assert found.gap_bits < 1e-6
            assert found.is_exact
            if method is not Solver.CELLS:
                assert found.channel.shape[1] <= nullity(data, data.singles()) + 1

    def test_on_thirty_laws(self):
        for law, about in random_cases(30, [(2, 2), (2, 2, 2), (3, 2), (3, 3)]):
            self.compare(law, about)

    @pytest.mark.slow
    def test_on_a_hundred_laws(self):
        for law, about in random_cases(100, [(2, 2), (2, 2, 2), (3, 3), (2, 3, 2), (2, 2, 2, 2)]):
            self.compare(law, about)

    def test_method_is_chosen_by_size_and_structure(self):
        random = np.random.default_rng(0)
        assert optimum([[0.25] * 2] * 2).method == Solver.CLOSED_FORM.value
        assert optimum(*measured_through_bsc(3)).method == Solver.COUNTS.value
        assert optimum(random_law(random, (2, 2, 2))).method == Solver.CORNERS.value
        assert optimum(random_law(random, (3, 3))).method == Solver.COLUMNS.value

    @pytest.mark.parametrize(
        ("method", "groups", "word"),
        [
            (Solver.COUNTS, None, "needs samples that are exchangeable"),
            (Solver.CELLS, None, "two values"),
            (Solver.COUNTS, ((0, 1), (1, 2)), "one by one only"),
            (Solver.CLOSED_FORM, None, "two binary samples"),
        ],
    )
    def test_a_method_that_does_not_apply_is_refused(self, method, groups, word):
        law = random_law(np.random.default_rng(3), (2, 2, 2))
        with pytest.raises(InvalidParameter, match=word):
            optimum(law, method=method, groups=groups)

    def test_time_may_run_out_and_the_bounds_still_hold(self):
        law = random_law(np.random.default_rng(4), (2, 2, 2, 2))
        about = random_feature(np.random.default_rng(5), (2, 2, 2, 2), 3)
        data = DataLaw.of(law)
        best, _ = best_by_vertices(data.cells.tolist(), data.masses, data.singles(), feature_of(data, about))
        for method in (Solver.COLUMNS, None):
            judge(optimum(law, about, method=method, seconds=0.0), law, about, best=best)

    def test_huge_prices_do_not_lose_the_solver(self):
        """While the master knows few laws its prices reach millions here; a solver with costs of that size gives up."""
        random = np.random.default_rng(9)
        law = random.dirichlet(np.ones(64)).reshape((2,) * 6)
        about = random.dirichlet(np.ones(3), 64).reshape((*(2,) * 6, 3))
        found = optimum(law, about, seconds=3.0)
        assert found.lower_bits <= 0.2513019 <= found.upper_bits + 1e-6
        assert found.leak_bits < 1e-9

    def test_progress_is_told(self):
        seen = []
        law, about = measured_through_bsc(4)
        found = optimum(law, about, method=Solver.CELLS, progress=lambda low, high: seen.append((low, high)))
        assert all(low <= high + 1e-12 for low, high in seen)
        assert seen[-1][0] == pytest.approx(found.lower_bits, abs=1e-9)


class TestPricing:
    @pytest.mark.parametrize("values", [2, 3, None])
    def test_the_cheapest_law_is_found_and_bounded(self, values):
        """Branch and bound against the least over all vertices, for prices of all sizes."""
        random = np.random.default_rng(31)
        data = DataLaw.of(random_law(random, (2, 2, 2)))
        about = None if values is None else random_feature(random, (2, 2, 2), values)
        table = np.eye(8) if about is None else feature_of(data, about)
        rows = independent_rows(marginal_matrix(data, data.singles()))
        pricer = Pricer(rows, rows @ data.array, table)
        found = vertices(rows_of(data.cells.tolist(), data.singles()), data.array)
        # With no price the first chord is exact for a binary feature, so that a bound a hair too high is seen.
        for size in (0.0, 0.1, 1.0, 1.0, 1.0, 10.0, 1e6):
            price = size * random.normal(size=8)
            least = min(entropy(table @ v) - price @ v for v in found)
            for nodes in (-1, 3, 10_000):
                priced = pricer.least(price, tolerance=1e-9, deadline=math.inf, most_nodes=nodes)
                assert priced.bound <= least + 1e-9 * max(1.0, size)
                assert nodes < 10_000 or priced.least == pytest.approx(least, abs=1e-8 * max(1.0, size))


class TestGroups:
    LAW = DataLaw.independent([Fraction(7, 10), Fraction(3, 10)], 4)

    def test_windows_of_two(self):
        """[D, Cor. 4.1]: any two neighbours together."""
        groups = self.LAW.windows(2)
        found = optimum(self.LAW, groups=groups)
        best, _ = best_by_vertices(self.LAW.cells.tolist(), self.LAW.masses, groups)
        judge(found, self.LAW, None, groups, best)
        assert found.lower_bits > 0.5
        alone = optimum(self.LAW)
        assert found.upper_bits < alone.lower_bits
        assert not is_independent(self.LAW.cells.tolist(), self.LAW.masses, (0, 1), alone.channel.rows)

    def test_all_records_of_a_person(self):
        """Samples 0 and 2 are one person's, 1 and 3 another's; the order of samples must not matter."""
        groups = ((2, 0), (1, 3))
        found = optimum(self.LAW, groups=groups)
        assert found.groups == ((0, 2), (1, 3))
        best, _ = best_by_vertices(self.LAW.cells.tolist(), self.LAW.masses, found.groups)
        judge(found, self.LAW, None, found.groups, best)

    def test_groups_may_overlap_and_differ_in_size(self):
        groups = ((0, 1, 2), (2, 3), (3,))
        found = optimum(self.LAW, groups=groups)
        best, _ = best_by_vertices(self.LAW.cells.tolist(), self.LAW.masses, groups)
        judge(found, self.LAW, None, groups, best)

    def test_a_feature_under_windows(self):
        random = np.random.default_rng(9)
        law, about = random_law(random, (2, 2, 2)), random_feature(random, (2, 2, 2), 2)
        data = DataLaw.of(law)
        found = optimum(law, about, groups=data.windows(2))
        best, _ = best_by_vertices(data.cells.tolist(), data.masses, data.windows(2), feature_of(data, about))
        judge(found, law, about, data.windows(2), best)


class TestNothing:
    @pytest.mark.parametrize(
        ("law", "about"),
        [
            ([[Fraction(1, 2), 0], [0, Fraction(1, 2)]], None),
            ([[Fraction(1, 2), Fraction(1, 4)], [0, Fraction(1, 4)]], None),
            ([Fraction(1, 3), Fraction(2, 3)], None),
            ([[0.25] * 2] * 2, [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]),
            ([[0.25] * 2] * 2, [[[1], [1]], [[1], [1]]]),
        ],
        ids=["copies", "three cells", "one sample", "a sample itself", "a constant"],
    )
    def test_it_is_an_answer_with_the_reason(self, law, about):
        found = optimum(law, about)
        assert (found.lower_bits, found.upper_bits, found.leak_bits) == (0, 0, 0)
        assert found.channel.shape[1] == 1
        assert "does not exist here" in found.because
        assert found.release([[0] * DataLaw.of(law).n]).tolist() == [0]

    def test_a_window_of_everything(self):
        found = optimum([[0.25] * 2] * 2, groups=[[0, 1]])
        assert found.upper_bits == 0
        assert found.because

    def test_there_is_no_reason_when_something_is_told(self):
        assert optimum([[0.25] * 2] * 2).because == ""


def test_float_laws_come_with_a_bound_on_the_leak():
    random = np.random.default_rng(11)
    law = random.dirichlet(np.ones(8)).reshape(2, 2, 2)
    found = optimum(law, random_feature(random, (2, 2, 2), 3))
    assert not found.is_exact
    assert 0 <= found.leak_bits < 1e-9
    data = found.law
    rows = np.array([[float(v) for v in row] for row in found.channel.rows])
    for i in range(3):
        value = np.eye(2)[data.cells[:, i]].T
        assert information(data.masses, rows, value) <= found.leak_bits + 1e-15
    assert math.isclose(rows.sum(), 8)
