"""Robust intervals hold although some reports are fake, and plain ones do not."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.infer.poisoning import extreme_removals, robust_share_interval, without
from sfumato.prob.share_bounds import binomial_share_intervals
from sfumato.study.estimating import robust_estimate
from sfumato.study.ways import Reading
from sfumato.values import Tally

LEVELS = [(0.25, 0.75), (1 / (1 + np.e), np.e / (1 + np.e)), (0.1, 0.35), (0.0, 0.5), (0.45, 0.55)]


def plain(hits, total, other, own):
    lower, upper = binomial_share_intervals([hits], total, other, own, 0.95)
    return float(lower[0]), float(upper[0])


@pytest.mark.parametrize(("other", "own"), LEVELS)
@pytest.mark.parametrize("total", [1, 7, 40, 501])
def test_ends_rise_with_the_count(other, own, total):
    """What the hull rests on."""
    lower, upper = binomial_share_intervals(np.arange(total + 1), total, other, own, 0.95)
    assert (np.diff(lower) >= -1e-12).all()
    assert (np.diff(upper) >= -1e-12).all()


@given(st.data(), st.sampled_from(LEVELS), st.integers(2, 60))
def test_the_hull_is_over_every_removal(data, level, total):
    """Of hits and misses alike, and over none."""
    hits = data.draw(st.integers(0, total))
    fakes = data.draw(st.integers(1, total - 1))
    found = robust_share_interval(hits, total, *level, fakes)
    each = [
        plain(hits - out, total - removed, *level)
        for removed in {0, fakes}
        for out in range(max(0, removed - (total - hits)), min(removed, hits) + 1)
    ]
    assert found.lower == pytest.approx(min(low for low, _ in each), abs=1e-11)
    assert found.upper == pytest.approx(max(high for _, high in each), abs=1e-11)


def covers(share, hits, total, level, fakes):
    other, own = level
    low, high = plain(hits, total, other, own)
    found = robust_share_interval(hits, total, other, own, fakes)
    return low <= share <= high, found.lower <= share <= found.upper


ATTACKS = {
    "all the same report": lambda fakes, own, other: {fakes: 1.0},
    "the report that moves most": lambda fakes, own, other: {0: 1.0},
    "fakes that mimic people of another kind": lambda fakes, own, other: dict(
        enumerate(binom.pmf(np.arange(fakes + 1), fakes, own))
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("share", [0.15, 0.8])
def test_robust_intervals_cover_under_attack(attack, share):
    """Exactly, by going through every count of honest hits: ≥ 95 %. The plain interval is the control that fails."""
    total, fakes, (other, own) = 200, 24, (0.25, 0.75)
    if attack == "the report that moves most" and share < 0.5:
        added = {fakes: 1.0}  # up, away from a small share
    else:
        added = ATTACKS[attack](fakes, own, other)
    chance = other + (own - other) * share
    honest = binom.pmf(np.arange(total - fakes + 1), total - fakes, chance)
    seen = np.zeros(total + 1)
    for more, weight in added.items():
        seen[more : more + honest.size] += weight * honest
    naive = robust = 0.0
    for hits in np.flatnonzero(seen > 1e-6).tolist():
        is_plain, is_robust = covers(share, hits, total, (other, own), fakes)
        naive += seen[hits] * is_plain
        robust += seen[hits] * is_robust
    assert robust >= 0.95  # counts below a millionth are left out on both sides
    moves = abs(sum(more * weight for more, weight in added.items()) - fakes * chance) / fakes
    if moves > 0.15:
        assert naive < 0.9


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.data())
def test_removing_takes_the_first_in_order(counts, data):
    total = sum(counts)
    if total < 2:
        return
    fakes = data.draw(st.integers(1, total - 1))
    order = np.array(data.draw(st.permutations(range(len(counts)))), dtype=float)
    left = without(np.array(counts), order, fakes)
    rows = sorted(np.repeat(order, counts).tolist())
    assert sorted(np.repeat(order, left).tolist()) == rows[fakes:]


def test_no_removal_moves_a_mean_of_scores_further():
    counts, scores = np.array([3, 1, 4, 2]), np.array([0.5, -2.0, 1.5, 3.0])
    left = extreme_removals(counts, scores, 3)
    means = [float(one @ scores / one.sum()) for one in left]
    every = [np.array(taken) for taken in product(*(range(count + 1) for count in counts.tolist())) if sum(taken) == 3]
    reached = [float((counts - taken) @ scores / 7) for taken in every]
    assert min(means) == pytest.approx(min(reached))
    assert max(means) == pytest.approx(max(reached))


@pytest.mark.parametrize("fakes", [0, -1, 10, 11])
def test_numbers_of_fakes_that_make_no_sense(fakes):
    with pytest.raises(InvalidParameter, match="fakes"):
        robust_share_interval(5, 10, 0.25, 0.75, fakes)


@pytest.mark.parametrize("hits", [-1, 11])
def test_more_hits_than_reports_are_refused(hits):
    with pytest.raises(InvalidParameter, match=r"hits=.* must lie in \[0, 10\]"):
        robust_share_interval(hits, 10, 0.25, 0.75, 2)


# Through the ways of asking: the interval of the honest reports alone lies inside the robust one.

QUESTIONS = (
    sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),
    sf.Card(id="card", text="Card?", guess_error=Fraction(3, 8), outputs=3),
    sf.OneOfMany(id="party", text="Which?", answers=("a", "b", "c", "d"), epsilon=Fraction(1)),
    sf.Ordered(id="often", text="How often?", answers=("never", "at times", "always"), epsilon=Fraction(1)),
    sf.Ordered(
        id="hidden", text="How often?", answers=("never", "at times", "always"), epsilon=Fraction(2), missing="hidden"
    ),
    sf.Count(id="visits", text="How many?", highest=4, points=5, epsilon=Fraction(1)),
)


def law_of(way):
    channel = way.channel(len(way.epsilons))
    size = channel.shape[0]
    law = np.arange(1, size + 1) / (size * (size + 1) / 2)
    return channel.array, law


def attacked(way, generator, total, fakes, attack):
    """Counts of honest reports, and of all."""
    rows, law = law_of(way)
    honest = generator.multinomial(total - fakes, law @ rows)
    added = np.zeros_like(honest)
    if attack == "same":
        added[0] = fakes
    elif attack == "most":
        added[int(np.argmax(way.weights(len(way.epsilons))[:, 0]))] = fakes
    else:
        added = generator.multinomial(fakes, rows[0])
    return honest, honest + added


def seen_by(way, counts, confidence=0.95):
    reading = Reading(level=len(way.epsilons), confidence=confidence)
    tally = Tally(mechanism=way.question.id, counts=tuple(int(one) for one in counts))
    return way.estimate(tally, reading), tally, reading


@pytest.mark.parametrize("attack", ["same", "most", "mimic"])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: one.id)
def test_what_the_honest_say_is_inside(question, attack):
    study = sf.Study(name="Test", questions=(question,))
    way = study.way(question.id)
    generator = np.random.default_rng(7)
    total, fakes = 900, 60
    honest, counts = attacked(way, generator, total, fakes, attack)
    found, tally, reading = seen_by(way, counts)
    robust = robust_estimate(way, tally, reading, found, fakes).robust
    alone, _, _ = seen_by(way, honest)
    pairs = list(zip(alone.intervals, robust.intervals, strict=True))
    pairs += list(zip((one.interval for one in alone.quantities), robust.quantities, strict=True))
    assert pairs
    for inner, outer in pairs:
        # Intervals from scores go by the likeliest law of all reports, so a removal may be a hair from the worst.
        slack = 0.01 * outer.width + 1e-12
        assert outer.lower - slack <= inner.lower
        assert inner.upper <= outer.upper + slack
    moved = np.array(found.raw) - np.array(alone.raw)
    assert (moved <= np.array(robust.raised) + 1e-9).all()
    assert (-moved <= np.array(robust.lowered) + 1e-9).all()


def test_options_are_counted_one_by_one():
    question = sf.Several(id="uses", text="Which?", options=("a", "b", "c"), epsilon=Fraction(3), ask=3)
    study = sf.Study(name="Test", questions=(question,))
    way = study.way("uses")
    generator = np.random.default_rng(3)
    reports = generator.integers(0, 8, 500)
    tally = way.tally(reports, 1)
    reading = Reading(level=1)
    found = way.estimate(tally, reading)
    robust = robust_estimate(way, tally, reading, found, 20).robust
    own, other = (float(p) for p in way.rung(1).probabilities)
    for place, interval in enumerate(robust.intervals):
        hits = int((reports >> place & 1).sum())
        expected = robust_share_interval(hits, 500, other, own, 20)
        assert interval.lower == pytest.approx(expected.lower, abs=1e-12)
        assert interval.upper == pytest.approx(expected.upper, abs=1e-12)


def test_where_it_is_not_worked_out_a_note_says_so():
    answers = tuple(f"answer {i}" for i in range(60))
    question = sf.OneOfMany(id="many", text="Which?", answers=answers, epsilon=Fraction(1))
    way = sf.Study(name="Test", questions=(question,)).way("many")
    counts = np.random.default_rng(1).multinomial(500, np.full(way.report_count, 1 / way.report_count))
    found, tally, reading = seen_by(way, counts)
    again = robust_estimate(way, tally, reading, found, 5)
    assert again.robust is None
    assert "not worked out" in again.notes[-1]
    all_fake = robust_estimate(way, tally, reading, found, 500)
    assert "all reports here may be fake" in all_fake.notes[-1]


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["same", "most", "mimic"])
@pytest.mark.parametrize("question", [QUESTIONS[2], QUESTIONS[3], QUESTIONS[5]], ids=lambda one: one.id)
def test_robust_intervals_of_more_answers_cover_under_attack(question, attack):
    """By simulation: robust intervals of each share cover at least 94 %, and the plain ones fail."""
    way = sf.Study(name="Test", questions=(question,)).way(question.id)
    generator = np.random.default_rng(11)
    _, law = law_of(way)
    times, total, fakes = 150, 1500, 150
    plainly, robustly = np.zeros(len(law)), np.zeros(len(law))
    for _ in range(times):
        _, counts = attacked(way, generator, total, fakes, attack)
        found, tally, reading = seen_by(way, counts)
        robust = robust_estimate(way, tally, reading, found, fakes).robust
        plainly += [share in one for share, one in zip(law, found.intervals, strict=True)]
        robustly += [share in one for share, one in zip(law, robust.intervals, strict=True)]
    assert (robustly / times >= 0.94).all()
    assert plainly.min() / times < 0.9
