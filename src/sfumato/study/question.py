"""A question as a study declares it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sfumato.errors import InvalidParameter
from sfumato.files.documents import toml_value
from sfumato.files.tables import filled_words
from sfumato.study.cells import Aliases, AskIf, Cells, Missing, codes_of
from sfumato.study.fields import Entry, Key
from sfumato.study.readers import Audience

if TYPE_CHECKING:
    from sfumato.files.columns import Words
    from sfumato.study.handler import Handler


# The shares of an answer at which a plan states posteriors: the expected one, and the ends of a range.


LEAST, TYPICAL, MOST = Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRange:
    """Shares that one answer may have, ascending; `expected` is one of them, `because` says where they are from."""

    shares: tuple[Fraction, ...]
    expected: Fraction
    because: str

    @classmethod
    def stated(cls, expected: Fraction | None, ends: tuple[Fraction, Fraction] | None) -> ShareRange:
        """Return what a goal states: both, or half to double of what is expected, or 1 % to 50 %."""
        if ends is not None:
            middle = max(ends) if expected is None else expected
            because = "the range that the study states"
            return cls(shares=tuple(sorted({*ends, middle})), expected=middle, because=because)
        if expected is None:
            because = "no share was stated, so that 1 % to 50 % are taken"
            return cls(shares=(LEAST, TYPICAL, MOST), expected=TYPICAL, because=because)
        if not 0 < expected < 1:
            because = "a share at the end was stated, so that 1 % to 50 % are taken beside it"
            return cls(shares=tuple(sorted({LEAST, MOST, expected})), expected=expected, because=because)
        # Half and double of the share or of what is left of the whole, whichever moves it less.
        low, high = max(expected / 2, 2 * expected - 1), min(2 * expected, (1 + expected) / 2)
        because = "about half to double of what the study expects"
        return cls(shares=(low, expected, high), expected=expected, because=because)

    @classmethod
    def of_equal(cls, count: int) -> ShareRange:
        """Return the shares of one of many answers: as frequent as the others, 1 % and 50 %."""
        if not count:
            return cls.stated(None, None)
        even = Fraction(1, count)
        because = f"all {count:,} answers equally frequent, and 1 % to 50 %"
        return cls(shares=tuple(sorted({LEAST, even, MOST})), expected=even, because=because)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(ABC):
    """What a study asks. `KEYS` are its keys in a file, besides id, text and kind, and what empty cells mean.

    `missing` is “hidden” or “public”, `missing_codes` are texts that mean no answer, and `ask_if` says who is asked.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> scale = ("poor", "fair", "good")
    >>> asked: sf.study.Question = sf.Ordered(id="health", text="Health?", answers=scale, epsilon=Fraction(1))
    >>> asked.kind, asked.labels, asked.usual_model, asked.hides
    ('ordered', ('poor', 'fair', 'good'), 'ordered', False)
    """

    KIND: ClassVar[str]
    HEADLINE: ClassVar[str]
    """Its answers in a few words, for a first file."""
    KEYS: ClassVar[tuple[Key, ...]]
    ONE_OF: ClassVar[tuple[str, ...]] = ()
    """Keys of which a table has exactly one."""
    COMMENTS: ClassVar[Mapping[str, str]] = {}
    """What a first file says beside a key."""
    MODEL: ClassVar[str] = "multinomial"
    """The regression that suits more than two answers: multinomial, ordered or linear."""
    NOT_HIDDEN: ClassVar[str | None] = "has no report that could stand for it"
    """Why nobody can hide that they did not answer; None where they can."""

    id: str
    text: str
    missing: Missing | str | None = None
    missing_codes: tuple[str, ...] = ()
    ask_if: AskIf | None = None
    aliases: Aliases = ()
    """What stands for an answer in a table; for kinds that have the key."""

    @property
    def kind(self) -> str:
        """Its name in a study file."""
        return self.KIND

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """What shares are estimated of; none where that is what is looked for."""

    @property
    def values(self) -> Sequence[float | Fraction] | None:
        """What the answers are worth in a mean, where they are numbers."""
        return None

    @property
    def usual_model(self) -> str:
        """The regression that suits it. Where no answer is one more answer, that has neither a place nor a value."""
        if self.values is not None and self.MODEL == "linear" and not self.hides:
            return "linear"
        if len(self.labels) == 2:
            return "logistic"
        return "multinomial" if self.hides or self.MODEL == "linear" else self.MODEL

    @property
    def told_shares(self) -> ShareRange:
        """The shares of an answer at which a plan states what a report discloses."""
        return ShareRange.of_equal(len(self.labels))

    @property
    def told_difference(self) -> Fraction:
        """The difference of a share between two groups that a plan counts respondents for."""
        return Fraction(1, 20)

    @property
    def listed(self) -> tuple[str, ...]:
        """The answers as they stand in a table, where they are a list; skip rules choose among them."""
        return ()

    @property
    def hides(self) -> bool:
        """Whether it is hidden who did not answer."""
        return self.missing == Missing.HIDDEN

    @property
    def who_answers(self) -> str:
        """Whom a share or a mean is about that leaves out those who do not answer."""
        return "among those who answer" if self.ask_if is None else "among those who are asked and answer"

    @property
    def has_gaps(self) -> bool:
        """Whether cells may be empty in the reports, which is public."""
        return self.missing == Missing.PUBLIC or (self.ask_if is not None and self.ask_if.is_public)

    def check_hidden(self) -> None:
        """Refuse to hide who did not answer where that cannot be."""
        if self.NOT_HIDDEN is not None:
            raise InvalidParameter(
                f"cannot be for a question of kind {self.kind!r} asked in this way: it {self.NOT_HIDDEN}",
                parameter="missing",
                value=str(self.missing),
                way_out='Write missing = "public": the cell stays empty for everybody.',
            )

    @property
    @abstractmethod
    def promises(self) -> bool:
        """Whether the question promises something by itself, without the study's public epsilon."""

    @abstractmethod
    def handler(self, audience: Audience, declaration: str | None = None) -> Handler:
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

    @property
    def cells(self) -> Cells:
        """How its cells are read: what they may say, and what stands for it."""
        return Cells(answers=self.labels, aliases=self.aliases)

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of a table that it is read from."""
        return (self.id,)

    def words(self, table: Any, first: int = 0, *, amends: bool = False) -> Words:
        """Return its cells in a table of which `first` rows were read before; empty ones are left out.

        In a table of corrections, texts that mean no answer take one back, and stay.
        """
        if amends:
            return filled_words(table, self.id, first)
        return filled_words(table, self.id, first, codes_of(self))

    def codes_meant(self, labels: Mapping[str, Mapping[str, str]]) -> list[str]:
        """Return which of its columns are read in codes, of a file that has labels for them."""
        is_meant = self.id in labels and self.cells.means_codes(self.id, labels[self.id])
        return [self.id] if is_meant else []

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it, by key."""
        found: dict[str, Entry] = {}
        for key in self.KEYS:
            value = getattr(self, key.name)
            if value is not None and key.name != "aliases":
                found[key.name] = list(value) if isinstance(value, tuple) else value
        return found | self.cell_entries()

    def cell_entries(self) -> dict[str, Entry]:
        """Return what a file says of how its cells are read."""
        return {"aliases": {answer: list(texts) for answer, texts in self.aliases}} if self.aliases else {}

    def files_beside(self) -> dict[str, Callable[[], bytes]]:
        """Return the files that its reports are read with, by name; those that are not to be had are left out."""
        return {}

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
            "is the promise of a card, and a card is for two answers or a list of them",
            parameter="guess_error",
            way_out="Promise by `epsilon`, such as 1.",
        )

    @property
    def first_missing(self) -> Missing:
        """What a first file says of empty cells: that they are hidden, wherever that can be."""
        return Missing.HIDDEN if self.NOT_HIDDEN is None else Missing.PUBLIC

    @property
    def takes_goal(self) -> bool:
        """Whether an interval or a test can be planned for."""
        return False

    def with_goal(self, wished: Mapping[str, Any]) -> Question:
        """Return the question with another goal; refuses where it takes none."""
        del wished
        raise InvalidParameter(
            "takes no goal", parameter="question", value=self.id, way_out="Name a question with two answers."
        )

    def first_lines(self) -> list[tuple[str, str]]:
        """Return the lines of a commented first file: `key = value`, and the comment after it, either may be empty."""
        return [
            (f"{name} = {toml_value(value)}", self.COMMENTS.get(name, "")) for name, value in self.entries().items()
        ]


def listed_answers(labels: tuple[str, ...], most: int = 30) -> str:
    """Name the answers in a sentence."""
    named = ", ".join(f"“{label}”" for label in labels[:most])
    rest = len(labels) - most
    return f"Answers: {named}{f' and {rest} more' if rest > 0 else ''}."
