"""Weighted estimates over and over: variances against 10,000 samples with their reports, and how often intervals hold.

Points of all samples are computed here, by cells and by hand; the library is asked about the first of them, has to find
the same points, and its variances have to average to what the 10,000 points really vary.
"""

import numpy as np
import pytest

from sfumato.inference import SamplingPlan, hajek_mean, horvitz_thompson_mean, raked, weighted_shares
from sfumato.inference.likelihood import LinearScores, passage_of
from sfumato.inference.sampling import poststratified
from sfumato.inference.weighted_estimates import bounded_estimates, weighted_mean
from sfumato.prob import Channel

SAMPLES = 10_000
SIZE = 600
# One Monte Carlo error of a variance from 10,000 points is √(2/10000) = 1.4 %.
CLOSE = 0.05


class Town:
    """600 people in 3 strata and 100 households of 6; who holds the answer depends on household, sex and age."""

    def __init__(self) -> None:
        generator = np.random.default_rng(2021)
        self.household = np.arange(SIZE) // 6
        self.stratum = np.array([0, 1, 2])[np.searchsorted([180, 360], np.arange(SIZE), side="right")]
        self.sex, self.age = generator.integers(0, 2, SIZE), generator.integers(0, 3, SIZE)
        lean = np.repeat(generator.normal(size=100), 6) * 0.8
        logit = -3 + 3 * self.sex + 1.8 * self.age - 1.2 * self.stratum + 2 * lean
        self.answer = (generator.random(SIZE) < 1 / (1 + np.exp(-logit))).astype(np.int64)
        self.share = self.answer.mean()
        self.totals = {"sex": np.bincount(self.sex), "age": np.bincount(self.age)}

    def scores(self, drawn, seed):
        """Reports of those drawn, true nine times in ten, as unbiased scores."""
        told = np.random.default_rng(seed).random(drawn.shape) < 0.9
        report = np.where(told, self.answer[drawn], 1 - self.answer[drawn])
        return (report - 0.1) / 0.8


TOWN = Town()


def without_replacement(size, count, seed):
    """Places of those drawn, a row a sample."""
    order = np.random.default_rng(seed).random((SAMPLES, size))
    return np.argpartition(order, count, axis=1)[:, :count]


def compared(points, found, first):
    """The library's points are these, and its variances average to what all of them vary."""
    assert np.abs([one.point[0] for one in found] - points[:first]).max() < 1e-9
    return np.mean([one.covariance[0, 0] for one in found]) / points.var(ddof=1)


SIMPLE = without_replacement(SIZE, 150, 1)
SIMPLE_SCORES = TOWN.scores(SIMPLE, 2)


def simple_plan():
    return SamplingPlan.of(population=SIZE, rows=150)


def test_simple_random_samples():
    points = SIMPLE_SCORES.mean(axis=1)
    assert points.mean() == pytest.approx(TOWN.share, abs=4 * points.std() / 100)
    found = [horvitz_thompson_mean(scores, simple_plan(), size=SIZE) for scores in SIMPLE_SCORES[:300]]
    assert compared(points, found, 300) == pytest.approx(1, abs=CLOSE)
    # Controls: with the correction on everything, and with no correction at all.
    uncorrected = np.mean([scores.var(ddof=1) / 150 for scores in SIMPLE_SCORES[:300]]) / points.var(ddof=1)
    shrunk = np.mean([one.sampling[0, 0] for one in found]) / points.var(ddof=1)
    assert uncorrected > 1 + CLOSE
    assert shrunk < 1 - CLOSE


def test_stratified_samples():
    counts, sizes = (30, 60, 45), np.bincount(TOWN.stratum)
    drawn = np.concatenate(
        [
            np.flatnonzero(TOWN.stratum == h)[without_replacement(sizes[h], count, 10 + h)]
            for h, count in enumerate(counts)
        ],
        axis=1,
    )
    scores = TOWN.scores(drawn, 4)
    plan = SamplingPlan.of(strata=np.repeat([0, 1, 2], counts), population=dict(enumerate(sizes)))
    parts = np.split(scores, np.cumsum(counts)[:-1], axis=1)
    points = sum(size / SIZE * part.mean(axis=1) for size, part in zip(sizes, parts, strict=True))
    assert points.mean() == pytest.approx(TOWN.share, abs=4 * points.std() / 100)
    assert compared(points, [hajek_mean(row, plan) for row in scores[:300]], 300) == pytest.approx(1, abs=CLOSE)
    # The control: as if there were no strata.
    blind = np.mean([hajek_mean(row, SamplingPlan.of(plan.weights)).covariance[0, 0] for row in scores[:300]])
    assert blind > (1 + CLOSE) * points.var(ddof=1)


