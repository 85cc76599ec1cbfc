"""Answering a study as a respondent's device does.

Answers stay on the device. What leaves it has one length, and its distribution is that of the study's questions: the
row is drawn by the code that draws every part, and the bodies hold the shifts of the same draw.
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.documents import check_schema
from sfumato.files.staging import locked
from sfumato.keys.digests import NOTHING
from sfumato.keys.shares import seal_share, share_info
from sfumato.ladders.drawing import random_bytes
from sfumato.publications.note import new_part_id
from sfumato.publications.part import MemoryStore, binding_of, source_or_system
from sfumato.sampling.sources import BitSource, Guarantee
from sfumato.study.answers import AnswerCells, needed_columns, read_cells
from sfumato.study.collect_terms import Mode
from sfumato.study.collection import SECRET_BYTES, Collection, checked_secret, collection_of, report_id, wave_secret
from sfumato.study.file import read_study
from sfumato.study.handler import Draw
from sfumato.study.study import Study

# --- Drawing reports on a device: one row, or many at once where devices are simulated
# The draw of a question is its report and the shift of each level that has a key. The collection decides which receiver
# gets which shift.


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnCell:
    """What was drawn of one question for one person: the report, None for a gap, and the shifts by level."""

    report: int | None = field(repr=False)
    shifts: Mapping[int, int] = field(repr=False)


def answers_table(collection: Collection, answers: Mapping[str, str] | Sequence[Mapping[str, str]]) -> Any:
    """Return answers as a table: one row a person, a column for everything that questions are read from."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    rows = [answers] if isinstance(answers, Mapping) else list(answers)
    columns = needed_columns(collection.study.questions)
    for row in rows:
        for name, given in row.items():
            text: object = given
            if name not in columns:
                raise InvalidParameter(
                    f"names what is not asked; the study asks: {', '.join(columns)}",
                    parameter="answers",
                    value=name,
                    way_out="Answer these.",
                )
            if not isinstance(text, str):
                raise InvalidParameter(
                    f"must be text, also where it is a number, and is not for {name}",
                    parameter="answers",
                    way_out="Put it in quotes.",
                )
    return pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in columns})


def cells_of(collection: Collection, question: str, table: Any) -> AnswerCells:
    """Read the answers to a question; whatever is no answer is refused without being repeated."""
    return read_cells(collection.study, collection.columns[question], table, 0)


def answer_mark(cells: AnswerCells) -> bytes:
    """Return a mark that distinguishes the answers of a person, however they are written."""
    is_drawn = cells.drawn is None or bool(cells.drawn.any())
    return repr(np.asarray(cells.answers).tolist() if is_drawn else None).encode()


def draw_cells(
    collection: Collection, question: str, cells: AnswerCells, rows: int, bits: BitSource
) -> list[DrawnCell]:
    """Draw a question for so many people, each with bits of their own."""
    store = MemoryStore()
    draw = Draw(
        bits=bits,
        guarantee=Guarantee.INFORMATION_THEORETIC,
        binding=binding_of(collection.study, question, 0),
        # It only says how numbers are rounded, and differs from one device to the next.
        part=new_part_id(bits),
        store=store,
    )
    drawer = collection.columns[question].drawer(draw)
    numbers = np.arange(rows, dtype=np.int64)
    reports = cells.spread(drawer.draw(cells.answers, numbers, cells.drawn)).tolist()
    levels = {level: np.concatenate(pieces).tolist() for level, pieces in store.levels.items()}
    return [
        DrawnCell(
            report=None if report == NOTHING else int(report),
            shifts={level: int(shifts[place]) for level, shifts in levels.items()},
        )
        for place, report in enumerate(reports)
    ]


# --- The memory of a device: the same answer never gets a second report
# Independent reports about one answer disclose more than one, and enough of them disclose it. So the report of an
# answer is kept with its draws, and is sent again when the question is asked again: in the next wave of a panel, or
# after a crash. A changed answer is drawn anew, because under the old draws the difference of the reports would be that
# of the answers. The memory stays on the device; the answers can be found from it.


