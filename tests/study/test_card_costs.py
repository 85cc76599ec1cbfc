"""The plan's numbers are those of the designer and the planner, and its approximation is near them."""

import math
from fractions import Fraction

import pytest

from sfumato import measures
from sfumato.design import survey, unrelated_question, warner
from sfumato.infer import respondents_for_half_width, respondents_for_test
from sfumato.study import Plan, Rule, StudyLimits, Survey, cost_levels, plan_survey
from sfumato.study.costs import ANY_EPSILON

TENTH = Fraction(1, 10)


def study(*, plan=None, outputs=3, faces=None, **limits):
    limits = {"guess_error": Fraction(3, 8), **limits}
    plan = plan or Plan(expected_share=TENTH, half_width=2 * TENTH)
    return Survey(name="n", question="q", limits=StudyLimits(**limits), outputs=outputs, faces=faces, plan=plan)


def test_the_table_is_what_the_rooms_say_one_by_one():
    plan = plan_survey(study())
    expected = {
        "three outputs": survey(guess_error=Fraction(3, 8)),
        "two outputs": survey(guess_error=Fraction(3, 8), outputs=2, theta=TENTH),
        "Warner": warner(guess_error=Fraction(3, 8)),
        "unrelated question": unrelated_question(guess_error=Fraction(3, 8)),
    }
    assert [cost.name for cost in plan.costs] == list(expected)
    for cost, design in zip(plan.costs, expected.values(), strict=True):
        assert cost.design.channel == design.channel
        assert cost.rule is Rule.EXACT
        assert cost.respondents == respondents_for_half_width(design.channel, 0.1, 0.2).n
        assert cost.information == float(design.fisher_information(TENTH))
        assert cost.epsilon == measures.epsilon(design.channel)
        assert cost.exposure == measures.exposure(design.channel)
        assert cost.guess_error == Fraction(3, 8)
    assert [cost.is_chosen for cost in plan.costs] == [True, False, False, False]
    # [C, Table I]: the same protection with 10.7 times the information.
    assert plan.costs[0].information / plan.costs[2].information == pytest.approx(10.667, rel=1e-4)


def test_a_test_is_planned_by_its_exact_errors():
    plan = plan_survey(study(plan=Plan(theta_1=TENTH, theta_2=2 * TENTH, error=Fraction(1, 20))))
    for cost in plan.costs:
        assert cost.rule is Rule.EXACT
        assert cost.respondents == respondents_for_test(cost.design.channel, 0.1, 0.2, error=0.05).n


def test_a_limit_on_epsilon_holds_for_every_rival_but_the_one_named_after_it():
    plan = plan_survey(study(max_epsilon=Fraction(1), faces=100))
    names = [cost.name for cost in plan.costs]
    assert names == [
        "three outputs, 100 faces", "three outputs", "two outputs", "Warner", "unrelated question", ANY_EPSILON,
    ]  # fmt: skip
    assert all(cost.epsilon <= 1 and cost.exposure == 0 for cost in plan.costs[:-1])
    assert plan.costs[-1].epsilon == math.inf
    assert 100 % plan.card.faces == 0


def test_a_draw_too_fine_for_a_card_has_none():
    assert plan_survey(study(max_epsilon=Fraction(1))).card is None


@pytest.mark.parametrize(
    "plan",
    [
        Plan(expected_share=TENTH, half_width=TENTH / 2),
        Plan(expected_share=Fraction(1, 2), half_width=TENTH / 2, confidence=Fraction(99, 100)),
        Plan(theta_1=2 * TENTH, theta_2=3 * TENTH, error=Fraction(1, 100)),
    ],
)
def test_levels_are_near_the_exact_numbers(plan):
    """The three-output design, whose exact search is quick."""
    declared = study(plan=plan)
    for level in cost_levels(declared, [TENTH, 3 * TENTH, 4 * TENTH]):
        about = dict(level.respondents)["three outputs"]
        channel = survey(guess_error=level.guess_error).channel
        if plan.is_test:
            exact = respondents_for_test(channel, 0.2, 0.3, error=0.01).n
        else:
            share, confidence = float(plan.share), float(plan.confidence)
            exact = respondents_for_half_width(channel, share, 0.05, confidence=confidence).n
        assert about == pytest.approx(exact, rel=0.08)


def test_more_privacy_costs_more_and_the_best_design_least():
    levels = cost_levels(study(), [Fraction(i, 50) for i in range(1, 25)])
    assert len(levels) == 24
    for level in levels:
        needs = dict(level.respondents)
        assert needs["three outputs"] == min(needs.values())
    for name, _ in levels[0].respondents:
        curve = [dict(level.respondents)[name] for level in levels]
        assert curve == sorted(curve)


def test_levels_that_the_weight_forbids_are_left_out():
    levels = cost_levels(study(guess_error=TENTH, weight=2 * TENTH), [TENTH, 2 * TENTH, 3 * TENTH, Fraction(1, 2)])
    assert [level.guess_error for level in levels] == [TENTH, 2 * TENTH]


def test_large_surveys_are_approximated_and_endless_ones_have_no_number():
    plan = plan_survey(study(plan=Plan(expected_share=TENTH, half_width=Fraction(1, 1000))))
    assert all(cost.rule is Rule.NORMAL for cost in plan.costs)
    assert plan.costs[0].respondents == math.ceil((1.959963984540054 / 0.001) ** 2 / (25 / 9))
    endless = plan_survey(
        study(guess_error=Fraction(499, 1000), plan=Plan(expected_share=TENTH, half_width=Fraction(1, 10_000)))
    )
    assert [cost.respondents for cost in endless.costs][2] is None


def test_a_share_at_the_end_is_planned_for():
    """There the information is infinite, and the approximation gives way to the exact search."""
    plan = plan_survey(study(plan=Plan(expected_share=Fraction(0), half_width=TENTH)))
    assert plan.costs[0].respondents == respondents_for_half_width(plan.design.channel, 0.0, 0.1).n
