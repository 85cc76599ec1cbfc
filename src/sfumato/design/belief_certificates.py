"""Certificates of normal noise for those whose beliefs share at most so many bits.

The subject is the statistic, the number of records, the shared bits, the noise, and what proves the claims: how the
noise is divided between a record and the others, and noises for which the neighbouring assumptions would hold.
Verification evaluates them and searches for nothing.
Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import bound_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_most, fraction_text
from sfumato.design.belief_subjects import BeliefSubject, bits_of, check_neighbours, check_subject
from sfumato.design.belief_words import (
    about_words,
    apart_words,
    noise_words,
    split_reason,
    subject_words,
    title_words,
    unit_words,
)
from sfumato.files.numbers import read_fraction
from sfumato.values import Claim, Interval, Relation, Status

SCHEMA = "sfumato/certificate/belief-noise/1"
BELIEVED, NOBODYS, ANYONES = "believed_bits", "independent_bits", "anyone_bits"
_MOST_DIGITS = 400
_UNIT = "bits"
_ADD_UP = (
    "Bits of this kind add up over releases about the same records, also when what is asked is chosen after seeing "
    "earlier ones, but not the size of the noise. The shared bits are used up by none. Bits under another assumption "
    "are not added to them."
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
    independent_deviation: str
    anyone_deviation: str
    people: int
    dimension: int


@subject_of.register
def _itself(thing: BeliefSubject) -> BeliefSubject:
    return thing


def _state(subject: BeliefSubject) -> tuple[Claim, ...]:
    check_neighbours(subject)
    return _claims(subject, *(publish(found) for found in bits_of(subject)))


def _restate(subject: BeliefSubject, stated: Stated) -> tuple[Claim, ...]:
    check_neighbours(subject)
    names = (BELIEVED, NOBODYS, ANYONES)
    settled = (settle(stated.get(name), found) for name, found in zip(names, bits_of(subject), strict=True))
    return _claims(subject, *settled)


def _claims(subject: BeliefSubject, booked: Interval, nobodys: Interval, anyones: Interval) -> tuple[Claim, ...]:
    shared, statistic = fraction_text(subject.shared_bits), subject.statistic
    unit = f"units of the {statistic}"
    one, apart = unit_words(subject), apart_words(subject)
    return (
        bound_claim(
            BELIEVED,
            booked,
            _UNIT,
            because=split_reason(subject),
            sentence=(
                f"Each release like this one adds at most {at_most(booked)} bits, on average, about any one {one}, "
                f"for everybody whose beliefs differ from {apart} by at most {shared} bits over the whole "
                f"data set, even if they know other records exactly."
            ),
        ),
        exact_claim(
            "assumed_shared_bits",
            subject.shared_bits,
            _UNIT,
            because="declared; it is assumed, and no data can show it",
            sentence=(
                f"It is assumed that no reader's beliefs tie {about_words(subject)} together by more than "
                f"{shared} bits in all. If that is wrong, the bound above says nothing."
            ),
        ),
        bound_claim(
            NOBODYS,
            nobodys,
            _UNIT,
            because=f"the capacity of the noise for one {one} [E, Cor. 6; McK04]",
            sentence=f"Whoever believes in {apart} is told at most {at_most(nobodys)} bits.",
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
            f"the same bits for one {one} [E, Cor. 6; McK04]",
            f"For as many bits, with {apart}, noise with a deviation of "
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
            sentence=noise_words(subject),
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
        independent_deviation=str(subject.independent_deviation),
        anyone_deviation=str(subject.anyone_deviation),
        people=subject.people,
        dimension=subject.dimension,
    )


def _read(record: _Record) -> BeliefSubject:
    plain = {"statistic", "records", "people", "dimension"}
    numbers = {name: _number(getattr(record, name)) for name in _Record.__struct_fields__ if name not in plain}
    subject = BeliefSubject(
        statistic=record.statistic,
        records=record.records,
        people=record.people,
        dimension=record.dimension,
        **numbers,
    )
    check_subject(subject)
    return subject


def _number(text: str) -> Fraction:
    return read_fraction(text, most_digits=_MOST_DIGITS)


register(
    Kind(
        schema=SCHEMA,
        subject=BeliefSubject,
        record=_Record,
        write=_write,
        read=_read,
        title=title_words,
        about=subject_words,
        notes=_notes,
        state=_state,
        restate=_restate,
    )
)
