"""Answers in order: cumulative shares, the middle answer and the mean score, and which mechanism serves them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.cli.new import question_from
from sfumato.errors import InvalidParameter
from sfumato.inference.estimates import LinearEstimate, ManyReports, ReportedShares
from sfumato.inference.quantities import Picture, Unit
from sfumato.inference.results import Reading
from sfumato.mechanisms import ArcResponse, CyclicResponse
from sfumato.numbers import Interval
from sfumato.prob import Channel
from sfumato.sampling import InsecureSeeded
from sfumato.study import Analyst, Ordered, Study, read_study
from sfumato.study.file import first_file
from sfumato.study.kinds.ordered import cumulative_shares, median_answer, quantiles, rising

FIVE = ("never", "rarely", "sometimes", "often", "always")
ASK = {"id": "q", "text": "How often?", "answers": FIVE}


def way_of(question, epsilon=1, readers=()):
    return Study(name="s", questions=(question,), analysts=readers, public_epsilon=Fraction(epsilon)).handler("q")


def estimate(way, law, n, seed):
    rung = way.ladder.levels[-1]
    counts = np.random.default_rng(seed).multinomial(n, np.asarray(law) @ rung.channel().array)
    return way.estimate(way.tally(np.repeat(np.arange(counts.size), counts), len(way.epsilons)), Reading(level=1))


def test_everything_agrees_with_the_shares_that_are_shown():
    found = estimate(way_of(Ordered(**ASK)), [0.1, 0.2, 0.4, 0.2, 0.1], 3000, 1)
    assert found.picture is Picture.ORDERED
    mean, median, *sums = found.quantities
    assert mean.value == pytest.approx(np.dot(found.shares, [1, 2, 3, 4, 5]), abs=2e-3)
    assert (median.unit, median.scale) == (Unit.ANSWER, FIVE)
    assert [one.name for one in sums] == [f"“{answer}” or lower" for answer in FIVE[:-1]]
    assert [one.value for one in sums] == pytest.approx(np.cumsum(found.shares)[:-1], abs=2e-3)
    assert all(one.unit is Unit.SHARE for one in sums)
    for ends in (
        [one.value for one in sums],
        *zip(*((one.interval.lower, one.interval.upper) for one in sums), strict=True),
    ):
        assert list(ends) == sorted(ends)
    assert found.shares[int(median.value)] > 0


def test_scores_shift_and_scale_the_mean_and_nothing_else():
    plain, scaled = (
        estimate(way_of(Ordered(**ASK, scores=scores)), [0.3, 0.1, 0.2, 0.2, 0.2], 500, 2)
        for scores in (None, tuple(Fraction(10 * i + 1000) for i in range(1, 6)))
    )
    assert scaled.mean.value == pytest.approx(10 * plain.mean.value + 1000, rel=1e-9)
    assert scaled.quantities[1:] == plain.quantities[1:]


@settings(max_examples=12, deadline=None)
@given(counts=st.lists(st.integers(0, 60), min_size=5, max_size=5).filter(any), hides=st.booleans())
def test_a_median_is_never_without_an_interval(counts, hides):
    channel = CyclicResponse(size=5, odds=Fraction(3), q=4, t=2).channel()
    choices = FIVE[: 5 - hides]
    sums = cumulative_shares(ReportedShares(channel, counts), choices, hides=hides, confidence=0.95)
    median = median_answer(sums, choices)
    assert 0 <= median.interval.lower <= median.interval.upper <= len(choices) - 1
    if sums is None:
        assert median.value is None
        assert median.words
        return
    assert median.interval.lower <= median.value <= median.interval.upper
    for one in quantiles(sums, tuple(map(float, range(len(choices)))), in_bins=False):
        assert one.interval.lower <= one.value <= one.interval.upper


@pytest.mark.parametrize(
    "law",
    [
        [1, 0, 0, 0, 0],
        pytest.param([0.1, 0.2, 0.4, 0.2, 0.1], marks=pytest.mark.slow),
        pytest.param([0.2] * 5, marks=pytest.mark.slow),
        pytest.param([0.5, 0, 0, 0, 0.5], marks=pytest.mark.slow),
        [0.49, 0.02, 0.2, 0.2, 0.09],
    ],
)
def test_the_interval_of_the_median_covers(law):
    """4,000 surveys of 1,000: the true middle answer is inside in at least 94 %, less 4 Monte Carlo errors."""
    channel = CyclicResponse(size=5, odds=Fraction(3), q=4, t=2).channel()
    counts = np.random.default_rng(7).multinomial(1000, np.asarray(law) @ channel.array, size=4000)
    reported = ManyReports(channel, counts)
    sums = [reported.means([1.0] * (j + 1) + [0.0] * (4 - j)) for j in range(4)]
    # Where half of the people give an answer or a lower one exactly, that one is the first.
    truth = int(np.flatnonzero(np.cumsum(law) >= 0.5 - 1e-12)[0])
    inside = 0
    for i in range(4000):
        each = [
            LinearEstimate(
                value=s.value[i], raw=s.raw[i], standard_error=s.error[i], interval=Interval(s.lower[i], s.upper[i])
            )
            for s in sums
        ]
        ends = median_answer(rising(each), FIVE).interval
        inside += ends.lower <= truth <= ends.upper
    assert inside / 4000 >= 0.94 - 4 * (0.94 * 0.06 / 4000) ** 0.5


@pytest.mark.parametrize("epsilon", [0.5, 1, 2, 4])
@pytest.mark.parametrize("size", [3, 5, 7, 11])
def test_the_mechanism_is_the_better_of_the_two_for_cumulative_shares(size, epsilon):
    question = Ordered(id="q", text="Q?", answers=tuple(map(str, range(size))))
    way = way_of(question, epsilon)

    def noise(made):
        rows = made.channel().array
        scaled = rows / rows.mean(axis=0)
        weights = np.linalg.solve(scaled @ rows.T, scaled).T
        sums = weights @ np.triu(np.ones((size, size)))[:, :-1]
        seen = rows.mean(axis=0)
        return (seen @ sums**2 - (seen @ sums) ** 2).max()

    single = ArcResponse(size=size, odds=way.ladder.odds[0], length=1)
    cyclic = CyclicResponse.within(size=size, epsilon=float(epsilon))
    assert noise(way.ladder.levels[0]) <= 1.001 * min(noise(single), noise(cyclic))


def test_no_arc_is_much_better_for_cumulative_shares_and_all_are_worse_for_shares():
    """The page says: at most a little over a fifth less variance, at ε ≤ 1, for more than twice that of shares."""
    for size, epsilon in ((5, 0.5), (7, 1.0), (11, 1.0)):
        best = way_of(Ordered(id="q", text="Q?", answers=tuple(map(str, range(size)))), Fraction(epsilon)).ladder
        plain = best.levels[0]
        for length in range(2, size):
            arc = ArcResponse(size=size, odds=plain.odds, length=length)
            law = np.full(size, 1 / size)
            sums = arc.weights() @ np.triu(np.ones((size, size)))[:, :-1]
            seen = law @ arc.rows()
            known = plain.weights() @ np.triu(np.ones((size, size)))[:, :-1]
            told = law @ plain.channel().array
            ratio = (seen @ sums**2 - (seen @ sums) ** 2).max() / (told @ known**2 - (told @ known) ** 2).max()
            assert ratio > 0.78
            assert max(arc.variance(law, 1)) > 2 * max(map(float, plain.variance([Fraction(1, size)] * size, 1)))


def test_levels_and_keys():
    readers = (Analyst(name="ministry", epsilon=Fraction(3)),)
    way = way_of(Ordered(**ASK), 1, readers)
    assert way.key_levels == (1,)
    published = way.ladder.publish(np.arange(1000) % 5, InsecureSeeded(4))
    assert way.ladder.open(published.reports, published.keys[1]).mechanism.odds > way.ladder.odds[-1]


def test_a_typed_scale(tmp_path):
    assert Ordered.suits("never < sometimes < always")
    question = Ordered.typed("q", "Q?", "never < sometimes < always")
    assert question.answers == ("never", "sometimes", "always")
    study = Study(name="s", questions=(question,), public_epsilon=Fraction(1))
    (tmp_path / "s.toml").write_text(first_file(study), encoding="utf-8")
    assert read_study(tmp_path / "s.toml") == study


@pytest.mark.parametrize("scores", [(1, 2), (1, 1, 1, 1, 1), (1, 2, 3, 4, "five")])
def test_scores_are_one_number_for_each_answer(scores):
    with pytest.raises(InvalidParameter, match="scores"):
        Ordered(**ASK, scores=scores)


def test_two_answers_in_order_are_asked_by_flips():
    way = way_of(Ordered(id="q", text="Q?", answers=("less", "more")))
    assert isinstance(way.channel(1), Channel)
    found = estimate(way, [0.4, 0.6], 400, 3)
    assert [one.name for one in found.quantities] == ["mean", "median", "“less” or lower"]


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ("no, yes", "yes-no"),
        ("a, b, c", "one-of-many"),
        ("<5, 5-10, >10", "one-of-many"),
        ("never < sometimes < always", "ordered"),
        ("0..10", "count"),
        ("0..50 by 0.01", "number"),
        ("1.5..2", "number"),
    ],
)
def test_what_typed_answers_mean(answers, kind):
    assert kind == question_from("Q?", answers).KIND
