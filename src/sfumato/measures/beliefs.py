"""How much normal noise on a sum leaks under beliefs that share at most a number of bits.

Y = Σ g_j(X_j) + Z, each g_j in an interval of length Δ, Z ~ N(0, σ²). c is the total correlation of a belief,
ΣH(X_j) - H(X): the least divergence from a law under which the records are independent. H(X) ≥ b, which
[E, Assumption 3] assumes, gives c ≤ n·log2 r - b. Everything depends on σ through `ratio` = Δ²/σ², and every
evaluation is rounded outwards.

`people` m > 1: the belief differs by c bits from a law under which households of at most m are independent, and the
bound is about a whole household. `ball`: the g_j are vectors, Δ is the diameter of the set of a record's
vectors, and noise of the same σ is on every coordinate.   Statements and proofs: docs/theory/bounded_beliefs.md
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.numbers.checks import Real, as_exact, check_at_least, check_between, check_integer, check_positive
from sfumato.numbers.intervals import Interval, float_above, float_below, log2_bounds

MOST_RECORDS, MOST_SHARED_BITS = 10**12, 10**12
_DOWN = Context(prec=50, rounding=ROUND_FLOOR)
_UP = Context(prec=50, rounding=ROUND_CEILING)
# √(πe/2) = 2.0663656…, rounded down: the bound of [McK04] is then rounded up.
_ROOT_HALF_PI_E = Fraction(206636, 100000)
# e^-500 is less than 10^-200.
_NOTHING_LEFT = 500
# The grid of the search for the record's share of the noise, in logits.
_FARTHEST, _NEAREST, _STRIDE = 40.0, 20.0, 0.25
_STEPS = round((_FARTHEST + _NEAREST) / _STRIDE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ball:
    """The least ball that surely holds where one record can put the sum: its r²/Δ², and its dimension.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> ball = sf.measures.Ball.of_cells(4, exhaustive=True)  # everybody is in one of four cells
    >>> ball.squared_radius, ball.dimension
    (Fraction(3, 8), 3)
    >>> round(sf.measures.believed_bits(100, 0, Fraction(2, 10**2), ball=ball).upper, 4)  # noise of 10 on each cell
    0.0054
    """

    squared_radius: Fraction
    dimension: int

    def __post_init__(self) -> None:
        check_at_least("dimension", check_integer("dimension", self.dimension), 1)
        check_positive("squared_radius", self.squared_radius)

    @classmethod
    def of_cells(cls, cells: int, *, exhaustive: bool = False) -> Ball:
        """Of a histogram, Δ² = 2: where every record is in one cell, normal noise splits off one direction of k."""
        check_at_least("cells", check_integer("cells", cells), 2)
        return cls(squared_radius=Fraction(cells - 1, 2 * cells), dimension=cells - 1 if exhaustive else cells)

    @classmethod
    def of_diameter(cls, dimension: int) -> Ball:
        """Of vectors at most Δ apart, by Jung's theorem: r² = Δ²·k/(2k+2)."""
        check_at_least("dimension", check_integer("dimension", dimension), 1)
        return cls(squared_radius=Fraction(dimension, 2 * dimension + 2), dimension=dimension)


INTERVAL = Ball(squared_radius=Fraction(1, 4), dimension=1)
"""Of a number."""


def split_bits(
    records: int, shared_bits: Real, ratio: Real, own_share: Real, *, people: int = 1, ball: Ball = INTERVAL
) -> Interval:
    """c(1 - e^(-(n-1)ratio/4(1-f))) + ½ log2(1 + ratio/4f), for the share f of the variance that guards the record.

    Theorem 1: for every f this bounds I(X_i;Y), for all beliefs with total correlation at most c, and bits of several
    releases add up, c being spent by none. For households of m, and a ball of r² in k dimensions, it is
    c(1 - e^(-m(n-1)ratio/4(1-f))) + (k/2) log2(1 + m²r²ratio/kf).
    """
    count, shared, exact = _read(records, shared_bits, ratio)
    return _composed(count, shared, [(exact, as_exact("own_share", own_share))], _read_people(people, count), ball)


