"""Which kinds of report a survey with a list of answers needs: sets that contain the answer, and no others.

A report y is a column p(y|·) of the channel, up to a factor. What it costs is max_x w_x p(y|x), its part of how often a
guesser is right. Cut w_x p(y|x) into layers, as a cake: each layer is constant on a set S and 0 elsewhere, the costs of
the layers add up to that of the report, and who sees the layer sees more. So "report a set that contains your answer",
with p(S|x) = λ_S/w_x, is enough for every criterion [Bla53].

With odds o at most, the columns with s ≤ p_x ≤ o·s and w_x p_x ≤ M form a cone with s and M, and its extreme rays are
enough: p_x is 1 or min(o, M/w_x), with M one of w_x and o·w_x, and no M/w_x below 1. Where weights are equal that is 1
or o; elsewhere 1 and o alone are not enough.   Theory: docs/theory/listed_survey.md
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction

from sfumato.design.answer_limits import AnswerLimits
from sfumato.errors import InvalidParameter

MOST_COLUMNS = 1 << 10
"""Beyond this the programs take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportColumn:
    """A kind of report: its chances under the answers up to a factor, and what it adds to how often guesses are right.

    `favoured` are the places of the answers that it speaks for.
    """

    chances: tuple[Fraction, ...]
    cost: Fraction
    favoured: tuple[int, ...]


def report_columns(limits: AnswerLimits) -> tuple[ReportColumn, ...]:
    """Return the columns of which every survey within the limits is a mixture, or worse than one.

    Raises:
        InvalidParameter: there are too many answers to look through all their sets.

    >>> import sfumato as sf
    >>> limits = sf.design.AnswerLimits.of(3, guess_error=0.5)
    >>> columns = sf.design.report_columns(limits)
    >>> [column.favoured for column in columns]
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    """
    size = limits.size
    bounded = limits.max_odds != math.inf
    if (1 << size) * (2 * size if bounded and not limits.even else 1) > MOST_COLUMNS:
        raise InvalidParameter(
            f"{size} answers have more sets than the {MOST_COLUMNS:,} kinds of report that are looked through",
            parameter="answers",
            value=size,
            way_out="Ask by answer or silence, or group some answers.",
        )
    return _bounded_columns(limits, Fraction(limits.max_odds)) if bounded else _set_columns(limits.weights)


def _set_columns(weights: tuple[Fraction, ...]) -> tuple[ReportColumn, ...]:
    size = len(weights)
    sets = [chosen for count in range(1, size + 1) for chosen in itertools.combinations(range(size), count)]
    return tuple(
        ReportColumn(
            chances=tuple(1 / weight if x in chosen else Fraction(0) for x, weight in enumerate(weights)),
            cost=Fraction(1),
            favoured=chosen,
        )
        for chosen in sets
    )


def _bounded_columns(limits: AnswerLimits, odds: Fraction) -> tuple[ReportColumn, ...]:
    weights = limits.weights
    found: dict[tuple[Fraction, ...], ReportColumn] = {}
    ceilings = sorted({ceiling for w in weights for ceiling in (w, odds * w) if ceiling >= max(weights)})
    for ceiling in ceilings:
        tall = [min(odds, ceiling / w) for w in weights]
        for raised in itertools.product((False, True), repeat=len(weights)):
            chances = tuple(high if up else Fraction(1) for up, high in zip(raised, tall, strict=True))
            least = min(chances)
            # The same column up to a factor is the same report.
            column = tuple(chance / least for chance in chances)
            cost = max(w * chance for w, chance in zip(weights, column, strict=True))
            favoured = tuple(x for x, chance in enumerate(column) if chance > 1) or tuple(range(len(weights)))
            found.setdefault(column, ReportColumn(chances=column, cost=cost, favoured=favoured))
    return tuple(found.values())
