"""Questions with two answers that are asked with a card.

A respondent draws unwatched and gives the report that the card says. There is one level and there are no keys; reports
may be collected on paper and typed in.   Theory: docs/theory/survey.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

from sfumato.certificates.certificate import Certificate
from sfumato.display.text import at_most, percent
from sfumato.errors import InvalidParameter
from sfumato.inference.results import QuestionEstimate, Reading
from sfumato.inference.shares import share_weights
from sfumato.numbers.checks import check_between, check_integer
from sfumato.numbers.intervals import float_below
from sfumato.sampling.mechanism import Tally
from sfumato.study.cells import ALIASES, SECOND_IS_ESTIMATED, check_heading, checked_aliases, checked_pair
from sfumato.study.channel_questions import CardedHandler, estimate_two
from sfumato.study.compared_designs import (
    WARNER,
    Asked,
    DesignCost,
    Equal,
    Footing,
    compared,
    cost_document,
    cost_levels,
    design_costs,
    footings_of,
)
from sfumato.study.fields import Entry, choice_key, exact_number, number_key, short_number, texts_key, whole_key
from sfumato.study.goals import INTERVAL_KEYS, TEST_KEYS, Goal, checked_share
from sfumato.study.handler import FloatArray, label_bits
from sfumato.study.question import Question, ShareRange
from sfumato.study.question_plans import CostCurve, CostLevel, LevelPlan, PlanTable, QuestionPlan, Said
from sfumato.study.readers import Audience
from sfumato.surveys.cards import MOST_FACES, SpinnerCard, playable, spinner_card
from sfumato.surveys.design import Limits, SurveyDesign, survey

# --- The plan of a card
# What respondents do, what protects them, and what each design costs.


TOO_FINE = (
    "The draw is too fine for coins, dice or a phone. Give the question faces = 1000 for a card, or let the software "
    "draw."
)
_OURS = ("three outputs", "two outputs")
# The guess errors at which the curve of a picture is drawn.
_CURVE = tuple(Fraction(i, 200) for i in range(2, 97))


def plan_card(card: Card, levels: tuple[LevelPlan, ...], certificate: Certificate) -> QuestionPlan:
    """Work a card out: its draw, its costs, and those of its rivals."""
    design, found = card.design(), spinner(card)
    costs, by_error = design_costs(card), cost_levels(card)
    asked = Asked(answers=card.answers, goal=card.goal, weight=card.weight)
    same_error = Footing(equal=Equal.GUESS_ERROR, costs=costs)
    ours = [cost for cost in costs[1:] if cost.name in _OURS]
    beside = compared((same_error, *footings_of(costs[0], ours, asked)), asked)
    said = protection(certificate)
    lines = (TOO_FINE,) if found is None else found.lines()
    return QuestionPlan(
        question=card,
        because=f"Two answers, asked with a card: {design.name}. Each respondent draws unwatched.",
        levels=levels,
        certificate=certificate,
        sentences=said,
        instructions=tuple(lines),
        protection=said,
        arguments=(_means(costs), *beside.words),
        tables=(*beside.tables, _level_table(card, by_error)),
        costs=lambda: _curve(card),
        card=found,
        document=_document(card, costs, by_error, found) | {"comparisons": list(beside.documents)},
    )


def _means(costs: tuple[DesignCost, ...]) -> str:
    """Say what the comparison at equal guess error holds equal, and what it does not."""
    chosen, coin = costs[0], next((cost for cost in costs if cost.name == WARNER), costs[0])
    said = "“At equal guess error” compares how often the best guess of an answer is wrong, on average over reports."
    if chosen.epsilon > coin.epsilon:
        most = "∞: some of its reports prove an answer" if math.isinf(chosen.epsilon) else f"{at_most(chosen.epsilon)}"
        return (
            f"{said} It does not make single reports equal: the ε of {chosen.name} is {most}, that of Warner's coin "
            f"{at_most(coin.epsilon)}. Under a limit on ε alone no report says more about the share "
            f"than that of Warner's coin."
        )
    return said


def _curve(card: Card) -> CostCurve:
    return CostCurve(
        levels=cost_levels(card, _CURVE), guess_error=card.guess_error, goal=card.goal.words(card.answers[1])
    )


def spinner(card: Card) -> SpinnerCard | None:
    """Return the card to draw by, None when the draw is too fine to be made by hand or phone."""
    try:
        return spinner_card(card.design().channel)
    except InvalidParameter:
        return None


def protection(certificate: Certificate) -> tuple[Said, ...]:
    """Return the sentences that a respondent should know."""
    claims = [certificate[measure] for measure in ("guess_error", "exposure", "epsilon")]
    return tuple(
        Said(
            sentence=claim.sentence,
            is_alarm=(claim.measure == "exposure" and claim.value != 0) or claim.value == math.inf,
        )
        for claim in claims
    )


def _level_table(card: Card, levels: tuple[CostLevel, ...]) -> PlanTable:
    return PlanTable(
        title="About how many respondents each level of privacy costs",
        header=("guess error", *(name for name, _ in levels[0].respondents)),
        rows=tuple((percent(level.guess_error), *(_about(n) for _, n in level.respondents)) for level in levels),
        chosen=next((i for i, level in enumerate(levels) if level.guess_error == card.guess_error), None),
    )


def _about(respondents: float) -> str:
    """Round to two digits: the approximation is good for no more."""
    if not math.isfinite(respondents):
        return "too many"
    return f"{_rounded(max(1, math.ceil(respondents)), 2):,}"


def _rounded(whole: int, digits: int) -> int:
    return round(whole, digits - len(str(whole)))


def _document(
    card: Card, costs: tuple[DesignCost, ...], levels: tuple[CostLevel, ...], found: SpinnerCard | None
) -> dict[str, Any]:
    design = card.design()
    channel = design.channel
    return {
        "design": {
            "name": design.name,
            "answers": channel.inputs,
            "reports": channel.outputs,
            "rows": [[str(p) for p in row] for row in channel.rows],
        },
        "respondents": costs[0].respondents,
        "card": None
        if found is None
        else {"faces": found.faces, "device": found.device, "lines": found.lines(), "ranges": found.ranges},
        "designs": [cost_document(cost) for cost in costs],
        "levels_of_privacy": [
            {
                "guess_error": str(level.guess_error),
                "respondents_about": {name: n if math.isfinite(n) else "inf" for name, n in level.respondents},
            }
            for level in levels
        ],
    }


OWN_KEYS = (
    number_key("guess_error", "Ask with a card: the best guess of an answer stays wrong at least this often.", 0, 0.5),
    number_key("delta", "The same as guess_error, as 1 - 2·guess_error.", 0, 1, open_ends=True),
    number_key("weight", "Of a card: weight of missing the second answer.", 0, 1),
    number_key("max_epsilon", "Of a card: no report says more than this ε, in nats.", 0, 1000),
    choice_key("outputs", "Of a card: three different reports, or two.", (2, 3)),
    whole_key("faces", "Of a card: make it playable with so many faces, such as 6, 20 or 1000.", 2, MOST_FACES),
    *TEST_KEYS,
)

# --- Card questions and their handlers
_PROMISE = "Asked with a card: the best guess of an answer stays wrong at least this often (0.5 is a coin toss)."
_EXPOSES = "Under this promise alone, some reports prove their answer. With a limit on ε none does:"
_MAY_BE_ADDED = {
    "faces": "faces = 1000                       # then the draw is made in so many steps, by phone",
    "expected_share": "expected_share = 0.1               # what you expect, and",
    "half_width": "half_width = 0.02                  # how exact it should get: the plan says how many to ask",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card(Question):
    """Two answers, "no" first, asked with a card: the best guess of an answer stays wrong at least `guess_error`.

    `weight` is that of missing the second answer; without `max_epsilon` ε is not limited. `faces` makes the draw
    playable with dice or a phone.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.Card(id="drugs", text="Have you taken drugs?", guess_error=Fraction(3, 8)).kind
    'yes-no'
    """

    KIND: ClassVar[str] = "yes-no"
    HEADLINE: ClassVar[str] = "two answers"
    KEYS: ClassVar = (
        texts_key("answers", 'The answers, each once, "no" first.', low=2, high=2),
        ALIASES,
        *OWN_KEYS,
        *INTERVAL_KEYS,
    )
    COMMENTS: ClassVar = {"answers": SECOND_IS_ESTIMATED}
    ONE_OF: ClassVar = ("guess_error", "delta")
    NOT_HIDDEN: ClassVar = "is drawn by hand, and whoever does not answer draws nothing"

    answers: tuple[str, str] = ("no", "yes")
    guess_error: Fraction
    weight: Fraction = Fraction(1, 2)
    max_epsilon: Fraction | None = None
    outputs: int = 3
    faces: int | None = None
    goal: Goal = field(default_factory=Goal)

    def __post_init__(self) -> None:
        check_heading(self.id, self.text)
        object.__setattr__(self, "answers", checked_pair(self.answers))
        object.__setattr__(self, "aliases", checked_aliases(self.aliases, self.answers.__contains__))
        for name in ("guess_error", "weight"):
            object.__setattr__(self, name, checked_share(name, getattr(self, name)))
        object.__setattr__(self, "max_epsilon", checked_max_epsilon(self.max_epsilon))
        Limits.of(guess_error=self.guess_error, weight=self.weight, max_epsilon=self.epsilon_below)
        check_between("outputs", check_integer("outputs", self.outputs), 2, 3, way_out="More than three never help.")
        if self.faces is not None:
            check_between("faces", check_integer("faces", self.faces), 2, MOST_FACES)
        if self.outputs == 2 and self.goal.expected_share is None and not self.goal.is_test:
            raise InvalidParameter(
                "needs `expected_share`, the share of the second answer that you expect: the best of the two possible "
                "designs depends on it",
                parameter="outputs",
                value=2,
                way_out="Give `expected_share`, or use three outputs.",
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
    def epsilon_below(self) -> float | None:
        """The limit on ε as a float that does not exceed it."""
        return None if self.max_epsilon is None else float_below(self.max_epsilon)

    def design(self) -> SurveyDesign:
        """Return the best survey within the limits, in whole faces when their number is given."""
        return _designed(self)

    def handler(self, audience: Audience, declaration: str | None = None) -> CardHandler:
        """Return how it is asked."""
        del declaration
        return CardHandler(self, audience)

    @property
    def takes_goal(self) -> bool:
        """An interval or a test."""
        return True

    @property
    def told_shares(self) -> ShareRange:
        """What the goal states."""
        return self.goal.told_shares

    @property
    def told_difference(self) -> Fraction:
        """What the goal states."""
        return self.goal.gap

    def with_goal(self, wished: Mapping[str, Any]) -> Self:
        """Return the same question for another goal."""
        return replace(self, goal=self.goal.changed(wished))

    @classmethod
    def is_meant(cls, keys: frozenset[str]) -> bool:
        """A card is meant as soon as one of its own keys is there."""
        return bool(keys & {key.name for key in OWN_KEYS})

    @classmethod
    def from_entries(cls, entries: dict[str, Any]) -> Self:
        """Read a guess error, or delta = 1 - 2·guess_error."""
        delta = entries.pop("delta", None)
        if (delta is None) == ("guess_error" not in entries):
            given = "delta" if delta is not None else next(key.name for key in OWN_KEYS if key.name in entries)
            raise InvalidParameter(
                "belongs to a card, which needs either `guess_error` or `delta` = 1 - 2·guess_error",
                parameter=given,
                way_out="Give one of the two, or promise by `epsilon` alone.",
            )
        if delta is not None:
            entries["guess_error"] = error_from_delta(delta)
        return cls(**Goal.taken_from(entries))

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it."""
        found: dict[str, Entry] = {"answers": list(self.answers), "guess_error": self.guess_error}
        if self.weight != Fraction(1, 2):
            found["weight"] = self.weight
        if self.max_epsilon is not None:
            found["max_epsilon"] = self.max_epsilon
        if self.outputs != 3:
            found["outputs"] = self.outputs
        if self.faces is not None:
            found["faces"] = self.faces
        return found | self.goal.entries() | self.cell_entries()

    def first_lines(self) -> list[tuple[str, str]]:
        """Explain the promise, and what may be added."""
        answers, promise, *given = super(Card, self).first_lines()
        lines = [answers, ("", _PROMISE), promise]
        if self.max_epsilon is None:
            lines += [("", _EXPOSES), ("", "max_epsilon = 2")]
        lines += given
        return lines + [("", text) for name, text in _MAY_BE_ADDED.items() if name not in self.entries()]


