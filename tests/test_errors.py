"""An error carries data, and its sentence is made of them."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import pytest

import sfumato.errors
from sfumato.errors import (
    UNSAID,
    ClaimRefused,
    InvalidInput,
    InvalidParameter,
    NotChecked,
    Place,
    Refused,
    SfumatoError,
)

KINDS = [
    kind
    for kind in vars(sfumato.errors).values()
    if isinstance(kind, type) and issubclass(kind, SfumatoError) and kind is not SfumatoError
]
WEIGHT = InvalidParameter(
    "must lie in [0, 1]", parameter="weight", value=2, way_out="Raise `delta` or move `weight`.", place=Place(line=7)
)
FIELDS = ("rule", "parameter", "value", "way_out", "place")


def options(parameter: str) -> str | None:
    return {"weight": "--weight", "delta": "--delta"}.get(parameter)


def pickled(error: SfumatoError) -> SfumatoError:
    return pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "must be odd."),
        ({"parameter": "n"}, "n must be odd."),
        ({"parameter": "n", "value": 4}, "n=4 must be odd."),
        ({"parameter": "n", "value": None}, "n=None must be odd."),
        ({"parameter": "n", "value": "4"}, "n='4' must be odd."),
        ({"parameter": "n", "value": 4, "way_out": "Add 1. Or 3."}, "n=4 must be odd. Add 1. Or 3."),
        ({"way_out": "Add 1."}, "must be odd. Add 1."),
    ],
)
def test_a_sentence_is_made_of_what_is_given(given, sentence):
    assert str(InvalidParameter("must be odd", **given)) == sentence


@pytest.mark.parametrize("rule", ["is it?", "stop!", "and so on…", "is done."])
def test_a_rule_that_ends_by_itself_gets_no_second_stop(rule):
    assert str(ClaimRefused(rule, way_out="Go on.")) == f"{rule} Go on."


def test_a_value_without_a_parameter_is_not_shown():
    assert str(InvalidParameter("must be odd", value=4)) == "must be odd."


def test_an_unsaid_value_is_not_shown():
    error = InvalidParameter("must be a whole number", parameter="answers", value=UNSAID)
    assert str(error) == "answers must be a whole number."
    assert InvalidParameter("must be a whole number", parameter="answers").value is UNSAID
    assert repr(UNSAID) == "not shown"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(1, 3), "1/3"),
        (Fraction(1, 3**60), "2.35898248759e-29"),
        (1 << 64, "18446744073709551616"),
        (Fraction(10**400, 3), "3.33333333333e+399"),
        (10**5000, "1e+5000"),
        (True, "True"),
        (0.1, "0.1"),
        ((2, 3), "(2, 3)"),
    ],
    ids=range(8),
)
def test_a_number_is_shown_as_long_as_somebody_would_read_it(value, shown):
    """The longest have no double, and Python refuses to write them; the sentence is made all the same."""
    assert str(InvalidParameter("is wrong", parameter="odds", value=value)) == f"odds={shown} is wrong."


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(), ""),
        (Place(file="study.toml"), "file study.toml"),
        (Place(line=3), "line 3"),
        (Place(file="study.toml", line=3), "file study.toml, line 3"),
        (Place(file="study.toml", line=3, table="question", index=1, key="epsilon"), "file study.toml, line 3"),
    ],
)
def test_the_words_of_a_place_stand_in_front(place, words):
    assert str(place) == words
    error = InvalidParameter("must be odd", parameter="n", value=4, way_out="Add 1.", place=place)
    assert str(error) == (f"{words}: " if words else "") + "n=4 must be odd. Add 1."


def test_names_are_translated_where_they_are_known():
    assert str(WEIGHT) == "line 7: weight=2 must lie in [0, 1]. Raise `delta` or move `weight`."
    assert (
        WEIGHT.sentence(options, joined=" ") == "line 7: --weight 2 must lie in [0, 1]. Raise --delta or move --weight."
    )
    assert WEIGHT.sentence(options).startswith("line 7: --weight=2 must lie")


def test_names_that_are_not_known_stay_as_they_are():
    error = InvalidParameter("must be below `most`", parameter="least", value=2, way_out="Lower `least` or `a b`.")
    assert error.sentence(options, joined=" ") == str(error) == "least=2 must be below `most`. Lower `least` or `a b`."


def test_names_are_translated_in_the_rule_too_and_only_in_backticks():
    error = InvalidParameter("must fit `delta`=0.5, delta being small", parameter="weight")
    assert error.sentence(options) == "--weight must fit --delta=0.5, delta being small."


def test_an_error_told_where_it_is_about_is_the_same_error_otherwise():
    place = Place(file="study.toml", line=9)
    moved = WEIGHT.at(place)
    assert type(moved) is InvalidParameter
    assert moved.place == place
    assert WEIGHT.place == Place(line=7)
    assert [getattr(moved, field) for field in FIELDS[:-1]] == [getattr(WEIGHT, field) for field in FIELDS[:-1]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_keep_the_fields(kind, copied):
    error = kind("must be odd", parameter="n", value=4, way_out="Add 1.", place=Place(file="study.toml", line=3))
    found = copied(error)
    assert type(found) is kind
    assert [getattr(found, field) for field in FIELDS] == ["must be odd", "n", 4, "Add 1.", error.place]
    assert str(found) == str(error) == "file study.toml, line 3: n=4 must be odd. Add 1."


def test_a_value_that_was_unsaid_stays_unsaid_in_another_process():
    assert str(pickled(InvalidParameter("must be odd", parameter="n"))) == "n must be odd."


def test_kinds_say_how_the_command_ends():
    assert len(KINDS) == 18
    for kind in KINDS:
        assert kind.exit_code == (2 if issubclass(kind, InvalidInput) else 3 if kind is NotChecked else 1)
        assert not issubclass(kind, InvalidInput) or issubclass(kind, ValueError)
        assert not (issubclass(kind, InvalidInput) and issubclass(kind, Refused))
