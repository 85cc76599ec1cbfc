"""Differences between groups: of shares and means, all pairs of few groups, together if asked."""

from fractions import Fraction
from math import hypot

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.inference import share_weights
from sfumato.inference.results import OptionDifferences
from sfumato.mechanisms.options import AssignedOptions
from sfumato.publications.estimating import Estimates


@pytest.fixture(scope="module")
def reports():
    study = sf.Study(
        name="Rest",
        questions=(
            sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(2)),
            sf.Count(id="naps", text="How many naps?", highest=3, epsilon=Fraction(2)),
        ),
    )
    answers = {
        "tired": ["yes"] * 200 + ["no"] * 400,
        "naps": ["3"] * 200 + ["0"] * 400,
        "region": ["north"] * 200 + ["south"] * 200 + ["west"] * 200,
    }
    return sf.publish(study, answers, keep=["region"], insecure_seed=18).reports


def test_each_pair_of_groups_is_compared(reports):
    found = sf.estimate_reports(reports, group="region")
    made = found.contrasts()
    shares = {(one.first, one.second): one for one in made if one.question == "tired"}
    assert list(shares) == [("north", "south"), ("north", "west"), ("south", "west")]
    means = [one for one in made if one.quantity == "mean"]
    assert [(one.first, one.second) for one in means] == list(shares)
    by_group = {one.group: one for one in found if one.question.id == "tired"}
    one = shares["north", "south"]
    assert one.answer == "yes"
    assert one.value == by_group["north"].shares[1] - by_group["south"].shares[1]
    assert one.raw == by_group["north"].raw[1] - by_group["south"].raw[1]
    assert one.standard_error == pytest.approx(
        hypot(by_group["north"].standard_errors[1], by_group["south"].standard_errors[1])
    )
    assert 1.0 in one.interval
    assert 0.0 in shares["south", "west"].interval
    assert 3.0 in means[0].interval
    assert means[0].interval.upper == 3.0
    assert 0.0 in means[2].interval
    assert -3 <= means[2].interval.lower < means[2].interval.upper <= 3


def test_contrasts_of_a_question_hold_together_if_asked(reports):
    alone = sf.estimate_reports(reports, group="region", questions=["tired"]).contrasts()
    joint = sf.estimate_reports(reports, group="region", questions=["tired"], simultaneous=True).contrasts()
    for narrow, wide in zip(alone, joint, strict=True):
        assert wide.interval.encloses(narrow.interval)
        assert wide.interval.width > narrow.interval.width
        assert (wide.together, wide.confidence) == (0.95, pytest.approx(1 - 0.05 / 3))


def test_of_many_groups_the_first_is_compared_with_the_others():
    study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(2)),))
    answers = {"tired": ["yes"] * 700, "region": [f"r{place % 7}" for place in range(700)]}
    made = sf.estimate_reports(
        sf.publish(study, answers, keep=["region"], insecure_seed=1).reports, group="region"
    ).contrasts()
    assert [(one.first, one.second) for one in made] == [("r0", f"r{place}") for place in range(1, 7)]


def test_estimates_without_groups_have_none(reports):
    with pytest.raises(InvalidParameter, match="between groups"):
        sf.estimate_reports(reports).contrasts()


def test_errors_of_unbiased_shares_are_those_of_their_weights(tmp_path):
    """Of a card with three reports the likeliest share varies less than the unbiased one."""
    (tmp_path / "study.toml").write_text(
        'schema = "sfumato/study/2"\nname = "O"\nquestion = "Overtime?"\nguess_error = 0.375\n'
    )
    counts = {"either": 700, "no": 250, "yes": 50}
    rows = [report for report, count in counts.items() for _ in range(count)]
    (tmp_path / "typed.csv").write_text("report\n" + "\n".join(rows) + "\n")
    (found,) = sf.estimate_reports(tmp_path / "typed.csv", tmp_path / "study.toml")
    channel = sf.surveys.survey(guess_error=Fraction(3, 8)).channel
    weights = share_weights(channel)[:, 1]
    law = np.array([1 - found.shares[1], found.shares[1]]) @ channel.array
    draws = np.random.default_rng(18).multinomial(1000, law, 20_000) @ weights / 1000
    assert found.raw_errors[1] == pytest.approx(draws.std(), rel=0.03)
    assert found.raw_errors[1] >= found.standard_errors[1]


