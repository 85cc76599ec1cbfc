"""Files of SPSS, Stata and SAS: labels for codes, or codes where a study means them; missing is empty."""

import datetime as dt
import sys
from fractions import Fraction

import pandas as pd
import pyreadstat
import pytest

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.row_streams import open_rows
from sfumato.publications.part import open_answers
from sfumato.study.kinds.number import Count
from sfumato.study.kinds.single_choice import OneOfMany, YesNo
from sfumato.study.study import Study

VOTED = {1.0: "yes", 2.0: "no", 9.0: "refused"}
FRAME = pd.DataFrame(
    {
        "voted": [1.0, 2.0, None, 1.0, 9.0],
        "age": [30.0, 41.5, 22.0, 55.0, None],
        "town": ["Bern", "", " Wil ", "Genève", "x"],
    }
)


@pytest.fixture
def save(tmp_path):
    def put(kind, frame=FRAME, **said):
        path = tmp_path / f"t.{kind}"
        if kind in {"sav", "zsav"}:
            said.setdefault("variable_value_labels", {"voted": VOTED})
            pyreadstat.write_sav(frame, path, compress=kind == "zsav", **said)
        elif kind == "dta":
            said.setdefault("variable_value_labels", {"voted": {int(code): text for code, text in VOTED.items()}})
            pyreadstat.write_dta(frame, path, **said)
        else:
            pyreadstat.write_xport(frame, path, **said)
        return path

    return put


def rows(data, columns, size=2):
    return [tuple(row.values()) for table in open_rows(data, columns=columns).chunks(size) for row in table.to_pylist()]


@pytest.mark.parametrize("kind", ["sav", "zsav", "dta"])
def test_labels_stand_for_their_codes_in_chunks_of_any_size(save, kind):
    wanted = [("yes", "30", "Bern"), ("no", "41.5", None), (None, "22", " Wil "), ("yes", "55", "Genève")]
    wanted.append(("refused", None, "x"))
    stream = open_rows(save(kind), columns=("voted", "age", "town"))
    for size in (1, 2, 100):
        found = [tuple(row.values()) for table in stream.chunks(size) for row in table.to_pylist()]
        assert [(a, b, c and c.strip()) for a, b, c in found] == [(a, b, c and c.strip()) for a, b, c in wanted]


def test_sas_files_have_codes_and_no_labels(save):
    frame = FRAME.rename(columns=str.upper)
    assert rows(save("xpt", frame), ("VOTED", "AGE"))[:2] == [("1", "30"), ("2", "41.5")]


def test_what_the_file_calls_missing_is_empty(save):
    path = save("sav", missing_ranges={"voted": [9]})
    assert [row[0] for row in rows(path, ("voted",))] == ["yes", "no", None, "yes", None]
    path = save("sav", missing_ranges={"age": [{"lo": 40, "hi": 60}]})
    assert [row[0] for row in rows(path, ("age",))] == ["30", None, "22", None, None]


def test_single_precision_is_spelled_as_it_was_typed(tmp_path):
    FRAME.assign(age=FRAME.age * 0 + 3.1).astype({"age": "float32"})[["age"]].to_stata(
        tmp_path / "t.dta", write_index=False
    )
    assert {row[0] for row in rows(tmp_path / "t.dta", ("age",))} == {"3.1", None}


def read(question, path):
    study = Study(name="s", questions=(question,), public_epsilon=Fraction(1))
    stream = open_answers(study, path)
    return [row[question.id] for table in stream.chunks() for row in table.to_pylist()]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        (OneOfMany(id="voted", text="V?", answers=("no", "yes", "refused")), ["yes", "no", None, "yes", "refused"]),
        (OneOfMany(id="voted", text="V?", answers=("no", "yes", "unasked")), ["yes", "no", None, "yes", "refused"]),
        (OneOfMany(id="voted", text="V?", answers=("1", "2", "9")), ["1", "2", None, "1", "9"]),
        (OneOfMany(id="voted", text="V?", answers=("n", "y"), aliases={"y": ("1",), "n": ("2",)}),
         ["1", "2", None, "1", "9"]),
        (YesNo(id="voted", text="V?", answers=("nein", "ja"), aliases={"ja": ("yes",), "nein": ("no",)}),
         ["yes", "no", None, "yes", "refused"]),
        (Count(id="voted", text="V?", highest=9), ["1", "2", None, "1", "9"]),
    ],
    ids=str,
)  # fmt: skip
def test_the_answers_of_the_study_say_whether_labels_or_codes_are_meant(save, question, wanted):
    assert read(question, save("sav")) == wanted


@pytest.mark.parametrize("answers", [("1", "no"), ("left", "right")])
def test_neither_and_both_are_refused_with_both_lists(save, answers):
    with pytest.raises(InvalidParameter) as refused:
        read(OneOfMany(id="voted", text="V?", answers=answers), save("sav"))
    said = str(refused.value)
    assert "column voted with the codes '1', '2', '9' and their labels 'yes', 'no', 'refused'" in said
    assert ("some are codes and some are labels" if "no" in answers else "none is one of these") in said


def test_dates_are_refused_by_their_row(save):
    frame = pd.DataFrame({"born": [dt.date(1990, 1, 2)] * 2})
    with pytest.raises(UnreadableFile, match="column born, row 1 holds a date"):
        rows(save("sav", frame, variable_value_labels={}), ("born",))


@pytest.mark.parametrize("kind", ["sav", "dta", "xpt", "sas7bdat"])
@pytest.mark.parametrize("data", [b"", b"\0" * 2000])
def test_what_is_damaged_is_refused(tmp_path, kind, data):
    path = tmp_path / f"t.{kind}"
    path.write_bytes(data)
    with pytest.raises(UnreadableFile):
        rows(path, ("a",))


def test_without_the_library_the_extra_is_named(save, monkeypatch):
    path = save("sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(UnreadableFile, match=r"pip install 'sfumato\[files\]'"):
        rows(path, ("voted",))
