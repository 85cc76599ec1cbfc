"""The table of question kinds."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.study.cells import NO_ANSWER_KEYS
from sfumato.study.fields import as_text, check_table
from sfumato.study.kinds.dictionaries import InFile
from sfumato.study.question import Question

HEADING = ("id", "text", "kind")
"""What every question has in a file."""

# Where several classes share a kind, the first whose keys are present is used, else the last. An entry may be the name
# of a class, which is imported when its kind is used.
_KINDS: dict[str, tuple[type[Question] | str, ...]] = {
    "yes-no": ("card.Card", "single_choice.YesNo"),
    "one-of-many": ("listed_card.ListedCard", "single_choice.OneOfMany"),
    "several": ("several.Several",),
    "ordered": ("ordered.Ordered",),
    "number": ("number.BoundedNumber",),
    "count": ("number.Count",),
    "large-list": ("large_list.LargeList",),
    "text": ("text.FreeText",),
    "recoverable": ("recoverable.Recoverable",),
}


def register(*questions: type[Question]) -> None:
    """Add a kind of question; classes that share a kind are given together.

    A kind is a class of `Question` with a `KIND` of its own, whose `handler` says how it is asked.

    Raises:
        InvalidParameter: the kind is registered already, with other classes.

    >>> import sfumato as sf
    >>> from sfumato.study.kinds.registry import unregister
    >>> class Season(sf.OneOfMany):
    ...     KIND = "season"
    ...
    >>> sf.study.register(Season)  # study files may now say kind = "season"
    >>> Season(id="born", text="When were you born?", answers=("spring", "summer", "autumn", "winter")).kind
    'season'
    >>> unregister(Season)
    """
    if questions[0].KIND in _KINDS and _classes(questions[0].KIND) != questions:
        raise InvalidParameter(
            "is registered already, and studies that were published with it would be read as others",
            parameter="kind",
            value=questions[0].KIND,
            way_out="Name the new kind otherwise.",
        )
    _KINDS[questions[0].KIND] = questions


def unregister(*questions: type[Question]) -> None:
    """Forget a kind again."""
    _KINDS.pop(questions[0].KIND, None)


def kinds() -> dict[str, tuple[type[Question], ...]]:
    """Return the classes of each kind."""
    return {kind: _classes(kind) for kind in _KINDS}


def _classes(kind: str) -> tuple[type[Question], ...]:
    found = tuple(map(_class_of, _KINDS[kind]))
    _KINDS[kind] = found
    return found


def _class_of(one: type[Question] | str) -> type[Question]:
    if not isinstance(one, str):
        return one
    module, _, name = one.partition(".")
    found: type[Question] = getattr(import_module(f"sfumato.study.kinds.{module}"), name)
    return found


def _classes_for(kind: str, given: frozenset[str]) -> tuple[type[Question], ...]:
    """Return the classes that may be meant: the last alone where it knows all keys: none marks another."""
    last = _class_of(_KINDS[kind][-1])
    known = {*HEADING, *(key.name for key in (*last.KEYS, *NO_ANSWER_KEYS))}
    return (last,) if given <= known else _classes(kind)


def read_question(table: dict[str, object], folder: Path | None = None, *, at_once: bool = True) -> Question:
    """Return the question of a table in a study file; files that it names are found from a folder.

    They are read `at_once`, or on first use where the study is in a note.
    """
    named = ", ".join(map(repr, _KINDS))
    if "kind" not in table:
        raise InvalidParameter("a question needs a kind", way_out=f"Write kind = one of {named}.")
    kind = as_text(table["kind"], "kind")
    if kind not in _KINDS:
        raise InvalidParameter(f"is none of {named}", parameter="kind", way_out="Write one of these.")
    given = frozenset(table)
    classes = _classes_for(kind, given)
    meant = next((one for one in classes if one.is_meant(given)), classes[-1])
    shared = {key.name: key for key in NO_ANSWER_KEYS}
    known = (*HEADING, *dict.fromkeys(key.name for one in classes for key in one.KEYS), *shared)
    check_table(table, f"a question of kind {kind!r}", known, ("id", "text"))
    keys = {key.name: key for one in reversed(classes) for key in one.KEYS} | {key.name: key for key in meant.KEYS}
    gaps = {name: shared[name].read(table[name], name) for name in shared if name in table}
    entries = {
        name: keys[name].read(value, name) for name, value in table.items() if name not in HEADING and name not in gaps
    }
    for name, value in entries.items():
        if keys[name].is_path:
            entries[name] = InFile((folder or Path()) / value, at_once)
    for key in meant.KEYS:
        if key.is_needed and key.name not in entries:
            raise InvalidParameter(f"a question of kind {kind!r} needs {key.name}", way_out="Add it.")
    strange = [name for name in entries if name not in {key.name for key in meant.KEYS}]
    if strange:
        own = {key.name for key in meant.KEYS} - {key.name for one in classes if one is not meant for key in one.KEYS}
        beside = next((name for name in entries if name in own), "kind")
        raise InvalidParameter(
            f"does not go with `{beside}`, which asks in another way",
            parameter=strange[0],
            way_out="Delete one of the two.",
        )
    heading = {name: as_text(table[name], name) for name in ("id", "text")}
    return meant.from_entries({**heading, **entries, **gaps})
