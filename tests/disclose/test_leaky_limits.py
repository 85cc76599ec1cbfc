"""C_1(α) and C_2(α) from both sides: printed numbers, a grid program beside them, and mappings that never do better."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from disclose.disclosure_oracles import entropy
from sfumato.disclose import leaky_programs, limit_disclosure
from sfumato.disclose.asymptotics import Measurements, full_data_disclosure
from sfumato.disclose.leaky_limits import leaky_disclosure, with_leak_interval
from sfumato.disclose.simplex_cells import MOST_CUTS, Simplex, entropies_of
from sfumato.errors import InvalidInput
from sfumato.prob import Channel
from sfumato.values import Interval

SYMMETRIC = Measurements.of(
    [Fraction(2, 3), Fraction(1, 3)], Channel([[Fraction(9, 10), Fraction(1, 10)], [Fraction(1, 10), Fraction(9, 10)]])
)
THREE = Measurements.of(
    [Fraction(3, 10), Fraction(3, 10), Fraction(2, 5)],
    Channel([[Fraction(4, 5), Fraction(1, 5)], [Fraction(1, 2)] * 2, [Fraction(1, 5), Fraction(4, 5)]]),
)


def drawn_cases():
    """The two random settings of the notes: 3 values and 2 symbols, then 4 and 3, from one generator."""
    random = np.random.default_rng(3)
    found = []
    for values, symbols in ((3, 2), (4, 3)):
        prior = random.dirichlet(np.ones(values) * 2)
        found.append(Measurements.of(prior.tolist(), Channel(random.dirichlet(np.ones(symbols), size=values))))
    return found


SMALL, LARGE = drawn_cases()
TENTH, HALF, MOST = 0.1, 0.5, 0.9


def information(joint):
    outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log2(joint[seen] / outer[seen])).sum())


def joint_of(measurements):
    return np.array([float(p) for p in measurements.prior.fractions])[:, None] * measurements.noise.array


def check_the_mapping(measurements, found, alpha):
    """What the mapping that is handed out tells and leaks, by the plain sum."""
    joint = joint_of(measurements)
    rows = np.zeros((*joint.shape, found.channel.shape[1]))
    for label, row in zip(found.channel.inputs, found.channel.rows, strict=True):
        rows[label] = [float(v) for v in row]
    both = joint[..., None] * rows
    assert information(both.sum(axis=0)) <= alpha + 1e-12
    assert information(both.sum(axis=1)) == pytest.approx(found.bits.lower, abs=1e-9)


@pytest.mark.parametrize(
    ("measurements", "share", "printed"),
    [
        pytest.param(SMALL, TENTH, (0.9507182, 0.9507192), id="3x2, 10 %"),
        pytest.param(SMALL, HALF, (1.0991161, 1.0991170), id="3x2, 50 %"),
        pytest.param(SMALL, MOST, (1.2465604, 1.2465611), id="3x2, 90 %"),
        pytest.param(SYMMETRIC, TENTH, (0.1007835, 0.1007838), id="bsc, 10 %"),
        pytest.param(SYMMETRIC, HALF, (0.4671860, 0.4671868), id="bsc, 50 %"),
        pytest.param(SYMMETRIC, MOST, (0.8280739, 0.8280745), id="bsc, 90 %"),
        pytest.param(LARGE, TENTH, (1.2291416, 1.2292354), marks=pytest.mark.slow, id="4x3, 10 %"),
        pytest.param(LARGE, HALF, (1.5198795, 1.5199706), marks=pytest.mark.slow, id="4x3, 50 %"),
        pytest.param(LARGE, MOST, (1.7403046, 1.7403967), marks=pytest.mark.slow, id="4x3, 90 %"),
    ],
)
def test_without_the_sample(measurements, share, printed):
    alpha = share * measurements.told_by_one.midpoint
    gap = 1e-4 if measurements is LARGE else 1e-5
    found = leaky_disclosure(measurements, alpha, gap_bits=gap, seconds=120)
    assert found.bits.width <= gap
    # The notes print seven digits.
    assert found.bits.overlaps(Interval(*printed).widened(5e-8))
    assert found.leak.upper <= alpha
    check_the_mapping(measurements, found, alpha)


@pytest.mark.parametrize(
    ("share", "printed"),
    [
        (TENTH, (0.3391865, 0.3391924)),
        pytest.param(HALF, (0.6236785, 0.6236838), marks=pytest.mark.slow),
        pytest.param(MOST, (0.8614405, 0.8614458), marks=pytest.mark.slow),
    ],
)
def test_with_the_sample(share, printed):
    alpha = share * SYMMETRIC.told_by_one.midpoint
    found = leaky_disclosure(SYMMETRIC, alpha, sees_sample=True, gap_bits=2e-5, seconds=120)
    assert found.bits.width <= 2e-5
    assert found.bits.overlaps(Interval(*printed).widened(5e-8))
    check_the_mapping(SYMMETRIC, found, alpha)


@pytest.mark.parametrize(("share", "printed"), [(TENTH, 0.9507174), (HALF, 1.0991156), (MOST, 1.2465603)])
def test_a_grid_reaches_no_more_and_nearly_as_much(share, printed):
    """All laws of W on a grid of 1/120, mixed within the leak: another program, without cells."""
    alpha = share * SMALL.told_by_one.midpoint
    grid = np.array([(a, b, 120 - a - b) for a in range(121) for b in range(121 - a)]) / 120
    prior = SMALL.prior.array
    costs = entropies_of(grid)
    leaks = entropy(prior @ SMALL.noise.array) - entropies_of(grid @ SMALL.noise.array)
    solved = linprog(costs, A_ub=leaks[None], b_ub=[alpha], A_eq=grid.T, b_eq=prior, method="highs")
    reached = entropy(prior) - solved.fun
    assert reached == pytest.approx(printed, abs=1e-7)
    bounds = with_leak_interval(SMALL, alpha, gap_bits=1e-3)
    assert reached <= bounds.upper
    assert bounds.lower >= reached - 1e-3
    # The bound that was stated before, α + H(W|X), is far off.
    assert bounds.upper < alpha + SMALL.open_after_one.lower - 0.01


@pytest.mark.parametrize("sees_sample", [False, True])
def test_no_mapping_tells_more_at_its_own_leak(sees_sample):
    random = np.random.default_rng(6)
    joint = joint_of(THREE)
    for _ in range(4):
        rows = random.dirichlet(np.full(4, 0.4), joint.shape if sees_sample else (3, 1)) * np.ones((3, 2, 1))
        both = joint[..., None] * rows
        leak, told = information(both.sum(axis=0)), information(both.sum(axis=1))
        bounds = with_leak_interval(THREE, leak, sees_sample=sees_sample, gap_bits=0.05, seconds=5)
        assert told <= bounds.upper + 1e-12


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10**6))
def test_random_settings_keep_the_order(seed):
    """C_1(α) rises, is concave up to its gap, and lies between C_1(0) and H(W)."""
    random = np.random.default_rng(seed)
    values = int(random.integers(2, 4))
    counts, rows = random.integers(1, 9, values), random.integers(0, 9, (values, 2)) + np.array([1, 0])
    given_law = Measurements.of(
        [Fraction(int(c), int(counts.sum())) for c in counts],
        Channel([[Fraction(int(v), int(row.sum())) for v in row] for row in rows]),
    )
    one = given_law.told_by_one
    if one.lower < 1e-6:
        return
    ends = [limit_disclosure(given_law).lower_bits, given_law.told_in_the_end.upper]
    found = [with_leak_interval(given_law, share * one.lower, gap_bits=1e-2) for share in (0.25, 0.5, 0.75)]
    assert ends[0] - 1e-9 <= found[0].upper
    assert found[-1].lower <= ends[1] + 1e-9
    for smaller, larger in itertools.pairwise(found):
        assert smaller.lower <= larger.upper
    assert found[1].upper >= (found[0].lower + found[2].lower) / 2


class TestEnds:
    def test_no_leak_is_the_program_that_was(self):
        assert with_leak_interval(THREE, 0.0).overlaps(Interval(0.7527, 0.7528))
        start = full_data_disclosure(SYMMETRIC)
        assert with_leak_interval(SYMMETRIC, 0.0, sees_sample=True) == Interval(start.lower_bits, start.upper_bits)

    @pytest.mark.parametrize("sees_sample", [False, True])
    def test_a_leak_of_all_is_everything(self, sees_sample):
        whole, one = THREE.told_in_the_end, THREE.told_by_one
        found = leaky_disclosure(THREE, 2 * one.upper, sees_sample=sees_sample)
        assert found.bits.overlaps(whole)
        assert found.bits.lower == pytest.approx(whole.lower, abs=1e-9)

    def test_seeing_the_sample_allows_more(self):
        alpha = 0.1
        without = with_leak_interval(SYMMETRIC, alpha, gap_bits=1e-3)
        with_it = with_leak_interval(SYMMETRIC, alpha, sees_sample=True, gap_bits=1e-2)
        assert without.upper < with_it.lower

    def test_time_that_runs_out_leaves_a_true_interval(self):
        alpha = HALF * SMALL.told_by_one.midpoint
        found = leaky_disclosure(SMALL, alpha, gap_bits=1e-9, seconds=0.0)
        assert found.bits.encloses(Interval(1.0991162, 1.0991163))
        assert found.bits.width > 1e-3
        assert found.leak.upper <= alpha

    def test_refusals(self):
        for wrong in (-0.1, float("nan")):
            with pytest.raises(InvalidInput):
                with_leak_interval(THREE, wrong)
        with pytest.raises(InvalidInput):
            leaky_disclosure(THREE, 0.0)


class TestCells:
    @pytest.mark.parametrize("size", [2, 3, 4])
    def test_halves_cover_and_weigh_exactly(self, size):
        random = np.random.default_rng(size)
        cells = [Simplex.whole(size)]
        for _ in range(60):
            cell = cells.pop(int(random.integers(len(cells))))
            cells += cell.halves()
        for cell in cells:
            assert (cell.corners.sum(axis=1) == 1).all()
            assert (cell.weigh == np.round(cell.weigh)).all()
            exact = [[Fraction(v) for v in row] for row in cell.corners.tolist()]
            for k in range(size):  # weigh @ corner_k is the k-th unit vector, in Fractions
                got = [sum(Fraction(int(w)) * c for w, c in zip(row, exact[k], strict=True)) for row in cell.weigh]
                assert got == [int(i == k) for i in range(size)]
            assert cell.entropies == pytest.approx([entropy(corner) for corner in cell.corners])
        for law in random.dirichlet(np.ones(size), 50):
            weights = [cell.weigh @ law for cell in cells]
            assert sum(bool((w >= -1e-12).all()) for w in weights) >= 1

    def test_cells_are_not_cut_beyond_doubles(self):
        cell = Simplex.whole(2)
        while cell.can_be_cut:
            cell = cell.halves()[0]
        assert cell.cuts == MOST_CUTS
        assert cell.corners[0, 0] not in (0.0, 1.0) or cell.corners[1, 0] not in (0.0, 1.0)

    def test_a_bound_is_the_dual_and_not_the_solver(self, monkeypatch):
        """Prices that are off by a little give a worse bound, never a wrong one."""
        solve = leaky_programs.solve
        alpha = HALF * SYMMETRIC.told_by_one.midpoint
        truth = 0.467186

        def sloppy(*arguments):
            weights, prices, dual = solve(*arguments)
            return weights, prices * 1.01 + 0.001, dual * 0.98

        for sees_sample in (False, True):
            cells = leaky_programs.PairCells if sees_sample else leaky_programs.FeatureCells
            monkeypatch.setattr(leaky_programs, "solve", sloppy)
            off = cells(leaky_programs.state_of(SYMMETRIC, sees_sample=sees_sample))
            for _ in range(12):
                bound, _ = off.bound(alpha)
                assert bound >= truth
                off.cut()
