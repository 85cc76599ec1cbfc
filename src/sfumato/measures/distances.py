"""How far two laws are apart: total variation and its weighted form.

Ref: [C, Sec. II]: a guesser who weighs the two mistakes by 1-w and w errs by (1 - ‖(1-w)p_0 - w p_1‖_1)/2.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidLaw
from sfumato.prob import ChannelLike, Distribution, DistributionLike, as_channel, as_distribution
from sfumato.values.checks import Number, as_number, check_between


def total_variation(first: DistributionLike, second: DistributionLike) -> Number:
    """½ Σ |p - q|: the most by which the two laws differ on any event.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.measures.total_variation([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])
    Fraction(1, 2)
    """
    return weighted_l1(first, second, Fraction(1, 2))


def weighted_l1(first: DistributionLike, second: DistributionLike, weight: Number) -> Number:
    """‖(1-w)p - w q‖_1: how far two laws are apart for a guesser who weighs the two mistakes by 1-w and w [C, Sec. II].

    >>> import sfumato as sf
    >>> sf.measures.weighted_l1([0.75, 0.25], [0.25, 0.75], 0.5), sf.measures.weighted_l1([0.75, 0.25], [0.25, 0.75], 1)
    (0.5, 1.0)
    """
    w = as_number("weight", weight)
    check_between("weight", w, 0, 1)
    return sum((abs((1 - w) * p - w * q) for p, q in two_laws(first, second)), Fraction(0))


def two_laws(first: DistributionLike, second: DistributionLike) -> list[tuple[Number, Number]]:
    """Return the probabilities of each outcome under two laws; refuse laws of different outcomes."""
    one, other = as_distribution(first, "first"), as_distribution(second, "second")
    if len(one) != len(other):
        raise InvalidLaw(
            f"has {len(other)} outcomes and `first` has {len(one)}",
            parameter="second",
            way_out="Give both the same outcomes.",
        )
    if isinstance(first, Distribution) and isinstance(second, Distribution) and one.labels != other.labels:
        raise InvalidLaw(
            "must have the labels of `first`, in the same order",
            parameter="second",
            way_out="Give both the same outcomes.",
        )
    return list(zip(one.probabilities, other.probabilities, strict=True))


def weighted_guess_error(channel: ChannelLike, weight: Number) -> Number:
    """Return the error of the best guesser of a yes/no answer who weighs a wrong "yes" by 1-w and a wrong "no" by w.

    Raises:
        InvalidLaw: the channel has not two answers.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(Fraction(3, 4)).channel
    >>> sf.measures.weighted_guess_error(coin, Fraction(1, 2))
    Fraction(1, 4)
    >>> sf.measures.weighted_guess_error(coin, Fraction(1, 5))  # so uneven that whatever is reported the guess is "no"
    Fraction(1, 5)
    """
    channel = as_channel(channel)
    if channel.shape[0] != 2:
        raise InvalidLaw(
            f"has {channel.shape[0]} inputs, and a yes/no question has 2",
            parameter="channel",
            way_out="Pick the two rows to compare.",
        )
    first, second = channel.rows
    return (1 - weighted_l1(first, second, weight)) / 2


def largest_total_variation(channel: ChannelLike) -> Number:
    """Return the largest total variation between two rows (Dobrushin's coefficient): 0 iff Y says nothing about X.

    >>> import sfumato as sf
    >>> sf.measures.largest_total_variation(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    Fraction(1, 3)
    """
    dense = as_channel(channel).to_dense()
    if dense.exact:
        numerators, denominator = dense.integers()
        worst = max(
            (int(np.abs(numerators[x + 1 :] - numerators[x]).sum(axis=1).max()) for x in range(dense.shape[0] - 1)),
            default=0,
        )
        return Fraction(worst, 2 * denominator)
    array = dense.array
    return max(
        (float(np.abs(array[x + 1 :] - array[x]).sum(axis=1).max()) / 2 for x in range(dense.shape[0] - 1)),
        default=0.0,
    )
