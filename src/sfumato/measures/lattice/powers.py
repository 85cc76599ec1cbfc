"""How much a whole vector in a ball plus discrete Gaussian noise can say: a limit on power, for the sampled law.

Inputs x are whole vectors of k numbers with ‖x-c‖ ≤ r, c real; the noise is k independent numbers with
P(z) = e^(-z²/2N)/Z_N, of variance V_N. Every output law is a bound, C ≤ max_x D(P_x‖Q). For Q(y) in proportion
to e^(-‖y-c‖²/2S)

    C ≤ k·ln(Z_S/Z_N) + (k·V_N + r²)/2S - k·V_N/2N   nats for every S > 0,

since E‖Y-c‖² = k·V_N + ‖x-c‖², and Σ_y e^(-(y-c)²/2S) ≤ Z_S for real c by Poisson's formula. The least is where
V_S = V_N + r²/k. For normal noise this is (k/2)·ln(1 + r²/kN), which is too small for a coarse lattice.

Numbers have 60 digits, so that their rounding (at most some hundred steps, each 10^-59 of its result) is far below the
slack of 10^-45 that is added. From s = 8 on Z_s = √(2πs) and V_s = s up to 10^-57, again by Poisson's formula:
2Σe^(-2π²sj²) ≤ 3e^(-19s), and 0 ≤ s - V_s ≤ 160s²e^(-19s).   Theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.values.checks import check_at_least, check_integer
from sfumato.values.interval import Interval
from sfumato.values.rounding import float_above, float_below

_DIGITS = Context(prec=60)
_PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")
_LN2 = _DIGITS.ln(Decimal(2))
_SMOOTH = 8
# Terms of a sum are left out where e^-160 of its largest is left.
_FAR = 160
_SLACK = Decimal("1e-45")
_KEPT_BITS = 40


def power_bound(dimension: int, squared_radius: Fraction, variance: Fraction, spread: Fraction) -> Interval:
    """Enclose, in bits, the bound above for k, r², N and S; its upper end bounds what the noise lets through."""
    check_at_least("dimension", check_integer("dimension", dimension), 1)
    for name, value, is_meant in (
        ("squared_radius", squared_radius, squared_radius >= 0),
        ("variance", variance, variance > 0),
        ("spread", spread, spread > 0),
    ):
        if not is_meant:
            raise InvalidParameter(
                "must be positive, and a radius at least 0",
                parameter=name,
                value=value,
                way_out=f"Choose `{name}` > 0.",
            )
    count, radius = Decimal(dimension), _decimal(squared_radius)
    noise, wide = _decimal(variance), _decimal(spread)
    (log_noise, true_noise), (log_wide, _) = _lattice(variance), _lattice(spread)
    stretched = _DIGITS.multiply(count, _DIGITS.subtract(log_wide, log_noise))
    power = _DIGITS.add(_DIGITS.multiply(count, true_noise), radius)
    spent = _DIGITS.divide(power, 2 * wide)
    own = _DIGITS.divide(_DIGITS.multiply(count, true_noise), 2 * noise)
    nats = _DIGITS.subtract(_DIGITS.add(stretched, spent), own)
    slack = _SLACK * (1 + count * (abs(log_wide) + abs(log_noise) + 1) + spent + own)
    lower = _DIGITS.divide(nats - slack, _LN2)
    upper = _DIGITS.divide(nats + slack, _LN2)
    return Interval(float_below(lower - _SLACK), float_above(upper + _SLACK)).at_least(0.0)


def usual_spread(dimension: int, squared_radius: Fraction, variance: Fraction) -> Fraction:
    """N + r²/k, the best S but for noise of less than a step or so, where it is a valid one."""
    return variance + squared_radius / dimension


def best_spread(dimension: int, squared_radius: Fraction, variance: Fraction) -> Fraction:
    """Return about the S for which the bound is least, a short fraction: where V_S = V_N + r²/k."""
    own, added = Fraction(_lattice(variance)[1]), squared_radius / dimension
    if own + added >= 2 * _SMOOTH:
        return _short(own + added)
    wanted = float(own + added)
    low, high = float(variance), max(1.0, 2 * wanted)
    while _plain_variance(high) < wanted:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _plain_variance(middle) < wanted else (low, middle)
    return _short(Fraction(high))


def _short(value: Fraction) -> Fraction:
    """Round up to some forty binary digits; a spread of many steps needs none behind the point."""
    shift = max(0, _KEPT_BITS - math.floor(value).bit_length())
    return Fraction(math.ceil(value * 2**shift), 2**shift)


def least_power_bound(dimension: int, squared_radius: Fraction, variance: Fraction) -> Interval:
    """Enclose the bound at the best S that was found."""
    spread = best_spread(dimension, squared_radius, variance)
    return power_bound(dimension, squared_radius, variance, spread)


def _lattice(variance: Fraction) -> tuple[Decimal, Decimal]:
    """ln Z_s and V_s."""
    if variance >= _SMOOTH:
        exact = _decimal(variance)
        return _DIGITS.divide(_DIGITS.ln(_DIGITS.multiply(2 * _PI, exact)), Decimal(2)), exact
    mass, moment = Decimal(1), Decimal(0)
    for number in range(1, math.isqrt(math.ceil(2 * _FAR * variance)) + 2):
        weight = 2 * _DIGITS.exp(-_decimal(number**2 / (2 * variance)))
        mass = _DIGITS.add(mass, weight)
        moment = _DIGITS.add(moment, _DIGITS.multiply(weight, Decimal(number**2)))
    return _DIGITS.ln(mass), _DIGITS.divide(moment, mass)


def _plain_variance(scale: float) -> float:
    """V_s in doubles, for the search alone."""
    if scale >= _SMOOTH:
        return scale
    numbers = range(1, math.ceil(math.sqrt(80 * scale)) + 2)
    weights = [2 * math.exp(-(number**2) / (2 * scale)) for number in numbers]
    return math.fsum(w * number**2 for w, number in zip(weights, numbers, strict=True)) / (1 + math.fsum(weights))


def _decimal(value: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
