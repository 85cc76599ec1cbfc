"""Channels as Parquet: one column an output, and an optional column `input` with the labels of the rows.

Columns are float64, decimal or text such as 1/3; one float64 column makes the channel float64. Column names are
text, so a channel with other labels carries, under the file's key `sfumato`, which label each name stands for. It is
keyed by name and not by position, so that a tool that reorders the columns does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InvalidLaw, Place, UnreadableFile
from sfumato.files.json_documents import check_keys, check_schema, read_json
from sfumato.files.numbers import MOST_CHARACTERS, parse_number
from sfumato.files.parquet_tables import arrow_errors, batches, check_entries, is_text, open_parquet, text_values
from sfumato.files.texts import check_size, short
from sfumato.io.labels import as_label
from sfumato.io.laws import check_float_table, make_channel, read_law, row_name
from sfumato.prob import Channel
from sfumato.prob.alphabet import Label

INPUT = "input"
METADATA_KEY = b"sfumato"
_LONGEST_LABEL = 100_000


def channel_from_parquet(data: bytes, path: str | Path) -> Channel:
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
    return make_channel(law, inputs, outputs, place)


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
