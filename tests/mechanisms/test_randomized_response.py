"""Randomised response: its law, its promise, and what comes back out of the reports."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanism_strategies import randomized_responses
from sfumato import measures
from sfumato.bits import InsecureSeeded, ScriptedBits
from sfumato.certificates import certify
from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.mechanisms import RandomizedResponse
from sfumato.values import Tally
from sfumato.values.rounding import ln_bounds

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "randomized_response.json").read_text())


@settings(max_examples=200)
@given(mechanism=randomized_responses(), data=st.data())
def test_report_follows_its_law_exactly(mechanism, data):
    """Enumerating every draw reproduces P(.|x): no tolerance, no flake."""
    x = data.draw(st.integers(0, mechanism.size - 1))
    hits = [0] * mechanism.size
    for word in range(1 << mechanism.width):
        try:
            hits[int(mechanism.privatize([x], ScriptedBits([word]))[0])] += 1
        except SourceFailed:
            continue
    assert tuple(Fraction(hit, sum(hits)) for hit in hits) == mechanism.law(x)


@given(mechanism=randomized_responses())
def test_channel_holds_the_laws(mechanism):
    channel = mechanism.channel()
    assert channel.to_dense().rows == tuple(mechanism.law(x) for x in range(mechanism.size))
    assert measures.odds(channel) == mechanism.odds


@given(size=st.integers(2, 2000), epsilon=st.floats(1e-6, 20))
def test_within_keeps_its_promise_at_sixty_four_bits(size, epsilon):
    """The odds that are sampled stay below e^epsilon, and as close as the grid allows."""
    mechanism = RandomizedResponse.within(size=size, epsilon=epsilon)
    assert mechanism.width == 64
    assert ln_bounds(mechanism.odds)[0] <= epsilon
    assert ln_bounds(mechanism.odds + Fraction(1, 1 << 24))[1] > epsilon
    assert measures.odds(mechanism.channel()) == mechanism.odds


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


def test_estimate_is_unbiased_by_enumeration():
    """E[raw] over every outcome of 6 reports equals the truth, exactly up to float summation."""
    mechanism = RandomizedResponse(size=2, odds=Fraction(3))
    truth = Fraction(1, 3)
    yes = truth * Fraction(3, 4) + (1 - truth) * Fraction(1, 4)
    mean = sum(
        math.comb(6, k)
        * float(yes**k * (1 - yes) ** (6 - k))
        * mechanism.estimate(Tally(mechanism=mechanism.name, counts=(6 - k, k))).raw[1]
        for k in range(7)
    )
    assert mean == pytest.approx(1 / 3, abs=1e-12)


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


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([0, 2], "1 of 2 do not, the first at position 1"),
        ([-1], "must lie in 0..1"),
        ([0.0], "not of type float64"),
        ([None], "not of type object"),
        ([True], "not of type bool"),
        (["yes"], "map labels to their positions"),
        ([], "is empty"),
        ([[0]], "must be one column"),
    ],
)
def test_bad_values_get_a_sentence_that_keeps_the_secret(values, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        RandomizedResponse(size=2, odds=Fraction(3)).privatize(values)


def test_an_answer_never_appears_in_an_error():
    with pytest.raises(InvalidParameter) as caught:
        RandomizedResponse(size=2, odds=Fraction(3)).privatize([0, 987654])
    assert "987654" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"size": 1, "odds": Fraction(3)}, "size=1 must be at least 2"),
        ({"size": 2, "odds": Fraction(1, 2)}, "odds=1/2 must be at least 1"),
        ({"size": 2, "odds": 3.0}, "must be exact"),
        ({"size": 2, "odds": Fraction(2**65)}, "smaller numerator"),
        ({"size": 2, "odds": float("nan")}, "must be finite"),
    ],
)
def test_bad_parameters(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        RandomizedResponse(**arguments)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan, 60.0])
def test_bad_epsilon(epsilon):
    with pytest.raises(InvalidParameter, match="epsilon"):
        RandomizedResponse.within(size=2, epsilon=epsilon)


def test_reports_of_another_mechanism_are_refused():
    three, four = RandomizedResponse(size=3, odds=Fraction(3)), RandomizedResponse(size=3, odds=Fraction(4))
    with pytest.raises(InvalidParameter, match="Estimate with the mechanism that made the reports"):
        four.estimate(three.tally([0, 1, 2]))
    with pytest.raises(InvalidParameter, match="do not add"):
        three.tally([0]) + four.tally([0])
    with pytest.raises(InvalidParameter, match=r"reports must lie in 0\.\.2"):
        three.tally([3])
    noise = RandomizedResponse(size=3, odds=Fraction(1))
    with pytest.raises(InvalidParameter, match="pure noise"):
        noise.estimate(noise.tally([0]))
