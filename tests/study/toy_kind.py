"""A kind of question that the house does not know: the month of birth, asked by a ladder of its own making.

It is one module with a question and its way, as a newcomer would write it, and one registration.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.certificates import certify
from sfumato.inference.results import QuestionEstimate
from sfumato.mechanisms import RandomizedResponse, Tabulated
from sfumato.numbers.intervals import float_below
from sfumato.prob import Channel
from sfumato.sampling import Tally
from sfumato.study.cells import check_heading
from sfumato.study.channel_questions import ChannelHandler
from sfumato.study.fields import whole_key
from sfumato.study.handler import label_bits
from sfumato.study.question import Question
from sfumato.study.question_plans import PlanTable, QuestionPlan, Said

SEASONS = ("winter", "spring", "summer", "autumn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Season(Question):
    """One of the four seasons, counted from the one that `first` says."""

    KIND: ClassVar[str] = "season"
    HEADLINE: ClassVar[str] = "one of four seasons"
    KEYS: ClassVar = (whole_key("first", "Which season comes first, 0 to 3.", 0, 3),)

    first: int = 0

    def __post_init__(self):
        check_heading(self.id, self.text)

    @property
    def labels(self):
        return SEASONS[self.first :] + SEASONS[: self.first]

    @property
    def promises(self):
        return False

    def handler(self, audience, declaration=None):
        del declaration
        return SeasonWay(self, audience)

    @classmethod
    def suits(cls, answers):
        return answers.strip() == "seasons"


class SeasonWay(ChannelHandler):
    def __init__(self, question, audience):
        self.question, self.audience = question, audience
        self.mechanism = RandomizedResponse.within(size=4, epsilon=float_below(audience.public_epsilon or Fraction(1)))

    @property
    def response(self):
        return Channel(self.mechanism.channel().rows, self.question.labels, self.question.labels)

    def plan(self):
        sealed = self.certificate()
        return QuestionPlan(
            question=self.question,
            because="Four seasons: tell yours, or any other.",
            words=("A report takes two bits.",),
            levels=self.levels,
            certificate=sealed,
            sentences=(Said(sentence=sealed["epsilon"].sentence),),
            tables=(PlanTable(title="Seasons", header=("season",), rows=tuple((label,) for label in SEASONS)),),
            document={"seasons": list(SEASONS)},
        )

    def certificate(self):
        return certify(self.mechanism)

    @property
    def report_words(self):
        return "a season, not always the respondent's own"

    def estimate(self, tally, reading):
        table = Tabulated(self.response)
        found = table.estimate(Tally(mechanism=table.name, counts=tally.counts), confidence=reading.confidence)
        return QuestionEstimate.of_shares(self.question, found, reading, epsilon=self.epsilons[0])

    @property
    def answer_bits(self):
        return label_bits(4)