def best_own_share(records: int, shared_bits: Real, ratio: Real, *, people: int = 1, ball: Ball = INTERVAL) -> Fraction:
    """Search for the f that makes `split_bits` least. Any f is valid, so floats may look for it."""
    count, shared, exact = _read(records, shared_bits, ratio)
    many, dimension = _read_people(people, count), ball.dimension
    if shared == 0 or count == 1:
        return Fraction(1)
    tied, others = float(shared), float(many * (count - 1) * exact / 4)
    size = float(many**2 * ball.squared_radius * exact / dimension)

    def told(logit: float) -> float:
        own = 1 / (1 + math.exp(-logit))
        rest = 1 / (1 + math.exp(logit))
        return -tied * math.expm1(-others / rest) + dimension * math.log1p(size / own) / (2 * math.log(2))

    # There may be two valleys: one where the others are guarded, and one where c bits are given up.
    start = min((-_FARTHEST + step * _STRIDE for step in range(_STEPS + 1)), key=told)
    low, high = max(-_FARTHEST, start - _STRIDE), min(_NEAREST, start + _STRIDE)
    for _ in range(60):
        left, right = low + (high - low) * 0.382, low + (high - low) * 0.618
        low, high = (low, right) if told(left) <= told(right) else (left, high)
    # Twenty bits of the smaller of the two shares: the minimum is flat.
    half = Fraction(1, 1 + Fraction(math.exp(abs(low))))
    places = 20 + half.denominator.bit_length() - half.numerator.bit_length()
    less = Fraction(max(1, round(half * (1 << places))), 1 << places)
    return less if low < 0 else 1 - less


def believed_bits(records: int, shared_bits: Real, ratio: Real, *, people: int = 1, ball: Ball = INTERVAL) -> Interval:
    """Enclose Theorem 1's bound at the best division of the noise that was found.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> for shared_bits in (0, 1, 10):  # a sum of 100 records, noise of 50 times what one of them can change
    ...     print(shared_bits, round(sf.measures.believed_bits(100, shared_bits, Fraction(1, 50**2)).upper, 4))
    0 0.0001
    1 0.0116
    10 0.1039
    """
    share = best_own_share(records, shared_bits, ratio, people=people, ball=ball)
    return split_bits(records, shared_bits, ratio, share, people=people, ball=ball)


def composed_bits(
    records: int,
    shared_bits: Real,
    releases: Iterable[tuple[Real, Real]],
    *,
    people: int = 1,
    ball: Ball = INTERVAL,
) -> Interval:
    """Enclose the information of several releases together, each a pair of `ratio` and `own_share` fixed before.

    c(1 - e^(-Σ(n-1)ratio_t/4(1-f_t))) + Σ ½ log2(1 + ratio_t/4f_t): never more than Theorem 1 for each, added up.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> release = (Fraction(1, 50**2), Fraction(1, 100))
    >>> round(sf.measures.composed_bits(100, 10, [release]).upper, 4)
    0.1067
    >>> round(sf.measures.composed_bits(100, 10, [release] * 4).upper, 4)  # less than four times as much
    0.4208
    """
    made: list[tuple[Fraction, Fraction]] = []
    count, shared = check_integer("records", records), as_exact("shared_bits", shared_bits)
    for ratio, own_share in releases:
        count, shared, exact = _read(records, shared_bits, ratio)
        made.append((exact, as_exact("own_share", own_share)))
    return _composed(count, shared, made, _read_people(people, count), ball)


