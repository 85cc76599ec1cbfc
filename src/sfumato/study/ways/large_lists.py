"""One of a long list: a dictionary of up to a million texts, such as surnames, codes of diseases, or postcodes.

What is read from the reports is which texts are surely given, under one error for the whole list.
Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.words import Words
from sfumato.study.audience import Audience
from sfumato.study.ways.answers import SymbolArray
from sfumato.study.ways.cells import Cells
from sfumato.study.ways.dictionaries import DIGEST, LEAST_TEXTS, LONGEST_TEXT, MOST_TEXTS, Dictionary, InFile
from sfumato.study.ways.keys import EPSILON, Entry, Key, as_text, line_key, number_key, path_key, whole_key
from sfumato.study.ways.ladder_questions import LadderQuestion
from sfumato.study.ways.large_list_way import LargeListWay
from sfumato.study.ways.no_answer import NO_ANSWER
from sfumato.study.wording import checked_label, exact_number
from sfumato.values.checks import check_between

DEFAULT_ERROR = Fraction(1, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeList(LadderQuestion):
    """One of the texts of a `dictionary`: texts in Python, or the path of a file with one on each line, in UTF-8.

    An answer that is none of them is refused, or counts for the answer `others`. Reported are texts that somebody
    surely gave, or with `at_least` more than this share; `family_error` is how probably one of them is wrong.

    >>> import sfumato as sf
    >>> codes = [f"A{number:02}" for number in range(100)]
    >>> sf.LargeList(id="disease", text="What is your diagnosis?", dictionary=codes).kind
    'large-list'
    """

    KIND: ClassVar[str] = "large-list"
    HEADLINE: ClassVar[str] = "one of a long list in a file"
    KEYS: ClassVar = (
        path_key(
            "dictionary",
            f"The file of the texts, from the study's folder: UTF-8, one text a line, each once, {LEAST_TEXTS} to "
            f"{MOST_TEXTS:,} of them.",
            is_needed=True,
        ),
        EPSILON,
        line_key(
            "others",
            "An answer that is not in the dictionary counts for this, or is refused.",
            most=LONGEST_TEXT,
        ),
        number_key("family_error", "How probably any text that nobody gave may be reported.", 1e-9, 0.5),
        number_key("at_least", "Report texts that surely more than this share gave.", 0, 1),
        Key(
            name="dictionary_sha256",
            words="SHA-256 of the texts, each followed by a line break; another dictionary is then refused.",
            read=as_text,
            schema={"type": "string", "pattern": f"^{DIGEST.pattern}$"},
        ),
        whole_key("dictionary_count", "How many texts there are.", LEAST_TEXTS, MOST_TEXTS),
    )
    COMMENTS: ClassVar = {
        "dictionary": "one text a line",
        "others": "what is not in the file counts for this",
        "family_error": "how probably any text is reported that nobody gave",
    }

    dictionary: Dictionary
    others: str | None = None
    family_error: Fraction = DEFAULT_ERROR
    at_least: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dictionary", dictionary_of(self.dictionary))
        self._check()
        if self.others is not None:
            object.__setattr__(self, "others", checked_label("others", self.others, most=LONGEST_TEXT))
            if self._has(self.others):
                raise InvalidParameter(
                    "is one of the texts of the dictionary", parameter="others", way_out="Name it otherwise."
                )
        object.__setattr__(self, "family_error", exact_number("family_error", self.family_error))
        check_between("family_error", self.family_error, Fraction(1, 10**9), Fraction(1, 2))
        if self.at_least is not None:
            object.__setattr__(self, "at_least", exact_number("at_least", self.at_least))
            if not 0 <= self.at_least < 1:
                raise InvalidParameter(
                    "must lie in [0, 1)", parameter="at_least", way_out="Write a share, such as 0.001 for 0.1 %."
                )

    def way(self, audience: Audience, declaration: str | None = None) -> LargeListWay:
        """Return how it is asked."""
        return LargeListWay(self, audience, declaration)

    def _has(self, text: str) -> bool:
        """Whether a text is in the dictionary, as far as that is known before it is read."""
        return self.dictionary.is_at_hand and text in self.dictionary.places

    @property
    def choices(self) -> tuple[str, ...]:
        """The texts, and what stands for all others."""
        return self.dictionary.texts if self.others is None else (*self.dictionary.texts, self.others)

    @property
    def choice_count(self) -> int:
        """As many as there are texts, and one more for all others."""
        return self.dictionary.count + (self.others is not None)

    @property
    def listed(self) -> tuple[str, ...]:
        """Nothing that a skip rule could choose from: the texts stand in another file."""
        return ()

    @property
    def cells(self) -> Cells:
        """Texts as they are: 01234 and 1234 may both be codes, and neither is the other."""
        return Cells()

    def check_hidden(self) -> None:
        """Refuse a text that is called like no answer."""
        if self._has(NO_ANSWER) or self.others == NO_ANSWER:
            raise InvalidParameter(
                f"calls an empty cell {NO_ANSWER!r}, which is one of the texts already",
                parameter="missing",
                value=str(self.missing),
                way_out="Take it out of the dictionary: empty cells are what it is for.",
            )

    @property
    def counts_hits(self) -> bool:
        """They are."""
        return True

    @property
    def noun(self) -> str:
        """Texts of a list."""
        return "texts"

    def describe(self) -> str:
        """Say how many texts there are, and what becomes of others."""
        others = "" if self.others is None else f"; any other counts for “{self.others}”"
        return f"One of {self.dictionary.count:,} texts of a dictionary ({self.dictionary.name}){others}."

    def limits(self) -> tuple[str, ...]:
        """Say what the dictionary is."""
        words = "The dictionary is public. It says nothing about respondents if it was not made from their answers."
        return (words,)

    def page_asks(self) -> dict[str, Any]:
        """Return the dictionary as its file has it, so that its digest, which the study names, can be checked."""
        texts = self.dictionary.to_bytes().decode()
        return {"type": "listed", "texts": texts, "sha256": self.dictionary.digest, "others": self.others}

    def places(self, column: Words) -> SymbolArray:
        """Return the place of each answer in the dictionary; others come after it, or are refused by their row."""
        places, rest = self.dictionary.places, -1 if self.others is None else self.dictionary.count
        found = np.fromiter((places.get(text, rest) for text in column.texts), dtype=np.int64, count=len(column.texts))
        symbols: SymbolArray = found.take(column.codes) if len(column) else np.empty(0, np.int64)
        outside = np.flatnonzero(symbols < 0)
        if outside.size:
            raise UnreadableFile(
                f"column {self.id}, row {column.row(outside[0])} holds none of the {self.dictionary.count:,} texts of "
                f"the dictionary; {column.among(outside.size)} are like this",
                way_out="Correct it, add it to the dictionary, or name an answer for all `others` in the study.",
            )
        return symbols

    @classmethod
    def from_entries(cls, entries: dict[str, Any]) -> Self:
        """Read the dictionary, or remember where it stands."""
        file: InFile = entries.pop("dictionary")
        digest, count = entries.pop("dictionary_sha256", None), entries.pop("dictionary_count", None)
        if digest is not None and DIGEST.fullmatch(digest) is None:
            raise InvalidParameter(
                "must be 64 hexadecimal digits, in small letters",
                parameter="dictionary_sha256",
                way_out="Leave it out, or copy it from a file that `write_study` wrote.",
            )
        if digest is not None and count is not None:
            folders = (file.path.parent, file.path.parent.parent)
            declared = Dictionary.declared(digest, count, folders)
            # A note always has this name; a study may name any file.
            if file.path.name == declared.name and (declared.is_at_hand or not file.at_once):
                return cls(**entries, dictionary=declared)
        found = Dictionary.read(file.path)
        found.check_is(found.digest if digest is None else digest)
        if count not in {None, found.count}:
            raise InvalidParameter(
                f"does not fit the dictionary, which has {found.count:,} texts",
                parameter="dictionary_count",
                value=count,
                way_out="Leave it out.",
            )
        return cls(**entries, dictionary=found)

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it: the texts stand in a file beside it, whose name is made of their digest."""
        found: dict[str, Entry] = {
            "dictionary": self.dictionary.name,
            "dictionary_sha256": self.dictionary.digest,
            "dictionary_count": self.dictionary.count,
        }
        for name in ("epsilon", "others", "at_least"):
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
        if self.family_error != DEFAULT_ERROR:
            found["family_error"] = self.family_error
        return found | self.cell_entries()

    def files_beside(self) -> dict[str, Callable[[], bytes]]:
        """Return the dictionary."""
        return {self.dictionary.name: self.dictionary.to_bytes} if self.dictionary.is_known else {}

    @classmethod
    def suits(cls, answers: str) -> bool:
        """The name of a text file."""
        return answers.strip().endswith(".txt") and "," not in answers

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read the dictionary that is named."""
        return cls(id=name, text=text, dictionary=Dictionary.read(Path(answers.strip())))

    def first_lines(self) -> list[tuple[str, str]]:
        """Name the file as it was typed, and say what becomes of other answers."""
        from sfumato.files.toml_tables import toml_value  # noqa: PLC0415  only `new` needs it

        source = self.dictionary.name if self.dictionary.source is None else self.dictionary.source
        found = {**self.entries(), "dictionary": source, "family_error": self.family_error}
        lines = [
            (f"{name} = {toml_value(value)}", self.COMMENTS.get(name, ""))
            for name, value in found.items()
            if name not in {"dictionary_sha256", "dictionary_count"}
        ]
        more = 'others = "other"   counts what is not in the file; without it such an answer is refused'
        return lines if self.others is not None else [*lines, ("", more)]


def dictionary_of(given: Dictionary | str | Path | Iterable[str]) -> Dictionary:
    """Return a dictionary of texts, or that of a file."""
    if isinstance(given, Dictionary):
        return given
    return Dictionary.read(given) if isinstance(given, str | Path) else Dictionary.of(given)
