"""The bound by power holds for the lattice law that is sampled, and is what brute force finds for its output law."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.measures.gaussian import (
    best_spread,
    bounded_range_bits,
    lattice_capacity,
    least_power_bound,
    power_bound,
    usual_spread,
)

NUMBERS = [
    (4, Fraction(100), Fraction(30), 1.7489382),
    (4, Fraction(100), Fraction("60.355"), 1.0000047),
    (10, Fraction(25), Fraction("0.3"), 16.4414099),
    (30, Fraction(1), Fraction("0.05"), 7.2980015),
]


@pytest.mark.parametrize(("dimension", "radius", "variance", "bits"), NUMBERS)
def test_the_numbers_of_the_theory(dimension, radius, variance, bits):
    found = least_power_bound(dimension, radius, variance)
    assert found.width < 1e-14
    assert found.upper == pytest.approx(bits, abs=5.1e-8)


def test_the_formula_for_normal_noise_is_unsafe_on_a_coarse_lattice():
    normal = 5 * math.log2(1 + 25 / 3)
    assert normal == pytest.approx(16.1119621, abs=5e-8)
    assert least_power_bound(10, Fraction(25), Fraction(3, 10)).lower > normal + 0.3


def law(variance, reach):
    z = np.arange(-reach, reach + 1)
    weights = np.exp(-(z**2) / (2 * float(variance)))
    return z, weights / weights.sum()


def divergence(point, centre, variance, spread):
    """D(P_x‖Q) by plain sums, coordinate by coordinate, for Q in proportion to e^(-‖y-c‖²/2S): an independent way."""
    found = 0.0
    for x, c in zip(point, centre, strict=True):
        z, noise = law(variance, 60)
        y = np.arange(-400, 401)
        weights = np.exp(-((y - c) ** 2) / (2 * float(spread)))
        logs = -((x + z - c) ** 2) / (2 * float(spread)) - math.log(weights.sum())
        held = noise > 0
        found += float((noise[held] * (np.log(noise[held]) - logs[held])).sum())
    return found / math.log(2)


@pytest.mark.parametrize("variance", [Fraction(1, 10), Fraction(1, 2), Fraction(3), Fraction(9)])
def test_no_point_of_the_ball_tells_more_whatever_its_centre(variance):
    generator = np.random.default_rng(3)
    for _ in range(20):
        centre = generator.uniform(-2, 2, 2)
        point = generator.integers(-4, 5, 2)
        radius = Fraction(float(((point - centre) ** 2).sum()))
        spread = best_spread(2, radius, variance)
        bound = power_bound(2, radius, variance, spread)
        assert divergence(point, centre, variance, spread) <= bound.upper + 1e-12
        # At a point of the lattice as centre nothing is lost.
        centred = Fraction(int((point**2).sum()))
        spread = best_spread(2, centred, variance)
        exact = power_bound(2, centred, variance, spread)
        assert divergence(point, (0, 0), variance, spread) == pytest.approx(exact.upper, abs=1e-10)


@pytest.mark.parametrize(
    ("steps", "variance"), [(1, Fraction(1, 5)), (3, Fraction(2)), (5, Fraction(40)), (8, Fraction(9))]
)
def test_it_is_above_the_capacity(steps, variance):
    found, _ = lattice_capacity(variance, steps)
    assert found.upper <= least_power_bound(1, Fraction(steps**2), variance).upper


@pytest.mark.parametrize("variance", [Fraction(1, 20), Fraction(1, 2), Fraction(7), Fraction(8), Fraction(10**9, 7)])
def test_the_best_spread_is_best_and_the_usual_one_valid(variance):
    radius = Fraction(11, 3)
    best = least_power_bound(3, radius, variance)
    spread = best_spread(3, radius, variance)
    for factor in (Fraction(1, 2), Fraction(99, 100), Fraction(101, 100), Fraction(2)):
        assert power_bound(3, radius, variance, spread * factor).upper > best.upper
    assert power_bound(3, radius, variance, usual_spread(3, radius, variance)).upper >= best.lower


def test_the_short_sum_and_the_long_formula_meet():
    """Below 8 sums are taken, from there Poisson's formula: no step between them."""
    below, above = Fraction(8) - Fraction(1, 10**12), Fraction(8)
    assert power_bound(5, Fraction(3), below, below).upper == pytest.approx(
        power_bound(5, Fraction(3), above, above).upper, abs=1e-11
    )


def test_nothing_moved_is_nothing_told():
    assert least_power_bound(3, Fraction(0), Fraction(5)).upper < 1e-12
    for wrong in ({"radius": Fraction(-1)}, {"variance": Fraction(0)}, {"spread": Fraction(0)}, {"dimension": 0}):
        given = {"dimension": 1, "radius": Fraction(1), "variance": Fraction(1), "spread": Fraction(1)} | wrong
        with pytest.raises(InvalidParameter):
            power_bound(given["dimension"], given["radius"], given["variance"], given["spread"])


@pytest.mark.parametrize("width", [Fraction(1, 10**6), Fraction(1, 100), Fraction(1), Fraction(5), Fraction(10**6)])
def test_the_bound_of_a_range_is_its_two_spellings(width):
    """z - 1 - ln z at z = w/(1-e^-w) and at w/(e^w-1), the latter by plain doubles."""
    found, w = bounded_range_bits(width), float(width)
    assert found.width <= 1e-15 * max(1, found.upper)
    if 1e-3 < w < 100:
        v = w / math.expm1(w)
        assert found.upper == pytest.approx((v - 1 - math.log(v)) / math.log(2), rel=1e-9)
    elif w <= 1e-3:
        assert found.upper == pytest.approx(w**2 / 8 / math.log(2), rel=1e-6)


def test_the_bound_of_a_range_is_reached_by_two_outputs_and_by_no_others():
    generator = np.random.default_rng(5)
    width = 1.7
    bound = bounded_range_bits(Fraction(17, 10)).upper
    a = width / math.expm1(width)
    p = (1 - a) / (a * math.expm1(width))  # the ratios a and a·e^w have the mean 1
    best = -((1 - p) * math.log(a) + p * (math.log(a) + width)) / math.log(2)
    assert best == pytest.approx(bound, abs=1e-12)
    for _ in range(500):
        logs = generator.uniform(0, width, 6)
        one = generator.dirichlet(np.ones(6))
        other = one * np.exp(logs)
        other /= other.sum()
        assert float((one * np.log2(one / other)).sum()) <= bound
