"""The rows of a sheet of an Excel workbook, as the texts that a CSV file would hold. It takes the extra `files`.

The first row names the columns. A formula counts by the value that was saved with it. Dates, errors and formulas that
were never computed are refused by their row: none of them is an answer.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from sfumato.errors import InvalidParameter, Place, SfumatoError, UnreadableFile
from sfumato.files.csv_headers import named_by_place
from sfumato.files.excel_archives import check_archive, has_formulas
from sfumato.files.extras import needed_module
from sfumato.files.layouts import DataFile
from sfumato.files.steady_files import SteadyFile
from sfumato.files.texts import check_names
from sfumato.files.typed_cells import number_spelled

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
