"""The protocol of a question handler, with what all handlers share.

A `Question` is data, with its keys in a file. Its `Handler` says how it is asked: reading a column, planning, drawing,
opening, estimating, charging. A new kind is a module with both and an entry in the table of kinds.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from sfumato import measures
from sfumato.certificates.certificate import Certificate
from sfumato.errors import InvalidLaw, InvalidParameter, KeyRefused
from sfumato.files.columns import Words
from sfumato.inference.exact import ShareModel
from sfumato.inference.quantities import Picture
from sfumato.inference.results import Reading, Truth
from sfumato.inference.shares import share_weights
from sfumato.keys.digests import positions_of
from sfumato.ladders.drawing import bits_of_block, blocks_within
from sfumato.ladders.keys import Binding, Key
from sfumato.ladders.ladder import Ladder
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.ladders.level_names import listed
from sfumato.ledger.amounts import PUBLIC
from sfumato.measures.capacity import full_symmetric_capacity_bits
from sfumato.numbers.intervals import float_above, log2_bounds
from sfumato.prob.structured import AnyChannel, Circulant
from sfumato.sampling.mechanism import Tally
from sfumato.sampling.sources import BitSource, Guarantee
from sfumato.study.question import Question
from sfumato.study.question_plans import LevelPlan, QuestionPlan, weighted_deviation
from sfumato.study.readers import Analyst, Audience
from sfumato.study.recovery import Recovering

if TYPE_CHECKING:
    from sfumato.inference.quantities import Quantity
    from sfumato.inference.results import QuestionEstimate
    from sfumato.study.ladder_questions import LadderQuestion


# --- Drawing the reports of a question, chunk by chunk of a part


class KeyStore(Protocol):
    """Where true draws are written as they are made, level by level, so that no whole column is held in memory."""

    def begin(self, blanks: Mapping[int, Key]) -> None:
        """Get ready for the draws of these levels; the keys hold none yet, and do not know how many there will be."""
        ...

    def append(self, level: int, shifts: npt.NDArray[Any]) -> None:
        """Take the draws of the next rows."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What the reports of a part are drawn with: fresh bits, or keys that were drawn before; what keys are bound to.

    `part` is the part's id, which names its draws; an amendment `amends` another part, whose rows it is about. With a
    `secret`, draws that are not kept are made from it by the names of the rows. `rounds` is what the rounds of a
    question are asked about, where an engine has gone through them. `answers` is the type of the answers in their
    table, which the registrar's key remembers.
    """

    bits: BitSource
    binding: Binding
    part: str
    amends: str | None = None
    guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC
    keys: Mapping[int, Key] | None = None
    store: KeyStore | None = None
    secret: bytes | None = field(default=None, repr=False)
    rounds: tuple[Any, ...] | None = None
    answers: str = ""

    @property
    def base(self) -> str:
        """The part whose rows are drawn for."""
        return self.part if self.amends is None else self.amends


class Drawer:
    """Makes the reports of a question for chunk after chunk of a part. Without levels there are no keys."""

    def __init__(self, reports: Callable[[Any, BitSource], npt.NDArray[Any]], draw: Draw) -> None:
        self._reports, self._draw = reports, draw

    def draw(self, answers: Any, numbers: IntArray, filled: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[Any]:
        """Make one report for each answer, of the rows with these numbers, or of those of them that are `filled`.

        Under a secret whole blocks of rows are drawn, each from bits of its own.
        """
        rows = numbers if filled is None else numbers[filled]
        if self._draw.secret is None or not rows.size:
            return self._reports(answers, self._draw.bits) if rows.size else np.empty(0, dtype=np.int64)
        pieces = [
            self._reports(answers[start:stop], bits_of_block(self._draw.secret, block))
            for block, start, stop in blocks_within(rows)
        ]
        return np.concatenate(pieces)

    @property
    def top(self) -> Key | None:
        """The key that reports are made with, where it can be sent to the tasks that make them."""
        return None

    def keys(self, rows: int) -> Mapping[int, Key]:
        """Return the keys by level, once all of so many rows have been drawn; true draws are where they were stored."""
        del rows
        return {}


# --- The bits that reports can disclose about answers, rounded up
# Capacity bounds what a report says about its answer under any belief. Maximal leakage is another measure and may be
# larger.   Theory: docs/theory/composition.md


# 1/ln 2 rounded up.
_BITS_A_NAT = Fraction("1.4426950408889634074")
# 60 digits leave 44 to spare over a double, and two thirds of them at ε = 1e-20. `exp` and `ln` ignore the direction of
# rounding, hence a step outward after each.
_DOWN = Context(prec=60, rounding=ROUND_FLOOR)
_UP = Context(prec=60, rounding=ROUND_CEILING)
# A channel of more entries is not searched for the input distribution of its capacity, which takes seconds.
_MOST_SEARCHED = 1 << 16


def label_bits(count: int) -> Fraction:
    """log2 of a number of labels, rounded up."""
    return Fraction(log2_bounds(Fraction(count))[1])


def channel_leakage_bits(channel: AnyChannel) -> Fraction:
    """Maximal leakage of a channel, rounded up."""
    return Fraction(measures.maximal_leakage_interval(channel).upper)


def epsilon_leakage_bits(epsilon: float) -> Fraction | float:
    """Return the most maximal leakage of any channel with this ε, in bits, rounded up: ε/ln 2."""
    return math.inf if math.isinf(epsilon) else _BITS_A_NAT * Fraction(epsilon)


def channel_capacity_bits(channel: AnyChannel) -> Fraction | float:
    """Return a certified upper bound on the capacity of a channel, in bits; infinite for one too large to search."""
    if channel.shape[0] * channel.shape[1] <= _MOST_SEARCHED:
        return Fraction(measures.capacity_bits(channel).upper)
    return Fraction(full_symmetric_capacity_bits(channel).upper) if isinstance(channel, Circulant) else math.inf


def epsilon_capacity_bits(epsilon: float) -> Fraction | float:
    """Return the largest capacity of any channel with this ε, in bits, rounded up.

    It is (t - 1 - ln t)/ln 2 with t = ε/(1 - e^-ε), which grows with t.   Proof: docs/theory/capacity.md
    """
    if epsilon == 0 or math.isinf(epsilon):
        return Fraction(0) if epsilon == 0 else math.inf
    exact = Decimal(epsilon)
    falling = _UP.next_plus(_UP.exp(-exact))
    t = _UP.divide(exact, _DOWN.subtract(Decimal(1), falling))
    nats = _UP.subtract(_UP.subtract(t, Decimal(1)), _DOWN.next_minus(_DOWN.ln(t)))
    return Fraction(float_above(_UP.divide(nats, _DOWN.next_minus(_DOWN.ln(Decimal(2))))))


def least(bits: Fraction, *others: Fraction | float) -> Fraction:
    """Return the least of several bounds, some of which may be infinite."""
    return min(bits, *(one for one in others if isinstance(one, Fraction)))


class Leaks(ABC):
    """What the reports of a question disclose, in bits."""

    @property
    @abstractmethod
    def epsilons(self) -> tuple[float, ...]:
        """What each level promises, in nats, never less than true."""

    @abstractmethod
    def channel(self, level: int) -> AnyChannel:
        """Return the exact channel from answers to reports at a level; refuses where reports do not stand alone."""

    @property
    @abstractmethod
    def answer_bits(self) -> Fraction:
        """log2 of how many different answers a person can have given, rounded up."""

    def capacity_bits(self, level: int) -> Fraction:
        """Return an upper bound on the capacity of one report of a level, in bits.

        It is the certified one of the channel, or the largest that any channel with its ε has, whichever is less.
        """
        channel = self._own_channel(level)
        own = math.inf if channel is None else channel_capacity_bits(channel)
        return least(self.answer_bits, own, epsilon_capacity_bits(self.epsilons[level - 1]))

    def leakage_bits(self, level: int) -> Fraction:
        """Return an upper bound on the maximal leakage of a level, in bits. Capacity is no such bound."""
        channel = self._own_channel(level)
        own = math.inf if channel is None else channel_leakage_bits(channel)
        return least(self.answer_bits, own, epsilon_leakage_bits(self.epsilons[level - 1]))

    def _own_channel(self, level: int) -> AnyChannel | None:
        """Return the channel of a report; None where a report does not stand alone, or its channel is too large."""
        try:
            return self.channel(level)
        except InvalidParameter:
            return None


# --- One question on a page
# How it is asked, how its report is drawn on the device, and what the report discloses.


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPart:
    """The part of a form that one question has, in texts, whole numbers and fractions as text.

    `asks` says what a page shows and how what is chosen or typed becomes a symbol, `draw` how the symbol becomes a
    report. `odds` says level by level, the public one last, how much a report favours one answer over another at the
    most; None is without limit.
    """

    asks: Mapping[str, Any]
    draw: Mapping[str, Any]
    odds: tuple[Fraction | None, ...]


class OnDevice(ABC):
    """A question as a page asks it."""

    @abstractmethod
    def form(self) -> FormPart:
        """Return its part of a form; refuses where one person cannot be asked alone."""


# --- Browser estimators
# Plain numbers from which a browser computes the same estimates (`browser/src/estimates`): how a report of a level is
# undone, the channel of that level as float64, and what is estimated. They follow from the study alone and hold no
# reports. Where a question kind has none, a page names the command instead.


MOST_ANSWERS = 256
"""Answers up to which shares are the likeliest ones by Newton's steps, and intervals come from scores."""
MOST_REPORTS = 4096
ROUNDED = "Shares are of {words}, not of the answers; the mean is that of the answers."
"""What is said beside shares of numbers that were rounded before they were asked."""


