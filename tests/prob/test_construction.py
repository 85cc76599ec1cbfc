"""What is no law is refused with a sentence that names the parameter, the rule and the way out."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InvalidInput, InvalidLaw, InvalidParameter
from sfumato.prob import Channel, Circulant, Distribution, Joint

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)

# (rows, what the sentence must say: the place, the rule, the way out)
BAD_ROWS = [
    ([[HALF, HALF], [HALF, THIRD]], "rows[1] sums to 5/6, not 1 (off by -1/6)", "divide the row by its sum"),
    ([[0.5, 0.6]], "rows[0] sums to 1.1, not 1 (off by 0.1)", "divide the row by its sum"),
    ([[1, 1]], "rows[0] sums to 2, not 1 (off by 1)", "correct the entry that is wrong"),
    ([[0.5, 0.5 + 2e-9]], "rows[0] sums to 1.00000000200", "divide the row by its sum"),
    ([[2, -1]], "rows[0][1]=-1 is negative", "Probabilities lie in [0, 1]"),
    ([[1.5, -0.5]], "rows[0][1]=-0.5 is negative", "Probabilities lie in [0, 1]"),
    ([[math.nan, 1.0]], "rows[0][0]=nan must be finite", "Check how it was computed"),
    ([[1.0, math.inf]], "rows[0][1]=inf must be finite", "Check how it was computed"),
    ([[1, 0], [1]], "rows[1] has 1 entries and rows[0] has 2", "Every row needs one entry for each output"),
    ([[True, False]], "rows[0][0]=True must be a number", "Write 1 or 0"),
    ([["1", 0]], "rows[0][0] must be a number (int, Fraction or float), not str", "Convert it first"),
    ([], "rows is empty", "A channel needs at least one input and one output"),
    ([[]], "rows[0] is empty", "A law needs at least one outcome"),
    ([1, 0], "rows[0] must be a list of probabilities, not int", "list of probabilities"),
    (["10"], "rows[0] must be a list of probabilities, not str", "list of probabilities"),
    (np.array([[0.5, 0.6]]), "rows[0] sums to 1.1, not 1", "divide the row by its sum"),
    (np.array([[1.5, -0.5]]), "rows[0][1]=-0.5 is negative", "Probabilities lie in [0, 1]"),
    (np.array([[0.5, 0.5], [np.nan, 1.0]]), "rows[1][0]=nan must be finite", "Check how it was computed"),
    (np.array([0.5, 0.5]), "rows must be a table with rows and columns", "not of shape (2,)"),
    (np.zeros((0, 2)), "rows must be a table with rows and columns", "not of shape (0, 2)"),
    (np.array([[True, False]]), "rows[0][0] must be a number", "Convert it first"),
]


@pytest.mark.parametrize(("rows", "rule", "way_out"), BAD_ROWS)
def test_rows_that_are_no_channel_are_refused(rows, rule, way_out):
    with pytest.raises(InvalidLaw) as caught:
        Channel(rows)
    assert rule in str(caught.value)
    assert way_out in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("probabilities", "rule", "way_out"),
    [
        ([HALF, THIRD], "probabilities sums to 5/6, not 1 (off by -1/6)", "correct the entry that is wrong"),
        ([0.2, 0.7], "probabilities sums to", "divide the row by its sum"),
        ([1e308, 1e308], "probabilities sums to inf, not 1", "divide the row by its sum"),
        ([2, -1], "probabilities[1]=-1 is negative", "Probabilities lie in [0, 1]"),
        ([math.nan], "probabilities[0]=nan must be finite", "Check how it was computed"),
        ([True], "probabilities[0]=True must be a number", "Write 1 or 0"),
        ([], "probabilities is empty", "A law needs at least one outcome"),
    ],
)
def test_numbers_that_are_no_distribution_are_refused(probabilities, rule, way_out):
    with pytest.raises(InvalidLaw) as caught:
        Distribution(probabilities)
    assert rule in str(caught.value)
    assert way_out in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "rule", "way_out"),
    [
        (["a"], "inputs has 1 labels for 2 entries", "Give one label to each entry, or leave `inputs` out"),
        (["a", "a"], "inputs holds the label 'a' twice", "Rename one of the two"),
        ([1.5, 2.5], "inputs holds a label of type float", "Use text, whole numbers, or tuples of them"),
        ([True, False], "inputs holds a label of type bool", "Use text, whole numbers, or tuples of them"),
        ([("a", None), "b"], "inputs holds a label of type NoneType", "Use text, whole numbers, or tuples of them"),
    ],
)
def test_labels_that_do_not_name_are_refused(labels, rule, way_out):
    with pytest.raises(InvalidLaw) as caught:
        Channel([[1, 0], [0, 1]], inputs=labels)
    assert rule in str(caught.value)
    assert way_out in str(caught.value)


def test_output_labels_and_distribution_labels_are_checked_under_their_own_names():
    with pytest.raises(InvalidLaw, match=r"outputs holds the label 'y' twice. Rename"):
        Channel([[1, 0]], outputs=["y", "y"])
    with pytest.raises(InvalidLaw, match=r"labels has 3 labels for 2 entries. Give one label"):
        Distribution([1, 0], ["a", "b", "c"])
    with pytest.raises(InvalidLaw, match=r"alphabets\[1\] holds the label 0 twice. Rename"):
        Joint([1, 0, 0, 0], [(0, 1), (0, 0)])
    with pytest.raises(InvalidLaw, match=r"alphabets is empty. A joint law needs at least one coordinate"):
        Joint([1], [])


@pytest.mark.parametrize(
    ("build", "error", "rule", "way_out"),
    [
        (lambda: Circulant([HALF, THIRD]), InvalidLaw, "law sums to 5/6, not 1", "correct the entry"),
        (lambda: Circulant([1, 0], 3), InvalidParameter, "input_count=3 must lie in [1, 2]", "Move `input_count`"),
        (lambda: Circulant([1, 0], 0), InvalidParameter, "input_count=0 must lie in [1, 2]", "Move `input_count`"),
        (lambda: two_level(size=1), InvalidParameter, "size=1 must be at least 2", "Raise `size`"),
        (lambda: two_level(odds=HALF), InvalidParameter, "odds=1/2 must be at least 1", "Raise `odds`"),
        (lambda: two_level(support=()), InvalidLaw, "support must hold between 1 and 2", "Reduce the shifts modulo"),
        (lambda: two_level(support=(0, 1, 2)), InvalidLaw, "support must hold between 1 and 2", "Reduce the shifts"),
        (lambda: two_level(support=(3,)), InvalidLaw, "shifts from 0 to 2", "Reduce the shifts modulo `size` first"),
        (lambda: two_level(support=(-1,)), InvalidLaw, "shifts from 0 to 2", "Reduce the shifts modulo `size` first"),
        (lambda: two_level(support=(0.5,)), InvalidParameter, "support=0.5 must be a whole number", "Write it"),
        (lambda: Distribution.uniform(0), InvalidParameter, "size=0 must be at least 1", "Raise `size`"),
    ],
)
def test_structured_channels_and_uniform_laws_check_their_parameters(build, error, rule, way_out):
    with pytest.raises(error) as caught:
        build()
    assert isinstance(caught.value, InvalidInput)
    assert rule in str(caught.value)
    assert way_out in str(caught.value)


def test_a_long_fraction_in_an_error_is_shortened():
    with pytest.raises(InvalidLaw) as caught:
        Distribution([Fraction(1, 3**100), 1])
    assert "about 1," in str(caught.value)
    assert len(str(caught.value)) < 300


def test_nothing_that_was_refused_stays_half_made():
    """A sum within the tolerance is accepted for floats, but a Fraction must be right to the last digit."""
    assert not Channel([[0.5, 0.5 + 5e-10]]).exact
    with pytest.raises(InvalidLaw, match=r"not 1"):
        Channel([[HALF, HALF + Fraction(1, 10**30)]])


def two_level(**changes):
    return Circulant.two_level(**({"size": 3, "support": (0,), "odds": Fraction(2)} | changes))


def test_integers_over_a_denominator_make_the_same_channel():
    counts = np.array([[6, 2, 0], [2, 2, 4]], dtype=object)
    made = Channel.from_integers(counts, 8, ("a", "b"), (0, 1, 2))
    plain = Channel([[Fraction(int(n), 8) for n in row] for row in counts], ("a", "b"), (0, 1, 2))
    assert made == plain
    assert hash(made) == hash(plain)
    assert made.integers()[1] == plain.integers()[1] == 4
    assert made.integers()[0].tolist() == plain.integers()[0].tolist()
    assert made.array.tobytes() == plain.array.tobytes()


@pytest.mark.parametrize("row", [[5, 4], [9, -1], [4, 3]])
def test_integers_that_are_no_law_are_refused(row):
    with pytest.raises(InvalidLaw, match=r"numerators\[1\]"):
        Channel.from_integers(np.array([[4, 4], row], dtype=object), 8)
