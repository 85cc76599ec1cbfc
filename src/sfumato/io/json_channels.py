"""Channels as JSON.

A dense channel is ``{"schema": "sfumato/channel/1", "rows": [[…]]}`` with optional `inputs`, `outputs` (text, whole
numbers, or lists of them) and ``"numbers": "exact" | "float64"``; or a bare list of rows. An entry is a number, read
from its decimal text, or a fraction as text. For Y = X + U mod K, ``"kind": "circulant"`` comes with either `size`,
`support` and `odds`, or with `law`, and an optional `input_count`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from sfumato.errors import InvalidInput, Place, UnreadableFile
from sfumato.files.json_documents import as_count, as_fraction, as_list, check_keys, check_schema, read_json
from sfumato.io.labels import as_label
from sfumato.io.laws import FLOAT64, make_channel, read_law, row_name
from sfumato.prob import AnyChannel, Circulant
from sfumato.prob.alphabet import Label

SCHEMA = "sfumato/channel/1"
_MOST_SHIFTS = 20_000_000
_DENSE_KEYS = ("schema", "kind", "numbers", "inputs", "outputs", "rows")
_TWO_LEVEL_KEYS = ("schema", "kind", "size", "support", "odds", "input_count")
_LAW_KEYS = ("schema", "kind", "numbers", "law", "input_count")


def channel_from_json(data: bytes, path: str | Path) -> AnyChannel:
    """Read a channel from the bytes of a document."""
    place = Place(file=str(path))
    document = read_json(data, path)
    if isinstance(document, list):
        document = {"schema": SCHEMA, "rows": document}
    if not isinstance(document, dict):
        raise UnreadableFile(
            "the file is neither an object nor a list of rows",
            way_out="Write a list of lists of numbers.",
            place=place,
        )
    check_schema(document, path, kind="channel")
    kind = document.get("kind", "dense")
    if kind == "circulant":
        return _circulant(document, path)
    if kind != "dense":
        raise UnreadableFile(
            "the kind is not known here", way_out="Use dense or circulant, or leave it out.", place=place
        )
    check_keys(document, path, known=_DENSE_KEYS, needed=("rows",))
    found = as_list(document["rows"], "rows", place)
    rows = [_fractions(row, f"rows[{x}]", place) for x, row in enumerate(found)]
    if not rows or len({len(row) for row in rows}) > 1:
        odd = next((x for x, row in enumerate(rows) if len(row) != len(rows[0])), 0)
        raise UnreadableFile(
            f"rows[{odd}] has another number of entries than rows[0], or there are no rows",
            way_out="Every row needs one entry for each output.",
            place=place,
        )
    inputs, outputs = (_labels(document, key, place) for key in ("inputs", "outputs"))
    is_float = _is_float64(document, place)
    law = read_law(rows, lambda x: row_name(inputs, x, f"rows[{x}]"), place, float64=is_float)
    return make_channel(law, inputs, outputs, place)


def _labels(document: dict[str, object], key: str, place: Place) -> list[Label] | None:
    if key not in document:
        return None
    found = as_list(document[key], key, place)
    return [as_label(value, f"{key}[{i}]", place) for i, value in enumerate(found)]


def _is_float64(document: dict[str, object], place: Place) -> bool:
    numbers = document.get("numbers", "exact")
    if numbers not in ("exact", FLOAT64):
        raise UnreadableFile(
            "the kind of numbers is not known here", way_out="Use exact or float64, or leave it out.", place=place
        )
    return numbers == FLOAT64


def _circulant(document: dict[str, object], path: str | Path) -> Circulant:
    place = Place(file=str(path))
    count = None
    if "input_count" in document:
        count = as_count(document["input_count"], "input_count", place, most=_MOST_SHIFTS)
    if "law" in document:
        check_keys(document, path, known=_LAW_KEYS, needed=("law",))
        values = _fractions(document["law"], "law", place)
        law = read_law([values], lambda _: "law", place, float64=_is_float64(document, place))
        numbers = law[0].tolist() if isinstance(law, np.ndarray) else law[0]
        with _naming(place):
            return Circulant(numbers, count)
    check_keys(document, path, known=_TWO_LEVEL_KEYS, needed=("size", "support", "odds"))
    size = as_count(document["size"], "size", place, most=_MOST_SHIFTS)
    shifts = as_list(document["support"], "support", place)
    support = [as_count(u, f"support[{i}]", place, most=_MOST_SHIFTS) for i, u in enumerate(shifts)]
    odds = as_fraction(document["odds"], "odds", place)
    with _naming(place):
        return Circulant.two_level(size=size, support=support, odds=odds, input_count=count)


def _fractions(value: object, what: str, place: Place) -> list[Fraction]:
    return [as_fraction(entry, f"{what}[{i}]", place) for i, entry in enumerate(as_list(value, what, place))]


@contextlib.contextmanager
def _naming(place: Place) -> Iterator[None]:
    """Tell the file's name with what the channel says about its parameters."""
    try:
        yield
    except InvalidInput as error:
        raise error.at(place) from None
