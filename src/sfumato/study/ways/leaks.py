"""Bits that answers hold and reports can tell, rounded up.

Capacity bounds what a report says about its answer under any belief; maximal leakage is another measure, and may be
larger.   Theory: docs/theory/composition.md
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.measures.capacity import full_symmetric_capacity_bits
from sfumato.prob import AnyChannel, Circulant
from sfumato.values.rounding import float_above, log2_bounds

# 1/ln 2 rounded up.
_BITS_A_NAT = Fraction("1.4426950408889634074")
# 60 digits leave 44 to spare over a double, and two thirds of them at ε = 1e-20. `exp` and `ln` ignore the direction of
# rounding, hence a step outward after each.
_DOWN = Context(prec=60, rounding=ROUND_FLOOR)
_UP = Context(prec=60, rounding=ROUND_CEILING)
# A channel of more entries is not searched for the input law of its capacity, which takes seconds.
_MOST_SEARCHED = 1 << 16


def label_bits(count: int) -> Fraction:
    """log2 of a number of labels, rounded up."""
    return Fraction(log2_bounds(Fraction(count))[1])


def channel_leakage_bits(channel: AnyChannel) -> Fraction:
    """Maximal leakage of a channel, rounded up."""
    return Fraction(measures.maximal_leakage_interval(channel).upper)


def epsilon_leakage_bits(epsilon: float) -> Fraction | float:
    """Return the most maximal leakage of any channel with this ε, in bits, rounded up: ε/ln 2."""
    return math.inf if math.isinf(epsilon) else _BITS_A_NAT * Fraction(epsilon)


def channel_capacity_bits(channel: AnyChannel) -> Fraction | float:
    """Return a certified upper bound on the capacity of a channel, in bits; infinite for one too large to search."""
    if channel.shape[0] * channel.shape[1] <= _MOST_SEARCHED:
        return Fraction(measures.capacity_bits(channel).upper)
    return Fraction(full_symmetric_capacity_bits(channel).upper) if isinstance(channel, Circulant) else math.inf


def epsilon_capacity_bits(epsilon: float) -> Fraction | float:
    """Return the largest capacity of any channel with this ε, in bits, rounded up.

    It is (t - 1 - ln t)/ln 2 with t = ε/(1 - e^-ε), which grows with t.   Proof: docs/theory/capacity.md
    """
    if epsilon == 0 or math.isinf(epsilon):
        return Fraction(0) if epsilon == 0 else math.inf
    exact = Decimal(epsilon)
    falling = _UP.next_plus(_UP.exp(-exact))
    t = _UP.divide(exact, _DOWN.subtract(Decimal(1), falling))
    nats = _UP.subtract(_UP.subtract(t, Decimal(1)), _DOWN.next_minus(_DOWN.ln(t)))
    return Fraction(float_above(_UP.divide(nats, _DOWN.next_minus(_DOWN.ln(Decimal(2))))))


def least(bits: Fraction, *others: Fraction | float) -> Fraction:
    """Return the least of several bounds, some of which may be infinite."""
    return min(bits, *(one for one in others if isinstance(one, Fraction)))


class Leaks(ABC):
    """What the reports of a question tell, in bits."""

    @property
    @abstractmethod
    def epsilons(self) -> tuple[float, ...]:
        """What each level promises, in nats, never less than true."""

    @abstractmethod
    def channel(self, level: int) -> AnyChannel:
        """Return the exact channel from answers to reports at a level; refuses where reports do not stand alone."""

    @property
    @abstractmethod
    def answer_bits(self) -> Fraction:
        """log2 of how many different answers a person can have given, rounded up."""

    def capacity_bits(self, level: int) -> Fraction:
        """Return an upper bound on the capacity of one report of a level, in bits.

        It is the certified one of the channel, or the largest that any channel with its ε has, whichever is less.
        """
        channel = self._own_channel(level)
        own = math.inf if channel is None else channel_capacity_bits(channel)
        return least(self.answer_bits, own, epsilon_capacity_bits(self.epsilons[level - 1]))

    def leakage_bits(self, level: int) -> Fraction:
        """Return an upper bound on the maximal leakage of a level, in bits. Capacity is no such bound."""
        channel = self._own_channel(level)
        own = math.inf if channel is None else channel_leakage_bits(channel)
        return least(self.answer_bits, own, epsilon_leakage_bits(self.epsilons[level - 1]))

    def _own_channel(self, level: int) -> AnyChannel | None:
        """Return the channel of a report; None where a report does not stand alone, or its channel is too large."""
        try:
            return self.channel(level)
        except InvalidParameter:
            return None
