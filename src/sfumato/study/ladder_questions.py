"""Questions that are asked through a ladder, their handlers, and sealed columns beside their reports.

Levels are the analysts' epsilons and the public's, cut at the question's own ceiling. The ladder chooses the mechanism.
Theory: docs/theory/ladders.md
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify
from sfumato.errors import InvalidParameter
from sfumato.files.columns import Words
from sfumato.files.tables import with_gaps
from sfumato.inference.estimates import ReportedShares
from sfumato.inference.likelihood import MOST_LIKELIEST
from sfumato.inference.quantities import Picture
from sfumato.inference.results import (
    MemberDifferences,
    QuestionEstimate,
    Reading,
    ReportedDifferences,
    ShareDifferences,
    among_answering,
    mean_of_shares,
)
from sfumato.inference.shares import share_weights
from sfumato.keys.digests import NOTHING, positions_of
from sfumato.ladders.drawing import LevelDraws, blank_key, check_drawn, check_keys, draw_keys, shifts_at
from sfumato.ladders.keys import Key, Seed
from sfumato.ladders.ladder import Ladder, made_rows, undone_rows
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.ladders.sealed_column import MOST_SEALED, SealedAnswers
from sfumato.numbers.intervals import float_above
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel
from sfumato.sampling.mechanism import Mechanism, Tally
from sfumato.sampling.rows import RowArray, RowSource, RowWords
from sfumato.sampling.sources import Guarantee
from sfumato.study.cells import NO_ANSWER, NOBODY, Cells, SymbolArray, check_heading, checked_aliases, positions
from sfumato.study.channel_questions import estimate_two
from sfumato.study.fields import checked_epsilon, sealed_name
from sfumato.study.goals import DEFAULT_CONFIDENCE, DEFAULT_HALF_WIDTH
from sfumato.study.handler import (
    ROUNDED,
    BoolArray,
    Draw,
    Drawer,
    FloatArray,
    FormPart,
    Handler,
    IntArray,
    LadderReckoning,
    OnDevice,
    label_bits,
)
from sfumato.study.ladder_planning import best_ladder, declared_ladder, hidden_price, plan_ladder, promised_levels
from sfumato.study.question import Question, listed_answers
from sfumato.study.question_plans import Compared, QuestionPlan
from sfumato.study.readers import Analyst, Audience
from sfumato.study.recovery import Recovering, label_column

if TYPE_CHECKING:
    from sfumato.inference.results import Truth


# --- Drawing the reports of a ladder
# Chunk by chunk of a part, under new draws or those of keys. The draws of a row under a seed depend only on its part
# and its number there.


Placed = Callable[[IntArray, str], int | IntArray]
"""The positions of rows of a part."""
_UNKNOWN = 1  # how many rows there are is known at the end


class LadderDrawer(Drawer):
    """Draws for one question of one part."""

    def __init__(self, question: LadderQuestion, ladder: Ladder, draw: Draw, placed: Placed) -> None:
        self._question, self._ladder, self._draw, self._placed = question, ladder, draw, placed
        self._keys: Mapping[int, Key] = {}
        self._levels: LevelDraws | None = None
        self._place = 0
        if draw.keys is not None:
            check_keys(draw.keys, ladder.declaration, draw.binding)
            self._keys = {level: replace(key, drawing=draw.part) for level, key in draw.keys.items()}
            return
        blank = blank_key(ladder.declaration, _UNKNOWN, draw.bits, draw.binding, drawing=draw.part)
        self._draw_afresh(blank)

    def _draw_afresh(self, blank: Key) -> None:
        ladder, draw = self._ladder, self._draw
        if draw.secret is not None and not ladder.key_levels:
            self._keys = {0: replace(blank, guarantee=Guarantee.COMPUTATIONAL, material=Seed(draw.secret))}
        elif draw.guarantee is Guarantee.INFORMATION_THEORETIC or not ladder.key_levels:
            held = replace(blank, guarantee=draw.bits.guarantee)
            self._keys = self._typed({level: replace(held, level=level) for level in ladder.key_levels})
            self._levels = LevelDraws(ladder.steps, draw.bits)
            if draw.store is not None:
                draw.store.begin(self._keys)
        else:
            self._keys = self._typed(draw_keys(blank, ladder.steps, draw.bits, guarantee=draw.guarantee))

    def _typed(self, keys: Mapping[int, Key]) -> Mapping[int, Key]:
        """Let the registrar's key, and no other, know the type that answers have in their table."""
        return {level: key if level else replace(key, answers=self._draw.answers) for level, key in keys.items()}

    def draw(self, answers: Any, numbers: IntArray, filled: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[Any]:
        """Make a report for each answer; a row that is not filled has its draw all the same, so that places stay."""
        shifts = self._shifts(numbers)
        rows = numbers if filled is None else numbers[filled]
        if not rows.size:
            return np.empty(0, dtype=np.int64)

        def words(answered: npt.NDArray[np.bool_] | None) -> RowWords:
            which = rows if answered is None else rows[answered]
            return rounding_words(self._question.id, self._draw.part, which)

        symbols = self._question.symbols(answers, words)
        drawn = shifts if filled is None else shifts[filled]
        return made_rows(self._ladder, symbols, drawn, self._placed(rows, self._draw.base))

    def _shifts(self, numbers: IntArray) -> npt.NDArray[Any]:
        place, self._place = self._place, self._place + numbers.size
        if self._levels is None:
            check_drawn(self._keys[0], self._place, is_all=False)
            return shifts_at(self._keys[0], self._ladder.steps, numbers, np.arange(place, self._place))
        drawn = self._levels.next(numbers.size)
        if self._draw.store is not None:
            for level in self._ladder.key_levels:
                self._draw.store.append(level, drawn[level])
        return drawn[0]

    @property
    def top(self) -> Key | None:
        """The key of level 0, where there are keys."""
        return self._keys.get(0) if self._draw.keys is not None or self._ladder.key_levels else None

    def keys(self, rows: int) -> Mapping[int, Key]:
        """Return the keys of the ladder's levels; of fresh true draws without what they hold."""
        handed = self._ladder.key_levels
        if self._draw.keys is not None:
            check_drawn(self._keys[0], rows, is_all=True)
        return {
            level: replace(key, start=0, stop=rows, total=rows) for level, key in self._keys.items() if level in handed
        }


def rounding_words(question: str, part: str, numbers: RowArray) -> RowWords:
    """Return what counts are rounded with: words of the rows, fixed by question, part and row number.

    So publishing again makes the same reports, in whatever pieces. Rounding need not be secret: whatever it is, the
    ladder after it keeps its ε; it must only not depend on answers.
    """
    return RowWords(sha256(f"sfumato rounding {part} {question}".encode()).digest(), numbers)


# --- Ladder questions on a page
# A report is the symbol of the answer, moved by all steps; the shift of level j is the sum of the steps below it.


class LadderForm(OnDevice):
    """Hands out a ladder."""

    question: LadderQuestion

    @property
    def ladder(self) -> Ladder:
        """The ladder."""
        raise NotImplementedError

    def form(self) -> FormPart:
        """Hand out the steps, the first of them first, and where answers stand that are not their own symbols."""
        asked, ladder = self.question, self.ladder
        if ladder.by_position:
            raise InvalidParameter(
                f"question {asked.id!r} asks each row something else by its number, which no device knows",
                way_out="Ask everybody the same: leave out random_bits, ask about all options (ask), or say in "
                "[collect] that devices answer.",
            )
        nobody = {"nobody": asked.nobody} if asked.hides else {}
        places = ladder.levels[0].truths(np.arange(ladder.size)).tolist()
        moved = {} if places == list(range(ladder.size)) else {"places": places}
        draw = {
            "type": ladder.group.name,
            "modulus": ladder.modulus,
            "levels": list(ladder.key_levels),
            **moved,
            "steps": [step.document() for step in ladder.steps],
        }
        return FormPart(asks={**asked.page_asks(), **nobody}, draw=draw, odds=ladder.odds)


# --- Estimates from reports of a ladder
# Shares of the answers, the mean of numbers, and shares among those who answer.


def estimate_ladder(handler: LadderHandler, tally: Tally, reading: Reading) -> QuestionEstimate:
    """Return shares, and the mean of numbers."""
    question, ladder, rung = handler.question, handler.ladder, handler.rung_at(reading.level)
    values = question.values
    if ladder.size == 2:
        ends = None if values is None else (float(values[0]), float(values[-1]))
        found_two = estimate_two(question, rung.channel().to_dense(), tally, reading, values=ends)
        return found_two if values is None else _of_numbers(question, found_two)
    counted = Tally(mechanism=rung.name, counts=tally.counts, reports=tally.reports)
    found = rung.estimate(counted, confidence=reading.plain(question.id).confidence)
    shows_likeliest = not ladder.by_position and len(found.raw) <= MOST_LIKELIEST
    differences: ShareDifferences = ReportedDifferences(channel=rung.channel, counts=tally.counts)
    if handler.by_number:
        differences = MemberDifferences(mechanism=rung, tally=counted)
    epsilon = math.log(rung.odds)
    # Of so many answers that masks are counted, no shares among those who answer are shown.
    if handler.by_number or not (shows_likeliest or question.hides or values is not None):
        return QuestionEstimate.of_shares(question, found, reading, epsilon=epsilon, differences=differences)
    seen = ReportedShares(rung.channel(), tally.counts)
    shown = QuestionEstimate.of_shares(
        question,
        found,
        reading,
        epsilon=epsilon,
        seen=seen if shows_likeliest else None,
        quantities=among_answering(question, seen, reading.confidence)
        if question.hides
        else mean_of_shares(seen, values, reading.confidence),
        differences=differences,
    )
    return shown if values is None else _of_numbers(question, shown)


def _of_numbers(question: LadderQuestion, found: QuestionEstimate) -> QuestionEstimate:
    """Say of what the shares are, where answers are numbers that may be rounded."""
    words = question.shares_of
    notes = (ROUNDED.format(words=words),) if words else ()
    return replace(found, picture=Picture.NUMBERS, shares_of=words, notes=(*found.notes, *notes))


# --- Recovery by the registrar


class LadderRecovering(Recovering):
    """A question asked by a ladder: its key of level 0 undoes the noise, and sealed answers are beside what rounds."""

    question: LadderQuestion
    audience: Audience

    @property
    def ladder(self) -> Ladder:
        """The ladder."""
        raise NotImplementedError

    @cached_property
    def sealed(self) -> SealedHandler | None:
        """The column that gives rounded answers back, where there are not too many to be sealed."""
        count = self.unrounded if self.audience.recover else None
        if count is None or too_many(count + self.question.hides):
            return None
        return SealedHandler(cast("LadderHandler", self), count)

    @property
    def unrounded(self) -> int | None:
        """How many answers there are, where a report without its noise discloses less; else None."""
        return self.question.unrounded

    @property
    def not_recovered(self) -> str | None:
        """Why not: there is no key, or there are too many answers to seal."""
        if not self.ladder.recover_answers:
            return super().not_recovered
        return None if self.unrounded is None else too_many(self.unrounded + self.question.hides)

    @property
    def gives_rounded(self) -> bool:
        """Unless a report is about a part of the answer."""
        return self.ladder.outline.gives_answers

    def answer_columns(self, values: IntArray, *, as_text: bool = False, kind: str = "") -> dict[str, Any]:
        """Return what reports say without their noise, as columns of a table."""
        there = values != NOTHING
        if self.question.hides:
            there &= values != self.question.nobody
        return self._columns(np.where(there, values, 0), there, as_text=as_text, kind=kind)

    def _columns(self, places: IntArray, there: npt.NDArray[np.bool_], *, as_text: bool, kind: str) -> dict[str, Any]:
        found = self.question.rounded_back(places, as_text=as_text, kind=kind)
        return {name: with_gaps(column, there) for name, column in found.items()}


# A channel no larger than this carries the labels of answers and reports.
_MOST_LABELLED = 1 << 16
_TRUE_DRAWS = (
    "The claims are about true draws, and then hold against any reader, whatever they can compute. Keys that were "
    "expanded from a seed (guarantee “computational”) protect as much against readers who cannot break the cipher, and "
    "against no others. The reports do not say which was used; the key files do."
)


class LadderHandler(LadderForm, LadderReckoning, LadderRecovering, Handler):
    """How a question is asked by a ladder."""

    def __init__(self, question: LadderQuestion, audience: Audience, declaration: str | None = None) -> None:
        self.question: LadderQuestion = question
        self.audience = audience
        self._declared = declaration

    @cached_property
    def _levels(self) -> tuple[Fraction, ...]:
        """The epsilons of the levels, sharpest first."""
        return promised_levels(self.question.epsilon, self.audience)

    @cached_property
    def ladder(self) -> Ladder:
        """The ladder: as declared with the reports, or the best for the levels."""
        if self._declared is not None:
            return declared_ladder(self.question, self.epsilons, self._declared)
        return best_ladder(self.question, self._levels, self.audience)

    @property
    def declaration(self) -> str:
        """The ladder, spelled out."""
        return self.ladder.declaration

    @property
    def by_position(self) -> bool:  # type: ignore[override]
        """Whether each place is asked another question about the answer, and only all of them determine it."""
        return self.ladder.by_position and not self.by_number

    @property
    def by_number(self) -> bool:  # type: ignore[override]
        """Whether a report is read with the number of its row."""
        return self.ladder.levels[0].by_number

    @property
    def epsilons(self) -> tuple[float, ...]:
        """What was promised at each level; the ladder keeps a little less."""
        return tuple(float_above(level) for level in self._levels)

    @property
    def key_levels(self) -> tuple[int, ...]:
        """All levels but the public one, and 0 where answers come back."""
        return self.ladder.key_levels

    def level_of(self, analyst: Analyst) -> int:
        """Return the level of the analyst's epsilon, or of the question's ceiling."""
        ceiling = self.question.epsilon
        return self._levels.index(analyst.epsilon if ceiling is None else min(analyst.epsilon, ceiling)) + 1

    def plan(self) -> QuestionPlan:
        """Work out who sees what, and what it costs."""
        return plan_ladder(self)

    def certificate(self) -> Certificate:
        """Return the claims about the ladder."""
        return certify(self.ladder, readers=self.key_readers)

    def exact_epsilon(self, level: int) -> float:
        """Return the ε that a level really has, which is a little less than what was promised."""
        return math.log(self.rung_at(level).odds)

    def channel(self, level: int) -> AnyChannel:
        """Return the channel of a level: from answers to reports, with their labels while it is small."""
        if level == 0:
            raise InvalidParameter(
                f"question {self.question.id!r} stands at its answers here, which no channel hides",
                way_out="Take the public reports, or opened ones.",
            )
        found = self.ladder.levels[level - 1].channel()
        if found.shape[0] * found.shape[1] > _MOST_LABELLED:
            return found
        dense = found.to_dense()
        # Where a report is no answer, the channel knows what its outputs are.
        return Channel(dense.rows, self.question.labels, self.report_labels or dense.outputs)

    def describe(self) -> str:
        """Name the answers."""
        return self.question.describe()

    def limits(self) -> tuple[str, ...]:
        """Say against whom keys protect, and what the question adds."""
        return (_TRUE_DRAWS, *self.question.limits())

    def read(self, column: Words) -> SymbolArray:
        """Return answers that are checked, and rounded only when the draws are known."""
        return self.question.places(column)

    def with_nobody(self, answers: SymbolArray, answered: BoolArray) -> SymbolArray:
        """Mark rows without an answer; they are given the last symbol when reports are drawn."""
        found = np.full(answered.size, NOBODY, dtype=np.int64)
        found[answered] = answers
        return found

    def hidden_price(self) -> float | None:
        """Compare the public level with and without one more answer, each with its best ladder."""
        return hidden_price(self.question, self._levels, self.audience)

    def drawer(self, draw: Draw) -> LadderDrawer:
        """Make reports under new keys, or under those that were drawn before."""
        return LadderDrawer(self.question, self.ladder, draw, self.placed)

    def opened(self, reports: IntArray, key: Key, numbers: IntArray, places: IntArray) -> IntArray:
        """Undo the steps below the key's level, or all of them."""
        if not self.key_levels:
            raise self.without_keys()
        return undone_rows(self.ladder, reports, key, numbers, places, positions_of(numbers))

    def undone_by(self, reports: IntArray, shifts: IntArray, level: int) -> BoolArray:
        """At a level every report is a report; the shifts of level 0 must lead to an answer."""
        if level > 0:
            return super().undone_by(reports, shifts, level)
        symbols = self.ladder.group.moved_back(reports, shifts).astype(np.int64)
        found: BoolArray = self.ladder.levels[0].answers(symbols) >= 0
        return found

    @cached_property
    def _says_answers(self) -> bool:
        """Whether a report is one of the answers."""
        return self.ladder.levels[0].says_answers

    @cached_property
    def report_labels(self) -> tuple[str, ...] | None:
        """The answers, where a report is one."""
        return self.question.labels if self._says_answers else None

    @property
    def report_numbers(self) -> tuple[int, ...] | None:
        """The values of the scale, where a report is one and each of them is a number."""
        return self.question.whole_values if self._says_answers and not self.question.hides else None

    @property
    def report_words(self) -> str:
        """Say whether a report is an answer."""
        if self._says_answers:
            return "one of the answers, not always the respondent's own"
        return self.ladder.levels[0].report_words(self.question.noun)

    @property
    def report_count(self) -> int:
        """Of the level that has the most."""
        return max(level.report_count for level in self.ladder.levels)

    def tally(
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> Tally:
        """Count reports as the level's mechanism does."""
        if counts is not None:
            if self.ladder.by_position:
                raise self._no_groups()
            found: Tally = super().tally(reports, level, counts=counts)
            return found
        return self.rung_at(level).tally(reports, positions)

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return shares, and the mean of a count."""
        if reading.level == 0:
            raise self._are_answers()
        if self.by_position and self.ladder.size > 2 and reading.group is not None:
            raise self._no_groups()
        return estimate_ladder(self, tally, reading)

    def weights(self, level: int) -> FloatArray:
        """Return the weights of the level's mechanism."""
        if level == 0:
            raise self._are_answers()
        rung = self.rung_at(level)
        found = share_weights(rung.channel().to_dense()) if self.ladder.size == 2 else rung.weights()
        if found is None:
            raise self.without_weights()
        return found

    def share_deviation(self, level: int, share: float) -> float | None:
        """Return that of the level's mechanism."""
        return self.rung_at(level).share_deviation(share)

    def truth(self, held: Counter[str]) -> Truth | None:
        """Return the true mean of a count, or the true shares."""
        if self.question.values is None:
            return super().truth(held)
        found = self.question.true_mean(held)
        if found is None:
            raise self.no_answers()
        return found

    @property
    def answer_bits(self) -> Fraction:
        """Of all answers, also where few values of them are reported."""
        return label_bits(self.question.answer_count)

    def rung_at(self, level: int) -> LevelMechanism:
        """Return a level of the ladder."""
        return self.ladder.levels[level - 1]

    def _are_answers(self) -> InvalidParameter:
        return InvalidParameter(f"column {self.question.id} holds answers, not reports", way_out="Count them.")

    def _no_groups(self) -> InvalidParameter:
        return InvalidParameter(
            f"question {self.question.id!r} asks each position another question, so groups cannot be read from its "
            f"reports",
            way_out="Estimate without groups, or drop random_bits from the study.",
        )


# --- Handlers of ladder questions with a list of answers
# A key shows the same report at a sharper level.


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

    def handler(self, audience: Audience, declaration: str | None = None) -> LadderHandler:
        """Return how it is asked."""
        return LadderHandler(self, audience, declaration)

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
        """How many answers there are, where reports say less than the answer even without their noise; else None."""
        return None

    def given_back(self, places: SymbolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        """Return answers, by their `places`, as columns of a table."""
        return {self.id: label_column(places, self.choices, "" if as_text else kind)}

    def rounded_back(self, symbols: SymbolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        """Return what reports say without their noise as columns of a table: the answers, or what they round to."""
        return self.given_back(symbols, as_text=as_text, kind=kind)

    def true_mean(self, held: Counter[str]) -> Truth | None:
        """Return the true mean where answers are numbers; None where shares are compared."""
        del held
        return None


# --- Sealed columns
# Reports that round (counts, numbers, some of several options) do not determine the answer even with the key that
# undoes their noise. So the number r of the answer among the R possible ones (no answer included where it is hidden) is
# published as (r + U) mod R, with U uniform and in the registrar's key: a one-time pad. Given any answer and report the
# sealed number is uniform, so to others the column is independent of everything.   Theory: docs/theory/recovery.md


def too_many(answers: int) -> str | None:
    """Say why so many answers cannot be sealed; None where they can."""
    if answers <= MOST_SEALED:
        return None
    return f"its reports round {answers:,} possible answers, and a sealed column tells at most {MOST_SEALED:,} apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedColumn(LadderQuestion):
    """The answers to a question as they are sealed: one of `count` numbers, or one more where no answer is hidden."""

    KIND: ClassVar[str] = "sealed"
    HEADLINE: ClassVar[str] = "sealed answers"
    KEYS: ClassVar = ()

    of: LadderQuestion
    count: int

    @property
    def choices(self) -> tuple[str, ...]:
        """None that are listed."""
        return ()

    @property
    def labels(self) -> tuple[str, ...]:
        """None: no shares are estimated."""
        return ()

    @property
    def choice_count(self) -> int:
        """How many answers there are."""
        return self.count

    @property
    def cells(self) -> Cells:
        """Those of the question."""
        return self.of.cells

    @property
    def sources(self) -> tuple[str, ...]:
        """Those of the question."""
        return self.of.sources

    def words(self, table: Any, first: int = 0, *, amends: bool = False) -> Words:
        """Return the cells of the question."""
        return self.of.words(table, first, amends=amends)

    def places(self, column: Words) -> SymbolArray:
        """Return the numbers of the answers, as the question counts them."""
        return self.of.places(column)

    def symbols(self, places: SymbolArray, words: Callable[[Answered], RowSource]) -> SymbolArray:
        """Return the numbers themselves; those who did not answer have the last."""
        del words
        return np.where(places == NOBODY, self.nobody, places)

    def page_asks(self) -> dict[str, Any]:
        """It is not asked: devices seal the answer to the question."""
        return {}


class SealedHandler(LadderHandler):
    """How answers are sealed: by a ladder whose one level is a one-time pad."""

    question: SealedColumn

    def __init__(self, handler: LadderHandler, count: int) -> None:
        asked = handler.question
        column = SealedColumn(
            id=sealed_name(asked.id),
            text=f"The answer to {asked.id}, sealed for the registrar.",
            missing=asked.missing,
            missing_codes=asked.missing_codes,
            ask_if=asked.ask_if,
            of=asked,
            count=count,
        )
        super().__init__(column, handler.audience)
        self.of = handler

    @cached_property
    def ladder(self) -> Ladder:
        """The pad."""
        return Ladder.sealed(self.question.size)

    @property
    def epsilons(self) -> tuple[float, ...]:
        """Empty: nothing is disclosed."""
        return (0.0,)

    @property
    def sealed(self) -> None:
        """It is the sealed column."""
        return

    def level_of(self, analyst: Analyst) -> int:
        """Return the only level, which needs no key and discloses nothing."""
        del analyst
        return 1

    def plan(self) -> QuestionPlan:
        """Refuse: nothing is estimated from it."""
        raise self._tells_nothing()

    def certificate(self) -> Certificate:
        """Return the claims about the column: independent of everything, and sure to give answers back."""
        return certify(SealedAnswers(size=self.question.size))

    def channel(self, level: int) -> AnyChannel:
        """Return the channel whose entries are all alike."""
        if level == 0:
            raise self._are_answers()
        return self.ladder.levels[0].channel()

    def describe(self) -> str:
        """Say what it is."""
        return f"The answers to {self.question.of.id}, sealed for the registrar; without the key they tell nothing."

    def limits(self) -> tuple[str, ...]:
        """None of its own."""
        return ()

    def form(self) -> FormPart:
        """Hand out the pad."""
        draw = {
            "type": self.ladder.group.name,
            "modulus": self.ladder.modulus,
            "levels": [0],
            "steps": [step.document() for step in self.ladder.steps],
        }
        return FormPart(asks={}, draw=draw, odds=(Fraction(1),))

    def _columns(self, places: IntArray, there: BoolArray, *, as_text: bool, kind: str) -> dict[str, Any]:
        found = self.question.of.given_back(places, as_text=as_text, kind=kind)
        return {name: with_gaps(column, there) for name, column in found.items()}

    def tally(
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> Tally:
        """Refuse."""
        del reports, level, positions, counts
        raise self._tells_nothing()

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Refuse."""
        del tally, reading
        raise self._tells_nothing()

    def weights(self, level: int) -> FloatArray:
        """Refuse."""
        del level
        raise self._tells_nothing()

    def reckoning(self, level: int) -> None:
        """None."""
        del level

    @property
    def answer_bits(self) -> Fraction:
        """None: the column discloses nothing."""
        return Fraction(0)

    def capacity_bits(self, level: int) -> Fraction:
        """None."""
        del level
        return Fraction(0)

    def _tells_nothing(self) -> InvalidParameter:
        return InvalidParameter(
            "is a sealed column, which tells nothing without the registrar's key",
            parameter="question",
            value=self.question.id,
            way_out=f"Name question {self.question.of.id}, or use `sfumato recover`.",
        )
