"""Whether the bytes of a table follow from its rows and its note alone.

What a file holds beyond them is named: keys of metadata, entries of dictionaries without a row, the order of a
dictionary, statistics that are not those of the rows, bytes that belong to nothing. Then its rows are written again,
and page after page must be the same. Pages are compared decompressed; those of another version of Arrow may differ.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.files.formats import Format, format_of
from sfumato.files.parquet_pages import Fields, Page, ParquetContent
from sfumato.files.parquet_tables import arrow_errors
from sfumato.files.table_writers import ROW_GROUP_ROWS, TableEncoder
from sfumato.files.tables import NOTE_KEY

_CREATED_BY = re.compile(r"parquet-cpp-arrow version [0-9]+\.[0-9]+\.[0-9]+")
_CELL = rb'(?:"(?:[^"]|"")*"|[^",\r\n]*)'
_LINE = re.compile(_CELL + rb"(?:," + _CELL + rb")+\n")
_READ_BYTES = 2**20
# Of a column in a row group: its type of text. Of pages: sizes and checksums depend on the compressing library.
_BYTE_ARRAY = 6
_PAGE_SIZES = (3, 4)
_CHUNK_PLACES, _COLUMN_PLACES, _GROUP_PLACES = (2,), (7, 9, 11), (5, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAudit:
    """What a table holds beyond its rows and its note; `remarks` say what could not be compared."""

    findings: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def audit_table(path: str | Path) -> TableAudit:
    """Return what the bytes of a table, as CSV or Parquet, hold beyond its rows and its note."""
    if format_of(path) is Format.CSV:
        is_plain = _is_plain_csv(Path(path))
        return TableAudit(findings=() if is_plain else ("something else than lines of cells",))
    import pyarrow.parquet as pq  # noqa: PLC0415  takes a second to import

    content = ParquetContent(path)
    with arrow_errors(path), pq.ParquetFile(path, page_checksum_verification=True) as opened:
        found = [*_of_metadata(content), *_of_groups(content, opened), *_of_dictionaries(content, opened)]
        if found:
            return TableAudit(findings=tuple(dict.fromkeys(found)))
        if not _has_our_version(content):
            remark = "written by another version of Arrow, so its pages were not compared with those of its rows"
            return TableAudit(findings=(), remarks=(remark,))
        is_same = _is_written_again(content, opened)
    return TableAudit(findings=() if is_same else ("bytes that do not follow from the rows and the note",))


def _of_metadata(content: ParquetContent) -> Iterator[str]:
    for entry in content.footer.get(5, ()):
        if entry[1] != NOTE_KEY:
            yield f"metadata under the key {entry[1].decode(errors='replace')!r}"
    if _CREATED_BY.fullmatch(_created_by(content)) is None:
        yield "the name of another writer"
    if content.unused_bytes:
        yield f"{content.unused_bytes:,} bytes that belong to no column"


def _of_groups(content: ParquetContent, opened: Any) -> Iterator[str]:
    """Compare row groups with their size, and statistics with the rows."""
    groups = content.footer.get(4, ())
    for number, group in enumerate(groups):
        if group is not groups[-1] and group[3] != ROW_GROUP_ROWS:
            yield "row groups of another size"
        for place, chunk in enumerate(group[1]):
            told = opened.metadata.row_group(number).column(place) if chunk[3].get(12) else None
            if told is not None and not _are_of_rows(told.statistics, opened, number, told.path_in_schema):
                yield f"statistics of column {told.path_in_schema!r} that are not those of its rows"


def _are_of_rows(told: Any, opened: Any, group: int, name: str) -> bool:
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    column = opened.read_row_group(group, columns=[name]).column(0)
    if told.has_null_count and told.null_count != column.null_count:
        return False
    if told.has_distinct_count and told.distinct_count != len(pc.unique(column.drop_null())):
        return False
    if not told.has_min_max:
        return True
    ends = pc.min_max(column).as_py()
    return bool((told.min, told.max) == (ends["min"], ends["max"]))


def _of_dictionaries(content: ParquetContent, opened: Any) -> Iterator[str]:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    kinds = {".".join(part.decode() for part in one[3][3]): one[3][1] for one in _chunks(content)}
    for page in content.pages():
        if page.has_statistics:
            yield f"statistics of column {page.column!r} in its pages"
        if not page.is_dictionary:
            continue
        if kinds[page.column] != _BYTE_ARRAY:
            yield f"a dictionary of column {page.column!r}, which is no text"
            continue
        entries = page.texts()
        if entries != sorted(set(entries)):
            yield f"a dictionary of column {page.column!r} that is not sorted"
        column = opened.read_row_group(page.group, columns=[page.column]).column(0)
        if len(set(entries) - set(pc.unique(column.cast(pa.binary())).to_pylist())):
            yield f"a dictionary of column {page.column!r} with values that are in no row"


def _is_written_again(content: ParquetContent, opened: Any) -> bool:
    """Write the rows again, and compare footer and pages."""
    notes = [entry[2].decode() for entry in content.footer.get(5, ())]
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        encoder = TableEncoder(file, Format.PARQUET)
        for number in range(opened.metadata.num_row_groups):
            encoder.write(opened.read_row_group(number))
        if not opened.metadata.num_row_groups:
            encoder.write(opened.schema_arrow.empty_table())
        encoder.close(*notes[:1])
        file.flush()
        again = ParquetContent(file.name)
        if len(notes) > 1 or _without_places(again.footer) != _without_places(content.footer):
            return False
        # Footers that are the same have the same number of pages.
        return all(_of_page(one) == _of_page(other) for one, other in zip(content.pages(), again.pages(), strict=True))


def _of_page(page: Page) -> tuple[int, str, Fields, bytes]:
    header = {key: value for key, value in page.header.items() if key not in _PAGE_SIZES}
    return page.group, page.column, header, page.content


def _without_places(footer: Fields) -> Fields:
    """Return a footer without what depends on how well pages were compressed."""
    groups = []
    for group in footer.get(4, ()):
        chunks = [_without(chunk, _CHUNK_PLACES) | {3: _without(chunk[3], _COLUMN_PLACES)} for chunk in group[1]]
        groups.append(_without(group, _GROUP_PLACES) | {1: chunks})
    return footer | {4: groups}


def _without(fields: Fields, numbers: tuple[int, ...]) -> Fields:
    return {key: value for key, value in fields.items() if key not in numbers}


def _has_our_version(content: ParquetContent) -> bool:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return _created_by(content) == f"parquet-cpp-arrow version {pa.cpp_version}"


def _created_by(content: ParquetContent) -> str:
    return bytes(content.footer.get(6, b"")).decode(errors="replace")


def _chunks(content: ParquetContent) -> list[Fields]:
    return [chunk for group in content.footer.get(4, ()) for chunk in group[1]]


def _is_plain_csv(path: Path) -> bool:
    """Whether a file holds lines of cells, text in quotes and numbers without, and nothing between them."""
    held = b""
    with path.open("rb") as stream:
        while data := stream.read(_READ_BYTES):
            held += data
            at = 0
            while found := _LINE.match(held, at):
                at = found.end()
            held = held[at:]
    return not held
