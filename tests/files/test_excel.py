"""Workbooks: the cells of a sheet as a CSV would hold them; what is no answer, and what would do harm, is refused."""

import datetime as dt
import io
import sys
import tracemalloc
import zipfile

import openpyxl
import pytest

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.formats import DataFile
from sfumato.files.row_streams import open_rows
from sfumato.files.tables import as_arrow

SECRET = "hush-7731"  # noqa: S105  an answer


@pytest.fixture
def book(tmp_path):
    def put(*lines, name="t.xlsx", more=None, change=None):
        made = openpyxl.Workbook()
        for line in lines:
            made.active.append(line)
        for title, cells in (more or {}).items():
            sheet = made.create_sheet(title)
            for line in cells:
                sheet.append(line)
        if change:
            change(made.active)
        made.save(tmp_path / name)
        return tmp_path / name

    return put


def rows(data, columns=("a", "b")):
    return [tuple(row.values()) for table in open_rows(data, columns=columns).chunks() for row in table.to_pylist()]


def test_cells_are_the_texts_of_a_csv(book):
    path = book(["a", "b"], [1, "x"], [2.5, " y "], [True, None], ["03", 4.0], [1e20, False])
    assert rows(path) == [("1", "x"), ("2.5", " y "), ("True", None), ("03", "4"), ("1e+20", "False")]
    assert as_arrow(path).column_names == ["a", "b"]


def test_sheets_by_name_and_an_index_without_one(book):
    path = book([None, "a", "b"], [0, 1, 2], more={"second": [["b", "a"], ["p", "q"]]})
    assert rows(path) == [("1", "2")]
    assert rows(DataFile(path, sheet="second")) == [("q", "p")]
    with pytest.raises(InvalidParameter, match="which has: 'Sheet', 'second'"):
        rows(DataFile(path, sheet="third"))


def test_blank_rows_at_the_end_are_no_rows_and_within_are_refused(book):
    path = book(["a", "b"], [1, 2], [None, None], [None, None])
    assert rows(path) == [("1", "2")]
    with pytest.raises(UnreadableFile, match="row 2 is blank, and rows follow"):
        rows(book(["a", "b"], [1, 2], [None, None], [3, 4]))


@pytest.mark.parametrize(
    ("lines", "change", "said"),
    [
        ([["a", "b"], [1, dt.date(2020, 1, 2)]], None, "column b, row 1 holds a date or a time"),
        ([["a", "b"], [1, 2], [3, "=A2+1"]], None, "column b, row 2 holds a formula without a value"),
        ([["a", "b"], [1, "#N/A"]], None, "column b, row 1 holds an error of a formula"),
        ([["all", None], ["a", "b"], [1, 2]], lambda sheet: sheet.merge_cells("A1:B1"), "first row are merged"),
        ([[None, None], ["a", "b"]], None, "first row of the sheet is blank"),
        ([["a", "a"], [1, 2]], None, "two columns of the same name"),
        ([["a", "c"], [1, 2]], None, "no column 'b'"),
    ],
)
def test_what_is_no_answer_is_refused_by_its_row(book, lines, change, said):
    with pytest.raises(UnreadableFile, match=said):
        rows(book(*lines, change=change))


def test_formulas_and_dates_in_other_columns_are_nobodys_business(book):
    path = book(["a", "b", "c", "d"], [1, 2, "=A2", dt.date(2020, 1, 1)])
    assert rows(path) == [("1", "2")]


def test_a_formula_counts_by_the_value_that_was_saved(book, tmp_path):
    path = book(["a", "b"], [1, "=A2+1"])
    _rewritten(path, tmp_path / "u.xlsx", b"<v></v>", b"<v>2</v>", b"<v />", b"<v>2</v>")
    assert rows(tmp_path / "u.xlsx") == [("1", "2")]


def _rewritten(source, target, *pairs, part="xl/worksheets/sheet1.xml"):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename == part:
                for before, after in zip(pairs[::2], pairs[1::2], strict=True):
                    data = data.replace(before, after)
            new.writestr(info.filename, data)
        if part not in old.namelist():
            new.writestr(part, b"<sst>" + pairs[1])


HOSTILE = {
    "a bomb in the sheet": ("xl/worksheets/sheet1.xml", b"</worksheet>", b" " * 40_000_000 + b"</worksheet>"),
    "a bomb in the texts": ("xl/sharedStrings.xml", b"</sst>", b"<si/>" * 10_000_000 + b"</sst>"),
    "rows without end": ("xl/worksheets/sheet1.xml", b'<row r="2"', b'<row r="99999999999"'),
    "a column far out": ("xl/worksheets/sheet1.xml", b'r="A2"', b'r="ZZZZZZZ2"'),
    "entities": ("xl/worksheets/sheet1.xml", b"<worksheet", b'<!DOCTYPE x [<!ENTITY y "z">]><worksheet'),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_workbooks_are_refused_in_little_memory(book, tmp_path, what):
    part, before, after = HOSTILE[what]
    path = book(["a", "b"], [1, SECRET])
    _rewritten(path, tmp_path / "h.xlsx", before, after, part=part)
    del after
    tracemalloc.start()
    with pytest.raises(UnreadableFile) as refused:
        rows(tmp_path / "h.xlsx")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30e6
    assert SECRET not in str(refused.value)


def test_what_a_sheet_says_of_its_size_is_not_believed(book, tmp_path):
    path = book(["a", "b"], [1, 2])
    _rewritten(path, tmp_path / "u.xlsx", b'ref="A1:B2"', b'ref="A1:XFD1048576"')
    assert rows(tmp_path / "u.xlsx") == [("1", "2")]


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"", b"a,b\n1,2\n", b"\xd0\xcf\x11\xe0" + b"\0" * 100])
def test_what_is_no_workbook_is_told_apart(tmp_path, data):
    (tmp_path / "t.xlsx").write_bytes(data)
    with pytest.raises(UnreadableFile):
        rows(tmp_path / "t.xlsx")


def test_an_empty_archive_is_damaged(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as made:
        made.writestr("x", "y")
    with pytest.raises(UnreadableFile, match="damaged"):
        rows(tmp_path / "t.xlsx")
    assert not io.BytesIO().read()


def test_without_the_library_the_extra_is_named(book, monkeypatch):
    path = book(["a", "b"], [1, 2])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(UnreadableFile, match=r"pip install 'sfumato\[files\]'"):
        rows(path)
