"""Certificates of a private quantile: one of several declared values, those of a worse rank exponentially less likely.

A value at a distance of d ranks from the wanted one is drawn with a weight of e^(-λd). Given all others, m people
change each rank by at most m, so every law of a release is within m/2 ranks of the one in the middle, and ratios to
that have logarithms in a range of w = mλ, which bounds what is told: (z - 1 - ln z)·log2 e bits, z = w/(1 - e^-w).
Ref: [E, Thm 3]; theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import msgspec

from sfumato.certificates.registry import Kind, Stated, register, subject_of
from sfumato.certificates.rules import bound_claim, exact_claim, publish, settle
from sfumato.certificates.words import at_most, fraction_text
from sfumato.design.group_claims import MOST_PEOPLE, assumption_claims, group_notes, whom
from sfumato.files.numbers import read_fraction
from sfumato.measures.bounded_ranges import bounded_range_bits
from sfumato.measures.enclosures import log2_interval
from sfumato.values import Claim, Interval

SCHEMA = "sfumato/certificate/rank-noise/1"
CAPACITY = "rank_noise_bits"
MOST_CANDIDATES = 100_000
RATES = Fraction(1, 10**20), Fraction(10**3)
_MOST_DIGITS = 400
_ANYBODY = (
    "One release. The bits of several releases about the same records add up.",
    "In bits, under any knowledge and any correlation.",
)
_GROUP = "In bits, under any knowledge about people outside of a group."
_BOUND = "the least of log2 k and (z - 1 - ln z)·log2 e, z = w/(1 - e^-w), w = mλ"


class _Record(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    low: str
    high: str
    candidates: int
    share: str
    records: int
    people: int | None
    rate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSubject:
    """One of `candidates` declared values from `low` to `high`, near the quantile of `share` among `records`.

    `rate` is λ; `people` depend on each other, None for any number.

    >>> import sfumato as sf
    >>> subject = sf.design.private_quantile(range(0, 101, 5), 0.5, 1000, 1, correlated=2).subject
    >>> subject.candidates, subject.moving, round(float(subject.rate), 3)
    (21, 2, 1.223)
    >>> sf.certify(subject)["epsilon"].sentence
    'Who knows all other records finds any two values of one told apart by a factor of at most e^2.447.'
    """

    low: Fraction
    high: Fraction
    candidates: int
    share: Fraction
    records: int
    people: int | None
    rate: Fraction

    @property
    def moving(self) -> int:
        """How many people change the ranks together."""
        return self.records if self.people is None else min(self.people, self.records)


def rank_bits(people: int, rate: Fraction, candidates: int) -> Interval:
    """Enclose the bound for so many people, in bits."""
    held = log2_interval(Fraction(candidates))
    told = bounded_range_bits(people * rate)
    return Interval(min(told.lower, held.lower), min(told.upper, held.upper))


@subject_of.register
def _itself(thing: RankSubject) -> RankSubject:
    return thing


def _state(subject: RankSubject) -> tuple[Claim, ...]:
    return _claims(subject, publish(_proven(subject)))


def _restate(subject: RankSubject, stated: Stated) -> tuple[Claim, ...]:
    return _claims(subject, settle(stated.get(CAPACITY), _proven(subject)))


def _proven(subject: RankSubject) -> Interval:
    return rank_bits(subject.moving, subject.rate, subject.candidates)


def _claims(subject: RankSubject, bits: Interval) -> tuple[Claim, ...]:
    people, rate, candidates = subject.people, subject.rate, subject.candidates
    assumption: tuple[Claim, ...] = ()
    if people is not None:
        lone, everybody = (publish(rank_bits(many, rate, candidates)) for many in (1, subject.records))
        assumption = assumption_claims(people, lone, everybody, because=f"{_BOUND}, for")
    return (
        bound_claim(
            CAPACITY,
            bits,
            "bits",
            because=f"{_BOUND}, for m = {subject.moving} people, who change no rank by more than m [E, Thm 3]",
            sentence=f"One release tells at most {at_most(bits)} bits about {whom(people)}",
        ),
        *assumption,
        exact_claim(
            "epsilon",
            2 * rate,
            "nats",
            because="one record changes λ·d by λ at most, and the sum of all weights by a factor of e^λ",
            sentence=(
                f"Who knows all other records finds any two values of one told apart by a factor of at most "
                f"e^{at_most(2 * rate)}."
            ),
        ),
    )


def _title(subject: RankSubject) -> str:
    return f"Certificate of noise: a quantile, drawn by rank from {subject.candidates} values"


def _about(subject: RankSubject) -> str:
    return (
        f"About the quantile of {fraction_text(subject.share)} among {subject.records} records, drawn from "
        f"{subject.candidates} declared values between {fraction_text(subject.low)} and {fraction_text(subject.high)}: "
        f"each rank further off is e^{at_most(subject.rate)} times less likely."
    )


def _notes(subject: RankSubject) -> tuple[str, ...]:
    return _ANYBODY if subject.people is None else (*group_notes(subject.people), _GROUP)


def _write(subject: RankSubject) -> _Record:
    return _Record(
        low=str(subject.low),
        high=str(subject.high),
        candidates=subject.candidates,
        share=str(subject.share),
        records=subject.records,
        people=subject.people,
        rate=str(subject.rate),
    )


def _read(record: _Record) -> RankSubject:
    low, high, share, rate = (
        read_fraction(text, most_digits=_MOST_DIGITS) for text in (record.low, record.high, record.share, record.rate)
    )
    if not low < high or not 2 <= record.candidates <= MOST_CANDIDATES or not 0 <= share <= 1:
        raise ValueError("the declared values, or the share, cannot be")
    if (
        not 1 <= record.records <= MOST_PEOPLE
        or not 1 <= (1 if record.people is None else record.people) <= MOST_PEOPLE
    ):
        raise ValueError("the number of records or of people cannot be")
    if not RATES[0] <= rate <= RATES[1]:
        raise ValueError("the rate cannot be")
    return RankSubject(
        low=low,
        high=high,
        candidates=record.candidates,
        share=share,
        records=record.records,
        people=record.people,
        rate=rate,
    )


register(
    Kind(
        schema=SCHEMA,
        subject=RankSubject,
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
