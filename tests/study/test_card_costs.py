"""The plan's numbers are those of the designer and the planner, and its approximation is near them."""

import math
from fractions import Fraction

import pytest

from sfumato import measures
from sfumato.inference import respondents_for_half_width, respondents_for_test
from sfumato.study import Audience, Card, Goal
from sfumato.study.compared_designs import (
    ANY_EPSILON,
    CROSSWISE,
    DIRECT,
    FORCED,
    FORCED_YES,
    Rule,
    cost_levels,
    design_costs,
    direct_channel,
)
from sfumato.surveys import crosswise, forced_response, survey, unrelated_question, warner

TENTH = Fraction(1, 10)


def card(*, goal=None, **changes):
    goal = goal or Goal(expected_share=TENTH, half_width=2 * TENTH)
    return Card(**{"id": "q", "text": "Q?", "guess_error": Fraction(3, 8), "goal": goal} | changes)


def plan_of(question):
    return question.handler(Audience()).plan()


def test_the_table_is_what_the_rooms_say_one_by_one():
    costs = design_costs(card())
    expected = {
        "three outputs": survey(guess_error=Fraction(3, 8)).channel,
        "two outputs": survey(guess_error=Fraction(3, 8), outputs=2, theta=TENTH).channel,
        "Warner": warner(guess_error=Fraction(3, 8)).channel,
        "unrelated question": unrelated_question(guess_error=Fraction(3, 8)).channel,
        FORCED: forced_response(guess_error=Fraction(3, 8), forced_yes=FORCED_YES).channel,
        CROSSWISE: crosswise(guess_error=Fraction(3, 8)).channel,
        DIRECT: direct_channel(("no", "yes")),
    }
    assert [cost.name for cost in costs] == list(expected)
    for cost, channel in zip(costs, expected.values(), strict=True):
        assert cost.channel == channel
        assert cost.rule is Rule.EXACT
        assert cost.respondents == respondents_for_half_width(channel, 0.1, 0.2).n
        assert cost.information == float(measures.fisher_information(channel, TENTH))
        assert cost.epsilon == measures.epsilon(channel)
        assert cost.exposure == measures.exposure(channel)
        if cost.name not in {CROSSWISE, DIRECT}:
            assert cost.guess_error == Fraction(3, 8)
    assert Fraction(3, 8) <= costs[5].guess_error < Fraction(3, 8) + Fraction(1, 365)
    assert costs[6].guess_error == 0
    assert [cost.is_chosen for cost in costs] == [True, *[False] * 6]
    # [C, Table I]: the same protection with 10.7 times the information.
    assert costs[0].information / costs[2].information == pytest.approx(10.667, rel=1e-4)


def test_a_test_is_planned_by_its_exact_errors():
    costs = design_costs(card(goal=Goal(theta_1=TENTH, theta_2=2 * TENTH, error=Fraction(1, 20))))
    for cost in costs:
        assert cost.rule is Rule.EXACT
        assert cost.respondents == respondents_for_test(cost.channel, 0.1, 0.2, error=0.05).n


def test_a_limit_on_epsilon_holds_for_every_rival_but_the_one_named_after_it():
    costs = design_costs(card(max_epsilon=Fraction(1), faces=100))
    names = [cost.name for cost in costs]
    assert names == [
        "three outputs, 100 faces", "three outputs", "two outputs", "Warner", "unrelated question", FORCED, CROSSWISE,
        DIRECT, ANY_EPSILON,
    ]  # fmt: skip
    assert all(cost.epsilon <= 1 and cost.exposure == 0 for cost in costs[:-2])
    assert [cost.epsilon for cost in costs[-2:]] == [math.inf] * 2


def test_a_card_is_drawn_in_its_faces_or_said_to_be_too_fine():
    assert 100 % plan_of(card(max_epsilon=Fraction(1), faces=100)).card.faces == 0
    fine = plan_of(card(max_epsilon=Fraction(1)))
    assert fine.card is None
    assert "too fine" in " ".join(fine.instructions)


