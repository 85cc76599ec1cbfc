"""Windows that share one sample: exactly private, additive, and better with size; windows that share more leak."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disclosure_draws import assert_drawn, drawn_outputs, largest_deviation
from sfumato.disclosure.data import DataLaw, corners
from sfumato.disclosure.schemes import (
    MOST_PAIRS,
    WindowScheme,
    _best_mixture,
    best_mapping,
    certify_independence,
    information_by_listing,
    leak_within_bits,
    leaks_interval,
    mapping_of_corners,
    overlap_leaks,
    window_law,
)
from sfumato.errors import ClaimRefused, InvalidLaw, InvalidParameter, Refused
from sfumato.measures import mutual_information_interval
from sfumato.prob import Channel, Distribution
from sfumato.sampling import BulkBits, InsecureSeeded
from sfumato.sampling.samplers import RowDraws
from strategies import exact_channels, exact_laws

Q = Distribution([Fraction(7, 10), Fraction(3, 10)])


def bernoulli(tenths):
    return Distribution([Fraction(10 - tenths, 10), Fraction(tenths, 10)])


@pytest.mark.parametrize(
    ("tenths", "size", "efficiency"),
    [(3, 2, 0.4522), (3, 3, 0.5924), (3, 4, 0.6775), (4, 2, 0.6595), (4, 3, 0.7195)],
)
def test_known_efficiencies(tenths, size, efficiency):
    found = WindowScheme.best(bernoulli(tenths), size).asymptotic_efficiency
    assert round(found.midpoint, 4) == efficiency
    assert found.width < 1e-12


def test_overlapping_windows_are_refused_with_what_they_leak():
    mapping = best_mapping(Q, 3)
    leaks = overlap_leaks(Q, mapping, size=3, stride=1, n=4)
    assert [round(leak.midpoint, 4) for leak in leaks] == [0.1119, 0.1535, 0.1535, 0.1119]
    with pytest.raises(Refused, match=r"leak 0\.1119, 0\.1535, 0\.1535, 0\.1119 bits .* Use `stride`=2"):
        WindowScheme(law=Q, mapping=mapping, size=3, stride=1)


def test_an_overlap_is_refused_also_when_its_leak_is_too_long_to_list():
    constant = Channel([[Fraction(1)]] * 8)
    with pytest.raises(Refused, match="leak nothing, and nothing proves it"):
        WindowScheme(law=Distribution.uniform(2), mapping=constant, size=3, stride=1)
    wide = Channel([[Fraction(1)]] * 24**3)
    with pytest.raises(Refused, match="too much to list"):
        WindowScheme(law=Distribution.uniform(24), mapping=wide, size=3, stride=1)
    assert MOST_PAIRS < 24**4


def test_the_printed_case_and_disjoint_windows_are_private():
    mapping = best_mapping(Q, 2)
    assert WindowScheme(law=Q, mapping=mapping, size=2, stride=1).certify_small(5).comparisons == 5 * 2 * 16
    apart = WindowScheme(law=Q, mapping=best_mapping(Q, 3), size=3, stride=3)
    assert apart.window_count(8) == 2
    apart.certify_small(6)


@settings(max_examples=25)
@given(law=exact_laws(2, zeros=False), count=st.integers(2, 5))
def test_pairs_of_any_binary_law_are_private_and_add_up(law, count):
    scheme = WindowScheme.best(Distribution(law))
    check = scheme.certify_small(count)
    assert check.n == count
    listed = information_by_listing(scheme.law, count, scheme.output_law)
    assert listed.widened(1e-12).overlaps(scheme.information_bits(count))


@settings(max_examples=12)
@given(law=exact_laws(2, zeros=False))
def test_triples_of_any_binary_law_are_private_and_beat_pairs(law):
    triple, pair = (WindowScheme.best(Distribution(law), size) for size in (3, 2))
    triple.certify_small(5)
    assert information_by_listing(triple.law, 5, triple.output_law).widened(1e-12).overlaps(triple.information_bits(5))
    # Two windows of two that share a sample are one private mapping of three samples, so the best one tells no less.
    assert triple.window_bits.upper >= 2 * pair.window_bits.lower - 1e-9


@settings(max_examples=12)
@given(law=exact_laws(3, zeros=False))
def test_pairs_of_any_ternary_law_are_private(law):
    scheme = WindowScheme.best(Distribution(law), 2)
    scheme.certify_small(3)
    # No mapping tells more than I(X^2; X_2|X_1) [D, Lemma 6].
    assert scheme.efficiency(2).lower <= 0.5 + 1e-9


@settings(max_examples=12)
@given(law=exact_laws(2, zeros=False), data=st.data())
def test_windows_of_any_private_mapping_stay_private(law, data):
    """What is done to an output afterwards keeps it private, so this gives mappings that no program made."""
    inner = best_mapping(Distribution(law), 3)
    after = data.draw(exact_channels(min_inputs=inner.shape[1], max_inputs=inner.shape[1], max_outputs=3))
    rows = [
        [sum((Fraction(a) * after.row(y)[z] for y, a in enumerate(row)), Fraction(0)) for z in range(after.shape[1])]
        for row in inner.rows
    ]
    WindowScheme(law=Distribution(law), mapping=Channel(rows), size=3).certify_small(5)


def test_outputs_of_neighbouring_windows_are_independent_of_each_other():
    scheme = WindowScheme.best(Q, 3)
    joint = {}
    for dataset in itertools.product(range(2), repeat=5):
        weight = window_law(Q, 5).fractions[int("".join(map(str, dataset)), 2)]
        for y, chance in scheme.output_law(dataset).items():
            joint[y] = joint.get(y, 0) + weight * chance
    for (first, second), mass_of_both in joint.items():
        left = sum(mass for y, mass in joint.items() if y[0] == first)
        right = sum(mass for y, mass in joint.items() if y[1] == second)
        assert mass_of_both == left * right


def test_the_closed_form_is_the_best_mixture_of_corners():
    """Whichever value is the likelier: one output rules out the rarer value twice, the other all unequal pairs."""
    for tenths in range(1, 10):
        whole = window_law(bernoulli(tenths), 2)
        mapping = best_mapping(bernoulli(tenths), 2)
        rare = 3 if tenths <= 5 else 0
        assert sorted((mapping.array == 0).sum(axis=0).tolist()) == ([2, 2] if tenths == 5 else [1, 2])
        assert 0 in mapping.row(rare)
        assert 0 in mapping.row(1)
        assert 0 in mapping.row(2)
        data = DataLaw.independent(bernoulli(tenths), 2)
        program = mapping_of_corners(whole, _best_mixture(corners(data, data.singles()), whole.fractions))
        ours, theirs = (mutual_information_interval(channel, whole) for channel in (mapping, program))
        assert ours.overlaps(theirs)


def test_a_second_release_of_the_same_data_leaks():
    scheme = WindowScheme.best(Q, 3)

    def twice(dataset):
        once = scheme.output_law(dataset)
        return {(*a, *b): p * r for (a, p), (b, r) in itertools.product(once.items(), repeat=2)}

    with pytest.raises(ClaimRefused, match="leak"):
        certify_independence(Q, 3, twice)
    assert min(leak.lower for leak in leaks_interval(Q, 3, twice)) > 0.01


def test_mappings_that_are_not_private_are_refused():
    with pytest.raises(ClaimRefused, match=r"sample 1 of its window: it leaks 0\.\d{4} bits"):
        WindowScheme(law=bernoulli(4), mapping=best_mapping(Q, 2))
    last = Channel([[1, 0], [0, 1], [1, 0], [0, 1]])
    with pytest.raises(ClaimRefused, match=r"sample 2 of its window: it leaks 0\.8813 bits"):
        WindowScheme(law=Q, mapping=last)
    with pytest.raises(InvalidParameter, match="must be exact"):
        WindowScheme(law=Q, mapping=Channel(best_mapping(Q, 2).array))
    with pytest.raises(InvalidLaw, match="4 inputs, and 3 samples of 2 values make 8"):
        WindowScheme(law=Q, mapping=best_mapping(Q, 2), size=3)
    with pytest.raises(InvalidParameter, match="stride=4"):
        WindowScheme(law=Q, mapping=best_mapping(Q, 3), size=3, stride=4)
    with pytest.raises(InvalidLaw, match="all of them possible"):
        WindowScheme.best(Distribution([1, 0]))
    with pytest.raises(InvalidParameter, match="too many corners"):
        WindowScheme.best(Distribution.uniform(3), 3)
    with pytest.raises(InvalidParameter, match="Check fewer samples"):
        WindowScheme.best(Q).certify_small(40)


@pytest.mark.parametrize("sample", [1, 2])
def test_a_window_that_leaks_about_some_values_only_is_refused(sample):
    """A symbol that is as probable given the first value as it is altogether tells the other two apart."""
    chances = [Fraction(1, 2), Fraction(3, 4), Fraction(1, 4)]
    rows = [
        [chances[window[sample - 1]], 1 - chances[window[sample - 1]]]
        for window in itertools.product(range(3), repeat=2)
    ]
    with pytest.raises(ClaimRefused, match=f"is not independent of sample {sample} of its window"):
        WindowScheme(law=Distribution.uniform(3), mapping=Channel(rows))


@given(channel=exact_channels(max_inputs=3, max_outputs=3), width=st.integers(2, 3))
def test_rows_are_drawn_exactly_whatever_their_denominators(channel, width):
    draws = RowDraws(channel, width)
    for x in range(channel.shape[0]):
        expected = {(y,): Fraction(p) for y, p in enumerate(channel.row(x))}
        left = assert_drawn(lambda bits, x=x: draws.draw(bits, np.array([x])), width, 3, expected)
        assert left <= Fraction(2, 2**width) ** 3


def test_a_release_draws_its_law_word_by_word():
    scheme = WindowScheme(law=Q, mapping=best_mapping(Q, 2), width=5)
    left = assert_drawn(lambda bits: scheme.release((0, 1, 1), bits), 5, 3, scheme.output_law((0, 1, 1)))
    assert left < Fraction(1, 100)
    law, left = drawn_outputs(lambda bits: scheme.release((0, 0, 0), bits), 5, 3)
    other = scheme.output_law((0, 0, 1))
    for y, chance in scheme.output_law((0, 0, 0)).items():
        assert law[y] <= chance <= law[y] + left
    assert any(not law.get(y, 0) <= p <= law.get(y, 0) + left for y, p in other.items())


def test_a_column_in_pieces_gives_the_same_release():
    samples = np.random.default_rng(5).integers(2, size=1001)
    for size in (2, 3):
        scheme = WindowScheme.best(Q, size)
        whole = scheme.release(samples, InsecureSeeded(3))
        pieces = scheme.stream(np.array_split(samples, 7), InsecureSeeded(3))
        assert (np.concatenate(list(pieces)) == whole).all()
        assert whole.size == scheme.window_count(1001)


def test_released_outputs_are_independent_of_each_sample_and_overlapping_ones_are_not():
    """Both neighbours' outputs against the sample that they share; 5 standard deviations over 2·25 cells."""
    samples = (np.random.default_rng(11).random(600_001) < 0.3).astype(np.int64)
    scheme = WindowScheme.best(Q, 3)
    outputs = scheme.release(samples, InsecureSeeded(12)).astype(np.int64)
    letters = scheme.mapping.shape[1]
    pairs = outputs[:-1] * letters + outputs[1:]
    for place in range(5):
        around = samples[place::2][: pairs.size]
        # Neighbouring rows of the table share a window: take every other one.
        assert largest_deviation(around[::2], pairs[::2], 2, letters**2) < 5
    starts = np.arange(0, samples.size - 4, 4)
    codes = [4 * samples[starts + j] + 2 * samples[starts + j + 1] + samples[starts + j + 2] for j in (0, 1)]
    rows = RowDraws(scheme.mapping)
    first, second = (rows.draw(InsecureSeeded(13 + j), code) for j, code in enumerate(codes))
    assert largest_deviation(samples[starts + 1], first * letters + second, 2, letters**2) > 30


