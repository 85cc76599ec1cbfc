"""What the plan says that a report tells is Bayes' rule on the channel, for every way, reader, report and share."""

import itertools
import json
import math
from fractions import Fraction
from functools import cache
from statistics import NormalDist

import numpy as np
import pytest

from kind_samples import SAMPLES
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.measures import fisher_information
from sfumato.output.plans import study_plan_document
from sfumato.study import Audience, Card, Goal, OneOfMany, Study, YesNo
from sfumato.study.planning import plan_question, plan_study
from sfumato.study.question import ShareRange
from sfumato.study.question_plans import (
    of_people,
    people,
    respondents_in_each,
    risk_document,
    risk_of,
    risk_sentences,
    risk_table,
)

TENTH = Fraction(1, 10)
ASKED = {"id": "q", "text": "Q?"}
NAMES = [sample.name for sample in SAMPLES]


@cache
def planned(name):
    (sample,) = [one for one in SAMPLES if one.name == name]
    return sample.handler, plan_question(sample.handler)


def bayes(rows, prior, x, y):
    """P(x | y) with the joint law written out."""
    joint = [mass * row[y] for mass, row in zip(prior, rows, strict=True)]
    return joint[x] / sum(joint) if sum(joint) else prior[x]


def worst_over_priors(rows, share, y):
    """The most of any answer over all priors with that share of it: at corners, where one other holds the rest."""
    size = len(rows)
    return max(
        bayes(rows, [share if z == x else 1 - share if z == other else 0 for z in range(size)], x, y)
        for x, other in itertools.permutations(range(size), 2)
    )


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name == "one of many, by symbols" else name for name in NAMES],
)
def test_every_number_is_bayes_by_enumeration(name):
    way, plan = planned(name)
    risk = plan.risk
    assert len(risk.levels) == len(way.epsilons)
    for level in risk.levels:
        if level.is_bound:
            with pytest.raises(InvalidParameter):
                way.channel(level.level.level)
            continue
        rows = way.channel(level.level.level).to_dense().rows
        reports = range(len(rows[0]))
        # Of twelve answers there are 132 corners a report: one share is enough of them.
        places = [risk.place] if len(rows) > 6 else range(len(risk.shares.shares))
        for place in places:
            share = risk.shares.shares[place]
            if len(rows) == 2:
                found = [one.posteriors[place] for one in level.reports]
                assert found == [bayes(rows, (1 - share, share), 1, y) for y in reports]
            elif len(level.reports) > 1:
                assert [one.posteriors[place] for one in level.reports] == [
                    worst_over_priors(rows, share, y) for y in reports
                ]
            else:
                assert level.reports[0].posteriors[place] == max(worst_over_priors(rows, share, y) for y in reports)
            even = [(1 - share) / (len(rows) - 1)] * len(rows)
            evens = max(
                bayes(rows, [*even[:x], share, *even[x + 1 :]], x, y) for x in range(len(rows)) for y in reports
            )
            assert max(one.even[place] for one in level.reports) == evens or len(rows) == 2


@pytest.mark.parametrize("name", NAMES)
def test_epsilon_bounds_all_of_it(name):
    """Posterior odds are at most e^ε times the prior odds; a hunt says this bound itself."""
    way, plan = planned(name)
    for level, epsilon in zip(plan.risk.levels, way.epsilons, strict=True):
        if math.isinf(epsilon):
            continue
        for one in level.reports:
            for share, found in zip(plan.risk.shares.shares, one.posteriors, strict=True):
                bound = math.exp(epsilon) * share / (math.exp(epsilon) * float(share) + 1 - float(share))
                assert float(found) <= bound * (1 + 1e-9)
                if level.is_bound:
                    assert float(found) == pytest.approx(bound, rel=1e-12)
                    assert float(found) >= bound


