"""Sets of residues, numbered: a set s_0 < s_1 < … has the number C(s_0, 1) + C(s_1, 2) + … among those of its size.

So the sets of the first residues come first, whatever is meant by first, and 0 is the set of the first d residues.
:mod:`sfumato.mechanisms.set_kernel` has the same in compiled passes.   Theory: docs/theory/flags.md
"""

from __future__ import annotations

import math
from collections.abc import Iterable

MOST_RESIDUES = 64
"""Sets are words of so many bits."""
MOST_SET_BITS = 62
"""Numbers of sets, with a residue beside, fit a signed word."""


def members_of_set(code: int, members: int) -> tuple[int, ...]:
    """Return the set with a number, by the definition: the largest member is the last that the number has room for."""
    found = list[int]()
    for count in range(members, 0, -1):
        member = count - 1
        while math.comb(member + 1, count) <= code:
            member += 1
        code -= math.comb(member, count)
        found.append(member)
    return tuple(reversed(found))


def code_of_set(members: Iterable[int]) -> int:
    """Return the number of a set."""
    return sum(math.comb(member, i) for i, member in enumerate(sorted(members), start=1))
