"""Hypothesis strategies for laws and channels. Exact ones are small integers over their sum, to shrink legibly."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from sfumato.prob import Channel, Circulant, Distribution

MOST_WEIGHT = 12


@st.composite
def weight_lists(draw, size, *, zeros=True, most=MOST_WEIGHT):
    """`size` whole numbers, not all zero."""
    counts = draw(st.lists(st.integers(0 if zeros else 1, most), min_size=size, max_size=size))
    if not any(counts):
        counts[draw(st.integers(0, size - 1))] = 1
    return counts


@st.composite
def exact_laws(draw, size, *, zeros=True):
    """A law on `size` outcomes as a list of Fractions."""
    counts = draw(weight_lists(size, zeros=zeros))
    return [Fraction(count, sum(counts)) for count in counts]


@st.composite
def float_laws(draw, size, *, zeros=True):
    """A law on `size` outcomes as a float64 array; positive entries span twelve decades."""
    positive = st.builds(lambda mantissa, power: mantissa * 10.0**power, st.floats(1, 10), st.integers(-12, 0))
    entries = draw(st.lists(st.one_of(positive, st.just(0.0)) if zeros else positive, min_size=size, max_size=size))
    if not any(entries):
        entries[draw(st.integers(0, size - 1))] = 1.0
    array = np.array(entries)
    return array / array.sum()


@st.composite
def distributions(draw, *, min_size=1, max_size=5, zeros=True, exact=True):
    """A labelled law."""
    size = draw(st.integers(min_size, max_size))
    law = draw(exact_laws(size, zeros=zeros) if exact else float_laws(size, zeros=zeros))
    return Distribution(list(law))


@st.composite
def exact_channels(draw, max_inputs=4, max_outputs=4, *, min_inputs=1, min_outputs=1, zeros=True):
    """A channel of Fractions; zeros, equal rows and empty columns all occur."""
    inputs = draw(st.integers(min_inputs, max_inputs))
    outputs = draw(st.integers(min_outputs, max_outputs))
    return Channel([draw(exact_laws(outputs, zeros=zeros)) for _ in range(inputs)])


def positive_exact_channels(max_inputs=4, max_outputs=4, *, min_inputs=1, min_outputs=1):
    """A channel of positive Fractions: its epsilon is finite."""
    return exact_channels(max_inputs, max_outputs, min_inputs=min_inputs, min_outputs=min_outputs, zeros=False)


@st.composite
def constant_channels(draw, max_inputs=4, max_outputs=4, *, min_inputs=2):
    """A channel whose rows are all the same: its report says nothing."""
    law = draw(exact_laws(draw(st.integers(1, max_outputs))))
    return Channel([law] * draw(st.integers(min_inputs, max_inputs)))


@st.composite
def float_channels(draw, max_inputs=4, max_outputs=4, *, min_inputs=1, min_outputs=1, zeros=True):
    """A float64 channel."""
    inputs = draw(st.integers(min_inputs, max_inputs))
    outputs = draw(st.integers(min_outputs, max_outputs))
    return Channel(np.stack([draw(float_laws(outputs, zeros=zeros)) for _ in range(inputs)]))


@st.composite
def circulants(draw, max_size=9, *, min_size=1, zeros=True, full=None, exact=True):
    """Y = X + U mod K, with all K symbols as inputs or only the first few (`full` decides; None draws it)."""
    size = draw(st.integers(min_size, max_size))
    law = draw(exact_laws(size, zeros=zeros) if exact else float_laws(size, zeros=zeros))
    everything = draw(st.booleans()) if full is None else full
    return Circulant(list(law), size if everything else draw(st.integers(1, size)))


@st.composite
def two_levels(draw, max_size=9):
    """The arguments of Circulant.two_level."""
    size = draw(st.integers(2, max_size))
    support = draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=size - 1))
    odds = draw(st.fractions(1, 20, max_denominator=10))
    return {"size": size, "support": support, "odds": odds, "input_count": draw(st.integers(1, size))}


@st.composite
def priors_for(draw, channel, *, zeros=True, exact=True):
    """A prior on the inputs of a channel."""
    size = channel.shape[0]
    law = draw(exact_laws(size, zeros=zeros) if exact else float_laws(size, zeros=zeros))
    return Distribution(list(law), channel.inputs)


@st.composite
def stochastic_maps(draw, labels, max_outputs=4, *, zeros=True):
    """A random exact map that takes `labels` as its inputs: what is done to a report after it was made."""
    outputs = draw(st.integers(1, max_outputs))
    return Channel([draw(exact_laws(outputs, zeros=zeros)) for _ in labels], labels)


@st.composite
def maps_into(draw, labels, max_inputs=4):
    """A random exact map whose outputs are `labels`: what is done to the data before a report is made."""
    inputs = draw(st.integers(1, max_inputs))
    return Channel([draw(exact_laws(len(labels))) for _ in range(inputs)], outputs=labels)