@pytest.mark.parametrize("name", NAMES)
def test_a_proof_is_said_in_words_and_nothing_else_is(name):
    way, plan = planned(name)
    said = [one.sentence for one in risk_sentences(plan.risk) if one.is_alarm]
    proved = set()
    for level in plan.risk.levels:
        if not level.is_bound:
            channel = way.channel(level.level.level).to_dense()
            for y, x in itertools.product(range(channel.shape[1]), range(channel.shape[0])):
                if channel[x, y] and not any(channel[z, y] for z in range(channel.shape[0]) if z != x):
                    proved.add((channel.outputs[y], channel.inputs[x]))
    assert len(said) == len(proved)
    for report, answer in proved:
        assert f"The report “{report}” proves the answer “{answer}”: only those who hold it can give it." in said


def test_the_words_are_natural_frequencies_rounded_up():
    card = Card(**ASKED, guess_error=Fraction(3, 8), max_epsilon=Fraction(3, 2), goal=Goal(expected_share=TENTH))
    (said,) = risk_sentences(plan_question(card.handler(Audience())).risk)
    assert said.sentence == (
        "What everybody sees: if 10 of 100 people hold “yes”, then of 100 whose report is “yes” at most 34 do."
    )
    odds = math.exp(1.5)
    assert 33 < 100 * odds / (odds + 9) < 34


def test_a_large_list_is_told_quickly_and_by_one_row():
    asked = OneOfMany(**ASKED, answers=tuple(f"place {i}" for i in range(5000)))
    way = asked.handler(Audience(public_epsilon=Fraction(1)))
    risk = risk_of(way, way.levels)
    (level,) = risk.levels
    (most,) = level.reports
    assert risk.shares.shares == (Fraction(1, 5000), Fraction(1, 100), Fraction(1, 2))
    odds = Fraction(most.posteriors[2] / (1 - most.posteriors[2]))
    assert float(odds) == pytest.approx(math.e, rel=1e-6)
    assert most.posteriors[0] == odds / (odds + 4999)
    assert "2 of 10,000 people hold an answer" in risk_sentences(risk)[0].sentence
    assert len(risk_table(risk).rows) == 1


def test_reports_that_tell_as_much_share_a_row_and_programs_get_all():
    asked = OneOfMany(**ASKED, answers=("a", "b", "c"))
    risk = plan_question(asked.handler(Audience(public_epsilon=Fraction(2)))).risk
    assert [row[:2] for row in risk_table(risk).rows] == [("each report", "the one it names")]
    document = json.loads(json.dumps(risk_document(risk)))
    assert [one["report"] for one in document["levels"][0]["reports"]] == ["a", "b", "c"]
    first = document["levels"][0]["reports"][0]["posteriors"][0]
    assert Fraction(first["exact"]) <= Fraction(first["value"]) <= Fraction(first["exact"]) * (1 + Fraction(1, 1 << 50))


class TestShares:
    def test_what_is_stated_is_taken(self):
        goal = Goal(expected_share=TENTH, share_range=("0.05", "0.3"))
        assert goal.told_shares.shares == (Fraction(1, 20), TENTH, Fraction(3, 10))
        assert Goal(share_range=(TENTH, 2 * TENTH)).told_shares.expected == 2 * TENTH

    def test_else_half_to_double_and_never_the_ends(self):
        for hundredths in range(1, 100):
            share = Fraction(hundredths, 100)
            low, middle, high = Goal(expected_share=share).told_shares.shares
            assert 0 < low < middle == share < high < 1
        assert Goal(expected_share=TENTH).told_shares.shares == (TENTH / 2, TENTH, 2 * TENTH)
        assert Goal(expected_share=1 - TENTH).told_shares.shares == (1 - 2 * TENTH, 1 - TENTH, 1 - TENTH / 2)

    def test_without_anything_one_to_fifty_per_cent(self):
        assert Goal().told_shares.shares == (Fraction(1, 100), TENTH, Fraction(1, 2))
        assert Goal(expected_share=Fraction(0)).told_shares.shares == (0, Fraction(1, 100), Fraction(1, 2))
        assert ShareRange.of_equal(0) == ShareRange.stated(None, None)

    @pytest.mark.parametrize("ends", [(0, TENTH), (TENTH, TENTH), (2 * TENTH, TENTH), (TENTH, 1), (TENTH,)])
    def test_a_range_that_is_none_is_refused(self, ends):
        with pytest.raises(SfumatoError, match="share_range"):
            Goal(share_range=ends)

    def test_it_is_kept_in_a_file_and_changes_no_design(self):
        plain = YesNo(**ASKED, goal=Goal(expected_share=TENTH))
        told = YesNo(**ASKED, goal=Goal(expected_share=TENTH, share_range=(TENTH, 2 * TENTH), difference=TENTH))
        assert told.entries()["share_range"] == [TENTH, 2 * TENTH]
        assert told.entries()["difference"] == TENTH
        one, other = (asked.handler(Audience(public_epsilon=Fraction(1))) for asked in (plain, told))
        assert one.declaration == other.declaration

    def test_people_are_enough_to_see_somebody(self):
        assert [people(Fraction(1, n)) for n in (1, 10, 100, 101, 5000)] == [100, 100, 100, 1000, 10_000]
        assert of_people(Fraction(1, 6), 100) == "about 17 of 100"


