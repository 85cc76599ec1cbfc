"""What a page needs of one question: how it is asked, how its report is drawn on the device, and what that tells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPart:
    """The part of a form that one question has, in texts, whole numbers and fractions as text.

    `asks` says what a page shows and how what is chosen or typed becomes a symbol, `draw` how the symbol becomes a
    report. `odds` says level by level, the public one last, how much a report favours one answer over another at the
    most; None is without limit.
    """

    asks: Mapping[str, Any]
    draw: Mapping[str, Any]
    odds: tuple[Fraction | None, ...]


class OnDevice(ABC):
    """A question as a page asks it."""

    @abstractmethod
    def form(self) -> FormPart:
        """Return its part of a form; refuses where one person cannot be asked alone."""
