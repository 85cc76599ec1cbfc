"""What everybody may see of a disclosure whose law or mapping was made from protected records.

Either of the two gives the table away, so the public certificate has neither, nor how many symbols there are or bits
are told: those are functions of the table. It has the shape, the protected groups, the number of symbols that any
table of that shape is padded to, how the law was made and from how many records, the bound for every true law, which
takes nothing else, and a commitment to the private certificate:

    SHA-256(salt ‖ bytes of the private file),  the salt being the 32 random bytes that the private file holds.

The bound for every true law is checked by everybody. That the mapping is independent under its law is only stated, and
`verify` says so: it takes the private certificate, where that is at hand.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256

import msgspec

from sfumato.certificates import Certificate
from sfumato.certificates.registry import Kind, Stated, register
from sfumato.disclose.data_laws import check_groups
from sfumato.disclose.disclosure_certificates import LEAK, ONE_RELEASE, DisclosureSubject, law_notes
from sfumato.disclose.disclosure_certificates import SCHEMA as PRIVATE_SCHEMA
from sfumato.disclose.drift_claims import DRIFT, claims_about_other_laws
from sfumato.disclose.law_bounds import ROUNDING_BITS, excess_bits
from sfumato.disclose.law_estimates import EstimationRecord, read_estimation, write_estimation
from sfumato.disclose.public_statements import PublicDisclosureSubject, leak_statement, padded_symbols, public_leak
from sfumato.errors import ClaimRefused, DigestMismatch, InvalidParameter, NotCertified
from sfumato.values import Claim, Interval

SCHEMA = "sfumato/certificate/disclosure-public/1"
_WITHHELD = (
    "The mapping was made from protected records, so the law and the mapping are private, and so is how much is told; "
    "what a symbol says of a data set, P(x|y), is withheld. That nothing is told if the law is p̂ is stated, not "
    "checked: whoever may see the private certificate can verify it, and that it is the one committed to here."
)


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    shape: list[int]
    groups: list[list[int]]
    symbols: int
    estimation: EstimationRecord
    commitment: str


def public_certificate(private: Certificate) -> Certificate:
    """Return what everybody may see of a private certificate; it commits to that one, to the last byte.

    Publish it in place of the private one wherever a law was counted in protected records.

    Returns:
        A certificate that `sf.verify` checks with the private one as `opening`.

    Raises:
        InvalidParameter: it is no private certificate of a disclosure.
        NotCertified: the mapping leaks more than rounding under its law.

    >>> import sfumato as sf
    >>> law = sf.disclose.counted_law([[40, 10], [20, 30]])
    >>> private = sf.certify(sf.disclose.optimum(law), estimated_from=100)
    >>> public = sf.disclose.public_certificate(private)
    >>> [(claim.measure, claim.status.value) for claim in public.claims]
    [('leak_if_law_differs_bits', 'certified'), ('sample_leak_bits', 'stated')]
    >>> sf.verify(public, opening=private)
    """
    subject = _private_subject(private)
    public = PublicDisclosureSubject(
        shape=subject.law.shape,
        groups=subject.groups,
        symbols=padded_symbols(subject.law.shape, subject.groups),
        estimation=subject.estimation,
        commitment=commitment_of(private),
    )
    return Certificate(subject=public, claims=_proved(public, private), notes=_notes(public), schema=SCHEMA)


def commitment_of(private: Certificate) -> str:
    """Return SHA-256(salt ‖ bytes of the file); as long as the salt is unknown, it says nothing about the file."""
    salt = bytes.fromhex(_private_subject(private).salt or "")
    return f"sha256:{sha256(salt + private.to_json().encode()).hexdigest()}"


def _proved(subject: PublicDisclosureSubject, private: Certificate) -> tuple[Claim, ...]:
    """Return the claims that follow from those of the private certificate: the same for every table of the shape."""
    inside = _private_subject(private)
    leak = _public_leak(subject, private[LEAK])
    excess = excess_bits(inside.law, inside.groups, inside.channel)
    if inside.channel.shape[1] > subject.symbols or leak is None or excess > ROUNDING_BITS:
        raise NotCertified(
            "the mapping leaks more than rounding under its law, or has more symbols than a best one needs",
            way_out="Search longer for the mapping, or merge values; nothing of it may be published.",
        )
    return _claims(subject, leak)


def _claims(subject: PublicDisclosureSubject, leak: Interval, drift: Claim | None = None) -> tuple[Claim, ...]:
    found = claims_about_other_laws(subject.shape, subject.groups, subject.estimation, leak.upper, drift)
    return (*found, leak_statement(subject, leak))


def _public_leak(subject: PublicDisclosureSubject, claim: Claim) -> Interval | None:
    """Return a bound that is the same for every table of the shape; none if the mapping is off by more."""
    stated = public_leak(subject)
    fits = claim.value == Fraction(0) or (stated.upper > 0 and _interval(claim).upper <= stated.upper)
    return stated if fits else None


def _state(_: PublicDisclosureSubject) -> tuple[Claim, ...]:
    raise NotCertified(
        "a public certificate is made from a private one, and its subject alone says nothing",
        way_out="Use sf.disclose.public_certificate.",
    )


def _restate(subject: PublicDisclosureSubject, stated: Stated) -> tuple[Claim, ...]:
    """State again what may be said: the leak follows from the shape, and the bound for other laws is recomputed."""
    drift = None if subject.estimation.terms is None else _found(stated, DRIFT)
    leak = _interval(_found(stated, LEAK))
    # Spelled out, since -0.0 would be a second spelling.
    if repr(leak) != repr(public_leak(subject)):
        raise ClaimRefused(f"{LEAK}: {leak} is no number that such a file can state: {public_leak(subject).upper:g}")
    return _claims(subject, leak, drift)


def _found(stated: Stated, measure: str) -> Claim:
    if measure not in stated:
        raise ClaimRefused(f"the certificate leaves out {measure}, which applies to its subject")
    return stated[measure]


def _interval(claim: Claim) -> Interval:
    if not isinstance(claim.value, Interval):
        raise ClaimRefused(f"{claim.measure}: claimed {claim.value}, and such a file states two ends")
    return claim.value


def _private_subject(private: Certificate) -> DisclosureSubject:
    if private.schema != PRIVATE_SCHEMA or private.subject.salt is None:
        raise InvalidParameter(
            "must be the private certificate of a disclosure whose law was made from protected records",
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
        f"About a private mapping of data sets of {_samples(subject)} to at most {subject.symbols} public symbols. The "
        f"law of the data {subject.estimation.words}."
    )


def _samples(subject: PublicDisclosureSubject) -> str:
    values = ", ".join(map(str, subject.shape[:8])) + (", …" if len(subject.shape) > 8 else "")
    return f"{len(subject.shape)} samples with {values} values"


def _notes(subject: PublicDisclosureSubject) -> tuple[str, ...]:
    return (_WITHHELD, *law_notes(subject.estimation), ONE_RELEASE)


def _write(subject: PublicDisclosureSubject) -> _Record:
    return _Record(
        shape=list(subject.shape),
        groups=[list(group) for group in subject.groups],
        symbols=subject.symbols,
        estimation=write_estimation(subject.estimation),
        commitment=subject.commitment,
    )


def _read(record: _Record) -> PublicDisclosureSubject:
    return PublicDisclosureSubject(
        shape=tuple(record.shape),
        groups=check_groups(record.groups, len(record.shape)),
        symbols=record.symbols,
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
