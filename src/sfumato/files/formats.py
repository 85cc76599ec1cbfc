"""Which format a file has: its extension decides, and nothing is guessed from the content."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

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
