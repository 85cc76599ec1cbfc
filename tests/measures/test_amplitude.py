"""Capacity under an amplitude limit: published numbers, other methods, and bounds that hold where they must."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures import amplitude, capacity_bits
from sfumato.measures import gaussian as lattice_noise
from sfumato.measures import gaussian as lattice_selections
from sfumato.measures.amplitude import MixtureDivergence, amplitude_capacity, amplitude_ratio
from sfumato.measures.gaussian import (
    LatticeNoise,
    is_affordable,
    lattice_capacity,
    lattice_capacity_from,
    one_selection,
    selection_capacity,
)
from sfumato.prob import Channel

LN2 = math.log(2)


@pytest.mark.parametrize(("ratio", "bits"), [(1, 0.48594), (3, 0.84659), (7, 1.16594), (15, 1.50487)])
def test_the_amplitude_limit_tells_less_than_the_power_limit(ratio, bits):
    """The numbers were found apart from this code; they are given to five digits."""
    found = amplitude_capacity(ratio)
    assert found.gap_bits <= 1e-6
    assert found.bits.midpoint == pytest.approx(bits, abs=6e-6)
    assert found.bits.upper < 0.5 * math.log2(1 + ratio)


@pytest.mark.parametrize(("ratio", "bits"), [(1, 0.48594), (3, 0.84533), (7, 0.98355), (15, 0.99977)])
def test_a_binary_record(ratio, bits):
    found = amplitude_capacity(ratio, points=2)
    assert found.bits.midpoint == pytest.approx(bits, abs=6e-6)
    assert (found.positions, found.weights) == ((-1.0, 1.0), (0.5, 0.5))


@pytest.mark.parametrize(("budget", "gain"), [(0.5, 1.044), (1, 1.557), (1.5, 2.121), (2, 2.625)])
def test_the_noise_may_be_smaller_than_printed(budget, gain):
    ratio = amplitude_ratio(budget)
    assert ratio / (4**budget - 1) == pytest.approx(gain, abs=6e-4)
    found = amplitude_capacity(ratio).bits
    assert found.lower <= budget
    assert budget - found.upper < 1e-5


@pytest.mark.parametrize("ratio", [0.4, 3, 12])
def test_another_method_agrees(ratio):
    """A fine grid of inputs and outputs is an ordinary channel, solved by the house's own method.

    Inputs on a grid lose at most a millionth here, cells for outputs lose O(h²): both from below.
    """
    from scipy.stats import norm

    end = math.sqrt(ratio)
    edges = np.linspace(-end - 8, end + 8, 320)
    inputs = np.linspace(-end, end, 41)
    cumulative = norm.cdf(edges[None, :] - inputs[:, None])
    cumulative[:, 0], cumulative[:, -1] = 0, 1
    rows = np.diff(cumulative, axis=1)
    other = capacity_bits(Channel((rows / rows.sum(axis=1, keepdims=True)).tolist()), gap_bits=1e-6)
    found = amplitude_capacity(ratio).bits
    assert found.lower - 1.5e-3 < other.lower <= other.upper <= found.upper + 1e-6


@pytest.mark.parametrize("end", [0.7, 1.7, 4.0])
def test_divergences_against_quadrature(end):
    """scipy's adaptive rule, at points that are no mass points; its own error is below 1e-10."""
    from scipy.integrate import quad

    centres, weights = np.array([-end, 0.1, end]), np.array([0.3, 0.2, 0.5])
    law = MixtureDivergence(centres, weights)
    assert law.slack < 1e-9

    def density(y, x):
        return math.exp(-((y - x) ** 2) / 2) / math.sqrt(2 * math.pi)

    for x in (-end, -0.31 * end, 0.77 * end):

        def integrand(y, x=x):
            mixture = sum(w * density(y, c) for w, c in zip(weights, centres, strict=True))
            return density(y, x) * math.log(density(y, x) / mixture)

        exact = quad(integrand, x - 11, x + 11, epsabs=1e-12, epsrel=1e-12, limit=400)[0]
        assert float(law.at(np.array([x]))[0]) == pytest.approx(exact, abs=1e-10)


@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.2, 0.8)])
@pytest.mark.parametrize("end", [0.8, 1.4, 3.0])
def test_the_maximum_is_not_missed_between_grid_points(end, weights):
    """A thousand times finer than the first grid, nothing is above the bound; and the bound is not far above."""
    law = MixtureDivergence(np.array([-end, end]), np.array(weights))
    bound = law.largest(1e-7)
    seen = float(law.at(np.linspace(-end, end, 6_401)).max())
    assert seen <= bound <= seen + 1e-6


