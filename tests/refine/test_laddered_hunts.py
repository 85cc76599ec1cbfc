"""A hunt by ladders: the public view is a plain hunt, keys show the same reports sharper, and nothing dropped."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.bits import InsecureSeeded
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.infer import PrefixHunt
from sfumato.refine.laddered_hunts import LadderedHunt

# Two rounds of four bits; 0xA7 is frequent, 0xA3 shares its first half and is not, 0x1C stands alone and is rare.
FREQUENT, HIDDEN, ALONE = 0xA7, 0xA3, 0x1C
EPSILONS = (4.0, 1.0)


def drawn_people():
    random = np.random.default_rng(4)
    people = random.integers(0, 256, 6000)
    people[:2400] = FREQUENT
    people[2400:2760] = HIDDEN
    people[2760:2850] = ALONE
    random.shuffle(people)
    return people.tolist()


PEOPLE = drawn_people()


@pytest.fixture(scope="module")
def asked():
    hunt = LadderedHunt(key_bits=8, step_bits=4, keep=2, epsilons=EPSILONS)
    return hunt, hunt.publish(PEOPLE, InsecureSeeded(8))


def test_the_public_view_is_a_plain_hunt(asked):
    """Whoever has no key reads the rounds as those of the public mechanism, and finds what the next round asked."""
    hunt, rounds = asked
    assert len(rounds) == 2
    assert rounds[0].candidates == (0,)
    mechanism = hunt.ladder((0,), 0).levels[-1]
    assert math.log(mechanism.odds) <= 1.0
    plain = PrefixHunt(key_bits=8, step_bits=4, keep=2, mechanism_for=lambda size: hunt.ladder((0,), 0).levels[-1])
    estimate = mechanism.estimate(mechanism.tally(rounds[0].published.reports))
    assert plain.survivors(estimate, (0,), 0) == rounds[1].candidates
    assert 0xA in rounds[1].candidates


def test_a_key_shows_the_same_reports_sharper(asked):
    """Standard errors fall as the levels say, in each round by its own key; a text is found that the public misses."""
    hunt, rounds = asked
    for one in rounds:
        key = one.published.keys[1]
        public, opened = hunt.estimate(one), hunt.estimate(one, key)
        ratio = np.median(np.array(opened.standard_errors) / np.array(public.standard_errors))
        levels = hunt.ladder(one.candidates, one.number).levels
        group = PEOPLE[hunt.hunt.group(len(PEOPLE), one.number)]
        held = np.bincount(hunt.hunt.level_values(group, one.candidates, one.number), minlength=levels[0].size)
        law = [Fraction(int(count), len(group)) for count in held]
        sharp, blurred = (np.array([float(v) for v in level.variance(law, len(group))]) for level in levels)
        expected = np.median(np.sqrt(sharp / blurred))
        assert ratio == pytest.approx(expected, rel=0.1)
        assert ratio < 0.5
    seen = hunt.found(rounds)
    opened = hunt.found(rounds, {1: rounds[1].published.keys[1]})
    assert FREQUENT in seen.keys
    assert {FREQUENT, HIDDEN} <= set(opened.keys)
    assert HIDDEN not in seen.keys
    # What the key of the first round shows changes nothing that was asked later.
    assert hunt.found(rounds, {0: rounds[0].published.keys[1]}) == seen


def test_what_the_public_dropped_stays_unknown(asked):
    """A prefix that is plain to the key of the first round was not asked about in the second, and no key finds it."""
    hunt, rounds = asked
    offered = rounds[1].candidates
    dropped = [prefix for prefix in hunt.survivors(rounds[0], rounds[0].published.keys[1]) if prefix not in offered]
    opened = hunt.found(rounds, {number: one.published.keys[1] for number, one in enumerate(rounds)})
    assert all(key >> 4 in offered for key in opened.keys)
    assert ALONE not in opened.keys or 0x1 in offered
    assert all(key >> 4 not in dropped for key in opened.keys)


def test_what_does_not_fit_is_refused(asked):
    hunt, rounds = asked
    with pytest.raises(SfumatoError):  # a key of another round
        hunt.estimate(rounds[0], rounds[1].published.keys[1])
    with pytest.raises(InvalidParameter, match="rounds"):
        hunt.found(rounds[1:])
    strange = type(rounds[1])(number=1, candidates=(3,), published=rounds[1].published)
    with pytest.raises(InvalidParameter, match="others than the public reports"):
        hunt.found((rounds[0], strange))
    with pytest.raises(InvalidParameter, match="epsilons"):
        LadderedHunt(key_bits=8, step_bits=4, keep=2, epsilons=(1.0,))


def test_nothing_frequent_ends_the_hunt():
    hunt = LadderedHunt(key_bits=8, step_bits=4, keep=2, epsilons=(0.5, 0.1))
    rounds = hunt.publish(list(range(40)), InsecureSeeded(2))
    assert hunt.found(rounds).keys == ()


def test_a_round_is_certified_as_its_ladder(asked):
    hunt, rounds = asked
    certificate = sf.certify(hunt.ladder(rounds[1].candidates, 1))
    sf.verify(certificate)
