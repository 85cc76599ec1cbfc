"""Keys in memory, with which an analyst opens reports up to a level, and the record that draws are used once.

The key of level j says by how much each public report was shifted since that level. It is either **information
theoretic**, the shifts themselves as they were drawn, or **computational**, a seed of 32 bytes from which the shifts
are expanded. Its content is never shown in a repr, an error or a log.
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NoReturn

import numpy as np

from sfumato.errors import InvalidParameter, KeyRefused, KeyReused
from sfumato.ladders.steps import ShiftArray
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.sampling.sources import Guarantee

# --- Secrets: values that are never shown, compared, pickled or copied


class Hidden:
    """A secret. It is no dataclass, or `dataclasses.asdict` of whatever holds it would spell it out."""

    __slots__ = ()

    _STAND_IN = "ask for it where it is used"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable; make a new one instead of setting {name}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, not shown>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is a secret, and secrets are not pickled or copied; {self._STAND_IN}")


SEED_BYTES = 32
# Seeds are expanded block by block, so a key can be split between blocks without giving away its neighbours.
BLOCK_ROWS = 4096

_LONGEST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """What a key is for: a study by its fingerprint, a question, the column with the answers, a time step.

    Keys that are bound to one thing are refused for another.

    >>> import sfumato as sf
    >>> smokes = sf.ladders.Binding(study="health-2026", question="smokes", column="smokes")
    >>> later = sf.ladders.Binding(study="health-2026", question="smokes", column="smokes", epoch=1)
    >>> smokes.digest() == later.digest(), smokes.digest(with_epoch=False) == later.digest(with_epoch=False)
    (False, True)
    """

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
    """Shifts as they were drawn, one a row; rows are counted from the first row of the key."""

    __slots__ = ("_shifts",)

    _shifts: ShiftArray

    def __init__(self, shifts: ShiftArray) -> None:
        object.__setattr__(self, "_shifts", shifts)

    @property
    def rows(self) -> int:
        """How many there are."""
        return self._shifts.size

    @property
    def shifts(self) -> ShiftArray:
        """All of them, in memory."""
        return self.between(0, self.rows)

    def between(self, start: int, stop: int) -> ShiftArray:
        """Return the draws of the rows start..stop-1, to be read and not to be changed."""
        self._check(start, stop)
        return self._shifts[start:stop]

    def _check(self, start: int, stop: int) -> None:
        if not 0 <= start <= stop <= self.rows:
            raise InvalidParameter(
                f"rows {start}..{stop} must be among the {self.rows} of the key", way_out="Count from its first row."
            )

    def __repr__(self) -> str:
        return f"<{self.rows} draws, not shown>"


class StoredDraws(Draws):
    """Draws that stay in their file: what is asked for is read segment by segment, and only the last one is kept.

    Whoever goes through the rows in order has each segment opened once, however many rows they take at a time.
    """

    __slots__ = ("_last", "_read", "_rows", "_segment_rows")

    _rows: int
    _segment_rows: int
    _read: Callable[[int], ShiftArray]
    _last: tuple[int, ShiftArray] | None

    def __init__(self, rows: int, segment_rows: int, read: Callable[[int], ShiftArray]) -> None:
        for name, value in (("_rows", rows), ("_segment_rows", segment_rows), ("_read", read), ("_last", None)):
            object.__setattr__(self, name, value)

    @property
    def rows(self) -> int:
        """How many there are."""
        return self._rows

    def between(self, start: int, stop: int) -> ShiftArray:
        """Return the draws of the rows start..stop-1, to be read and not to be changed."""
        self._check(start, stop)
        size = self._segment_rows
        index = min(start, self._rows - 1) // size
        segment = self._segment(index)
        if stop <= (index + 1) * size:
            return segment[start - index * size : stop - index * size]
        # One array from the start: pieces that are joined afterwards would be in memory twice.
        found, place = np.empty(stop - start, dtype=segment.dtype), 0
        while place < found.size:
            index = (start + place) // size
            piece = self._segment(index)[start + place - index * size : stop - index * size]
            found[place : place + piece.size] = piece
            place += piece.size
        return found

    def _segment(self, index: int) -> ShiftArray:
        # One tuple, set at once: threads that share a key may read a segment twice, but never the wrong one.
        last = self._last
        if last is None or last[0] != index:
            segment = self._read(index)
            segment.setflags(write=False)
            last = (index, segment)
            object.__setattr__(self, "_last", last)
        return last[1]


class JoinedDraws(Draws):
    """Rows of several draws, one after the other: what keys are split into, and what parts are put together to."""

    __slots__ = ("_parts", "_starts")

    _parts: tuple[tuple[Draws, int, int], ...]
    _starts: tuple[int, ...]

    def __init__(self, parts: Sequence[tuple[Draws, int, int]]) -> None:
        object.__setattr__(self, "_parts", tuple(parts))
        lengths = (stop - start for _, start, stop in parts)
        object.__setattr__(self, "_starts", tuple(itertools.accumulate(lengths, initial=0)))

    @property
    def rows(self) -> int:
        """How many there are."""
        return self._starts[-1]

    def between(self, start: int, stop: int) -> ShiftArray:
        """Return the draws of the rows start..stop-1, to be read and not to be changed."""
        self._check(start, stop)
        found = []
        for (part, first, _), here, end in zip(self._parts, self._starts, self._starts[1:], strict=False):
            low, high = max(start, here), min(stop, end)
            if low < high:
                found.append(part.between(first + low - here, first + high - here))
        return found[0] if len(found) == 1 else np.concatenate([self._parts[0][0].between(0, 0), *found])


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
    under it, None while none were. Both are public. `answers` is the type that answers had in the table, of level 0.

    `Ladder.publish` draws them.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> made.keys[1]
    <Key of level 1, all 4 rows, information_theoretic; what it holds is not shown>
    >>> made.keys[0].level, made.keys[0].is_whole, made.keys[0].guarantee.value
    (0, True, 'information_theoretic')
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
    answers: str = ""

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


# --- Draws are used once: this process records what each drawing made, key files record it for all processes
# Two reports under the same draws differ by exactly the difference of the answers. So the second report shows everyone
# whether, and how, an answer changed: ε is infinite [B, Thm 6]. Making the same reports again is not reuse.


_MADE: dict[tuple[str, str], str] = {}
_LOCK = threading.Lock()


def claim_drawing(key: Key, digest: str) -> None:
    """Record that a drawing makes these reports; raise if it ever made others."""
    if key.produced is not None and key.produced != digest:
        raise _reused()
    if key.guarantee is Guarantee.NONE:  # a simulation: its seed is for anyone to repeat, and hides nothing
        return
    with _LOCK:
        if _MADE.setdefault((key.drawing, key.binding.question), digest) != digest:
            raise _reused()


def _reused() -> KeyReused:
    return KeyReused(
        "these keys have already made other reports. Under the same draws, the difference of two reports is the "
        "difference of the answers, for everybody to see",
        way_out="Draw new keys, or rotate to a new epoch.",
    )
