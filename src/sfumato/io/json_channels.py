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

from sfumato.errors import InvalidInput, UnreadableFile
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
    document = read_json(data, path)
    if isinstance(document, list):
        document = {"schema": SCHEMA, "rows": document}
    if not isinstance(document, dict):
        raise UnreadableFile(f"file {path} is neither an object nor a list of rows. Write a list of lists of numbers.")
    check_schema(document, path, kind="channel")
    kind = document.get("kind", "dense")
    if kind == "circulant":
        return _circulant(document, path)
    if kind != "dense":
        raise UnreadableFile(f"file {path}: kind is not known here. Use dense or circulant, or leave it out.")
    check_keys(document, path, known=_DENSE_KEYS, needed=("rows",))
    found = as_list(document["rows"], f"file {path}, rows")
    rows = [_fractions(row, f"file {path}, rows[{x}]") for x, row in enumerate(found)]
    if not rows or len({len(row) for row in rows}) > 1:
        odd = next((x for x, row in enumerate(rows) if len(row) != len(rows[0])), 0)
        raise UnreadableFile(
            f"file {path}, rows[{odd}] has another number of entries than rows[0], or there are no rows. Every row "
            f"needs one entry for each output."
        )
    inputs, outputs = (_labels(document, key, path) for key in ("inputs", "outputs"))
    law = read_law(
        f"file {path}", rows, lambda x: row_name(inputs, x, f"rows[{x}]"), float64=_is_float64(document, path)
    )
    return make_channel(f"file {path}", law, inputs, outputs)


def _labels(document: dict[str, object], key: str, path: str | Path) -> list[Label] | None:
    if key not in document:
        return None
    found = as_list(document[key], f"file {path}, {key}")
    return [as_label(value, f"file {path}, {key}[{i}]") for i, value in enumerate(found)]


def _is_float64(document: dict[str, object], path: str | Path) -> bool:
    numbers = document.get("numbers", "exact")
    if numbers not in ("exact", FLOAT64):
        raise UnreadableFile(f"file {path}: numbers is not known here. Use exact or float64, or leave it out.")
    return numbers == FLOAT64


def _circulant(document: dict[str, object], path: str | Path) -> Circulant:
    count = None
    if "input_count" in document:
        count = as_count(document["input_count"], f"file {path}, input_count", most=_MOST_SHIFTS)
    if "law" in document:
        check_keys(document, path, known=_LAW_KEYS, needed=("law",))
        values = _fractions(document["law"], f"file {path}, law")
        law = read_law(f"file {path}", [values], lambda _: "law", float64=_is_float64(document, path))
        numbers = law[0].tolist() if isinstance(law, np.ndarray) else law[0]
        with _naming(path):
            return Circulant(numbers, count)
    check_keys(document, path, known=_TWO_LEVEL_KEYS, needed=("size", "support", "odds"))
    size = as_count(document["size"], f"file {path}, size", most=_MOST_SHIFTS)
    places = as_list(document["support"], f"file {path}, support")
    support = [as_count(u, f"file {path}, support[{i}]", most=_MOST_SHIFTS) for i, u in enumerate(places)]
    odds = as_fraction(document["odds"], f"file {path}, odds")
    with _naming(path):
        return Circulant.two_level(size=size, support=support, odds=odds, input_count=count)


def _fractions(value: object, where: str) -> list[Fraction]:
    return [as_fraction(entry, f"{where}[{i}]") for i, entry in enumerate(as_list(value, where))]


@contextlib.contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Put the file's name before what the channel says about its parameters."""
    try:
        yield
    except InvalidInput as error:
        raise type(error)(f"file {path}: {error}") from None
