"""What is the machine's trouble and not the program's: a full disk or memory, a medium that may only be read."""

from __future__ import annotations

# Libraries are loaded when they are needed, and whoever loads them says only in words that there was no memory for one.
_STARVED = ("failed to map segment", "annot allocate memory", "can't start new thread", "unable to allocate")


def machine_trouble(error: Exception) -> str | None:
    """Say what the machine lacks; None where an error is about something else. No file is named by it."""
    starved = isinstance(error, ImportError | OSError | RuntimeError) and any(words in str(error) for words in _STARVED)
    if isinstance(error, MemoryError) or starved:
        return "memory is full"
    return error.strerror or "it refused" if isinstance(error, OSError) else None
