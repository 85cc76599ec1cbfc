"""How much a report says about one record, whatever the adversary knows of the others [E].

An adversary may hold any joint law of all records. Y reveals most about record i when the other records follow it by a
rule, so that each value of the record meets one row of the channel: C_1 is the largest capacity over all records and
such selections of rows, |X_(i)|^|X_i| of them for record i. The best selection is returned as the law of the worst
adversary.   Ref: [E, Def. 5, Thm 2]; theory: docs/theory/individual_capacity.md
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.capacity import DEFAULT_GAP_BITS, capacity_with_witness
from sfumato.numbers.checks import Number, as_number, check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.exact import FloatArray, IntegerArray
from sfumato.numbers.intervals import LOG2_E, UNIT_ROUNDOFF, Interval, entropy_interval, ln_interval, log2_interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Alphabet, Distribution
from sfumato.prob.structured import AnyChannel, ChannelLike, as_channel

# --- Choices of rows: the rows of a channel on a table of records that one record can pick, if the others follow it
#
# The inputs of the channel are data sets x = (x_1, …, x_n), ordered as the product of the records' alphabets (the last
# record runs fastest). An adversary who believes that the other records follow record i by a rule sees, for each value
# a of that record, one of the rows P(·|x) with x_i = a: the rows that `groups` lists.   Ref: [E, Sec. 3]; theory:
# docs/theory/individual_capacity.md


Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The different rows that one value of a record (or of a group of records) can meet, and a data set for each."""

    rows: FloatArray
    datasets: Places


