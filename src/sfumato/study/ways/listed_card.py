"""Asking one of a list with a card: an answer or silence, or a set that contains the answer, under a guess error.

A respondent draws unwatched and gives the report that the card says. There is one level and there are no keys; reports
may be collected on paper and typed in.   Theory: docs/theory/listed_survey.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from sfumato import measures
from sfumato.design import AnswerLimits, ListedSurvey, answer_or_silence, listed_survey, playable_list
from sfumato.design.cards import MOST_FACES
from sfumato.design.listed_surveys import checked_answers, checked_shares, silent_level
from sfumato.errors import InvalidParameter
from sfumato.infer import ManyReports, ReportedShares
from sfumato.mechanisms.linear import normal_estimate
from sfumato.study.audience import Audience
from sfumato.study.ways.answers import check_heading, checked_list
from sfumato.study.ways.base import FloatArray
from sfumato.study.ways.card import checked_max_epsilon
from sfumato.study.ways.cells import ALIASES, checked_aliases
from sfumato.study.ways.channel_way import CardedWay
from sfumato.study.ways.estimates import QuestionEstimate, Reading
from sfumato.study.ways.goals import checked_share
from sfumato.study.ways.keys import FRACTION_PATTERN, Key, as_numbers, as_text, number_key, texts_key, whole_key
from sfumato.study.ways.leaks import label_bits
from sfumato.study.ways.listed_card_plans import plan_listed_card
from sfumato.study.ways.plans import QuestionPlan
from sfumato.study.ways.question import Question
from sfumato.study.ways.share_differences import ReportedDifferences
from sfumato.study.ways.share_ranges import ShareRange
from sfumato.study.wording import exact_number
from sfumato.values import Tally
from sfumato.values.checks import check_between, check_integer
from sfumato.values.rounding import float_below

MOST_ANSWERS = 100
SILENCE, SETS = "silence", "sets"


def _shares_key(name: str, words: str) -> Key:
    return Key(
        name=name,
        words=words,
        read=as_numbers,
        schema={
            "type": "array",
            "items": {
                "description": "A positive number, or a fraction in quotes.",
                "type": ["number", "string"],
                "pattern": FRACTION_PATTERN,
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1,
            },
            "minItems": 2,
            "maxItems": MOST_ANSWERS,
        },
    )


OWN_KEYS = (
    number_key("guess_error", "Ask with a card: the best guess of an answer stays wrong at least this often.", 0, 1),
    _shares_key("guess_weights", "Of a card: how likely a guesser takes each answer to be; left out, all are alike."),
    _shares_key("expected_shares", "Of a card: the shares that you expect, for which the card is made."),
    number_key("max_epsilon", "Of a card: no report says more than this ε, in nats.", 0, 1000),
    Key(
        name="reports",
        words="Of a card: an answer or silence, or sets that contain the answer.",
        read=as_text,
        schema={"enum": [SILENCE, SETS]},
    ),
    whole_key("faces", "Of a card: make it playable with so many faces, such as 6, 20 or 1000.", 2, MOST_FACES),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCard(Question):
    """One of a list of answers, asked with a card: the best guess of an answer stays wrong at least `guess_error`.

    `reports` are "silence" (an answer, or “any”) or "sets" (the best for `expected_shares`); left out, silence, unless
    `max_epsilon` or the weights forbid it. A guesser takes answers to be as likely as `guess_weights` say.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> asked = sf.ListedCard(id="way", text="How?", answers=("train", "car", "foot"), guess_error=Fraction(1, 2))
    >>> asked.kind, asked.design().name
    ('one-of-many', 'answer or silence')
    """

    KIND: ClassVar[str] = "one-of-many"
    HEADLINE: ClassVar[str] = "one of a list"
    KEYS: ClassVar = (
        texts_key("answers", "The answers, each once.", low=2, high=MOST_ANSWERS, is_needed=True),
        ALIASES,
        *OWN_KEYS,
    )
    ONE_OF: ClassVar = ("guess_error",)
    NOT_HIDDEN: ClassVar = "is drawn by hand, and whoever does not answer draws nothing"

    answers: tuple[str, ...]
    guess_error: Fraction
    guess_weights: tuple[Fraction, ...] | None = None
    expected_shares: tuple[Fraction, ...] | None = None
    max_epsilon: Fraction | None = None
    reports: str | None = None
    faces: int | None = None

    def __post_init__(self) -> None:
        check_heading(self.id, self.text)
        object.__setattr__(self, "answers", checked_list(self.answers, MOST_ANSWERS))
        checked_answers(self.answers)
        object.__setattr__(self, "aliases", checked_aliases(self.aliases, self.answers.__contains__))
        object.__setattr__(self, "guess_error", checked_share("guess_error", self.guess_error))
        for name in ("guess_weights", "expected_shares"):
            if getattr(self, name) is not None:
                masses = tuple(exact_number(name, mass) for mass in getattr(self, name))
                object.__setattr__(self, name, checked_shares(name, masses, len(self.answers)))
        object.__setattr__(self, "max_epsilon", checked_max_epsilon(self.max_epsilon))
        if self.reports not in (None, SILENCE, SETS):
            raise InvalidParameter(
                f"must be {SILENCE!r} or {SETS!r}", parameter="reports", way_out="Leave it out for what is possible."
            )
        if self.faces is not None:
            check_between("faces", check_integer("faces", self.faces), 2, MOST_FACES)
        if self.reports == SILENCE and self.max_epsilon is not None:
            raise InvalidParameter(
                f"cannot be {SILENCE!r} with `max_epsilon`: an answer that is told is proved",
                parameter="reports",
                way_out=f"Write reports = {SETS!r}, or leave out `max_epsilon`.",
            )
        self.design()

    @property
    def limits(self) -> AnswerLimits:
        """What the card keeps."""
        return AnswerLimits.of(
            len(self.answers),
            guess_error=self.guess_error,
            weights=self.guess_weights,
            max_epsilon=None if self.max_epsilon is None else float_below(self.max_epsilon),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def listed(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def promises(self) -> bool:
        """A guess error is a promise."""
        return True

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The shares that are planned for: those expected, or equal ones."""
        return self.expected_shares or (Fraction(1, len(self.answers)),) * len(self.answers)

    @property
    def told_shares(self) -> ShareRange:
        """From the rarest to the most frequent answer, where that is declared."""
        if self.expected_shares is None or len(set(self.expected_shares)) == 1:
            return ShareRange.of_equal(len(self.answers))
        return ShareRange.stated(None, (min(self.expected_shares), max(self.expected_shares)))

    def design(self) -> ListedSurvey:
        """Return the survey, in whole faces when their number is given."""
        return _designed(self)

    def way(self, audience: Audience, declaration: str | None = None) -> ListedCardWay:
        """Return how it is asked."""
        del declaration
        return ListedCardWay(self, audience)

    @classmethod
    def is_meant(cls, keys: frozenset[str]) -> bool:
        """A card is meant as soon as one of its own keys is there."""
        return bool(keys & {key.name for key in OWN_KEYS})

    @classmethod
    def from_entries(cls, entries: dict[str, Any]) -> ListedCard:
        """Read it; a card needs its guess error."""
        if "guess_error" not in entries:
            given = next(key.name for key in OWN_KEYS if key.name in entries)
            raise InvalidParameter(
                "belongs to a card, which needs a `guess_error`",
                parameter=given,
                way_out="Give it, or promise by `epsilon` alone.",
            )
        return cls(**entries)


