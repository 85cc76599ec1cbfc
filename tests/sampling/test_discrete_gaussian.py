"""The discrete Gaussian: draws agree with its law and with no other; the law's numbers are enclosed.

That the sampler has this law exactly is shown in test_two_sided_noise.py and test_production_words.py.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.sampling import InsecureSeeded, ScriptedBits
from sfumato.sampling.noise import DiscreteGaussian, discrete_laplace


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(61, 3)])
def test_draws_agree_with_the_parameter_and_with_no_other(variance):
    """6.2 deviations of the mean of z² happen once in 1.7e9; five percent off in s is more on either side."""
    n = 160_000
    draws = DiscreteGaussian(variance=variance).sample(InsecureSeeded(11), n).astype(float)

    def moments(s):
        z = np.arange(-200, 201)
        law = np.exp(-(z**2) / (2 * s))
        law /= law.sum()
        return float(law @ z**2), float(law @ z**4)

    def agrees(s):
        second, fourth = moments(s)
        return abs((draws**2).mean() - second) <= 6.2 * math.sqrt((fourth - second**2) / n)

    s = float(variance)
    assert agrees(s)
    assert not agrees(1.05 * s)
    assert not agrees(0.95 * s)
    assert abs(draws.mean()) <= 6.2 * math.sqrt(s / n)


@pytest.mark.parametrize("variance", [Fraction(10**8), Fraction(3 << 77)])
def test_wide_draws_agree_with_the_parameter_and_with_no_other(variance):
    """Where the law is as good as normal, E z⁴ = 3s²; and half of the numbers are beyond .6745 deviations."""
    n = 160_000
    draws = DiscreteGaussian(variance=variance).sample(InsecureSeeded(13), n).astype(float) / math.sqrt(variance)
    for factor, agrees in ((1.0, True), (1.05, False), (0.95, False)):
        assert (abs((draws**2).mean() - factor) <= 6.2 * factor * math.sqrt(2 / n)) == agrees
        beyond = (np.abs(draws) > 0.6744897501960817 * math.sqrt(factor)).mean()
        assert (abs(beyond - 0.5) <= 6.2 * 0.5 / math.sqrt(n)) == agrees
    assert abs(draws.mean()) <= 6.2 / math.sqrt(n)


def test_next_to_no_noise():
    """At s = 1/1000 a number other than 0 has a chance below e^-499."""
    for variance in (Fraction(1, 1000), Fraction(1, 10**40)):
        noise = DiscreteGaussian(variance=variance)
        assert not noise.sample(InsecureSeeded(14), 20_000).any()
        assert not noise.sample(InsecureSeeded(15), 5).any()


@pytest.mark.parametrize("scale", [1, 40, 10**6])
def test_laplace_numbers_agree_with_their_scale(scale):
    """E|z| = 2q/(1-q²) with q = e^(-1/t); the mean of |z| has a deviation of about t."""
    n = 160_000
    draws = discrete_laplace(scale, InsecureSeeded(16), n)

    def agrees(t):
        q = math.exp(-1 / t)
        size, square = 2 * q / (1 - q * q), 2 * q / (1 - q) ** 2
        return abs(np.abs(draws).mean() - size) <= 6.2 * math.sqrt((square - size**2) / n)

    assert agrees(scale)
    assert not agrees(1.05 * scale)
    assert not agrees(0.95 * scale)


def test_the_whole_histogram():
    """Each count within 6.5 deviations of its law, for eleven values; the variance is at most the parameter."""
    n, noise = 100_000, DiscreteGaussian(variance=Fraction(7, 2))
    draws = noise.sample(InsecureSeeded(12), n)
    for z in range(-5, 6):
        p = noise.probability(z).upper
        assert abs(int((draws == z).sum()) - n * p) <= 6.5 * math.sqrt(n * p * (1 - p))
    assert sum(noise.probability(z).lower * z * z for z in range(-60, 61)) <= 3.5


@given(variance=st.fractions(Fraction(1, 20), 400, max_denominator=50))
def test_probabilities_enclose_a_law(variance):
    noise = DiscreteGaussian(variance=variance)
    reach = math.ceil(14 * math.sqrt(variance)) + 3
    laws = [noise.probability(z) for z in range(-reach, reach + 1)]
    assert math.fsum(law.lower for law in laws) <= 1
    assert math.fsum(law.upper for law in laws) + noise.tail(reach) >= 1
    assert all(law.width <= 1e-12 * law.upper + 1e-300 for law in laws)
    middle = reach // 4
    beyond = 2 * math.fsum(noise.probability(z).lower for z in range(middle + 1, reach + 1))
    assert beyond <= noise.tail(middle) <= 1


@pytest.mark.parametrize("variance", [Fraction(3, 10), Fraction(5), Fraction(10**14)])
def test_the_normaliser_by_poissons_formula(variance):
    """K = √(2πs)·(1 + 2Σ e^(-2π²sk²)), another series for the same number."""
    s = float(variance)
    other = math.sqrt(2 * math.pi * s) * (1 + 2 * sum(math.exp(-2 * math.pi**2 * s * k * k) for k in range(1, 30)))
    chance = DiscreteGaussian(variance=variance).probability(0)
    assert chance.lower <= (1 + 1e-14) / other
    assert (1 - 1e-14) / other <= chance.upper


def test_far_numbers_and_empty_draws():
    noise = DiscreteGaussian(variance=Fraction(1))
    assert noise.probability(10**6).lower == 0
    assert noise.tail(10**6) < 1e-290
    assert noise.probability(10**200).upper == noise.tail(10**200) > 0
    assert noise.tail(0) < 1
    assert noise.sample(ScriptedBits([]), 0).tolist() == []


@pytest.mark.parametrize(
    ("variance", "sentence"),
    [(0.5, "must be exact"), (Fraction(0), "variance=0"), (Fraction(-1), "variance=-1"), (Fraction(1 << 81), "2\\^80")],
)
def test_bad_parameters(variance, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        DiscreteGaussian(variance=variance)


def test_bad_counts():
    with pytest.raises(InvalidParameter, match="count"):
        DiscreteGaussian(variance=Fraction(1)).sample(ScriptedBits([]), -1)
