"""What everybody may see of a disclosure whose law or mapping was made from the records it protects.

Either of the two gives the table away, so the public certificate has neither, nor a number of symbols: only the shape,
the protected groups, how the law was made and from how many records, what is told in bits, rounded outwards to two
digits, and a commitment to the private certificate:

    SHA-256(salt ‖ bytes of the private file),  the salt being the 32 random bytes that the private file holds.

By itself it proves nothing, and `verify` says so: its statements are compared with what such a file may say, and its
numbers only with the private certificate, where that is at hand.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from fractions import Fraction
from hashlib import sha256

import msgspec

from sfumato.certificates import Certificate
from sfumato.certificates.registry import Kind, Stated, register
from sfumato.certificates.rules import settle
from sfumato.disclose.data_laws import check_groups
from sfumato.disclose.disclosure_certificates import LEAK, ONE_RELEASE, TOLD, DisclosureSubject
from sfumato.disclose.disclosure_certificates import SCHEMA as PRIVATE_SCHEMA
from sfumato.disclose.disclosures import MOST_EXACT
from sfumato.disclose.drift_claims import DRIFT, drift_of_data_sets
from sfumato.disclose.law_estimates import EstimationRecord, Origin, read_estimation, write_estimation
from sfumato.disclose.public_numbers import is_outwards, is_two_digits, outwards, two_digits
from sfumato.disclose.public_statements import (
    PublicDisclosureSubject,
    drift_statement,
    leak_statement,
    room_bits,
    told_statement,
)
from sfumato.errors import ClaimRefused, DigestMismatch, InvalidParameter, NotCertified
from sfumato.values import Claim, Interval

SCHEMA = "sfumato/certificate/disclosure-public/1"
# What rounding may leave of a leak is said to be at most this, so that its last digits tell nothing of the table.
ROUNDING_BITS = 1e-6
_WITHHELD = (
    "Stated, not checked: the mapping was made from the records that it protects, so the law and the mapping are "
    "private, and what a symbol says of a data set, P(x|y), is withheld. Numbers are rounded outwards to two digits. "
    "Whoever may see the private certificate can verify it, and that it is the one committed to here."
)


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    shape: list[int]
    groups: list[list[int]]
    estimation: EstimationRecord
    commitment: str


def public_certificate(private: Certificate) -> Certificate:
    """Return what everybody may see of a private certificate; it commits to that one, to the last byte."""
    subject = _private_subject(private)
    public = PublicDisclosureSubject(
        shape=subject.law.shape,
        groups=subject.groups,
        estimation=subject.estimation,
        commitment=commitment_of(private),
    )
    return Certificate(subject=public, claims=_proved(public, private), notes=_notes(public), schema=SCHEMA)


def commitment_of(private: Certificate) -> str:
    """Return SHA-256(salt ‖ bytes of the file); as long as the salt is unknown, it says nothing about the file."""
    salt = bytes.fromhex(_private_subject(private).salt or "")
    return f"sha256:{sha256(salt + private.to_json().encode()).hexdigest()}"


def _proved(subject: PublicDisclosureSubject, private: Certificate) -> tuple[Claim, ...]:
    """Return the claims that follow from those of the private certificate."""
    claims = [
        leak_statement(subject, _public_leak(subject, private[LEAK])),
        told_statement(subject, _within(outwards(_interval(private[TOLD])), room_bits(subject.shape))),
    ]
    if subject.estimation.law is Origin.RECORDS:
        drift = _interval(private[DRIFT])
        if subject.estimation.samples is not None:
            drift = _within(outwards(drift), room_bits(subject.shape[:1]))
        claims.append(drift_statement(subject, drift))
    return tuple(claims)


def _public_leak(subject: PublicDisclosureSubject, claim: Claim) -> Interval:
    """Return a bound that is the same for every table of the shape, unless the mapping is really off."""
    if claim.value == Fraction(0) and math.prod(subject.shape) <= MOST_EXACT:
        return Interval(0.0, 0.0)
    upper = 0.0 if claim.value == Fraction(0) else _interval(claim).upper
    return Interval(0.0, ROUNDING_BITS if upper <= ROUNDING_BITS else two_digits(upper, up=True))


def _within(number: Interval, room: float) -> Interval:
    """Cut off what certified numbers have as a margin beyond all that there is."""
    return Interval(min(number.lower, room), min(number.upper, room))


def _state(_: PublicDisclosureSubject) -> tuple[Claim, ...]:
    raise NotCertified(
        "a public certificate is made from a private one, and its subject alone says nothing",
        way_out="Use sf.disclose.public_certificate.",
    )


def _restate(subject: PublicDisclosureSubject, stated: Stated) -> tuple[Claim, ...]:
    """State again what may be said, from the stated numbers: they must be ones that such a file can have."""
    leak, told = _interval(_found(stated, LEAK)), _interval(_found(stated, TOLD))
    _check(is_outwards(told) and told.upper <= room_bits(subject.shape), TOLD, told)
    _check(_is_bound(leak) or repr(leak) == repr(Interval(0.0, ROUNDING_BITS)), LEAK, leak)
    claims = (leak_statement(subject, leak), told_statement(subject, told))
    if subject.estimation.law is not Origin.RECORDS:
        return claims
    if subject.estimation.samples is None:
        found = settle(stated.get(DRIFT), drift_of_data_sets(subject.shape, subject.groups, subject.estimation))
    else:
        found = _interval(_found(stated, DRIFT))
        _check(_is_bound(found) and found.upper <= room_bits(subject.shape[:1]), DRIFT, found)
    return (*claims, drift_statement(subject, found))


def _is_bound(number: Interval) -> bool:
    return repr(number.lower) == "0.0" and is_two_digits(number.upper)  # -0.0 would be a second spelling


def _found(stated: Stated, measure: str) -> Claim:
    if measure not in stated:
        raise ClaimRefused(f"the certificate leaves out {measure}, which applies to its subject")
    return stated[measure]


def _interval(claim: Claim) -> Interval:
    if not isinstance(claim.value, Interval):
        raise ClaimRefused(f"{claim.measure}: claimed {claim.value}, and such a file states two ends")
    return claim.value


def _check(fits: bool, measure: str, number: Interval) -> None:
    if not fits:
        raise ClaimRefused(f"{measure}: {number} is no number that such a file can state: ends have two digits")


def _private_subject(private: Certificate) -> DisclosureSubject:
    if private.schema != PRIVATE_SCHEMA or private.subject.salt is None:
        raise InvalidParameter(
            "must be the private certificate of a disclosure whose law was made from its records",
            parameter="private",
            way_out="Pass the file whose name ends in PRIVATE.json.",
        )
    subject: DisclosureSubject = private.subject
    return subject


def _opened(subject: PublicDisclosureSubject, private: Certificate) -> tuple[Claim, ...]:
    inside = _private_subject(private)
    if commitment_of(private) != subject.commitment:
        raise DigestMismatch(
            "the private certificate is not the one that the public certificate commits to",
            way_out="Ask for the two files of one release.",
        )
    if (inside.law.shape, inside.groups, inside.estimation) != (subject.shape, subject.groups, subject.estimation):
        raise ClaimRefused(
            "the public certificate has another shape, other groups or another estimation than the private one"
        )
    return _proved(subject, private)


def _title(subject: PublicDisclosureSubject) -> str:
    return f"Certificate of a disclosure whose law is private: {_samples(subject)}"


def _about(subject: PublicDisclosureSubject) -> str:
    return (
        f"About a private mapping of data sets of {_samples(subject)} to public symbols. The law of the data "
        f"{subject.estimation.words}."
    )


def _samples(subject: PublicDisclosureSubject) -> str:
    values = ", ".join(map(str, subject.shape[:8])) + (", …" if len(subject.shape) > 8 else "")
    return f"{len(subject.shape)} samples with {values} values"


def _notes(_: PublicDisclosureSubject) -> tuple[str, ...]:
    return (_WITHHELD, ONE_RELEASE)


def _write(subject: PublicDisclosureSubject) -> _Record:
    return _Record(
        shape=list(subject.shape),
        groups=[list(group) for group in subject.groups],
        estimation=write_estimation(subject.estimation),
        commitment=subject.commitment,
    )


def _read(record: _Record) -> PublicDisclosureSubject:
    return PublicDisclosureSubject(
        shape=tuple(record.shape),
        groups=check_groups(record.groups, len(record.shape)),
        estimation=read_estimation(record.estimation),
        commitment=record.commitment,
    )


register(
    Kind(
        schema=SCHEMA,
        subject=PublicDisclosureSubject,
        record=_Record,
        write=_write,
        read=_read,
        title=_title,
        about=_about,
        notes=_notes,
        state=_state,
        restate=_restate,
        opened=_opened,
    )
)
