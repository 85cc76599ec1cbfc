"""Text from files: what is too much, what is no text, and how a name is shown in a sentence."""

from __future__ import annotations

from sfumato.errors import Place, UnreadableFile

MOST_TEXT_ENTRIES = 5_000_000
"""Entries of a table that is read number by number."""


def check_size(entries: int, place: Place | None = None) -> None:
    """Refuse a table of text that would take minutes to read."""
    if entries > MOST_TEXT_ENTRIES:
        raise UnreadableFile(
            f"the table holds about {entries} entries and at most {MOST_TEXT_ENTRIES} are read from text",
            way_out="Write it as Parquet with float64 columns, or merge symbols.",
            place=place,
        )


def check_text(text: str, what: str, place: Place | None = None) -> str:
    """Refuse half a surrogate pair, which JSON can spell but no file or terminal can show."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UnreadableFile(
            f"{what} is not valid text", way_out="Write the label in plain Unicode.", place=place
        ) from None
    return text


def short(label: object) -> str:
    """Show a label in a sentence, cut if long."""
    text = ascii(label)
    return text if len(text) <= 60 else f"{text[:56]}…"
