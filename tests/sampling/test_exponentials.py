"""Coins of chance e^-x: every word of narrow widths, bits against decimal numbers, and chances beside a border."""

import decimal
import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_integers as plain
from plain_integers import WORDS, Reader
from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.sampling import ScriptedBits
from sfumato.sampling.noise import exponential_bits, exponential_coin, exponential_coins

EXPONENTS = [Fraction(1, 10**9), Fraction(1, 7), Fraction(1, 2), Fraction(1), Fraction(5, 3), Fraction(3), Fraction(40)]


@given(exponent=st.fractions(0, 90, max_denominator=1 << 70), count=st.integers(1, 400))
def test_bits_of_any_exponential(exponent, count):
    assert exponential_bits(exponent, count) == plain.exponential_digits(exponent, count)


def test_bits_at_the_ends():
    assert exponential_bits(Fraction(0), 10) == 1024
    assert exponential_bits(Fraction(1, 1 << 200), 10) == 1023
    assert exponential_bits(Fraction(10**40), 64) == 0
    assert [exponential_bits(Fraction(7), count) for count in range(8, 13)] == [0, 0, 0, 1, 3]


@pytest.mark.parametrize("power", [1, 5])
@pytest.mark.parametrize("digits", [10, 40, 400])
def test_chances_beside_a_border(power, digits):
    """x as near to power·ln 2 as can be: all bits behind the first are equal for hundreds of places."""
    with decimal.localcontext(prec=digits + 50):
        middle = Fraction(round(decimal.Decimal(2).ln() * power * 10**digits), 10**digits)
    for exponent, bits in (
        (middle - Fraction(1, 10**digits), 1 << (8 - power)),
        (middle + Fraction(1, 10**digits), None),
    ):
        assert exponential_bits(exponent, 8) == (bits if bits is not None else (1 << (8 - power)) - 1)


@pytest.mark.parametrize(("width", "depth"), [(1, 10), (2, 5), (3, 4), (5, 2), (8, 1), (12, 1)])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_the_law_from_every_word(width, depth, exponent):
    """Of all sequences of words ⌊e^-x·2^bits⌋ fall on 1, and one is open; what is open shrinks to nothing."""
    ones = still_open = 0
    for words in itertools.product(range(1 << width), repeat=depth):
        script = ScriptedBits(words)
        try:
            throw = int(exponential_coins(exponent, script, 1, width)[0])
        except SourceFailed:
            still_open += 1
            continue
        reader = Reader(words)
        assert exponential_coin(exponent, lambda reader=reader: reader.take(1)[0], width) == throw
        assert script.left == reader.left
        ones += throw
    assert ones == plain.exponential_digits(exponent, width * depth)
    assert still_open == 1


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_wide_words(exponent):
    border = plain.exponential_digits(exponent, 64)
    words = [
        *plain.near([border, 0, WORDS - 1], WORDS),
        *[border] * 5,
        *plain.corner_words(),
        *plain.random_words(21, 900),
    ]
    count = len(words) - 500
    throws = exponential_coins(exponent, ScriptedBits(words), count).tolist()
    # All that are open go on together, after the first words of all.
    later = Reader(words[count:])
    expected = [int(word < border) if word != border else None for word in words[:count]]
    depth = 64
    while places := [i for i, throw in enumerate(expected) if throw is None]:
        depth += 64
        digit = plain.exponential_digits(exponent, depth) % WORDS
        for i, word in zip(places, later.take(len(places)), strict=True):
            expected[i] = int(word < digit) if word != digit else None
    assert throws == expected
    assert len(plain.near([border], WORDS)) > 1


def test_a_coin_goes_on_where_words_leave_it_open():
    digits = plain.exponential_digits(Fraction(1), 256)
    first = [(digits >> shift) % WORDS for shift in (192, 128, 64)]
    for agreeing in range(3):
        for off, throw in ((-1, 1), (1, 0)):
            words = [*first[:agreeing], first[agreeing] + off]
            reader = Reader(words)
            assert exponential_coin(Fraction(1), lambda reader=reader: reader.take(1)[0]) == throw
            assert exponential_coins(Fraction(1), ScriptedBits(words), 1).tolist() == [throw]
            assert reader.left == 0


def test_sure_coins_and_bad_exponents():
    assert exponential_coins(Fraction(0), ScriptedBits([]), 3).tolist() == [1, 1, 1]
    assert exponential_coin(Fraction(0), lambda: WORDS - 1)
    with pytest.raises(InvalidParameter, match="exponent"):
        exponential_coins(Fraction(-1), ScriptedBits([]), 1)
    with pytest.raises(InvalidParameter, match="width"):
        exponential_coins(Fraction(1), ScriptedBits([]), 1, 65)
