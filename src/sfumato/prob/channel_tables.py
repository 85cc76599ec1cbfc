"""Channel files in CSV, JSON and Parquet, read into plain labels and rows.

CSV: a header of output labels and a first column of input labels, or numbers only. If every cell of the first line
is meant as a number (nan and the like included, to be refused) there are no labels, and symbols are numbered from
0; an empty top-left cell means labels all the same. Labels in CSV are text. A top-left cell of
`float64` says that the numbers were floats (see :mod:`sfumato.prob.file_entries`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sfumato.errors import InvalidInput, InvalidLaw, Place, UnreadableFile
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.files.documents import as_count, as_fraction, as_list, check_keys, check_schema, read_json, too_deep
from sfumato.files.formats import Format, format_for_reading
from sfumato.files.parquet import arrow_errors, batches, check_entries, is_text, open_parquet, text_values
from sfumato.files.texts import Record, check_size, read_records, short
from sfumato.numbers.exact import MOST_CHARACTERS, FloatArray, parse_number
from sfumato.prob.distribution import Label
from sfumato.prob.file_entries import FLOAT64, Rows, as_label, check_float_table, read_law, row_name
from sfumato.prob.shifts import ShiftLaw, law_of_shifts, two_level_law


class ChannelTable(NamedTuple):
    """The rows of a dense channel with their labels, and the place that refusals name."""

    law: Rows | FloatArray
    inputs: Sequence[Label] | None
    outputs: Sequence[Label] | None
    place: Place


def read_table(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> ChannelTable | ShiftLaw:
    """Read the file of a channel; a structured one is returned as the law of its shifts."""
    kind = format_for_reading(path)
    data = read_bytes(path, limit_bytes=limit_bytes)
    try:
        if kind is Format.CSV:
            return _from_csv(data, path)
        return _from_parquet(data, path) if kind is Format.PARQUET else _from_json(data, path)
    except RecursionError:
        raise too_deep(path) from None


# Channels as JSON.
#
# A dense channel is ``{"schema": "sfumato/channel/1", "rows": [[…]]}`` with optional `inputs`, `outputs` (text, whole
# numbers, or lists of them) and ``"numbers": "exact" | "float64"``; or a bare list of rows. An entry is a number, read
# from its decimal text, or a fraction as text. For Y = X + U mod K, ``"kind": "circulant"`` comes with either `size`,
# `support` and `odds`, or with `law`, and an optional `input_count`.


SCHEMA = "sfumato/channel/1"
_MOST_SHIFTS = 20_000_000
_DENSE_KEYS = ("schema", "kind", "numbers", "inputs", "outputs", "rows")
_TWO_LEVEL_KEYS = ("schema", "kind", "size", "support", "odds", "input_count")
_LAW_KEYS = ("schema", "kind", "numbers", "law", "input_count")


def _from_json(data: bytes, path: str | Path) -> ChannelTable | ShiftLaw:
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
        return _shifts(document, path)
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
    return ChannelTable(law, inputs, outputs, place)


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


def _shifts(document: dict[str, object], path: str | Path) -> ShiftLaw:
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
            return law_of_shifts(numbers, count)
    check_keys(document, path, known=_TWO_LEVEL_KEYS, needed=("size", "support", "odds"))
    size = as_count(document["size"], "size", place, most=_MOST_SHIFTS)
    shifts = as_list(document["support"], "support", place)
    support = [as_count(u, f"support[{i}]", place, most=_MOST_SHIFTS) for i, u in enumerate(shifts)]
    odds = as_fraction(document["odds"], "odds", place)
    with _naming(place):
        return two_level_law(size=size, support=support, odds=odds, input_count=count)


def _fractions(value: object, what: str, place: Place) -> list[Fraction]:
    return [as_fraction(entry, f"{what}[{i}]", place) for i, entry in enumerate(as_list(value, what, place))]


@contextlib.contextmanager
def _naming(place: Place) -> Iterator[None]:
    """Tell the file's name with what the channel says about its parameters."""
    try:
        yield
    except InvalidInput as error:
        raise error.at(place) from None


# Channels as Parquet: one column an output, and an optional column `input` with the labels of the rows.
#
# Columns are float64, decimal or text such as 1/3; one float64 column makes the channel float64. Column names are
# text, so a channel with other labels carries, under the file's key `sfumato`, which label each name stands for. It is
# keyed by name and not by position, so that a tool that reorders the columns does no harm.


INPUT = "input"
METADATA_KEY = b"sfumato"
_LONGEST_LABEL = 100_000


