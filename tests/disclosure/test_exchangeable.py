"""Counts instead of data sets: the same optimum as with all data sets, and exact means for hundreds of samples."""

import dataclasses
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import chisquare

from disclosure.disclosure_oracles import best_by_vertices, entropy, measured_through_bsc, random_feature
from sfumato.disclosure import DataLaw, Solver, optimum
from sfumato.disclosure.counts import CountSymbol, check_means, counts_law, optimum_of_counts
from sfumato.disclosure.data import feature_of
from sfumato.errors import ClaimRefused, InvalidInput, NotCertified
from sfumato.sampling import KeyedBits


def binomial(n, q):
    return [math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]


def measured_counts(n, prior, chances):
    parts = [[p * mass for mass in binomial(n, q)] for p, q in zip(prior, chances, strict=True)]
    law = [sum(column) for column in zip(*parts, strict=True)]
    return law, [
        [float(part / mass) for part in column] for column, mass in zip(zip(*parts, strict=True), law, strict=True)
    ]


def spread(masses, features):
    """All data sets behind a law of the count."""
    n = len(masses) - 1
    law, about = np.zeros((2,) * n, dtype=object), np.zeros((*(2,) * n, len(features[0])))
    for x in np.ndindex(*(2,) * n):
        law[x] = masses[sum(x)] / math.comb(n, sum(x))
        about[x] = features[sum(x)]
    return law.tolist(), about.tolist()


def by_pairs(masses, features):
    """Every pair of counts around the mean, one program; masses that a program can see."""
    masses, table = np.array(masses, dtype=float), np.array(features, dtype=float)
    mean = masses @ np.arange(len(masses))
    columns = []
    for a in range(len(masses)):
        for b in range(a, len(masses)):
            if masses[a] > 0 and masses[b] > 0 and a <= mean <= b and (a < b or a == mean):
                column = np.zeros(len(masses))
                share = (b - mean) / (b - a) if b > a else 1.0
                column[a] += share
                column[b] += 1 - share
                columns.append(column)
    costs = [entropy(column @ table) for column in columns]
    solved = linprog(costs, A_eq=np.array(columns).T, b_eq=masses, method="highs")
    return entropy(masses @ table) - solved.fun


class TestCounts:
    @pytest.mark.parametrize("n", [2, 3, 4])
    def test_counts_are_as_good_as_all_data_sets(self, n):
        random = np.random.default_rng(n)
        for _ in range(6):
            counts = [int(c) for c in random.integers(0, 9, n + 1)]
            counts[0] += 1
            masses = [Fraction(c, sum(counts)) for c in counts]
            features = random_feature(random, (n + 1,), 3)
            law, about = spread(masses, features)
            data = DataLaw.of(law)
            best, _ = best_by_vertices(data.cells.tolist(), data.masses, data.singles(), feature_of(data, about))
            few = optimum_of_counts(masses, features)
            all_sets = optimum(law, about)
            for found in (few, all_sets):
                assert found.lower_bits <= best + 1e-9
                assert best <= found.upper_bits + 1e-9
                assert found.gap_bits < 1e-8

    def test_order_or_more_than_the_count_is_noticed(self):
        law, about = measured_through_bsc(3)
        data = DataLaw.of(law)
        assert counts_law(data, feature_of(data, about)) is not None
        about[0][0][1], about[0][1][0] = [0.5, 0.5], [0.4, 0.6]
        assert counts_law(data, feature_of(data, about)) is None
        law[0][0][1], law[0][1][0] = law[0][0][1] * 2, Fraction(0)
        changed = DataLaw.of(law)
        assert counts_law(changed, feature_of(changed, measured_through_bsc(3)[1])) is None
        assert counts_law(DataLaw.of([[0.5, 0.25, 0.25]]), np.ones((1, 3))) is None

    def test_the_spread_mapping_is_one_of_counts(self):
        law, about = measured_through_bsc(4)
        found = optimum(law, about)
        assert found.method == Solver.COUNTS.value
        by_count = {}
        for cell, row in zip(found.law.cells.tolist(), found.channel.rows, strict=True):
            assert by_count.setdefault(sum(cell), row) == row


