"""What a report tells about the answer behind it: P(answer | report) for every reader and report, at stated shares.

All of it follows from the channel of each level by Bayes' rule, exactly, whatever the kind of question. Of many answers
the number is the most that it can be, however those who hold others are spread over them. Where a report has no channel
of its own, ε bounds the odds.   Theory: docs/theory/posteriors.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.measures import raised_share
from sfumato.prob import AnyChannel, Channel
from sfumato.study.ways.plans import LevelPlan
from sfumato.study.ways.share_ranges import ShareRange
from sfumato.values.rounding import float_above

if TYPE_CHECKING:
    from sfumato.study.ways.base import Way

# Channels no larger than this are told report by report, where reports have names.
MOST_LISTED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRisk:
    """One report and the answer that is looked at: its posterior at each share.

    `even` is the posterior if all other answers are equally frequent, which of two answers is the same. Without a
    `report` it is the one that tells most, without an `answer` the one that it tells most about.
    """

    report: str | None
    answer: str | None
    posteriors: tuple[Fraction, ...]
    even: tuple[Fraction, ...] | None
    proves: str | None = None
    """The answer that only this report can come from, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRisk:
    """What the readers of a level learn. With `is_bound` the numbers follow from ε alone."""

    level: LevelPlan
    reports: tuple[ReportRisk, ...]
    is_bound: bool = False

    def worst(self, place: int) -> ReportRisk:
        """Return the report after which the answer is likeliest, at the share that stands at a place."""
        return max(self.reports, key=lambda one: one.posteriors[place])


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRisk:
    """What reports tell, at which shares, level by level; `answer_count` is 0 where answers are any text."""

    shares: ShareRange
    levels: tuple[LevelRisk, ...]
    answer_count: int

    @property
    def place(self) -> int:
        """Where the expected share stands."""
        return self.shares.shares.index(self.shares.expected)


def risk_of(way: Way, levels: Sequence[LevelPlan]) -> QuestionRisk:
    """Work out what each reader learns from each report of a question."""
    shares = way.question.told_shares
    found = []
    count = len(way.question.labels)
    for level in levels:
        channel = _channel(way, level.level)
        if channel is None:
            found.append(LevelRisk(level=level, reports=(_bounded(level.epsilon, shares.shares),), is_bound=True))
        else:
            count = channel.shape[0]
            found.append(LevelRisk(level=level, reports=_reports(way, channel, shares.shares)))
    return QuestionRisk(shares=shares, levels=tuple(found), answer_count=count)


def _channel(way: Way, level: int) -> AnyChannel | None:
    try:
        return way.channel(level)
    except InvalidParameter:  # reports do not stand alone, or there are too many questions to write out
        return None


def _bounded(epsilon: float, shares: Sequence[Fraction]) -> ReportRisk:
    """Posterior odds are at most e^ε times the prior odds, rounded up."""
    if math.isinf(epsilon):
        posteriors = tuple(Fraction(share > 0) for share in shares)
    else:
        # The two roundings of exp are far below one in 2^50.
        odds = Fraction(math.exp(float_above(Fraction(epsilon)))) * (1 + Fraction(1, 1 << 50))
        posteriors = tuple(Fraction(raised_share(share, odds, Fraction(1))) for share in shares)
    return ReportRisk(report=None, answer=None, posteriors=posteriors, even=None)


def _reports(way: Way, channel: AnyChannel, shares: Sequence[Fraction]) -> tuple[ReportRisk, ...]:
    names, entries = way.report_labels, channel.shape[0] * channel.shape[1]
    if channel.shape[0] == 2 and isinstance(channel, Channel) and entries <= MOST_LISTED:
        return tuple(_of_two(channel, y, shares) for y in range(channel.shape[1]))
    if names is not None and isinstance(channel, Channel) and entries <= MOST_LISTED:
        return tuple(_of_many(channel, y, shares) for y in range(channel.shape[1]))
    worst = tuple(Fraction(measures.largest_posterior(channel, share)) for share in shares)
    even = tuple(Fraction(measures.largest_even_posterior(channel, share)) for share in shares)
    proves = "an answer" if any(p == 1 for p, share in zip(even, shares, strict=True) if 0 < share < 1) else None
    return (ReportRisk(report=None, answer=None, posteriors=worst, even=even, proves=proves),)


def _of_two(channel: Channel, report: int, shares: Sequence[Fraction]) -> ReportRisk:
    """The second answer, whose share is asked for; the first has what is left."""
    first, second = (Fraction(channel[x, report]) for x in (0, 1))
    found = tuple(Fraction(raised_share(share, second, first)) for share in shares)
    answers = [str(label) for label in channel.inputs]
    alone = None if (first > 0) == (second > 0) else answers[int(second > 0)]
    return ReportRisk(
        report=str(channel.outputs[report]), answer=answers[1], posteriors=found, even=found, proves=alone
    )


def _of_many(channel: Channel, report: int, shares: Sequence[Fraction]) -> ReportRisk:
    """The answers that the report favours most."""
    column = [Fraction(channel[x, report]) for x in range(channel.shape[0])]
    high, low = max(column), min(column)
    rest = (sum(column) - high) / (len(column) - 1)
    favoured = [str(label) for label, p in zip(channel.inputs, column, strict=True) if p == high]
    possible = sum(p > 0 for p in column)
    return ReportRisk(
        report=str(channel.outputs[report]),
        answer=favoured[0] if len(favoured) == 1 else None,
        posteriors=tuple(Fraction(raised_share(share, high, low)) for share in shares),
        even=tuple(Fraction(raised_share(share, high, rest)) for share in shares),
        proves=favoured[0] if possible == 1 else None,
    )
