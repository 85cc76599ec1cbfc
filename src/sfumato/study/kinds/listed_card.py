"""Questions with a list of answers that are asked with a card.

A respondent draws unwatched and gives the report that the card says. There is one level and there are no keys; reports
may be collected on paper and typed in.   Theory: docs/theory/listed_survey.md
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from sfumato import measures
from sfumato.certificates.certificate import Certificate
from sfumato.display.text import at_most, percent, percent_at_least, percent_at_most
from sfumato.errors import InvalidParameter
from sfumato.inference.estimates import ManyReports, ReportedShares
from sfumato.inference.results import QuestionEstimate, Reading, ReportedDifferences
from sfumato.mechanisms.base import normal_estimate
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.intervals import float_above, float_below
from sfumato.prob.channel import Channel
from sfumato.sampling.mechanism import Tally
from sfumato.study.cells import ALIASES, check_heading, checked_aliases, checked_list
from sfumato.study.channel_questions import CardedHandler
from sfumato.study.fields import (
    FRACTION_PATTERN,
    Key,
    as_numbers,
    as_text,
    exact_number,
    number_key,
    texts_key,
    whole_key,
)
from sfumato.study.goals import DEFAULT_CONFIDENCE, DEFAULT_HALF_WIDTH, checked_share
from sfumato.study.handler import FloatArray, label_bits
from sfumato.study.kinds.card import TOO_FINE, checked_max_epsilon, protection
from sfumato.study.ladder_planning import times
from sfumato.study.question import Question, ShareRange
from sfumato.study.question_plans import LevelPlan, PlanTable, QuestionPlan
from sfumato.study.readers import Audience
from sfumato.surveys.cards import MOST_FACES, SpinnerCard, list_response, playable_list, spinner_card
from sfumato.surveys.design import AnswerLimits
from sfumato.surveys.lists import (
    ListedSurvey,
    answer_or_silence,
    checked_answers,
    checked_shares,
    listed_survey,
    silent_level,
)

# --- The plan of a card with a list of answers
# What respondents do, what protects them, and what each design costs.


RESPONSE, SILENT, BEST, DIRECT = "randomised response", "answer or silence", "sets, the best", "direct question"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCost:
    """One design, what it protects, and about how many respondents give every share the planned half-width."""

    name: str
    channel: Channel
    respondents: float
    guess_error: Fraction
    epsilon: float
    exposure: Fraction


def plan_listed_card(card: ListedCard, levels: tuple[LevelPlan, ...], certificate: Certificate) -> QuestionPlan:
    """Work a card out: its draw, its costs, and those of its rivals."""
    design, found = card.design(), _spinner(card)
    costs, over = listed_costs(card), variance_over_floor(card)
    said = protection(certificate)
    return QuestionPlan(
        question=card,
        because=(
            f"{len(card.answers)} answers, asked with a card: {design.name}. Each respondent draws unwatched, and "
            f"reports an answer, several that hold theirs, or “any”."
        ),
        levels=levels,
        certificate=certificate,
        sentences=said,
        instructions=(TOO_FINE,) if found is None else found.lines(),
        protection=said,
        arguments=_arguments(costs, _floor_words(card, over)),
        tables=(_table(card, costs),),
        card=found,
        document=_document(card, costs, over, found),
    )


def listed_costs(card: ListedCard) -> tuple[ListedCost, ...]:
    """Count what the card's design costs, and its rivals within the same limits; the chosen design comes first."""
    limits, design = card.limits, card.design()
    rivals: dict[str, Channel] = {}
    if silent_level(limits) is not None:
        rivals[SILENT] = answer_or_silence(card.answers, guess_error=limits.guess_error, weights=limits.weights).channel
    if (best := best_survey(card)) is not None:
        rivals[BEST] = best.channel
    rivals[RESPONSE] = list_response(card.answers, limits)
    size = len(card.answers)
    told = [[Fraction(int(x == y)) for y in range(size)] for x in range(size)]
    rivals[DIRECT] = Channel(told, card.answers, card.answers)
    costs = [_cost(design.name, design.channel, card)]
    costs += [_cost(name, rival, card) for name, rival in rivals.items() if rival.rows != design.channel.rows]
    return tuple(costs)


def best_survey(card: ListedCard) -> ListedSurvey | None:
    """Return the survey that is best for the card's shares; None where too many answers have too many sets."""
    with suppress(InvalidParameter):
        return listed_survey(
            card.answers,
            guess_error=card.limits.guess_error,
            weights=card.limits.weights,
            shares=card.shares,
            max_epsilon=None if card.max_epsilon is None else float_below(card.max_epsilon),
        )
    return None


