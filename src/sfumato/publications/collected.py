"""Rows that a server kept as columns of reports, and their counts so far.

Format: docs/reference/files.md
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.documents import check_keys, check_schema
from sfumato.files.row_streams import open_rows
from sfumato.files.tables import note_inside, numbers_of
from sfumato.inference.results import Reading
from sfumato.keys.digests import NOTHING
from sfumato.keys.shares import Kem
from sfumato.publications.estimating import Estimates
from sfumato.publications.reports import ROW
from sfumato.study.collection import ID_BYTES, Collection, Receiver, StoredRow

SHARES_SCHEMA = "sfumato/shares/1"
ID, BODY = "id", "body"
CHUNK_ROWS = 1 << 16
_KEYS = ("schema", "study", "part", "receiver", "kem", "levels", "rows")


@dataclass(frozen=True, slots=True, kw_only=True)
class SharesNote:
    """What a file of sealed bodies says of itself: of which part they are, and what they open for whom."""

    study: str
    part: str
    receiver: str
    kem: Kem
    levels: Mapping[str, int]
    rows: int

    def to_text(self) -> str:
        """Return it as JSON."""
        document = {
            "schema": SHARES_SCHEMA,
            "study": self.study,
            "part": self.part,
            "receiver": self.receiver,
            "kem": self.kem.value,
            "levels": dict(self.levels),
            "rows": self.rows,
        }
        return json.dumps(document, ensure_ascii=False)

    @classmethod
    def read(cls, path: str | Path) -> SharesNote:
        """Read it out of the file."""
        text = note_inside(Path(path))
        try:
            document = json.loads("" if text is None else text)
            if not isinstance(document, dict):
                raise TypeError("not a table")  # noqa: TRY301  it is refused with the others
        except (ValueError, TypeError, RecursionError):
            raise _no_shares(path) from None
        check_schema(document, path, kind="shares")
        try:
            check_keys(document, path, known=_KEYS, needed=_KEYS)
            return cls(
                study=str(document["study"]),
                part=str(document["part"]),
                receiver=str(document["receiver"]),
                kem=Kem(document["kem"]),
                levels={str(name): _whole(level) for name, level in document["levels"].items()},
                rows=_whole(document["rows"]),
            )
        except (TypeError, ValueError, AttributeError):
            raise _no_shares(path) from None


def shares_path(folder: Path, receiver: str) -> Path:
    """Where the sealed bodies of a receiver stand beside exported reports."""
    return folder / f"shares-{receiver}.parquet"


def in_chunks(rows: Iterable[StoredRow], wave: int) -> Iterator[list[StoredRow]]:
    """Go through the rows of a wave; they come in the order of their ids, which says nothing of when they came."""
    last = b""
    mine = (row for row in rows if row.wave == wave)
    while chunk := list(islice(mine, CHUNK_ROWS)):
        for row in chunk:
            if len(row.id) != ID_BYTES or row.id <= last:
                raise InvalidParameter(
                    "must come sorted by their ids, each once", parameter="rows", way_out="Sort them, and drop copies."
                )
            last = row.id
        yield chunk


def reports_of(collection: Collection, rows: Sequence[bytes]) -> dict[str, npt.NDArray[np.int64]]:
    """Return the reports of packed rows by question, `NOTHING` where there is a gap; refuses what no device sends."""
    collection.unpack_row(rows[0])
    if any(len(row) != collection.row_bytes for row in rows):
        raise collection.no_row()
    table = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1).astype(np.int64)
    found, place = {}, 0
    for name, width in collection.widths.items():
        values = np.zeros(len(rows), dtype=np.int64)
        for byte in range(width):
            values = values << 8 | table[:, place + byte]
        place += width
        count = collection.columns[name].report_count
        if values.max() >= count + collection.columns[name].question.has_gaps:
            raise collection.no_row()
        found[name] = np.where(values == count, NOTHING, values)
    return found


def shares_table(first: int, rows: Sequence[StoredRow], bodies: Sequence[bytes]) -> Any:
    """Return the bodies of one receiver with the numbers and ids of their rows."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table(
        {
            ROW: pa.array(range(first, first + len(rows)), pa.int64()),
            ID: pa.array([row.id for row in rows], pa.binary()),
            BODY: pa.array(bodies, pa.binary()),
        }
    )