SCHEMA = "sfumato/device/1"
_LIMIT_BYTES = 2**26


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What was sent in a wave."""

    secret: bytes = field(repr=False)
    row: bytes = field(repr=False)
    shares: Mapping[str, bytes] = field(repr=False)


class DeviceMemory:
    """What one device remembers: in a file that only its owner may read, or in memory.

    >>> import sfumato as sf
    >>> from sfumato.workflows.responding import DeviceMemory
    >>> DeviceMemory()
    <DeviceMemory, not shown>
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self._path = None if path is None else Path(path)
        self._document: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return "<DeviceMemory, not shown>"

    @contextlib.contextmanager
    def held(self, collection: Collection, bits: BitSource) -> Iterator[Remembered]:
        """Be the only one at work on it; what was added is on the disk before anybody is given a report."""
        if self._path is None:
            document = self._document or _blank(bits)
            yield Remembered(document, collection, bits)
            self._document = document
            return
        with locked(self._path):
            document = self._read() if self._path.exists() else _blank(bits)
            before = json.dumps(document)
            yield Remembered(document, collection, bits)
            if json.dumps(document) != before:
                write_atomically(self._path, json.dumps(document, indent=1) + "\n", private=True)

    def _read(self) -> dict[str, Any]:
        path = Path(str(self._path))
        try:
            document = json.loads(read_bytes(path, limit_bytes=_LIMIT_BYTES))
        except (ValueError, RecursionError):
            raise _damaged(path) from None
        if not isinstance(document, dict):
            raise _damaged(path)
        check_schema(document, path, kind="device")
        try:
            checked_secret(bytes.fromhex(document["secret"]))
            for held in document["studies"].values():
                _check_study(held)
        except (KeyError, TypeError, ValueError, AttributeError, UnreadableFile):
            raise _damaged(path) from None
        return document


class Remembered:
    """What a memory knows of one collection, while a device answers it."""

    def __init__(self, document: dict[str, Any], collection: Collection, bits: BitSource) -> None:
        self._collection, self._bits = collection, bits
        self._key = bytes.fromhex(document["secret"])
        blank: dict[str, Any] = {"cells": {}, "sent": {}}
        self._held = document["studies"].setdefault(collection.fingerprint, blank)

    def cell(self, question: str, mark: bytes) -> DrawnCell | None:
        """Return what an answer got before; None where it is new."""
        found = self._held["cells"].get(self._named(question, mark))
        if found is None:
            return None
        shifts = {int(level): one for level, one in found["shifts"].items()}
        handler = self._collection.handlers[question]
        if set(shifts) != set(handler.key_levels) or any(one >= handler.report_count for one in shifts.values()):
            raise _damaged(None)
        return DrawnCell(report=found["report"], shifts=shifts)

    def keep(self, question: str, mark: bytes, cell: DrawnCell) -> None:
        """Keep what an answer got."""
        shifts = {str(level): shift for level, shift in cell.shifts.items()}
        self._held["cells"].setdefault(self._named(question, mark), {"report": cell.report, "shifts": shifts})

    def secret(self) -> bytes:
        """Return the secret of the next report: in a panel that of the wave, else a new one."""
        if self._collection.mode is Mode.PANEL:
            return wave_secret(self._key, self._collection.fingerprint, self._collection.wave)
        return random_bytes(self._bits, SECRET_BYTES)

    def sent(self, marks: Mapping[str, bytes]) -> Sent | None:
        """Return what was sent for the same answers in this wave, to send it once more."""
        found = self._held["sent"].get(str(self._collection.wave))
        if found is None or found["answers"] != self._all(marks):
            return None
        shares = {name: base64.b64decode(body) for name, body in found["shares"].items()}
        if {name: len(body) for name, body in shares.items()} != dict(self._collection.share_bytes):
            return None
        row = base64.b64decode(found["row"])
        self._collection.unpack_row(row)
        return Sent(secret=bytes.fromhex(found["secret"]), row=row, shares=shares)

    def keep_sent(self, marks: Mapping[str, bytes], *, secret: bytes, row: bytes, shares: Mapping[str, bytes]) -> None:
        """Keep what is sent in this wave."""
        self._held["sent"][str(self._collection.wave)] = {
            "answers": self._all(marks),
            "secret": secret.hex(),
            "row": base64.b64encode(row).decode(),
            "shares": {name: base64.b64encode(body).decode() for name, body in shares.items()},
        }

    def _named(self, question: str, mark: bytes) -> str:
        declaration = self._collection.declarations[question] or ""
        told = json.dumps([question, declaration, mark.decode()]).encode()
        return hmac.digest(self._key, b"sfumato/answer/1" + told, "sha256").hex()

    def _all(self, marks: Mapping[str, bytes]) -> str:
        keys = b"".join(sorted(one.public_key for one in self._collection.receivers))
        told = json.dumps(
            [sha256(keys).hexdigest(), *(self._named(name, mark) for name, mark in sorted(marks.items()))]
        )
        return hmac.digest(self._key, b"sfumato/answers/1" + told.encode(), "sha256").hex()


def _blank(bits: BitSource) -> dict[str, Any]:
    return {"schema": SCHEMA, "secret": random_bytes(bits, SECRET_BYTES).hex(), "studies": {}}


