"""Writing a channel and reading it again gives the same channel, exact or float64, in all three formats."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from label_strategies import label_texts
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel, Circulant, read_any_channel, read_channel, write_channel

SAME_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=80)

texts = label_texts(max_size=6)
plain_labels = st.one_of(texts, st.integers(-(10**20), 10**20))
labels = st.recursive(plain_labels, lambda inner: st.lists(inner, max_size=2).map(tuple), max_leaves=3)


@st.composite
def laws(draw, size, exact):
    weights = draw(st.lists(st.integers(0, 10**6), min_size=size, max_size=size).filter(any))
    if exact:
        return [Fraction(weight, sum(weights)) for weight in weights]
    tiny = draw(st.sampled_from([1.0, 1e-300, 5e-324]))
    row = [weight / sum(weights) for weight in weights]
    return [value or tiny * (tiny < 1) for value in row]


@st.composite
def channels(draw, exact=None, names=labels):
    is_exact = draw(st.booleans()) if exact is None else exact
    inputs = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    outputs = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    rows = [draw(laws(len(outputs), is_exact)) for _ in inputs]
    return Channel(rows, inputs, outputs)


@SAME_FOLDER
@given(channel=channels())
@pytest.mark.parametrize("extension", ["json", "parquet"])
def test_json_and_parquet_keep_everything(tmp_path, extension, channel):
    path = tmp_path / f"channel.{extension}"
    write_channel(channel, path)
    assert read_channel(path) == channel


@SAME_FOLDER
@given(channel=channels(names=texts))
@pytest.mark.parametrize("extension", ["csv", "tsv"])
def test_csv_keeps_everything_when_labels_are_text(tmp_path, extension, channel):
    path = tmp_path / f"channel.{extension}"
    write_channel(channel, path)
    assert read_channel(path) == channel


@SAME_FOLDER
@given(channel=channels(names=st.integers()))
def test_csv_turns_labels_into_text_and_keeps_the_rest(tmp_path, channel):
    path = tmp_path / "channel.csv"
    write_channel(channel, path)
    expected = Channel(channel.rows, map(str, channel.inputs), map(str, channel.outputs))
    assert read_channel(path) == expected


@SAME_FOLDER
@given(
    size=st.integers(2, 12),
    data=st.data(),
    odds=st.fractions(1, 100),
)
def test_json_keeps_a_two_level_channel_structured(tmp_path, size, data, odds):
    support = data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=size - 1))
    count = data.draw(st.integers(1, size))
    channel = Circulant.two_level(size=size, support=support, odds=odds, input_count=count)
    path = tmp_path / "channel.json"
    write_channel(channel, path)
    found = read_any_channel(path)
    assert isinstance(found, Circulant)
    assert found == channel
    assert read_channel(path) == channel.to_dense()


@SAME_FOLDER
@given(exact=st.booleans(), size=st.integers(1, 6), data=st.data())
def test_json_keeps_any_circulant(tmp_path, exact, size, data):
    channel = Circulant(data.draw(laws(size, exact)), data.draw(st.integers(1, size)))
    path = tmp_path / "channel.json"
    write_channel(channel, path)
    assert read_any_channel(path) == channel


@pytest.mark.parametrize("extension", ["csv", "json", "parquet"])
def test_floats_that_print_as_an_exact_law_stay_floats(tmp_path, extension):
    """0.5 and 0.5 sum to exactly 1 as text too; the file has to say that they were floats."""
    channel = Channel([[0.5, 0.5], [0.1, 0.9]], ["a", "b"], ["c", "d"])
    path = tmp_path / f"channel.{extension}"
    write_channel(channel, path)
    found = read_channel(path)
    assert not found.exact
    assert found == channel


@pytest.mark.parametrize("extension", ["csv", "json", "parquet"])
def test_every_float_channel_can_be_written_once_made_exact(tmp_path, extension):
    """The rounding rule gives denominators of up to 343 digits; they fit."""
    channel = Channel([[5e-324, 1.0], [0.3, 0.7]], ["a", "b"], ["c", "d"]).to_exact()
    path = tmp_path / f"channel.{extension}"
    write_channel(channel, path)
    assert read_channel(path) == channel


def test_parquet_labels_follow_their_column_when_a_tool_reorders_them(tmp_path):
    channel = Channel([[Fraction(1, 4), Fraction(3, 4)]], [7], [1, "1"])
    path = tmp_path / "channel.parquet"
    write_channel(channel, path)
    table = pq.read_table(path)
    pq.write_table(table.select(list(reversed(table.column_names))), path)
    found = read_channel(path)
    assert found.outputs == ("1", 1)
    assert found.rows == ((Fraction(3, 4), Fraction(1, 4)),)


def test_parquet_of_others_is_read_without_our_footer(tmp_path):
    path = tmp_path / "channel.parquet"
    decimal = pa.array(["0.25", "0.5"]).cast(pa.decimal128(5, 3))
    pq.write_table(pa.table({"low": decimal, "high": ["3/4", "0.5"]}), path)
    found = read_channel(path)
    assert found == Channel([[Fraction(1, 4), Fraction(3, 4)], [Fraction(1, 2)] * 2], None, ["low", "high"])


def test_one_float_column_makes_parquet_float64(tmp_path):
    path = tmp_path / "channel.parquet"
    pq.write_table(pa.table({"low": [0.25, 0.5], "high": ["3/4", "0.5"]}), path)
    found = read_channel(path)
    assert not found.exact
    assert np.array_equal(found.array, [[0.25, 0.75], [0.5, 0.5]])


@pytest.mark.parametrize(
    ("inputs", "extension"),
    [
        ([1, "1"], "csv"),
        (["\ud800", "b"], "csv"),
        (["\ud800", "b"], "json"),
        ([10**900, 0], "json"),
    ],
)
def test_labels_that_would_not_be_read_back_are_not_written(tmp_path, inputs, extension):
    path = tmp_path / f"channel.{extension}"
    with pytest.raises(InvalidParameter, match=r"[Rr]ename|Use text"):
        write_channel(Channel([[1, 0], [0, 1]], inputs), path)
    assert not path.exists()


def test_fractions_too_long_to_be_read_back_are_not_written(tmp_path):
    tiny = Fraction(1, 10**500)
    with pytest.raises(InvalidParameter, match="float64"):
        write_channel(Channel([[tiny, 1 - tiny]]), tmp_path / "channel.json")
