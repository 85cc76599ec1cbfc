"""The pages of the reference about the library: a page a room, a section an object.

A section has how the object is called, what its docstring says, its parameters in a table, what it returns and raises,
its example, its methods, and where its theory is. What a parameter is stands in the docstring (`Parameters:`), or,
for names that mean the same everywhere, once in docs/reference/vocabulary.toml, or, for names that mean the same in
one room, in docs/reference/vocabulary/ROOM.toml.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import textwrap
import tomllib
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import sfumato

ROOT = Path(__file__).resolve().parents[1]
VOCABULARY = ROOT / "docs" / "reference" / "vocabulary.toml"
ROOM_WORDS = ROOT / "docs" / "reference" / "vocabulary"
MADE = "<!-- Made by tools/write-reference. Do not edit: change the docstring and run it again. -->"
WIDTH = 118
# Pages for modules whose docstrings name none.
PAGES = {
    "sfumato.bits.coins": "sampling",
    "sfumato.bits.economical": "sampling",
    "sfumato.bits.samplers": "sampling",
    "sfumato.design.cards": "survey",
    "sfumato.design.classics": "survey",
    "sfumato.design.limits": "survey",
    "sfumato.design.optimality": "survey",
    "sfumato.infer.covariances": "binary_hadamard",
    "sfumato.infer.intervals": "intervals",
    "sfumato.infer.planning": "intervals",
    "sfumato.infer.share_model": "survey",
    "sfumato.infer.shares": "intervals",
    "sfumato.infer.testing": "survey",
    "sfumato.measures.chernoff": "divergences",
    "sfumato.measures.distances": "divergences",
    "sfumato.measures.divergences": "divergences",
    "sfumato.measures.exposing": "recovery",
    "sfumato.measures.fisher": "fisher",
    "sfumato.measures.posteriors": "posteriors",
    "sfumato.measures.recovery": "recovery",
    "sfumato.refine.key_operations": "ladders",
}
SECTIONS = ("Parameters", "Returns", "Raises")


@dataclass
class Docstring:
    """A docstring in its parts: prose, parameters, what is returned and raised, examples."""

    prose: list[str] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: dict[str, str] = field(default_factory=dict)
    example: str = ""


# Pages


def rooms() -> list[str]:
    """Return the rooms that the façade offers."""
    return [name for name in sfumato.__all__ if inspect.ismodule(getattr(sfumato, name))]


def front() -> list[str]:
    """Return the names that the façade offers beside the rooms."""
    return [name for name in sfumato.__all__ if name not in rooms()]


def home_of(name: str) -> str:
    """Return the page that tells of a name of the façade: what you make, or what you call."""
    return "nouns" if inspect.isclass(getattr(sfumato, name)) else "verbs"


def front_page() -> str:
    """Return the first page: the names that are offered first, and the rooms."""
    table = ["| room | what is in it |", "|---|---|"]
    table += [f"| [`sf.{room}`](api/{room}.md) | {cell(_first(getattr(sfumato, room)))} |" for room in rooms()]
    parts = [
        "# The library `sfumato`",
        MADE,
        wrapped(
            "`import sfumato as sf` brings the names of the first two tables and the rooms, each loaded when it is "
            "first used. Words are in the [glossary](../glossary.md); what may change between versions is in the "
            "[policy](../policy.md)."
        ),
    ]
    for page, title in (("verbs", "## What you call"), ("nouns", "## What you make")):
        rows = [
            f"| [`sf.{name}`](api/{page}.md#{name.lower()}) | {cell(_first(getattr(sfumato, name)))} |"
            for name in front()
            if home_of(name) == page
        ]
        parts += [title, "\n".join(["| name | what it is |", "|---|---|", *rows])]
    return "\n\n".join([*parts, "## Rooms", "\n".join(table)]) + "\n"


def facade_page(page: str) -> str:
    """Return the page about the nouns or the verbs of the façade."""
    title = {"nouns": "# What you make", "verbs": "# What you call"}[page]
    what = {"nouns": "The classes", "verbs": "The functions"}[page]
    parts = [title, MADE, f"{what} that `import sfumato as sf` offers first. [All of the library](../api.md)."]
    for name in front():
        if home_of(name) == page:
            parts += _section(name, getattr(sfumato, name), up="../..")
    return "\n\n".join(parts) + "\n"


def room_page(room: str) -> str:
    """Return the page about a room."""
    module = getattr(sfumato, room)
    parts = [f"# sf.{room}", MADE, *(wrapped(block) for block in _room_prose(module))]
    names = public_names(module)
    for name in names:
        it = getattr(module, name)
        if name in front() and getattr(sfumato, name) is it:
            parts += [f"## {name}", f"{_first(it)} In full: [`sf.{name}`]({home_of(name)}.md#{name.lower()})."]
        else:
            parts += _section(name, it, up="../..")
    if not names:
        parts.append(wrapped("Nothing of it is called by users: `sf.publish` and its kin take `engine`."))
    return "\n\n".join(parts) + "\n"


def public_names(module: types.ModuleType) -> list[str]:
    """Return the public names: those that a room lists, or what a single file defines."""
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [name for name, it in vars(module).items() if getattr(it, "__module__", None) == module.__name__]
    return sorted(name for name in listed if not name.startswith("_"))


def _room_prose(module: types.ModuleType) -> list[str]:
    """The paragraphs of a docstring, without drawings."""
    blocks = (inspect.getdoc(module) or "").split("\n\n")
    return [plain(block) for block in blocks if block != "::" and not block.startswith(" ")]


# An object


def _section(name: str, it: Any, *, up: str) -> list[str]:
    it = inspect.unwrap(it)
    parts = [f"## {name}"]
    if not (inspect.isclass(it) or inspect.isfunction(it)):
        return [*parts, f"`{name}` {_value(it)} {vocabulary()['constants'][name]}"]
    said = docstring(it)
    if not (inspect.isclass(it) and _is_without_arguments(it)):
        parts.append(f"```python\n{name}{_signature(it)}\n```")
    parts += said.prose
    page = theory_of(it)
    if page:
        parts.append(f"[Theory]({up}/theory/{page}.md).")
    if inspect.isclass(it) and issubclass(it, enum.Enum):
        parts.append(f"One of {', '.join(f'`{member.name}`' for member in it)}.")
    table = _parameter_table(it, said)
    if table:
        parts.append(table)
    if said.returns or _gives(it):
        gives = f"`{_gives(it)}`" if _gives(it) else ""
        parts.append(f"**Returns** {gives}{': ' if gives and said.returns else ''}{said.returns}")
    if said.raises:
        parts.append("**Raises**\n\n" + "\n".join(f"- `{error}`: {why}" for error, why in said.raises.items()))
    if said.example:
        parts.append(f"**Example**\n\n```pycon\n{said.example}\n```")
    if inspect.isclass(it):
        methods = [f"- `.{method}{shown}`{f': {what}' if what else ''}" for method, shown, what in _methods(it)]
        if methods:
            parts.append("**Has**\n\n" + "\n".join(methods))
    return parts


def docstring(it: Any) -> Docstring:
    """Take a docstring apart; nothing of one where a dataclass only repeats its fields."""
    text = inspect.getdoc(it) or ""
    made = Docstring()
    if text.startswith(f"{getattr(it, '__name__', '')}(") and dataclasses.is_dataclass(it):
        return made
    examples = []
    for block in text.split("\n\n"):
        heading, _, body = block.partition("\n")
        if block.lstrip().startswith(">>>") or (examples and block.lstrip().startswith("...")):
            examples.append(textwrap.dedent(block))
        elif heading.removesuffix(":") in SECTIONS and heading.endswith(":"):
            _take_section(made, heading.removesuffix(":"), textwrap.dedent(body))
        elif block.startswith(" "):
            made.prose.append(f"```text\n{block}\n```")
        elif block != "::" and plain(block):
            made.prose.append("\n".join(_block(block)))
    made.example = "\n\n".join(examples)
    words = vocabulary()
    made.returns = made.returns or words["returns"].get(getattr(it, "__name__", ""), "")
    made.raises = made.raises or words["raises"].get(getattr(it, "__name__", ""), {})
    return made


def _block(block: str) -> list[str]:
    """Lists stay lists; the rest is one paragraph."""
    if re.match(r"[-*] ", block):
        items = re.split(r"\n(?=[-*] )", block)
        return [f"- {plain(item[2:])}" for item in items]
    return [wrapped(plain(block))]


def _take_section(made: Docstring, heading: str, body: str) -> None:
    if heading == "Returns":
        made.returns = plain(body)
        return
    where = made.parameters if heading == "Parameters" else made.raises
    for item in re.split(r"\n(?=\S)", body):
        name, _, what = item.partition(":")
        where[name.strip()] = plain(what)


def parameters_of(it: Any) -> list[inspect.Parameter]:
    """Return what a function or a constructor takes, without what is private."""
    if inspect.isclass(it) and _is_without_arguments(it):
        return []
    return [one for one in inspect.signature(it).parameters.values() if not one.name.startswith("_")]


@cache
def vocabulary() -> dict[str, Any]:
    """Return what parameters mean: by name for all, and under a name in `only` for one object."""
    return tomllib.loads(VOCABULARY.read_text(encoding="utf-8"))


@cache
def room_words(room: str) -> dict[str, Any]:
    """Return what parameters mean in one room: by name in `words`, and under a name in `only` for one object."""
    path = ROOM_WORDS / f"{room}.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {"words": {}, "only": {}} | found


def meaning(it: Any, parameter: inspect.Parameter, said: Docstring) -> str:
    """Return what a parameter is: by its docstring, for this object, in its room, or wherever the name is used."""
    words, name = vocabulary(), parameter.name
    told = said.parameters.get(name) or words["only"].get(it.__name__, {}).get(name, "")
    if told or it.__name__ in sfumato.__all__:
        return told or words["facade"].get(name, "")
    own = room_words(it.__module__.split(".")[1])
    told = own["only"].get(it.__name__, {}).get(name, "") or own["words"].get(name, "")
    if told or name in words["universal"]:
        return told or words["facade"][name]
    return words["facade"]["bits"] if "BitSource" in str(parameter.annotation) else ""


def _parameter_table(it: Any, said: Docstring) -> str:
    taken = parameters_of(it)
    if not taken:
        return ""
    rows = ["| parameter | type | default | what it is |", "|---|---|---|---|"]
    for one in taken:
        kind = "" if one.annotation is inspect.Parameter.empty else f"`{_annotation(one.annotation)}`"
        default = "" if one.default is inspect.Parameter.empty else f"`{_shown(one.default)}`"
        rows.append(f"| `{one.name}` | {cell(kind)} | {cell(default)} | {cell(meaning(it, one, said))} |")
    return "\n".join(rows)


def _gives(it: Any) -> str:
    if inspect.isclass(it):
        return ""
    gives = inspect.signature(it).return_annotation
    return "" if gives is inspect.Signature.empty else _annotation(gives)


def _is_without_arguments(it: type) -> bool:
    """Whether a constructor is nobody's business: errors, choices and protocols."""
    return issubclass(it, BaseException | enum.Enum) or getattr(it, "_is_protocol", False)


