"""New channels from old ones, each against plain enumeration."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob import (
    Channel,
    Circulant,
    Distribution,
    Joint,
    as_prior,
    cascade,
    coarsen,
    conditional,
    joint_law,
    marginal,
    post_process,
    power,
    product,
    together,
)
from strategies import distributions, exact_channels, exact_laws, float_channels, priors_for, stochastic_maps

HALF = Fraction(1, 2)


def table(channel):
    """{input label: {output label: probability}}."""
    return {
        x: dict(zip(channel.outputs, row, strict=True)) for x, row in zip(channel.inputs, channel.rows, strict=True)
    }


@given(exact_channels(3, 3), exact_channels(3, 3))
def test_product_multiplies_every_pair(first, second):
    a, b = table(first), table(second)
    made = table(product(first, second))
    assert made == {
        (x1, x2): {(y1, y2): a[x1][y1] * b[x2][y2] for y1 in first.outputs for y2 in second.outputs}
        for x1 in first.inputs
        for x2 in second.inputs
    }


@given(exact_channels(3, 3), st.data())
def test_together_multiplies_rows_of_the_same_input(first, data):
    second = Channel([data.draw(exact_laws(2)) for _ in first.inputs])
    a, b = table(first), table(second)
    made = together(first, second)
    assert made.inputs == first.inputs
    assert table(made) == {
        x: {(y1, y2): a[x][y1] * b[x][y2] for y1 in first.outputs for y2 in second.outputs} for x in first.inputs
    }


@given(exact_channels(), st.data())
def test_cascade_sums_over_the_middle(first, data):
    second = data.draw(stochastic_maps(first.outputs))
    a, b = table(first), table(second)
    assert table(cascade(first, second)) == {
        x: {z: sum(a[x][y] * b[y][z] for y in first.outputs) for z in second.outputs} for x in first.inputs
    }


@given(float_channels(3, 3), st.data())
def test_cascade_of_floats_is_float_and_near_the_exact_one(first, data):
    """Three products and sums, each rounded once: 1e-15 absolute on probabilities is ample."""
    second = data.draw(stochastic_maps(first.outputs))
    made = cascade(first, second)
    expected = [
        [
            float(sum(Fraction(p) * row[z] for p, row in zip(line, second.rows, strict=True)))
            for z in range(second.shape[1])
        ]
        for line in first.rows
    ]
    assert not made.exact
    assert np.abs(made.array - np.array(expected)).max() <= 1e-15


@given(exact_channels(4, 5), st.data())
def test_post_process_merges_outputs_with_the_same_image(channel, data):
    image = {y: data.draw(st.sampled_from("abc")) for y in channel.outputs}
    expected = {x: defaultdict(Fraction) for x in channel.inputs}
    for x, row in table(channel).items():
        for y, value in row.items():
            expected[x][image[y]] += value
    assert table(post_process(channel, image)) == expected
    assert post_process(channel, image.__getitem__) == post_process(channel, image)


@given(exact_channels(4, 3), st.data())
def test_coarsen_is_conditioning_on_the_function(channel, data):
    prior = data.draw(priors_for(channel))
    h = {x: data.draw(st.sampled_from("uv")) for x in channel.inputs}
    cells = Counter()
    for x, p in zip(channel.inputs, prior.probabilities, strict=True):
        for y, q in table(channel)[x].items():
            cells[h[x], y] += p * q
    merged, law = coarsen(channel, prior, h)
    totals = {value: sum(cells[value, y] for y in channel.outputs) for value in "uv"}
    assert dict(zip(law.labels, law.probabilities, strict=True)) == {v: t for v, t in totals.items() if t > 0}
    assert table(merged) == {v: {y: cells[v, y] / totals[v] for y in channel.outputs} for v in merged.inputs}
    assert merged.inputs == law.labels
    assert coarsen(channel, prior, h.__getitem__) == (merged, law)


def test_coarsen_reads_a_prior_by_its_labels():
    channel = Channel([[1, 0], [0, 1]], inputs=["a", "b"])
    merged, law = coarsen(channel, Distribution([Fraction(1, 4), Fraction(3, 4)], ["b", "a"]), lambda x: x)
    assert (law["a"], law["b"]) == (Fraction(3, 4), Fraction(1, 4))
    assert merged == channel


@given(exact_channels(3, 3), st.integers(1, 4))
def test_power_is_every_string_merged_by_its_type(channel, n):
    expected = {x: Counter() for x in channel.inputs}
    for x, row in zip(channel.inputs, channel.rows, strict=True):
        for string in itertools.product(range(channel.shape[1]), repeat=n):
            kind = tuple(string.count(y) for y in range(channel.shape[1]))
            expected[x][kind] += math.prod((row[y] for y in string), start=Fraction(1))
    made = power(channel, n)
    assert len(made.outputs) == math.comb(n + channel.shape[1] - 1, n)
    assert table(made) == expected


@given(float_channels(3, 3), st.integers(1, 4))
def test_power_of_floats_is_near_the_exact_power(channel, n):
    """Sums of at most 4 logarithms of size ≤ 30, each with an error near 1e-15, then exp: relative 1e-12 is ample."""
    made, exact = power(channel, n), power(channel.to_exact(), n)
    assert made.outputs == exact.outputs
    assert made.array == pytest.approx(exact.array, rel=1e-12, abs=0)


@given(exact_channels(3, 3), st.data())
def test_joint_marginal_and_conditional_take_the_channel_apart_again(channel, data):
    prior = data.draw(priors_for(channel, zeros=False))
    both = joint_law(prior, channel)
    assert dict(zip(both.law.labels, both.law.probabilities, strict=True)) == {
        (x, y): prior[x] * table(channel)[x][y] for x in channel.inputs for y in channel.outputs
    }
    assert marginal(both, 0) == prior
    assert marginal(both, 1).probabilities == channel.output_law(prior)
    assert conditional(both, given=0) == channel


@given(st.data())
def test_conditional_of_three_coordinates_is_bayes_rule(data):
    law = data.draw(exact_laws(12, zeros=False))
    both = Joint(law, [("a", "b"), (0, 1, 2), ("u", "v")])
    cells = dict(zip(both.law.labels, both.law.probabilities, strict=True))
    middle = {k: sum(v for (_, b, _), v in cells.items() if b == k) for k in (0, 1, 2)}
    assert list(marginal(both, 1).probabilities) == list(middle.values())
    assert table(conditional(both, given=1)) == {
        k: {(a, c): cells[a, k, c] / middle[k] for a in "ab" for c in "uv"} for k in (0, 1, 2)
    }


@given(exact_channels(), st.data())
def test_output_law_and_weighted_maxima_are_their_definitions(channel, data):
    prior = data.draw(priors_for(channel))
    columns = list(zip(*channel.rows, strict=True))
    weighted = [[p * v for p, v in zip(prior.probabilities, column, strict=True)] for column in columns]
    assert channel.output_law(prior) == tuple(map(sum, weighted))
    assert channel.weighted_maxima(prior) == tuple(map(max, weighted))
    extremes = list(channel.column_extremes())
    assert Counter({(high, low): count for high, low, count in extremes}) == Counter(
        (max(column), min(column)) for column in columns
    )
    assert len({pair[:2] for pair in extremes}) == len(extremes)
    assert list(channel.column_sums()) == [(sum(column), 1) for column in columns]


@given(distributions(min_size=2), st.randoms(use_true_random=False))
def test_a_prior_is_put_in_the_order_of_the_channel(law, shuffler):
    names = [f"x{i}" for i in range(len(law))]
    channel = Channel([[1]] * len(law), names)
    order = list(range(len(law)))
    shuffler.shuffle(order)
    shuffled = Distribution([law.probabilities[i] for i in order], [names[i] for i in order])
    assert as_prior(shuffled, channel) == Distribution(law.probabilities, names)
    assert as_prior(law.probabilities, channel) == Distribution(law.probabilities, names)
    assert as_prior(None, channel) == Distribution.uniform(len(law), names)


@pytest.mark.parametrize(
    ("build", "error", "sentence"),
    [
        (
            lambda: together(Channel([[1]]), Channel([[1], [1]])),
            InvalidLaw,
            "second must have the inputs of `first`. Reports about the same data share its labels.",
        ),
        (
            lambda: cascade(Channel([[1, 0]]), Channel([[1]])),
            InvalidLaw,
            "second must have the outputs of `first` as its inputs. Give both the same labels, in the same order.",
        ),
        (
            lambda: post_process(Channel([[1, 0]]), {0: "a"}),
            InvalidParameter,
            "mapping has no entry for output 1. Map every output.",
        ),
        (
            lambda: coarsen(Channel([[1], [1]]), Distribution.uniform(2), {0: "a"}),
            InvalidParameter,
            "of has no entry for input 1. Give a value to every input.",
        ),
        (
            lambda: joint_law(Distribution([1], ["a"]), Channel([[1]])),
            InvalidLaw,
            "prior has other labels than the channel's inputs. Use the same labels for both.",
        ),
        (
            lambda: conditional(Joint([1, 0], [("a", "b")]), given=0),
            InvalidLaw,
            "given=0 names a coordinate that is never 'b', so nothing can be conditioned on it. Drop that label.",
        ),
        (
            lambda: conditional(Joint([1, 0], [("a", "b")]), given=1),
            InvalidParameter,
            "given=1 must lie in [0, 0]. Move `given` into that range.",
        ),
        (
            lambda: marginal(Joint([1, 0], [("a", "b")]), 1),
            InvalidParameter,
            "coordinate=1 must lie in [0, 0]. Move `coordinate` into that range.",
        ),
        (
            lambda: as_prior([1], Channel([[1], [1]])),
            InvalidLaw,
            "prior has 1 entries and the channel 2 inputs. Give one probability for each input.",
        ),
        (
            lambda: as_prior(Distribution([1], ["a"]), Channel([[1]], ["b"])),
            InvalidLaw,
            "prior has other labels than the channel's inputs. Use the same labels for both.",
        ),
        (lambda: power(Channel([[1, 0]]), 0), InvalidParameter, "n=0 must be at least 1. Raise `n`."),
        (
            lambda: power(Channel([[HALF, HALF]]), 2_000_000),
            InvalidParameter,
            "n=2000000 reports over 2 outputs have 2000001 types, too many for a table. Lower `n` or merge outputs.",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(build, error, sentence):
    with pytest.raises(error) as caught:
        build()
    assert str(caught.value) == sentence


def test_as_prior_serves_structured_channels_too():
    ring = Circulant([HALF, HALF, 0], 2)
    assert as_prior(None, ring) == Distribution.uniform(2)
