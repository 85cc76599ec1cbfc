"""Labels on their way to and from text."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.json_documents import NumberText
from sfumato.files.numbers import MOST_CHARACTERS
from sfumato.files.texts import check_text
from sfumato.prob.alphabet import Alphabet, Label


def as_text(label: Label) -> str:
    """Write a label as text: tuples like (yes, 0), so that a product channel's labels stay readable."""
    if isinstance(label, tuple):
        return f"({', '.join(as_text(part) for part in label)})"
    if isinstance(label, int):
        if label.bit_length() > 3 * MOST_CHARACTERS:
            raise InvalidParameter(
                f"a label is a number of more than {label.bit_length()} bits, too long to be read back",
                way_out="Use text.",
            )
        return str(label)
    try:
        label.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidParameter(
            f"the label {label!a} is not valid text, so no file can hold it", way_out="Rename it."
        ) from None
    return label


def as_json(label: Label) -> object:
    """Write a label as JSON: text, a number, or a list of them."""
    if isinstance(label, tuple):
        return [as_json(part) for part in label]
    as_text(label)
    return label


def in_reading_order(labels: Iterable[Label]) -> Alphabet:
    """Sort labels so that 2 comes before 10, whether they are numbers or text, whatever order they came in."""
    return tuple(sorted(labels, key=_order))


def _order(label: Label) -> tuple[int, int, str]:
    if isinstance(label, int):
        return 0, label, ""
    text = as_text(label)
    if text.isascii() and text.isdecimal() and len(text) <= 18:
        return 0, int(text), text
    return 1, 0, text


def as_label(value: object, what: str, place: Place | None = None) -> Label:
    """Read a label: text, a whole number, or a list of labels."""
    if isinstance(value, list):
        return tuple(as_label(part, what, place) for part in value)
    if isinstance(value, NumberText):
        if len(value) > MOST_CHARACTERS or not value.removeprefix("-").isdecimal():
            raise UnreadableFile(
                f"{what} is a number that is not whole, or too long", way_out="Use text for the label.", place=place
            )
        return int(value)
    if isinstance(value, str):
        return check_text(value, what, place)
    raise UnreadableFile(
        f"{what} must be text, a whole number, or a list of them", way_out="Write the label as text.", place=place
    )
