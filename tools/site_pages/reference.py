"""The reference: a page a package, which Sphinx makes of docstrings, and a page of what the command's --help prints."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

import sfumato
from sfumato.cli.app import whole_app

SCREEN = "100"  # columns of the screen that --help is printed on
LONGEST = 200  # of a constant's value that is shown
LIBRARY = """\
# The library `sfumato`

`import sfumato as sf` brings the names of the first page and the packages, each loaded when it is first used. Words are
in the [glossary](../glossary.md); what may change between versions is in the [policy](../policy.md).
"""
COMMAND = """\
# The command `sfumato`

Exit codes: 0 done, 1 a claim or a key was refused, 2 the input cannot be used, 3 claims are stated and not checked
because the law is private, 70 a bug in Sfumato. Results go to standard output, remarks to standard error. Secrets are
read from files or typed, never given as arguments. Below is what `--help` prints.
"""


def write_reference(folder: Path) -> None:
    """Write the pages of the library and of the command into a folder."""
    (folder / "api").mkdir(parents=True, exist_ok=True)
    packages = {name: getattr(sfumato, name) for name in sfumato.__all__ if inspect.ismodule(getattr(sfumato, name))}
    front = [name for name in sfumato.__all__ if name not in packages]
    pages = {"api": _library_page(packages), "cli": command_page(), "api/sfumato": _page("sfumato", front, [*packages])}
    for name, package in packages.items():
        names = _public(package)
        told = [one for one in names if one in front and getattr(sfumato, one) is getattr(package, one)]
        pages[f"api/{name}"] = _page(f"sfumato.{name}", names, told)
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def _public(module: ModuleType) -> list[str]:
    """The public names: those that a package lists, or what a single file defines."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [name for name, it in vars(module).items() if getattr(it, "__module__", None) == module.__name__]
    return sorted(name for name in listed if not name.startswith("_"))


def _library_page(packages: dict[str, ModuleType]) -> str:
    rows = ["| package | what is in it |", "|---|---|", "| [`sf`](api/sfumato.md) | What most people call and make. |"]
    for name, package in packages.items():
        said = " ".join((inspect.getdoc(package) or "").partition("\n\n")[0].split())
        said = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", said)
        rows.append(f"| [`sf.{name}`](api/{name}.md) | {said} |")
    return "\n".join([LIBRARY, *rows]) + "\n"


def _page(module: str, names: list[str], elsewhere: list[str]) -> str:
    """A table of all names, then what their docstrings say, but for names that another page tells of."""
    package = sfumato if module == "sfumato" else getattr(sfumato, module.partition(".")[2])
    values = {name: getattr(package, name) for name in names if not _has_docstring(getattr(package, name))}
    made = [f".. automodule:: {module}", "   :members:"]
    made += [f"   :exclude-members: {', '.join([*elsewhere, *values])}"] if elsewhere or values else []
    for name, value in values.items():
        shown = repr(value).replace("sfumato.", "")
        made += [
            "",
            f".. py:data:: {name}",
            f"   :module: {module}",
            *([f"   :value: {shown}"] if len(shown) < LONGEST else []),
        ]
    told = [f"   ~{'sfumato' if name in elsewhere else module}.{name}" for name in names if name not in values]
    made = [".. autosummary::", "", *told, "", *made] if told else made
    return "\n".join([f"# {module.replace('sfumato', 'sf')}", "", "```{eval-rst}", *made, "```"]) + "\n"


def _has_docstring(it: Any) -> bool:
    """Whether a name is called; constants and types have no docstring of their own."""
    return inspect.isclass(it) or inspect.isroutine(inspect.unwrap(it) if callable(it) else it)


def command_page() -> str:
    """Return the page about every verb: what its --help really prints."""
    os.environ["COLUMNS"] = SCREEN
    command = typer.main.get_command(whole_app())
    parts = [COMMAND, *(f"## {name}\n\n```text\n{_help(command, name)}```" for name in _verbs(command, ()))]
    return "\n\n".join(parts) + "\n"


def _verbs(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    """Yield how each verb is called."""
    for name, inner in command.commands.items():
        if hasattr(inner, "commands"):
            yield from _verbs(inner, (*path, name))
        elif not inner.hidden:
            yield " ".join(("sfumato", *path, name))


def _help(command: Any, name: str) -> str:
    """Return what a verb prints when it is asked for help on a screen of a fixed width."""
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen):
        command.main([*name.split()[1:], "--help"], prog_name="sfumato", standalone_mode=False)
    return screen.getvalue()
