"""Two-level shifts: the law that is drawn, word by word."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder_strategies import drawn_law
from sfumato.errors import InvalidParameter
from sfumato.ladders import TwoLevelShift
from sfumato.sampling import InsecureSeeded

WIDTH = 4


@st.composite
def shifts(draw):
    """`inside` a multiple of 1/16, so that one word of four bits decides the level."""
    modulus = draw(st.sampled_from([3, 5, 7, 13]))
    favoured = draw(st.sets(st.integers(0, modulus - 1), min_size=1, max_size=modulus - 1))
    inside = Fraction(draw(st.integers(0, 16)), 16)
    return TwoLevelShift(modulus=modulus, favoured=np.array(sorted(favoured)), inside=inside, width=WIDTH)


@given(shift=shifts())
def test_every_word_gives_the_law_exactly(shift):
    assert drawn_law(shift) == shift.law()
    assert sum(shift.law()) == 1


def test_a_sampler_on_the_wrong_side_is_noticed():
    shift = TwoLevelShift(modulus=7, favoured=np.array([1, 2, 4]), inside=Fraction(11, 16), width=WIDTH)
    swapped = TwoLevelShift(modulus=7, favoured=np.array([1, 2, 4]), inside=Fraction(5, 16), width=WIDTH)
    assert drawn_law(swapped) != shift.law()


@given(modulus=st.integers(2, 40), chance=st.fractions(0, 1, max_denominator=100))
def test_an_erasure_keeps_or_replaces(modulus, chance):
    law = TwoLevelShift.erasure(modulus, chance).law()
    assert law[0] == 1 - chance + chance / modulus
    assert set(law[1:]) == {chance / modulus}


@given(shift=shifts())
def test_places_and_shifts_are_inverse(shift):
    everything = np.arange(shift.modulus)
    assert (shift.ranks(shift.at(everything)) == everything).all()
    assert shift.order[: shift.favoured.size].tolist() == shift.favoured.tolist()


@given(shift=shifts())
def test_entropy_is_that_of_the_law(shift):
    plain = -math.fsum(float(p) * math.log2(p) for p in shift.law() if p)
    assert shift.entropy_bits().widened(1e-13).lower <= plain <= shift.entropy_bits().widened(1e-13).upper
    assert shift.entropy_bits().width < 1e-12


def test_a_flip_is_a_coin():
    flip = TwoLevelShift.erasure(2, Fraction(1, 2))
    assert flip.law() == (Fraction(3, 4), Fraction(1, 4))
    drawn = flip.draw(InsecureSeeded(51), 200_000)
    assert abs(int(drawn.sum()) - 50_000) < 6.2 * math.sqrt(200_000 * 3 / 16)
    assert not abs(int(drawn.sum()) - 52_500) < 6.2 * math.sqrt(200_000 * 3 / 16)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"modulus": 1, "favoured": [0], "inside": Fraction(1, 2)}, "modulus=1"),
        ({"modulus": 5, "favoured": [], "inside": Fraction(1, 2)}, "between 1 and 4 different residues"),
        ({"modulus": 5, "favoured": [0, 1, 2, 3, 4], "inside": Fraction(1, 2)}, "between 1 and 4"),
        ({"modulus": 5, "favoured": [5], "inside": Fraction(1, 2)}, "Reduce them first"),
        ({"modulus": 5, "favoured": [-1], "inside": Fraction(1, 2)}, "Reduce them first"),
        ({"modulus": 5, "favoured": [0], "inside": Fraction(3, 2)}, "inside=3/2"),
    ],
)
def test_bad_shifts(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        TwoLevelShift(**{**arguments, "favoured": np.array(arguments["favoured"], dtype=np.int64)})
