"""What a device sends: its law by enumeration, and nothing of the answer beside the reports."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from collected_studies import HOMES, Branches, enumerated, homes, row_of, script_for, three_answers
from sfumato.errors import InsecureBitsWarning, InvalidParameter, UnreadableFile
from sfumato.keys.protection import Unprotected
from sfumato.keys.sealed_files import read_private_key
from sfumato.keys.shares import Kem, ShareKey, open_share, share_info
from sfumato.sampling import InsecureSeeded
from sfumato.study import CollectTerms
from sfumato.study.collection import Collection, collection_of, report_id
from sfumato.workflows.responding import DeviceMemory, Submission, respond, respond_all

ANSWERS = {"place": "south", "moved": "yes", "sold": "no"}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    return three_answers(analyst=True, folder=folder), read_private_key(folder / "ministry", Unprotected())


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    return collection_of(homes(folder), folder)


def opened(collection, key, sent):
    (receiver,) = collection.receivers
    info = share_info(collection.fingerprint, receiver.name, sent.id)
    found = open_share(sent.shares[receiver.name], collection.moduli(receiver), ShareKey(Kem.X25519, key.raw), info)
    return None if found is None else found[0]


@pytest.mark.parametrize("middle", [False, True])
def test_what_is_sent_follows_the_law_of_the_ladder_exactly(small, middle):
    """Report and share together, of every answer, by feeding every draw: no tolerance.

    Only the first two bits of a word and its last decide; the others are once all zero and once all one.
    """
    collection, key = small
    first, second = (step.law() for step in collection.handlers["q"].ladder.steps)
    for place, answer in enumerate("abc"):

        def send(bits, answer=answer):
            sent = respond(collection, {"q": answer}, bits=bits)
            return collection.unpack_row(sent.row)["q"], opened(collection, key, sent)

        law = enumerated(send, middle=middle)
        assert law == {
            (report, shift): second[shift] * first[(report - place - shift) % 3]
            for report in range(3)
            for shift in range(3)
        }
        public = [sum(law[report, shift] for shift in range(3)) for report in range(3)]
        assert public == list(collection.handlers["q"].channel(2).rows[place])
        seen = [sum(law[(level + shift) % 3, shift] for shift in range(3)) for level in range(3)]
        assert seen == list(collection.handlers["q"].channel(1).rows[place])


def coupled(collection):
    """Two people with different answers, and coins under which both report the same."""
    row = collection.pack_row({"q": 2})
    scripts = {answer: script_for(row_of(collection, answer), row) for answer in "ab"}
    return {answer: Branches(script, False) for answer, script in scripts.items()}


def test_who_reports_the_same_sends_the_same(small):
    """Ids and rows are the same bytes, and sealed bodies as long; what is sealed anew each time is all that differs."""
    collection, _ = small
    sent = {answer: respond(collection, {"q": answer}, bits=bits) for answer, bits in coupled(collection).items()}
    assert sent["a"].row == sent["b"].row
    assert (sent["a"].id, sent["a"].secret) == (sent["b"].id, sent["b"].secret)
    assert {name: len(body) for name, body in sent["a"].shares.items()} == dict(collection.share_bytes)
    assert {name: len(body) for name, body in sent["b"].shares.items()} == dict(collection.share_bytes)
    assert sent["a"].shares != sent["b"].shares


def test_a_client_that_sends_the_answer_is_told_from_that(small):
    """The check above can fail: it does for a client whose row ends in the answer."""
    collection, _ = small

    def leaking(answer, bits):
        sent = respond(collection, {"q": answer}, bits=bits)
        return replace(sent, row=sent.row + answer.encode())

    sent = {answer: leaking(answer, bits) for answer, bits in coupled(collection).items()}
    assert sent["a"].row != sent["b"].row
    with pytest.raises(UnreadableFile, match="no row of reports"):
        collection.unpack_row(sent["a"].row)


def test_every_submission_has_one_length(asked):
    people = [
        {"place": place, "moved": moved} | more
        for place in HOMES
        for moved in ("no", "yes")
        for more in ({}, {"sold": "no"})
    ]
    sent = respond_all(asked, [*people, {"moved": "no"}])
    assert {len(one.row) for one in sent} == {asked.row_bytes}
    assert {(name, len(body)) for one in sent for name, body in one.shares.items()} == set(asked.share_bytes.items())


def test_each_device_draws_and_names_for_itself(asked):
    sent = [respond(asked, ANSWERS) for _ in range(30)]
    assert len({one.id for one in sent}) == 30
    assert all(one.id == report_id(one.secret) for one in sent)
    assert len({one.row for one in sent}) > 1


def test_many_at_once_are_as_one_by_one(small):
    """The same draws in the same order for one person, whichever is called."""
    collection, _ = small
    with pytest.warns(InsecureBitsWarning):
        one, many = (InsecureSeeded(5) for _ in range(2))
    assert respond(collection, {"q": "b"}, bits=one).row == respond_all(collection, [{"q": "b"}], bits=many)[0].row


def test_answers_are_read_as_a_table_has_them(asked):
    gap = respond(asked, {"place": "north", "moved": "no"})
    assert asked.unpack_row(gap.row)["sold"] is None
    hidden = respond(asked, {"moved": "no", "sold": "no"})
    assert asked.unpack_row(hidden.row)["place"] is not None
    with pytest.raises(UnreadableFile) as caught:
        respond(asked, ANSWERS | {"place": "zebra42"})
    assert "zebra42" not in str(caught.value)
    with pytest.raises(UnreadableFile, match="moved"):
        respond(asked, {"place": "north", "sold": "no"})
    with pytest.raises(InvalidParameter, match="not asked"):
        respond(asked, ANSWERS | {"age": "7"})
    with pytest.raises(InvalidParameter, match="must be text"):
        respond(asked, ANSWERS | {"moved": True})


def test_nothing_is_shown(asked):
    sent = respond(asked, ANSWERS)
    assert sent.secret.hex() not in repr(sent)
    assert str(sent.row) not in repr(sent)
    with pytest.raises(InvalidParameter, match="32 bytes"):
        Submission(secret=b"short", row=b"", shares={})


def test_a_device_knows_from_the_document_what_it_knows_from_the_study(asked):
    found = Collection.from_document(json.loads(json.dumps(asked.to_document())))
    sent = respond(found, ANSWERS)
    assert asked.unpack_row(sent.row).keys() == {"place", "moved", "sold"}
    assert found.fingerprint == asked.fingerprint


# What a device remembers.


def test_the_same_answer_gets_the_same_report_again(asked, tmp_path):
    memory = DeviceMemory(tmp_path / "memory")
    first = respond(asked, ANSWERS, memory=memory)
    assert respond(asked, ANSWERS, memory=DeviceMemory(tmp_path / "memory")) == first
    rows = {respond(asked.at_wave(wave), ANSWERS, memory=memory).row for wave in range(2, 12)}
    assert rows == {first.row}
    assert (tmp_path / "memory").stat().st_mode & 0o777 == 0o600
    text = (tmp_path / "memory").read_text()
    assert "south" not in text
    assert "yes" not in text


def test_an_alias_is_the_same_answer(tmp_path):
    study = homes(tmp_path)
    place = replace(study.questions[0], aliases={"south": ["S"]})
    asked = collection_of(replace(study, questions=(place, *study.questions[1:])), tmp_path)
    memory = DeviceMemory()
    assert respond(asked, ANSWERS, memory=memory) == respond(asked, ANSWERS | {"place": "S"}, memory=memory)


def test_other_answers_keep_their_reports_when_one_changes(asked):
    memory = DeviceMemory()
    first = asked.unpack_row(respond(asked, ANSWERS, memory=memory).row)
    for wave in range(2, 8):
        now = asked.unpack_row(respond(asked.at_wave(wave), ANSWERS | {"place": HOMES[wave % 2]}, memory=memory).row)
        assert (now["moved"], now["sold"]) == (first["moved"], first["sold"])
    again = respond(asked.at_wave(8), ANSWERS, memory=memory)
    assert asked.unpack_row(again.row) == first


def test_a_changed_study_draws_anew(asked, tmp_path):
    other = collection_of(homes(tmp_path, name="Others"), tmp_path)
    memory = DeviceMemory()
    rows = {(respond(asked, ANSWERS, memory=memory).row, respond(other, ANSWERS, memory=memory).row)}
    for _ in range(40):
        memory = DeviceMemory()
        rows.add((respond(asked, ANSWERS, memory=memory).row, respond(other, ANSWERS, memory=memory).row))
    assert any(one != two for one, two in rows)


def test_waves_have_names_of_their_own(asked, tmp_path):
    panel = collection_of(homes(tmp_path, collect=CollectTerms(mode="panel")), tmp_path)
    memory = DeviceMemory()
    ids = [respond(panel.at_wave(wave), ANSWERS, memory=memory).id for wave in (1, 2, 1)]
    assert ids[0] == ids[2] != ids[1]


def test_a_damaged_memory_is_refused_rather_than_forgotten(asked, tmp_path):
    path = tmp_path / "memory"
    respond(asked, ANSWERS, memory=DeviceMemory(path))
    whole = path.read_text()
    for damage in (
        whole[:-20],
        "[]",
        whole.replace('"studies"', '"other"'),
        whole.replace('"secret": "', '"secret": "zz', 1),
    ):
        path.write_text(damage)
        with pytest.raises(UnreadableFile):
            respond(asked, ANSWERS, memory=DeviceMemory(path))


def test_nothing_is_remembered_of_what_was_refused(asked):
    memory = DeviceMemory()
    with pytest.raises(UnreadableFile):
        respond(asked, ANSWERS | {"moved": "zebra"}, memory=memory)
    assert respond(asked, ANSWERS, memory=memory) == respond(asked, ANSWERS, memory=memory)


def test_odds_of_the_small_study_are_what_the_enumeration_needs(small):
    collection, _ = small
    assert [step.law() for step in collection.handlers["q"].ladder.steps] == [
        (Fraction(3, 4), Fraction(1, 8), Fraction(1, 8))
    ] * 2
