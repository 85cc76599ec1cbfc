"""The cyclic response: its law, its variance, and that its error is the best known."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanism_strategies import cyclic_responses
from sfumato import measures
from sfumato.certificates import Certificate, certify, verify
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import CyclicResponse
from sfumato.mechanisms.cyclic import Family
from sfumato.prob import Distribution
from sfumato.sampling import InsecureSeeded, Tally

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "cyclic.json").read_text())
SETS = [*((q, t, Family.SINGER) for q in (2, 3) for t in (2, 3)), *((K, 1, Family.PALEY) for K in (7, 11))]


def test_a_level_once_drawn_is_kept():
    """At narrow widths rejection is common: the mean report would drift if levels were drawn again with their place."""
    mechanism = CyclicResponse(size=2, odds=Fraction(9), q=2, t=2, width=5)
    answers = np.zeros(400_000, dtype=int)
    hits = np.bincount(mechanism.privatize(answers, InsecureSeeded(9)), minlength=3)
    expected = [float(p) * answers.size for p in mechanism.law(0)]
    chi_squared = sum((hit - mean) ** 2 / mean for hit, mean in zip(hits, expected, strict=True))
    assert chi_squared < 41.4  # exceeded with probability 1e-9


def test_the_certificate_speaks_of_the_sampled_law():
    mechanism = CyclicResponse.within(size=300, epsilon=1.0)
    certificate = certify(mechanism)
    assert certificate["odds"].value == mechanism.odds
    assert certificate["epsilon"].value.upper <= 1.0 + 1e-11
    assert certificate["heaviest_output"].value <= 1
    verify(Certificate.from_json(certificate.to_json()))


@given(mechanism=cyclic_responses().filter(lambda found: found.odds > 1), data=st.data())
def test_variance_is_that_of_the_channel(mechanism, data):
    """The closed form of the theory page, and the variance found from the channel itself, as Fractions."""
    weights = data.draw(st.lists(st.integers(0, 5), min_size=mechanism.size, max_size=mechanism.size).filter(any))
    law = Distribution([Fraction(weight, sum(weights)) for weight in weights])
    found = mechanism.variance(law, 7)
    chosen = mechanism.difference_set
    K, d, repeats, o = chosen.modulus, chosen.size, chosen.repeats, mechanism.odds - 1
    noise = (d + repeats * o) * (K - d + (d - repeats) * o) / ((d - repeats) ** 2 * o**2)
    slope = (K - 2 * d + (d - 2 * repeats) * o) / ((d - repeats) * o)
    for p, variance in zip(law.fractions, found, strict=True):
        assert variance == (noise + slope * p - p * p) / 7
    # From the channel: raw_x of one report is linear in the indicator of x + D.
    outputs = mechanism.channel().to_dense().output_law(law)
    x = data.draw(st.integers(0, mechanism.size - 1))
    inside = sum(outputs[(x + int(u)) % K] for u in chosen.members)
    hit_by_own = sum(mechanism.law(x)[(x + int(u)) % K] for u in chosen.members)
    other = (x + 1) % K
    hit_by_other = sum(mechanism.channel().to_dense().rows[0][int(u) - 1 if u else K - 1] for u in chosen.members)
    assert other != x
    assert found[x] == inside * (1 - inside) / (hit_by_own - hit_by_other) ** 2 / 7


def geometric(size, ratio=0.8):
    weights = ratio ** np.arange(size)
    return weights / weights.sum()


def test_the_expected_error_is_within_three_percent_of_the_best():
    """q = 4, k = 1000, n = 1e6, ε = 1, Geo(.8): .003687, where no mechanism is known below .003683 per thousand."""
    mechanism = CyclicResponse.within(size=1000, epsilon=1.0)
    assert (mechanism.q, mechanism.t, mechanism.modulus) == (4, 6, 1365)
    expected = float(sum(mechanism.variance(Distribution(geometric(1000)), 10**6)))
    assert expected == pytest.approx(0.003687, abs=5e-7)
    assert expected <= 1.03 * 0.003683


@pytest.mark.parametrize(("size", "epsilon"), [pytest.param(1000, 1.0, marks=pytest.mark.slow), (100, 0.3), (50, 3.0)])
def test_measured_error_agrees_with_the_formula(size, epsilon):
    """Mean ℓ2² of 60 fixed seeds within four Monte Carlo standard errors, which is a quarter of it at the most."""
    mechanism = CyclicResponse.within(size=size, epsilon=epsilon)
    law = geometric(size)
    n = 100_000
    answers = np.repeat(np.arange(size), np.random.default_rng(1).multinomial(n, law))
    shares = np.bincount(answers, minlength=size) / n
    # With the answers fixed only the noise of the reports is left.
    own, base = (float(v) for v in mechanism.probabilities)
    slope = own - base
    expected = 0.0
    for share in shares:
        mine, others = base + slope, base
        expected += (share * mine * (1 - mine) + (1 - share) * others * (1 - others)) / (n * slope**2)
    errors = []
    for seed in range(60):
        tally = mechanism.tally(mechanism.privatize(answers, InsecureSeeded(seed)))
        errors.append(float(((np.array(mechanism.estimate(tally).raw) - shares) ** 2).sum()))
    spread = np.std(errors, ddof=1) / math.sqrt(60)
    assert abs(np.mean(errors) - expected) < 4 * spread
    assert 4 * spread < 0.25 * expected


def test_a_wrong_scale_is_noticed():
    """Reading reports of ε = 1 as if they were of ε = 1.05 moves the share of a common answer by over six errors."""
    made = CyclicResponse(size=100, odds=Fraction(27, 10), q=4, t=5)
    read = CyclicResponse(size=100, odds=Fraction(285, 100), q=4, t=5)
    counts = made.tally(made.privatize(np.zeros(400_000, dtype=int), InsecureSeeded(3))).counts
    estimate = read.estimate(Tally(mechanism=read.name, counts=counts))
    assert abs(estimate.raw[0] - 1) > 6 * estimate.standard_errors[0]
    right = made.estimate(Tally(mechanism=made.name, counts=counts))
    assert abs(right.raw[0] - 1) < 6 * right.standard_errors[0]


@pytest.mark.parametrize("case", VECTORS["choices"], ids=lambda case: f"{case['size']}, {case['epsilon']}")
def test_the_choice_of_set_never_changes(case):
    mechanism = CyclicResponse.within(size=case["size"], epsilon=case["epsilon"])
    assert [mechanism.q, mechanism.t, mechanism.family.value, mechanism.modulus] == case["set"]


def test_any_two_answers_differ_by_the_declared_odds_and_a_key_would_undo_them():
    channel = CyclicResponse.within(size=20, epsilon=2.0).channel()
    assert measures.odds(channel) == measures.odds(channel.to_dense())
    assert measures.is_recoverable(channel)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"size": 8, "odds": Fraction(3), "q": 2, "t": 3}, "size=8 does not fit 7 residues"),
        ({"size": 5, "odds": Fraction(1 << 63), "q": 2, "t": 3}, "smaller numerator"),
    ],
)
def test_bad_parameters(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        CyclicResponse(**arguments)
