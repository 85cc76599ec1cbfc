"""File formats by extension, the layout of a table file, and checks of output paths."""

from __future__ import annotations

import codecs
import importlib
import importlib.util
import os
import stat
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter, Place, UnreadableFile


class Format(StrEnum):
    """The formats of files."""

    CSV = "csv"
    EXCEL = "xlsx"
    STATISTICS = "statistics"
    JSON = "json"
    PARQUET = "parquet"


_BY_SUFFIX = {
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".txt": Format.CSV,
    ".json": Format.JSON,
    ".parquet": Format.PARQUET,
}
_TABLES = {
    ".xlsx": Format.EXCEL,
    ".xlsm": Format.EXCEL,
    ".sav": Format.STATISTICS,
    ".zsav": Format.STATISTICS,
    ".dta": Format.STATISTICS,
    ".sas7bdat": Format.STATISTICS,
    ".xpt": Format.STATISTICS,
}
"""Files of other programs, of which tables are read and nothing is written."""
_KNOWN_TABLES = (
    "CSV (.csv, .tsv, .txt), Parquet (.parquet), Excel (.xlsx), SPSS (.sav), Stata (.dta) or SAS (.sas7bdat, .xpt)"
)
_OLD = {
    ".xls": "is a workbook of an old Excel: save it as .xlsx",
    ".ods": "is a spreadsheet of LibreOffice: save it as .xlsx or CSV",
    ".por": "is a portable file of SPSS: save it as .sav",
    ".rds": "is a file of R: write CSV with write.csv(…, row.names = FALSE), or Parquet",
    ".rdata": "is a file of R: write CSV with write.csv(…, row.names = FALSE), or Parquet",
}


def has_known_suffix(path: str | Path) -> bool:
    """Whether a name ends like one of our files."""
    return Path(path).suffix.lower() in _BY_SUFFIX


def format_of(path: str | Path) -> Format:
    """Return the format that the extension stands for."""
    found = _BY_SUFFIX.get(Path(path).suffix.lower())
    if found is None:
        raise InvalidParameter(
            "has an extension that is not known here",
            parameter="path",
            value=str(path),
            way_out="Use CSV (.csv, .tsv, .txt), JSON (.json) or Parquet (.parquet).",
        )
    return found


def format_for_reading(path: str | Path) -> Format:
    """Return the format of a file to be read; a folder or a missing file is called that, whatever it is named."""
    if Path(path).is_dir():
        raise UnreadableFile(
            "this is a folder, not a file", way_out="Name a file inside it.", place=Place(file=str(path))
        )
    return format_of(path)


def table_format(path: str | Path) -> Format:
    """Return the format of a table to be read, which is never JSON."""
    if not Path(path).is_dir():
        suffix = Path(path).suffix.lower()
        if suffix in _TABLES:
            return _TABLES[suffix]
        if suffix in _OLD:
            rule, _, way_out = _OLD[suffix].partition(": ")
            raise InvalidParameter(
                rule, parameter="path", value=str(path), way_out=f"{way_out[:1].upper()}{way_out[1:]}."
            )
        if not has_known_suffix(path):
            raise InvalidParameter(
                "has an extension that is not known here",
                parameter="path",
                value=str(path),
                way_out=f"Give a table as {_KNOWN_TABLES}.",
            )
    found = format_for_reading(path)
    if found is Format.JSON:
        raise InvalidParameter(
            "is JSON, and no table",
            parameter="path",
            value=str(path),
            way_out=f"Give a table as {_KNOWN_TABLES}.",
        )
    return found


# --- The layout of a file (encoding, separator, sheet): declared and never guessed


ENCODINGS = (
    "utf-8", "utf-16", "latin-1", "windows-1252", "iso-8859-15", "windows-1250", "iso-8859-2", "windows-1251", "koi8-r",
    "windows-1253", "windows-1254", "windows-1255", "windows-1256", "mac-roman", "cp437", "cp850", "shift_jis",
    "gb18030", "big5", "euc-kr",
)  # fmt: skip
"""What text may be written in."""
SEPARATORS = (",", ";", "\t", "|")
"""What is looked for between cells; any other sign can be named."""
_WORDS = {"tab": "\t", "comma": ",", "semicolon": ";"}
_KNOWN = {codecs.lookup(name).name: name for name in ENCODINGS}


