"""What reports of a ladder say: shares of the answers, the mean of numbers, and what is said of those who answer."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from sfumato import infer
from sfumato.infer import ReportedShares
from sfumato.study.ways.answering import among_answering
from sfumato.study.ways.estimates import QuestionEstimate, Reading
from sfumato.study.ways.means import mean_of_shares
from sfumato.study.ways.pictures import Picture
from sfumato.study.ways.reckonings import ROUNDED
from sfumato.study.ways.share_differences import MemberDifferences, ReportedDifferences, ShareDifferences
from sfumato.study.ways.two_answers import estimate_two
from sfumato.values import Tally

if TYPE_CHECKING:
    from sfumato.study.ways.ladder import LadderWay
    from sfumato.study.ways.ladder_questions import LadderQuestion


def estimate_ladder(way: LadderWay, tally: Tally, reading: Reading) -> QuestionEstimate:
    """Return shares, and the mean of numbers."""
    question, ladder, rung = way.question, way.ladder, way.rung_at(reading.level)
    values = question.values
    if ladder.size == 2:
        ends = None if values is None else (float(values[0]), float(values[-1]))
        found_two = estimate_two(question, rung.channel().to_dense(), tally, reading, values=ends)
        return found_two if values is None else _of_numbers(question, found_two)
    counted = Tally(mechanism=rung.name, counts=tally.counts, reports=tally.reports)
    found = rung.estimate(counted, confidence=reading.plain(question.id).confidence)
    shows_likeliest = not ladder.by_position and len(found.raw) <= infer.MOST_LIKELIEST
    differences: ShareDifferences = ReportedDifferences(channel=rung.channel, counts=tally.counts)
    if way.by_number:
        differences = MemberDifferences(mechanism=rung, tally=counted)
    epsilon = math.log(rung.odds)
    # Of so many answers that masks are counted, no shares among those who answer are shown.
    if way.by_number or not (shows_likeliest or question.hides or values is not None):
        return QuestionEstimate.of_shares(question, found, reading, epsilon=epsilon, differences=differences)
    seen = ReportedShares(rung.channel(), tally.counts)
    shown = QuestionEstimate.of_shares(
        question,
        found,
        reading,
        epsilon=epsilon,
        seen=seen if shows_likeliest else None,
        quantities=among_answering(question, seen, reading.confidence)
        if question.hides
        else mean_of_shares(seen, values, reading.confidence),
        differences=differences,
    )
    return shown if values is None else _of_numbers(question, shown)


def _of_numbers(question: LadderQuestion, found: QuestionEstimate) -> QuestionEstimate:
    """Say of what the shares are, where answers are numbers that may be rounded."""
    words = question.shares_of
    notes = (ROUNDED.format(words=words),) if words else ()
    return replace(found, picture=Picture.NUMBERS, shares_of=words, notes=(*found.notes, *notes))
