"""Labels are in Unicode NFC and hold nothing that is not seen, wherever they come from."""

import json
import sys
import unicodedata
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
import sfumato_check
from fresh_seals import reseal
from sfumato.errors import InvalidInput, InvalidLaw, InvalidParameter, UnreadableFile
from sfumato.files.texts import hidden_character
from sfumato.prob import Distribution
from sfumato.prob.operations import Joint

COMPOSED, APART = "café", unicodedata.normalize("NFD", "café")
NOT_SEEN = (
    "\u200b",
    "\u200c",
    "\u200d",
    "\u200e",
    "\u202e",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\ufe0f",
    "\n",
    "\t",
    "\x7f",
)
ROWS = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]


def test_what_is_not_seen_is_what_unicode_says():
    """Controls, ends of lines and all format characters but those that are drawn: the signs of Arabic and Kaithi."""
    drawn = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    for code in range(sys.maxunicode + 1):
        kind, hidden = unicodedata.category(chr(code)), hidden_character(chr(code)) is not None
        if kind in {"Cc", "Zl", "Zp", "Cf"}:
            assert hidden == (code not in drawn), hex(code)
        elif hidden:  # ignorable marks and fillers
            assert kind in {"Mn", "Lo", "Cn"}, hex(code)
        assert hidden == (sfumato_check.HIDDEN.search(chr(code)) is not None), hex(code)


@pytest.mark.parametrize(
    "make",
    [
        lambda label: sf.Channel(ROWS, [label, "tea"]),
        lambda label: sf.Channel(ROWS, outputs=["tea", label]),
        lambda label: sf.Channel(ROWS, [("x", label), ("x", "tea")]),
        lambda label: Distribution([Fraction(1, 2)] * 2, [label, "tea"]),
        lambda label: Joint([Fraction(1, 2)] * 2, [[label, "tea"], ["x"]]),
        lambda label: sf.OneOfMany(id="q", text="Q?", answers=("tea", label), epsilon=Fraction(2)),
        lambda label: sf.YesNo(id="q", text="Q?", answers=("tea", label), epsilon=Fraction(2)),
        lambda label: sf.Several(id="q", text="Q?", options=("tea", label), epsilon=Fraction(2)),
        lambda label: sf.Ordered(id="q", text="Q?", answers=("tea", "milk", label), epsilon=Fraction(2)),
        lambda label: sf.study.Dictionary.of(["tea", "milk", label]),
    ],
)
def test_control_and_zero_width_characters_are_refused(make):
    make(f"te{COMPOSED}")
    for letter in NOT_SEEN:
        with pytest.raises(InvalidInput) as refusal:
            make(f"te{letter}a")
        assert refusal.value.way_out


def test_two_spellings_are_one_label():
    channel = sf.Channel(ROWS, [APART, "tea"], ["tea", APART])
    assert channel.inputs == (COMPOSED, "tea")
    assert channel[APART, "tea"] == channel[COMPOSED, "tea"] == Fraction(3, 4)
    assert Distribution(ROWS[0], [APART, "tea"])[APART] == Fraction(3, 4)
    with pytest.raises(InvalidLaw, match="twice"):
        sf.Channel(ROWS, [APART, COMPOSED])
    with pytest.raises(InvalidParameter, match="twice"):
        sf.OneOfMany(id="q", text="Q?", answers=(APART, COMPOSED), epsilon=Fraction(2))
    query = sf.recoverable.recoverable(
        {APART: Fraction(1, 2), "tea": Fraction(1, 2)}, {COMPOSED: APART, "tea": "no"}, 1
    )
    assert query.query.values == (COMPOSED, "no")


def test_labels_of_files_are_read_in_one_spelling(tmp_path):
    for name, label in (("apart", APART), ("composed", COMPOSED)):
        (tmp_path / f"{name}.csv").write_text(f"input,tea,{label}\ntea,3/4,1/4\n{label},1/4,3/4\n")
        (tmp_path / f"{name}.json").write_text(
            json.dumps({"schema": "sfumato/channel/1", "inputs": ["tea", label], "outputs": ["tea", label],
                        "rows": [["3/4", "1/4"], ["1/4", "3/4"]]})
        )  # fmt: skip
    found = [sf.Channel.read(path) for path in sorted(tmp_path.iterdir())]
    assert all(channel == found[0] and channel.inputs == ("tea", COMPOSED) for channel in found)
    hidden = (tmp_path / "composed.json").read_text().replace("tea", "te\\u200ba")
    (tmp_path / "hidden.json").write_text(hidden)
    with pytest.raises((UnreadableFile, InvalidLaw), match=r"U\+200B"):
        sf.Channel.read(tmp_path / "hidden.json")


@pytest.mark.parametrize("spelled", [COMPOSED, APART])
def test_answers_in_either_spelling_are_the_study_s(tmp_path, spelled):
    """From a study in one spelling and a table in both, to reports, estimates and recovered answers."""
    question = sf.OneOfMany(
        id="q", text="Q?", answers=(spelled, "tea"), aliases={spelled: [f"un {spelled}"]}, epsilon=Fraction(2)
    )
    study = sf.Study(name="Bar", questions=(question,), public_epsilon=Fraction(1), recover=True)
    sf.write_study(study, tmp_path / "study.toml")
    assert sf.read_study(tmp_path / "study.toml").questions[0].answers == (COMPOSED, "tea")
    answers = [COMPOSED, APART, f"un {COMPOSED}", f"un {APART}", "tea"]
    pq.write_table(pa.table({"q": answers * 20}), tmp_path / "answers.parquet")
    (tmp_path / "answers.csv").write_text("q\n" + "".join(f"{answer}\n" for answer in answers * 20))
    for data in (tmp_path / "answers.parquet", tmp_path / "answers.csv", {"q": answers * 20}):
        made = sf.publish(study, data, insecure_seed=3)
        told = sf.recover_answers(made.reports, made.keys["q"][0]).column("q").to_pylist()
        assert told == ([COMPOSED] * 4 + ["tea"]) * 20


def test_certificates_are_in_the_one_spelling():
    """Neither checker takes a label in another spelling, or with a hidden character."""
    document = json.loads(sf.certify(sf.Channel(ROWS, [COMPOSED, "tea"], ["no", "yes"])).to_json())
    sf.verify(sf.Certificate.from_json(reseal(document)))
    sfumato_check.check(reseal(document))
    for changed in (APART, f"{COMPOSED}\u200b"):
        forged = reseal(json.loads(json.dumps(document, ensure_ascii=False).replace(COMPOSED, changed)))
        assert changed.encode() in forged
        with pytest.raises(sf.errors.SfumatoError):
            sf.verify(sf.Certificate.from_json(forged))
        with pytest.raises((sfumato_check.Refused, sfumato_check.Unreadable)):
            sfumato_check.check(forged)