def test_errors_never_show_a_sample():
    with pytest.raises(InvalidParameter, match="the first at position 1") as refused:
        WindowScheme.best(Q).release([0, 987, 1], BulkBits())
    assert "987" not in str(refused.value)
    with pytest.raises(InvalidParameter, match="n=1 must be at least 2"):
        WindowScheme.best(Q).release([0])


@given(data=st.data(), size=st.integers(2, 4))
def test_no_law_within_the_radius_is_further_than_the_bound_says(data, size):
    p, other = (data.draw(exact_laws(size, zeros=zeros)) for zeros in (False, True))
    radius = sum(abs(a - b) for a, b in zip(p, other, strict=True)) / 2
    divergence = math.fsum(float(b) * math.log2(b / a) for a, b in zip(p, other, strict=True) if b)
    spread = sum((a - b) ** 2 / a for a, b in zip(p, other, strict=True))
    bound = leak_within_bits(Distribution(p), 2, radius)
    assert bound >= min(divergence, math.log2(size)) - 1e-12
    assert bound >= min(math.log2(1 + spread), math.log2(size)) - 1e-12


def test_the_leak_under_another_law_keeps_its_bound():
    scheme = WindowScheme.best(Q, 3)
    for tenths in (2, 4, 6):
        truth = bernoulli(tenths)
        worst = max(leak.upper for leak in leaks_interval(truth, 5, scheme.output_law))
        bound = scheme.leak_within(5, Fraction(abs(tenths - 3), 10))
        assert 0 < worst <= bound
    assert scheme.leak_within(5, 0) == 0
    assert math.isclose(scheme.leak_within(3, 0.1), 2 * math.log2(1 + 0.01 * (1 / 0.3 + 1 / 0.7)))
    assert scheme.leak_within(10**6, Fraction(1, 100)) == 1
