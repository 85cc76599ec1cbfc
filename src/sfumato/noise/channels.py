"""The exponential channel and the flip of a yes/no answer about many records [E].

Every answer is ranked by its distortion from the true one, and rank j is drawn with weight r^j, r = e^-λ. The rows are
permutations of one distribution, so C_1 ≤ log2 k - H(Z) with the closed form (82). The capacity of the channel, and for
a record with few values that of its best rows, is no larger. r is a fraction, so the channel is exact and the
distribution drawn is the one certified.
Ref: [E, Def. 15, Cor. 5]; theory: docs/theory/calibrated_noise.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.certificates.certificate import Certificate, subject_of
from sfumato.certificates.certifying import certify
from sfumato.certificates.channels import ChannelSubject
from sfumato.display.notebooks import Shown
from sfumato.errors import InvalidParameter
from sfumato.measures.capacity import capacity_bits
from sfumato.measures.dependence import ANYONE, Correlation
from sfumato.measures.individual import best_subset, data_independent_bits, normalised_rows
from sfumato.noise.reaccounting import Reaccounting, against_anyone, bits_of
from sfumato.numbers.checks import (
    Real,
    Reals,
    as_exact,
    as_number,
    check_at_least,
    check_between,
    check_integer,
    check_positive,
)
from sfumato.numbers.intervals import Interval, entropy_interval
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Label, normal_label
from sfumato.sampling.samplers import Coin, RowDraws
from sfumato.sampling.sources import BitSource, SystemBits

_GRID = 1 << 16
_GAP_BITS = 1e-9
Distortion = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialDesign(Shown):
    """Rank j of the distortion table is drawn with weight ratio^j.

    `capacity_bits` is the certified bound on C_1 for a record of `values` values (of any number where that is None).

    >>> import sfumato as sf
    >>> line = [[abs(a - b) for b in range(10)] for a in range(10)]
    >>> design = sf.noise.exponential(line, budget_bits=0.5)
    >>> round(design.rate, 4), design.capacity_bits.upper <= 0.5, design.release(3) in range(10)
    (0.326, True, True)
    """

    ratio: Fraction
    channel: Channel
    capacity_bits: Interval
    values: int | None
    budget_bits: Fraction | None = None

    @property
    def rate(self) -> float:
        """λ = -ln ratio, per rank."""
        return -math.log(self.ratio)

    @property
    def printed_bits(self) -> Interval:
        """log2 k - H(Z), the bound of [E, Cor. 5]."""
        return data_independent_bits(self.channel)

    @property
    def correlated(self) -> Correlation:
        """No assumption: the bound holds under arbitrary dependence."""
        return ANYONE

    @property
    def reaccounting(self) -> Reaccounting:
        """The data that `bits_for` needs for any assumption."""
        return against_anyone(self.capacity_bits)

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release reveals about a person under another assumption, in bits."""
        return bits_of(self.reaccounting, correlation)

    @property
    def certificate(self) -> Certificate:
        """Every measure of what the released answer reveals about the true one, and so about any record behind it."""
        return certify(self.channel)

    def release(self, answer: Label, bits: BitSource | None = None) -> Label:
        """Return one answer drawn for the true one, exactly by the channel."""
        label = normal_label(answer)
        if label not in self.channel.inputs:
            raise InvalidParameter(
                "is not one of the possible answers",
                parameter="answer",
                way_out="Give one that the distortion table has.",
            )
        row = np.array([self.channel.inputs.index(label)])
        (drawn,) = RowDraws(self.channel).draw(bits or SystemBits(), row).tolist()
        told: Label = self.channel.outputs[drawn]
        return told


def exponential(
    distortion: Sequence[Reals],
    *,
    budget_bits: Real,
    values: int | None = None,
    answers: Sequence[Label] | None = None,
) -> ExponentialDesign:
    """Return the sharpest exponential channel whose C_1 is certainly within the budget.

    `values` is the number of values of a record, where that is known: fewer values leak less.

    A larger rate λ is sharper: a record with two values takes less noise than one with any number.

    >>> import sfumato as sf
    >>> line = [[abs(a - b) for b in range(10)] for a in range(10)]
    >>> general = sf.noise.exponential(line, budget_bits=0.5)
    >>> binary = sf.noise.exponential(line, budget_bits=0.5, values=2)
    >>> round(general.rate, 4), round(binary.rate, 4)
    (0.326, 0.3634)
    """
    table = check_distortion(distortion)
    budget = as_exact("budget_bits", budget_bits)
    check_positive("budget_bits", budget)
    low, high = 0, _GRID  # low is too sharp; at ratio 1 every answer is as likely, and nothing leaks
    while high - low > 1:
        middle = (low + high) // 2
        if Fraction(exponential_of(table, ratio=Fraction(middle, _GRID), values=values).capacity_bits.upper) <= budget:
            high = middle
        else:
            low = middle
    found = exponential_of(table, ratio=Fraction(high, _GRID), values=values, answers=answers)
    return ExponentialDesign(
        ratio=found.ratio, channel=found.channel, capacity_bits=found.capacity_bits, values=values, budget_bits=budget
    )