def _methods(it: type) -> Iterator[tuple[str, str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for base in it.__mro__:
        if not base.__module__.startswith("sfumato."):
            continue
        for name, member in vars(base).items():
            inner = inspect.unwrap(getattr(member, "__func__", member))
            if name.startswith("_") or name in found:
                continue
            if isinstance(member, property) or type(member).__name__ == "cached_property":
                found[name] = ("", _first(member))
            elif inspect.isfunction(inner):
                is_free = isinstance(member, staticmethod)
                found[name] = (_signature(inner, skip=0 if is_free else 1), _first(inner))
    for name in sorted(found):
        yield (name, *found[name])


def _signature(it: Any, skip: int = 0) -> str:
    signature = inspect.signature(it)
    taken = list(signature.parameters.values())[skip:]
    shown = [_parameter(p) for p in taken]
    kinds = [p.kind for p in taken]
    keyword = inspect.Parameter.KEYWORD_ONLY
    if keyword in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(keyword), "*")
    gives = signature.return_annotation
    returned = "" if inspect.isclass(it) or gives is inspect.Signature.empty else f" → {_annotation(gives)}"
    return f"({', '.join(shown)}){returned}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    text = stars + parameter.name
    if parameter.annotation is not inspect.Parameter.empty:
        text += f": {_annotation(parameter.annotation)}"
    if parameter.default is not inspect.Parameter.empty:
        text += f" = {_shown(parameter.default)}"
    return text


def _annotation(given: Any) -> str:
    text = given if isinstance(given, str) else inspect.formatannotation(given)
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=\w)", "", text).replace("'", "")


