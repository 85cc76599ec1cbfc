"""How to ask for a mean: the choice is the best of a direct search, and what it is said to cost is what it costs."""

import math

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.mechanisms import CyclicResponse
from sfumato.mechanisms.arc import second_moments, worst_variance
from sfumato.mechanisms.number_scales import Shape, choose_mean_scale


def direct(size, length, odds):
    """The worst variance of an arc, from its channel and the equations of the best score at even answers."""
    modulus = size + length - 1
    rows = np.ones((size, modulus))
    for x in range(size):
        rows[x, x : x + length] = odds
    rows /= rows.sum(axis=1)[0]
    scaled = rows / rows.mean(axis=0)
    scores = scaled.T @ np.linalg.solve(scaled @ rows.T, np.linspace(-1, 1, size))
    # On a fine grid of answers, each rounded to the point below or above.
    answers = np.linspace(-1, 1, 120 * (size - 1) + 1)
    return float((np.interp(answers, np.linspace(-1, 1, size), rows @ scores**2) - answers**2).max())


@pytest.mark.parametrize("epsilon", [0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0])
def test_the_choice_is_the_best_by_direct_search(epsilon):
    """Every arc of up to 24 points: none has less than 1/1.02 of the variance, and none so good has fewer reports."""
    odds = math.exp(epsilon)
    tried = {(k, d): direct(k, d, odds) for k in range(2, 25) for d in range(1, k)}
    found = choose_mean_scale((epsilon,)).chosen
    assert found.variances[0] <= 1.021 * min(tried.values())
    good = [k + d - 1 for (k, d), value in tried.items() if value <= 0.999 * found.variances[0]]
    assert not good or min(good) > found.reports or found.variances[0] <= 1.02 * min(tried.values())
    assert direct(found.points, found.length, odds) == pytest.approx(found.variances[0], rel=1e-3)


@pytest.mark.parametrize(("epsilon", "shape"), [(0.1, Shape.TWO_POINTS), (0.3, Shape.TWO_POINTS), (1.5, Shape.ARC)])
def test_two_points_at_small_epsilon_and_an_arc_above(epsilon, shape):
    assert choose_mean_scale((epsilon,)).chosen.shape is shape


def test_at_four_nats_the_worst_variance_of_one_report_is_below_a_fifth():
    """Two points would have 1.08, and the cyclic response on a grid .177."""
    choice = choose_mean_scale((4.0,))
    assert choice.chosen.variances[0] <= 0.155
    others = {scale.shape: scale.variances[0] for scale in choice.offered}
    assert others[Shape.TWO_POINTS] == pytest.approx(((math.exp(4) + 1) / (math.exp(4) - 1)) ** 2)
    assert others[Shape.CYCLIC] > 0.17


def test_with_several_levels_the_worst_ratio_decides():
    levels = (4.0, 1.0)
    alone = [min(scale.variances[0] for scale in choose_mean_scale((e,)).offered) for e in levels]
    chosen = choose_mean_scale(levels).chosen
    worst = max(value / best for value, best in zip(chosen.variances, alone, strict=True))
    for k in range(2, 16):
        for d in range(1, k):
            ratios = [direct(k, d, math.exp(e)) / best for e, best in zip(levels, alone, strict=True)]
            assert worst <= 1.03 * max(ratios)
    assert 1.0 < worst < 1.3


def test_the_cyclic_response_is_judged_by_its_channel():
    scale = next(one for one in choose_mean_scale((2.0,)).offered if one.shape is Shape.CYCLIC)
    made = CyclicResponse.within(size=scale.points, epsilon=2.0)
    rows = made.channel().array
    scaled = rows / rows.mean(axis=0)
    scores = scaled.T @ np.linalg.solve(scaled @ rows.T, np.linspace(-1, 1, scale.points))
    assert worst_variance(second_moments(rows, scores)) == pytest.approx(scale.variances[0], rel=1e-3)


def test_no_more_points_than_there_are_numbers():
    assert choose_mean_scale((6.0,), steps=4).chosen.points <= 5
    assert choose_mean_scale((6.0,), steps=1).chosen.points == 2
    assert choose_mean_scale((4.0,), points=3).chosen.points == 3
    assert choose_mean_scale((4.0,), points=2).chosen.shape is Shape.TWO_POINTS


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"epsilons": ()}, "epsilons is empty"),
        ({"epsilons": (0.0,)}, "epsilons"),
        ({"epsilons": (1.0,), "steps": 0}, "steps=0"),
        ({"epsilons": (1.0,), "points": 1}, "points=1"),
    ],
)
def test_what_is_no_task(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        choose_mean_scale(**arguments)
