"""The origin of a distribution, and what a release leaks about people outside it.

A mapping is made for its distribution, and either of the two reveals the other [D, Lemma 1]; so whatever was counted in
protected records is as private as they are. A counted distribution also differs from the true one. The number of
records, cells and the smoothing are kept, since these alone bound what a release reveals about a person outside the
records. Only this module holds how a distribution was made.
Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from sfumato.certificates.claims import Claim, bound_claim
from sfumato.disclosure.data import DataLaw, Groups
from sfumato.disclosure.unknown_distributions import (
    bound_with,
    disclosed_by_private_law_bits,
    noise_odds,
    private_bound_with,
    private_law_bound,
    smoothed_law,
    unknown_law_bound,
)
from sfumato.errors import ClaimRefused, InvalidParameter, NotCertified
from sfumato.numbers.checks import Real, as_exact, check_between, check_integer
from sfumato.numbers.exact import read_fraction
from sfumato.numbers.intervals import Interval, log2_bounds
from sfumato.prob.channel import Channel

BETA = Fraction(1, 10**6)
"""How often a bound for any true law may fail, unless another chance is asked for."""
# The largest number of records or cells: whole numbers that a double holds.
_MOST_COUNTED = 2**53
# Numbers that choose a bound have few digits: they are typed, or rounded before they are used.
_MOST_TERM_BITS = 200
_LEAST_EPSILON, _MOST_EPSILON = Fraction(1, 1000), 16


class Origin(StrEnum):
    """What a law was made from: a declaration, a public table, noisy counts, or protected records.

    >>> import sfumato as sf
    >>> [origin.value for origin in sf.disclosure.Origin if origin.is_private]
    ['reference', 'records']
    >>> sf.disclosure.Estimation(law=sf.disclosure.Origin.DECLARED).words
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
    >>> law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    >>> made = sf.certify(sf.disclosure.optimum(law), estimated_from=100).subject.estimation
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
                    way_out="Take those of sf.disclosure.unknown_law_bound.",
                )
            if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_TERM_BITS:
                raise InvalidParameter("has too many digits", parameter=name, way_out="Round it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimation:
    """How the distribution was made, and the feature that is disclosed, if there is one.

    What was counted says in how many `records`, over how many `cells`, and with which `terms` a bound for other laws is
    chosen. `samples` is the number of samples of a data set whose law is a product: the law of one was counted then.
    `epsilon` is that of a differentially private histogram.

    >>> import sfumato as sf
    >>> sf.disclosure.Estimation().words
    'was declared'
    >>> law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    >>> made = sf.certify(sf.disclosure.optimum(law), estimated_from=100).subject.estimation
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


# --- Bounds on what a release reveals about a person who is not among the records, for every true distribution
# A mapping that is independent of a group under p̂ reveals at most D(p‖p̂) bits about it under p, for every mapping:
# I_p(X_G;Y) ≤ D(p‖p̂) - D(p_G‖p̂_G) - D(q‖q̂). Of n independent samples, (n-1) D(p‖p̂). A mapping that is independent
# up to rounding adds the largest log2 P̂(y|x_G)/P̂(y). The bound on D(p‖p̂), at confidence 1 - β, depends on records,
# cells and terms only, not on the table.
# Theory: docs/theory/disclosure.md


# A leak by rounding is stated to be at most this, so that its last digits reveal nothing about the table.
ROUNDING_BITS = 1e-6
# Another program may enclose the same supremum this much lower or higher; then four digits are shown.
MARGIN = Fraction(1, 10**4)
ROOM = Fraction(1, 100)
_DIGITS = 4


def chosen_terms(records: int, cells: int, beta: Fraction = BETA, *, epsilon: Fraction | None = None) -> BoundTerms:
    """Choose the terms of the bound, by the number of records and cells alone."""
    found = (
        unknown_law_bound(records, cells, beta) if epsilon is None else private_law_bound(records, cells, beta, epsilon)
    )
    return BoundTerms(
        beta=beta, smoothing=found.smoothing, rate=Fraction(repr(found.rate)), price=Fraction(repr(found.price))
    )


@lru_cache(maxsize=256)
def divergence_bits(estimation: Estimation) -> float:
    """Bound D(p‖p̂) in bits for a law that was counted, at confidence 1 - β, for every true law p."""
    terms = estimation.terms
    if terms is None or estimation.records is None or estimation.cells is None:
        return math.inf
    rate, price = float(terms.rate), float(terms.price)
    if estimation.epsilon is None:
        found = bound_with(
            estimation.records, estimation.cells, terms.beta, smoothing=terms.smoothing, rate=rate, price=price
        )
        return found.bits
    return private_bound_with(
        estimation.records,
        estimation.cells,
        terms.beta,
        odds=noise_odds(estimation.epsilon),
        smoothing=terms.smoothing,
        rate=rate,
        price=price,
    ).bits


def leak_at_most(
    shape: tuple[int, ...],
    groups: Groups,
    estimation: Estimation,
    excess: float = 0.0,
    *,
    margin: Fraction = MARGIN,
    bits: float | None = None,
) -> Fraction:
    """Bound I(X_G;Y) under every true law; never more than there is to say of a group.

    `bits` is the bound on D(p‖p̂), computed where it is not given; `margin` the part that is added to it.
    """
    if estimation.samples is None:
        # Plain integers: 63 binary samples have more values than a machine word can count.
        values = max(math.prod(shape[i] for i in group) for group in groups)
        factor = 1
    else:
        values, factor = shape[0], estimation.samples - 1
    everything = Fraction(log2_bounds(Fraction(values))[1])
    found = divergence_bits(estimation) if bits is None else bits
    return min(everything, factor * Fraction(found) * (1 + margin) + Fraction(excess))


def settled_leak(
    shape: tuple[int, ...], groups: Groups, estimation: Estimation, excess: float, claimed: float | None
) -> float | None:
    """Return the bound to state or, when checking, the claimed one if it holds and is not much vaguer; else None."""
    if claimed is None:
        return four_digits_up(leak_at_most(shape, groups, estimation, excess))
    least, most = (leak_at_most(shape, groups, estimation, excess, margin=part) for part in (Fraction(0), ROOM))
    # Written so that -0.0 is refused too.
    has_four_digits = repr(float(f"{claimed:.{_DIGITS}g}")) == repr(claimed)
    return claimed if has_four_digits and least <= claimed <= four_digits_up(most) else None


def four_digits_up(number: Fraction) -> float:
    """Round a number ≥ 0 up to four digits, as the double that is written so."""
    if number == 0:
        return 0.0
    wide = Context(prec=60, rounding=ROUND_CEILING).divide(Decimal(number.numerator), Decimal(number.denominator))
    return float(Context(prec=_DIGITS, rounding=ROUND_CEILING).plus(wide))


def excess_bits(law: DataLaw, groups: Groups, channel: Channel) -> float:
    """Bound log2 P(y|x_G)/P(y) over groups, values and symbols: 0 where the mapping is independent exactly.

    What is no more than rounding is said to be ROUNDING_BITS.
    """
    # Whole numbers over one denominator each; the denominators of rows fall out of the ratios.
    masses, whole = _whole([Fraction(mass) for mass in law.masses])
    width = channel.shape[1]
    flat, _ = _whole([Fraction(entry) for row in channel.rows for entry in row])
    rows = [flat[c * width : (c + 1) * width] for c in range(len(masses))]
    totals = [sum(map(int.__mul__, masses, column)) for column in zip(*rows, strict=True)]
    worst = Fraction(1)
    for group in groups:
        codes = law.group_codes(group).tolist()
        shares = dict.fromkeys(codes, 0)
        joint = {code: [0] * width for code in codes}
        for code, mass, row in zip(codes, masses, rows, strict=True):
            shares[code] += mass
            joint[code] = [old + mass * entry for old, entry in zip(joint[code], row, strict=True)]
        for code, sums in joint.items():
            for mine, every in zip(sums, totals, strict=True):
                if mine * whole * worst.denominator > shares[code] * every * worst.numerator:
                    worst = Fraction(mine * whole, shares[code] * every)
    if worst == 1:
        return 0.0
    return max(ROUNDING_BITS, log2_bounds(worst)[1])


def check_smoothed(law: DataLaw, estimation: Estimation) -> None:
    """Refuse a law that is not counts of so many records, each cell of the alphabet smoothed: it would have no bound.

    Of a private histogram only that every cell has some probability: how large its noisy counts were is not kept.
    """
    terms, records, cells = estimation.terms, estimation.records, estimation.cells
    if terms is None or records is None or cells is None:
        return
    masses, size = [Fraction(mass) for mass in law.masses], math.prod(law.shape)
    if estimation.samples is not None:
        masses, size = _sample_masses(law), law.shape[0]
    if len(masses) != size or (cells != size if estimation.epsilon is None else cells % size):
        raise _not_smoothed("leaves out cells of the alphabet, or counts others")
    if estimation.epsilon is None:
        counts = [mass * (records + cells * terms.smoothing) - terms.smoothing for mass in masses]
        if any(count.denominator != 1 or count < 0 for count in counts):
            raise _not_smoothed(f"is not that of {records} records with {terms.smoothing} added in each cell")


def _not_smoothed(why: str) -> NotCertified:
    return NotCertified(
        f"the law {why}, so nothing bounds what the release tells if the true law is another",
        way_out="Make the law with sf.disclosure.counted_law, or declare it.",
    )


def _sample_masses(law: DataLaw) -> list[Fraction]:
    """Return the law of one sample of a data set of independent, equal ones; refuse a law that is not their product."""
    masses = {tuple(cell): Fraction(mass) for cell, mass in zip(law.cells.tolist(), law.masses, strict=True)}
    values = law.shape[0]
    shares = [Fraction(sum(m for cell, m in masses.items() if cell[0] == v)) for v in range(values)]
    # As many cells as the product has, each with its mass, leaves no other.
    alike = set(law.shape) == {values} and len(masses) == math.prod(law.shape)
    if not alike or any(mass != math.prod(shares[v] for v in cell) for cell, mass in masses.items()):
        raise NotCertified(
            "the law of the data set is not that of independent samples of one law, which it was estimated as",
            way_out="Leave out `samples`.",
        )
    return shares


def _whole(numbers: list[Fraction]) -> tuple[list[int], int]:
    """Write fractions as whole numbers over one denominator."""
    scale = math.lcm(*(number.denominator for number in numbers))
    return [int(number * scale) for number in numbers], scale


# --- Claims for a true distribution other than the counted one, in one wording for every certificate


DRIFT = "leak_if_law_differs_bits"
HISTOGRAM = "histogram_leak_bits"


def claims_about_other_laws(
    shape: tuple[int, ...], groups: Groups, estimation: Estimation, excess: float, claimed: Claim | None = None
) -> tuple[Claim, ...]:
    """Claims for another true distribution, and for what a private histogram reveals by itself.

    Nothing where the law was declared. Both numbers need neither law nor mapping, but for `excess`, which is 0 or the
    rounding of the mapping.
    """
    if estimation.terms is None:
        return ()
    number = _settled(shape, groups, estimation, excess, claimed)
    found = [
        bound_claim(
            DRIFT,
            number,
            "bits",
            because=drift_reason(estimation),
            sentence=drift_sentence(estimation, f"{number.upper:g}", excess),
        )
    ]
    if estimation.epsilon is not None:
        found.append(_histogram_claim(estimation, estimation.epsilon))
    return tuple(found)


def drift_reason(estimation: Estimation) -> str:
    """Why another law leaks no more than is said."""
    terms = estimation.terms
    assert terms is not None
    times = "D(p‖p̂)" if estimation.samples is None else f"{estimation.samples - 1} D(p‖p̂)"
    noise = "" if estimation.epsilon is None else f" and two-sided geometric noise for ε = {estimation.epsilon}"
    return (
        f"I(X_group;Y) ≤ {times} for every mapping that is independent under p̂ [Sha48]; D(p‖p̂) from "
        f"{estimation.records} records in {estimation.cells} cells, {terms.smoothing} added to each{noise}: Poisson "
        f"cells [Che52] at rate {terms.rate} and price {terms.price}, β = {terms.beta}"
    )


def drift_sentence(estimation: Estimation, number: str, excess: float) -> str:
    """The same in plain words, with the number as text; whom it does not cover is said first."""
    terms = estimation.terms
    assert terms is not None
    first = ""
    if estimation.covers_nobody_released:
        first = "Nobody in these records is covered by this bound: the mapping was made from them. "
    elif estimation.law is Origin.PRIVATE_HISTOGRAM:
        first = "The law was made from these records, under noise: what it tells about those in them is a claim apart. "
    nothing = "0" if excess == 0 else f"At most {excess:.4g} bits"
    return (
        f"{first}{nothing} if the law is p̂; at most {number} bits about any protected value, whatever the true law, at "
        f"confidence 1 - {float(terms.beta):g}, for a person outside the {estimation.records} records the law was made "
        f"from."
    )


def _histogram_claim(estimation: Estimation, epsilon: Fraction) -> Claim:
    number = Interval(0.0, four_digits_up(Fraction(disclosed_by_private_law_bits(epsilon)) * (1 + MARGIN)))
    return bound_claim(
        HISTOGRAM,
        number,
        "bits",
        because=(
            f"(z - 1 - ln z) log2 e with z = ε exp(ε)/(exp(ε) - 1), ε = {epsilon}, for any ε-private answer [Sha48]"
        ),
        sentence=(
            f"The law is a histogram of the {estimation.records} released records under differential privacy with "
            f"ε = {float(epsilon):g}: by itself it tells at most {number.upper:g} bits about any one of them, if "
            f"records are independent."
        ),
    )


def _settled(
    shape: tuple[int, ...], groups: Groups, estimation: Estimation, excess: float, claimed: Claim | None
) -> Interval:
    value = None if claimed is None else claimed.value
    if claimed is not None and not (isinstance(value, Interval) and repr(value.lower) == "0.0"):
        raise ClaimRefused(f"{DRIFT}: claimed {value}, and such a bound is an interval from 0")
    upper = settled_leak(shape, groups, estimation, excess, value.upper if isinstance(value, Interval) else None)
    if upper is None:
        raise ClaimRefused(
            f"{DRIFT}: claimed {value}, recomputed at most {float(leak_at_most(shape, groups, estimation, excess)):.6g}"
        )
    return Interval(0.0, upper)


# --- The distribution of counted records, smoothed over the whole alphabet, so that the bound exists
# Theory: docs/theory/unknown_laws.md


def counted_law(counts: Sequence[Any] | npt.NDArray[np.int64], beta: Real = BETA) -> DataLaw:
    """Return the law of counted data sets, an axis for each sample, as much added in every cell as the bound needs.

    How much depends on the number of records and cells and on `beta` alone. Certify what is made of it with
    `estimated_from` the number of records.

    >>> import sfumato as sf
    >>> law = sf.disclosure.counted_law([[40, 10], [20, 30]])
    >>> law.masses[1], sum(law.masses)
    (Fraction(1, 9), Fraction(1, 1))
    """
    table = np.array(counts)
    if table.ndim == 0 or table.dtype.kind not in "iu" or table.size < 2 or table.min() < 0 or table.sum() < 1:
        raise InvalidParameter(
            "must be whole numbers ≥ 0, an axis for each sample, and not all 0",
            parameter="counts",
            way_out="Count the data sets in each cell of the alphabet.",
        )
    smoothing = unknown_law_bound(int(table.sum()), table.size, as_exact("beta", beta)).smoothing
    return smoothed_data_law(table, smoothing)


def smoothed_data_law(counts: npt.NDArray[np.int64], smoothing: Fraction) -> DataLaw:
    """Return (N + a)/(n + ma) over the whole alphabet: every cell has a probability, seen or not."""
    masses = np.array(smoothed_law(counts.ravel().tolist(), smoothing), dtype=object)
    return DataLaw.of(masses.reshape(counts.shape))
