"""Normal noise on a vector in a ball: what an input on the sphere reaches, and how close the bound by power comes."""

import math

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.special import gammaln, ive

from sfumato.measures import amplitude_capacity, amplitude_ratio

# k, r²/N at one bit for the uniform law on the sphere, and by power.
SPHERES = [(2, 2.057208, 2.0), (4, 1.660962, 1.656854), (10, 1.487121, 1.486984), (30, 1.418826, 1.418824)]


def log_radial(rho, radius, dimension):
    """ln of the density of ‖x + Z‖ for ‖x‖ = radius and standard normal Z: a chi law that is not centred."""
    half = dimension / 2
    if radius == 0:
        return (dimension - 1) * np.log(rho) - rho**2 / 2 - (half - 1) * math.log(2) - gammaln(half)
    bessel = np.log(ive(half - 1, rho * radius)) + rho * radius
    return -(rho**2 + radius**2) / 2 + bessel + half * np.log(rho) - (half - 1) * math.log(radius)


def told(radius, among, dimension):
    """D(P_x‖P_Y) in bits for ‖x‖ = radius, where Y's law is that of inputs all over the sphere of `among`."""
    rho = np.linspace(1e-6, among + math.sqrt(dimension) + 12, 6001)
    area = math.log(2) + dimension / 2 * math.log(math.pi) - gammaln(dimension / 2)
    density = log_radial(rho, among, dimension) - area - (dimension - 1) * np.log(rho)
    mean = simpson(np.exp(log_radial(rho, radius, dimension)) * density, x=rho)
    return (-dimension / 2 * math.log(2 * math.pi * math.e) - mean) / math.log(2)


@pytest.mark.parametrize(("dimension", "sphere", "power"), SPHERES)
def test_the_sphere_reaches_one_bit_and_no_radius_tells_more(dimension, sphere, power):
    """So it is the capacity: no output law bounds less than the most that a point tells, and no input reaches more."""
    radius = math.sqrt(sphere)
    assert told(radius, radius, dimension) == pytest.approx(1, abs=4e-7)
    most = max(told(part * radius, radius, dimension) for part in np.linspace(0, 1, 21))
    assert most <= told(radius, radius, dimension) + 1e-9
    assert power == pytest.approx(dimension * (4 ** (1 / dimension) - 1), abs=6e-7)
    # By power it takes that much less signal for a bit, that is more noise: the price of the simpler bound.
    assert sphere / power - 1 == pytest.approx({2: 0.0286, 4: 0.0025, 10: 0.00009, 30: 0.0}[dimension], abs=5e-5)


def test_the_density_is_one():
    """The chi law, by its sum to one and by its mean square k + r²."""
    rho = np.linspace(1e-6, 25, 8001)
    for dimension, radius in ((2, 1.5), (4, 0.0), (30, 3.0)):
        density = np.exp(log_radial(rho, radius, dimension))
        assert simpson(density, x=rho) == pytest.approx(1, abs=1e-9)
        assert simpson(density * rho**2, x=rho) == pytest.approx(dimension + radius**2, rel=1e-8)


@pytest.mark.parametrize(("cells", "box"), [(4, 0.60031), (10, 1.68061), (30, 5.28607)])
def test_cell_by_cell_takes_more_noise(cells, box):
    """A share in [0, 1] with 1/k of a bit each: the row "box"."""
    assert 0.25 / amplitude_ratio(1 / cells) == pytest.approx(box, abs=6e-6)


def test_a_little_less_noise_is_not_enough_for_thirty_cells():
    """5.28476, which was once computed for them, tells more than a thirtieth of a bit."""
    ratio = 0.25 / 5.28476
    y = np.linspace(-12, 12, 20001)
    up, down = (np.exp(-((y - side * math.sqrt(ratio)) ** 2) / 2) / math.sqrt(2 * math.pi) for side in (1, -1))
    two_points = simpson(up * np.log2(2 * up / (up + down)), x=y)
    assert two_points > 1 / 30 + 7e-6
    assert amplitude_capacity(ratio).bits.lower > 1 / 30


def test_a_genuine_box_gains_nothing():
    assert 1 / amplitude_ratio(1 / 4) == pytest.approx(2.40124, abs=6e-6)
    by_power = 1 / (4 ** (1 / 4) - 1)
    assert by_power == pytest.approx(2.41421, abs=6e-6)


@pytest.mark.parametrize(("budget", "deviations"), [(0.1, 2.592770), (1, 0.462634)])
def test_the_noise_of_one_number(budget, deviations):
    """σ/T at a tenth of a bit and at one: what every mean of people who may be alike is calibrated by."""
    assert 1 / math.sqrt(amplitude_ratio(budget)) == pytest.approx(deviations, rel=6e-6)
