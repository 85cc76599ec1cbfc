"""Channels and priors read from and written to CSV, JSON and Parquet files.

The formats of channels are described in :mod:`sfumato.prob.channel_tables`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

from sfumato.errors import InvalidLaw, InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes, write_atomically
from sfumato.files.documents import as_fraction, as_list, check_keys, check_schema, read_json, too_deep
from sfumato.files.formats import Format, format_for_reading, format_of, has_known_suffix
from sfumato.files.parquet import MOST_ENTRIES, arrow_errors, check_entries, is_text, open_parquet
from sfumato.files.texts import MOST_TEXT_ENTRIES, check_text, quote, read_records
from sfumato.numbers.checks import Number
from sfumato.numbers.exact import MOST_CHARACTERS, MOST_DENOMINATOR_BITS, looks_like_number, parse_number
from sfumato.prob.channel import Channel
from sfumato.prob.channel_tables import INPUT, METADATA_KEY, SCHEMA, read_labels, read_numbers, read_table
from sfumato.prob.distribution import Alphabet, Distribution, Label
from sfumato.prob.file_entries import (
    FLOAT64,
    MOST_EXACT_BITS,
    as_json,
    as_label,
    as_text,
    make_distribution,
)
from sfumato.prob.shifts import ShiftLaw
from sfumato.prob.structured import AnyChannel, Circulant


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
    found = read_table(path, limit_bytes=limit_bytes)
    return Circulant.of_law(found) if isinstance(found, ShiftLaw) else Channel.of_table(found)


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
    return Channel.read(path, limit_bytes=limit_bytes)


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
