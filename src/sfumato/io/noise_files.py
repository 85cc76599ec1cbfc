"""What noise is made for and from: distortion tables, one private value in a file, and noisy values on disk.

A private value is read from a file, because what is typed in a command stays in the shell's history.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_tables import decode_text, read_records
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.numbers import parse_number

SCHEMA = "sfumato/noisy/1"
_LIMIT_BYTES = 2**24
_LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DistortionTable:
    """How bad it is to say one answer for another: a row for the true answer, a column for the one said."""

    answers: tuple[str, ...] | None
    rows: tuple[tuple[Fraction, ...], ...]


def read_distortion(path: str | Path, *, limit_bytes: int = _LIMIT_BYTES) -> DistortionTable:
    """Read a CSV table of numbers, with or without a header of answers and a first column of the same answers."""
    records = read_records(read_bytes(path, limit_bytes=limit_bytes), path)
    if all(record.is_numeric for record in records):
        return DistortionTable(answers=None, rows=_numbers(path, [(r.line, r.cells) for r in records]))
    answers = tuple(cell.strip() for cell in records[0].cells[1:])
    said = tuple(record.cells[0].strip() for record in records[1:])
    if answers != said or len(set(answers)) != len(answers) or not all(answers):
        raise UnreadableFile(
            "the header and the first column must list the same answers, each once, in one order",
            way_out="Name the columns as the rows are named.",
            place=Place(file=str(path)),
        )
    return DistortionTable(answers=answers, rows=_numbers(path, [(r.line, r.cells[1:]) for r in records[1:]]))


def read_private_text(path: str | Path) -> str:
    """Read the one value in a file, without the white space around it; it is in no error."""
    text = decode_text(read_bytes(path, limit_bytes=_LIMIT_BYTES), path).strip()
    if not text or len(text) > _LONGEST_VALUE or "\n" in text:
        raise UnreadableFile(
            "the file must hold one value on one line",
            way_out="Write it there, and nothing else.",
            place=Place(file=str(path)),
        )
    return text


def read_private_number(path: str | Path) -> Fraction:
    """Read the one number in a file; it is in no error."""
    return parse_number(read_private_text(path), "the value", Place(file=str(path)))


def write_noisy(path: str | Path, document: Mapping[str, Any]) -> None:
    """Write what may be given out, as JSON; several numbers as a table where the name ends in .csv."""
    if Path(path).suffix.lower() == ".csv" and isinstance(document["value"], Mapping):
        write_atomically(path, _table(document))
        return
    write_atomically(path, json.dumps({"schema": SCHEMA, **document}, ensure_ascii=False, indent=1) + "\n")


def _table(document: Mapping[str, Any]) -> str:
    """A row for each cell. A table has no place for a warning but its header, so a simulation is called one there."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("value", "simulated count" if document["insecure"] else "noisy count"))
    writer.writerows(document["exact"].items())
    return text.getvalue()


def _numbers(path: str | Path, lines: list[tuple[int, tuple[str, ...]]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(
        tuple(parse_number(cell, "a cell", Place(file=str(path), line=line)) for cell in cells) for line, cells in lines
    )
