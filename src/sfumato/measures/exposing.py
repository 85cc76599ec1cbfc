"""Exposure: how often a report proves the answer behind it. Positive exposure means epsilon = ∞ with consequences."""

from __future__ import annotations

from fractions import Fraction

from sfumato.prob import ChannelLike, as_channel
from sfumato.values.checks import Number


def exposure(channel: ChannelLike) -> Number:
    """Return the largest probability over the inputs that a report is possible under that input alone.

    >>> import sfumato as sf
    >>> sf.measures.exposure(sf.Channel([[0.9, 0.1, 0], [0, 0.6, 0.4]]))
    0.9
    """
    return max(exposures(channel))


def exposures(channel: ChannelLike) -> tuple[Number, ...]:
    """For each input, the probability that its report rules out every other input.

    >>> import sfumato as sf
    >>> sf.measures.exposures(sf.Channel([[0.9, 0.1, 0], [0, 0.6, 0.4]]))  # reports 0 and 2 prove the answer
    (0.9, 0.4)
    """
    dense = as_channel(channel).to_dense()
    possible = dense.array > 0 if not dense.exact else dense.integers()[0] > 0
    revealing = possible.sum(axis=0) == 1
    return tuple(
        sum((value for value, alone in zip(row, revealing, strict=True) if alone), Fraction(0)) for row in dense.rows
    )
