"""Every bad channel is refused with a sentence that names the file, the rule and a way out."""

import json
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from damaged_files import write_table as write
from sfumato.errors import InvalidInput, InvalidLaw, InvalidParameter, UnknownSchema, UnreadableFile
from sfumato.prob import Channel, read_any_channel, read_channel

V1 = {"schema": "sfumato/channel/1"}
HALF = [0.5, 0.5]


CSV = [
    ("x,a,b\nyes,0.5,0.4\n", InvalidLaw, r"input 'yes' \(line 2\) sums to 0.9.*divide the row"),
    ("0.5,0.5\n0.5,0.6\n", InvalidLaw, r"row at line 2 sums to 1.1.*divide the row"),
    ("x,a,b\nyes,1.5,-0.5\n", InvalidLaw, r"'yes' \(line 2\) has a negative entry.*correct"),
    ("x,a,b\nyes,1.5,0\n", InvalidLaw, r"'yes' \(line 2\) has an entry above 1.*Divide"),
    ("x,a,b\nyes,nan,0.5\n", UnreadableFile, r"line 2: column 2 is not finite.*Check"),
    ("nan,1\n1,1\n", UnreadableFile, r"line 1: column 1 is not finite.*Check"),
    ("1,1e999\n1,1\n", UnreadableFile, r"line 1: column 2 has an exponent.*write 0"),
    ("x,a,a\nyes,0.5,0.5\n", InvalidLaw, r"outputs holds the label 'a' twice.*Rename"),
    ("x,a,b\nyes,0.5,0.5\nyes,0.5,0.5\n", InvalidLaw, r"inputs holds the label 'yes' twice.*Rename"),
    ("x,a,b\nyes,0.5,0.5\nno,1\n", UnreadableFile, r"line 3: the line has 2 cells and line 1 has 3.*Give every line"),
    ("x,a,b\nyes,0.5,0.5\n\nno,1,0\n", UnreadableFile, r"line 3: the line is blank.*Delete"),
    ("x;a;b\nyes;0,5;0,5\n", UnreadableFile, r"line 2: column 2 has a decimal comma.*point"),
    ("x,a,b\nyes,1e999999999,0.5\n", UnreadableFile, r"line 2: column 2 has an exponent.*write 0"),
    ("x,a,b\nyes,,1\n", UnreadableFile, r"line 2: column 2 is empty.*Write a number"),
    ("x,a,b\n", UnreadableFile, r"header on line 1 and no numbers.*Write the output labels"),
    ("a\n1\n", UnreadableFile, r"no numbers below or beside it"),
    ("\n\n \n", UnreadableFile, r"only blank lines.*Write"),
    ('x,a,b\n"yes,0.5,0.5\n', UnreadableFile, r"is not a table.*Close every quote"),
    (b"\x00\x01\x02\xff" * 100, UnreadableFile, r"not UTF-8 text.*Save it again"),
    (b"x,a\0b\nyes,1\n", UnreadableFile, r"not UTF-8 text.*Save it again"),
    (b"x,a\ncaf\xe9,1\n", UnreadableFile, r"not UTF-8 text.*Save it again"),
    ("x,a\nyes,1\n".encode("utf-16"), UnreadableFile, r"not UTF-8 text.*Save it again"),
    ("1," * 6_000_000, UnreadableFile, r"6000000 entries.*Parquet"),
]
JSON = [
    ([[0.5, 0.4]], InvalidLaw, r"row at rows\[0\] sums to 0.9.*divide the row"),
    (V1 | {"inputs": ["yes"], "rows": [[0.5, 0.4]]}, InvalidLaw, r"input 'yes' \(rows\[0\]\) sums to 0.9"),
    ([[1.5, -0.5]], InvalidLaw, r"rows\[0\] has a negative entry.*correct"),
    ("[[NaN, 0.5]]", UnreadableFile, r"holds NaN.*Check how"),
    ("[[-Infinity, 0.5]]", UnreadableFile, r"holds -Infinity.*Check how"),
    ('[["nan", 0.5]]', UnreadableFile, r"rows\[0\]\[0\] is not finite.*Check how"),
    (V1 | {"outputs": ["a", "a"], "rows": [HALF]}, InvalidLaw, r"outputs holds the label 'a' twice.*Rename"),
    (V1 | {"outputs": ["a"], "rows": [HALF]}, InvalidLaw, r"outputs has 1 labels for 2 entries.*Give one label"),
    (V1 | {"inputs": [True], "rows": [HALF]}, UnreadableFile, r"inputs\[0\] must be text"),
    (V1 | {"inputs": [1.5], "rows": [HALF]}, UnreadableFile, r"inputs\[0\] is a number that is not whole.*Use text"),
    ('{"schema": "sfumato/channel/1", "inputs": ["\\ud800"], "rows": [[1]]}', UnreadableFile, r"inputs\[0\].*Unicode"),
    ([HALF, [1]], UnreadableFile, r"rows\[1\] has another number of entries.*Every row needs"),
    ([], UnreadableFile, r"no rows.*needs one entry"),
    ([[]], InvalidLaw, r"is empty.*at least one outcome"),
    ([[[0.5], 0.5]], UnreadableFile, r"rows\[0\]\[0\] must be a number"),
    ([[True, 0.5]], UnreadableFile, r"rows\[0\]\[0\] must be a number"),
    (["0.5"], UnreadableFile, r"rows\[0\] must be a list"),
    ("3", UnreadableFile, r"neither an object nor a list.*Write a list"),
    ("{", UnreadableFile, r"line 1: the file is not JSON: .* at column 2.*Correct it"),
    (b"\xff\xfe\x00{", UnreadableFile, r"not UTF-8 text.*Save it again"),
    ({"schema": "sfumato/channel/2", "rows": [HALF]}, UnknownSchema, r"sfumato/channel/2.*Upgrade sfumato"),
    ({"schema": "sfumato/channel/99", "future": 1}, UnknownSchema, r"sfumato/channel/99.*Upgrade sfumato"),
    ({"schema": "sfumato/certificate/1", "rows": [HALF]}, UnknownSchema, r"needs the entry schema.*Add it"),
    ({"rows": [HALF]}, UnknownSchema, r"needs the entry schema: sfumato/channel/1.*Add it"),
    (V1 | {"rows": [HALF], "colour": 3}, UnreadableFile, r"the key 'colour'.*Use only: schema"),
    (V1, UnreadableFile, r"lacks the key rows.*Add it"),
    (V1 | {"rows": [HALF], "numbers": "decimal"}, UnreadableFile, r"numbers is not known.*Use exact or float64"),
    (V1 | {"rows": [HALF], "kind": "sparse"}, UnreadableFile, r"kind is not known.*Use dense or circulant"),
    ('{"schema": "sfumato/channel/1", "rows": [[1]], "rows": [[1]]}', UnreadableFile, r"'rows' twice.*Keep one"),
    ("[" * 100_000, UnreadableFile, r"too deeply.*flatten"),
    ("[" * 900 + "]" * 900, UnreadableFile, r"(too deeply.*flatten|must be)"),
    ('{"schema": "sfumato/channel/1", "inputs": [' + "[" * 900 + "]" * 900 + '], "rows": [[1]]}', InvalidInput, None),
    ("[[" + "1" * 5000 + "]]", UnreadableFile, r"rows\[0\]\[0\] has 5000 characters.*fewer digits"),
    ('{"schema": "sfumato/channel/1", "inputs": [' + "1" * 5000 + '], "rows": [[1]]}', UnreadableFile, r"too long"),
    ("[[1e999999999, 0]]", UnreadableFile, r"rows\[0\]\[0\] has an exponent.*write 0"),
    (V1 | {"kind": "circulant", "size": 7, "odds": 3}, UnreadableFile, r"lacks the key support.*Add it"),
    (V1 | {"kind": "circulant", "size": 7, "support": [9], "odds": 3}, InvalidLaw, r"support must hold.*Reduce"),
    (V1 | {"kind": "circulant", "size": 7, "support": [], "odds": 3}, InvalidLaw, r"support must hold.*Reduce"),
    (V1 | {"kind": "circulant", "size": 7, "support": [1], "odds": "1/3"}, InvalidParameter, r"odds=1/3.*Raise `odds`"),
    (V1 | {"kind": "circulant", "size": 10**15, "support": [1], "odds": 3}, UnreadableFile, r"size must be.*digits"),
    (V1 | {"kind": "circulant", "size": "7", "support": [1], "odds": 3}, UnreadableFile, r"size must be.*quotes"),
    (
        V1 | {"kind": "circulant", "size": 7, "support": [1], "odds": 3, "input_count": 8},
        InvalidParameter,
        r"input_count=8 must lie.*Move",
    ),
    (V1 | {"kind": "circulant", "size": 7, "support": [1], "odds": 3, "rows": []}, UnreadableFile, r"'rows'.*Use only"),
    (V1 | {"kind": "circulant", "law": []}, InvalidLaw, r"is empty.*at least one"),
    (V1 | {"kind": "circulant", "law": [0.5, 0.4]}, InvalidLaw, r"law sums to 0.9.*divide"),
]
PARQUET = [
    ({"input": ["yes"], "a": [0.5], "b": [0.4]}, InvalidLaw, r"input 'yes' \(row 1\) sums to 0.9.*divide the row"),
    ({"a": ["1/2"], "b": ["1/3"]}, InvalidLaw, r"row 1 sums to 0.8333.*divide the row"),
    ({"a": [1.5], "b": [-0.5]}, InvalidLaw, r"row 1 has a negative entry.*correct"),
    ({"a": [float("nan")], "b": [0.5]}, InvalidLaw, r"row 1 holds a number that is not finite.*Check how"),
    ({"a": [float("inf")], "b": ["0.5"]}, InvalidLaw, r"row 1 holds a number that is not finite.*Check how"),
    ({"a": [1e308], "b": [1.7e308]}, InvalidLaw, r"row 1 sums to inf.*divide the row"),
    ({"a": [None, 0.5], "b": [0.5, 0.5]}, InvalidLaw, r"empty cell.*Fill it in"),
    ({"a": [None, "0.5"], "b": ["0.5", "0.5"]}, InvalidLaw, r"'a' has an empty cell.*Fill it in"),
    ({"input": ["x", "x"], "a": [1.0, 1.0]}, InvalidLaw, r"inputs holds the label 'x' twice.*Rename"),
    ({"input": [0.5, 1.5], "a": [1.0, 1.0]}, UnreadableFile, r"column input must hold text or whole.*Convert"),
    ({"input": ["x"]}, UnreadableFile, r"no column but input.*Write one column"),
    ({"a": [1]}, UnreadableFile, r"'a' is of type int64.*Convert it to float64"),
    ({"a": pa.array([1.0], pa.float32())}, UnreadableFile, r"type float.*Convert it to float64"),
    ({"a": [[1.0]]}, UnreadableFile, r"'a' is of type list.*Convert it"),
    ({"a": ["yes"]}, UnreadableFile, r"row 1, column 'a' is not a number.*Write it like"),
    ({"a": ["1" * 5000]}, UnreadableFile, r"longer than 801 bytes.*Correct it"),
    ({"a": pa.array([], pa.float64())}, UnreadableFile, r"0 rows.*Write at least one"),
    ({}, UnreadableFile, r"0 columns.*Write at least one"),
]
CASES = [(kind, *case) for kind, cases in (("csv", CSV), ("json", JSON), ("parquet", PARQUET)) for case in cases]


