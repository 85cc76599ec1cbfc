"""Figures and tables at other values than the paper's: what can be set, and how a setting is read.

Every figure and table is a function whose keyword parameters have the paper's values as defaults. A setting is one of
those names with a text; it is read as what the default is: a whole number, an exact number, a float, or several of them
with commas between. Whether the function can work with it, the function says.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sfumato.errors import InvalidParameter, SfumatoError
from sfumato.files.numbers import parse_given
from sfumato.papers.records import Entry, Paper

# The letters that entries have, by the names that parameters have.
_NAMES = {
    "α": "alpha",
    "δ": "delta",
    "ε": "epsilon",
    "ε₂": "second",
    "λ": "rate",
    "ρ": "rho",
    "R": "random_bits",
    "T²/N": "ratio",
    "P(1)": "surprise",
    "k": "size",
}


def parameters_of(make: Callable[..., Any]) -> dict[str, Any]:
    """Return what a figure or a table takes, with the paper's values.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> {place: sf.papers.parameters_of(make) for place, make in paper.tables.items()}
    {'table-1': {'delta': Fraction(1, 4), 'theta': Fraction(1, 10), 'eta': Fraction(1, 2)}}
    """
    found = inspect.signature(make).parameters.values()
    return {one.name: one.default for one in found if one.kind is inspect.Parameter.KEYWORD_ONLY}


def name_of(entry: Entry) -> str:
    """By what name the parameter of an entry is set."""
    return _NAMES.get(entry.parameter, entry.parameter)


def places_of(paper: Paper) -> dict[str, list[str]]:
    """Return every name that can be set, with the figures, tables and entries that it changes.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> sf.papers.places_of(paper)["delta"]
    ['table-1', 'figure-2', 'figure-3', 'figure-4', 'Section II']
    """
    found: dict[str, list[str]] = {}
    for place, make in (*paper.tables.items(), *paper.figures.items()):
        for name in parameters_of(make):
            found.setdefault(name, []).append(place)
    for entry in paper.entries:
        places = found.setdefault(name_of(entry), [])
        if entry.place not in places:
            places.append(entry.place)
    return dict(sorted(found.items()))


def read_settings(given: Iterable[str]) -> dict[str, str]:
    """Read NAME=VALUE texts; a name may stand once.

    Raises:
        InvalidParameter: a text is no NAME=VALUE, or a name stands twice.

    >>> import sfumato as sf
    >>> sf.papers.read_settings(["epsilon=2", "rho = 0.9"])
    {'epsilon': '2', 'rho': '0.9'}
    """
    found: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        name, value = name.strip(), value.strip()
        if not (name and sign and value):
            raise InvalidParameter(
                "must be a name and a value with = between", parameter="set", value=text, way_out="Try epsilon=2."
            )
        if name in found:
            raise InvalidParameter(f"sets {name} twice", parameter="set", value=text, way_out="Set it once.")
        found[name] = value
    return found


def paper_at(paper: Paper, settings: Mapping[str, str]) -> Paper:
    """Return the paper with every figure, table and entry that knows a setting worked out there.

    Raises:
        InvalidParameter: a name is none of `places_of`, or a text is no such value.

    >>> import sfumato as sf
    >>> paper = sf.papers.paper_named("randomized-responses")
    >>> moved = sf.papers.paper_at(paper, {"delta": "1/3"})
    >>> [str(one.entries[0].value) for one in (paper, moved)], moved.entries[0].judge().agrees  # right at 1/3
    (['1/4', '1/3'], True)
    """
    known = places_of(paper)
    for name in settings:
        if name not in known:
            names = "; ".join(f"{one} ({', '.join(places)})" for one, places in known.items())
            raise InvalidParameter(
                f"names no parameter of {paper.title}", parameter="set", value=name, way_out=f"There are {names}."
            )
    return replace(
        paper,
        figures={place: _set(make, settings) for place, make in paper.figures.items()},
        tables={place: _set(make, settings) for place, make in paper.tables.items()},
        entries=tuple(_moved(entry, settings) for entry in paper.entries),
    )


def read_value(name: str, text: str, default: Any) -> Any:
    """Read a text as the kind of value that stands there now."""
    parts = [part.strip() for part in text.split(",")]
    if isinstance(default, tuple):
        return tuple(_read_one(name, part, default[0]) for part in parts)
    if len(parts) > 1:
        raise InvalidParameter("takes one value", parameter=name, value=text, way_out="Leave out the commas.")
    return _read_one(name, text, default)


def _read_one(name: str, text: str, default: Any) -> Any:
    number = parse_given(text, name)
    if isinstance(default, int):
        if number.denominator != 1:
            raise InvalidParameter("must be a whole number", parameter=name, value=text, way_out="Round it.")
        return int(number)
    return number if isinstance(default, Fraction) else float(number)


def _set(make: Callable[..., Any], settings: Mapping[str, str]) -> Callable[..., Any]:
    own = {name: read_value(name, settings[name], was) for name, was in parameters_of(make).items() if name in settings}
    if not own:
        return make

    @functools.wraps(make)
    def made() -> Any:
        return _worked_out(lambda: make(**own), own)

    return made


def _moved(entry: Entry, settings: Mapping[str, str]) -> Entry:
    name = name_of(entry)
    if name not in settings:
        return entry
    printed, value = entry.printed, read_value(name, settings[name], entry.value)
    return replace(
        entry,
        value=value,
        ours=lambda given: _worked_out(lambda: entry.ours(given), {name: given}),
        printed=None if printed is None else lambda given: _worked_out(lambda: printed(given), {name: given}),
    )


def _worked_out(make: Callable[[], Any], given: Mapping[str, Any]) -> Any:
    """Make it; where nobody has a sentence for what goes wrong, say which settings it was."""
    try:
        return make()
    except SfumatoError:
        raise
    except (ArithmeticError, ValueError, LookupError) as error:
        said = ", ".join(f"{name}={value}" for name, value in given.items())
        raise InvalidParameter(
            "takes a formula of the paper to where it has no value",
            parameter="set",
            value=said,
            way_out="Stay nearer to the paper's own values.",
        ) from error
