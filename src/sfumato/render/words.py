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


def interval_words(interval: Interval) -> str:
    """Write an interval in percent, rounded outwards."""
    low = math.floor(interval.lower * 1000 + 1e-9) / 10
    high = math.ceil(interval.upper * 1000 - 1e-9) / 10
    return f"{low:.1f} – {high:.1f} %"


def epsilon_text(value: float) -> str:
    """Show an ε, rounded up."""
    return "∞" if math.isinf(value) else f"{math.ceil(value * 1000 - 1e-9) / 1000:g}"


def counted(number: int, noun: str) -> str:
    """Say one question, 2 questions."""
    return f"one {noun}" if number == 1 else f"{number:,} {noun}s"
