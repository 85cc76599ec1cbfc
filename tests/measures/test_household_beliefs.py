"""Bits for beliefs beyond independent households, and about vectors: numbers, limits, and adversaries."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from belief_adversaries import datasets, kernel, most_told
from sfumato.errors import InvalidParameter
from sfumato.measures.beliefs import INTERVAL, Ball, believed_bits, people_bits, split_bits

RATIOS = st.fractions(Fraction(1, 10**8), 10, max_denominator=10**9)


def of(deviation):
    return 1 / Fraction(deviation) ** 2


def test_the_number_of_the_page():
    """Ten thousand people in households of five, ten bits beyond them: σ = 1122 tells .1 bit."""
    assert believed_bits(10**4, 10, of(1122), people=5).upper <= 0.1
    assert believed_bits(10**4, 10, of(Fraction("1121.5")), people=5).lower > 0.1


@given(st.integers(2, 10**6), st.fractions(0, 100), RATIOS, st.integers(1, 40))
def test_households_by_floats(records, shared, ratio, people):
    share = Fraction(1, 3)
    many = min(people, records)
    if shared == 0:
        share = Fraction(1)
    found = split_bits(records, shared, ratio, share, people=people)
    near = math.log2(1 + many**2 * float(ratio) / (4 * share)) / 2
    if shared:
        near -= float(shared) * math.expm1(-many * (records - 1) * float(ratio) / (4 * (1 - share)))
    assert found.upper == pytest.approx(near, rel=1e-9)
    assert believed_bits(records, shared, ratio, people=people).lower <= found.upper + 1e-9


@given(st.integers(2, 10**5), st.fractions(0, 50), RATIOS, st.integers(1, 20))
def test_larger_households_are_told_no_less(records, shared, ratio, people):
    fewer = believed_bits(records, shared, ratio, people=people)
    assert fewer.lower <= believed_bits(records, shared, ratio, people=people + 1).upper + 1e-9


def test_nothing_beyond_households_is_the_capacity_for_them():
    """By power alone: the bound that also knows the amplitude is the smaller one."""
    found = believed_bits(1000, 0, of(3), people=5)
    assert found.upper == pytest.approx(math.log2(1 + 25 / 36) / 2, rel=1e-12)
    assert people_bits(5, of(3)).upper <= found.upper


class TestVectors:
    def test_a_number_is_a_vector_of_one(self):
        line = Ball.of_diameter(1)
        assert line == INTERVAL
        assert Ball.of_cells(2, exhaustive=True) == INTERVAL

    @given(st.integers(2, 30), st.integers(2, 10**5), st.fractions(Fraction(1, 100), 50), RATIOS)
    def test_by_floats(self, dimension, records, shared, ratio):
        for ball, radius, axes in (
            (Ball.of_diameter(dimension), dimension / (2 * dimension + 2), dimension),
            (Ball.of_cells(dimension), (1 - 1 / dimension) / 2, dimension),
            (Ball.of_cells(dimension, exhaustive=True), (1 - 1 / dimension) / 2, dimension - 1),
        ):
            found = split_bits(records, shared, ratio, Fraction(1, 4), ball=ball)
            near = axes * math.log2(1 + 4 * radius * float(ratio) / axes) / 2
            near -= float(shared) * math.expm1(-(records - 1) * float(ratio) / 3)
            assert found.upper == pytest.approx(near, rel=1e-9)

    @pytest.mark.parametrize(("cells", "variance"), [(4, 0.425604), (10, 0.600496), (30, 0.680769)])
    def test_one_dimension_less_for_normal_noise_on_shares(self, cells, variance):
        """A person in one of k cells, 1 bit: the row "joint, k - 1 dims"."""
        ball = Ball.of_cells(cells, exhaustive=True)
        for exact, near in (
            (Fraction(variance) + Fraction(6, 10**7), True),
            (Fraction(variance) - Fraction(6, 10**7), False),
        ):
            assert (people_bits(1, 2 / exact, ball=ball).upper <= 1) is near

    def test_what_cannot_be(self):
        for make in (lambda: Ball.of_cells(1), lambda: Ball.of_diameter(0)):
            with pytest.raises(InvalidParameter):
                make()
        with pytest.raises(InvalidParameter, match="people"):
            believed_bits(10, 1, Fraction(1), people=0)


def parts_of(x, part):
    """Divergence from the product of the laws of the parts: what a belief shares beyond households."""
    first, second = (x[:, list(side)] @ (2 ** np.arange(len(side))) for side in part)

    def product_of(logs):
        p = np.exp(logs)
        one = np.bincount(first, p, minlength=first.max() + 1)
        other = np.bincount(second, p, minlength=second.max() + 1)
        return np.log(np.maximum(one[first] * other[second], 1e-300))

    return product_of


def limit(records, shared, deviation, people):
    ratio, exact = of(deviation), Fraction(shared)
    return believed_bits(records, exact, ratio, people=people).upper


class TestAdversaries:
    @pytest.mark.parametrize(("shared", "deviation", "starts"), [
        (0.5, 2.0, 3),
        *[pytest.param(shared, deviation, 40, marks=pytest.mark.slow)
          for shared, deviation in itertools.product((0.2, 1), (0.7, 2.0, 5.0))],
    ])  # fmt: skip
    def test_four_people_in_two_households(self, shared, deviation, starts):
        x = datasets(4)
        rows = kernel(x.sum(1), deviation, 0, 4)[1]
        found = most_told(x[:, 0], parts_of(x, ((0, 1), (2, 3))), rows, shared, starts=starts)
        assert 0.2 * limit(4, shared, deviation, 2) < found <= limit(4, shared, deviation, 2) + 1e-6

    def test_households_are_no_single_people(self):
        """Two who are always alike share a bit, and are told more than the bound for records allows."""
        x = datasets(4)
        rows = kernel(x.sum(1), 2.0, 0, 4)[1]
        found = most_told(x[:, 0], parts_of(x, ((0, 1), (2, 3))), rows, 1e-9, starts=3)
        assert limit(4, Fraction(1, 10**9), 2, 1) < found <= limit(4, Fraction(1, 10**9), 2, 2) + 1e-6

    def test_a_histogram_of_three_cells(self):
        """Three records of three values, all counts released: no joint law found exceeds the bound."""
        cells = np.array(list(itertools.product(range(3), repeat=3)))
        counts = (cells[:, :, None] == np.arange(3)).sum(1)
        deviation = 1.5
        y = np.linspace(-5, 8, 27)
        # The third count is what the other two leave, and its noise tells nothing more: two axes on a plane.
        plane = counts @ np.array([[1, -1, 0], [1, 1, -2]]).T / np.sqrt([2, 6])
        axes = [np.exp(-((y[None] - plane[:, [one]]) ** 2) / (2 * deviation**2)) for one in (0, 1)]
        rows = (axes[0][:, :, None] * axes[1][:, None, :]).reshape(len(cells), -1)
        rows /= rows.sum(1, keepdims=True)

        def product_of(logs):
            p = np.exp(logs)
            shares = [np.bincount(cells[:, j], p, minlength=3) for j in range(3)]
            return sum(np.log(np.maximum(shares[j][cells[:, j]], 1e-300)) for j in range(3))

        first = (cells[:, 0] == 0).astype(int)
        found = most_told(first, product_of, rows, 0.5, starts=2)
        ratio = 2 / Fraction(deviation) ** 2
        most = believed_bits(3, Fraction(1, 2), ratio, ball=Ball.of_cells(3, exhaustive=True)).upper
        assert 0.1 * most < found <= most
