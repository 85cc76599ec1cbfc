"""Certificates of disclosures: the law, the mapping, what it tells, and that it tells nothing about anybody.

The subject is the law and the mapping in Fractions, so verification needs nothing else: it checks independence group by
group, and recomputes how much is told. A law that was estimated comes with the number of data sets behind it, and with
a bound on the leak if the true law is a little different.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import msgspec
import numpy as np

from sfumato.certificates.claim_records import read_fraction
from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import bound_claim, certified_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_least, at_most
from sfumato.disclose.data_laws import DataLaw, Groups
from sfumato.disclose.disclosures import Disclosure, check_independence, leak_bound, told_bits
from sfumato.errors import ClaimRefused
from sfumato.measures.enclosures import entropy_interval
from sfumato.prob import Channel, Distribution
from sfumato.values import Claim, Interval
from sfumato.values.checks import check_at_least, check_integer

SCHEMA = "sfumato/certificate/disclosure/1"
# A law estimated from n data sets is this far from the truth at most, nineteen times out of twenty.
CONFIDENCE = 0.95
_NOTES = ("One release of a data set. Two private releases of the same data can leak together: design them jointly.",)


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    shape: list[int]
    cells: list[list[int]]
    masses: list[str]
    groups: list[list[int]]
    mapping: list[list[str]]
    estimated_from: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DisclosureSubject:
    """A mapping of data sets under a law; `estimated_from` so many data sets, None for a law that is known."""

    law: DataLaw
    groups: Groups
    channel: Channel
    estimated_from: int | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DisclosureSubject) and _write(self) == _write(other)

    def __hash__(self) -> int:
        return hash((self.law.shape, self.law.masses, self.groups, self.estimated_from))


@subject_of.register
def disclosure_subject(thing: Disclosure, estimated_from: int | None = None) -> DisclosureSubject:
    """Return the subject of a disclosure, its law made exact."""
    if estimated_from is not None:
        check_at_least("estimated_from", check_integer("estimated_from", estimated_from), 1)
    law = thing.law if thing.law.exact else _exact_law(thing.law)
    return DisclosureSubject(law=law, groups=thing.groups, channel=thing.channel, estimated_from=estimated_from)


def estimation_radius(data_sets: int, cells: int) -> float:
    """Return how far, in total variation, a law of so many cells may be from its estimate, at 95 % [WOS+03]."""
    if cells > 8 * data_sets:  # no estimate is nearer than that, and the number may be too large for a double
        return 1.0
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


def _state(subject: DisclosureSubject) -> tuple[Claim, ...]:
    return _restate(subject, {})


def _restate(subject: DisclosureSubject, stated: Stated) -> tuple[Claim, ...]:
    law, privacy = subject.law, _privacy(subject, stated)
    told = settle(stated.get("disclosed_bits"), told_bits(law, subject.channel, None))
    whole = publish(entropy_interval((mass, 1) for mass in law.masses))
    claims = [
        privacy,
        certified_claim(
            "disclosed_bits",
            told,
            "bits",
            because="I(X^n;Y) of the mapping under the law [Sha48]",
            sentence=f"The release tells {at_least(told)} bits about the whole data set, of {at_most(whole)} in it.",
        ),
    ]
    if subject.estimated_from is not None:
        claims.append(_estimated(subject, subject.estimated_from, stated))
    return tuple(claims)


def _privacy(subject: DisclosureSubject, stated: Stated) -> Claim:
    single = all(len(group) == 1 for group in subject.groups)
    what = "any single sample" if single else "any protected group of samples"
    try:
        check_independence(subject.law, subject.groups, subject.channel)
    except ClaimRefused:
        leak = leak_bound(subject.law, subject.groups, subject.channel)
        bound = settle(stated.get("sample_leak_bits"), Interval(0.0, leak))
        return bound_claim(
            "sample_leak_bits",
            bound,
            "bits",
            because="I(X_group;Y) of the mapping, the largest over the groups, rounding included [D, Def. 1]",
            sentence=f"The release tells at most {at_most(bound)} bits about {what}.",
        )
    return exact_claim(
        "sample_leak_bits",
        Fraction(0),
        "bits",
        because="P(x_group, y) = P(x_group)P(y) for every value and symbol, in fractions [D, Def. 1]",
        sentence=f"The release tells nothing at all about {what}, if the data follow the law.",
    )


def _estimated(subject: DisclosureSubject, data_sets: int, stated: Stated) -> Claim:
    shape = subject.law.shape
    radius = estimation_radius(data_sets, math.prod(shape))
    # Plain integers: 63 binary samples have more values than a machine word can count.
    values = max(math.prod(shape[i] for i in group) for group in subject.groups)
    found = Interval(0.0, leak_if_law_differs(radius, values))
    bound = settle(stated.get("leak_if_law_differs_bits"), found)
    return bound_claim(
        "leak_if_law_differs_bits",
        bound,
        "bits",
        because=(
            f"law estimated from {data_sets} data sets: within {radius:.4f} in total variation at 95 % [WOS+03]; "
            f"conditional entropy is continuous [AS19b]"
        ),
        sentence=(
            f"The law was estimated from {data_sets} data sets. If the true law is within {radius:.4f} of it, the "
            f"release tells at most {at_most(bound)} bits about a protected group."
        ),
    )


def _exact_law(law: DataLaw) -> DataLaw:
    return DataLaw(shape=law.shape, cells=law.cells, masses=Distribution(law.masses).fractions)


def _title(subject: DisclosureSubject) -> str:
    cells, symbols = subject.channel.shape
    return f"Certificate of a disclosure: {subject.law.n} samples, {cells} cells → {symbols} symbols"


def _about(subject: DisclosureSubject) -> str:
    cells, symbols = subject.channel.shape
    how = "known" if subject.estimated_from is None else f"estimated from {subject.estimated_from} data sets"
    return (
        f"About a mapping of {cells} possible data sets of {subject.law.n} samples to {symbols} public symbols. "
        f"The law of the data is {how}."
    )


def _picture(subject: DisclosureSubject) -> Channel:
    return subject.channel


def _notes(_: DisclosureSubject) -> tuple[str, ...]:
    return _NOTES


def _write(subject: DisclosureSubject) -> _Record:
    return _Record(
        shape=list(subject.law.shape),
        cells=subject.law.cells.tolist(),
        masses=[str(Fraction(mass)) for mass in subject.law.masses],
        groups=[list(group) for group in subject.groups],
        mapping=[[str(p) for p in row] for row in subject.channel.rows],
        estimated_from=subject.estimated_from,
    )


def _read(record: _Record) -> DisclosureSubject:
    masses = tuple(read_fraction(text) for text in record.masses)
    cells = np.array(record.cells, dtype=np.int64)
    shape = tuple(record.shape)
    if cells.shape != (len(masses), len(shape)) or np.any(cells < 0) or np.any(cells >= np.array(shape)):
        raise ValueError("cells do not fit the shape")
    if sum(masses) != 1 or min(masses) <= 0:
        raise ValueError("masses are no law")
    if record.estimated_from is not None and record.estimated_from < 1:
        raise ValueError("a law is estimated from one data set or more")
    law = DataLaw(shape=shape, cells=cells, masses=masses)
    rows = [[read_fraction(text) for text in row] for row in record.mapping]
    return DisclosureSubject(
        law=law,
        groups=law.checked_groups(record.groups),
        channel=Channel(rows, [tuple(cell) for cell in cells.tolist()]),
        estimated_from=record.estimated_from,
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
