"""Reading a channel from CSV, JSON or Parquet.

CSV: a header of output labels and a first column of input labels, or numbers only. If every cell of the first line
is a number there are no labels, and symbols are numbered from 0. Labels in CSV are text. A top-left cell of
`float64` says that the numbers were floats (see :mod:`sfumato.io.laws`).

JSON: ``{"schema": "sfumato/channel/1", "rows": [[…]]}`` with optional `inputs`, `outputs` and
``"numbers": "exact" | "float64"``; or a bare list of rows; or, for Y = X + U mod K, ``"kind": "circulant"`` with
either `size`, `support` and `odds`, or `law`, and an optional `input_count`.

Parquet: one column an output (float64, decimal or text), and an optional column `input` of text or whole numbers.
"""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import InvalidInput, InvalidParameter, UnreadableFile
from sfumato.io.csv_tables import Record, read_records
from sfumato.io.files import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.io.formats import Format, format_for_reading
from sfumato.io.json_documents import (
    as_count,
    as_fraction,
    as_label,
    as_list,
    check_keys,
    check_schema,
    read_json,
    too_deep,
)
from sfumato.io.laws import MOST_TEXT_ENTRIES, make_channel, read_law, short
from sfumato.io.numbers import parse_number
from sfumato.io.parquet_channels import channel_from_parquet
from sfumato.prob import AnyChannel, Channel, Circulant
from sfumato.prob.alphabet import Label

FLOAT64 = "float64"
_MOST_SHIFTS = 20_000_000
_DENSE_KEYS = ("schema", "kind", "numbers", "inputs", "outputs", "rows")
_TWO_LEVEL_KEYS = ("schema", "kind", "size", "support", "odds", "input_count")
_LAW_KEYS = ("schema", "kind", "numbers", "law", "input_count")


def read_any_channel(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> AnyChannel:
    """Read a channel, keeping a structured one structured."""
    kind = format_for_reading(path)
    data = read_bytes(path, limit_bytes=limit_bytes)
    try:
        if kind is Format.CSV:
            return channel_from_csv(data, path)
        return channel_from_parquet(data, path) if kind is Format.PARQUET else channel_from_json(data, path)
    except RecursionError:
        raise UnreadableFile(too_deep(path)) from None


def read_channel(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Channel:
    """Read a channel and write out all its entries."""
    channel = read_any_channel(path, limit_bytes=limit_bytes)
    if channel.shape[0] * channel.shape[1] > MOST_TEXT_ENTRIES and isinstance(channel, Circulant):
        raise UnreadableFile(
            f"file {path} holds a structured channel of {channel.shape[0]}×{channel.shape[1]} entries, too many to "
            f"write out. Keep it structured with read_any_channel."
        )
    return channel.to_dense()


def channel_from_csv(data: bytes, path: str | Path) -> Channel:
    """Read a channel from the bytes of a table."""
    records = read_records(data, path)
    head = records[0]
    if head.is_numeric:
        return _from_records(records, path, None, None, float64=False)
    body = records[1:]
    if not body or len(head.cells) < 2:
        raise UnreadableFile(
            f"file {path} has a header on line {head.line} and no numbers below or beside it. Write the output labels "
            f"in the first line, an input label in front of every other line, and numbers in between."
        )
    inputs = [record.cells[0] for record in body]
    numbers = [Record(record.line, record.cells[1:]) for record in body]
    return _from_records(numbers, path, inputs, list(head.cells[1:]), float64=head.cells[0] == FLOAT64)


def channel_from_json(data: bytes, path: str | Path) -> AnyChannel:
    """Read a channel from the bytes of a document."""
    document = read_json(data, path)
    if isinstance(document, list):
        document = {"schema": "sfumato/channel/1", "rows": document}
    if not isinstance(document, dict):
        raise UnreadableFile(f"file {path} is neither an object nor a list of rows. Write a list of lists of numbers.")
    check_schema(document, path, kind="channel")
    kind = document.get("kind", "dense")
    if kind == "circulant":
        return _circulant(document, path)
    if kind != "dense":
        raise UnreadableFile(f"file {path}: kind is not known here. Use dense or circulant, or leave it out.")
    check_keys(document, path, known=_DENSE_KEYS, needed=("rows",))
    rows = [
        [as_fraction(value, f"file {path}, rows[{x}][{y}]") for y, value in enumerate(as_list(row, f"file {path}, rows[{x}]"))]
        for x, row in enumerate(as_list(document["rows"], f"file {path}, rows"))
    ]
    if not rows or len({len(row) for row in rows}) > 1:
        odd = next((x for x, row in enumerate(rows) if len(row) != len(rows[0])), 0)
        raise UnreadableFile(
            f"file {path}, rows[{odd}] has another number of entries than rows[0], or there are no rows. Every row "
            f"needs one entry for each output."
        )
    inputs, outputs = (_labels(document, key, path) for key in ("inputs", "outputs"))
    law = read_law(path, rows, lambda x: _row_name(inputs, x, f"rows[{x}]"), float64=_is_float64(document, path))
    return make_channel(path, law, inputs, outputs)


def _from_records(
    records: list[Record], path: str | Path, inputs: list[str] | None, outputs: list[str] | None, *, float64: bool
) -> Channel:
    shift = 1 if inputs is None else 2
    rows = [
        [
            parse_number(cell, f"file {path}, line {record.line}, column {y + shift}")
            for y, cell in enumerate(record.cells)
        ]
        for record in records
    ]
    law = read_law(path, rows, lambda x: _row_name(inputs, x, f"line {records[x].line}"), float64=float64)
    return make_channel(path, law, inputs, outputs)


def _row_name(inputs: list[str] | list[Label] | None, x: int, place: str) -> str:
    return f"the row of input {short(inputs[x])} ({place})" if inputs and x < len(inputs) else f"the row at {place}"


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
    known = _LAW_KEYS if "law" in document else _TWO_LEVEL_KEYS
    check_keys(document, path, known=known, needed=("law",) if "law" in document else ("size", "support", "odds"))
    place = f"file {path}"
    count = None
    if "input_count" in document:
        count = as_count(document["input_count"], f"{place}, input_count", most=_MOST_SHIFTS)
    try:
        if "law" in document:
            values = [as_fraction(v, f"{place}, law[{u}]") for u, v in enumerate(as_list(document["law"], f"{place}, law"))]
            law = read_law(path, [values], lambda _: "law", float64=_is_float64(document, path))
            return Circulant(list(law[0]), count)
        return Circulant.two_level(
            size=as_count(document["size"], f"{place}, size", most=_MOST_SHIFTS),
            support=[
                as_count(u, f"{place}, support[{i}]", most=_MOST_SHIFTS)
                for i, u in enumerate(as_list(document["support"], f"{place}, support"))
            ],
            odds=as_fraction(document["odds"], f"{place}, odds"),
            input_count=count,
        )
    except InvalidParameter as error:
        raise InvalidParameter(f"file {path}: {error}") from None
    except InvalidInput as error:
        if str(path) in str(error):
            raise
        raise type(error)(f"file {path}: {error}") from None
