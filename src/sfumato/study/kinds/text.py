"""Questions with free text, whose frequent answers are found by prefix.

The prefixes that a group is asked about follow from the reports of the groups before it. So a reader needs the reports
of all rows, in their order, and a part of them is not enough.   Theory: docs/theory/heavy_hitters.md
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import Any, ClassVar, Never, cast

import numpy as np
import numpy.typing as npt

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify
from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words
from sfumato.inference.heavy_hitters import FamilyCut, FoundAnswers, PrefixSearch, found_answers, key_text, string_keys
from sfumato.inference.results import QuestionEstimate, Reading
from sfumato.keys.digests import NOTHING
from sfumato.ladders.drawing import bits_of_block, blocks_within
from sfumato.mechanisms.cyclic import CyclicResponse
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.intervals import Interval, float_above, float_below
from sfumato.sampling.mechanism import Tally
from sfumato.study.cells import ALIASES, check_heading, checked_aliases
from sfumato.study.fields import EPSILON, checked_epsilon, whole_key
from sfumato.study.handler import BoolArray, Draw, Drawer, Handler, IntArray
from sfumato.study.question import Question
from sfumato.study.question_plans import QuestionPlan, Said
from sfumato.study.readers import Audience

# --- Rounds of a heavy-hitter search
# The row with number n is asked in round n modulo the number of rounds, about the prefixes that the reports of earlier
# rounds suggest. The reports are all that a reader needs: counting them round by round finds the same prefixes, and the
# same texts at the end.


Prefixes = tuple[int, ...]

FIRST: tuple[Prefixes, ...] = ((0,),)
"""What the first round is asked about: the empty prefix."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundTally:
    """How often each report was given in each round, by the rows from `first` up to `last`; `empty` ones gave none."""

    counts: IntArray
    first: int
    last: int
    empty: int = 0

    @classmethod
    def of(cls, reports: IntArray, first: int, *, rounds: int, reports_known: int) -> RoundTally:
        """Count reports of rows that follow one another; `NOTHING` stands where there is none."""
        asked = np.arange(first, first + reports.size) % rounds
        there = reports != NOTHING
        found = np.bincount(asked[there] * reports_known + reports[there], minlength=rounds * reports_known)
        return cls(
            counts=found.reshape(rounds, reports_known),
            first=first,
            last=first + reports.size - 1,
            empty=int(reports.size - there.sum()),
        )

    @property
    def total(self) -> int:
        """The number of reports."""
        return int(self.counts.sum())

    @property
    def is_whole(self) -> bool:
        """Whether no row is missing, from the very first."""
        return self.first == 0 and self.last + 1 == self.total + self.empty

    def __add__(self, other: RoundTally) -> RoundTally:
        return RoundTally(
            counts=self.counts + other.counts,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            empty=self.empty + other.empty,
        )


class TextDrawer(Drawer):
    """Makes the reports of a heavy-hitter search: round after round from all answers, or under known rounds."""

    def __init__(self, hunt: PrefixSearch, draw: Draw) -> None:
        self._hunt, self._draw = hunt, draw

    def draw(self, answers: Any, numbers: IntArray, filled: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[Any]:
        """Return one report for each answer; when no prefix is left, the rest report 0."""
        numbers = numbers if filled is None else numbers[filled]
        if self._draw.rounds is not None:
            return self._under(answers, numbers, self._draw.rounds)
        self._hunt.group(len(answers), 0)  # refuses too few
        reports = np.zeros(numbers.size, dtype=np.uint32)
        asked = FIRST
        for level in range(self._hunt.levels):
            if not asked[level]:
                break
            places, drawn = self._round(answers, numbers, asked[level], level)
            if not places.size:
                raise nobody_asked(level)
            reports[places] = drawn
            mechanism = self._hunt.mechanism(asked[level], level)
            asked += (self._hunt.survivors(mechanism.estimate(mechanism.tally(drawn)), asked[level], level),)
        return reports

    def _under(self, answers: Any, numbers: IntArray, asked: Sequence[Prefixes]) -> npt.NDArray[np.uint32]:
        reports = np.zeros(numbers.size, dtype=np.uint32)
        for level, prefixes in enumerate(asked[: self._hunt.levels]):
            if prefixes:
                places, drawn = self._round(answers, numbers, prefixes, level)
                reports[places] = drawn
        return reports

    def _round(self, answers: Any, numbers: IntArray, prefixes: Prefixes, level: int) -> tuple[IntArray, Any]:
        """Return the places of the rows that are asked in a round, and their reports."""
        hunt, secret = self._hunt, self._draw.secret
        places = np.flatnonzero(numbers % hunt.levels == level)
        mechanism = hunt.mechanism(prefixes, level)
        values = self._values([answers[place] for place in places.tolist()], prefixes, level)
        if not places.size:
            return places, np.empty(0, dtype=np.uint32)
        if secret is None:
            return places, mechanism.privatize(values, self._draw.bits)
        pieces = [
            mechanism.privatize(values[start:stop], bits_of_block(secret, block, level))
            for block, start, stop in blocks_within(numbers[places])
        ]
        return places, np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint32)

    def _values(self, held: list[int | None], prefixes: Prefixes, level: int) -> IntArray:
        """Return what is reported on; who gave no text is among those whose text begins with none of the prefixes."""
        found = np.full(len(held), len(_offered(self._hunt, prefixes, level)), dtype=np.int64)
        there = [place for place, key in enumerate(held) if key is not None]
        if there:
            texts = [key for key in held if key is not None]
            found[there] = self._hunt.level_values(texts, prefixes, level)
        return found


