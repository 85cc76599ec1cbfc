"""Randomised response: its law, its promise, and what comes back out of the reports."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import measures
from sfumato.certificates import certify
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import RandomizedResponse
from sfumato.sampling import InsecureSeeded, Tally

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "randomized_response.json").read_text())


def test_the_certificate_is_about_the_sampled_law():
    mechanism = RandomizedResponse.within(size=3, epsilon=1.0)
    certificate = certify(mechanism)
    assert certificate["odds"].value == mechanism.odds < Fraction(math.e)
    assert certificate["epsilon"].value.upper <= 1.0 + 1e-11
    assert "integer thresholds" in certificate.notes[0]


@pytest.mark.parametrize("case", VECTORS["laws"], ids=lambda case: f"{case['size']}, {case['odds']}")
def test_vectors(case):
    mechanism = RandomizedResponse(size=case["size"], odds=Fraction(case["odds"]))
    assert mechanism.law(0) == tuple(Fraction(p) for p in case["law_of_0"])
    assert measures.capacity_bits(mechanism.channel()).midpoint == pytest.approx(case["capacity_bits"], abs=5e-7)


@given(counts=st.lists(st.integers(0, 10**6), min_size=3, max_size=3).filter(any))
def test_raw_estimate_sums_to_one_and_projected_is_a_law(counts):
    mechanism = RandomizedResponse(size=3, odds=Fraction(4))
    estimate = mechanism.estimate(Tally(mechanism=mechanism.name, counts=tuple(counts)))
    assert math.fsum(estimate.raw) == pytest.approx(1, abs=1e-12)
    assert min(estimate.projected) >= 0
    assert math.fsum(estimate.projected) == pytest.approx(1, abs=1e-12)
    assert all(0 <= interval.lower <= interval.upper <= 1 for interval in estimate.intervals)


@pytest.mark.parametrize("truth", [0.0, 0.03, 0.2, 0.5])
@pytest.mark.parametrize("n", [50, 200])
def test_intervals_cover_close_to_what_they_say(truth, n):
    """Exact coverage, by summing over every count: Wilson's interval, two points either way, one-sided at the end."""
    mechanism = RandomizedResponse(size=2, odds=Fraction(3))
    yes = 0.25 + 0.5 * truth
    covered = 0.0
    for k in range(n + 1):
        interval = mechanism.estimate(Tally(mechanism=mechanism.name, counts=(n - k, k))).intervals[1]
        if interval.lower <= truth <= interval.upper:
            covered += math.comb(n, k) * yes**k * (1 - yes) ** (n - k)
    assert 0.93 <= covered <= (0.99 if truth == 0 else 0.97)


def test_a_poll_finds_the_share():
    mechanism = RandomizedResponse(size=2, odds=Fraction(3))
    answers = np.repeat([0, 1], [70_000, 30_000])
    reports = mechanism.privatize(answers, InsecureSeeded(5))
    assert reports.dtype == np.uint8
    estimate = mechanism.estimate(mechanism.tally(reports))
    # Six standard errors: false alarm below 2e-9 over seeds, and the seed is fixed.
    assert abs(estimate.raw[1] - 0.3) < 6 * estimate.standard_errors[1]


def test_wrong_scale_is_rejected():
    """Reading odds 3 as odds 3.3 moves the estimate by more than six standard errors."""
    made = RandomizedResponse(size=2, odds=Fraction(3))
    read = RandomizedResponse(size=2, odds=Fraction(33, 10))
    counts = made.tally(made.privatize(np.ones(1_000_000, dtype=int), InsecureSeeded(5))).counts
    estimate = read.estimate(Tally(mechanism=read.name, counts=counts))
    assert abs(estimate.raw[1] - 1) > 6 * estimate.standard_errors[1]


def test_odds_that_do_not_fit_a_word_are_refused():
    with pytest.raises(InvalidParameter, match=r"odds=.* over 2 answers weigh .* smaller numerator"):
        RandomizedResponse(size=2, odds=Fraction(2**65))
