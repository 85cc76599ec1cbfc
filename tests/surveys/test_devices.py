"""Classic devices are what their stories say, exactly; and at an equal limit they keep it and no more."""

import math
from fractions import Fraction
from itertools import product

import pytest

import sfumato as sf
from sfumato import measures
from sfumato.errors import InvalidParameter, Refused
from sfumato.inference import ShareModel, estimate_share, share_weights
from sfumato.study.compared_designs import compare_devices
from sfumato.surveys import (
    crosswise_device,
    device_at,
    forced_category_device,
    forced_response_device,
    kuk_device,
    mangat_device,
    survey,
    triangular_device,
    unrelated_question_device,
    warner_device,
)
from sfumato.surveys.classic_designs import DeviceKind

F = Fraction
HALF = F(1, 2)


def told(story, *chances):
    """Play a story for both answers with every outcome of its coins: each heads with its chance."""
    rows = []
    for holds in (False, True):
        law = {}
        for faces in product((True, False), repeat=len(chances)):
            weight = math.prod((p if face else 1 - p for p, face in zip(chances, faces, strict=True)), start=F(1))
            report = story(holds, *faces)
            law[report] = law.get(report, F(0)) + weight
        rows.append(law)
    return rows


def yes(flag):
    return "yes" if flag else "no"


STORIES = {
    "Warner": (warner_device(0.7), lambda holds, asked: yes(holds == asked), [F(7, 10)]),
    "forced response": (
        forced_response_device(forced_yes=F(1, 6), forced_no=F(1, 12)),
        # The die forces an answer with 1/4, and of those two in three are "yes".
        lambda holds, forced, says: yes(says if forced else holds),
        [F(1, 4), F(2, 3)],
    ),
    "crosswise": (
        crosswise_device(0.15),
        lambda holds, born: "both or neither" if holds == born else "one of the two",
        [F(15, 100)],
    ),
    "triangular": (
        triangular_device(0.3),
        lambda holds, born: "at least one" if holds or born else "neither",
        [F(3, 10)],
    ),
    "Mangat": (mangat_device(0.7), lambda holds, asked: yes(holds or not asked), [F(7, 10)]),
    "Kuk": (
        kuk_device(red_if_yes=F(4, 5), red_if_no=F(1, 5), draws=3),
        lambda holds, *cards: sum((a if holds else b) for a, b in zip(cards[:3], cards[3:], strict=True)),
        [F(4, 5)] * 3 + [F(1, 5)] * 3,
    ),
    "unrelated question": (
        unrelated_question_device(0.6, prevalence=0.25),
        lambda holds, asked, innocent: yes(holds if asked else innocent),
        [F(3, 5), F(1, 4)],
    ),
}


@pytest.mark.parametrize("name", STORIES)
def test_the_channel_is_the_story_played_with_every_outcome(name):
    device, story, chances = STORIES[name]
    assert device.channel.exact
    assert device.name == name
    for row, law in zip(device.channel.rows, told(story, *chances), strict=True):
        assert dict(zip(device.channel.outputs, row, strict=True)) == {
            label: law.get(label, 0) for label in device.channel.outputs
        }


def test_a_wrong_chance_is_another_channel():
    """The control: the stories are not true of other devices."""
    _, story, chances = STORIES["Mangat"]
    law = told(story, *chances)[0]
    assert mangat_device(0.6).channel.row(0) != tuple(law[label] for label in ("no", "yes"))


