"""A publication of reports, as a record and a ledger remember it: which draws made which reports, about whom.

Two rules follow from it, and every record and ledger keeps both. **One drawing makes one column of reports**: under the
same draws, the difference of two columns is the difference of the answers. **People are released about once**, unless a
further release is named as one: ε of all releases about the same people adds up.   Theory: docs/theory/composition.md
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from sfumato.account.lines import MOST_TITLE, check_line
from sfumato.errors import KeyReused, ReleasedBefore

ANSWERS = "answers"
"""What a reader sees who gets the answers back."""

_DRAWING = re.compile(r"[0-9a-f]{32}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SPELLING = re.compile(r"[0-9]{1,20}(\.[0-9]{1,30})?(e[-+][0-9]{1,3})?")
_KEYS = {"study", "fingerprint", "epoch", "rows", "columns", "seen", "people", "again", "file"}

Seen = tuple[tuple[str, str], ...]
"""By reader: ε over all questions as text, rounded up, `inf` where none is promised, or `answers`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedColumn:
    """The reports of a question: their digest, and the drawing that made them."""

    question: str
    drawing: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One publication. `file` is the study's file, as seen from where this is noted; `again` names a further release.

    Without `people` they are those of the study; with a name, they are declared to be others than under another name.
    """

    study: str
    fingerprint: str
    epoch: int
    rows: int
    columns: tuple[PublishedColumn, ...]
    seen: Seen
    people: str | None = None
    again: str | None = None
    file: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_line("study", self.study, MOST_TITLE)
        for name in ("people", "again"):
            if getattr(self, name) is not None:
                check_line(name, getattr(self, name), MOST_TITLE)
        object.__setattr__(self, "columns", tuple(sorted(self.columns, key=lambda column: column.question)))
        object.__setattr__(self, "seen", tuple(sorted(self.seen)))

    @property
    def id(self) -> str:
        """Its name, which differs whenever its draws do, or the reports."""
        drawn = _digest(column.drawing for column in self.columns)
        made = _digest([str(self.rows), *(f"{column.question} {column.digest}" for column in self.columns)])
        return f"reports {self.fingerprint[:16]} epoch {self.epoch} drawing {drawn} digest {made}"

    @property
    def token(self) -> str:
        """A short name for files that are on their way."""
        return sha256(self.id.encode()).hexdigest()[:16]

    def is_about(self, before: Published) -> bool:
        """Whether an earlier publication is about the same people: one study, one epoch, and nobody declared others."""
        same_study = self.study == before.study or (self.file is not None and self.file == before.file)
        return same_study and self.epoch == before.epoch and self.people in {None, before.people}

    def asks_again(self, before: Published) -> bool:
        """Whether an earlier publication is of the same people and of one of the same questions."""
        asked = {column.question for column in self.columns} & {column.question for column in before.columns}
        return bool(asked) and self.is_about(before)

    @property
    def summary(self) -> EarlierRelease:
        """What readers of a later release are told of this one."""
        return EarlierRelease(release=self.token, name=self.again, seen=self.seen)

    def check_draws(self, others: Iterable[Published]) -> None:
        """Raise KeyReused if one of its drawings made other reports."""
        made = {column.drawing: column.digest for column in self.columns}
        for other in others:
            if any(made.get(column.drawing, column.digest) != column.digest for column in other.columns):
                raise KeyReused(
                    "these draws have made other reports already, perhaps under a copy of the key files: under the "
                    "same draws, the difference of two reports is the difference of the answers, for everybody to see "
                    "(`sfumato explain key-reuse`)",
                    way_out="Draw new keys, or rotate to a new epoch.",
                )

    def check_once(self, others: Iterable[Published]) -> None:
        """Raise ReleasedBefore if the same people were asked the same before, and this is no further release."""
        before = [other for other in others if self.asks_again(other)]
        if before and self.again is None:
            raise ReleasedBefore(
                f"the study {self.study!r} was published before in epoch {self.epoch}, and a second publication with "
                f"fresh draws tells more about the same people: enough of them tell everything",
                way_out="Use the reports that were made. `again` names a further release, which is paid for and added "
                "up; `people` declares that these are other people.",
            )
        if any(other.again == self.again for other in before):
            raise ReleasedBefore(
                "was made already, with other draws",
                parameter="again",
                value=self.again,
                way_out="Use the reports that were made, or give the new release a name of its own.",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierRelease:
    """What readers of a release are told of one before it, about the same people: its name, and what it shows."""

    release: str
    name: str | None
    seen: Seen


def published_json(published: Published) -> dict[str, Any]:
    """Return it as plain texts and numbers; what is not said is left out."""
    document: dict[str, Any] = {
        "study": published.study,
        "fingerprint": published.fingerprint,
        "epoch": published.epoch,
        "rows": published.rows,
        "columns": {one.question: {"digest": one.digest, "drawing": one.drawing} for one in published.columns},
        "seen": dict(published.seen),
    }
    optional = {name: getattr(published, name) for name in ("people", "again", "file")}
    return document | {name: text for name, text in optional.items() if text is not None}


def published_from(document: Mapping[str, Any]) -> Published:
    """Read it back; whatever `published_json` never says ends in some error, which the reader of the file knows."""
    columns = tuple(
        PublishedColumn(
            question=_line(question), drawing=_like(_DRAWING, one["drawing"]), digest=_like(_DIGEST, one["digest"])
        )
        for question, one in document["columns"].items()
    )
    if not columns or set(document) - _KEYS:
        raise ValueError("other entries than a publication has")
    optional = {name: _line(document[name]) for name in ("people", "again", "file") if name in document}
    return Published(
        study=_line(document["study"]),
        fingerprint=_like(_DIGEST, document["fingerprint"]),
        epoch=_whole(document["epoch"]),
        rows=_whole(document["rows"]),
        columns=columns,
        seen=seen_from(document["seen"]),
        **optional,
    )


def seen_from(document: Mapping[str, Any]) -> Seen:
    """Read what readers see; raises ValueError, AttributeError or InvalidParameter on anything else."""
    return tuple(sorted((_line(reader), _epsilon_text(text)) for reader, text in document.items()))


def _epsilon_text(text: object) -> str:
    if not isinstance(text, str) or not (text in {ANSWERS, "inf"} or _SPELLING.fullmatch(text)):
        raise ValueError("no ε")
    return text


def _line(text: object) -> str:
    check_line("text", text, 1000)
    return str(text)


def _like(pattern: re.Pattern[str], text: object) -> str:
    if not isinstance(text, str) or pattern.fullmatch(text) is None:
        raise ValueError("no digest")
    return text


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("not a whole number")
    return value


def _digest(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:32]


def checked_name(parameter: str, name: str | None) -> str | None:
    """Return the name of a release or of people as it is kept: one line, no blanks around it."""
    if name is None:
        return None
    check_line(parameter, name, MOST_TITLE)
    return name.strip()
