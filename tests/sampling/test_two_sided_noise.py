"""Two-sided noise: its law from every word of narrow widths, in whole numbers; and the bounds of its compiled loop."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_integers as plain
from plain_integers import random_words
from sfumato.errors import InvalidParameter, SourceFailed
from sfumato.sampling import InsecureSeeded, ScriptedBits
from sfumato.sampling import kernels as noise_kernel
from sfumato.sampling.noise import TwoSidedNoise, _powers

STEP = 1 << noise_kernel.PLACES
# Width, noise, and how many words a number may take: a tree of all words is walked so far.
NARROW = [
    *((1, TwoSidedNoise.gaussian(Fraction(1, 2), 1, width=1), 9), (2, TwoSidedNoise.laplace(2, width=2), 6)),
    *(
        (2, TwoSidedNoise.gaussian(Fraction(2), 2, width=2), 6),
        (3, TwoSidedNoise.gaussian(Fraction(9, 2), 3, width=3), 4),
    ),
    *((3, TwoSidedNoise.gaussian(Fraction(1, 5000), 1, width=3), 4), (3, TwoSidedNoise.laplace(1, width=3), 4)),
    *((4, TwoSidedNoise.gaussian(Fraction(61, 3), 5, width=4), 3), (4, TwoSidedNoise.laplace(7, width=4), 3)),
]


@given(
    variance=st.fractions(Fraction(1, 10**6), 10**9, max_denominator=1 << 20),
    remainder=st.integers(0, 1 << 40),
    whole=st.integers(0, 50),
)
def test_an_attempt_has_the_law(variance, remainder, whole):
    """e^-v of the coins times e^-x of the last one is e^(-z²/2s) times a constant, and x is never negative."""
    scale = math.isqrt(math.floor(variance)) + 1
    noise = TwoSidedNoise.gaussian(variance, scale)
    remainder %= scale
    exponent, number = noise.exponent(remainder, whole), remainder + scale * whole
    assert exponent >= 0
    assert exponent + whole - number**2 / (2 * variance) == noise.exponent(0, 0)
    assert TwoSidedNoise.laplace(scale).exponent(remainder, whole) + whole == Fraction(number, scale)


def coin_lengths(exponent, width, most):
    """How many sequences of 1, 2, … words make the coin fall on 1, and how many on 0, read from the bits of e^-x."""
    digits = [plain.exponential_digits(exponent, width * i) if i else 0 for i in range(most + 1)]
    ones = [0, *(digits[i] - (digits[i - 1] << width) for i in range(1, most + 1))]
    return ones, [0, *((1 << width) - 1 - one if exponent else 0 for one in ones[1:])]


def after(first, second):
    most = len(first) - 1
    return [sum(first[i] * second[n - i] for i in range(n + 1)) for n in range(most + 1)]


def counted_by_law(noise, most):
    """How many sequences of n words give a number with their last word, for each n and number, by the law alone."""
    width, both = noise.width, 2 * noise.scale
    first = [0, (1 << width) // both, *[0] * (most - 1)]
    again = [0, (1 << width) % both, *[0] * (most - 1)]
    kept = {}
    success, failure = coin_lengths(Fraction(1), width, most)
    for number in range(both):
        remainder, negative = divmod(number, 2)
        run = first
        for whole in range(most):
            size, ended = remainder + noise.scale * whole, after(run, failure)
            if negative and not size:
                again = [a + b for a, b in zip(again, ended, strict=True)]
            else:
                keep, drop = coin_lengths(noise.exponent(remainder, whole), width, most)
                kept[-size if negative else size] = after(ended, keep)
                again = [a + b for a, b in zip(again, after(ended, drop), strict=True)]
            run = after(run, success)
    counts = Counter()
    for number, lengths in kept.items():
        whole_way = [0] * (most + 1)
        for n in range(most + 1):
            whole_way[n] = lengths[n] + sum(again[i] * whole_way[n - i] for i in range(1, n + 1))
            counts[n, number] = whole_way[n]
    return +counts


@pytest.mark.parametrize(("width", "noise", "most"), NARROW, ids=lambda part: getattr(part, "scale", part))
@pytest.mark.parametrize("few", [1, 0], ids=["plain", "compiled"])
def test_the_law_from_every_word(width, noise, most, few):
    """Each number has, at each length, exactly the sequences that its law gives it; nothing is taken in advance."""
    found, open_ends = Counter(), [()]
    for n in range(1, most + 1):
        longer = []
        for start in open_ends:
            for word in range(1 << width):
                script = ScriptedBits([*start, word])
                try:
                    number = int(noise.sample(script, 1, few=few)[0])
                except SourceFailed:
                    longer.append((*start, word))
                    continue
                assert script.left == 0
                found[n, number] += 1
        open_ends = longer
    assert found == counted_by_law(noise, most)
    assert len({number for _, number in found}) >= (1 if noise.square > 64 else 3)


@pytest.mark.parametrize(("width", "noise", "most"), NARROW, ids=lambda part: getattr(part, "scale", part))
@pytest.mark.parametrize("at_once", [1, 5])
def test_whatever_is_asked_for_at_a_time(width, noise, most, at_once):
    """The numbers are those of plain integers, wherever words run out; narrow words leave many attempts open."""
    del most
    words = random_words(31, 20_000, width)

    class Dripping(ScriptedBits):
        def words(self, count, width=64):
            return super().words(min(count, at_once), width)

    scripts = [Dripping(words), ScriptedBits(words)]
    found = [noise.sample(script, 150, few=few).tolist() for script, few in zip(scripts, (0, 150), strict=True)]
    assert found[0] == found[1]
    assert scripts[0].left == scripts[1].left


@given(exponent=st.integers(0, (40 << noise_kernel.PLACES) - 1), lacking=st.integers(0, 8191))
def test_the_compiled_chance_is_enclosed(exponent, lacking):
    """For all that the exponent may stand for; and closely, or much would be left open."""
    lower, upper = noise_kernel.chance_bounds(np.uint64(exponent), _powers(256, 62))
    assert lower <= plain.exponential_digits(Fraction(exponent + lacking, STEP), 48) <= upper
    assert upper - lower <= 1 << 14 | 1


def test_the_compiled_chance_at_its_corners():
    digits = [0, 1, 254, 255]
    for whole in (0, 1, 33, 34):
        for first in digits:
            for second in digits:
                for rest in (0, 1, (1 << 32) - 1):
                    exponent = whole << 48 | first << 40 | second << 32 | rest
                    lower, upper = noise_kernel.chance_bounds(np.uint64(exponent), _powers(256, 62))
                    for lacking in (0, 8191):
                        chance = plain.exponential_digits(Fraction(exponent + lacking, STEP), 48)
                        assert lower <= chance <= upper


@given(
    variance=st.one_of(
        st.fractions(Fraction(1, 128), 1 << 80, max_denominator=1 << 70), st.fractions(Fraction(1, 128), 2)
    ),
    remainder=st.integers(0, 1 << 63),
    whole=st.integers(0, noise_kernel.MOST_WHOLE),
)
def test_the_compiled_exponent_is_enclosed(variance, remainder, whole):
    """By less than what the chance allows for; products of 2^64 and carries included, as whole reaches its most."""
    scale = math.isqrt(math.floor(variance)) + 1
    for noise in (TwoSidedNoise.gaussian(variance, scale), TwoSidedNoise.laplace(scale)):
        for u in {remainder % scale, 0, scale - 1}:
            steps = [np.uint64(int(number * STEP)) for number in (noise.square, noise.linear, noise.level)]
            part = np.uint64(noise_kernel._quotient(np.uint64(u), np.uint64(scale)))
            assert part == u * STEP // scale
            found = int(noise_kernel._exponent(np.uint64(whole), part, *steps))
            assert found <= noise.exponent(u, whole) * STEP < found + 8192


def test_a_square_beyond_the_words():
    """Its coefficient is cut to 64: that of 0 does not need it, and all others are too far to be told apart."""
    noise = TwoSidedNoise.gaussian(Fraction(1, 10**6), 1)
    assert noise.square > noise_kernel.MOST_SQUARE
    assert noise_kernel.MOST_SQUARE - 1 > 34
    assert not noise.sample(InsecureSeeded(3), 3000, few=0).any()


def test_few_attempts_are_left_open_in_production():
    """Of 64 bits 2^-33 of the attempts; or the compiled loop would be none."""
    words = InsecureSeeded(4).words(60_000)
    noise = TwoSidedNoise.gaussian(Fraction(10**8), 10**4 + 1)
    found = np.empty(3000, dtype=np.int64)
    done, used, left_open = noise._compiled(found)(words.copy(), 0)
    assert (done, left_open) == (3000, False)
    assert 6 * 3000 < used < 9 * 3000


@pytest.mark.parametrize(("scale", "width"), [(0, 64), (-1, 64), (3, 2), (1, 0), (1, 65)])
def test_bad_parameters(scale, width):
    with pytest.raises(InvalidParameter):
        TwoSidedNoise.laplace(scale, width=width)
