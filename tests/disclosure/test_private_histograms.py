"""Histograms with noise as laws: what they promise, how far they are off, and what they tell by themselves."""

import dataclasses
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.disclosure import disclosed_by_private_law_bits, private_counts, private_law_bound, unknown_law_bound
from sfumato.disclosure.unknown_distributions import check_private_law_bound, noise_odds, private_bound_with
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures import capacity_bits
from sfumato.prob import Channel
from sfumato.sampling import InsecureSeeded

MILLIONTH = Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("epsilon", "bits", "coarsely"), [(1, 0.177887, 0.666694), (Fraction(1, 10), 0.001803, 0.007207)]
)
def test_what_the_law_itself_tells(epsilon, bits, coarsely):
    told = disclosed_by_private_law_bits(epsilon)
    assert told == pytest.approx(bits, abs=5e-7)
    bound = float(epsilon) * math.tanh(float(epsilon) / 2) / math.log(2)
    assert bound == pytest.approx(coarsely, abs=6e-7)
    assert told < bound


@given(epsilon=st.floats(1e-9, 16))
def test_told_is_the_largest_of_all_private_channels(epsilon):
    """ln l + (1-l)z is what a ratio of two values l, l e^ε tells; its maximum over l is never above, and is reached."""
    told = disclosed_by_private_law_bits(epsilon)
    z = epsilon / -math.expm1(-epsilon)
    for part in (0.5, 0.9, 1.0, 1.1, 2.0):
        low = min(1.0, part / z)
        assert (math.log(low) + (1 - low) * z) / math.log(2) <= told + 1e-15
    if epsilon > 1e-4:
        assert told == pytest.approx((z - 1 - math.log(z)) / math.log(2), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_binary_channels_of_that_epsilon_tell_no_more(epsilon):
    """Randomised response, and a channel of many inputs that each favour one output, stay below."""
    told = disclosed_by_private_law_bits(epsilon)
    odds = math.exp(epsilon)
    for size in (2, 3, 8):
        rows = [[(odds if y == x else 1) / (odds + size - 1) for y in range(size)] for x in range(size)]
        assert capacity_bits(Channel(rows)).lower <= told


def test_small_numbers_are_not_lost():
    assert 0 < disclosed_by_private_law_bits(1e-12) < 1e-20
    assert disclosed_by_private_law_bits(0) < 1e-300


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, Fraction(7, 3), 8])
def test_odds_keep_the_promise(epsilon):
    """Two counts move by one each: odds² ≤ e^ε, and not much below."""
    odds = noise_odds(epsilon)
    assert 2 * math.log(odds) <= float(epsilon)
    assert 2 * math.log(odds) > float(epsilon) - 4e-6
    # The exact law of a noisy count varies by the odds between neighbours, and by no more.
    ratio = 1 / odds
    law = [(1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-5, 6)]
    assert max(max(a / b, b / a) for a, b in itertools.pairwise(law)) == odds


def test_private_counts_are_counts():
    noisy = private_counts([5, 0, 0, 1000], Fraction(1, 2), InsecureSeeded(3))
    assert len(noisy) == 4
    assert min(noisy) >= 0
    assert noisy != private_counts([5, 0, 0, 1000], Fraction(1, 2), InsecureSeeded(4))
    assert all(isinstance(count, int) for count in noisy)
    for counts in ([], [-1, 2]):
        with pytest.raises(InvalidParameter, match="one whole number of records"):
            private_counts(counts, 1, InsecureSeeded(3))


# n, m, ε, bits found before on a grid of means, and the mean of simulations.
TABLE = [
    (6366, 39, 1, 0.058607, 0.005116),
    (6366, 39, Fraction(1, 10), 0.486192, 0.043104),
    (10**5, 24, 1, 0.003237, 0.000175),
    (10**5, 24, Fraction(1, 10), 0.025372, 0.000599),
]


def simulated(bound, draws):
    """Divergences of a law of Dirichlet(.7) from its estimates with noise, in bits."""
    rng = np.random.default_rng(0)
    law = np.maximum(rng.dirichlet(np.full(bound.cells, 0.7)), 1e-7)
    law /= law.sum()
    success = 1 - float(1 / bound.odds)
    counts = rng.multinomial(bound.records, law, size=draws)
    noises = rng.geometric(success, counts.shape) - rng.geometric(success, counts.shape)
    masses = np.maximum(counts + noises, 0) + float(bound.smoothing)
    return (law * np.log2(law / (masses / masses.sum(axis=1, keepdims=True)))).sum(axis=1)