def nobody_asked(level: int) -> InvalidParameter:
    """Return the refusal of a round without anybody."""
    return InvalidParameter(
        f"too few people gave a text: nobody is left for round {level + 1}",
        way_out="Ask more people, or shorten the texts.",
    )


def next_round(hunt: PrefixSearch, tally: RoundTally, asked: tuple[Prefixes, ...]) -> tuple[Prefixes, ...]:
    """Return what all rounds are asked about, with one more: what the reports of the last of them suggest."""
    level = len(asked) - 1
    if not tally.counts[level].any():
        raise nobody_asked(level)
    estimate = _estimate(hunt, tally, asked[level], level)
    return (*asked, hunt.survivors(estimate, asked[level], level))


def found_texts(
    hunt: PrefixSearch, tally: RoundTally, *, max_bytes: int, confidence: float
) -> tuple[tuple[str, ...], FoundAnswers | None]:
    """Return the texts found, largest share first, and what the last round says of each; nothing of nothing.

    The rounds before chose what the last one offers, and other people are asked in it: so its hits are binomial, and
    the cut and the intervals over all that it offers hold for the texts that were picked out as well.
    """
    candidates: Prefixes = (0,)
    for level in range(hunt.levels - 1):
        candidates = hunt.survivors(_estimate(hunt, tally, candidates, level), candidates, level)
        if not candidates:
            return (), None
    last = hunt.levels - 1
    offered, estimate = _offered(hunt, candidates, last), _estimate(hunt, tally, candidates, last)
    own, other = cast("CyclicResponse", hunt.mechanism(candidates, last)).probabilities
    error = Fraction(str(round(1 - hunt.confidence, 9)))
    rule = FamilyCut(size=len(offered), n=estimate.total, own=own, other=other, error=error)
    hits = np.rint(rule.n * (float(other) + float(own - other) * np.array(estimate.raw[: len(offered)])))
    found = found_answers(hits, rule, confidence=confidence, most=hunt.keep)
    return tuple(key_text(offered[place], max_bytes=max_bytes) for place in found.places.tolist()), found


def check_whole(tally: RoundTally) -> None:
    """Refuse a part of the reports."""
    if not tally.is_whole:
        raise InvalidParameter(
            "reports that are read only together do not follow one another",
            way_out="Read the whole of one part, without selecting rows.",
        )


def _estimate(hunt: PrefixSearch, tally: RoundTally, candidates: Prefixes, level: int) -> Any:
    mechanism = hunt.mechanism(candidates, level)
    counts, known = tally.counts[level], len(mechanism.tally([0]).counts)
    if counts[known:].any():
        raise UnreadableFile(
            "a report was never one of its round: reports were changed, or another study is theirs",
            way_out="Ask for the file again.",
        )
    counted = Tally(mechanism=mechanism.name, counts=tuple(counts[:known].tolist()))
    return mechanism.estimate(counted)


def _offered(hunt: PrefixSearch, candidates: Prefixes, level: int) -> list[int]:
    step = hunt.depth(level) - level * hunt.step_bits
    return [(candidate << step) | rest for candidate in candidates for rest in range(1 << step)]


MOST_TEXT_BYTES = 32
MOST_KEPT = 1000
_KEY_CLAIMS = ("guess_error", "exposure", "epsilon")


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeText(Question):
    """Any short text of at most `longest` bytes; up to `keep` frequent ones are found by growing prefixes.

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

    def handler(self, audience: Audience, declaration: str | None = None) -> TextHandler:
        """Return how it is asked."""
        del declaration
        return TextHandler(self, audience)


class TextHandler(Handler):
    """How texts are hunted for: one level, no keys, reports that mean something only at their place."""

    by_position = True
    by_row: ClassVar[bool] = False

    def __init__(self, question: FreeText, audience: Audience) -> None:
        self.question: FreeText = question
        self.audience = audience
        wanted = [value for value in (audience.public_epsilon, question.epsilon) if value is not None]
        self._epsilon = min(wanted)
        # A byte a level, everybody asked once.
        self.hunt = PrefixSearch.within(
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
        """Refuse: prefixes depend on the reports of others."""
        raise self._only_whole()

    def describe(self) -> str:
        """Say how long a text may be."""
        asked = self.question
        return f"A short text of at most {asked.longest} bytes; frequent ones are found, up to {asked.keep}."

    def read(self, column: Words) -> list[int]:
        """Return the answers as keys of the search; empty or too long ones are refused by their row."""
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

    def drawer(self, draw: Draw) -> TextDrawer:
        """Go through the rounds, one group after another, or draw under rounds that are known."""
        return TextDrawer(self.hunt, draw)

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
        self,
        reports: IntArray,
        level: int,
        *,
        positions: int | IntArray = 0,
        counts: IntArray | None = None,
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
