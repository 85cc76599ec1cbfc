"""Clopper-Pearson bounds and enclosed tails of binomial distributions."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from sfumato.errors import InvalidParameter, NotCertified
from sfumato.numbers.checks import Real, check_at_least, check_between, check_integer
from sfumato.numbers.exact import FloatArray, LawLike


def clopper_pearson(
    counts: Real | LawLike, totals: Real | LawLike, *, lower_tail: float, upper_tail: float
) -> tuple[FloatArray, FloatArray]:
    """Bounds on a binomial share, failing with probability at most `lower_tail` below and `upper_tail` above [CP34]."""
    from scipy.special import betaincinv  # noqa: PLC0415  scipy is slow to import

    hits, draws = np.broadcast_arrays(np.asarray(counts, dtype=np.float64), np.asarray(totals, dtype=np.float64))
    lower = np.where(hits > 0, betaincinv(np.maximum(hits, 1), draws - hits + 1, lower_tail), 0.0)
    upper = np.where(hits < draws, betaincinv(hits + 1, np.maximum(draws - hits, 1), 1 - upper_tail), 1.0)
    return lower, upper


# --- Upper tails of binomial distributions, enclosed
#
# Pr[Bin(n, p) ≥ c] = Pr[Bin(n, p) = c]·(1 + r_0 + r_0·r_1 + …) with r_i = (n-c-i)/(c+1+i) · p/(1-p). The sum is made
# of whole numbers over 2^128, once rounded down and once up, and ratios that fall bound what is left out. The first
# factor comes from Stirling's series, whose partial sums enclose ln n! in turn. Small n are summed in fractions.


# Up to this n fractions are summed, and factorials are computed exactly.
_SMALL = 200
_SCALE_BITS = 128
# The remainder at which a sum is cut, relative to its first term.
_REST = 1 << (_SCALE_BITS - 110)
# Decimal digits of logarithms, and a bound on the error of the sum of a few of them.
_DIGITS, _SLACK = 70, Decimal("1e-36")
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628")
# B_2k/(2k(2k-1)): beyond 200 the next term is below 1e-40.
_STIRLING = ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188), (-691, 360360), (1, 156), (-3617, 122400))


def upper_tail(count: int, n: int, share: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose Pr[Bin(n, share) ≥ count] to 30 digits or exactly."""
    check_at_least("n", check_integer("n", n), 1)
    check_between("share", share, 0, 1)
    if count <= 0 or share == 1:
        whole = Fraction(int(count <= n))
        return whole, whole
    if count > n or share == 0:
        return Fraction(0), Fraction(0)
    if n <= _SMALL:
        exact = sum((_term(k, n, share) for k in range(count, n + 1)), Fraction(0))
        return exact, exact
    low, high = _sums(count, n, share)
    with decimal.localcontext(prec=_DIGITS):
        chance = _log_chance(count, n, share)
        first = [Fraction((chance + slack).exp()) for slack in (-_SLACK, _SLACK)]
    return first[0] * low, min(Fraction(1), first[1] * high)


def least_count(n: int, share: Fraction, level: Fraction) -> int:
    """Return the least c with Pr[Bin(n, share) ≥ c] ≤ level, the exact one; n + 1 where nothing is rare enough."""
    from scipy.special import betainc  # noqa: PLC0415  scipy is slow to import

    if not 0 < level < 1:
        raise InvalidParameter("must lie strictly between 0 and 1", parameter="level", way_out="Choose 0.05, say.")
    # A first guess in floats, which the enclosures then move by a place or two if at all.
    low, high = 0, n + 1  # the tail of the first is above the level, that of the last is not
    while high - low > 1:
        middle = (low + high) // 2
        is_rare = float(betainc(middle, n - middle + 1, float(share))) <= level
        low, high = (low, middle) if is_rare else (middle, high)
    while not _is_within(high, n, share, level):
        high += 1
    while high > 0 and _is_within(high - 1, n, share, level):
        high -= 1
    return high


def _is_within(count: int, n: int, share: Fraction, level: Fraction) -> bool:
    low, high = upper_tail(count, n, share)
    if low <= level < high:
        raise NotCertified(
            "a tail comes closer to the level than 30 digits can tell", way_out="Change the level in its last digit."
        )
    return high <= level


def _term(count: int, n: int, share: Fraction) -> Fraction:
    return Fraction(math.comb(n, count)) * share**count * (1 - share) ** (n - count)


def _sums(count: int, n: int, share: Fraction) -> tuple[Fraction, Fraction]:
    """Enclose the sum of the terms over the first."""
    top, bottom = share.numerator, share.denominator - share.numerator
    low = high = total_low = total_high = 1 << _SCALE_BITS
    for i in range(n - count):
        up, down = (n - count - i) * top, (count + 1 + i) * bottom
        low, high = low * up // down, -(-high * up // down)
        total_low, total_high = total_low + low, total_high + high
        if up < down and high * down <= _REST * (down - up):
            total_high += -(-high * up // (down - up))  # all later ratios are smaller than this one
            break
    return Fraction(total_low, 1 << _SCALE_BITS), Fraction(total_high, 1 << _SCALE_BITS)


def _log_chance(count: int, n: int, share: Fraction) -> Decimal:
    """ln Pr[Bin(n, share) = count]."""
    whole = _log_factorial(n) - _log_factorial(count) - _log_factorial(n - count)
    return whole + count * _log(share) + (n - count) * _log(1 - share)


def _log(number: Fraction) -> Decimal:
    return Decimal(number.numerator).ln() - Decimal(number.denominator).ln()


def _log_factorial(n: int) -> Decimal:
    if n <= _SMALL:
        return Decimal(math.factorial(n)).ln()
    number = Decimal(n)
    found = (number + Decimal("0.5")) * number.ln() - number + (2 * _PI).ln() / 2
    for power, (top, bottom) in enumerate(_STIRLING):
        found += Decimal(top) / bottom / number ** (2 * power + 1)
    return found
