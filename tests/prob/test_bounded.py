"""Intervals for a parameter that has bounds: against Feldman and Cousins' own construction, and by exact coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import binom, gamma, norm

from sfumato.errors import InvalidParameter
from sfumato.prob.intervals import binomial_share_intervals, bounded_intervals, skewed_tails

ALPHA = 0.05
BINOMIALS = [(10, 0.2, 0.6), (30, 0.0, 0.25), (30, 0.1, 1.0), (30, 0.0, 1.0), (50, 0.45, 0.55), (100, 0.017, 0.9)]


def log_likelihood(counts, n, chance):
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(counts > 0, counts * np.log(chance), 0.0)
        return heads + np.where(counts < n, (n - counts) * np.log1p(-chance), 0.0)


def log_weight(n, other, own, chance):
    """One over one more than the expected count of what is rarer; none where hits and misses mirror each other."""
    if abs(other + own - 1) < 1e-9:
        return 0 * chance
    return -np.log1p(n * (chance if other + own < 1 else 1 - chance))


def by_trying(n, other, own, steps):
    """For each count the least and the greatest share whose region, filled by likelihood ratio, holds it."""
    counts = np.arange(n + 1.0)
    chances = np.linspace(other, own, 20_001)
    best = np.array([(log_likelihood(h, n, chances) + log_weight(n, other, own, chances)).max() for h in counts])
    shares = np.linspace(0, 1, steps + 1)
    lower, upper = np.full(n + 1, np.inf), np.full(n + 1, -np.inf)
    for share in shares:
        chance = other + (own - other) * share
        ratio = log_likelihood(counts, n, np.float64(chance)) + log_weight(n, other, own, chance) - best
        mass = binom.pmf(counts, n, chance)
        order = np.argsort(ratio)
        last = np.searchsorted(ratio[order], ratio + 1e-6, side="right") - 1
        ranked = np.cumsum(mass[order])[last]
        held = ranked > ALPHA
        lower, upper = np.where(held, np.minimum(lower, share), lower), np.where(held, share, upper)
    return lower, upper


@pytest.mark.parametrize(("n", "other", "own"), BINOMIALS)
def test_ends_are_those_of_regions_filled_by_likelihood_ratio(n, other, own):
    """Within what a grid of shares may miss, and never inside of what it accepts."""
    steps = 1200
    lower, upper = binomial_share_intervals(np.arange(n + 1), n, other, own, 1 - ALPHA)
    tried_lower, tried_upper = by_trying(n, other, own, steps)
    assert (lower <= tried_lower + 1e-9).all()
    assert (upper >= tried_upper - 1e-9).all()
    assert (tried_lower - lower).max() <= 0.0075
    assert (upper - tried_upper).max() <= 0.0075


@given(data=st.data())
def test_coverage_is_at_least_what_it_says_and_no_interval_is_a_point(data):
    """Exact, at any share, bounds included."""
    n = data.draw(st.integers(1, 400))
    other = data.draw(st.integers(0, 900)) / 1000
    own = data.draw(st.integers(round(1000 * other) + 20, 1000)) / 1000
    share = data.draw(st.sampled_from([0, 1, 1000]) | st.integers(0, 1000)) / 1000
    lower, upper = binomial_share_intervals(np.arange(n + 1), n, other, own, 1 - ALPHA)
    mass = binom.pmf(np.arange(n + 1), n, other + (own - other) * share)
    assert (lower < upper).all()
    assert lower.min() >= 0
    assert upper.max() <= 1
    assert mass[(lower <= share) & (share <= upper)].sum() >= 1 - ALPHA - 1e-9


def test_where_counts_are_many_little_is_given_away():
    for n, other, own in [(1000, 0.175, 0.475), (1000, 0.27, 0.73), (10_000, 0.081, 0.6)]:
        lower, upper = binomial_share_intervals(np.arange(n + 1), n, other, own, 1 - ALPHA)
        for share in (0, 0.01, 0.05, 0.1, 0.5, 1):
            mass = binom.pmf(np.arange(n + 1), n, other + (own - other) * share)
            assert 0.95 <= mass[(lower <= share) & (share <= upper)].sum() <= 0.956


@pytest.mark.parametrize(("total", "other", "own"), [(400, 0.1, 0.6), (20_000, 0.25, 0.5), (300, 0.2, 0.8)])
def test_many_counts_have_the_ends_that_each_has_alone(total, other, own):
    """Of many counts some are searched first, and the others begin between them: the ends are the same."""
    hits = np.unique(np.linspace(0, total, 300).astype(int))[::-1]
    together = binomial_share_intervals(hits, total, other, own, 0.95)
    for places in np.array_split(np.arange(hits.size), 12):
        alone = binomial_share_intervals(hits[places], total, other, own, 0.95)
        for many, few in zip(together, alone, strict=True):
            assert many[places].tolist() == few.tolist()


def test_a_chance_that_is_the_same_for_all_is_refused():
    with pytest.raises(InvalidParameter):
        binomial_share_intervals([3], 10, 0.4, 0.4, 0.95)


@pytest.mark.parametrize("truth", [0.0, 0.4, 1.0, 2.0, 3.0, 9.5, 10.0])
def test_a_bounded_normal_mean_is_covered_as_often_as_it_says(truth):
    """By quadrature over what can be seen: 95 % at the bounds, near them and far from them."""
    seen = truth + np.linspace(-9, 9, 20_001)
    lower, upper = bounded_intervals(seen, 1.0, 0.0, 10.0, 0.95)
    mass = norm.pdf(seen - truth)
    assert mass[(lower <= truth) & (truth <= upper)].sum() / mass.sum() == pytest.approx(0.95, abs=2e-3)
    assert (upper > lower).all()


def test_printed_ends_of_a_mean_that_cannot_be_negative():
    """Table X of [FC98], 95 %: what is seen, and both ends."""
    printed = {-3.0: (0.00, 0.42), -1.0: (0.00, 1.10), 0.0: (0.00, 1.96), 1.0: (0.00, 2.96), 2.0: (0.35, 3.96)}
    lower, upper = bounded_intervals(list(printed), 1.0, 0.0, 1e6, 0.95)
    for low, high, (print_low, print_high) in zip(lower, upper, printed.values(), strict=True):
        assert low == pytest.approx(print_low, abs=0.0051)
        assert high == pytest.approx(print_high, abs=0.0051)


def test_far_from_its_bounds_an_interval_is_the_usual_one():
    lower, upper = bounded_intervals([50.0], 1.0, 0.0, 100.0, 0.95)
    reach = ndtri(0.975)
    assert (lower[0], upper[0]) == pytest.approx((50 - reach, 50 + reach), abs=1e-9)


def test_tails_of_skewed_sums():
    """A gamma law is what the cube root is made for: off by less than 4e-4 at a skewness of ½. Tails are monotone."""
    shape = 16.0
    distances = np.linspace(-2.5, 4, 27)
    above, below = skewed_tails(distances, np.full(27, 2 / np.sqrt(shape)))
    assert np.abs(above - gamma.sf(shape + distances * np.sqrt(shape), shape)).max() < 4e-4
    assert above + below == pytest.approx(1)
    wide = np.linspace(-50, 50, 1001)
    for skewness in (-2.0, -0.1, 0.0, 1e-7, 0.3, 2.0):
        assert (np.diff(skewed_tails(wide, np.full(1001, skewness))[0]) <= 0).all()


@pytest.mark.parametrize("n", [1, 7, 40, 501])
@pytest.mark.parametrize(
    ("other", "own"), [(0.25, 0.75), (1 / (1 + np.e), np.e / (1 + np.e)), (0.1, 0.35), (0.0, 0.5), (0.45, 0.55)]
)
def test_ends_rise_with_the_count(other, own, n):
    lower, upper = binomial_share_intervals(np.arange(n + 1), n, other, own, 0.95)
    assert (np.diff(lower) >= -1e-12).all()
    assert (np.diff(upper) >= -1e-12).all()
