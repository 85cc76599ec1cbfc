"""Where a law comes from, and what follows from that: who may see it, and whom a bound for another law covers.

A mapping is made for its law, and either of the two gives the other away [D, Lemma 1]; so whatever was counted in
protected records is as private as they are. A counted law is not the true one either: with how many records, cells and
smoothing it was made is kept, since these alone say what a release tells at most about somebody else. Everything that
knows how a law was made asks this module.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import msgspec

from sfumato.errors import InvalidParameter
from sfumato.files.numbers import read_fraction
from sfumato.values.checks import check_between, check_integer

BETA = Fraction(1, 10**6)
"""How often a bound for any true law may fail, unless another chance is asked for."""
# Whole numbers that a double holds; more records or cells there are not.
_MOST_COUNTED = 2**53
# Numbers that choose a bound have few digits: they are typed, or rounded before they are used.
_MOST_TERM_BITS = 200
_LEAST_EPSILON, _MOST_EPSILON = Fraction(1, 1000), 16


class Origin(StrEnum):
    """What a law was made from: a declaration, a table that everybody may see, noisy counts, or protected records.

    >>> import sfumato as sf
    >>> [origin.value for origin in sf.disclose.Origin if origin.is_private]
    ['reference', 'records']
    >>> sf.disclose.Estimation(law=sf.disclose.Origin.DECLARED).words
    'was declared'
    """

    DECLARED = "declared"
    PUBLISHED = "published"
    PRIVATE_HISTOGRAM = "private_histogram"
    REFERENCE = "reference"
    RECORDS = "records"

    @property
    def is_private(self) -> bool:
        """Whether it is protected records that something was counted in."""
        return self in (Origin.REFERENCE, Origin.RECORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundTerms:
    """What chooses a bound for every true law: the chance `beta` that it fails, what is added to every count, and the
    rate and price of its Chernoff bound. None of them may be chosen by looking at the records.

    Whoever has them proves the bound again, and need not search for good ones.

    >>> import sfumato as sf
    >>> law = sf.disclose.counted_law([[40, 10], [20, 30]])
    >>> made = sf.certify(sf.disclose.optimum(law), estimated_from=100).subject.estimation
    >>> [str(term) for term in (made.terms.beta, made.terms.smoothing, made.terms.rate)]
    ['1/1000000', '2', '3/4']
    """

    beta: Fraction
    smoothing: Fraction
    rate: Fraction
    price: Fraction

    def __post_init__(self) -> None:
        for name, low, high in (("beta", 0, 1), ("smoothing", 0, 1024), ("rate", 0, 1), ("price", -1024, 1024)):
            number = getattr(self, name)
            if not low < number < high:
                raise InvalidParameter(
                    f"must lie between {low} and {high}",
                    parameter=name,
                    value=float(number),
                    way_out="Take those of sf.disclose.unknown_law_bound.",
                )
            if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_TERM_BITS:
                raise InvalidParameter("has too many digits", parameter=name, way_out="Round it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimation:
    """How the law was made, and the feature that is told most about, if there is one.

    What was counted says in how many `records`, over how many `cells`, and with which `terms` a bound for other laws is
    chosen. `samples` is the number of samples of a data set whose law is a product: the law of one was counted then.
    `epsilon` is that of a differentially private histogram.

    >>> import sfumato as sf
    >>> sf.disclose.Estimation().words
    'was declared'
    >>> law = sf.disclose.counted_law([[40, 10], [20, 30]])
    >>> made = sf.certify(sf.disclose.optimum(law), estimated_from=100).subject.estimation
    >>> made.words, made.is_private
    ('was counted in the 100 released records themselves', True)
    """

    law: Origin = Origin.DECLARED
    feature: Origin | None = None
    records: int | None = None
    cells: int | None = None
    samples: int | None = None
    epsilon: Fraction | None = None
    terms: BoundTerms | None = None

    def __post_init__(self) -> None:
        for name in ("records", "cells", "samples"):
            count = getattr(self, name)
            if count is not None:
                check_between(name, check_integer(name, count), 1, _MOST_COUNTED)
        counted = self.is_counted
        feature_counted = self.feature not in (None, Origin.DECLARED)
        needed = {"records": counted or feature_counted, "cells": counted, "terms": counted}
        for name, is_needed in needed.items():
            if (getattr(self, name) is not None) != is_needed:
                raise InvalidParameter(
                    "must be given where something was counted, and only there",
                    parameter=name,
                    way_out="Say how the law was made, once.",
                )
        if (self.law is Origin.PRIVATE_HISTOGRAM) != (self.epsilon is not None) or not _LEAST_EPSILON <= (
            self.epsilon or 1
        ) <= _MOST_EPSILON:
            raise InvalidParameter(
                "must be given for a private histogram, from 1/1000 to 16, and for no other law",
                parameter="epsilon",
                way_out="Say which budget its noise was drawn for.",
            )
        if self.samples is not None and not counted:
            raise InvalidParameter(
                "says how many samples share a law that was counted",
                parameter="samples",
                way_out="Leave it out where the law is declared.",
            )

    @property
    def is_counted(self) -> bool:
        """Whether the law was counted in anything."""
        return self.law is not Origin.DECLARED

    @property
    def is_private(self) -> bool:
        """Whether law or mapping were made from protected records, so that they must not be shown."""
        return self.law.is_private or (self.feature is not None and self.feature.is_private)

    @property
    def covers_nobody_released(self) -> bool:
        """Whether the mapping was chosen by the very records that it is used on."""
        return Origin.RECORDS in (self.law, self.feature)

    @property
    def words(self) -> str:
        """How the law was made, to follow "The law of the data "."""
        return {
            Origin.DECLARED: "was declared",
            Origin.PUBLISHED: f"was counted in {self.records} records that are published",
            Origin.PRIVATE_HISTOGRAM: f"is a differentially private histogram of the {self.records} released records",
            Origin.REFERENCE: f"was counted in {self.records} records of other people, which are protected",
            Origin.RECORDS: f"was counted in the {self.records} released records themselves",
        }[self.law]


class TermsRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The terms of a bound as they stand in a file."""

    beta: str
    smoothing: str
    rate: str
    price: str


class EstimationRecord(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An estimation as it stands in a file."""

    law: str
    feature: str | None
    records: int | None
    cells: int | None
    samples: int | None
    epsilon: str | None
    terms: TermsRecord | None


def write_estimation(estimation: Estimation) -> EstimationRecord:
    """Return an estimation for a file."""
    terms = estimation.terms
    return EstimationRecord(
        law=estimation.law.value,
        feature=None if estimation.feature is None else estimation.feature.value,
        records=estimation.records,
        cells=estimation.cells,
        samples=estimation.samples,
        epsilon=None if estimation.epsilon is None else str(estimation.epsilon),
        terms=None
        if terms is None
        else TermsRecord(
            beta=str(terms.beta), smoothing=str(terms.smoothing), rate=str(terms.rate), price=str(terms.price)
        ),
    )


def read_estimation(record: EstimationRecord) -> Estimation:
    """Return the estimation of a file; raises ValueError."""
    terms = record.terms
    return Estimation(
        law=Origin(record.law),
        feature=None if record.feature is None else Origin(record.feature),
        records=record.records,
        cells=record.cells,
        samples=record.samples,
        epsilon=None if record.epsilon is None else read_fraction(record.epsilon),
        terms=None
        if terms is None
        else BoundTerms(
            beta=read_fraction(terms.beta),
            smoothing=read_fraction(terms.smoothing),
            rate=read_fraction(terms.rate),
            price=read_fraction(terms.price),
        ),
    )
