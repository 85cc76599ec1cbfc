"""Questions of whose answers a value is disclosed with a stated probability.

Each respondent is asked once. There are no levels and no keys.   Theory: docs/theory/recoverable_answers.md
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from sfumato import measures
from sfumato.certificates.certificate import Certificate
from sfumato.display.text import percent_at_least
from sfumato.errors import InvalidParameter
from sfumato.inference.estimates import ReportedShares
from sfumato.inference.results import QuestionEstimate, Reading, ReportedDifferences, Truth
from sfumato.mechanisms.tabulated import Tabulated
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.recoverable.answers import RecoverableDesign, best_answer
from sfumato.recoverable.queries import Query
from sfumato.sampling.mechanism import Tally
from sfumato.study.cells import ALIASES, Cells, check_heading, check_masses, checked_aliases, checked_list
from sfumato.study.channel_questions import ChannelHandler
from sfumato.study.fields import (
    FRACTION_PATTERN,
    LONGEST,
    Key,
    as_numbers,
    checked_label,
    exact_number,
    number_key,
    texts_key,
)
from sfumato.study.handler import FloatArray, label_bits
from sfumato.study.question import Question, ShareRange
from sfumato.study.question_plans import QuestionPlan, Said, weighted_deviation
from sfumato.study.readers import Audience

MOST_ANSWERS = 2000
_KEY_CLAIMS = ("guess_error", "exposure", "epsilon")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoverable(Question):
    """A question of whose answers only the value in `tell` is disclosed, right with probability at least `rho`.

    The answer itself stays as hidden as that allows, for a guesser who knows the `probabilities` of the answers; left
    out, all are equally likely [A, Thm 2].

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> told = sf.Recoverable(
    ...     id="blood",
    ...     text="Blood group?",
    ...     answers=("0", "A", "B"),
    ...     tell=("gives to all", "no", "no"),
    ...     rho=Fraction(9, 10),
    ... )
    >>> told.labels
    ('gives to all', 'no')
    """

    KIND: ClassVar[str] = "recoverable"
    HEADLINE: ClassVar[str] = "a part is told"
    KEYS: ClassVar = (
        texts_key("answers", "The answers, each once.", low=2, high=MOST_ANSWERS, is_needed=True),
        ALIASES,
        texts_key(
            "tell",
            "What may be told of each answer, in the order of the answers; several may share a value.",
            low=2,
            high=MOST_ANSWERS,
            unique=False,
            is_needed=True,
        ),
        number_key("rho", "What is told is right at least this often.", 0, 1, is_needed=True),
        Key(
            name="probabilities",
            words="How likely each answer is beforehand; left out, all are equally likely.",
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
        ),
    )

    NOT_HIDDEN: ClassVar = "tells only what `tell` lists; an answer such as “prefer not to answer” can be listed there"

    answers: tuple[str, ...]
    tell: tuple[str, ...]
    rho: Fraction
    probabilities: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        check_heading(self.id, self.text)
        object.__setattr__(self, "answers", checked_list(self.answers, MOST_ANSWERS))
        object.__setattr__(self, "aliases", checked_aliases(self.aliases, self.answers.__contains__))
        told = tuple(checked_label("tell", value, most=LONGEST["answers"]) for value in self.tell)
        object.__setattr__(self, "tell", told)
        if len(self.tell) != len(self.answers) or len(self.labels) < 2:
            raise InvalidParameter(
                "must say what is told of each answer, in their order, and at least two different things",
                parameter="tell",
                way_out="Write one value for each answer.",
            )
        rho = exact_number("rho", self.rho)
        object.__setattr__(self, "rho", rho)
        if self.probabilities is not None:
            masses = tuple(exact_number("probabilities", p) for p in self.probabilities)
            check_masses(masses, len(self.answers))
            object.__setattr__(self, "probabilities", masses)
        self.design()

    def design(self) -> RecoverableDesign:
        """Return the best response to the question."""
        return _designed(self)

    @property
    def listed(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def labels(self) -> tuple[str, ...]:
        """The values that may be disclosed."""
        return tuple(dict.fromkeys(self.tell))

    @property
    def told_shares(self) -> ShareRange:
        """From the least to the most likely answer, where that is declared."""
        if self.probabilities is None:
            return ShareRange.of_equal(len(self.answers))
        return ShareRange.stated(None, (min(self.probabilities), max(self.probabilities)))

    @property
    def cells(self) -> Cells:
        """Cells contain the answers, not the disclosed values."""
        return Cells(answers=self.answers, aliases=self.aliases)

    @property
    def promises(self) -> bool:
        """By its probability."""
        return True

    def handler(self, audience: Audience, declaration: str | None = None) -> RecoverableHandler:
        """Return how it is asked."""
        del declaration
        return RecoverableHandler(self, audience)


class RecoverableHandler(ChannelHandler):
    """The handler of recoverable answers: one level, no keys, reports that are values."""

    def __init__(self, question: Recoverable, audience: Audience) -> None:
        self.question: Recoverable = question
        self.audience = audience
        self.design = question.design()

    @property
    def response(self) -> Channel:
        """The best response as a channel."""
        return self.design.channel

    def plan(self) -> QuestionPlan:
        """Plan what is disclosed, and how well the answer stays hidden."""
        certificate, question = self.certificate(), self.question
        free = percent_at_least(self.design.critical_rho)
        return QuestionPlan(
            question=question,
            because=(
                f"Of {len(question.answers)} answers only {len(question.labels)} values are told, each right at least "
                f"{percent_at_least(question.rho)} of the time; the noise depends on the value alone."
            ),
            words=(
                (
                    f"The best guess of the answer stays wrong at least {percent_at_least(self.design.privacy)} of the "
                    f"time. Being right up to {free} of the time would cost nothing."
                ),
            ),
            levels=self.levels,
            certificate=certificate,
            sentences=tuple(
                Said(sentence=claim.sentence) for claim in certificate.claims if claim.measure in _KEY_CLAIMS
            ),
            document={
                "privacy": float(self.design.privacy),
                "critical_rho": float(self.design.critical_rho),
            },
        )

    def certificate(self) -> Certificate:
        """Return the claims about the response."""
        return self.design.certificate

    @property
    def report_words(self) -> str:
        """Say how often a report is right."""
        rho = percent_at_least(self.question.rho)
        return f"what is told of the answer, right at least {rho} of the time"

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Estimate the shares of the disclosed values; the noise depends on nothing else."""
        reading = reading.plain(self.question.id)
        mechanism = self._noise()
        found = mechanism.estimate(Tally(mechanism=mechanism.name, counts=tally.counts), confidence=reading.confidence)
        seen = ReportedShares(mechanism.channel(), tally.counts)
        epsilon = measures.epsilon(self.design.channel)
        differences = ReportedDifferences(channel=mechanism.channel, counts=tally.counts)
        return QuestionEstimate.of_shares(
            self.question, found, reading, epsilon=epsilon, seen=seen, differences=differences
        )

    def weights(self, level: int) -> FloatArray:
        """Return the weights of the disclosed values."""
        del level
        return self._noise().weights()

    def share_deviation(self, level: int, share: float) -> float | None:
        """Return that of a disclosed value."""
        del level
        noise = self.design.noise
        return None if noise is None else weighted_deviation(noise.array, self._noise().weights(), share)

    def _noise(self) -> Tabulated:
        if self.design.noise is None:
            raise InvalidParameter(
                f"question {self.question.id!r} hides more than its value; its shares cannot be read",
                way_out="Name the other questions.",
            )
        return Tabulated(self.design.noise)

    def truth(self, held: Counter[str]) -> Truth:
        """Return the true shares of the disclosed values."""
        told = dict(zip(self.question.answers, self.question.tell, strict=True))
        if not set(held) <= set(told):
            raise self.no_answers()
        values: Counter[str] = Counter()
        for answer, count in held.items():
            values[told[answer]] += count
        found = super().truth(values)
        return Truth() if found is None else found

    @property
    def answer_bits(self) -> Fraction:
        """Of the list of answers: reports of similar people may disclose more of an answer than its own report."""
        return label_bits(len(self.question.answers))


@lru_cache(maxsize=256)
def _designed(question: Recoverable) -> RecoverableDesign:
    size = len(question.answers)
    masses = question.probabilities or (Fraction(1, size),) * size
    prior = Distribution(masses, question.answers)
    return best_answer(Query.of(prior, question.tell, question.rho))
