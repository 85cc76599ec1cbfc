"""Readers with a fault each, to see that the engine finds it."""

import os
import time
from pathlib import Path

from fuzz.processes import Target
from sfumato.errors import UnreadableFile


def _breaks(fault):
    """A reader that refuses everything properly, but for one damaged file in three."""

    def read(path):
        data = Path(path).read_bytes()
        if data != b"original":
            if sum(data) % 3 == 0:
                fault()
            raise UnreadableFile("the file is damaged", way_out="Copy it again.")

    return read


def _recurse():
    _recurse()


def _grow():
    held = bytearray(700 << 20)
    held[:: 1 << 12] = b"\1" * (len(held) >> 12)
    raise UnreadableFile("the file is damaged", way_out="Copy it again.")


def _spin():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        pass


def _hang():
    while True:
        pass


def _clear_the_screen():
    error = UnreadableFile("the file is damaged")
    error.sentence = lambda *_: "\x1b[2J"
    raise error


FAULTS = {
    "raises": lambda: {}["nothing"],
    "recurses": _recurse,
    "warns": lambda: __import__("warnings").warn("odd", RuntimeWarning, stacklevel=2),
    "grows": _grow,
    "spins": _spin,
    "hangs": _hang,
    "aborts": os.abort,
    "clears the screen": _clear_the_screen,
}
EXPECTED = {"grows": "memory", "spins": "slow", "hangs": "died", "aborts": "died"}

TARGETS = tuple(
    Target(name=name, suffix=".bin", seeds=lambda: (b"original",), read=_breaks(fault))
    for name, fault in {**FAULTS, "sound": lambda: None}.items()
)