ANSWERS = {
    "tired": ["yes"] * 200 + ["no"] * 400,
    "fuel": ["coal"] * 300 + ["wind"] * 200 + [""] * 100,
    "uses": ["a; b"] * 300 + ["b"] * 300,
    "steps": [str(place % 9) for place in range(600)],
    "region": ["north", "south"] * 300,
}


@pytest.fixture(scope="module")
def found():
    study = sf.Study(
        name="Power",
        questions=(
            sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(2)),
            sf.OneOfMany(
                id="fuel", text="Fuel?", answers=("coal", "wind", "sun"), epsilon=Fraction(2), missing="hidden"
            ),
            sf.Several(id="uses", text="Uses?", options=("a", "b", "c"), epsilon=Fraction(3)),
            sf.OneOfMany(id="steps", text="Step?", answers=tuple(map(str, range(9))), epsilon=Fraction(2)),
        ),
    )
    reports = sf.publish(study, ANSWERS, keep=["region"], insecure_seed=18).reports
    return {wide: sf.estimate_reports(reports, group="region", simultaneous=wide) for wide in (False, True)}


def test_each_pair_of_answers_is_compared_within_everybody_and_each_group(found):
    made = found[False].contrasts("answers")
    assert {one.group for one in made} == {None, "north", "south"}
    pairs = [(one.first, one.second) for one in made if one.question == "fuel" and one.group == "south"]
    assert pairs == [
        ("coal", "wind"),
        ("coal", "sun"),
        ("coal", "no answer"),
        ("wind", "sun"),
        ("wind", "no answer"),
        ("sun", "no answer"),
    ]
    assert [(one.first, one.second) for one in made if one.question == "tired"] == [("yes", "no")] * 3
    assert [(one.first, one.second) for one in made if one.question == "steps" and one.group is None] == [
        ("0", str(place)) for place in range(1, 9)
    ]
    estimates = {(one.question.id, one.group): one for one in found[False]}
    for one in made:
        shown = estimates[one.question, one.group]
        first, second = shown.labels.index(one.first), shown.labels.index(one.second)
        assert one.value == pytest.approx(shown.shares[first] - shown.shares[second], abs=1e-12)
        assert one.raw == pytest.approx(shown.raw[first] - shown.raw[second], abs=1e-9)
        assert -1 <= one.interval.lower < one.interval.upper <= 1
        assert one.value in one.interval
        assert (one.between, one.reports, one.quantity) == ("answers", shown.total, "share")
    truth = {("fuel", "coal", "wind"): 1 / 6, ("uses", "a", "b"): -0.5, ("tired", "yes", "no"): -1 / 3}
    for key, value in truth.items():
        (one,) = (c for c in made if (c.question, c.first, c.second) == key and c.group is None)
        assert value in one.interval


def test_contrasts_between_answers_hold_together_if_asked(found):
    alone, joint = (found[wide].contrasts("answers") for wide in (False, True))
    for narrow, wide in zip(alone, joint, strict=True):
        assert wide.interval.encloses(narrow.interval)
        assert wide.interval.width > narrow.interval.width
    claims = {"tired": 3, "fuel": 18, "uses": 9, "steps": 24}
    for one in joint:
        assert (one.together, one.confidence) == (0.95, pytest.approx(1 - 0.05 / claims[one.question]))


def test_rows_name_what_was_subtracted(found):
    made = found[False].contrasts("answers")
    rows = found[False].to_rows(made)
    assert rows[: -len(made)] == [row | {"minus": None} for row in found[False].to_rows()]
    assert [(row["answer"], row["minus"], row["group"], row["value"]) for row in rows[-len(made) :]] == [
        (one.first, one.second, one.group, one.value) for one in made
    ]
    groups = found[False].contrasts()
    last = found[False].to_rows(groups)[-1]
    assert (last["group"], last["minus"], last["answer"]) == (groups[-1].first, groups[-1].second, groups[-1].answer)
    assert found[False].to_arrow(made).column_names[-1] == "minus"


