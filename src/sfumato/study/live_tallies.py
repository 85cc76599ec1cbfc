"""What rows that were collected so far say: counts of each question, taken at one moment, and estimates from them.

Counts are enough to estimate from, again and again: the same reports are asked, and not those that have come since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.refine.report_trees import NOTHING
from sfumato.study.collected_rows import reports_of
from sfumato.study.collections import Collection
from sfumato.study.estimating import Estimates
from sfumato.study.ways import Reading

# Reports up to which it is also kept how often each was seen.
_MOST_LISTED = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTallies:
    """How many reports there are, and what was counted of each question that somebody answered."""

    collection: Collection
    reports: int
    tallies: Mapping[str, Any]
    seen: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, collection: Collection, rows: Iterable[tuple[bytes, int]]) -> LiveTallies:
        """Count the rows of one wave; each comes once, with how often it was sent."""
        found: dict[str, Any] = {}
        seen: dict[str, list[int]] = {}
        given = list(rows)
        times = np.array([count for _, count in given], dtype=np.int64)
        for name, column in (reports_of(collection, [row for row, _ in given]) if given else {}).items():
            way = collection.columns[name]
            if name not in collection.ways:
                continue  # a sealed column says nothing
            said = np.repeat(column, np.where(column == NOTHING, 0, times))
            if said.size:
                found[name] = way.tally(said, len(way.epsilons))
                if way.report_count <= _MOST_LISTED:
                    seen[name] = np.bincount(said, minlength=way.report_count).tolist()
        return cls(collection=collection, reports=int(times.sum()), tallies=found, seen=seen)

    def only(self, names: Iterable[str]) -> LiveTallies:
        """Return the same of some questions alone."""
        kept = set(names)
        return replace(self, tallies={name: tally for name, tally in self.tallies.items() if name in kept})

    def counts(self, reckonings: Mapping[str, Any]) -> dict[str, list[int]]:
        """Return how often each report was seen, of the questions that are reckoned from that."""
        return {name: list(self.seen[name]) for name, found in reckonings.items() if found and name in self.seen}

    def estimates(self) -> Estimates:
        """Estimate every question as everybody sees it."""
        found = []
        for name, tally in self.tallies.items():
            way = self.collection.ways[name]
            found.append(way.estimate(tally, Reading(level=len(way.epsilons))))
        order = list(self.collection.ways)
        return Estimates(tuple(sorted(found, key=lambda one: order.index(one.question.id))))
