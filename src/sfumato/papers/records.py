"""What a paper becomes here: figures and tables to redraw, and errata that can be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from sfumato.errors import ClaimRefused

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Fractions are exact and shown as such; floats are rounded where they are shown.
Cell = str | Fraction | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with what the print says and what comes out; `rows` hold one cell for each of `columns`."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """Where the print is wrong. `check` runs the counter-example and raises unless it shows what it says."""

    where: str
    printed: str
    correct: str
    counter_example: str
    check: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper by its key in docs/references.bib; figures and tables are made when they are called for."""

    key: str
    title: str
    figures: Mapping[str, Callable[[], Figure]]
    tables: Mapping[str, Callable[[], Table]]
    errata: tuple[Erratum, ...]

    def __post_init__(self) -> None:
        for name in ("figures", "tables"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))


def must_show(what: str, *, holds: bool) -> None:
    """Raise unless a counter-example shows what it says."""
    if not holds:
        raise ClaimRefused(f"the counter-example does not show that {what}. The print may be right after all.")
