"""Certificates of what is collected say how reports came in: to machines, to people, and to both verifiers."""

import json
from dataclasses import replace

import pytest

import sfumato as sf
import sfumato_check
from collected_studies import homes, kept
from fresh_seals import reseal
from sfumato.certificates.channels import Collected, as_collected
from sfumato.errors import ClaimRefused, InvalidParameter
from sfumato.study import CollectTerms
from sfumato.study.collection import certificate_path, collected_how, collection_certificates, collection_of
from sfumato.workflows.collecting import export_part
from sfumato.workflows.responding import respond_all

PEOPLE = [{"place": "south", "moved": "yes", "sold": "no"}] * 4
CASES = {
    "anonymous": (CollectTerms(), False, Collected(mode="anonymous", sealed_by="x25519", guarantee="computational")),
    "panel": (
        CollectTerms(mode="panel"), False, Collected(mode="panel", sealed_by="x25519", guarantee="computational")
    ),
    "registrar": (
        CollectTerms(recover=True), True,
        Collected(mode="anonymous", sealed_by="x25519", guarantee="computational", recover=True),
    ),
    "a registrar who gets nothing": (
        CollectTerms(), True, Collected(mode="anonymous", sealed_by="x25519", guarantee="computational")
    ),
}  # fmt: skip


def both_accept(text):
    sf.verify(sf.Certificate.from_json(text))
    found = sfumato_check.answer(text.encode())
    assert found["exit_code"] == 0, found["because"]


@pytest.mark.parametrize("case", CASES)
def test_an_exported_part_carries_certificates_that_say_how_it_was_collected(case, tmp_path):
    terms, recover, said = CASES[case]
    asked = collection_of(homes(tmp_path, collect=terms, recover=recover), tmp_path)
    panels = [bytes([n]) * 16 for n in range(4)] if case == "panel" else None
    export_part(asked, kept(asked, respond_all(asked, PEOPLE), panels), tmp_path / "out")
    for question in asked.handlers:
        text = certificate_path(tmp_path / "out", question).read_text()
        found = sf.Certificate.from_json(text)
        assert found.subject.collected == said == collected_how(asked, question)
        how = json.loads(text)["subject"]["collected"]
        assert how["mode"] == said.mode
        assert how["guarantee"] == "computational"
        assert how.get("recover", False) is said.recover
        notes = "\n".join(found.notes)
        assert f"that the mode is {said.mode}: " in notes
        assert "Computational: " in notes
        assert ("opts into recovery" in notes) is said.recover
        assert ("does not opt into recovery" in notes) is (recover and not said.recover)
        for shown in (found.to_html(), found.to_markdown()):
            assert "Computational: " in shown
            assert f"the mode is {said.mode}: " in shown
    both_accept(text)


def test_who_has_no_keys_needs_no_cipher(tmp_path):
    """One level, which everybody sees: nothing about ciphers is said, and the claims hold without them."""
    asked = collection_of(homes(tmp_path, analysts=(), collect=CollectTerms(mode="panel")), tmp_path)
    found = collection_certificates(asked)["moved"]
    assert found.subject.collected == Collected(mode="panel")
    assert not any("Computational" in note for note in found.notes)
    both_accept(found.to_json())


def test_what_cannot_be_is_not_made(tmp_path):
    """Neither by us nor by somebody who seals it anew: both verifiers name the entry."""
    asked = collection_of(homes(tmp_path), tmp_path)
    honest = collection_certificates(asked)["moved"]
    lies = {
        "mode": {"mode": "none"},
        "sealed_by": {"sealed_by": "rot13"},
        "guarantee": {"guarantee": "information_theoretic"},
        "recover": {"recover": True},
    }
    for entry, change in lies.items():
        told = replace(honest.subject.collected, **change)
        with pytest.raises(ClaimRefused, match=f"^collected.{entry} "):
            as_collected(honest, told)
        document = json.loads(honest.to_json())
        document["subject"]["collected"] |= change
        with pytest.raises(ClaimRefused, match=f"^collected.{entry} "):
            sf.verify(sf.Certificate.from_json(reseal(document)))
        found = sfumato_check.answer(reseal(document))
        assert found["exit_code"] == 1
        assert found["because"].startswith(f"collected.{entry} ")
    with pytest.raises(InvalidParameter, match="is about nothing that is collected"):
        as_collected(sf.certify(sf.noise.gaussian(bound=1, budget_bits=1, steps=8)), honest.subject.collected)


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    return collection_certificates(collection_of(homes(folder), folder))["moved"].to_json()


@pytest.mark.parametrize("entry", ["mode", "sealed_by", "guarantee", "recover"])
@pytest.mark.parametrize("value", [None, [], {}, 1, "", False, "panel\n"])
def test_any_other_value_is_refused_by_both(sealed, entry, value):
    document = json.loads(sealed)
    document["subject"]["collected"][entry] = value
    with pytest.raises(sf.errors.SfumatoError):
        sf.verify(sf.Certificate.from_json(reseal(document)))
    assert sfumato_check.answer(reseal(document))["exit_code"] in {1, 2}
