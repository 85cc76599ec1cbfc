"""The ways of asking, one module each, and the table that maps the kinds of a study file to them.

A new kind is a module with a `Question` and its `Way`, and one line here.
"""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.study.ways.base import Way
from sfumato.study.ways.card import Card
from sfumato.study.ways.counts import Count
from sfumato.study.ways.dictionaries import Dictionary, InFile, remember_dictionary
from sfumato.study.ways.drawing import Draw, Drawer
from sfumato.study.ways.estimates import Picture, Quantity, QuestionEstimate, Reading, Truth, Unit
from sfumato.study.ways.goals import Goal
from sfumato.study.ways.hunt import FreeText
from sfumato.study.ways.keys import check_table
from sfumato.study.ways.large_lists import LargeList
from sfumato.study.ways.listed_card import ListedCard
from sfumato.study.ways.listed_questions import OneOfMany, YesNo
from sfumato.study.ways.no_answer import NO_ANSWER, NO_ANSWER_KEYS, AskIf, Missing
from sfumato.study.ways.numbers import BoundedNumber
from sfumato.study.ways.ordered import Ordered
from sfumato.study.ways.plans import QuestionPlan
from sfumato.study.ways.question import Question
from sfumato.study.ways.several_questions import Several
from sfumato.study.ways.told import Recoverable

HEADING = ("id", "text", "kind")
"""What every question has in a file."""

# Where several classes share a kind, the first whose keys are there is meant; the last takes the rest.
_KINDS: dict[str, tuple[type[Question], ...]] = {}


def register(*questions: type[Question]) -> None:
    """Add a kind of question; classes that share a kind are given together."""
    if _KINDS.get(questions[0].KIND, questions) != questions:
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
    return dict(_KINDS)


def read_question(table: dict[str, object], folder: Path | None = None, *, at_once: bool = True) -> Question:
    """Return the question of a table in a study file; files that it names are found from a folder.

    They are read `at_once`, or where the study stands in a note, when somebody asks for what they hold.
    """
    from sfumato.study.ways.keys import as_text  # noqa: PLC0415  beside what it reads

    named = ", ".join(map(repr, _KINDS))
    if "kind" not in table:
        raise InvalidParameter("a question needs a kind", way_out=f"Write kind = one of {named}.")
    kind = as_text(table["kind"], "kind")
    if kind not in _KINDS:
        raise InvalidParameter(f"is none of {named}", parameter="kind", way_out="Write one of these.")
    given = frozenset(table)
    classes = _KINDS[kind]
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


register(Card, YesNo)
register(ListedCard, OneOfMany)
register(Several)
register(Ordered)
register(BoundedNumber)
register(Count)
register(LargeList)
register(FreeText)
register(Recoverable)

__all__ = [
    "NO_ANSWER",
    "AskIf",
    "BoundedNumber",
    "Card",
    "Count",
    "Dictionary",
    "Draw",
    "Drawer",
    "FreeText",
    "Goal",
    "LargeList",
    "ListedCard",
    "Missing",
    "OneOfMany",
    "Ordered",
    "Picture",
    "Quantity",
    "Question",
    "QuestionEstimate",
    "QuestionPlan",
    "Reading",
    "Recoverable",
    "Several",
    "Truth",
    "Unit",
    "Way",
    "YesNo",
    "kinds",
    "read_question",
    "register",
    "remember_dictionary",
    "unregister",
]