class TestManySamples:
    LAW, ABOUT = measured_counts(
        200, (Fraction(3, 10), Fraction(3, 10), Fraction(2, 5)), (Fraction(1, 5), Fraction(1, 2), Fraction(4, 5))
    )

    def test_two_hundred_samples(self):
        optimum_of_counts([0.5, 0.5])  # warm: the first call imports scipy
        start = time.perf_counter()
        found = optimum_of_counts(self.LAW, self.ABOUT)
        # A tenth of this on an idle machine; other tests share the cores.
        assert time.perf_counter() - start < 6
        assert found.gap_bits < 1e-8
        assert found.lower_bits == pytest.approx(0.797343907, abs=2e-9)
        mean = sum(k * p for k, p in enumerate(self.LAW))
        back = [Fraction(0)] * 201
        for symbol in found.symbols:
            assert sum(k * p for k, p in zip(symbol.counts, symbol.chances, strict=True)) == mean
            for k, p in zip(symbol.counts, symbol.chances, strict=True):
                back[k] += symbol.probability * p
        assert back == self.LAW
        assert len(found.symbols) <= 201

    def test_floats_are_read_as_fractions(self):
        exact = optimum_of_counts(self.LAW, self.ABOUT)
        floats = optimum_of_counts([float(p) for p in self.LAW], self.ABOUT)
        assert floats.lower_bits == pytest.approx(exact.lower_bits, abs=1e-9)
        assert sum(floats.masses) == 1

    @pytest.mark.parametrize("n", [1, 7, 20])
    def test_the_count_itself(self, n):
        law, _ = measured_counts(n, (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 5), Fraction(1, 2)))
        found = optimum_of_counts(law)
        assert found.lower_bits == pytest.approx(by_pairs(law, np.eye(n + 1)), abs=1e-8)

    @pytest.mark.parametrize("n", [6, 25])
    def test_a_feature_by_pairs(self, n):
        random = np.random.default_rng(n)
        masses = random.dirichlet(np.ones(n + 1))
        features = random_feature(random, (n + 1,), 4)
        found = optimum_of_counts(masses.tolist(), features)
        assert found.lower_bits - 1e-8 <= by_pairs(masses, features) <= found.upper_bits + 1e-8

    def test_a_whole_mean_and_a_single_count(self):
        found = optimum_of_counts([Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)])
        assert found.lower_bits == pytest.approx(1)
        alone = optimum_of_counts([0, 0, 1])
        assert (alone.lower_bits, len(alone.symbols)) == (0, 1)

    def test_rows_are_a_channel(self):
        found = optimum_of_counts(self.LAW[:], self.ABOUT)
        for count in (0, 57, 200):
            row = found.row(count)
            assert sum(row) == 1
            assert min(row) >= 0


class TestRefusals:
    GOOD = optimum_of_counts([Fraction(1, 8), Fraction(3, 8), Fraction(3, 8), Fraction(1, 8)])

    def test_a_moved_entry_is_refused(self):
        first = self.GOOD.symbols[0]
        step = Fraction(1, 10**9)
        moved = dataclasses.replace(first, chances=(first.chances[0] + step, first.chances[1] - step))
        with pytest.raises(ClaimRefused, match="moves the mean"):
            dataclasses.replace(self.GOOD, symbols=(moved, *self.GOOD.symbols[1:]))

    def test_weights_that_do_not_average_to_the_law_are_refused(self):
        first, *others = self.GOOD.symbols
        more = dataclasses.replace(first, probability=first.probability + Fraction(1, 10**9))
        with pytest.raises(ClaimRefused, match="average"):
            dataclasses.replace(self.GOOD, symbols=(more, *others))

    def test_chances_that_are_no_law_are_refused(self):
        bad = CountSymbol(counts=(0, 3), chances=(Fraction(1), Fraction(1, 2)), probability=Fraction(1))
        with pytest.raises(ClaimRefused, match="no law"):
            check_means(self.GOOD.masses, [bad])

    @pytest.mark.parametrize(
        ("law", "about"),
        [
            ([0.5, 0.6], None),
            ([0.5, 0.5], [[1, 0]]),
            ([0.5, 0.5], [[1, 0], [0.5, 0.6]]),
            ([0.5, 0.5], [[1, 0], [float("nan"), 1]]),
            ([1 / 1000] * 1000, None),
        ],
    )
    def test_what_is_no_law(self, law, about):
        with pytest.raises(InvalidInput):
            optimum_of_counts(law, about)

    def test_impossible_counts_are_not_released(self):
        found = optimum_of_counts([Fraction(1, 2), 0, 0, Fraction(1, 2)])
        for count in (1, -1, 4):
            with pytest.raises(NotCertified, match="probability 0"):
                found.release([count])
        with pytest.raises(InvalidInput, match="whole numbers"):
            found.release([0.5])


def test_releases_follow_the_rows():
    law, about = measured_counts(12, (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 5), Fraction(3, 5)))
    found = optimum_of_counts(law, about)
    count, draws = max(range(13), key=lambda k: sum(p > 0 for p in found.row(k))), 40_000
    drawn = np.bincount(found.release([count] * draws, KeyedBits(bytes(32))), minlength=len(found.symbols))
    row = np.array([float(p) for p in found.row(count)])
    assert drawn[row == 0].sum() == 0
    possible = row > 0
    assert possible.sum() >= 2
    assert chisquare(drawn[possible], draws * row[possible]).pvalue > 1e-4
    wrong = row[possible] * np.where(np.arange(possible.sum()) == np.argmax(row[possible]), 0.93, 1.0)
    assert chisquare(drawn[possible], draws * wrong / wrong.sum()).pvalue < 1e-6
