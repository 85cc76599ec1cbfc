"""The first line of a CSV file: the names of its columns, and what stands between cells.

The separator is taken from that line only where it can mean one thing: the line has one candidate outside quotes, or
exactly one gives all columns that are needed. A column without a name, such as the numbers of rows that R and pandas
write, is called by its place; nobody has to read it.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_tables import csv_errors, find_separator, not_text, open_reader
from sfumato.files.layouts import SEPARATORS
from sfumato.files.texts import check_names
from sfumato.files.transcoding import UTF8_MARK

HEAD_BYTES = 2**20
ANOTHER_ENCODING = (
    "Say how it is written with `encoding`, such as windows-1252 (Excel on Windows) or latin-1, or save it again as "
    "UTF-8."
)
_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvHeader:
    """The names of the columns, what stands between cells, and after how many bytes the rows begin."""

    names: tuple[str, ...]
    separator: str
    start: int


def read_header(
    data: bytes, path: str | Path, *, separator: str | None = None, needed: Collection[str] | None = None
) -> CsvHeader:
    """Read the first record of a file from its first bytes; `needed` columns tell which separator is meant."""
    head = data[:HEAD_BYTES]
    if b"\0" in head:
        raise not_text(path, head)
    mark = len(UTF8_MARK) if head.startswith(UTF8_MARK) else 0
    text = head[mark:].decode("utf-8", errors="surrogateescape")
    chosen = separator or _chosen(text, path, needed)
    names, length = _names(text, chosen, path)
    # Without any name, which is what a blank first line gives, the next line would be taken for names, unread by us.
    if not any(names):
        raise UnreadableFile(
            "the first line is blank, and should name the columns",
            way_out="Delete it, or write a name for each column.",
            place=Place(file=str(path)),
        )
    if not all(name.isascii() or _is_text(name) for name in names):
        raise UnreadableFile(
            "the names of the columns are not UTF-8 text", way_out=ANOTHER_ENCODING, place=Place(file=str(path))
        )
    named = named_by_place(names)
    check_names(named, Place(file=str(path)))
    start = mark + len(text[:length].encode("utf-8", errors="surrogateescape"))
    return CsvHeader(names=named, separator=chosen, start=start)


def named_by_place(names: Sequence[str]) -> tuple[str, ...]:
    """Call columns without a name by their place."""
    return tuple(name or place_name(number) for number, name in enumerate(names, start=1))


def place_name(number: int) -> str:
    """What a column without a name is called."""
    return f"column {number}"


def _chosen(text: str, path: str | Path, needed: Collection[str] | None) -> str:
    """Return the only separator that can be meant; who needs no particular columns gets the most frequent one."""
    line = _first_line(text)
    candidates = [sign for sign in SEPARATORS if sign in line]
    if len(candidates) < 2 or needed is None:
        return find_separator(text) if len(candidates) != 1 else candidates[0]
    fitting = [sign for sign in candidates if set(needed) <= _names_by(text, sign, path)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        return find_separator(text)  # the refusal says which column is missing
    raise UnreadableFile(
        f"the first line has {' and '.join(_WORDS[sign] for sign in fitting)}, and each gives the columns needed",
        way_out="Say with `separator` what stands between cells.",
        place=Place(file=str(path)),
    )


def _names_by(text: str, separator: str, path: str | Path) -> set[str]:
    try:
        return set(named_by_place(_names(text, separator, path)[0]))
    except UnreadableFile:  # by this sign the line is no table, so another one is meant
        return set()


def _first_line(text: str) -> str:
    """Return what stands outside quotes in the first record."""
    found, is_quoted = [], False
    for character in text:
        if character == '"':
            is_quoted = not is_quoted
        elif not is_quoted and character in "\r\n":
            break
        elif not is_quoted:
            found.append(character)
    return "".join(found)


def _names(text: str, separator: str, path: str | Path) -> tuple[tuple[str, ...], int]:
    lines = io.StringIO(text, newline="")
    with csv_errors(path):
        cells: list[str] = next(open_reader(iter(lines.readline, ""), separator), [])
    return tuple(cell.strip() for cell in cells), lines.tell()


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8", errors="surrogateescape").decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
