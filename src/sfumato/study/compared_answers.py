"""What differs between two answers: their shares among the same people, subtracted, with an interval of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isnan

from sfumato.errors import InvalidParameter
from sfumato.infer import LinearEstimate
from sfumato.study.contrasts import SHARE, Between, Contrast, compared_places
from sfumato.study.ways import QuestionEstimate, Unit
from sfumato.values import Interval


def answer_contrasts(estimates: Sequence[QuestionEstimate]) -> tuple[Contrast, ...]:
    """Return the contrasts between answers, question by question: of everybody, then of each group.

    Up to six answers each is compared with each, of more the first with the others; texts that were found stand with
    the most frequent first. Of two answers the second is compared with the first. “No answer” is one more answer.
    """
    made: list[Contrast] = []
    for _, same in groupby(estimates, key=lambda found: (found.question.id, found.level)):
        samples = [(found, _places(found)) for found in same]
        claims = sum(len(places) for _, places in samples)
        for found, places in samples:
            made += _compared(found, places, claims) if places else ()
    if not made:
        raise InvalidParameter(
            "are between answers, and no question here has two whose shares are known",
            parameter="contrasts",
            way_out="Name a question that is asked for shares.",
        )
    return tuple(made)


def _places(found: QuestionEstimate) -> list[tuple[int, int]]:
    return [(1, 0)] if found.is_pair else compared_places(len(found.labels))


def _compared(found: QuestionEstimate, places: list[tuple[int, int]], claims: int) -> Iterator[Contrast]:
    if found.differences is None:
        raise InvalidParameter(
            f"have no intervals between the answers to {found.question.id!r}, which the same reports have found",
            parameter="contrasts",
            way_out="Name the other questions with `question`.",
        )
    confidence = found.confidence
    if found.together is not None and not found.differences.holds_together:
        confidence = 1 - (1 - found.together) / claims
    differences = found.differences.of(places, confidence)
    for (first, second), one in zip(places, differences, strict=True):
        if one is not None:
            yield _contrast(found, first, second, one, confidence)


def _contrast(found: QuestionEstimate, first: int, second: int, one: LinearEstimate, confidence: float) -> Contrast:
    # What is shown may be the nearest law in place of the likeliest one.
    value = found.shares[first] - found.shares[second]
    return Contrast(
        between=Between.ANSWERS,
        question=found.question.id,
        text=found.question.text,
        group=found.group,
        first=found.labels[first],
        second=found.labels[second],
        quantity=SHARE,
        answer=None,
        unit=Unit.SHARE,
        value=value,
        raw=one.raw,
        standard_error=None if isnan(one.standard_error) else one.standard_error,
        interval=Interval(min(one.interval.lower, value), max(one.interval.upper, value)),
        confidence=confidence,
        together=found.together,
        epsilon=found.epsilon,
        reports=found.total,
        shares_of=found.shares_of,
    )
