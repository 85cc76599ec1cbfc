"""Whatever the bytes, a reader returns a valid object or refuses as `InvalidInput`; nothing else, ever."""

import io
import json
import math
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damaged_files import mutations
from sfumato.errors import InvalidInput
from sfumato.io import SampleCounts, parse_prior, read_any_channel, read_channel, read_prior, read_samples
from sfumato.prob import Channel, Circulant, Distribution

EXAMPLES = {"csv": 300, "json": 300, "parquet": 150}


def parquet(columns, **options):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


VALID = {
    ("channel", "csv"): [
        b"x,a,b\nyes,1/3,2/3\nno,1,0\n",
        b"0.1,0.9\n1e-3,0.999\n",
        b'float64;"a;b";"c ""d"""\n0;0.5;0.5\n',
        "\ufeffx\tä\t€\nß\t.5\t5e-1\n".encode(),
    ],
    ("channel", "json"): [
        b'{"schema":"sfumato/channel/1", "inputs":["y", 3], "outputs": [["a", 1], "b"], "rows": [[0.5, "1/2"], [1,0]]}',
        b'{"schema":"sfumato/channel/1","kind":"circulant","size":7,"support":[1,2,4],"odds":"3/1","input_count":5}',
        b'{"schema":"sfumato/channel/1","kind":"circulant","numbers":"float64","law":[0.25,0.75]}',
        b"[[0.1, 0.9], [1e-3, 999e-3]]",
    ],
    ("channel", "parquet"): [
        parquet({"input": ["yes", "no"], "a": ["1/3", "1/2"], "b": ["2/3", "1/2"]}, compression="none"),
        parquet({"input": [1, 2, 3], "a": [0.25, 0.5, 1.0], "b": [0.75, 0.5, 0.0]}),
        parquet({"a": pa.array(["0.25"] * 9).cast(pa.decimal128(5, 3)), "b": ["3/4"] * 9}, compression="zstd"),
        parquet({"a": [0.5, 1.0], "b": [0.5, 0.0]}, write_page_checksum=True, use_dictionary=False),
    ],
    ("prior", "csv"): [b"yes,0.2\nno,0.8\n", b"0.2;0.8", b"p\n1/3\n2/3\n"],
    ("prior", "json"): [
        b'{"yes": 0.2, "no": "4/5"}',
        b'["1/3", "2/3"]',
        b'{"schema": "sfumato/prior/1", "labels": ["a", 2], "probabilities": [0.5, 0.5]}',
    ],
    ("prior", "parquet"): [
        parquet({"input": ["yes", "no"], "probability": [0.25, 0.75]}),
        parquet({"probability": ["1/3", "2/3"]}, compression="none"),
    ],
    ("samples", "csv"): [b"input,output\nyes,a\nno,b\n", b'count;input;output\n3;"y\n";a\n0;n;b\n'],
    ("samples", "json"): [
        b'[{"input": "yes", "output": 3, "count": 1}, {"input": "no", "output": ["a"], "count": 7}]',
        b'{"schema": "sfumato/samples/1", "input": ["a", "b"], "output": [1, 2], "count": [3, 4]}',
    ],
    ("samples", "parquet"): [
        parquet({"input": ["yes", "no"] * 20, "output": [1, 2] * 20}),
        parquet({"input": ["yes", "no"], "output": ["a", "b"], "count": [3, 4]}, compression="none"),
    ],
}


def read_counted(path):
    return read_samples(path, count="count" if b"count" in path.read_bytes() else None)


READERS = {"channel": read_any_channel, "prior": read_prior, "samples": read_counted}


def assert_law(law):
    assert all(value >= 0 for value in law)
    total = math.fsum(law)
    assert abs(total - 1) <= 1e-9
    assert not isinstance(law[0], Fraction) or sum(law) == 1


def assert_valid(found):
    if isinstance(found, Channel):
        assert found.shape == (len(set(found.inputs)), len(set(found.outputs)))
        for row in found.rows:
            assert_law(row)
    elif isinstance(found, Circulant):
        assert_law(found.law)
    elif isinstance(found, Distribution):
        assert len(set(found.labels)) == len(found)
        assert_law(found.probabilities)
    else:
        assert isinstance(found, SampleCounts)
        assert found.total > 0


def read_or_refuse(reader, path):
    """Return whether the file was read; anything but a valid object or a sentence fails the test."""
    try:
        found = reader(path)
    except InvalidInput:
        return False
    assert_valid(found)
    return True


@pytest.mark.parametrize(("noun", "extension"), VALID)
def test_the_originals_are_read(tmp_path, noun, extension):
    """Else the mutations below would start from refusals, and show nothing."""
    for data in VALID[noun, extension]:
        path = tmp_path / f"x.{extension}"
        path.write_bytes(data)
        assert read_or_refuse(READERS[noun], path)


@pytest.mark.parametrize(("noun", "extension"), VALID)
def test_mutated_files_are_read_or_refused(tmp_path, noun, extension):
    path = tmp_path / f"x.{extension}"

    @settings(max_examples=EXAMPLES[extension], deadline=None, suppress_health_check=list(HealthCheck))
    @given(mutations(VALID[noun, extension]))
    def check(data):
        path.write_bytes(data)
        read_or_refuse(READERS[noun], path)

    check()


@pytest.mark.parametrize(("noun", "extension"), VALID)
def test_arbitrary_bytes_are_read_or_refused(tmp_path, noun, extension):
    path = tmp_path / f"x.{extension}"
    frame = st.binary(max_size=300).map(lambda data: b"PAR1" + data + len(data).to_bytes(4, "little") + b"PAR1")

    @settings(max_examples=EXAMPLES[extension], deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.one_of(
            st.binary(max_size=300), st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace")), frame
        )
    )
    def check(data):
        path.write_bytes(data)
        read_or_refuse(READERS[noun], path)

    check()


json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["1/2", "0.5"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(
                ["schema", "kind", "rows", "inputs", "outputs", "numbers", "law", "size", "odds", "support"]
            )
            | st.sampled_from(["input", "output", "count", "labels", "probabilities", "input_count"])
            | st.text(max_size=3),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("noun", READERS)
def test_any_json_document_is_read_or_refused(tmp_path, noun):
    """Random bytes are hardly ever JSON; here every document is, with our keys and a schema that fits."""
    path = tmp_path / "x.json"

    @settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
    @given(document=json_values, kind=st.sampled_from(["dense", "circulant", None]))
    def check(document, kind):
        if isinstance(document, dict):
            document["schema"] = f"sfumato/{noun}/1"
            if kind:
                document["kind"] = kind
        path.write_text(json.dumps(document), encoding="utf-8")
        read_or_refuse(READERS[noun], path)

    check()


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(st.text(max_size=60), st.text("0123456789./=,eyn- ", max_size=40)))
def test_any_typed_prior_is_read_or_refused(text):
    read_or_refuse(parse_prior, text)


def test_a_structured_file_gives_the_same_dense_channel_or_refusal(tmp_path):
    path = tmp_path / "x.json"

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(mutations(VALID["channel", "json"][1:3]))
    def check(data):
        path.write_bytes(data)
        if read_or_refuse(read_channel, path):
            assert read_any_channel(path).to_dense() == read_channel(path)

    check()
