"""Reports of more than three likelihood ratios: tails that are never too small, intervals that hold what they say."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sfumato.inference import (
    Method,
    ShareModel,
    estimate_share,
    respondents_for_half_width,
    share_interval,
    test_errors,
)
from sfumato.inference.exact import _lattice_tail as _at_least
from sfumato.inference.exact import _on_lattice, _Order, lattice_tail, tail
from sfumato.prob import Channel

SHARES = (0.0, 0.02, 0.3, 0.97)
ALPHA = 0.05


def drawn(carriers, others, draws):
    """How many of so many cards are red, from one of two decks."""
    return Channel(
        [
            [math.comb(draws, i) * red**i * (1 - red) ** (draws - i) for i in range(draws + 1)]
            for red in (Fraction(others), Fraction(carriers))
        ]
    )


FIVE = {
    "cards": drawn("0.7", "0.25", 4),
    # One report that only the second answer gives, one that only the first does, and three between.
    "with proofs": Channel(
        [
            [Fraction(n, 100) for n in (20, 35, 25, 20, 0)],
            [Fraction(n, 100) for n in (0, 15, 25, 40, 20)],
        ]
    ),
}


def enumerated(law, n, scores, level, *, upper):
    """The tail as a sum over all sequences of reports."""
    total = 0.0
    for places in product(range(len(law)), repeat=n):
        found = sum(scores[i] for i in places)
        if found >= level - 1e-9 if upper else found <= level + 1e-9:
            total += math.prod(law[i] for i in places)
    return total


@pytest.mark.parametrize("upper", [True, False])
def test_a_tail_of_four_classes_is_the_sum_over_all_sequences(upper):
    law, scores = np.array([0.1, 0.3, 0.4, 0.2]), np.array([-1.0, -0.2, 0.45, 1.3])
    for level in (-2.0, 0.0, 0.45 * 3 + 1.3, 4.0):
        exact = enumerated(law, 6, scores, level, upper=upper)
        bound = tail(law, 6, scores, upper=upper, ties=True, level=level)
        assert exact - 1e-12 <= bound <= exact + 1e-9


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("n", [40, 1000, 20_000])
def test_the_lattice_bounds_the_exact_tail_of_three_classes_from_above(n, upper):
    """Another algorithm: sums of binomial tails. It is over by less than a hundredth, and never under."""
    source = np.random.default_rng(20)
    for _ in range(12):
        law, scores = source.dirichlet([1, 1, 1]), np.sort(source.normal(size=3))
        level = float(n * (law @ scores) + source.normal() * math.sqrt(n) * 1.5)
        exact = tail(law, n, scores, upper=upper, ties=True, level=level)
        bound = lattice_tail(law, n, scores, upper=upper, ties=True, level=level, remainder=1e-10)
        assert exact <= bound <= 1.02 * exact + 2e-10


def test_a_small_tail_keeps_its_digits():
    law, scores = np.array([0.25, 0.5, 0.25]), np.array([-1.0, 0.0, 1.0])
    exact = tail(law, 400, scores, upper=True, ties=True, level=140.0)
    assert exact < 1e-22
    bound = lattice_tail(law, 400, scores, upper=True, ties=True, level=140.0, remainder=1e-30)
    assert bound == pytest.approx(exact, rel=1e-6)


def test_without_slack_the_bound_would_fail():
    """The control: rounded scores alone are under the truth somewhere."""
    source = np.random.default_rng(3)
    under = 0
    for _ in range(40):
        law, scores = source.dirichlet([1, 1, 1]), np.sort(source.normal(size=3))
        level = float(4000 * (law @ scores) + source.normal() * math.sqrt(4000))
        exact = tail(law, 4000, scores, upper=True, ties=True, level=level)
        steps, whole, rest = _on_lattice(scores, 4000)
        aim = (level - 4000 * scores[0]) / (scores[-1] - scores[0]) * steps - 4000 * (law @ rest)
        under += _at_least(law, 4000, whole, steps, math.ceil(aim)) < exact - 1e-9
    assert under > 0


def accepted(model, counts, theta):
    """Whether the interval holds a share, without its ends: what decides is how the sample ranks there."""
    order = _Order(model, counts)
    return order.ranked(theta, upper=theta < order.t) >= ALPHA


@pytest.mark.parametrize("theta", SHARES)
@pytest.mark.parametrize(
    ("n", "draws"),
    [(100, 80), pytest.param(100, 4000, marks=pytest.mark.slow), pytest.param(1000, 4000, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("name", FIVE)
def test_five_classes_cover(name, n, draws, theta):
    model = ShareModel.of(FIVE[name])
    assert len(model.first) == 5
    source = np.random.default_rng(2100 + n)
    table = source.multinomial(n, np.maximum(model.law(theta), 0.0), size=draws)
    covered = np.mean([accepted(model, row, theta) for row in table.tolist()])
    assert covered >= 0.94 - 4 * math.sqrt(0.06 * 0.94 / draws)
    if draws == 4000:
        assert covered >= 0.95 - 4 * math.sqrt(0.05 * 0.95 / draws)


@pytest.mark.parametrize("theta", SHARES)
@pytest.mark.parametrize("name", FIVE)
def test_intervals_hold_the_point_have_width_and_agree_with_what_is_accepted(name, theta):
    model = ShareModel.of(FIVE[name])
    source = np.random.default_rng(77)
    for row in source.multinomial(100, np.maximum(model.law(theta), 0.0), size=2).tolist():
        found = estimate_share(FIVE[name], row)
        assert found.interval.lower <= found.share <= found.interval.upper
        assert 0 <= found.interval.lower < found.interval.upper <= 1
        assert found.method is Method.EXACT
        assert (found.interval.lower <= theta <= found.interval.upper) == accepted(model, row, theta)


def test_three_classes_split_finely_change_little():
    """Five classes of which two pairs nearly agree: the interval is nearly that of the three."""
    hair = Fraction(1, 10**7)
    three = Channel(
        [[Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], [Fraction(1, 4), Fraction(3, 10), Fraction(9, 20)]]
    )
    p, q = three.rows
    five = Channel(
        [
            [p[0] / 2 + hair, p[0] / 2 - hair, p[1], p[2] / 2 + hair, p[2] / 2 - hair],
            [q[0] / 2, q[0] / 2, q[1], q[2] / 2, q[2] / 2],
        ]
    )
    assert len(ShareModel.of(five).first) == 5
    one = estimate_share(three, [180, 120, 100]).interval
    other = estimate_share(five, [90, 90, 120, 50, 50]).interval
    assert other.lower == pytest.approx(one.lower, abs=0.01)
    assert other.upper == pytest.approx(one.upper, abs=0.01)


def test_extremes_have_intervals_too():
    for counts in ([1, 0, 0, 0, 0], [0, 0, 0, 0, 3], [100, 0, 0, 0, 0], [0, 0, 0, 0, 1000]):
        interval = estimate_share(FIVE["cards"], counts).interval
        assert 0 <= interval.lower < interval.upper <= 1


def test_planning_and_testing_take_many_classes():
    channel = FIVE["cards"]
    needed = respondents_for_half_width(channel, 0.1, 0.05)
    about = 1.96**2 / 0.05**2 / ShareModel.of(channel).information(0.1)
    assert needed.achieved <= 0.05
    assert needed.n == pytest.approx(about, rel=0.1)
    errors = test_errors(channel, 0.1, 0.3, 150)
    table = np.random.default_rng(5).multinomial(150, ShareModel.of(channel).law(0.1), size=20_000)
    model = ShareModel.of(channel)
    wrong = (table @ np.log(model.law(0.3) / model.law(0.1)) >= 0).mean()
    assert errors.wrong_if_first == pytest.approx(wrong, abs=4 * math.sqrt(wrong / 20_000) + 1e-3)


def test_reports_of_another_law_are_noticed_with_the_right_degrees_of_freedom():
    assert estimate_share(FIVE["cards"], [0, 300, 0, 300, 0]).notes
    model = ShareModel.of(FIVE["cards"])
    source = np.random.default_rng(9)
    noted = sum(
        bool(estimate_share(FIVE["cards"], row.tolist(), method="Wald").notes)
        for row in source.multinomial(200, model.law(0.4), size=60)
    )
    assert noted == 0


def test_so_many_reports_are_refused_with_the_way_out():
    model = ShareModel.of(FIVE["cards"])
    with pytest.raises(ValueError, match="at most 10000000 reports of 5 kinds"):
        share_interval(model, (4 * 10**6,) * 5)
