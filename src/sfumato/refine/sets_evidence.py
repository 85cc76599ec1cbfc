"""How the numbers of the certificate of a ladder of sets are found again: by counting sets of residues.

Theory: docs/theory/flags.md
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from sfumato.refine.nested_evidence import NestedCounted


@dataclass(frozen=True)
class SetsCounted(NestedCounted):
    """From how many sets there are of each size."""

    def favoured(self, part: int) -> int:
        """Its members."""
        return part

    def every(self, part: int) -> int:
        """All sets of a size."""
        return _sets(self.outline.modulus, part)

    def around(self, above: int, below: int) -> int:
        """The sets around one."""
        return _sets(self.outline.modulus - above, below - above)

    def inside(self, above: int, below: int) -> tuple[int, int]:
        """The sets inside one, and of those inside one that holds the answer those that hold it too."""
        return _sets(below, above), _sets(below - 1, above - 1)

    def favouring(self, part: int) -> int:
        """The sets that hold an answer."""
        return _sets(self.outline.modulus - 1, part - 1)


def _sets(size: int, members: int) -> int:
    """How many sets there are, by Pascal's rule."""
    row = [1]
    for _ in range(size):
        row = [1, *(a + b for a, b in pairwise(row)), 1]
    return row[members] if 0 <= members <= size else 0
