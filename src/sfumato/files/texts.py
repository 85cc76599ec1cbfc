"""Text from files within limits, and small tables of text with one record a line."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import Place, UnreadableFile
from sfumato.numbers.exact import looks_like_number

MOST_TEXT_ENTRIES = 5_000_000
"""Entries of a table that is read number by number."""
_LONGEST_NAME = 300
HIDDEN = (
    "\x00-\x1f\x7f-\x9f\u2028\u2029"  # control characters, ends of lines and of paragraphs
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""Characters that are not seen, inside the brackets of a pattern: controls, and what Unicode calls ignorable."""
_HIDDEN = re.compile(f"[{HIDDEN}]")


def normal(text: str) -> str:
    """Return text in Unicode's composed form (NFC), in which what looks the same is mostly written the same."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def hidden_character(text: str) -> str | None:
    """Name the first character of a label that is not seen, such as U+200B; None where there is none."""
    found = None if text.isascii() and text.isprintable() else _HIDDEN.search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"


def check_size(entries: int, place: Place | None = None) -> None:
    """Refuse a table of text that would take minutes to read."""
    if entries > MOST_TEXT_ENTRIES:
        raise UnreadableFile(
            f"the table holds about {entries} entries and at most {MOST_TEXT_ENTRIES} are read from text",
            way_out="Write it as Parquet with float64 columns, or merge symbols.",
            place=place,
        )


def check_text(text: str, what: str, place: Place | None = None) -> str:
    """Return a label of a file in its normal form.

    Refuse half a surrogate pair, which JSON can spell but no file or terminal can show, and characters that are not
    seen.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UnreadableFile(
            f"{what} is not valid text", way_out="Write the label in plain Unicode.", place=place
        ) from None
    hidden = hidden_character(text)
    if hidden is not None:
        raise UnreadableFile(
            f"{what} holds {hidden}, a control or zero-width character",
            way_out="Write the label without it.",
            place=place,
        )
    return normal(text)


def check_names(names: Sequence[str], place: Place | None = None) -> None:
    """Refuse names of columns that no sentence could repeat, or that two columns share."""
    if any(len(name) > _LONGEST_NAME for name in names):
        raise UnreadableFile(
            f"a column has a name of more than {_LONGEST_NAME} characters",
            way_out="Shorten it, and check that the first line holds the names of the columns.",
            place=place,
        )
    if len(set(names)) != len(names):
        raise UnreadableFile(
            "the table has two columns of the same name", way_out="Rename one of the two.", place=place
        )


def no_column(name: str, names: Sequence[str], place: Place | None = None) -> UnreadableFile:
    """Return the error for a missing column, which lists the columns that there are."""
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return UnreadableFile(
        f"the table has no column {name!r}; it has {', '.join(map(repr, names[:20]))}{more}",
        way_out="Say with `separator` what stands between cells."
        if len(names) == 1 and any(sign in names[0] for sign in ",;|\t")
        else "Rename one of its columns, or change the id of the question.",
        place=place,
    )


def short(label: object) -> str:
    """Show a label in a sentence, cut if long."""
    text = ascii(label)
    return text if len(text) <= 60 else f"{text[:56]}…"


# --- Tables of text: commas, semicolons or tabs, UTF-8, one record a line
#
# The separator is the one that the first record has most often outside quotes. Blank lines at the end are ignored, and
# a record of another length than the first is refused with its line.


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of one record and the line it ends on."""

    line: int
    cells: tuple[str, ...]

    @property
    def is_blank(self) -> bool:
        """Whether nothing is written here; spreadsheets like to leave such lines at the end."""
        return not any(cell.strip() for cell in self.cells)

    @property
    def is_numeric(self) -> bool:
        """Whether every cell is meant as a number; with an empty first cell the others are labels."""
        return bool(self.cells[0].strip()) and all(looks_like_number(cell) for cell in self.cells)


def read_records(data: bytes, path: str | Path) -> list[Record]:
    """Split a table into records of one length."""
    text = decode_text(data, path)
    separator = find_separator(text)
    check_size(text.count(separator) + text.count("\n"), Place(file=str(path)))
    with csv_errors(path), io.StringIO(text, newline="") as lines:
        reader = open_reader(lines, separator)
        records = [Record(reader.line_num, tuple(cells)) for cells in reader]
    while records and records[-1].is_blank:
        records.pop()
    if not records:
        raise UnreadableFile(
            "the file holds only blank lines", way_out="Write one record a line.", place=Place(file=str(path))
        )
    for record in records:
        if record.is_blank and len(record.cells) != len(records[0].cells):
            raise UnreadableFile(
                "the line is blank", way_out="Delete the line.", place=Place(file=str(path), line=record.line)
            )
        if len(record.cells) != len(records[0].cells):
            raise UnreadableFile(
                f"the line has {len(record.cells)} cells and line {records[0].line} has {len(records[0].cells)}",
                way_out="Give every line the same number of cells, with a point in decimals.",
                place=Place(file=str(path), line=record.line),
            )
    return records


def decode_text(data: bytes, path: str | Path) -> str:
    """Decode UTF-8, with or without a byte order mark, and refuse what is no text."""
    if b"\0" in data:
        raise not_text(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise not_text(path) from None


SEPARATORS = (",", ";", "\t")
_SIGNATURES = {
    b"PK\x03\x04": "an Excel workbook (or another archive): give it the extension .xlsx",
    b"\xd0\xcf\x11\xe0": "a workbook of an old Excel: save it as .xlsx",
    b"$FL": "an SPSS file: give it the extension .sav",
    b"PAR1": "Parquet: give it the extension .parquet",
}
"""How files of other programs begin."""


def not_text(path: str | Path, head: bytes = b"") -> UnreadableFile:
    """Return the refusal of a file that is no text."""
    for signature, what in _SIGNATURES.items():
        if head.startswith(signature):
            rule, _, way_out = what.partition(": ")
            return UnreadableFile(
                f"this is {rule}", way_out=f"{way_out[:1].upper()}{way_out[1:]}.", place=Place(file=str(path))
            )
    return UnreadableFile(
        "the file is not UTF-8 text (it holds binary data or another encoding)",
        way_out="Save it again as UTF-8, or give it the extension of its true format.",
        place=Place(file=str(path)),
    )


def find_separator(text: str) -> str:
    """Return whichever separator the first record has most; a comma when it has none."""
    counts = dict.fromkeys(SEPARATORS, 0)
    is_quoted = False
    for character in text[: 2**20]:
        if character == '"':
            is_quoted = not is_quoted
        elif not is_quoted and character in counts:
            counts[character] += 1
        elif not is_quoted and character in "\r\n":
            break
    return max(SEPARATORS, key=counts.__getitem__)


def open_reader(lines: Iterable[str], separator: str) -> Any:
    """Split lines into cells; a space after the separator does not belong to the cell."""
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t", strict=True)


@contextlib.contextmanager
def csv_errors(path: str | Path) -> Iterator[None]:
    """Turn an unclosed quote and its like into a sentence, which never repeats a cell."""
    try:
        yield
    except csv.Error as error:
        raise UnreadableFile(
            f"the file is not a table: {error}",
            way_out="Close every quote that is opened, and double a quote inside quotes.",
            place=Place(file=str(path)),
        ) from None


def quote(cell: str) -> str:
    """Write a cell so that it is read back as it is, spaces and all."""
    is_plain = cell and cell == cell.strip() and not any(character in cell for character in '"\r\n\t,; \ufeff')
    return cell if is_plain else '"' + cell.replace('"', '""') + '"'
