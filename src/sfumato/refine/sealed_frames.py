"""The frame of every sealed file: a magic line, the length of the header, the header, and what is sealed.

======================  ==============================================================================
the magic               a line of its own that says what the file is
4 bytes                 the length of the header, little-endian
the header              JSON in one spelling, sorted and without blanks
the rest                what is sealed
======================  ==============================================================================

Format: docs/reference/files.md
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import UnreadableFile
from sfumato.files.byte_sources import ByteSource, HeldBytes

_LENGTH_BYTES = 4
_LONGEST_HEADER = 1 << 16


@dataclass(frozen=True, slots=True)
class Frame:
    """A kind of sealed file: its magic, and what it is called in a sentence."""

    magic: bytes
    named: str
    """Such as "key file"."""
    made_by: str
    """What to do instead of passing something else."""

    def opening(self, header: bytes) -> bytes:
        """Return everything before the sealed body, which vouches for it."""
        return self.magic + len(header).to_bytes(_LENGTH_BYTES, "little") + header

    def take_apart(self, data: bytes) -> tuple[bytes, bytes, bytes]:
        """Header, everything up to the sealed body, and that body."""
        header, opening = self.read_opening(HeldBytes(data))
        return header, opening, data[len(opening) :]

    def read_opening(self, source: ByteSource) -> tuple[bytes, bytes]:
        """Header, and everything up to the sealed body; nothing beyond is read."""
        start = len(self.magic) + _LENGTH_BYTES
        front = source.read(0, start)
        if not front.startswith(self.magic):
            raise self.cut() if front and self.magic.startswith(front) else self._other()
        length = int.from_bytes(front[len(self.magic) :], "little")
        if len(front) == start and length > _LONGEST_HEADER:
            raise UnreadableFile(
                f"the header of the {self.named} is longer than any header", way_out="Ask for the file again."
            )
        opening = source.read(0, start + length)
        if len(front) < start or len(opening) < start + length:
            raise self.cut()
        return opening[start:], opening

    def cut(self) -> UnreadableFile:
        """Return the refusal of a file of the wrong length."""
        return UnreadableFile(
            f"the {self.named} ends too early or too late: it was cut off, or something was added",
            way_out="Copy it again.",
        )

    def damaged(self) -> UnreadableFile:
        """Return the refusal of a header that nobody wrote."""
        return UnreadableFile(f"the header of the {self.named} is damaged", way_out="Ask for the file again.")

    def _other(self) -> UnreadableFile:
        return UnreadableFile(f"this is not a Sfumato {self.named}", way_out=self.made_by)
