"""Certificates of disclosures, for the owner and for the public.

The subject is the distribution and the mapping in Fractions, so verification needs nothing else. It checks independence
group by group, computes again how much is disclosed, and bounds what is disclosed if the true distribution differs from
the one that was counted. The subject also holds how the distribution was made. If anything was counted in protected
records, the certificate is private, because distribution and mapping reveal the table. It then carries a salt, and a
public certificate commits to it.
Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from itertools import combinations

import msgspec
import numpy as np

from sfumato.certificates.certificate import Certificate, Kind, Stated, register, subject_of
from sfumato.certificates.claims import (
    Claim,
    Relation,
    Status,
    bound_claim,
    certified_claim,
    exact_claim,
    publish,
    settle,
)
from sfumato.disclosure.data import DataLaw, Groups, check_groups
from sfumato.disclosure.estimation import (
    BETA,
    DRIFT,
    ROUNDING_BITS,
    Estimation,
    EstimationRecord,
    Origin,
    check_smoothed,
    chosen_terms,
    claims_about_other_laws,
    excess_bits,
    read_estimation,
    write_estimation,
)
from sfumato.disclosure.optimal import MOST_EXACT, Disclosure, check_independence, leak_bound, told_bits
from sfumato.display.text import at_least, at_most
from sfumato.errors import ClaimRefused, DigestMismatch, InvalidParameter, NotCertified
from sfumato.numbers.checks import check_at_least, check_integer
from sfumato.numbers.exact import MOST_DENOMINATOR_BITS, common_denominator, read_fraction
from sfumato.numbers.intervals import Interval, entropy_interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution
from sfumato.sampling.sources import SystemBits

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
    >>> certificate = sf.certify(sf.disclosure.optimum(sf.disclosure.DataLaw.independent(half, 2)))
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
    """Say what the release is independent of."""
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


# --- The subject of a public certificate of a private distribution, and its texts
# Theory: docs/theory/disclosure.md


MOST_SAMPLES = 10_000
MOST_SYMBOLS = 2**53
_MOST_VALUES = 2**31
# Indices that all groups together may list.
_MOST_LISTED = 1_000_000
# Groups with more subsets than this many halvings are refused.
_MOST_SUBSETS = 16
_COMMITMENT = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicDisclosureSubject:
    """A disclosure whose law and mapping are private; `commitment` is to the certificate that has them.

    `symbols` is how many the best mapping of any table of this shape needs at most: that of one table would tell of it.

    It is what `public_certificate` makes of a private one.

    >>> import sfumato as sf
    >>> law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    >>> private = sf.certify(sf.disclosure.optimum(law), estimated_from=100)
    >>> public = sf.disclosure.public_certificate(private).subject
    >>> public.shape, public.symbols, public.commitment[:7]
    ((2, 2), 2, 'sha256:')
    """

    shape: tuple[int, ...]
    groups: Groups
    symbols: int
    estimation: Estimation
    commitment: str

    def __post_init__(self) -> None:
        if not 1 <= len(self.shape) <= MOST_SAMPLES or not all(1 <= size <= _MOST_VALUES for size in self.shape):
            raise InvalidParameter(
                f"must have 1 to {MOST_SAMPLES} samples, of 1 to {_MOST_VALUES} values each",
                parameter="shape",
                way_out="Make it from a private certificate, with sf.disclosure.public_certificate.",
            )
        if sum(map(len, self.groups)) > _MOST_LISTED:
            raise InvalidParameter(
                f"must not list more than {_MOST_LISTED} samples in all", parameter="groups", way_out="Merge groups."
            )
        if self.symbols != padded_symbols(self.shape, self.groups):
            raise InvalidParameter(
                "must be the number of symbols that every table of this shape is padded to",
                parameter="symbols",
                value=self.symbols,
                way_out="Make it from a private certificate, with sf.disclosure.public_certificate.",
            )
        if not self.estimation.is_private:
            raise InvalidParameter(
                "was not made from protected records, and then everything may be public",
                parameter="estimation",
                way_out="Publish the certificate itself.",
            )
        if not _COMMITMENT.fullmatch(self.commitment):
            raise InvalidParameter(
                "must be sha256: and 64 hex digits",
                parameter="commitment",
                way_out="Make it from a private certificate, with sf.disclosure.public_certificate.",
            )


def leak_statement(subject: PublicDisclosureSubject, number: Interval) -> Claim:
    """What is stated about a protected group, from its number."""
    what = protected_words(single=all(len(group) == 1 for group in subject.groups))
    sentence = f"The release tells at most {number.upper:g} bits about {what}, if the data follow the law."
    if number.upper == 0:
        sentence = f"The release tells nothing at all about {what}, if the data follow the law."
    because = "I(X_group;Y) of the private mapping, the largest over the groups [D, Def. 1]"
    return _stated(LEAK, Relation.AT_MOST, number, because, sentence)


def public_leak(subject: PublicDisclosureSubject) -> Interval:
    """What is stated of a protected group: small mappings are exact, and of others rounding may be left."""
    return Interval(0.0, 0.0 if math.prod(subject.shape) <= MOST_EXACT else ROUNDING_BITS)


def padded_symbols(shape: tuple[int, ...], groups: Groups) -> int:
    """Return nul(P) + 1 for the whole alphabet, the most symbols that a best mapping needs [D, Prop. 3].

    The rank of P is the number of free parameters of marginals: Π (s_i - 1) for each set of samples that lies in a
    group. Where groups have too many subsets to go through, as many symbols as cells; never more than 2^53.
    """
    cells = math.prod(shape)
    if sum(2 ** min(len(group), _MOST_SUBSETS) for group in groups) >= 2**_MOST_SUBSETS:
        return min(cells, MOST_SYMBOLS)
    inside = {chosen for group in groups for size in range(len(group) + 1) for chosen in combinations(group, size)}
    return min(cells - sum(math.prod(shape[i] - 1 for i in chosen) for chosen in inside) + 1, MOST_SYMBOLS)


def _stated(measure: str, relation: Relation, number: Interval, because: str, sentence: str) -> Claim:
    return Claim(
        measure=measure,
        relation=relation,
        value=number,
        unit="bits",
        status=Status.STATED,
        because=because,
        sentence=sentence,
    )


# --- Public certificates of disclosures whose distribution or mapping was made from protected records
# Either of the two reveals the table. So the public certificate has neither, nor the number of symbols or disclosed
# bits, which are functions of the table. It has the shape, the protected groups, the number of symbols that any table
# of that shape is padded to, how the distribution was made and from how many records, the bound for every true
# distribution, and a commitment to the private certificate:
#
# SHA-256(salt ‖ bytes of the private file), the salt being the 32 random bytes that the private file holds.
#
# Everyone can check the bound for every true distribution. Independence under the counted distribution is only stated;
# `verify` says so and checks it where the private certificate is given.
# Theory: docs/theory/disclosure.md


PUBLIC_SCHEMA = "sfumato/certificate/disclosure-public/1"
_WITHHELD = (
    "The mapping was made from protected records, so the law and the mapping are private, and so is how much is told; "
    "what a symbol says of a data set, P(x|y), is withheld. That nothing is told if the law is p̂ is stated, not "
    "checked: whoever may see the private certificate can verify it, and that it is the one committed to here."
)


class _PublicRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    shape: list[int]
    groups: list[list[int]]
    symbols: int
    estimation: EstimationRecord
    commitment: str


def public_certificate(private: Certificate) -> Certificate:
    """Return the public certificate of a private one, with a commitment to every byte of it.

    Publish it in place of the private one wherever a law was counted in protected records.

    Returns:
        A certificate that `sf.verify` checks with the private one as `opening`.

    Raises:
        InvalidParameter: it is no private certificate of a disclosure.
        NotCertified: the mapping leaks more than rounding under its law.

    >>> import sfumato as sf
    >>> law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    >>> private = sf.certify(sf.disclosure.optimum(law), estimated_from=100)
    >>> public = sf.disclosure.public_certificate(private)
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
    return Certificate(
        subject=public,
        claims=_proved(public, private),
        notes=_public_notes(public),
        schema=PUBLIC_SCHEMA,
    )


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


