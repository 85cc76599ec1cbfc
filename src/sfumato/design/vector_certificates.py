"""Certificates of noise on a histogram.

People who depend on each other move the counts within a ball, and a limit on power bounds what independent discrete
Gaussian noise lets through of that. Half of the largest distance is no radius of it: three cells of a histogram are √2
apart, and lie on a circle of √(2/3) and not of √(1/2). The radius for m people and k cells is m·√(1-1/k).
Ref: [E, Thm 3]; theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import msgspec

from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import bound_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_most, fraction_text
from sfumato.design.group_claims import MOST_PEOPLE, POWER, assumption_claims, group_notes, usual_bound, whom
from sfumato.files.numbers import read_fraction
from sfumato.measures.lattice.powers import power_bound
from sfumato.values import Claim, Interval, Relation, Status

SCHEMA = "sfumato/certificate/vector-noise/1"
CAPACITY = "vector_noise_bits"
_HISTOGRAM = "histogram"
MOST_DIMENSION = 10**6
_MOST_DIGITS = 400
_NOISES = Fraction(1, 1000), Fraction(1 << 80)
_ANYBODY = (
    "One release. The bits of several releases about the same records add up.",
    "In bits, under any knowledge and any correlation; the odds between two values are not bounded.",
)
_NO_ODDS = "In bits, under any knowledge about people outside of a group; the odds between two values are not bounded."


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    what: str
    dimension: int
    records: int
    people: int | None
    size: str
    grid: str
    squared_radius: str
    variance: str
    spread: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSubject:
    """The counts of `dimension` cells with independent noise; each of `records` is in one cell at most.

    `people` depend on each other, None for any number; `spread` S proves the bound for the `variance` N.

    >>> import sfumato as sf
    >>> subject = sf.design.private_histogram(4, 1000, 0.5, correlated=2).subject
    >>> subject.dimension, subject.moving, subject.squared_radius
    (4, 2, Fraction(3, 1))
    >>> sf.certify(subject)["vector_noise_bits"].sentence
    'One release tells at most 0.5 bits about any one record, and about a whole group together, if at most 2 people
    depend on each other, whatever is known about all others.'
    """

    dimension: int
    records: int
    people: int | None
    variance: Fraction
    spread: Fraction

    @property
    def moving(self) -> int:
        """How many people move the counts together."""
        return self.records if self.people is None else min(self.people, self.records)

    @property
    def squared_radius(self) -> Fraction:
        """Of the ball in which they do."""
        return squared_radius(self.dimension, self.moving)


def squared_radius(dimension: int, people: int) -> Fraction:
    """Return r² of the counts that so many people move."""
    return people**2 * Fraction(dimension - 1, dimension)


@subject_of.register
def _itself(thing: VectorSubject) -> VectorSubject:
    return thing


def _state(subject: VectorSubject) -> tuple[Claim, ...]:
    return _claims(subject, publish(_proven(subject)))


def _restate(subject: VectorSubject, stated: Stated) -> tuple[Claim, ...]:
    return _claims(subject, settle(stated.get(CAPACITY), _proven(subject)))


def _proven(subject: VectorSubject) -> Interval:
    return power_bound(subject.dimension, subject.squared_radius, subject.variance, subject.spread)


def _claims(subject: VectorSubject, bits: Interval) -> tuple[Claim, ...]:
    people, dimension, variance = subject.people, subject.dimension, subject.variance
    assumption: tuple[Claim, ...] = ()
    if people is not None:
        lone, everybody = (
            usual_bound(dimension, squared_radius(dimension, many), variance) for many in (1, subject.records)
        )
        assumption = assumption_claims(people, lone, everybody)
    return (
        bound_claim(
            CAPACITY,
            bits,
            "bits",
            because=(
                f"{POWER} with the S of the file and r² = m²(1 - 1/k) for m = {subject.moving} people, "
                "given all others [E, Thm 3]"
            ),
            sentence=f"One release tells at most {at_most(bits)} bits about {whom(people)}",
        ),
        *assumption,
        exact_claim(
            "epsilon",
            math.inf,
            "nats",
            because="ln P(y|x)/P(y|x') = (x-x')·(2y-x-x')/2N grows without limit in y",
            sentence="No factor bounds how much a release far out favours one value over another; it is a rare one.",
        ),
        Claim(
            measure="noise_variance",
            relation=Relation.AT_MOST,
            value=variance,
            unit="square units of each released number",
            status=Status.EXACT,
            because="the variance of a discrete Gaussian is at most its parameter",
            sentence=f"The noise of each number has a variance of at most {fraction_text(variance)}.",
        ),
    )


def _title(subject: VectorSubject) -> str:
    return f"Certificate of noise: a histogram of {subject.dimension} cells, with independent discrete Gaussian noise"


def _about(subject: VectorSubject) -> str:
    return (
        f"About {subject.dimension} numbers made of {subject.records} records, each in at most one cell, released in "
        "multiples of 1 with independent discrete Gaussian noise."
    )


def _notes(subject: VectorSubject) -> tuple[str, ...]:
    return _ANYBODY if subject.people is None else (*group_notes(subject.people), _NO_ODDS)


def _write(subject: VectorSubject) -> _Record:
    return _Record(
        what=_HISTOGRAM,
        dimension=subject.dimension,
        records=subject.records,
        people=subject.people,
        size="1",
        grid="1",
        squared_radius=str(subject.squared_radius),
        variance=str(subject.variance),
        spread=str(subject.spread),
    )


def _read(record: _Record) -> VectorSubject:
    variance, spread = (read_fraction(text, most_digits=_MOST_DIGITS) for text in (record.variance, record.spread))
    if (record.what, record.size, record.grid) != (_HISTOGRAM, "1", "1"):
        raise ValueError("what is counted cannot be")
    if not 2 <= record.dimension <= MOST_DIMENSION:
        raise ValueError("the number of cells cannot be")
    if (
        not 1 <= record.records <= MOST_PEOPLE
        or not 1 <= (1 if record.people is None else record.people) <= MOST_PEOPLE
    ):
        raise ValueError("the number of records or of people cannot be")
    if not _NOISES[0] <= variance <= _NOISES[1] or not variance <= spread <= 10**40:
        raise ValueError("the noise, or what proves its bound, cannot be")
    # The radius stands in the file for its reader; writing the certificate again shows whether it fits.
    return VectorSubject(
        dimension=record.dimension,
        records=record.records,
        people=record.people,
        variance=variance,
        spread=spread,
    )


register(
    Kind(
        schema=SCHEMA,
        subject=VectorSubject,
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
