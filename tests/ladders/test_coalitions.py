"""Coalitions see what their best member sees: every joint report written out, and the premise checked."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder_strategies import convolved, groups_of, ladders
from sfumato import measures
from sfumato.errors import InvalidParameter, NotCertified
from sfumato.ladders import Ladder, TwoLevelShift
from sfumato.ladders.evidence import check_nesting, coalition_odds, entries, held_channel, joint_channel
from sfumato.ladders.groups import ShiftLaw
from sfumato.mechanisms import BinaryHadamard, CyclicResponse

THIRTEEN = CyclicResponse(size=3, odds=Fraction(2), q=3, t=3)
SEVEN = CyclicResponse(size=4, odds=Fraction(2), q=2, t=3)
BIT = BinaryHadamard(size=5, odds=Fraction(2))
ODDS = [Fraction(9), Fraction(4), Fraction(2), Fraction(3, 2)]


def with_steps(ladder, steps):
    """A ladder whose steps were tampered with, as a bug would."""
    changed = Ladder.of_odds(ladder.levels[0], ladder.odds, recover=ladder.recover_answers)
    object.__setattr__(changed, "steps", tuple(steps))
    return changed


@given(ladder=ladders().filter(lambda found: entries(found, len(found.levels)) <= 10_000), data=st.data())
def test_joint_odds_are_those_of_the_best_member(ladder, data):
    group = data.draw(st.sampled_from(groups_of(ladder)))
    best = ladder.odds[min(group) - 1]
    assert measures.odds(joint_channel(ladder, group)) == best
    assert measures.odds(held_channel(ladder, group)) == best
    assert coalition_odds(ladder, group) == best


@pytest.mark.parametrize("over", [SEVEN, BIT], ids=lambda over: type(over).__name__)
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_every_coalition_of_one_ladder(over, depth):
    ladder = Ladder.of_odds(over, ODDS[:depth])
    for group in groups_of(ladder):
        assert measures.odds(joint_channel(ladder, group)) == ODDS[min(group) - 1]


def test_four_levels_of_thirteen():
    ladder = Ladder.of_odds(THIRTEEN, ODDS)
    assert measures.odds(joint_channel(ladder, [2, 3, 4])) == 4
    assert measures.odds(joint_channel(ladder, [1, 2, 3])) == 9


@settings(max_examples=min(20, settings.default.max_examples // 2))
@given(ladder=ladders(most=3).filter(lambda found: entries(found, len(found.levels)) <= 3_000), data=st.data())
def test_reports_and_keys_tell_the_same(ladder, data):
    """The report of a level is the public one less what its key says: the two channels are relabelled, no more."""
    group = data.draw(st.sampled_from(groups_of(ladder)))
    joint, held = joint_channel(ladder, group), held_channel(ladder, group)
    place = {output: number for number, output in enumerate(held.outputs)}
    for x, row in enumerate(joint.rows):
        for reports, probability in zip(joint.outputs, row, strict=True):
            keys = [(reports[-1] - report) % ladder.modulus for report in reports[:-1]]
            assert held.rows[x][place[(*keys, reports[-1])]] == probability


def test_two_reports_drawn_apart_would_see_more():
    """What nesting is for: two independent reports at odds 4 and 2 have joint odds 8, not 4."""
    ladder = Ladder.of_odds(SEVEN, [Fraction(4), Fraction(2)])
    sharp, blunt = (level.channel().to_dense().rows for level in ladder.levels)
    worst = max(
        sharp[x][a] * blunt[x][b] / (sharp[z][a] * blunt[z][b])
        for x, z in itertools.permutations(range(4), 2)
        for a, b in itertools.product(range(7), repeat=2)
    )
    assert worst == 8 > coalition_odds(ladder, [1, 2]) == 4


@given(data=st.data(), modulus=st.sampled_from([2, 3, 7, 13]))
def test_adding_steps_is_convolution(data, modulus):
    steps = []
    for _ in range(data.draw(st.integers(1, 3))):
        favoured = data.draw(st.sets(st.integers(0, modulus - 1), min_size=1, max_size=modulus - 1))
        inside = data.draw(st.fractions(0, 1, max_denominator=20))
        steps.append(TwoLevelShift(modulus=modulus, favoured=np.array(sorted(favoured)), inside=inside))
    law = ShiftLaw.nothing(modulus)
    for step in steps:
        law = law.plus(step)
    assert law.law() == convolved([step.law() for step in steps], modulus)
    assert list(law.values) == sorted(set(law.law()))
    assert sum(value * count for value, count in law.counted()) == 1


@given(ladder=ladders())
def test_every_ladder_is_nested(ladder):
    check_nesting(ladder)


def mutants(ladder):
    first, *below = ladder.steps
    modulus = ladder.modulus
    chances = [1 - (high - low) for high, low in (step.probabilities for step in below)]
    kept = [TwoLevelShift.erasure(modulus, 1 - chance) for chance in chances]
    yield "lambda on the wrong side", (first, *kept)
    yield "a step used twice", (first, below[0], below[0], *below[2:])
    yield "two steps exchanged", (first, below[1], below[0], *below[2:])
    yield "no step at all", (first, TwoLevelShift.erasure(modulus, Fraction(0)), *below[1:])
    yield (
        "erasure never to the same",
        (
            first,
            TwoLevelShift(modulus=modulus, favoured=np.array([0]), inside=1 - chances[0]),
            *below[1:],
        ),
    )
    yield (
        "shift by one",
        (
            first,
            TwoLevelShift(modulus=modulus, favoured=np.array([1]), inside=below[0].inside),
            *below[1:],
        ),
    )
    yield "first step of the second level", (Ladder.of_odds(ladder.levels[0], ladder.odds[1:]).steps[0], *below)


@pytest.mark.parametrize("over", [THIRTEEN, BIT], ids=lambda over: type(over).__name__)
@pytest.mark.parametrize("number", range(7))
def test_a_wrong_step_is_caught(over, number):
    ladder = Ladder.of_odds(over, ODDS)
    name, steps = list(mutants(ladder))[number]
    with pytest.raises(NotCertified, match="does not lead from level"):
        check_nesting(with_steps(ladder, steps))
    with pytest.raises(NotCertified):
        coalition_odds(with_steps(ladder, steps), [1])
    assert name


def test_large_ladders_are_judged_without_being_written_out():
    ladder = Ladder.within(size=1000, epsilons=[2.0, 1.0, 0.5])
    assert coalition_odds(ladder, [2, 3]) == ladder.odds[1]
    assert math.log(ladder.odds[1]) == pytest.approx(1.0, abs=1e-9)
    with pytest.raises(InvalidParameter, match=r"1000·1365\^2 joint reports.*Use coalition_odds"):
        joint_channel(ladder, [1])
    with pytest.raises(InvalidParameter, match="Use coalition_odds"):
        held_channel(ladder, [1])


@pytest.mark.parametrize("function", [coalition_odds, joint_channel, held_channel])
@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        ([], "levels is empty"),
        ([0, 1], "must not have level 0, which holds the answers"),
        ([5], "levels=5"),
        ([1.5], "levels"),
    ],
)
def test_bad_coalitions(function, levels, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        function(Ladder.of_odds(BIT, ODDS), levels)
