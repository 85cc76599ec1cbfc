"""Numbers in text are exact, and cost no more than their text."""

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import UnreadableFile
from sfumato.numbers.exact import looks_like_number, parse_count, parse_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (" 2 / 6 ", Fraction(1, 3)),
        ("1e-3", Fraction(1, 1000)),
        ("3", Fraction(3)),
        (".5", Fraction(1, 2)),
        ("1.", Fraction(1)),
        ("-2.50E+1", Fraction(-25)),
        ("1e400", Fraction(10**400)),
        ("1e-400", Fraction(1, 10**400)),
    ],
)
def test_text_is_read_exactly(text, value):
    assert parse_number(text, "here") == value
    assert looks_like_number(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_float_rounds_back_to_itself(value):
    assert float(parse_number(repr(value), "here")) == value


@given(st.fractions())
def test_a_printed_fraction_is_itself(value):
    assert parse_number(str(value), "here") == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("  ", "is empty"),
        ("nan", "not finite"),
        ("-Infinity", "not finite"),
        ("inf", "not finite"),
        ("1e999999999", "exponent"),
        ("1e-401", "exponent"),
        ("1" * 401, "401 characters"),
        ("1" * 5000, "5000 characters"),
        ("1/" + "1" * 401, "characters"),
        ("0." + "0" * 10**6, "characters"),
        ("1/0", "divides by zero"),
        ("1/-3", "not a number"),
        ("1/2/3", "not a number"),
        ("0,5", "decimal comma"),
        ("50%", "percentage"),
        ("0x10", "not a number"),
        ("1_000", "not a number"),
        ("１", "not a number"),  # a digit, but not one of ours
        ("yes", "not a number"),
    ],
)
def test_what_is_no_number_is_refused_with_its_place_and_without_its_text(text, sentence):
    started = time.monotonic()
    with pytest.raises(UnreadableFile, match=sentence) as refusal:
        parse_number(text, "file law.csv, line 3, column 2")
    assert str(refusal.value).startswith("file law.csv, line 3, column 2 ")
    assert "yes" not in str(refusal.value)
    assert time.monotonic() - started < 1


@given(st.text())
def test_any_text_is_a_number_or_refused(text):
    try:
        assert isinstance(parse_number(text, "here"), Fraction)
        assert looks_like_number(text)
    except UnreadableFile as refusal:
        assert str(refusal).startswith("here ")  # noqa: PT017  either end is right


@pytest.mark.parametrize("text", ["", "-1", "1.0", "11", "²", "１", "9" * 5000])
def test_counts_are_whole_and_bounded(text):
    with pytest.raises(UnreadableFile, match="whole number from 0 to 10"):
        parse_count(text, "here", most=10)


def test_a_count_is_read():
    assert parse_count(" 10 ", "here", most=10) == 10


@pytest.mark.parametrize("text", ["", "nan", "-INF", "1e999999999", "0,5", "50%", "1/0", "1" * 5000])
def test_a_broken_number_is_still_meant_as_one(text):
    assert looks_like_number(text)


@pytest.mark.parametrize("text", ["yes", "e", "-", "a1", "infinite", "x" * 5000])
def test_a_word_is_not(text):
    assert not looks_like_number(text)
