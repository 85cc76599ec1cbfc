"""Names of the levels of a ladder, by number or by reader.

A ladder has numbered levels only. The holder of its keys may name the readers; certificates then use these names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sfumato.errors import InvalidParameter

Readers = tuple[tuple[str, ...], ...]
"""The readers of each level but the public one, the sharpest first."""

_KEPT = ("public", "registrar")
_LONGEST_NAME = 100


class LevelWords(Protocol):
    """How sentences speak of levels."""

    def seen_reports(self, level: int) -> str:
        """Go on after "No report …"."""
        ...

    def seen(self, level: int) -> str:
        """Begin a sentence about what one level reveals."""
        ...

    def coalition(self, group: tuple[int, ...]) -> str:
        """Say that a coalition sees no more than the best of it, up to the number."""
        ...

    def key(self, level: int) -> str:
        """Go on after "A true key …"."""
        ...

    def recovering_key(self) -> str:
        """Name the key that gives answers back."""
        ...

    def note(self) -> str:
        """Say what the numbers of the levels mean."""
        ...

    def called(self, group: tuple[int, ...]) -> str:
        """Name a level or a coalition in a table; empty where its number does."""
        ...


def words_of_levels(depth: int, readers: Readers | None) -> LevelWords:
    """Return the words for a ladder of so many levels."""
    return Numbered(depth) if readers is None else Named(depth, readers)


def checked_readers(readers: Sequence[str | Sequence[str]], depth: int) -> Readers:
    """Return the readers of each level but the public one; a level with one reader may be given by the name alone."""
    if isinstance(readers, str) or len(readers) != depth - 1:
        raise InvalidParameter(
            f"must name those of each level but the public one, and there are {depth - 1}",
            parameter="readers",
            way_out="Give a name, or a list of names, for each, the sharpest first.",
        )
    found = tuple((level,) if isinstance(level, str) else tuple(level) for level in readers)
    names: list[Any] = [name for level in found for name in level]
    if not all(found) or not all(isinstance(name, str) and is_name(name) for name in names):
        raise InvalidParameter(
            f"must be one or more at each level, by letters, digits, - and _, of at most {_LONGEST_NAME} bytes, and "
            f"not 'registrar' or 'public'",
            parameter="readers",
            way_out="Name them as in a study.",
        )
    if len({name.lower() for name in names}) != len(names):
        raise InvalidParameter("has a name twice", parameter="readers", way_out="Name each reader once.")
    return found


def is_name(text: str) -> bool:
    """Whether a reader may be called so."""
    plain = text.replace("-", "").replace("_", "")
    return plain.isalnum() and text.lower() not in _KEPT and len(text.encode()) <= _LONGEST_NAME


@dataclass(frozen=True)
class Numbered:
    """Levels by their numbers, for a ladder without named readers."""

    depth: int

    def seen_reports(self, level: int) -> str:
        """Go on after "No report …"."""
        return f"of level {level}"

    def seen(self, level: int) -> str:
        """Begin a sentence about what one level reveals."""
        return f"Level {level}"

    def coalition(self, group: tuple[int, ...]) -> str:
        """Say that a coalition sees no more than the best of it."""
        best = group[0]
        if len(group) > 1:
            return f"Analysts {listed([str(level) for level in group])} together see no more than analyst {best} alone"
        who = "The public" if best == self.depth else f"Analyst {best}, who knows the public report too,"
        return f"{who} sees no more than level {best} tells"

    def key(self, level: int) -> str:
        """Go on after "A true key …"."""
        return f"of level {level}"

    def recovering_key(self) -> str:
        """Name the key that gives answers back."""
        return "the key of level 0"

    def note(self) -> str:
        """Say what the numbers of the levels mean."""
        return (
            f"Levels are numbered from the sharpest. Level {self.depth} is the public report, which everybody sees: "
            f"whoever holds the key of another level sees both."
        )

    def called(self, group: tuple[int, ...]) -> str:
        """Nothing: the numbers say it."""
        del group
        return ""


@dataclass(frozen=True)
class Named:
    """Levels by who reads them."""

    depth: int
    readers: Readers

    def _of(self, level: int) -> tuple[str, ...]:
        return ("the public",) if level == self.depth else self.readers[level - 1]

    def _see(self, level: int) -> str:
        several = self._of(level)
        return f"{listed(several)} {'see' if len(several) > 1 else 'sees'}"

    def seen_reports(self, level: int) -> str:
        """Go on after "No report …"."""
        return f"that {self._see(level)}"

    def seen(self, level: int) -> str:
        """Begin a sentence about what one level reveals."""
        return f"What {self._see(level)}"

    def coalition(self, group: tuple[int, ...]) -> str:
        """Say that a coalition sees no more than the best of it."""
        best = group[0]
        if len(group) > 1:
            everybody = [name for level in group for name in self._of(level)]
            return f"Together, {listed(everybody)} see no more than {listed(self._of(best), 'or')} alone"
        if best == self.depth:
            return "The public sees no more than its report tells"
        own = "its" if len(self._of(best)) == 1 else "their"
        return f"With the public report beside {own} own, {self._see(best)} no more than {own} own tells"

    def key(self, level: int) -> str:
        """Go on after "A true key …"."""
        return "of the registrar" if level == 0 else f"of {listed(self._of(level), 'or')}"

    def recovering_key(self) -> str:
        """Name the key that gives answers back."""
        return "the registrar's key"

    def note(self) -> str:
        """Say what the numbers of the levels mean."""
        named = "; ".join(f"{level} is {listed(self._of(level))}" for level in range(1, self.depth + 1))
        return (
            f"Levels are numbered from the sharpest: {named}. Everybody sees the public report: whoever holds a key "
            f"sees both."
        )

    def called(self, group: tuple[int, ...]) -> str:
        """Name a level or a coalition in a table."""
        if group == (0,):
            return "the registrar"
        return listed([name for level in group for name in self._of(level)])


def listed(names: Sequence[str], word: str = "and") -> str:
    """Join names as a sentence does."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
