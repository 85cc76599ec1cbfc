"""Testing a claim against draws of a mechanism or against counted samples.

Each probability P(y|x) gets a Clopper-Pearson interval, all of them together failing with probability at most 1e-6. If
a lower end over an upper end of the same report exceeds e^ε, the claim of ε is refuted at that confidence. An audit can
refute a claim; it never proves one.   Ref: [CP34]; theory: docs/theory/audit.md
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.certificates.claims import Claim, Relation, Status
from sfumato.display.notebooks import Shown, headline, paragraphs
from sfumato.display.text import at_least, at_most
from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, empty_file, read_bytes
from sfumato.files.documents import as_count, as_list, check_schema, read_json, too_deep
from sfumato.files.formats import Format, format_for_reading
from sfumato.files.parquet import batches, is_text
from sfumato.files.tables import (
    LONGEST_LABEL,
    MOST_COUNT,
    column_keys,
    lines_until,
    parquet_file,
    row_counts,
    text_lines,
)
from sfumato.files.texts import csv_errors, find_separator, normal, open_reader, short
from sfumato.measures.ldp import epsilon
from sfumato.numbers.checks import check_at_least, check_between, check_integer
from sfumato.numbers.exact import parse_count
from sfumato.prob.binomial import clopper_pearson
from sfumato.prob.distribution import Alphabet, Label, check_labels
from sfumato.prob.file_entries import as_label, in_reading_order
from sfumato.sampling.mechanism import Mechanism, bits_or_default
from sfumato.sampling.sources import BitSource

DEFAULT_FAILURE = 1e-6
_DRAW_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Shown):
    """What the draws say about epsilon. `pair`: the answer favoured, the one disfavoured, the report.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> found = sf.audit(sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3)), 10_000)
    >>> found.claim.status.value
    'estimated'
    """

    draws: int
    epsilon_at_least: float
    claimed_epsilon: float | None
    confidence: float
    pair: tuple[Label, Label, Label]
    bits: str

    def _view(self) -> str:
        return f"{headline('Audit')}{paragraphs([self.sentence])}"

    @property
    def contradicts_claim(self) -> bool:
        """Whether the draws refute the claimed epsilon, at the stated confidence."""
        return self.claimed_epsilon is not None and self.epsilon_at_least > self.claimed_epsilon

    @property
    def claim(self) -> Claim:
        """The result in the vocabulary of certificates."""
        return Claim(
            measure="epsilon",
            relation=Relation.AT_LEAST,
            value=self.epsilon_at_least,
            unit="nats",
            status=Status.ESTIMATED,
            because=f"Clopper-Pearson bounds on every P(y|x), {self.draws} draws [CP34]",
            sentence=self.sentence,
            confidence=self.confidence,
        )

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        found = f"From {self.draws} draws ε is at least {at_least(self.epsilon_at_least)}"
        if self.claimed_epsilon is None:
            return f"{found}."
        contradicts = "contradicts" if self.contradicts_claim else "does not contradict"
        return f"{found}, which {contradicts} the claim of {_stated(self.claimed_epsilon)}."


def _stated(claimed: float) -> str:
    """The claim as it was written: 0.1 means one tenth, and not the double above it."""
    return "∞" if math.isinf(claimed) else at_most(Fraction(repr(float(claimed))))


def audit(
    mechanism: Mechanism,
    n: int,
    *,
    claimed_epsilon: float | None = None,
    failure: float = DEFAULT_FAILURE,
    bits: BitSource | None = None,
    progress: Callable[[int], None] | None = None,
) -> Audit:
    """Draw `n` reports, spread evenly over the answers, and bound epsilon from below.

    The claim is the mechanism's own when none is given. `progress` is called with the number of new draws.

    Returns:
        The largest ε that the draws prove, and what it is held against.

    Raises:
        InvalidParameter: there are too few draws, or a parameter is outside of its range.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.mechanisms.RandomizedResponse(size=2, odds=Fraction(3))
    >>> sf.audit(coin, 100_000).claim.value > 1  # from draws alone, below ln 3 = 1.0986
    True
    """
    least = mechanism.size
    check_at_least("n", check_integer("n", n), least)
    source = bits_or_default(bits)
    claim = epsilon(mechanism.channel()) if claimed_epsilon is None else claimed_epsilon
    counts = [_draw_counts(mechanism, x, n // least + (x < n % least), source, progress) for x in range(mechanism.size)]
    labels = mechanism.channel()
    return audit_counts(
        counts,
        claimed_epsilon=claim,
        failure=failure,
        bits=source.label,
        answers=labels.inputs,
        reports=labels.outputs,
    )


def audit_counts(
    counts: Sequence[Sequence[int]],
    *,
    claimed_epsilon: float | None = None,
    failure: float = DEFAULT_FAILURE,
    bits: str = "not known",
    answers: Alphabet | None = None,
    reports: Alphabet | None = None,
) -> Audit:
    """Bound ε from below by counts[x][y] of reports that someone else's mechanism made.

    It is what `sf.audit` does with draws of its own. `answers` and `reports` are the labels of rows and columns,
    numbered when left out.

    Returns:
        The largest ε that the counts prove, and what it is held against.

    Raises:
        InvalidParameter: the counts are no table of whole numbers with a report for each of at least two answers,
            or a parameter is outside of its range.

    >>> import sfumato as sf
    >>> found = sf.certificates.audit_counts([[820, 180], [190, 810]], claimed_epsilon=1.0, answers=("no", "yes"))
    >>> found.contradicts_claim, found.pair
    (True, ('yes', 'no', 1))
    >>> found.sentence
    'From 2000 draws ε is at least 1.09, which contradicts the claim of 1.'
    """
    check_between("failure", failure, 1e-300, 0.5)
    if claimed_epsilon is not None and not claimed_epsilon >= 0:
        raise InvalidParameter(
            "must be at least 0",
            parameter="claimed_epsilon",
            value=claimed_epsilon,
            way_out="Give the epsilon to be tested.",
        )
    table = np.asarray(counts)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 1 or table.dtype.kind not in "iu" or (table < 0).any():
        raise InvalidParameter(
            "must be a table of whole numbers ≥ 0 with a row for each of at least two answers",
            parameter="counts",
            way_out="Count the reports of each answer.",
        )
    rows, columns = (
        check_labels(name, labels, size)
        for name, labels, size in zip(("answers", "reports"), (answers, reports), table.shape, strict=True)
    )
    totals = table.sum(axis=1, keepdims=True)
    if (totals == 0).any():
        x = int(np.flatnonzero(totals[:, 0] == 0)[0])
        raise InvalidParameter(
            f"holds no reports at all of answer number {x}", parameter="counts", way_out="Draw some for every answer."
        )
    # One lower and one upper bound for each entry; together they fail with probability ≤ failure.
    tail = failure / (2 * table.size)
    lower, upper = clopper_pearson(table, totals, lower_tail=tail, upper_tail=tail)
    favoured, disfavoured = lower.argmax(axis=0), upper.argmin(axis=0)
    each = np.arange(table.shape[1])
    with np.errstate(divide="ignore"):
        ratios = np.log(lower[favoured, each]) - np.log(upper[disfavoured, each])
    worst = int(ratios.argmax())
    # One part in 1e9 covers what the inverse beta function may be off by; towards a weaker finding.
    found = max(0.0, float(ratios[worst]) - 1e-9) if math.isfinite(ratios[worst]) else 0.0
    return Audit(
        draws=int(totals.sum()),
        epsilon_at_least=found,
        claimed_epsilon=claimed_epsilon,
        confidence=1 - failure,
        pair=(rows[favoured[worst]], rows[disfavoured[worst]], columns[worst]),
        bits=bits,
    )


def _draw_counts(
    mechanism: Mechanism, x: int, n: int, bits: BitSource, progress: Callable[[int], None] | None
) -> tuple[int, ...]:
    total = None
    for start in range(0, n, _DRAW_CHUNK):
        size = min(_DRAW_CHUNK, n - start)
        part = mechanism.tally(mechanism.privatize(np.full(size, x), bits))
        total = part if total is None else total + part
        if progress is not None:
            progress(size)
    if total is None:
        raise InvalidParameter("must give every answer at least one draw", parameter="n", way_out="Raise `n`.")
    return total.counts


# --- Counting pairs in a stream of a few thousand rows at a time


PairCounts = Counter[tuple[Label, Label]]

MOST_PAIRS = 1_000_000
_PAIR_CHUNK = 2**16
INPUT, OUTPUT = "input", "output"
_USUAL = "count"


def count_csv(path: str | Path, *, count: str | None, limit_bytes: int) -> PairCounts:
    """Count the draws in a table of text."""
    with text_lines(path, limit_bytes=limit_bytes) as (lines, _):
        return _count_lines(lines, path, count)


def count_parquet(path: str | Path, *, count: str | None, limit_bytes: int) -> PairCounts:
    """Count the draws in a Parquet file, a batch at a time."""
    with parquet_file(path, limit_bytes=limit_bytes) as (opened, _):
        names = opened.schema_arrow.names
        check_columns(names, count, Place(file=str(path)))
        check_types(opened.schema_arrow, path, count)
        pairs: PairCounts = Counter()
        for batch in batches(opened, names):
            pairs.update(count_batch(batch, path, count))
            check_pairs(pairs, path)
        return pairs


def check_columns(names: Collection[str], count: str | None, place: Place, who: str = "the file has") -> None:
    """Refuse a count column that was not named: to count by it, or not to, would silently change the numbers.

    Where there is no header the names are answers of people, so none is repeated but `count`.
    """
    if not {INPUT, OUTPUT} <= set(names):
        raise UnreadableFile(
            f"{who} no {INPUT} and {OUTPUT}",
            way_out=f"Call the two columns {INPUT} and {OUTPUT}, in a header above the draws.",
            place=place,
        )
    if count is not None and count not in names:
        raise UnreadableFile(
            f"{who} no column {short(count)}, which `count` asks for",
            way_out="Name a column that is there, or leave `count` out.",
            place=place,
        )
    unused = set(names) - {INPUT, OUTPUT, count}
    if unused:
        which = f"the column {_USUAL!r}" if _USUAL in unused else f"a column beside {INPUT} and {OUTPUT}"
        raise UnreadableFile(
            f"{who} {which}, and it is not used unless it is named",
            way_out="Give its name as `count` if it says how often each pair was drawn, or drop the column.",
            place=place,
        )


def _count_lines(lines: Iterator[str], path: str | Path, count_name: str | None) -> PairCounts:
    first = next(lines, None)
    if first is None:
        raise empty_file(path)
    with csv_errors(path):
        reader = open_reader(itertools.chain([first], lines), find_separator(first))
        names = [cell.strip() for cell in next(reader, [])]
        if len(set(names)) != len(names):
            raise UnreadableFile(
                "two columns have the same name, or there is no header",
                way_out=f"Write the header {INPUT},{OUTPUT} above the draws.",
                place=Place(file=str(path), line=1),
            )
        check_columns(names, count_name, Place(file=str(path), line=1))
        pick = [names.index(name) for name in (INPUT, OUTPUT, count_name) if name is not None]
        pairs: PairCounts = Counter()
        line = reader.line_num
        while chunk := list(itertools.islice(reader, _PAIR_CHUNK)):
            # Equal rows are counted before they are looked at: ten million draws have a handful of different ones.
            for cells, times in Counter(map(tuple, chunk)).items():
                if cells in ((), ("",)):  # a blank line
                    continue
                try:
                    pair, count = _read_row(cells, pick, len(names))
                except UnreadableFile as error:
                    raise error.at(Place(file=str(path), line=line + lines_until(chunk, cells))) from None
                pairs[pair] += times * count
            check_pairs(pairs, path)
            line = reader.line_num
    return pairs


def _read_row(cells: tuple[str, ...], pick: list[int], width: int) -> tuple[tuple[str, str], int]:
    if len(cells) != width:
        raise UnreadableFile(
            f"the line has {len(cells)} cells and the header {width}", way_out="Complete the line, or drop it."
        )
    x, y, *count = (normal(cells[i]) for i in pick)
    if not (x.strip() and y.strip()) or max(len(x), len(y)) > LONGEST_LABEL:
        raise UnreadableFile(
            f"the line lacks an input or an output, or has one of more than {LONGEST_LABEL} characters",
            way_out="Fill it in, or drop it.",
        )
    return (x, y), parse_count(count[0], "the count", most=MOST_COUNT) if count else 1


def count_batch(batch: Any, path: str | Path, count_name: str | None) -> PairCounts:
    """Count the draws in a batch of Arrow."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if any(column.null_count for column in batch.columns):
        raise UnreadableFile(
            "the file has an empty cell", way_out="Fill it in, or drop the row.", place=Place(file=str(path))
        )
    x_keys, x_words = column_keys(batch.column(INPUT), path)
    y_keys, y_words = column_keys(batch.column(OUTPUT), path)
    table = pa.table({"x": x_keys, "y": y_keys, "n": row_counts(batch, path, count_name)})
    groups = table.group_by(["x", "y"], use_threads=False).aggregate([("n", "sum")])
    pairs: PairCounts = Counter()
    for x, y, count in zip(*(groups.column(name).to_pylist() for name in ("x", "y", "n_sum")), strict=True):
        pairs[x if x_words is None else x_words[x], y if y_words is None else y_words[y]] += count
    return pairs


