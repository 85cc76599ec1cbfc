"""Answers in order, such as “never” to “always”: shares, cumulative shares, the middle answer, and the mean score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.bits.mechanism import Mechanism
from sfumato.errors import InvalidParameter
from sfumato.infer.reported import ReportedShares
from sfumato.mechanisms import ArcResponse
from sfumato.mechanisms.unbiased import unbiased_weights
from sfumato.refine import Ladder
from sfumato.study.audience import Audience
from sfumato.study.ways.answers import checked_list
from sfumato.study.ways.cells import ALIASES
from sfumato.study.ways.estimates import QuestionEstimate, Reading, Truth
from sfumato.study.ways.keys import EPSILON, FRACTION_PATTERN, Entry, Key, as_numbers, texts_key
from sfumato.study.ways.ladder import LadderWay
from sfumato.study.ways.ladder_questions import LadderQuestion, Value
from sfumato.study.ways.no_answer import NO_ANSWER
from sfumato.study.ways.order_quantities import cumulative_quantities, cumulative_shares, median_answer
from sfumato.study.ways.pictures import Picture
from sfumato.study.ways.question import listed_answers
from sfumato.study.ways.reckonings import told_law
from sfumato.study.wording import exact_number
from sfumato.values import Tally

MOST_ORDERED = 100
_BETWEEN = "<"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered(LadderQuestion):
    """One of a list of answers that have an order, the lowest first; `scores` are what they are worth, 1, 2, … else.

    >>> import sfumato as sf
    >>> sf.Ordered(id="tired", text="How often are you tired?", answers=("never", "at times", "always")).values
    (1, 2, 3)
    """

    KIND: ClassVar[str] = "ordered"
    MODEL: ClassVar[str] = "ordered"
    HEADLINE: ClassVar[str] = "one of a list in order"
    KEYS: ClassVar = (
        texts_key("answers", "The answers in order, each once.", low=2, high=MOST_ORDERED, is_needed=True),
        Key(
            name="scores",
            words="What each answer is worth in the mean score; 1, 2, 3 and so on if left out.",
            read=as_numbers,
            schema={
                "type": "array",
                "items": {"description": "A score.", "type": ["number", "string"], "pattern": FRACTION_PATTERN},
                "minItems": 2,
                "maxItems": MOST_ORDERED,
            },
        ),
        ALIASES,
        EPSILON,
    )
    COMMENTS: ClassVar = {"answers": "in order, the lowest first"}

    answers: tuple[str, ...]
    scores: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", checked_list(self.answers, MOST_ORDERED))
        self._check()
        if self.scores is not None:
            scores = tuple(exact_number("scores", score) for score in self.scores)
            if len(scores) != len(self.answers) or len(set(scores)) < 2:
                raise InvalidParameter(
                    f"must be {len(self.answers)} numbers, one for each answer, and not all the same",
                    parameter="scores",
                    way_out="Write for instance [1, 2, 3], or leave it out.",
                )
            object.__setattr__(self, "scores", scores)

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def listed(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def values(self) -> tuple[Value, ...]:
        """The scores."""
        return tuple(range(1, len(self.answers) + 1)) if self.scores is None else self.scores

    @property
    def noun(self) -> str:
        """What the answers are."""
        return "answers in order"

    @classmethod
    def suits(cls, answers: str) -> bool:
        """Answers with < between, and no commas."""
        return _BETWEEN in answers and "," not in answers

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read a list in order."""
        separator = _BETWEEN if _BETWEEN in answers else ","
        return cls(id=name, text=text, answers=tuple(answer.strip() for answer in answers.split(separator)))

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it."""
        return LadderQuestion.entries(self)

    def describe(self) -> str:
        """Name the answers in their order, and what they are worth where that was declared."""
        worth = "" if self.scores is None else f" They count {', '.join(f'{float(s):g}' for s in self.scores)}."
        return f"{listed_answers(self.answers).replace('Answers:', 'Answers in order:')}{worth}"

    def page_asks(self) -> dict[str, Any]:
        """Return the answers in their order."""
        return {"type": "scale", "answers": list(self.answers)}

    def true_mean(self, held: Counter[str]) -> Truth | None:
        """Return the true shares and the true mean score; None if something is no answer."""
        if not held or not set(held) <= set(self.labels):
            return None
        given = {label: count for label, count in held.items() if label != NO_ANSWER}
        worth = dict(zip(self.answers, self.values, strict=True))
        mean = sum(worth[label] * count for label, count in given.items()) / max(1, sum(given.values()))
        return Truth(shares=tuple(held[label] / held.total() for label in self.labels), mean=float(mean))

    def mechanism(self, epsilons: Sequence[float]) -> Mechanism | None:
        """Return the one whose cumulative shares have the smaller error: the cyclic response, or the truth favoured."""
        size = len(self.labels)
        if size == 2:
            return None
        single = ArcResponse(size=size, odds=Fraction(2), length=1)
        best = [
            min(_noise(Ladder.within(size=size, epsilons=(e,)))[0], _noise(Ladder(single, (e,)))[0]) for e in epsilons
        ]
        made = (Ladder.within(size=size, epsilons=epsilons), Ladder(single, epsilons))
        cyclic, favoured = (max(x / least for x, least in zip(_noise(one), best, strict=True)) for one in made)
        return None if cyclic <= favoured else single

    def way(self, audience: Audience, declaration: str | None = None) -> OrderedWay:
        """Return how it is asked."""
        return OrderedWay(self, audience, declaration)


class OrderedWay(LadderWay):
    """How answers in order are asked by a ladder."""

    question: Ordered

    def __init__(self, question: Ordered, audience: Audience, declaration: str | None = None) -> None:
        LadderWay.__init__(self, question, audience, declaration)

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return shares, the mean score, the middle answer and the cumulative shares."""
        found = LadderWay.estimate(self, tally, reading)
        question = self.question
        rung = self.rung_at(reading.level)
        sums = cumulative_shares(
            ReportedShares(rung.channel(), tally.counts),
            question.choices,
            hides=question.hides,
            confidence=reading.confidence,
            told=tally.counts,
            rung=rung,
        )
        told = (median_answer(sums, question.choices), *cumulative_quantities(sums, question.choices))
        return replace(found, picture=Picture.ORDERED, quantities=(*found.quantities, *told))

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return that of a ladder, with the picture of a scale."""
        found = LadderWay.reckoning(self, level)
        return found and found | {"picture": Picture.ORDERED.value}

    def order_reckoning(self, level: int) -> dict[str, Any]:
        """Exact where a report is one of the answers."""
        told = None if self.question.hides else told_law(self.rung_at(level))
        return {"type": "answers", "told": told}


def _noise(ladder: Ladder) -> tuple[float, ...]:
    """Return the largest variance of a cumulative share, from one report of each level, where answers are even."""
    found = []
    for level in ladder.levels:
        channel = level.channel()
        rows, size = channel.array, channel.shape[0]
        scores = unbiased_weights(rows) @ np.triu(np.ones((size, size)))[:, :-1]
        seen = rows.mean(axis=0)
        found.append(float((seen @ scores**2 - (seen @ scores) ** 2).max()))
    return tuple(found)