def test_texts_of_a_list_are_compared_by_intervals_that_hold_at_once(tmp_path):
    (tmp_path / "towns.txt").write_text("\n".join(f"town {place}" for place in range(500)) + "\n")
    (tmp_path / "study.toml").write_text(
        'schema = "sfumato/study/2"\nname = "T"\n[[questions]]\nid = "town"\ntext = "Town?"\nkind = "large-list"\n'
        'dictionary = "towns.txt"\nepsilon = 4\n'
    )
    answers = {"town": ["town 7"] * 2000 + ["town 3"] * 1000 + [f"town {place % 500}" for place in range(1000)]}
    estimates = sf.estimate_reports(sf.publish(tmp_path / "study.toml", answers, insecure_seed=4).reports)
    made = estimates.contrasts("answers")
    (shown,) = estimates
    assert made[0].first == "town 7"
    assert made[0].second == "town 3"
    assert made[0].standard_error is None
    assert (made[0].confidence, made[0].together) == (0.95, 0.95)
    assert made[0].interval.lower == shown.intervals[0].lower - shown.intervals[1].upper
    assert 0.25 in made[0].interval


def test_what_has_no_contrasts_between_answers_is_refused():
    town = sf.FreeText(id="town", text="Town?", longest=2, keep=4, epsilon=Fraction(6))
    answers = {"town": ["ab"] * 3000 + ["cd"] * 3000}
    estimates = sf.estimate_reports(sf.publish(sf.Study(name="T", questions=(town,)), answers, insecure_seed=1).reports)
    assert len(estimates[0].labels) >= 2
    with pytest.raises(InvalidParameter, match="no intervals between the answers to 'town'"):
        estimates.contrasts("answers")
    with pytest.raises(InvalidParameter, match="two whose shares are known"):
        Estimates(()).contrasts(between="answers")
    with pytest.raises(InvalidParameter, match="groups, answers"):
        estimates.contrasts("people")


def test_options_are_compared_in_either_order(found):
    """And where nobody was asked about one of them nothing is said."""
    asked = next(one for one in found[False] if one.question.id == "uses" and one.group is None)
    forth, back = asked.differences.of([(0, 1), (1, 0)], 0.95)
    assert back.value == -forth.value
    assert (back.interval.lower, back.interval.upper) == pytest.approx(
        (-forth.interval.upper, -forth.interval.lower), abs=1e-9
    )
    rung = AssignedOptions(options=3, asked=3, odds=Fraction(8))
    all_asked = OptionDifferences(rung=rung, tally=rung.tally([1] * 300 + [3] * 100 + [6] * 50))
    forth, back = all_asked.of([(0, 1), (1, 0)], 0.95)
    assert forth.interval.lower > 0 > back.interval.upper
    assert forth.raw == pytest.approx(-back.raw, abs=1e-9)
    single = AssignedOptions(options=3, asked=1, odds=Fraction(2))
    alone = OptionDifferences(rung=single, tally=single.tally([1]))
    assert alone.of([(0, 1), (1, 2), (0, 2)], 0.95) == (None, None, None)


def test_options_asked_of_some_together_have_that_covariance():
    """Everybody chose both or none: who was asked both adds nothing to the difference, and it is known better."""
    rung = AssignedOptions(options=3, asked=2, odds=Fraction(1000) ** 2)
    reports = np.random.default_rng(3).integers(0, 2, 900) * 3
    (one,) = OptionDifferences(rung=rung, tally=rung.tally(reports)).of([(0, 1)], 0.95)
    estimate = rung.estimate(rung.tally(reports))
    apart = hypot(estimate.standard_errors[0], estimate.standard_errors[1])
    assert one.standard_error == pytest.approx(apart * np.sqrt(0.5), rel=0.05)
    assert one.value == pytest.approx(estimate.projected[0] - estimate.projected[1], abs=1e-12)