def exponential_of(
    distortion: Sequence[Reals],
    *,
    ratio: Real,
    values: int | None = None,
    answers: Sequence[Label] | None = None,
) -> ExponentialDesign:
    """Return the exponential channel with a given ratio = e^-λ, and what it leaks.

    >>> import sfumato as sf
    >>> moods = ["bad", "fair", "good"]
    >>> design = sf.noise.exponential_of([[0, 1, 2], [1, 0, 1], [2, 1, 0]], ratio=0.5, answers=moods)
    >>> design.channel.rows[0], round(design.capacity_bits.upper, 4)
    ((Fraction(4, 7), Fraction(2, 7), Fraction(1, 7)), 0.2062)
    """
    table = check_distortion(distortion)
    weight = as_exact("ratio", ratio)
    check_between("ratio", weight, 0, 1, way_out="It is e^-λ, the weight of one rank against the one before.")
    if weight == 0:
        raise InvalidParameter(
            "would always tell the answer", parameter="ratio", value=0, way_out="Choose `ratio` above 0."
        )
    if values is not None:
        check_at_least("values", check_integer("values", values), 2)
    channel = Channel(_rows(table, weight), answers, answers)
    return ExponentialDesign(ratio=weight, channel=channel, capacity_bits=_leak(channel, values), values=values)


def check_distortion(distortion: Sequence[Reals]) -> Distortion:
    """Return the table d(y, y'): square, finite, not negative, and 0 from an answer to itself."""
    table = tuple(tuple(as_exact("distortion", as_number("distortion", entry)) for entry in row) for row in distortion)
    if len(table) < 2 or any(len(row) != len(table) for row in table):
        raise InvalidParameter(
            "must be a square table with a row and a column for each of at least two answers",
            parameter="distortion",
            way_out="Complete it.",
        )
    if any(entry < 0 for row in table for entry in row):
        raise InvalidParameter(
            "has a negative entry, and a distortion is 0 or more", parameter="distortion", way_out="Shift the table."
        )
    if any(row[place] > min(row) for place, row in enumerate(table)):
        raise InvalidParameter(
            "calls some answer nearer to another than to itself",
            parameter="distortion",
            way_out="Put the smallest entry of each row on the diagonal.",
        )
    return table


def noise_entropy_nats(outputs: int, rate: float) -> float:
    """H(Z) in nats by the closed form (82) of paper E, for `outputs` answers and λ = rate per rank."""
    check_at_least("outputs", check_integer("outputs", outputs), 1)
    check_positive("rate", rate)
    geometric = math.log(-math.expm1(-outputs * rate)) - math.log(-math.expm1(-rate))
    return geometric + _per_expm1(rate) - _per_expm1(outputs * rate)


def _per_expm1(value: float) -> float:
    """x/(e^x - 1), which is 0 long before e^x overflows."""
    return value / math.expm1(value) if value < 700 else 0.0


def _rows(table: Distortion, ratio: Fraction) -> list[list[Fraction]]:
    size = len(table)
    weights = [ratio**rank for rank in range(size)]
    total = sum(weights, Fraction(0))
    rows = []
    for truth, distances in enumerate(table):
        # The true answer comes first; others of equal distortion keep the order of the table.
        order = sorted(range(size), key=lambda y: (distances[y], y != truth, y))
        row = [Fraction(0)] * size
        for rank, y in enumerate(order):
            row[y] = weights[rank] / total
        rows.append(row)
    return rows


def _leak(channel: Channel, values: int | None) -> Interval:
    if values is None or values >= channel.shape[0]:
        return capacity_bits(channel, gap_bits=_GAP_BITS)
    return best_subset(np.unique(normalised_rows(channel), axis=0), values, gap_bits=1e-7).bits


