"""Certificates of normal noise for those whose beliefs share at most so many bits.

The subject is the statistic, the number of records, the shared bits, the noise, and what proves the claims: how the
noise is divided between a record and the others, how much the shared bits can widen the sum, and noises for which the
neighbouring assumptions would hold. Verification evaluates them and searches for nothing.
Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import msgspec

from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import bound_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_most, fraction_text
from sfumato.errors import ClaimRefused
from sfumato.files.numbers import read_fraction
from sfumato.measures.beliefs import (
    MOST_RECORDS,
    MOST_SHARED_BITS,
    is_tilt,
    one_release_bits,
    people_bits,
    split_bits,
)
from sfumato.values import Claim, Interval, Relation, Status

SCHEMA = "sfumato/certificate/belief-noise/1"
BELIEVED, ONCE, NOBODYS, ANYONES = "believed_bits", "one_release_bits", "independent_bits", "anyone_bits"
STATISTICS = ("sum", "mean", "count")
_MOST_DIGITS = 400
# Less noise against what one record moves would be none, and the others keep some of it.
_LEAST_DEVIATION, _LEAST_REST = Fraction(1, 1000), Fraction(1, 10**9)
# The neighbours' deviations have four digits, so one that is so much smaller is not enough.
_HAIR = 1 - Fraction(1, 500)
_ROOM = Fraction(3, 10**12)
_UNIT = "bits"
_ADD_UP = (
    "Bits of this kind add up over releases about the same records, also when a release is chosen after seeing earlier "
    "ones, and the shared bits are used up by none. They are not added to bits under another assumption."
)
_ON_AVERAGE = "In bits, on average over what is released; the odds between two values are not bounded."
_COMMON_CAUSE = (
    "A common cause that nobody knows, such as a rate or a prevalence, ties all records together; each exact copy of a "
    "record takes its whole entropy of the shared bits."
)


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    statistic: str
    low: str
    high: str
    records: int
    shared_bits: str
    deviation: str
    grid: str
    own_share: str
    tilt: str
    independent_deviation: str
    anyone_deviation: str


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


@subject_of.register
def _itself(thing: BeliefSubject) -> BeliefSubject:
    return thing


def believed_interval(subject: BeliefSubject) -> Interval:
    """Theorem 1, at the division of the subject."""
    return split_bits(subject.records, subject.shared_bits, subject.ratio, subject.own_share)


def _once_interval(subject: BeliefSubject) -> Interval:
    found = one_release_bits(subject.records, subject.shared_bits, subject.ratio, subject.tilt)
    booked = believed_interval(subject)
    return Interval(min(found.lower, booked.lower), min(found.upper, booked.upper))


def _people_interval(subject: BeliefSubject, people: int, deviation: Fraction) -> Interval:
    return people_bits(people, (subject.reach / deviation) ** 2)


def _state(subject: BeliefSubject) -> tuple[Claim, ...]:
    _check_neighbours(subject)
    return _claims(subject, *(publish(found) for found in _found(subject)))


def _restate(subject: BeliefSubject, stated: Stated) -> tuple[Claim, ...]:
    _check_neighbours(subject)
    names = (BELIEVED, ONCE, NOBODYS, ANYONES)
    settled = (settle(stated.get(name), found) for name, found in zip(names, _found(subject), strict=True))
    return _claims(subject, *settled)


def _found(subject: BeliefSubject) -> tuple[Interval, Interval, Interval, Interval]:
    return (
        believed_interval(subject),
        _once_interval(subject),
        _people_interval(subject, 1, subject.deviation),
        _people_interval(subject, subject.records, subject.deviation),
    )


def _check_neighbours(subject: BeliefSubject) -> None:
    """Refuse a deviation for a neighbouring assumption that is not enough, or much more than that."""
    told = believed_interval(subject)
    for name, people in (("independent_deviation", 1), ("anyone_deviation", subject.records)):
        deviation = getattr(subject, name)
        if _people_interval(subject, people, deviation).upper > Fraction(told.upper) + _ROOM:
            raise ClaimRefused(f"{name}: so little noise would tell more")
        if _people_interval(subject, people, deviation * _HAIR).upper <= told.lower:
            raise ClaimRefused(f"{name}: less noise would be enough")


def _claims(
    subject: BeliefSubject, booked: Interval, once: Interval, nobodys: Interval, anyones: Interval
) -> tuple[Claim, ...]:
    shared, statistic = fraction_text(subject.shared_bits), subject.statistic
    unit = f"units of the {statistic}"
    return (
        bound_claim(
            BELIEVED,
            booked,
            _UNIT,
            because=(
                "c(1 - e^(-(n-1)D²/4r)) + ½ log2(1 + D²/4s): normal noise of variance r + s divides among the records, "
                "and what the others' parts let through of c bits shrinks by that factor [E, Assumption 3]"
            ),
            sentence=(
                f"Each release like this one adds at most {at_most(booked)} bits, on average, about any one record, "
                f"for everybody whose beliefs differ from independent records by at most {shared} bits over the whole "
                f"data set, even if they know other records exactly."
            ),
        ),
        exact_claim(
            "assumed_shared_bits",
            subject.shared_bits,
            _UNIT,
            because="declared; it is assumed, and no data can show it",
            sentence=(
                f"It is assumed that no reader's beliefs tie the {subject.records} records together by more than "
                f"{shared} bits in all. If that is wrong, the bound above says nothing."
            ),
        ),
        bound_claim(
            ONCE,
            once,
            _UNIT,
            because="½ log2(1 + V/N), V ≤ min(n·w/4, n²/4)·D² and w - 1 - ln w ≥ 2c·ln 2: the widest sum [E, Cor. 6]",
            sentence=(
                f"For one release only: if nothing else is ever released about these records, they are told at most "
                f"{at_most(once)} bits."
            ),
        ),
        bound_claim(
            NOBODYS,
            nobodys,
            _UNIT,
            because="the capacity of the noise for one record, at most ½ log2(1 + D²/4N) [E, Cor. 6; McK04]",
            sentence=f"Whoever believes that the records are independent is told at most {at_most(nobodys)} bits.",
        ),
        bound_claim(
            ANYONES,
            anyones,
            _UNIT,
            because="the capacity of the noise for all records moving together [E, Cor. 6; McK04]",
            sentence=(
                f"Whoever believes that all records move together is not covered, and may be told up to "
                f"{at_most(anyones)} bits about a record that holds so many."
            ),
        ),
        _deviation_claim(
            "independent_deviation",
            subject.independent_deviation,
            unit,
            "the same bits for one record [E, Cor. 6; McK04]",
            f"For as many bits, if the records are independent, noise with a deviation of "
            f"{at_most(subject.independent_deviation)} would be enough.",
        ),
        _deviation_claim(
            "anyone_deviation",
            subject.anyone_deviation,
            unit,
            "the same bits for all records moving together [E, Cor. 6; McK04]",
            f"For as many bits, however the records depend on each other, noise with a deviation of "
            f"{at_most(subject.anyone_deviation)} would be enough.",
        ),
        exact_claim(
            "noise_deviation",
            subject.deviation,
            unit,
            because="declared; rounding is done to the noisy number and tells nothing more",
            sentence=(
                f"The noise is normal with a deviation of at most {at_most(subject.deviation)}; the noisy {statistic} "
                f"is rounded to multiples of {fraction_text(subject.grid)}."
            ),
        ),
    )


def _deviation_claim(measure: str, value: Fraction, unit: str, because: str, sentence: str) -> Claim:
    return Claim(
        measure=measure,
        relation=Relation.AT_MOST,
        value=value,
        unit=unit,
        status=Status.EXACT,
        because=because,
        sentence=sentence,
    )


def _title(subject: BeliefSubject) -> str:
    return (
        f"Certificate of noise: the {subject.statistic} of {subject.records} records, for beliefs that share at most "
        f"{fraction_text(subject.shared_bits)} bits"
    )


def _about(subject: BeliefSubject) -> str:
    return (
        f"About the {subject.statistic} of {subject.records} records, each between {fraction_text(subject.low)} and "
        f"{fraction_text(subject.high)}, with normal noise, rounded to multiples of {fraction_text(subject.grid)}. "
        f"Assumed: beliefs differ from independent records by at most {fraction_text(subject.shared_bits)} bits."
    )


def _notes(_: BeliefSubject) -> tuple[str, ...]:
    return _ADD_UP, _ON_AVERAGE, _COMMON_CAUSE


def _write(subject: BeliefSubject) -> _Record:
    return _Record(
        statistic=subject.statistic,
        low=str(subject.low),
        high=str(subject.high),
        records=subject.records,
        shared_bits=str(subject.shared_bits),
        deviation=str(subject.deviation),
        grid=str(subject.grid),
        own_share=str(subject.own_share),
        tilt=str(subject.tilt),
        independent_deviation=str(subject.independent_deviation),
        anyone_deviation=str(subject.anyone_deviation),
    )


def _read(record: _Record) -> BeliefSubject:
    numbers = {
        name: read_fraction(getattr(record, name), most_digits=_MOST_DIGITS)
        for name in _Record.__struct_fields__
        if name not in {"statistic", "records"}
    }
    subject = BeliefSubject(statistic=record.statistic, records=record.records, **numbers)
    _check(subject)
    return subject


def _check(subject: BeliefSubject) -> None:
    if subject.statistic not in STATISTICS or not 1 <= subject.records <= MOST_RECORDS:
        raise ValueError("the statistic or the number of records cannot be")
    if not subject.low < subject.high or not 0 <= subject.shared_bits <= MOST_SHARED_BITS:
        raise ValueError("the range or the shared bits cannot be")
    if subject.statistic == "count" and (subject.low, subject.high) != (0, 1):
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


register(
    Kind(
        schema=SCHEMA,
        subject=BeliefSubject,
        record=_Record,
        write=_write,
        read=_read,
        title=_title,
        about=_about,
        notes=_notes,
        state=_state,
        restate=_restate,
    )
)