def test_clusters():
    households = without_replacement(100, 30, 20)
    drawn = (households[:, :, None] * 6 + np.arange(6)).reshape(SAMPLES, 180)
    scores = TOWN.scores(drawn, 5)
    plan = SamplingPlan.of(clusters=np.repeat(np.arange(30), 6), population=100)
    points = scores.mean(axis=1)
    assert points.mean() == pytest.approx(TOWN.share, abs=4 * points.std() / 100)
    assert compared(points, [hajek_mean(row, plan) for row in scores[:1000]], 1000) == pytest.approx(1, abs=CLOSE)
    # The control: as if people had been drawn one by one.
    one_by_one = SamplingPlan.of(population=SIZE, rows=180)
    blind = np.mean([hajek_mean(row, one_by_one).covariance[0, 0] for row in scores[:1000]])
    assert blind < (1 - CLOSE) * points.var(ddof=1)


def cell_sums(codes, values, size):
    """Sums over the cells of each sample."""
    places = codes + size * np.arange(len(codes))[:, None]
    return np.bincount(places.reshape(-1), values.reshape(-1), size * len(codes)).reshape(-1, size)


def poststratified_points():
    codes = TOWN.sex[SIMPLE] * 3 + TOWN.age[SIMPLE]
    counts = cell_sums(codes, np.ones(SIMPLE.shape), 6)
    assert counts.min() >= 3
    means = cell_sums(codes, SIMPLE_SCORES, 6) / counts
    return means @ np.bincount(TOWN.sex * 3 + TOWN.age) / SIZE


def poststratified_plan(row):
    cells = TOWN.sex[SIMPLE[row]] * 3 + TOWN.age[SIMPLE[row]]
    return poststratified(simple_plan(), cells, dict(enumerate(np.bincount(TOWN.sex * 3 + TOWN.age))))


def test_poststratified_samples():
    points = poststratified_points()
    assert points.mean() == pytest.approx(TOWN.share, abs=4 * points.std() / 100)
    found = [hajek_mean(SIMPLE_SCORES[row], poststratified_plan(row)) for row in range(400)]
    assert compared(points, found, 400) == pytest.approx(1, abs=CLOSE)
    # The control: as if the new weights had been the old ones.
    blind = [hajek_mean(SIMPLE_SCORES[row], simple_plan()).covariance[0, 0] for row in range(400)]
    assert np.mean(blind) > (1 + CLOSE) * points.var(ddof=1)


def raked_points():
    codes = TOWN.sex[SIMPLE] * 3 + TOWN.age[SIMPLE]
    counts = cell_sums(codes, np.ones(SIMPLE.shape), 6)
    means = (cell_sums(codes, SIMPLE_SCORES, 6) / counts).reshape(-1, 2, 3)
    table = counts.reshape(-1, 2, 3)
    for _ in range(60):
        table = table * (TOWN.totals["sex"] / table.sum(axis=2))[:, :, None]
        table = table * (TOWN.totals["age"] / table.sum(axis=1))[:, None, :]
    return (table * means).sum(axis=(1, 2)) / SIZE


def raked_plan(row):
    columns = {"sex": TOWN.sex[SIMPLE[row]], "age": TOWN.age[SIMPLE[row]]}
    margins = {name: (column, dict(enumerate(TOWN.totals[name]))) for name, column in columns.items()}
    return raked(simple_plan(), margins)


def test_raked_samples():
    points = raked_points()
    assert points.mean() == pytest.approx(TOWN.share, abs=5 * points.std() / 100)
    found = [hajek_mean(SIMPLE_SCORES[row], raked_plan(row)) for row in range(400)]
    assert compared(points, found, 400) == pytest.approx(1, abs=CLOSE)


# Coverage. One Monte Carlo error of 95 % is .49 with 2,000 samples; 94 less four of them.

REPEATS = 2000
LEAST = 94 - 4 * 100 * np.sqrt(0.05 * 0.95 / REPEATS)


def response(size, epsilon):
    odds = np.exp(epsilon)
    table = np.full((size, size), 1 / (size - 1 + odds))
    np.fill_diagonal(table, odds / (size - 1 + odds))
    return table


