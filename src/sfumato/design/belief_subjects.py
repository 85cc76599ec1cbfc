"""What noise for bounded beliefs is certified by: the numbers of a subject, and the bits that follow from them.

Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import ClaimRefused
from sfumato.measures.beliefs import (
    INTERVAL,
    MOST_RECORDS,
    MOST_SHARED_BITS,
    Ball,
    people_bits,
    split_bits,
)
from sfumato.values import Interval

HISTOGRAM = "histogram"
NUMBERS = ("sum", "mean", "count")
STATISTICS = (*NUMBERS, HISTOGRAM)
MOST_DIMENSION = 10**6
# Less noise against what one record moves would be none, and the others keep some of it.
_LEAST_DEVIATION, _LEAST_REST = Fraction(1, 1000), Fraction(1, 10**9)
# The neighbours' deviations have four digits, so one that is so much smaller is not enough.
_HAIR = 1 - Fraction(1, 500)
_ROOM = Fraction(3, 10**12)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefSubject:
    """The sum, mean or count of `records` numbers in [low, high] plus normal noise, rounded to multiples of `grid`.

    Or `dimension` counts of a histogram. `people` are in a household at most; `deviation` is that of the noise on each
    released number, `own_share` the share of its variance that guards a household by itself. With a deviation of
    `independent_deviation` or `anyone_deviation` the neighbouring assumptions would tell no more.

    >>> import sfumato as sf
    >>> subject = sf.design.believed_count(1000, budget_bits=0.1, shared_bits=5).subject
    >>> subject.statistic, subject.records, subject.people, subject.grid
    ('count', 1000, 1, Fraction(1, 1))
    >>> round(float(subject.deviation), 1), float(subject.independent_deviation), float(subject.anyone_deviation)
    (112.5, 1.297, 1297.0)
    """

    statistic: str
    low: Fraction
    high: Fraction
    records: int
    shared_bits: Fraction
    deviation: Fraction
    grid: Fraction
    own_share: Fraction
    independent_deviation: Fraction
    anyone_deviation: Fraction
    people: int = 1
    dimension: int = 1

    @property
    def squared_reach(self) -> Fraction:
        """How far one record can move what is released, squared."""
        return squared_reach(self.statistic, self.low, self.high, self.records)

    @property
    def ball(self) -> Ball:
        """Where one record can move it."""
        return ball_of(self.statistic, self.dimension)

    @property
    def ratio(self) -> Fraction:
        """Δ²/σ²."""
        return self.squared_reach / self.deviation**2


def squared_reach(statistic: str, low: Fraction, high: Fraction, records: int) -> Fraction:
    """Δ²: two cells of a histogram are √2 apart."""
    if statistic == HISTOGRAM:
        return Fraction(2)
    return ((high - low) / (records if statistic == "mean" else 1)) ** 2


def ball_of(statistic: str, dimension: int) -> Ball:
    """Where one record can move a statistic."""
    return Ball.of_cells(dimension) if statistic == HISTOGRAM else INTERVAL


def believed_interval(subject: BeliefSubject) -> Interval:
    """Theorem 1, at the division of the subject."""
    return split_bits(
        subject.records,
        subject.shared_bits,
        subject.ratio,
        subject.own_share,
        people=subject.people,
        ball=subject.ball,
    )


def _people_interval(subject: BeliefSubject, people: int, deviation: Fraction) -> Interval:
    return people_bits(people, subject.squared_reach / deviation**2, ball=subject.ball)


def bits_of(subject: BeliefSubject) -> tuple[Interval, ...]:
    """By Theorem 1, for independent households, and against anyone."""
    return (
        believed_interval(subject),
        _people_interval(subject, subject.people, subject.deviation),
        _people_interval(subject, subject.records, subject.deviation),
    )


def check_neighbours(subject: BeliefSubject) -> None:
    """Refuse a deviation for a neighbouring assumption that is not enough, or much more than that."""
    told = believed_interval(subject)
    for name, people in (("independent_deviation", subject.people), ("anyone_deviation", subject.records)):
        deviation = getattr(subject, name)
        if _people_interval(subject, people, deviation).upper > Fraction(told.upper) + _ROOM:
            raise ClaimRefused(f"{name}: so little noise would tell more")
        if _people_interval(subject, people, deviation * _HAIR).upper <= told.lower:
            raise ClaimRefused(f"{name}: less noise would be enough")


def check_subject(subject: BeliefSubject) -> None:
    """Refuse numbers that no file of ours has."""
    if subject.statistic not in STATISTICS or not 1 <= subject.records <= MOST_RECORDS:
        raise ValueError("the statistic or the number of records cannot be")
    least = 2 if subject.statistic == HISTOGRAM else 1
    most = 1 if subject.statistic in NUMBERS else MOST_DIMENSION
    if not 1 <= subject.people <= subject.records or not least <= subject.dimension <= most:
        raise ValueError("the households or the dimension cannot be")
    if not subject.low < subject.high or not 0 <= subject.shared_bits <= MOST_SHARED_BITS:
        raise ValueError("the range or the shared bits cannot be")
    if subject.statistic in {"count", HISTOGRAM} and not subject.low == 0 == subject.high - 1:
        raise ValueError("a count is of records that are 0 or 1")
    noise = min(subject.deviation, subject.independent_deviation, subject.anyone_deviation)
    if noise <= 0 or noise**2 < subject.squared_reach * _LEAST_DEVIATION**2 or subject.grid <= 0:
        raise ValueError("the noise or the grid cannot be")
    rest = 1 - subject.own_share
    tied = subject.shared_bits > 0 and subject.records > 1
    if not 0 < subject.own_share <= 1 or (tied and rest < _LEAST_REST) or (not tied and rest):
        raise ValueError("the division of the noise cannot be")
