"""Certificates of disclosures: the law, the mapping, what it tells, and that it tells nothing about anybody.

The subject is the law and the mapping in Fractions, so verification needs nothing else: it checks independence group by
group, and recomputes how much is told. How the law was made is part of it. If anything was counted in the records that
are released, the certificate is private: law and mapping give the table away. It carries a salt then, and a public one
commits to it (:mod:`sfumato.disclose.public_certificates`).   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

import msgspec
import numpy as np

from sfumato.bits import SystemBits
from sfumato.certificates.claim_records import read_fraction
from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import bound_claim, certified_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_least, at_most
from sfumato.disclose.data_laws import DataLaw, Groups
from sfumato.disclose.disclosures import Disclosure, check_independence, leak_bound, told_bits
from sfumato.disclose.drift_claims import DRIFT, drift_claim, drift_of_data_sets
from sfumato.disclose.law_estimates import (
    Estimation,
    EstimationRecord,
    Origin,
    leak_of_samples,
    read_estimation,
    write_estimation,
)
from sfumato.errors import ClaimRefused, InvalidParameter
from sfumato.measures.enclosures import entropy_interval
from sfumato.prob import Channel, Distribution
from sfumato.values import Claim, Interval
from sfumato.values.checks import check_at_least, check_integer

SCHEMA = "sfumato/certificate/disclosure/1"
ONE_RELEASE = "One release of a data set. Two private releases of the same data can leak together: design them jointly."
_PRIVATE = (
    "PRIVATE: the law or the mapping in this file was made from the records that it protects, and gives them away. "
    "Show it to nobody who may not see the records; the public certificate commits to it."
)
_DECLARED = (
    "Its maker says, and this file alone cannot show, that the law was declared, and not made from the records that "
    "are released."
)
LEAK, TOLD = "sample_leak_bits", "disclosed_bits"
_SALT_BYTES = 32
_SALT = re.compile(r"[0-9a-f]{64}")


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    shape: list[int]
    cells: list[list[int]]
    masses: list[str]
    groups: list[list[int]]
    mapping: list[list[str]]
    estimation: EstimationRecord
    salt: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DisclosureSubject:
    """A mapping of data sets under a law, and how that was made.

    `salt`, 64 hex digits, is what a public certificate commits with; there is one exactly where the subject is private.
    Neither the law nor the mapping is shown by `repr`.
    """

    law: DataLaw = field(repr=False)
    groups: Groups
    channel: Channel = field(repr=False)
    estimation: Estimation = field(default_factory=Estimation)
    salt: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.estimation.is_private != (self.salt is not None) or not _SALT.fullmatch(self.salt or "0" * 64):
            raise InvalidParameter(
                "must be 64 hex digits where the law was counted in the records, and None where it was declared",
                parameter="salt",
                way_out="Use sf.certify, which draws one.",
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DisclosureSubject) and _write(self) == _write(other)

    def __hash__(self) -> int:
        return hash((self.law.shape, self.law.masses, self.groups, self.estimation, self.salt))

    @property
    def single(self) -> bool:
        """Whether every sample is protected on its own."""
        return all(len(group) == 1 for group in self.groups)


@subject_of.register
def disclosure_subject(thing: Disclosure, estimated_from: int | None = None) -> DisclosureSubject:
    """Return the subject of a disclosure; private if its law was `estimated_from` so many data sets."""
    if estimated_from is None:
        return made_subject(thing, Estimation())
    check_at_least("estimated_from", check_integer("estimated_from", estimated_from), 1)
    return made_subject(thing, Estimation(law=Origin.RECORDS, data_sets=estimated_from))


def made_subject(thing: Disclosure, estimation: Estimation) -> DisclosureSubject:
    """Return the subject of a disclosure, its law made exact, under a salt that was never used where it is private."""
    law = thing.law if thing.law.exact else _exact_law(thing.law)
    return DisclosureSubject(
        law=law, groups=thing.groups, channel=thing.channel, estimation=estimation, salt=fresh_salt(estimation)
    )


def fresh_salt(estimation: Estimation) -> str | None:
    """Draw what a public certificate will commit with; never from a seed, which would make the salt guessable."""
    return SystemBits().bytes(_SALT_BYTES).hex() if estimation.is_private else None


def leak_claim(subject: DisclosureSubject, number: Fraction | Interval) -> Claim:
    """What is claimed about a protected group, from its number alone: 0 exactly, or a bound."""
    what = protected_words(single=subject.single)
    if isinstance(number, Interval):
        return bound_claim(
            LEAK,
            number,
            "bits",
            because="I(X_group;Y) of the mapping, the largest over the groups, rounding included [D, Def. 1]",
            sentence=f"The release tells at most {at_most(number)} bits about {what}.",
        )
    return exact_claim(
        LEAK,
        number,
        "bits",
        because="P(x_group, y) = P(x_group)P(y) for every value and symbol, in fractions [D, Def. 1]",
        sentence=f"The release tells nothing at all about {what}, if the data follow the law.",
    )


def told_claim(subject: DisclosureSubject, number: Interval) -> Claim:
    """What is claimed about the whole data set, from its number."""
    whole = publish(entropy_interval((mass, 1) for mass in subject.law.masses))
    return certified_claim(
        TOLD,
        number,
        "bits",
        because="I(X^n;Y) of the mapping under the law [Sha48]",
        sentence=f"The release tells {at_least(number)} bits about the whole data set, of {at_most(whole)} in it.",
    )


def protected_words(*, single: bool) -> str:
    """What nothing is told about."""
    return "any single sample" if single else "any protected group of samples"


def _state(subject: DisclosureSubject) -> tuple[Claim, ...]:
    return _restate(subject, {})


def _restate(subject: DisclosureSubject, stated: Stated) -> tuple[Claim, ...]:
    leak = _leak(subject, stated)
    told = settle(stated.get(TOLD), told_bits(subject.law, subject.channel, None))
    claims = [leak_claim(subject, leak), told_claim(subject, told)]
    if subject.estimation.law is Origin.RECORDS:
        found = settle(stated.get(DRIFT), _drift(subject))
        claims.append(drift_claim(subject.law.shape, subject.estimation, found))
    return tuple(claims)


def _leak(subject: DisclosureSubject, stated: Stated) -> Fraction | Interval:
    try:
        check_independence(subject.law, subject.groups, subject.channel)
    except ClaimRefused:
        leak = leak_bound(subject.law, subject.groups, subject.channel)
        return settle(stated.get(LEAK), Interval(0.0, leak))
    return Fraction(0)


def _drift(subject: DisclosureSubject) -> Interval:
    samples = subject.estimation.samples
    if samples is None:
        return drift_of_data_sets(subject.law.shape, subject.groups, subject.estimation)
    return Interval(0.0, leak_of_samples(subject.law, samples))


def _exact_law(law: DataLaw) -> DataLaw:
    return DataLaw(shape=law.shape, cells=law.cells, masses=Distribution(law.masses).fractions)


def _title(subject: DisclosureSubject) -> str:
    cells, symbols = subject.channel.shape
    return f"Certificate of a disclosure: {subject.law.n} samples, {cells} cells → {symbols} symbols"


def _about(subject: DisclosureSubject) -> str:
    cells, symbols = subject.channel.shape
    return (
        f"About a mapping of {cells} possible data sets of {subject.law.n} samples to {symbols} public symbols. "
        f"The law of the data {subject.estimation.words}."
    )


def _picture(subject: DisclosureSubject) -> Channel:
    return subject.channel


def _notes(subject: DisclosureSubject) -> tuple[str, ...]:
    return (_PRIVATE if subject.estimation.is_private else _DECLARED, ONE_RELEASE)


def _write(subject: DisclosureSubject) -> _Record:
    return _Record(
        shape=list(subject.law.shape),
        cells=subject.law.cells.tolist(),
        masses=[str(Fraction(mass)) for mass in subject.law.masses],
        groups=[list(group) for group in subject.groups],
        mapping=[[str(p) for p in row] for row in subject.channel.rows],
        estimation=write_estimation(subject.estimation),
        salt=subject.salt,
    )


def _read(record: _Record) -> DisclosureSubject:
    masses = tuple(read_fraction(text) for text in record.masses)
    cells = np.array(record.cells, dtype=np.int64)
    shape = tuple(record.shape)
    if cells.shape != (len(masses), len(shape)) or np.any(cells < 0) or np.any(cells >= np.array(shape)):
        raise ValueError("cells do not fit the shape")
    if sum(masses) != 1 or min(masses) <= 0:
        raise ValueError("masses are no law")
    law = DataLaw(shape=shape, cells=cells, masses=masses)
    rows = [[read_fraction(text) for text in row] for row in record.mapping]
    return DisclosureSubject(
        law=law,
        groups=law.checked_groups(record.groups),
        channel=Channel(rows, [tuple(cell) for cell in cells.tolist()]),
        estimation=read_estimation(record.estimation),
        salt=record.salt,
    )


register(
    Kind(
        schema=SCHEMA,
        subject=DisclosureSubject,
        record=_Record,
        write=_write,
        read=_read,
        title=_title,
        about=_about,
        notes=_notes,
        state=_state,
        restate=_restate,
        picture=_picture,
    )
)
