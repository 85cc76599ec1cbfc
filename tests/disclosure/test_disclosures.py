"""What is released, and that a mapping moved by a hair is refused."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from disclosure.disclosure_oracles import information, is_independent, measured_through_bsc, random_feature, random_law
from sfumato.disclosure import DataLaw, optimum
from sfumato.disclosure.optimal import check_independence, leak_bound, told_bits
from sfumato.errors import ClaimRefused, NotCertified
from sfumato.prob import Channel
from sfumato.sampling import KeyedBits

EXAMPLE_2 = [[Fraction(k, 12) for k in (1, 3, 2)], [Fraction(k, 12) for k in (2, 3, 1)]]


def mutants(channel, step):
    """Every mapping with one entry moved and the row's largest other one moved back."""
    for x, row in enumerate(channel.rows):
        for y in range(len(row)):
            if row[y] + step > 1:
                continue
            other = max((z for z in range(len(row)) if z != y), key=lambda z: row[z])
            if row[other] < step:
                continue
            changed = list(row)
            changed[y] += step
            changed[other] -= step
            rows = list(channel.rows)
            rows[x] = tuple(changed)
            yield Channel(rows, channel.inputs)


class TestIndependence:
    def test_one_moved_entry_is_refused(self):
        found = optimum(EXAMPLE_2)
        check_independence(found.law, found.groups, found.channel)
        tried = 0
        for mutant in mutants(found.channel, Fraction(1, 10**12)):
            tried += 1
            with pytest.raises(ClaimRefused, match="not private"):
                check_independence(found.law, found.groups, mutant)
        assert tried >= 6

    @pytest.mark.parametrize("even", [0, 1, 2])
    def test_a_leak_about_two_of_three_values_is_refused(self, even):
        """Whichever value it says nothing about: the symbol is as probable given that one as it is altogether."""
        law = DataLaw.independent([Fraction(1, 3)] * 3, 2)
        chances = [Fraction(1, 2) if x == even else Fraction(1 + 2 * (x == (even + 1) % 3), 4) for x in range(3)]
        leaking = Channel([[chances[x], 1 - chances[x]] for x, _ in law.cells.tolist()])
        with pytest.raises(ClaimRefused, match=r"\(0,\)"):
            check_independence(law, law.singles(), leaking)
        check_independence(law, ((1,),), leaking)

    def test_laws_of_sixty_four_cells_are_exact(self):
        law, about = measured_through_bsc(6)
        found = optimum(law, about)
        assert found.law.size == 64
        assert found.is_exact
        for group in found.groups:
            assert is_independent(found.law.cells.tolist(), found.law.masses, group, found.channel.rows)

    def test_larger_ones_have_a_bound(self):
        law, about = measured_through_bsc(7)
        found = optimum(law, about)
        assert not found.is_exact
        assert 0 <= found.leak_bits < 1e-9
        assert leak_bound(found.law, found.groups, found.channel) == found.leak_bits

    def test_a_group_is_more_than_its_samples(self):
        law = DataLaw.independent([Fraction(1, 2)] * 2, 2)
        parity = Channel([[1, 0], [0, 1], [0, 1], [1, 0]])
        check_independence(law, ((0,), (1,)), parity)
        with pytest.raises(ClaimRefused, match=r"\(0, 1\)"):
            check_independence(law, ((0, 1),), parity)
        assert leak_bound(law, ((0, 1),), parity) == pytest.approx(1)
        assert leak_bound(law, ((0,), (1,)), parity) == 0

    def test_two_private_releases_leak_together(self):
        """The same data published twice, by two private mappings: privacy does not compose."""
        skew = DataLaw.of([[Fraction(4, 10), Fraction(1, 10)], [Fraction(2, 10), Fraction(3, 10)]])
        once = optimum(skew).channel
        both = Channel([[p * q for p in row for q in row] for row in once.rows], once.inputs)
        check_independence(skew, skew.singles(), once)
        with pytest.raises(ClaimRefused):
            check_independence(skew, skew.singles(), both)


def test_what_is_told_is_enclosed():
    random = np.random.default_rng(5)
    law, about = random_law(random, (2, 3)), random_feature(random, (2, 3), 3)
    found = optimum(law, about)
    feature = np.array(about).reshape(6, 3).T
    value = information(found.law.masses, found.channel.rows, feature)
    told = told_bits(found.law, found.channel, feature)
    assert told.lower - 1e-12 <= value <= told.upper + 1e-12
    whole = told_bits(found.law, found.channel, None)
    assert information(found.law.masses, found.channel.rows) == pytest.approx(whole.midpoint, abs=1e-12)
    assert told.upper < whole.lower


class TestRelease:
    FOUND = optimum(EXAMPLE_2)
    DRAWS = 60_000

    def drawn(self, cell, seed=b"\0"):
        reports = self.FOUND.release([cell] * self.DRAWS, KeyedBits(seed * 32))
        return np.bincount(reports, minlength=self.FOUND.channel.shape[1])

    def test_the_rows_are_drawn_and_no_others(self):
        for cell, row in zip(self.FOUND.law.cells.tolist(), self.FOUND.channel.rows, strict=True):
            law = np.array([float(p) for p in row])
            counts = self.drawn(cell)
            possible = law > 0
            assert counts[~possible].sum() == 0
            if possible.sum() < 2:
                continue
            assert chisquare(counts[possible], self.DRAWS * law[possible]).pvalue > 1e-4
            wrong = law[possible] * np.where(np.arange(possible.sum()) == 0, 1.05, 1.0)
            assert chisquare(counts[possible], self.DRAWS * wrong / wrong.sum()).pvalue < 1e-6

    def test_symbols_are_independent_of_each_sample_and_not_of_the_pair(self):
        random = np.random.default_rng(8)
        places = random.choice(6, self.DRAWS, p=self.FOUND.law.array)
        cells = self.FOUND.law.cells[places]
        reports = self.FOUND.release(cells.tolist(), KeyedBits(b"\1" * 32))
        for i in (0, 1):
            table = np.zeros((self.FOUND.law.shape[i], 3))
            np.add.at(table, (cells[:, i], reports), 1)
            assert chi2_contingency(table).pvalue > 1e-4
        table = np.zeros((6, 3))
        np.add.at(table, (places, reports), 1)
        assert chi2_contingency(table).pvalue < 1e-6

    def test_large_denominators_are_drawn_exactly(self):
        """Row draws, not the nearest law whose denominators fit a word: asked word by word at a boundary."""
        law, about = measured_through_bsc(5)
        found = optimum(law, about)
        assert max(p.denominator for row in found.channel.rows for p in row).bit_length() > 8
        reports = found.release([[0, 1, 0, 1, 1]] * 100, KeyedBits(bytes(32)))
        place = found.law.cells.tolist().index([0, 1, 0, 1, 1])
        assert {y for y, p in enumerate(found.channel.rows[place]) if p} >= set(reports.tolist())

    def test_impossible_data_sets_are_refused_without_naming_them(self):
        found = optimum([[[Fraction(1, 7)] * 2] * 2, [[Fraction(1, 7)] * 2, [Fraction(1, 7), 0]]])
        with pytest.raises(NotCertified, match="data set 2 has probability 0"):
            found.release([[0, 0, 0], [1, 1, 1]])
        with pytest.raises(NotCertified):
            found.release([[0, 0, 2]])
        assert found.release([]).size == 0
