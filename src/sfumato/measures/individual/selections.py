"""The best selection of one row from each of several groups, by race, and by branch and bound beyond that.

A node is a part of each group. What its selections can reach is at most the capacity of all its rows together, and at
most the Doeblin bound of all its rows; a node that cannot beat the best known selection is dropped, a small one is
raced, any other is split where its rows differ most.   Ref: [E, Thm 2]; theory: docs/theory/individual_capacity.md
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import NotCertified
from sfumato.measures.capacity import capacity_with_witness
from sfumato.measures.enclosures import LOG2_E
from sfumato.measures.individual.races import Race, limit_nats, reached_nats
from sfumato.measures.individual.records import Places
from sfumato.prob import Channel
from sfumato.prob.exact import FloatArray
from sfumato.values.interval import Interval

# Up to this many selections are raced as they are; more are split first.
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
