"""A structured channel answers every question as its written-out self does, exactly."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidParameter
from sfumato.prob import Channel, Circulant, Distribution
from strategies import circulants, priors_for, two_levels


def expand(items):
    """Pairs (…, count) as a multiset."""
    counts = Counter()
    for *value, count in items:
        counts[tuple(value)] += count
    return counts


@given(circulants())
def test_to_dense_is_the_definition(ring):
    inputs, outputs = ring.shape
    rows = [[ring.law[(y - x) % outputs] for y in range(outputs)] for x in range(inputs)]
    assert ring.to_dense() == Channel(rows)
    assert [ring.row(x) for x in range(inputs)] == [tuple(row) for row in rows]


@given(circulants())
def test_column_extremes_agree_with_dense(ring):
    assert expand(ring.column_extremes()) == expand(ring.to_dense().column_extremes())


@given(circulants())
def test_column_sums_agree_with_dense(ring):
    assert expand(ring.column_sums()) == expand(ring.to_dense().column_sums())


@given(circulants())
def test_row_profiles_agree_with_dense(ring):
    def by_input(channel):
        return {x: expand(profile) for profile, inputs in channel.row_profiles() for x in inputs}

    assert by_input(ring) == by_input(ring.to_dense())


@given(circulants(), st.data())
def test_output_law_and_weighted_maxima_agree_with_dense_for_any_prior(ring, data):
    prior = data.draw(priors_for(ring))
    assert ring.output_law(prior) == ring.to_dense().output_law(prior)
    assert ring.weighted_maxima(prior) == ring.to_dense().weighted_maxima(prior)


@given(circulants())
def test_output_law_and_weighted_maxima_agree_with_dense_for_the_uniform_prior(ring):
    prior = Distribution.uniform(ring.shape[0])
    assert ring.output_law(prior) == ring.to_dense().output_law(prior)
    assert ring.weighted_maxima(prior) == ring.to_dense().weighted_maxima(prior)


@given(circulants(exact=False), st.data())
def test_float_answers_agree_with_dense_to_rounding(ring, data):
    """Nine terms, each rounded at most three times: 1e-14, relative, is several times what that adds up to."""
    dense = ring.to_dense()
    for prior in (Distribution.uniform(ring.shape[0]), data.draw(priors_for(ring, exact=False))):
        assert ring.output_law(prior) == pytest.approx(dense.output_law(prior), rel=1e-14, abs=0)
        assert ring.weighted_maxima(prior) == pytest.approx(dense.weighted_maxima(prior), rel=1e-14, abs=0)
    sums = sorted(total for total, count in ring.column_sums() for _ in range(count))
    assert sums == pytest.approx(sorted(total for total, _ in dense.column_sums()), rel=1e-14, abs=0)
    assert expand(ring.column_extremes()) == expand(dense.column_extremes())


@given(two_levels())
def test_two_level_favours_its_support_by_exactly_the_odds(arguments):
    ring = Circulant.two_level(**arguments)
    size, support, odds = arguments["size"], arguments["support"], arguments["odds"]
    total = len(support) * odds + size - len(support)
    assert ring.law == tuple((odds if u in support else 1) / total for u in range(size))
    assert ring == Circulant(ring.law, arguments["input_count"])


def test_two_level_with_even_odds_has_one_level():
    assert Circulant.two_level(size=4, support=(1,), odds=Fraction(1)).levels == (Fraction(1, 4),)


def test_a_report_with_87381_values_is_answered_without_its_entries():
    """The window of output y is {y, y-1, …}; with a support of one shift the extremes can be counted by hand."""
    size, used = 87_381, 50_000
    ring = Circulant.two_level(size=size, support=(0,), odds=Fraction(3), input_count=used)
    low = Fraction(1, size + 2)
    assert expand(ring.column_extremes()) == {(3 * low, low): used, (low, low): size - used}
    assert dict(ring.column_sums()) == {(used + 2) * low: used, used * low: size - used}
    with pytest.raises(InvalidParameter, match=r"would take 50000×87381 entries, more than 50000000. Use a uniform"):
        ring.to_dense()
    uneven = Distribution([Fraction(2, used + 1)] + [Fraction(1, used + 1)] * (used - 1))
    with pytest.raises(InvalidParameter, match=r"a prior that is not uniform would take"):
        ring.output_law(uneven)


@given(circulants(), st.data())
def test_entries_are_read_as_those_of_a_dense_channel(ring, data):
    dense = ring.to_dense()
    assert ring.rows == dense.rows
    assert (ring.array == dense.array).all()
    assert (ring.shape, ring.inputs, ring.outputs, ring.exact) == (
        dense.shape,
        dense.inputs,
        dense.outputs,
        dense.exact,
    )
    x, y = (data.draw(st.integers(-length, length - 1)) for length in ring.shape)
    assert ring.row(x) == dense.row(x)
    assert ring[x, y] == dense[x, y] == dense.rows[x][y]
    for channel in (ring, dense):
        with pytest.raises(InvalidParameter, match="is no place"):
            channel[ring.shape[0], 0]
        with pytest.raises(InvalidParameter, match="is no place"):
            channel.row(ring.shape[0])


def test_rows_of_a_large_ring_are_refused_and_one_entry_is_not():
    ring = Circulant.two_level(size=87_381, support=(0,), odds=Fraction(3), input_count=50_000)
    for question in (lambda: ring.rows, lambda: ring.array):
        with pytest.raises(InvalidParameter, match=r"would take 50000×87381 entries.*channel\[x, y\]"):
            question()
    assert ring[49_999, 49_999] == Fraction(3, 87_383)
