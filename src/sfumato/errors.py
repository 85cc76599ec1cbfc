"""The exceptions of the package, and text made safe to print.

::

    SfumatoError
    ├── InvalidInput            an argument or a file cannot be used    (exit code 2)
    │   ├── InvalidParameter    a number or choice breaks its rule
    │   ├── InvalidLaw          rows or probabilities that are no distribution
    │   ├── UnreadableFile      empty, too large, damaged, not what it says
    │   └── UnknownSchema       written by a newer version, or by someone else
    ├── Refused                 the question was fine, the answer is no (exit code 1)
    │   ├── ClaimRefused        recomputing a claim gave something else
    │   ├── DigestMismatch      the bytes are not the bytes that were sealed
    │   ├── NotCertified        a solver did not reach what it has to prove
    │   ├── NotFitted           the reports do not determine the model that was asked for
    │   ├── BudgetSpent         a release asks for more than its ledger has left
    │   ├── UselessRelease      the noise is so large that a guess without the data is as good
    │   ├── ReleasedBefore      the same people are in an earlier release, and each release reveals more
    │   ├── SharedPeople        people are in two parts, or may be, and would be counted twice
    │   ├── KeyRefused          a key that does not fit, was changed, or cannot be unlocked
    │   └── KeyReused           the same draws would hide two things, which hides neither
    ├── NotChecked              stated, but the proof is private; neither yes nor no (exit code 3)
    └── SourceFailed            random bits could not be had; nothing was released

An error carries data, and its sentence is made from them: `parameter=value rule. way_out`. It never contains an answer,
a report or a key: a `value` that might be one is left out. Where a text names a parameter, the name is in backticks;
the library shows it as it is, the command shows the option of that name.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Self

__all__ = [
    "BudgetSpent",
    "ClaimRefused",
    "DigestMismatch",
    "InsecureBitsWarning",
    "InvalidInput",
    "InvalidLaw",
    "InvalidParameter",
    "KeyRefused",
    "KeyReused",
    "NoisyReleaseWarning",
    "NotCertified",
    "NotChecked",
    "NotFitted",
    "Place",
    "Refused",
    "ReleasedBefore",
    "SfumatoError",
    "SharedPeople",
    "SourceFailed",
    "UnknownSchema",
    "UnreadableFile",
    "UselessRelease",
]

# --- Printable text: control characters that move a cursor or reverse the direction of text are replaced


_NO_BREAK_SPACE = "\u00a0"
_REPLACED = "\ufffd"


def printable(text: str) -> str:
    """Replace what would move a cursor or break a picture."""
    return _calm(text, _NO_BREAK_SPACE)


def printable_lines(text: str) -> str:
    """Do the same to a text of several lines, whose ends stay."""
    return _calm(text, f"\n\t{_NO_BREAK_SPACE}")


def about(value: Fraction | int, digits: int) -> str:
    """Write a number of any size in a few digits; one that no float can hold is no reason to fail."""
    try:
        return f"{float(value):.{digits}g}"
    except OverflowError:
        return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():.{digits}g}"


def _calm(text: str, kept: str) -> str:
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in kept else _REPLACED for letter in text)


# Longer numbers are rounded where they are shown; Python refuses to write the longest.
_LONG_FRACTION_BITS = 80
_LONG_INTEGER_BITS = 256
_NAMED = re.compile(r"`([A-Za-z_][A-Za-z0-9_]*)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    r"""Where in a file something stands: a file, a line, and in a file of tables the table, its number and the key.

    >>> from pathlib import Path
    >>> import sfumato as sf
    >>> asked = "[[questions]]\nid = 'tired'\ntext = 'Tired?'\nkind = 'yes-or-no'\n"
    >>> _ = Path("study.toml").write_text("schema = 'sfumato/study/2'\nname = 'Sleep'\n" + asked)
    >>> try:
    ...     sf.read_study("study.toml")
    ... except sf.errors.InvalidParameter as error:
    ...     print(error.place, "·", error.place.table, error.place.index, error.place.key)
    ...
    file study.toml, line 6 · questions 0 kind
    """

    file: str | None = None
    line: int | None = None
    table: str = ""
    index: int = 0
    key: str | None = None

    def __str__(self) -> str:
        words = [] if self.file is None else [f"file {self.file}"]
        if self.line is not None:
            words.append(f"line {self.line}")
        return ", ".join(words)


class _Unsaid:
    """A value that is not shown, because there is none or because it could be an answer or a key."""

    def __repr__(self) -> str:
        return "not shown"


UNSAID = _Unsaid()

Naming = Callable[[str], str | None]


class SfumatoError(Exception):
    """Base of everything raised on purpose.

    `rule` is what must be so, or what is wrong, in words that continue `parameter=value`; `way_out` is what to do,
    in whole sentences; `place` is where in a file it stands.

    >>> import sfumato as sf
    >>> try:
    ...     sf.mechanisms.RandomizedResponse.within(size=1, epsilon=1.0)
    ... except sf.errors.SfumatoError as error:
    ...     print(error)
    ...     print(error.parameter, error.value, error.rule, error.way_out, sep=" · ")
    ...
    size=1 must be at least 2. Raise `size`.
    size · 1 · must be at least 2 · Raise `size`.
    """

    exit_code = 1

    def __init__(
        self,
        rule: str,
        *,
        parameter: str | None = None,
        value: object = UNSAID,
        way_out: str = "",
        place: Place | None = None,
    ) -> None:
        self.rule = rule
        self.parameter = parameter
        self.value = value
        self.way_out = way_out
        self.place = place
        super().__init__(rule)

    def sentence(self, name: Naming | None = None, *, joined: str = "=") -> str:
        """Return the whole sentence; `name` gives the word for a parameter, None where it has none.

        `joined` stands between the word and the value.
        """

        def word(parameter: str) -> str | None:
            return None if name is None else name(parameter)

        head = ""
        if self.parameter is not None:
            found = word(self.parameter)
            shown = "" if isinstance(self.value, _Unsaid) else f"{joined if found else '='}{_shown(self.value)}"
            head = f"{found or self.parameter}{shown} "
        text = f"{head}{self.rule}"
        if text[-1:] not in ".?!…":
            text += "."
        text = f"{text} {self.way_out}" if self.way_out else text
        if name is not None:
            text = _NAMED.sub(lambda match: word(match[1]) or match[0], text)
        where = "" if self.place is None else str(self.place)
        return printable_lines(f"{where}: {text}" if where else text)

    def at(self, place: Place) -> Self:
        """Return the same error that knows where it is about; what it knew already stays."""
        found = copy.copy(self)
        found.place = place
        return found

    def __str__(self) -> str:
        return self.sentence()


def _shown(value: object) -> str:
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, Fraction | int):
        bits = value.numerator.bit_length() + value.denominator.bit_length()
        if bits > (_LONG_FRACTION_BITS if isinstance(value, Fraction) else _LONG_INTEGER_BITS):
            return about(value, 12)
    return str(value)


class InvalidInput(SfumatoError, ValueError):
    """An argument or a file cannot be used."""

    exit_code = 2


class InvalidParameter(InvalidInput):
    """A number or a choice breaks its rule."""


class InvalidLaw(InvalidInput):
    """Rows or probabilities that are not a law."""


class UnreadableFile(InvalidInput):
    """A file that is empty, too large, damaged or not what its name says."""


class UnknownSchema(UnreadableFile):
    """A file whose schema this version does not know."""


class Refused(SfumatoError):
    """The question was fine; the answer is no."""


class ClaimRefused(Refused):
    """Recomputing a claim from its subject gave something else."""


class DigestMismatch(Refused):
    """The bytes are not the ones that were sealed."""


class NotCertified(Refused):
    """A solver did not reach what it has to prove."""


class NotFitted(Refused):
    """The reports do not determine the model that was asked for, or no numbers fit them best."""


class BudgetSpent(Refused):
    """A release asks for more than its ledger has left, or for a promise that can be made only once."""


class UselessRelease(Refused):
    """The noise of a release is so large that a guess without the data is as good; nothing was drawn or paid."""


class ReleasedBefore(Refused):
    """The same people were released about before; a second release is made only when it is named as one."""


class SharedPeople(Refused):
    """People are in two parts that were to be combined, or may be: they would be counted twice."""


class KeyRefused(Refused):
    """A key that does not belong to these reports, was changed, or cannot be unlocked."""


class KeyReused(Refused):
    """The same draws would be used twice, and the difference of two reports shows the difference of the answers."""


class NotChecked(SfumatoError):
    """Nothing is wrong with the certificate, and nothing proves it either: what would is private."""

    exit_code = 3


class SourceFailed(SfumatoError):
    """Random bits could not be had; nothing was released."""


class InsecureBitsWarning(UserWarning):
    """Reports are being made from a seed that anyone can repeat: a simulation, not a release."""


class NoisyReleaseWarning(UserWarning):
    """The noise of a release is large against what the answer can be."""
