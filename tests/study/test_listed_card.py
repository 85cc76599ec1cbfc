"""One of a list, asked with a card: from the study file over the plan to estimates, and intervals at the corners."""

import math
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.inference import ManyReports
from sfumato.study.file import write_study
from sfumato.study.kinds.listed_card import listed_costs, share_variances, variance_over_floor
from sfumato.study.kinds.registry import read_question

HALF = Fraction(1, 2)
SKEWED = (Fraction(3, 5), Fraction(3, 10), Fraction(1, 10))
WAYS = ("train", "car", "on foot")


def card(**changed):
    return sf.ListedCard(**({"id": "way", "text": "How?", "answers": WAYS, "guess_error": HALF} | changed))


def table(**changed):
    return {"id": "way", "text": "How?", "kind": "one-of-many", "answers": list(WAYS)} | changed


def test_which_is_meant(tmp_path):
    assert isinstance(read_question(table()), sf.OneOfMany)
    found = read_question(table(guess_error="1/2", expected_shares=["0.6", "0.3", "0.1"], faces=1000))
    assert found == card(expected_shares=SKEWED, faces=1000)
    study = sf.Study(name="Ways", questions=(found,))
    write_study(study, tmp_path / "study.toml")
    assert sf.read_study(tmp_path / "study.toml") == study
    with pytest.raises(SfumatoError, match="does not go with"):
        read_question(table(guess_error="1/2", epsilon=1))
    with pytest.raises(InvalidParameter, match="needs a `guess_error`"):
        read_question(table(faces=6))


def test_what_is_chosen():
    """Silence where that can be, sets where a limit on ε or the weights forbid it."""
    assert card().design().name == "answer or silence"
    assert card(max_epsilon=Fraction(2)).design().name == "sets"
    uneven = (HALF, Fraction(2, 5), Fraction(1, 10))
    assert card(guess_weights=uneven, guess_error=Fraction(3, 10)).design().name == "sets"
    assert card(reports="sets", expected_shares=SKEWED).design().name == "sets"
    assert card(reports="sets").design().name == "answer or silence"  # equal shares: silence is best
    many = card(answers=tuple(map(str, range(40))))
    assert many.design().channel.shape == (40, 41)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"reports": "noise"}, "reports"),
        ({"reports": "silence", "max_epsilon": Fraction(1)}, "max_epsilon"),
        ({"guess_error": Fraction(4, 5)}, "guess_error"),
        ({"expected_shares": (HALF, HALF)}, "expected_shares"),
        ({"guess_weights": (HALF, HALF, HALF)}, "guess_weights"),
        ({"answers": ("any", "a", "b")}, "answers"),
        ({"faces": 1}, "faces"),
        ({"max_epsilon": 0}, "max_epsilon"),
        ({"answers": tuple(map(str, range(40))), "reports": "sets"}, "sets"),
    ],
)
def test_refusals(wrong, said):
    with pytest.raises(InvalidParameter, match=said):
        card(**wrong)


def test_a_list_can_be_given_a_card():
    assert read_question(table()).with_card(HALF) == card()


def test_the_plan_says_that_epsilon_is_infinite():
    study = sf.Study(name="Ways", questions=(card(expected_shares=SKEWED),))
    plan = sf.plan(study).questions[0]
    said = " ".join(one.sentence for one in plan.protection)
    assert "ε is infinite" in said
    assert any(one.is_alarm for one in plan.protection)
    assert "∞: some of its reports prove an answer" in plan.arguments[0]
    assert plan.instructions[1] == "If your true answer is “train”: 1: report “train”; 2 to 4: report “any”."
    assert [row[0] for row in plan.tables[-1].rows] == [
        "answer or silence",
        "sets, the best",
        "randomised response",
        "direct question",
    ]
    limited = sf.plan(sf.Study(name="Ways", questions=(card(max_epsilon=Fraction(2)),))).questions[0]
    assert not any(one.is_alarm for one in limited.protection)
    assert "too fine" in limited.instructions[0]


def test_the_plan_says_how_near_to_the_best_it_is():
    """A ratio to the proven floor, rounded up: 2.16/2.0095160 for silence, and hardly more than 1 for sets."""
    asked = card(expected_shares=SKEWED)
    assert float(variance_over_floor(asked)) == pytest.approx(2.16 / 2.0095160, rel=1e-7)
    plan = sf.plan(sf.Study(name="Ways", questions=(asked,))).questions[0]
    assert "At the expected shares, the variances of all shares sum to at most 1.08 times" in plan.arguments[0]
    assert plan.document["design"]["variance_over_floor"] == pytest.approx(1.07488, abs=1e-5)
    for best in (card(expected_shares=SKEWED, reports="sets"), card(), card(max_epsilon=Fraction(2))):
        assert 1 <= variance_over_floor(best) < 1 + 1e-6
    played = card(expected_shares=SKEWED, reports="sets", faces=100)
    assert 1.001 < variance_over_floor(played) < 1.1
    # So many answers have too many sets, and nothing is said.
    many = card(answers=tuple(map(str, range(40))))
    assert variance_over_floor(many) is None
    assert "the least of any" not in sf.plan(sf.Study(name="Many", questions=(many,))).questions[0].arguments[0]


def test_costs_are_those_of_the_intervals():
    """Of equal shares, silence needs (k-1)/k²·k/(k(1-a)-1) a share; randomised response four times as many."""
    asked = card()
    ours, classic = (
        next(cost for cost in listed_costs(asked) if cost.name == name)
        for name in ("answer or silence", "randomised response")
    )
    assert share_variances(ours.channel, asked.shares) == pytest.approx([8 / 9] * 3)
    assert classic.respondents / ours.respondents == pytest.approx(4)
    assert math.isinf(ours.epsilon)


def test_from_answers_to_shares():
    """Reports of a card are published and read like all others."""
    study = sf.Study(name="Ways", questions=(card(),))
    held = ["train"] * 1200 + ["car"] * 600 + ["on foot"] * 200
    reports = sf.publish(study, {"way": held}, insecure_seed=3).reports
    found = sf.estimate_reports(reports)[0]
    assert found.epsilon == math.inf
    assert sum(found.shares) == pytest.approx(1)
    for share, interval, truth in zip(found.shares, found.intervals, (0.6, 0.3, 0.1), strict=True):
        assert interval.lower <= share <= interval.upper
        assert abs(share - truth) < 0.15  # more than six standard deviations
    assert sum(found.raw) == pytest.approx(1)


@pytest.mark.parametrize("reports", ["silence", "sets"])
@pytest.mark.parametrize("shares", [(1.0, 0.0, 0.0), (0.98, 0.01, 0.01), (0.0, 0.5, 0.5), (0.6, 0.3, 0.1)])
def test_intervals_cover_at_the_corners(reports, shares):
    """Of 1000 surveys with 400 people, 95 % intervals miss each share in no more than chance explains: 99.9 %."""
    channel = card(reports=reports, expected_shares=SKEWED).design().channel
    random = np.random.default_rng(23)
    counts = random.multinomial(400, np.array(shares) @ channel.array, size=1000)
    found = ManyReports(channel, counts).shares(0.95)
    missed = ((found.lower > np.array(shares) + 1e-12) | (found.upper < np.array(shares) - 1e-12)).mean(axis=0)
    # Binomial(1000, .05): 72 or more in one of a thousand.
    assert (missed <= 0.072).all()
    # And they are no wider than they must be: somewhere inside they miss too.
    if min(shares) > 0.05:
        assert missed.max() > 0.02
