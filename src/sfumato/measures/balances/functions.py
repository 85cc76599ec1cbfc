"""The balance function: how much less a report says about anyone when adversaries are known to be ignorant.

C_1^b is what a report says at most about one record to an adversary whose law of all records has an entropy of at least
b bits, and g(b) = C_1 − C_1^b is what that ignorance is worth [E, Def. 11]. By [E, Prop. 3] a channel with
C_1 ≤ ε + g(b) is as good against such adversaries as one with C_1 ≤ ε is against all. The paper leaves g unevaluated;
here it comes with two bounds, each computed from a witness (a law; prices) and rounded outward.
Theory: docs/theory/balance.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.measures.balances.bounds import Outcome, constrained_capacity
from sfumato.measures.balances.classes import RecordClasses, record_classes
from sfumato.measures.balances.search import evenly
from sfumato.measures.individual.capacities import INDIVIDUAL_GAP_BITS, individual_capacity_bits
from sfumato.measures.individual.records import check_shape
from sfumato.prob import AnyChannel, ChannelLike, Distribution, as_channel
from sfumato.values.checks import as_number, check_at_least, check_integer, check_positive
from sfumato.values.interval import Interval
from sfumato.values.rounding import log2_bounds
from sfumato.values.types import Real, Reals

BALANCE_GAP_BITS = 1e-3
MOST_BOXES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """g(b) and what it is made of, all in bits.

    `law` is a joint law of all records with an entropy of at least b, under which the report says as much about
    `record` as the lower end of `constrained`: the worst adversary found who is that ignorant.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])  # "no" and "yes" through a noisy line
    >>> both = sf.Channel([says[a and b] for a in (0, 1) for b in (0, 1)])
    >>> found = sf.measures.balance(both, (2, 2), 1.8)
    >>> round(found.unconstrained.upper, 3), round(found.constrained.upper, 3), round(found.bits.lower, 3)
    (0.531, 0.387, 0.144)
    >>> [round(share, 2) for share in found.law.array.tolist()]  # the worst who lacks 1.8 of the 2 bits
    [0.28, 0.28, 0.06, 0.39]
    """

    b: float
    bits: Interval
    constrained: Interval
    unconstrained: Interval
    record: int
    law: Distribution


def balance(
    channel: ChannelLike,
    shape: Sequence[int],
    b: Real,
    *,
    gap_bits: float = BALANCE_GAP_BITS,
    most_boxes: int = MOST_BOXES,
) -> Balance:
    """Enclose g(b) = C_1 − C_1^b, with C_1^b known to `gap_bits`, or raise NotCertified [E, Def. 11].

    The rows of the channel are data sets, ordered as the product of the records' alphabets, whose sizes are `shape`.

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> either = sf.Channel([says[a or b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.balance(either, (2, 2), 2).bits.lower, 3)  # against those who know nothing at all
    0.384
    >>> round(sf.measures.balance(either, (2, 2), 1.5).bits.upper, 3)
    0.0
    """
    return balance_curve(channel, shape, (b,), gap_bits=gap_bits, most_boxes=most_boxes)[0]


def balance_curve(
    channel: ChannelLike,
    shape: Sequence[int],
    bs: Reals,
    *,
    gap_bits: float = BALANCE_GAP_BITS,
    most_boxes: int = MOST_BOXES,
) -> tuple[Balance, ...]:
    """Enclose g at several b, in the order given; the bounds never fall as b grows, as g does not [E, Lemma 1].

    >>> import sfumato as sf
    >>> says = ([0.9, 0.1], [0.1, 0.9])
    >>> parity = sf.Channel([says[a ^ b] for a in (0, 1) for b in (0, 1)])
    >>> [round(one.bits.midpoint, 2) for one in sf.measures.balance_curve(parity, (2, 2), [0, 1, 1.5, 2])]
    [0.0, 0.0, 0.23, 0.53]
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    check_positive("gap_bits", gap_bits)
    check_at_least("most_boxes", check_integer("most_boxes", most_boxes), 1)
    floors = [_checked_floor(b, channel.shape[0]) for b in bs]
    whole = individual_capacity_bits(channel, sizes, gap_bits=min(INDIVIDUAL_GAP_BITS, gap_bits / 10))
    records = record_classes(channel, sizes)
    found: dict[float, Outcome] = {}
    ceiling = whole.upper
    for floor in sorted(set(floors)):
        found[floor] = _enclosed(records, floor, ceiling, gap_bits, most_boxes)
        ceiling = min(ceiling, found[floor].bits.upper)
    # A law that is ignorant enough for one b is so for every smaller one.
    behind: Outcome | None = None
    for floor in sorted(found, reverse=True):
        if behind is not None and behind.bits.lower > found[floor].bits.lower:
            upper = max(found[floor].bits.upper, behind.bits.lower)
            bits = Interval(behind.bits.lower, upper)
            found[floor] = Outcome(bits=bits, best=behind.best, boxes=found[floor].boxes)
        behind = found[floor]
    return tuple(_balance(channel, floor, whole, found[floor]) for floor in floors)


def _checked_floor(b: Real, datasets: int) -> float:
    floor = float(as_number("b", b))
    highest = log2_bounds(Fraction(datasets))[1]
    if not 0 <= floor <= highest:
        raise InvalidParameter(
            f"must lie in [0, log2 {datasets}] = [0, {highest:.6g}]: no law of {datasets} data sets has a "
            "larger entropy, nor one below 0",
            parameter="b",
            value=floor,
            way_out="Move `b` into that range.",
        )
    return floor


def _enclosed(
    records: tuple[RecordClasses, ...], floor: float, ceiling: float, gap_bits: float, most_boxes: int
) -> Outcome:
    if floor >= log2_bounds(Fraction(len(records[0].places)))[1]:  # the uniform law alone is that ignorant
        laws = [evenly(classes) for classes in records]
        best = max(laws, key=lambda found: found.bits.lower)
        return Outcome(bits=Interval(best.bits.lower, max(found.bits.upper for found in laws)), best=best, boxes=0)
    outcome = constrained_capacity(records, floor, ceiling_bits=ceiling, gap_bits=gap_bits, most_boxes=most_boxes)
    if outcome.bits.width > gap_bits:
        raise NotCertified(
            f"could not be reached: after {outcome.boxes} boxes C_1^b at `b`={floor:.6g} is only known to lie in "
            f"[{outcome.bits.lower:.6g}, {outcome.bits.upper:.6g}]",
            parameter="gap_bits",
            value=gap_bits,
            way_out=f"Allow a `gap_bits` of {1.1 * outcome.bits.width:.2g}, or more boxes with `most_boxes`.",
        )
    return outcome


def _balance(channel: AnyChannel, floor: float, whole: Interval, outcome: Outcome) -> Balance:
    constrained = outcome.bits
    lower = max(0.0, math.nextafter(whole.lower - constrained.upper, -math.inf))
    upper = max(0.0, math.nextafter(whole.upper - constrained.lower, math.inf))
    return Balance(
        b=floor,
        bits=Interval(lower, max(lower, min(upper, whole.upper))),
        constrained=constrained,
        unconstrained=whole,
        record=outcome.best.record,
        law=Distribution(outcome.best.law.tolist(), channel.inputs),
    )
