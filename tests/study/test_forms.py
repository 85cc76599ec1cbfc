"""The form of a study says how each kind is asked and drawn, in whole numbers and fractions as text."""

import base64
import json
from fractions import Fraction

import numpy as np
import pytest

from kind_samples import LEVELS, SAMPLES
from sfumato import errors, measures
from sfumato.keys.shares import Kem
from sfumato.ladders.steps import set_document
from sfumato.study import AskIf, BoundedNumber, Card, LargeList, OneOfMany, Several, Study, YesNo
from sfumato.study.collection import Collection, Receiver, form_document, levels_of

COLLECTED = [one for one in SAMPLES if one.handler.by_row and not one.handler.by_position and not one.handler.by_number]
REFUSED = [one for one in SAMPLES if one not in COLLECTED]


def collected(study):
    """The study as it is collected; nobody has the private keys."""
    receivers = tuple(
        Receiver(name=name, kem=Kem.X25519, public_key=name.encode().ljust(32, b"."), levels=levels)
        for name, levels in levels_of(study).items()
    )
    declared = {way.question.id: way.declaration for way in study.handlers}
    return Collection(study=study, declarations=declared, receivers=receivers)


def form_of(*questions, **settings):
    return form_document(collected(Study(name="Forms", questions=questions, **settings)))


def members_of(document, modulus):
    """A set of residues, read as a device reads it."""
    if "first" in document:
        return list(range(document["first"], document["first"] + document["count"]))
    if "members" in document:
        return document["members"]
    data = base64.b64decode(document["bits"])
    return [r for r in range(modulus) if data[r // 8] >> r % 8 & 1]


@pytest.mark.parametrize("sample", COLLECTED, ids=lambda one: one.name)
def test_a_form_has_what_a_device_draws_by_and_it_is_that_of_the_way(sample):
    form = form_document(collected(sample.study))
    (question,), way = form["questions"], sample.handler
    assert json.loads(json.dumps(form)) == form
    assert question["reports"] == way.report_count
    draw = question["draw"]
    if draw["type"] == "card":
        total = {sum(map(int, row)) for row in draw["counts"]}
        assert len(total) == 1
        rows = [[Fraction(int(count), total.copy().pop()) for count in row] for row in draw["counts"]]
        assert [tuple(row) for row in rows] == [tuple(map(Fraction, row)) for row in way.response.to_exact().rows]
        odds = measures.odds(way.response)
        assert question["odds"] == (f"{odds.numerator}/{odds.denominator}" if isinstance(odds, Fraction) else None)
        return
    steps = way.ladder.steps
    assert len(steps) == len(draw["steps"])
    for step, spelled in zip(steps, draw["steps"], strict=True):
        if draw["type"] == "masks":
            assert Fraction(spelled["chance"]) == step.chance
            assert draw["modulus"] == 1 << step.length
        else:
            assert Fraction(spelled["inside"]) == step.inside
            assert members_of(spelled["favoured"], draw["modulus"]) == step.favoured.tolist()
    assert draw["levels"] == list(way.key_levels)
    assert Fraction(question["odds"]) == way.ladder.odds[-1]
    seen = {one["name"]: Fraction(one["odds"]) for one in question["sees"]}
    assert seen == {name: way.ladder.odds[levels["q"] - 1] for name, levels in levels_of(sample.study).items()}


@pytest.mark.parametrize("sample", REFUSED, ids=lambda one: one.name)
def test_what_cannot_be_collected_has_no_form(sample):
    with pytest.raises(errors.InvalidParameter, match="cannot be asked over the web"):
        form_document(collected(sample.study))
    with pytest.raises(errors.InvalidParameter):
        sample.handler.form()


def test_every_kind_is_either_collected_or_refused():
    assert {type(one.question).__name__ for one in COLLECTED} >= {"YesNo", "Several", "Card", "Recoverable", "Count"}
    assert [one.name for one in REFUSED if "several" not in one.name] == ["one of many, few random bits", "text"]


def test_a_long_list_is_short_to_spell():
    """87 381 reports are a bit each, and the texts stand there once, as the file that the study names by its digest."""
    texts = tuple(f"place {i}" for i in range(40_000))
    question = LargeList(id="q", text="Where?", dictionary=texts, epsilon=Fraction(1))
    (asked,) = form_of(question)["questions"]
    assert asked["reports"] > 40_000
    assert "bits" in asked["draw"]["steps"][0]["favoured"]
    assert len(json.dumps(asked["draw"])) < asked["reports"] / 4
    assert asked["asks"]["texts"].encode() == question.dictionary.to_bytes()
    assert "report_labels" not in asked


@pytest.mark.parametrize(
    ("members", "spelled"),
    [
        ([0], {"first": 0, "count": 1}),
        ([4, 5, 6], {"first": 4, "count": 3}),
        ([0, 2, 9], {"members": [0, 2, 9]}),
        (range(0, 80, 2), None),
    ],
)
def test_sets_are_spelled_as_short_as_they_can_be(members, spelled):
    found = set_document(np.array(members), 81)
    assert spelled is None or found == spelled
    assert members_of(found, 81) == list(members)


def test_gaps_and_skip_rules_are_said():
    smokes = YesNo(id="smokes", text="Do you smoke?", missing="public")
    a_day = OneOfMany(
        id="what",
        text="What?",
        answers=("x", "y", "z"),
        missing="hidden",
        ask_if=AskIf(question="smokes", answers=("yes",)),
    )
    ways = Several(id="ways", text="How?", options=("bus", "car"), ask=2, missing="hidden")
    card = Card(id="card", text="Card?", guess_error=Fraction(3, 8))
    form = form_of(smokes, a_day, ways, card, public_epsilon=1)
    first, second, third, last = form["questions"]
    assert (first["gaps"], second["gaps"], third["gaps"], last["gaps"]) == ("public", "hidden", "hidden", "refused")
    assert second["ask_if"] == {"question": "smokes", "answers": ["yes"]}
    assert second["asks"]["nobody"] == 3
    assert third["asks"] == {"type": "several", "options": ["bus", "car"], "none": None, "nobody": 4}
    assert third["draw"]["modulus"] == 8
    assert "nobody" not in first["asks"]


def test_numbers_say_how_they_are_rounded():
    settings = {"id": "q", "text": "?", "highest": Fraction(40), "step": Fraction(1, 10)}
    (bins,) = form_of(BoundedNumber(**settings, goal="distribution", points=4), **LEVELS)["questions"]
    (spread,) = form_of(BoundedNumber(**settings, points=5), **LEVELS)["questions"]
    assert bins["asks"]["rounding"] == {"type": "bins", "parts": 100, "last": 3}
    assert spread["asks"]["rounding"] == {"type": "random", "times": 1, "parts": 100}
    assert {name: spread["asks"][name] for name in ("least", "most", "step")} == {
        "least": "0",
        "most": "40",
        "step": "0.1",
    }


def test_a_registrar_is_said_to_see_the_answer():
    from sfumato.study.collect_terms import CollectTerms

    study = {"analysts": LEVELS["analysts"], "public_epsilon": Fraction(1, 2), "recover": True}
    (asked,) = form_of(YesNo(id="q", text="?"), **study, collect=CollectTerms(recover=True))["questions"]
    assert {one["name"]: one["odds"] for one in asked["sees"]}["registrar"] is None