def test_the_second_derivative_is_bounded_as_the_proof_says():
    end = 3.0
    law = MixtureDivergence(np.array([-end, end]), np.array([0.5, 0.5]))
    x = np.linspace(-end, end, 601)
    curvature = np.diff(law.at(x), 2) / (x[1] - x[0]) ** 2
    assert (1 - end**2) < curvature.min() < -0.3  # so there is something to bound
    assert curvature.max() < 1 + 1e-6


def test_more_points_tell_more_up_to_the_best_law():
    found = {points: amplitude_capacity(15, points=points) for points in (2, 3, 4, 9, None)}
    assert found[2].bits.upper < found[3].bits.lower < found[4].bits.upper
    assert len(found[3].positions) == 3
    assert found[3].bits.lower == pytest.approx(1.451836, abs=1e-5)  # by racing all triples of a grid, below
    assert found[3].bits.upper == found[None].bits.upper
    assert found[4].bits == found[9].bits == found[None].bits
    assert len(found[None].positions) == 4


def test_two_points_are_best_up_to_ratio_one():
    """D is convex there for every q; Smith's limit is 2.78, so at 2.7 the best law still has two and at 2.9 three."""
    assert len(amplitude_capacity(0.99).positions) == 2
    assert amplitude_capacity(2.7).bits.overlaps(amplitude_capacity(2.7, points=2).bits)
    assert amplitude_capacity(2.9).bits.lower > amplitude_capacity(2.9, points=2).bits.upper


def test_a_point_that_is_only_just_needed_is_found():
    """At 16.3125 the fifth point carries almost nothing; a search that forgets it misses by 1e-3 bits."""
    found = amplitude_capacity(16.3125)
    assert len(found.positions) == 5
    assert found.weights[2] < 0.1


