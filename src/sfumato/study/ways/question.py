"""A question as a study declares it: data, and its keys in a file. How it is asked is its way's affair."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sfumato.errors import InvalidParameter
from sfumato.study.audience import Audience
from sfumato.study.ways.keys import Entry, Key

if TYPE_CHECKING:
    from sfumato.study.ways.base import Way


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(ABC):
    """What a study asks. `KEYS` are its keys in a file, besides id, text and kind."""

    KIND: ClassVar[str]
    HEADLINE: ClassVar[str]
    """Its answers in a few words, for a first file."""
    KEYS: ClassVar[tuple[Key, ...]]
    ONE_OF: ClassVar[tuple[str, ...]] = ()
    """Keys of which a table has exactly one."""
    COMMENTS: ClassVar[Mapping[str, str]] = {}
    """What a first file says beside a key."""

    id: str
    text: str

    @property
    def kind(self) -> str:
        """Its name in a study file."""
        return self.KIND

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """What shares are estimated of; none where that is what is looked for."""

    @property
    @abstractmethod
    def promises(self) -> bool:
        """Whether the question promises something by itself, without the study's public epsilon."""

    @abstractmethod
    def way(self, audience: Audience, declaration: str | None = None) -> Way:
        """Return how the question is asked of an audience; `declaration` is what the reports at hand were made by."""

    @classmethod
    def is_meant(cls, keys: frozenset[str]) -> bool:
        """Whether a table with these keys means this class, where several share a kind."""
        del keys
        return True

    @classmethod
    def from_entries(cls, entries: dict[str, Any]) -> Self:
        """Return the question of a table whose entries were read by `KEYS`."""
        return cls(**entries)

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it, by key."""
        found: dict[str, Entry] = {}
        for key in self.KEYS:
            value = getattr(self, key.name)
            if value is not None:
                found[key.name] = list(value) if isinstance(value, tuple) else value
        return found

    @classmethod
    def suits(cls, answers: str) -> bool:
        """Whether answers as a person types them, such as `no, yes` or `0..10`, mean this kind."""
        del answers
        return False

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Return the question with answers as a person types them; refuses where more than that is needed."""
        del answers
        needed = [key.name for key in cls.KEYS if key.is_needed]
        if needed:
            raise InvalidParameter(
                f"also needs {', '.join(needed)}, which are not asked for here",
                parameter="kind",
                value=cls.KIND,
                way_out="Write such a question into a study file by hand.",
            )
        return cls(id=name, text=text)

    def with_card(self, guess_error: Fraction) -> Question:
        """Return the question asked with a card; refuses where that cannot be."""
        del guess_error
        raise InvalidParameter(
            "is the promise of a card, and a card is for two answers",
            parameter="guess_error",
            way_out="Promise by `epsilon`, such as 1.",
        )

    @property
    def takes_goal(self) -> bool:
        """Whether an interval or a test can be planned for."""
        return False

    def with_goal(self, wished: Mapping[str, Fraction]) -> Question:
        """Return the question with another goal; refuses where it takes none."""
        del wished
        raise InvalidParameter(
            "takes no goal", parameter="question", value=self.id, way_out="Name a question with two answers."
        )

    def first_lines(self) -> list[tuple[str, str]]:
        """Return the lines of a commented first file: `key = value`, and the comment after it, either may be empty."""
        from sfumato.files.toml_tables import toml_value  # noqa: PLC0415  only `new` needs it

        return [
            (f"{name} = {toml_value(value)}", self.COMMENTS.get(name, "")) for name, value in self.entries().items()
        ]


def listed_answers(labels: tuple[str, ...], most: int = 30) -> str:
    """Name the answers in a sentence."""
    named = ", ".join(f"“{label}”" for label in labels[:most])
    rest = len(labels) - most
    return f"Answers: {named}{f' and {rest} more' if rest > 0 else ''}."