class Reckoned:
    """The browser estimator of a question's reports; None unless a handler overrides it."""

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return the browser estimator of a level as plain numbers; None where only Python estimates it."""
        del level
        return None


class LadderReckoning:
    """The browser estimator of questions asked through a ladder."""

    question: LadderQuestion

    @property
    def ladder(self) -> Ladder:
        """The ladder."""
        raise NotImplementedError

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return the channel of the level and what is estimated of it; None where a report needs its position."""
        ladder, question = self.ladder, self.question
        if level < 1 or ladder.by_position or ladder.size > MOST_ANSWERS or ladder.modulus > MOST_REPORTS:
            return None
        read = _two(ladder.levels[level - 1]) if ladder.size == 2 else _several(ladder.levels[level - 1])
        if read is None:
            return None
        values, words = question.values, question.shares_of
        return {
            "level": level,
            "epsilon": math.log(ladder.levels[level - 1].odds),
            "labels": list(question.labels),
            "choices": list(question.choices),
            "values": None if values is None else [float(value) for value in values],
            "hides": question.hides,
            "who": question.who_answers if question.hides else "",
            "undo": "subtract",
            "read": read,
            "order": self.order_reckoning(level),
            "picture": (Picture.ANSWERS if values is None else Picture.NUMBERS).value,
            "shares_of": "" if values is None else words,
            "only_mean": False,
            "notes": [ROUNDED.format(words=words)] if values is not None and words else [],
        }

    def order_reckoning(self, level: int) -> dict[str, Any] | None:
        """Return what order adds to the shares of a level; nothing unless answers have one."""
        del level
        return None


