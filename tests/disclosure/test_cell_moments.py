"""Moments of a cell: the enclosure lies above plain sums everywhere, and not far above."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disclosure.plain_moments import ceiling, first_count
from sfumato.disclosure.moments import Cell, NoisyCell, first_counts, last_counts, last_means, log_poisson, supremum


def plain(mean, cell, noise=None):
    """ln M(μ) - νμ term by term with ln Γ, as the theorem has it: nothing is bounded, nothing is taken together."""
    least = first_count(mean, cell.cut)
    last = (
        int(last_counts(np.array([mean]), 60.0)[0])
        if noise is None
        else int(last_counts(np.array([mean]), cell.cap)[0])
    )
    noises = [(0, 1.0)] if noise is None else noise
    logs = []
    for count in range(least, last + 1):
        base = -mean + count * math.log(mean) - math.lgamma(count + 1)
        for shift, weight in noises:
            reached = (max(count + shift, 0) + cell.smoothing) / cell.scale
            cost = mean * math.log(mean / reached) - mean + reached
            logs.append(base + cell.rate * cost + math.log(weight))
    top = max(logs)
    return top + math.log(math.fsum(math.exp(one - top) for one in logs)) - cell.price * mean


def cells():
    return st.builds(
        Cell,
        rate=st.floats(0.05, 0.9),
        smoothing=st.sampled_from([0.125, 0.5, 0.875, 1.0, 2.0]),
        scale=st.floats(1.0, 1.5),
        price=st.floats(-0.01, 0.01),
        cut=st.floats(3.0, 40.0),
        most=st.just(1e6),
    )


@settings(max_examples=200)  # a count that is left out at the wrong end shows in few of them
@given(cell=cells(), left=st.floats(0.001, 400.0), step=st.floats(0.0, 1.0), data=st.data())
def test_no_mean_of_an_interval_is_above_its_bound(cell, left, step, data):
    right = left + step * min(left / 2, math.sqrt(left))
    bound = float(cell.on(np.array([left]), np.array([right]))[0])
    place = data.draw(st.floats(0.0, 1.0))
    for mean in (left, left + place * (right - left), right):
        assert plain(mean, cell) <= bound + 1e-12


def test_a_hump_between_two_means_is_below_the_bound():
    """ln M rises ever more slowly from 2 to 13, so with its mean slope as the price the middle is above both ends."""
    flat = Cell(rate=0.44, smoothing=1.0, scale=1.0, price=0.0, cut=20.0, most=1e4)
    slope = (plain(12.0, flat) - plain(3.0, flat)) / 9
    cell = dataclasses.replace(flat, price=slope)
    middle = max(plain(mean, cell) for mean in (5.0, 6.0, 7.0))
    assert middle > max(plain(3.0, cell), plain(12.0, cell)) + 0.003
    assert float(cell.on(np.array([3.0]), np.array([12.0]))[0]) >= middle


@settings(max_examples=25, deadline=None)
@given(cell=cells(), mean=st.floats(0.001, 900.0))
def test_a_point_is_sharp_where_terms_stand_alone(cell, mean):
    """All that is bounded there is the tail."""
    value, bound = plain(mean, cell), float(cell.at(np.array([mean]))[0])
    assert value - 1e-12 <= bound <= value + 1e-6


@settings(max_examples=20, deadline=None)
@given(cell=cells(), left=st.floats(0.5, 300.0), step=st.floats(0.01, 0.7))
def test_the_checker_s_way_gives_the_same_bound(cell, left, step):
    right = left + step * min(left / 2, math.sqrt(left))
    numbers = (cell.rate, cell.smoothing, cell.scale, cell.price, cell.cut)
    assert math.isclose(
        float(cell.on(np.array([left]), np.array([right]))[0]),
        ceiling(left, right, numbers),
        rel_tol=1e-9,
        abs_tol=1e-9,
    )


def test_a_million_terms_stand_in_few_blocks():
    """At a mean of 10^6 the moments are those of a squared Gaussian, -½ln(1-λ), but for the cut; blocks add little."""
    cell = Cell(rate=0.5, smoothing=1.0, scale=1.0, price=0.0, cut=30.0, most=1e6)
    assert float(cell.at(np.array([1e6]))[0]) == pytest.approx(-0.5 * math.log(0.5), abs=0.003)


def test_the_logarithm_of_poisson_probabilities_is_never_below():
    counts = np.arange(0.0, 400.0)
    for mean in (0.01, 1.0, 19.7, 300.0):
        exact = [-mean + k * math.log(mean) - math.lgamma(k + 1) for k in range(400)]
        found = log_poisson(counts, np.full_like(counts, mean))
        assert np.all(found >= np.array(exact) - 1e-11)
        np.testing.assert_allclose(found, exact, atol=1e-9)


@given(mean=st.floats(0.01, 1e9), cut=st.floats(1.0, 100.0))
def test_what_is_left_out_is_rare_and_no_more_could_be(mean, cut):
    least = int(first_counts(np.array([mean]), cut)[0])

    def rarity(count):
        return count * math.log1p((count - mean) / mean) - count + mean if count else mean

    slack = 1e-12 * (1 + mean**0.5) + 1e-15 * mean
    assert least == 0 or rarity(least - 1) >= cut - slack
    assert least > mean or rarity(least) < cut + slack + 1e-9 * cut


def test_corners_are_where_a_count_is_left_out():
    for count, mean in enumerate(last_means(20.0, 12).tolist()):
        assert first_counts(np.array([mean * (1 - 1e-9), mean * (1 + 1e-6)]), 20.0).tolist() == [count, count + 1]


def test_the_supremum_is_above_a_dense_grid_and_hardly_above():
    cell = Cell(rate=0.44, smoothing=1.0, scale=1 + 39 / 6366, price=-8e-6, cut=math.log(39e7), most=6366.0)
    corners = last_means(cell.cut, 30) * (1 - 1e-9)
    grid = np.concatenate([np.geomspace(1e-6, 6366, 700), corners])
    highest = max(*(plain(mean, cell) for mean in grid.tolist()), cell.at_zero())
    assert highest - 1e-12 <= supremum(cell) <= highest * 1.002
    assert supremum(cell, target=highest * 1.002) <= highest * 1.002
    assert supremum(cell, target=highest * 0.99) > highest * 0.99


def noisy(ratio=0.6, cut=9.0, **changes):
    given = {"rate": 0.2, "smoothing": 1.5, "scale": 1.1, "price": 0.001, "most": 1e5} | changes
    return NoisyCell(ratio=ratio, cut=cut, cap=12.0, lowest=14, highest=17, **given)


def law_of(cell):
    weight = (1 - cell.ratio) / (1 + cell.ratio)
    return [(z, weight * cell.ratio ** abs(z)) for z in range(-cell.lowest, cell.highest + 1)]


@settings(max_examples=25, deadline=None)
@given(
    rate=st.floats(0.02, 0.9),
    ratio=st.floats(0.1, 0.9),
    left=st.floats(0.001, 60.0),
    step=st.floats(0.0, 1.0),
    place=st.floats(0.0, 1.0),
)
def test_with_noise_no_mean_is_above_its_bound_either(rate, ratio, left, step, place):
    cell = noisy(rate=rate, ratio=ratio)
    right = left + step * min(left / 2, math.sqrt(left))
    bound = float(cell.on(np.array([left]), np.array([right]))[0])
    mean = left + place * (right - left)
    value = plain(mean, cell, law_of(cell))
    assert value <= bound + 1e-12
    assert float(cell.at(np.array([mean]))[0]) == pytest.approx(value, abs=1e-9)


def test_blocks_of_noise_are_above_single_noises():
    cell = dataclasses.replace(noisy(ratio=0.97, cut=5.0), lowest=200, highest=250)
    mean = 3000.0
    value = plain(mean, cell, law_of(cell))
    assert value <= float(cell.at(np.array([mean]))[0]) <= value + 0.02


@pytest.mark.parametrize("cell", [noisy(), Cell(rate=0.4, smoothing=1.0, scale=1.2, price=-0.1, cut=12.0, most=50.0)])
def test_near_nobody(cell):
    """On [0, first] the closed form is above, and at 0 it is what remains of the sum."""
    law = law_of(cell) if isinstance(cell, NoisyCell) else None
    for mean in (1e-9, 1e-5, 2.0**-14):
        assert plain(mean, cell, law) <= cell.near_zero(2.0**-14)
    assert plain(1e-12, cell, law) == pytest.approx(cell.at_zero(), abs=1e-9)
