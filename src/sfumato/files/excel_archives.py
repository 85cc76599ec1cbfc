"""Whether the archive that a workbook is can be opened without harm: its parts say beforehand how large they become.

What is read of a part never exceeds what the archive says of it, so a small file cannot ask for much memory unseen.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from sfumato.errors import Place, UnreadableFile

_MOST_PARTS = 10_000
_SMALL_BYTES = 2**24
_MOST_RATIO = 200
_MOST_WORDS_BYTES = 2**28
_WORDS = "xl/sharedstrings.xml"
_BLOCK = 2**20
_OVERLAP = 256
_FORMULA = re.compile(rb"<(?:\w{1,9}:)?f[\s>/]")
_MERGED_NAMES = re.compile(rb"<(?:\w{1,9}:)?mergeCell\s[^>]{0,40}ref=\"\$?[A-Z]{1,3}\$?1:")
_FAR_ROW = re.compile(rb"<(?:\w{1,9}:)?row\s[^>]{0,200}?\br=\"[0-9]{8,}\"")
_DECLARED = re.compile(rb"<!(?:DOCTYPE|ENTITY)")


def check_archive(stream: BinaryIO, path: str | Path) -> None:
    """Refuse what is no archive, or one that would become far larger than it is."""
    head = stream.read(8)
    stream.seek(0)
    if not head.startswith(b"PK"):
        if head.startswith(b"\xd0\xcf\x11\xe0"):
            raise UnreadableFile(
                "this workbook is protected by a password, or was written by an old Excel",
                way_out="Take the password off, or save it as .xlsx.",
                place=Place(file=str(path)),
            )
        raise UnreadableFile(
            "the file is no workbook, whatever its name says",
            way_out="Give it the extension of its true format, such as .csv.",
            place=Place(file=str(path)),
        )
    parts = _parts(stream, path)
    if len(parts) > _MOST_PARTS:
        raise _too_much(f"has {len(parts)} parts", path)
    for part in parts:
        if part.file_size > max(_SMALL_BYTES, _MOST_RATIO * part.compress_size):
            raise _too_much(f"would become more than {_MOST_RATIO} times as large when it is unpacked", path)
        if part.filename.lower() == _WORDS and part.file_size > _MOST_WORDS_BYTES:
            raise _too_much(f"holds more than {_MOST_WORDS_BYTES // 2**20} MiB of text", path)


def has_formulas(stream: BinaryIO, part: str, path: str | Path) -> bool:
    """Whether a sheet has formulas; refuses merged cells among the names of columns, and declarations of entities."""
    found = False
    for block in _blocks(stream, part):
        if _DECLARED.search(block):
            raise UnreadableFile(
                "the workbook declares entities, which no spreadsheet does",
                way_out="Save it again with the program that made it.",
                place=Place(file=str(path)),
            )
        if _MERGED_NAMES.search(block):
            raise UnreadableFile(
                "cells of the first row are merged, and it has to name each column",
                way_out="Unmerge them, delete titles above the names, and write one name above each column.",
                place=Place(file=str(path)),
            )
        if _FAR_ROW.search(block):
            raise _too_much("has a row far beyond the last that a sheet can have", path)
        found = found or bool(_FORMULA.search(block))
    return found


def _parts(stream: BinaryIO, path: str | Path) -> list[zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(stream) as archive:
            return archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError, MemoryError):
        raise UnreadableFile(
            "the workbook is damaged", way_out="Open it in its program and save it again.", place=Place(file=str(path))
        ) from None


def _blocks(stream: BinaryIO, part: str) -> Iterator[bytes]:
    """Yield a part in blocks that overlap, so that nothing short is cut in two."""
    with zipfile.ZipFile(stream) as archive, archive.open(part) as opened:
        before = b""
        while block := opened.read(_BLOCK):
            yield before + block
            before = block[-_OVERLAP:]


def _too_much(what: str, path: str | Path) -> UnreadableFile:
    return UnreadableFile(
        f"the workbook {what}", way_out="Save the sheet that is needed as CSV.", place=Place(file=str(path))
    )
