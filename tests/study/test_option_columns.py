"""Choose any, one column an option: read as the cell that names the same options, from every kind of table."""

from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.keys import Unprotected
from sfumato.study import Several, Study, YesNo, read_study
from sfumato.study.answers import read_cells
from sfumato.study.file import as_toml

OPTIONS = ("bus", "train", "car")
COLUMNS = ("q3_1", "q3_2", "q3_3")
ROWS = [(1, 0, 1), (0, 0, 0), (0, 1, 0), (1, 1, 1)] * 3
CELLS = ["bus;car", "none", "train", "bus;train;car"] * 3


def question(**changes):
    given = {"id": "way", "text": "How?", "options": OPTIONS, "columns": COLUMNS, "ask": 3}
    return Several(**{**given, "epsilon": Fraction(6), **changes})


def study(*questions, **changes):
    return Study(**{"name": "Ways", "questions": questions or (question(),), "recover": True, **changes})


def frame(rows=ROWS):
    return pd.DataFrame(rows, columns=list(COLUMNS)).assign(region="north")


def sets(asked, data, first=0):
    """The sets that are read, of those that have a report."""
    inside = study(asked)
    return read_cells(inside, inside.handlers[0], pa.table(data), first)


def read(data, **changes):
    return sets(question(**changes), data).answers.tolist()


def columns(*rows):
    return {name: list(cells) for name, cells in zip(COLUMNS, zip(*rows, strict=True), strict=True)}


@pytest.mark.parametrize(
    ("yes", "no"),
    [(1, 0), ("1", "0"), (1.0, 0.0), (True, False), ("yes", "no"), ("Yes", "NO"), ("TRUE", "false"), (" 1 ", "0 ")],
)
def test_every_usual_mark_is_read(yes, no):
    assert read(columns((yes, no, yes), (no, no, no), (no, yes, no))) == [0b101, 0, 0b010]


def test_an_option_or_what_stands_for_it_says_that_it_was_chosen():
    data = columns(("bus", "0", "0"), ("Bus 12", "0", "car"))
    assert read(data, aliases={"bus": ("Bus 12",)}) == [0b001, 0b101]
    with pytest.raises(UnreadableFile, match=r"column q3_2, row 1 does not say whether 'train' was chosen; 1 of"):
        read(columns((0, "bus", 0)))


def test_other_marks_are_refused_by_their_row_and_never_shown():
    with pytest.raises(UnreadableFile) as refused:
        read(columns((1, 0, 0), (0, 0, 7)))
    said = str(refused.value)
    assert "column q3_3, row 2" in said
    assert "Write 1 where it was chosen and 0 where not" in said
    assert "7" not in said


def test_a_row_that_is_empty_in_part_is_refused_with_the_way_out():
    with pytest.raises(
        UnreadableFile, match=r"column q3_2, row 12 is empty, and other options of way .*\(1 of"
    ) as told:
        sets(question(missing="hidden"), columns((1, 0, 0), (1, None, 0)), first=10)
    assert "Write 0 where an option was not chosen" in told.value.way_out


@pytest.mark.parametrize("missing", ["public", "hidden"])
def test_a_row_without_any_cell_is_no_answer(missing):
    data = columns(("1", "0", "0"), (None, "", " "), ("-9", "-9", "-9"), ("0", "0", "0"))
    found = sets(question(missing=missing, missing_codes=("-9",)), data)
    if missing == "public":
        assert found.answers.tolist() == [0b001, 0]
        assert found.drawn.tolist() == [True, False, False, True]
    else:
        assert found.answers.tolist()[::3] == [0b001, 0]
        assert found.answers.tolist()[1] == found.answers.tolist()[2] not in {0, 0b001}
        assert found.drawn is None
    with pytest.raises(UnreadableFile, match="column way, row 2 is empty"):
        read(columns(("1", "0", "0"), (None, None, None)))


def recovered(made):
    """The cells of the question, or of each of its columns."""
    keys = [levels[0] for levels in made.keys.values() if 0 in levels]
    return given_back(sf.recover_answers(made.reports, keys))


def given_back(table):
    if "way" in table.column_names:
        return table["way"].to_pylist()
    return list(zip(*(table[name].to_pylist() for name in COLUMNS), strict=True))


