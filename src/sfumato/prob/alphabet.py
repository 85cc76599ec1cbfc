"""Alphabets: the labels of a finite law, in order and without repetition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.files.texts import hidden_character, normal, short

Label = str | int | tuple["Label", ...]
Alphabet = tuple[Label, ...]


def check_labels(name: str, labels: Iterable[object] | None, size: int) -> Alphabet:
    """Return the labels as a tuple, text in Unicode NFC; 0..size-1 when none are given."""
    if labels is None:
        return tuple(range(size))
    found = tuple(_check_label(name, label) for label in labels)
    if len(found) != size:
        raise InvalidLaw(
            f"has {len(found)} labels for {size} entries",
            parameter=name,
            way_out=f"Give one label to each entry, or leave `{name}` out to number them.",
        )
    seen: set[Label] = set()
    for label in found:
        if label in seen:
            raise InvalidLaw(f"holds the label {short(label)} twice", parameter=name, way_out="Rename one of the two.")
        seen.add(label)
    return found


def entry_place(entry: object, inputs: Sequence[Label], outputs: Sequence[Label]) -> tuple[int, int]:
    """Return where an entry of a channel stands."""
    if not isinstance(entry, tuple) or len(entry) != 2:
        raise InvalidParameter(
            "must be an input and an output", parameter="entry", way_out="Write channel[x, y], in places or labels."
        )
    return place_of("input", entry[0], inputs), place_of("output", entry[1], outputs)


def place_of(name: str, given: object, labels: Sequence[Label]) -> int:
    """Return the place of an input or an output: a whole number is one, anything else is a label."""
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        place = int(given)
        if -len(labels) <= place < len(labels):
            return place % len(labels)
        rule = "is no place"
    else:
        if isinstance(given, str | tuple) and normal_label(given) in labels:
            return labels.index(normal_label(given))
        rule = "is neither a place nor a label"
    way_out = f"Places run from 0 to {len(labels) - 1}; labels stand in `{name}s`."
    raise InvalidParameter(rule, parameter=name, value=given, way_out=way_out)


def product_labels(*alphabets: Alphabet) -> Alphabet:
    """Return the labels of a product alphabet: tuples, the last coordinate moving fastest."""
    result: tuple[tuple[Label, ...], ...] = ((),)
    for alphabet in alphabets:
        result = tuple((*prefix, label) for prefix in result for label in alphabet)
    return result


def normal_label(label: Label) -> Label:
    """Return a label as alphabets hold it: text in Unicode NFC."""
    if isinstance(label, tuple):
        return tuple(normal_label(part) for part in label)
    return normal(label) if isinstance(label, str) else label


def _check_label(name: str, label: object) -> Label:
    if isinstance(label, tuple):
        return tuple(_check_label(name, part) for part in label)
    if isinstance(label, str):
        hidden = hidden_character(label)
        if hidden is not None:
            raise InvalidLaw(
                f"holds a label with {hidden}, a control or zero-width character",
                parameter=name,
                way_out="Write the label without it.",
            )
        return normal(label)
    if isinstance(label, int) and not isinstance(label, bool):
        return label
    raise InvalidLaw(
        f"holds a label of type {type(label).__name__}",
        parameter=name,
        way_out="Use text, whole numbers, or tuples of them.",
    )
