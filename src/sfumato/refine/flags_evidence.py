"""How the numbers of the certificate of a ladder of flags are found again: by counting spaces of masks.

Theory: docs/theory/flags.md
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sfumato.refine.nested_evidence import NestedCounted
from sfumato.refine.rungs import FlagsRung


@dataclass(frozen=True)
class FlagsCounted(NestedCounted):
    """From how many spaces there are of each dimension; those of a level below lie inside, and favour more."""

    @property
    def _length(self) -> int:
        return cast("FlagsRung", self.outline.rung).length

    def favoured(self, part: int) -> int:
        """The elements but 0 at which as many masks are even."""
        return int(2 ** (self._length - part)) - 1

    def every(self, part: int) -> int:
        """All spaces of a dimension."""
        return _spaces(self._length, part)

    def around(self, above: int, below: int) -> int:
        """The spaces inside one."""
        return _spaces(above, below)

    def inside(self, above: int, below: int) -> tuple[int, int]:
        """The spaces above one, and of those above an even one those that are even themselves."""
        rest = self._length - below
        return _spaces(rest, above - below), _spaces(rest - 1, above - below)

    def favouring(self, part: int) -> int:
        """The spaces that are even at an element."""
        return _spaces(self._length - 1, part)


def _spaces(length: int, dimension: int) -> int:
    """How many spaces there are, by Pascal's rule for them."""
    row = [1]
    for _ in range(length):
        row = [1, *(row[c - 1] + (1 << c) * row[c] for c in range(1, len(row))), 1]
    return row[dimension] if 0 <= dimension <= length else 0
