"""The rungs of ladders: one class a family, and the table of them. Nobody else asks what a rung is made over."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sfumato.bits.mechanism import Mechanism
from sfumato.errors import InvalidParameter
from sfumato.refine.rungs.base import Rung
from sfumato.refine.rungs.cyclic import CyclicRung
from sfumato.refine.rungs.flips import FlipRung

__all__ = ["FAMILIES", "CyclicRung", "FlipRung", "Rung", "declared_rung", "rung_over"]

FAMILIES: Mapping[str, type[Rung]] = MappingProxyType({family.kind: family for family in (CyclicRung, FlipRung)})
"""Families by their name in declarations."""


def rung_over(mechanism: Mechanism) -> Rung:
    """Return the rung over a mechanism; one whose reports no shift takes back is refused."""
    for family in FAMILIES.values():
        if isinstance(mechanism, family.base):
            return family.over(mechanism)
    known = " or a ".join(family.base.__name__ for family in FAMILIES.values())
    raise InvalidParameter(
        f"must be a {known}, not {type(mechanism).__name__}: levels need reports that a shift takes back",
        parameter="mechanism",
        way_out="Use Ladder.within(size=…, epsilons=…).",
    )


def declared_rung(document: Mapping[str, Any]) -> Rung:
    """Return the rung that a declaration names, at any odds; raises ValueError or KeyError when it names none."""
    return FAMILIES[document["mechanism"]].declared(document)
