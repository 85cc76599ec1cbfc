"""Certificates of disclosures: the law, the mapping, what it tells, and that it tells nothing about anybody.

The file carries the law and the mapping in Fractions, so verification needs nothing else: it checks independence group
by group, and recomputes how much is told. A law that was estimated comes with the number of data sets behind it, and
with a bound on the leak if the true law is a little different.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import msgspec
import numpy as np

from sfumato.certificates.document import NO_DIGEST, ClaimRecord, open_sealed, read_claim, spell, write_claim
from sfumato.certificates.rules import GRID, certified_claim, exact_claim, publish
from sfumato.certificates.words import at_least, at_most
from sfumato.disclose.data_laws import DataLaw
from sfumato.disclose.disclosures import Disclosure, check_independence, leak_bound, told_bits
from sfumato.errors import ClaimRefused
from sfumato.measures.enclosures import entropy_interval
from sfumato.prob import Channel
from sfumato.values import Claim, Claiming, Interval

SCHEMA = "sfumato/disclosure-certificate/1"
# A law estimated from n data sets is this far from the truth at most, nineteen times out of twenty.
CONFIDENCE = 0.95


class _Document(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    schema: str
    digest: str
    shape: list[int]
    cells: list[list[int]]
    masses: list[str]
    groups: list[list[int]]
    mapping: list[list[str]]
    estimated_from: int | None
    claims: list[ClaimRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosureCertificate(Claiming):
    """Claims about a mapping of data sets under a law; `estimated_from` data sets, None for a law that is known."""

    law: DataLaw
    groups: tuple[tuple[int, ...], ...]
    channel: Channel
    estimated_from: int | None
    claims: tuple[Claim, ...]

    notes: tuple[str, ...] = (
        "One release of a data set. Two private releases of the same data can leak together: design them jointly.",
    )

    @property
    def title(self) -> str:
        """What it is a certificate of."""
        cells, symbols = self.channel.shape
        return f"Certificate of a disclosure: {self.law.n} samples, {cells} cells → {symbols} symbols"

    def to_json(self) -> str:
        """Return the sealed document, in the one spelling that verification accepts."""
        return spell(
            _Document(
                schema=SCHEMA,
                digest=NO_DIGEST,
                shape=list(self.law.shape),
                cells=self.law.cells.tolist(),
                masses=[str(Fraction(mass)) for mass in self.law.masses],
                groups=[list(group) for group in self.groups],
                mapping=[[str(p) for p in row] for row in self.channel.rows],
                estimated_from=self.estimated_from,
                claims=[write_claim(claim) for claim in self.claims],
            )
        )

    @staticmethod
    def from_json(data: str | bytes) -> DisclosureCertificate:
        """Open a sealed document; raises when a byte of it was changed."""
        return open_sealed(data, SCHEMA, _Document, _read, DisclosureCertificate.to_json)


def certify_disclosure(disclosure: Disclosure, *, estimated_from: int | None = None) -> DisclosureCertificate:
    """Return every claim about a disclosure whose law and mapping are exact."""
    law = disclosure.law if disclosure.law.exact else _exact_law(disclosure.law)
    return DisclosureCertificate(
        law=law,
        groups=disclosure.groups,
        channel=disclosure.channel,
        estimated_from=estimated_from,
        claims=_claims(law, disclosure.groups, disclosure.channel, estimated_from),
    )


def verify_disclosure(certificate: DisclosureCertificate) -> None:
    """Return when every claim holds; raise ClaimRefused otherwise."""
    found = _claims(certificate.law, certificate.groups, certificate.channel, certificate.estimated_from)
    if [claim.measure for claim in found] != [claim.measure for claim in certificate.claims]:
        raise ClaimRefused("the certificate does not make the claims that belong to its mapping.")
    for claim, again in zip(certificate.claims, found, strict=True):
        if not _same(claim, again):
            raise ClaimRefused(f"{claim.measure}: claimed {claim.value}, recomputed {again.value}.")


def _same(claim: Claim, again: Claim) -> bool:
    """Whether two claims agree; the ends of an interval may differ by the grid that another machine rounds to."""
    if not (isinstance(claim.value, Interval) and isinstance(again.value, Interval)):
        return claim == again
    close = again.value.widened(3 * GRID).encloses(claim.value) and claim.value.widened(3 * GRID).encloses(again.value)
    return close and (claim.measure, claim.unit, claim.status) == (again.measure, again.unit, again.status)


def estimation_radius(data_sets: int, cells: int) -> float:
    """Return how far, in total variation, a law of so many cells may be from its estimate, at 95 % [WOS+03]."""
    return min(1.0, math.sqrt((cells * math.log(2) + math.log(1 / (1 - CONFIDENCE))) / (2 * data_sets)))


def leak_if_law_differs(radius: float, values: int) -> float:
    """Bound I(X_i;Y) in bits when the true law is within `radius` of the one the mapping was made for.

    The joint law of X_i and Y moves by at most the radius, and so do its two marginals, so it is within three radii of
    a product; conditional entropy is continuous at that rate [AS19b].
    """
    distance = 3 * radius
    if values < 2 or radius == 0:
        return 0.0
    if distance >= 1 - 1 / values:
        return math.log2(values)
    entropy = -(distance * math.log2(distance) + (1 - distance) * math.log2(1 - distance))
    return min(math.log2(values), entropy + distance * math.log2(max(1, values - 1)))


def _claims(
    law: DataLaw, groups: tuple[tuple[int, ...], ...], channel: Channel, estimated_from: int | None
) -> tuple[Claim, ...]:
    claims = [_privacy(law, groups, channel)]
    told = publish(told_bits(law, channel, None))
    whole = publish(entropy_interval((mass, 1) for mass in law.masses))
    claims.append(
        certified_claim(
            "disclosed_bits",
            told,
            "bits",
            because="I(X^n;Y) of the mapping under the law",
            sentence=f"The release tells {at_least(told)} bits about the whole data set, of {at_most(whole)} in it.",
        )
    )
    if estimated_from is not None:
        claims.append(_estimated(law, groups, estimated_from))
    return tuple(claims)


def _privacy(law: DataLaw, groups: tuple[tuple[int, ...], ...], channel: Channel) -> Claim:
    what = "any single sample" if all(len(group) == 1 for group in groups) else "any protected group of samples"
    try:
        check_independence(law, groups, channel)
    except ClaimRefused:
        bound = leak_bound(law, groups, channel)
        return certified_claim(
            "sample_leak_bits",
            publish(Interval(0.0, bound)),
            "bits",
            because="I(X_group;Y) of the mapping, the largest over the groups, rounding included",
            sentence=f"The release tells at most {at_most(bound)} bits about {what}.",
        )
    return exact_claim(
        "sample_leak_bits",
        Fraction(0),
        "bits",
        because="P(x_group, y) = P(x_group)P(y) for every value and symbol, in fractions [D, Def. 1]",
        sentence=f"The release tells nothing at all about {what}, if the data follow the law.",
    )


def _estimated(law: DataLaw, groups: tuple[tuple[int, ...], ...], data_sets: int) -> Claim:
    radius = estimation_radius(data_sets, math.prod(law.shape))
    values = max(int(np.prod([law.shape[i] for i in group])) for group in groups)
    bound = leak_if_law_differs(radius, values)
    return certified_claim(
        "leak_if_law_differs_bits",
        publish(Interval(0.0, bound)),
        "bits",
        because=f"law estimated from {data_sets} data sets: within {radius:.4f} in total variation at 95 %",
        sentence=(
            f"The law was estimated from {data_sets} data sets. If the true law is within {radius:.4f} of it, the "
            f"release tells at most {at_most(bound)} bits about a protected group."
        ),
    )


def _exact_law(law: DataLaw) -> DataLaw:
    from sfumato.prob import Distribution  # noqa: PLC0415

    return DataLaw(shape=law.shape, cells=law.cells, masses=Distribution(law.masses).fractions)


def _read(document: _Document) -> DisclosureCertificate:
    masses = tuple(_fraction(text) for text in document.masses)
    cells = np.array(document.cells, dtype=np.int64)
    shape = tuple(document.shape)
    if cells.shape != (len(masses), len(shape)) or np.any(cells < 0) or np.any(cells >= np.array(shape)):
        raise ValueError("cells do not fit the shape")
    if sum(masses) != 1 or min(masses) <= 0:
        raise ValueError("masses are no law")
    law = DataLaw(shape=shape, cells=cells, masses=masses)
    rows = [[_fraction(text) for text in row] for row in document.mapping]
    return DisclosureCertificate(
        law=law,
        groups=law.checked_groups(document.groups),
        channel=Channel(rows, [tuple(cell) for cell in cells.tolist()]),
        estimated_from=document.estimated_from,
        claims=tuple(read_claim(claim) for claim in document.claims),
    )


def _fraction(text: str) -> Fraction:
    # "1e999999999" would be a fraction too, of a billion digits.
    numerator, _, denominator = text.partition("/")
    if not numerator.isdecimal() or not (denominator or "1").isdecimal():
        raise ValueError("not a fraction")
    return Fraction(text)
