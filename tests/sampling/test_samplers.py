"""The law of a sampler, found by feeding it every word, is the law that its integers say: exactly, as Fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.prob import Distribution
from sfumato.sampling import Categorical, InsecureSeeded, ScriptedBits, UniformBelow, enumerated_law, law_of


@st.composite
def categoricals(draw, narrowest=1, widest=9):
    width = draw(st.integers(narrowest, widest))
    counts = draw(st.lists(st.integers(0, 1 << width), min_size=1, max_size=6).filter(any))
    # Keep the ratios, fit the word.
    while sum(counts) > 1 << width:
        counts = [count // 2 for count in counts]
    return Categorical(counts=tuple(counts) if any(counts) else (1,), width=width)


@st.composite
def uniforms(draw, narrowest=1, widest=9):
    width = draw(st.integers(narrowest, widest))
    return UniformBelow(bound=draw(st.integers(1, 1 << width)), width=width)


@given(sampler=categoricals())
def test_categorical_draws_the_law_of_its_thresholds(sampler):
    assert enumerated_law(sampler) == law_of(sampler)


@given(sampler=uniforms())
def test_uniform_is_uniform_given_acceptance(sampler):
    assert enumerated_law(sampler) == law_of(sampler)


@pytest.mark.parametrize(
    "sampler",
    [
        Categorical(counts=(1, 65_534, 0, 1), width=16),
        Categorical(counts=(3, 5, 11), width=16),
        UniformBelow(bound=40_000, width=16),
    ],
)
def test_all_words_of_sixteen_bits(sampler):
    assert enumerated_law(sampler) == law_of(sampler)


@given(sampler=categoricals(narrowest=10, widest=16))
def test_a_whole_column_of_words_gives_the_same_law(sampler):
    """The array path: every accepted word once, in one call, after the words that must be redrawn."""
    spare = (1 << sampler.width) % sum(sampler.counts)
    words = list(range((1 << sampler.width) - 1, -1, -1))
    script = ScriptedBits(words)
    drawn = sampler.sample(script, len(words) - spare)
    assert script.left == 0
    hits = np.bincount(drawn, minlength=len(sampler.counts)).tolist()
    assert Distribution([Fraction(hit, len(words) - spare) for hit in hits]) == law_of(sampler)


def test_a_threshold_off_by_one_is_seen():
    """A sampler that errs by a single word at 16 bits does not pass for the right one."""
    right = Categorical(counts=(40_000, 25_536), width=16)
    wrong = Categorical(counts=(40_001, 25_535), width=16)
    assert enumerated_law(wrong) != law_of(right)


@given(
    law=st.lists(st.fractions(0, 1, max_denominator=10**6), min_size=1, max_size=6).filter(any),
    width=st.integers(8, 64),
)
def test_near_is_exact_when_it_fits_and_close_when_not(law, width):
    exact = [value / sum(law) for value in law]
    sampler = Categorical.near(exact, width=width)
    denominator = int(np.lcm.reduce([int(v.denominator) for v in exact], dtype=object))
    moved = max(abs(p - q) for p, q in zip(exact, sampler.law(), strict=True))
    if denominator <= 1 << width:
        assert moved == 0
    else:
        assert 0 <= moved <= Fraction(len(exact), 1 << width)


def test_sixty_four_bits_reach_both_ends():
    full = Categorical(counts=(1, (1 << 64) - 2, 1))
    assert full.sample(ScriptedBits([0, 1, (1 << 64) - 2, (1 << 64) - 1]), 4).tolist() == [0, 1, 1, 2]
    assert Categorical(counts=(0, 1 << 64, 0)).sample(ScriptedBits([0, (1 << 64) - 1]), 2).tolist() == [1, 1]
    assert UniformBelow(bound=1 << 64).draw(ScriptedBits([(1 << 64) - 1]), 1).tolist() == [(1 << 64) - 1]


def test_rejected_words_are_drawn_again_in_order():
    script = ScriptedBits([7, 2, 7, 6, 5])
    assert UniformBelow(bound=6, width=3).sample(script, 2).tolist() == [5, 2]


def test_bad_samplers_are_refused_with_a_way_out():
    with pytest.raises(InvalidParameter, match="does not fit words of `width`=3 bits"):
        UniformBelow(bound=9, width=3)
    with pytest.raises(InvalidParameter, match="not all 0"):
        Categorical(counts=(0, 0))
    with pytest.raises(InvalidParameter, match="Use a smaller `bound` or wider words"):
        Categorical(counts=(5, 5), width=3)
    with pytest.raises(InvalidParameter, match="Enumerate a narrower sampler"):
        enumerated_law(UniformBelow(bound=3, width=17))


def test_production_width_follows_the_law_in_bulk():
    """Chi-squared over 1e6 seeded draws accepts the right law and rejects one that is 2 % off."""
    law = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))
    hits = np.bincount(Categorical.near(law).sample(InsecureSeeded(11), 1_000_000), minlength=3)

    def chi_squared(expected):
        return sum((hit - 1e6 * float(p)) ** 2 / (1e6 * float(p)) for hit, p in zip(hits, expected, strict=True))

    assert chi_squared(law) < 41.4  # exceeded with probability 1e-9 at two degrees of freedom
    assert chi_squared((Fraction(51, 100), Fraction(29, 100), Fraction(1, 5))) > 41.4
