"""What registrar's keys give back of reports: the answers as they were, or with leave what these were rounded to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import KeyRefused
from sfumato.study.key_rings import KeyRing
from sfumato.study.notes import ReportsNote


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Which columns are undone with which keys; `rounded` are questions whose answers do not come back, and why."""

    ring: KeyRing
    rounded: Mapping[str, str] = field(default_factory=dict)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Say of each question whose answers do not come back what comes instead."""
        given = self.ring.questions
        return tuple(
            f"{name} holds what its reports round answers to, and not the answers: {why}."
            if name in given
            else f"{name} is left out, its answers do not come back: {why}."
            for name, why in self.rounded.items()
        )

    def columns(self, note: ReportsNote, name: str, values: npt.NDArray[np.int64], *, as_text: bool) -> dict[str, Any]:
        """Return what came back of a column as columns of a table, in the type that the table had."""
        return note.way(name).answer_columns(values, as_text=as_text, kind=self.ring.answers(name))


def recovery_of(
    note: ReportsNote, ring: KeyRing, *, rounded: bool = False, wanted: Sequence[str] | None = None
) -> Recovery:
    """Choose for each question that keys are at hand for what gives its answers back; refuses what gives none.

    `wanted` are all questions that were asked for, also those that have no key.
    """
    held = set(ring.questions)
    used: list[str] = []
    less: dict[str, str] = {}
    for name in note.questions:
        way = note.way(name)
        sealed = None if way.sealed is None else way.sealed.question.id
        if name not in held and sealed not in held and name not in (wanted or ()):
            continue
        if sealed is not None and sealed in held:
            used.append(sealed)
            continue
        why = f"reports round them, and no key to column {sealed} is at hand" if sealed else way.not_recovered
        if why is None and name in held:
            used.append(name)
            continue
        less[name] = why or "no key to them is at hand"
        if not rounded:
            raise _lost(name, less[name], sealed)
        if name in held and way.gives_rounded:
            used.append(name)
    if not used:
        raise KeyRefused("of these questions no answers come back", way_out="Estimate from the reports.")
    keys = {place: key for name in used for place, key in ring.keys.items() if place[1] == name}
    return Recovery(ring=replace(ring, keys=keys), rounded=less)


def _lost(name: str, why: str, sealed: str | None) -> KeyRefused:
    """Return the refusal to call something the answers that is not."""
    key = f"Give the registrar's key to {sealed} as well, or give" if sealed else "Give"
    return KeyRefused(
        f"the answers to question {name!r} do not come back: {why}",
        way_out=f"{key} `rounded`, for what reports hold of it in place of answers.",
    )
