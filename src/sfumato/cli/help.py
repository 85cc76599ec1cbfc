"""Help pages and error messages of the command.

Nothing in a text is markup, so nothing in it can be lost. Paragraphs are laid out anew for the width at hand; what
stands in (an example) keeps its lines, and one that is too long goes on after a backslash, so that it can be copied.
"""

from __future__ import annotations

import copy
import enum
import inspect
import re
import shutil
import textwrap
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from sfumato.cli.output import MEGABYTE
from sfumato.errors import SfumatoError

NARROWEST, WIDEST = 40, 120
_INDENT = "  "
_GAP = 2
_KEPT = "\0"  # a space at which no line ends
_QUOTED_WORDS = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*')+""")


class _Verb(TyperCommand):
    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(_page(self, ctx))


class _Family(TyperGroup):
    def format_help(self, ctx: Any, formatter: Any) -> None:
        formatter.write(_page(self, ctx))


def lay_out_help(app: typer.Typer) -> None:
    """Let every verb of an app, and of the apps inside it, print its help by this module."""
    app.info.cls = _Family
    for verb in app.registered_commands:
        verb.cls = _Verb
    for family in app.registered_groups:
        if family.typer_instance is not None:
            lay_out_help(family.typer_instance)


def _page(command: Any, ctx: Any) -> str:

    width = max(NARROWEST, min(shutil.get_terminal_size().columns, WIDEST))
    parameters = list(parameters_of(command, command.get_params(ctx)))
    verbs = [(name, verb) for name, verb in getattr(command, "commands", {}).items() if not verb.hidden]
    parts = [_usage(ctx.command_path, parameters, bool(verbs), width), *_prose(command.help or "", width)]
    if verbs:
        rows = {name: _first(verb.help or "") for name, verb in verbs}
        parts.append(_table("Verbs", rows, _column(rows, width), width))
    # Options are in line with each other under all headings; arguments are short, and apart.
    column = _column((_left(p) for p in parameters if not p.is_argument), width)
    for heading, found in _panels(parameters).items():
        rows = {_left(p): _right(p) for p in found}
        parts.append(_table(heading, rows, _column(rows, width) if found[0].is_argument else column, width))
    if verbs:
        parts.append("\n".join(_wrapped(f"How a verb is used: {ctx.command_path} VERB --help", width)))
    return "\n\n".join(parts) + "\n"


def _usage(path: str, parameters: list[Parameter], has_verbs: bool, width: int) -> str:
    words = [p.usage for p in parameters if p.is_argument]
    words += [p.usage for p in parameters if not p.is_argument and p.is_needed]
    words += ["VERB ..."] if has_verbs else []
    words += ["[OPTIONS]"] if any(not p.is_argument and not p.is_needed for p in parameters) and not has_verbs else []
    head = f"Usage: {path} "
    return "\n".join(_wrapped(" ".join(words), width, head, " " * len(head)))


def _prose(text: str, width: int) -> Iterator[str]:
    """Yield the paragraphs of a docstring; lines that stand in are kept."""
    for block in text.strip("\n").split("\n\n"):
        lines = block.strip("\n").splitlines()
        if lines and all(line.startswith("    ") for line in lines):
            yield "\n".join(part for line in textwrap.dedent(block).splitlines() for part in _example(line, width))
        elif lines:
            yield "\n".join(_wrapped(block, width))


def _example(line: str, width: int) -> Iterator[str]:
    """Yield a line of a shell as it is, or, where it is too long, lines that a shell puts together again."""
    if len(_INDENT) + len(line) <= width or not line.startswith("sfumato "):
        yield f"{_INDENT}{line}".rstrip()
        return
    current = ""
    for piece in _pieces(line):
        indent = _INDENT if not current else _INDENT * 3
        if current and len(current) + 1 + len(piece) + 2 > width:
            yield f"{current} \\"
            current = f"{indent}{piece}"
        else:
            current = f"{current} {piece}" if current else f"{indent}{piece}"
    yield current


