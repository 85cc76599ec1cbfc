"""Counts of reports of which there are millions: as they came while they are few, and counted once they are many.

A small group of people then takes as little memory as its reports, however many different reports there could be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits.mechanism import smallest_dtype

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ReportCounts:
    """How often each of `size` reports was seen: `counted`, and those that have come since. Counts of chunks add."""

    size: int
    counted: IntArray | None
    since: tuple[npt.NDArray[Any], ...] = ()

    @classmethod
    def of(cls, reports: npt.NDArray[Any], size: int) -> ReportCounts:
        """Count reports."""
        return cls(size, None) + cls(size, None, (reports.astype(smallest_dtype(size)),))

    @property
    def total(self) -> int:
        """The number of reports."""
        return (0 if self.counted is None else int(self.counted.sum())) + self.waiting

    @property
    def counts(self) -> IntArray:
        """How often each report was seen."""
        found = np.zeros(self.size, dtype=np.int64) if self.counted is None else self.counted.copy()
        for reports in self.since:
            found += np.bincount(reports, minlength=self.size)
        return found

    @property
    def waiting(self) -> int:
        """How many reports have not been counted yet."""
        return sum(reports.size for reports in self.since)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ReportCounts):
            return NotImplemented
        return bool(np.array_equal(self.counts, other.counts))

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: ReportCounts) -> ReportCounts:
        held = [one.counted for one in (self, other) if one.counted is not None]
        counted = None if not held else held[0] if len(held) == 1 else held[0] + held[1]
        found = ReportCounts(self.size, counted, (*self.since, *other.since))
        # Counted as soon as that takes less memory than the reports.
        return ReportCounts(self.size, found.counts) if found.waiting > self.size else found
