"""Which format a file has: its extension decides, and nothing is guessed from the content."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from sfumato.errors import InvalidParameter, Place, UnreadableFile


class Format(StrEnum):
    """The three formats."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


_BY_SUFFIX = {
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".txt": Format.CSV,
    ".json": Format.JSON,
    ".parquet": Format.PARQUET,
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
    found = format_for_reading(path)
    if found is Format.JSON:
        raise InvalidParameter(
            "is JSON; tables are read from CSV or Parquet",
            parameter="path",
            value=str(path),
            way_out="Write it as one of these.",
        )
    return found
