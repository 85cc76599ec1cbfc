"""Child processes for libraries that may crash on the files they read.

The child is a module of this package in a new process: it shares no memory with the parent, and its output is checked
as data. Requests are lines of JSON. Answers are frames: one letter, a length, and that many bytes. The child ends when
the parent does.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
import threading
import weakref
from typing import IO, Any, BinaryIO

from sfumato.errors import Place, UnreadableFile

PATIENCE_SECONDS = 120.0
"""How long an answer may take, whatever the size of the file."""
MEMORY_BYTES = 2**31
"""How much memory a child may take beyond what it has when it starts, where the system can bound it."""
_SLOWEST_BYTES = 2**20
"""A disk that reads less in a second is not waited for."""
_HEAD = struct.Struct(">cQ")
_MOST_BYTES = 2**31
_WAY_OUT = "Save it again with the program that made it, or write CSV."


class ReaderProcess:
    """A child that reads one file, from its first question until it is closed or forgotten."""

    def __init__(self, module: str, place: Place, *, seconds: float) -> None:
        self._place, self._seconds = place, seconds
        try:
            # -P: a module in the working folder is not imported in place of the library's.
            child = subprocess.Popen(  # noqa: S603  our own interpreter and module
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # Other pools of memory reserve far more addresses than they use, and those are what is bounded.
                env={**os.environ, "PYTHONPATH": _paths(), "ARROW_DEFAULT_MEMORY_POOL": "system"},
            )
        except OSError as error:
            raise UnreadableFile(
                f"the process that reads files of this kind cannot be started: {error.strerror}",
                way_out="Close other programs, or save the table as CSV.",
                place=place,
            ) from None
        self._child = child
        self.close = weakref.finalize(self, _end, child)

    def ask(self, question: dict[str, Any], held: bytes = b"") -> None:
        """Put a question, with bytes that belong to it."""
        # A child that is gone is noticed when it should answer.
        with contextlib.suppress(OSError):
            self._pipe("stdin").write(json.dumps(question).encode() + b"\n" + held)
            self._pipe("stdin").flush()

    def answer(self) -> tuple[bytes, bytes]:
        """Return the letter and the bytes of the next frame; a child that is too slow or has ended raises an error."""
        late = threading.Event()
        timer = threading.Timer(self._seconds, _give_up, (self._child, late))
        timer.daemon = True
        timer.start()
        try:
            stream = self._pipe("stdout")
            head = stream.read(_HEAD.size)
            kind, length = _HEAD.unpack(head) if len(head) == _HEAD.size else (b"", 0)
            body = stream.read(length) if kind and length <= _MOST_BYTES else b""
            if kind and len(body) == length:
                return kind, body
        finally:
            timer.cancel()
        self.close()
        if late.is_set():
            raise UnreadableFile(
                f"reading the file took longer than {self._seconds:.0f} s", way_out=_WAY_OUT, place=self._place
            )
        raise broken_down(self._place)

    def _pipe(self, name: str) -> IO[bytes]:
        pipe: IO[bytes] = getattr(self._child, name)
        return pipe


def broken_down(place: Place) -> UnreadableFile:
    """Return the refusal of a file whose reader ended, or said what makes no sense."""
    return UnreadableFile(
        "the file is damaged: the library that reads files of this kind broke down over it",
        way_out=_WAY_OUT,
        place=place,
    )


def write_frame(stream: BinaryIO, kind: bytes, body: bytes) -> None:
    """Answer with a frame; for a child."""
    stream.write(_HEAD.pack(kind, len(body)) + body)
    stream.flush()


def bound_resources(seconds: float, memory: int | None = None) -> None:
    """Bound the processor's time from now on, and the memory beyond what is taken, where the system can; for a child.

    The time is for a child whose parent was killed: nobody is left to end it.
    """
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  not on every system

        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        if memory is not None:
            most = _taken_bytes() + memory
            resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def seconds_for(size: int) -> float:
    """Return how long an answer about a file of this size may take."""
    return PATIENCE_SECONDS + size / _SLOWEST_BYTES


def _taken_bytes() -> int:
    """Return how much of its addresses this process uses; where that cannot be known, what is plenty."""
    try:
        with open("/proc/self/statm", encoding="ascii") as told:  # noqa: PTH123  no file of anybody's
            return int(told.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return MEMORY_BYTES


def _paths() -> str:
    """Return where modules are found here, for the child to find the same ones."""
    return os.pathsep.join(path or os.getcwd() for path in sys.path)  # noqa: PTH109  as Python itself does


def _give_up(child: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    child.kill()


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a child, however it is; nothing of it is left."""
    child.kill()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    child.wait()
