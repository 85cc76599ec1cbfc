"""A private quantile of declared values.

Values are declared without looking at the data; one whose rank is d off is drawn with a weight of e^(-λd), λ a
fraction. A value is proposed uniformly and kept with chance e^(-λ(d - least d)). The coins have exact chances, so no
float affects an answer. The number of proposals depends on the data: do not let others measure the time it takes.
Theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from sfumato.certificates.certificate import Certificate, subject_of
from sfumato.certificates.certifying import certify_subject
from sfumato.certificates.claims import publish
from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter
from sfumato.measures.dependence import Correlation
from sfumato.noise.certificates import (
    MOST_CANDIDATES,
    RANK_CAPACITY,
    RATES,
    RankSubject,
    rank_bits,
)
from sfumato.noise.private_data import finite_number, group_of
from sfumato.noise.reaccounting import Reaccounting, bits_of
from sfumato.numbers.checks import Real, Reals, as_exact, check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.intervals import Interval, log2_interval
from sfumato.sampling.noise import exponential_coins
from sfumato.sampling.samplers import UniformBelow
from sfumato.sampling.sources import BitSource, SystemBits

_LEAST_BUDGET_BITS = 1e-6
# λ keeps about this many bits.
_BITS = 20
_AT_ONCE = 256
_MOST_DENOMINATORS = 64
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateQuantile(Shown):
    """A quantile of `records`, drawn by rank from a grid of declared values.

    >>> import sfumato as sf
    >>> design = sf.noise.private_quantile(range(0, 101, 5), 0.5, 1000, 1, correlated=2)
    >>> design.ranks_off([40] * 400 + [60] * 600)[8:13]
    (100, 100, 100, 100, 0)
    >>> design.release([40] * 400 + [60] * 600) in design.grid
    True
    """

    grid: tuple[Fraction, ...]
    budget_bits: float
    certificate: Certificate
    correlated: Correlation

    @property
    def subject(self) -> RankSubject:
        """What the certificate is about."""
        found = self.certificate.subject
        assert isinstance(found, RankSubject)
        return found

    @property
    def share(self) -> Fraction:
        """Which part of the records lies below: a half for the median."""
        return self.subject.share

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.subject.records

    @property
    def rate(self) -> Fraction:
        """λ, per rank."""
        return self.subject.rate

    @property
    def capacity_bits(self) -> Interval:
        """The most that one release reveals; no lower bound is claimed."""
        value = self.certificate[RANK_CAPACITY].value
        assert isinstance(value, Interval)
        return Interval(0.0, value.upper)

    @property
    def reaccounting(self) -> Reaccounting:
        """The data that `bits_for` needs for any assumption."""
        return Reaccounting(
            kind="ranks",
            parameters={"candidates": len(self.grid), "records": self.records, "rate": str(self.rate)},
        )

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release reveals about a person under another assumption, in bits."""
        return bits_of(self.reaccounting, correlation)

    def ranks_off(self, values: Reals) -> tuple[int, ...]:
        """How many ranks each value of the grid is off, in a process that may see the records."""
        if len(values) != self.records:
            raise InvalidParameter(
                f"must be the {self.records} records that the noise was planned for",
                parameter="values",
                way_out="Pass exactly so many.",
            )
        exact = [finite_number(value) for value in values]
        # Whole numbers are sorted much faster than fractions, and decimals have few denominators.
        denominators = {number.denominator for number in (*exact, *self.grid)}
        scale = math.lcm(*denominators) if len(denominators) <= _MOST_DENOMINATORS else 1
        ordered = sorted(_scaled(number, scale) for number in exact)
        wanted = math.floor(self.share * self.records + _HALF)
        places = [_scaled(number, scale) for number in self.grid]
        return tuple(
            max(0, bisect.bisect_left(ordered, place) - wanted, wanted - bisect.bisect_right(ordered, place))
            for place in places
        )

    def release(self, values: Reals, bits: BitSource | None = None) -> Fraction:
        """Return one value of the grid. Records may lie anywhere: only their order counts."""
        off = np.array(self.ranks_off(values))
        source = SystemBits() if bits is None else bits
        proposals, least = UniformBelow(bound=len(self.grid)), int(off.min())
        while True:
            proposed = proposals.sample(source, min(_AT_ONCE, 2 * len(self.grid)))
            kept = np.empty(proposed.size, dtype=bool)
            for distance in np.unique(off[proposed]).tolist():
                places = np.flatnonzero(off[proposed] == distance)
                kept[places] = exponential_coins(self.rate * (distance - least), source, places.size) == 1
            if kept.any():
                return self.grid[int(proposed[int(np.argmax(kept))])]


def _scaled(number: Fraction, scale: int) -> int | Fraction:
    found = number * scale
    return found.numerator if found.denominator == 1 else found


@subject_of.register
def _quantile_subject(thing: PrivateQuantile) -> RankSubject:
    return thing.subject


def private_quantile(
    grid: Reals, share: Real, records: int, budget_bits: float, correlated: Correlation | str | int
) -> PrivateQuantile:
    """Return the sharpest draw by rank for a budget; `grid` lists the values that may be released, in ascending order.

    >>> import sfumato as sf
    >>> design = sf.noise.private_quantile(range(0, 101, 5), 0.5, 1000, 1, correlated=2)
    >>> design.capacity_bits.upper <= 1, round(float(design.rate), 3)
    (True, 1.223)
    """
    places = tuple(as_exact("grid", value) for value in grid)
    if not 2 <= len(places) <= MOST_CANDIDATES or any(one >= other for one, other in pairwise(places)):
        raise InvalidParameter(
            f"must be 2 to {MOST_CANDIDATES} different numbers in ascending order",
            parameter="grid",
            way_out="Sort them, and name each once.",
        )
    part = as_exact("share", share)
    check_between("share", part, 0, 1, way_out="A half is the median.")
    check_at_least("records", check_integer("records", records), 1)
    who = group_of(correlated)
    budget = as_exact("budget_bits", budget_bits)
    check_positive("budget_bits", budget)
    check_between("budget_bits", budget, _LEAST_BUDGET_BITS, log2_interval(Fraction(len(places))).lower)
    people = None if who.people is None or who.people >= records else who.people
    subject = RankSubject(
        low=places[0],
        high=places[-1],
        candidates=len(places),
        share=part,
        records=int(records),
        people=people,
        rate=_largest_rate(int(records) if people is None else people, len(places), budget),
    )
    return PrivateQuantile(grid=places, budget_bits=float(budget), certificate=certify_subject(subject), correlated=who)


def _largest_rate(people: int, candidates: int, budget: Fraction) -> Fraction:
    """The bound grows with λ, so it is halved in."""

    def fits(rate: Fraction) -> bool:
        return Fraction(publish(rank_bits(people, rate, candidates)).upper) <= budget

    low, high = RATES
    low_power, high_power = math.frexp(float(low))[1], math.frexp(float(high))[1]
    while high_power - low_power > 1:
        middle = (low_power + high_power) // 2
        low_power, high_power = (middle, high_power) if fits(Fraction(2) ** middle) else (low_power, middle)
    unit = Fraction(2) ** (low_power - _BITS)
    least, most = 1 << _BITS, 2 << _BITS
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if fits(middle * unit) else (least, middle)
    return least * unit
