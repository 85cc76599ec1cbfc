"""Where in a TOML file a table or key stands. The parser forgets lines, and a refusal should name one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A string is skipped as a whole, so that what it says is not taken for a bracket or a comment.
_PIECE = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|\#[^\n]*|[\[{]|[\]}]|\n|[^\S\n]+'
    r"|[^\"'#\[\]{}\s]+|.",
    re.DOTALL,
)
_HEAD = re.compile(r"\s*(\[\[?)\s*([^\]#]*?)\s*\]")
_KEY = re.compile(r"""\s*("[^"\n]*"|'[^'\n]*'|[^\s=.#"']+)\s*(?:\.\s*("[^"\n]*"|'[^'\n]*'|[^\s=.#"']+)\s*)?=""")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A head or a key with its value; `key` is None at a head, `table` is empty before the first."""

    line: int
    table: str
    index: int
    key: str | None


def line_of(text: str, table: str, index: int, key: str | None) -> int | None:
    """Return the line of a key in a table, else that of the table; the table "" is the file itself.

    Of a table that is written within one value, as `questions = [{…}]`, the line of that value.
    """
    found = None
    if not table and key is None:
        return None
    for here in _statements(text):
        if (here.table, here.index) == (table, index) and (key is None or here.key in (key, None)):
            if here.key == key:
                return here.line
            found = here.line
        elif not here.table and table and here.key == table and found is None:
            found = here.line
    return found


def _statements(text: str) -> Iterator[_Statement]:
    table, index, seen = "", 0, dict[str, int]()
    for line, statement in _lines(text):
        head = _HEAD.match(statement)
        if head:
            table = head[2].strip("\"' ")
            seen[table] = index = seen.get(table, -1) + 1
            yield _Statement(line, table, index, None)
            continue
        named = _KEY.match(statement)
        if named:
            first, second = (None if part is None else part.strip("\"'") for part in named.groups())
            if second is not None and not table:  # public.epsilon = 0.5
                yield _Statement(line, str(first), 0, second)
            else:
                yield _Statement(line, table, index, first)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Cut a file into its statements, which may run over several lines within brackets and long strings."""
    number, start, depth, parts = 1, 1, 0, list[str]()
    for piece in _PIECE.findall(text.replace("\r\n", "\n")):
        if piece == "\n" and depth <= 0:
            yield start, "".join(parts)
            parts, depth, start = [], 0, number + 1
        elif not piece.startswith("#"):
            depth += (piece in "[{") - (piece in "]}")
            parts.append(piece)
        number += piece.count("\n")
    yield start, "".join(parts)
