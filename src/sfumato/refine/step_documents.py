"""Steps as documents: what a device that is no computer of ours needs to draw them, in whole numbers and fractions.

A set of residues is spelled as short as it can be: a run by where it begins, few members one by one, and many as a bit
for each residue, so that 87 381 residues take 15 kB.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import numpy.typing as npt

_FEW = 32


def set_document(members: npt.NDArray[np.integer[Any]], modulus: int) -> dict[str, Any]:
    """Spell a set of residues, which are sorted: `first` and `count`, or `members`, or `bits`, in base64.

    Residue r is bit r mod 8, from the least, of byte r // 8.
    """
    first, count = int(members[0]), int(members.size)
    if int(members[-1]) - first == count - 1:
        return {"first": first, "count": count}
    if count <= _FEW:
        return {"members": members.tolist()}
    is_member = np.zeros(modulus, dtype=np.bool_)
    is_member[members] = True
    return {"bits": base64.b64encode(np.packbits(is_member, bitorder="little").tobytes()).decode()}
