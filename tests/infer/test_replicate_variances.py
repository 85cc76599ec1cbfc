"""Replicates: where they equal the linearised variance exactly, what each method counts, and what is refused."""

import numpy as np
import pytest

from sfumato.errors import InvalidParameter, Refused
from sfumato.infer.sampling import (
    ReplicateWeights,
    SamplingPlan,
    balanced_weights,
    bootstrap_weights,
    hajek_mean,
    horvitz_thompson_total,
    jackknife_weights,
    poststratified,
    raked,
    replicate_covariance,
)


def total_of(values):
    return lambda weights: weights @ values


def stratified(seed=3):
    generator = np.random.default_rng(seed)
    strata = np.repeat([0, 1, 2], [12, 20, 8])
    clusters = np.concatenate([np.arange(12) // 3, 10 + np.arange(20) // 2, 30 + np.arange(8) // 2])
    plan = SamplingPlan.of(
        generator.uniform(1, 9, 40), strata=strata, clusters=clusters, population={0: 20, 1: 12, 2: 60}
    )
    return plan, generator.normal(size=(40, 2))


def test_leaving_clusters_out_gives_the_linearised_variance_of_a_total():
    """A total is linear, so the jackknife is the same quadratic form: equal to the last digits, corrected or not."""
    plan, values = stratified()
    for finite in (True, False):
        found = replicate_covariance(total_of(values), plan, replicates=jackknife_weights(plan, finite=finite))
        assert found == pytest.approx(plan.total_covariance(values, finite=finite), rel=1e-10)
    assert replicate_covariance(total_of(values), plan) == pytest.approx(plan.total_covariance(values, finite=False))
    assert jackknife_weights(plan).degrees == plan.degrees == 18 - 3


def test_balanced_halves_give_it_too():
    generator = np.random.default_rng(5)
    strata = np.repeat(np.arange(7), 6)
    clusters = np.arange(42) // 3
    plan = SamplingPlan.of(generator.uniform(1, 4, 42), strata=strata, clusters=clusters)
    values = generator.normal(size=(42, 3))
    for rho in (0.0, 0.5):
        halves = balanced_weights(plan, rho=rho)
        assert halves.columns.shape == (42, 8)
        assert halves.method == ("Fay" if rho else "BRR")
        found = replicate_covariance(total_of(values), plan, replicates=halves)
        assert found == pytest.approx(plan.total_covariance(values), rel=1e-10)


def test_the_bootstrap_agrees_and_is_the_same_everywhere():
    """4,000 draws have an error of √(2/4000) = 2.2 %; a bootstrap without rescaling would be 1/4 to 1/10 off."""
    plan, values = stratified()
    for finite in (True, False):
        draws = bootstrap_weights(plan, replicates=4000, seed=1, finite=finite)
        found = replicate_covariance(total_of(values), plan, replicates=draws)
        expected = plan.total_covariance(values, finite=finite)
        assert np.diag(found) == pytest.approx(np.diag(expected), rel=0.08)
        assert draws.columns.min() >= 0
    first, again, other = (bootstrap_weights(plan, replicates=3, seed=seed).columns for seed in (1, 1, 2))
    assert (first == again).all()
    assert not (first == other).all()
    # What one seed draws is fixed for good: files that are made from it can be made again.
    assert np.round(first[:12:3, 0] / plan.weights[:12:3], 6).tolist() == FIRST


FIRST = [0.105573, 2.490712, 1.298142, 0.105573]


def test_calibrated_plans_calibrate_every_replicate():
    plan, values = stratified()
    cells = np.array(["a", "b"])[np.arange(40) % 2]
    known = poststratified(plan, cells, {"a": 300.0, "b": 500.0})
    replicates = jackknife_weights(known)
    for column in replicates.columns.T:
        assert column[cells == "a"].sum() == pytest.approx(300)
    found = replicate_covariance(total_of(values), known, replicates=replicates)
    assert np.diag(found) == pytest.approx(np.diag(known.total_covariance(values)), rel=0.35)
    indicator = (cells == "a").astype(float)
    assert replicate_covariance(total_of(indicator), known, replicates=replicates)[0, 0] < 1e-18
    both = raked(plan, {"cell": (cells, {"a": 4, "b": 6}), "half": (np.arange(40) // 4 % 2, {0: 5, 1: 5})})
    assert bootstrap_weights(both, replicates=5, seed=3).columns.sum(axis=0) == pytest.approx(np.full(5, 10.0))


def test_a_replicate_that_empties_a_cell_says_so():
    plan = SamplingPlan.of(rows=5)
    known = poststratified(plan, ["a", "b", "b", "b", "b"], {"a": 1, "b": 4})
    with pytest.raises(Refused, match="no rows with any weight"):
        jackknife_weights(known)


def test_randomisation_is_whole_whatever_the_replicates():
    """With a corrected jackknife the part that the correction took is added; without it there is nothing to add."""
    plan = SamplingPlan.of(population=20, rows=10)
    scores = np.tile([-0.5, 1.5], 5)
    linear = hajek_mean(scores, plan)
    corrected = hajek_mean(scores, plan, replicates=jackknife_weights(plan))
    whole = hajek_mean(scores, plan, replicates=jackknife_weights(plan, finite=False))
    assert corrected.covariance == pytest.approx(linear.covariance)
    assert not whole.randomisation.any()
    assert whole.covariance[0, 0] > corrected.covariance[0, 0]
    total = horvitz_thompson_total(scores, plan, replicates=jackknife_weights(plan))
    assert total.covariance == pytest.approx(400 * linear.covariance)


def test_given_columns_by_each_method():
    """Columns as offices ship them: the same numbers as when they are made here."""
    plan, values = stratified()
    made = jackknife_weights(plan, finite=False)
    given = ReplicateWeights.given(made.columns, method="JKn", scales=made.scales)
    expected = replicate_covariance(total_of(values), plan)
    assert replicate_covariance(total_of(values), plan, replicates=given) == pytest.approx(expected)
    simple = SamplingPlan.of(rows=12)
    one = ReplicateWeights.given(jackknife_weights(simple).columns, method="JK1")
    assert one.degrees == 11
    found = replicate_covariance(total_of(values[:12]), simple, replicates=one)
    assert found == pytest.approx(simple.total_covariance(values[:12]))
    pairs = SamplingPlan.of(strata=np.arange(12) // 2)
    for method, rho in (("BRR", None), ("Fay", 0.3)):
        halves = balanced_weights(pairs, rho=rho or 0.0)
        read = ReplicateWeights.given(halves.columns, method=method, rho=rho)
        assert read.scales == pytest.approx(halves.scales)
    draws = bootstrap_weights(simple, replicates=50, seed=9)
    assert ReplicateWeights.given(draws.columns, method="bootstrap").scales == pytest.approx(draws.scales)


def test_what_cannot_be_replicated_is_refused_with_a_sentence():
    plan, values = stratified()
    columns = np.ones((40, 3))
    lonely = SamplingPlan.of(strata=[0, 0, 1], lonely="centred")
    attempts = [
        (lambda: ReplicateWeights.given(columns, method="JK2"), "not known"),
        (lambda: ReplicateWeights.given(columns, method="JKn"), "needed for JKn"),
        (lambda: ReplicateWeights.given(columns, method="Fay"), "belongs to the method Fay"),
        (lambda: ReplicateWeights.given(columns, method="BRR", rho=0.3), "belongs to the method Fay"),
        (lambda: ReplicateWeights.given(columns, method="Fay", rho=1.0), "rho"),
        (lambda: ReplicateWeights.given(-columns, method="BRR"), "≥ 0"),
        (lambda: ReplicateWeights.given(columns, method="JK1", scales=[1]), "3 numbers"),
        (lambda: balanced_weights(plan), "two clusters in every stratum"),
        (lambda: jackknife_weights(lonely), "one cluster"),
        (lambda: bootstrap_weights(lonely, replicates=9, seed=1), "one cluster"),
        (lambda: bootstrap_weights(plan, replicates=1, seed=1), "at least 2"),
        (lambda: bootstrap_weights(plan, replicates=9, seed=-1), "at least 0"),
        (lambda: jackknife_weights(SamplingPlan.of(rows=20_000)), "20000 times 20000"),
        (
            lambda: replicate_covariance(total_of(values), SamplingPlan.of(rows=7), replicates=jackknife_weights(plan)),
            "7",
        ),
        (lambda: replicate_covariance(lambda weights: np.log(weights[0]), plan), "finite numbers for every replicate"),
    ]
    for attempt, said in attempts:
        with pytest.raises(InvalidParameter, match=said) as caught, np.errstate(divide="ignore"):
            attempt()
        assert caught.value.way_out
