"""Hunting for frequent texts: any short text, found byte by byte, everybody asked once.

Which prefixes a group is asked about follows from the reports of the groups before it, so the reports of all rows, in
their order, are all that a reader needs, and a part of them tells nothing.   Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import Any, ClassVar, Never

import numpy as np

from sfumato.certificates import Certificate, certify
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.words import Words
from sfumato.infer import FoundAnswers, PrefixHunt, string_keys
from sfumato.mechanisms import CyclicResponse
from sfumato.study.audience import Audience
from sfumato.study.ways.answers import check_heading
from sfumato.study.ways.base import BoolArray, IntArray, Way
from sfumato.study.ways.cells import ALIASES, checked_aliases
from sfumato.study.ways.drawing import Draw
from sfumato.study.ways.estimates import QuestionEstimate, Reading
from sfumato.study.ways.hunt_rounds import (
    FIRST,
    HuntDrawer,
    Prefixes,
    RoundTally,
    check_whole,
    found_texts,
    next_round,
)
from sfumato.study.ways.keys import EPSILON, whole_key
from sfumato.study.ways.plans import QuestionPlan, Said
from sfumato.study.ways.question import Question
from sfumato.study.wording import checked_epsilon
from sfumato.values import Interval
from sfumato.values.checks import check_between, check_integer
from sfumato.values.rounding import float_above, float_below

MOST_TEXT_BYTES = 32
MOST_KEPT = 1000
_KEY_CLAIMS = ("guess_error", "exposure", "epsilon")


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeText(Question):
    """Any short text of at most `longest` bytes; the frequent ones are found, letter by letter, up to `keep` of them.

    Each respondent is asked once, about the beginning of their text, so it has one level and no keys.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.FreeText(id="town", text="Where do you live?", longest=12, epsilon=Fraction(4)).kind
    'text'
    """

    KIND: ClassVar[str] = "text"
    HEADLINE: ClassVar[str] = "any short text"
    KEYS: ClassVar = (
        ALIASES,
        EPSILON,
        whole_key("longest", "No text is longer than so many bytes.", 1, MOST_TEXT_BYTES),
        whole_key("keep", "So many of the most frequent texts are looked for.", 1, MOST_KEPT),
    )
    COMMENTS: ClassVar = {"longest": "bytes", "keep": "so many of the most frequent are looked for"}
    NOT_HIDDEN: ClassVar = None

    epsilon: Fraction | None = None
    longest: int = 8
    keep: int = 20

    def __post_init__(self) -> None:
        check_heading(self.id, self.text)
        if self.epsilon is not None:
            object.__setattr__(self, "epsilon", checked_epsilon("epsilon", self.epsilon))
        object.__setattr__(self, "aliases", checked_aliases(self.aliases, dict(self.aliases).__contains__))
        check_between("longest", check_integer("longest", self.longest), 1, MOST_TEXT_BYTES)
        check_between("keep", check_integer("keep", self.keep), 1, MOST_KEPT)

    @property
    def labels(self) -> tuple[str, ...]:
        """None beforehand: they are what is looked for."""
        return ()

    @property
    def promises(self) -> bool:
        """By its own epsilon, if it has one."""
        return self.epsilon is not None

    def way(self, audience: Audience, declaration: str | None = None) -> HuntWay:
        """Return how it is asked."""
        del declaration
        return HuntWay(self, audience)


class HuntWay(Way):
    """How texts are hunted for: one level, no keys, reports that mean something only at their place."""

    by_position = True
    by_row: ClassVar[bool] = False

    def __init__(self, question: FreeText, audience: Audience) -> None:
        self.question: FreeText = question
        self.audience = audience
        wanted = [value for value in (audience.public_epsilon, question.epsilon) if value is not None]
        self._epsilon = min(wanted)
        # A byte a level, everybody asked once.
        self.hunt = PrefixHunt.within(
            key_bits=8 * question.longest, step_bits=8, keep=question.keep, epsilon=float_below(self._epsilon)
        )

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The public's, or the question's own if that is less."""
        return (float_above(self._epsilon),)

    @cached_property
    def _hardest(self) -> CyclicResponse:
        """The last round: as many candidates as are kept, each with all its next bytes."""
        return CyclicResponse.within(
            size=(self.question.keep << self.hunt.step_bits) + 1, epsilon=float_below(self._epsilon)
        )

    def plan(self) -> QuestionPlan:
        """Say how frequent a text must be to be found."""
        certificate, least = self.certificate(), self._least_share()
        return QuestionPlan(
            question=self.question,
            because=(
                f"Any text of up to {self.question.longest} bytes: the frequent ones are found byte by byte. The "
                f"respondents are divided into {self.hunt.levels} groups, each is asked about one more byte, everybody "
                f"once."
            ),
            words=(_found_words(least),),
            levels=self.levels,
            certificate=certificate,
            sentences=tuple(
                Said(sentence=claim.sentence) for claim in certificate.claims if claim.measure in _KEY_CLAIMS
            ),
            document={"epsilon": float(self._epsilon), "least_share": least},
        )

    def _least_share(self) -> float | None:
        people = self.audience.population
        if people is None or people < self.hunt.levels:
            return None
        rung = self._hardest
        reach = NormalDist().inv_cdf(1 - (1 - self.hunt.confidence) / (rung.size - 1))
        own, other = (float(p) for p in rung.probabilities)
        deviation = math.sqrt(other * (1 - other)) / (own - other)
        # Found half of the time by the threshold alone; so much more makes it nearly always.
        return min(1.0, (reach + 2) * deviation / math.sqrt(people / self.hunt.levels))

    def certificate(self) -> Certificate:
        """Return the claims about the hardest round; the others have the same odds."""
        return certify(self._hardest)

    def channel(self, level: int) -> Never:
        """Refuse: what a report says depends on the reports before it."""
        del level
        raise InvalidParameter(
            f"question {self.question.id!r} asks about what earlier reports suggest, so one report has no channel of "
            f"its own",
            way_out="Its certificate says what a report can tell.",
        )

    def form(self) -> Never:
        """Refuse: nobody is asked alone."""
        raise self._only_whole()

    def describe(self) -> str:
        """Say how long a text may be."""
        asked = self.question
        return f"A short text of at most {asked.longest} bytes; frequent ones are found, up to {asked.keep}."

    def read(self, column: Words) -> list[int]:
        """Return the answers as the keys of a hunt; empty or too long ones are refused by their row."""
        known: dict[int, int] = {}
        for code, text in enumerate(column.texts):
            if not 0 < len(text.encode(errors="replace")) <= self.question.longest or "\0" in text:
                row = column.row(np.flatnonzero(column.codes == code)[0])
                raise UnreadableFile(
                    f"column {self.question.id}, row {row} is empty or has more than {self.question.longest} bytes",
                    way_out="Shorten it, or raise longest in the study.",
                )
            known[code] = string_keys([text], max_bytes=self.question.longest)[0]
        return [known[code] for code in column.codes.tolist()]

    def with_nobody(self, answers: list[int], answered: BoolArray) -> list[int | None]:
        """Put nothing where there is no text: whatever prefixes are offered, it begins with none of them."""
        texts = iter(answers)
        return [next(texts) if there else None for there in answered.tolist()]

    def hidden_price(self) -> float:
        """Nothing: every round has a report for those whose text begins with none of the prefixes."""
        return 1.0

    def drawer(self, draw: Draw) -> HuntDrawer:
        """Go through the rounds, one group after another, or draw under rounds that are known."""
        return HuntDrawer(self.hunt, draw)

    def next_rounds(self, rows: int, asked: tuple[Prefixes, ...] | None, tally: Any) -> tuple[Prefixes, ...] | None:
        """Begin, or go on with what the reports of the last round say; None when nothing is left to be asked."""
        if asked is None:
            self.hunt.group(rows, 0)  # refuses too few
            return FIRST
        if len(asked) == self.hunt.levels:
            return None
        found = next_round(self.hunt, tally, asked)
        return found if found[-1] else None

    @property
    def report_labels(self) -> None:
        """None: a report is a number whose meaning depends on its round."""
        return

    @property
    def report_words(self) -> str:
        """Say that numbers are symbols of a round."""
        return (
            "a symbol of the round that the row's place belongs to, not an answer; the texts are found from all rows "
            "together, in their order"
        )

    @property
    def report_count(self) -> int:
        """Of the hardest round."""
        return self._hardest.modulus

    def tally(
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> RoundTally:
        """Count reports round by round; a part of them cannot be read."""
        del level
        if not isinstance(positions, int) or counts is not None:
            raise self._only_whole()
        return RoundTally.of(reports, positions, rounds=self.hunt.levels, reports_known=self.report_count)

    def estimate(self, tally: RoundTally, reading: Reading) -> QuestionEstimate:
        """Find the frequent texts."""
        if reading.plain(self.question.id).group is not None:
            raise self._only_whole()
        check_whole(tally)
        texts, found = found_texts(self.hunt, tally, max_bytes=self.question.longest, confidence=reading.confidence)
        shares, raw, errors, ends = ((), (), (), ()) if found is None else _columns(found)
        return QuestionEstimate(
            question=self.question,
            group=None,
            level=reading.level,
            epsilon=float(self._epsilon),
            labels=texts,
            shares=shares,
            raw=raw,
            standard_errors=errors,
            intervals=ends,
            confidence=reading.confidence,
            together=reading.confidence,
            total=tally.total,
            method="frequent texts, found byte by byte; shares of found texts tend high, and intervals allow for it",
            notes=() if texts else ("No text is surely frequent; ask more people, or raise epsilon.",),
        )

    def truth(self, held: Counter[str]) -> None:
        """There is nothing to compare answer by answer."""
        del held

    @property
    def answer_bits(self) -> Fraction:
        """Texts of every length up to the longest."""
        return Fraction(8 * self.question.longest) + 1

    def _only_whole(self) -> InvalidParameter:
        return InvalidParameter(
            f"question {self.question.id!r} is for free text, which is found from all reports together",
            way_out="Leave it out of groups and parts: name the other questions.",
        )


def _columns(found: FoundAnswers) -> tuple[Any, Any, Any, Any]:
    """Return shares, unbiased shares, standard errors and intervals."""
    raw, errors = tuple(found.raw.tolist()), tuple(found.standard_errors.tolist())
    ends = tuple(map(Interval, found.lower.tolist(), found.upper.tolist()))
    return tuple(np.clip(found.raw, 0.0, 1.0).tolist()), raw, errors, ends


def _found_words(least: float | None) -> str:
    if least is None:
        return "Give the study a population to learn how frequent a text must be to be found."
    if least >= 1:
        return "With so few respondents nothing is found. Ask more, raise epsilon, or shorten the texts."
    return f"A text is nearly always found if about {100 * least:.2g} % of the respondents give it."
