"""Lower bounds on the risk of estimating shares privately, each at given parameters, in exact arithmetic.

Risk is sup over laws p of E‖p̂ - p‖². Every function here holds for any choice of its parameters; which choice is best
is the affair of :mod:`sfumato.infer.risk_floors`. Odds are an upper bound on e^ε, and all bounds fall as odds grow, so
what comes out is never above the truth.   Proofs: docs/theory/floors.md
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from sfumato.values.checks import check_at_least, check_integer, check_positive
from sfumato.values.rounding import float_below

# 50 digits leave 33 to spare over a double; exp and ln are rounded to half a unit, hence a step outwards after each.
_DOWN = Context(prec=50, rounding=ROUND_FLOOR)
_UP = Context(prec=50, rounding=ROUND_CEILING)
_GRID = 1 << 96
_ROOT_GRID = 1 << 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyperbola:
    """A floor top/(n·slope + offset), as van Trees' inequality gives it."""

    top: Fraction
    slope: Fraction
    offset: Fraction

    def at(self, n: int) -> float:
        """Return the floor for n users, rounded down."""
        return float_below(self.top / (n * self.slope + self.offset))

    def users(self, risk: float) -> int:
        """Return the least number of users that it does not exclude at this risk."""
        return max(0, math.ceil((self.top / Fraction(risk) - self.offset) / self.slope))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decay:
    """A floor top·e^(-n·rate), as Assouad's method gives it."""

    top: Fraction
    rate: Fraction

    def at(self, n: int) -> float:
        """Return the floor for n users, rounded down."""
        exponent = -_decimal(n * self.rate, _UP)
        return float_below(_DOWN.multiply(_decimal(self.top, _DOWN), _DOWN.next_minus(_DOWN.exp(exponent))))

    def users(self, risk: float) -> int:
        """Return the least number of users that it does not exclude at this risk."""
        ratio = _decimal(self.top / Fraction(risk), _DOWN)
        if ratio <= 1:
            return 0
        most = _DOWN.divide(_DOWN.next_minus(_DOWN.ln(ratio)), _decimal(self.rate, _UP))
        return max(0, math.ceil(most))


FloorBound = Hyperbola | Decay


def odds_above(epsilon: float) -> Fraction:
    """Return a multiple of 2^-96 that is at least e^ε, by hardly more than one step.

    >>> import math
    >>> import sfumato as sf
    >>> odds = sf.infer.odds_above(1.0)
    >>> float(odds) == math.e, odds.denominator.bit_length() <= 97
    (True, True)
    """
    check_positive("epsilon", epsilon)
    context = Context(prec=60 + int(epsilon), rounding=ROUND_CEILING)
    return Fraction(math.ceil(Fraction(context.next_plus(context.exp(Decimal(epsilon)))) * _GRID), _GRID)


def answer_information(size: int, odds: Fraction, favoured: int) -> Fraction:
    """g_d = (o-1)²·d(k-d)/(k·v²), v = 1+(o-1)d/k: Fisher information at uniform shares where d answers are favoured."""
    mean = 1 + (odds - 1) * Fraction(favoured, size)
    return ((odds - 1) / mean) ** 2 * Fraction(favoured * (size - favoured), size)


def largest_information(size: int, odds: Fraction) -> Fraction:
    """G = max over d of g_d: the trace of the Fisher information at uniform shares of any report with these odds.

    By Cramér and Rao no unbiased estimate has less than (k-1)²/(nG) there, and subset selection has just that. As a
    function of d, g_d rises up to d = k/(o+1) and falls from there.

    >>> import sfumato as sf
    >>> odds = sf.infer.odds_above(1.0)
    >>> told = sf.infer.largest_information(100, odds)
    >>> round(99**2 / (10**6 * float(told)), 6)  # no unbiased estimate from a million reports has a smaller risk
    0.000361
    """
    check_at_least("size", check_integer("size", size), 2)
    turn = math.floor(size / (odds + 1))
    return max(answer_information(size, odds, d) for d in {max(1, turn), min(size - 1, turn + 1)})


def expected_information(size: int, odds: Fraction, a: Fraction) -> Fraction:
    """T_a = max over d of g_d(1 + v_d·g_d/(k(ka+1))): what a report tells of shares drawn by Dirichlet's law, at most.

    Its logarithm is concave in the chance of a favoured report, which grows with d, so the maximum is found by halving.
    """

    def told(favoured: int) -> Fraction:
        own = answer_information(size, odds, favoured)
        mean = 1 + (odds - 1) * Fraction(favoured, size)
        return own * (1 + mean * own / (size * (size * a + 1)))

    low, high = 1, size - 1
    while low < high:
        middle = (low + high) // 2
        if told(middle) < told(middle + 1):
            low = middle + 1
        else:
            high = middle
    return told(low)


def prior_information(size: int, a: Fraction) -> Fraction:
    """(k-1)(ka-1)(ka-2)/(a-2): the trace of the Fisher information of Dirichlet's law with all parameters a > 2."""
    return (size - 1) * (size * a - 1) * (size * a - 2) / (a - 2)


def dirichlet_bound(size: int, odds: Fraction, a: Fraction) -> Hyperbola:
    """(k-1)²/(n·T_a + prior information): van Trees' inequality with Dirichlet's law as the prior."""
    return Hyperbola(
        top=Fraction((size - 1) ** 2),
        slope=expected_information(size, odds, a),
        offset=prior_information(size, a),
    )


def blended_bound(size: int, odds: Fraction, a: Fraction, c: Fraction) -> Hyperbola:
    """(k-1)²/(nG/(1-c) + prior information/c²): the prior is blended with uniform shares, (1-c)/k each.

    It holds for sequential methods too: no report tells more than G/(1-c), whatever was seen before it.
    """
    return Hyperbola(
        top=Fraction((size - 1) ** 2),
        slope=largest_information(size, odds) / (1 - c),
        offset=prior_information(size, a) / c**2,
    )


def matching_bound(size: int, odds: Fraction, c: Fraction) -> Decay:
    """kL²·e^(-2nh/√(1-τ²)), L = c/k, τ = L(o-1) < 1: answers are paired at random, one of a pair has 2L more.

    h = L²/(1+√(1-τ²)) · 2k/(k-1) · (o-1)²/(4o) · (1+oL²B), and B bounds the sum over pairs of (q-q')² over the square
    of the mean of q: 2k·tanh²(ε/2) up to odds 3, k(o-1)/4 above. `size` is even.
    """
    step = c / size
    root = _root_below(1 - (step * (odds - 1)) ** 2)
    spread = 2 * size * ((odds - 1) / (odds + 1)) ** 2 if odds <= 3 else size * (odds - 1) / 4
    told = Fraction(2 * size, size - 1) * (odds - 1) ** 2 / (4 * odds) * (1 + odds * step**2 * spread)
    return Decay(top=size * step**2, rate=2 * step**2 / (1 + root) * told / root)


def _root_below(value: Fraction) -> Fraction:
    """Return a square root, rounded down."""
    return Fraction(math.isqrt(math.floor(value * _ROOT_GRID**2)), _ROOT_GRID)


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))
