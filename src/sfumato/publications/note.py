"""The note that goes with reports, and what is known of a part."""

from __future__ import annotations

import base64
import hmac
import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InvalidInput, InvalidParameter, Place, UnreadableFile
from sfumato.files.documents import check_keys, check_schema
from sfumato.keys.digests import SALT_BYTES, Numbers, ReportTree
from sfumato.ladders.drawing import random_bytes
from sfumato.ladders.keys import BLOCK_ROWS
from sfumato.ledger.amounts import decimal_above
from sfumato.ledger.releases import EarlierRelease, checked_name, seen_from
from sfumato.sampling.sources import BitSource, Guarantee, SystemBits
from sfumato.study.file import as_document, fingerprint, study_from
from sfumato.study.handler import Handler
from sfumato.study.readers import ReaderSum, sums_over
from sfumato.study.study import Study, seen_by_readers

# --- Parts: id, rows, roots of columns, salts, and erasures
# The name of a row is the part's id with its number. Numbers are dense where a part brings new people. A part that
# amends another has the numbers of the rows that it amends there.   Format: docs/reference/files.md


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

    Salts are made of a secret that is not kept: they stand in the note of the part, and those that are replaced with an
    erased row are kept nowhere. A simulation repeats its own. `before` is the note of a part that is made again.
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
        rows=_row_number(document["rows"]),
        roots={str(name): _like(_DIGEST, root) for name, root in document["roots"].items()},
        salts=base64.b64decode(document["salts"], validate=True),
        start=_row_number(document.get("start", 0)),
        blocks=None if blocks is None else _ascending(blocks),
        series=None if document.get("series") is None else _like(_ID, document["series"]),
        amends=None if document.get("amends") is None else _like(_ID, document["amends"]),
        turn=_row_number(document.get("turn", 0)),
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
    found = tuple(_row_number(value) for value in values)
    if any(later <= earlier for earlier, later in itertools.pairwise(found)):
        raise ValueError("not ascending")
    return found


def _like(pattern: re.Pattern[str], text: object) -> str:
    if not isinstance(text, str) or pattern.fullmatch(text) is None:
        raise ValueError("no id or digest")
    return text