@settings(deadline=None, max_examples=15)
@given(ratio=st.floats(0.01, 30), factor=st.floats(1.01, 2))
def test_more_noise_tells_less(ratio, factor):
    assert amplitude_capacity(ratio).bits.lower < amplitude_capacity(ratio * factor).bits.upper
    assert amplitude_capacity(ratio).bits.upper <= 0.5 * math.log2(1 + ratio) + 1e-6


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: amplitude_capacity(0), "ratio=0"),
        (lambda: amplitude_capacity(math.nan), "ratio=nan must be finite"),
        (lambda: amplitude_capacity(1e9), "ratio="),
        (lambda: amplitude_capacity(1, points=1), "points=1"),
        (lambda: amplitude_capacity(1, gap_bits=0), "gap_bits=0"),
        (lambda: amplitude_ratio(0), "budget_bits=0"),
        (lambda: amplitude_ratio(1, points=2), "no noise is needed"),
        (lambda: amplitude_ratio(7), "budget_bits=7"),
    ],
)
def test_bad_requests(call, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        call()


def test_a_gap_below_rounding_is_not_promised():
    with pytest.raises(NotCertified, match="gap_bits"):
        amplitude_capacity(3, gap_bits=1e-15)


def exact_rows(variance, steps, reach):
    """The channel, written out term by term from another formula for the normaliser (Poisson's)."""
    s = float(variance)
    total = math.sqrt(2 * math.pi * s) * (1 + 2 * sum(math.exp(-2 * math.pi**2 * s * k * k) for k in range(1, 40)))
    return [
        [math.exp(-((y - x) ** 2) / (2 * s)) / total for y in range(-steps - reach, steps + reach + 1)]
        for x in range(-steps, steps + 1)
    ]


@pytest.mark.parametrize(
    ("variance", "steps"), [(Fraction(1, 2), 1), (Fraction(3), 4), (Fraction(25, 2), 10), (Fraction(200), 5)]
)
def test_the_lattice_against_the_general_method(variance, steps):
    bits, law = lattice_capacity(variance, steps)
    rows = exact_rows(variance, steps, math.ceil(9 * math.sqrt(variance)))
    other = capacity_bits(Channel([[p / sum(row) for p in row] for row in rows]), gap_bits=1e-8)
    assert bits.width < 1e-8
    assert bits.overlaps(other)
    assert law.sum() == pytest.approx(1, abs=1e-12)


def test_tails_count():
    """With hardly any weight on an end, the tail beyond it is what the bound must not forget."""
    noise = LatticeNoise(Fraction(4), 3)
    law = np.array([1e-190, 0, 0, 1, 0, 0, 1e-190])
    d, _ = noise.divergences(law / law.sum())
    assert noise.bounds(law / law.sum()).upper * LN2 >= d.max() + noise.tail * math.log(1e190)
    assert 0 < noise.tail < 1e-30
    brute = 2 * sum(math.exp(-(z**2) / 8) for z in range(noise.reach + 1, noise.reach + 60))
    assert brute <= noise.tail < 1.5 * brute  # before dividing by K ≥ 1
    with pytest.raises(NotCertified, match="both ends"):
        noise.bounds(np.array([0.0, 0, 0, 1, 0, 0, 0]))


@pytest.mark.parametrize("reach", [1, 2, 3])
def test_a_short_range_is_made_up_for_by_the_bound_on_tails(monkeypatch, reach):
    """Cut where a good part of the mass is outside, the interval is wide, and still the capacity is in it."""
    variance, steps = Fraction(4), 3
    exact = lattice_capacity(variance, steps)[0]
    monkeypatch.setattr(lattice_noise, "_REACH", reach)
    short = LatticeNoise(variance, steps)
    brute = 2 * sum(math.exp(-(z**2) / 8) for z in range(short.reach + 1, 80)) / math.sqrt(8 * math.pi)
    assert brute > 1e-4
    assert short.tail >= brute
    for law in (np.array([0.4, 0, 0, 0.2, 0, 0, 0.4]), np.full(7, 1 / 7)):
        assert short.bounds(law).encloses(exact)


def test_a_race_that_stops_early_says_so(monkeypatch):
    variance, steps = Fraction(15), 15
    exact = selection_capacity(variance, steps, 3).bits
    monkeypatch.setattr(lattice_selections, "_GAP", 0.02)
    early = selection_capacity(variance, steps, 3).bits
    assert early.encloses(exact)
    assert early.width > 1e-3


@pytest.mark.parametrize(("positions", "weights"), [((-1, 1), (0.5, 0.5)), ((-1, 0.2, 1), (0.3, 0.3, 0.4))])
def test_a_poor_law_gives_a_wide_interval_and_a_true_one(positions, weights):
    exact = amplitude_capacity(9).bits
    poor = amplitude._bounds(3 * np.array(positions), np.array(weights), 1e-6)
    assert poor.encloses(exact)
    assert poor.width > 1e-2


def test_a_witness_proves_and_a_worse_one_proves_less():
    variance, steps = Fraction(12), 9
    bits, law = lattice_capacity(variance, steps)
    places = np.flatnonzero(law)
    again = lattice_capacity_from(variance, steps, tuple((places - steps).tolist()), tuple(law[places].tolist()))
    # The witness is divided by its sum once more, which moves the last digit on some processors.
    assert (again.lower, again.upper) == pytest.approx((bits.lower, bits.upper), rel=1e-14)
    worse = lattice_capacity_from(variance, steps, (-9, 0, 9), (0.2, 0.6, 0.2))
    assert worse.encloses(bits)
    assert worse.width > 0.1
    for positions, weights in [
        ((-9, 10), (0.5, 0.5)),
        ((-9, 9), (0.5,)),
        ((-9, 9), (0.5, 0.6)),
        ((-9, 9), (1.5, -0.5)),
    ]:
        with pytest.raises(NotCertified):
            lattice_capacity_from(variance, steps, positions, weights)


@pytest.mark.parametrize(("values", "steps"), [(2, 5), (3, 4), (4, 3)])
def test_selections_against_every_subset(values, steps):
    """Each subset of the inputs on its own, by the general method, without the symmetries."""
    import itertools

    variance = Fraction(5, 2)
    rows = exact_rows(variance, steps, 14)
    best = max(
        capacity_bits(Channel([[p / sum(rows[i]) for p in rows[i]] for i in chosen]), gap_bits=1e-7).upper
        for chosen in itertools.combinations(range(2 * steps + 1), values)
    )
    found = selection_capacity(variance, steps, values)
    assert found.bits.lower - 2e-7 <= best <= found.bits.upper + 2e-7
    assert found.bits.width < 1e-6
    assert one_selection(variance, steps, found.positions).bits.overlaps(found.bits)
    assert sum(found.weights) == pytest.approx(1, abs=1e-12)
    if steps > 3:
        assert found.bits.upper < lattice_capacity(variance, steps)[0].lower or values > 2


def test_three_of_many_against_the_continuous_law():
    assert selection_capacity(Fraction(15**2, 15), 15, 3).bits.lower == pytest.approx(1.451836, abs=1e-5)


def test_what_is_affordable():
    assert is_affordable(Fraction(100), 1_000, 2)
    assert is_affordable(Fraction(16), 15, 4)
    assert not is_affordable(Fraction(16), 400, 4)
    assert not is_affordable(Fraction(16), 10, 5)
    assert not is_affordable(Fraction(16), 1, 4)
    with pytest.raises(NotCertified, match=r"^steps=2000 .* fewer `steps`"):
        LatticeNoise(Fraction(10**9), 2_000)
