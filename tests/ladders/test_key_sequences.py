"""Several answers: a key each, and what a key that serves twice gives away."""

import math
from fractions import Fraction

import pytest

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.ladders.recovery import ShiftKey, reused_channel, sequence_channel, sequence_entropy_bits


class TestSequences:
    @pytest.mark.parametrize(("size", "samples"), [(2, 3), (3, 2), (4, 1)])
    def test_product(self, size, samples):
        key = ShiftKey.within(size=size, epsilon=1.0)
        channel = sequence_channel(key, samples)
        law = key.law.probabilities
        for x, row in zip(channel.inputs, channel.rows, strict=True):
            for y, p in zip(channel.outputs, row, strict=True):
                assert p == math.prod(law[(b - a) % size] for a, b in zip(x, y, strict=True))
        assert measures.is_recoverable(channel)
        bits = sequence_entropy_bits(key, samples)
        assert bits.overlaps(measures.largest_randomness_interval(channel).widened(1e-12))
        assert bits.midpoint == pytest.approx(samples * key.entropy_bits().midpoint)

    def test_neighbours_keep_the_odds_and_all_at_once_do_not(self):
        key = ShiftKey.within(size=3, epsilon=1.0)
        channel = sequence_channel(key, 2)
        neighbours = [
            max(p / q for p, q in zip(row, other, strict=True))
            for x, row in zip(channel.inputs, channel.rows, strict=True)
            for x_other, other in zip(channel.inputs, channel.rows, strict=True)
            if sum(a != b for a, b in zip(x, x_other, strict=True)) == 1
        ]
        assert max(neighbours) == key.odds
        assert measures.odds(channel) == key.odds**2

    @pytest.mark.parametrize("size", [2, 3, 5])
    def test_reuse_shows_the_difference(self, size):
        key = ShiftKey.within(size=size, epsilon=0.5)
        channel = reused_channel(key)
        assert measures.odds(channel) == math.inf
        assert measures.odds(sequence_channel(key, 2)) < math.inf
        for (x, other), row in zip(channel.inputs, channel.rows, strict=True):
            for (y, y_other), p in zip(channel.outputs, row, strict=True):
                assert p == (key.law.probabilities[(y - x) % size] if (y - y_other - x + other) % size == 0 else 0)

    def test_even_a_uniform_key_gives_it_away(self):
        """log2 k bits about the pair, where two uniform keys would give nothing."""
        key = ShiftKey(size=4, favoured=1, odds=Fraction(1))
        assert measures.mutual_information_bits(reused_channel(key)) == pytest.approx(2.0, abs=1e-12)
        assert measures.odds(sequence_channel(key, 2)) == 1

    def test_large_tables_are_not_written(self):
        key = ShiftKey.within(size=17, epsilon=1.0)
        with pytest.raises(InvalidParameter, match=r"17\^4 entries"):
            reused_channel(key)
        with pytest.raises(InvalidParameter, match=r"3 answers out of 17"):
            sequence_channel(key, 3)
        with pytest.raises(InvalidParameter, match="samples=0"):
            sequence_entropy_bits(key, 0)
