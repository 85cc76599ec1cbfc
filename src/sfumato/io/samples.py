"""What an auditor is given: draws of (input, output) from someone else's mechanism, counted.

A file has the columns `input` and `output`, one draw a row. One more column may say how often that pair was drawn, and
is used only when it is named; a count of 0 declares labels that never came up. JSON holds a list of such records, or
``{"schema": "sfumato/samples/1", "input": […], "output": […], "count": […]}``. Tables are read in a stream, so memory
is bounded by the number of different pairs. The draws are people's data: no refusal here repeats a cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.files.formats import Format, format_for_reading
from sfumato.files.json_documents import as_count, as_list, check_schema, read_json, too_deep
from sfumato.files.streams import MOST_COUNT
from sfumato.io.labels import as_label, in_reading_order
from sfumato.io.sample_streams import INPUT, OUTPUT, PairCounts, check_columns, count_csv, count_parquet
from sfumato.prob.alphabet import Alphabet, Label
from sfumato.values.checks import check_integer

SAMPLES_LIMIT_BYTES = 2 * 2**30
MOST_CELLS = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCounts:
    """How often each output was drawn for each input: rows are inputs, as in a channel.

    `read_samples` makes it of a file.

    Raises:
        InvalidParameter: a row or an entry is missing or negative, or nothing was drawn.

    >>> import sfumato as sf
    >>> drawn = sf.io.SampleCounts(inputs=("no", "yes"), outputs=("no", "yes"), counts=((820, 180), (190, 810)))
    >>> found = sf.certificates.audit_counts(drawn.counts, answers=drawn.inputs, reports=drawn.outputs)
    >>> drawn.total, round(found.epsilon_at_least, 2)
    (2000, 1.09)
    """

    inputs: Alphabet
    outputs: Alphabet
    counts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if len(self.counts) != len(self.inputs) or any(len(row) != len(self.outputs) for row in self.counts):
            raise InvalidParameter(
                "must have one row for each input and one entry for each output",
                parameter="counts",
                way_out="Write 0 for pairs that never came up.",
            )
        if any(check_integer("counts", count) < 0 for row in self.counts for count in row):
            raise InvalidParameter("must be whole numbers ≥ 0", parameter="counts", way_out="Count each pair once.")
        if self.total == 0:
            raise InvalidParameter(
                "must hold at least one draw", parameter="counts", way_out="Draw from the mechanism first."
            )

    @property
    def total(self) -> int:
        """The number of draws."""
        return sum(map(sum, self.counts))


def read_samples(path: str | Path, *, count: str | None = None, limit_bytes: int | None = None) -> SampleCounts:
    r"""Count the draws in a file; tables up to 2 GiB, JSON, which is read at once, up to 64 MiB.

    `count` names the column that says how often each pair was drawn; without it a row is one draw.

    Returns:
        The counts, a row for each input, with labels in reading order.

    Raises:
        UnreadableFile: a column is missing, there are no draws, or the file is damaged or too large; the place is
            told, never the cell.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> _ = Path("draws.csv").write_text("input,output,times\nno,no,820\nno,yes,180\nyes,no,190\nyes,yes,810\n")
    >>> found = sf.io.read_samples("draws.csv", count="times")
    >>> found.inputs, found.counts
    (('no', 'yes'), ((820, 180), (190, 810)))
    """
    if count in (INPUT, OUTPUT):
        raise InvalidParameter(
            f"must not be the column {INPUT} or {OUTPUT}",
            parameter="count",
            value=count,
            way_out="Name the column that says how often each pair was drawn.",
        )
    kind = format_for_reading(path)
    if kind is Format.JSON:
        data = read_bytes(path, limit_bytes=DEFAULT_LIMIT_BYTES if limit_bytes is None else limit_bytes)
        try:
            pairs = count_json(data, path, count=count)
        except RecursionError:
            raise too_deep(path) from None
    else:
        read = count_csv if kind is Format.CSV else count_parquet
        pairs = read(path, count=count, limit_bytes=SAMPLES_LIMIT_BYTES if limit_bytes is None else limit_bytes)
    return as_table(pairs, path)


def count_json(data: bytes, path: str | Path, *, count: str | None = None) -> PairCounts:
    """Count the draws in a document."""
    document = read_json(data, path, discreet=True)
    pairs: PairCounts = Counter()
    place = Place(file=str(path))
    for i, record in enumerate(_records(document, path)):
        what = f"record {i + 1}"
        check_columns(record, count, place, f"{what} has")
        times = 1 if count is None else as_count(record[count], f"the count of {what}", place, most=MOST_COUNT)
        pair = (
            as_label(record[INPUT], f"the input of {what}", place),
            as_label(record[OUTPUT], f"the output of {what}", place),
        )
        pairs[pair] += times
    return pairs


def as_table(pairs: Mapping[tuple[Label, Label], int], path: str | Path) -> SampleCounts:
    """Lay the counts out as a matrix, with labels in an order that does not depend on the order of the draws."""
    if sum(pairs.values()) == 0:
        raise UnreadableFile(
            "the file holds no draws",
            way_out="Write one draw a row under the header input,output.",
            place=Place(file=str(path)),
        )
    inputs = in_reading_order({x for x, _ in pairs})
    outputs = in_reading_order({y for _, y in pairs})
    if len(inputs) * len(outputs) > MOST_CELLS:
        raise UnreadableFile(
            f"the file has {len(inputs)} inputs × {len(outputs)} outputs, more than {MOST_CELLS} pairs",
            way_out="Group the values first; an identifier is no input.",
            place=Place(file=str(path)),
        )
    counts = tuple(tuple(pairs.get((x, y), 0) for y in outputs) for x in inputs)
    return SampleCounts(inputs=inputs, outputs=outputs, counts=counts)


def _records(document: object, path: str | Path) -> list[dict[str, object]]:
    if isinstance(document, dict):
        check_schema(document, path, kind="samples")
        columns = {key: value for key, value in document.items() if key != "schema"}
        lists = {key: as_list(value, "a column", Place(file=str(path))) for key, value in columns.items()}
        if len({len(values) for values in lists.values()}) != 1:
            raise UnreadableFile(
                "the file has no columns, or columns of different lengths",
                way_out="Give each draw all of them.",
                place=Place(file=str(path)),
            )
        return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    records = as_list(document, "the file", Place(file=str(path)))
    if not all(isinstance(record, dict) for record in records):
        raise UnreadableFile(
            "the file must be a list of records with the keys input and output",
            way_out="Write objects.",
            place=Place(file=str(path)),
        )
    return [record for record in records if isinstance(record, dict)]
