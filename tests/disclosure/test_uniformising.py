"""The uniformised chain: exactly private, its information exact where print has a bound, and lossless when fine."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disclosure_draws import assert_drawn, drawn_outputs, largest_deviation
from sfumato.disclosure import uniformising as chain_information
from sfumato.disclosure.schemes import WindowScheme, certify_independence, information_by_listing, leaks_interval
from sfumato.disclosure.uniformising import (
    UniformisedChain,
    closest_uniformiser,
    leftover_interval,
    quantile_uniformiser,
)
from sfumato.errors import ClaimRefused, InvalidLaw, InvalidParameter
from sfumato.measures import entropy_bits
from sfumato.prob import Channel, Distribution
from sfumato.sampling import InsecureSeeded
from strategies import distributions

Q = Distribution([Fraction(7, 10), Fraction(3, 10)])
P = Distribution([Fraction(6, 10), Fraction(4, 10)])


def small_laws():
    return distributions(min_size=2, max_size=3, zeros=False)


def chains():
    closest = st.builds(UniformisedChain.closest, small_laws())
    return closest | st.builds(UniformisedChain.by_quantiles, small_laws(), st.integers(2, 5))


@pytest.mark.parametrize(("law", "count", "exact", "printed"), [(Q, 4, 0.72120, 0.47844), (P, 5, 2.06192, 1.52449)])
def test_the_printed_sum_over_pairs_is_only_a_bound_from_below(law, count, exact, printed):
    chain = UniformisedChain.closest(law)
    assert round(chain.information_bits(count).midpoint, 5) == exact
    assert round(chain.pairwise_bits(count).midpoint, 5) == printed
    assert chain.information_bits(count).width < 1e-12


def test_the_printed_formula_is_the_information_of_a_pair():
    q, beta = 0.3, 0.2 / 0.7

    def h(p):
        return -p * np.log2(p) - (1 - p) * np.log2(1 - p)

    pair = 1 - 2 * q * (1 - q) * h(beta) - (1 - q) ** 2 * h(2 * beta * (1 - beta))
    assert abs(UniformisedChain.closest(Q).information_bits(2).midpoint - pair) < 1e-14
    assert UniformisedChain.closest(Q).uniformiser.rows == ((Fraction(5, 7), Fraction(2, 7)), (0, 1))


@given(chain=chains(), count=st.integers(2, 4))
def test_the_recursion_is_what_listing_gives(chain, count):
    listed = information_by_listing(chain.law, count, chain.output_law)
    assert listed.widened(1e-12).overlaps(chain.information_bits(count))
    assert chain.pairwise_bits(count).lower <= chain.information_bits(count).upper
    assert chain.information_bits(count).width < 1e-11


@given(chain=chains(), count=st.integers(2, 4))
def test_sums_are_independent_of_each_sample(chain, count):
    assert chain.certify_small(count).outputs == chain.modulus ** (count - 1)


@settings(max_examples=25)
@given(chain=chains(), count=st.integers(2, 8))
def test_what_is_left_open_falls_and_closes_long_columns(chain, count):
    law = Distribution(chain.law.fractions, chain.uniformiser.inputs)
    here, after = (leftover_interval(law, chain.uniformiser, n) for n in (count, count + 1))
    assert after.lower <= here.upper
    assert here.upper <= np.log2(chain.modulus) + 1e-12


def test_a_recursion_that_is_cut_short_still_encloses(monkeypatch):
    chain = UniformisedChain.by_quantiles(Q, 5)
    full = chain.information_bits(9)
    monkeypatch.setattr(chain_information, "MOST_PRODUCTS", 200)
    leftover_interval.cache_clear()
    short = chain.information_bits(9)
    leftover_interval.cache_clear()
    assert short.encloses(full)
    assert 0.01 < short.width < np.log2(5)


@settings(max_examples=10)
@given(law=small_laws())
def test_as_many_places_as_the_denominator_lose_only_the_first_symbol(law):
    chain = UniformisedChain.lossless(law)
    whole = entropy_bits(law)
    assert abs(chain.asymptotic_efficiency.midpoint - 1) < 1e-12
    told = chain.information_bits(1000)
    assert told.upper >= 1000 * whole - np.log2(chain.modulus) - 1e-9
    # No private release tells more than H(X^n) - H(X_1) [D, Lemma 6].
    assert told.lower <= 999 * whole + 1e-9


def test_finer_places_beat_windows_on_long_columns_and_lose_on_short_ones():
    fine, windows = UniformisedChain.lossless(Q), WindowScheme.best(Q, 3)
    assert fine.modulus == 10
    assert fine.efficiency(4).upper < windows.efficiency(5).lower
    assert fine.efficiency(30).lower > 0.87
    assert windows.asymptotic_efficiency.upper < 0.6
    coarse = UniformisedChain.closest(Q)
    assert round(coarse.asymptotic_efficiency.midpoint, 4) == 0.4491


@given(law=distributions(min_size=2, max_size=6, zeros=False), modulus=st.integers(2, 9))
def test_uniformisers_make_uniform_with_little_noise(law, modulus):
    for channel in (closest_uniformiser(law), quantile_uniformiser(law, modulus)):
        assert set(channel.output_law(law)) == {Fraction(1, channel.shape[1])}
        assert np.count_nonzero(channel.array) <= channel.shape[0] + channel.shape[1] - 1
    closest = closest_uniformiser(law)
    kept = sum(p * closest.row(x)[x] for x, p in enumerate(law.fractions))
    assert kept == sum(min(p, Fraction(1, len(law))) for p in law.fractions)


def test_what_does_not_make_uniform_is_refused_and_would_leak():
    identity = Channel([[1, 0], [0, 1]])
    with pytest.raises(InvalidLaw, match="exactly uniform"):
        UniformisedChain(law=Q, uniformiser=identity)
    with pytest.raises(InvalidLaw, match="exact channel with 2 inputs"):
        UniformisedChain(law=Q, uniformiser=Channel(np.full((2, 2), 0.5)))
    with pytest.raises(InvalidParameter, match="too large a table"):
        quantile_uniformiser(Q, 1 << 22)
    with pytest.raises(ClaimRefused, match=r"sample 1 of 3: they leak 0\.\d{4} bits"):
        certify_independence(Q, 3, lambda x: {((x[0] + x[1]) % 2, (x[1] + x[2]) % 2): Fraction(1)})


def test_a_release_draws_its_law_word_by_word():
    chain = UniformisedChain(law=Q, uniformiser=closest_uniformiser(Q), width=4)
    for dataset in ((0, 0), (0, 1), (1, 1)):
        left = assert_drawn(lambda bits, d=dataset: chain.release(d, bits), 4, 4, chain.output_law(dataset))
        assert left < Fraction(1, 100)
    law, left = drawn_outputs(lambda bits: chain.release((0, 0), bits), 4, 4)
    assert not law[(1,)] <= chain.output_law((1, 1)).get((1,), 0)


def test_a_column_in_pieces_gives_the_same_release():
    samples = np.random.default_rng(5).integers(2, size=1001)
    chain = UniformisedChain.lossless(Q)
    whole = chain.release(samples, InsecureSeeded(3))
    assert whole.size == 1000
    assert (np.concatenate(list(chain.stream(np.array_split(samples, 7), InsecureSeeded(3)))) == whole).all()


def test_released_sums_are_independent_of_samples_and_those_of_a_wrong_law_are_not():
    """Both sums that a sample is part of, against the sample; 5 standard deviations over 8 or 200 cells."""
    generator = np.random.default_rng(21)
    chain = UniformisedChain.lossless(Q)

    def worst(chance):
        samples = (generator.random(600_001) < chance).astype(np.int64)
        sums = chain.release(samples, InsecureSeeded(22)).astype(np.int64)
        around = sums[:-1:2] * 10 + sums[1::2]
        return largest_deviation(samples[1::2], around, 2, 100)

    assert worst(0.3) < 5
    assert worst(0.4) > 12


def test_the_leak_under_another_law_keeps_its_bound_and_grows_with_the_chain():
    chain = UniformisedChain.closest(Q)
    truth = Distribution([Fraction(6, 10), Fraction(4, 10)])
    leaks = [max(leak.upper for leak in leaks_interval(truth, n, chain.output_law)) for n in (2, 4, 6)]
    bounds = [chain.leak_within(n, Fraction(1, 10)) for n in (2, 4, 6)]
    assert 0 < leaks[0] < leaks[1] < leaks[2]
    assert all(leak <= bound for leak, bound in zip(leaks, bounds, strict=True))


def test_a_float_law_is_read_exactly_and_stays_private():
    chain = UniformisedChain.closest(Distribution([0.7, 0.3]))
    chain.certify_small(4)
    assert abs(chain.information_bits(4).midpoint - 0.72120053) < 1e-8
    assert chain.release([0, 1, 1, 0], InsecureSeeded(1)).size == 3