def _pieces(line: str) -> list[str]:
    """Return the words of a command; an option and its value stay together."""
    found: list[str] = []
    for word in _QUOTED_WORDS.findall(line):
        if found and re.fullmatch(r"--?[a-z][a-z-]*", found[-1]) and not word.startswith("-"):
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found


def _panels(parameters: list[Parameter]) -> dict[str, list[Parameter]]:
    """Return the parameters by heading, each heading where its first one stands."""
    found: dict[str, list[Parameter]] = {}
    for parameter in parameters:
        found.setdefault(parameter.panel or ("Arguments" if parameter.is_argument else "Options"), []).append(parameter)
    return found


def _left(parameter: Parameter) -> str:
    if parameter.is_argument:
        return parameter.word
    short = f"{parameter.short}, " if parameter.short else "    "
    return f"{short}{parameter.usage}"


def _right(parameter: Parameter) -> str:
    notes = f"[{'; '.join(parameter.notes)}]".replace(" ", _KEPT) if parameter.notes else ""
    return " ".join(part for part in (parameter.help, notes) if part)


def _column(names: Iterable[str], width: int) -> int:
    """Return where the second column begins; longer names than a third of the width have lines of their own."""
    return len(_INDENT) + max([len(name) for name in names if len(name) <= max(24, width // 3)], default=0) + _GAP


def _table(heading: str, rows: dict[str, str], column: int, width: int) -> str:
    lines = [f"{heading}:"]
    for left, right in rows.items():
        head = f"{_INDENT}{left}"
        if len(head) + _GAP > column:
            lines.append(head)
            head = ""
        lines += _wrapped(right, width, head.ljust(column), " " * column) or [head]
    return "\n".join(lines)


def _first(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    lines = textwrap.wrap(
        " ".join(text.split()),
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_KEPT, " ") for line in lines]


# What a verb can be given: the arguments and options of a command, in words.
#
# Names, help and panels are those of the command; what a parameter takes is read from the verb's own annotations,
# which stay the same whatever typer makes of them inside.


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


# The command's own words for errors: where the library names a parameter, the command names its option.
#
# An error carries the parameter it is about and puts names in backticks; here `budget_bits` becomes --budget-bits
# where the verb that runs has that option, and DATA where it has that argument. A name that the verb does not have
# stays. What the command line itself gets wrong is said in the same way, in a sentence.


# What a parameter of the library is called by a verb, if it has none of the same name. The first that it has is meant.
ALIASES: dict[str, tuple[str, ...]] = {
    "by": ("group",),
    "claimed_epsilon": ("epsilon",),
    "id": ("person", "id_column"),
    "ids": ("person",),
    "keys": ("key",),
    "limit_bytes": ("limit_mb",),
    "n": ("responses",),
    "passphrase": ("passphrase_file",),
    "questions": ("question",),
    "release_id": ("name",),
    "protection": ("passphrase_file",),
    "reports": ("samples",),
    "rows": ("row",),
    "rows_id": ("rows",),
    "seed": ("insecure_seed",),
    "theta": ("expected_share",),
    "unlock": ("allow_unprotected", "unprotected"),
}
# Options in another unit than the parameter.
_UNITS: dict[str, int] = {"limit_bytes": MEGABYTE}


def words_of(error: SfumatoError, command: Any, arguments: Sequence[str]) -> str:
    """Return the sentence of an error in the words of the verb that the arguments of the command name."""
    running = running_verb(command, arguments)
    verb, place = running.verb, error.place
    if place is not None and (place.line is not None or place.table or place.key is not None):
        return str(error)  # it is about a key or a line of a file, which has the same name there
    shown = copy.copy(error)
    if isinstance(error.value, int | float) and not isinstance(error.value, bool):
        shown.value = _as_typed(error.value / _UNITS.get(error.parameter or "", 1))
    name = naming_of(verb)
    if error.parameter == "path":
        # Which of several files is meant, the command line tells: the one that has this name there.
        word = _word_of_value(verb, running.rest, str(error.value))
        return shown.sentence(lambda parameter: word if parameter == "path" else name(parameter), joined=" ")
    return shown.sentence(name, joined=" ")


def naming_of(verb: Any) -> Callable[[str], str | None]:
    """Return what gives the word of a verb for a parameter of the library, or None where it has none."""
    words = {} if verb is None else {parameter.name: parameter.word for parameter in parameters_of(verb)}

    def name(parameter: str) -> str | None:
        return next((words[known] for known in (parameter, *ALIASES.get(parameter, ())) if known in words), None)

    return name


@dataclass(frozen=True, slots=True)
class Running:
    """The verb that the arguments of the command name, or the family of verbs where they name none of it."""

    path: str
    verb: Any
    rest: tuple[str, ...]


def running_verb(command: Any, arguments: Sequence[str]) -> Running:
    """Walk from the command to the verb that its arguments name; `rest` is what follows it."""
    path, number = "sfumato", 0
    while number < len(arguments) and hasattr(command, "commands"):
        word = arguments[number]
        if word in command.commands:
            path, command = f"{path} {word}", command.commands[word]
        elif not word.startswith("-"):  # an option before a verb takes no value, so it is passed over
            break
        number += 1
    return Running(path, command, tuple(arguments[number:]))


def _word_of_value(verb: Any, rest: Sequence[str], value: str) -> str | None:
    """Return the option or argument that has this value on the command line."""
    for parameter in parameters_of(verb):
        if not parameter.is_argument and _given([parameter.word, parameter.short], rest) == f" {value}":
            return parameter.word
    return next((p.word for p in parameters_of(verb) if p.is_argument and value in rest), None)


def _as_typed(value: float) -> float:
    """0.0 was typed as 0."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else value


def usage_words(error: Exception, command: Any, arguments: Sequence[str]) -> str:
    """Return a line about arguments that the verb cannot be called with."""
    running = running_verb(command, arguments)
    path, verb = running.path, running.verb
    parameter = getattr(error, "param", None)
    kind = type(error).__name__
    about = next((p for p in parameters_of(verb) if parameter is not None and p.name == parameter.name), None)
    help_line = f"See `{path} --help`."
    if kind == "NoSuchOption":
        wanted = str(getattr(error, "option_name", ""))
        meant = _meant(wanted, [p.word for p in parameters_of(verb)] if wanted.startswith("--") else [])
        return f"UsageError: {path} has no option {wanted}. {meant}{help_line}"
    if about is not None and kind == "MissingParameter":
        return f"UsageError: {path} needs {about.word if about.is_argument else about.usage}. {help_line}"
    if about is not None:
        rule = must_be(verb, about.name)
        given = "" if about.is_repeatable else _given([about.word, about.short], running.rest)
        wrong = f"must be {rule}" if rule else f"cannot be used: {_message(error)}"
        return f"InvalidParameter: {about.word}{given} {wrong}. {help_line}"
    option = next((p for p in parameters_of(verb) if getattr(error, "option_name", "") in {p.word, p.short}), None)
    if option is not None and kind == "BadOptionUsage":
        needs = f"needs a value: {option.usage}" if option.takes else "takes no value"
        return f"UsageError: {option.word} {needs}. {help_line}"
    if hasattr(verb, "commands") and running.rest:
        wanted = running.rest[0]
        return f"UsageError: {path} has no verb {wanted}. {_meant(wanted, list(verb.commands))}{help_line}"
    extra = re.search(r"extra argument\S* \((.*)\)$", _message(error))
    what = f"{path} has no place for {extra[1]}" if extra else _message(error)
    return f"UsageError: {what}. {help_line}"


def _meant(word: str, known: list[str]) -> str:
    close = get_close_matches(word, known, n=1)
    return f"Did you mean {close[0]}? " if close else ""


def _given(names: list[str], arguments: Sequence[str]) -> str:
    """Return the value that an option has on the command line, after a space."""
    for number, word in enumerate(arguments):
        option, equals, value = word.partition("=")
        if option.startswith("-") and option in names:
            following = arguments[number + 1] if number + 1 < len(arguments) else ""
            return f" {value if equals else following}".rstrip()
    return ""


def _message(error: Exception) -> str:
    text = " ".join(str(getattr(error, "message", error)).split()).rstrip(".")
    return text[:1].lower() + text[1:]
