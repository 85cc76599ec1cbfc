"""Who sees how much: levels from the sharpest key to the public, ceilings, and studies that cannot be."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from sfumato.study.questions import FreeText

from sfumato.errors import InvalidParameter
from sfumato.study import Analyst, Count, OneOfMany, Study, StudyLimits, Survey, YesNo
from sfumato.study.studies import MOST_ANALYSTS, has_card, has_levels
from study_strategies import studies

HALF, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)
MINISTRY, UNIVERSITY = Analyst(name="ministry", epsilon=TWO), Analyst(name="university", epsilon=ONE)
CARD = YesNo(id="card", text="Q?", limits=StudyLimits(guess_error=Fraction(3, 8)))


def study(*questions, **changes):
    given = {"name": "Poll", "public_epsilon": HALF, "analysts": (MINISTRY, UNIVERSITY)} | changes
    return Study(questions=questions or (YesNo(id="q", text="Q?"),), **given)


def test_levels_run_from_the_sharpest_key_to_the_public():
    plain = YesNo(id="q", text="Q?")
    poll = study(plain)
    assert poll.levels(plain) == (TWO, ONE, HALF)
    assert (poll.level_of(MINISTRY, plain), poll.level_of(UNIVERSITY, plain)) == (1, 2)


def test_a_questions_epsilon_is_a_ceiling():
    capped = YesNo(id="q", text="Q?", epsilon=Fraction(3, 2))
    poll = study(capped)
    assert poll.levels(capped) == (Fraction(3, 2), ONE, HALF)
    lower = OneOfMany(id="q", text="Q?", answers=("a", "b", "c"), epsilon=Fraction(3, 4))
    assert study(lower).levels(lower) == (Fraction(3, 4), HALF)
    assert study(lower).level_of(MINISTRY, lower) == study(lower).level_of(UNIVERSITY, lower) == 1
    below = Count(id="q", text="Q?", highest=4, epsilon=Fraction(1, 4))
    assert study(below).levels(below) == (Fraction(1, 4),)
    assert study(below).level_of(MINISTRY, below) == 1


def test_an_analyst_at_the_publics_level_needs_no_key():
    plain = YesNo(id="q", text="Q?")
    guest = Analyst(name="guest", epsilon=HALF)
    poll = study(plain, analysts=(guest,))
    assert poll.levels(plain) == (HALF,)
    assert poll.level_of(guest, plain) == len(poll.levels(plain))


def test_cards_and_texts_have_no_levels():
    text = FreeText(id="text", text="Q?", epsilon=Fraction(3, 4))
    poll = study(CARD, text)
    assert poll.levels(CARD) == ()
    assert poll.levels(text) == (HALF,)
    assert poll.level_of(MINISTRY, CARD) == poll.level_of(MINISTRY, text) == 1
    assert (has_card(CARD), has_card(text)) == (True, False)
    assert not has_levels(CARD)
    assert not has_levels(text)


def test_without_a_public_epsilon_a_questions_own_is_what_everybody_sees():
    own = YesNo(id="q", text="Q?", epsilon=ONE)
    poll = study(own, public_epsilon=None, analysts=())
    assert poll.levels(own) == (ONE,)


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(poll=studies())
def test_levels_fall_and_nobody_sees_more_than_promised(poll):
    for question in poll.questions:
        levels = poll.levels(question)
        assert list(levels) == sorted(set(levels), reverse=True)
        for analyst in poll.analysts if has_levels(question) else ():
            seen = levels[poll.level_of(analyst, question) - 1]
            assert seen <= analyst.epsilon
            assert question.epsilon is None or seen <= question.epsilon
            assert seen >= levels[-1]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Study(name="Poll", questions=()), "questions=0"),
        (lambda: study(YesNo(id="a", text="Q?"), YesNo(id="A", text="Q?")), "same id"),
        (lambda: study(analysts=(MINISTRY, Analyst(name="Ministry", epsilon=ONE))), "same name"),
        (lambda: study(public_epsilon=None), "must say what everybody sees"),
        (lambda: study(public_epsilon=None, analysts=()), "'q' promises nothing"),
        (lambda: study(public_epsilon=Fraction(3)), "'ministry' would see less than the public"),
        (lambda: study(public_epsilon=Fraction(21)), "public epsilon=21"),
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


def test_a_survey_is_a_study_of_one_card():
    survey = Survey(name="Overtime", question="Overtime?", limits=StudyLimits(guess_error=Fraction(3, 8)), faces=20)
    poll = Study.of_survey(survey, column="late")
    assert poll.question("late").survey("Overtime") == survey
    assert poll.levels(poll.question("late")) == ()
