"""How many rows are read, drawn, coded and written at a time.

Large enough that nothing is lost by going step by step, small enough for any memory. Whole blocks of rows, so that
seeds and digests of blocks are never cut; a key file of true draws is coded and sealed in segments of as many rows, so
this number is part of its format (docs/reference/files.md).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools

CHUNK_ROWS = 1 << 18
# GNU's names of what is set: from which size on memory is mapped by itself, and how much is kept when it is free.
_MAP_FROM, _TRIM_FROM = -3, -1
_KEPT_BYTES = 1 << 26


@functools.cache
def keep_memory() -> None:
    """Ask the C library to keep what arrays of a chunk took, for those of the next; once in a process, where it can.

    Else it hands megabytes back to the system after each chunk and has them mapped anew, page by page: a sixth of the
    time that publishing takes.
    """
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        if hasattr(library, "gnu_get_libc_version"):  # the numbers are those of GNU's library
            library.mallopt(_MAP_FROM, _KEPT_BYTES)
            library.mallopt(_TRIM_FROM, _KEPT_BYTES)
