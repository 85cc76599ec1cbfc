"""Composition of several releases [E, Thm 4-6].

About one data set, the bits add: C_1 of all releases together is at most the sum of theirs [E, Thm 5], and what is
computed from a release costs nothing [E, Prop. 1]. About two data sets of the same people, each release also reveals
something about the other data set [E, Thm 6]. Releases about different people add too: there is no discount for
disjoint parts, since people may be alike [E, Prop. 7].
Theory: docs/theory/composition.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.measures.capacity import capacity_bits
from sfumato.measures.individual import (
    INDIVIDUAL_GAP_BITS,
    best_subset,
    capacity_about,
    check_shape,
    individual_capacity_bits,
    normalised_rows,
)
from sfumato.numbers.checks import check_at_least, check_integer
from sfumato.numbers.intervals import Interval, float_above
from sfumato.prob.channel import Channel
from sfumato.prob.operations import product, together


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """What releases leak together: each on its own, what that adds up to, and the truth in `joint`.

    >>> import sfumato as sf
    >>> told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    >>> found = sf.ledger.compose([told, told], [2])
    >>> [round(part.upper, 3) for part in found.parts], round(found.bound, 3), round(found.joint.upper, 3)
    ([0.278, 0.278], 0.556, 0.461)
    """

    parts: tuple[Interval, ...]
    bound: float
    joint: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Parallel:
    """Releases about different people: the largest part, the truth, and what it exceeds the largest part by.

    >>> import sfumato as sf
    >>> told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    >>> found = sf.ledger.compose_parallel([told, told], [[2], [2]])
    >>> round(found.joint.upper, 3), round(found.excess.lower, 3)
    (0.461, 0.182)
    """

    parts: tuple[Interval, ...]
    joint: Interval

    @property
    def excess(self) -> Interval:
        """τ of [E, Prop. 7]: by how much a discount for disjoint parts would understate the leak."""
        largest = max(self.parts, key=lambda part: part.upper)
        return Interval(self.joint.lower - largest.upper, self.joint.upper - largest.lower).widened(0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoDataSets:
    """Two releases about two data sets of the same people.

    `own[j]` is what release j tells about its own data set's record, `other[j]` what it tells about the record in the
    other data set, `whole[j]` the plain capacity of its channel. `bound` is the tightened sum, `printed_bound` the
    four terms of [E, (162)].

    >>> import sfumato as sf
    >>> told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    >>> found = sf.ledger.compose_two_data_sets(told, [2], told, [2])
    >>> [round(bits.upper, 3) for bits in (*found.own, *found.other, *found.whole)]
    [0.278, 0.278, 0.278, 0.278, 0.278, 0.278]
    >>> round(found.bound, 3), round(found.printed_bound, 3)
    (0.556, 1.112)
    """

    own: tuple[Interval, Interval]
    other: tuple[Interval, Interval]
    whole: tuple[Interval, Interval]

    @property
    def bound(self) -> float:
        """Σ_j min(own + other, whole): a release reveals no more about a person than in total."""
        terms = (min(_add(own.upper, other.upper), whole.upper) for own, other, whole in self._releases())
        return reduce(_add, terms)

    @property
    def printed_bound(self) -> float:
        """The sum of all four terms."""
        return reduce(_add, (bits.upper for bits in (*self.own, *self.other)))

    def _releases(self) -> Sequence[tuple[Interval, Interval, Interval]]:
        return tuple(zip(self.own, self.other, self.whole, strict=True))


def compose(channels: Sequence[Channel], shape: Sequence[int], *, gap_bits: float = INDIVIDUAL_GAP_BITS) -> Composed:
    """Releases about one data set, drawn independently: their sum, and C_1 of all together.

    Returns:
        What each tells, what that adds up to, and the truth.

    Raises:
        InvalidParameter: there is no release, or the shape does not fit.

    >>> import sfumato as sf
    >>> told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    >>> for times in (1, 2, 3):
    ...     found = sf.ledger.compose([told] * times, [2])
    ...     print(times, round(found.bound, 3), round(found.joint.upper, 3))
    1 0.278 0.278
    2 0.556 0.461
    3 0.834 0.594
    """
    _check_some("channels", channels)
    sizes = check_shape(channels[0], shape)
    joint = reduce(together, channels)
    parts = tuple(individual_capacity_bits(channel, sizes, gap_bits=gap_bits) for channel in channels)
    return Composed(
        parts=parts,
        bound=reduce(_add, (part.upper for part in parts)),
        joint=individual_capacity_bits(joint, sizes, gap_bits=gap_bits),
    )


def compose_parallel(
    channels: Sequence[Channel], shapes: Sequence[Sequence[int]], *, gap_bits: float = INDIVIDUAL_GAP_BITS
) -> Parallel:
    """Releases about different people, who may be alike in any respect: the largest, and the true sum [E, Def. 21].

    Returns:
        What each tells and the truth, which may exceed the largest: disjoint parts get no discount.

    Raises:
        InvalidParameter: there is no release, or a shape does not fit.

    >>> import sfumato as sf
    >>> told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    >>> found = sf.ledger.compose_parallel([told, told], [[2], [2]])
    >>> [round(part.upper, 3) for part in found.parts], round(found.joint.upper, 3)
    ([0.278, 0.278], 0.461)
    """
    _check_some("channels", channels)
    if len(channels) != len(shapes):
        raise InvalidParameter(
            f"has {len(shapes)} entries for {len(channels)} channels",
            parameter="shapes",
            way_out="Give the shape of each channel's data.",
        )
    sizes = tuple(check_shape(channel, shape) for channel, shape in zip(channels, shapes, strict=True))
    joint = reduce(product, channels)
    return Parallel(
        parts=tuple(
            individual_capacity_bits(channel, shape, gap_bits=gap_bits)
            for channel, shape in zip(channels, sizes, strict=True)
        ),
        joint=individual_capacity_bits(joint, sum(sizes, ()), gap_bits=gap_bits),
    )


def cross_capacity_bits(channel: Channel, values: int, *, gap_bits: float = INDIVIDUAL_GAP_BITS) -> Interval:
    """Enclose what a release reveals about a record with so many values in *another* data set of the same people.

    The two data sets may be related in any way, so each value of that record can meet any row [E, Prop. 6].

    >>> import sfumato as sf
    >>> sums = sf.Channel([[0.9, 0.1, 0.0], [0.1, 0.8, 0.1], [0.1, 0.8, 0.1], [0.0, 0.1, 0.9]])
    >>> for values in (1, 2, 3):
    ...     print(values, round(sf.ledger.cross_capacity_bits(sums, values).upper, 3))
    1 0.0
    2 0.9
    3 0.995
    """
    check_at_least("values", check_integer("values", values), 1)
    rows = np.unique(normalised_rows(channel), axis=0)
    if values == 1 or len(rows) == 1:
        return Interval(0.0, 0.0)
    return best_subset(rows, values, gap_bits=gap_bits).bits


def compose_two_data_sets(
    first: Channel,
    first_shape: Sequence[int],
    second: Channel,
    second_shape: Sequence[int],
    *,
    gap_bits: float = INDIVIDUAL_GAP_BITS,
) -> TwoDataSets:
    """Two releases about two data sets of the same people, in the same order [E, Def. 20, Thm 6].

    It needs no joint channel, so it is quick; the truth is `joint_of_two_data_sets`.

    Raises:
        InvalidParameter: a shape does not fit, or the data sets have different numbers of people.

    >>> import sfumato as sf
    >>> told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    >>> found = sf.ledger.compose_two_data_sets(told, [2], told, [2])
    >>> round(found.own[0].upper, 3), round(found.other[0].upper, 3), round(found.bound, 3)
    (0.278, 0.278, 0.556)
    """
    shapes = check_shape(first, first_shape), check_shape(second, second_shape)
    _check_same_people(*shapes)
    channels = first, second
    own = [individual_capacity_bits(c, shape, gap_bits=gap_bits) for c, shape in zip(channels, shapes, strict=True)]
    other = [
        cross_capacity_bits(channel, max(shape), gap_bits=gap_bits)
        for channel, shape in zip(channels, reversed(shapes), strict=True)
    ]
    whole = [capacity_bits(channel) for channel in channels]
    return TwoDataSets(own=(own[0], own[1]), other=(other[0], other[1]), whole=(whole[0], whole[1]))


def joint_of_two_data_sets(
    first: Channel,
    first_shape: Sequence[int],
    second: Channel,
    second_shape: Sequence[int],
    *,
    gap_bits: float = INDIVIDUAL_GAP_BITS,
) -> Interval:
    """Enclose what both releases together reveal about one person, whose record is a pair of values; for small cases.

    >>> import sfumato as sf
    >>> told = sf.Channel([[0.8, 0.2], [0.2, 0.8]])
    >>> both = sf.ledger.joint_of_two_data_sets(told, [2], told, [2])
    >>> round(both.lower, 3), round(both.upper, 3)
    (0.556, 0.556)
    """
    shapes = check_shape(first, first_shape), check_shape(second, second_shape)
    _check_same_people(*shapes)
    joint, people = product(first, second), len(shapes[0])
    about = [
        capacity_about(joint, sum(shapes, ()), (person, person + people), gap_bits=gap_bits).bits
        for person in range(people)
    ]
    return Interval(max(bits.lower for bits in about), max(bits.upper for bits in about))


def group_bound_bits(individual_bits: float, size: int) -> float:
    """k·C_1, rounded up: the most that any release with this C_1 reveals about k people together [E, Thm 4].

    >>> import sfumato as sf
    >>> sf.ledger.group_bound_bits(0.25, 4)
    1.0
    """
    check_at_least("size", check_integer("size", size), 1)
    if not individual_bits >= 0:
        raise InvalidParameter(
            "must be at least 0",
            parameter="individual_bits",
            value=individual_bits,
            way_out="Give the upper end of C_1.",
        )
    return math.inf if math.isinf(individual_bits) else float_above(Fraction(individual_bits) * size)


def _check_same_people(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    if len(first) != len(second):
        raise InvalidParameter(
            f"the first data set has {len(first)} records and the second {len(second)}, and record i of both must "
            f"belong to the same person",
            way_out="Add a record with one value for who is missing in one of them.",
        )


def _check_some(name: str, items: Sequence[object]) -> None:
    if not items:
        raise InvalidParameter("is empty", parameter=name, way_out="Give at least one release.")


def _add(first: float, second: float) -> float:
    """Add two bounds and round up."""
    if math.isinf(first) or math.isinf(second):
        return math.inf
    return float_above(Fraction(first) + Fraction(second))
