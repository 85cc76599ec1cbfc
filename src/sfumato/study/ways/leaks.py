"""Bits that answers and reports can tell, rounded up."""

from __future__ import annotations

from fractions import Fraction

from sfumato import measures
from sfumato.prob import AnyChannel
from sfumato.values.rounding import log2_bounds


def label_bits(count: int) -> Fraction:
    """log2 of a number of labels, rounded up."""
    return Fraction(log2_bounds(Fraction(count))[1])


def channel_leakage_bits(channel: AnyChannel) -> Fraction:
    """Maximal leakage of a channel, rounded up."""
    return Fraction(measures.maximal_leakage_interval(channel).upper)
