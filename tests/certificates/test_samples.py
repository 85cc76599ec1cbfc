"""Samples are counted in a stream, and no refusal repeats what a person said."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damaged_files import write_table as write
from sfumato.certificates import SampleCounts, read_samples
from sfumato.certificates import auditing as sample_streams
from sfumato.certificates import auditing as samples
from sfumato.errors import InvalidParameter, UnknownSchema, UnreadableFile

EXPECTED = SampleCounts(inputs=("no", "yes"), outputs=("a", "b"), counts=((0, 1), (2, 3)))
DRAWS = [("yes", "b")] * 3 + [("yes", "a")] * 2 + [("no", "b")]


ONE_A_ROW = {"input": [x for x, _ in DRAWS], "output": [y for _, y in DRAWS]}
COUNTED = {"input": ["yes", "yes", "no"], "output": ["b", "a", "b"], "count": [3, 2, 1]}
GOOD = [
    ("csv", "input,output\n" + "".join(f"{x},{y}\n" for x, y in DRAWS)),
    ("csv", "\ufeffoutput;input;count\r\nb;yes;3\r\na;yes;2\r\n\r\nb;no;1\r\n"),
    ("csv", "input,output,count\nyes,b,1\nyes,b,2\nyes,a,2\nno,b,1\nno,a,0"),
    ("parquet", ONE_A_ROW),
    ("parquet", COUNTED),
    ("parquet", ONE_A_ROW | {"input": pa.array(ONE_A_ROW["input"]).dictionary_encode()}),
    ("json", [{"input": x, "output": y} for x, y in DRAWS]),
    (
        "json",
        [{"input": "yes", "output": "b", "count": 3}, *({"input": x, "output": y, "count": 1} for x, y in DRAWS[3:])],
    ),
    ("json", {"schema": "sfumato/samples/1"} | ONE_A_ROW),
    ("json", {"schema": "sfumato/samples/1"} | COUNTED),
]


@pytest.mark.parametrize(("extension", "content"), GOOD)
def test_draws_are_counted(tmp_path, extension, content):
    count = "count" if "count" in str(content) else None
    assert read_samples(write(tmp_path, extension, content), count=count) == EXPECTED


COUNTS_BY_N = [
    ("csv", "input,output,n\nyes,b,3\nyes,a,2\nno,b,1\n"),
    ("parquet", {"n" if name == "count" else name: column for name, column in COUNTED.items()}),
    ("json", [{"input": x, "output": y, "n": 1} for x, y in DRAWS]),
]


@pytest.mark.parametrize(("extension", "content"), COUNTS_BY_N, ids=["csv", "parquet", "json"])
def test_the_column_of_counts_has_the_name_that_was_given(tmp_path, extension, content):
    path = write(tmp_path, extension, content)
    assert read_samples(path, count="n") == EXPECTED
    with pytest.raises(UnreadableFile, match=r"a column beside input and output, and it is not used unless.*drop"):
        read_samples(path)
    with pytest.raises(UnreadableFile, match=r"no column 'times', which `count` asks for.*Name a column"):
        read_samples(path, count="times")
    with pytest.raises(InvalidParameter, match=r"count='output' must not be the column input or output"):
        read_samples(path, count="output")


@pytest.mark.parametrize(("extension", "content"), [case for case in GOOD if "count" in str(case[1])])
def test_a_column_called_count_is_not_used_unless_it_is_named(tmp_path, extension, content):
    with pytest.raises(UnreadableFile, match=r"the column 'count', and it is not used unless it is named.*`count`"):
        read_samples(write(tmp_path, extension, content))


def test_a_count_of_zero_declares_a_label(tmp_path):
    found = read_samples(write(tmp_path, "csv", "input,output,count\nx,y,1\nx,z,0\n"), count="count")
    assert (found.outputs, found.counts) == (("y", "z"), ((1, 0),))


def test_two_comes_before_ten(tmp_path):
    found = read_samples(write(tmp_path, "csv", "input,output\n10,b\n2,b\nx,b\n"))
    assert found.inputs == ("2", "10", "x")
    numbers = read_samples(write(tmp_path, "parquet", {"input": [10, 2, -1], "output": [0, 0, 0]}))
    assert numbers.inputs == (-1, 2, 10)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(
    draws=st.lists(
        st.tuples(st.sampled_from("pqr"), st.sampled_from(["u", "v", "w,x", 'y"z'])), min_size=1, max_size=60
    ),
    chunk=st.integers(1, 20),
)
def test_all_formats_and_chunk_sizes_agree(tmp_path, monkeypatch, draws, chunk):
    monkeypatch.setattr(sample_streams, "_PAIR_CHUNK", chunk)
    monkeypatch.setattr("sfumato.files.parquet._BATCH_ROWS", chunk)
    quoted = [(x, '"' + y.replace('"', '""') + '"') for x, y in draws]
    found = {
        read_samples(write(tmp_path, "csv", "input,output\n" + "".join(f"{x},{y}\n" for x, y in quoted))),
        read_samples(write(tmp_path, "json", [{"input": x, "output": y} for x, y in draws])),
        read_samples(write(tmp_path, "parquet", {"input": [x for x, _ in draws], "output": [y for _, y in draws]})),
    }
    (counted,) = found
    for i, x in enumerate(counted.inputs):
        for j, y in enumerate(counted.outputs):
            assert counted.counts[i][j] == draws.count((x, y))


ANSWER = "hasdisease"
BAD = [
    ("csv", f"{ANSWER},{ANSWER}\nx,y\n", "line 1: two columns have the same name.*Write the header"),
    ("csv", f"{ANSWER},x\nx,y\n", "line 1: the file has no input and output.*in a header"),
    ("csv", f"input,output,{ANSWER}\nx,y,1\n", "line 1: the file has a column beside input and output.*drop"),
    ("csv", f"input,output\nx,{ANSWER}\nx,{ANSWER},1\n", "line 3: the line has 3 cells and the header 2.*Complete"),
    ("csv", f'input,output\n"x\n\nx",{ANSWER}\n,{ANSWER}\n', "line 5: the line lacks an input.*Fill it in"),
    ("csv", f"input,output\n{ANSWER * 200},y\n", "line 2: .* more than 1000 characters.*drop it"),
    ("csv", f"input,output,count\nx,y,{ANSWER}\n", "line 2: the count must be a whole number.*digits only"),
    ("csv", "input,output,count\nx,y,-1\n", "line 2: the count must be a whole number.*digits only"),
    ("csv", "input,output,count\nx,y,1e999999999\n", "line 2: the count must be a whole number.*digits only"),
    ("csv", f"input,output,count\nx,y,{'9' * 5000}\n", "line 2: the count must be a whole number.*digits only"),
    ("csv", f'input,output\nx,"{ANSWER}\n', "is not a table.*Close every quote"),
    ("csv", f'input,output\nx,"{ANSWER}"{ANSWER}\n', "is not a table.*Close every quote"),
    ("csv", b"input,output\n\xff\xfe" + ANSWER.encode(), "not UTF-8 text.*Save it again"),
    ("csv", b"input,output\nx,\0" + ANSWER.encode(), "not UTF-8 text.*Save it again"),
    ("csv", f"input,output\nx,{ANSWER * 150_000}", "not UTF-8 text.*Save it again"),
    ("csv", "input,output\n\n", "no draws.*Write one draw a row"),
    ("csv", "input,output,count\nx,y,0\n", "no draws.*Write one draw a row"),
    ("json", [{"input": "x", ANSWER: "y"}], "record 1 has no input and output.*Call the two columns"),
    ("json", f'[{{"{ANSWER}": "x", "{ANSWER}": "y"}}]', "the same key twice.*Correct it"),
    ("json", f'[{{"input": "{ANSWER}", "output": NaN}}]', "holds NaN.*Correct it"),
    ("json", [{"input": ANSWER, "output": 1.5}], "the output of record 1 is a number that is not whole.*Use text"),
    ("json", [{"input": ANSWER, "output": "y", "count": -1}], "the count of record 1 must be a whole number.*digits"),
    ("json", [ANSWER], "list of records.*Write objects"),
    ("json", f'"{ANSWER}"', "must be a list"),
    ("json", f'[{{"input": "{ANSWER}"', "is not JSON.*Correct it there"),
    ("json", {"schema": "sfumato/samples/1", "input": [ANSWER], "output": []}, "columns of different lengths.*Give"),
    ("json", {"schema": "sfumato/samples/1", "input": ANSWER}, "column must be a list"),
    ("json", {"schema": "sfumato/samples/1"}, "no columns.*Give"),
    ("json", [], "no draws.*Write one draw"),
    ("json", "[" * 10**5, "too deeply.*flatten"),
    ("parquet", {"input": [ANSWER], ANSWER: ["y"]}, "the file has no input and output.*Call the two"),
    ("parquet", {"input": [ANSWER, None], "output": ["y", "y"]}, "empty cell.*drop the row"),
    ("parquet", {"input": [ANSWER], "output": [1.5]}, "column 'output' is of type double.*Convert it"),
    ("parquet", {"input": [ANSWER], "output": ["y"], "count": ["1"]}, "column 'count' is of type .*Convert it"),
    (
        "parquet",
        {"input": [ANSWER], "output": ["y"], "count": [-1]},
        "column count must hold whole numbers.*Correct it",
    ),
    (
        "parquet",
        {"input": [ANSWER], "output": ["y"], "count": [2**62]},
        "column count must hold whole numbers.*Correct it",
    ),
    ("parquet", {"input": [ANSWER * 200], "output": ["y"]}, "longer than 1000 bytes.*Correct it"),
]


@pytest.mark.parametrize(("extension", "content", "sentence"), BAD, ids=range(len(BAD)))
def test_bad_samples_are_refused_without_repeating_an_answer(tmp_path, extension, content, sentence):
    path = write(tmp_path, extension, content)
    count = "count" if "count" in str(content) else None
    with pytest.raises(UnreadableFile, match=sentence) as refusal:
        read_samples(path, count=count)
    assert str(path) in str(refusal.value)
    assert ANSWER not in str(refusal.value)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_samples_of_a_newer_version_are_refused(tmp_path):
    with pytest.raises(UnknownSchema, match="Upgrade"):
        read_samples(write(tmp_path, "json", {"schema": "sfumato/samples/2"}))


def test_an_identifier_is_no_input(tmp_path, monkeypatch):
    monkeypatch.setattr(sample_streams, "MOST_PAIRS", 100)
    people = [str(i) for i in range(101)]
    for path in (
        write(tmp_path, "csv", "input,output\n" + "".join(f"{i},y\n" for i in people)),
        write(tmp_path, "parquet", {"input": people, "output": people}),
    ):
        with pytest.raises(UnreadableFile, match=r"more than 100 different pairs.*Group"):
            read_samples(path)
    monkeypatch.setattr(samples, "MOST_CELLS", 100)
    with pytest.raises(UnreadableFile, match=r"101 inputs × 101 outputs.*Group"):
        read_samples(write(tmp_path, "json", [{"input": i, "output": i} for i in people]))


def test_csv_rows_are_held_a_chunk_at_a_time(tmp_path, monkeypatch):
    """The longest list of rows that is ever counted is a chunk, however long the file."""
    longest = 0

    class Watched(Counter):
        def __init__(self, rows=()):
            nonlocal longest
            kept = list(rows)
            longest = max(longest, len(kept))
            super().__init__(kept)

    monkeypatch.setattr(sample_streams, "Counter", Watched)
    found = read_samples(write(tmp_path, "csv", "input,output\n" + "p,u\nq,v\n" * 100_000))
    assert found.counts == ((100_000, 0), (0, 100_000))
    assert longest == sample_streams._PAIR_CHUNK


def test_parquet_rows_are_held_a_batch_at_a_time(tmp_path, monkeypatch):
    longest = 0
    count = sample_streams.count_batch

    def watched(batch, path, count_name):
        nonlocal longest
        longest = max(longest, batch.num_rows)
        return count(batch, path, count_name)

    monkeypatch.setattr(sample_streams, "count_batch", watched)
    found = read_samples(write(tmp_path, "parquet", {"input": ["p", "q"] * 100_000, "output": [1, 2] * 100_000}))
    assert found.counts == ((100_000, 0), (0, 100_000))
    assert 0 < longest <= 2**16


@pytest.mark.parametrize("counts", [((1,),), ((1, -1),), ((0, 0),), ((1, 0), (1, 0))])
def test_counts_have_the_shape_of_their_labels_and_hold_a_draw(counts):
    with pytest.raises(InvalidParameter, match="counts"):
        SampleCounts(inputs=("x",), outputs=("y", "z"), counts=counts)
