"""Private means: the bound on the error holds, the limit is the true one, and no record is told."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.measures.amplitude import amplitude_ratio
from sfumato.noise.gaussian_designs import PrivateMean, normal_error_chance, private_mean
from sfumato.sampling import InsecureSeeded, ScriptedBits


def test_the_printed_limit_is_only_a_bound():
    """[E, Prop 4] at ε = 1 nat, T = τ = 1: (122) says that the chance tends to .157; it tends to .0115."""
    variance = 1 / math.expm1(2)
    assert variance == pytest.approx(0.1565, abs=5e-5)  # what (122) prints, N/τ²
    assert normal_error_chance(1, variance) == pytest.approx(0.0115, abs=5e-5)
    # By simulation-free quadrature of the normal density, another way to the same number.
    x = np.linspace(1, 12, 400_001)
    density = np.exp(-(x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    area = float(((density[1:] + density[:-1]) / 2).sum() * (x[1] - x[0]))
    assert 2 * area == pytest.approx(normal_error_chance(1, variance), rel=1e-6)


def test_with_the_smaller_noise_the_limit_is_smaller_still():
    mean = private_mean(-1, 1, 100, 1 / math.log(2))
    assert mean.limit_error_chance(1) < normal_error_chance(1, 1 / math.expm1(2))


def test_the_noise_does_not_shrink_with_the_records():
    """When all records are equal, one of them moves the mean from end to end."""
    assert private_mean(0, 1, 1, 1).variance == private_mean(0, 1, 10**6, 1).variance
    assert private_mean(0, 1, 5, 1).variance == pytest.approx(0.25 / amplitude_ratio(1), rel=1e-3)


def true_chance(mean: PrivateMean, tau: float, share: Fraction) -> float:
    """The exact chance for records that are 0 or 1 with this share, enumerated over sums and noises."""
    n, design = mean.count, mean.design
    reach = math.ceil(12 * math.sqrt(design.noise.variance))
    noise = np.array([design.noise.probability(z).midpoint for z in range(-reach, reach + 1)])
    shifts = np.arange(-reach, reach + 1)
    total = 0.0
    for k in range(n + 1):
        place = round((Fraction(k, n) - design.centre) / design.grid)
        weight = math.comb(n, k) * float(share) ** k * float(1 - share) ** (n - k)
        errors = np.abs(float(design.centre) + float(design.grid) * (place + shifts) - float(share))
        total += weight * float(noise[errors >= tau].sum())
    return total


@pytest.mark.parametrize("count", [1, 7, 60])
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 10)])
def test_the_bound_holds_for_zeros_and_ones(count, share):
    mean = private_mean(0, 1, count, 1)
    for tau in (0.05, 0.2, 0.4, 0.7, 1.1):
        assert true_chance(mean, tau, share) <= mean.error_chance(tau) <= 1


def test_the_bound_holds_where_sampling_decides():
    """Little noise and eight coins: Hoeffding's exponent must not be too good by a factor of two."""
    mean = private_mean(0, 1, 8, 2)
    for tau in (0.375, 0.5):
        assert 1e-3 < true_chance(mean, tau, Fraction(1, 2)) <= mean.error_chance(tau)


def test_the_bound_counts_the_rounding_to_the_grid():
    """Equal records have no sampling error, but on a coarse grid they are rounded by almost half a step."""
    mean = private_mean(0, 1, 10**9, 1, steps=2)
    design = mean.design
    value = design.centre + design.grid * Fraction(49, 100)
    errors = [(abs(design.centre + design.grid * z - value), design.noise.probability(z)) for z in range(-60, 61)]
    for z in (2, 3, 4):
        tau = float(design.grid * (z - Fraction(3, 5)))
        assert sum(law.lower for error, law in errors if error >= tau) <= mean.error_chance(tau)


def test_the_bound_comes_near_the_limit():
    """With many records only the noise is left, and half a step of the grid."""
    mean = private_mean(0, 1, 10**7, 1.5, steps=200)
    for tau in (0.1, 0.3, 0.6):
        assert mean.limit_error_chance(tau) <= mean.error_chance(tau) <= 1.1 * mean.limit_error_chance(tau)


def test_chebyshev_or_better():
    mean = private_mean(-2, 2, 30, 1)
    half_step = float(mean.design.grid) / 2
    for tau in (0.5, 1.0, 3.0, 5.0):
        assert mean.error_chance(tau) <= 1.0000001 * (4 / 30 + mean.variance) / (tau - half_step) ** 2
    assert mean.error_chance(5.0) < 0.1 * (4 / 30 + mean.variance) / 25
    assert mean.error_chance(half_step) == 1


def test_releases_scatter_as_they_should():
    """The mean square of a thousand releases within 6.2 of its deviations, and not near half or twice."""
    mean, source, n = private_mean(0, 4, 3, 1), InsecureSeeded(9), 1_000
    centre = float(mean.design.centre + mean.design.grid * round((Fraction(2, 3) - 2) / mean.design.grid))
    found = np.array([float(mean.release([0, 2, 0], source)) for _ in range(n)])

    def agrees(variance):
        return abs(((found - centre) ** 2).mean() - variance) <= 6.2 * variance * math.sqrt(2 / n)

    assert agrees(mean.variance)
    assert not agrees(mean.variance / 2)
    assert not agrees(mean.variance * 2)


def test_a_record_outside_is_refused_without_being_told():
    mean = private_mean(0, 100, 3, 1)
    with pytest.raises(InvalidParameter, match="outside") as refused:
        mean.release([12.5, 173.25, 99], ScriptedBits([]))
    for text in ("173", "12.5", "99"):
        assert text not in str(refused.value)
    with pytest.raises(InvalidParameter, match="finite number"):
        mean.release([1, math.nan, 2])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: private_mean(0, 1, 0, 1), "count=0"),
        (lambda: private_mean(1, 0, 5, 1), "low=1"),
        (lambda: private_mean(0, 1, 5, 0), "budget_bits=0"),
        (lambda: private_mean(0, 1, 5, 1).error_chance(0), "tau=0"),
        (lambda: private_mean(0, 1, 5, 1).limit_error_chance(math.nan), "tau=nan must be finite"),
        (lambda: private_mean(0, 1, 5, 1).release([1, 1]), "must be the 5 records"),
        (lambda: normal_error_chance(1, 0), "variance=0"),
    ],
)
def test_bad_requests(call, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        call()
