"""The rungs of ladders: one class a family, and the table of them. Nobody else asks what a rung is made over."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from sfumato.bits.mechanism import Mechanism
from sfumato.errors import InvalidParameter
from sfumato.refine.rungs.arc import ArcRung
from sfumato.refine.rungs.base import Rung
from sfumato.refine.rungs.cyclic import CyclicRung
from sfumato.refine.rungs.flags import FlagsRung
from sfumato.refine.rungs.flips import FlipRung
from sfumato.refine.rungs.options import OptionsRung
from sfumato.refine.rungs.sets import SetsRung

__all__ = [
    "FAMILIES",
    "ArcRung",
    "CyclicRung",
    "FlagsRung",
    "FlipRung",
    "HittingRung",
    "OptionsRung",
    "Rung",
    "SetsRung",
    "best_rung",
    "declared_rung",
    "hitting_rung",
    "rung_over",
]

FAMILIES: Mapping[str, type[Rung]] = MappingProxyType(
    {family.kind: family for family in (CyclicRung, FlipRung, ArcRung, OptionsRung, FlagsRung, SetsRung)}
)
"""Families by their name in declarations."""


def rung_over(mechanism: Mechanism) -> Rung:
    """Return the rung over a mechanism; one whose noise cannot be taken back is refused."""
    for family in FAMILIES.values():
        if isinstance(mechanism, family.base):
            return family.over(mechanism)
    known = ", ".join(family.base.__name__ for family in FAMILIES.values())
    raise InvalidParameter(
        f"must be one of {known}, not {type(mechanism).__name__}: levels need reports whose noise can be taken back",
        parameter="mechanism",
        way_out="Use Ladder.within(size=…, epsilons=…).",
    )


def best_rung(*, size: int, epsilon: float, of_one_bit: bool = False) -> Rung:
    """Return the best rung for one level; where reports are to be one bit, that of flips."""
    if of_one_bit:
        return FlipRung.within(size=size, epsilon=epsilon)
    return CyclicRung.within(size=size, epsilon=epsilon)


HittingRung = CyclicRung
"""A rung whose reports hit their own answer with one chance and any other with another, and count hits."""


def hitting_rung(rung: Rung) -> HittingRung:
    """Return a rung whose reports hit their own answer with one chance and any other with another, and count hits."""
    if rung.kind != HittingRung.kind:
        raise InvalidParameter(
            "must be a ladder over the cyclic response, whose reports can be counted by what they hit",
            parameter="ladder",
            way_out="Ask for the reports again.",
        )
    return cast("HittingRung", rung)


def declared_rung(document: Mapping[str, Any]) -> Rung:
    """Return the rung that a declaration names, at any odds; raises ValueError or KeyError when it names none."""
    return FAMILIES[document["mechanism"]].declared(document)
