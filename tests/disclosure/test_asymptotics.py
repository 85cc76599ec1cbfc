"""Limits for many samples: against one-dimensional and grid searches, and against optima that approach them."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from disclosure.disclosure_oracles import best_by_vertices, entropy, information, is_independent, vertices
from sfumato.disclosure import DataLaw, nullity, optimum
from sfumato.disclosure.counts import optimum_of_counts
from sfumato.disclosure.limits import (
    LimitChain,
    Measurements,
    chain_of_limits,
    efficiency_interval_of,
    full_data_disclosure,
    limit_disclosure,
    self_disclosure_interval,
)
from sfumato.errors import ClaimRefused, InvalidInput
from sfumato.numbers import Interval
from sfumato.prob import Channel

THREE = Measurements.of(
    [Fraction(3, 10), Fraction(3, 10), Fraction(1, 5), Fraction(1, 5)],
    Channel([[Fraction(4, 5), Fraction(1, 5)], [Fraction(1, 2)] * 2, *[[Fraction(1, 5), Fraction(4, 5)]] * 2]),
)
SYMMETRIC = Measurements.of(
    [Fraction(2, 3), Fraction(1, 3)], Channel([[Fraction(9, 10), Fraction(1, 10)], [Fraction(1, 10), Fraction(9, 10)]])
)
Q = [Fraction(7, 10), Fraction(3, 10)]


def limit_by_vertices(measurements):
    """C_1(0) from every vertex of {t ≥ 0, P_{X|W} t = P_X}."""
    prior = np.array([float(p) for p in measurements.prior.probabilities])
    found = vertices(measurements.noise.array.T, prior)
    solved = linprog([entropy(v) for v in found], A_eq=found.T, b_eq=prior, method="highs")
    return entropy(prior) - solved.fun


def random_measurements(seed, values, symbols):
    random = np.random.default_rng(seed)
    counts = random.integers(1, 10, values)
    rows = random.integers(1, 10, (values, symbols))
    return Measurements.of(
        [Fraction(int(c), int(counts.sum())) for c in counts],
        Channel([[Fraction(int(v), int(row.sum())) for v in row] for row in rows]),
    )


class TestMerging:
    def test_equal_rows_are_merged(self):
        assert THREE.merged == ((0,), (1,), (2, 3))
        assert THREE.prior.probabilities == (Fraction(3, 10), Fraction(3, 10), Fraction(2, 5))
        assert THREE.told_in_the_end.midpoint == pytest.approx(entropy([0.3, 0.3, 0.4]), abs=1e-12)

    def test_values_that_never_happen_are_left_out(self):
        found = Measurements.of([Fraction(1, 2), 0, Fraction(1, 2)], Channel([[1, 0], [0, 1], [0, 1]]))
        assert found.merged == ((0,), (2,))

    def test_one_row_for_each_value(self):
        with pytest.raises(InvalidInput, match="one row for each"):
            Measurements.of([1], SYMMETRIC.noise)

    @pytest.mark.parametrize("n", [5, 40, 200])
    def test_samples_tell_no_more_than_the_merged_feature_and_in_the_end_all_of_it(self, n):
        """[D, Thm 2], by the law of the count."""
        law, about = THREE.count_law(n)
        told = information(law, about)
        assert told < THREE.told_in_the_end.lower
        assert n < 200 or told > THREE.told_in_the_end.upper - 1e-3

    def test_laws_of_samples(self):
        law, about = THREE.data_law(3)
        counts, features = THREE.count_law(3)
        for x in itertools.product((0, 1), repeat=3):
            mass = np.array(law, dtype=object)[x]
            assert mass * math.comb(3, sum(x)) == counts[sum(x)]
            assert [float(p) for p in np.array(about, dtype=object)[x]] == pytest.approx(features[sum(x)])
        impossible = Measurements.of([Fraction(1, 2)] * 2, Channel([[1, 0, 0], [0, 1, 0]]))
        law, about = impossible.data_law(2)
        assert law[2][2] == 0
        assert optimum(law, about).lower_bits == 0
        with pytest.raises(InvalidInput, match="binary"):
            impossible.count_law(2)


class TestLimit:
    @pytest.mark.parametrize(("values", "symbols"), [(3, 2), (4, 2), (5, 3), (6, 3)])
    def test_it_is_the_program_over_all_vertices(self, values, symbols):
        for seed in range(3):
            given = random_measurements(seed, values, symbols)
            found = limit_disclosure(given)
            best = limit_by_vertices(given)
            assert found.lower_bits - 1e-9 <= best <= found.upper_bits + 1e-9
            assert found.upper_bits - found.lower_bits < 1e-8
            assert found.is_exact
            pairs = list(itertools.product(range(len(given.prior)), range(symbols)))
            masses = [given.prior.fractions[w] * given.noise.rows[w][x] for w, x in pairs]
            assert is_independent(pairs, masses, (1,), [found.channel.rows[w] for w, _ in pairs])

    def test_nothing_is_left_when_laws_of_noise_are_independent(self):
        found = limit_disclosure(SYMMETRIC)
        assert (found.lower_bits, found.upper_bits, found.channel.shape[1]) == (0, 0, 1)

    def test_optima_tend_to_it(self):
        """[D, Thm 3]; it is approached from above here, and not in order."""
        found = limit_disclosure(THREE)
        assert found.lower_bits == pytest.approx(0.752769, abs=1e-6)
        values = {n: optimum_of_counts(*THREE.count_law(n)) for n in (2, 16, 50, 100, 200, 400)}
        assert values[100].lower_bits > values[400].upper_bits > found.upper_bits
        assert values[2].upper_bits < values[16].lower_bits < values[50].lower_bits < values[100].lower_bits
        assert values[400].lower_bits - found.lower_bits < 0.03
        small = {n: optimum_of_counts(*SYMMETRIC.count_law(n)).lower_bits for n in (5, 50, 200)}
        assert small[5] > small[50] > small[200] > 0
        assert small[200] < 0.003


class TestChain:
    def test_full_data_against_all_vertices(self):
        for given in (SYMMETRIC, THREE, random_measurements(3, 3, 3)):
            found = full_data_disclosure(given)
            cells = found.law.cells.tolist()
            feature = [[float(cell[0] == w) for cell in cells] for w in range(len(given.prior))]
            best, _ = best_by_vertices(cells, found.law.masses, ((1,),), feature)
            assert found.lower_bits - 1e-9 <= best <= found.upper_bits + 1e-9
            assert found.gap_bits < 1e-6
            assert is_independent(cells, found.law.masses, (1,), found.channel.rows)

    @pytest.mark.parametrize("given", [SYMMETRIC, THREE, random_measurements(1, 4, 2)], ids=["bsc", "three", "four"])
    def test_proposition_5(self, given):
        chain = chain_of_limits(given, n=2)
        values = [chain.limit, *reversed(chain.between), chain.full_data, chain.open_after_one]
        assert chain.floor_bits <= chain.limit.upper
        for smaller, larger in itertools.pairwise(values):
            assert smaller.lower <= larger.upper

    def test_more_samples_protect_more(self):
        chain = chain_of_limits(SYMMETRIC, n=4)
        numbers = [round(one.midpoint, 6) for one in (chain.full_data, *chain.between)]
        assert numbers == [0.192494, 0.162171, 0.14631, 0.097793]

    def test_a_chain_out_of_order_is_refused(self):
        at = [Interval(v, v) for v in (0.1, 0.3, 0.2, 0.4)]
        wrong = LimitChain(floor_bits=0.0, limit=at[0], between=(at[1],), full_data=at[2], open_after_one=at[3])
        with pytest.raises(ClaimRefused, match="out of order"):
            wrong.check()


class TestEfficiency:
    @pytest.mark.parametrize(("n", "together"), [(2, 1), (3, 1), (4, 1), (3, 2), (4, 2)])
    def test_the_optimum_lies_within(self, n, together):
        law = DataLaw.independent(Q, n)
        found = optimum(law, groups=law.windows(together))
        bounds = self_disclosure_interval(Q, n, together=together)
        assert bounds.lower <= found.lower_bits + 1e-9
        assert found.upper_bits <= bounds.upper + 1e-6

    @pytest.mark.parametrize(("n", "together"), [(3, 1), (5, 2), (6, 3), (4, 4)])
    def test_the_rank_is_counted_right(self, n, together):
        one = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)] if n < 5 else Q
        law = DataLaw.independent(one, n)
        left_open = math.log2(law.size - nullity(law, law.windows(together)))
        expected = max(0.0, n * entropy([float(p) for p in one]) - left_open)
        assert self_disclosure_interval(one, n, together=together).lower == pytest.approx(expected, abs=1e-9)

    def test_it_tends_to_one(self):
        """[D, Thm 4]."""
        found = [efficiency_interval_of(Q, n) for n in (2, 10, 100, 1000, 10**6)]
        assert [one.lower for one in found] == sorted(one.lower for one in found)
        assert found[-1].lower > 0.9999
        assert all(one.upper < 1 for one in found)
        solved = efficiency_interval_of(Q, 3, Interval(1.0441283, 1.0441284))
        assert solved.midpoint == pytest.approx(1.04412835 / (3 * entropy([0.7, 0.3])))

    def test_refusals(self):
        with pytest.raises(InvalidInput, match="no entropy"):
            efficiency_interval_of([1], 3)
        with pytest.raises(InvalidInput):
            self_disclosure_interval(Q, 2, together=3)
