"""Surveys with a list of answers in whole numbers of faces, and the classic response that they are compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from sfumato.design.answer_limits import AnswerLimits
from sfumato.design.cards import DEFAULT_FACES, MOST_FACES
from sfumato.design.listed_surveys import ANY, ListedSurvey, checked_answers
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.values.checks import Number, check_between, check_integer

# How many faces are given to "any" beyond what the survey says, until both limits hold.
_MOST_GIVEN = 200


def playable_list(design: ListedSurvey, *, faces: int = DEFAULT_FACES) -> ListedSurvey:
    """Return the survey in whole numbers of `faces` that keeps the limits.

    Numbers of faces are rounded down, and what is left says "any". That can make a guess of "any" better by a little;
    then a few more faces are taken from all reports for it.

    Raises:
        InvalidParameter: no whole numbers of so few faces keep the limits.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> best = sf.design.listed_survey(ways, guess_error=0.5, shares=[0.2, 0.5, 0.3])
    >>> card = sf.design.playable_list(best, faces=100)
    >>> card.name, [str(p) for p in card.channel.rows[0]]
    ('sets, 100 faces', ['4/25', '0', '0', '17/100', '4/25', '0', '51/100'])
    >>> best.limits.kept_by(card.channel)
    True
    """
    check_between("faces", check_integer("faces", faces), 2, MOST_FACES)
    rows = design.channel.to_exact().rows
    if all((Fraction(p) * faces).denominator == 1 for row in rows for p in row):
        return design
    for given in range(_MOST_GIVEN):
        kept = Fraction(max(0, faces - given), faces)
        channel = _rounded_down(design.channel, faces, kept, design.limits.max_odds)
        if channel is not None and design.limits.kept_by(channel):
            # What was proved of the best survey stays proved; this one is a little above it.
            return replace(design, name=f"{design.name}, {faces} faces", channel=channel)
    raise InvalidParameter(
        "are too few for these limits",
        parameter="faces",
        value=faces,
        way_out="Use more faces, or a survey with fewer kinds of report.",
    )


def _rounded_down(channel: Channel, faces: int, kept: Fraction, odds: Number) -> Channel | None:
    """Round each report's faces down, and further where its odds would be too large; None if that hides an answer."""
    columns = list(zip(*channel.to_exact().rows, strict=True))
    named = [(label, column) for label, column in zip(channel.outputs, columns, strict=True) if label != ANY]
    told = []
    for label, column in named:
        counts = [math.floor(kept * faces * Fraction(p)) for p in column]
        if odds != math.inf:
            most = math.floor(Fraction(odds) * min(counts))
            counts = [min(count, most) for count in counts]
        if any(counts):
            told.append((label, counts))
    rest = [faces - sum(counts[x] for _, counts in told) for x in range(channel.shape[0])]
    told += [(ANY, rest)] if any(rest) else []
    found = Channel(
        [[Fraction(counts[x], faces) for _, counts in told] for x in range(channel.shape[0])],
        channel.inputs,
        [label for label, _ in told],
    )
    return found if np.linalg.matrix_rank(found.array) == channel.shape[0] else None


def list_response(answers: Sequence[str], limits: AnswerLimits) -> Channel:
    """Return k-ary randomised response at the limits: the truth as often as they allow, else one of the others.

    A guesser is right with probability Σ_y max(w_y t, max_(x≠y) w_x (1-t)/(k-1)), which is convex in the chance t of
    the truth; the largest t is found to 2^-40, from below.

    >>> import sfumato as sf
    >>> ways = ("train", "car", "on foot")
    >>> limits = sf.design.AnswerLimits.of(3, guess_error=0.5)
    >>> sf.design.list_response(ways, limits).rows[0]
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    """
    labels, size = checked_answers(answers), limits.size

    def made(truth: Fraction) -> Channel:
        other = (1 - truth) / (size - 1)
        return Channel([[truth if x == y else other for y in range(size)] for x in range(size)], labels, labels)

    odds = limits.max_odds
    low = Fraction(1, size)
    high = Fraction(1) if odds == math.inf else Fraction(odds) / (Fraction(odds) + size - 1)
    if limits.even:
        return made(min(high, limits.most_right))
    if limits.kept_by(made(high)):
        return made(high)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if limits.kept_by(made(middle)) else (low, middle)
    return made(low)
