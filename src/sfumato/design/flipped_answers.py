"""A yes/no answer about many records, flipped by a coin: the flip for a budget in bits, and back.

A flip with probability p leaks C_1 = 1 - H2(p) bits about somebody, for every function that is not constant and
whatever the records are: two values of one record whose answers differ already make the whole binary symmetric channel,
so the case that the paper leaves open is settled.   Ref: [E, Sec. 4.1]; theory: docs/theory/calibrated_noise.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.bits import BitSource, Coin, SystemBits
from sfumato.certificates import Certificate, certify
from sfumato.certificates.channel_subjects import ChannelSubject
from sfumato.certificates.registry import subject_of
from sfumato.design.recounts import Recount, against_anyone, bits_of
from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import entropy_interval
from sfumato.prob import Channel
from sfumato.values.checks import as_exact, check_between, check_positive
from sfumato.values.correlation import ANYONE, Correlation
from sfumato.values.interval import Interval
from sfumato.values.shown import Shown
from sfumato.values.types import Real

# Flip probabilities are multiples of this: nobody sees the difference, and a certificate stays short.
_GRID = 1 << 32


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipDesign(Shown):
    """Flip the answer with probability `flip`; `capacity_bits` is what that leaks at most about anybody.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> design = sf.design.FlipDesign(flip=Fraction(11, 100))
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
        """Nothing is assumed: the bound holds whoever depends on whom."""
        return ANYONE

    @property
    def recount(self) -> Recount:
        """What it takes to find again what a release tells, under whatever assumption."""
        return against_anyone(self.capacity_bits)

    def bits_for(self, correlation: Correlation) -> float:
        """Bound from above what one release tells about a person under another assumption, in bits."""
        return bits_of(self.recount, correlation)

    @property
    def certificate(self) -> Certificate:
        """Every measure of what a flipped answer tells about the answer, and so about any record behind it."""
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
    """Return the smallest flip whose leak is certainly within the budget; 0 where a whole bit may be told.

    >>> import sfumato as sf
    >>> design = sf.design.flip(budget_bits=0.5)
    >>> round(float(design.flip), 4), design.capacity_bits.upper <= 0.5
    (0.11, True)
    >>> sf.design.flip(budget_bits=1).flip
    Fraction(0, 1)
    """
    budget = as_exact("budget_bits", budget_bits)
    check_positive("budget_bits", budget)
    if budget >= 1:
        return FlipDesign(flip=Fraction(0), budget_bits=budget)
    low, high = 0, _GRID // 2  # low leaks too much, high nothing
    while high - low > 1:
        middle = (low + high) // 2
        if Fraction(FlipDesign(flip=Fraction(middle, _GRID)).capacity_bits.upper) <= budget:
            high = middle
        else:
            low = middle
    return FlipDesign(flip=Fraction(high, _GRID), budget_bits=budget)
