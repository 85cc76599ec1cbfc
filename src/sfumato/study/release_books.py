"""The book of releases beside the data: what was released of it, as digests of columns.

Two releases of the same data can leak together although each is private, so a second release is refused.
Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import KeyReused, Place, UnreadableFile
from sfumato.files import read_bytes, write_atomically
from sfumato.files.csv_tables import decode_text
from sfumato.files.locks import locked
from sfumato.study.coded_columns import coded_column

BOOK_SCHEMA = "sfumato/releases/1"
_BOOK_LIMIT_BYTES = 2**24


def check_not_released(book: Path, columns: Sequence[str], table: Any) -> list[str]:
    """Return a digest of each column to be released; raise if the book says that one of them was released before."""
    digests = [_digest(name, table) for name in sorted(columns)]
    _refuse_twice(book, _read_book(book), digests)
    return digests


def record_release(book: Path, digests: Sequence[str], release: str) -> None:
    """Write into the book that columns are released, before they are; of two processes at it, one is refused."""
    with locked(book):
        entries = _read_book(book)
        _refuse_twice(book, entries, digests)
        entries.append({"columns": list(digests), "release": release})
        text = json.dumps({"schema": BOOK_SCHEMA, "releases": entries}, indent=1) + "\n"
        # A small column can be guessed from its digest. Permissions that the owner gave the book later are kept.
        write_atomically(book, text, private=not book.exists())


def _refuse_twice(book: Path, entries: Sequence[Mapping[str, Any]], digests: Sequence[str]) -> None:
    if any(set(entry["columns"]) & set(digests) for entry in entries):
        raise KeyReused(
            f"the book {book} says that some of these columns were released before, and perfect sample privacy does "
            f"not add up: two private releases of the same data can leak together",
            way_out="Use the first, or protect all columns in one.",
        )


def _read_book(book: Path) -> list[dict[str, Any]]:
    if not book.exists():
        return []
    try:
        document = json.loads(decode_text(read_bytes(book, limit_bytes=_BOOK_LIMIT_BYTES), book))
        entries = document["releases"]
        if document["schema"] == BOOK_SCHEMA and isinstance(entries, list) and all(map(_is_entry, entries)):
            return entries
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise UnreadableFile(
        "this is not a book of releases, or it is damaged",
        place=Place(file=str(book)),
        way_out="Restore it: it guards the data.",
    )


def _is_entry(entry: Any) -> bool:
    columns = entry["columns"]
    return isinstance(columns, list) and all(isinstance(column, str) for column in columns)


def _digest(name: str, table: Any) -> str:
    # Coded by their order and not by their first appearance: the same column from another file has the same digest.
    words = coded_column(table, name)
    mark = sha256(b"sfumato/releases/1" + json.dumps(list(words.texts)).encode())
    mark.update(words.codes.tobytes())
    return mark.hexdigest()
