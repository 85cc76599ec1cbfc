"""Checks of what figures and tables are given, where no function behind them has a sentence of its own."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.errors import InvalidParameter
from sfumato.values.checks import Number


def check_inside(name: str, values: Iterable[Number], low: Number, high: Number) -> None:
    """Refuse a number that does not lie strictly between two others."""
    for value in values:
        if not low < value < high:
            raise InvalidParameter(
                f"must lie strictly between {low} and {high}",
                parameter=name,
                value=value,
                way_out=f"Move `{name}` into that range.",
            )


def check_whole(name: str, values: Iterable[int], least: int, most: int) -> None:
    """Refuse a count that is too small to mean anything, or too large to wait for."""
    for value in values:
        if not least <= value <= most:
            raise InvalidParameter(
                f"must lie in [{least}, {most}]", parameter=name, value=value, way_out=f"Move `{name}` into that range."
            )
