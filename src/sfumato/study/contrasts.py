"""What differs between two groups: the same share or mean of both, subtracted, with an interval of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, groupby
from math import hypot, isfinite

from sfumato.errors import InvalidParameter
from sfumato.infer.contrasts import Side, difference_intervals
from sfumato.study.ways import QuestionEstimate, Unit
from sfumato.values import Interval

SHARE = "share"
"""The name of the quantity that is the share of an answer."""
MOST_PAIRED = 6
"""How many groups or answers are compared each with each; of more, the first is compared with the others."""


class Between(StrEnum):
    """What contrasts are between: groups of people, or the answers of the same people."""

    GROUPS = "groups"
    ANSWERS = "answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """A number among the people of one group minus the same number among those of another, or what answers differ by.

    `first` and `second` are groups, or between answers two of these; `group` is then whose answers they are, None
    being everybody. Between groups `answer` is the answer whose share it is, or None where it is another `quantity`.
    `value` is the difference of what is shown and inside `interval`, `raw` is that of the unbiased numbers.
    `standard_error` is that of `raw`, None where intervals of many texts that hold at once say it all. `together` is
    the confidence at which all contrasts of the question hold at once. `shares_of` is that of the estimates.
    """

    between: Between = Between.GROUPS
    question: str
    text: str
    group: str | None = None
    first: str
    second: str
    quantity: str
    answer: str | None
    unit: Unit
    value: float
    raw: float
    standard_error: float | None
    interval: Interval
    confidence: float
    together: float | None = None
    epsilon: float
    reports: int
    shares_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Number:
    """A number that both groups may have; it lies within `bounds`."""

    quantity: str
    answer: str | None
    unit: Unit
    value: float
    raw: float
    error: float
    ends: Interval
    bounds: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """The same number of two groups."""

    first: QuestionEstimate
    second: QuestionEstimate
    one: _Number
    other: _Number


def group_contrasts(estimates: Sequence[QuestionEstimate]) -> tuple[Contrast, ...]:
    """Return the contrasts between groups, question by question.

    Up to `MOST_PAIRED` groups each is compared with each, of more the first with each other one. Medians and other
    answers have none, nor has what can be said of one of the groups only.
    """
    if not any(found.group is not None for found in estimates):
        raise InvalidParameter(
            "are between groups, and these estimates have none",
            parameter="contrasts",
            way_out="Estimate by the groups of a public column, or compare answers: `between` = answers.",
        )
    made: list[Contrast] = []
    for _, same in groupby(estimates, key=lambda found: (found.question.id, found.level)):
        groups = [found for found in same if found.group is not None]
        compared = ((groups[first], groups[second]) for first, second in compared_places(len(groups)))
        pairs = [(first, second, _shared(first, second)) for first, second in compared]
        # Of two answers there is one number, in whatever way it is said.
        claims = sum(min(1, len(shared)) if first.is_pair else len(shared) for first, _, shared in pairs)
        flat = [
            _Pair(first=first, second=second, one=one, other=other)
            for first, second, shared in pairs
            for one, other in shared
        ]
        confidences = [_confidence(pair.first, claims) for pair in flat]
        ends = _ends(flat, confidences)
        made += map(_contrast, flat, confidences, ends)
    return tuple(made)


def compared_places(count: int) -> list[tuple[int, int]]:
    """Return which of so many are compared, by their places.

    Nothing is picked by what the reports say, so that each interval holds as often as it claims.
    """
    return list(combinations(range(count), 2)) if count <= MOST_PAIRED else [(0, place) for place in range(1, count)]


def _shared(first: QuestionEstimate, second: QuestionEstimate) -> list[tuple[_Number, _Number]]:
    """Return what is known of both."""
    others = {(one.quantity, one.answer): one for one in _numbers(second)}
    keyed = (((one.quantity, one.answer), one) for one in _numbers(first))
    return [(one, others[key]) for key, one in keyed if key in others]


def _numbers(found: QuestionEstimate) -> Iterator[_Number]:
    whole = Interval(0.0, 1.0)
    errors = found.raw_errors or found.standard_errors
    for place in range(int(found.is_pair), len(found.labels)):
        if isfinite(found.raw[place]) and isfinite(errors[place]):
            yield _Number(
                quantity=SHARE,
                answer=found.labels[place],
                unit=Unit.SHARE,
                value=found.shares[place],
                raw=found.raw[place],
                error=errors[place],
                ends=found.intervals[place],
                bounds=whole,
            )
    for one in found.quantities:
        bounds = whole if one.unit is Unit.SHARE else one.within
        if bounds is None or one.value is None or one.raw is None or one.standard_error is None:
            continue
        if isfinite(one.raw) and isfinite(one.standard_error):
            yield _Number(
                quantity=one.name,
                answer=None,
                unit=one.unit,
                value=one.value,
                raw=one.raw,
                error=one.standard_error,
                ends=one.interval,
                bounds=bounds,
            )


def _confidence(found: QuestionEstimate, claims: int) -> float:
    return found.confidence if found.together is None else 1 - (1 - found.together) / claims


def _ends(pairs: Sequence[_Pair], confidences: Sequence[float]) -> list[Interval]:
    """Return the intervals of all differences; those within the same bounds are found at once."""
    alike: dict[tuple[float, ...], list[int]] = {}
    for place, (pair, confidence) in enumerate(zip(pairs, confidences, strict=True)):
        bounds = pair.one.bounds
        key = (bounds.lower, bounds.upper, confidence, pair.first.confidence, pair.second.confidence)
        alike.setdefault(key, []).append(place)
    found: dict[int, Interval] = {}
    for (low, high, confidence, of_first, of_second), places in alike.items():
        lower, upper = difference_intervals(
            _side([pairs[place].one for place in places], of_first),
            _side([pairs[place].other for place in places], of_second),
            low=low,
            high=high,
            confidence=confidence,
        )
        found |= dict(zip(places, map(Interval, lower.tolist(), upper.tolist()), strict=True))
    return [found[place] for place in range(len(pairs))]


def _side(numbers: Sequence[_Number], confidence: float) -> Side:
    """Return numbers as one side of differences; `confidence` is that of their intervals."""
    return Side(
        value=[one.value for one in numbers],
        raw=[one.raw for one in numbers],
        error=[one.error for one in numbers],
        lower=[one.ends.lower for one in numbers],
        upper=[one.ends.upper for one in numbers],
        confidence=confidence,
    )


def _contrast(pair: _Pair, confidence: float, interval: Interval) -> Contrast:
    first, second, one, other = pair.first, pair.second, pair.one, pair.other
    return Contrast(
        question=first.question.id,
        text=first.question.text,
        first=str(first.group),
        second=str(second.group),
        quantity=one.quantity,
        answer=one.answer,
        unit=one.unit,
        value=one.value - other.value,
        raw=one.raw - other.raw,
        standard_error=hypot(one.error, other.error),
        interval=interval,
        confidence=confidence,
        together=first.together,
        epsilon=first.epsilon,
        reports=first.total + second.total,
        shares_of=first.shares_of,
    )