def options_reckoning(question: LadderQuestion, level: int, epsilon: float, own: float, other: float) -> dict[str, Any]:
    """Return the browser estimator of reports on all options: each bit is a flip of its own."""
    return {
        "level": level,
        "epsilon": epsilon,
        "labels": list(question.labels),
        "choices": list(question.choices),
        "values": None,
        "hides": False,
        "who": "",
        "undo": "xor",
        "read": {"type": "options", "own": own, "other": other},
        "order": None,
        "picture": Picture.OPTIONS.value,
        "shares_of": "",
        "only_mean": False,
        "notes": [],
    }


def told_law(rung: LevelMechanism) -> dict[str, float] | None:
    """Return the lower probability of a report and how much more the true one has, where reports are answers."""
    if not rung.says_answers:
        return None
    law = [float(p) for p in rung.channel().row(0)]
    return {"low": min(law), "gap": max(law) - min(law)}


def _two(rung: LevelMechanism) -> dict[str, Any] | None:
    """Two answers, whose reports are of two kinds; of three the tails are worked out in Python alone."""
    dense = rung.channel().to_dense()
    try:
        model = ShareModel.of(dense)
    except InvalidLaw:
        return None
    if len(model.first) != 2 or None in model.class_of:
        return None
    return {
        "type": "two",
        "first": list(model.first),
        "second": list(model.second),
        "classes": list(model.class_of),
        "weights": share_weights(dense).tolist(),
        **_numbers(dense),
    }


def _several(rung: LevelMechanism) -> dict[str, Any]:
    found = rung.hitting()
    hits = None
    if found is not None:
        own, other, members = found
        hits = {"own": float(own), "other": float(other), "members": members.tolist()}
    return {"type": "channel", "hits": hits, **_numbers(rung.channel())}


def _numbers(channel: AnyChannel) -> dict[str, Any]:
    """Return the law that moves with the answer, or all rows."""
    if isinstance(channel, Circulant):
        return {"law": channel.array[0].tolist(), "inputs": channel.shape[0]}
    return {"rows": channel.array.tolist()}


# --- Questions with one answer
# The replies of their handlers to requests about options.


