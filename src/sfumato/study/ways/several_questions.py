"""Choose any: questions of which any number of options may be the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.bits import RowSource
from sfumato.errors import InvalidParameter
from sfumato.files.gaps import filled_words
from sfumato.files.tables import text_column
from sfumato.files.words import Words
from sfumato.mechanisms.asked_counts import MOST_ASKED, best_asked
from sfumato.mechanisms.assigned_options import MOST_OPTIONS, AssignedOptions
from sfumato.refine import Ladder
from sfumato.study.audience import Audience
from sfumato.study.ways.answer_columns import label_column
from sfumato.study.ways.answers import NOBODY, SymbolArray, checked_list
from sfumato.study.ways.cells import ALIASES, Cells
from sfumato.study.ways.chosen_options import LONGEST_SEPARATOR, check_none, check_separator, chosen_sets, set_text
from sfumato.study.ways.goals import INTERVAL_KEYS, Goal
from sfumato.study.ways.keys import EPSILON, Entry, Key, as_text, line_key, number_key, texts_key, whole_key
from sfumato.study.ways.ladder_questions import Answered, LadderQuestion
from sfumato.study.ways.no_answer import codes_of
from sfumato.study.ways.option_columns import (
    check_empty_none,
    check_option_columns,
    gathered_words,
    means_codes,
    with_none,
)
from sfumato.study.ways.question import listed_answers
from sfumato.study.ways.several import SeveralWay
from sfumato.study.wording import LONGEST, checked_label
from sfumato.values.checks import check_between, check_integer

_SEPARATOR = ";"
_NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Several(LadderQuestion):
    """Any number of `options`: a cell such as `bus;train` has those that were chosen, with `separator` between.

    Each respondent is asked about `ask` of them, in public; left out, as many as make the worst error smallest. `none`
    is what a cell says where no option was chosen; "" is an empty cell. A table that has a column for each option
    instead, 1 where it was chosen and 0 where not, names them in `columns`.

    >>> import sfumato as sf
    >>> sf.Several(id="ways", text="How do you get about?", options=("bus", "car", "bicycle")).labels
    ('bus', 'car', 'bicycle')
    """

    KIND: ClassVar[str] = "several"
    HEADLINE: ClassVar[str] = "any of a list"
    KEYS: ClassVar = (
        texts_key("options", "What may be chosen, each once.", low=2, high=MOST_OPTIONS, is_needed=True),
        whole_key(
            "ask",
            "Each respondent is asked about so many options; left out, as many as make the worst error smallest.",
            1,
            MOST_ASKED,
        ),
        line_key("separator", "What stands between options in a cell.", most=LONGEST_SEPARATOR),
        Key(
            name="none",
            words='What a cell says where no option was chosen; "" is an empty cell.',
            read=as_text,
            schema={"type": "string", "maxLength": LONGEST["answers"]},
        ),
        texts_key(
            "columns",
            "The columns of a table that has one for each option, in their order: 1 where it was chosen, 0 where not.",
            low=2,
            high=MOST_OPTIONS,
            longest=LONGEST["name"],
        ),
        ALIASES,
        EPSILON,
        number_key(
            "expected_share", "Share of those who choose an option; left out, a half, which is the worst.", 0, 1
        ),
        *(key for key in INTERVAL_KEYS if key.name in {"difference", "half_width", "confidence"}),
    )
    COMMENTS: ClassVar = {
        "options": "any number of them may be chosen",
        "separator": "what stands between options in a cell",
        "none": "what a cell says where no option was chosen",
    }

    options: tuple[str, ...]
    ask: int | None = None
    separator: str = _SEPARATOR
    none: str | None = None
    columns: tuple[str, ...] = ()
    goal: Goal = field(default_factory=Goal)

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", checked_list(self.options, MOST_OPTIONS))
        if self.none:
            object.__setattr__(self, "none", checked_label("none", self.none, most=LONGEST["answers"]))
        self._check()
        if self.ask is not None:
            check_between("ask", check_integer("ask", self.ask), 1, min(len(self.options), MOST_ASKED))
        check_separator(self.separator, self.options, self.aliases)
        check_none(self.none_cell, self.options, self.separator, self.aliases)
        check_option_columns(self.columns, self.options, self.none)
        check_empty_none(self)
        if self.goal.is_test:
            raise InvalidParameter(
                "is a goal for a card", parameter="theta_1", way_out="Plan for a `half_width` instead."
            )

    @property
    def choices(self) -> tuple[str, ...]:
        """The options; their shares need not sum to one."""
        return self.options

    @property
    def none_cell(self) -> str | None:
        """What a cell says where no option was chosen; a row of zeros has to be called something."""
        return _NONE if self.columns and self.none is None else self.none

    @property
    def sources(self) -> tuple[str, ...]:
        """A column for each option, or one for all."""
        return self.columns or (self.id,)

    def words(self, table: Any, first: int = 0, *, amends: bool = False) -> Words:
        """Return cells that name options, whatever columns they stand in."""
        if self.columns:
            return gathered_words(self, table, first, amends=amends)
        if self.none == "" and not amends:
            # A cell that has nothing but the separator names no option.
            return with_none(filled_words(table, self.id, first), self.separator, codes_of(self))
        return super(Several, self).words(table, first, amends=amends)

    def codes_meant(self, labels: Mapping[str, Mapping[str, str]]) -> list[str]:
        """Of columns of options, those that are 0 and 1; else the labels are read."""
        return means_codes(self.columns, labels) if self.columns else super(Several, self).codes_meant(labels)

    @property
    def asked(self) -> int | None:
        """How many are asked about; who is asked about all options is asked whether they answered at all as well."""
        return len(self.labels) if self.ask == len(self.options) else self.ask

    def page_asks(self) -> dict[str, Any]:
        """Return the options; a symbol has a bit for each. `none` is null where choosing nothing is no answer."""
        return {"type": "several", "options": list(self.options), "none": self.none_cell}

    @property
    def nobody(self) -> int:
        """That alone is chosen."""
        return 1 << len(self.options)

    def symbols(self, places: SymbolArray, words: Callable[[Answered], RowSource]) -> SymbolArray:
        """Return sets of `labels`; who did not answer has chosen that alone."""
        del words
        return np.where(places == NOBODY, self.nobody, places)

    @property
    def noun(self) -> str:
        """What is asked about."""
        return "options (with “no answer”)" if self.hides else "options"

    @property
    def goal_share(self) -> float:
        """The share that is expected, or the worst."""
        return float(self.goal.share)

    @property
    def half_width(self) -> float:
        """What was asked for."""
        return float(self.goal.width)

    @property
    def confidence(self) -> float:
        """What was asked for."""
        return float(self.goal.confidence)

    @property
    def cells(self) -> Cells:
        """A cell names several options; what stands for one is looked up when it is cut."""
        return Cells()

    def describe(self) -> str:
        """Name the options."""
        return f"Any of these may be chosen. {listed_answers(self.labels).replace('Answers', 'Options', 1)}"

    def limits(self) -> tuple[str, ...]:
        """Say what a report is not about."""
        said = (
            "A report is about the options that its respondent was asked about and says nothing of the others; which "
            "these are is public, and no key gives back from a report what was not asked."
        )
        return (said,)

    def way(self, audience: Audience, declaration: str | None = None) -> SeveralWay:
        """Return how it is asked."""
        return SeveralWay(self, audience, declaration)

    def places(self, column: Words) -> SymbolArray:
        """Return the options that each cell names, as the bits of a number."""
        return chosen_sets(self.id, column, self.options, self.separator, self.none_cell, self.aliases)

    def mechanism(self, epsilons: Sequence[float]) -> AssignedOptions:
        """Ask about as many options as the study says, or as make the worst error smallest."""
        count = len(self.labels)
        asked = best_asked(count, epsilons, self.goal_share) if self.asked is None else self.asked
        return AssignedOptions(options=count, asked=asked, odds=Fraction(2) ** asked)

    def given_back(self, places: SymbolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        """Return cells that name the options, or a column for each option where the table has these."""
        if self.columns:
            words = ("False", "True") if kind == "bool" else ("0", "1")
            wanted = "" if as_text else kind or "int64"
            return {name: label_column(places >> i & 1, words, wanted) for i, name in enumerate(self.columns)}
        different, codes = np.unique(places, return_inverse=True)
        texts = [set_text(one, self.options, self.separator, self.none_cell) for one in different.tolist()]
        return {self.id: text_column(codes.reshape(-1).astype(np.int64), texts)}

    def fits(self, ladder: Ladder) -> bool:
        """Whether reports that a ladder made are about these options, as many at a time as the study says."""
        rung = ladder.levels[0]
        return (
            isinstance(rung, AssignedOptions)
            and rung.options == len(self.labels)
            and (self.ask is None or rung.asked == self.asked)
        )

    @classmethod
    def suits(cls, answers: str) -> bool:
        """Options with semicolons between, as cells have them."""
        return len(_typed(answers)) > 1

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read options with semicolons or commas between."""
        return cls(id=name, text=text, options=_typed(answers) if ";" in answers else _typed(answers.replace(",", ";")))

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
        separator = None if self.separator == _SEPARATOR else self.separator
        columns = list(self.columns) or None
        own = {"columns": columns, "ask": self.ask, "separator": separator, "none": self.none, "epsilon": self.epsilon}
        found: dict[str, Entry] = {"options": list(self.options)}
        found |= {name: value for name, value in own.items() if value is not None}
        return found | self.goal.entries() | self.cell_entries()


def _typed(answers: str) -> tuple[str, ...]:
    return tuple(option for option in map(str.strip, answers.split(";")) if option)