@pytest.mark.parametrize(("extension", "content", "error", "sentence"), CASES, ids=range(len(CASES)))
def test_bad_channel_is_refused_with_a_sentence(tmp_path, extension, content, error, sentence):
    path = write(tmp_path, extension, content)
    with pytest.raises(error, match=sentence) as refusal:
        read_channel(path)
    assert type(refusal.value) is error or error is InvalidInput
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + b"\xff" * 50 + b"PAR1", b"not parquet at all", b"\x00" * 99])
def test_junk_is_not_parquet(tmp_path, content):
    path = tmp_path / "law.parquet"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=r"is not Parquet, or is damaged.*Write it again") as refusal:
        read_channel(path)
    assert str(path) in str(refusal.value)


def test_parquet_with_too_many_entries_is_refused_from_its_footer(tmp_path, monkeypatch):
    path = write(tmp_path, "parquet", {"a": [1.0] * 1000})
    monkeypatch.setattr("sfumato.files.parquet.MOST_ENTRIES", 999)
    monkeypatch.setattr("sfumato.files.parquet.batches", None)  # calling it would be a TypeError
    with pytest.raises(UnreadableFile, match="1000 rows × 1 columns, more than 999"):
        read_channel(path)


def test_a_small_parquet_file_that_repeats_a_long_text_does_not_fill_memory(tmp_path):
    """Two million times one megabyte, in a file of a few kilobytes."""
    path = write(tmp_path, "parquet", {"a": pa.DictionaryArray.from_arrays([0] * 2_000_000, ["1" * 2**20])})
    assert path.stat().st_size < 2**21
    with pytest.raises(UnreadableFile, match="longer than"):
        read_channel(path)


