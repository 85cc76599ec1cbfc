"""Parquet opened with care: the footer is believed only after its promises have been checked.

Footer strings and lists are capped, page checksums are verified where the writer left them, and columns of text
are read as dictionaries, because a small file can repeat one long value twenty million times.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sfumato.errors import Place, SfumatoError, UnreadableFile
from sfumato.files.texts import check_names, normal

MOST_ENTRIES = 20_000_000
"""Rows times columns of a table that is held in memory."""
_FOOTER_LIMIT = 10_000_000
"""Bytes of one string, or entries of one list, in the footer."""
_BATCH_ROWS = 2**16
_BUFFER_BYTES = 2**20
# A column of yes and no has eight entries in a byte; text that repeats itself is compressed to a fiftieth.
_MOST_PER_BYTE = 100
_PLAIN_BYTES = 2**27


@contextlib.contextmanager
def arrow_errors(path: str | Path) -> Iterator[None]:
    """Turn whatever the Parquet library raises on a damaged file into one sentence."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    try:
        yield
    except SfumatoError:
        raise
    except MemoryError:  # what is damaged may claim any size
        raise UnreadableFile(
            "the file asks for more memory than this machine has left, or it is damaged",
            way_out="Close other programs, or check that it was copied whole.",
            place=Place(file=str(path)),
        ) from None
    # The library speaks through its own exceptions and, for some kinds of damage, through Python's.
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError, TypeError, OverflowError):
        raise UnreadableFile(
            "the file is not Parquet, or is damaged",
            way_out="Write it again with the program that made it, or check that it was copied whole.",
            place=Place(file=str(path)),
        ) from None


def open_parquet(source: Any, path: str | Path) -> Any:
    """Open a file or a buffer and check its column names; call it within `arrow_errors`."""
    import pyarrow.parquet as pq  # noqa: PLC0415  takes a second to import

    options = {
        "page_checksum_verification": True,
        "thrift_string_size_limit": _FOOTER_LIMIT,
        "thrift_container_size_limit": _FOOTER_LIMIT,
        # Read ahead of batches, a file would be held as a whole; without a buffer, all of a row group's column.
        "pre_buffer": False,
        "buffer_size": _BUFFER_BYTES,
    }
    opened = pq.ParquetFile(source, **options)
    _check_proportions(opened.metadata, _size_of(source), path)
    check_names(opened.schema_arrow.names, Place(file=str(path)))
    words = [field.name for field in opened.schema_arrow if is_text(field.type)]
    return pq.ParquetFile(source, read_dictionary=words, **options) if words else opened


def check_entries(opened: Any, path: str | Path) -> None:
    """Refuse a table that would not fit in memory, from its footer alone."""
    rows, columns = opened.metadata.num_rows, opened.metadata.num_columns
    if rows < 1 or columns < 1:
        raise UnreadableFile(
            f"the file has {rows} rows and {columns} columns",
            way_out="Write at least one of each.",
            place=Place(file=str(path)),
        )
    if rows * columns > MOST_ENTRIES:
        raise UnreadableFile(
            f"the file has {rows} rows × {columns} columns, more than {MOST_ENTRIES} entries",
            way_out="Merge symbols, or write a structured channel as JSON.",
            place=Place(file=str(path)),
        )


def _check_proportions(footer: Any, size: int, path: str | Path) -> None:
    """Refuse a file of a few kilobytes that stands for gigabytes: one value, repeated or compressed without end."""
    entries = footer.num_rows * footer.num_columns
    # Of row groups, not of their columns: a damaged column chunk, asked for by itself, ends the process.
    plain = sum(footer.row_group(i).total_byte_size for i in range(footer.num_row_groups))
    if entries > max(MOST_ENTRIES, size * _MOST_PER_BYTE) or plain > max(_PLAIN_BYTES, size * _MOST_PER_BYTE):
        raise UnreadableFile(
            f"the file stands for more than {_MOST_PER_BYTE} entries or bytes in each of its own bytes",
            way_out="Write it as CSV, or leave out columns that say the same in every row.",
            place=Place(file=str(path)),
        )


def _size_of(source: Any) -> int:
    size = getattr(source, "size", None)
    return int(size()) if callable(size) else os.fstat(source.fileno()).st_size


def batches(opened: Any, columns: list[str], size: int = _BATCH_ROWS) -> Iterator[Any]:
    """Yield record batches that have been checked from end to end."""
    for batch in opened.iter_batches(batch_size=size, columns=columns, use_threads=False):
        # A damaged page can decode to offsets that point outside their buffer; later steps would follow them.
        batch.validate(full=True)
        yield batch


def is_text(kind: Any) -> bool:
    """Whether a column holds text, as a dictionary or not."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(plain) or pa.types.is_large_string(plain))


def common_kind(one: Any, other: Any) -> Any:
    """Return the type that two columns of one name can both be read as; raises ArrowException where there is none."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if pa.types.is_null(one) or one == other:
        return other
    if pa.types.is_null(other):
        return one
    pair = [pa.schema([("it", one)]), pa.schema([("it", other)])]
    return pa.unify_schemas(pair, promote_options="permissive").field(0).type


def plain_text(column: Any) -> Any:
    """Return a column whose text is laid out plainly: polars hands it over as views, alone or in a dictionary.

    A dictionary that holds an empty word is spelled out, so that its empty cells count as empty.
    """
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if pa.types.is_string_view(column.type):
        return column.cast(pa.string())
    if not pa.types.is_dictionary(column.type):
        return column
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if any(piece.dictionary.null_count for piece in pieces):
        found = [piece.dictionary_decode() for piece in pieces]
    elif pa.types.is_string_view(column.type.value_type):
        found = [pa.DictionaryArray.from_arrays(p.indices, p.dictionary.cast(pa.string())) for p in pieces]
    else:
        return column
    return pa.chunked_array(found) if isinstance(column, pa.ChunkedArray) else found[0]


def text_values(column: Any, path: str | Path, *, longest: int) -> list[str]:
    """Return a text column without nulls as Python strings that share memory when equal."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    words = check_words(encoded.dictionary, path, longest=longest)
    return [words[i] for i in encoded.indices.to_pylist()]


def check_words(dictionary: Any, path: str | Path, *, longest: int) -> list[str]:
    """Return the words of a dictionary in Unicode NFC; nulls and long ones are refused without repeating them."""
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    if dictionary.null_count or (pc.max(pc.binary_length(dictionary)).as_py() or 0) > longest:
        raise UnreadableFile(
            f"the file has a cell of text that is empty or longer than {longest} bytes",
            way_out="Correct it.",
            place=Place(file=str(path)),
        )
    return [normal(word) for word in dictionary.to_pylist()]
