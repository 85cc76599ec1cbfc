"""What --help prints: every word of a verb's docstring and of its options, in plain text that fits the screen.

Nothing in a text is markup, so nothing in it can be lost. Paragraphs are laid out anew for the width at hand; what
stands in (an example) keeps its lines, and one that is too long goes on after a backslash, so that it can be copied.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from sfumato.cli.parameters import Parameter

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
    from sfumato.cli.parameters import parameters_of

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
