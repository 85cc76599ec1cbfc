"""Lazy imports of the public names of packages (PEP 562).

The stub `__init__.pyi` of a package lists its public names and the modules that define them. Type checkers read it.
This module reads it when the first name is looked up, and imports the module of a name when that name is first used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def names_on_demand(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a package whose `__init__` is `file`, from the stub beside it."""
    modules: dict[str, str] = {}

    def known() -> dict[str, str]:
        if not modules:
            modules.update(modules_in(_text(f"{file.rpartition('.')[0]}.pyi")))
        return modules

    def attribute(name: str) -> Any:
        if name == "__all__":
            return sorted(known(), key=_order)
        if name.startswith("__") or name not in known():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(modules[name])
        found = import_module(f"{package}.{name}") if modules[name] == package else getattr(module, name)
        setattr(sys.modules[package], name, found)  # the next lookup does not come here
        return found

    def names() -> list[str]:
        return sorted({*known(), *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return attribute, names


def modules_in(stub: str) -> dict[str, str]:
    """Return the module of each name that a stub imports."""
    import re  # noqa: PLC0415  not needed before a name is looked up

    imports = re.findall(r"^from (\S+) import (?:\(([^)]*)\)|([^(\n]*))", stub, re.MULTILINE)
    return {name: module for module, many, few in imports for name in re.findall(r"\w+", many or few)}


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  pathlib takes longer to load than this to run
        return file.read()


def _order(name: str) -> tuple[int, str]:
    """Return the sort key of `__all__` as the linter orders it: constants, classes, functions."""
    return 0 if name.isupper() else 1 if name[0].isupper() else 2, name
