"""Places that files will be written to, checked before any work is done: a refusal names the parameter that says where.

What passes here can still fail, by a full disk; but no mistake in a name is found out too late.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.files.formats import Format, format_of


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
