"""What has to be said of a file before it is read: nothing of it is guessed, because a wrong guess is wrong data."""

from __future__ import annotations

import codecs
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from sfumato.errors import InvalidParameter

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
    >>> sf.DataFile("wages.csv", encoding="windows-1252", decimal=",").decimal
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