def check_shape(channel: AnyChannel, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of the records' alphabets, whose product is the number of inputs of the channel."""
    sizes = check_sizes(shape)
    if math.prod(sizes) != channel.shape[0]:
        raise InvalidParameter(
            f"means {math.prod(sizes)} data sets, but the channel has {channel.shape[0]} inputs",
            parameter="shape",
            value=sizes,
            way_out="Order its rows as the product of the records' alphabets and give their sizes.",
        )
    return sizes


def check_sizes(shape: object) -> tuple[int, ...]:
    """Return the sizes of the records' alphabets."""
    way_out = "Give the number of values of each record, such as (2, 2, 3)."
    if isinstance(shape, str) or not isinstance(shape, Sequence | np.ndarray) or getattr(shape, "shape", 1) == ():
        raise InvalidParameter(f"must be whole numbers, not {type(shape).__name__}", parameter="shape", way_out=way_out)
    sizes = tuple(check_integer("shape", size) for size in shape)
    if not sizes:
        raise InvalidParameter("is empty", parameter="shape", way_out=way_out)
    for size in sizes:
        check_at_least("shape", size, 1)
    return sizes


def check_members(members: Sequence[int], records: int) -> tuple[int, ...]:
    """Return the records of a group, counted from 0, each once."""
    found = tuple(check_integer("members", member) for member in members)
    for member in found:
        check_between("members", member, 0, records - 1, way_out="Count the records from 0.")
    if not found or len(set(found)) != len(found):
        raise InvalidParameter(
            "must name at least one record, and none twice", parameter="members", value=found, way_out="Count from 0."
        )
    return found


def normalised_rows(channel: AnyChannel) -> FloatArray:
    """Return the rows as float64, each summing to 1 as nearly as it can."""
    array = channel.to_dense().array
    rows: FloatArray = array / array.sum(axis=1, keepdims=True)
    return rows


def groups(rows: FloatArray, shape: tuple[int, ...], members: tuple[int, ...]) -> tuple[Choices, ...]:
    """For every value of the members together, the different rows that the other records can choose from."""
    places = datasets_by_value(shape, members)
    found = []
    for here in places:
        _, first = np.unique(rows[here], axis=0, return_index=True)
        kept = here[np.sort(first)]
        found.append(Choices(rows=rows[kept], datasets=kept))
    return tuple(found)


def datasets_by_value(shape: tuple[int, ...], members: tuple[int, ...]) -> Places:
    """Row a lists the data sets in which the members together have their a-th value."""
    cube = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    values = math.prod(shape[member] for member in members)
    return np.moveaxis(cube, members, range(len(members))).reshape(values, -1)


def selected_channels(channel: ChannelLike, shape: Sequence[int], record: int) -> Iterator[Channel]:
    """Every channel from one record to the report that a rule for the other records can make [E, Thm 2].

    There are |X_(i)|^|X_i| of them, equal ones included: for looking at small cases, not for finding the best.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> both = sf.Channel([says[a and b] for a in (0, 1) for b in (0, 1)])
    >>> rules = sf.measures.selected_channels(both, (2, 2), record=0)
    >>> [round(sf.measures.capacity_bits(one).upper, 3) for one in rules]
    [0.0, 0.531, 0.0, 0.531]
    >>> round(sf.measures.individual_capacity_bits(both, (2, 2)).upper, 3)  # the largest of them
    0.531
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    (member,) = check_members((record,), len(sizes))
    rows = channel.to_dense().rows
    for datasets in itertools.product(*datasets_by_value(sizes, (member,)).tolist()):
        yield Channel([rows[x] for x in datasets], None, channel.outputs)


# --- Candidate elimination: the largest capacity among very many small channels
#
# Blahut-Arimoto gives after every round, for every channel, a value that it reaches and one that it cannot exceed. A
# channel whose upper value falls below the best lower value of all is dropped; others are dropped before the first
# round by C ≤ (1 - Σ_y min_a P(y|a))·log2 min(inputs, outputs), which costs one pass. Millions of channels, for which a
# loop would need hours, take seconds.   Refs: [Bla72], [Ari72], [E, Thm 2]; docs/theory/individual_capacity.md


_ENTRIES_AT_ONCE = 4_000_000
_MOST_ROUNDS = 20_000
# With at most this many left, an interior-point method is faster than more rounds.
_FEW = 40
_ROUNDS_BEFORE_THE_FEW = 60


class Race:
    """The best channel so far among selections of one row from each of several groups.

    `best` is what the winner reaches in nats; no channel that ran exceeds it by more than `tolerance`, rounding
    included.
    """

    def __init__(self, tolerance_nats: float) -> None:
        self.tolerance = tolerance_nats
        self.best = 0.0
        self.winner: tuple[int, tuple[int, ...]] | None = None
        self.ran = 0

    def run(self, tag: int, groups: tuple[FloatArray, ...], places: Places) -> None:
        """Let the selections in the columns of `places` run, a line for each group; `tag` says where they are from."""
        if self.tolerance <= 4 * self.slack(len(groups), groups[0].shape[1]):
            raise NotCertified(
                "is below what sums of doubles can certify here", parameter="gap_bits", way_out="Allow at least 1e-9."
            )
        width = len(groups) * groups[0].shape[1]
        step = max(1, _ENTRIES_AT_ONCE // width)
        for start in range(0, places.shape[1], step):
            self._run_together(tag, groups, places[:, start : start + step])

    def slack(self, inputs: int, outputs: int) -> float:
        """Bound the rounding error of an upper value in nats; no logarithm here is larger than ln 1e300."""
        return UNIT_ROUNDOFF * (inputs + outputs + 32) * 2 * math.log(1e300)

    def settle(self, rows: FloatArray, slack: float, gap_bits: float) -> tuple[Interval, tuple[float, ...]]:
        """Enclose the largest capacity, given the winner's rows, and return the input law that reaches its lower end.

        `slack` is the largest of what `slack` says about the channels that ran.
        """
        own, law = capacity_with_witness(Channel(rows), gap_bits=min(1e-9, gap_bits / 2))
        upper = max(own.upper, (self.best + self.tolerance + slack) * LOG2_E)
        return Interval(own.lower, upper), law

    def _run_together(self, tag: int, groups: tuple[FloatArray, ...], places: Places) -> None:
        inputs, outputs = len(groups), groups[0].shape[1]
        ceiling = math.log(min(inputs, outputs))
        enough = self.tolerance - 2 * self.slack(inputs, outputs)
        shared = np.minimum.reduce([group[line] for group, line in zip(groups, places, strict=True)]).sum(axis=1)
        places = places[:, (1 - shared) * ceiling > self.best + enough]
        if not places.shape[1]:
            return
        self.ran += places.shape[1]
        rows = np.stack([group[line] for group, line in zip(groups, places, strict=True)], axis=1)
        own = (rows * np.log(np.where(rows > 0, rows, 1.0))).sum(axis=2)
        laws = np.full(rows.shape[:2], 1 / inputs)
        for turn in range(_MOST_ROUNDS):
            divergences, reached = _values(rows, own, laws)
            limits = divergences.max(axis=1)
            self._take(tag, places, reached)
            running = limits > self.best + enough
            if not running.any():
                return
            if not running.all():
                rows, own, laws, places = rows[running], own[running], laws[running], places[:, running]
                divergences, limits = divergences[running], limits[running]
            if turn >= _ROUNDS_BEFORE_THE_FEW and len(rows) <= _FEW:
                self._finish(tag, rows, places, enough)
                return
            # A longer step now and then; whether it went too far shows in the values, which are recomputed.
            longer = 1.0 if turn < 3 or turn % 4 == 0 else 1.5
            laws = laws * np.exp(longer * (divergences - limits[:, None]))
            laws /= laws.sum(axis=1, keepdims=True)
        raise NotCertified(
            f"{len(rows)} capacities did not settle within {_MOST_ROUNDS} rounds", way_out="Allow a larger `gap_bits`."
        )

    def _take(self, tag: int, places: Places, reached: FloatArray) -> None:
        leader = int(reached.argmax())
        if reached[leader] > self.best or self.winner is None:
            self.best = max(self.best, float(reached[leader]))
            self.winner = tag, tuple(places[:, leader].tolist())

    def _finish(self, tag: int, rows: FloatArray, places: Places, enough: float) -> None:
        for each, choice in zip(rows, places.T, strict=True):
            bits, _ = capacity_with_witness(Channel(each), gap_bits=enough * LOG2_E / 2)
            self._take(tag, choice[:, None], np.array([bits.lower / LOG2_E]))


def reached_nats(rows: FloatArray, rounds: int) -> FloatArray:
    """Return what each of many channels reaches after a few rounds: a lower value for the search for a good start."""
    own = (rows * np.log(np.where(rows > 0, rows, 1.0))).sum(axis=2)
    laws = np.full(rows.shape[:2], 1 / rows.shape[1])
    for _ in range(rounds):
        divergences, _ = _values(rows, own, laws)
        laws = laws * np.exp(divergences - divergences.max(axis=1, keepdims=True))
        laws /= laws.sum(axis=1, keepdims=True)
    return _values(rows, own, laws)[1]


def limit_nats(rows: FloatArray, enough: float, rounds: int) -> float:
    """Return an upper value of one channel's capacity, after a few rounds or as soon as it is at most `enough`."""
    own = (rows * np.log(np.where(rows > 0, rows, 1.0))).sum(axis=1)
    law = np.full(len(rows), 1 / len(rows))
    least = math.inf
    for _ in range(rounds):
        divergences, reached = _values(rows[None], own[None], law[None])
        least = min(least, float(divergences.max()))
        if least <= enough or float(reached[0]) > enough:
            return least
        law = law * np.exp(divergences[0] - divergences.max())
        law /= law.sum()
    return least


def _values(rows: FloatArray, own: FloatArray, laws: FloatArray) -> tuple[FloatArray, FloatArray]:
    """D(W_a‖q) in nats for every input of every channel, and its average: what the law reaches.

    q is kept above 1e-300. That makes it heavier than a law by less than rounding does, and max D(W_a‖q) is an upper
    value for any q, up to ln of its weight.
    """
    outputs = np.maximum(np.matmul(laws[:, None, :], rows)[:, 0, :], 1e-300)
    divergences = own - np.matmul(rows, np.log(outputs)[:, :, None])[:, :, 0]
    return divergences, (laws * divergences).sum(axis=1)


# --- The best selection of one row from each of several groups: elimination, and branch and bound beyond
#
# A node is a part of each group. The capacity of its selections is at most the capacity of all its rows together, and
# at most the Doeblin bound of all its rows. A node that cannot exceed the best known selection is dropped, a small one
# goes to the elimination, any other is split where its rows differ most.   Ref: [E, Thm 2]; theory:
# docs/theory/individual_capacity.md


# Up to this many selections go to the elimination at once; more are split first.
_RACED = 100_000
_MOST_NODES = 20_000
_ROUNDS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The winner: which contest, which row of each of its groups, the input law that proves it, and the interval."""

    bits: Interval
    contest: int
    places: tuple[int, ...]
    law: tuple[float, ...]


def best_selection(contests: Sequence[tuple[FloatArray, ...]], *, gap_bits: float) -> Selection:
    """Return the selection of largest capacity over all contests, each a tuple of groups of rows.

    The interval is at most `gap_bits` wide; NotCertified is raised where that needs more work than is reasonable.
    """
    race = Race(tolerance_nats=0.9 * gap_bits / LOG2_E)
    large = [math.prod(map(len, groups)) > _RACED for groups in contests]
    for tag, groups in enumerate(contests):
        if large[tag]:
            _climb(race, tag, groups)
        else:
            race.run(tag, groups, _all_places([np.arange(len(group)) for group in groups]))
    for tag, groups in enumerate(contests):
        if large[tag]:
            _branch(race, tag, groups)
    return _finished(race, contests, gap_bits)


def best_subset(rows: FloatArray, size: int, *, gap_bits: float) -> Selection:
    """Return the `size` different rows whose channel has the largest capacity [E, Prop. 6]."""
    if size >= len(rows):
        bits, law = capacity_with_witness(Channel(rows), gap_bits=gap_bits)
        return Selection(bits=bits, contest=0, places=tuple(range(len(rows))), law=law)
    groups = (rows,) * size
    race = Race(tolerance_nats=0.9 * gap_bits / LOG2_E)
    if math.comb(len(rows), size) <= _RACED:
        race.run(0, groups, np.array(tuple(itertools.combinations(range(len(rows)), size))).T)
    else:
        _climb(race, 0, groups)
        _branch(race, 0, groups)
    return _finished(race, (groups,), gap_bits)


def _finished(race: Race, contests: Sequence[tuple[FloatArray, ...]], gap_bits: float) -> Selection:
    if race.winner is None:  # every selection was screened out at nothing to learn
        tag, places = 0, (0,) * len(contests[0])
    else:
        tag, places = race.winner
    rows = np.array([group[place] for group, place in zip(contests[tag], places, strict=True)])
    slack = max(race.slack(len(groups), groups[0].shape[1]) for groups in contests)
    bits, law = race.settle(rows, slack, gap_bits)
    return Selection(bits=bits, contest=tag, places=places, law=law)


def _climb(race: Race, tag: int, groups: tuple[FloatArray, ...]) -> None:
    """Find a good selection early: change one row at a time to the best one, until none improves."""
    centre = np.vstack(groups).mean(axis=0)
    choice = [int(np.abs(group - centre).sum(axis=1).argmax()) for group in groups]
    value = -math.inf
    while True:
        for a, group in enumerate(groups):
            rows = np.repeat(np.array([g[c] for g, c in zip(groups, choice, strict=True)])[None], len(group), axis=0)
            rows[:, a] = group
            choice[a] = int(reached_nats(rows, _ROUNDS).argmax())
        places = np.array(choice)[:, None]
        now = float(reached_nats(np.array([[g[c] for g, c in zip(groups, choice, strict=True)]]), _ROUNDS)[0])
        if now <= value * (1 + 1e-9):
            break
        value = now
    race.run(tag, groups, places)


def _branch(race: Race, tag: int, groups: tuple[FloatArray, ...]) -> None:
    counter = itertools.count()
    parts = tuple(np.arange(len(group)) for group in groups)
    heap = [(-math.inf, next(counter), parts)]
    for _ in range(_MOST_NODES):
        if not heap:
            return
        _, _, node = heapq.heappop(heap)
        for part in _split(groups, node):
            enough = race.best + race.tolerance - race.slack(len(groups), groups[0].shape[1])
            limit = _limit(groups, part, enough)
            if limit <= enough:
                continue
            if math.prod(map(len, part)) <= _RACED:
                race.run(tag, groups, _all_places(part))
            else:
                heapq.heappush(heap, (-limit, next(counter), part))
    worst = -heap[0][0] * LOG2_E
    raise NotCertified(
        f"the largest capacity could only be bounded to [{race.best * LOG2_E:.6f}, {worst:.6f}] bits in "
        f"{_MOST_NODES} steps",
        way_out="Allow a larger `gap_bits`, or merge data sets that are answered almost alike.",
    )


def _limit(groups: tuple[FloatArray, ...], node: tuple[Places, ...], enough: float) -> float:
    rows = np.vstack([group[part] for group, part in zip(groups, node, strict=True)])
    doeblin = (1 - rows.min(axis=0).sum()) * math.log(min(len(groups), rows.shape[1]))
    if doeblin <= enough:
        return float(doeblin)
    return min(float(doeblin), limit_nats(rows, enough, _ROUNDS))


def _split(groups: tuple[FloatArray, ...], node: tuple[Places, ...]) -> Iterator[tuple[Places, ...]]:
    """Cut the group whose rows differ most in two, in the middle of the output in which they differ most."""
    spreads = [np.ptp(group[part], axis=0) for group, part in zip(groups, node, strict=True)]
    a = int(np.argmax([spread.sum() for spread in spreads]))
    values = groups[a][node[a]][:, int(spreads[a].argmax())]
    low = values <= (values.max() + values.min()) / 2
    for side in (low, ~low):
        yield (*node[:a], node[a][side], *node[a + 1 :])


def _all_places(parts: Sequence[Places]) -> Places:
    return np.stack([axis.ravel() for axis in np.meshgrid(*parts, indexing="ij")])


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
    """The sets of rows that the values of a record meet, in any order; equal for records that are alike."""
    return tuple(sorted(np.unique(choice.rows, axis=0).tobytes() for choice in contest))


# --- Checking that no selection of rows has a capacity above a stated limit, without searching for the largest
#
# Depth first, a part of each group at a time: where the capacity of all rows of a part stays within the limit, none of
# its selections exceeds it; else the part is halved, down to single selections. The capacities come from the
# interior-point method with its own certificate, so this shares nothing with the elimination that finds the largest.
# Ref: [E, Thm 2]


_MOST_PARTS = 100_000
# Large enough to be quick, and far below the gap of a stated limit.
_GAP_BITS = 1e-8


def none_exceeds(contests: Sequence[tuple[FloatArray, ...]], limit_bits: float) -> bool:
    """Whether every selection of one row from each group of a contest has a capacity within the limit."""
    left = [(groups, tuple(np.arange(len(group)) for group in groups)) for groups in contests]
    for _ in range(_MOST_PARTS):
        if not left:
            return True
        groups, part = left.pop()
        if _stays_within(groups, part, limit_bits):
            continue
        sizes = [len(places) for places in part]
        if max(sizes) == 1:
            return False
        left += [(groups, half) for half in _halves(groups, part)]
    raise NotCertified(
        f"the limit could not be checked on all selections in {_MOST_PARTS} steps", way_out="State a larger `gap_bits`."
    )


def _stays_within(groups: tuple[FloatArray, ...], part: tuple[Places, ...], limit_bits: float) -> bool:
    rows = np.vstack([group[places] for group, places in zip(groups, part, strict=True)])
    most = math.log2(min(len(groups), rows.shape[1]))
    if (1 - rows.min(axis=0).sum()) * most <= limit_bits:
        return True
    return capacity_with_witness(Channel(rows), gap_bits=_GAP_BITS)[0].upper <= limit_bits


def _halves(groups: tuple[FloatArray, ...], part: tuple[Places, ...]) -> list[tuple[Places, ...]]:
    """Cut the group that spreads most across the direction in which it does, through its middle."""
    kept = [group[places] for group, places in zip(groups, part, strict=True)]
    a = int(np.argmax([float(np.ptp(rows, axis=0).sum()) if len(rows) > 1 else -1.0 for rows in kept]))
    rows = kept[a]
    _, _, directions = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    order = np.argsort(rows @ directions[0], kind="stable")
    middle = len(order) // 2
    return [(*part[:a], part[a][np.sort(side)], *part[a + 1 :]) for side in (order[:middle], order[middle:])]


# --- What correlations between people add: differential privacy protects independent records only
#
# With independent records, max-information about one record is at most ε exactly when the channel is ε-differentially
# private [E, Thm 1]. An adversary who knows that other records follow this one compares data sets that differ in
# several places, and the same channel reveals more: up to the odds between any two data sets that differ in this
# record. Natural logarithms for ε, bits for information.   Theory: docs/theory/correlations.md


_Entry = tuple[Number, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelatedLeak:
    """The report that reveals most about one record.

    `output` is `odds` times as likely from the `surprising` data set as from the `expected` one; the two differ in
    `record`, and the adversary holds every other one for impossible.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> leak = sf.measures.worst_correlation(two_people, (2, 2))
    >>> round(leak.odds, 3), leak.expected, leak.surprising  # both say yes, or nobody: e^2
    (7.389, 3, 0)
    >>> round(leak.max_information_bits(0.01), 3), leak.prior(0.01).probabilities
    (2.796, (0.01, 0.0, 0.0, 0.99))
    """

    odds: Number
    record: int
    expected: int
    surprising: int
    output: int
    _channel: Channel

    def prior(self, surprise: Number) -> Distribution:
        """The adversary who gives the surprising data set the chance `surprise`, and the expected one the rest."""
        chance = as_number("surprise", surprise)
        check_between("surprise", chance, 0, 1)
        masses: list[Number] = [0 * chance] * self._channel.shape[0]
        masses[self.expected], masses[self.surprising] = 1 - chance, chance
        return Distribution(masses, self._channel.inputs)

    def max_information_bits(self, surprise: Number) -> float:
        """log2 P(y|x)/P(y) for the worst report, seen by that adversary; towards log2 odds as `surprise` goes to 0."""
        chance = as_number("surprise", surprise)
        check_between("surprise", chance, 0, 1)
        high, low = (self._channel.row(x)[self.output] for x in (self.surprising, self.expected))
        return math.log2(high / (chance * high + (1 - chance) * low))


def neighbour_odds(channel: ChannelLike, shape: Sequence[int]) -> Number:
    """e^ε of differential privacy: the largest P(y|x)/P(y|x') over data sets that differ in one record [E, Def. 10].

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.neighbour_odds(two_people, (2, 2)), 4), round(sf.measures.odds(two_people), 4)
    (2.7183, 7.3891)
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    dense = channel.to_dense()
    worst: Number = Fraction(1)
    for record in range(len(sizes)):
        for datasets in datasets_by_value(sizes, (record,)).T:  # one column: all others fixed
            for y in range(dense.shape[1]):
                worst = max(worst, _ratio(*_extremes(dense, datasets, y)))
    return worst


def neighbour_epsilon(channel: ChannelLike, shape: Sequence[int]) -> float:
    """ε of differential privacy in nats, rounded up: the most max-information about independent records [E, Thm 1].

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.neighbour_epsilon(two_people, (2, 2)), 4), round(sf.measures.epsilon(two_people), 4)
    (1.0, 2.0)
    """
    return ln_interval(neighbour_odds(channel, shape)).at_least(0.0).upper


def worst_correlation(channel: ChannelLike, shape: Sequence[int]) -> CorrelatedLeak:
    """Return the two data sets and the report that sets them apart most; any two data sets differ in some record.

    Raises:
        InvalidParameter: the shape means another number of data sets than the channel has rows.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> leak = sf.measures.worst_correlation(two_people, (2, 2))
    >>> leak.record, leak.expected, leak.surprising, leak.output
    (0, 3, 0, 0)
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    dense = channel.to_dense()
    everything = np.arange(dense.shape[0])
    worst = CorrelatedLeak(odds=Fraction(1), record=0, expected=0, surprising=0, output=0, _channel=dense)
    for y in range(dense.shape[1]):
        high, low = _extremes(dense, everything, y)
        odds = _ratio(high, low)
        if odds > worst.odds:
            surprising, expected = high[1], low[1]
            pairs = zip(np.unravel_index(surprising, sizes), np.unravel_index(expected, sizes), strict=True)
            record = next(i for i, (one, other) in enumerate(pairs) if one != other)
            worst = CorrelatedLeak(
                odds=odds, record=record, expected=expected, surprising=surprising, output=y, _channel=dense
            )
    return worst


def max_individual_capacity_bits(channel: ChannelLike, shape: Sequence[int]) -> Interval:
    """Enclose C_{1,∞} in bits: the largest max-information about one record over all joint laws [E, Def. 8].

    A supremum: no adversary reaches it, those for whom the surprising data set is ever less likely come close.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.max_individual_capacity_bits(two_people, (2, 2)).upper, 4)  # 2·log2 e: one follows the other
    2.8854
    """
    return log2_interval(worst_correlation(channel, shape).odds).at_least(0.0)


def _extremes(dense: Channel, datasets: Places, y: int) -> tuple[_Entry, _Entry]:
    column = dense.integers()[0][datasets, y] if dense.exact else dense.array[datasets, y]
    high, low = int(datasets[int(np.argmax(column))]), int(datasets[int(np.argmin(column))])
    return (dense.row(high)[y], high), (dense.row(low)[y], low)


def _ratio(high: _Entry, low: _Entry) -> Number:
    """The ratio of two probabilities, rounded up where they are floats; 1 where neither can happen."""
    if high[0] <= low[0]:
        return Fraction(1)
    if low[0] == 0:
        return math.inf
    ratio = high[0] / low[0]
    return ratio if isinstance(ratio, Fraction) else math.nextafter(ratio, math.inf)


# --- Channels whose rows are permutations of one another: a closed form, or a bound without a search
#
# Every channel that an adversary can make of such a channel has the same noise in every row, so C_1 ≤ log2|Y| - H(Z)
# with Z the noise; it is reached where some record can choose rows that add up to the same for every output, by a
# uniform law on that record.   Ref: [E, Def. 12 and 13, Cor. 4]; theory: docs/theory/calibrated_noise.md


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
