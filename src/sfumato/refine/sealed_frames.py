"""The frame of every sealed file: a magic line, the length of the header, the header, and what is sealed.

======================  ==============================================================================
the magic               a line of its own that says what the file is
4 bytes                 the length of the header, little-endian
the header              JSON in one spelling, sorted and without blanks
the rest                the sealed body
======================  ==============================================================================

Format: docs/reference/files.md
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import UnreadableFile

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
        return self.magic + len(header).to_bytes(4, "little") + header

    def take_apart(self, data: bytes) -> tuple[bytes, bytes, bytes]:
        """Header, everything up to the sealed body, and that body."""
        if not data.startswith(self.magic):
            raise self.cut() if data and self.magic.startswith(data) else self._other()
        start = len(self.magic) + 4
        length = int.from_bytes(data[len(self.magic) : start], "little")
        if len(data) >= start and length > _LONGEST_HEADER:
            raise UnreadableFile(
                f"the header of the {self.named} is longer than any header", way_out="Ask for the file again."
            )
        if len(data) < start + length:
            raise self.cut()
        return data[start : start + length], data[: start + length], data[start + length :]

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
