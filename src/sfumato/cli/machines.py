"""What the machine lacks: told from a fault of the program by classes, and where a library has none, by its words."""

from __future__ import annotations

_STARVED = ("failed to map segment", "annot allocate memory", "can't start new thread", "unable to allocate")


def machine_trouble(error: Exception) -> str | None:
    """Say what the machine lacks, if it is not the program: a full disk or memory, a medium that may only be read."""
    # Libraries are loaded when they are needed; the loader says in words that it found no memory for one.
    starved = isinstance(error, ImportError | OSError | RuntimeError) and any(words in str(error) for words in _STARVED)
    if isinstance(error, MemoryError) or starved:
        return "memory is full"
    return error.strerror or "it refused" if isinstance(error, OSError) else None