@pytest.mark.parametrize("kind", ["dict", "pandas", "arrow", "csv", "parquet", "xlsx", "sav"])
def test_every_kind_of_table_is_published(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    held = frame()
    if kind == "csv":
        held.to_csv(path, index=False)
    elif kind == "parquet":
        pq.write_table(pa.Table.from_pandas(held), path)
    elif kind == "xlsx":
        held.to_excel(path, index=False)
    elif kind == "sav":
        marks = {0.0: "not mentioned", 1.0: "mentioned"}
        pyreadstat.write_sav(held, path, variable_value_labels=dict.fromkeys(COLUMNS, marks))
    data = {"dict": held.to_dict("list"), "pandas": held, "arrow": pa.Table.from_pandas(held)}.get(kind, path)
    made = sf.publish(study(), data, insecure_seed=1, keep=["region"])
    assert recovered(made) == ROWS
    assert set(COLUMNS).isdisjoint(made.reports.table.column_names)


def test_labels_are_read_where_codes_say_nothing(tmp_path):
    held = frame().replace({name: {1: 1.0, 0: 2.0} for name in COLUMNS})
    marks = {name: {1.0: "Yes", 2.0: "No"} for name in COLUMNS}
    pyreadstat.write_sav(held, tmp_path / "t.sav", variable_value_labels=marks)
    assert recovered(sf.publish(study(), tmp_path / "t.sav", insecure_seed=1)) == ROWS


def test_people_are_added_and_corrected(tmp_path):
    asked = study(question(missing="hidden"), public_epsilon=Fraction(1))
    place = {"out": tmp_path / "reports", "keys": tmp_path / "keys", "protection": Unprotected()}
    sf.publish(asked, frame(), insecure_seed=1, **place)
    sf.publish(asked, frame(ROWS[:2]), append=True, insecure_seed=2, **place)
    part = next(one.id for one in sf.Reports.read(tmp_path / "reports").note.parts)
    given = {"part": [part] * 4, "row": [0, 1, 2, 3]}
    none, back = (None,) * 3, ("no answer",) * 3
    sf.amend(asked, given | columns(("0", "0", "0"), none, ("1", "1", "0"), back), insecure_seed=3, **place)
    keys = sorted((tmp_path / "keys").rglob("*registrar*"))
    found = given_back(sf.recover_answers(tmp_path / "reports", keys, unlock=Unprotected()))
    wanted = [(0, 0, 0), ROWS[1], (1, 1, 0), (None,) * 3, *ROWS[4:], *ROWS[:2]]
    assert sorted(map(str, found)) == sorted(map(str, wanted))
    half = given | columns(("0", "0", "0"), none, none, ("no answer", "1", "0"))
    with pytest.raises(UnreadableFile, match="column q3_1, row 4 is empty, and other options"):
        sf.amend(asked, half, **place)
    with pytest.raises(UnreadableFile, match="q3_3"):
        sf.amend(asked, {"part": [part], "row": [0], "q3_1": [1], "q3_2": [0]}, **place)


def test_hidden_gaps_come_back_as_gaps_and_nothing_else_does():
    """Of a question that hides who did not answer, only those are empty when answers are recovered."""
    asked = study(question(missing="hidden", columns=()))
    for held in (["bus", "bus;train"], ["bus", None, "bus;train;car"]):
        assert recovered(sf.publish(asked, {"way": held}, insecure_seed=1)) == held


def test_its_columns_are_answers_and_not_kept():
    with pytest.raises(InvalidParameter, match="is a question: its answers are not made public"):
        sf.publish(study(), frame(), keep=["q3_1"], insecure_seed=1)
    late = YesNo(id="late", text="Late?", ask_if=sf.study.AskIf(column="q3_1", answers=("1",)), epsilon=Fraction(1))
    with pytest.raises(InvalidParameter, match="which is a question: its answers are not public"):
        study(question(), late, recover=False)
    with pytest.raises(InvalidParameter, match="'late' is read from the column 'q3_2', and so is one before it"):
        study(question(), question(id="late", columns=("a", "b", "q3_2")))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"columns": COLUMNS[:2]}, "names 2 columns, and there are 3 options"),
        ({"columns": ("a", "b", "a")}, "names 2 columns, and there are 3 options"),
        ({"columns": ("a", "b", "")}, "must not be empty"),
        ({"none": ""}, "says what an empty cell means, and of several columns a row of zeros chose none"),
        ({"options": ("bus", "train", "none")}, "none='none' is an option"),
        ({"columns": (), "none": "", "missing": "hidden"}, "an empty cell has chosen no option, and by missing it is"),
        (
            {
                "columns": (),
                "none": "",
                "missing": "public",
                "ask_if": sf.study.AskIf(column="region", answers=("north",)),
            },
            "an empty cell has chosen no option, and by ask_if it is",
        ),
    ],
    ids=str,
)
def test_what_could_mean_two_things_is_refused(changes, said):
    with pytest.raises(InvalidParameter) as refused:
        question(**changes)
    assert said in str(refused.value).replace("`", "")


def test_a_study_file_has_them(tmp_path):
    asked = study(question(columns=COLUMNS), question(id="b", columns=(), none=""))
    (tmp_path / "study.toml").write_text(as_toml(asked), encoding="utf-8")
    assert 'columns = ["q3_1", "q3_2", "q3_3"]' in as_toml(asked)
    assert read_study(tmp_path / "study.toml") == asked


def test_an_empty_cell_means_none_where_that_is_declared():
    asked = {"columns": (), "none": ""}
    assert read({"way": ["bus", None, " ", "train;car", ";"]}, **asked) == [0b001, 0, 0, 0b110, 0]
    found = sets(question(**asked, missing="public", missing_codes=("NA",)), {"way": ["bus", None, "NA", ""]})
    assert found.answers.tolist() == [0b001, 0, 0]
    assert found.drawn.tolist() == [True, True, False, True]
    made = sf.publish(study(question(**asked)), {"way": ["bus", None, "train"]}, insecure_seed=1)
    assert recovered(made) == ["bus", "", "train"]


def test_the_truth_of_a_page_is_read_from_them():
    inside = study(recover=False)
    from sfumato.study.answers import held_answers

    held = held_answers(inside, inside.questions[0], pa.Table.from_pandas(frame()))
    assert inside.handlers[0].truth(held).shares == (0.5, 0.5, 0.5)
