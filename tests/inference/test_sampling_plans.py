"""Plans: what they refuse, how strata, clusters and weights change a variance, and what calibration leaves of it."""

import numpy as np
import pytest

from sfumato.errors import InvalidParameter, Refused
from sfumato.inference import SamplingPlan, hajek_mean, raked
from sfumato.inference.sampling import horvitz_thompson_total, poststratified

GENERATOR_SEED = 21


def by_hand(plan, values):
    """The textbook double sum, stratum by stratum and cluster by cluster."""
    found = np.zeros((values.shape[1], values.shape[1]))
    for stratum, fraction in enumerate(plan.fractions):
        clusters = [c for c in range(plan.homes.size) if plan.homes[c] == stratum]
        totals = [sum(plan.weights[i] * values[i] for i in np.flatnonzero(plan.clusters == c)) for c in clusters]
        middle = sum(totals) / len(totals)
        scale = (1 - fraction) * len(totals) / (len(totals) - 1)
        found += scale * sum(np.outer(total - middle, total - middle) for total in totals)
    return found


def test_the_covariance_of_a_total_is_the_textbooks():
    generator = np.random.default_rng(GENERATOR_SEED)
    strata = np.repeat(["north", "south", "west"], [12, 18, 10])
    clusters = np.concatenate([np.arange(12) // 3, 10 + np.arange(18) // 2, 30 + np.arange(10) // 5])
    plan = SamplingPlan.of(
        generator.uniform(1, 9, 40),
        strata=strata,
        clusters=clusters,
        population={"north": 20, "south": 9, "west": 300},
    )
    values = generator.normal(size=(40, 3))
    assert plan.total_covariance(values) == pytest.approx(by_hand(plan, values), rel=1e-12)
    assert plan.degrees == 4 + 2 - 2  # the nine clusters of the south are all there are
    assert plan.total_covariance(values[:, 0]).shape == (1, 1)
    free = SamplingPlan.of(plan.weights, strata=strata, clusters=clusters)
    assert plan.total_covariance(values, finite=False) == pytest.approx(free.total_covariance(values), rel=1e-12)


def test_arrays_cannot_be_written_to():
    plan = SamplingPlan.of(rows=4)
    for array in (plan.weights, plan.strata, plan.clusters, plan.homes, plan.fractions):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 3


def test_weights_of_the_plan_are_sizes_over_draws():
    plan = SamplingPlan.of(strata=["a", "a", "b", "b", "b"], population={"a": 10, "b": 6})
    assert plan.weights.tolist() == [5, 5, 2, 2, 2]
    assert plan.notes == ()
    assert "sum of the weights" in SamplingPlan.of(np.ones(5), population=100).notes[0]
    assert SamplingPlan.of([20.0, 21, 19, 20, 20], population=100).notes == ()


SENTENCES = [
    ({"weights": [1, 0, 2]}, "above 0, and 1 of 3"),
    ({"weights": [1, -1, np.nan]}, "above 0, and 2 of 3"),
    ({"weights": [1, np.inf]}, "above 0"),
    ({"weights": [[1, 2]], "rows": 2}, "must be 2 numbers"),
    ({}, "rows"),
    ({"rows": 0}, "at least 1"),
    ({"strata": ["a", "a", None]}, "no label in 1 of 3"),
    ({"strata": np.array([1.0, np.nan, 1.0])}, "no label in 1 of 3"),
    ({"strata": np.array(["a", 1, "a"], dtype=object)}, "cannot be sorted"),
    ({"strata": ["a", "a"], "rows": 3}, "one label for each of 3"),
    ({"strata": ["a", "a", "b"]}, "one cluster, or one row, in 1 of 2"),
    ({"strata": ["a", "a", "b", "b"], "clusters": [1, 2, 1, 2]}, "2 clusters with rows in more than one stratum"),
    ({"rows": 5, "population": 4}, "at least as large as the sample"),
    ({"rows": 5, "population": float("nan")}, "at least as large"),
    ({"strata": ["a", "a", "b", "b"], "population": 9}, "one number, and there are 2 strata"),
    ({"strata": ["a", "a", "b", "b"], "population": {"a": 9}}, "no number for 1 of 2"),
    ({"strata": ["a", "a"], "population": {"a": 9, "b": 9}}, "from which nobody was drawn"),
    ({"rows": 3, "lonely": "ignored"}, "lonely"),
    ({"rows": 1, "lonely": "centred"}, "one cluster"),
]


@pytest.mark.parametrize(("given", "said"), SENTENCES)
def test_what_cannot_be_a_plan_is_refused_with_a_sentence(given, said):
    with pytest.raises(InvalidParameter, match=said) as caught:
        SamplingPlan.of(**given)
    assert caught.value.way_out


def test_a_lonely_cluster_may_be_measured_from_the_middle_of_all():
    plan = SamplingPlan.of(strata=["a", "a", "b"], lonely="centred")
    values = np.array([1.0, 3.0, 8.0])
    assert plan.total_covariance(values)[0, 0] == pytest.approx(2 * (1 + 1) + (8 - 4) ** 2)
    certain = SamplingPlan.of(strata=["a", "a", "b"], population={"a": 4, "b": 1})
    assert certain.total_covariance(values)[0, 0] == pytest.approx(0.5 * 2 * (4 + 4))


def test_what_is_random_in_a_stratum_that_is_drawn_whole_is_not_lost():
    plan = SamplingPlan.of(strata=["a", "a", "b"], population={"a": 4, "b": 1})
    scores = np.array([-0.5, 1.5, 1.5])
    found = horvitz_thompson_total(scores, plan)
    assert found.randomisation[0, 0] == pytest.approx(0.75 * (0.5 * 4 + 0.5 * 4 + 1))
    assert plan.randomisation_weights(finite=False).tolist() == [0, 0, 1]


def test_clusters_numbered_anew_in_each_stratum():
    plan = SamplingPlan.of(strata=["a"] * 4 + ["b"] * 4, clusters=[1, 1, 2, 2] * 2, nested=True)
    assert plan.homes.size == 4
    assert plan.drawn.tolist() == [2, 2]


def test_values_must_fit_the_plan():
    plan = SamplingPlan.of(rows=3)
    for values in ([1, 2], [1, 2, np.nan], np.zeros((3, 1, 1))):
        with pytest.raises(InvalidParameter, match="a row for each of 3 rows"):
            plan.total_covariance(values)


# Strata and clusters change variances as theory says.


def variance_of_mean(values, **plan):
    return hajek_mean(values, SamplingPlan.of(**plan), noise=0).covariance[0, 0]


def test_copies_in_a_cluster_are_worth_one():
    """With b copies in each of m clusters the variance is that of m rows: a design effect of 1 + (b - 1)·1."""
    values = np.random.default_rng(1).normal(size=30)
    alone = variance_of_mean(values, rows=30)
    assert variance_of_mean(np.repeat(values, 4), clusters=np.repeat(np.arange(30), 4)) == pytest.approx(alone)


def test_the_design_effect_of_clusters_is_kishs():
    """1 + (b - 1)·ρ with the intraclass correlation of the sample itself, which analysis of variance gives."""
    generator = np.random.default_rng(2)
    size, count = 6, 400
    values = (generator.normal(size=(count, 1)) * 0.7 + generator.normal(size=(count, size))).reshape(-1)
    clusters = np.repeat(np.arange(count), size)
    groups = values.reshape(count, size)
    between = size * groups.mean(axis=1).var(ddof=1)
    within = groups.var(axis=1, ddof=1).mean()
    correlation = (between - within) / (between + (size - 1) * within)
    effect = variance_of_mean(values, clusters=clusters) / variance_of_mean(values, rows=values.size)
    assert correlation > 0.25
    assert effect == pytest.approx(1 + (size - 1) * correlation, rel=2e-3)


def test_strata_take_away_what_lies_between_them():
    """Proportional strata leave the variance within: the textbook's Σ W²·s²/n."""
    generator = np.random.default_rng(3)
    strata = np.repeat([0, 1, 2], [100, 200, 300])
    values = generator.normal(size=600) + 2.0 * strata
    parts = [(len(group) / 600) ** 2 * group.var(ddof=1) / len(group) for group in np.split(values, [100, 300])]
    stratified, simple = variance_of_mean(values, strata=strata), variance_of_mean(values, rows=600)
    assert stratified == pytest.approx(sum(parts), rel=1e-12)
    between = sum(len(group) / 600 * (group.mean() - values.mean()) ** 2 for group in np.split(values, [100, 300]))
    assert simple - stratified == pytest.approx(between / 600, rel=0.02)


def test_weights_that_have_nothing_to_do_with_values_cost_kishs_factor():
    generator = np.random.default_rng(7)
    weights, values = generator.uniform(0.5, 4, 100_000), generator.normal(size=100_000)
    factor = 1 + weights.var() / weights.mean() ** 2
    effect = variance_of_mean(values, weights=weights) / variance_of_mean(values, rows=100_000)
    assert effect == pytest.approx(factor, rel=0.02)


def test_the_correction_takes_its_part_of_a_plain_variance():
    values = np.arange(10.0)
    assert variance_of_mean(values, rows=10, population=40) == pytest.approx(0.75 * variance_of_mean(values, rows=10))
    assert variance_of_mean(values, rows=10, population=10) == 0


# Known totals.


def sample(seed=11, rows=240):
    generator = np.random.default_rng(seed)
    sex, age = generator.integers(0, 2, rows), generator.integers(0, 3, rows)
    values = generator.normal(size=(rows, 2)) + sex[:, None] + age[:, None] * 0.5
    plan = SamplingPlan.of(
        generator.uniform(2, 8, rows), strata=generator.integers(0, 3, rows), clusters=np.arange(rows) // 4, nested=True
    )
    return plan, np.array(["m", "w"])[sex], np.array(["young", "middle", "old"])[age], values


MARGINS = ({"m": 5.1e5, "w": 4.9e5}, {"young": 3e5, "middle": 2.5e5, "old": 4.5e5})


def margins_of(weights, column, totals):
    return max(abs(weights[column == label].sum() / total - 1) for label, total in totals.items())


def test_calibrated_totals_reproduce_the_margins():
    plan, sex, age, _ = sample()
    found = raked(plan, {"sex": (sex, MARGINS[0]), "age": (age, MARGINS[1])})
    assert margins_of(found.weights, sex, MARGINS[0]) < 1e-9
    assert margins_of(found.weights, age, MARGINS[1]) < 1e-9
    assert margins_of(plan.weights, sex, MARGINS[0]) > 0.5
    cells = poststratified(plan, sex, MARGINS[0])
    assert margins_of(cells.weights, sex, MARGINS[0]) < 1e-12
    # Known numbers do not vary.
    indicators = np.stack([sex == "m", age == "old"], axis=1).astype(float)
    assert np.abs(found.total_covariance(indicators)).max() < 1e-9 * plan.total_covariance(indicators).max()


def test_raking_multiplies_rows_and_columns_only():
    """The new over the old weight is a product of a factor for each label: what least divergence means."""
    plan, sex, age, _ = sample()
    found = raked(plan, {"sex": (sex, MARGINS[0]), "age": (age, MARGINS[1])})
    logs = np.log(found.weights / plan.weights)
    table = np.array([[logs[(sex == a) & (age == b)].mean() for b in MARGINS[1]] for a in MARGINS[0]])
    assert np.abs(table - table[:, :1] - table[:1] + table[0, 0]).max() < 1e-10
    assert all(np.ptp(logs[(sex == a) & (age == b)]) < 1e-12 for a in MARGINS[0] for b in MARGINS[1])


@pytest.mark.parametrize("kind", ["cells", "raked", "both"])
def test_influence_is_the_derivative_by_base_weights(kind):
    """Independent of any regression: each base weight is moved a little and everything is calibrated again."""
    plan, sex, age, values = sample(rows=60)
    if kind in {"cells", "both"}:
        plan = poststratified(plan, sex, MARGINS[0])
    if kind in {"raked", "both"}:
        plan = raked(plan, {"age": (age, MARGINS[1]), "sex": (sex, MARGINS[0])})
    influence = plan.influence(values)
    for row in range(0, 60, 7):
        step = 1e-5
        moved = [plan.base_weights * (1 + sign * step * (np.arange(60) == row)) for sign in (1, -1)]
        up, down = (plan.recalibrated(base) @ values for base in moved)
        assert (up - down) / (2 * step) == pytest.approx(influence[row], rel=1e-6, abs=1e-3)


def test_poststratified_residuals_are_distances_from_cell_means():
    plan, sex, _, values = sample()
    found = poststratified(plan, sex, MARGINS[0])
    apart = values.copy()
    for label in MARGINS[0]:
        inside = sex == label
        apart[inside] -= found.weights[inside] @ values[inside] / found.weights[inside].sum()
    expected = by_hand(found, apart)
    assert found.total_covariance(values) == pytest.approx(expected, rel=1e-9)
    assert np.diag(expected)[0] < np.diag(by_hand(found, values))[0]


def test_totals_that_cannot_be_met_are_refused_with_a_sentence():
    plan, sex, age, _ = sample()
    wrong = [
        ({"sex": (sex, {"m": 5, "w": -1})}, "negative"),
        ({"sex": (sex, {"m": 5})}, "1 labels in the sample that have no total"),
        ({"sex": (sex, {"m": 5, "w": 5, "x": 1})}, "nobody in the sample for 1 of 3 totals, among them 'x'"),
        ({"sex": (sex, {"m": 5, "w": 0})}, "total of 0"),
        ({"sex": (sex, {"m": 5, "w": 5}), "age": (age, MARGINS[1])}, "sex to 10, age to 1000000"),
        ({}, "empty"),
    ]
    for margins, said in wrong:
        with pytest.raises(InvalidParameter, match=said) as caught:
            raked(plan, margins)
        assert caught.value.way_out
    with pytest.raises(InvalidParameter, match="no label in 1 of"):
        poststratified(plan, [None, *sex[1:]], MARGINS[0])
    assert raked(plan, {"sex": (sex, {"m": 5, "w": 5, "x": 0})}).weights.sum() == pytest.approx(10)


def test_margins_that_no_weights_meet_are_refused():
    """All men are young and all women old, so the margins of age follow from those of sex; these do not."""
    first, second = np.repeat(["m", "w"], 4), np.repeat(["young", "old"], 4)
    plan = SamplingPlan.of(rows=8)
    margins = {"sex": (first, {"m": 5, "w": 5}), "age": (second, {"young": 4, "old": 6})}
    with pytest.raises(Refused, match="not met after 50 turns"):
        raked(plan, margins, rounds=50)