def test_forced_categories():
    device = forced_category_device([0.1, 0.1, 0.2], answers=("never", "once", "often"))
    assert device.channel.rows == (
        (F(7, 10), F(1, 10), F(1, 5)),
        (F(1, 10), F(7, 10), F(1, 5)),
        (F(1, 10), F(1, 10), F(4, 5)),
    )
    assert device.channel.outputs == ("never", "once", "often")


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: warner_device(0.5), "at 1/2 either answer gives each report equally often"),
        (lambda: crosswise_device(F(1, 2)), "says nothing"),
        (lambda: warner_device(1.2), r"p=6/5 must lie in \[0, 1\]"),
        (lambda: triangular_device(1), "everybody says “at least one”"),
        (lambda: mangat_device(0), "says nothing"),
        (lambda: unrelated_question_device(0, prevalence=0.2), "says nothing"),
        (lambda: forced_response_device(forced_yes=0.6, forced_no=0.4), "leave room for true answers"),
        (lambda: forced_category_device([0.5, 0.5]), "their sum below 1"),
        (lambda: forced_category_device([0.5]), "at least two answers"),
        (lambda: kuk_device(red_if_yes=0.4, red_if_no=0.4), "that of the other deck"),
        (lambda: kuk_device(red_if_yes=0.4, red_if_no=0.3, draws=0), r"draws=0 must lie in \[1, 200\]"),
    ],
)
def test_devices_that_say_nothing_are_refused_with_the_reason(make, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        make()


def test_devices_that_prove_answers_say_so():
    assert triangular_device(0.3).epsilon_words == "ε is infinite: the report “neither” proves an answer"
    assert mangat_device(0.7).proving_reports == ("no",)
    assert warner_device(0.7).epsilon_words == "ε = 0.8473"
    assert warner_device(0.7).proving_reports == ()


def test_a_device_goes_wherever_a_channel_goes():
    device = kuk_device(red_if_yes=0.7, red_if_no=0.3, draws=6)
    certificate = sf.certify(device)
    sf.verify(certificate)
    assert certificate.subject.channel == device.channel
    found = estimate_share(device.channel, [30, 60, 50, 30, 20, 8, 2])
    assert found.interval.lower <= found.share <= found.interval.upper
    assert len(ShareModel.of(device.channel).first) == 7


LIMITED = [kind for kind in DeviceKind if kind not in (DeviceKind.TRIANGULAR, DeviceKind.MANGAT)]


@pytest.mark.parametrize("kind", DeviceKind)
def test_devices_at_equal_guess_error(kind):
    device = device_at(kind, guess_error=0.3)
    assert measures.weighted_guess_error(device.channel, HALF) == pytest.approx(0.3, abs=1e-4)
    assert measures.weighted_guess_error(device.channel, HALF) >= F(3, 10)


@pytest.mark.parametrize("kind", LIMITED)
@pytest.mark.parametrize("forced_yes", [HALF, F(2, 3)])
def test_devices_at_equal_epsilon(kind, forced_yes):
    device = device_at(kind, epsilon=1.0, forced_yes=forced_yes)
    assert measures.epsilon(device.channel) <= 1.0
    assert measures.epsilon(device.channel) == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("kind", [DeviceKind.TRIANGULAR, DeviceKind.MANGAT])
def test_no_epsilon_for_devices_that_prove_answers(kind):
    with pytest.raises(Refused, match="one of its reports proves an answer"):
        device_at(kind, epsilon=1.0)


@pytest.mark.parametrize("kind", DeviceKind)
def test_devices_at_equal_worst_posterior(kind):
    device = device_at(kind, posterior=0.3, share=0.1)
    (cost,) = compare_devices([device], share=0.1).costs
    assert cost.posterior <= F(3, 10)
    assert cost.posterior == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("kind", DeviceKind)
def test_devices_at_equal_respondents(kind):
    device = device_at(kind, respondents=2000, share=0.1)
    (cost,) = compare_devices([device], share=0.1).costs
    assert cost.respondents == pytest.approx(2000, rel=0.01)


def test_settings_that_cannot_be():
    for wrong in ({}, {"guess_error": 0.3, "epsilon": 1.0}):
        with pytest.raises(InvalidParameter, match="one of `guess_error`"):
            device_at("Warner", **wrong)
    with pytest.raises(InvalidParameter, match="strictly between `share` and 1"):
        device_at("Warner", posterior=0.1, share=0.2)
    with pytest.raises(InvalidParameter, match="too few"):
        device_at("Warner", respondents=20, share=0.3)
    with pytest.raises(InvalidParameter, match="kind='roulette' is not known"):
        device_at("roulette", guess_error=0.3)


def test_devices_beside_each_other():
    devices = [warner_device(0.7), triangular_device(0.3), survey(guess_error=0.3)]
    found = compare_devices(devices, share=0.1, half_width=0.05)
    warner, triangular, best = found.costs
    assert warner.guess_error == best.guess_error == F(3, 10)
    # At one guess error nothing needs fewer than the best design, and it proves answers.
    assert best.respondents < warner.respondents
    assert warner.information == pytest.approx(0.4**2 / (0.34 * 0.66))
    assert math.isinf(triangular.epsilon)
    assert found.table().rows[1][3] == "infinite: proves answers"
    assert [words.split(":")[0] for words in found.words] == ["triangular", "three outputs"]
    assert found.documents()[1]["epsilon"] == "inf"
    with pytest.raises(InvalidParameter, match="more than two answers"):
        compare_devices([forced_category_device([0.1, 0.1, 0.1])], share=0.1)


# The vignette of [RRTCS] for the unrelated question: a simple random sample of 710 from 10,777, p = 1/2.
RRTCS = [
    (328, F(1, 12), 0.8406103, 0.001389716),
    (180, F(1, 10), 0.4070423, 0.001045196),
    (280, F(2, 3), 0.1220657, 0.001337415),
    (81, F(1, 10), 0.128169, 0.0005597858),
    (164, F(1, 3), 0.1286385, 0.000991658),
    (53, F(1, 12), 0.06596244, 0.000383954),
]


def horvitz_thompson(scores, counts, people):
    """Mean of the scores, and (1 - n/N)·s²/n + mean(r(r-1))/N."""
    n = sum(counts)
    mean = sum(k * r for k, r in zip(counts, scores, strict=True)) / n
    spread = sum(k * (r - mean) ** 2 for k, r in zip(counts, scores, strict=True)) / (n - 1)
    randomised = sum(k * r * (r - 1) for k, r in zip(counts, scores, strict=True)) / n
    return mean, (1 - n / people) * spread / n + randomised / people


@pytest.mark.parametrize(("said_yes", "prevalence", "share", "variance"), RRTCS)
def test_published_unrelated_questions(said_yes, prevalence, share, variance):
    device = unrelated_question_device(HALF, prevalence=prevalence)
    scores = share_weights(device.channel)[:, 1]
    found, spread = horvitz_thompson(scores.tolist(), [710 - said_yes, said_yes], 10_777)
    assert found == pytest.approx(share, abs=1e-7)
    assert spread == pytest.approx(variance, rel=1e-6)
    wrong = share_weights(unrelated_question_device(F(11, 20), prevalence=prevalence).channel)[:, 1]
    assert horvitz_thompson(wrong.tolist(), [710 - said_yes, said_yes], 10_777)[1] != pytest.approx(variance, rel=1e-2)
