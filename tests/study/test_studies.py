"""Who sees how much: levels from the sharpest key to the public, ceilings, and studies that cannot be."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings

from sfumato.errors import InvalidParameter
from sfumato.study import Analyst, Card, Count, FreeText, OneOfMany, Study, YesNo
from sfumato.study.ladder_questions import LadderHandler
from sfumato.study.study import MOST_ANALYSTS
from study_strategies import studies

HALF, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)
MINISTRY, UNIVERSITY = Analyst(name="ministry", epsilon=TWO), Analyst(name="university", epsilon=ONE)
CARD = Card(id="card", text="Q?", guess_error=Fraction(3, 8))


def study(*questions, **changes):
    given = {"name": "Poll", "public_epsilon": HALF, "analysts": (MINISTRY, UNIVERSITY)} | changes
    return Study(questions=questions or (YesNo(id="q", text="Q?"),), **given)


def test_levels_run_from_the_sharpest_key_to_the_public():
    way = study().handler("q")
    assert way.epsilons == (2.0, 1.0, 0.5)
    assert (way.level_of(MINISTRY), way.level_of(UNIVERSITY)) == (1, 2)
    assert [level.readers for level in way.levels] == [("ministry",), ("university",), ("public",)]
    assert way.key_levels == (1, 2)
    assert study(recover=True).handler("q").key_levels == (0, 1, 2)


def test_a_questions_epsilon_is_a_ceiling():
    assert study(YesNo(id="q", text="Q?", epsilon=Fraction(3, 2))).handler("q").epsilons == (1.5, 1.0, 0.5)
    lower = study(OneOfMany(id="q", text="Q?", answers=("a", "b", "c"), epsilon=Fraction(3, 4))).handler("q")
    assert lower.epsilons == (0.75, 0.5)
    assert lower.level_of(MINISTRY) == lower.level_of(UNIVERSITY) == 1
    assert [level.readers for level in lower.levels] == [("ministry", "university"), ("public",)]
    below = study(Count(id="q", text="Q?", highest=4, epsilon=Fraction(1, 4))).handler("q")
    assert below.epsilons == (0.25,)
    assert below.level_of(MINISTRY) == 1


def test_an_analyst_at_the_publics_level_needs_no_key():
    guest = Analyst(name="guest", epsilon=HALF)
    way = study(analysts=(guest,)).handler("q")
    assert way.epsilons == (0.5,)
    assert way.level_of(guest) == 1
    assert way.key_levels == ()


def test_cards_and_texts_have_one_level_and_no_keys():
    poll = study(CARD, FreeText(id="text", text="Q?", epsilon=Fraction(3, 4)), recover=True)
    card, text = poll.handlers
    assert card.epsilons == (math.inf,)
    assert text.epsilons == (0.5,)
    assert card.level_of(MINISTRY) == text.level_of(MINISTRY) == 1
    assert (card.on_paper, text.on_paper) == (True, False)
    assert card.key_levels == text.key_levels == ()


def test_without_a_public_epsilon_a_questions_own_is_what_everybody_sees():
    poll = study(YesNo(id="q", text="Q?", epsilon=ONE), public_epsilon=None, analysts=())
    assert poll.handler("q").epsilons == (1.0,)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(poll=studies())
def test_levels_fall_and_nobody_sees_more_than_promised(poll):
    # What can be recovered is another matter, and refused where not all options are asked.
    for way in replace(poll, recover=False).handlers:
        epsilons = way.epsilons
        assert list(epsilons) == sorted(set(epsilons), reverse=True)
        assert [level.level for level in way.levels] == list(range(1, len(epsilons) + 1))
        for analyst in poll.analysts if isinstance(way, LadderHandler) else ():
            ceiling = way.question.epsilon
            seen = Fraction(epsilons[way.level_of(analyst) - 1])
            # What is promised is rounded up to a float.
            assert seen <= Fraction(math.nextafter(float(analyst.epsilon), math.inf))
            assert ceiling is None or seen <= Fraction(math.nextafter(float(ceiling), math.inf))
            assert seen >= Fraction(epsilons[-1])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Study(name="Poll", questions=()), "questions=0"),
        (lambda: study(YesNo(id="a", text="Q?"), YesNo(id="A", text="Q?")), "same id"),
        (lambda: study(analysts=(MINISTRY, Analyst(name="Ministry", epsilon=ONE))), "same name"),
        (lambda: study(public_epsilon=None), "must say what everybody sees"),
        (lambda: study(public_epsilon=None, analysts=()), "'q' promises nothing"),
        (lambda: study(public_epsilon=Fraction(3)), "'ministry' would see less than the public"),
        (lambda: study(public_epsilon=Fraction(21)), "public_epsilon=21"),
        (lambda: study(population=0), "population=0"),
        (lambda: study(population=1.5), "whole number"),
        (lambda: study(name="a\nb"), "control character"),
        (lambda: study(analysts=[Analyst(name=f"a{i}", epsilon=ONE) for i in range(MOST_ANALYSTS + 1)]), "analysts=31"),
        (lambda: Analyst(name="a/b", epsilon=ONE), "letters, digits"),
        (lambda: Analyst(name="..", epsilon=ONE), "letters, digits"),
        (lambda: Analyst(name="PUBLIC", epsilon=ONE), "not 'registrar' or 'public'"),
        (lambda: Analyst(name="é" * 51, epsilon=ONE), "100 bytes"),
        (lambda: Analyst(name="a", epsilon=0), "epsilon=0"),
        (lambda: study().question("nobody"), "which has: q"),
    ],
)
def test_studies_that_cannot_be(make, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        make()
