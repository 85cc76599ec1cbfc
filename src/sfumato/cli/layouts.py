"""Options that say how a table is written, the same for every verb that reads one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sfumato.files.layouts import DataFile

_TABLE = "How the table is written"

Encoding = Annotated[
    str | None,
    typer.Option(help="Of a CSV that is not UTF-8: windows-1252, latin-1, …", rich_help_panel=_TABLE),
]
Separator = Annotated[
    str | None,
    typer.Option(
        help="What stands between cells of a CSV: ; or tab. Default: from the first line.", rich_help_panel=_TABLE
    ),
]
Decimal = Annotated[
    str, typer.Option(help="The sign before decimals in a CSV: a point or a comma.", rich_help_panel=_TABLE)
]
Sheet = Annotated[str | None, typer.Option(help="The sheet of a workbook. Default: the first.", rich_help_panel=_TABLE)]


def data_file(
    path: Path, encoding: str | None, separator: str | None, decimal: str, sheet: str | None
) -> Path | DataFile:
    """Return a table with what is said of how it is written."""
    from sfumato.files.layouts import DataFile

    found = DataFile(path, encoding=encoding, separator=separator, decimal=decimal, sheet=sheet)
    return path if found.is_plain else found