def people_bits(people: int, ratio: Fraction, *, ball: Ball = INTERVAL) -> Interval:
    """Bound the information of the noisy sum if at most `people` depend on each other; for anyone, give all of them.

    They move the sum by T = people·Δ/2 to either side, and C ≤ ½ log2(1 + T²/N), C ≤ log2(1 + T√(2/πe)/√N) [McK04].
    In k dimensions it is (k/2) log2(1 + people²r²/kN).
    """
    check_at_least("people", check_integer("people", people), 1)
    check_positive("ratio", ratio)
    power = people**2 * ball.squared_radius * ratio / ball.dimension
    by_power = _log2_of_powers(power, ball)
    if power <= 1 or ball.dimension > 1:  # there the other is the larger, or does not hold
        return by_power
    # √power from above and below by whole numbers; the rest of the formula grows with it.
    scale = 1 << 60
    root = math.isqrt(power.numerator * scale**2 // power.denominator)
    by_amplitude = Interval(
        log2_bounds(1 + Fraction(root, scale) / _ROOT_HALF_PI_E)[0],
        log2_bounds(1 + Fraction(root + 1, scale) / _ROOT_HALF_PI_E)[1],
    )
    return min(by_power, by_amplitude, key=lambda found: found.upper)


def noisy_sum_limit(records: int, values: int, unknown_bits: Real, ratio: Real) -> Interval:
    """Bound C_1^b of a noisy sum: who does not know b bits about n records of r values has c ≤ n·log2 r - b.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> for unknown_bits in (100, 90, 50):  # of 100 yes/no records
    ...     print(unknown_bits, round(sf.measures.noisy_sum_limit(100, 2, unknown_bits, Fraction(1, 50**2)).upper, 4))
    100 0.0001
    90 0.1039
    50 0.5045
    """
    check_at_least("values", check_integer("values", values), 2)
    most = Fraction(log2_bounds(Fraction(values))[1]) * check_integer("records", records)
    unknown = as_exact("unknown_bits", unknown_bits)
    check_between("unknown_bits", unknown, 0, most)
    return believed_bits(records, most - unknown, ratio)


def _composed(
    records: int, shared: Fraction, releases: list[tuple[Fraction, Fraction]], people: int, ball: Ball
) -> Interval:
    exponent, low, high = Fraction(0), Fraction(0), Fraction(0)
    tied = shared > 0 and records > 1
    for ratio, own_share in releases:
        if not 0 < own_share <= 1 or (tied and own_share == 1):
            raise InvalidParameter(
                "must lie between 0 and 1; 1 is for independent records only",
                parameter="own_share",
                value=own_share,
                way_out="Leave the others a share of the noise.",
            )
        own = _log2_of_powers(people**2 * ball.squared_radius * ratio / (ball.dimension * own_share), ball)
        low, high = low + Fraction(own.lower), high + Fraction(own.upper)
        if tied:
            exponent += people * (records - 1) * ratio / (4 * (1 - own_share))
    least, most = _decayed(exponent)
    return Interval(float_below(low + shared * least), float_above(high + shared * most))


def _decayed(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """1 - e^-x for x ≥ 0. `exp` is correctly rounded, hence one step outwards."""
    if exponent == 0:
        return Fraction(0), Fraction(0)
    if exponent > _NOTHING_LEFT:  # where a power of ten of so many digits would only be slow
        return 1 - Fraction(1, 10**200), Fraction(1)
    above, below = Decimal(exponent.numerator), Decimal(exponent.denominator)
    least = _DOWN.next_minus(_DOWN.exp(-_UP.divide(above, below)))
    most = min(Decimal(1), _UP.next_plus(_UP.exp(-_DOWN.divide(above, below))))
    return 1 - Fraction(most), 1 - Fraction(least)


def _log2_of_powers(power: Fraction, ball: Ball) -> Interval:
    """(k/2) log2(1 + power)."""
    half = Fraction(ball.dimension, 2)
    low, high = log2_bounds(1 + power)
    return Interval(float_below(half * Fraction(low)), float_above(half * Fraction(high)))


def _read_people(people: int, records: int) -> int:
    many = check_integer("people", people)
    check_at_least("people", many, 1)
    return min(many, records)


def _read(records: int, shared_bits: Real, ratio: Real) -> tuple[int, Fraction, Fraction]:
    count = check_integer("records", records)
    check_between("records", count, 1, MOST_RECORDS)
    exact = as_exact("ratio", ratio)
    check_positive("ratio", exact)
    return count, _read_shared(shared_bits), exact


def _read_shared(shared_bits: Real) -> Fraction:
    shared = as_exact("shared_bits", shared_bits)
    check_between("shared_bits", shared, 0, MOST_SHARED_BITS)
    return shared