def bodies_of(collection: Collection, rows: Sequence[StoredRow], receiver: Receiver) -> list[bytes]:
    """Return the bodies of one receiver."""
    names = list(collection.share_bytes)
    start = sum(collection.share_bytes[name] for name in names[: names.index(receiver.name)])
    stop, total = start + collection.share_bytes[receiver.name], sum(collection.share_bytes.values())
    if any(len(row.shares) != total for row in rows):
        raise UnreadableFile(
            "a row that was kept has other sealed bodies than this study has", way_out="Restore the database."
        )
    return [row.shares[start:stop] for row in rows]


def read_shares(path: str | Path, note: SharesNote) -> Iterator[tuple[npt.NDArray[np.int64], list[bytes], list[bytes]]]:
    """Go through a file of bodies: the numbers of rows, their ids, and the bodies."""
    met = 0
    for table in open_rows(path, columns=[ROW, ID, BODY]).chunks():
        numbers, ids, bodies = numbers_of(table, ROW), *(_bytes_in(table.column(name), path) for name in (ID, BODY))
        if not np.array_equal(numbers, np.arange(met, met + numbers.size)) or any(len(one) != ID_BYTES for one in ids):
            raise _no_shares(path)
        met += numbers.size
        yield numbers, ids, bodies
    if met != note.rows:
        raise _no_shares(path)


def _bytes_in(column: Any, path: str | Path) -> list[bytes]:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if column.null_count or not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):
        raise _no_shares(path)
    found: list[bytes] = column.to_pylist()
    return found


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("not a whole number")
    return value


def _no_shares(path: str | Path) -> UnreadableFile:
    return UnreadableFile(
        "this is no file of sealed bodies, or it is damaged",
        place=Place(file=str(path)),
        way_out="Take the shares that were exported with the reports, as they are.",
    )


# --- Counts of the rows collected so far
# The counts of each question are taken at one moment, and all estimates come from them, so later reports do not change
# them.


# Up to so many different reports it is also kept how often each was seen.
_MOST_LISTED = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTallies:
    """How many reports there are, and the counts of each question that has reports."""

    collection: Collection
    reports: int
    tallies: Mapping[str, Any]
    seen: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, collection: Collection, rows: Iterable[tuple[bytes, int]]) -> LiveTallies:
        """Count the rows of one wave; each comes once, with how often it was sent."""
        found: dict[str, Any] = {}
        seen: dict[str, list[int]] = {}
        given = list(rows)
        times = np.array([count for _, count in given], dtype=np.int64)
        for name, column in (reports_of(collection, [row for row, _ in given]) if given else {}).items():
            handler = collection.columns[name]
            if name not in collection.handlers:
                continue  # a sealed column says nothing
            said = np.repeat(column, np.where(column == NOTHING, 0, times))
            if said.size:
                found[name] = handler.tally(said, len(handler.epsilons))
                if handler.report_count <= _MOST_LISTED:
                    seen[name] = np.bincount(said, minlength=handler.report_count).tolist()
        return cls(collection=collection, reports=int(times.sum()), tallies=found, seen=seen)

    def only(self, names: Iterable[str]) -> LiveTallies:
        """Return the same of some questions alone."""
        kept = set(names)
        return replace(self, tallies={name: tally for name, tally in self.tallies.items() if name in kept})

    def counts(self, reckonings: Mapping[str, Any]) -> dict[str, list[int]]:
        """Return how often each report was seen, for the questions that browsers estimate from that."""
        return {name: list(self.seen[name]) for name, found in reckonings.items() if found and name in self.seen}

    def estimates(self) -> Estimates:
        """Estimate every question at the public level."""
        found = []
        for name, tally in self.tallies.items():
            handler = self.collection.handlers[name]
            found.append(handler.estimate(tally, Reading(level=len(handler.epsilons))))
        order = list(self.collection.handlers)
        return Estimates(tuple(sorted(found, key=lambda one: order.index(one.question.id))))
