"""Two transactions of PostgreSQL that stand in each other's way: one is undone as a whole, and done again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from typing import ParamSpec, TypeVar

from psycopg import errors

from sfumato.study.collections import StoredRow
from sfumato.web.stores.base import StoreFailed

IN_THE_WAY = (errors.DeadlockDetected, errors.SerializationFailure)
_TURNS = 5

T = TypeVar("T")
P = ParamSpec("P")


class InTheWay(StoreFailed):
    """A transaction that was undone because another one stood in its way."""


def taking_turns(method: Callable[P, T]) -> Callable[P, T]:
    """Do a transaction again that was undone so; after a few times it has failed."""

    @wraps(method)
    def done(*given: P.args, **named: P.kwargs) -> T:
        for _ in range(_TURNS - 1):
            with suppress(InTheWay):
                return method(*given, **named)
        return method(*given, **named)

    return done


def first_places(rows: Sequence[StoredRow]) -> dict[tuple[int, bytes], int]:
    """Return where each wave and id stands first, sorted by them: writers wait for each other in one order."""
    found: dict[tuple[int, bytes], int] = {}
    for place, row in enumerate(rows):
        found.setdefault((row.wave, row.id), place)
    return dict(sorted(found.items()))
