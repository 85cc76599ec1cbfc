"""A way of asking: one class behind one protocol. Nobody else in the house asks what kind a question is.

A `Question` is data, with its keys in a file. Its `Way` is how it is asked of an audience: reading a column, planning,
drawing, opening, estimating, charging. A new kind is a module with both and a line in :mod:`sfumato.study.ways`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.account.readers import PUBLIC
from sfumato.certificates import Certificate
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.words import Words
from sfumato.prob import AnyChannel
from sfumato.refine import Key
from sfumato.refine.level_words import listed
from sfumato.refine.report_trees import positions_of
from sfumato.study.audience import Analyst, Audience
from sfumato.study.ways.form_parts import OnDevice
from sfumato.study.ways.group_needs import weighted_deviation
from sfumato.study.ways.leaks import Leaks
from sfumato.study.ways.one_answer import OneAnswer
from sfumato.study.ways.plans import LevelPlan, QuestionPlan
from sfumato.study.ways.question import Question
from sfumato.study.ways.reckonings import Reckoned
from sfumato.study.ways.recovering import Recovering
from sfumato.values import Tally

if TYPE_CHECKING:
    from sfumato.study.ways.drawing import Draw, Drawer
    from sfumato.study.ways.estimates import QuestionEstimate, Reading, Truth

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


class Way(OneAnswer, OnDevice, Reckoned, Leaks, Recovering, ABC):
    """How a question is asked of an audience. Levels are numbered from the sharpest, 1; the last is the public one.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> way: sf.study.Way = study.way("tired")
    >>> way.levels[0].readers, way.report_labels, [round(float(p), 3) for p in way.channel(1).rows[0]]
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
        """What reports of this way were made by, beyond what the study says; kept with the reports."""
        return None

    @property
    @abstractmethod
    def epsilons(self) -> tuple[float, ...]:
        """What each level promises, in nats, never less than true."""

    @property
    def key_levels(self) -> tuple[int, ...]:
        """Levels that somebody can hold a key of; 0 is the registrar's."""
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
        """Return the sealed claims about this way of asking."""

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

        It is the ratio of two exact variances at what everybody sees; None where it cannot be hidden.
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
        from sfumato.study.ways.estimates import Reading  # noqa: PLC0415  plans estimate nothing

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
        from sfumato.study.ways.estimates import Truth  # noqa: PLC0415  plans know no answers

        return Truth(shares=tuple(held[label] / held.total() for label in self.question.labels))

    def no_answers(self) -> InvalidParameter:
        """Return the refusal of a column that does not hold answers."""
        return InvalidParameter(
            f"has a column {self.question.id} that is empty, or holds what is no answer to its question",
            parameter="truth",
            way_out="Give the table that was published.",
        )
