"""Joint tables of randomised questions: the test keeps its level at corners, and finds what is there."""

import numpy as np
import pytest
from scipy import optimize, stats

from sfumato.errors import InvalidParameter
from sfumato.inference.estimates import ManyReports
from sfumato.inference.joint_tables import association_test, homogeneity_test, joint_table, odds_ratio, scores_of
from sfumato.prob import Channel, Circulant

COIN = Channel([[0.8, 0.2], [0.2, 0.8]])
THREE = Channel(np.full((3, 3), 0.2) + 0.4 * np.eye(3))
WIDE = Channel([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4]])
OPEN = Channel(np.eye(2))


def drawn(shares, channels, people, surveys, seed):
    whole = channels[0].array
    for channel in channels[1:]:
        whole = np.kron(whole, channel.array)
    law = np.asarray(shares).ravel() @ whole
    found = np.random.default_rng(seed).multinomial(people, law / law.sum(), size=surveys)
    return found.reshape(surveys, *(channel.shape[1] for channel in channels))


def test_without_a_channel_it_is_pearsons():
    rng = np.random.default_rng(1)
    for shape in ((2, 2), (3, 4), (5, 2)):
        counts = rng.integers(5, 60, shape)
        found = association_test([Channel(np.eye(shape[0])), Channel(np.eye(shape[1]))], counts)
        wanted = stats.chi2_contingency(counts, correction=False)
        assert found.statistic == pytest.approx(wanted[0], rel=1e-9)
        assert found.freedom == wanted[2]
        assert found.p_value == pytest.approx(wanted[1], rel=1e-9)


@pytest.mark.parametrize(
    ("margins", "channels"),
    [
        (([0.9, 0.1], [0.7, 0.3]), (COIN, COIN)),
        (([1, 0], [1, 0]), (COIN, COIN)),
        pytest.param(([1, 0], [0.2, 0.8]), (WIDE, COIN), marks=pytest.mark.slow),
        pytest.param(([0.5, 0.5], [1, 0, 0]), (COIN, THREE), marks=pytest.mark.slow),
        pytest.param(([0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5]), (COIN, WIDE, THREE), marks=pytest.mark.slow),
    ],
    ids=["inside", "corner", "corner and wide", "corner of three", "three questions"],
)
def test_the_level_is_kept_wherever_shares_lie(margins, channels):
    """1,500 fixed surveys of 1,000: within four Monte Carlo errors of 5 %."""
    shares = margins[0]
    for margin in margins[1:]:
        shares = np.multiply.outer(shares, margin)
    tables = drawn(shares, channels, 1000, 1500, 7)
    refused = np.mean([association_test(channels, table).p_value < 0.05 for table in tables])
    error = (0.05 * 0.95 / 1500) ** 0.5
    assert abs(refused - 0.05) <= 4 * error


def test_the_likelihood_ratio_on_the_simplex_is_the_control_that_fails():
    """At a corner twice the gain in likelihood is not χ²: it refuses far too seldom."""
    channels = (COIN, COIN)
    tables = drawn(np.outer([1, 0], [1, 0]), channels, 1000, 300, 3)
    whole = np.kron(COIN.array, COIN.array)
    joints = ManyReports(Channel(whole), tables.reshape(300, 4)).likeliest
    assert joints[0] == pytest.approx(joint_table(channels, tables[0]).shares.ravel())
    refused = 0
    for table, joint in zip(tables, joints @ whole, strict=True):
        alone = [joint_table_margin(table.sum(axis=axis)) for axis in (1, 0)]
        split = np.outer(alone[0] @ COIN.array, alone[1] @ COIN.array).ravel()
        refused += 2 * (table.ravel() * (np.log(joint) - np.log(split))).sum() > stats.chi2.ppf(0.95, 1)
    assert refused / 300 < 0.03


def joint_table_margin(counts):
    share = np.clip((counts[1] / counts.sum() - 0.2) / 0.6, 0, 1)
    return np.array([1 - share, share])


def test_what_goes_together_is_found():
    tables = drawn([[0.5, 0.1], [0.1, 0.3]], (COIN, COIN), 1000, 200, 5)
    assert np.mean([association_test((COIN, COIN), table).p_value < 0.05 for table in tables]) > 0.95


def test_three_that_go_together_only_as_three_are_found():
    """Parity: any two are independent, all three are not."""
    shares = np.zeros((2, 2, 2))
    for x in (0, 1):
        for y in (0, 1):
            shares[x, y, x ^ y] = 0.25
    (table,) = drawn(shares, (COIN, COIN, COIN), 20_000, 1, 2)
    assert association_test((COIN, COIN, COIN), table).p_value < 1e-9
    assert association_test((COIN, COIN), table.sum(axis=2)).p_value > 0.01
    assert association_test((COIN, COIN, COIN), table).freedom == 8 - 6 + 3 - 1


