"""The rows of a sheet of an Excel workbook, after checks of the archive.

The first row names the columns. A formula is read as the value that was saved with it. Dates, errors and formulas
without a saved value are refused with the number of their row.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.errors import InvalidParameter, Place, SfumatoError, UnreadableFile
from sfumato.files.columns import number_spelled
from sfumato.files.csv_rows import named_by_place
from sfumato.files.disk import SteadyFile
from sfumato.files.formats import DataFile, needed_module
from sfumato.files.texts import check_names

# --- Checks of the archive before it is opened: its parts declare their sizes
#
# No more of a part is read than the archive declares, so a small file cannot use much memory unseen.


_MOST_PARTS = 10_000
_SMALL_BYTES = 2**24
_MOST_RATIO = 200
_MOST_WORDS_BYTES = 2**28
_WORDS = "xl/sharedstrings.xml"
_BLOCK = 2**20
_OVERLAP = 256
_FORMULA = re.compile(rb"<(?:\w{1,9}:)?f[\s>/]")
_MERGED_NAMES = re.compile(rb"<(?:\w{1,9}:)?mergeCell\s[^>]{0,40}ref=\"\$?[A-Z]{1,3}\$?1:")
_FAR_ROW = re.compile(rb"<(?:\w{1,9}:)?row\s[^>]{0,200}?\br=\"[0-9]{8,}\"")
_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)")


def check_archive(stream: BinaryIO, path: str | Path) -> None:
    """Refuse what is no archive, or one that would become far larger than it is."""
    head = stream.read(8)
    stream.seek(0)
    if not head.startswith(b"PK"):
        if head.startswith(b"\xd0\xcf\x11\xe0"):
            raise UnreadableFile(
                "this workbook is protected by a password, or was written by an old Excel",
                way_out="Take the password off, or save it as .xlsx.",
                place=Place(file=str(path)),
            )
        raise UnreadableFile(
            "the file is no workbook, whatever its name says",
            way_out="Give it the extension of its true format, such as .csv.",
            place=Place(file=str(path)),
        )
    parts = _parts(stream, path)
    if len(parts) > _MOST_PARTS:
        raise _too_much(f"has {len(parts)} parts", path)
    for part in parts:
        if part.file_size > max(_SMALL_BYTES, _MOST_RATIO * part.compress_size):
            raise _too_much(f"would become more than {_MOST_RATIO} times as large when it is unpacked", path)
        if part.filename.lower() == _WORDS and part.file_size > _MOST_WORDS_BYTES:
            raise _too_much(f"holds more than {_MOST_WORDS_BYTES // 2**20} MiB of text", path)


def has_formulas(stream: BinaryIO, part: str, path: str | Path) -> bool:
    """Whether a sheet has formulas; refuses merged cells among the names of columns, and declarations of entities."""
    found = False
    for block in _blocks(stream, part):
        if _DECLARED.search(block):
            raise UnreadableFile(
                "the workbook declares entities, which no spreadsheet does",
                way_out="Save it again with the program that made it.",
                place=Place(file=str(path)),
            )
        if _MERGED_NAMES.search(block):
            raise UnreadableFile(
                "cells of the first row are merged, and it has to name each column",
                way_out="Unmerge them, delete titles above the names, and write one name above each column.",
                place=Place(file=str(path)),
            )
        if _FAR_ROW.search(block):
            raise _too_much("has a row far beyond the last that a sheet can have", path)
        found = found or bool(_FORMULA.search(block))
    return found


def _parts(stream: BinaryIO, path: str | Path) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(stream) as archive:
            return archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError, MemoryError):
        raise UnreadableFile(
            "the workbook is damaged", way_out="Open it in its program and save it again.", place=Place(file=str(path))
        ) from None


def _blocks(stream: BinaryIO, part: str) -> Iterator[bytes]:
    """Yield a part in blocks that overlap, so that nothing short is cut in two."""
    with zipfile.ZipFile(stream) as archive, archive.open(part) as opened:
        before = b""
        while block := opened.read(_BLOCK):
            yield before + block
            before = block[-_OVERLAP:]


def _too_much(what: str, path: str | Path) -> UnreadableFile:
    return UnreadableFile(
        f"the workbook {what}", way_out="Save the sheet that is needed as CSV.", place=Place(file=str(path))
    )


MOST_ROWS = 2**20
"""As many as a sheet can have."""
_DATES = dt.date | dt.time | dt.timedelta


class ExcelRows:
    """A sheet as a source of rows."""

    rows: int | None = None

    def __init__(self, file: SteadyFile, layout: DataFile) -> None:
        self._file, self._sheet = file, layout.sheet
        self.place = file.place
        self._names: tuple[str, ...] = ()
        with self._opened() as (_, values, _):
            first = next(values, ())
        names = ["" if cell.value is None else str(cell.value).strip() for cell in first]
        while names and not names[-1]:
            names.pop()
        if not any(names):
            raise UnreadableFile(
                "the first row of the sheet is blank, and should name the columns",
                way_out="Delete what stands above the names, or name another `sheet`.",
                place=self.place,
            )
        self.names = named_by_place(names)
        check_names(self.names, self.place)

    @staticmethod
    def kind(name: str) -> Any:
        """Return the type of a column: text."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        del name
        return pa.string()

    def batches(self, columns: Sequence[str], size: int) -> Iterator[Any]:
        """Yield the rows of some columns."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        wanted = [self.names.index(name) for name in columns]
        held: list[list[str | None]] = [[] for _ in columns]
        blank = 0  # blank rows that nothing has followed yet
        with self._opened() as (_, values, formulas):
            next(values, ())
            if formulas is not None:
                next(formulas, ())
            for number, row in enumerate(values, start=1):
                self._check_rows(number)
                computed = None if formulas is None else next(formulas, ())
                if all(cell.value is None for cell in row) and not _has_formula(computed):
                    blank = blank or number
                    continue
                if blank:
                    raise self._at(None, blank, "is blank, and rows follow", "Delete the blank row.")
                for place, column in zip(wanted, held, strict=True):
                    column.append(self._text(row, computed, place, number))
                if len(held[0]) == size:
                    yield pa.record_batch([pa.array(column, pa.string()) for column in held], names=list(columns))
                    held = [[] for _ in columns]
        if held[0]:
            yield pa.record_batch([pa.array(column, pa.string()) for column in held], names=list(columns))

    def _text(self, row: Sequence[Any], computed: Sequence[Any] | None, place: int, number: int) -> str | None:
        value = row[place].value if place < len(row) else None
        name = self.names[place]
        if value is None:
            if computed is not None and place < len(computed) and computed[place].data_type == "f":
                raise self._at(
                    name, number, "holds a formula without a value", "Open the workbook in Excel and save it again."
                )
            return None
        if row[place].data_type == "e":
            raise self._at(name, number, "holds an error of a formula", "Correct the formula, or clear the cell.")
        if isinstance(value, _DATES):
            raise self._at(
                name,
                number,
                "holds a date or a time, and answers are text or numbers",
                "Where the program took an answer for a date, format the column as text and type it again; of a true "
                "date write what is asked for, such as the year.",
            )
        if isinstance(value, bool):
            return "True" if value else "False"
        return number_spelled(value) if isinstance(value, int | float) else str(value)

    def _check_rows(self, number: int) -> None:
        if number > MOST_ROWS:
            raise UnreadableFile(
                "the sheet has more rows than a sheet can have", way_out="Save it again as CSV.", place=self.place
            )

    def _at(self, name: str | None, number: int, rule: str, way_out: str) -> UnreadableFile:
        column = "" if name is None else f"column {name}, "
        return UnreadableFile(f"{column}row {number} {rule}", way_out=way_out, place=self.place)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[tuple[str, Iterator[Any], Iterator[Any] | None]]:
        """Open the sheet: its rows with values, and where it has formulas, its rows with those."""
        excel = needed_module("openpyxl", self.place)
        with self._file.opened() as stream, _foreign_errors(self.place), contextlib.ExitStack() as stack:
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")  # of parts that are not read here
            check_archive(stream, self._file.path)

            def sheet(data: BinaryIO, *, values: bool) -> Any:
                book = excel.load_workbook(data, read_only=True, data_only=values, keep_links=False)
                stack.callback(book.close)
                found = self._chosen(book)
                # What a sheet says of its size may be anything; without it, rows are as long as they are.
                found.reset_dimensions()
                return found

            found = sheet(stream, values=True)
            part = found._worksheet_path  # noqa: SLF001  the part of the archive that it is in
            formulas = None
            if has_formulas(stream, part, self._file.path):
                formulas = sheet(stream, values=False).iter_rows()
            yield found.title, found.iter_rows(), formulas

    def _chosen(self, book: Any) -> Any:
        sheets = {sheet.title: sheet for sheet in book.worksheets}
        if self._sheet is None and sheets:
            return next(iter(sheets.values()))
        if self._sheet not in sheets:
            listed = ", ".join(map(repr, list(sheets)[:20])) or "none"
            raise InvalidParameter(
                f"is no sheet of the workbook, which has: {listed}",
                parameter="sheet",
                value=self._sheet,
                way_out="Name one of these.",
            )
        return sheets[self._sheet]


def _has_formula(row: Sequence[Any] | None) -> bool:
    return row is not None and any(cell.data_type == "f" for cell in row)


@contextlib.contextmanager
def _foreign_errors(place: Place) -> Iterator[None]:
    """Turn what the library says of a damaged workbook, which may quote a cell, into a sentence that does not."""
    try:
        yield
    except (SfumatoError, MemoryError, GeneratorExit):
        raise
    except Exception:  # noqa: BLE001  whatever it stumbles over, the workbook is not as it should be
        raise UnreadableFile(
            "the workbook is damaged, or holds what is not read here",
            way_out="Open it in its program and save it again, or save the sheet as CSV.",
            place=place,
        ) from None
