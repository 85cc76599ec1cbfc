"""Channels whose rows are permutations of one another: their leak has a closed form, or a bound that needs no search.

Every channel that an adversary can make of such a channel has the same noise in every row, so C_1 ≤ log2|Y| - H(Z) with
Z the noise; it is reached where some record can choose rows that add up to the same for every output, by a uniform law
on that record.   Ref: [E, Def. 12 and 13, Cor. 4]; theory: docs/theory/calibrated_noise.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval, log2_interval
from sfumato.measures.individual.records import check_shape, datasets_by_value
from sfumato.prob import ChannelLike, as_channel
from sfumato.prob.exact import IntegerArray
from sfumato.values.interval import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancedChoice:
    """A record whose values can meet rows that add up to the same for every output: one data set for each value.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> parity = sf.Channel([says[a ^ b] for a in (0, 1) for b in (0, 1)])
    >>> choice = sf.measures.balanced_choice(parity, (2, 2))
    >>> choice.record, choice.datasets  # the other record stays 0 while this one is 0 or 1
    (0, (0, 2))
    """

    record: int
    datasets: tuple[int, ...]


def is_data_independent(channel: ChannelLike) -> bool:
    """Whether every row is a permutation of every other [E, Def. 12]; exactly, for float64 after rounding to a grid.

    >>> import sfumato as sf
    >>> sf.measures.is_data_independent(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    True
    >>> sf.measures.is_data_independent(sf.Channel([[0.75, 0.25], [0.5, 0.5]]))
    False
    """
    numerators = as_channel(channel).to_dense().integers()[0]
    return all(sorted(row) == sorted(numerators[0]) for row in numerators)


def data_independent_bits(channel: ChannelLike) -> Interval:
    """Enclose log2|Y| - H(Z) in bits, Z being the noise of any row, which C_1 does not exceed [E, Cor. 4].

    Raises:
        InvalidParameter: the rows are not permutations of one another.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> parity = sf.Channel([says[a ^ b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.data_independent_bits(parity).upper, 4)
    0.531
    >>> round(sf.measures.individual_capacity_bits(parity, (2, 2)).upper, 4)  # here the bound is reached
    0.531
    """
    channel = as_channel(channel)
    if not is_data_independent(channel):
        raise InvalidParameter(
            "is not data-independent: its rows are not permutations of one another",
            parameter="channel",
            way_out="Use individual_capacity_bits, which needs no such structure.",
        )
    noise = entropy_interval([(value, 1) for value in channel.to_dense().row(0)])
    alphabet = log2_interval(float(channel.shape[1]))
    return Interval(alphabet.lower - noise.upper, alphabet.upper - noise.lower).widened(0.0).at_least(0.0)


def balanced_choice(channel: ChannelLike, shape: Sequence[int]) -> BalancedChoice | None:
    """Return a choice that makes the channel weakly symmetric, so that the bound is reached [E, Def. 13]; None if none.

    Looks at all choices, cutting off those that exceed the common sum: for small data.

    >>> import sfumato as sf
    >>> three = sf.mechanisms.RandomizedResponse(size=3, odds=3).channel().rows
    >>> first_or_last = sf.Channel([three[0], three[2]])  # one record of two values, three reports
    >>> print(sf.measures.balanced_choice(first_or_last, (2,)))
    None
    >>> sf.measures.balanced_choice(sf.Channel(three), (3,)).datasets
    (0, 1, 2)
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    if not is_data_independent(channel):
        return None
    numerators, denominator = channel.to_dense().integers()
    outputs = channel.shape[1]
    for record, size in enumerate(sizes):
        if size * denominator % outputs:
            continue
        common = size * denominator // outputs
        by_value = datasets_by_value(sizes, (record,)).tolist()
        found = _complete(numerators, by_value, np.full(outputs, common, dtype=object), ())
        if found is not None:
            return BalancedChoice(record=record, datasets=found)
    return None


def _complete(
    numerators: IntegerArray, by_value: list[list[int]], left: IntegerArray, chosen: tuple[int, ...]
) -> tuple[int, ...] | None:
    if len(chosen) == len(by_value):
        return chosen  # the rows sum to the same in all, so nothing is left over
    seen = set()
    for dataset in by_value[len(chosen)]:
        row = numerators[dataset]
        if tuple(row) in seen or (row > left).any():
            continue
        seen.add(tuple(row))
        found = _complete(numerators, by_value, left - row, (*chosen, dataset))
        if found is not None:
            return found
    return None
