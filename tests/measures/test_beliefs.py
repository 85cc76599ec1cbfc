"""Bits for beliefs that share at most so many: the numbers, their limits, and adversaries who try to exceed them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln
from scipy.stats import norm

from belief_adversaries import all_laws, laws_of_record_and_sum, most_told, two_releases
from sfumato.errors import InvalidParameter
from sfumato.measures import amplitude_capacity
from sfumato.measures.beliefs import (
    believed_bits,
    best_own_share,
    composed_bits,
    noisy_sum_limit,
    people_bits,
    split_bits,
)

RATIOS = st.fractions(Fraction(1, 10**10), 100)
RECORDS = st.integers(1, 10**9)
SHARED = st.fractions(0, 1000)
SHARES = st.fractions(Fraction(1, 10**6), 1 - Fraction(1, 10**6))
# What a search and a grid of integration may be off.
_CLOSE = 1e-6


def of(deviation):
    return 1 / Fraction(deviation) ** 2


def limit(records, shared, deviation):
    return believed_bits(records, shared, of(deviation)).upper


class TestNumbers:
    @pytest.mark.parametrize(
        ("records", "shared", "deviation", "adding"),
        [
            (100, 10, 50, 0.103896),
            (10**4, 100, 1600, 0.097765),
            (10**6, 1, 1600, 0.093197),
            (8, 1, 5, 0.11740),
        ],
    )
    def test_those_of_the_page(self, records, shared, deviation, adding):
        assert believed_bits(records, shared, of(deviation)).upper == pytest.approx(adding, abs=6e-6)

    @given(RECORDS, SHARED, RATIOS, SHARES)
    def test_the_formula_by_floats(self, records, shared, ratio, share):
        found = split_bits(records, shared, ratio, share if shared and records > 1 else Fraction(1))
        own = float(share) if shared and records > 1 else 1.0
        near = math.log1p(float(ratio) / (4 * own)) / (2 * math.log(2))
        if shared and records > 1:
            near -= float(shared) * math.expm1(-(records - 1) * float(ratio) / (4 * (1 - own)))
        assert found.lower <= found.upper <= found.lower + 1e-12 * (1 + found.lower)
        assert found.upper == pytest.approx(near, rel=1e-9)

    @given(RECORDS, SHARED, RATIOS, SHARES)
    def test_no_division_is_much_better_than_the_one_that_is_found(self, records, shared, ratio, share):
        if shared and records > 1:
            assert believed_bits(records, shared, ratio).lower <= split_bits(records, shared, ratio, share).upper + 1e-9

    @given(RECORDS, SHARED, RATIOS)
    def test_closed_form(self, records, shared, ratio):
        """U ≤ (½√(c(n-1)) + √(log2 e/8))²·Δ²/σ²."""
        closed = (math.sqrt(shared * (records - 1)) / 2 + math.sqrt(1 / (8 * math.log(2)))) ** 2 * float(ratio)
        assert believed_bits(records, shared, ratio).upper <= closed * (1 + 1e-4)

    def test_the_closed_form_is_near_where_little_is_told(self):
        closed = (math.sqrt(10 * 9999) / 2 + math.sqrt(1 / (8 * math.log(2)))) ** 2 / 5000**2
        assert believed_bits(10**4, 10, of(5000)).lower >= 0.99 * closed

    @given(RECORDS, RATIOS)
    def test_nothing_shared_is_one_record_alone(self, records, ratio):
        assert believed_bits(records, 0, ratio) == split_bits(records, 0, ratio, Fraction(1))
        assert believed_bits(records, 0, ratio).upper == pytest.approx(math.log2(1 + ratio / 4) / 2, rel=1e-12)
        assert best_own_share(records, 0, ratio) == 1

    @given(RECORDS, SHARED, RATIOS, st.fractions(0, 50), st.integers(0, 1000))
    def test_more_sharing_records_or_signal_tells_no_less(self, records, shared, ratio, more, others):
        base = believed_bits(records, shared, ratio).lower
        assert base <= believed_bits(records, shared + more, ratio).upper + 1e-9
        assert base <= believed_bits(records + others, shared, ratio).upper + 1e-9
        assert base <= believed_bits(records, shared, ratio * (1 + more)).upper + 1e-9

    @pytest.mark.parametrize("share", [Fraction(0), Fraction(1), Fraction(3, 2), Fraction(-1, 2)])
    def test_a_division_leaves_something_to_both(self, share):
        with pytest.raises(InvalidParameter, match="own_share"):
            split_bits(10, 1, Fraction(1), share)

    @pytest.mark.parametrize(
        ("wrong", "name"),
        [((0, 1, Fraction(1)), "records"), ((5, -1, Fraction(1)), "shared_bits"), ((5, 1, Fraction(0)), "ratio"),
         ((5, math.nan, Fraction(1)), "shared_bits"), ((10**13, 1, Fraction(1)), "records")],
    )  # fmt: skip
    def test_what_cannot_be(self, wrong, name):
        with pytest.raises(InvalidParameter, match=name):
            believed_bits(*wrong)

    def test_a_float_is_the_decimal_that_it_prints_as(self):
        ratio, share = Fraction(4, 10**4), Fraction(1, 100)
        assert believed_bits(100, 10, 0.0004) == believed_bits(100, 10, ratio)
        assert composed_bits(100, 10, [(0.0004, 0.01)]) == composed_bits(100, 10, [(ratio, share)])
        assert split_bits(100, 10, 0.0004, 0.01) == split_bits(100, 10, ratio, share)

    def test_extremes_are_bounded_and_quick(self):
        assert 10**12 <= split_bits(10**12, 10**12, Fraction(10**6), Fraction(1, 3)).upper < 10**12 + 11
        assert 0 < believed_bits(2, Fraction(1, 10**9), Fraction(1, 10**12)).upper < 1e-12


class TestPeople:
    @pytest.mark.parametrize("ratio", [1e-4, 0.1, 1, 4, 5, 30])
    def test_it_bounds_the_capacity_and_is_near(self, ratio):
        found = people_bits(2, Fraction(ratio))  # T = Δ
        true = amplitude_capacity(ratio, gap_bits=1e-4).bits
        assert true.lower <= found.upper <= 1.12 * true.upper
        assert found.width < 1e-12

    @given(st.integers(1, 10**6), RATIOS)
    def test_more_people_are_told_no_less(self, people, ratio):
        assert people_bits(people, ratio).lower <= people_bits(people + 1, ratio).upper
        assert people_bits(2 * people, ratio / 4).upper == pytest.approx(people_bits(people, ratio).upper, rel=1e-12)


class TestComposition:
    @given(RECORDS, SHARED, st.lists(st.tuples(RATIOS, SHARES), min_size=1, max_size=5))
    def test_together_no_more_than_the_sum(self, records, shared, releases):
        made = [(ratio, share if shared and records > 1 else Fraction(1)) for ratio, share in releases]
        each = [split_bits(records, shared, *one) for one in made]
        whole = composed_bits(records, shared, made)
        assert whole.lower <= math.fsum(one.upper for one in each) * (1 + 1e-12) + 1e-12
        assert max(one.lower for one in each) <= whole.upper * (1 + 1e-12)
        if len(made) == 1:
            assert whole == each[0]

    def test_two_unlike_releases_by_hand(self):
        """c(1 - e^-(x_1 + x_2)) and the two logarithms."""
        made = [(of(50), Fraction(1, 40)), (of(80), Fraction(1, 30))]
        exponent = math.fsum(99 * float(ratio) / (4 * (1 - float(share))) for ratio, share in made)
        own = math.fsum(math.log2(1 + float(ratio) / (4 * float(share))) / 2 for ratio, share in made)
        for releases in (made, made[::-1]):
            assert composed_bits(100, 10, releases).upper == pytest.approx(10 * -math.expm1(-exponent) + own, rel=1e-12)

    def test_the_shared_bits_are_used_once(self):
        """However much is released, the others tell no more than c."""
        many = [(Fraction(1), Fraction(1, 2))] * 100
        own = 100 * split_bits(10**6, 0, Fraction(2), Fraction(1)).upper
        assert composed_bits(10**6, 5, many).upper <= 5 + own + 1e-9


class TestEntropy:
    def test_an_adversary_who_lacks_bits(self):
        found = noisy_sum_limit(100, 2, 90, of(50))
        assert found.upper == pytest.approx(believed_bits(100, 10, of(50)).upper, rel=1e-9)
        assert noisy_sum_limit(100, 3, 100, of(50)).upper > found.upper

    def test_nobody_lacks_more_than_there_is(self):
        with pytest.raises(InvalidParameter, match="unknown_bits"):
            noisy_sum_limit(10, 2, 11, Fraction(1))


def test_a_rate_that_nobody_knows_ties_all_records_together():
    """Uniform on [0, 1]: H(X) = log2(n+1) + E log2 C(n,k), so about .2787 bits a record are shared."""
    for records, near in ((10**3, 0.274), (10**5, 0.27857)):
        k = np.arange(records + 1)
        choices = gammaln(records + 1) - gammaln(k + 1) - gammaln(records - k + 1)
        shared = records - math.log2(records + 1) - choices.mean() / math.log(2)
        assert shared / records == pytest.approx(near, abs=5e-4)
    assert 1 - 1 / (2 * math.log(2)) == pytest.approx(0.2787, abs=5e-5)


class TestAdversaries:
    """None exceeds the bounds; the best ones come near."""

    def test_three_and_four_records_quick(self):
        for records, shared, deviation in ((3, 1, 2), (4, 0.2, 0.7)):
            found = most_told(*all_laws(records, deviation), shared, starts=4)
            assert 0.2 * limit(records, shared, deviation) < found <= limit(records, shared, deviation) + _CLOSE

    def test_eight_records_come_near(self):
        found = most_told(*laws_of_record_and_sum(8, 0.5, 5.0), 1, starts=4)
        assert found == pytest.approx(0.10486, abs=2e-5)
        assert 0.85 * limit(8, 1, 5) <= found <= limit(8, 1, 5)
        assert limit(8, 1, 5) == pytest.approx(0.11740, abs=1e-5)

    def test_four_records_stay_below_the_bound(self):
        found = most_told(*all_laws(4, 5.0), 3, starts=3)
        assert found == pytest.approx(0.10702, abs=2e-5)
        assert found <= limit(4, 3, 5)

    def test_two_releases_the_second_chosen_after_the_first(self):
        found = most_told(*two_releases(4, 2.0, points=40), 1, starts=1)
        assert 0.3 * self.together(1, 2) < found <= self.together(1, 2) + _CLOSE

    @pytest.mark.slow
    @pytest.mark.parametrize("records", [3, 4])
    @pytest.mark.parametrize("shared", [0.2, 1, 3])
    @pytest.mark.parametrize("deviation", [0.7, 2.0, 5.0])
    def test_all_joint_laws(self, records, shared, deviation):
        found = most_told(*all_laws(records, deviation), shared, starts=40)
        assert found <= limit(records, shared, deviation) + _CLOSE

    @pytest.mark.slow
    @pytest.mark.parametrize("share", [0.5, 0.1])
    @pytest.mark.parametrize("shared", [0.2, 1, 3])
    @pytest.mark.parametrize("deviation", [0.7, 2.0, 5.0])
    def test_eight_records(self, share, shared, deviation):
        found = most_told(*laws_of_record_and_sum(8, share, deviation), shared, starts=40)
        assert found <= limit(8, shared, deviation) + _CLOSE

    @pytest.mark.slow
    @pytest.mark.parametrize("shared", [0.2, 1])
    @pytest.mark.parametrize("deviation", [2.0, 5.0])
    def test_two_releases(self, shared, deviation):
        found = most_told(*two_releases(4, deviation), shared, starts=5)
        assert found <= self.together(shared, deviation) + _CLOSE

    @staticmethod
    def together(shared, deviation):
        """Two releases of the same noise: the best division of those tried."""
        ratio = of(deviation)
        return min(composed_bits(4, shared, [(ratio, Fraction(k, 50))] * 2).upper for k in range(1, 50))

    def test_one_who_believes_all_alike_is_not_covered(self):
        """n = 10⁴ and σ = 500, for ten shared bits at .1: who thinks that all records are equal learns the bit."""
        error = norm.cdf(-(10**4) / 2 / 500)
        told = 1 + error * math.log2(error) + (1 - error) * math.log2(1 - error) if error else 1.0
        assert limit(10**4, 10, 500.1) <= 0.1
        assert told > 0.999
        assert people_bits(10**4, of(500)).upper > told
