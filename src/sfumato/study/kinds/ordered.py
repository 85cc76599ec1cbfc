"""Questions with ordered answers: cumulative shares, medians and other quantiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.inference.estimates import LinearEstimate, ReportedShares
from sfumato.inference.quantities import Picture, Quantity, Unit
from sfumato.inference.results import QuestionEstimate, Reading, Truth
from sfumato.ladders.ladder import Ladder
from sfumato.ladders.level_mechanisms import LevelMechanism
from sfumato.mechanisms.arc import ArcResponse, unbiased_weights
from sfumato.numbers.intervals import Interval
from sfumato.prob.intervals import binomial_share_intervals
from sfumato.sampling.mechanism import Mechanism, Tally
from sfumato.study.cells import ALIASES, NO_ANSWER, checked_list
from sfumato.study.fields import EPSILON, FRACTION_PATTERN, Entry, Key, as_numbers, exact_number, texts_key
from sfumato.study.handler import told_law
from sfumato.study.ladder_questions import LadderHandler, LadderQuestion, Value
from sfumato.study.question import listed_answers
from sfumato.study.readers import Audience

# --- Cumulative shares and quantiles
# The share of answers up to j is a sum of shares with an interval of its own. A quantile is the first answer whose
# cumulative share reaches it. Its interval holds every answer that may be the first, given the intervals of the
# cumulative shares. At the last answer the cumulative share is 1, so the interval is never empty.


MEDIAN = "median"
QUARTILES = (("lower quartile", 0.25), (MEDIAN, 0.5), ("upper quartile", 0.75))
NOT_ESTIMABLE = "The share of those who answer may be 0, so nothing can be said of their answers."


@dataclass(frozen=True, slots=True, kw_only=True)
class CumulativeShares:
    """For each answer the share of those who give it or a lower one, among those who answer; rising."""

    values: tuple[float, ...]
    raw: tuple[float | None, ...]
    errors: tuple[float | None, ...]
    intervals: tuple[Interval, ...]


def cumulative_shares(
    reported: ReportedShares,
    choices: Sequence[str],
    *,
    hides: bool,
    confidence: float,
    told: Sequence[int] | None = None,
    rung: LevelMechanism | None = None,
) -> CumulativeShares | None:
    """Return cumulative shares with intervals; None where those who answer cannot be estimated.

    Where a report is one of the answers, `told` counts them by answer, and intervals are exact: how many reports say
    one of some answers is one binomial count.
    """
    count = len(choices)
    among = [1] * count + [0] * hides
    found = []
    for place in range(count - 1):
        held = [1.0] * (place + 1) + [0.0] * (count - place - 1 + hides)
        one = reported.ratio(held, among, confidence) if hides else reported.linear(held, confidence)
        if one is None:
            return None
        found.append(one)
    if told is not None and rung is not None and rung.says_answers and not hides:
        ends = exact_ends(rung, told, confidence)
        found = [
            replace(one, interval=Interval(min(low, one.value), max(high, one.value)))
            for one, (low, high) in zip(found, ends, strict=True)
        ]
    return rising(found)


def exact_ends(rung: LevelMechanism, told: Sequence[int], confidence: float) -> list[tuple[float, float]]:
    """Return the ends for the share of the first answer, of the first two, and so on, without that of all.

    Of m answers, each of the others is reported as one of them with m times the lower probability.
    """
    law = [float(p) for p in rung.law(0)]
    low, gap = min(law), max(law) - min(law)
    found = []
    for place, hits in enumerate(accumulate(told[:-1]), start=1):
        lower, upper = binomial_share_intervals([hits], sum(told), place * low, place * low + gap, confidence)
        found.append((float(lower[0]), float(upper[0])))
    return found


def rising(found: Sequence[LinearEstimate]) -> CumulativeShares:
    """Return the sums of more and more shares as cumulative ones, with that of all answers."""
    # What is cumulative does not fall: an interval is widened where another one reaches over its end.
    lowers = list(accumulate((one.interval.lower for one in reversed(found)), min))[::-1]
    uppers = list(accumulate((one.interval.upper for one in found), max))
    values = list(accumulate((one.value for one in found), max))
    ends = [
        Interval(min(low, value), max(high, value)) for low, value, high in zip(lowers, values, uppers, strict=True)
    ]
    return CumulativeShares(
        values=(*values, 1.0),
        raw=(*(one.raw for one in found), None),
        errors=(*(one.standard_error for one in found), None),
        intervals=(*ends, Interval(1.0, 1.0)),
    )


def cumulative_quantities(sums: CumulativeShares | None, choices: Sequence[str]) -> tuple[Quantity, ...]:
    """Return a share for each answer but the last, which is 1."""
    if sums is None:
        return ()
    return tuple(
        Quantity(
            name=f"“{choice}” or lower",
            value=sums.values[place],
            raw=sums.raw[place],
            standard_error=sums.errors[place],
            interval=sums.intervals[place],
            unit=Unit.SHARE,
        )
        for place, choice in enumerate(choices[:-1])
    )


def median_answer(sums: CumulativeShares | None, choices: tuple[str, ...]) -> Quantity:
    """Return the middle answer as a place in the scale."""
    if sums is None:
        whole = Interval(0.0, len(choices) - 1.0)
        return Quantity(name=MEDIAN, value=None, interval=whole, unit=Unit.ANSWER, scale=choices, words=NOT_ESTIMABLE)
    first, place, last = _places(sums, 0.5)
    ends = Interval(float(first), float(last))
    return Quantity(name=MEDIAN, value=float(place), interval=ends, unit=Unit.ANSWER, scale=choices)


def quantiles(sums: CumulativeShares | None, points: Sequence[float], *, in_bins: bool) -> tuple[Quantity, ...]:
    """Return median and quartiles as numbers.

    `points` are the values, or with `in_bins` the edges of bins, one more than those: inside of a bin numbers are taken
    to be spread evenly for the value, and for nothing in the interval, which goes from edge to edge.
    """
    if sums is None:
        whole = Interval(points[0], points[-1])
        return tuple(Quantity(name=name, value=None, interval=whole, words=NOT_ESTIMABLE) for name, _ in QUARTILES)
    found = []
    for name, share in QUARTILES:
        first, place, last = _places(sums, share)
        value = points[place]
        if in_bins:
            below = sums.values[place - 1] if place else 0.0
            part = (share - below) / (sums.values[place] - below)
            value += part * (points[place + 1] - value)
        found.append(Quantity(name=name, value=value, interval=Interval(points[first], points[last + in_bins])))
    return tuple(found)


def _places(sums: CumulativeShares, share: float) -> tuple[int, int, int]:
    """The first answer that may be the quantile, the one that is, and the last that may be."""
    first = next(place for place, one in enumerate(sums.intervals) if one.upper >= share)
    place = next(place for place, value in enumerate(sums.values) if value >= share)
    last = next(place for place, one in enumerate(sums.intervals) if one.lower >= share)
    return min(first, place), place, max(last, place)


MOST_ORDERED = 100
_BETWEEN = "<"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered(LadderQuestion):
    """One of a list of answers that have an order, the lowest first; `scores` are what they are worth, 1, 2, … else.

    >>> import sfumato as sf
    >>> sf.Ordered(id="tired", text="How often are you tired?", answers=("never", "at times", "always")).values
    (1, 2, 3)
    """

    KIND: ClassVar[str] = "ordered"
    MODEL: ClassVar[str] = "ordered"
    HEADLINE: ClassVar[str] = "one of a list in order"
    KEYS: ClassVar = (
        texts_key("answers", "The answers in order, each once.", low=2, high=MOST_ORDERED, is_needed=True),
        Key(
            name="scores",
            words="What each answer is worth in the mean score; 1, 2, 3 and so on if left out.",
            read=as_numbers,
            schema={
                "type": "array",
                "items": {"description": "A score.", "type": ["number", "string"], "pattern": FRACTION_PATTERN},
                "minItems": 2,
                "maxItems": MOST_ORDERED,
            },
        ),
        ALIASES,
        EPSILON,
    )
    COMMENTS: ClassVar = {"answers": "in order, the lowest first"}

    answers: tuple[str, ...]
    scores: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "answers", checked_list(self.answers, MOST_ORDERED))
        self._check()
        if self.scores is not None:
            scores = tuple(exact_number("scores", score) for score in self.scores)
            if len(scores) != len(self.answers) or len(set(scores)) < 2:
                raise InvalidParameter(
                    f"must be {len(self.answers)} numbers, one for each answer, and not all the same",
                    parameter="scores",
                    way_out="Write for instance [1, 2, 3], or leave it out.",
                )
            object.__setattr__(self, "scores", scores)

    @property
    def choices(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def listed(self) -> tuple[str, ...]:
        """The answers."""
        return self.answers

    @property
    def values(self) -> tuple[Value, ...]:
        """The scores."""
        return tuple(range(1, len(self.answers) + 1)) if self.scores is None else self.scores

    @property
    def noun(self) -> str:
        """What the answers are."""
        return "answers in order"

    @classmethod
    def suits(cls, answers: str) -> bool:
        """Answers with < between, and no commas."""
        return _BETWEEN in answers and "," not in answers

    @classmethod
    def typed(cls, name: str, text: str, answers: str) -> Self:
        """Read a list in order."""
        separator = _BETWEEN if _BETWEEN in answers else ","
        return cls(id=name, text=text, answers=tuple(answer.strip() for answer in answers.split(separator)))

    def entries(self) -> dict[str, Entry]:
        """Return what a file says of it."""
        return LadderQuestion.entries(self)

    def describe(self) -> str:
        """Name the answers in their order, and what they are worth where that was declared."""
        worth = "" if self.scores is None else f" They count {', '.join(f'{float(s):g}' for s in self.scores)}."
        return f"{listed_answers(self.answers).replace('Answers:', 'Answers in order:')}{worth}"

    def page_asks(self) -> dict[str, Any]:
        """Return the answers in their order."""
        return {"type": "scale", "answers": list(self.answers)}

    def true_mean(self, held: Counter[str]) -> Truth | None:
        """Return the true shares and the true mean score; None if something is no answer."""
        if not held or not set(held) <= set(self.labels):
            return None
        given = {label: count for label, count in held.items() if label != NO_ANSWER}
        worth = dict(zip(self.answers, self.values, strict=True))
        mean = sum(worth[label] * count for label, count in given.items()) / max(1, sum(given.values()))
        return Truth(shares=tuple(held[label] / held.total() for label in self.labels), mean=float(mean))

    def mechanism(self, epsilons: Sequence[float]) -> Mechanism | None:
        """Return the one whose cumulative shares have the smaller error: the cyclic response, or the truth favoured."""
        size = len(self.labels)
        if size == 2:
            return None
        single = ArcResponse(size=size, odds=Fraction(2), length=1)
        best = [
            min(_noise(Ladder.within(size=size, epsilons=(e,)))[0], _noise(Ladder(single, (e,)))[0]) for e in epsilons
        ]
        made = (Ladder.within(size=size, epsilons=epsilons), Ladder(single, epsilons))
        cyclic, favoured = (max(x / least for x, least in zip(_noise(one), best, strict=True)) for one in made)
        return None if cyclic <= favoured else single

    def handler(self, audience: Audience, declaration: str | None = None) -> OrderedHandler:
        """Return how it is asked."""
        return OrderedHandler(self, audience, declaration)


class OrderedHandler(LadderHandler):
    """How answers in order are asked by a ladder."""

    question: Ordered

    def __init__(self, question: Ordered, audience: Audience, declaration: str | None = None) -> None:
        LadderHandler.__init__(self, question, audience, declaration)

    def estimate(self, tally: Tally, reading: Reading) -> QuestionEstimate:
        """Return shares, the mean score, the middle answer and the cumulative shares."""
        found = LadderHandler.estimate(self, tally, reading)
        question = self.question
        rung = self.rung_at(reading.level)
        sums = cumulative_shares(
            ReportedShares(rung.channel(), tally.counts),
            question.choices,
            hides=question.hides,
            confidence=reading.confidence,
            told=tally.counts,
            rung=rung,
        )
        told = (median_answer(sums, question.choices), *cumulative_quantities(sums, question.choices))
        return replace(found, picture=Picture.ORDERED, quantities=(*found.quantities, *told))

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return that of a ladder, with the picture of a scale."""
        found = LadderHandler.reckoning(self, level)
        return found and found | {"picture": Picture.ORDERED.value}

    def order_reckoning(self, level: int) -> dict[str, Any]:
        """Exact where a report is one of the answers."""
        told = None if self.question.hides else told_law(self.rung_at(level))
        return {"type": "answers", "told": told}


def _noise(ladder: Ladder) -> tuple[float, ...]:
    """Return the largest variance of a cumulative share, from one report of each level, where answers are even."""
    found = []
    for level in ladder.levels:
        channel = level.channel()
        rows, size = channel.array, channel.shape[0]
        scores = unbiased_weights(rows) @ np.triu(np.ones((size, size)))[:, :-1]
        seen = rows.mean(axis=0)
        found.append(float((seen @ scores**2 - (seen @ scores) ** 2).max()))
    return tuple(found)
