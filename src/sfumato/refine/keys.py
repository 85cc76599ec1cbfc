"""Keys: what an analyst holds to open published reports up to their level.

The key of level j says by how much each public report was shifted since that level. It is either **information
theoretic**, the shifts themselves as they were drawn, or **computational**, a seed of 32 bytes from which the shifts
are expanded. Nothing of it is ever shown: not in a repr, an error or a log.   Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NoReturn

import numpy as np

from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.refine.hidden import Hidden
from sfumato.refine.shifts import ShiftArray
from sfumato.values import Guarantee
from sfumato.values.checks import check_at_least, check_between, check_integer

SEED_BYTES = 32
# Seeds are expanded block by block, so a key can be split between blocks without giving away its neighbours.
BLOCK_ROWS = 4096
# So many rows are drawn or expanded at a time: large enough that nothing is lost by it, small enough for any memory.
PIECE_ROWS = 64 * BLOCK_ROWS

_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What a key is for: a study by its fingerprint, a question, the column with the answers, a time step."""

    study: str = ""
    question: str = ""
    column: str = ""
    epoch: int = 0

    def __post_init__(self) -> None:
        for name in ("study", "question", "column"):
            text = getattr(self, name)
            if not isinstance(text, str) or len(text) > _LONGEST:
                raise InvalidParameter(
                    f"must be text of at most {_LONGEST} characters", parameter=name, way_out="Shorten it."
                )
        check_between("epoch", check_integer("epoch", self.epoch), 0, 1 << 31)

    def digest(self, *, with_epoch: bool = True) -> bytes:
        """32 bytes that differ whenever anything in the binding does, the epoch left out on request."""
        parts = [self.study, self.question, self.column, self.epoch if with_epoch else None]
        return sha256(b"sfumato/binding/1" + json.dumps(parts).encode()).digest()


class _Material(Hidden):
    """What a key holds."""

    __slots__ = ()

    _STAND_IN = "write the key to a key file"


class Draws(_Material):
    """Shifts as they were drawn, one a row."""

    __slots__ = ("shifts",)

    shifts: ShiftArray

    def __init__(self, shifts: ShiftArray) -> None:
        object.__setattr__(self, "shifts", shifts)

    def __repr__(self) -> str:
        return f"<{self.shifts.size} draws, not shown>"


class Seed(_Material):
    """One secret that all draws of a level, and of those below, are expanded from."""

    __slots__ = ("secret",)

    secret: bytes

    def __init__(self, secret: bytes) -> None:
        if len(secret) != SEED_BYTES:
            raise KeyRefused(
                f"a seed must have {SEED_BYTES} bytes, not {len(secret)}", way_out="Ask for the key again."
            )
        object.__setattr__(self, "secret", secret)

    def __repr__(self) -> str:
        return "<a seed, not shown>"


class BlockSeeds(_Material):
    """Secrets of single blocks, a row for each step of the ladder that they undo: part of a split seed."""

    __slots__ = ("table",)

    table: tuple[tuple[bytes, ...], ...]

    def __init__(self, table: tuple[tuple[bytes, ...], ...]) -> None:
        object.__setattr__(self, "table", table)

    def __repr__(self) -> str:
        return f"<seeds of {len(self.table[0])} blocks, not shown>"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Key:
    """The key of `level` for the rows start..stop-1 of `total`; level 0 recovers the answers themselves.

    `drawing` tells keys of one drawing from those of another; `produced` is the digest of the reports that were made
    under it, None while none were. Both are public.
    """

    ladder: str
    binding: Binding
    level: int
    start: int
    stop: int
    total: int
    drawing: str
    guarantee: Guarantee
    material: Draws | Seed | BlockSeeds
    produced: str | None = None

    def __post_init__(self) -> None:
        check_at_least("level", check_integer("level", self.level), 0)
        if not 0 <= self.start < self.stop <= self.total:
            raise InvalidParameter(
                f"rows {self.start}..{self.stop} must be a part, not empty, of the {self.total} rows of the reports",
                way_out="Choose `start` < `stop` among them.",
            )

    @property
    def is_whole(self) -> bool:
        """Whether it opens every row."""
        return (self.start, self.stop) == (0, self.total)

    def having_produced(self, digest: str) -> Key:
        """Return the key with the record of the reports made under it."""
        return replace(self, produced=digest)

    def __repr__(self) -> str:
        rows = f"all {self.total} rows" if self.is_whole else f"rows {self.start}..{self.stop - 1} of {self.total}"
        return f"<Key of level {self.level}, {rows}, {self.guarantee.value}; what it holds is not shown>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys are not pickled; write them to a key file")


def digest_of(reports: np.ndarray) -> str:
    """Return the digest of a column of public reports, whatever the width of its integers."""
    return sha256(b"sfumato/reports/1" + np.ascontiguousarray(reports, dtype="<u4").data).hexdigest()
