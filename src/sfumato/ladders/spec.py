"""The specification of a ladder and its declaration as text, and the table of level mechanisms.

A declaration in a file may name a set of millions of shifts; it can be checked without building the set.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any, Self, cast

from sfumato.errors import InvalidInput, InvalidParameter, UnreadableFile
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.ladders.shift_levels import CyclicLevel
from sfumato.ladders.steps import descending
from sfumato.numbers.exact import read_fraction
from sfumato.sampling.mechanism import Mechanism

# The families of level mechanisms. A family is loaded on first use: most studies need one.


_HOMES = {
    "cyclic_response": "shift_levels.CyclicLevel",
    "binary_hadamard": "shift_levels.FlipLevel",
    "arc_response": "shift_levels.ArcLevel",
    "assigned_options": "shift_levels.OptionsLevel",
    "flags": "nested_levels.FlagsLevel",
    "sets": "nested_levels.SetsLevel",
    "one_time_pad": "shift_levels.PadLevel",
}


class _Families(Mapping[str, type[LevelMechanism]]):
    """Families by their kind, each loaded with its first use."""

    def __getitem__(self, kind: str) -> type[LevelMechanism]:
        module, _, name = _HOMES[kind].partition(".")
        found: type[LevelMechanism] = getattr(import_module(f"sfumato.ladders.{module}"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


FAMILIES: Mapping[str, type[LevelMechanism]] = _Families()
"""Families by their name in declarations."""


def level_over(mechanism: Mechanism) -> LevelMechanism:
    """Return the level mechanism over a mechanism; one whose noise cannot be taken back is refused."""
    for family in FAMILIES.values():
        if isinstance(mechanism, family.base):
            return family.over(mechanism)
    known = ", ".join(family.base.__name__ for kind, family in FAMILIES.items() if kind != "one_time_pad")
    raise InvalidParameter(
        f"must be one of {known}, not {type(mechanism).__name__}: levels need reports whose noise can be taken back",
        parameter="mechanism",
        way_out="Use Ladder.within(size=…, epsilons=…).",
    )


def best_level(*, size: int, epsilon: float, of_one_bit: bool = False) -> LevelMechanism:
    """Return the best level mechanism for one level; where reports are to be one bit, that of flips."""
    if of_one_bit:
        from sfumato.ladders.shift_levels import FlipLevel  # noqa: PLC0415  who wants no single bits loads none

        return FlipLevel.within(size=size, epsilon=epsilon)
    return CyclicLevel.within(size=size, epsilon=epsilon)


HittingLevel = CyclicLevel
"""A level mechanism whose reports hit their own answer with one chance and any other with another, and count hits."""


def hitting_level(rung: LevelMechanism) -> HittingLevel:
    """Return a level mechanism whose reports hit their own answer with one chance and all others with another."""
    if rung.kind != HittingLevel.kind:
        raise InvalidParameter(
            "must be a ladder over the cyclic response, whose reports can be counted by what they hit",
            parameter="ladder",
            way_out="Ask for the reports again.",
        )
    return cast("HittingLevel", rung)


def declared_level(document: Mapping[str, Any]) -> LevelMechanism:
    """Return the level mechanism that a declaration names, at any odds; raises ValueError or KeyError."""
    return FAMILIES[document["mechanism"]].declared(document)


# --- Ladders as text, as key files and files of reports describe them


_LONGEST = 20_000
# Digits of odds, numerator and denominator together.
_MOST_DIGITS = 600


def declare(rung: LevelMechanism, odds: tuple[Fraction, ...], *, recover: bool) -> str:
    """Return the one spelling of a ladder."""
    document = {
        "mechanism": rung.kind,
        **rung.declaration(),
        "odds": [str(value) for value in odds],
        "recover": recover,
    }
    return json.dumps(document, separators=(",", ":"))


def read_declaration(text: str) -> tuple[LevelMechanism, tuple[Fraction, ...], bool]:
    """Return the mechanism, the odds of the levels, and whether answers are recovered; only as `declare` writes it."""
    found = _read(text) if len(text) <= _LONGEST else None
    if found is None:
        raise UnreadableFile("the declaration of a ladder is damaged", way_out="Ask for the file again.")
    return found


def _read(text: str) -> tuple[LevelMechanism, tuple[Fraction, ...], bool] | None:
    try:
        document = json.loads(text)
        odds = tuple(read_fraction(value, most_digits=_MOST_DIGITS) for value in document["odds"])
        recover = document["recover"]
        if isinstance(recover, bool):
            rung = declared_level(document)
            if declare(rung, odds, recover=recover) == text:
                return rung, odds, recover
    except (ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError, InvalidInput, RecursionError):
        pass
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The mechanism, the exact odds of the levels, largest first, and whether level 0 has a key."""

    rung: LevelMechanism
    odds: tuple[Fraction, ...]
    recover_answers: bool

    def __post_init__(self) -> None:
        descending("odds", self.odds)
        if self.odds[-1] <= 1 and self.rung.kind != "one_time_pad":
            raise InvalidParameter(
                "the lowest level would be pure noise: its odds must be above 1", way_out="Raise its epsilon."
            )
        if self.recover_answers and not (self.rung.recoverable or self.rung.partial):
            raise no_recovery(self.rung)
        self.rung.levels(self.odds)  # which refuses odds that it cannot draw

    @classmethod
    def declared(cls, text: str) -> Self:
        """Read a declaration."""
        rung, odds, recover = read_declaration(text)
        return cls(rung=rung, odds=odds, recover_answers=recover)

    @property
    def declaration(self) -> str:
        """The one spelling."""
        return declare(self.rung, self.odds, recover=self.recover_answers)

    @property
    def depth(self) -> int:
        """How many levels there are."""
        return len(self.odds)

    @property
    def size(self) -> int:
        """How many answers there are."""
        return self.rung.size

    @property
    def modulus(self) -> int:
        """How many reports there are."""
        return self.rung.modulus

    @property
    def key_levels(self) -> tuple[int, ...]:
        """Levels that need a key: all but the public one, and 0 when answers are to be recovered."""
        return tuple(range(0 if self.recover_answers else 1, self.depth))

    @property
    def gives_answers(self) -> bool:
        """Whether the key of level 0 gives every answer back."""
        return self.recover_answers and self.rung.recoverable

    @property
    def steps_down(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The odds above and below each step but the first."""
        return tuple(itertools.pairwise(self.odds))


def no_recovery(rung: LevelMechanism) -> InvalidParameter:
    """Return the refusal to recover answers that a report and its key do not determine."""
    return InvalidParameter(
        f"is impossible over {rung.base.__name__} with {rung.size} answers: there are {rung.modulus} reports, and with "
        f"the key they must still tell {rung.size} answers apart",
        parameter="recover",
        value=True,
        way_out="Use CyclicResponse, or recover=False.",
    )