@pytest.mark.parametrize(("records", "cells", "epsilon", "bits", "mean"), TABLE[:2])
def test_the_table(records, cells, epsilon, bits, mean):
    """Better than the table by up to a tenth, since smoothing and scale are chosen better; above all simulations."""
    bound = private_law_bound(records, cells, MILLIONTH, epsilon)
    assert 0.88 * bits < bound.bits < bits
    divergences = simulated(bound, 400)
    assert divergences.max() < bound.bits
    assert divergences.mean() == pytest.approx(mean, rel=0.35)
    check_private_law_bound(bound)


@pytest.mark.slow
@pytest.mark.parametrize(("records", "cells", "epsilon", "bits", "mean"), TABLE[2:])
def test_the_table_of_many_records(records, cells, epsilon, bits, mean):
    test_the_table(records, cells, epsilon, bits, mean)


def test_a_bound_that_is_too_small_is_refused():
    bound = private_law_bound(6366, 39, MILLIONTH, 1)
    with pytest.raises(NotCertified, match="no bound of"):
        check_private_law_bound(dataclasses.replace(bound, bits=bound.bits * 0.98))
    # The same claim for more noise, and for fewer records, does not follow either.
    with pytest.raises(NotCertified, match="no bound of"):
        check_private_law_bound(dataclasses.replace(bound, odds=noise_odds(Fraction(1, 2))))
    with pytest.raises(NotCertified, match="no bound of"):
        check_private_law_bound(dataclasses.replace(bound, records=5000))


def test_noise_costs_and_little_noise_costs_little():
    plain = unknown_law_bound(500, 12, MILLIONTH).bits
    some, little = (private_law_bound(500, 12, MILLIONTH, epsilon).bits for epsilon in (2, 16))
    assert plain < little < some
    assert little < 1.15 * plain


@settings(max_examples=8, deadline=None)
@given(rate=st.floats(0.02, 0.5), smoothing=st.sampled_from([1, 3, Fraction(9, 2)]), price=st.floats(-1e-4, 1e-3))
def test_any_witness_is_a_bound_that_can_be_proved(rate, smoothing, price):
    bound = private_bound_with(
        200, 5, Fraction(1, 100), odds=Fraction(8, 5), smoothing=smoothing, rate=rate, price=price
    )
    check_private_law_bound(bound)


@pytest.mark.parametrize("odds", [Fraction(1), Fraction(1, 2), Fraction(10**6)])
def test_odds_of_no_noise_at_all_or_of_endless_noise(odds):
    with pytest.raises(InvalidParameter, match="odds"):
        private_bound_with(200, 5, MILLIONTH, odds=odds, smoothing=1, rate=0.1, price=0.0)


def test_the_tail_by_enumeration_with_noise():
    """Eight records over two cells: counts and noises enumerated, the tail is at most β."""
    bound = private_law_bound(8, 2, Fraction(1, 5), 4)
    ratio, added = float(1 / bound.odds), float(bound.smoothing)
    noise = {z: (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-40, 41)}
    for share in (0.5, 0.2, 0.03, 0.0):
        law, tail = (share, 1 - share), 0.0
        for count in range(9):
            chance = math.comb(8, count) * share**count * (1 - share) ** (8 - count)
            for first, one in noise.items():
                for second, two in noise.items():
                    masses = (max(count + first, 0) + added, max(8 - count + second, 0) + added)
                    cost = sum(p * math.log2(p * sum(masses) / q) for p, q in zip(law, masses, strict=True) if p)
                    tail += chance * one * two * (cost > bound.bits)
        assert tail <= 0.2


@pytest.mark.parametrize(
    ("changed", "parameter"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": 100}, "epsilon"),
        ({"records": 10**8}, "records"),
        ({"cells": 1}, "cells"),
    ],
)
def test_bad_parameters(changed, parameter):
    good = {"records": 100, "cells": 5, "beta": MILLIONTH, "epsilon": 1} | changed
    with pytest.raises(InvalidParameter) as caught:
        private_law_bound(**good)
    assert caught.value.parameter == parameter