class CardHandler(CardedHandler):
    """How a card is asked: one level, no keys, reports that have names."""

    question: Card

    def __init__(self, question: Card, audience: Audience) -> None:
        super().__init__(question, audience, question.design())

    def plan(self) -> QuestionPlan:
        """Work the card out beside its rivals."""
        return plan_card(self.question, self.levels, self.certificate())

    @property
    def report_words(self) -> str:
        """Say that a report is what the card said."""
        return "what the card told the respondent to report; a report proves nothing unless the certificate says so"

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return the share of the second answer by maximum likelihood."""
        return estimate_two(self.question, self.design.channel, tally, reading)

    def weights(self, level: int) -> FloatArray:
        """Return the weights of the card's reports."""
        del level
        return share_weights(self.design.channel)

    @property
    def answer_bits(self) -> Fraction:
        """One bit."""
        return label_bits(2)


@lru_cache(maxsize=256)
def _designed(card: Card) -> SurveyDesign:
    made = survey(
        guess_error=card.guess_error,
        weight=card.weight,
        max_epsilon=card.epsilon_below,
        outputs=card.outputs,
        theta=card.goal.share,
        answers=card.answers,
    )
    return made if card.faces is None else playable(made, faces=card.faces, theta=card.goal.share)


def checked_max_epsilon(value: Any) -> Fraction | None:
    """Read a limit on ε, exactly; None where there is none."""
    if value is None:
        return None
    epsilon = exact_number("max_epsilon", value)
    if not 0 < epsilon <= 1000:
        raise InvalidParameter(
            "must be a positive number of nats",
            parameter="max_epsilon",
            value=short_number(epsilon),
            way_out="Choose for instance 1.0, or leave out `max_epsilon`.",
        )
    return epsilon


def error_from_delta(delta: Fraction) -> Fraction:
    """Return the guess error a = (1-δ)/2."""
    if not 0 < delta < 1:
        raise InvalidParameter(
            "must lie strictly between 0 and 1",
            parameter="delta",
            value=short_number(delta),
            way_out="Choose for instance 0.25.",
        )
    return (1 - delta) / 2
