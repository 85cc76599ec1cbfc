"""How claims are made and checked: the context a rule sees, and the interval it may state.

`certify` states every rule that applies; `verify` states it again from the subject and compares. Only capacities are
searched for: their claims carry the input law that proves them, and verification evaluates that law instead of
searching, so a solver cannot vouch for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import ClaimRefused, NotCertified
from sfumato.prob import AnyChannel, Distribution
from sfumato.values import Claim, Interval, Relation, Status
from sfumato.values.checks import Number

# Certified intervals are pushed out to this grid, so that another machine's last digits still fall inside.
GRID = 10.0**-12
_MARGIN = GRID / 10
# A fraction of so many bits has fewer digits than Python reads or writes at once.
MOST_BITS = 14_000
# So an honest interval reaches beyond the recomputed one by less than this on either side.
_MOST_SLACK = 3 * GRID


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a rule may look at: the subject, the prior, and the sizes of the records where inputs are tables of them.

    `claimed` is the claim to be checked, absent when a new one is to be made.
    """

    subject: AnyChannel
    prior: Distribution
    shape: tuple[int, ...] | None = None
    claimed: Claim | None = None

    @property
    def prior_words(self) -> str:
        """How the sentence speaks of the prior."""
        return "with every answer equally likely" if self.prior.is_uniform else "under the stated prior"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A measure that certificates speak of."""

    measure: str
    applies: Callable[[AnyChannel], bool]
    state: Callable[[Context], Claim]


def publish(interval: Interval) -> Interval:
    """Push an interval outwards to the grid of certificates; a single point is known exactly and stays."""
    if interval.width == 0:
        return interval
    lower = math.floor((interval.lower - _MARGIN) / GRID) * GRID
    upper = math.ceil((interval.upper + _MARGIN) / GRID) * GRID
    return Interval(max(0.0, float(f"{lower:.12f}")), float(f"{upper:.12f}"))


def settle(claimed: Claim | None, found: Interval) -> Interval:
    """Return the interval to state: a published one or, when checking, the claimed one if neither false nor vague."""
    if claimed is None:
        return publish(found)
    value = claimed.value
    if not isinstance(value, Interval):
        raise ClaimRefused(f"{claimed.measure}: claimed {value}, recomputed {found}")
    if value.lower < 0 <= found.lower:
        raise ClaimRefused(f"{claimed.measure}: claimed {value}, and nothing of this kind is negative")
    if not value.encloses(found):
        raise ClaimRefused(f"{claimed.measure}: claimed {value}, but the value lies in {found}")
    if not found.widened(_MOST_SLACK).encloses(value):
        raise ClaimRefused(f"{claimed.measure}: claimed {value} is vaguer than the recomputed {found}")
    return value


def exact_claim(measure: str, value: Number, unit: str, *, because: str, sentence: str) -> Claim:
    """A claim that a Fraction, or infinity, states to the last digit; refuses one that nobody can write down."""
    if value != math.inf and Fraction(value).denominator.bit_length() > MOST_BITS:
        raise NotCertified(
            f"{measure} is a fraction of more than {MOST_BITS} bits, too long for a file",
            way_out="Round the probabilities to a common grid, or merge reports.",
        )
    return Claim(
        measure=measure,
        relation=Relation.EQUALS,
        value=value if value == math.inf else Fraction(value),
        unit=unit,
        status=Status.EXACT,
        because=because,
        sentence=sentence,
    )


def certified_claim(
    measure: str, value: Interval, unit: str, *, because: str, sentence: str, witness: tuple[float, ...] | None = None
) -> Claim:
    """A claim that the true value lies in an interval."""
    return Claim(
        measure=measure,
        relation=Relation.WITHIN,
        value=value,
        unit=unit,
        status=Status.CERTIFIED,
        because=because,
        sentence=sentence,
        witness=witness,
    )


def bound_claim(measure: str, value: Interval, unit: str, *, because: str, sentence: str) -> Claim:
    """A claim that the true value is at most the upper end of an interval; the lower end says nothing."""
    return Claim(
        measure=measure,
        relation=Relation.AT_MOST,
        value=value,
        unit=unit,
        status=Status.CERTIFIED,
        because=because,
        sentence=sentence,
    )
