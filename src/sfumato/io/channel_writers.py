"""Writing a channel so that reading it gives the same channel.

Exact entries are written as fractions in text, float64 ones in the shortest decimal that rounds back, and the file
says which. JSON and Parquet keep labels as they are; in CSV they become text.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidParameter
from sfumato.files.csv_tables import quote
from sfumato.files.disk import write_atomically
from sfumato.files.formats import Format, format_of
from sfumato.files.numbers import MOST_CHARACTERS
from sfumato.files.parquet_tables import MOST_ENTRIES
from sfumato.files.texts import MOST_TEXT_ENTRIES
from sfumato.io.json_channels import SCHEMA
from sfumato.io.labels import as_json, as_text
from sfumato.io.laws import FLOAT64, MOST_EXACT_BITS
from sfumato.io.parquet_channels import INPUT, METADATA_KEY
from sfumato.prob import AnyChannel, Channel, Circulant
from sfumato.prob.alphabet import Alphabet, Label
from sfumato.prob.exact import MOST_DENOMINATOR_BITS
from sfumato.values.checks import Number

_LONGEST_CELL = 100_000
_TOO_LONG = 10**MOST_CHARACTERS


def write_channel(channel: AnyChannel, path: str | Path) -> None:
    """Write a channel as CSV, JSON or Parquet, by the extension; JSON keeps a structured channel structured.

    Raises:
        InvalidParameter: the channel would not be read back, or the file cannot be written.

    >>> from fractions import Fraction
    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> coin = sf.Channel(rows, ["no", "yes"], ["no", "yes"])
    >>> sf.io.write_channel(coin, "coin.csv")
    >>> print(Path("coin.csv").read_text(), end="")
    input,no,yes
    no,3/4,1/4
    yes,1/4,3/4
    """
    kind = format_of(path)
    _check_readable(channel, kind)
    content: str | bytes
    if kind is Format.JSON:
        document = _circulant(channel) if isinstance(channel, Circulant) else _dense(channel)
        content = _one_row_a_line(document)
    elif kind is Format.CSV:
        content = _csv(channel.to_dense(), "\t" if Path(path).suffix.lower() == ".tsv" else ",")
    else:
        content = _parquet(channel.to_dense())
    write_atomically(path, content)


def _check_readable(channel: AnyChannel, kind: Format) -> None:
    """Refuse to write what would be refused when read."""
    if isinstance(channel, Circulant) and kind is Format.JSON:
        return
    most = MOST_ENTRIES if kind is Format.PARQUET and not channel.exact else MOST_TEXT_ENTRIES
    if channel.shape[0] * (channel.shape[1] + 1) > most:
        raise InvalidParameter(
            f"has {channel.shape[0]}×{channel.shape[1]} entries and at most {most} are read back from {kind}",
            parameter="channel",
            way_out="Write a float64 channel as .parquet or a structured one as .json, or merge symbols.",
        )
    if isinstance(channel, Channel) and channel.exact:
        bits = channel.integers()[1].bit_length()
        if bits > MOST_DENOMINATOR_BITS or bits * channel.shape[0] * channel.shape[1] > MOST_EXACT_BITS:
            raise InvalidParameter(
                f"has a common denominator of {bits} bits, which would not be read back",
                parameter="channel",
                way_out="Write the float64 channel, Channel(channel.array, channel.inputs, channel.outputs), instead.",
            )


def _csv(channel: Channel, separator: str) -> str:
    inputs, outputs = _cells(channel.inputs), _cells(channel.outputs)
    corner = "input" if channel.exact else FLOAT64
    lines = [separator.join([corner, *map(quote, outputs)])]
    for label, row in zip(inputs, channel.rows, strict=True):
        lines.append(separator.join([quote(label), *map(_number_text, row)]))
    return "\n".join(lines) + "\n"


def _dense(channel: Channel) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "numbers": "exact" if channel.exact else FLOAT64,
        "inputs": [as_json(label) for label in channel.inputs],
        "outputs": [as_json(label) for label in channel.outputs],
        "rows": [_entries(row) for row in channel.rows],
    }


def _circulant(channel: Circulant) -> dict[str, object]:
    document: dict[str, object] = {"schema": SCHEMA, "kind": "circulant", "input_count": channel.input_count}
    low, high = channel.levels[0], channel.levels[-1]
    size = len(channel.codes)
    if channel.exact and len(channel.levels) <= 2 and low > 0 and size >= 2:
        # A flat law has no shift to favour; odds of 1 on any one shift say the same.
        support = channel.codes.nonzero()[0].tolist() or [0]
        return document | {"size": size, "support": support, "odds": _number_text(Fraction(high) / Fraction(low))}
    return document | {"numbers": "exact" if channel.exact else FLOAT64, "law": _entries(channel.law)}


def _parquet(channel: Channel) -> bytes:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.parquet as pq  # noqa: PLC0415

    names = _unique_names(channel.outputs, taken={INPUT})
    columns: dict[str, Any] = {}
    inputs: dict[str, Label] = {}
    if all(isinstance(label, int) and -(2**63) <= label < 2**63 for label in channel.inputs):
        columns[INPUT] = pa.array(channel.inputs, pa.int64())
    else:
        inputs = _unique_names(channel.inputs, taken=set())
        columns[INPUT] = pa.array(list(inputs), pa.string())
    for y, name in enumerate(names):
        if channel.exact:
            columns[name] = pa.array([_number_text(row[y]) for row in channel.rows], pa.string())
        else:
            columns[name] = pa.array(channel.array[:, y], pa.float64())
    stand_for = {
        "schema": SCHEMA,
        "inputs": {text: as_json(label) for text, label in inputs.items() if text != label},
        "outputs": {text: as_json(label) for text, label in names.items() if text != label},
    }
    metadata = {METADATA_KEY: json.dumps(stand_for).encode()}
    sink = io.BytesIO()
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), sink, write_page_checksum=True)
    return sink.getvalue()


def _unique_names(labels: Alphabet, taken: set[str]) -> dict[str, Label]:
    """Give each label a text of its own: 1 and "1" differ as labels and must differ as columns."""
    reserved = taken | {label for label in labels if isinstance(label, str)}
    names: dict[str, Label] = {}
    for label in labels:
        text = as_text(label)
        if text != label or text in taken:
            while text in reserved or text in names:
                text += "_"
        names[text] = label
    return names


def _cells(labels: Alphabet) -> list[str]:
    cells = [as_text(label) for label in labels]
    for cell in cells:
        if len(cell) > _LONGEST_CELL:
            raise InvalidParameter("a label is too long for CSV", way_out="Rename it, or write .json.")
    if len(set(cells)) != len(cells):
        raise InvalidParameter(
            "two labels are the same once written as text, such as 1 and '1'",
            way_out="Rename one, or write .json, which keeps them apart.",
        )
    return cells


def _entries(row: Iterable[Number]) -> list[str | float]:
    return [_number_text(value) if isinstance(value, Fraction) else value for value in row]


def _number_text(value: Number) -> str:
    if not isinstance(value, Fraction):
        return repr(value)
    if max(value.numerator, value.denominator) >= _TOO_LONG:
        raise InvalidParameter(
            f"an entry is a fraction of more than {MOST_CHARACTERS} digits, which would not be read back",
            way_out="Write the float64 channel, Channel(channel.array, channel.inputs, channel.outputs), instead.",
        )
    return str(value)


def _one_row_a_line(document: dict[str, object]) -> str:
    rows = document.pop("rows", None)
    head = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items())
    if not isinstance(rows, list):
        return f"{{\n{head}\n}}\n"
    body = ",\n".join(f"    {json.dumps(row)}" for row in rows)
    return f'{{\n{head},\n  "rows": [\n{body}\n  ]\n}}\n'
