"""Counting pairs in a stream: a few thousand rows at a time, whatever the size of the file."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sfumato.errors import UnreadableFile
from sfumato.files.csv_tables import csv_errors, find_separator, open_reader
from sfumato.files.disk import empty_sentence
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
from sfumato.prob.alphabet import Label

PairCounts = Counter[tuple[Label, Label]]

MOST_PAIRS = 1_000_000
_CHUNK = 2**16
_HEADERS = ({"input", "output"}, {"input", "output", "count"})


def count_csv(path: str | Path, *, limit_bytes: int) -> PairCounts:
    """Count the draws in a table of text."""
    with text_lines(path, limit_bytes=limit_bytes) as (lines, _):
        return _count_lines(lines, path)


def count_parquet(path: str | Path, *, limit_bytes: int) -> PairCounts:
    """Count the draws in a Parquet file, a batch at a time."""
    with parquet_file(path, limit_bytes=limit_bytes) as (opened, _):
        names = opened.schema_arrow.names
        if set(names) not in _HEADERS:
            raise UnreadableFile(f"file {path} must have the columns input and output, and may have count.")
        _check_types(opened.schema_arrow, path)
        pairs: PairCounts = Counter()
        for batch in batches(opened, names):
            pairs.update(_count_batch(batch, path))
            _check_pairs(pairs, path)
        return pairs


def _count_lines(lines: Iterator[str], path: str | Path) -> PairCounts:
    first = next(lines, None)
    if first is None:
        raise UnreadableFile(empty_sentence(path))
    with csv_errors(path):
        reader = open_reader(itertools.chain([first], lines), find_separator(first))
        names = [cell.strip() for cell in next(reader, [])]
        if set(names) not in _HEADERS or len(set(names)) != len(names):
            raise UnreadableFile(f"file {path}, line 1 must be the header input,output or input,output,count. Add it.")
        pick = [names.index(name) for name in ("input", "output", "count") if name in names]
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
                    place = line + lines_until(chunk, cells)
                    raise UnreadableFile(f"file {path}, line {place}{error}") from None
                pairs[pair] += times * count
            _check_pairs(pairs, path)
            line = reader.line_num
    return pairs


def _read_row(cells: tuple[str, ...], pick: list[int], width: int) -> tuple[tuple[str, str], int]:
    if len(cells) != width:
        raise UnreadableFile(f" has {len(cells)} cells and the header {width}. Complete the line, or drop it.")
    x, y, *count = (cells[i] for i in pick)
    if not (x.strip() and y.strip()) or max(len(x), len(y)) > LONGEST_LABEL:
        raise UnreadableFile(
            f" lacks an input or an output, or has one of more than {LONGEST_LABEL} characters. Fill it in, or drop it."
        )
    return (x, y), parse_count(count[0], ", count", most=MOST_COUNT) if count else 1


def _count_batch(batch: Any, path: str | Path) -> PairCounts:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if any(column.null_count for column in batch.columns):
        raise UnreadableFile(f"file {path} has an empty cell. Fill it in, or drop the row.")
    x_keys, x_words = column_keys(batch.column("input"), path)
    y_keys, y_words = column_keys(batch.column("output"), path)
    table = pa.table({"x": x_keys, "y": y_keys, "n": row_counts(batch, path)})
    groups = table.group_by(["x", "y"], use_threads=False).aggregate([("n", "sum")])
    pairs: PairCounts = Counter()
    for x, y, count in zip(*(groups.column(name).to_pylist() for name in ("x", "y", "n_sum")), strict=True):
        pairs[x if x_words is None else x_words[x], y if y_words is None else y_words[y]] += count
    return pairs


def _check_types(schema: Any, path: str | Path) -> None:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    for field in schema:
        is_whole = pa.types.is_integer(field.type)
        if not (is_whole or (is_text(field.type) and field.name != "count")):
            raise UnreadableFile(
                f"file {path}, column {field.name} is of type {field.type}. Labels are text or whole numbers, counts "
                f"are whole numbers; convert it."
            )


def _check_pairs(pairs: PairCounts, path: str | Path) -> None:
    if len(pairs) > MOST_PAIRS:
        raise UnreadableFile(
            f"file {path} has more than {MOST_PAIRS} different pairs. Group the values first; an identifier is no "
            f"input."
        )
