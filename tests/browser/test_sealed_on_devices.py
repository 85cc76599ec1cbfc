"""A device seals an answer that its report rounds for the registrar, and refuses to seal it in any other way."""

import json
from collections import Counter
from fractions import Fraction

import pytest

from browser.device_laws import joint_of
from sfumato.keys.shares import Kem, share_bytes
from sfumato.study import Analyst, BoundedNumber, CollectTerms, Count, Study
from sfumato.study.collection import form_document
from study.test_forms import collected

ROOMS = Count(id="rooms", text="Rooms?", lowest=1, highest=4, points=2)
INCOME = BoundedNumber(id="income", text="Income?", highest=200_000, step=Fraction(1, 100), missing="hidden")


def study(question=ROOMS, **changes):
    values = {
        "name": "Homes",
        "questions": (question,),
        "analysts": (Analyst(name="ministry", epsilon=Fraction(2)),),
        "public_epsilon": Fraction(1),
        "recover": True,
        "collect": CollectTerms(recover=True),
    }
    return Study(**{**values, **changes})


def form(question=ROOMS, **changes):
    return json.loads(json.dumps(form_document(collected(study(question, **changes)))))


@pytest.mark.parametrize("answer", ["1", "2", "4"])
def test_the_law_is_uniform_whatever_the_answer_and_the_draw_gives_it_back(device, answer):
    found = joint_of(device.ask("sealedLaw", form(), answer))
    assert found == {((int(answer) - 1 + shift) % 4, shift): Fraction(1, 4) for shift in range(4)}


def test_no_answer_is_one_more_number_where_it_is_hidden(device):
    hidden = BoundedNumber(id="q", text="?", highest=3, points=2, missing="hidden")
    found = joint_of(device.ask("sealedLaw", form(hidden), None))
    assert found == {((4 + shift) % 5, shift): Fraction(1, 5) for shift in range(5)}


def test_millions_of_answers_are_sealed_without_listing_them(device):
    size = study(INCOME).handler("income").sealed.report_count
    drawn = device.ask("sealedDraws", form(INCOME), "1234.56", 2000)
    assert {(one["report"] - one["shifts"]["0"]) % size for one in drawn} == {123_456}
    assert len({one["report"] for one in drawn}) > 1990
    quarters = Counter(4 * one["report"] // size for one in drawn)
    assert all(abs(quarters[quarter] - 500) < 6 * 500**0.5 for quarter in range(4))


def test_the_same_answer_is_sealed_afresh_in_each_wave(device):
    """The report stays, and the sealed number does not: it would tell that the answer has stayed."""
    of = collected(study(INCOME, collect=CollectTerms(recover=True, mode="panel")))
    rows = device.ask("rows", json.loads(json.dumps(form_document(of))), {"income": "10.5"}, 6)
    found = [of.unpack_row(bytes.fromhex(row)) for row in rows]
    assert len({one["income"] for one in found}) == 1
    assert len({one["income_sealed"] for one in found}) == 6


def forged(change):
    found = form()
    change(found, found["sealed"][0])
    return found


FORGED = {
    "a draw that tells something": (lambda form, one: one["draw"]["steps"][0].update(inside="1/2"), "odds"),
    "a draw of nothing": (lambda form, one: one["draw"]["steps"][0].update(inside="1"), "odds"),
    "another question": (lambda form, one: one.update(of="wealth"), "form"),
    "other answers": (lambda form, one: one.update(reports=5), "form"),
    "a level between": (lambda form, one: one["draw"].update(levels=[]), "form"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_form_that_seals_otherwise_is_refused(device, name):
    change, code = FORGED[name]
    assert device.ask("judged", forged(change)) == {"code": code}


def for_the_ministry(found, one):
    """The ministry gets the draw of the sealed column beside its own."""
    (ministry,) = (reader for reader in found["receivers"] if reader["name"] == "ministry")
    moduli = [*ministry["moduli"], one["reports"]]
    ministry.update(levels={"rooms": 1, "rooms_sealed": 0}, moduli=moduli, bytes=share_bytes(moduli, Kem.X25519))
    one["sees"].append({"name": "ministry", "odds": None})


def test_answers_are_sealed_for_the_registrar_alone(device):
    asked = study()
    document = collected(asked).to_document()["study"]
    assert device.ask("promised", form(), document) is None
    assert device.ask("promised", forged(for_the_ministry), document) == "study"
    without = study(collect=CollectTerms())
    assert "sealed" not in form(collect=CollectTerms())
    changed = form() | {"fingerprint": collected(without).fingerprint}
    assert device.ask("promised", changed, collected(without).to_document()["study"]) == "study"
