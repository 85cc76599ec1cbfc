"""Columns stand for tuples: read, compared, hashed and pickled alike, and nobody can change them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.numbers import Interval
from sfumato.numbers.columns import Column, Intervals

FLOATS = st.lists(st.floats(allow_nan=False), max_size=20)


@given(numbers=FLOATS, data=st.data())
def test_a_column_is_read_like_a_tuple(numbers, data):
    column, plain = Column(numbers), tuple(numbers)
    assert column == plain
    assert plain == column
    assert (len(column), tuple(column), hash(column)) == (len(plain), plain, hash(plain))
    part = data.draw(st.slices(len(plain)))
    assert column[part] == plain[part]
    assert pickle.loads(pickle.dumps(column)) == column  # noqa: S301  our own
    if plain:
        place = data.draw(st.integers(-len(plain), len(plain) - 1))
        assert column[place] == plain[place]
        assert type(column[place]) is float
    with pytest.raises(IndexError):
        column[len(plain)]


@pytest.mark.parametrize("made", [np.array, list, tuple, lambda numbers: np.array(numbers + numbers)[:3], Column])
def test_what_a_column_is_made_of_is_copied(made):
    numbers = made([0.5, 0.25, 0.25])
    column = Column(numbers)
    if isinstance(numbers, np.ndarray):
        numbers[0] = 9.0
    assert column == (0.5, 0.25, 0.25)
    array = np.asarray(column)
    assert array.dtype == np.float64
    assert not array.flags.writeable
    assert (np.array(column) * 2).tolist() == [1.0, 0.5, 0.5]
    with pytest.raises(AttributeError, match="immutable"):
        column.more = 1


def test_strided_whole_and_short_numbers_become_doubles():
    assert Column(np.arange(6.0)[::2]) == (0.0, 2.0, 4.0)
    assert Column(np.array([1, 2], dtype=np.int64)) == (1.0, 2.0)
    assert Column(np.array([0.5], dtype=np.float32)) == (0.5,)


def test_columns_say_what_they_are():
    assert repr(Column([1.0])) == "Column([1.0])"
    assert repr(Column(range(12))).endswith("9.0, … of 12])")
    assert (Column([1.0]) == "text") is False
    assert Column([1.0]) != (1.0, 2.0)


def test_intervals_are_made_when_they_are_asked_for():
    ends = Intervals([0.0, 0.25], np.array([0.5, 0.75]))
    assert ends == (Interval(0.0, 0.5), Interval(0.25, 0.75))
    assert Intervals.of(ends) == ends
    assert ends[1:] == [Interval(0.25, 0.75)]
    assert hash(ends) == hash(tuple(ends))
    assert pickle.loads(pickle.dumps(ends)) == ends  # noqa: S301  our own
    assert max(ends, key=lambda one: one.upper) == ends[-1]
    with pytest.raises(InvalidParameter, match="has 1 ends and `upper` has 2"):
        Intervals([0.0], [1.0, 1.0])
    with pytest.raises(AttributeError, match="immutable"):
        ends.lower = ends.upper
    with pytest.raises(InvalidParameter):
        Intervals([1.0], [0.0])[0]
