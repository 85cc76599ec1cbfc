"""Channels and priors as CSV, JSON and Parquet files.

CSV: a header of output labels and a first column of input labels, or numbers only. If every cell of the first line is
meant as a number (nan and the like included, to be refused) there are no labels, and symbols are numbered from 0; an
empty top-left cell means that there are labels. Labels in CSV are text. A top-left cell of `float64` says that the
numbers were floats (see :mod:`sfumato.prob.file_entries`). The other formats are described in the sections below.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InvalidInput, InvalidLaw, InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes, write_atomically
from sfumato.files.documents import as_count, as_fraction, as_list, check_keys, check_schema, read_json, too_deep
from sfumato.files.formats import Format, format_for_reading, format_of, has_known_suffix
from sfumato.files.parquet import MOST_ENTRIES, arrow_errors, batches, check_entries, is_text, open_parquet, text_values
from sfumato.files.texts import MOST_TEXT_ENTRIES, Record, check_size, check_text, quote, read_records, short
from sfumato.numbers.checks import Number
from sfumato.numbers.exact import MOST_CHARACTERS, MOST_DENOMINATOR_BITS, looks_like_number, parse_number
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Alphabet, Distribution, Label
from sfumato.prob.file_entries import (
    FLOAT64,
    MOST_EXACT_BITS,
    as_json,
    as_label,
    as_text,
    check_float_table,
    make_channel,
    make_distribution,
    read_law,
    row_name,
)
from sfumato.prob.structured import AnyChannel, Circulant

# --- JSON
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
    """Add the file's name to errors of the channel about its parameters."""
    try:
        yield
    except InvalidInput as error:
        raise error.at(place) from None


# --- Parquet: one column for each output, and an optional column `input` with the labels of the rows
#
# Columns are float64, decimal or text such as 1/3; one float64 column makes the channel float64. Column names are text,
# so a channel with other labels stores a map from column names to labels under the file's key `sfumato`. The map goes
# by name and not by position, so that a tool may reorder the columns.


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


