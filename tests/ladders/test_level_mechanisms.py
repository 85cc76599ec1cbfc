"""Rungs: what every family knows of itself, and that the table is all there is to a family."""

import ast
import itertools
import math
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from ladder_strategies import ladders
from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.ladders import Ladder
from sfumato.ladders.shift_levels import ArcLevel, CyclicLevel, FlipLevel
from sfumato.ladders.spec import FAMILIES, declared_level, level_over
from sfumato.mechanisms import BinaryHadamard, RandomizedResponse
from sfumato.prob import Channel, Circulant
from sfumato.sampling import InsecureSeeded, Tally
from syntax_trees import nodes_of, tree_of

rungs = ladders().map(lambda ladder: ladder.levels[0])
TWO = FlipLevel(size=2, odds=Fraction(3))
MANY = FlipLevel(size=5, odds=Fraction(3))
CYCLIC = CyclicLevel.within(size=5, epsilon=1.0)
ARC = ArcLevel(size=5, odds=Fraction(3), length=3)
APART = ArcLevel(size=5, odds=Fraction(3), length=3, apart=True)
EACH = [TWO, MANY, CYCLIC, ARC, APART]


@given(rung=rungs)
def test_a_rung_is_read_back_from_what_it_declares(rung):
    document = {"mechanism": rung.kind, **rung.declaration()}
    again = declared_level(document)
    assert again.at(rung.odds) == rung
    assert FAMILIES[rung.kind] is type(rung)
    assert level_over(rung) == rung


@pytest.mark.parametrize("rung", EACH, ids=repr)
def test_a_rung_is_its_mechanism_at_given_odds(rung):
    plain = rung.base(**{field.name: getattr(rung, field.name) for field in fields(rung)})
    assert type(level_over(plain)) is type(rung)
    other = rung.at(Fraction(7, 2))
    assert (type(other), other.size, other.modulus, other.odds) == (type(rung), rung.size, rung.modulus, Fraction(7, 2))
    assert other.name == Ladder.of_odds(plain, [Fraction(7, 2)]).levels[0].name
    assert math.log(rung.odds_for(1.25)) == pytest.approx(1.25, abs=1e-8)
    assert rung.odds_for(1.25) < Fraction(math.exp(1.25))


def test_a_rung_of_a_mechanism_with_a_budget_is_a_plain_flip():
    thrifty = BinaryHadamard(size=3, odds=Fraction(4), silence=Fraction(1, 2))
    assert level_over(thrifty) == FlipLevel(size=3, odds=Fraction(4))
    with pytest.raises(NotCertified, match="does not flip a yes as often as a no"):
        FlipLevel(size=3, odds=Fraction(4), yes=Fraction(1, 2)).shift_law()


def test_other_mechanisms_have_no_levels():
    with pytest.raises(InvalidParameter, match=r"must be one of CyclicResponse, .*, not RandomizedResponse"):
        level_over(RandomizedResponse(size=3, odds=Fraction(2)))


@pytest.mark.parametrize("document", [{"mechanism": "coin", "size": 2}, {"mechanism": "binary_hadamard", "size": True}])
def test_what_no_family_declares(document):
    with pytest.raises((KeyError, ValueError)):
        declared_level(document)


@given(rung=rungs, offset=st.integers(0, 20))
def test_truths_and_the_shift_law_make_the_law(rung, offset):
    """P(y|x) at a position is the law of the shift at y - truth."""
    law = rung.shift_law().law()
    for x in range(rung.size):
        truth = int(rung.truths([x], offset)[0])
        shifted = tuple(law[(y - truth) % rung.modulus] for y in range(rung.modulus))
        assert tuple(rung.channel_at(offset).row(x)) == shifted
    if rung.recoverable:
        answers = np.arange(rung.size)
        assert (rung.answers(rung.truths(answers)) == answers).all()
    else:
        with pytest.raises(InvalidParameter, match="cannot be told apart"):
            rung.answers(np.zeros(1, dtype=np.int64))


@given(rung=rungs)
def test_the_channel_of_a_level_is_exact_and_has_its_odds(rung):
    channel = rung.channel()
    assert isinstance(channel, Channel | Circulant)
    assert channel.exact
    assert channel.shape[0] == rung.size
    assert measures.odds(channel) == rung.odds
    assert all(sum(row) == 1 for row in channel.rows)
    if rung.by_position:
        assert channel.outputs == tuple(itertools.product(range(1, rung.groups + 1), range(2)))
        assert channel[1, 0] == rung.law(1, 1)[0] / rung.groups
    else:
        assert channel.outputs == tuple(range(rung.modulus))
        assert channel.row(1) == rung.law(1)


def test_a_channel_of_questions_that_is_too_large_is_refused():
    large = FlipLevel(size=1000, odds=Fraction(3))
    with pytest.raises(InvalidParameter, match=r"size=1000 makes a channel of 1000×2046 entries.*channel\(group=1\)"):
        large.channel()
    assert large.channel(group=1).shape == (1000, 2)