@pytest.mark.parametrize(
    "goal",
    [
        Goal(expected_share=TENTH, half_width=TENTH / 2),
        Goal(expected_share=Fraction(1, 2), half_width=TENTH / 2, confidence=Fraction(99, 100)),
        Goal(theta_1=2 * TENTH, theta_2=3 * TENTH, error=Fraction(1, 100)),
    ],
)
def test_levels_are_near_the_exact_numbers(goal):
    """The three-output design, whose exact search is quick."""
    for level in cost_levels(card(goal=goal), [TENTH, 3 * TENTH, 4 * TENTH]):
        about = dict(level.respondents)["three outputs"]
        channel = survey(guess_error=level.guess_error).channel
        if goal.is_test:
            exact = respondents_for_test(channel, 0.2, 0.3, error=0.01).n
        else:
            share, confidence = float(goal.share), float(goal.confidence)
            exact = respondents_for_half_width(channel, share, 0.05, confidence=confidence).n
        assert about == pytest.approx(exact, rel=0.08)


def test_more_privacy_costs_more_and_the_best_design_least():
    levels = cost_levels(card(), [Fraction(i, 50) for i in range(1, 25)])
    errors = [level.guess_error for level in levels]
    assert errors == sorted([Fraction(3, 8), *(Fraction(i, 50) for i in range(1, 25))]), "the card's own is among them"
    for level in levels:
        needs = dict(level.respondents)
        assert needs["three outputs"] == min(needs.values())
    for name, _ in levels[0].respondents:
        curve = [dict(level.respondents)[name] for level in levels]
        assert curve == sorted(curve)


def test_levels_that_the_weight_forbids_are_left_out():
    levels = cost_levels(card(guess_error=TENTH, weight=2 * TENTH), [TENTH, 2 * TENTH, 3 * TENTH, Fraction(1, 2)])
    assert [level.guess_error for level in levels] == [TENTH, 2 * TENTH]


def test_large_surveys_are_approximated_and_endless_ones_have_no_number():
    costs = design_costs(card(goal=Goal(expected_share=TENTH, half_width=Fraction(1, 1000))))
    assert all(cost.rule is Rule.NORMAL for cost in costs)
    assert costs[0].respondents == math.ceil((1.959963984540054 / 0.001) ** 2 / (25 / 9))
    endless = design_costs(
        card(guess_error=Fraction(499, 1000), goal=Goal(expected_share=TENTH, half_width=Fraction(1, 10_000)))
    )
    assert [cost.respondents for cost in endless][2] is None


def test_a_share_at_the_end_is_planned_for():
    """There the information is infinite, and the approximation gives way to the exact search."""
    costs = design_costs(card(goal=Goal(expected_share=Fraction(0), half_width=TENTH)))
    assert costs[0].respondents == respondents_for_half_width(costs[0].channel, 0.0, 0.1).n


def test_the_plan_shows_these_numbers():
    """In words for people, and whole for programs."""
    question = card(max_epsilon=Fraction(1), faces=100)
    plan, costs, levels = plan_of(question), design_costs(question), cost_levels(question)
    by_design, by_epsilon, by_posterior, by_error = plan.tables
    assert by_epsilon.rows[0][:2] == by_posterior.rows[0][:2] == by_design.rows[0][:2]
    assert [row[:2] for row in by_design.rows] == [(cost.name, f"{cost.respondents:,}") for cost in costs]
    assert by_design.chosen == 0
    assert by_error.rows[by_error.chosen][0] == "37.5 %"
    assert by_error.header[1:] == tuple(name for name, _ in levels[0].respondents)
    assert plan.document["respondents"] == costs[0].respondents
    assert [entry["epsilon"] for entry in plan.document["designs"]] == [
        cost.epsilon if math.isfinite(cost.epsilon) else "inf" for cost in costs
    ]
    assert len(plan.document["levels_of_privacy"]) == len(levels)
    curve = plan.costs()
    assert curve.guess_error == Fraction(3, 8)
    assert Fraction(3, 8) in [level.guess_error for level in curve.levels]
    assert curve.goal == question.goal.words("yes")
