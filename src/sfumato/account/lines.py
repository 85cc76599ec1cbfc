"""Lines of text that an account keeps: whoever has it reads them, so nothing in them may move a cursor."""

from __future__ import annotations

import unicodedata

from sfumato.errors import InvalidParameter

MOST_TITLE = 200
MOST_NOTE = 500
MOST_NOTES = 100


def checked_lines(name: str, lines: tuple[object, ...]) -> tuple[str, ...]:
    """Return several notes, each one line."""
    if len(lines) > MOST_NOTES:
        raise InvalidParameter(
            f"has {len(lines)} lines, and at most {MOST_NOTES} are kept", parameter=name, way_out="Leave some out."
        )
    for line in lines:
        check_line(name, line, MOST_NOTE)
    return tuple(str(line) for line in lines)


def check_line(name: str, line: object, most: int) -> None:
    """Refuse what is not one line of text."""
    # What is wrong is not repeated: it may have come from the data.
    if not isinstance(line, str) or not line.strip() or len(line) > most or any(map(_breaks_lines, line)):
        raise InvalidParameter(
            f"must be one line of text, of 1 to {most} characters",
            parameter=name,
            way_out="Shorten it, or leave out what is no text.",
        )


def _breaks_lines(letter: str) -> bool:
    """Whether this is a control character, the end of a line or a paragraph, or half of a character."""
    return unicodedata.category(letter) in {"Cc", "Zl", "Zp", "Cs"}