# --- The flip of a yes/no answer about many records: the flip for a budget in bits, and the bits of a flip
# A flip with probability p leaks C_1 = 1 - H2(p) bits about a record, for every function that is not constant and all
# records: two values of one record whose answers differ already give the whole binary symmetric channel. This settles
# the case that the paper leaves open.
# Ref: [E, Sec. 4.1]; theory: docs/theory/calibrated_noise.md


# Flip probabilities are multiples of the inverse: the loss is negligible, and certificates stay short.
_FLIP_GRID = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipDesign(Shown):
    """Flip the answer with probability `flip`; `capacity_bits` is the most that it leaks about any record.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> design = sf.noise.FlipDesign(flip=Fraction(11, 100))
    >>> round(design.capacity_bits.upper, 4), design.release(True) in (True, False)
    (0.5001, True)
    >>> design.channel([0, 1, 1]).rows[2]
    (Fraction(11, 100), Fraction(89, 100))
    """

    flip: Fraction
    budget_bits: Fraction | None = None

    def __post_init__(self) -> None:
        flip = as_exact("flip", self.flip)
        check_between("flip", flip, 0, Fraction(1, 2), way_out="Above a half, exchange the two answers instead.")
        object.__setattr__(self, "flip", flip)

    @property
    def capacity_bits(self) -> Interval:
        """C_1 = 1 - H2(flip)."""
        noise = entropy_interval([(self.flip, 1), (1 - self.flip, 1)])
        return Interval(1 - noise.upper, 1 - noise.lower).widened(0.0).at_least(0.0)

    @property
    def correlated(self) -> Correlation:
        """No assumption: the bound holds under arbitrary dependence."""
        return ANYONE

    @property
    def reaccounting(self) -> Reaccounting:
        """The data that `bits_for` needs for any assumption."""
        return against_anyone(self.capacity_bits)

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release reveals about a person under another assumption, in bits."""
        return bits_of(self.reaccounting, correlation)

    @property
    def certificate(self) -> Certificate:
        """Every measure of what a flipped answer reveals about the answer, and so about any record behind it."""
        return certify(Channel([[1 - self.flip, self.flip], [self.flip, 1 - self.flip]], ("no", "yes"), ("no", "yes")))

    def channel(self, truth: Sequence[int]) -> Channel:
        """The channel of a yes/no function; `truth` lists its value, 0 or 1, for every data set."""
        values = tuple(truth)
        if not values or any(value not in {0, 1} for value in values):
            raise InvalidParameter(
                "must list 0 or 1 for every data set", parameter="truth", way_out="Write the function as such a table."
            )
        kept = 1 - self.flip
        return Channel([[kept, self.flip] if value == 0 else [self.flip, kept] for value in values])

    def release(self, answer: bool, bits: BitSource | None = None) -> bool:
        """Return the answer, flipped by an exact coin."""
        if answer not in {True, False}:
            raise InvalidParameter("must be True or False", parameter="answer", way_out="Decide the question first.")
        (thrown,) = Coin(chance=self.flip).sample(bits or SystemBits(), 1).tolist()
        return bool(answer) != bool(thrown)


@subject_of.register
def _flip_subject(thing: FlipDesign) -> ChannelSubject:
    found = thing.certificate.subject
    assert isinstance(found, ChannelSubject)
    return found


def flip(*, budget_bits: Real) -> FlipDesign:
    """Return the smallest flip whose leak is certainly within the budget; 0 where a whole bit may be revealed.

    >>> import sfumato as sf
    >>> design = sf.noise.flip(budget_bits=0.5)
    >>> round(float(design.flip), 4), design.capacity_bits.upper <= 0.5
    (0.11, True)
    >>> sf.noise.flip(budget_bits=1).flip
    Fraction(0, 1)
    """
    budget = as_exact("budget_bits", budget_bits)
    check_positive("budget_bits", budget)
    if budget >= 1:
        return FlipDesign(flip=Fraction(0), budget_bits=budget)
    low, high = 0, _FLIP_GRID // 2  # low leaks too much, high nothing
    while high - low > 1:
        middle = (low + high) // 2
        if Fraction(FlipDesign(flip=Fraction(middle, _FLIP_GRID)).capacity_bits.upper) <= budget:
            high = middle
        else:
            low = middle
    return FlipDesign(flip=Fraction(high, _FLIP_GRID), budget_bits=budget)
