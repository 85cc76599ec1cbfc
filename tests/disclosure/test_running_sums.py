"""Running sums of uniform samples: what they protect, exactly, and what they tell."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disclosure_draws import assert_drawn, largest_deviation
from sfumato.disclosure.schemes import (
    MOST_MODULUS,
    RunningSums,
    certify_independence,
    information_by_listing,
    leaks_interval,
)
from sfumato.errors import ClaimRefused, InvalidParameter
from sfumato.prob import Distribution
from sfumato.sampling import InsecureSeeded


@st.composite
def schemes(draw):
    masked = draw(st.booleans())
    window = draw(st.integers(1 if masked else 2, 3))
    return RunningSums(modulus=draw(st.integers(2, 4)), window=window, masked=masked)


@given(scheme=schemes(), more=st.integers(0, 2))
def test_runs_of_samples_are_independent_of_the_sums(scheme, more):
    count = max(scheme.window, scheme.protects) + more
    scheme.certify_small(count)
    listed = information_by_listing(scheme.law, count, scheme.output_law)
    assert listed.widened(1e-12).overlaps(scheme.information_bits(count))
    assert scheme.efficiency(count) == Fraction(count - scheme.protects, count)


@settings(max_examples=20)
@given(scheme=schemes())
def test_one_sample_more_is_not_protected(scheme):
    with pytest.raises(ClaimRefused, match="leak"):
        certify_independence(scheme.law, scheme.protects + 2, scheme.output_law, together=scheme.protects + 1)


def test_pairs_reach_the_most_that_any_private_release_can():
    """(n-1)/n is [D, Lemma 6]'s bound; print has M for log M in its eq. (61), which no M = 8 could reach."""
    sums = RunningSums(modulus=8)
    assert sums.efficiency(10) == Fraction(9, 10)
    assert sums.information_bits(10).midpoint == 27.0
    masked = RunningSums(modulus=8, window=3, masked=True)
    exact = ((10 - 3 + 1) * 3 - 3) / (10 * 3)
    printed = ((10 - 3 + 1) * 8 - 3) / (10 * 8)
    assert float(masked.efficiency(10)) == exact != printed
    assert masked.asymptotic_efficiency == 1


def test_sums_of_samples_that_are_not_uniform_leak_within_the_bound():
    sums = RunningSums(modulus=2)
    skewed = Distribution([Fraction(6, 10), Fraction(4, 10)])
    leaks = [leak.midpoint for leak in leaks_interval(skewed, 4, sums.output_law)]
    assert 0.05 < max(leaks) <= sums.leak_within(4, Fraction(1, 10))
    with pytest.raises(ClaimRefused):
        certify_independence(skewed, 3, sums.output_law)


def test_a_release_is_the_sums_themselves():
    assert RunningSums(modulus=5, window=3).release([4, 4, 4, 0, 1]).tolist() == [2, 3, 0]
    masked = RunningSums(modulus=5, window=1, masked=True)
    shifts = (masked.release([0, 1, 2], InsecureSeeded(9)).astype(int) - [0, 1, 2]) % 5
    assert len(set(shifts.tolist())) == 1


def test_the_mask_is_uniform_word_by_word():
    masked = RunningSums(modulus=5, window=1, masked=True, width=4)
    left = assert_drawn(lambda bits: masked.release([3, 1], bits), 4, 3, masked.output_law((3, 1)))
    assert left == Fraction(1, 16) ** 3


@given(cut=st.integers(1, 99), window=st.integers(1, 7), masked=st.booleans(), modulus=st.sampled_from([2, 7, 1000]))
def test_a_column_in_pieces_gives_the_same_release(cut, window, masked, modulus):
    if window == 1 and not masked:
        return
    scheme = RunningSums(modulus=modulus, window=window, masked=masked)
    samples = np.random.default_rng(cut).integers(modulus, size=100)
    whole = scheme.release(samples, InsecureSeeded(3))
    pieces = scheme.stream([samples[:cut], samples[cut:]], InsecureSeeded(3))
    assert np.concatenate(list(pieces)).tolist() == whole.tolist()
    assert whole.size == 101 - window


def test_large_moduli_do_not_overflow():
    scheme = RunningSums(modulus=MOST_MODULUS, window=2)
    column = np.full(1 << 18, MOST_MODULUS - 1)
    assert set(scheme.release(column).tolist()) == {MOST_MODULUS - 2}
    assert scheme.information_bits(3).midpoint == 80.0
    with pytest.raises(InvalidParameter, match="not written out"):
        scheme.certify_small(2)


def test_released_sums_are_independent_of_samples_and_skewed_ones_are_not():
    generator = np.random.default_rng(31)
    sums = RunningSums(modulus=6)

    def worst(samples):
        outputs = sums.release(samples).astype(np.int64)
        return largest_deviation(samples[1::2], outputs[:-1:2] * 6 + outputs[1::2], 6, 36)

    assert worst(generator.integers(6, size=400_001)) < 5
    assert worst(np.minimum(generator.integers(7, size=400_001), 5)) > 15


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"modulus": 1}, "modulus=1"),
        ({"modulus": 4, "window": 0}, "window=0"),
        ({"modulus": 4, "window": 1}, "publishes every sample"),
    ],
)
def test_bad_schemes(arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        RunningSums(**arguments)


def test_bad_questions():
    with pytest.raises(InvalidParameter, match="n=1 must be at least 2"):
        RunningSums(modulus=4).release([1])
    with pytest.raises(InvalidParameter, match="radius"):
        RunningSums(modulus=4).leak_within(3, 2)
    assert math.isclose(RunningSums(modulus=4).leak_within(3, 0.01), 2 * math.log2(1 + 8 * 0.0001))
