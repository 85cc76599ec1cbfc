"""Libraries that only some files take, and that are installed by the extra `files`."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from sfumato.errors import Place, UnreadableFile


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
