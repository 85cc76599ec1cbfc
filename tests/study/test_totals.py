"""What a respondent spends over all questions: sums by who is looking, never less than true."""

import math
from fractions import Fraction

import pytest

from sfumato.measures import epsilon_interval
from sfumato.study import Analyst, Card, Count, OneOfMany, Study, YesNo
from sfumato.study.study import Seen, totals_of

HALF, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)
PLAIN = YesNo(id="plain", text="Q?")
CAPPED = OneOfMany(id="capped", text="Q?", answers=("a", "b", "c"), epsilon=Fraction(3, 2))
COUNT = Count(id="count", text="Q?", highest=6, points=4)
OPEN_CARD = Card(id="card", text="Q?", guess_error=Fraction(3, 8))
CLOSED_CARD = Card(id="closed", text="Q?", guess_error=Fraction(3, 8), max_epsilon=TWO)
READERS = (Analyst(name="ministry", epsilon=TWO), Analyst(name="university", epsilon=ONE))


def totals(*questions, **changes):
    given = {"name": "Poll", "public_epsilon": HALF, "analysts": READERS, "recover": True} | changes
    return {total.holder: total for total in totals_of(Study(questions=questions, **given))}


def test_sums_over_the_questions():
    found = totals(PLAIN, CAPPED, COUNT)
    assert list(found) == ["public", "ministry", "university", "all analysts together", "registrar"]
    assert found["public"].epsilon == 1.5
    assert found["ministry"].epsilon == 2 + 1.5 + 2
    assert found["university"].epsilon == 3
    assert found["all analysts together"].epsilon == found["ministry"].epsilon
    assert found["ministry"].by_question == (
        Seen(question="plain", level=1, epsilon=2.0),
        Seen(question="capped", level=1, epsilon=1.5),
        Seen(question="count", level=1, epsilon=2.0),
    )
    assert [seen.level for seen in found["university"].by_question] == [2, 2, 2]
    assert [seen.level for seen in found["public"].by_question] == [3, 3, 3]


def test_the_registrar_sees_answers():
    registrar = totals(PLAIN)["registrar"]
    assert (registrar.epsilon, registrar.sees_answers, registrar.as_json) == (math.inf, True, "answers")
    assert registrar.by_question == (Seen(question="plain", level=0, epsilon=math.inf),)
    assert "registrar" not in totals(PLAIN, recover=False)


def test_together_means_the_best_of_each_question():
    """One analyst alone is no coalition; with two, each question counts at its sharpest."""
    assert "all analysts together" not in totals(PLAIN, analysts=READERS[:1])
    found = totals(PLAIN, CAPPED, analysts=(Analyst(name="a", epsilon=ONE), Analyst(name="b", epsilon=TWO)))
    assert found["all analysts together"].epsilon == 3.5


def test_a_card_without_a_limit_on_epsilon_makes_every_total_infinite():
    found = totals(PLAIN, OPEN_CARD)
    assert all(total.epsilon == math.inf for total in found.values())
    assert found["public"].as_json == "inf"
    assert found["registrar"].as_json == "answers"


def test_a_card_with_a_limit_counts_the_same_for_everybody():
    found = totals(PLAIN, CLOSED_CARD)
    card = epsilon_interval(CLOSED_CARD.design().channel).upper
    assert 1.99 < card <= 2 + 1e-9
    for total in found.values():
        assert total.by_question[1] == Seen(question="closed", level=1, epsilon=card)
    assert found["public"].epsilon == pytest.approx(0.5 + card, abs=1e-12)
    assert Fraction(found["public"].epsilon) >= HALF + Fraction(card)


def test_sums_are_rounded_up():
    """One tenth is no float; ten of them must not come out below one."""
    questions = [YesNo(id=f"q{i}", text="Q?") for i in range(10)]
    total = totals(*questions, public_epsilon=Fraction(1, 10), analysts=(), recover=False)["public"]
    assert Fraction(total.epsilon) >= 1
    assert total.epsilon == pytest.approx(1, abs=1e-14)
    thirds = totals(*questions[:3], public_epsilon=Fraction(1, 3), analysts=(), recover=False)["public"]
    assert Fraction(thirds.epsilon) >= 1
