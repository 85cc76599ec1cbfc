"""What counting in a stream takes: lines and batches one after another, within bounds, whatever the file's size."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_tables import not_text
from sfumato.files.disk import empty_file, open_for_reading, read_bytes
from sfumato.files.parquet_tables import arrow_errors, check_words, is_text, open_parquet

MOST_COUNT = 10**15
"""Largest count in one row; a batch of them still adds up in 64 bits with room to spare."""
LONGEST_LABEL = 1_000
_LONGEST_LINE = 2**20


@contextlib.contextmanager
def text_lines(path: str | Path, *, limit_bytes: int) -> Iterator[tuple[Iterator[str], BinaryIO]]:
    """Open a file of text as bounded lines, beside the stream they come from; what goes wrong becomes a sentence."""
    with open_for_reading(path, limit_bytes=limit_bytes) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        try:
            yield _bounded(text, path, limit_bytes), stream
        except UnicodeDecodeError:
            raise not_text(path) from None
        except OSError as error:
            raise UnreadableFile(
                f"the file could not be read to its end: {error.strerror}",
                way_out="Copy it and retry.",
                place=Place(file=str(path)),
            ) from None
        finally:
            text.detach()


@contextlib.contextmanager
def parquet_file(path: str | Path, *, limit_bytes: int) -> Iterator[tuple[Any, int]]:
    """Open a Parquet file for reading batch by batch, beside its size in bytes."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    with open_for_reading(path, limit_bytes=limit_bytes) as stream:
        found = os.fstat(stream.fileno())
        is_regular = stat.S_ISREG(found.st_mode)
        if is_regular and found.st_size == 0:
            raise empty_file(path)
        with arrow_errors(path):
            # The footer is at the end, so a pipe has to be held in memory.
            source = stream if is_regular else pa.BufferReader(read_bytes(path, limit_bytes=limit_bytes))
            yield open_parquet(source, path), found.st_size


def lines_until(chunk: list[list[str]], cells: tuple[str, ...]) -> int:
    """How many lines it takes to get to a row; a quoted cell may run over several."""
    rows = itertools.takewhile(lambda row: tuple(row) != cells, chunk)
    return 1 + sum(1 + sum(cell.count("\n") for cell in row) for row in rows)


def column_keys(column: Any, path: str | Path) -> tuple[Any, list[str] | None]:
    """Return what to group by and, for text, the words it stands for: grouping numbers is ten times quicker."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if not is_text(column.type):
        return column, None
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return encoded.indices, check_words(encoded.dictionary, path, longest=LONGEST_LABEL)


def row_counts(batch: Any, path: str | Path, count: str | None) -> Any:
    """Return how often each row of a batch counts: what the column named `count` says, or once."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415

    if count is None:
        return pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)
    counts = batch.column(count).cast(pa.int64())
    ends = pc.min_max(counts).as_py()
    if batch.num_rows and not 0 <= ends["min"] <= ends["max"] <= MOST_COUNT:
        raise UnreadableFile(
            f"column {count} must hold whole numbers from 0 to {MOST_COUNT}",
            way_out="Correct it.",
            place=Place(file=str(path)),
        )
    return counts


def _bounded(text: io.TextIOWrapper, path: str | Path, limit_bytes: int) -> Iterator[str]:
    """Yield lines, none so long and not so many that memory or patience runs out."""
    read = 0
    while line := text.readline(_LONGEST_LINE):
        read += len(line)
        if len(line) >= _LONGEST_LINE or "\0" in line:
            raise not_text(path)
        if read > limit_bytes:  # only a pipe gets here: a file's size is known beforehand
            raise UnreadableFile(
                f"the file is longer than {limit_bytes} bytes",
                way_out="Raise `limit_bytes` if that is meant.",
                place=Place(file=str(path)),
            )
        yield line
