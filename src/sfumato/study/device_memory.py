"""What a device remembers, so that the same answer never gets a second report.

Two independent reports about one answer tell more than one; enough of them tell everything. So the report of an answer
is kept with its draws, and given again when the question is asked again: in the next wave of a panel, or after a crash.
An answer that has changed is drawn anew: under the old draws, the difference of the reports would be that of the
answers.

The memory belongs to its person and stays on the device. Whoever has it can find the answers in it.
"""

from __future__ import annotations

import base64
import contextlib
import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.bits import BitSource
from sfumato.errors import Place, UnreadableFile
from sfumato.files import read_bytes, write_atomically
from sfumato.files.json_documents import check_schema
from sfumato.files.locks import locked
from sfumato.refine.drawing import random_bytes
from sfumato.study.collect_terms import Mode
from sfumato.study.collections import SECRET_BYTES, Collection, checked_secret, wave_secret
from sfumato.study.device_draws import DrawnCell

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
    >>> sf.DeviceMemory()
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
        way = self._collection.ways[question]
        if set(shifts) != set(way.key_levels) or any(one >= way.report_count for one in shifts.values()):
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
