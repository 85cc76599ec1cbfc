"""What a plan says of a mechanism beside what nobody can beat."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato import inference
from sfumato.ladders import Ladder
from sfumato.mechanisms import ArcResponse
from sfumato.output.plans import study_plan_document, study_plan_markdown
from sfumato.output.statements import statement_of
from sfumato.prob import Distribution
from sfumato.study import Analyst, OneOfMany, Study, YesNo
from sfumato.study.ladder_planning import beside_floors, floor_words, times
from sfumato.study.planning import plan_study


def planned(question, **more):
    return plan_study(
        Study(
            name="s",
            questions=(question,),
            analysts=(Analyst(name="office", epsilon=Fraction(2)),),
            public_epsilon=Fraction(1),
            **more,
        )
    )


def test_a_plan_prints_both_ratios_rounded_up():
    plan = planned(OneOfMany(id="q", text="?", answers=tuple("abcdefgh")), population=10**6)
    (question,) = plan.questions
    document = study_plan_document(plan)["questions"][0]["floors"]
    for row, rung in zip(document, Ladder.within(size=8, epsilons=(2.0, 1.0)).levels, strict=True):
        law = Distribution.uniform(8)
        assert row["risk"] == pytest.approx(float(sum(rung.variance(law, 10**6))), rel=1e-9)
        assert row["ratio"] >= row["risk"] / inference.risk_floor(8, 10**6, math.log(rung.odds)) * (1 - 1e-12)
        assert 1 < row["ratio"] < row["interactive_ratio"]
        for shown in (times(row["ratio"]), times(row["interactive_ratio"])):
            assert any(shown in words for words in question.words)
    assert "of any method in which respondents answer without seeing others' reports" in study_plan_markdown(plan)
    assert "of sequential methods, in which they see them" in study_plan_markdown(plan)
    assert question.closeness in statement_of(plan).asked[0].how
    assert question.closeness in question.words


def test_without_a_population_each_level_has_the_people_that_its_goal_takes():
    plan = planned(YesNo(id="q", text="?"))
    rows = study_plan_document(plan)["questions"][0]
    assert [row["respondents"] for row in rows["floors"]] == [row["respondents"] for row in rows["levels"]]
    assert any("as many respondents as the goal takes" in words for words in plan.questions[0].words)


@pytest.mark.parametrize("ladder", [Ladder.within(size=40, epsilons=[1.0]), Ladder.of_flips(size=12, epsilons=[1.0])])
def test_the_largest_risk_is_that_of_no_law_exceeded(ladder):
    """Random laws, corners and the uniform one have no more than what is compared with the floor."""
    (rung,) = ladder.levels
    n = 1500 if rung.by_position else 1000
    most = rung.largest_risk(n)
    generator = np.random.default_rng(3)
    laws = [np.full(rung.size, 1 / rung.size), np.eye(rung.size)[0], *generator.dirichlet(np.ones(rung.size), 20)]
    risks = [float(sum(rung.variance(law.tolist(), n))) for law in laws]
    assert max(risks) <= most * (1 + 1e-9)
    assert max(risks) > 0.9 * most


def test_where_shares_are_not_what_is_estimated_nothing_is_compared():
    arcs = Ladder(ArcResponse(size=9, odds=Fraction(3), length=4), (2.0, 1.0))
    assert floor_words(beside_floors(arcs.levels, [1000, 1000])) == ""
    too_few = Ladder.of_flips(size=100, epsilons=[1.0])
    assert beside_floors(too_few.levels, [50]) == ()


def test_ratios_are_rounded_up():
    assert [times(value) for value in (1.0, 1.001, 1.311, 99.991, 100.2)] == ["1.00", "1.01", "1.32", "100.00", "101"]