def test_cells_cover_and_agree_with_the_margins():
    shares = np.array([[0.5, 0.0], [0.2, 0.3]])
    tables = drawn(shares, (COIN, COIN), 1000, 1000, 11)
    found = ManyReports(Channel(np.kron(COIN.array, COIN.array)), tables.reshape(1000, 4)).shares()
    cover = ((found.lower <= shares.ravel()) & (shares.ravel() <= found.upper)).mean(axis=0)
    assert (abs(cover - 0.95) <= 4 * (0.95 * 0.05 / 1000) ** 0.5).all()
    for table, lower, upper in zip(tables[:20], found.lower, found.upper, strict=False):
        one = joint_table((COIN, COIN), table)
        assert one.shares.sum() == pytest.approx(1)
        assert one.lower.ravel() == pytest.approx(lower)
        assert one.upper.ravel() == pytest.approx(upper)
        assert ((one.lower <= one.shares) & (one.shares <= one.upper) & (one.lower < one.upper)).all()
        assert one.margins[0] == pytest.approx(one.shares.sum(axis=1))


def test_the_likeliest_table_is_that_of_another_solver():
    (table,) = drawn([[0.3, 0.2, 0.1], [0.1, 0.1, 0.2]], (WIDE, THREE), 3000, 1, 4)
    found = joint_table((WIDE, THREE), table)
    whole, seen = np.kron(WIDE.array, THREE.array), table.ravel()

    def depth(logits):
        law = np.exp(logits - logits.max())
        return -(seen @ np.log(law / law.sum() @ whole))

    best = optimize.minimize(depth, np.zeros(6), method="BFGS", options={"gtol": 1e-9})
    other = np.exp(best.x - best.x.max())
    assert found.shares.ravel() == pytest.approx(other / other.sum(), abs=1e-4)


def test_odds_ratios_cover_and_are_those_of_an_open_table():
    open_table = np.array([[30, 10], [20, 40]])
    found = odds_ratio(OPEN, OPEN, open_table)
    assert found.value == pytest.approx(6.0, rel=1e-6)

    # The same profile by another way: a logistic model with one predictor, by a grid over the slope.
    def deviance(log_ratio):
        def depth(level):
            p = [1 / (1 + np.exp(-level)), 1 / (1 + np.exp(-level - log_ratio))]
            return -sum(open_table[i, 1] * np.log(p[i]) + open_table[i, 0] * np.log(1 - p[i]) for i in (0, 1))

        return 2 * optimize.minimize_scalar(depth).fun

    ends = [np.log(found.interval.lower), np.log(found.interval.upper)]
    for end in ends:
        assert deviance(end) - deviance(np.log(6)) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-3)
    covered = [
        one.interval.lower <= 15 <= one.interval.upper
        for one in (odds_ratio(COIN, COIN, t) for t in drawn([[0.5, 0.1], [0.1, 0.3]], (COIN, COIN), 1000, 20, 3))
    ]
    assert sum(covered) >= 16


def test_an_odds_ratio_may_reach_infinity_and_is_none_where_an_answer_is_gone():
    (table,) = drawn([[0.5, 0.0], [0.0, 0.5]], (COIN, COIN), 1000, 1, 1)
    found = odds_ratio(COIN, COIN, table)
    assert found.interval.upper == np.inf
    assert found.interval.lower > 10
    assert odds_ratio(OPEN, OPEN, [[10, 0], [20, 0]]) is None


def test_groups_are_compared_through_their_own_channels():
    """Level at a corner within four errors, and a difference is found; the channels differ."""
    rng = np.random.default_rng(9)
    channels = (COIN, WIDE, COIN)

    def counts(shares):
        return [rng.multinomial(600, [1 - s, s] @ channel.array) for s, channel in zip(shares, channels, strict=True)]

    level = np.mean([homogeneity_test(channels, counts([0, 0, 0])).p_value < 0.05 for _ in range(1000)])
    assert abs(level - 0.05) <= 4 * (0.05 * 0.95 / 1000) ** 0.5
    power = np.mean([homogeneity_test(channels, counts([0.1, 0.5, 0.1])).p_value < 0.05 for _ in range(200)])
    assert power > 0.95
    assert homogeneity_test(channels, counts([0.3, 0.3, 0.3])).freedom == 2


def test_of_one_channel_groups_are_a_question_that_hides_nothing():
    counts = np.array([[300, 200], [250, 260], [240, 210]])
    both = homogeneity_test([COIN] * 3, list(counts)), association_test([Channel(np.eye(3)), COIN], counts)
    assert both[0].freedom == both[1].freedom == 2
    assert both[0].statistic == pytest.approx(both[1].statistic, rel=1e-3)


def test_scores_are_unbiased_of_structured_channels_too():
    channel = Circulant([0.5, *[0.5 / 6] * 6])
    scores = scores_of(channel)
    assert channel.array @ scores == pytest.approx(np.eye(channel.shape[0]), abs=1e-9)


@pytest.mark.parametrize(
    ("channels", "counts", "words"),
    [
        ((COIN,), [1, 2], "at least two"),
        ((COIN, COIN), [[1, 2, 3], [4, 5, 6]], "axis for each question"),
        ((COIN, COIN), [[0, 0], [0, 0]], "not all 0"),
        ((COIN, COIN), [[1, -1], [0, 0]], "not all 0"),
        ((OPEN, COIN), [[5, 6], [0, 0]], "same report"),
    ],
)
def test_what_cannot_be_crossed_is_said(channels, counts, words):
    with pytest.raises(InvalidParameter, match=words):
        joint_table(channels, counts)


def test_too_many_combinations_are_refused_with_a_way_out():
    large = Channel(np.full((20, 20), 0.04) + 0.2 * np.eye(20))
    with pytest.raises(InvalidParameter, match="fewer questions"):
        joint_table([large, large], np.ones((20, 20)))
