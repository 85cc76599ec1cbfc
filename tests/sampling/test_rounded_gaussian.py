"""Normal noise, rounded: its law from every digit that can be drawn, as far as a tree of them goes, and from draws."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import chisquare, norm

from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.sampling import InsecureSeeded, ScriptedBits, SystemBits
from sfumato.sampling.noise import RoundedGaussian, _Draws, _half_coin, _is_kept, _normal

FRACTIONS = st.fractions(-1000, 1000, max_denominator=10**6)


class Ended(Exception):
    """The digits written down are used up."""


class Digits:
    """Bits of a prefix, one at a time."""

    def __init__(self, prefix):
        self.left = list(reversed(prefix))

    def words(self, count, width):
        assert count == width == 1
        if not self.left:
            raise Ended
        return [self.left.pop()]


def enumerated(outcome_of, depth):
    """The probability of each outcome that is decided within so many bits, and of what is not, exactly."""
    law, open_ = defaultdict(Fraction), Fraction(0)
    waiting = [()]
    while waiting:
        prefix = waiting.pop()
        try:
            found = outcome_of(Digits(prefix))
        except Ended:
            if len(prefix) < depth:
                waiting += [(*prefix, 0), (*prefix, 1)]
            else:
                open_ += Fraction(1, 1 << depth)
        else:
            law[found] += Fraction(1, 1 << len(prefix))
    assert sum(law.values()) + open_ == 1
    return law, open_


class TestTheTree:
    def test_the_coin_of_half_an_exponent(self):
        law, open_ = enumerated(lambda bits: _half_coin(_Draws(bits, 1)), 17)
        assert law[True] <= math.exp(-0.5) <= law[True] + open_
        assert open_ < 0.007

    @pytest.mark.parametrize("whole", [0, 1, 2, 5])
    def test_what_is_kept(self, whole):
        """For a fraction that begins with 0 and one that begins with 1, by integration over the rest."""

        def kept(bits):
            draws = _Draws(bits, 1)
            part = draws.uniform()
            part.refine()
            begins = part.known
            return begins, _is_kept(draws, whole, part)

        law, open_ = enumerated(kept, 15)
        assert open_ < 0.1
        for begins in (0, 1):
            true = quad(lambda x: math.exp(-x * (2 * whole + x) / (2 * whole + 2)), begins / 2, begins / 2 + 0.5)[0]
            assert law[begins, True] <= true <= law[begins, True] + open_
            assert law[begins, False] <= 0.5 - true <= law[begins, False] + open_

    def test_the_whole_law(self):
        """Signs, whole parts and rounding together: less is decided, and no outcome has more than its due."""
        noise = RoundedGaussian(deviation=Fraction(2, 3), grid=Fraction(1), width=1)
        law, open_ = enumerated(lambda bits: noise.release(Fraction(1, 5), bits), 14)
        assert open_ < 0.75
        for outcome, decided in law.items():
            ends = [(float(outcome) + half - 0.2) * 1.5 for half in (-0.5, 0.5)]
            true = norm.cdf(ends[1]) - norm.cdf(ends[0])
            assert decided <= true <= decided + open_
        assert {0, 1} <= set(law)

    def test_signs_are_even_and_whole_parts_have_their_weights(self):
        law, open_ = enumerated(lambda bits: _normal(_Draws(bits, 1))[:2], 14)
        for (negative, whole), decided in law.items():
            true = norm.cdf(whole + 1) - norm.cdf(whole)
            assert decided <= true <= decided + open_
            assert law[not negative, whole] == decided


def draws(noise, value, count, seed):
    bits = InsecureSeeded(seed)
    return np.array([int(noise.release(value, bits) / noise.grid) for _ in range(count)])


def fit(found, deviation, value):
    """How likely so bad a fit is for a normal law of this deviation; in steps of the grid."""
    borders = np.arange(-6, 7) + 0.5
    law = np.diff(np.concatenate([[0], norm.cdf((borders - value) / deviation), [1]]))
    counts = np.bincount(np.searchsorted(borders, found), minlength=len(law))
    return chisquare(counts, law * len(found)).pvalue


@pytest.mark.filterwarnings("ignore::sfumato.errors.InsecureBitsWarning")
class TestDraws:
    def test_the_right_deviation_is_accepted_and_one_that_is_five_per_cent_off_is_not(self):
        noise = RoundedGaussian(deviation=Fraction(3, 4), grid=Fraction(1, 4))
        found = draws(noise, Fraction(1, 12), 6000, seed=8)
        assert fit(found, 3, 1 / 3) > 1e-3
        for wrong in (3 * 0.95, 3 * 1.05):
            assert fit(found, wrong, 1 / 3) < 1e-3
        assert fit(found, 3, 1 / 3 + 0.25) < 1e-3

    @pytest.mark.slow
    @pytest.mark.parametrize("width", [1, 8, 64])
    def test_digits_of_any_width(self, width):
        noise = RoundedGaussian(deviation=Fraction(3, 4), grid=Fraction(1, 4), width=width)
        found = draws(noise, Fraction(1, 12), 20_000, seed=9)
        assert fit(found, 3, 1 / 3) > 1e-3
        assert fit(found, 3 * 1.05, 1 / 3) < 1e-3

    @given(FRACTIONS, st.integers(-50, 50), st.integers(0, 10**6))
    def test_a_step_more_is_a_step_more(self, value, steps, seed):
        noise = RoundedGaussian(deviation=Fraction(7, 3), grid=Fraction(2, 9))
        first = noise.release(value, InsecureSeeded(seed))
        assert noise.release(value + steps * noise.grid, InsecureSeeded(seed)) == first + steps * noise.grid
        assert (first / noise.grid).denominator == 1

    @given(st.fractions(Fraction(1, 1000), 1000), st.integers(0, 10**6))
    def test_another_unit_is_the_same_draw(self, unit, seed):
        plain = RoundedGaussian(deviation=Fraction(5, 2), grid=Fraction(1))
        scaled = RoundedGaussian(deviation=unit * plain.deviation, grid=unit)
        assert scaled.release(3 * unit, InsecureSeeded(seed)) == unit * plain.release(3, InsecureSeeded(seed))

    def test_every_place_of_a_release_is_drawn(self):
        """Eight bits at a time, on a grid of 2^-40 of the noise: no place is a zero that nobody drew."""
        fine = RoundedGaussian(deviation=Fraction(1 << 40), grid=Fraction(1), width=8)
        last = {int(fine.release(0, InsecureSeeded(seed))) % (1 << 16) for seed in range(20)}
        assert len(last) > 15

    def test_noise_of_any_size(self):
        huge = RoundedGaussian(deviation=Fraction(10**30), grid=Fraction(1, 7))
        found = [huge.release(0, InsecureSeeded(seed)) for seed in range(20)]
        assert 10**28 < max(map(abs, found)) < 10**31
        assert len(set(found)) == 20
        none = RoundedGaussian(deviation=Fraction(1, 10**30), grid=Fraction(1))
        assert none.release(Fraction(9, 4), InsecureSeeded(1)) == 2


class TestTheDoor:
    def test_what_cannot_be(self):
        for wrong in ({"deviation": 0}, {"grid": 0}, {"deviation": math.nan}, {"width": 65}, {"width": 0}):
            with pytest.raises(InvalidParameter, match=next(iter(wrong))):
                RoundedGaussian(**{"deviation": Fraction(1), "grid": Fraction(1), **wrong})

    def test_a_value_is_in_no_error(self):
        with pytest.raises(InvalidParameter) as caught:
            RoundedGaussian(deviation=Fraction(1), grid=Fraction(1)).release("1234567", SystemBits())
        assert "1234567" not in str(caught.value)

    def test_a_source_that_fails_releases_nothing(self):
        with pytest.raises(SourceFailed):
            RoundedGaussian(deviation=Fraction(1), grid=Fraction(1)).release(5, ScriptedBits([]))
