"""Data sets that one record cannot tell apart: what the balance function has to decide, made small without loss.

I(X_i;Y) sees a data set x only through the value x_i and the row P(·|x). All data sets that share both are one *class*
c with N_c members. A law q of the classes allows the entropy H(q) + Σ q_c log2 N_c and no more (spread it evenly inside
each class), so the search over joint laws is one over q.   Ref: [E, Def. 11]; docs/theory/balance.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.measures.enclosures import UNIT_ROUNDOFF, entropy_interval
from sfumato.measures.individual.records import Places, datasets_by_value, normalised_rows
from sfumato.prob import AnyChannel
from sfumato.prob.exact import FloatArray
from sfumato.values.interval import Interval


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordClasses:
    """One record's classes: their rows, the value of the record in each, and how many data sets each holds."""

    record: int
    rows: FloatArray
    values: Places
    counts: FloatArray
    places: Places
    """For every data set its class."""

    @property
    def value_count(self) -> int:
        """How many values the record has."""
        return int(self.values.max()) + 1

    @property
    def uniform(self) -> FloatArray:
        """The law of the classes when every data set is equally likely: the one of largest entropy."""
        law: FloatArray = self.counts / self.counts.sum()
        return law

    def dataset_law(self, law: FloatArray) -> FloatArray:
        """Spread a law of the classes evenly over their data sets."""
        share: FloatArray = (law / self.counts)[self.places]
        return share

    def conditionals(self, law: FloatArray) -> tuple[FloatArray, FloatArray]:
        """P(x_i) and P(y|x_i) under a law of the classes; a value without mass gets its rows' average."""
        weights = np.maximum(law, 1e-300)
        masses = self.by_value(weights[:, None])
        return self.by_value(law[:, None])[:, 0], self.by_value(weights[:, None] * self.rows) / masses

    def by_value(self, table: FloatArray) -> FloatArray:
        """Add up the rows of a table of the classes that share a value of the record."""
        total = np.zeros((self.value_count, table.shape[1]))
        np.add.at(total, self.values, table)
        return total

    def information_bits(self, law: FloatArray) -> float:
        """I(X_i;Y), in plain floats: for the search, never for a claim."""
        masses, given = self.conditionals(law)
        outputs = np.maximum(masses @ given, 1e-300)
        terms = given * (np.log2(np.maximum(given, 1e-300)) - np.log2(outputs))
        return float(masses @ terms.sum(axis=1))

    def key(self) -> tuple[tuple[bytes, ...], ...]:
        """What the problem depends on: equal for records that differ in name, or in the names of their values, only."""
        found = []
        for value in range(self.value_count):
            here = self.values == value
            classes = zip(self.rows[here], self.counts[here], strict=True)
            found.append(tuple(sorted(row.tobytes() + count.tobytes() for row, count in classes)))
        return tuple(sorted(found))


def record_classes(channel: AnyChannel, shape: tuple[int, ...]) -> tuple[RecordClasses, ...]:
    """Return the records that pose different problems, each with its classes."""
    rows = normalised_rows(channel)
    # An output that never occurs says nothing, and has no logarithm.
    rows = np.ascontiguousarray(rows[:, rows.max(axis=0) > 0])
    different: dict[tuple[tuple[bytes, ...], ...], RecordClasses] = {}
    for record in range(len(shape)):
        found = _classes(rows, shape, record)
        different.setdefault(found.key(), found)
    return tuple(different.values())


def _classes(rows: FloatArray, shape: tuple[int, ...], record: int) -> RecordClasses:
    value_of = np.zeros(len(rows), dtype=np.int64)
    for value, here in enumerate(datasets_by_value(shape, (record,))):
        value_of[here] = value
    table = np.column_stack([value_of.astype(np.float64), rows])
    kept, places, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    return RecordClasses(
        record=record,
        rows=np.ascontiguousarray(kept[:, 1:]),
        values=kept[:, 0].astype(np.int64),
        counts=counts.astype(np.float64),
        places=places.ravel().astype(np.int64),
    )


def law_entropy_interval(law: Sequence[float] | FloatArray) -> Interval:
    """H of the law that these weights are in proportion to, whatever their sum misses by rounding."""
    return entropy_interval(((float(p), 1) for p in law), ulps=2 * len(law) + 8)


def joint_information_interval(joint: FloatArray, *, terms: int) -> Interval:
    """I of a table P(x_i, y), each entry a float sum of at most `terms` products of rounded factors.

    Entries, margins and their quotients are then right to k·u with the k below, and the weights err as little; all are
    sums of non-negative terms, in which nothing cancels.
    """
    sizes = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    entries, products = joint.ravel().tolist(), sizes.ravel().tolist()
    ulps = 4 * (terms + joint.shape[0] * joint.shape[1]) + 32
    values, slack = [], []
    for entry, product in zip(entries, products, strict=True):
        if entry < 1e-280 or product < 1e-280:
            # Too small for its digits: at most |p log2 p| twice over, far below the last bound's own size.
            slack.append(1e-250 if entry else 0.0)
            continue
        logarithm = math.log2(entry / product)
        values.append(entry * logarithm)
        slack.append(entry * ulps * UNIT_ROUNDOFF * (abs(logarithm) + 3))
    total = math.fsum(values)
    return Interval(total, total).widened(math.fsum(slack) + 4 * UNIT_ROUNDOFF * abs(total)).at_least(0.0)