def _public_state(_: PublicDisclosureSubject) -> tuple[Claim, ...]:
    raise NotCertified(
        "a public certificate is made from a private one, and its subject alone says nothing",
        way_out="Use sf.disclosure.public_certificate.",
    )


def _public_restate(subject: PublicDisclosureSubject, stated: Stated) -> tuple[Claim, ...]:
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
    if private.schema != SCHEMA or private.subject.salt is None:
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


def _public_title(subject: PublicDisclosureSubject) -> str:
    return f"Certificate of a disclosure whose law is private: {_samples(subject)}"


def _public_about(subject: PublicDisclosureSubject) -> str:
    return (
        f"About a private mapping of data sets of {_samples(subject)} to at most {subject.symbols} public symbols. The "
        f"law of the data {subject.estimation.words}."
    )


def _samples(subject: PublicDisclosureSubject) -> str:
    values = ", ".join(map(str, subject.shape[:8])) + (", …" if len(subject.shape) > 8 else "")
    return f"{len(subject.shape)} samples with {values} values"


def _public_notes(subject: PublicDisclosureSubject) -> tuple[str, ...]:
    return (_WITHHELD, *law_notes(subject.estimation), ONE_RELEASE)


def _public_write(subject: PublicDisclosureSubject) -> _PublicRecord:
    return _PublicRecord(
        shape=list(subject.shape),
        groups=[list(group) for group in subject.groups],
        symbols=subject.symbols,
        estimation=write_estimation(subject.estimation),
        commitment=subject.commitment,
    )


def _public_read(record: _PublicRecord) -> PublicDisclosureSubject:
    return PublicDisclosureSubject(
        shape=tuple(record.shape),
        groups=check_groups(record.groups, len(record.shape)),
        symbols=record.symbols,
        estimation=read_estimation(record.estimation),
        commitment=record.commitment,
    )


register(
    Kind(
        schema=PUBLIC_SCHEMA,
        subject=PublicDisclosureSubject,
        record=_PublicRecord,
        write=_public_write,
        read=_public_read,
        title=_public_title,
        about=_public_about,
        notes=_public_notes,
        state=_public_state,
        restate=_public_restate,
        opened=_opened,
    )
)
