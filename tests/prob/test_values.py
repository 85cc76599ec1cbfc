"""Laws and channels are immutable, comparable, and know whether they are exact."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from sfumato.errors import InvalidParameter
from sfumato.prob import Channel, Circulant, Distribution, Joint
from strategies import circulants, distributions, exact_channels, float_channels

HALF = Fraction(1, 2)


def test_integers_and_fractions_are_exact_and_one_float_is_not():
    assert Channel([[1, 0], [HALF, HALF]]).exact
    assert Channel(np.array([[1, 0], [0, 1]])).exact
    assert not Channel([[1, 0], [HALF, 0.5]]).exact
    assert not Channel([[1, 0], [0.5, 0.5]]).exact
    assert not Channel(np.array([[1.0, 0.0]])).exact
    assert Distribution([1, 0]).exact
    assert not Distribution([1.0, 0]).exact
    assert Circulant([HALF, HALF]).exact
    assert not Circulant([0.5, 0.5]).exact


def test_entries_of_a_mixed_channel_are_all_floats():
    rows = Channel([[1, 0], [HALF, 0.5]]).rows
    assert rows == ((1.0, 0.0), (0.5, 0.5))
    assert all(type(value) is float for row in rows for value in row)


@given(exact_channels())
def test_rows_come_back_as_the_same_fractions(channel):
    assert Channel(channel.rows, channel.inputs, channel.outputs) == channel
    assert all(type(value) is Fraction for row in channel.rows for value in row)
    assert channel.array.tolist() == [[float(value) for value in row] for row in channel.rows]
    numerators, denominator = channel.integers()
    assert [[Fraction(v, denominator) for v in row] for row in numerators.tolist()] == [list(r) for r in channel.rows]


@given(float_channels())
def test_a_float_channel_keeps_its_bits(channel):
    again = Channel(channel.array)
    assert again == channel
    assert hash(again) == hash(channel)
    assert again.rows == tuple(map(tuple, channel.array.tolist()))


def test_the_callers_array_is_copied():
    mine = np.array([[0.5, 0.5]])
    channel = Channel(mine)
    mine[0, 0] = 7
    assert channel.array.tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("rows", [[[HALF, HALF]], [[0.5, 0.5]]])
def test_a_channel_cannot_be_changed(rows):
    channel = Channel(rows)
    with pytest.raises(AttributeError, match=r"a Channel is immutable; make a new one instead of setting inputs"):
        channel.inputs = ("a",)
    with pytest.raises(AttributeError, match=r"immutable"):
        channel.extra = 1
    with pytest.raises(ValueError, match=r"read-only"):
        channel.array[0, 0] = 1
    with pytest.raises(ValueError, match=r"read-only"):
        channel.integers()[0][0, 0] = 1


def test_the_other_nouns_cannot_be_changed_either():
    law, ring = Distribution([0.5, 0.5]), Circulant([HALF, HALF])
    with pytest.raises(AttributeError, match=r"a Distribution is immutable"):
        law.labels = ("a", "b")
    with pytest.raises(ValueError, match=r"read-only"):
        law.array[0] = 1
    with pytest.raises(AttributeError, match=r"a Circulant is immutable"):
        ring.levels = ()
    with pytest.raises(ValueError, match=r"read-only"):
        ring.codes[0] = 1
    with pytest.raises(AttributeError, match=r"a Joint is immutable"):
        Joint([1, 0], [(0, 1)]).law = law


def test_equality_looks_at_labels_and_exactness():
    exact, floating = Channel([[HALF, HALF]]), Channel([[0.5, 0.5]])
    assert exact != floating
    assert exact != Channel([[HALF, HALF]], inputs=["a"])
    assert exact != Channel([[HALF, HALF]], outputs=["a", "b"])
    assert exact == Channel([[Fraction(2, 4), HALF]])
    assert Distribution([HALF, HALF]) != Distribution([0.5, 0.5])
    assert Distribution([1, 0], ["a", "b"]) != Distribution([1, 0])
    assert exact != "channel"


def test_equal_channels_have_equal_hashes_even_with_a_negative_zero():
    zero, negative = Channel([[0.0, 1.0]]), Channel([[-0.0, 1.0]])
    assert zero == negative
    assert hash(zero) == hash(negative)


@given(circulants())
def test_a_circulant_is_rebuilt_from_its_law(ring):
    again = Circulant(ring.law, ring.input_count)
    assert again == ring
    assert hash(again) == hash(ring)
    assert ring.levels == tuple(sorted(set(ring.law)))
    assert (ring.inputs, ring.outputs) == (tuple(range(ring.shape[0])), tuple(range(ring.shape[1])))


@given(distributions())
def test_a_distribution_is_looked_up_by_label(law):
    assert [law[label] for label in law.labels] == list(law.probabilities)
    assert law.is_uniform == all(p == Fraction(1, len(law)) for p in law.probabilities)
    with pytest.raises(KeyError, match=r"no outcome is labelled 'nobody'"):
        law["nobody"]


def test_reprs_say_size_and_kind_but_no_entry():
    assert repr(Channel([[0.25, 0.75]])) == "<Channel 1×2, float64>"
    assert repr(Distribution([1])) == "<Distribution on 1 outcomes, exact>"
    assert repr(Circulant([HALF, HALF], 1)) == "<Circulant 1×2, 1 levels, exact>"
    assert repr(Joint([1, 0], [(0, 1)])) == "<Joint law on 2, exact>"


@pytest.mark.parametrize(
    "channel",
    [
        Channel([[HALF, HALF], [Fraction(1, 4), Fraction(3, 4)]], ["no", "yes"], ["no", "yes"]),
        Channel([[0.5, 0.5], [0.25, 0.75]], ["no", "yes"], [("a", 1), "yes"]),
    ],
)
def test_an_entry_is_found_by_places_and_by_labels(channel):
    for x, true in enumerate(channel.inputs):
        for y, told in enumerate(channel.outputs):
            assert channel[x, y] == channel[true, told] == channel[np.int64(x), told] == channel[x - 2, y - 2]
    assert channel[1, 1] == Fraction(3, 4)
    assert channel.row("yes") == channel.row(1) == channel.rows[1]


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (("ill", 0), "input='ill' is neither a place nor a label. Places run from 0 to 1; labels stand in `inputs`."),
        ((0, 9), "output=9 is no place. Places run from 0 to 1; labels stand in `outputs`."),
        ((-3, 0), "input=-3 is no place."),
        ((True, 0), "input=True is neither a place nor a label."),
        ((0.0, 0), "input=0.0 is neither a place nor a label."),
        (0, "entry must be an input and an output. Write channel[x, y], in places or labels."),
        ((0, 1, 2), "entry must be an input and an output."),
    ],
)
def test_an_entry_that_is_not_there_is_refused_in_a_sentence(entry, sentence):
    for channel in (Channel([[HALF, HALF], [0, 1]], ["no", "yes"]), Circulant([HALF, HALF])):
        with pytest.raises(InvalidParameter, match=re.escape(sentence)):
            channel[entry]
    with pytest.raises(InvalidParameter, match=r"input=.* is neither"):
        Channel([[HALF, HALF]])[np.array([0]), 0]
