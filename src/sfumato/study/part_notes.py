"""What is known of a part: its id, its rows, the roots of its columns, the salts, and what was erased from it.

The name of a row is the part's id with its number. Numbers are dense where a part brings new people; a part that amends
another has the numbers of the rows that it amends there.   Format: docs/reference/files.md
"""

from __future__ import annotations

import base64
import hmac
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.bits import BitSource, SystemBits
from sfumato.errors import UnreadableFile
from sfumato.refine.drawing import random_bytes
from sfumato.refine.keys import BLOCK_ROWS
from sfumato.refine.report_trees import SALT_BYTES, Numbers, ReportTree
from sfumato.values import Guarantee

PART_BYTES = 16
_SECRET_BYTES = 32
_ID = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_ROWS = 1 << 40
_NEEDED = ("id", "rows", "roots", "salts")
_OPTIONAL = ("start", "blocks", "series", "amends", "turn", "erased", "rewritten")


@dataclass(frozen=True, kw_only=True)
class PartNote:
    """A part of a publication, or what a key has opened of it.

    `rows` is how many it was made with, `start` the first number of a dense part. `blocks` are the blocks that have
    rows, None where they follow one another from that of `start`. `series` is the part whose seeds made its draws.
    `turn` counts the amendments of a part, from 1 on: the last of a cell is the one that holds. `rewritten` has the
    digests that blocks had when the keys were made, by block and question.
    """

    id: str
    rows: int
    roots: Mapping[str, str]
    salts: bytes = field(repr=False)
    start: int = 0
    blocks: tuple[int, ...] | None = field(default=None, repr=False)
    series: str | None = None
    amends: str | None = None
    turn: int = 0
    erased: tuple[int, ...] = field(default=(), repr=False)
    rewritten: Mapping[int, Mapping[str, str]] = field(default_factory=dict, repr=False)

    @property
    def is_dense(self) -> bool:
        """Whether its numbers follow one another, but for those that were erased."""
        return self.blocks is None

    @property
    def present(self) -> int:
        """How many rows are left."""
        return self.rows - len(self.erased)

    @property
    def seeds(self) -> str:
        """The id that seeds of this part go by."""
        return self.id if self.series is None else self.series

    @property
    def base(self) -> str:
        """The part whose rows it is about: that which it amends, or itself."""
        return self.id if self.amends is None else self.amends

    @property
    def block_count(self) -> int:
        """How many blocks it has, without listing them."""
        if self.blocks is not None:
            return len(self.blocks)
        return -(-(self.start + self.rows) // BLOCK_ROWS) - self.start // BLOCK_ROWS

    @cached_property
    def all_blocks(self) -> tuple[int, ...]:
        """The blocks that have, or had, rows."""
        if self.blocks is not None:
            return self.blocks
        first = self.start // BLOCK_ROWS
        return tuple(range(first, first + self.block_count))

    @cached_property
    def places(self) -> dict[int, int]:
        """Where each block stands among those that there are."""
        return {block: place for place, block in enumerate(self.all_blocks)}

    def salt_of(self, block: int) -> bytes:
        """Return the salt of a block."""
        place = self.places.get(block)
        if place is None:
            raise not_as_noted("rows")
        return self.salts[place * SALT_BYTES : (place + 1) * SALT_BYTES]

    def tree(self, questions: Iterable[str]) -> ReportTree:
        """Return what the digests of its columns are found with."""
        return ReportTree([name for name in questions if name in self.roots], self.salt_of)

    def check(self, tree: ReportTree) -> None:
        """Refuse columns that are not those that the note speaks of."""
        tree.finish(self.all_blocks)
        for question in tree.digests:
            if tree.root(question) != self.roots[question]:
                raise not_as_noted(question)

    def first_root(self, question: str, tree: ReportTree) -> str:
        """Return the root that a column had when its keys were made, before anything was erased."""
        before = {block: digests[question] for block, digests in self.rewritten.items()}
        return tree.root(question, before)

    def numbers_from(self, place: int, count: int) -> Numbers:
        """Return the numbers of rows of a dense part, by their places among those that are left."""
        places = np.arange(place, place + count, dtype=np.int64)
        return self.start + places + np.searchsorted(self._left_before, places, side="right")

    @cached_property
    def _left_before(self) -> Numbers:
        """How many rows are left before each of those that were erased; as long as they are many, and no longer."""
        erased = np.array(self.erased, dtype=np.int64)
        return erased - self.start - np.arange(erased.size)


def not_as_noted(question: str) -> UnreadableFile:
    """Return the refusal of reports that do not match their note."""
    return UnreadableFile(
        f"column {question} is not the column that its note speaks of: rows were changed, dropped or put in another "
        f"order",
        way_out="Ask for the file again. A selection of rows is read with `note`, the file beside the whole.",
    )


def new_part_id(source: BitSource | None) -> str:
    """Return the id of a new part: 16 bytes of the source, or of the system."""
    return random_bytes(SystemBits() if source is None else source, PART_BYTES).hex()


class Salts:
    """Gives each block of a part a salt, and the same one whenever it is asked, in whatever process.

    Salts are made of a secret that nobody keeps: they stand in the note of the part, those that are exchanged with an
    erased row stand nowhere. A simulation repeats its own. `before` is the note of a part that is made again.
    """

    def __init__(self, part: str, source: BitSource, before: PartNote | None = None) -> None:
        is_simulated = source.guarantee is Guarantee.NONE
        self._secret = f"sfumato simulated salt {part}".encode() if is_simulated else SystemBits().bytes(_SECRET_BYTES)
        self._before = before

    def __call__(self, block: int) -> bytes:
        """Return the salt of a block."""
        if self._before is not None and block in self._before.places:
            return self._before.salt_of(block)
        return hmac.digest(self._secret, block.to_bytes(8, "big"), "sha256")[:SALT_BYTES]

    def __repr__(self) -> str:
        return "<Salts, not shown>"


def part_json(part: PartNote) -> dict[str, Any]:
    """Return a part as plain texts and numbers; what is not so is left out."""
    document: dict[str, Any] = {
        "id": part.id,
        "rows": part.rows,
        "roots": dict(part.roots),
        "salts": base64.b64encode(part.salts).decode(),
    }
    optional = {
        "start": part.start or None,
        "blocks": None if part.blocks is None else list(part.blocks),
        "series": part.series,
        "amends": part.amends,
        "turn": part.turn or None,
        "erased": list(part.erased) or None,
        "rewritten": {str(block): dict(old) for block, old in sorted(part.rewritten.items())} or None,
    }
    return document | {name: value for name, value in optional.items() if value is not None}


def part_from(document: Mapping[str, Any]) -> PartNote:
    """Read it back; whatever `part_json` never says ends in some error, which the reader of the file knows."""
    if set(document) - {*_NEEDED, *_OPTIONAL}:
        raise ValueError("other entries than a part has")
    blocks = document.get("blocks")
    part = PartNote(
        id=_like(_ID, document["id"]),
        rows=_whole(document["rows"]),
        roots={str(name): _like(_DIGEST, root) for name, root in document["roots"].items()},
        salts=base64.b64decode(document["salts"], validate=True),
        start=_whole(document.get("start", 0)),
        blocks=None if blocks is None else _ascending(blocks),
        series=None if document.get("series") is None else _like(_ID, document["series"]),
        amends=None if document.get("amends") is None else _like(_ID, document["amends"]),
        turn=_whole(document.get("turn", 0)),
        erased=_ascending(document.get("erased", [])),
        rewritten={
            int(block): {str(name): _like(_DIGEST, digest) for name, digest in old.items()}
            for block, old in document.get("rewritten", {}).items()
        },
    )
    if not part.roots or len(part.salts) != SALT_BYTES * part.block_count or len(part.erased) > part.rows:
        raise ValueError("as many salts as blocks")
    if part.is_dense and part.erased and not part.start <= part.erased[0] <= part.erased[-1] < part.start + part.rows:
        raise ValueError("erased rows lie in the part")
    if not part.is_dense and part.rows > BLOCK_ROWS * part.block_count:
        raise ValueError("more rows than the blocks hold")
    if any(set(old) != set(part.roots) for old in part.rewritten.values()):
        raise ValueError("a block that was rewritten had a digest for each question")
    if (part.amends is None) != (part.turn == 0):
        raise ValueError("an amendment has its turn, and nothing else has one")
    return part


def _ascending(values: list[Any]) -> tuple[int, ...]:
    found = tuple(_whole(value) for value in values)
    if any(later <= earlier for earlier, later in itertools.pairwise(found)):
        raise ValueError("not ascending")
    return found


def _like(pattern: re.Pattern[str], text: object) -> str:
    if not isinstance(text, str) or pattern.fullmatch(text) is None:
        raise ValueError("no id or digest")
    return text


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST_ROWS:
        raise ValueError("not a whole number")
    return value
