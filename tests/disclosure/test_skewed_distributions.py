"""Laws with cells of 1e-9 and less: every one is answered, the leak is 0 or enclosed, and the bounds are true."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from disclosure.disclosure_oracles import information, is_independent, rows_of
from disclosure.skewed_oracles import best_by_simplices, exact_corners, in_fractions, skewed_case, skewed_law
from sfumato.disclosure import DataLaw, Solver, ceiling_bits, optimum
from sfumato.disclosure import cells as cell_program
from sfumato.disclosure import columns as master_program
from sfumato.disclosure.cells import cut_cells
from sfumato.disclosure.columns import MOST_PRICE_BITS, Master, Mixture, Pricer, generate_columns
from sfumato.disclosure.data import entropy_bits, feature_of, marginal_matrix, most_by_cell, scarce_rows
from sfumato.disclosure.exact_rows import rows_in_fractions
from sfumato.disclosure.optimal import make_disclosure


def judge(found, about=None):
    """What every answer must satisfy; returns the gap."""
    data = found.law
    feature = feature_of(data, about)
    assert 0 <= found.lower_bits <= found.upper_bits
    assert found.lower_bits <= ceiling_bits(data, found.groups, feature) + 1e-12
    rows = found.channel.rows
    assert information(data.masses, rows, feature) == pytest.approx(found.lower_bits, abs=1e-9)
    if found.is_exact:
        assert found.leak_bits == 0
        for group in found.groups:
            assert is_independent(data.cells.tolist(), data.masses, group, rows)
    else:
        assert found.leak_bits < 1e-12
        masses = data.array
        for i in range(data.n):
            value = np.eye(data.shape[i])[data.cells[:, i]].T
            assert information(masses, rows, value[value @ masses > 0]) <= found.leak_bits + 1e-14
    return found.gap_bits


def open_cases(seeds):
    gaps = []
    for seed in seeds:
        law, about = skewed_case(seed)
        gaps.append(judge(optimum(law, about, seconds=10.0), about))
    return [gap for gap in gaps if gap > 1e-7]


def test_four_random_laws():
    assert open_cases(range(4)) == []


@pytest.mark.slow
def test_two_hundred_random_laws():
    assert len(open_cases(range(200))) <= 20


class TestNamed:
    def test_five_samples_that_are_rarely_one(self):
        found = optimum(DataLaw.independent([Fraction(99, 100), Fraction(1, 100)], 5))
        assert judge(found) < 1e-7
        assert found.is_exact
        assert found.lower_bits == pytest.approx(0.00942029, abs=5e-9)

    def test_four_by_four_with_one_rare_cell(self):
        """The solver drops entries up to 1e-9 unless it is told not to."""
        masses = np.full(16, 1 / 16)
        masses[0] = 1e-9
        found = optimum((masses / masses.sum()).reshape(4, 4))
        assert judge(found) < 1e-7
        assert found.lower_bits == pytest.approx(1.7006517, abs=5e-8)

    def test_a_value_of_a_sample_may_be_rare_itself(self):
        """No law puts more than 1e-12 on its cells, and still they are covered like any others."""
        masses = np.array([[0.2, 0.1, 0.15], [0.25, 0.2, 0.1], [1e-12, 2e-12, 3e-12]])
        law = DataLaw.of(masses / masses.sum())
        found = optimum(law)
        assert judge(found) < 1e-7
        without = optimum(masses[:2] / masses[:2].sum())
        assert found.lower_bits == pytest.approx(without.lower_bits, abs=1e-7)
        rows = scarce_rows(marginal_matrix(law, law.singles()), law.array)
        mixture = generate_columns(rows, law.array, np.eye(9), tolerance=1e-8, seconds=10.0)
        assert np.abs(mixture.weights @ mixture.laws / law.array - 1).max() < 1e-7
        assert np.abs(rows @ mixture.laws.T / (rows @ law.array)[:, None] - 1).max() < 1e-7

    @pytest.mark.parametrize("exact", [False, True])
    @pytest.mark.parametrize("rare", [1e-16, 1e-40, 1e-300, 5e-324])
    def test_cells_at_the_end_of_the_floats(self, rare, exact):
        """Two masses that a sum of 1 does not even feel; in Fractions their law is symmetric but for a hair."""
        masses = np.full(9, 1 / 7)
        masses[[0, 4]] = rare
        law = masses.tolist()
        if exact:
            law = [Fraction(mass) for mass in law]
            law[-1] += 1 - sum(law)
        found = optimum(np.array(law, dtype=object).reshape(3, 3).tolist())
        if rare > 1e-150:
            judge(found)
        assert found.is_exact == exact
        assert found.leak_bits < (1e-300 if exact else 1e-12)
        without = optimum([[Fraction(int(i != j or i == 2), 7) for j in range(3)] for i in range(3)])
        assert found.lower_bits == pytest.approx(without.lower_bits, abs=1e-7)
        assert found.upper_bits >= without.upper_bits - 1e-7
        assert rare < 1e-290 or found.gap_bits < 1e-7

    def test_masses_that_no_float_holds(self):
        rare = Fraction(1, 10**400)
        law = [[rare, (1 - rare) / 5, (1 - rare) / 5], [(1 - rare) / 5] * 3]
        found = optimum(law)
        judge(found)
        assert found.lower_bits == pytest.approx(0.8, abs=1e-9)

    @pytest.mark.parametrize("rare", [1e-9, 5e-10, 1e-10, 3e-11, 1e-12, 1e-14])
    def test_no_mass_is_too_small(self, rare):
        masses = np.full(9, 1 / 9)
        masses[4] = rare
        law = in_fractions((masses / masses.sum()).reshape(3, 3))
        found = optimum(law)
        assert judge(found) < 1e-7
        # What the rare cell can change is small, and the law without it is another problem, solved by its own corners.
        without = optimum([[Fraction(int((i, j) != (1, 1)), 8) for j in range(3)] for i in range(3)])
        assert found.lower_bits == pytest.approx(without.lower_bits, abs=100 * rare + 1e-7)


SMALL = [(2, 3), (3, 2), (2, 4), (2, 2, 2)]


@pytest.mark.parametrize("seed", range(8))
def test_against_every_simplex_of_corners(seed):
    random = np.random.default_rng(500 + seed)
    shape = SMALL[seed % len(SMALL)]
    law = in_fractions(skewed_law(random, shape, random.uniform(0.1, 0.3), least=1e-13))
    values = None if seed % 2 else 3
    about = None if values is None else random.dirichlet(np.ones(values), shape).tolist()
    data = DataLaw.of(law)
    feature = feature_of(data, about)
    exact = None if feature is None else [[Fraction(v) for v in row] for row in feature.tolist()]
    best = best_by_simplices(rows_of(data.cells.tolist(), data.singles()), list(data.masses), exact)
    for method in (Solver.CORNERS, Solver.COLUMNS):
        found = optimum(law, about, method=method)
        judge(found, about)
        assert found.lower_bits <= best + 1e-12
        assert best <= found.upper_bits + 1e-12
        assert found.gap_bits < 1e-7


@pytest.mark.parametrize("seed", range(4))
def test_two_methods_agree_on_a_binary_feature(seed):
    """Cells refined and columns generated share neither their programs nor their bounds."""
    random = np.random.default_rng(600 + seed)
    law = skewed_law(random, (3, 4), 0.2, least=1e-12)
    about = random.dirichlet(np.ones(2), (3, 4)).tolist()
    first, second = (optimum(law, about, method=method) for method in (Solver.CELLS, Solver.COLUMNS))
    for found in (first, second):
        assert judge(found, about) < 1e-6
    assert first.lower_bits <= second.upper_bits + 1e-12
    assert second.lower_bits <= first.upper_bits + 1e-12


@pytest.fixture(scope="module")
def best():
    law = TestBounds.LAW
    return best_by_simplices(rows_of(law.cells.tolist(), law.singles()), list(law.masses))


class TestBounds:
    RANDOM = np.random.default_rng(41)
    LAW = DataLaw.of(in_fractions(skewed_law(RANDOM, (2, 2, 2), 0.2, least=1e-12)))
    MATRIX = marginal_matrix(LAW, LAW.singles())
    ROWS = scarce_rows(MATRIX, LAW.array)

    def solve(self, **settings):
        asked = {"tolerance": 1e-9, "seconds": 10.0, **settings}
        return generate_columns(self.ROWS, self.LAW.array, np.eye(8), **asked)

    @pytest.mark.parametrize("most", [*(pytest.param(most, marks=pytest.mark.slow) for most in (0.0, 1e-3)), 0.1, 1.0])
    def test_a_tighter_box_of_prices_leaves_a_true_bound(self, monkeypatch, most, best):
        monkeypatch.setattr(master_program, "MOST_PRICE_BITS", most)
        mixture = self.solve()
        assert mixture.lower_bits <= best + 1e-12
        assert mixture.upper_bits >= best - 1e-12
        assert most > 0.1 or mixture.upper_bits > best + 1e-6

    @pytest.mark.parametrize("seconds", [0.0, 0.05])
    def test_time_may_run_out(self, seconds, best):
        mixture = self.solve(seconds=seconds)
        assert mixture.lower_bits <= best + 1e-12 <= mixture.upper_bits + 2e-12

    @pytest.mark.parametrize("runs", [0, 1, 2, 3, 5, 8])
    def test_a_solver_that_gives_up_leaves_the_last_answer(self, monkeypatch, runs, best):
        left = iter(range(runs))
        real = master_program.run_model

        def failing(model):
            return real(model) and next(left, None) is not None

        monkeypatch.setattr(master_program, "run_model", failing)
        mixture = self.solve()
        assert mixture.lower_bits <= best + 1e-12
        assert mixture.upper_bits >= best - 1e-12
        assert np.abs(mixture.weights @ mixture.laws / self.LAW.array - 1).max() < 1e-7
        found = make_disclosure(self.LAW, self.LAW.singles(), mixture, None, "cut short", mixture.upper_bits)
        judge(found)
        assert runs or found.lower_bits == 0

    def test_a_pricer_that_gives_up_leaves_nothing_told(self, monkeypatch, best):
        monkeypatch.setattr(Pricer, "solve", lambda *_: None)
        mixture = self.solve()
        assert (mixture.lower_bits, len(mixture.weights)) == (0, 1)
        assert mixture.upper_bits >= best

    def test_no_box_is_left_out_of_the_bound(self):
        """The bound of a coarse search is no better than what the search has seen."""
        pricer = Pricer(self.ROWS, self.ROWS @ self.LAW.array, np.eye(8))
        found = exact_corners(rows_of(self.LAW.cells.tolist(), self.LAW.singles()), list(self.LAW.masses))
        laws = np.array([[float(v) for v in corner] for corner in found])
        random = np.random.default_rng(43)
        for tolerance in (1.0, 0.3, 0.05, 1e-9):
            for _ in range(5):
                price = random.normal(size=8) / pricer.most
                least = float((entropy_bits(laws.T) - laws @ price).min())
                priced = pricer.least(price, tolerance=tolerance, deadline=math.inf)
                assert priced.bound <= least + 1e-12
                assert priced.least <= least + tolerance + 1e-9

    def test_boxes_left_aside_count(self, monkeypatch):
        """A search that never walks to a corner stops with a poor law, and its bound must know that."""
        monkeypatch.setattr(Pricer, "descend", lambda pricer, v, price: (v, pricer.worth(v, price)))
        pricer = Pricer(self.ROWS, self.ROWS @ self.LAW.array, np.eye(8))
        found = exact_corners(rows_of(self.LAW.cells.tolist(), self.LAW.singles()), list(self.LAW.masses))
        laws = np.array([[float(v) for v in corner] for corner in found])
        random = np.random.default_rng(43)
        is_poor = []
        for _ in range(20):
            price = random.normal(size=8) * random.choice([0.1, 1.0]) / pricer.most
            least = float((entropy_bits(laws.T) - laws @ price).min())
            priced = pricer.least(price, tolerance=0.5, deadline=math.inf)
            assert priced.bound <= least + 1e-12
            is_poor.append(priced.least > least + 1e-6)
        assert any(is_poor)

    def test_a_box_called_empty_is_left_out_only_with_a_proof(self, monkeypatch):
        """A solver that calls boxes empty which are not, and has no combination of rows to show for it."""
        pricer = Pricer(self.ROWS, self.ROWS @ self.LAW.array, np.eye(8))
        found = exact_corners(rows_of(self.LAW.cells.tolist(), self.LAW.singles()), list(self.LAW.masses))
        laws = np.array([[float(v) for v in corner] for corner in found])
        real, calls = Pricer._node, []

        def lying(self, low, high, price):
            calls.append(1)
            node = real(self, low, high, price)
            if len(calls) > 1 and node is not None:
                self._is_empty = self._is_proved_empty(low, high)
                return None
            return node

        monkeypatch.setattr(Pricer, "_node", lying)
        monkeypatch.setattr(Pricer, "descend", lambda pricer, v, price: (v, pricer.worth(v, price)))
        random = np.random.default_rng(43)
        is_poor = []
        for _ in range(20):
            calls.clear()
            price = random.normal(size=8) * random.choice([0.1, 1.0]) / pricer.most
            least = float((entropy_bits(laws.T) - laws @ price).min())
            priced = pricer.least(price, tolerance=1e-9, deadline=math.inf)
            assert priced.bound <= least + 1e-12
            is_poor.append(priced.least > least + 1e-6)
        assert any(is_poor)

    def test_prices_stay_in_their_box(self):
        data = DataLaw.of(skewed_law(np.random.default_rng(44), (3, 3), 0.1))
        rows = scarce_rows(marginal_matrix(data, data.singles()), data.array)
        pricer = Pricer(rows, rows @ data.array, np.eye(9))
        master = Master(data.array, pricer.most, 3.0)
        for place in range(9):
            corner = pricer.solve(np.eye(9)[place] / pricer.most)
            master.add(corner, 0.01)
        prices = master.prices()
        assert np.abs(prices * pricer.most).max() <= MOST_PRICE_BITS * (1 + 1e-12)


class TestScales:
    def test_rare_rows_are_kept(self):
        law = DataLaw.of([[0.5, 1e-13], [0.3, 0.2 - 1e-13]])
        matrix = marginal_matrix(law, law.singles())
        level = scarce_rows(matrix, law.array) @ law.array
        assert sorted(level) == pytest.approx(sorted((matrix @ law.array).tolist())[:3])

    def test_no_law_passes_what_a_cell_can_hold(self):
        random = np.random.default_rng(45)
        data = DataLaw.of(in_fractions(skewed_law(random, (2, 4), 0.2)))
        rows = scarce_rows(marginal_matrix(data, data.singles()), data.array)
        most = most_by_cell(rows, rows @ data.array)
        for corner in exact_corners(rows_of(data.cells.tolist(), data.singles()), list(data.masses)):
            assert all(float(value) <= cell * (1 + 1e-12) for value, cell in zip(corner, most, strict=True))


class TestMending:
    """Float laws and weights, moved by their rounding, become exact without losing what they tell."""

    LAW = DataLaw.of(in_fractions(skewed_law(np.random.default_rng(46), (3, 4), 0.15)))

    def mixture(self):
        rows = scarce_rows(marginal_matrix(self.LAW, self.LAW.singles()), self.LAW.array)
        return generate_columns(rows, self.LAW.array, np.eye(self.LAW.size), tolerance=1e-8, seconds=10.0)

    @pytest.mark.parametrize("size", [0.0, 1e-15, 1e-12])
    def test_relative_rounding_costs_as_little(self, size):
        mixture = self.mixture()
        random = np.random.default_rng(47)
        moved = replace(
            mixture,
            laws=mixture.laws * (1 + size * random.normal(size=mixture.laws.shape)),
            weights=mixture.weights * (1 + size * random.normal(size=mixture.weights.shape)),
        )
        found = make_disclosure(self.LAW, self.LAW.singles(), moved, None, "moved", mixture.upper_bits)
        judge(found)
        assert found.is_exact
        assert found.lower_bits >= mixture.lower_bits - 1e-9

    def test_weights_that_do_not_add_up_are_mended(self):
        """One law left out: what it covered goes to the likeliest symbol, and the mapping stays private."""
        mixture = self.mixture()
        order = np.argsort(-mixture.weights)[:-1]
        cut = replace(mixture, laws=mixture.laws[order], weights=mixture.weights[order])
        found = make_disclosure(self.LAW, self.LAW.singles(), cut, None, "cut", mixture.upper_bits)
        judge(found)
        assert found.is_exact

    def test_a_law_outside_is_brought_back(self):
        prior = self.LAW.array
        outside = np.zeros((1, self.LAW.size))
        outside[0, 0] = 1.0
        rows = rows_in_fractions(
            self.LAW, self.LAW.singles(), np.concatenate([outside, prior[None]]), np.array([0.5, 0.5])
        )
        for group in self.LAW.singles():
            assert is_independent(self.LAW.cells.tolist(), self.LAW.masses, group, rows)
        assert all(sum(row) == 1 and min(row) >= 0 for row in rows)


def test_a_cell_that_no_law_covers_gets_the_law_of_the_symbols():
    """And what that tells about the samples is in the leak."""
    law = DataLaw.of([[0.25 - 1e-6, 0.25 + 1e-6], [0.25, 0.25]])
    laws = np.array([[0.5 - 2e-6, 0.0, 0.0, 0.5 + 2e-6], [0.0, 0.0, 1.0, 0.0]])
    mixture = Mixture(laws=laws, weights=np.array([0.5, 0.25]), lower_bits=0.0, upper_bits=1.0, rounds=1)
    found = make_disclosure(law, law.singles(), mixture, None, "by hand", 2.0)
    assert [float(v) for v in found.channel.rows[1]] == pytest.approx([2 / 3, 1 / 3])
    rows = np.array([[float(v) for v in row] for row in found.channel.rows])
    leaks = [information(law.masses, rows, np.eye(2)[law.cells[:, i]].T) for i in range(2)]
    assert max(leaks) > 0.01
    assert found.leak_bits == pytest.approx(max(leaks), abs=1e-9)


def test_cell_programs_survive_their_solver(monkeypatch):
    law = DataLaw.of(skewed_law(np.random.default_rng(48), (3, 3), 0.2))
    rows = scarce_rows(marginal_matrix(law, law.singles()), law.array)
    monkeypatch.setattr(cell_program, "run_model", lambda _: False)
    mixture = cut_cells(rows, law.array, np.linspace(0, 1, 9), tolerance=1e-7, seconds=5.0)
    assert (mixture.lower_bits, len(mixture.weights)) == (0, 1)
    assert mixture.upper_bits > 0


def test_directions_are_the_same_every_time():
    law = skewed_law(np.random.default_rng(49), (3, 3), 0.2)
    first, second = optimum(law), optimum(law)
    assert first.channel.rows == second.channel.rows
