"""The command's own words for errors: where the library names a parameter, the command names its option.

An error carries the parameter it is about and puts names in backticks; here `budget_bits` becomes --budget-bits where
the verb that runs has that option, and DATA where it has that argument. A name that the verb does not have stays.
What the command line itself gets wrong is said in the same way, in a sentence.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sfumato.cli.output import MEGABYTE
from sfumato.cli.parameters import must_be, parameters_of
from sfumato.errors import SfumatoError

# What a parameter of the library is called by a verb, if it has none of the same name. The first that it has is meant.
ALIASES: dict[str, tuple[str, ...]] = {
    "by": ("group",),
    "claimed_epsilon": ("epsilon",),
    "id": ("person", "id_column"),
    "ids": ("person",),
    "keys": ("key",),
    "limit_bytes": ("limit_mb",),
    "n": ("responses",),
    "passphrase": ("passphrase_file",),
    "questions": ("question",),
    "release_id": ("name",),
    "protection": ("passphrase_file",),
    "reports": ("samples",),
    "rows": ("row",),
    "rows_id": ("rows",),
    "seed": ("insecure_seed",),
    "theta": ("expected_share",),
    "unlock": ("allow_unprotected", "unprotected"),
}
# Options in another unit than the parameter.
_UNITS: dict[str, int] = {"limit_bytes": MEGABYTE}


def words_of(error: SfumatoError, command: Any, arguments: Sequence[str]) -> str:
    """Return the sentence of an error in the words of the verb that the arguments of the command name."""
    running = running_verb(command, arguments)
    verb, place = running.verb, error.place
    if place is not None and (place.line is not None or place.table or place.key is not None):
        return str(error)  # it is about a key or a line of a file, which has the same name there
    shown = copy.copy(error)
    if isinstance(error.value, int | float) and not isinstance(error.value, bool):
        shown.value = _as_typed(error.value / _UNITS.get(error.parameter or "", 1))
    name = naming_of(verb)
    if error.parameter == "path":
        # Which of several files is meant, the command line tells: the one that has this name there.
        word = _word_of_value(verb, running.rest, str(error.value))
        return shown.sentence(lambda parameter: word if parameter == "path" else name(parameter), joined=" ")
    return shown.sentence(name, joined=" ")


def naming_of(verb: Any) -> Callable[[str], str | None]:
    """Return what gives the word of a verb for a parameter of the library, or None where it has none."""
    words = {} if verb is None else {parameter.name: parameter.word for parameter in parameters_of(verb)}

    def name(parameter: str) -> str | None:
        return next((words[known] for known in (parameter, *ALIASES.get(parameter, ())) if known in words), None)

    return name


@dataclass(frozen=True, slots=True)
class Running:
    """The verb that the arguments of the command name, or the family of verbs where they name none of it."""

    path: str
    verb: Any
    rest: tuple[str, ...]


def running_verb(command: Any, arguments: Sequence[str]) -> Running:
    """Walk from the command to the verb that its arguments name; `rest` is what follows it."""
    path, number = "sfumato", 0
    while number < len(arguments) and hasattr(command, "commands"):
        word = arguments[number]
        if word in command.commands:
            path, command = f"{path} {word}", command.commands[word]
        elif not word.startswith("-"):  # an option before a verb takes no value, so it is passed over
            break
        number += 1
    return Running(path, command, tuple(arguments[number:]))


def _word_of_value(verb: Any, rest: Sequence[str], value: str) -> str | None:
    """Return the option or argument that has this value on the command line."""
    for parameter in parameters_of(verb):
        if not parameter.is_argument and _given([parameter.word, parameter.short], rest) == f" {value}":
            return parameter.word
    return next((p.word for p in parameters_of(verb) if p.is_argument and value in rest), None)


def _as_typed(value: float) -> float:
    """0.0 was typed as 0."""
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else value


def usage_words(error: Exception, command: Any, arguments: Sequence[str]) -> str:
    """Return a line about arguments that the verb cannot be called with."""
    running = running_verb(command, arguments)
    path, verb = running.path, running.verb
    parameter = getattr(error, "param", None)
    kind = type(error).__name__
    about = next((p for p in parameters_of(verb) if parameter is not None and p.name == parameter.name), None)
    help_line = f"See `{path} --help`."
    if kind == "NoSuchOption":
        wanted = str(getattr(error, "option_name", ""))
        meant = _meant(wanted, [p.word for p in parameters_of(verb)] if wanted.startswith("--") else [])
        return f"UsageError: {path} has no option {wanted}. {meant}{help_line}"
    if about is not None and kind == "MissingParameter":
        return f"UsageError: {path} needs {about.word if about.is_argument else about.usage}. {help_line}"
    if about is not None:
        rule = must_be(verb, about.name)
        given = "" if about.is_repeatable else _given([about.word, about.short], running.rest)
        wrong = f"must be {rule}" if rule else f"cannot be used: {_message(error)}"
        return f"InvalidParameter: {about.word}{given} {wrong}. {help_line}"
    option = next((p for p in parameters_of(verb) if getattr(error, "option_name", "") in {p.word, p.short}), None)
    if option is not None and kind == "BadOptionUsage":
        needs = f"needs a value: {option.usage}" if option.takes else "takes no value"
        return f"UsageError: {option.word} {needs}. {help_line}"
    if hasattr(verb, "commands") and running.rest:
        wanted = running.rest[0]
        return f"UsageError: {path} has no verb {wanted}. {_meant(wanted, list(verb.commands))}{help_line}"
    extra = re.search(r"extra argument\S* \((.*)\)$", _message(error))
    what = f"{path} has no place for {extra[1]}" if extra else _message(error)
    return f"UsageError: {what}. {help_line}"


def _meant(word: str, known: list[str]) -> str:
    close = get_close_matches(word, known, n=1)
    return f"Did you mean {close[0]}? " if close else ""


def _given(names: list[str], arguments: Sequence[str]) -> str:
    """Return the value that an option has on the command line, after a space."""
    for number, word in enumerate(arguments):
        option, equals, value = word.partition("=")
        if option.startswith("-") and option in names:
            following = arguments[number + 1] if number + 1 < len(arguments) else ""
            return f" {value if equals else following}".rstrip()
    return ""


def _message(error: Exception) -> str:
    text = " ".join(str(getattr(error, "message", error)).split()).rstrip(".")
    return text[:1].lower() + text[1:]