def _from_parquet(data: bytes, path: str | Path) -> ChannelTable:
    """Read a channel from the bytes of a Parquet file."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    place = Place(file=str(path))
    with arrow_errors(path):
        opened = open_parquet(pa.BufferReader(data), path)
        check_entries(opened, path)
        columns = [field.name for field in opened.schema_arrow if field.name != INPUT]
        if not columns:
            raise UnreadableFile(
                f"the file has no column but {INPUT}",
                way_out="Write one column for each output.",
                place=Place(file=str(path)),
            )
        is_float = [_check_type(field, path) for field in opened.schema_arrow if field.name != INPUT]
        if not all(is_float):
            check_size(opened.metadata.num_rows * len(columns), place)
        names = read_names(opened, path)
        inputs = read_labels(opened, INPUT, names["inputs"], path) if INPUT in opened.schema_arrow.names else None
        outputs = [names["outputs"].get(name, name) for name in columns]

        def name(x: int) -> str:
            return row_name(inputs, x, f"row {x + 1}")

        law: Any
        if all(is_float):
            table = np.concatenate([_floats(batch, path) for batch in batches(opened, columns)])
            law = check_float_table(table, name, place)
        else:
            read = [list(read_numbers(opened, column, path)) for column in columns]
            law = read_law(list(zip(*read, strict=True)), name, place, float64=any(is_float))
    return ChannelTable(law, inputs, outputs, place)


def read_names(opened: Any, path: str | Path) -> dict[str, dict[str, Label]]:
    """Return which label each input text and each column name stands for, where it is not itself."""
    stored = (opened.metadata.metadata or {}).get(METADATA_KEY)
    if stored is None:
        return {"inputs": {}, "outputs": {}}
    document = read_json(stored, path)
    if not isinstance(document, dict):
        raise UnreadableFile(
            "the file has damaged labels in its footer", way_out="Write it again.", place=Place(file=str(path))
        )
    check_schema(document, path, kind="channel")
    check_keys(document, path, known=("schema", "inputs", "outputs"), needed=("inputs", "outputs"))
    found: dict[str, dict[str, Label]] = {}
    for key in ("inputs", "outputs"):
        pairs = document[key]
        if not isinstance(pairs, dict):
            raise UnreadableFile(
                "the file has damaged labels in its footer", way_out="Write it again.", place=Place(file=str(path))
            )
        found[key] = {
            text: as_label(label, f"{key} in the footer", Place(file=str(path))) for text, label in pairs.items()
        }
    return found


def read_labels(opened: Any, column: str, stand_for: dict[str, Label], path: str | Path) -> list[Label]:
    """Read a column of labels: text or whole numbers."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    kind = opened.schema_arrow.field(column).type
    if not (is_text(kind) or pa.types.is_integer(kind)):
        raise UnreadableFile(
            f"column {column} must hold text or whole numbers", way_out="Convert it.", place=Place(file=str(path))
        )
    labels: list[Label] = []
    for batch in batches(opened, [column]):
        cells = batch.column(0)
        if cells.null_count:
            raise UnreadableFile(
                f"column {column} has an empty cell",
                way_out="Fill it in, or drop the row.",
                place=Place(file=str(path)),
            )
        if is_text(kind):
            labels += [stand_for.get(text, text) for text in text_values(cells, path, longest=_LONGEST_LABEL)]
        else:
            labels += cells.to_pylist()
    return labels


def read_numbers(opened: Any, column: str, path: str | Path) -> Iterator[Fraction]:
    """Read a column of numbers exactly, whatever it is kept as."""
    kind = opened.schema_arrow.field(column).type
    row = 0
    for batch in batches(opened, [column]):
        cells = batch.column(0)
        if cells.null_count:
            raise InvalidLaw(
                f"column {short(column)} has an empty cell",
                way_out="Fill it in, with 0 if meant.",
                place=Place(file=str(path)),
            )
        for cell in text_values(cells, path, longest=2 * MOST_CHARACTERS + 1) if is_text(kind) else cells.to_pylist():
            row += 1
            if isinstance(cell, str):
                yield parse_number(cell, f"row {row}, column {short(column)}", Place(file=str(path)))
            elif isinstance(cell, float) and not np.isfinite(cell):
                raise InvalidLaw(
                    f"row {row} holds a number that is not finite",
                    way_out="Check how it was computed.",
                    place=Place(file=str(path)),
                )
            else:
                yield Fraction(cell)


def _floats(batch: Any, path: str | Path) -> Any:
    if any(column.null_count for column in batch.columns):
        raise InvalidLaw(
            "the file has an empty cell among its numbers",
            way_out="Fill it in, with 0 if meant.",
            place=Place(file=str(path)),
        )
    return np.column_stack([column.to_numpy(zero_copy_only=False) for column in batch.columns])


def _check_type(field: Any, path: str | Path) -> bool:
    """Whether a column is float64; decimals and text are exact, other types are refused."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if pa.types.is_float64(field.type):
        return True
    if is_text(field.type) or pa.types.is_decimal(field.type):
        return False
    raise UnreadableFile(
        f"column {short(field.name)} is of type {field.type}",
        way_out=f"Convert it to float64, decimal, or text such as 1/3; the labels of the rows belong in a column "
        f"named {INPUT}.",
        place=Place(file=str(path)),
    )


def _from_csv(data: bytes, path: str | Path) -> ChannelTable:
    """Read a channel from the bytes of a table."""
    records = read_records(data, path)
    head = records[0]
    if head.is_numeric:
        return _from_records(records, path, None, None, float64=False)
    body = records[1:]
    if not body or len(head.cells) < 2:
        raise UnreadableFile(
            f"the file has a header on line {head.line} and no numbers below or beside it",
            way_out="Write the output labels in the first line, an input label in front of every other line, and "
            "numbers in between.",
            place=Place(file=str(path)),
        )
    inputs = [record.cells[0] for record in body]
    numbers = [Record(record.line, record.cells[1:]) for record in body]
    return _from_records(numbers, path, inputs, list(head.cells[1:]), float64=head.cells[0] == FLOAT64)


def _from_records(
    records: list[Record], path: str | Path, inputs: list[str] | None, outputs: list[str] | None, *, float64: bool
) -> ChannelTable:
    shift = 1 if inputs is None else 2
    rows = []
    for record in records:
        place = Place(file=str(path), line=record.line)
        rows.append([parse_number(cell, f"column {y + shift}", place) for y, cell in enumerate(record.cells)])
    whole = Place(file=str(path))
    law = read_law(rows, lambda x: row_name(inputs, x, f"line {records[x].line}"), whole, float64=float64)
    return ChannelTable(law, inputs, outputs, whole)
