"""Which picture suits the shares of a question."""

from __future__ import annotations

from enum import StrEnum


class Picture(StrEnum):
    """What suits the shares of a question: marks, steps of a scale, a curve over numbers, or a bar for each option."""

    ANSWERS = "answers"
    ORDERED = "ordered"
    NUMBERS = "numbers"
    OPTIONS = "options"