def _check_study(held: Any) -> None:
    for cell in held["cells"].values():
        known = [*([] if cell["report"] is None else [cell["report"]]), *cell["shifts"].values()]
        if any(type(one) is not int or one < 0 for one in known) or any(int(level) < 0 for level in cell["shifts"]):
            raise ValueError("not whole numbers")
    for sent in held["sent"].values():
        checked_secret(bytes.fromhex(sent["secret"]))
        for text in (sent["row"], *sent["shares"].values()):
            base64.b64decode(text, validate=True)
        if not isinstance(sent["answers"], str):
            raise TypeError("not what was sent")


def _damaged(path: Path | None) -> UnreadableFile:
    return UnreadableFile(
        "this is not what a device remembers, or it is damaged",
        place=None if path is None else Place(file=str(path)),
        way_out="Restore it: without it, answers that were given before would get a second report.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a device sends of one person; `secret` stays there, and withdraws the report."""

    secret: bytes = field(repr=False)
    row: bytes = field(repr=False)
    shares: Mapping[str, bytes] = field(repr=False)

    def __post_init__(self) -> None:
        checked_secret(self.secret)

    @property
    def id(self) -> bytes:
        """The name of the report."""
        return report_id(self.secret)

    def __repr__(self) -> str:
        return f"<Submission {self.id.hex()[:8]}…, sealed for {', '.join(self.shares) or 'nobody'}; not shown>"


def respond(
    study: Study | Collection | str | Path,
    answers: Mapping[str, str],
    *,
    bits: BitSource | None = None,
    memory: DeviceMemory | None = None,
) -> Submission:
    """Return what a respondent's device sends: reports that are drawn here, and what is sealed for each receiver.

    With a `memory`, an answer that was given before in this study gets the report that it got then, under the draws of
    then: repeating it discloses nothing new. The same answers in the same wave give the very same submission.

    Returns:
        The submission, ready to be sent.

    Raises:
        InvalidParameter: an answer is missing or none of the question.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> len(sf.respond(study, {"tired": "yes"}).row)
    1
    """
    collection, source = as_collection(study), source_or_system(bits)
    table = answers_table(collection, answers)
    cells = {name: cells_of(collection, name, table) for name in collection.columns}
    if memory is None:
        drawn = {name: draw_cells(collection, name, held, 1, source)[0] for name, held in cells.items()}
        return sealed(collection, drawn, random_bytes(source, SECRET_BYTES))
    marks = {name: answer_mark(cells[name]) for name in collection.handlers}
    with memory.held(collection, source) as remembered:
        before = remembered.sent(marks)
        if before is not None:
            return Submission(secret=before.secret, row=before.row, shares=before.shares)
        drawn = {}
        for name, mark in marks.items():
            known = remembered.cell(name, mark)
            drawn[name] = draw_cells(collection, name, cells[name], 1, source)[0] if known is None else known
            remembered.keep(name, mark, drawn[name])
        # A sealed answer is drawn afresh each time: one that came again would tell that the answer has stayed.
        for name in set(collection.columns) - set(marks):
            drawn[name] = draw_cells(collection, name, cells[name], 1, source)[0]
        made = sealed(collection, drawn, remembered.secret())
        remembered.keep_sent(marks, secret=made.secret, row=made.row, shares=made.shares)
    return made


def respond_all(
    study: Study | Collection | str | Path, answers: Sequence[Mapping[str, str]] | Any, *, bits: BitSource | None = None
) -> list[Submission]:
    """Return what many devices send, drawn at once: for simulations. `answers` is a list, or an Arrow table."""
    collection, source = as_collection(study), source_or_system(bits)
    table = answers_table(collection, answers) if isinstance(answers, Sequence) else answers
    rows = table.num_rows
    columns = {
        name: draw_cells(collection, name, cells_of(collection, name, table), rows, source)
        for name in collection.columns
    }
    secrets = random_bytes(source, SECRET_BYTES * rows)
    return [
        sealed(
            collection,
            {name: column[place] for name, column in columns.items()},
            secrets[SECRET_BYTES * place : SECRET_BYTES * (place + 1)],
        )
        for place in range(rows)
    ]


def sealed(collection: Collection, drawn: Mapping[str, DrawnCell], secret: bytes) -> Submission:
    """Return the submission of what was drawn for one person."""
    row = collection.pack_row({name: cell.report for name, cell in drawn.items()})
    shares = {}
    for one in collection.receivers:
        shifts = [drawn[name].shifts[level] for name, level in one.levels.items()]
        info = share_info(collection.fingerprint, one.name, report_id(secret))
        shares[one.name] = seal_share(shifts, collection.moduli(one), one.kem, one.public_key, info)
    return Submission(secret=secret, row=row, shares=shares)


def as_collection(study: Study | Collection | str | Path) -> Collection:
    """Take a collection as it is, or make one of a study or its file."""
    if isinstance(study, Collection):
        return study
    return collection_of(study) if isinstance(study, Study) else collection_of(read_study(study), Path(study).parent)
