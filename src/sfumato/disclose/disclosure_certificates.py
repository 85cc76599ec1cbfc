"""Certificates of disclosures: the law, the mapping, what it tells, and that it tells nothing about anybody.

The subject is the law and the mapping in Fractions, so verification needs nothing else: it checks independence group by
group, recomputes how much is told, and what is told at most if the true law is another than the one that was counted.
How the law was made is part of it. If anything was counted in protected records, the certificate is private: law and
mapping give the table away. It carries a salt then, and a public one commits to it
(:mod:`sfumato.disclose.public_certificates`).   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction

import msgspec
import numpy as np

from sfumato.bits import SystemBits
from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import bound_claim, certified_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_least, at_most
from sfumato.disclose.data_laws import DataLaw, Groups
from sfumato.disclose.disclosures import Disclosure, check_independence, leak_bound, told_bits
from sfumato.disclose.drift_claims import DRIFT, claims_about_other_laws
from sfumato.disclose.law_bounds import check_smoothed, chosen_terms, excess_bits
from sfumato.disclose.law_estimates import (
    BETA,
    Estimation,
    EstimationRecord,
    Origin,
    read_estimation,
    write_estimation,
)
from sfumato.errors import ClaimRefused, InvalidParameter
from sfumato.files.numbers import read_fraction
from sfumato.measures.enclosures import entropy_interval
from sfumato.prob import Channel, Distribution
from sfumato.prob.exact import MOST_DENOMINATOR_BITS, common_denominator
from sfumato.values import Claim, Interval
from sfumato.values.checks import check_at_least, check_integer

SCHEMA = "sfumato/certificate/disclosure/1"
ONE_RELEASE = "One release of a data set. Two private releases of the same data can leak together: design them jointly."
_ONE_LAW = (
    "The bound for any true law takes it that the records that the law was made from and the person are independent "
    "draws of that law. Where those records are of another year or place whose law was another, it says nothing."
)
_PRIVATE = (
    "PRIVATE: the law or the mapping in this file was made from protected records, and gives them away. Show it to "
    "nobody who may not see the records; the public certificate commits to it."
)
_SAID = {
    Origin.DECLARED: "the law was declared, and not made from the records that are released.",
    Origin.PUBLISHED: "the law was counted in records that everybody may see, and none of them is released here.",
    Origin.PRIVATE_HISTOGRAM: (
        "the law is made of noisy counts of the released records, and of nothing else about them."
    ),
}
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

    It is what `sf.certify` makes of a disclosure, and what a certificate's file holds.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> half = [Fraction(1, 2), Fraction(1, 2)]
    >>> certificate = sf.certify(sf.disclose.optimum(sf.disclose.DataLaw.independent(half, 2)))
    >>> certificate.subject.groups, certificate.subject.single, certificate.subject.salt
    (((0,), (1,)), True, None)
    >>> print(certificate["sample_leak_bits"].sentence)
    The release tells nothing at all about any single sample, if the data follow the law.
    """

    law: DataLaw = field(repr=False)
    groups: Groups
    channel: Channel = field(repr=False)
    estimation: Estimation = field(default_factory=Estimation)
    salt: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.estimation.is_private != (self.salt is not None) or not _SALT.fullmatch(self.salt or "0" * 64):
            raise InvalidParameter(
                "must be 64 hex digits where law or mapping were made from protected records, and None elsewhere",
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
    """Return the subject of a disclosure; private if its law was `estimated_from` so many of the released data sets."""
    if estimated_from is None:
        return made_subject(thing, Estimation())
    check_at_least("estimated_from", check_integer("estimated_from", estimated_from), 1)
    return made_subject(thing, counted_estimation(Origin.RECORDS, estimated_from, math.prod(thing.law.shape)))


def counted_estimation(
    law: Origin,
    records: int,
    cells: int,
    *,
    beta: Fraction = BETA,
    feature: Origin | None = None,
    samples: int | None = None,
    epsilon: Fraction | None = None,
) -> Estimation:
    """Return how a law was counted in so many records; the terms of its bound are chosen by numbers alone."""
    terms = chosen_terms(records, cells, beta, epsilon=epsilon)
    return Estimation(
        law=law, feature=feature, records=records, cells=cells, samples=samples, epsilon=epsilon, terms=terms
    )


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
    check_smoothed(subject.law, subject.estimation)
    leak = _leak(subject, stated)
    told = settle(stated.get(TOLD), told_bits(subject.law, subject.channel, None))
    # Whom the bound does not cover stands first of all.
    return (*_drift(subject, stated), leak_claim(subject, leak), told_claim(subject, told))


def _leak(subject: DisclosureSubject, stated: Stated) -> Fraction | Interval:
    try:
        check_independence(subject.law, subject.groups, subject.channel)
    except ClaimRefused:
        leak = leak_bound(subject.law, subject.groups, subject.channel)
        return settle(stated.get(LEAK), Interval(0.0, leak))
    return Fraction(0)


def _drift(subject: DisclosureSubject, stated: Stated) -> tuple[Claim, ...]:
    if subject.estimation.terms is None:
        return ()
    excess = excess_bits(subject.law, subject.groups, subject.channel)
    return claims_about_other_laws(subject.law.shape, subject.groups, subject.estimation, excess, stated.get(DRIFT))


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
    first = _PRIVATE
    if not subject.estimation.is_private:
        first = f"Its maker says, and this file alone cannot show, that {_SAID[subject.estimation.law]}"
    return (first, *law_notes(subject.estimation), ONE_RELEASE)


def law_notes(estimation: Estimation) -> tuple[str, ...]:
    """What a bound for other laws rests on, where there is one."""
    return () if estimation.terms is None else (_ONE_LAW,)


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
    rows = [[read_fraction(text) for text in row] for row in record.mapping]
    if common_denominator((*masses, *(p for row in rows for p in row))) is None:
        raise ValueError(f"the fractions have no common denominator below {MOST_DENOMINATOR_BITS} bits")
    if sum(masses) != 1 or min(masses) <= 0:
        raise ValueError("masses are no law")
    law = DataLaw(shape=shape, cells=cells, masses=masses)
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