def check_types(schema: Any, path: str | Path, count: str | None) -> None:
    """Refuse columns that hold neither labels nor counts."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    for field in schema:
        is_whole = pa.types.is_integer(field.type)
        if not (is_whole or (is_text(field.type) and field.name != count)):
            raise UnreadableFile(
                f"column {short(field.name)} is of type {field.type}; labels are text or whole numbers, counts are "
                f"whole numbers",
                way_out="Convert it.",
                place=Place(file=str(path)),
            )


def check_pairs(pairs: PairCounts, path: str | Path) -> None:
    """Refuse more different pairs than can be counted."""
    if len(pairs) > MOST_PAIRS:
        raise UnreadableFile(
            f"the file has more than {MOST_PAIRS} different pairs",
            way_out="Group the values first; an identifier is no input.",
            place=Place(file=str(path)),
        )


# --- Samples: counted draws of (input, output) from a mechanism
#
# A file has the columns `input` and `output`, one draw a row. One more column may count how often that pair was drawn,
# and is used only when it is named; a count of 0 declares labels that never came up. JSON holds a list of such records,
# or ``{"schema": "sfumato/samples/1", "input": […], "output": […], "count": […]}``. Tables are read in a stream, so
# memory is bounded by the number of different pairs. The draws are people's data: no error repeats a cell.


SAMPLES_LIMIT_BYTES = 2 * 2**30
MOST_CELLS = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCounts:
    """How often each output was drawn for each input: rows are inputs, as in a channel.

    `read_samples` makes it of a file.

    Raises:
        InvalidParameter: a row or an entry is missing or negative, or nothing was drawn.

    >>> import sfumato as sf
    >>> counts = ((820, 180), (190, 810))
    >>> drawn = sf.certificates.SampleCounts(inputs=("no", "yes"), outputs=("no", "yes"), counts=counts)
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
    >>> found = sf.certificates.read_samples("draws.csv", count="times")
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
