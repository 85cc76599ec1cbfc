"""The table of the families of rungs. A family is loaded when somebody asks for it: most studies climb by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, cast

from sfumato.bits.mechanism import Mechanism
from sfumato.errors import InvalidParameter
from sfumato.refine.rungs.base import Rung
from sfumato.refine.rungs.cyclic import CyclicRung

_HOMES = {
    "cyclic_response": "cyclic.CyclicRung",
    "binary_hadamard": "flips.FlipRung",
    "arc_response": "arc.ArcRung",
    "assigned_options": "options.OptionsRung",
    "flags": "flags.FlagsRung",
    "sets": "sets.SetsRung",
    "one_time_pad": "pad.PadRung",
}


class _Families(Mapping[str, type[Rung]]):
    """Families by their kind, each loaded with its first use."""

    def __getitem__(self, kind: str) -> type[Rung]:
        module, _, name = _HOMES[kind].partition(".")
        found: type[Rung] = getattr(import_module(f"sfumato.refine.rungs.{module}"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


FAMILIES: Mapping[str, type[Rung]] = _Families()
"""Families by their name in declarations."""


def rung_over(mechanism: Mechanism) -> Rung:
    """Return the rung over a mechanism; one whose noise cannot be taken back is refused."""
    for family in FAMILIES.values():
        if isinstance(mechanism, family.base):
            return family.over(mechanism)
    known = ", ".join(family.base.__name__ for kind, family in FAMILIES.items() if kind != "one_time_pad")
    raise InvalidParameter(
        f"must be one of {known}, not {type(mechanism).__name__}: levels need reports whose noise can be taken back",
        parameter="mechanism",
        way_out="Use Ladder.within(size=…, epsilons=…).",
    )


def best_rung(*, size: int, epsilon: float, of_one_bit: bool = False) -> Rung:
    """Return the best rung for one level; where reports are to be one bit, that of flips."""
    if of_one_bit:
        from sfumato.refine.rungs.flips import FlipRung  # noqa: PLC0415  who wants no single bits loads none

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
