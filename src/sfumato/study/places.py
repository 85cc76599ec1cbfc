"""What in a study an error is about: table and key, from which a reader of the file finds the line."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping

from sfumato.errors import InvalidInput, Place, UnreadableFile
from sfumato.files.texts import short
from sfumato.study.questions import Question
from sfumato.study.studies import Analyst

# The first word of a sentence, where it is not the key.
_ALIASES = {"question": "text"}


def check_table(table: Mapping[str, object], what: str, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    """Refuse unknown keys and missing ones by name."""
    for key in table:
        if key not in known:
            error = UnreadableFile(
                f"{what} has the key {short(key)}, which is not known. Use only: {', '.join(known)}."
            )
            error.key = key  # type: ignore[attr-defined]
            raise error
    for key in needed:
        if key not in table:
            raise UnreadableFile(f"{what} lacks the key {key}. Add it.")


def at(error: InvalidInput, table: str, index: int, key: str | None) -> InvalidInput:
    """Let an error know what it is about; the table "" is the study itself."""
    error.place = Place(table=table, index=index, key=key)
    return error


@contextlib.contextmanager
def about(table: str, index: int, keys: Iterable[str]) -> Iterator[None]:
    """Let an error know the table that it is about, and the key if its sentence begins with one."""
    try:
        yield
    except InvalidInput as error:
        word = _ALIASES.get(str(error).split(" ", 1)[0], str(error))
        key = getattr(error, "key", None) or next((k for k in keys if re.match(rf"{re.escape(k)}\b", word)), None)
        raise at(error, table, index, key) from None


def place_in_study(
    message: str, questions: tuple[Question, ...], analysts: tuple[Analyst, ...]
) -> tuple[str, int, str | None]:
    """Find what a refusal of the study as a whole is about."""
    named: dict[tuple[str, str], tuple[str, int, str | None]] = {
        ("question", q.id): ("questions", i, None) for i, q in enumerate(questions)
    }
    named |= {("analyst", a.name): ("analysts", i, "epsilon") for i, a in enumerate(analysts)}
    for (what, name), place in named.items():
        if message.startswith(f"{what} {name!r} "):
            return place
    if message.startswith("ledger "):
        return "budget", 0, "ledger"
    if message.startswith("protect "):
        return "disclosure", 0, "protect"
    if message.startswith("two questions"):
        return "questions", _second([question.id.lower() for question in questions]), "id"
    if message.startswith("two analysts"):
        return "analysts", _second([analyst.name.lower() for analyst in analysts]), "name"
    if message.startswith("public epsilon"):
        return "public", 0, "epsilon"
    if message.startswith("a study with analysts"):
        return "analysts", 0, None
    return "", 0, re.split(r"\W", message, maxsplit=1)[0]


def _second(names: list[str]) -> int:
    return next(i for i, name in enumerate(names) if name in names[:i])
