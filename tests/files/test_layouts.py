"""CSV as Excel and statisticians write it: what is not plain is said, what can mean two things is refused."""

import pytest

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.formats import ENCODINGS, DataFile
from sfumato.files.row_streams import open_rows
from sfumato.files.tables import as_arrow

PLAIN = "name,age\nÄnne,30\nBob,41\n"


def rows(data, columns=("name", "age"), size=1 << 18):
    found = [row for table in open_rows(data, columns=columns).chunks(size) for row in table.to_pylist()]
    return [tuple(row.values()) for row in found]


@pytest.fixture
def write(tmp_path):
    def put(data, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return put


WANTED = [("Änne", "30"), ("Bob", "41")]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PLAIN.encode(), {}),
        (PLAIN.encode("utf-8-sig"), {}),
        (PLAIN.encode("utf-16"), {}),
        (b"\xfe\xff" + PLAIN.encode("utf-16-be"), {}),
        (PLAIN.encode("latin-1"), {"encoding": "latin-1"}),
        (PLAIN.encode("cp1252"), {"encoding": "windows-1252"}),
        (PLAIN.encode("mac-roman"), {"encoding": "mac-roman"}),
        (PLAIN.replace(",", ";").encode(), {}),
        (PLAIN.replace(",", "\t").encode(), {}),
        (PLAIN.replace(",", "|").encode(), {}),
        (PLAIN.replace(",", "~").encode(), {"separator": "~"}),
        (PLAIN.replace(",", "\t").encode(), {"separator": "tab"}),
        (PLAIN.replace("\n", "\r\n").encode(), {}),
        (b"sep,name,age\n" + b'"1","\xc3\x84nne",30\n"2","Bob",41\n', {}),
        (b'"","name","age"\n"1","\xc3\x84nne",30\n"2","Bob",41\n', {}),
        (b",name,age,,\n1,\xc3\x84nne,30,,\n2,Bob,41,,\n", {}),
    ],
)
def test_the_same_table_however_it_is_written(write, data, said):
    assert rows(DataFile(write(data), **said)) == WANTED
    table = as_arrow(DataFile(write(data), **said))
    assert table.column("name").to_pylist() == ["Änne", "Bob"]


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name not in {"utf-8", "utf-16"}])
def test_every_encoding_goes_there_and_back(write, encoding):
    letter = next(letter for letter in "äЖαşאع한語あ" if letter in letter.encode(encoding, "ignore").decode(encoding))
    data = f"name,age\n{letter},30\n" + "x,1\n" * 5000
    assert rows(DataFile(write(data.encode(encoding)), encoding=encoding))[0] == (letter, "30")


def test_a_long_file_is_decoded_block_by_block(write):
    lines = "".join(f"é{number},{number}\n" for number in range(200_000))
    found = rows(DataFile(write(("name,age\n" + lines).encode("latin-1")), encoding="latin-1"), size=10_000)
    assert len(found) == 200_000
    assert found[199_999] == ("é199999", "199999")


def test_an_unnamed_column_is_left_out_of_a_table_and_can_be_asked_for(write):
    path = write('"","name","age"\n"7","a",30\n')
    assert as_arrow(path).column_names == ["name", "age"]
    assert rows(path, ["column 1", "age"]) == [("7", "30")]


def test_quoted_line_breaks_and_separators_stay_in_their_cell(write):
    path = write('name;age\n"a;\nb, c";30\n')
    assert rows(path) == [("a;\nb, c", "30")]


def test_the_separator_is_the_one_that_gives_the_columns_needed(write):
    path = write("name;age;remark, if any\na;30;x\n")
    assert rows(path) == [("a", "30")]
    unclear = write("a,age,x;b;age;y\n")
    with pytest.raises(UnreadableFile, match=r"commas and semicolons.*`separator`"):
        rows(unclear, ["age"])
    assert rows(DataFile(write("a,age,x;b;age;y\n1,2,3;4;5;6\n"), separator=";"), ["age"]) == [("5",)]


NUMBERS = [("3,5", "3.5"), ("-0,25", "-0.25"), ("1,5e3", "1.5e3"), ("7", "7"), ("a,b", "a,b")]


@pytest.mark.parametrize(("cell", "text"), NUMBERS)
def test_a_decimal_comma_is_read_where_it_is_declared(write, cell, text):
    path = write(f"name;age\nx;{cell}\n")
    assert rows(DataFile(path, decimal=",")) == [("x", text)]
    assert rows(path) == [("x", cell)]


@pytest.mark.parametrize("cell", ["1.234", "1.234,5", "1.5", "1.234.567"])
def test_a_point_beside_a_decimal_comma_is_refused_by_its_row(write, cell):
    path = write(f"name;age\nx;1\nx;{cell}\n")
    with pytest.raises(UnreadableFile, match="column age, row 2 has a number with a point") as refused:
        rows(DataFile(path, decimal=","))
    assert cell not in str(refused.value)


@pytest.mark.parametrize(
    ("data", "said", "sentence"),
    [
        (PLAIN.encode("latin-1"), {}, r"column name, row 1 is not UTF-8 text\. Say how .*windows-1252"),
        ("näme,age\na,1\n".encode("latin-1"), {}, "names of the columns are not UTF-8"),
        (
            PLAIN.encode("utf-8-sig"),
            {"encoding": "latin-1"},
            "begins with the mark of UTF-8, and `encoding` says latin-1",
        ),
        (b"name,age\n\x81,1\n", {"encoding": "windows-1252"}, "not text in windows-1252, near line 2"),
        (b"PK\x03\x04\0\0", {}, "an Excel workbook"),
        (b"\xd0\xcf\x11\xe0\0", {}, "old Excel"),
        (b"name,age\na\0,1\n", {}, "binary data"),
        (b"\nname,age\n", {}, "first line is blank"),
        (b"name,name\n1,2\n", {}, "two columns of the same name"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_cure(write, data, said, sentence):
    with pytest.raises(UnreadableFile, match=sentence):
        rows(DataFile(write(data), **said))


@pytest.mark.parametrize(
    "said",
    [{"encoding": "klingon"}, {"encoding": "rot13"}, {"separator": "ab"}, {"separator": "x"}, {"decimal": ";"},
     {"decimal": ",", "separator": ","}, {"separator": '"'}, {"encoding": "a\0"}],
)  # fmt: skip
def test_what_cannot_be_said_is_refused(said):
    with pytest.raises(InvalidParameter):
        DataFile("t.csv", **said)


def test_what_a_file_says_itself_is_not_to_be_said(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"name": ["a"], "age": [1]}), tmp_path / "t.parquet")
    for said in ({"encoding": "latin-1"}, {"decimal": ","}, {"separator": ";"}, {"sheet": "S"}):
        with pytest.raises(InvalidParameter, match="Leave it out"):
            rows(DataFile(tmp_path / "t.parquet", **said))


def test_a_folder_is_read_as_one_says(tmp_path):
    for number in range(2):
        (tmp_path / f"{number}.csv").write_bytes("name;age\né;1,5\n".encode("latin-1"))
    assert rows(DataFile(tmp_path, encoding="latin-1", decimal=",")) == [("é", "1.5")] * 2
