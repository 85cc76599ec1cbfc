"""Reading a channel from CSV, JSON or Parquet.

CSV: a header of output labels and a first column of input labels, or numbers only. If every cell of the first line
is meant as a number (nan and the like included, to be refused) there are no labels, and symbols are numbered from
0; an empty top-left cell means labels all the same. Labels in CSV are text. A top-left cell of
`float64` says that the numbers were floats (see :mod:`sfumato.io.laws`).

The other two formats are described in :mod:`sfumato.io.json_channels` and :mod:`sfumato.io.parquet_channels`.
"""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_tables import Record, read_records
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.files.formats import Format, format_for_reading
from sfumato.files.json_documents import too_deep
from sfumato.files.numbers import parse_number
from sfumato.files.texts import MOST_TEXT_ENTRIES
from sfumato.io.json_channels import channel_from_json
from sfumato.io.laws import FLOAT64, make_channel, read_law, row_name
from sfumato.io.parquet_channels import channel_from_parquet
from sfumato.prob import AnyChannel, Channel, Circulant


def read_any_channel(path: str | Path, *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> AnyChannel:
    """Read a channel, keeping a structured one structured.

    A structured channel, such as a mechanism's on many answers, stays as small as it is in its file.

    Raises:
        UnreadableFile: the file is damaged, of another kind, or not there.
        InvalidLaw: a row is no law.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> towns = sf.mechanisms.RandomizedResponse(size=100_000, odds=Fraction(20))
    >>> sf.io.write_channel(towns.channel(), "towns.json")
    >>> sf.io.read_any_channel("towns.json").shape  # 10^10 entries, in a small file
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
    >>> channel = sf.io.read_channel("coin.csv")
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
