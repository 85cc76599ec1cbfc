"""Text from files: what is too much, what is no text, and how a name is shown in a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from sfumato.errors import Place, UnreadableFile

MOST_TEXT_ENTRIES = 5_000_000
"""Entries of a table that is read number by number."""
_LONGEST_NAME = 300
HIDDEN = (
    "\x00-\x1f\x7f-\x9f\u2028\u2029"  # control characters, ends of lines and of paragraphs
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""Characters that are not seen, inside the brackets of a pattern: controls, and what Unicode calls ignorable."""
_HIDDEN = re.compile(f"[{HIDDEN}]")


def normal(text: str) -> str:
    """Return text in Unicode's composed form (NFC), in which what looks the same is mostly written the same."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def hidden_character(text: str) -> str | None:
    """Name the first character of a label that is not seen, such as U+200B; None where there is none."""
    found = None if text.isascii() and text.isprintable() else _HIDDEN.search(text)
    return None if found is None else f"U+{ord(found[0]):04X}"


def check_size(entries: int, place: Place | None = None) -> None:
    """Refuse a table of text that would take minutes to read."""
    if entries > MOST_TEXT_ENTRIES:
        raise UnreadableFile(
            f"the table holds about {entries} entries and at most {MOST_TEXT_ENTRIES} are read from text",
            way_out="Write it as Parquet with float64 columns, or merge symbols.",
            place=place,
        )


def check_text(text: str, what: str, place: Place | None = None) -> str:
    """Return a label of a file in its normal form.

    Refuse half a surrogate pair, which JSON can spell but no file or terminal can show, and characters that are not
    seen.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UnreadableFile(
            f"{what} is not valid text", way_out="Write the label in plain Unicode.", place=place
        ) from None
    hidden = hidden_character(text)
    if hidden is not None:
        raise UnreadableFile(
            f"{what} holds {hidden}, a control or zero-width character",
            way_out="Write the label without it.",
            place=place,
        )
    return normal(text)


def check_names(names: Sequence[str], place: Place | None = None) -> None:
    """Refuse names of columns that no sentence could repeat, or that two columns share."""
    if any(len(name) > _LONGEST_NAME for name in names):
        raise UnreadableFile(
            f"a column has a name of more than {_LONGEST_NAME} characters",
            way_out="Shorten it, and check that the first line holds the names of the columns.",
            place=place,
        )
    if len(set(names)) != len(names):
        raise UnreadableFile(
            "the table has two columns of the same name", way_out="Rename one of the two.", place=place
        )


def no_column(name: str, names: Sequence[str], place: Place | None = None) -> UnreadableFile:
    """Return the refusal of a table without a column, which tells what there is."""
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return UnreadableFile(
        f"the table has no column {name!r}; it has {', '.join(map(repr, names[:20]))}{more}",
        way_out="Say with `separator` what stands between cells."
        if len(names) == 1 and any(sign in names[0] for sign in ",;|\t")
        else "Rename one of its columns, or change the id of the question.",
        place=place,
    )


def short(label: object) -> str:
    """Show a label in a sentence, cut if long."""
    text = ascii(label)
    return text if len(text) <= 60 else f"{text[:56]}…"
