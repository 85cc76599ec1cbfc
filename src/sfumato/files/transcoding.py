"""Text of another encoding as the UTF-8 that everything else reads, block by block."""

from __future__ import annotations

import codecs
import io
from pathlib import Path
from typing import BinaryIO

from sfumato.errors import Place, UnreadableFile

UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_BLOCK = 2**20


def marked_encoding(head: bytes) -> str | None:
    """Return the encoding that the mark at the beginning of a file proves; no UTF-8 begins with that of UTF-16."""
    if head.startswith(UTF8_MARK):
        return "utf-8"
    # Four bytes of two zeros would be UTF-32, which nobody writes.
    return "utf-16" if head.startswith(_UTF16_MARKS) and not head.startswith(b"\xff\xfe\0\0") else None


def as_utf8(stream: BinaryIO, encoding: str | None, path: str | Path) -> BinaryIO:
    """Return a stream of UTF-8; what is marked is read as its mark says, and a declaration must not contradict it."""
    head = stream.read(4)
    stream.seek(0)
    marked = marked_encoding(head)
    if encoding is not None and marked is not None and encoding != marked:
        raise UnreadableFile(
            f"the file begins with the mark of {marked.upper()}, and `encoding` says {encoding}",
            way_out=f"Leave out `encoding`, or say {marked}.",
            place=Place(file=str(path)),
        )
    found = encoding or marked or "utf-8"
    return stream if found == "utf-8" else _Transcoded(stream, found, path)  # type: ignore[return-value]


class _Transcoded(io.BufferedIOBase):
    """A stream that is decoded while it is read; where to go on is counted in UTF-8."""

    def __init__(self, stream: BinaryIO, encoding: str, path: str | Path) -> None:
        self._stream, self._encoding, self._path = stream, encoding, path
        self._begin()

    def _begin(self) -> None:
        self._stream.seek(0)
        self._decoder = codecs.getincrementaldecoder(self._encoding)(errors="strict")
        self._held = bytearray()
        self._lines = 0
        self._is_done = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place near the beginning, which is where rows begin."""
        if whence:
            raise io.UnsupportedOperation("only from the beginning")
        self._begin()
        rest = offset
        while rest > 0 and (skipped := self.read(min(rest, _BLOCK))):
            rest -= len(skipped)
        return offset

    def read(self, size: int | None = -1) -> bytes:
        wanted = -1 if size is None else size
        while not self._is_done and (wanted < 0 or len(self._held) < wanted):
            self._fill()
        cut = len(self._held) if wanted < 0 else wanted
        found = bytes(self._held[:cut])
        del self._held[:cut]
        return found

    def read1(self, size: int = -1) -> bytes:
        return self.read(_BLOCK if size < 0 else size)

    def _fill(self) -> None:
        data = self._stream.read(_BLOCK)
        self._is_done = not data
        try:
            text = self._decoder.decode(data, final=self._is_done)
        except UnicodeDecodeError as error:
            line = self._lines + bytes(error.object[: error.start]).count(b"\n") + 1
            raise UnreadableFile(
                f"is not text in {self._encoding}, near line {line}",
                way_out="Say another `encoding`, or save it again as UTF-8.",
                place=Place(file=str(self._path)),
            ) from None
        self._lines += text.count("\n")
        self._held += text.encode("utf-8", errors="replace")
