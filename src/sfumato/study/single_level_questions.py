"""Questions that are asked at one level and have no keys: free text, and answers of which only a part is told."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from sfumato.bits import BitSource
from sfumato.design import Query, RecoverableDesign, best_answer
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.tables import Words
from sfumato.infer import string_keys
from sfumato.prob import Distribution
from sfumato.study.answer_columns import SymbolArray, check_heading, positions
from sfumato.study.surveys import check_line, exact_number
from sfumato.values.checks import check_between, check_integer

MOST_TEXT_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeText:
    """Any short text of at most `longest` bytes; the frequent ones are found, letter by letter, up to `keep` of them.

    Each respondent is asked once, about the beginning of their text, so it has one level and no keys.
    """

    kind: ClassVar[str] = "text"

    id: str
    text: str
    longest: int = 8
    keep: int = 20
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        check_heading(self)
        check_between("longest", check_integer("longest", self.longest), 1, MOST_TEXT_BYTES)
        check_between("keep", check_integer("keep", self.keep), 1, 1000)

    @property
    def labels(self) -> tuple[str, ...]:
        """None beforehand: they are what is looked for."""
        return ()

    def keys(self, column: Words) -> list[int]:
        """Return the answers as the keys of a hunt; empty or too long ones are refused by their row."""
        known: dict[int, int] = {}
        for code, text in enumerate(column.texts):
            if not 0 < len(text.encode(errors="replace")) <= self.longest or "\0" in text:
                row = int(np.flatnonzero(column.codes == code)[0])
                raise UnreadableFile(
                    f"column {self.id}, row {row + 1} is empty or has more than {self.longest} bytes. Shorten it, or "
                    f"raise longest in the study."
                )
            known[code] = string_keys([text], max_bytes=self.longest)[0]
        return [known[code] for code in column.codes.tolist()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoverable:
    """Of each answer only what `tell` says of it is told, right with probability `recover_probability` or more.

    The answer itself stays as hidden as that allows, for a guesser who knows the `probabilities` of the answers; left
    out, all are equally likely. Each respondent is asked once; there are no levels and no keys [A, Thm 2].
    """

    kind: ClassVar[str] = "recoverable"

    id: str
    text: str
    answers: tuple[str, ...]
    tell: tuple[str, ...]
    recover_probability: Fraction
    probabilities: tuple[Fraction, ...] | None = None
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        check_heading(self)
        if self.epsilon is not None:
            raise InvalidParameter("epsilon is not for recoverable answers, which promise by recover_probability.")
        check_between("answers", len(self.answers), 2, 2000, way_out="List each answer once.")
        for name in ("answers", "tell"):
            for text in getattr(self, name):
                check_line("answers", text)
        if len(set(self.answers)) != len(self.answers):
            raise InvalidParameter("answers has the same answer twice. List each once.")
        rho = exact_number("recover_probability", self.recover_probability)
        object.__setattr__(self, "recover_probability", rho)
        if self.probabilities is not None:
            numbers = tuple(exact_number("probabilities", p) for p in self.probabilities)
            if len(numbers) != len(self.answers) or sum(numbers) != 1 or min(numbers) <= 0:
                raise InvalidParameter(
                    "probabilities must be one positive number for each answer, and sum to 1. Write fractions in "
                    "quotes where decimals do not."
                )
            object.__setattr__(self, "probabilities", numbers)
        self.design()

    def design(self) -> RecoverableDesign:
        """Return the best response to the question."""
        size = len(self.answers)
        masses = self.probabilities or (Fraction(1, size),) * size
        return best_answer(Query.of(Distribution(masses, self.answers), self.tell, self.recover_probability))

    @property
    def labels(self) -> tuple[str, ...]:
        """What may be told."""
        return tuple(dict.fromkeys(self.tell))

    def symbols(self, column: Words, bits: BitSource) -> SymbolArray:
        """Return the positions of the answers."""
        del bits
        return positions(self.id, column, self.answers)
