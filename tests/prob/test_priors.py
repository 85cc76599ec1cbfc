"""Priors: typed, or in a file."""

import json
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import InvalidInput, InvalidLaw, UnknownSchema, UnreadableFile
from sfumato.prob import Channel, Distribution, as_prior, parse_prior, read_prior

FIFTHS = [Fraction(1, 5), Fraction(4, 5)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.2,0.8", Distribution(FIFTHS)),
        (" 1/5 , 4/5 ", Distribution(FIFTHS)),
        ("yes=0.2,no=0.8", Distribution(FIFTHS, ["yes", "no"])),
        ("a=b=0.2, c = 4/5", Distribution(FIFTHS, ["a=b", "c"])),
        ("1", Distribution([1])),
    ],
)
def test_a_typed_prior(text, expected):
    assert parse_prior(text) == expected
    assert read_prior(text) == expected


FILES = [
    ("csv", "0.2,0.8\n", None),
    ("csv", "0.2\n0.8\n", None),
    ("csv", "probability\n0.2\n0.8\n", None),
    ("csv", "yes,0.2\nno,0.8\n", ["yes", "no"]),
    ("csv", "answer,share\nyes,0.2\nno,0.8\n", ["yes", "no"]),
    ("csv", "1;0.2\n2;0.8\n", ["1", "2"]),
    ("json", "[0.2, 0.8]", None),
    ("json", '["1/5", "4/5"]', None),
    ("json", '{"yes": 0.2, "no": "4/5"}', ["yes", "no"]),
    ("json", '{"schema": "sfumato/prior/1", "labels": [3, ["a", 1]], "probabilities": [0.2, 0.8]}', [3, ("a", 1)]),
    ("json", '{"schema": "sfumato/prior/1", "probabilities": [0.2, 0.8]}', None),
    ("parquet", {"input": ["yes", "no"], "probability": ["0.2", "4/5"]}, ["yes", "no"]),
    ("parquet", {"probability": ["0.2", "4/5"]}, None),
]


def write(folder, extension, content):
    path = folder / f"prior.{extension}"
    if extension == "parquet":
        pq.write_table(pa.table(content), path)
    else:
        path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(("extension", "content", "labels"), FILES)
def test_a_prior_in_a_file(tmp_path, extension, content, labels):
    path = write(tmp_path, extension, content)
    assert read_prior(path) == read_prior(str(path)) == Distribution(FIFTHS, labels)


def test_a_single_label_is_a_law(tmp_path):
    assert read_prior(write(tmp_path, "csv", "yes,1\n")) == Distribution([1], ["yes"])


def test_floats_in_parquet_stay_floats(tmp_path):
    path = write(tmp_path, "parquet", {"input": [1, 2], "probability": [0.25, 0.75]})
    assert read_prior(path) == Distribution([0.25, 0.75], [1, 2])


def test_decimals_that_just_miss_one_were_floats():
    assert not parse_prior("0.33333333333,0.66666666666").exact


BAD = [
    ("csv", "0.2,0.7\n", InvalidLaw, "sums to 0.9.*correct the entry"),
    ("csv", "yes,-0.2\nno,1.2\n", InvalidLaw, "negative entry.*correct"),
    ("csv", "yes,nan\nno,1\n", UnreadableFile, "line 1: column 2 is not finite.*Check"),
    ("csv", "yes,0.5\nyes,0.5\n", InvalidLaw, "'yes' twice.*Rename"),
    ("csv", "yes,no\n", UnreadableFile, "header and no numbers.*Write label"),
    ("csv", "a,b,c\n1,0,0\n", UnreadableFile, "3 columns and 2 lines.*Write two columns"),
    ("csv", "yes,0.5\nno\n", UnreadableFile, "line 2: the line has 1 cells.*Give every line"),
    ("json", "[0.5, 0.4]", InvalidLaw, "sums to 0.9.*correct the entry"),
    ("json", "[]", InvalidLaw, "is empty.*at least one"),
    ("json", "{}", InvalidLaw, "is empty.*at least one"),
    ("json", "0.5", UnreadableFile, "neither a list nor an object.*Write a list"),
    ("json", '{"a": 0.5, "a": 0.5}', UnreadableFile, "'a' twice.*Keep one"),
    ("json", '{"a": [0.5]}', UnreadableFile, "entry 1 must be a number"),
    ("json", '{"schema": "sfumato/prior/2"}', UnknownSchema, "Upgrade"),
    ("json", '{"schema": "sfumato/prior/1", "probabilities": [1], "x": 1}', UnreadableFile, "'x'.*Use only"),
    (
        "json",
        '{"schema": "sfumato/prior/1", "labels": ["a"], "probabilities": [0.5, 0.5]}',
        InvalidLaw,
        "1 labels for 2",
    ),
    ("json", "[" * 10**5, UnreadableFile, "too deeply.*flatten"),
    ("parquet", {"input": ["a"], "p": [1.0]}, UnreadableFile, "columns input and probability.*Rename"),
    ("parquet", {"probability": [1]}, UnreadableFile, "type int64.*Convert"),
    ("parquet", {"probability": [0.5]}, InvalidLaw, "sums to 0.5.*correct"),
    (
        "parquet",
        {"input": pa.array([None], pa.string()), "probability": [1.0]},
        UnreadableFile,
        "empty cell.*Fill it in",
    ),
]


@pytest.mark.parametrize(("extension", "content", "error", "sentence"), BAD)
def test_a_bad_prior_is_refused_with_a_sentence(tmp_path, extension, content, error, sentence):
    path = write(tmp_path, extension, content)
    with pytest.raises(error, match=sentence) as refusal:
        read_prior(path)
    assert type(refusal.value) is error
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "entry 1 of `prior` is empty"),
        ("0.2,0.7", "^`prior` sums to 0.9.*correct"),
        ("0.2,oops", "entry 2 of `prior` is not a number.*No file has that name"),
        ("a=0.2,0.8", "names some outcomes and not others.*Write"),
        ("a=0.5,a=0.5", "twice.*Rename"),
        ("0.5," * 50_000, "too many to type.*file"),
        ("nul\0", "not a number"),
        ("1e999999999,0", "exponent"),
    ],
)
def test_a_bad_typed_prior_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(InvalidLaw, match=sentence):
        read_prior(text)


def test_a_missing_file_is_not_mistaken_for_numbers():
    with pytest.raises(UnreadableFile, match=r"file prior.csv: the file does not exist"):
        read_prior("prior.csv")


def test_a_prior_of_the_wrong_length_is_refused(tmp_path):
    path = write(tmp_path, "json", json.dumps(["1/3", "1/3", "1/3"]))
    with pytest.raises(InvalidInput, match=r"prior has 3 entries and the channel 2 inputs. Give one probability"):
        as_prior(read_prior(path), Channel([[1, 0], [0, 1]]))