class ListedCardWay(CardedWay):
    """How such a card is asked: one level, no keys, reports that have names."""

    question: ListedCard

    def __init__(self, question: ListedCard, audience: Audience) -> None:
        super().__init__(question, audience, question.design())

    def plan(self) -> QuestionPlan:
        """Work the card out beside its rivals."""
        return plan_listed_card(self.question, self.levels, self.certificate())

    @property
    def report_words(self) -> str:
        """Say that a report is what the card said."""
        return (
            "what the card told the respondent to report: an answer, several of them, or “any”; a report proves "
            "nothing unless the certificate says so"
        )

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return the likeliest shares; unbiased ones beside them."""
        reading = reading.plain(self.question.id)
        counts, total, weights = np.array(tally.counts), tally.total, self.weights(1)
        raw = counts @ weights / total
        variances = (counts @ weights**2 / total - raw**2) / total
        found = normal_estimate(raw, variances, total=total, confidence=reading.confidence)
        return QuestionEstimate.of_shares(
            self.question,
            found,
            reading,
            epsilon=measures.epsilon(self.response),
            seen=ReportedShares(self.response, tally.counts),
            differences=ReportedDifferences(channel=lambda: self.response, counts=tally.counts),
        )

    def weights(self, level: int) -> FloatArray:
        """Return the weights that vary least when all answers are as frequent."""
        del level
        return self._weights

    @cached_property
    def _weights(self) -> FloatArray:
        return ManyReports(self.response, np.eye(self.report_count)).raw

    @property
    def answer_bits(self) -> Fraction:
        """Of the list of answers."""
        return label_bits(len(self.question.answers))


@lru_cache(maxsize=256)
def _designed(card: ListedCard) -> ListedSurvey:
    limits = card.limits
    wanted = card.reports or (SILENCE if silent_level(limits) is not None else SETS)
    if wanted == SILENCE:
        made = answer_or_silence(card.answers, guess_error=limits.guess_error, weights=limits.weights)
    else:
        made = listed_survey(
            card.answers,
            guess_error=limits.guess_error,
            weights=limits.weights,
            shares=card.shares,
            max_epsilon=None if card.max_epsilon is None else float_below(card.max_epsilon),
        )
    return made if card.faces is None else playable_list(made, faces=card.faces)