def _shown(value: object) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, Fraction):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str | tuple):
        return repr(value)
    return "…" if "factory" in repr(value) else f"{type(value).__name__}(…)"


def _value(it: Any) -> str:
    if isinstance(it, types.UnionType):
        # Newer NumPy names its arrays by their alias.
        names = [part.__name__.replace("NDArray", "ndarray") for part in typing.get_args(it)]
        return f"is `{' | '.join(names)}`."
    if isinstance(it, str):
        return f"is `{it!r}`."
    if isinstance(it, int):
        return f"is {it:,}.".replace(",", " ")
    if isinstance(it, Mapping):
        return f"holds {', '.join(f'`{key}`' for key in it)}."
    return f"is `{_annotation(it)}`." if typing.get_origin(it) else f"is a `{type(it).__name__}`."


def theory_of(it: Any) -> str | None:
    """Return the page of theory that a docstring, its module or the table names."""
    module = import_module(it.__module__)
    for text in (inspect.getdoc(it), module.__doc__):
        named = re.search(r"docs/theory/(\w+)\.md", text or "")
        if named:
            return named.group(1)
    return PAGES.get(it.__module__)


# Text


def _first(it: Any) -> str:
    """The first paragraph of a docstring on one line; nothing where a dataclass only repeats its fields."""
    text = inspect.getdoc(it) or ""
    if text.startswith(f"{getattr(it, '__name__', '')}(") and dataclasses.is_dataclass(it):
        return ""
    return plain(text.split("\n\n")[0])


def plain(text: str) -> str:
    """One line, with backticks only, without pointers to pages."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", " ".join(text.split()))
    return re.sub(r"\s*(Theory|Format): docs/\S+\.md\.?", "", text).replace("``", "`")


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", r"\|")


def wrapped(text: str) -> str:
    """Text in lines as long as those of other pages."""
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False)