def test_parquet_of_a_newer_version_is_refused(tmp_path):
    path = tmp_path / "law.parquet"
    footer = {b"sfumato": json.dumps({"schema": "sfumato/channel/2"}).encode()}
    pq.write_table(pa.table({"a": [1.0]}).replace_schema_metadata(footer), path)
    with pytest.raises(UnknownSchema, match="Upgrade sfumato"):
        read_channel(path)


def test_two_columns_of_one_name_are_refused(tmp_path):
    path = tmp_path / "law.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([0.5]), pa.array([0.5])], names=["a", "a"]), path)
    with pytest.raises(UnreadableFile, match="two columns of the same name"):
        read_channel(path)


def test_unrelated_denominators_are_refused_and_do_not_hang(tmp_path):
    """Their common denominator would have half a million digits."""
    path = write(tmp_path, "csv", ",".join(f"1/{10**300 + i}" for i in range(2000)))
    with pytest.raises(UnreadableFile, match=r"no common denominator.*Write them as decimals"):
        read_channel(path)


def test_a_structured_channel_too_large_to_write_out_stays_structured(tmp_path):
    document = V1 | {"kind": "circulant", "size": 87_381, "support": [1, 2, 4], "odds": "3/1"}
    path = write(tmp_path, "json", document)
    assert read_any_channel(path).shape == (87_381, 87_381)
    with pytest.raises(UnreadableFile, match="read_any_channel"):
        read_channel(path)


