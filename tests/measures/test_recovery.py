"""Recoverability against the existence of a key: is the channel a mixture of maps that lose nothing?"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from scipy.optimize import linprog

from sfumato import measures
from sfumato.numbers.intervals import fraction_below_exp
from sfumato.prob import Channel
from strategies import circulants, exact_channels

HALF = Fraction(1, 2)


def has_key(channel):
    """Whether weights on the one-to-one maps from inputs to outputs add up to the channel: the key is the map drawn."""
    inputs, outputs = channel.shape
    maps = list(itertools.permutations(range(outputs), inputs))
    if not maps:
        return False
    columns = np.zeros((inputs * outputs, len(maps)))
    for column, images in enumerate(maps):
        for x, y in enumerate(images):
            columns[x * outputs + y, column] = 1
    solved = linprog(np.zeros(len(maps)), A_eq=columns, b_eq=channel.array.ravel())
    assert solved.status in (0, 2)
    return solved.status == 0


@given(exact_channels(3, 4))
@example(Channel([[HALF, HALF, 0], [HALF, 0, HALF], [0, HALF, HALF]]))
@example(Channel([[HALF, HALF, 0], [HALF, HALF, 0]]))
@example(Channel([[HALF, HALF, 0, 0], [Fraction(1, 3), 0, Fraction(1, 3), Fraction(1, 3)]]))
@example(Channel([[Fraction(2, 3), Fraction(1, 3)], [HALF, HALF]]))
def test_no_column_above_one_is_necessary_and_sufficient(channel):
    """Erratum to [B]: the condition is not only necessary. (Columns here pass 1 by more than 1e-5 or not at all.)"""
    assert measures.is_recoverable(channel) == has_key(channel)
    assert measures.heaviest_output(channel) == max(map(sum, zip(*channel.rows, strict=True)))


@given(circulants())
def test_a_circulant_is_recoverable(ring):
    """Its key is the shift, whatever the shift's law and however few inputs are used."""
    assert measures.is_recoverable(ring)
    assert measures.is_recoverable(ring.to_dense())
    assert measures.heaviest_output(ring) == measures.heaviest_output(ring.to_dense()) <= 1


@given(circulants(exact=False))
def test_a_float_circulant_is_recoverable_in_spite_of_rounding(ring):
    assert measures.is_recoverable(ring)
    assert measures.is_recoverable(ring.to_dense())


def hadamard_response(size, epsilon):
    """Hadamard Response with one block: input x favours the half of the outputs where row x+1 of the matrix is +1."""
    width = 1 << size.bit_length()
    odds = fraction_below_exp(epsilon, denominator=1 << 40)
    rows = []
    for x in range(1, size + 1):
        weights = [odds if (x & y).bit_count() % 2 == 0 else Fraction(1) for y in range(width)]
        rows.append([weight / sum(weights) for weight in weights])
    return Channel(rows)


def test_erratum_hadamard_response_is_not_always_recoverable():
    """[B, Thm 5] says it is. With k = 7 and epsilon = .5 every input favours output 0, whose column sums to 1.0893."""
    channel = hadamard_response(7, 0.5)
    assert channel.shape == (7, 8)
    assert f"{float(measures.heaviest_output(channel)):.4f}" == "1.0893"
    assert not measures.is_recoverable(channel)
    assert measures.is_recoverable(hadamard_response(5, 0.1))


@pytest.mark.parametrize("excess", [Fraction(1, 10**30), Fraction(1, 2)])
def test_an_exact_channel_is_judged_to_the_last_digit(excess):
    over = Channel([[HALF + excess, HALF - excess], [HALF, HALF]])
    assert not measures.is_recoverable(over)
    assert measures.heaviest_output(over) == 1 + excess
