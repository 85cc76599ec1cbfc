"""The note that goes with reports: which study they are of, at which level each column stands, and their parts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.account.published import EarlierRelease, checked_name
from sfumato.account.published_documents import seen_from
from sfumato.errors import InvalidInput, InvalidParameter, Place, UnreadableFile
from sfumato.files.json_documents import check_keys, check_schema
from sfumato.study.part_notes import PartNote, part_from, part_json
from sfumato.study.reader_sums import ReaderSum, sums_over
from sfumato.study.studies import Study
from sfumato.study.study_files import as_document, fingerprint, study_from
from sfumato.study.totals import seen_by_readers
from sfumato.study.ways import Way

SCHEMA = "sfumato/reports/3"
_KEYS = ("schema", "study", "epoch", "source", "insecure", "publication", "columns", "parts")
# Of a release that was not the first: its name, and what those before it show of the same people.
_AGAIN_KEYS = ("again", "earlier")
# Of parts of several publications that were put together without comparing their people.
_ASSUMED_KEY = "assumed_disjoint"
_ASSUMED_DISJOINT = "It was assumed, and not checked, that no person is in two of the publications that were combined."
_COLUMN_KEYS = ("declaration", "level")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNote:
    """A question's column: at `level` (0: the answers themselves), made by what its way declared, if anything."""

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
        """How many people there are: amendments bring nobody, and who was erased is gone."""
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

    def way(self, question: str) -> Way:
        """Return how a question was asked."""
        return self.study.way(question, self.column(question).declaration)

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


def column_notes(ways: Iterable[Way]) -> dict[str, ColumnNote]:
    """Return the notes on columns as they are published."""
    return {way.question.id: ColumnNote(declaration=way.declaration, level=len(way.epsilons)) for way in ways}


def _damaged(path: str | Path) -> UnreadableFile:
    return UnreadableFile("the note is damaged", place=Place(file=str(path)), way_out="Ask for the reports again.")


def _from_document(document: dict[str, Any], path: str | Path) -> ReportsNote:
    check_keys(document, path, known=(*_KEYS, *_AGAIN_KEYS, _ASSUMED_KEY), needed=_KEYS)
    declared = {key: value for key, value in document["study"].items() if key != "schema"}
    study = study_from(declared, Path(path).parent, at_once=False)
    columns = {}
    for name, column in document["columns"].items():
        check_keys(column, path, known=_COLUMN_KEYS, needed=_COLUMN_KEYS)
        way = study.way(name, column["declaration"])
        if way.declaration != column["declaration"] or not 0 <= column["level"] <= len(way.epsilons):
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