@dataclass(frozen=True, slots=True)
class DataFile:
    """A table in a file, and how it is written, where that is not plain.

    CSV is UTF-8 unless `encoding` says otherwise; `separator` stands between cells, and is read from the first line
    where that can mean one thing only; `decimal` is the sign before decimals. `sheet` names the sheet of a workbook;
    the first is read otherwise.

    >>> import sfumato as sf
    >>> from sfumato.files.formats import DataFile
    >>> DataFile("wages.csv", encoding="windows-1252", decimal=",").decimal
    ','
    """

    path: str | Path
    _: KW_ONLY
    encoding: str | None = None
    separator: str | None = None
    decimal: str = "."
    sheet: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", None if self.encoding is None else _known_encoding(self.encoding))
        if self.separator is not None:
            sign = _WORDS.get(self.separator, self.separator)
            if len(sign) != 1 or sign.isalnum() or sign in '"\r\n.+-' or not (sign.isprintable() or sign == "\t"):
                raise InvalidParameter(
                    "must be one sign, such as ; or |, or the word tab",
                    parameter="separator",
                    value=self.separator,
                    way_out="Look at the first line: it stands between the names of the columns.",
                )
            object.__setattr__(self, "separator", sign)
        if self.decimal not in {".", ","}:
            raise InvalidParameter(
                "must be a point or a comma",
                parameter="decimal",
                value=self.decimal,
                way_out="Name the sign that stands before decimals.",
            )
        if self.decimal == self.separator:
            raise InvalidParameter(
                "cannot stand both between cells and before decimals",
                parameter="decimal",
                value=self.decimal,
                way_out="Write the file with semicolons between cells, as spreadsheets do where decimals have a comma.",
            )

    @property
    def is_plain(self) -> bool:
        """Whether nothing is said but where it is."""
        return self == DataFile(self.path)


def as_file(data: str | Path | DataFile) -> DataFile:
    """Return a path with nothing more to say of it."""
    return data if isinstance(data, DataFile) else DataFile(data)


def _known_encoding(name: str) -> str:
    try:
        return _KNOWN[codecs.lookup(name).name]
    except (LookupError, KeyError, ValueError):
        raise InvalidParameter(
            "is no encoding that is known here",
            parameter="encoding",
            value=name,
            way_out=f"Use one of {', '.join(ENCODINGS)}.",
        ) from None


# --- Output paths, checked before any work is done; a refusal names the parameter


def check_places(**places: str | Path | None) -> None:
    """Refuse places that no file can be written to, given by the names of their parameters; None is no place."""
    for parameter, path in places.items():
        if path is not None:
            _check(parameter, Path(path))


def check_table_place(parameter: str, path: str | Path | None) -> None:
    """Refuse a place that no table can be written to."""
    if path is None:
        return
    try:
        found = format_of(path)
    except InvalidParameter as error:
        error.parameter = parameter
        raise
    if found is Format.JSON:
        raise InvalidParameter(
            "is JSON; tables are written as CSV or Parquet",
            parameter=parameter,
            value=str(path),
            way_out="Name one of these.",
        )
    _check(parameter, Path(path))


def check_folder(parameter: str, folder: str | Path | None) -> None:
    """Refuse a folder that cannot be made or written to; what is missing of it will be made."""
    if folder is None:
        return
    here = Path(folder).absolute()
    while not here.exists() and here != here.parent:
        here = here.parent
    if not here.is_dir() or not os.access(here, os.W_OK | os.X_OK):
        raise InvalidParameter(
            "cannot be written to", parameter=parameter, value=str(folder), way_out="Choose another folder."
        )


def make_private_folder(folder: str | Path) -> None:
    """Make a folder that only its owner may look into; one that is there stays as it is."""
    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)


def is_open_to_others(folder: str | Path) -> bool:
    """Whether other users of the machine may list, enter or change a folder."""
    return os.name == "posix" and bool(stat.S_IMODE(Path(folder).stat().st_mode) & 0o077)


def check_free(parameter: str, *paths: str | Path) -> None:
    """Refuse names that are taken, even by a link to nowhere, for files that cannot be had again."""
    for path in paths:
        if os.path.lexists(path):
            raise InvalidParameter(
                "exists already, and a key that is lost cannot be had again",
                parameter=parameter,
                value=str(path),
                way_out="Choose another name, or delete it first; nothing was written.",
            )


def _check(parameter: str, path: Path) -> None:
    try:
        found = path.stat() if path.exists() else None
        folder = Path(os.path.realpath(path)).parent
        is_folder = folder.is_dir()
    except (OSError, ValueError):
        raise InvalidParameter(
            "is not a name that a file can have", parameter=parameter, way_out="Choose another."
        ) from None
    if found is not None and not stat.S_ISREG(found.st_mode):
        if stat.S_ISDIR(found.st_mode):
            raise InvalidParameter(
                "is a folder", parameter=parameter, value=str(path), way_out="Name a file inside it."
            )
        return  # a pipe or a device
    if not is_folder:
        raise InvalidParameter(
            "lies in a folder that does not exist",
            parameter=parameter,
            value=str(path),
            way_out="Create the folder first.",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InvalidParameter(
            "lies in a folder that may not be written by this user",
            parameter=parameter,
            value=str(path),
            way_out="Choose another folder.",
        )


# --- Libraries of the extra `files`


def needed_module(name: str, place: Place) -> Any:
    """Import a library, or say how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise _missing(name, place) from None


def check_installed(name: str, place: Place) -> None:
    """Say how to get a library that is not there; it is not imported."""
    if importlib.util.find_spec(name) is None:
        raise _missing(name, place)


def _missing(name: str, place: Place) -> UnreadableFile:
    return UnreadableFile(
        f"files of this kind are read with {name}, which is not installed",
        way_out="Install it with: pip install 'sfumato[files]'. Or save the table as CSV.",
        place=place,
    )
