"""What noise for bounded beliefs is certified by: the numbers of a subject, and the bits that follow from them.

Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import ClaimRefused
from sfumato.measures.beliefs import (
    MOST_RECORDS,
    MOST_SHARED_BITS,
    is_tilt,
    one_release_bits,
    people_bits,
    split_bits,
)
from sfumato.values import Interval

STATISTICS = ("sum", "mean", "count")
# Less noise against what one record moves would be none, and the others keep some of it.
_LEAST_DEVIATION, _LEAST_REST = Fraction(1, 1000), Fraction(1, 10**9)
# The neighbours' deviations have four digits, so one that is so much smaller is not enough.
_HAIR = 1 - Fraction(1, 500)
_ROOM = Fraction(3, 10**12)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefSubject:
    """The sum, mean or count of `records` numbers in [low, high] plus normal noise, rounded to multiples of `grid`.

    `deviation` is that of the noise on the released number, `own_share` the share of its variance that guards a record
    by itself, `tilt` what the shared bits can multiply the variance of the sum by. With a deviation of
    `independent_deviation` or `anyone_deviation` the neighbouring assumptions would tell no more.
    """

    statistic: str
    low: Fraction
    high: Fraction
    records: int
    shared_bits: Fraction
    deviation: Fraction
    grid: Fraction
    own_share: Fraction
    tilt: Fraction
    independent_deviation: Fraction
    anyone_deviation: Fraction

    @property
    def reach(self) -> Fraction:
        """How far one record can move the released number."""
        return (self.high - self.low) / (self.records if self.statistic == "mean" else 1)

    @property
    def ratio(self) -> Fraction:
        """Δ²/σ²."""
        return (self.reach / self.deviation) ** 2


def believed_interval(subject: BeliefSubject) -> Interval:
    """Theorem 1, at the division of the subject."""
    return split_bits(subject.records, subject.shared_bits, subject.ratio, subject.own_share)


def _once_interval(subject: BeliefSubject) -> Interval:
    found = one_release_bits(subject.records, subject.shared_bits, subject.ratio, subject.tilt)
    booked = believed_interval(subject)
    return Interval(min(found.lower, booked.lower), min(found.upper, booked.upper))


def _people_interval(subject: BeliefSubject, people: int, deviation: Fraction) -> Interval:
    return people_bits(people, (subject.reach / deviation) ** 2)


def bits_of(subject: BeliefSubject) -> tuple[Interval, Interval, Interval, Interval]:
    """By Theorem 1, by the better theorem for one release, for independent records, and against anyone."""
    return (
        believed_interval(subject),
        _once_interval(subject),
        _people_interval(subject, 1, subject.deviation),
        _people_interval(subject, subject.records, subject.deviation),
    )


def check_neighbours(subject: BeliefSubject) -> None:
    """Refuse a deviation for a neighbouring assumption that is not enough, or much more than that."""
    told = believed_interval(subject)
    for name, people in (("independent_deviation", 1), ("anyone_deviation", subject.records)):
        deviation = getattr(subject, name)
        if _people_interval(subject, people, deviation).upper > Fraction(told.upper) + _ROOM:
            raise ClaimRefused(f"{name}: so little noise would tell more")
        if _people_interval(subject, people, deviation * _HAIR).upper <= told.lower:
            raise ClaimRefused(f"{name}: less noise would be enough")


def check_subject(subject: BeliefSubject) -> None:
    """Refuse numbers that no file of ours has."""
    if subject.statistic not in STATISTICS or not 1 <= subject.records <= MOST_RECORDS:
        raise ValueError("the statistic or the number of records cannot be")
    if not subject.low < subject.high or not 0 <= subject.shared_bits <= MOST_SHARED_BITS:
        raise ValueError("the range or the shared bits cannot be")
    if subject.statistic == "count" and not subject.low == 0 == subject.high - 1:
        raise ValueError("a count is of records that are 0 or 1")
    least = subject.reach * _LEAST_DEVIATION
    if min(subject.deviation, subject.independent_deviation, subject.anyone_deviation) < least or subject.grid <= 0:
        raise ValueError("the noise or the grid cannot be")
    rest = 1 - subject.own_share
    tied = subject.shared_bits > 0 and subject.records > 1
    if not 0 < subject.own_share <= 1 or (tied and rest < _LEAST_REST) or (not tied and rest):
        raise ValueError("the division of the noise cannot be")
    if not is_tilt(subject.tilt, subject.shared_bits):
        raise ValueError("the sum can be wider")