def variance_over_floor(card: ListedCard) -> Fraction | None:
    """Return how many times the proven least variance, summed over all shares, the card's design has; None if unknown.

    The floor holds for every survey within the card's limits, at the card's shares.
    """
    best = best_survey(card)
    floor = None if best is None else best.floor
    if floor is None:
        return None
    own = card.design().total_variance(card.shares)
    return None if own is None else own / floor


def share_variances(channel: Channel, shares: tuple[Fraction, ...]) -> list[float]:
    """n times the variance of each unbiased share, which intervals are made from; infinite if not all are estimable.

    The likeliest shares vary a little less where answers are not equally frequent.
    """
    law = np.array([float(share) for share in shares])
    if np.linalg.matrix_rank(channel.array) < len(law):
        return [math.inf] * len(law)
    weights = ManyReports(channel, np.eye(channel.shape[1])).raw
    found: list[float] = (law @ channel.array @ weights**2 - law**2).tolist()
    return found


def _cost(name: str, channel: Channel, card: ListedCard) -> ListedCost:
    deviations = NormalDist().inv_cdf(float(1 + DEFAULT_CONFIDENCE) / 2)
    return ListedCost(
        name=name,
        channel=channel,
        respondents=(deviations / float(DEFAULT_HALF_WIDTH)) ** 2 * max(share_variances(channel, card.shares)),
        guess_error=Fraction(measures.guess_error(channel, card.limits.weights)),
        epsilon=measures.epsilon(channel),
        exposure=Fraction(measures.exposure(channel)),
    )


def _floor_words(card: ListedCard, ratio: Fraction | None) -> str:
    if ratio is None:
        return ""
    expected = "the expected shares" if card.expected_shares is not None else "equal shares"
    return (
        f" At {expected}, the variances of all shares sum to at most {times(float_above(ratio))} times the least of "
        f"any survey within the same limits."
    )


def _arguments(costs: tuple[ListedCost, ...], floor: str) -> tuple[str, ...]:
    chosen, coin = costs[0], next((cost for cost in costs if cost.name == RESPONSE), costs[0])
    said = ["The guess error says how often the best guess of an answer is wrong, on average over reports."]
    if chosen.epsilon > coin.epsilon:
        most = "∞: some of its reports prove an answer" if math.isinf(chosen.epsilon) else at_most(chosen.epsilon)
        said.append(
            f"It does not make single reports equal: the ε of {chosen.name} is {most}, that of randomised response "
            f"{at_most(coin.epsilon)}."
        )
    return (" ".join(said) + floor,)


def _table(card: ListedCard, costs: tuple[ListedCost, ...]) -> PlanTable:
    expected = "as expected" if card.expected_shares is not None else "equally frequent"
    return PlanTable(
        title=(
            f"About how many respondents tell every share within ± {100 * float(DEFAULT_HALF_WIDTH):.6g} percentage "
            f"points, each with {percent(DEFAULT_CONFIDENCE)} confidence, if answers are {expected}"
        ),
        header=("design", "respondents", "guess error", "ε (nats)", "answers proved"),
        rows=tuple(
            (
                cost.name,
                "too many" if math.isinf(cost.respondents) else f"≈ {_three_digits(cost.respondents):,}",
                percent_at_least(cost.guess_error),
                "∞" if math.isinf(cost.epsilon) else at_most(cost.epsilon),
                percent_at_most(cost.exposure),
            )
            for cost in costs
        ),
        chosen=0,
    )


def _three_digits(respondents: float) -> int:
    whole = max(1, math.ceil(respondents))
    return round(whole, 3 - len(str(whole)))


def _spinner(card: ListedCard) -> SpinnerCard | None:
    try:
        return spinner_card(card.design().channel)
    except InvalidParameter:
        return None


def _document(
    card: ListedCard, costs: tuple[ListedCost, ...], over: Fraction | None, found: SpinnerCard | None
) -> dict[str, Any]:
    design = card.design()
    channel = design.channel
    return {
        "design": {
            "name": design.name,
            "answers": channel.inputs,
            "reports": channel.outputs,
            "rows": [[str(p) for p in row] for row in channel.rows],
            "variance_over_floor": None if over is None else float_above(over),
        },
        "card": None
        if found is None
        else {"faces": found.faces, "device": found.device, "lines": found.lines(), "ranges": found.ranges},
        "designs": [
            {
                "name": cost.name,
                "respondents_about": "inf" if math.isinf(cost.respondents) else cost.respondents,
                "guess_error": str(cost.guess_error),
                "epsilon": "inf" if math.isinf(cost.epsilon) else cost.epsilon,
                "exposure": str(cost.exposure),
                "rows": [[str(p) for p in row] for row in cost.channel.rows],
            }
            for cost in costs
        ],
    }


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

    def handler(self, audience: Audience, declaration: str | None = None) -> ListedCardHandler:
        """Return how it is asked."""
        del declaration
        return ListedCardHandler(self, audience)

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


class ListedCardHandler(CardedHandler):
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
