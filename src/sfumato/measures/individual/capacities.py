"""Individual capacity: the most that a report says about one person, whatever an adversary knows or believes.

An adversary may hold any joint law of all records. What Y tells about record i is largest when the other records follow
it by a rule, so that each value of the record meets one row of the channel: C_1 is the largest capacity over all
records and such selections of rows, |X_(i)|^|X_i| of them for record i, and the winner is the worst adversary written
out.   Ref: [E, Def. 5, Thm 2]; theory: docs/theory/individual_capacity.md
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sfumato.measures.capacity import DEFAULT_GAP_BITS, capacity_with_witness
from sfumato.measures.individual.records import Choices, check_members, check_shape, groups, normalised_rows
from sfumato.measures.individual.selections import best_selection
from sfumato.prob import AnyChannel, ChannelLike, Distribution, as_channel
from sfumato.prob.alphabet import Alphabet
from sfumato.values.checks import check_between, check_integer, check_positive
from sfumato.values.interval import Interval

INDIVIDUAL_GAP_BITS = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """The adversary who learns most about `members`, and how much that is.

    Seeing the a-th value of the members (in the order of their product), this adversary is sure that the data set is
    `datasets[a]`; before the report, the values have the probabilities `law`.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> worst = sf.measures.individual_capacity(two_people, (2, 2))
    >>> worst.members, worst.datasets  # sure that both say the same: data sets (0, 0) and (1, 1)
    ((0,), (0, 3))
    >>> round(worst.bits.upper, 4), [round(share, 3) for share in worst.prior.array.tolist()]
    (0.3925, [0.5, 0.0, 0.0, 0.5])
    """

    bits: Interval
    members: tuple[int, ...]
    datasets: tuple[int, ...]
    law: tuple[float, ...]
    inputs: Alphabet = field(repr=False)

    @property
    def prior(self) -> Distribution:
        """The joint law of all records that this adversary believes in."""
        masses = np.zeros(len(self.inputs))
        masses[list(self.datasets)] = self.law  # different values are different data sets
        return Distribution(masses / masses.sum(), self.inputs)


def individual_capacity_bits(
    channel: ChannelLike, shape: Sequence[int], *, gap_bits: float = INDIVIDUAL_GAP_BITS
) -> Interval:
    """Enclose C_1 = max over records and joint laws of I(X_i;Y), in bits; rows ordered as the records' product.

    Raises:
        InvalidParameter: the shape means another number of data sets than the channel has rows.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.individual_capacity_bits(two_people, (2, 2)).upper, 4)
    0.3925
    """
    return individual_capacity(channel, shape, gap_bits=gap_bits).bits


def individual_capacity(
    channel: ChannelLike, shape: Sequence[int], *, gap_bits: float = INDIVIDUAL_GAP_BITS
) -> WorstCase:
    """Return C_1 with the record, the data sets and the law that reach it [E, Thm 2].

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> both = sf.Channel([says[a and b] for a in (0, 1) for b in (0, 1)])
    >>> worst = sf.measures.individual_capacity(both, (2, 2))
    >>> round(worst.bits.upper, 4), worst.members, worst.datasets
    (0.531, (0,), (0, 3))
    """
    return group_capacity(channel, shape, 1, gap_bits=gap_bits)


def group_capacity_bits(
    channel: ChannelLike, shape: Sequence[int], size: int, *, gap_bits: float = INDIVIDUAL_GAP_BITS
) -> Interval:
    """Enclose C_k: what a report says at most about k records together; at most k·C_1 [E, Def. 17, Thm 4].

    >>> import sfumato as sf
    >>> coin = ([0.75, 0.25], [0.25, 0.75])
    >>> pair = sf.Channel([[p * q for p in coin[a] for q in coin[b]] for a in (0, 1) for b in (0, 1)])
    >>> [round(sf.measures.group_capacity_bits(pair, (2, 2), size).upper, 4) for size in (1, 2)]  # each reports
    [0.3319, 0.3774]
    """
    return group_capacity(channel, shape, size, gap_bits=gap_bits).bits


def group_capacity(
    channel: ChannelLike, shape: Sequence[int], size: int, *, gap_bits: float = INDIVIDUAL_GAP_BITS
) -> WorstCase:
    """Return C_k with the group of `size` records, the data sets and the law that reach it.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=3, epsilon=1).channel().rows
    >>> three = sf.Channel([counts[a + b + c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    >>> worst = sf.measures.group_capacity(three, (2, 2, 2), 2)
    >>> worst.members, round(worst.bits.upper, 4)
    ((0, 1), 0.5965)
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    check_between("size", check_integer("size", size), 1, len(sizes), way_out="A group has at most all records.")
    return _worst(channel, sizes, tuple(itertools.combinations(range(len(sizes)), size)), gap_bits)


def capacity_about(
    channel: ChannelLike, shape: Sequence[int], members: Sequence[int], *, gap_bits: float = INDIVIDUAL_GAP_BITS
) -> WorstCase:
    """Return what the report says at most about these records together, counted from 0.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> first_only = sf.Channel([says[a] for a in (0, 1) for b in (0, 1)])  # the report is about record 0
    >>> worst = sf.measures.capacity_about(first_only, (2, 2), [1])
    >>> round(worst.bits.upper, 4), worst.datasets  # for who believes that record 1 goes with record 0
    (0.531, (0, 3))
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    return _worst(channel, sizes, (check_members(members, len(sizes)),), gap_bits)


def _worst(
    channel: AnyChannel, shape: tuple[int, ...], candidates: tuple[tuple[int, ...], ...], gap_bits: float
) -> WorstCase:
    check_positive("gap_bits", gap_bits)
    if candidates == (tuple(range(len(shape))),):  # all records: nothing is left to choose
        bits, law = capacity_with_witness(channel, gap_bits=max(DEFAULT_GAP_BITS, gap_bits))
        members, datasets = candidates[0], tuple(range(channel.shape[0]))
        return WorstCase(bits=bits, members=members, datasets=datasets, law=law, inputs=channel.inputs)
    contests = contests_of(channel, shape, candidates)
    found = best_selection([tuple(choice.rows for choice in contest) for _, contest in contests], gap_bits=gap_bits)
    members, contest = contests[found.contest]
    return WorstCase(
        bits=found.bits,
        members=members,
        datasets=tuple(int(choice.datasets[place]) for choice, place in zip(contest, found.places, strict=True)),
        law=found.law,
        inputs=channel.inputs,
    )


def contests_of(
    channel: AnyChannel, shape: tuple[int, ...], candidates: tuple[tuple[int, ...], ...]
) -> tuple[tuple[tuple[int, ...], tuple[Choices, ...]], ...]:
    """For every group of records, the rows that each of its values can meet.

    Records that meet the same rows, as those of a symmetric function do, are one record as far as C_1 goes.
    """
    rows = normalised_rows(channel)
    different: dict[tuple[bytes, ...], tuple[tuple[int, ...], tuple[Choices, ...]]] = {}
    for members in candidates:
        contest = groups(rows, shape, members)
        different.setdefault(_met(contest), (members, contest))
    return tuple(different.values())


def _met(contest: tuple[Choices, ...]) -> tuple[bytes, ...]:
    """What tells two records apart: the sets of rows that their values meet, in any order."""
    return tuple(sorted(np.unique(choice.rows, axis=0).tobytes() for choice in contest))