def read_any_channel(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> AnyChannel:
    """Read a channel, keeping a structured one structured.

    A structured channel, such as a mechanism's on many answers, stays as small as it is in its file.

    Raises:
        UnreadableFile: the file is damaged, of another kind, or not there.
        InvalidLaw: a row is no law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> towns = sf.mechanisms.RandomizedResponse(size=100_000, odds=Fraction(20))
    >>> sf.prob.write_channel(towns.channel(), "towns.json")
    >>> sf.prob.read_any_channel("towns.json").shape  # 10^10 entries, in a small file
    (100000, 100000)
    """
    kind = format_for_reading(path)
    data = read_bytes(path, limit_bytes=limit_bytes)
    try:
        if kind is Format.CSV:
            return channel_from_csv(data, path)
        return channel_from_parquet(data, path) if kind is Format.PARQUET else channel_from_json(data, path)
    except RecursionError:
        raise too_deep(path) from None


def read_channel(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Channel:
    r"""Read a channel and write out all its entries.

    The extension says whether it is CSV, JSON or Parquet.

    Raises:
        UnreadableFile: the file is damaged, of another kind, not there, or has too many entries to write out.
        InvalidLaw: a row is no law.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> _ = Path("coin.csv").write_text("input,no,yes\nno,3/4,1/4\nyes,1/4,3/4\n")
    >>> channel = sf.prob.read_channel("coin.csv")
    >>> channel.exact, channel.outputs, sf.measures.odds(channel)
    (True, ('no', 'yes'), Fraction(3, 1))
    """
    channel = read_any_channel(path, limit_bytes=limit_bytes)
    if channel.shape[0] * channel.shape[1] > MOST_TEXT_ENTRIES and isinstance(channel, Circulant):
        raise UnreadableFile(
            f"the file holds a structured channel of {channel.shape[0]}×{channel.shape[1]} entries, too many to write "
            f"out",
            way_out="Keep it structured with `read_any_channel`.",
            place=Place(file=str(path)),
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
) -> Channel:
    shift = 1 if inputs is None else 2
    rows = []
    for record in records:
        place = Place(file=str(path), line=record.line)
        rows.append([parse_number(cell, f"column {y + shift}", place) for y, cell in enumerate(record.cells)])
    whole = Place(file=str(path))
    law = read_law(rows, lambda x: row_name(inputs, x, f"line {records[x].line}"), whole, float64=float64)
    return make_channel(law, inputs, outputs, whole)


# --- Writing a channel so that reading it gives the same channel
#
# Exact entries are written as fractions in text, float64 entries as the shortest decimal that rounds back, and the file
# says which. JSON and Parquet keep labels as they are; in CSV they become text.


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
    >>> sf.prob.write_channel(coin, "coin.csv")
    >>> print(Path("coin.csv").read_text(), end="")
    input,no,yes
    no,3/4,1/4
    yes,1/4,3/4
    """
    kind = format_of(path)
    _check_readable(channel, kind)
    content: str | bytes
    if kind is Format.JSON:
        document = _circulant_document(channel) if isinstance(channel, Circulant) else _dense_document(channel)
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


def _dense_document(channel: Channel) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "numbers": "exact" if channel.exact else FLOAT64,
        "inputs": [as_json(label) for label in channel.inputs],
        "outputs": [as_json(label) for label in channel.outputs],
        "rows": [_entries(row) for row in channel.rows],
    }


def _circulant_document(channel: Circulant) -> dict[str, object]:
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


# --- Priors, from a file or from numbers on the command line
#
# Inline: ``0.2,0.8`` or ``1/3,2/3`` or ``yes=0.2,no=0.8``. CSV: two columns (label, probability) with or without a
# header, or one row or column of numbers. JSON: a list of numbers, an object from label to probability, or
# ``{"schema": "sfumato/prior/1", "labels": […], "probabilities": […]}``. Parquet: columns `probability` and, if the
# outcomes have names, `input`.


_PROBABILITY = "probability"
_MOST_INLINE = 100_000


def read_prior(text_or_path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Distribution:
    r"""Read the file of that name if there is one, and otherwise take the text itself as the prior.

    Raises:
        UnreadableFile: the file is damaged, of another kind, or not there.
        InvalidLaw: the numbers are no law.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> _ = Path("prior.csv").write_text("label,probability\nyes,0.2\nno,0.8\n")
    >>> sf.prob.read_prior("prior.csv")["yes"], sf.prob.read_prior("1/3,2/3").probabilities
    (Fraction(1, 5), (Fraction(1, 3), Fraction(2, 3)))
    """
    if isinstance(text_or_path, str) and not has_known_suffix(text_or_path) and not _is_file(text_or_path):
        return parse_prior(text_or_path)
    kind = format_for_reading(text_or_path)
    data = read_bytes(text_or_path, limit_bytes=limit_bytes)
    try:
        if kind is Format.CSV:
            return prior_from_csv(data, text_or_path)
        return prior_from_json(data, text_or_path) if kind is Format.JSON else prior_from_parquet(data, text_or_path)
    except RecursionError:
        raise too_deep(text_or_path) from None


def parse_prior(text: str) -> Distribution:
    """Read "0.2,0.8", "1/3,2/3" or "yes=0.2,no=0.8".

    Raises:
        InvalidLaw: the numbers are no law, or some outcomes are named and others not.

    >>> import sfumato as sf
    >>> prior = sf.prob.parse_prior("yes=1/5,no=4/5")
    >>> prior.labels, prior.probabilities
    (('yes', 'no'), (Fraction(1, 5), Fraction(4, 5)))
    """
    if len(text) > _MOST_INLINE:
        raise InvalidLaw(
            f"has {len(text)} characters, too many to type",
            parameter="prior",
            way_out="Write it to a file and name the file.",
        )
    parts = text.split(",")
    is_named = ["=" in part for part in parts]
    if any(is_named) and not all(is_named):
        raise InvalidLaw(
            "names some outcomes and not others", parameter="prior", way_out="Write yes=0.2,no=0.8 or 0.2,0.8."
        )
    labels: list[str] | None = None
    if all(is_named):
        labels, parts = map(list, zip(*(part.rsplit("=", 1) for part in parts), strict=True))
        labels = [check_text(label.strip(), "a label of `prior`") for label in labels]
    try:
        values = [parse_number(part, f"entry {i + 1} of `prior`") for i, part in enumerate(parts)]
    except UnreadableFile as error:
        # The likeliest slip is a mistyped file name, and the sentence about numbers alone would hide that.
        raise InvalidLaw(
            error.rule,
            way_out=f"{error.way_out} No file has that name either; a prior is a file, or text like 0.2,0.8.",
        ) from None
    return make_distribution(values, labels, name="`prior`")


def prior_from_csv(data: bytes, path: str | Path) -> Distribution:
    """Read a prior from the bytes of a table."""
    place = Place(file=str(path))
    records = read_records(data, path)
    width = len(records[0].cells)
    if width > 2 and len(records) > 1:
        raise UnreadableFile(
            f"the file has {width} columns and {len(records)} lines",
            way_out="Write two columns (label, probability), or one row of numbers.",
            place=place,
        )
    if len(records) == 1 and (width != 2 or records[0].is_numeric):
        line = Place(file=str(path), line=records[0].line)
        row = [parse_number(cell, f"column {y + 1}", line) for y, cell in enumerate(records[0].cells)]
        return make_distribution(row, None, place)
    body = records if looks_like_number(records[0].cells[-1]) else records[1:]
    if not body:
        raise UnreadableFile(
            "the file has a header and no numbers",
            way_out="Write label and probability, one a line.",
            place=place,
        )
    values = [
        parse_number(record.cells[-1], f"column {width}", Place(file=str(path), line=record.line)) for record in body
    ]
    labels = [record.cells[0] for record in body] if width == 2 else None
    return make_distribution(values, labels, place)


def prior_from_json(data: bytes, path: str | Path) -> Distribution:
    """Read a prior from the bytes of a document."""
    place = Place(file=str(path))
    document = read_json(data, path)
    if isinstance(document, list):
        return make_distribution(_values(document, place), None, place)
    if not isinstance(document, dict):
        raise UnreadableFile(
            "the file is neither a list nor an object", way_out="Write a list of numbers.", place=place
        )
    labels: list[Label] | None
    if "schema" in document:
        check_schema(document, path, kind="prior")
        check_keys(document, path, known=("schema", "labels", "probabilities"), needed=("probabilities",))
        values = _values(as_list(document["probabilities"], "probabilities", place), place)
        labels = None
        if "labels" in document:
            found = as_list(document["labels"], "labels", place)
            labels = [as_label(value, f"labels[{i}]", place) for i, value in enumerate(found)]
        return make_distribution(values, labels, place)
    labels = [check_text(key, "a label", place) for key in document]
    return make_distribution(_values(list(document.values()), place), labels, place)


def prior_from_parquet(data: bytes, path: str | Path) -> Distribution:
    """Read a prior from the bytes of a Parquet file."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    with arrow_errors(path):
        opened = open_parquet(pa.BufferReader(data), path)
        check_entries(opened, path)
        names = opened.schema_arrow.names
        if _PROBABILITY not in names or not set(names) <= {INPUT, _PROBABILITY}:
            raise UnreadableFile(
                f"the file must have the columns {INPUT} and {_PROBABILITY}",
                way_out="Rename or drop columns.",
                place=Place(file=str(path)),
            )
        kind = opened.schema_arrow.field(_PROBABILITY).type
        is_float = pa.types.is_float64(kind)
        if not (is_float or is_text(kind) or pa.types.is_decimal(kind)):
            raise UnreadableFile(
                f"column {_PROBABILITY} is of type {kind}",
                way_out="Convert it to float64 or text.",
                place=Place(file=str(path)),
            )
        labels = read_labels(opened, INPUT, {}, path) if INPUT in names else None
        values = list(read_numbers(opened, _PROBABILITY, path))
    return make_distribution(values, labels, Place(file=str(path)), float64=is_float)


def _values(entries: list[object], place: Place) -> list[Fraction]:
    return [as_fraction(value, f"entry {i + 1}", place) for i, value in enumerate(entries)]


def _is_file(text: str) -> bool:
    """Whether a file of that name exists; text that cannot be a name does not."""
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False
