"""Public names of packages that are loaded when they are first used.

The stub beside a room's `__init__` is the one list of its names and of the modules that they come from: checkers of
types read it, and so does this module, when the first name is asked for (PEP 562).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def names_on_demand(room: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a room whose `__init__` is this file, by the stub beside it."""
    homes: dict[str, str] = {}

    def known() -> dict[str, str]:
        if not homes:
            homes.update(homes_in(_text(f"{file.rpartition('.')[0]}.pyi")))
        return homes

    def attribute(name: str) -> Any:
        if name == "__all__":
            return sorted(known(), key=_order)
        if name.startswith("__") or name not in known():
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        home = import_module(homes[name])
        found = import_module(f"{room}.{name}") if homes[name] == room else getattr(home, name)
        setattr(sys.modules[room], name, found)  # the next one who asks finds it without us
        return found

    def names() -> list[str]:
        return sorted({*known(), *(name for name in vars(sys.modules[room]) if name.startswith("__"))})

    return attribute, names


def homes_in(stub: str) -> dict[str, str]:
    """Return the module of each name that a stub imports."""
    import re  # noqa: PLC0415  who asks for no name does not need it

    imports = re.findall(r"^from (\S+) import (?:\(([^)]*)\)|([^(\n]*))", stub, re.MULTILINE)
    return {name: home for home, many, few in imports for name in re.findall(r"\w+", many or few)}


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib takes longer to load than this to run
        return file.read()


def _order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: as the linter sorts `__all__`."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name
