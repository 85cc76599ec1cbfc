"""Counting pairs in a stream: a few thousand rows at a time, whatever the size of the file."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_tables import csv_errors, find_separator, open_reader
from sfumato.files.disk import empty_file
from sfumato.files.numbers import parse_count
from sfumato.files.parquet_tables import batches, is_text
from sfumato.files.streams import (
    LONGEST_LABEL,
    MOST_COUNT,
    column_keys,
    lines_until,
    parquet_file,
    row_counts,
    text_lines,
)
from sfumato.files.texts import normal, short
from sfumato.prob.alphabet import Label

PairCounts = Counter[tuple[Label, Label]]

MOST_PAIRS = 1_000_000
_CHUNK = 2**16
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
    """Refuse a column that nobody named: to count by it, or not to, would each change the numbers in silence.

    Where there is no header the names are somebody's answers, so none is repeated but `count`.
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
        while chunk := list(itertools.islice(reader, _CHUNK)):
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
    """Refuse more different pairs than can be told apart."""
    if len(pairs) > MOST_PAIRS:
        raise UnreadableFile(
            f"the file has more than {MOST_PAIRS} different pairs",
            way_out="Group the values first; an identifier is no input.",
            place=Place(file=str(path)),
        )
