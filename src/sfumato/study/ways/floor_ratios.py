"""How close a ladder comes to what nobody can beat: the risk of each level over the floors, and that in words.

Theory: docs/theory/floors.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.infer import interactive_risk_floor, risk_floor
from sfumato.refine.rungs import Rung
from sfumato.values.rounding import ln_bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRatio:
    """What the unbiased estimate of a level risks at the worst law, E‖p̂ - p‖², beside what no method goes below."""

    level: int
    respondents: int
    risk: float
    floor: float
    ratio: float
    interactive_floor: float
    interactive_ratio: float

    @property
    def document(self) -> dict[str, Any]:
        """All of it, for programs."""
        return asdict(self)


def beside_floors(rungs: Sequence[Rung], respondents: Sequence[int]) -> tuple[FloorRatio, ...]:
    """Compare each level with the floors at its own ε; empty where a level does not estimate shares of answers."""
    found = [_ratio(level, rung, n) for level, (rung, n) in enumerate(zip(rungs, respondents, strict=True), start=1)]
    return tuple(one for one in found if one is not None) if all(found) else ()


def _ratio(level: int, rung: Rung, n: int) -> FloorRatio | None:
    risk = rung.largest_risk(n)
    if risk is None:
        return None
    epsilon = ln_bounds(rung.odds)[1]
    floors = risk_floor(rung.size, n, epsilon), interactive_risk_floor(rung.size, n, epsilon)
    alone, seen = (math.nextafter(risk / floor, math.inf) for floor in floors)
    return FloorRatio(
        level=level,
        respondents=n,
        risk=risk,
        floor=floors[0],
        ratio=alone,
        interactive_floor=floors[1],
        interactive_ratio=seen,
    )


def floor_words(ratios: Sequence[FloorRatio]) -> str:
    """Say how many times the least possible squared error each level has, rounded up; nothing without ratios."""
    if not ratios:
        return ""
    counts = sorted({one.respondents for one in ratios})
    people = f"{counts[0]:,} respondents" if len(counts) == 1 else "as many respondents as the goal takes"
    order = ", sharpest level first," if len(ratios) > 1 else ""
    alone, seen = (
        ", ".join(times(value) for value in values)
        for values in ([one.ratio for one in ratios], [one.interactive_ratio for one in ratios])
    )
    return (
        f"With {people}{order} the squared error over all answers is at most {alone} times the least of any method in "
        f"which respondents answer without seeing others' reports, and at most {seen} times the least of sequential "
        f"methods, in which they see them."
    )


def times(ratio: float) -> str:
    """Write a ratio, rounded up: two digits after the point, none from a hundred on."""
    if ratio >= 100:
        return f"{math.ceil(ratio):,}"
    return f"{math.ceil(ratio * 100) / 100:.2f}"
