"""Certificates of normal noise for those whose beliefs share at most so many bits.

The subject is the statistic, the number of records, the shared bits, the noise, and what proves the claims: how the
noise is divided between a record and the others, how much the shared bits can widen the sum, and noises for which the
neighbouring assumptions would hold. Verification evaluates them and searches for nothing.
Theory: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import bound_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_most, fraction_text
from sfumato.design.belief_subjects import BeliefSubject, KnownShare, bits_of, check_neighbours, check_subject
from sfumato.design.belief_words import (
    about_words,
    apart_words,
    noise_words,
    once_reason,
    split_reason,
    unit_words,
    within_words,
)
from sfumato.files.numbers import read_fraction
from sfumato.measures.known_shares import Mixture
from sfumato.values import Claim, Interval, Relation, Status

SCHEMA = "sfumato/certificate/belief-noise/1"
BELIEVED, ONCE, NOBODYS, ANYONES = "believed_bits", "one_release_bits", "independent_bits", "anyone_bits"
KNOWN = "known_share_bits"
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


class _Known(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    share: str
    mixture: tuple[str, str, str, str] | None
    own_share: str | None


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
    people: int
    dimension: int
    known: _Known | None


@subject_of.register
def _itself(thing: BeliefSubject) -> BeliefSubject:
    return thing


def _state(subject: BeliefSubject) -> tuple[Claim, ...]:
    check_neighbours(subject)
    return _claims(subject, *(publish(found) for found in bits_of(subject)))


def _restate(subject: BeliefSubject, stated: Stated) -> tuple[Claim, ...]:
    check_neighbours(subject)
    names = (BELIEVED, ONCE, NOBODYS, ANYONES, *(() if subject.known is None else (KNOWN,)))
    settled = (settle(stated.get(name), found) for name, found in zip(names, bits_of(subject), strict=True))
    return _claims(subject, *settled)


def _claims(
    subject: BeliefSubject,
    booked: Interval,
    once: Interval,
    nobodys: Interval,
    anyones: Interval,
    known: Interval | None = None,
) -> tuple[Claim, ...]:
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
            ONCE,
            once,
            _UNIT,
            because=once_reason(subject),
            sentence=(
                f"For one release only: if nothing else is ever released about these records, they are told at most "
                f"{at_most(once)} bits."
            ),
        ),
        *(() if known is None or subject.known is None else (_known_claim(subject.known, known, shared),)),
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


def _known_claim(known: KnownShare, bits: Interval, shared: str) -> Claim:
    return bound_claim(
        KNOWN,
        bits,
        _UNIT,
        because=(
            "t(c·ln 2 + ln E e^(f/t)), E over the binomial law and f the divergence from a mixture of two normal laws, "
            "or c times the contraction of that law and a record's own part, whichever the file proves; any are valid"
        ),
        sentence=(
            f"For one release only, and where the law is public: whoever differs by at most {shared} bits from the "
            f"belief that records are independent and each is a yes with probability {fraction_text(known.share)} is "
            f"told at most {at_most(bits)} bits."
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
        f"About the {subject.statistic} of {subject.records} records{within_words(subject)}, "
        f"with normal noise, rounded to multiples of {fraction_text(subject.grid)}. "
        f"Assumed: beliefs differ from {apart_words(subject)} by at most {fraction_text(subject.shared_bits)} bits."
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
        people=subject.people,
        dimension=subject.dimension,
        known=_write_known(subject.known),
    )


def _write_known(known: KnownShare | None) -> _Known | None:
    if known is None:
        return None
    mixture = known.mixture
    return _Known(
        share=str(known.share),
        mixture=None
        if mixture is None
        else (str(mixture.spread), str(mixture.centre), str(mixture.rest), str(mixture.rate)),
        own_share=None if known.own_share is None else str(known.own_share),
    )


def _read(record: _Record) -> BeliefSubject:
    plain = {"statistic", "records", "people", "dimension", "known"}
    numbers = {name: _number(getattr(record, name)) for name in _Record.__struct_fields__ if name not in plain}
    subject = BeliefSubject(
        statistic=record.statistic,
        records=record.records,
        people=record.people,
        dimension=record.dimension,
        known=_read_known(record.known),
        **numbers,
    )
    check_subject(subject)
    return subject


def _read_known(record: _Known | None) -> KnownShare | None:
    if record is None:
        return None
    mixture = None
    if record.mixture is not None:
        spread, centre, rest, rate = map(_number, record.mixture)
        if min(spread, rest, rate) <= 0 or rest >= 1:
            raise ValueError("the mixture cannot be")
        mixture = Mixture(spread=spread, centre=centre, rest=rest, rate=rate)
    own_share = None if record.own_share is None else _number(record.own_share)
    return KnownShare(share=_number(record.share), mixture=mixture, own_share=own_share)


def _number(text: str) -> Fraction:
    return read_fraction(text, most_digits=_MOST_DIGITS)


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
