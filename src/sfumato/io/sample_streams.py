"""Counting pairs in a stream: a few thousand rows at a time, whatever the size of the file."""

from __future__ import annotations

import io
import itertools
import os
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sfumato.errors import UnreadableFile
from sfumato.io.csv_tables import csv_errors, find_separator, not_text, open_reader
from sfumato.io.files import empty_sentence, open_for_reading, read_bytes
from sfumato.io.numbers import parse_count
from sfumato.io.parquet_tables import arrow_errors, batches, check_words, is_text, open_parquet
from sfumato.prob.alphabet import Label

PairCounts = Counter[tuple[Label, Label]]

MOST_COUNT = 10**15
"""Largest count in one row; a batch of them still adds up in 64 bits with room to spare."""
MOST_PAIRS = 1_000_000
LONGEST_LABEL = 1_000
_LONGEST_LINE = 2**20
_CHUNK = 2**16
_HEADERS = ({"input", "output"}, {"input", "output", "count"})


def count_csv(path: str | Path, *, limit_bytes: int) -> PairCounts:
    """Count the draws in a table of text."""
    with open_for_reading(path, limit_bytes=limit_bytes) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        try:
            return _count_lines(_bounded(text, path, limit_bytes), path)
        except UnicodeDecodeError:
            raise UnreadableFile(not_text(path)) from None
        except OSError as error:
            raise UnreadableFile(
                f"file {path} could not be read to its end: {error.strerror}. Copy it and retry."
            ) from None
        finally:
            text.detach()


def count_parquet(path: str | Path, *, limit_bytes: int) -> PairCounts:
    """Count the draws in a Parquet file, a batch at a time."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    with open_for_reading(path, limit_bytes=limit_bytes) as stream:
        found = os.fstat(stream.fileno())
        is_regular = stat.S_ISREG(found.st_mode)
        if is_regular and found.st_size == 0:
            raise UnreadableFile(empty_sentence(path))
        with arrow_errors(path):
            # The footer is at the end, so a pipe has to be held in memory.
            source = stream if is_regular else pa.BufferReader(read_bytes(path, limit_bytes=limit_bytes))
            opened = open_parquet(source, path)
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
                    place = line + _lines_until(chunk, cells)
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


def _lines_until(chunk: list[list[str]], cells: tuple[str, ...]) -> int:
    """How many lines it takes to get to a row; a quoted cell may run over several."""
    rows = itertools.takewhile(lambda row: tuple(row) != cells, chunk)
    return 1 + sum(1 + sum(cell.count("\n") for cell in row) for row in rows)


def _bounded(text: io.TextIOWrapper, path: str | Path, limit_bytes: int) -> Iterator[str]:
    """Yield lines, none so long and not so many that memory or patience runs out."""
    read = 0
    while line := text.readline(_LONGEST_LINE):
        read += len(line)
        if len(line) >= _LONGEST_LINE or "\0" in line:
            raise UnreadableFile(not_text(path))
        if read > limit_bytes:  # only a pipe gets here: a file's size is known beforehand
            raise UnreadableFile(f"file {path} is longer than {limit_bytes} bytes. Raise limit_bytes if that is meant.")
        yield line


def _count_batch(batch: Any, path: str | Path) -> PairCounts:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if any(column.null_count for column in batch.columns):
        raise UnreadableFile(f"file {path} has an empty cell. Fill it in, or drop the row.")
    x_keys, x_words = _keys(batch.column("input"), path)
    y_keys, y_words = _keys(batch.column("output"), path)
    table = pa.table({"x": x_keys, "y": y_keys, "n": _counts(batch, path)})
    groups = table.group_by(["x", "y"], use_threads=False).aggregate([("n", "sum")])
    pairs: PairCounts = Counter()
    for x, y, count in zip(*(groups.column(name).to_pylist() for name in ("x", "y", "n_sum")), strict=True):
        pairs[x if x_words is None else x_words[x], y if y_words is None else y_words[y]] += count
    return pairs


def _keys(column: Any, path: str | Path) -> tuple[Any, list[str] | None]:
    """Return what to group by and, for text, the words it stands for: grouping numbers is ten times quicker."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if not is_text(column.type):
        return column, None
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return encoded.indices, check_words(encoded.dictionary, path, longest=LONGEST_LABEL)


def _counts(batch: Any, path: str | Path) -> Any:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415

    if "count" not in batch.schema.names:
        return pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
    counts = batch.column("count").cast(pa.int64())
    ends = pc.min_max(counts).as_py()
    if batch.num_rows and not 0 <= ends["min"] <= ends["max"] <= MOST_COUNT:
        raise UnreadableFile(f"file {path}, column count must hold whole numbers from 0 to {MOST_COUNT}. Correct it.")
    return counts


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
