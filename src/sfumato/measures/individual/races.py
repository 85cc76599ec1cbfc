"""The largest capacity among very many small channels: run them all at once and drop the losers.

Blahut-Arimoto gives after every round, for every channel, a value that it reaches and one that it cannot exceed. A
channel whose upper value falls below the best lower value of all is out of the race; hopeless ones are screened before
it starts by C ≤ (1 - Σ_y min_a P(y|a))·log2 min(inputs, outputs), which costs one pass. Millions of channels that a
loop would solve for hours take seconds.   Refs: [Bla72], [Ari72], [E, Thm 2]; docs/theory/individual_capacity.md
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.errors import NotCertified
from sfumato.measures.capacity import capacity_with_witness
from sfumato.measures.enclosures import LOG2_E, UNIT_ROUNDOFF
from sfumato.measures.individual.records import Places
from sfumato.prob import Channel
from sfumato.prob.exact import FloatArray
from sfumato.values.interval import Interval

_ENTRIES_AT_ONCE = 4_000_000
_MOST_ROUNDS = 20_000
# When so few are left, an interior-point method is done with them sooner than the race.
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