def test_an_unknown_extension_lists_the_three(tmp_path):
    path = write(tmp_path, "xlsx", "1")
    with pytest.raises(InvalidParameter, match=r"\.csv.*\.json.*\.parquet"):
        read_channel(path)


@pytest.mark.parametrize(
    ("extension", "content"),
    [
        ("csv", "x,a,b\nyes,1/3,2/3\nno,1,0\n"),
        ("csv", ",a,b\r\nyes,1/3,2/3\r\nno,1,0\r\n\r\n,,\r\n"),
        ("csv", "\ufeffx;a;b\nyes;1/3;2/3\nno;1;0"),
        ("tsv", "x\ta\tb\nyes\t1/3\t2/3\nno\t1\t0\n"),
        ("txt", 'x, "a", b\n"yes", 1/3, 2/3\nno, 1, 0\n'),
        ("json", V1 | {"inputs": ["yes", "no"], "outputs": ["a", "b"], "rows": [["1/3", "2/3"], [1, 0]]}),
        ("parquet", {"input": ["yes", "no"], "a": ["1/3", "1"], "b": ["2/3", "0"]}),
    ],
)
def test_the_same_channel_in_every_dress(tmp_path, extension, content):
    expected = Channel([[Fraction(1, 3), Fraction(2, 3)], [1, 0]], ["yes", "no"], ["a", "b"])
    assert Channel.read(write(tmp_path, extension, content)) == expected


def test_numbers_only_means_numbered_symbols_unless_the_corner_is_empty(tmp_path):
    assert read_channel(write(tmp_path, "csv", "0.1,0.9\n1,0\n")) == Channel(
        [[Fraction(1, 10), Fraction(9, 10)], [1, 0]]
    )
    labelled = read_channel(write(tmp_path, "csv", ",0,1\n0,0.1,0.9\n"))
    assert (labelled.inputs, labelled.outputs) == (("0",), ("0", "1"))


@pytest.mark.parametrize("label", ["a;b;c;d", 'a";";";";"'])
def test_a_separator_inside_quotes_separates_nothing(tmp_path, label):
    quoted = '"' + label.replace('"', '""') + '"'
    assert read_channel(write(tmp_path, "csv", f"{quoted},a,{quoted}\n{quoted},1,0\n")).outputs == ("a", label)
    assert read_channel(write(tmp_path, "csv", f"x,a\n{quoted},1\n")).inputs == (label,)


def test_the_separator_is_read_from_the_first_record_and_not_from_the_first_line(tmp_path):
    channel = read_channel(write(tmp_path, "csv", '"x\ny";a;b\nyes;0.5;0.5\n'))
    assert channel.outputs == ("a", "b")


@pytest.mark.parametrize(("last", "exact"), [("0.8", True), ("0.80000000000000004", False), ("0.7999999995", False)])
def test_a_row_that_just_misses_one_was_printed_from_floats(tmp_path, last, exact):
    for extension, content in (("csv", f"0.2,{last}\n1,0\n"), ("json", f"[[0.2, {last}], [1, 0]]")):
        channel = read_channel(write(tmp_path, extension, content))
        assert channel.exact is exact
        assert channel.rows[0] == pytest.approx((0.2, 0.8))