@pytest.mark.parametrize("recover", [False, True])
def test_of_two_answers_the_report_is_the_answer_with_noise(recover):
    """Report 1 speaks for the second answer, in the channel, in reports, in every view and after recovery."""
    ladder = Ladder(BinaryHadamard(size=2, odds=Fraction(2)), [8.0, 7.0], recover=recover)
    for level in ladder.levels:
        assert level.channel().rows[1][1] > Fraction(1, 2) < level.channel().rows[0][0]
        assert level.truths([0, 1, 1]).tolist() == [0, 1, 1]
    values = np.array([0, 1, 1, 1] * 500)
    published = ladder.publish(values, InsecureSeeded(3))
    views = [ladder.open(published.reports), ladder.open(published.reports, published.keys[1])]
    for view in views:
        assert (view.reports == values).mean() > 0.99
        assert view.mechanism.estimate(view.mechanism.tally(view.reports)).raw[1] == pytest.approx(0.75, abs=0.02)
    if recover:
        assert (ladder.recover(published.reports, published.keys[0]) == values).all()
    alone = BinaryHadamard.within(size=2, epsilon=8.0)
    assert (alone.privatize(values, InsecureSeeded(4)) == values).mean() > 0.99
    assert alone.channel().rows[1][1] > Fraction(1, 2)


@pytest.mark.parametrize("rung", EACH, ids=repr)
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_share_deviation_is_that_of_the_exact_variance(rung, share):
    rest = (1 - share) / (rung.size - 1)
    law = [share] + [rest] * (rung.size - 1)
    if rung.by_position:
        law = [Fraction(1, rung.size)] * rung.size
    n = 7 if rung.by_position else 1
    # Over an arc not all shares are read alike, and the worst of them is what is said.
    places = range(rung.size) if rung in (ARC, APART) else [0]
    worst = max(float(rung.variance(law[-x:] + law[:-x], n)[x]) for x in places)
    assert rung.share_deviation(share) == pytest.approx(math.sqrt(n * worst), rel=1e-9, abs=1e-12)


@given(rung=rungs, data=st.data())
def test_scores_have_the_mean_of_the_values(rung, data):
    values = data.draw(st.lists(st.integers(-50, 50), min_size=rung.size, max_size=rung.size))
    scores = rung.linear_scores(values)
    if rung.by_position:
        assert scores is None
        return
    for x, value in enumerate(values):
        mean = math.fsum(float(p) * score for p, score in zip(rung.law(x), scores, strict=True))
        assert mean == pytest.approx(value, abs=1e-6 * max(1.0, float(np.abs(scores).max())))


@pytest.mark.parametrize("rung", EACH, ids=repr)
@pytest.mark.parametrize("values", [[1.0], [[1.0, 2.0]], [math.nan] * 5])
def test_scores_want_one_finite_value_for_each_answer(rung, values):
    with pytest.raises(InvalidParameter, match=r"values must be \d finite numbers"):
        rung.linear_scores(values)


@pytest.mark.parametrize("rung", EACH, ids=repr)
def test_tallies_take_positions_everywhere(rung):
    reports = rung.privatize(np.arange(40) % rung.size, InsecureSeeded(5))
    whole = rung.tally(reports)
    parts = rung.tally(reports[:13]) + rung.tally(reports[13:], positions=13)
    assert isinstance(whole, Tally)
    assert parts == whole
    assert rung.by_position == (rung.tally(reports, positions=1) != whole)
    order = np.random.default_rng(1).permutation(40)
    assert rung.tally(reports[order], positions=order) == whole
    answers = np.arange(40) % rung.size
    assert (rung.truths(answers[order], order) == rung.truths(answers)[order]).all()


@given(rung=rungs)
def test_random_bits_are_those_of_the_shift(rung):
    bits = -math.fsum(float(p) * math.log2(p) for p in rung.shift_law().law() if p)
    assert rung.randomness_bits().widened(1e-12).encloses(Ladder.of_odds(rung, [rung.odds]).separate_bits())
    assert rung.randomness_bits().midpoint == pytest.approx(bits, abs=1e-12)


@pytest.mark.parametrize("rung", [*EACH, ArcLevel(size=5, odds=Fraction(3), length=1)], ids=repr)
def test_hits_are_as_probable_as_is_said_whatever_the_other_answer(rung):
    """One count tells of a share only then; of a longer arc none does, and nothing is said."""
    assert (rung.hitting() is None) == (not isinstance(rung, CyclicLevel) and getattr(rung, "length", 0) != 1)
    if rung.hitting() is None:
        return
    own, other, members = rung.hitting()
    for held, asked in itertools.product(range(rung.size), repeat=2):
        law = rung.channel().row(held)
        assert sum(law[(asked + d) % rung.modulus] for d in members.tolist()) == (own if held == asked else other)


def test_words_for_a_plan():
    assert TWO.because([Fraction(3)]) == "Two answers: each report is the answer or its opposite, one level, by flips."
    assert "one public yes/no question about the answer, 2 levels of one report" in MANY.because([3, 2])
    wide = Ladder.within(size=60, epsilons=[2.0, 1.0])
    words = wide.because("rounded counts")
    assert words.startswith(f"60 rounded counts: the cyclic response on {wide.modulus} possible reports, 2 levels")
    assert f"the noise over the least possible is {wide.ratios[0]:.2f}, {wide.ratios[1]:.2f}, sharpest" in words
    assert "noise" not in Ladder.within(size=60, epsilons=[1.0]).because()


def test_nobody_else_in_refine_asks_what_a_rung_is_made_over():
    """A new family is one file and one entry of the table."""
    room = Path(sfumato.__file__).parent / "refine"
    names = {kind.__name__ for kind in (*FAMILIES.values(), *(family.base for family in FAMILIES.values()))}
    asked = []
    for path in room.rglob("*.py"):
        for node in nodes_of(tree_of(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                asked += [path.name for part in ast.walk(node) if getattr(part, "id", "") in names]
    assert asked == []