def _row_number(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST_ROWS:
        raise ValueError("not a whole number")
    return value


SCHEMA = "sfumato/reports/3"
_KEYS = ("schema", "study", "epoch", "source", "insecure", "publication", "columns", "parts")
# Of a later release: its name, and what the releases before it show of the same people.
_AGAIN_KEYS = ("again", "earlier")
# Of combined parts of several publications whose people were not compared.
_ASSUMED_KEY = "assumed_disjoint"
_ASSUMED_DISJOINT = "It was assumed, and not checked, that no person is in two of the publications that were combined."
_COLUMN_KEYS = ("declaration", "level")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNote:
    """A question's column: at `level` (0: the answers themselves), with the declaration of its handler, if any."""

    declaration: str | None
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportsNote:
    """What reports are.

    `parts` are theirs, in the order in which they were published. `publication` is the id of the first part of the
    publication, so that all views of one publication bear the same mark and no others do. `insecure` reports come from
    a seed that anyone can repeat; `source` says in words where the draws came from. A further release about the same
    people has the name `again`, and `earlier` says what those before it show. `assumed_disjoint` parts are of several
    publications whose people were not compared.
    """

    study: Study
    epoch: int
    source: str
    columns: Mapping[str, ColumnNote]
    parts: tuple[PartNote, ...]
    publication: str
    insecure: bool = False
    again: str | None = None
    earlier: tuple[EarlierRelease, ...] = ()
    assumed_disjoint: bool = False

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What every estimate from these reports has to say, in sentences."""
        return (_ASSUMED_DISJOINT,) if self.assumed_disjoint else ()

    @property
    def sums(self) -> tuple[ReaderSum, ...]:
        """What readers see of a respondent over all questions, this release and those before it together."""
        return sums_over([*(one.seen for one in self.earlier), seen_by_readers(self.study)])

    @property
    def fingerprint(self) -> str:
        """Of the study."""
        return fingerprint(self.study)

    @property
    def rows(self) -> int:
        """How many people there are: amendments add none, and erased people are not counted."""
        return sum(part.present for part in self.parts if part.amends is None)

    @property
    def erased(self) -> int:
        """How many people were erased."""
        return sum(len(part.erased) for part in self.parts if part.amends is None)

    def part(self, name: str) -> PartNote:
        """Return the part with an id."""
        return next(part for part in self.parts if part.id == name)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that these are reports on; other columns are sealed for the registrar."""
        asked = {question.id for question in self.study.questions}
        return tuple(name for name in self.columns if name in asked)

    def handler(self, question: str) -> Handler:
        """Return how a question was asked."""
        return self.study.handler(question, self.column(question).declaration)

    def column(self, question: str) -> ColumnNote:
        """Return the note on a question's column."""
        if question not in self.columns:
            raise InvalidParameter(
                f"is not among these reports, which have: {', '.join(self.questions)}",
                parameter="question",
                value=question,
                way_out="Name one of these.",
            )
        return self.columns[question]

    def to_text(self) -> str:
        """Return the note as JSON."""
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "study": as_document(self.study),
            "epoch": self.epoch,
            "source": self.source,
            "insecure": self.insecure,
            "publication": self.publication,
            "columns": {
                name: {"declaration": column.declaration, "level": column.level}
                for name, column in self.columns.items()
            },
            "parts": [part_json(part) for part in self.parts],
        }
        if self.again is not None:
            document["again"] = self.again
        if self.earlier:
            document["earlier"] = [
                {"release": one.release, "name": one.name, "seen": dict(one.seen)} for one in self.earlier
            ]
        if self.assumed_disjoint:
            document[_ASSUMED_KEY] = True
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_text(cls, text: str | None, path: str | Path) -> ReportsNote:
        """Read the note of a table; refuses one that is missing, damaged or newer."""
        if text is None:
            raise UnreadableFile(
                "the file does not say which study its reports are of",
                place=Place(file=str(path)),
                way_out=f"Use the file that `sfumato publish` wrote; a CSV needs the file {Path(path).name}.about.json "
                f"beside it. Reports of a card that were typed in need the study: name it as well.",
            )
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise _damaged(path) from None
        if not isinstance(document, dict):
            raise _damaged(path)
        check_schema(document, path, kind="reports", version=3)
        try:
            return _from_document(document, path)
        except (InvalidInput, KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise _damaged(path) from None


def column_notes(handlers: Iterable[Handler]) -> dict[str, ColumnNote]:
    """Return the notes on columns as they are published."""
    return {
        handler.question.id: ColumnNote(declaration=handler.declaration, level=len(handler.epsilons))
        for handler in handlers
    }


def _damaged(path: str | Path) -> UnreadableFile:
    return UnreadableFile("the note is damaged", place=Place(file=str(path)), way_out="Ask for the reports again.")


def _from_document(document: dict[str, Any], path: str | Path) -> ReportsNote:
    check_keys(document, path, known=(*_KEYS, *_AGAIN_KEYS, _ASSUMED_KEY), needed=_KEYS)
    declared = {key: value for key, value in document["study"].items() if key != "schema"}
    study = study_from(declared, Path(path).parent, at_once=False)
    columns = {}
    for name, column in document["columns"].items():
        check_keys(column, path, known=_COLUMN_KEYS, needed=_COLUMN_KEYS)
        handler = study.handler(name, column["declaration"])
        if handler.declaration != column["declaration"] or not 0 <= column["level"] <= len(handler.epsilons):
            raise ValueError("the column does not fit its question")
        columns[name] = ColumnNote(declaration=column["declaration"], level=_whole(column["level"]))
    if not isinstance(document["insecure"], bool) or document.get(_ASSUMED_KEY, True) is not True:
        raise TypeError("insecure is true or false, and what is assumed is true")
    parts = tuple(part_from(part) for part in document["parts"])
    once = len({part.id for part in parts}) == len(parts)
    if not parts or not once or any(set(part.roots) - set(columns) for part in parts):
        raise ValueError("the parts do not fit the columns")
    return ReportsNote(
        study=study,
        epoch=_whole(document["epoch"]),
        parts=parts,
        source=str(document["source"]),
        insecure=document["insecure"],
        publication=str(document["publication"]),
        columns=columns,
        again=checked_name("again", document.get("again")),
        earlier=tuple(_earlier_from(one) for one in document.get("earlier", ())),
        assumed_disjoint=_ASSUMED_KEY in document,
    )


def _earlier_from(document: dict[str, Any]) -> EarlierRelease:
    seen = seen_from(document["seen"])
    name = checked_name("name", document["name"])
    return EarlierRelease(release=str(document["release"]), name=name, seen=seen)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("not a whole number")
    return value


# --- What several releases about the same people show together
# Sentences for every page that readers see.


_PLACES = 4


def releases_words(note: ReportsNote) -> str:
    """Say what readers see of a respondent over this release and those before it; nothing where it is the first."""
    if not note.earlier:
        return ""
    named = "" if note.again is None else f", called “{note.again}”"
    return (
        f"This is release {len(note.earlier) + 1} about the same people{named}, and releases add up. Over all of them "
        f"and all questions is seen of a respondent: {sums_words(note.sums)}."
    )


def sums_words(sums: Iterable[ReaderSum]) -> str:
    """List what each reader sees over several releases, rounded up."""
    return "; ".join(f"{one.holder}: {sum_words(one.epsilon)}" for one in sums)


def sum_words(epsilon: float | None) -> str:
    """Say how much is seen: ε rounded up, the answers, or that no ε is promised."""
    if epsilon is None:
        return "the answers"
    return "no ε is promised" if math.isinf(epsilon) else f"ε = {decimal_above(Fraction(epsilon), _PLACES)}"
