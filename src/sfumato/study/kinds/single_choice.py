"""Yes/no questions and questions with one answer of a short list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sfumato.errors import InvalidParameter
from sfumato.prob.structured import AnyChannel
from sfumato.study.cells import ALIASES, MOST_ANSWERS, SECOND_IS_ESTIMATED, checked_list, checked_pair
from sfumato.study.compared_designs import (
    Asked,
    compared,
    cost_of,
    footings_of,
)
from sfumato.study.fields import EPSILON, Entry, exact_number, number_key, texts_key
from sfumato.study.goals import INTERVAL_KEYS, Goal
from sfumato.study.kinds.card import Card
from sfumato.study.kinds.listed_card import ListedCard
from sfumato.study.ladder_questions import LadderQuestion
from sfumato.study.question import Question, ShareRange

if TYPE_CHECKING:
    from sfumato.study.question_plans import Compared


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo(LadderQuestion):
    """Two answers, "no" first; the share of the second is what is asked for.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.YesNo(id="tired", text="Did you work unpaid tired?", epsilon=Fraction(1)).labels
    ('no', 'yes')
    """

    KIND: ClassVar[str] = "yes-no"
    HEADLINE: ClassVar[str] = "two answers"
    KEYS: ClassVar = (
        texts_key("answers", 'The answers, each once, "no" first.', low=2, high=2),
        ALIASES,
        EPSILON,
        *INTERVAL_KEYS,
    )
    COMMENTS: ClassVar = {"answers": SECOND_IS_ESTIMATED}

    answers: tuple[str, str] = ("no", "yes")
    goal: Goal = field(default_factory=Goal)

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", checked_pair(self.answers))
        self._check()
        if self.goal.is_test:
            raise InvalidParameter(
                "is a goal for a card",
                parameter="theta_1",
                way_out="Give `guess_error` as well, or plan for a `half_width`.",
            )

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def goal_share(self) -> float:
        """The share that is expected."""
        return float(self.goal.share)

    @property
    def half_width(self) -> float:
        """What was asked for."""
        return float(self.goal.width)

    @property
    def confidence(self) -> float:
        """What was asked for."""
        return float(self.goal.confidence)

    def compared(self, channel: AnyChannel) -> Compared:
        """Set the classic designs beside it."""
        asked = Asked(answers=self.answers, goal=self.goal)
        chosen = cost_of("flips, as here", channel.to_dense(), self.goal, asked.weight, is_chosen=True)
        return compared(footings_of(chosen, (), asked), asked)

    @classmethod
    def suits(cls, answers: str) -> bool:
        """Two answers with a comma between."""
        return len(listed(answers)) == 2

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read two answers."""
        first, *rest = listed(answers)
        if len(rest) != 1:
            raise InvalidParameter(
                f"has {len(rest) + 1} answers, and a question of kind {cls.KIND!r} has two",
                parameter="answers",
                way_out="Write them with a comma between: no, yes.",
            )
        return cls(id=name, text=text, answers=(first, rest[0]))

    def with_card(self, guess_error: Fraction) -> Question:
        """Return the same question with a card."""
        return Card(
            id=self.id,
            text=self.text,
            answers=self.answers,
            aliases=self.aliases,
            guess_error=guess_error,
            goal=self.goal,
        )

    @property
    def takes_goal(self) -> bool:
        """An interval."""
        return True

    @property
    def told_shares(self) -> ShareRange:
        """What the goal states."""
        return self.goal.told_shares

    @property
    def told_difference(self) -> Fraction:
        """What the goal states."""
        return self.goal.gap

    def with_goal(self, wished: Mapping[str, Any]) -> Self:
        """Return the same question for another goal."""
        return replace(self, goal=self.goal.changed(wished))

    @classmethod
    def from_entries(cls, entries: dict[str, Any]) -> Self:
        """Put the goal together."""
        return cls(**Goal.taken_from(entries))

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it."""
        found: dict[str, Entry] = {"answers": list(self.answers)}
        if self.epsilon is not None:
            found["epsilon"] = self.epsilon
        return found | self.goal.entries() | self.cell_entries()


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfMany(LadderQuestion):
    """One of a list of answers; "prefer not to answer" may be among them and is an answer like any other.

    With `random_bits` a respondent's report takes no more random bits than that, on average.

    >>> import sfumato as sf
    >>> sf.OneOfMany(id="way", text="How do you get to work?", answers=("train", "car", "on foot")).kind
    'one-of-many'
    """

    KIND: ClassVar[str] = "one-of-many"
    HEADLINE: ClassVar[str] = "one of a list"
    KEYS: ClassVar = (
        texts_key(
            "answers",
            'The answers, each once. "Prefer not to answer" may be one of them.',
            low=2,
            high=MOST_ANSWERS,
            is_needed=True,
        ),
        ALIASES,
        EPSILON,
        number_key("random_bits", "A report may take no more random bits than this, on average.", 0),
    )

    answers: tuple[str, ...]
    random_bits: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", checked_list(self.answers))
        self._check()
        if self.random_bits is not None:
            object.__setattr__(self, "random_bits", exact_number("random_bits", self.random_bits))
            if self.random_bits <= 0:
                raise InvalidParameter(
                    "must be above 0: without chance there is nothing to hide behind",
                    parameter="random_bits",
                    way_out="Raise it, or leave it out.",
                )

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def thrift(self) -> Fraction | None:
        """As many as the study allows."""
        return self.random_bits

    @classmethod
    def suits(cls, answers: str) -> bool:
        """Answers with commas between; not the name of a file that holds them, nor answers in order."""
        if ".." in answers or ";" in answers or answers.strip().endswith(".txt"):
            return False
        return "," in answers or "<" not in answers

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read a list."""
        return cls(id=name, text=text, answers=listed(answers))

    def with_card(self, guess_error: Fraction) -> Question:
        """Return the same question with a card: an answer or silence."""
        return ListedCard(
            id=self.id, text=self.text, answers=self.answers, aliases=self.aliases, guess_error=guess_error
        )


def listed(answers: str) -> tuple[str, ...]:
    """Cut typed answers at their commas."""
    return tuple(answer.strip() for answer in answers.split(","))
