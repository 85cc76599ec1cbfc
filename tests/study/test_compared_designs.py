"""Designs on equal footing are those that a direct search over their devices finds, and cost what the planner says."""

import math
from fractions import Fraction
from functools import cache

import pytest

from sfumato import measures
from sfumato.inference import respondents_for_half_width
from sfumato.prob import Channel, Distribution
from sfumato.study import Audience, Card, Goal, YesNo
from sfumato.study.compared_designs import CROSSWISE, DIRECT, FORCED, FORCED_YES, UNRELATED, WARNER, worst_posterior
from sfumato.surveys import diluted_truth

TENTH, HALF = Fraction(1, 10), Fraction(1, 2)
GOAL = Goal(expected_share=TENTH, half_width=Fraction(1, 50))
QUICK = Goal(expected_share=TENTH, half_width=TENTH)
ASKED = {"id": "q", "text": "Q?"}
SPLITS = {WARNER: HALF, UNRELATED: HALF, FORCED: FORCED_YES}
FINE = 800


@cache
def comparisons(question):
    plan = question.handler(Audience(public_epsilon=Fraction(3, 2))).plan()
    return plan, {one["equal"]: one for one in plan.document["comparisons"]}


def rows_of(entry):
    return tuple(tuple(Fraction(p) for p in row) for row in entry["rows"])


def searched(split, is_kept):
    """The most truth that a device of so many steps can tell."""
    return max(t for i in range(FINE + 1) if is_kept(diluted_truth(t := Fraction(i, FINE), split)))


QUESTIONS = [
    Card(**ASKED, guess_error=Fraction(3, 8), max_epsilon=Fraction(3, 2), goal=GOAL),
    Card(**ASKED, guess_error=Fraction(3, 10), weight=Fraction(2, 5), max_epsilon=Fraction(2), faces=100, goal=QUICK),
    Card(**ASKED, guess_error=Fraction(3, 10), outputs=2, max_epsilon=Fraction(1), goal=QUICK),
    YesNo(**ASKED, goal=GOAL),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=["three", "faces", "two", "ladder"])
def test_equal_epsilon_is_what_a_direct_search_finds(question):
    _, found = comparisons(question)
    chosen, *others = found["epsilon"]["designs"]
    most = measures.odds(measure_channel(chosen))
    for entry in others:
        if entry["name"] in SPLITS:
            best = searched(SPLITS[entry["name"]], lambda channel: measures.odds(channel) <= most)
            truth = rows_of(entry)[1][1] - rows_of(entry)[0][1]
            assert best <= truth < best + Fraction(1, FINE)
        assert measures.odds(measure_channel(entry)) <= most
    days = next(entry for entry in others if entry["name"] == CROSSWISE)
    born = min(d for d in range(1, 183) if measures.odds(diluted_truth(1 - Fraction(2 * d, 365), HALF)) <= most)
    assert rows_of(days)[0][1] == Fraction(born, 365)


@pytest.mark.parametrize("question", QUESTIONS, ids=["three", "faces", "two", "ladder"])
def test_equal_posterior_is_what_a_direct_search_finds(question):
    """P(yes | report) by Bayes at the stated share, over every report."""
    _, found = comparisons(question)
    chosen, *others = found["posterior"]["designs"]

    def posterior(channel):
        (a, b), (c, d) = channel.rows
        return max(TENTH * p / (TENTH * p + (1 - TENTH) * q) for p, q in ((c, a), (d, b)))

    channel = measure_channel(chosen)
    most = max(measures.posterior(channel, two(TENTH), y)[1] for y in range(channel.shape[1]))
    assert Fraction(chosen["worst_posterior"]) == most
    for entry in others:
        if entry["name"] in SPLITS:
            best = searched(SPLITS[entry["name"]], lambda channel: posterior(channel) <= most)
            truth = rows_of(entry)[1][1] - rows_of(entry)[0][1]
            assert best <= truth < best + Fraction(1, FINE)
        assert Fraction(entry["worst_posterior"]) == worst_posterior(measure_channel(entry), TENTH) <= most


def test_respondents_are_the_planners():
    _, found = comparisons(QUESTIONS[0])
    for equal in ("guess error", "epsilon", "posterior"):
        for entry in found[equal]["designs"]:
            if entry["respondents"] < 10_000:
                assert entry["respondents"] == respondents_for_half_width(measure_channel(entry), 0.1, 0.02).n
    by_name = {entry["name"]: entry["respondents"] for entry in found["epsilon"]["designs"]}
    assert by_name["three outputs"] > 2 * by_name[WARNER], "what a guess error of 37.5 % costs beside ε alone"
    assert min(by_name, key=by_name.get) in {WARNER, UNRELATED}, "at equal ε nothing beats Warner's coin"


def test_the_forced_yes_pays_where_only_yes_is_sensitive():
    _, found = comparisons(QUESTIONS[3])
    needs = {
        equal: {entry["name"]: entry["respondents"] for entry in found[equal]["designs"]}
        for equal in ("epsilon", "posterior")
    }
    assert needs["epsilon"][FORCED] > needs["epsilon"][WARNER]
    assert needs["posterior"][FORCED] < needs["posterior"][WARNER]


def test_a_design_that_proves_answers_has_no_row_and_that_is_said():
    plan, found = comparisons(Card(**ASKED, guess_error=Fraction(3, 8), goal=GOAL))
    assert found["epsilon"]["designs"] == found["posterior"]["designs"] == []
    assert found["epsilon"]["left_out"]["chosen design"] == "proves answers"
    assert found["posterior"]["left_out"]["chosen design"] == "proves “yes”"
    assert "nothing to compare with" in plan.arguments[1]
    assert "some of its reports prove an answer" in plan.arguments[0]
    plan, found = comparisons(QUESTIONS[0])
    assert DIRECT in found["epsilon"]["left_out"]
    assert not any(entry["epsilon"] == "inf" for entry in found["epsilon"]["designs"])
    assert any("direct question needs 902 respondents and proves every answer" in words for words in plan.arguments)


def test_proving_no_alone_leaves_a_worst_posterior_of_yes():
    """Two reports of which only “no” proves: at equal ε there is no row, at equal posterior there are."""
    goal = Goal(expected_share=Fraction(9, 10), half_width=TENTH)
    _, found = comparisons(Card(**ASKED, guess_error=Fraction(3, 8), outputs=2, goal=goal))
    assert found["epsilon"]["designs"] == []
    assert len(found["posterior"]["designs"]) > 1
    assert math.isinf(float(found["posterior"]["designs"][0]["epsilon"]))


def measure_channel(entry):
    return Channel([list(row) for row in rows_of(entry)])


def two(share):
    return Distribution([1 - share, share])