class OneAnswer:
    """Refuses requests about options; handlers with options override it."""

    question: Question

    def asked(self, numbers: IntArray, part: str) -> tuple[IntArray, tuple[str, ...]]:
        """Return which options the rows of a part are asked about, as places in a list, and the list."""
        del numbers, part
        raise self.without_options()

    def pairs(self, tally: Any, reading: Reading) -> tuple[Quantity, ...]:
        """Return the share of those who chose both, for each pair of options, where several can be chosen."""
        del tally, reading
        raise self.without_options()

    def without_options(self) -> InvalidParameter:
        """Return the refusal of what is about options."""
        return InvalidParameter(
            f"question {self.question.id!r} has one answer, not several",
            way_out="Name a question of which several options can be chosen.",
        )


IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


class Handler(OneAnswer, OnDevice, Reckoned, Leaks, Recovering, ABC):
    """How a question is asked of an audience. Levels are numbered from the sharpest, 1; the last is the public one.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> handler: sf.study.Handler = study.handler("tired")
    >>> handler.levels[0].readers, handler.report_labels, [round(float(p), 3) for p in handler.channel(1).rows[0]]
    (('public',), ('no', 'yes'), [0.731, 0.269])
    """

    on_paper: ClassVar[bool] = False
    """Whether respondents can make their report by hand, so that reports may be typed in."""
    by_position: bool = False
    """Whether a report means something only at its place in the column: no groups and no parts then."""
    by_number: bool = False
    """Whether a report is read with the number of its row, which whoever selects rows keeps."""
    by_row: ClassVar[bool] = True
    """Whether one respondent can be asked alone, without the others' reports."""

    question: Question
    audience: Audience

    @property
    def declaration(self) -> str | None:
        """What reports were made by, beyond what the study says; kept with the reports."""
        return None

    @property
    @abstractmethod
    def epsilons(self) -> tuple[float, ...]:
        """What each level promises, in nats, never less than true."""

    @property
    def key_levels(self) -> tuple[int, ...]:
        """The levels that have keys; 0 is the registrar's."""
        return ()

    def level_of(self, analyst: Analyst) -> int:
        """Return the level at which an analyst sees the question; the last needs no key."""
        del analyst
        return len(self.epsilons)

    @property
    def levels(self) -> tuple[LevelPlan, ...]:
        """Each level with its readers."""
        last = len(self.epsilons)
        readers = {
            level: [a.name for a in self.audience.analysts if self.level_of(a) == level] for level in range(1, last + 1)
        }
        readers[last].append(PUBLIC)
        return tuple(
            LevelPlan(level=level, epsilon=epsilon, readers=tuple(readers[level]))
            for level, epsilon in enumerate(self.epsilons, start=1)
        )

    @property
    def key_readers(self) -> tuple[tuple[str, ...], ...]:
        """The analysts of each level but the public one."""
        return tuple(level.readers for level in self.levels[:-1])

    def level_words(self, level: int) -> str:
        """Say which level a column stands at."""
        if level == 0:
            return "the answers"
        if len(self.epsilons) == 1:
            return "its only level"
        is_last = level == len(self.epsilons)
        return "the public level" if is_last else f"the level of {listed(self.key_readers[level - 1])}"

    # What it says before anybody is asked.

    @abstractmethod
    def plan(self) -> QuestionPlan:
        """Work the question out."""

    @abstractmethod
    def certificate(self) -> Certificate:
        """Return the sealed claims about how the question is asked."""

    @abstractmethod
    def channel(self, level: int) -> AnyChannel:
        """Return the exact channel from answers to reports at a level; refuses where reports do not stand alone."""

    @abstractmethod
    def describe(self) -> str:
        """Say which answers there are, in a sentence for a page."""

    def limits(self) -> tuple[str, ...]:
        """Say what the claims about this question do not promise."""
        return ()

    # Rows.

    @abstractmethod
    def read(self, column: Words) -> Any:
        """Return the answers of a column in a form that `draw` takes; what is no answer is refused by its row."""

    def answers_in(self, column: Words) -> Any:
        """Read a column as a table has it: aliases are replaced by what they stand for first."""
        return self.read(self.question.cells.read(column))

    def with_nobody(self, answers: Any, answered: BoolArray) -> Any:
        """Return what `draw` takes where no answer is hidden: one a row, from the answers of those who gave any."""
        del answers, answered
        raise NotImplementedError

    def hidden_price(self) -> float | None:
        """Return how many times as many respondents it takes to hide who did not answer, for the same error.

        It is the ratio of two exact variances at the public level; None where it cannot be hidden.
        """
        return None

    @abstractmethod
    def drawer(self, draw: Draw) -> Drawer:
        """Return what makes the reports of a part. Where not `by_row`, it is given all answers of the part at once."""

    def next_rounds(self, rows: int, asked: tuple[Any, ...] | None, tally: Any) -> tuple[Any, ...] | None:
        """For engines, where not `by_row`: begin with None asked, go on by the last round's tally; None is the end."""
        del rows, asked, tally
        return None

    def opened(self, reports: IntArray, key: Key, numbers: IntArray, places: IntArray) -> IntArray:
        """Return reports as a key shows them, or with the key of level 0 the answers as places in a list.

        `numbers` are those of the rows in their part, `places` where their draws stand if those are stored.
        """
        del reports, key, numbers, places
        raise self.without_keys()

    def undone_by(self, reports: IntArray, shifts: IntArray, level: int) -> BoolArray:
        """Say which reports shifts of a level, come from elsewhere, can have been drawn for."""
        del shifts, level
        return np.ones(reports.size, dtype=np.bool_)

    def without_keys(self) -> KeyRefused:
        """Return the refusal of a key to a question that has none."""
        return KeyRefused(
            f"question {self.question.id!r} is asked at one level and has no keys", way_out="Use keys of the others."
        )

    # Reports in files.

    @property
    @abstractmethod
    def report_labels(self) -> tuple[str, ...] | None:
        """What each report says, where a report is an answer or has a name; None where it is only a number."""

    @property
    def report_numbers(self) -> tuple[int, ...] | None:
        """The numbers that stand for reports in a file, where answers are numbers and a report is an answer."""
        return None

    @property
    @abstractmethod
    def report_words(self) -> str:
        """Say how a column of reports is to be read, for the codebook."""

    # Estimates.

    @property
    @abstractmethod
    def report_count(self) -> int:
        """How many different reports there are."""

    def tally(
        self, reports: IntArray, level: int, *, positions: int | IntArray = 0, counts: IntArray | None = None
    ) -> Any:
        """Count reports; `counts` is how often each row stands for itself.

        `positions` are the numbers of the rows in their part, or the first of them where they follow one another.
        """
        del level, positions
        found = np.zeros(self.report_count, dtype=np.int64)
        np.add.at(found, reports, 1 if counts is None else counts)
        return Tally(mechanism=self.question.id, counts=tuple(found.tolist()))

    def placed(self, numbers: IntArray, part: str) -> int | IntArray:
        """Return the positions of rows of a part, or of the part that an amendment amends: `tally` goes by them."""
        del part
        return positions_of(numbers)

    @abstractmethod
    def estimate(self, tally: Any, reading: Reading) -> QuestionEstimate:
        """Return what a tally says."""

    def raw_shares(self, tally: Any, level: int) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
        """Return the answers, their unbiased shares and standard errors; all of them, however many there are."""
        found = self.estimate(tally, Reading(level=level))
        return found.labels, np.array(found.raw), np.array(found.standard_errors)

    def weights(self, level: int) -> FloatArray:
        """Return what a report counts towards each answer: a row a report, in their order, and a column an answer.

        Sums are unbiased counts, of which `raw` shares are made; refuses where reports do not stand alone.
        """
        del level
        raise self.without_weights()

    def share_deviation(self, level: int, share: float) -> float | None:
        """Return √n times the standard deviation of a share that is about `share`; None where no shares are read.

        This is the unbiased share with the other answers equally frequent, read from what a report counts.
        """
        try:
            weights, channel = self.weights(level), self.channel(level)
        except InvalidParameter:
            return None
        return weighted_deviation(channel.array, weights, share) if channel.shape[0] == weights.shape[1] else None

    def without_weights(self) -> InvalidParameter:
        """Return the refusal of weights."""
        return InvalidParameter(
            f"question {self.question.id!r} is read from all its reports together, so that one alone has no weight",
            way_out="Name the other questions with `question`; `sfumato estimate` reads this one.",
        )

    def truth(self, held: Counter[str]) -> Truth | None:
        """Return the true shares of answers that a simulation started from; None where there are none to compare."""
        if not held.total() or not set(held) <= set(self.question.labels):
            raise self.no_answers()

        return Truth(shares=tuple(held[label] / held.total() for label in self.question.labels))

    def no_answers(self) -> InvalidParameter:
        """Return the refusal of a column that does not hold answers."""
        return InvalidParameter(
            f"has a column {self.question.id} that is empty, or holds what is no answer to its question",
            parameter="truth",
            way_out="Give the table that was published.",
        )
