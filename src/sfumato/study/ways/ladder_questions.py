"""Questions asked by degrees: two answers, one of a list, and counts. A key shows the same report sharper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

from sfumato.bits import RowSource
from sfumato.errors import InvalidParameter
from sfumato.files.tables import Words
from sfumato.study.audience import Audience
from sfumato.study.ways.answers import (
    MOST_ANSWERS,
    SymbolArray,
    check_heading,
    check_list,
    checked_pair,
    positions,
)
from sfumato.study.ways.card import SECOND_IS_ESTIMATED, Card
from sfumato.study.ways.estimates import Truth
from sfumato.study.ways.goals import DEFAULT_CONFIDENCE, DEFAULT_HALF_WIDTH, INTERVAL_KEYS, Goal
from sfumato.study.ways.keys import EPSILON, Entry, number_key, texts_key
from sfumato.study.ways.ladder import LadderWay
from sfumato.study.ways.question import Question, listed_answers
from sfumato.study.wording import checked_epsilon, exact_number


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderQuestion(Question):
    """A question with a list of answers that is asked by a ladder. `epsilon` is its own ceiling."""

    epsilon: Fraction | None = None

    def _check(self) -> None:
        check_heading(self.id, self.text)
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", checked_epsilon("epsilon", self.epsilon))

    @property
    def promises(self) -> bool:
        """By its own epsilon, if it has one."""
        return self.epsilon is not None

    def way(self, audience: Audience, declaration: str | None = None) -> LadderWay:
        """Return how it is asked."""
        return LadderWay(self, audience, declaration)

    @property
    def goal_share(self) -> float:
        """The share at which accuracy is planned."""
        return 1 / len(self.labels)

    @property
    def half_width(self) -> float:
        """The half-width that is planned for."""
        return float(DEFAULT_HALF_WIDTH)

    @property
    def confidence(self) -> float:
        """The confidence of the intervals that are planned for."""
        return float(DEFAULT_CONFIDENCE)

    @property
    def thrift(self) -> Fraction | None:
        """How many random bits a report may take; None for as many as are best."""
        return None

    @property
    def noun(self) -> str:
        """What the answers are."""
        return "answers"

    @property
    def values(self) -> tuple[int, ...] | None:
        """The numbers that answers are; None where they are words."""
        return None

    def describe(self) -> str:
        """Name the answers."""
        return listed_answers(self.labels)

    def limits(self) -> tuple[str, ...]:
        """What the claims do not say."""
        return ()

    def places(self, column: Words) -> SymbolArray:
        """Return answers that are checked, and not yet rounded."""
        return positions(self.id, column, self.labels)

    def rounded(self, places: SymbolArray, words: Callable[[], RowSource]) -> SymbolArray:
        """Return the positions of the answers among `labels`; what is drawn for a row comes from its own words."""
        del words
        return places

    def true_mean(self, held: Counter[str]) -> Truth | None:
        """Return the true mean where answers are numbers; None where shares are compared."""
        del held
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNo(LadderQuestion):
    """Two answers, "no" first; the share of the second is what is asked for."""

    KIND: ClassVar[str] = "yes-no"
    HEADLINE: ClassVar[str] = "two answers"
    KEYS: ClassVar = (
        texts_key("answers", 'The answers, each once, "no" first.', low=2, high=2),
        EPSILON,
        *INTERVAL_KEYS,
    )
    COMMENTS: ClassVar = {"answers": SECOND_IS_ESTIMATED}

    answers: tuple[str, str] = ("no", "yes")
    goal: Goal = field(default_factory=Goal)

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "answers", checked_pair(self.answers))
        if self.goal.is_test:
            raise InvalidParameter(
                "is a goal for a card",
                parameter="theta_1",
                way_out="Give `guess_error` as well, or plan for a `half_width`.",
            )

    @property
    def labels(self) -> tuple[str, ...]:
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
        return Card(id=self.id, text=self.text, answers=self.answers, guess_error=guess_error, goal=self.goal)

    @property
    def takes_goal(self) -> bool:
        """An interval."""
        return True

    def with_goal(self, wished: Mapping[str, Fraction]) -> Self:
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
        return found | self.goal.entries()


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfMany(LadderQuestion):
    """One of a list of answers; "prefer not to answer" may be among them and is an answer like any other.

    With `random_bits` a respondent's report takes no more random bits than that, on average.
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
        EPSILON,
        number_key("random_bits", "A report may take no more random bits than this, on average.", 0),
    )

    answers: tuple[str, ...]
    random_bits: Fraction | None = None

    def __post_init__(self) -> None:
        self._check()
        check_list(self.answers)
        if self.random_bits is not None:
            object.__setattr__(self, "random_bits", exact_number("random_bits", self.random_bits))
            if self.random_bits <= 0:
                raise InvalidParameter(
                    "must be above 0: without chance there is nothing to hide behind",
                    parameter="random_bits",
                    way_out="Raise it, or leave it out.",
                )

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def thrift(self) -> Fraction | None:
        """As many as the study allows."""
        return self.random_bits

    @classmethod
    def suits(cls, answers: str) -> bool:
        """Answers with commas between."""
        return ".." not in answers

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read a list."""
        return cls(id=name, text=text, answers=listed(answers))


def listed(answers: str) -> tuple[str, ...]:
    """Cut typed answers at their commas."""
    return tuple(answer.strip() for answer in answers.split(","))