NO_SHARES = {"text", "number, for its mean", "number, of two points"}


class TestGroups:
    @pytest.mark.parametrize("name", [name for name in NAMES if name not in NO_SHARES])
    def test_every_way_with_shares_has_a_number_for_each_reader(self, name):
        way, plan = planned(name)
        assert len(plan.groups.respondents) == len(way.epsilons)
        assert list(plan.groups.respondents) == sorted(plan.groups.respondents)

    @pytest.mark.parametrize("name", sorted(NO_SHARES))
    def test_a_hunt_and_a_mean_have_none(self, name):
        assert planned(name)[1].groups is None

    def test_the_rule_has_the_power_that_it_says(self):
        """Two groups drawn many times by the card; the difference is seen in 80 of 100."""
        card = Card(
            **ASKED,
            guess_error=Fraction(3, 10),
            max_epsilon=Fraction(2),
            goal=Goal(expected_share=2 * TENTH, difference=TENTH),
        )
        way = card.handler(Audience())
        (n,) = plan_question(way).groups.respondents
        channel, weights, rng = way.channel(1).array, way.weights(1), np.random.default_rng(5)
        shares = []
        for share in (0.2, 0.3):
            law = np.array([1 - share, share]) @ channel
            counts = rng.multinomial(n, law, size=20_000)
            scores = weights[:, 1]
            raw = counts @ scores / n
            shares.append((raw, (counts @ scores**2 / n - raw**2) / n))
        (a, va), (b, vb) = shares
        seen = np.mean(np.abs(b - a) > NormalDist().inv_cdf(0.975) * np.sqrt(va + vb))
        assert abs(seen - 0.8) < 0.03

    def test_a_card_and_the_generic_rule_agree(self):
        """For two answers the unbiased share has the variance 1/J where there are two reports."""
        asked = YesNo(**ASKED, goal=Goal(expected_share=TENTH))
        way = asked.handler(Audience(public_epsilon=Fraction(1)))
        deviations = [
            1 / math.sqrt(float(fisher_information(way.channel(1), share))) for share in (TENTH, 3 * TENTH / 2)
        ]
        assert plan_question(way).groups.respondents == (respondents_in_each(deviations, 0.05),)

    def test_what_is_never_seen_has_no_number(self):
        assert respondents_in_each([math.inf, 1.0], 0.1) is None
        assert respondents_in_each([0.0, 0.0], 0.1) == 2


def test_the_plan_for_programs_has_all_of_it():
    study = Study(name="S", questions=(Card(**ASKED, guess_error=Fraction(3, 8)), YesNo(id="r", text="R?")),
                  public_epsilon=Fraction(1))  # fmt: skip
    document = json.loads(json.dumps(study_plan_document(plan_study(study))))
    for entry in document["questions"]:
        assert entry["risk"]["levels"][0]["reports"]
        assert entry["two_groups"]["respondents_in_each_group"][0]["respondents"] > 0
        assert {one["equal"] for one in entry["comparisons"]} >= {"epsilon", "posterior"}
        assert entry["arguments"]
