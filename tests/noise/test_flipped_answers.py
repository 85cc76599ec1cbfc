"""Flipped answers: the budget and back, and the law of the flip."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record_channels import h2
from sfumato.errors import InvalidParameter
from sfumato.measures.individual import individual_capacity_bits
from sfumato.noise.channels import FlipDesign, flip
from sfumato.sampling import ScriptedBits


@given(budget=st.floats(1e-6, 0.999))
def test_the_flip_keeps_the_budget_and_a_smaller_one_would_not(budget):
    found = flip(budget_bits=budget)
    assert found.capacity_bits.upper <= budget
    less = FlipDesign(flip=found.flip - Fraction(1, 1 << 32))
    assert less.capacity_bits.upper > budget
    assert found.capacity_bits.lower <= 1 - h2(float(found.flip)) + 1e-12
    assert 1 - h2(float(found.flip)) - 1e-12 <= found.capacity_bits.upper


def test_a_whole_bit_needs_no_flip():
    assert flip(budget_bits=1).flip == 0
    assert flip(budget_bits=2.5).capacity_bits.upper >= 1


def test_it_is_the_leak_of_the_channel():
    design = flip(budget_bits=Fraction(1, 2))
    found = individual_capacity_bits(design.channel([0, 1, 1, 1, 0, 1]), (3, 2))
    assert found.lower <= design.capacity_bits.upper
    assert found.overlaps(design.capacity_bits.widened(1e-9))


def test_every_draw_of_a_quarter_flip():
    """Two bits decide: one word in four flips."""
    design = FlipDesign(flip=Fraction(1, 4))
    flips = [design.release(True, ScriptedBits([word << 62])) for word in range(4)]
    assert sorted(flips) == [False, True, True, True]
    assert [design.release(False, ScriptedBits([word << 62])) for word in range(4)] == [not f for f in flips]


@pytest.mark.parametrize("budget", [0, -1, math.nan, math.inf, "much"])
def test_bad_budgets_are_refused(budget):
    with pytest.raises(InvalidParameter, match="budget_bits"):
        flip(budget_bits=budget)


@pytest.mark.parametrize("chance", [-0.1, 0.6, math.nan])
def test_bad_flips_are_refused(chance):
    with pytest.raises(InvalidParameter, match="flip"):
        FlipDesign(flip=chance)


def test_what_is_no_answer_is_refused_without_being_named():
    with pytest.raises(InvalidParameter, match="answer must be True or False") as refused:
        flip(budget_bits=0.5).release("secret")
    assert "secret" not in str(refused.value)
    for truth in ([], [0, 2]):
        with pytest.raises(InvalidParameter, match="truth"):
            flip(budget_bits=0.5).channel(truth)
