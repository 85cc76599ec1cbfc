"""What a verb can be given: the arguments and options of a command, in words.

Names, help and panels are those of the command; what a parameter takes is read from the verb's own annotations, which
stay the same whatever typer makes of them inside.
"""

from __future__ import annotations

import enum
import inspect
import types
import typing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WORDS = {Path: "PATH", str: "TEXT", int: "INTEGER", float: "NUMBER"}
_SAID = {int: "a whole number", float: "a number"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """An argument or an option of a verb."""

    name: str
    word: str
    short: str = ""
    opposite: str = ""
    takes: str = ""
    must: str = ""
    help: str = ""
    panel: str = ""
    default: str = ""
    is_argument: bool = False
    is_needed: bool = False
    is_repeatable: bool = False

    @property
    def usage(self) -> str:
        """How it stands in a line that shows how the verb is used."""
        if not self.is_argument:
            return " ".join(part for part in (self.word, self.takes, self.opposite and f"/ {self.opposite}") if part)
        several = "..." if self.is_repeatable else ""
        return f"{self.word}{several}" if self.is_needed else f"[{self.word}{several}]"

    @property
    def notes(self) -> list[str]:
        """What is to be known besides its help, as far as the help does not say it."""
        said = self.help.lower()
        found = [
            ("needed", self.is_needed),
            ("repeatable", self.is_repeatable and not self.is_argument),
            (self.must, bool(self.must)),
            (f"default {self.default}", bool(self.default)),
        ]
        return [note for note, holds in found if holds and note not in said]


def parameters_of(command: Any, given: Iterable[Any] | None = None) -> Iterator[Parameter]:
    """Yield what a command takes: `given`, or all that its verb declares."""
    hints, defaults = _declared(command.callback)
    for parameter in command.params if given is None else given:
        if getattr(parameter, "hidden", False):
            continue
        is_argument = parameter.param_type_name == "argument"
        is_flag = not is_argument and bool(getattr(parameter, "is_flag", False) or getattr(parameter, "count", False))
        kind, info = hints.get(parameter.name, (None, None))
        names = sorted(parameter.opts, key=len)
        yield Parameter(
            name=parameter.name,
            word=(parameter.metavar or parameter.name.upper()) if is_argument else names[-1],
            short=names[0] if len(names) > 1 else "",
            opposite=next(iter(parameter.secondary_opts), ""),
            takes="" if is_argument or is_flag else parameter.metavar or _takes(kind),
            must=_must(info, kind),
            help=" ".join((getattr(parameter, "help", None) or "").split()),
            panel=getattr(parameter, "rich_help_panel", None) or "",
            default="" if is_flag or parameter.required else _shown(defaults.get(parameter.name)),
            is_argument=is_argument,
            is_needed=bool(parameter.required),
            is_repeatable=bool(getattr(parameter, "multiple", False)) or parameter.nargs == -1,
        )


def _declared(callback: Any) -> tuple[dict[str, tuple[Any, Any]], dict[str, Any]]:
    """Return what a verb's function says of each parameter: its type, typer's remark on it, and its default."""
    if callback is None:
        return {}, {}
    function = inspect.unwrap(callback)
    found = {}
    for name, hint in typing.get_type_hints(function, include_extras=True).items():
        info = next(iter(getattr(hint, "__metadata__", ())), None)
        found[name] = (_bare(hint.__origin__ if info is not None else hint), info)
    return found, {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def _bare(kind: Any) -> Any:
    """Return the type of one value: of `list[int] | None`, int."""
    inner = [part for part in typing.get_args(kind) if part is not types.NoneType]
    is_wrapped = typing.get_origin(kind) in {list, types.UnionType, typing.Union}
    return _bare(inner[0]) if is_wrapped and inner else kind


def _choices(kind: Any) -> list[str]:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return [str(member.value) for member in kind]
    return [str(choice) for choice in typing.get_args(kind)] if typing.get_origin(kind) is typing.Literal else []


def _takes(kind: Any) -> str:
    return "|".join(_choices(kind)) or _WORDS.get(kind, "TEXT")


def _must(info: Any, kind: Any) -> str:
    low, high = getattr(info, "min", None), getattr(info, "max", None)
    if kind not in _SAID or (low is None and high is None):
        return ""
    if high is None:
        return f"≥ {low}"
    return f"≤ {high}" if low is None else f"{low} to {high}"


def must_be(command: Any, name: str) -> str:
    """Return what the value of a parameter must be, for one who gave another; nothing where any text will do."""
    kind, info = _declared(command.callback)[0].get(name, (None, None))
    choices = _choices(kind)
    if choices:
        return f"one of {', '.join(choices)}"
    limits = _must(info, kind)
    return f"{_SAID[kind]} {limits}".strip() if kind in _SAID else ""


def _shown(value: object) -> str:
    if not isinstance(value, int | float | str | Path | enum.Enum):
        return ""
    return str(value.value) if isinstance(value, enum.Enum) else str(value)
