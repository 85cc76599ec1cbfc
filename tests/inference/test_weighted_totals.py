"""Weighted totals of randomised reports: every sample and every report tried, and published numbers recomputed."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidParameter
from sfumato.inference import SamplingPlan, hajek_mean, horvitz_thompson_mean, share_weights
from sfumato.inference.sampling import horvitz_thompson_total, randomisation_covariance
from sfumato.prob import Channel

# A report is true with probability 3/4, so its scores are -1/2 and 3/2: floats hold every number below exactly.
TRUE = Fraction(3, 4)
SCORES = (Fraction(-1, 2), Fraction(3, 2))


def every_report(answers):
    """All reports of the people drawn, with their probabilities."""
    for reports in itertools.product((0, 1), repeat=len(answers)):
        chance = Fraction(1)
        for report, answer in zip(reports, answers, strict=True):
            chance *= TRUE if report == answer else 1 - TRUE
        yield [SCORES[report] for report in reports], chance


def moments(draws):
    """Mean and variance of points, and the mean of the variances that go with them, of (chance, point, variance)."""
    mean = sum(chance * point for chance, point, _ in draws)
    variance = sum(chance * (point - mean) ** 2 for chance, point, _ in draws)
    return mean, variance, sum(chance * guess for chance, _, guess in draws)


def library(scores, plan):
    found = horvitz_thompson_total([float(score) for score in scores], plan)
    return Fraction(float(found.point[0])), Fraction(float(found.covariance[0, 0]))


def test_simple_sampling_is_unbiased_to_the_last_digit():
    """Two of four people: 6 samples, 4 reports each; estimator and variance estimator average to the truth exactly."""
    people = (1, 0, 0, 1)
    plan = SamplingPlan.of(population=4, rows=2)
    draws = []
    for drawn in itertools.combinations(range(4), 2):
        for scores, chance in every_report([people[i] for i in drawn]):
            draws.append((chance / 6, *library(scores, plan)))
    mean, variance, guess = moments(draws)
    assert mean == sum(people)
    assert variance == guess
    # Who is drawn: N²(1 - n/N)S²/n = 4/3; what they report: N/n of 3/4 for each of four.
    assert variance == Fraction(4, 3) + 2 * 4 * Fraction(3, 4)


def test_stratified_sampling_is_unbiased_to_the_last_digit():
    people = ((1, 0, 0, 1), (1, 1, 1, 0))
    plan = SamplingPlan.of(strata=["a", "a", "b", "b"], population={"a": 4, "b": 4})
    draws = []
    for first in itertools.combinations(people[0], 2):
        for second in itertools.combinations(people[1], 2):
            for scores, chance in every_report(first + second):
                draws.append((chance / 36, *library(scores, plan)))
    mean, variance, guess = moments(draws)
    assert mean == 5
    assert variance == guess
    assert variance == Fraction(4, 3) + 1 + 2 * 8 * Fraction(3, 4)


def test_clusters_are_unbiased_to_the_last_digit():
    """Two of four households of two."""
    households = ((1, 1), (0, 0), (1, 0), (0, 0))
    plan = SamplingPlan.of(clusters=[1, 1, 2, 2], population=4)
    draws = []
    for first, second in itertools.combinations(households, 2):
        for scores, chance in every_report(first + second):
            draws.append((chance / 6, *library(scores, plan)))
    mean, variance, guess = moments(draws)
    assert mean == 3
    assert variance == guess


def test_the_correction_alone_would_be_too_small():
    """The control that has to fail: without the added part the average falls short by the variance of N reports."""
    people = (1, 0, 0, 1)
    plan = SamplingPlan.of(population=4, rows=2)
    draws = []
    for drawn in itertools.combinations(people, 2):
        for scores, chance in every_report(drawn):
            found = horvitz_thompson_total([float(score) for score in scores], plan)
            draws.append((chance / 6, Fraction(float(found.point[0])), Fraction(float(found.sampling[0, 0]))))
    _, variance, guess = moments(draws)
    assert variance - guess == 4 * Fraction(3, 4)


def exact_total(scores, weight, size):
    """The same two numbers by Fractions, from the formula of the issue."""
    n = len(scores)
    middle = sum(scores) / n
    spread = sum((score - middle) ** 2 for score in scores) / (n - 1)
    added = sum(score * (score - 1) for score in scores) / n / size
    return weight * sum(scores), size**2 * ((1 - Fraction(n, size)) * spread / n + added)


def test_three_answers_in_every_sample_of_three_of_five():
    """Scores of three answers through a channel of thirds: totals and covariances average to the truth."""
    answers = (0, 1, 1, 2, 0)
    keep = Fraction(3, 5)
    rows = [[keep if i == j else (1 - keep) / 2 for j in range(3)] for i in range(3)]
    off = (1 - keep) / 2
    table = [[((i == j) - off) / (keep - off) for j in range(3)] for i in range(3)]
    plan = SamplingPlan.of(population=5, rows=3)
    points, products, guesses = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    for drawn in itertools.combinations(answers, 3):
        for reports in itertools.product(range(3), repeat=3):
            chance = float(np.prod([rows[answer][report] for answer, report in zip(drawn, reports, strict=True)])) / 10
            scores = np.array([table[report] for report in reports], dtype=float)
            found = horvitz_thompson_total(scores, plan)
            total, variance = exact_total([table[report][1] for report in reports], Fraction(5, 3), 5)
            assert found.point[1] == pytest.approx(float(total), abs=1e-12)
            assert found.covariance[1, 1] == pytest.approx(float(variance), abs=1e-12)
            points += chance * found.point
            products += chance * np.outer(found.point, found.point)
            guesses += chance * found.covariance
    assert np.abs(points - [2, 2, 1]).max() < 1e-12
    assert np.abs(products - np.outer(points, points) - guesses).max() < 1e-12


RRTCS = [
    (328, Fraction(1, 12), 0.8406103, 0.001389716),
    (180, Fraction(1, 10), 0.4070423, 0.001045196),
    (280, Fraction(2, 3), 0.1220657, 0.001337415),
    (81, Fraction(1, 10), 0.128169, 0.0005597858),
    (164, Fraction(1, 3), 0.1286385, 0.000991658),
    (53, Fraction(1, 12), 0.06596244, 0.000383954),
]


@pytest.mark.parametrize(("yes", "alpha", "share", "variance"), RRTCS)
def test_the_vignette_of_rrtcs(yes, alpha, share, variance):
    """Unrelated question, n = 710 of N = 10,777, p = ½: all digits that are printed."""
    reports = np.zeros(710)
    reports[:yes] = 1
    scores = (reports - float(alpha) / 2) / 0.5
    plan = SamplingPlan.of(population=10_777, rows=710)
    for found in (horvitz_thompson_mean(scores, plan, size=10_777), hajek_mean(scores, plan)):
        assert found.point[0] == pytest.approx(share, rel=5e-7)
        assert found.covariance[0, 0] == pytest.approx(variance, rel=5e-7)


def test_the_vignette_does_not_come_from_another_formula():
    """Neither the correction on everything, nor no correction, gives the printed digits."""
    reports = np.repeat([1.0, 0.0], [328, 382])
    scores = (reports - 1 / 24) / 0.5
    plan = SamplingPlan.of(population=10_777, rows=710)
    found = hajek_mean(scores, plan)
    without = hajek_mean(scores, SamplingPlan.of(rows=710)).covariance[0, 0]
    assert found.sampling[0, 0] < 0.95 * 0.001389716
    assert without > 1.005 * 0.001389716


def test_unequal_chances_by_listing_every_draw():
    """Poisson sampling, chances ½ and ¼ and 1: Σ weight·score averages to the truth exactly."""
    answers, chances = (1, 0, 1, 1), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 2), Fraction(1))
    mean = Fraction(0)
    for drawn in itertools.product((0, 1), repeat=4):
        chance = Fraction(1)
        for inside, one in zip(drawn, chances, strict=True):
            chance *= one if inside else 1 - one
        people = [i for i in range(4) if drawn[i]]
        if not chance or len(people) < 2:
            # One person alone has no variance; the total is the same sum.
            mean += chance * sum(answers[i] / chances[i] for i in people)
            continue
        plan = SamplingPlan.of([float(1 / chances[i]) for i in people])
        for scores, one in every_report([answers[i] for i in people]):
            mean += chance * one * library(scores, plan)[0]
    assert mean == sum(answers)


def test_hajek_does_not_move_with_the_origin_and_shares_add_up():
    generator = np.random.default_rng(4)
    channel = Channel([[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]])
    scores = share_weights(channel)[generator.integers(0, 2, 50)]
    plan = SamplingPlan.of(generator.uniform(1, 5, 50))
    found = hajek_mean(scores, plan)
    assert found.point.sum() == pytest.approx(1, abs=1e-12)
    moved = hajek_mean(scores + 7, plan, noise=0)
    assert moved.point - 7 == pytest.approx(found.point, abs=1e-12)
    assert moved.sampling == pytest.approx(found.sampling, abs=1e-15)


def test_noise_may_be_given_in_three_ways():
    generator = np.random.default_rng(5)
    scores = generator.normal(size=(20, 2))
    plan = SamplingPlan.of(population=40, rows=20)
    own = np.einsum("ij,ik->ijk", scores, scores) - scores[:, :, None] * np.eye(2)
    assert randomisation_covariance(scores, plan, noise=own) == pytest.approx(randomisation_covariance(scores, plan))
    flat = np.abs(scores)
    assert np.diag(randomisation_covariance(scores, plan, noise=flat)) == pytest.approx(2 * flat.sum(axis=0))
    assert not randomisation_covariance(scores, plan, noise=0).any()
    assert randomisation_covariance(scores[:, 0], plan, noise=flat[:, 0]).shape == (1, 1)
    with pytest.raises(InvalidParameter, match="covariance for each row"):
        randomisation_covariance(scores, plan, noise=np.ones(7))


def test_standard_errors_never_fall_below_their_first_part():
    """Scores between 0 and 1 have r(r - 1) < 0; the unbiased covariance keeps it, an error does not."""
    scores = np.full(10, 0.5) + np.tile([0.1, -0.1], 5)
    found = hajek_mean(scores, SamplingPlan.of(population=10, rows=10))
    assert found.covariance[0, 0] < 0
    assert found.standard_errors[0] == 0
    with pytest.raises(InvalidParameter, match="rows of the plan"):
        hajek_mean(scores[:5], SamplingPlan.of(rows=10))
