"""The coin: its law from every word, its thrifty twin, and what neither accepts."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.sampling import Coin, InsecureSeeded, Metered, ScriptedBits
from sfumato.sampling import samplers as coins
from sfumato.sampling.samplers import DEPTH

CHANCES = st.fractions(0, 1, max_denominator=500)


def throws_two_deep(chance, width):
    """Every pair of words once: 0, 1, or None where a third word would be needed."""
    found = []
    for pair in itertools.product(range(1 << width), repeat=2):
        try:
            found.append(int(Coin(chance=chance, width=width).sample(ScriptedBits(pair), 1)[0]))
        except SourceFailed:
            found.append(None)
    return found


@given(chance=CHANCES, width=st.integers(1, 4))
def test_two_words_decide_all_but_one_pair(chance, width):
    """floor(chance·4^w) ones, and one pair left open unless the chance ends there: so the law is exact in the end."""
    found = throws_two_deep(chance, width)
    scaled = chance * 4**width
    assert found.count(1) == math.floor(scaled)
    assert found.count(None) == (scaled.denominator > 1)


def test_a_chance_rounded_to_one_word_would_be_noticed():
    chance, width = Fraction(1, 3), 2
    rounded = Fraction(math.floor(chance * 2**width), 2**width)
    assert throws_two_deep(rounded, width).count(1) != math.floor(chance * 4**width)


@given(chance=CHANCES)
def test_the_thrifty_coin_has_the_same_law(chance):
    """Its three outcomes weigh count/2^32; the open one is thrown again, with the chance that is left over."""
    if chance in {0, 1}:
        return
    seen, rests = [], []

    class Recorded:
        def __init__(self, counts):
            seen.append(counts)

        def sample(self, bits, count):
            return np.arange(count)

    def thrown_again(rest, width, source, rows):
        rests.append((rest, rows.size))
        return np.ones(rows.size, dtype=np.int64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coins, "EntropyRecycling", Recorded)
        patch.setattr(coins, "_compared", thrown_again)
        outcomes = Coin(chance=chance, thrifty=True).sample(ScriptedBits([]), 3)
    (zeros, ones, left) = seen[0]
    assert zeros + ones + left == 1 << DEPTH
    assert left in {0, 1}
    assert outcomes.tolist() == [0, 1, 1]
    ((rest, count),) = rests
    assert count == 1
    assert (ones + left * rest) / Fraction(1 << DEPTH) == chance


@pytest.mark.parametrize("thrifty", [False, True])
def test_throws_agree_with_the_chance_and_with_no_other(thrifty):
    """6.2 standard deviations are left by chance once in 1.7e9; five percent off is 20 of them."""
    n, chance = 400_000, Fraction(3, 10)
    ones = int(Coin(chance=chance, thrifty=thrifty).sample(InsecureSeeded(41), n).sum())

    def agrees(p):
        return abs(ones - n * p) <= 6.2 * math.sqrt(n * p * (1 - p))

    assert agrees(float(chance))
    assert not agrees(1.05 * float(chance))
    assert not agrees(0.95 * float(chance))


def test_neighbouring_throws_do_not_depend_on_each_other():
    throws = Coin(chance=Fraction(1, 5), thrifty=True).sample(InsecureSeeded(42), 400_001)
    both = int((throws[1:] & throws[:-1]).sum())
    assert abs(both - 400_000 / 25) <= 6.2 * math.sqrt(400_000 * 0.04 * 1.4)  # pairs overlap, hence 1 + 2·0.2


def test_the_thrifty_coin_costs_its_entropy():
    n, chance = 200_000, Fraction(1, 10)
    entropy = -(0.1 * math.log2(0.1) + 0.9 * math.log2(0.9))
    costs = []
    for thrifty in (True, False):
        meter = Metered(InsecureSeeded(43))
        Coin(chance=chance, thrifty=thrifty).sample(meter, n)
        costs.append(meter.drawn_bits / n)
    assert costs[0] == pytest.approx(entropy, rel=0.01)
    assert costs[1] >= 64


def test_sure_coins_need_no_bits():
    for chance in (0, 1):
        for thrifty in (False, True):
            coin = Coin(chance=Fraction(chance), thrifty=thrifty)
            assert coin.sample(ScriptedBits([]), 5).tolist() == [chance] * 5
            assert coin.law() == (1 - chance, chance)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"chance": 0.5}, "must be exact"),
        ({"chance": Fraction(3, 2)}, "chance=3/2"),
        ({"chance": Fraction(-1, 2)}, "chance=-1/2"),
        ({"chance": Fraction(1, 2), "width": 0}, "width=0"),
        ({"chance": Fraction(1, 2), "width": 65}, "width=65"),
    ],
)
def test_bad_coins(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        Coin(**arguments)


def test_bad_counts():
    with pytest.raises(InvalidParameter, match="count"):
        Coin(chance=Fraction(1, 2)).sample(ScriptedBits([]), -1)