def covered(channel, shares, plan, seed, answer, *, households=None, repeats=REPEATS):
    """How often, in per cent, the interval of one answer's share holds it; all samples in one call."""
    generator = np.random.default_rng(seed)
    size = len(shares)
    scores = LinearScores(passage_of(Channel(channel.tolist())), size).of(np.eye(size)[answer])
    columns = []
    for _ in range(repeats):
        if households is None:
            answers = generator.choice(size, plan.rows, p=shares)
        else:
            lean = np.full(households, shares[1])
            if 0 < shares[1] < 1:
                lean = generator.beta(6 * shares[1], 6 * shares[0], households)
            answers = (generator.random(plan.rows) < np.repeat(lean, plan.rows // households)).astype(np.int64)
        told = (generator.random(plan.rows)[:, None] > channel.cumsum(axis=1)[answers]).sum(axis=1)
        columns.append(scores[np.minimum(told, size - 1)])
    hits = 0
    for start in range(0, repeats, 250):
        table = np.stack(columns[start : start + 250], axis=1)
        point = hajek_mean(table, plan)
        found = bounded_estimates(
            table, point.point, point.standard_errors, np.clip(point.point, 0, 1), plan, point.degrees, 0.95
        )
        assert all(one.interval.width > 0 and one.value in one.interval for one in found)
        assert all(0 <= one.interval.lower <= one.interval.upper <= 1 for one in found)
        hits += sum(shares[answer] in one.interval for one in found)
    return 100 * hits / repeats


WEIGHTS = np.random.default_rng(0).uniform(0.5, 3, 1000)
CORNERS = [(0.0, 1.0), (1.0, 0.0), (0.97, 0.03), (0.6, 0.4)]


@pytest.mark.parametrize("shares", CORNERS[:1])
def test_intervals_hold_at_the_corners(shares):
    plan = SamplingPlan.of(WEIGHTS)
    assert covered(response(2, 1.0), shares, plan, 31, 1) >= LEAST
    # Without randomisation all samples are the same there.
    assert covered(np.eye(2), shares, plan, 32, 1, repeats=3) == 100


@pytest.mark.slow
@pytest.mark.parametrize("shares", CORNERS)
def test_intervals_hold_with_weights_and_with_clusters(shares):
    clusters = SamplingPlan.of(WEIGHTS, clusters=np.arange(1000) // 20)
    for epsilon in (0.5, 1.0, 3.0):
        assert covered(response(2, epsilon), shares, SamplingPlan.of(WEIGHTS), 33, 1) >= LEAST
        assert covered(response(2, epsilon), shares, clusters, 34, 1, households=50) >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("shares", [(1, 0, 0, 0, 0), (0.5, 0.3, 0.2, 0, 0), (0.96, 0.01, 0.01, 0.01, 0.01)])
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_intervals_hold_for_five_answers(shares, epsilon):
    for answer in (0, 1, 4):
        assert covered(response(5, epsilon), shares, SamplingPlan.of(WEIGHTS), 35, answer) >= LEAST


def test_a_plain_interval_cut_at_the_bounds_would_not_hold():
    """The control: Wald's interval of an unrandomised share of 3 in 1,000, and at 0, where it has no width."""
    generator = np.random.default_rng(36)
    counts = generator.binomial(1000, 0.003, 4000) / 1000
    error = 1.96 * np.sqrt(counts * (1 - counts) / 1000)
    assert np.mean(np.abs(counts - 0.003) <= error) < LEAST / 100


def test_shares_are_a_law_and_raw_numbers_stand_apart():
    generator = np.random.default_rng(37)
    channel = response(3, 1.0)
    scores = np.linalg.inv(channel)[generator.integers(0, 3, 200)]
    scores[:150] = np.linalg.inv(channel)[0]
    plan = SamplingPlan.of(generator.uniform(1, 3, 200))
    found = weighted_shares(scores, plan)
    assert sum(one.value for one in found) == pytest.approx(1)
    assert sum(one.raw for one in found) == pytest.approx(1)
    assert min(one.raw for one in found) < 0 <= min(one.value for one in found)
    for one, column, error in zip(found, scores.T, hajek_mean(scores, plan).standard_errors, strict=True):
        assert one.raw == pytest.approx(np.average(column, weights=plan.weights))
        assert one.standard_error == pytest.approx(error)
        assert 0 <= one.interval.lower <= one.value <= one.interval.upper <= 1
        assert one.interval.width > 0
    known = weighted_shares(scores, plan, size=float(plan.weights.sum()))
    assert [one.raw for one in known] == pytest.approx([one.raw for one in found])


def test_a_mean_lies_between_its_values_and_does_not_move_with_their_origin():
    generator = np.random.default_rng(38)
    scores = np.eye(3)[generator.integers(0, 3, 120)]
    plan = SamplingPlan.of(generator.uniform(1, 3, 120), clusters=np.arange(120) // 3)
    found, moved = (weighted_mean(scores, plan, np.array([1.0, 2.0, 5.0]) + shift) for shift in (0, 1000))
    plain = np.average(scores @ [1.0, 2.0, 5.0], weights=plan.weights)
    assert found.value == pytest.approx(plain)
    assert moved.interval.lower - 1000 == pytest.approx(found.interval.lower, abs=1e-6)
    assert found.standard_error == pytest.approx(hajek_mean(scores @ [1.0, 2.0, 5.0], plan, noise=0).standard_errors[0])
    wald = 2.02 * found.standard_error
    assert found.interval.upper - found.interval.lower == pytest.approx(2 * wald, rel=0.05)


def test_copies_in_clusters_are_worth_one_and_an_unseen_answer_has_width():
    values = np.random.default_rng(39).integers(0, 2, 50)
    copies = SamplingPlan.of(clusters=np.repeat(np.arange(50), 4))
    one, other = weighted_shares(np.repeat(values, 4), copies)[0], weighted_shares(values, SamplingPlan.of(rows=50))[0]
    assert one.effective_size == pytest.approx(other.effective_size)
    assert one.design_effect == pytest.approx(4 * other.design_effect)
    nobody = weighted_shares(np.zeros(200), copies)[0]
    assert nobody.effective_size == pytest.approx(50)
    assert nobody.interval.lower == 0
    # Of 50 independent draws nobody: 1 - .05^(1/50) = .058.
    assert 0.03 < nobody.interval.upper < 0.09
