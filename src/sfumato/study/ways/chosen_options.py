"""Cells that name any number of options, such as `bus;train`: read as sets, and written again."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import numpy as np

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.toml_tables import toml_value
from sfumato.files.words import Words
from sfumato.study.ways.answers import SymbolArray
from sfumato.study.ways.cell_cures import answer_cure
from sfumato.study.ways.cells import Aliases
from sfumato.study.wording import check_line

LONGEST_SEPARATOR = 3
_USUAL = (";", ",", "|", "/", "+", "&")
_UNKNOWN = -1
_FEW = 4096


def check_separator(separator: str, options: tuple[str, ...], aliases: Aliases) -> None:
    """Refuse what cannot stand between options."""
    check_line("separator", separator, most=LONGEST_SEPARATOR)
    texts = [*options, *(text for _, several in aliases for text in several)]
    if any(separator in text for text in texts):
        raise InvalidParameter(
            "stands inside an option, so that a cell could be read in two ways",
            parameter="separator",
            value=separator,
            way_out="Choose another one, or write the option without it.",
        )


def check_none(none: str | None, options: tuple[str, ...], separator: str, aliases: Aliases) -> None:
    """Refuse a word for "none of them" that means something else."""
    if not none:  # an empty cell is nothing else
        return
    meant = {*options, *(text for _, several in aliases for text in several)}
    if none in meant or separator in none:
        raise InvalidParameter(
            "is an option, or holds what stands between options",
            parameter="none",
            value=none,
            way_out="Write what a cell says where no option was chosen.",
        )


def chosen_sets(
    name: str, column: Words, options: tuple[str, ...], separator: str, none: str | None, aliases: Aliases
) -> SymbolArray:
    """Return the options that each cell names, as the bits of a number."""
    look_up = _sets if len(column.texts) <= _FEW else _sets.__wrapped__
    sets = np.array(look_up(column.texts, options, separator, none, aliases), dtype=np.int64)
    found: SymbolArray = sets[column.codes] if len(column) else column.codes
    outside = np.flatnonzero(found == _UNKNOWN)
    if outside.size:
        texts = [column.texts[code] for code in np.unique(column.codes[outside])]
        shown = ", ".join(map(repr, options[:8])) + (", …" if len(options) > 8 else "")
        raise UnreadableFile(
            f"column {name}, row {column.row(outside[0])} holds something else than options of the study ({shown}) "
            f"with {separator!r} between them; {column.among(outside.size)} are like this",
            way_out=_cure(texts, options, separator, none, aliases),
        )
    return found


def set_of(text: str, options: tuple[str, ...], separator: str, none: str | None, aliases: Aliases) -> int | None:
    """Return the options that a text names; None where it names something else."""
    (found,) = _sets.__wrapped__((text,), options, separator, none, aliases)
    return None if found == _UNKNOWN else found


def set_text(chosen: int, options: tuple[str, ...], separator: str, none: str | None) -> str:
    """Write a set of options as a cell has it."""
    return separator.join(option for i, option in enumerate(options) if chosen >> i & 1) or none or ""


@functools.lru_cache(maxsize=4)
def _sets(
    texts: tuple[str, ...], options: tuple[str, ...], separator: str, none: str | None, aliases: Aliases
) -> tuple[int, ...]:
    bit = {option: 1 << i for i, option in enumerate(options)}
    bit |= {text: bit[option] for option, several in aliases for text in several}

    def read(text: str) -> int:
        if text == none:
            return 0
        # Forms often end a cell with what stands between options.
        parts = [part for part in map(str.strip, text.split(separator)) if part]
        if not parts and none == "":
            return 0
        if not parts or any(part not in bit for part in parts):
            return _UNKNOWN
        return functools.reduce(int.__or__, (bit[part] for part in parts))

    return tuple(map(read, texts))


def _cure(texts: Iterable[str], options: tuple[str, ...], separator: str, none: str | None, aliases: Aliases) -> str:
    """Say what to do about cells; the cure is chosen by how they are written, and never repeats one."""
    held = tuple(texts)
    for other in _USUAL:
        if other != separator and not any(other in option for option in options):
            found = _sets.__wrapped__(held, options, other, none, aliases)
            if any(one != _UNKNOWN for one in found):
                return f"If {other!r} stands between options, say so in the study: separator = {toml_value(other)}."
    known = {*options, *(text for _, several in aliases for text in several)}
    parts = {part for text in held for part in map(str.strip, text.split(separator)) if part and part not in known}
    said = "" if none is not None else " If it says that no option was chosen, say so with `none`."
    return answer_cure(sorted(parts), options) + said
