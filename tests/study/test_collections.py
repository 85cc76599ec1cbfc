"""A study as it is collected: packed rows, who receives what, the document for devices, and what cannot be asked so."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collected_studies import homes
from sfumato.errors import InvalidParameter, KeyRefused, UnknownSchema, UnreadableFile
from sfumato.keys.protection import Passphrase, Unprotected
from sfumato.keys.sealed_files import read_private_key
from sfumato.keys.shares import Kem, read_share_private, read_share_public
from sfumato.study import (
    Analyst,
    AskIf,
    CollectTerms,
    DisclosedColumns,
    FreeText,
    OneOfMany,
    Several,
    Study,
    YesNo,
    fingerprint,
    read_study,
    write_study,
)
from sfumato.study.collection import Collection, collection_of, collection_words
from sfumato.workflows.key_files import make_key_pair


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="module")
def asked(folder):
    return collection_of(homes(folder), folder)


CELLS = st.fixed_dictionaries(
    {"place": st.integers(0, 4), "moved": st.integers(0, 1), "sold": st.none() | st.integers(0, 1)}
)


@given(reports=CELLS)
def test_a_row_is_packed_and_unpacked(asked, reports):
    packed = asked.pack_row(reports)
    assert len(packed) == asked.row_bytes == 3
    assert asked.unpack_row(packed) == reports


@given(row=st.binary(min_size=3, max_size=3))
def test_bytes_are_a_row_or_refused(asked, row):
    try:
        found = asked.unpack_row(row)
    except UnreadableFile as error:
        assert row.hex() not in str(error)  # noqa: PT017
        return
    assert asked.pack_row(found) == row


@pytest.mark.parametrize(
    "change", [{"place": None}, {"place": 5}, {"place": -1}, {"moved": 2}, {"moved": None}, {"sold": 2}, {"age": 1}]
)
def test_what_no_device_sends_is_not_packed(asked, change):
    with pytest.raises(UnreadableFile, match="no row of reports"):
        asked.pack_row({"place": 0, "moved": 0, "sold": 0} | change)


def test_wide_reports_take_more_bytes():
    answers = tuple(f"town {n}" for n in range(600))
    study = Study(
        name="Towns", questions=(OneOfMany(id="town", text="Where?", answers=answers),), public_epsilon=Fraction(1)
    )
    found = collection_of(study)
    assert found.row_bytes == 2
    assert found.unpack_row(found.pack_row({"town": 599})) == {"town": 599}


def test_bodies_of_other_lengths_or_receivers_are_refused(asked):
    bodies = {name: bytes(count) for name, count in asked.share_bytes.items()}
    assert asked.split_shares(asked.join_shares(bodies)) == bodies
    for wrong in ({}, bodies | {"press": b""}, bodies | {"registrar": b""}, {"press": bodies["press"]}):
        with pytest.raises(UnreadableFile, match="sealed bodies"):
            asked.join_shares(wrong)
    with pytest.raises(UnreadableFile, match="sealed bodies"):
        asked.split_shares(b"")


def test_analysts_receive_their_level_and_the_registrar_nothing(asked):
    assert {one.name: dict(one.levels) for one in asked.receivers} == {
        "ministry": {"place": 1, "moved": 1, "sold": 1},
        "press": {"place": 2, "moved": 2, "sold": 2},
    }


def test_the_registrar_receives_by_an_explicit_word_only(folder):
    """The registrar of the study is not enough: devices must be told to send what gives the answers back."""
    silent = homes(folder, recover=True, collect=CollectTerms())
    assert [one.name for one in collection_of(silent, folder).receivers] == ["ministry", "press"]
    said = collection_of(homes(folder, recover=True), folder)
    assert dict(said.receiver("registrar").levels) == {"place": 0, "moved": 0, "sold": 0}
    assert any("registrar can get the answers back" in line for line in collection_words(said))
    assert not any("registrar" in line for line in collection_words(collection_of(silent, folder)))
    with pytest.raises(InvalidParameter, match="no such registrar"):
        homes(folder, recover=False, collect=CollectTerms(recover=True))


def test_a_document_says_all_and_is_believed_only_what_follows(asked):
    document = json.loads(json.dumps(asked.to_document()))
    found = Collection.from_document(document)
    assert found.to_document() == document
    assert found.receivers == asked.receivers
    wrong = [
        {"mode": "panel"},
        {"wave": 0},
        {"wave": "1"},
        {"fingerprint": "0" * 64},
        {"row_bytes": 4},
        {"share_bytes": {}},
        {"receivers": document["receivers"][:1]},
        {"receivers": [*document["receivers"], document["receivers"][0] | {"name": "registrar"}]},
        {
            "receivers": [
                document["receivers"][0] | {"levels": {"place": 0, "moved": 1, "sold": 1}},
                document["receivers"][1],
            ]
        },
        {"receivers": [document["receivers"][0] | {"public_key": "AAAA"}, document["receivers"][1]]},
        {"declarations": {}},
        {"declarations": document["declarations"] | {"place": document["declarations"]["moved"]}},
        {"study": document["study"] | {"name": "Others"}},
        {"study": []},
        {"more": 1},
    ]
    for change in wrong:
        with pytest.raises(UnreadableFile, match="does not follow"):
            Collection.from_document(document | change)
    for schema in ("sfumato/collection/2", None):
        with pytest.raises((UnknownSchema, UnreadableFile)):
            Collection.from_document(document | {"schema": schema})
    with pytest.raises(UnreadableFile):
        Collection.from_document([document])


def test_a_study_file_says_how_it_is_collected(folder):
    study = homes(folder, recover=True, collect=CollectTerms(mode="panel", recover=True, kem="mlkem768-x25519"))
    write_study(study, folder / "study.toml")
    found = read_study(folder / "study.toml")
    assert found == study
    assert found.collect == study.collect
    assert [one.public_key for one in found.analysts] == ["ministry.pub", "press.pub"]
    assert found.registrar_key == "registrar.pub"


def test_where_keys_lie_is_no_part_of_the_study(folder):
    study = homes(folder)
    moved = replace(study, analysts=tuple(replace(one, public_key=f"keys/{one.name}") for one in study.analysts))
    assert fingerprint(moved) == fingerprint(study) == fingerprint(replace(study, registrar_key=None))
    assert fingerprint(replace(study, collect=CollectTerms(mode="panel"))) != fingerprint(study)
    assert fingerprint(replace(study, collect=None)) != fingerprint(study)


@pytest.mark.parametrize(
    ("line", "named"),
    [('mode = "public"', "mode"), ('kem = "rsa"', "kem"), ('recover = "yes"', "recover"), ("colour = 1", "colour")],
)
def test_a_wrong_word_about_collecting_is_named(folder, line, named):
    write_study(homes(folder, collect=CollectTerms()), folder / "wrong.toml")
    text = (folder / "wrong.toml").read_text().replace('mode = "anonymous"\nkem = "x25519"', line)
    (folder / "wrong.toml").write_text(text)
    with pytest.raises((InvalidParameter, UnreadableFile), match=named) as caught:
        read_study(folder / "wrong.toml")
    assert caught.value.place.line is not None


# Public keys.


def test_an_analyst_without_a_key_is_refused_with_what_to_do(folder):
    study = homes(folder)
    nobody = replace(study, analysts=(study.analysts[0], replace(study.analysts[1], public_key=None)))
    with pytest.raises(InvalidParameter, match=r"missing for press.*sfumato keys pair"):
        collection_of(nobody, folder)


def test_an_analyst_who_sees_what_everybody_sees_needs_none():
    study = Study(
        name="Rest",
        questions=(YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),),
        analysts=(Analyst(name="press", epsilon=Fraction(2)),),
        public_epsilon=Fraction(1),
    )
    assert collection_of(study).receivers == ()


def test_two_receivers_with_one_key_are_refused(folder):
    study = homes(folder)
    same = tuple(replace(one, public_key="press.pub") for one in study.analysts)
    with pytest.raises(KeyRefused, match="same public key"):
        collection_of(replace(study, analysts=same), folder)


def test_a_file_that_is_no_key_is_refused_by_its_name(folder):
    (folder / "poem.pub").write_text("-----BEGIN PUBLIC KEY-----\nroses\n-----END PUBLIC KEY-----\n")
    for kem in Kem:
        with pytest.raises(KeyRefused, match=r"poem\.pub"):
            read_share_public(folder / "poem.pub", kem)


def test_hybrid_pairs_are_made_and_read(tmp_path):
    locked = Passphrase("correct horse", memory_kib=64, passes=1, lanes=1)
    for name, secret in (("open", None), ("locked", locked)):
        public = make_key_pair(tmp_path / name, kem="mlkem768-x25519", passphrase=secret)
        key = read_share_private(tmp_path / name, Kem.HYBRID, secret or Unprotected())
        assert read_share_public(public, Kem.HYBRID) == key.public
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    with pytest.raises(KeyRefused, match="hybrid"):
        read_share_private(tmp_path / "locked", Kem.HYBRID, Unprotected())
    with pytest.raises(KeyRefused, match="hybrid"):
        read_share_public(make_key_pair(tmp_path / "plain"), Kem.HYBRID)
    assert (
        read_share_private(tmp_path / "plain", Kem.X25519, Unprotected()).raw
        == read_private_key(tmp_path / "plain", Unprotected()).raw
    )


# What cannot be asked this way.


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (FreeText(id="word", text="Which word?", epsilon=Fraction(2)), "in rounds"),
        (OneOfMany(id="way", text="How?", answers=tuple("abcdefgh"), random_bits=Fraction(1)), "by its number"),
        (Several(id="has", text="What?", options=tuple("abcdef"), ask=2, epsilon=Fraction(1)), "by its number"),
        (YesNo(id="tired", text="Tired?", ask_if=AskIf(column="land", answers=("AT",))), "public column land"),
    ],
)
def test_what_cannot_be_asked_of_one_person_alone_is_refused(question, why):
    study = Study(name="Rest", questions=(question,), public_epsilon=Fraction(1))
    with pytest.raises(InvalidParameter, match=f"{question.id}.*cannot be asked over the web.*{why}"):
        collection_of(study)


def test_a_disclosure_and_the_name_of_pseudonyms_are_refused():
    tired = YesNo(id="tired", text="Tired?", epsilon=Fraction(1))
    with pytest.raises(InvalidParameter, match="whole table"):
        collection_of(Study(name="Rest", questions=(tired,), disclosure=DisclosedColumns(protect=("age", "sex"))))
    panel = replace(tired, id="panel")
    collection_of(Study(name="Rest", questions=(panel,)))
    with pytest.raises(InvalidParameter, match="pseudonyms"):
        collection_of(Study(name="Rest", questions=(panel,), collect=CollectTerms(mode="panel")))


def test_what_is_said_of_a_collection(asked, folder):
    said = " ".join(collection_words(asked))
    assert "anonymous" in said
    assert "Computational" in said
    panel = " ".join(collection_words(collection_of(homes(folder, collect=CollectTerms(mode="panel")), folder)))
    assert "pseudonym" in panel
    assert "costs its ε once more" in panel
    plain = Study(name="Rest", questions=(YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    assert "Computational" not in " ".join(collection_words(collection_of(plain)))
