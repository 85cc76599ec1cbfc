"""What questions asked by degrees have in common: a list of answers, and a key shows the same report sharper."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.bits import RowSource
from sfumato.bits.mechanism import Mechanism
from sfumato.errors import InvalidParameter
from sfumato.files.words import Words
from sfumato.prob import AnyChannel
from sfumato.refine import Ladder
from sfumato.study.audience import Audience
from sfumato.study.ways.answer_columns import label_column
from sfumato.study.ways.answers import (
    NOBODY,
    SymbolArray,
    check_heading,
    positions,
)
from sfumato.study.ways.cells import checked_aliases
from sfumato.study.ways.goals import DEFAULT_CONFIDENCE, DEFAULT_HALF_WIDTH
from sfumato.study.ways.ladder import LadderWay
from sfumato.study.ways.no_answer import NO_ANSWER
from sfumato.study.ways.plans import Compared
from sfumato.study.ways.question import Question, listed_answers
from sfumato.study.wording import checked_epsilon

if TYPE_CHECKING:
    from sfumato.study.ways.estimates import Truth

Answered = npt.NDArray[np.bool_] | None
Value = int | Fraction
"""What an answer is worth: a whole number, or an exact one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderQuestion(Question):
    """A question with a list of answers that is asked by a ladder. `epsilon` is its own ceiling."""

    NOT_HIDDEN: ClassVar = None

    epsilon: Fraction | None = None

    def _check(self) -> None:
        check_heading(self.id, self.text)
        object.__setattr__(self, "aliases", checked_aliases(self.aliases, self.has_answer))
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
    @abstractmethod
    def choices(self) -> tuple[str, ...]:
        """What a report can stand for, without `NO_ANSWER`."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What shares are estimated of; where no answer is hidden, that is the last."""
        return (*self.choices, NO_ANSWER) if self.hides else self.choices

    @property
    def listed(self) -> tuple[str, ...]:
        """The answers, unless they are numbers."""
        return self.choices if self.values is None else ()

    @property
    def shares_of(self) -> str:
        """What shares are of where it is not the answers themselves."""
        return ""

    def check_hidden(self) -> None:
        """Refuse an answer that is called like no answer."""
        if NO_ANSWER in self.choices:
            raise InvalidParameter(
                f"calls an empty cell {NO_ANSWER!r}, which is one of the answers already",
                parameter="missing",
                value=str(self.missing),
                way_out="Take it out of the answers: empty cells are what it is for.",
            )

    @property
    def choice_count(self) -> int:
        """How many choices there are, without looking at them."""
        return len(self.choices)

    @property
    def size(self) -> int:
        """How many labels there are, without looking at them."""
        return self.choice_count + self.hides

    @property
    def answer_count(self) -> int:
        """How many different answers there are, with no answer where that is hidden."""
        return self.size

    @property
    def goal_share(self) -> float:
        """The share at which accuracy is planned."""
        return 1 / self.choice_count

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
    def counts_hits(self) -> bool:
        """Whether answers are found by how many reports hit them, so that a report must mean the same in every row."""
        return False

    @property
    def noun(self) -> str:
        """What the answers are."""
        return "answers"

    @property
    def values(self) -> tuple[Value, ...] | None:
        """What the answers are worth; None where they have no order."""
        return None

    @property
    def whole_values(self) -> tuple[int, ...] | None:
        """The numbers that answers are, where all of them are whole; a column of reports holds numbers then."""
        return None

    def mechanism(self, epsilons: Sequence[float]) -> Mechanism | None:
        """Return what levels with these epsilons are made over; None for what is best for shares."""
        del epsilons
        return None

    def has_answer(self, text: str) -> bool:
        """Whether a text is an answer, so that others may stand for it."""
        return text in self.choices

    def fits(self, ladder: Ladder) -> bool:
        """Whether reports that a ladder made can be about these answers."""
        return ladder.size == self.size

    def describe(self) -> str:
        """Name the answers."""
        return listed_answers(self.choices)

    def limits(self) -> tuple[str, ...]:
        """What the claims do not say."""
        return ()

    def compared(self, channel: AnyChannel) -> Compared:
        """Set other designs beside the public's channel, of two answers, where there are such."""
        del channel
        return Compared()

    def page_asks(self) -> dict[str, Any]:
        """Return how a page asks it, and how what is chosen there becomes a symbol: its place among the answers."""
        return {"type": "one", "answers": list(self.choices)}

    @property
    def nobody(self) -> int:
        """What stands for those who did not answer, where that is hidden."""
        return self.choice_count

    def places(self, column: Words) -> SymbolArray:
        """Return answers that are checked, and not yet rounded."""
        return positions(self.id, column, self.choices)

    def rounded(self, places: SymbolArray, words: Callable[[], RowSource]) -> SymbolArray:
        """Return the positions of the answers among `labels`; what is drawn for a row comes from its own words."""
        del words
        return places

    def symbols(self, places: SymbolArray, words: Callable[[Answered], RowSource]) -> SymbolArray:
        """Return the positions among `labels` of answers that may be hidden ones; these are not rounded."""
        answered = places != NOBODY
        if answered.all():
            return self.rounded(places, lambda: words(None))
        found = np.full(places.size, self.nobody, dtype=np.int64)
        found[answered] = self.rounded(places[answered], lambda: words(answered))
        return found

    @property
    def unrounded(self) -> int | None:
        """How many answers there are, where reports tell less than the answer even without their noise; else None."""
        return None

    def given_back(self, places: SymbolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        """Return answers, by their `places`, as columns of a table."""
        return {self.id: label_column(places, self.choices, "" if as_text else kind)}

    def rounded_back(self, symbols: SymbolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        """Return what reports tell without their noise as columns of a table: the answers, or what they round to."""
        return self.given_back(symbols, as_text=as_text, kind=kind)

    def true_mean(self, held: Counter[str]) -> Truth | None:
        """Return the true mean where answers are numbers; None where shares are compared."""
        del held
        return None
