"""Text and numbers as people see them: nothing that moves a cursor, nothing read as Markdown, intervals outwards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from sfumato.printing import printable
from sfumato.values import Interval


def escaped(cell: str) -> str:
    """Keep text from being read as Markdown or HTML."""
    shown = printable(cell).replace("\\", "\\\\").replace("|", "\\|")
    return shown.replace("<", "&lt;")


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table as lines of Markdown."""
    lines = ["| " + " | ".join(map(escaped, header)) + " |", "|---" * len(header) + "|"]
    return lines + ["| " + " | ".join(map(escaped, row)) + " |" for row in rows]


def share_words(share: float, digits: int = 1) -> str:
    """Write a share in percent."""
    return f"{100 * share:.{digits}f} %"


def interval_words(interval: Interval, digits: int = 1) -> str:
    """Write an interval in percent, rounded outwards."""
    tens = 10**digits
    low = math.floor(interval.lower * 100 * tens + 1e-9) / tens
    high = math.ceil(interval.upper * 100 * tens - 1e-9) / tens
    return f"{low:.{digits}f} – {high:.{digits}f} %"


def digits_for(largest: float) -> int:
    """How many digits percents need behind the point when no share is larger than this."""
    return 1 if largest >= 0.1 else 2 if largest >= 0.01 else 3


def epsilon_text(value: float) -> str:
    """Show an ε, rounded up."""
    return "∞" if math.isinf(value) else f"{math.ceil(value * 1000 - 1e-9) / 1000:g}"


def counted(number: int, noun: str) -> str:
    """Say one question, 2 questions."""
    return f"one {noun}" if number == 1 else f"{number:,} {noun}s"
