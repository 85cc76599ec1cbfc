"""What the explorer's page has from Python: the sets of shifts that a study chooses from, and how far intervals reach.

Everything else is worked out in the page, by the formulas of the library.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

from sfumato.mechanisms.favoured_sets import WORTH, FavouredSet, candidate_sets

MOST_ANSWERS = 100
"""As many answers as the page knows sets for."""
CONFIDENCE = 0.95


def explorer_table() -> dict[str, Any]:
    """Return the table; a set is its family, q, t, K, how often a difference occurs, and its members."""
    found = {chosen for size in range(3, MOST_ANSWERS + 1) for chosen in _choosable(size)}
    ordered = sorted(found, key=lambda one: (one.modulus, one.q, one.t))
    return {
        "most": MOST_ANSWERS,
        "worth": WORTH,
        "reach": NormalDist().inv_cdf((1 + CONFIDENCE) / 2),
        "sets": [
            [one.family.value, one.q, one.t, one.modulus, one.parameters[2], one.members().members.tolist()]
            for one in ordered
        ],
    }


def _choosable(size: int) -> list[FavouredSet]:
    """Leave out what is never chosen: of sets with one member, a larger one has more noise and more reports."""
    candidates = candidate_sets(size)
    single = min((one for one in candidates if one.parameters[1] == 1), key=lambda one: one.modulus)
    return [one for one in candidates if one.parameters[1] > 1 or one == single]
