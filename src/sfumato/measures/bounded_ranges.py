"""How much can be told by answers whose log-likelihood ratios all lie in a range of a given width.

If ln P_x(y)/P_x'(y) lies, for each pair of inputs, within some interval of width w as y varies, then any two rows have

    D(P_x‖P_x') ≤ z - 1 - ln z nats,   z = w/(1 - e^-w),

and so has the capacity, C ≤ max D(P_x‖P_x'). For fixed P the ratio R = P_x'/P_x has mean 1 under P_x and lies within
[a, a·e^w]; ln is concave, so E ln R is least for R on the two ends, where it is ln a + w(1-a)/(a(e^w-1)), least at
a = w/(e^w-1) = z·e^-w.   Theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from sfumato.values.checks import check_positive
from sfumato.values.interval import Interval
from sfumato.values.rounding import float_above, float_below

_DIGITS = Context(prec=60)
_LN2 = _DIGITS.ln(Decimal(2))
# Widths are at least 10^-9, so of 60 digits at least 50 are left where e^-w is subtracted from 1.
_SLACK = Decimal("1e-45")
LEAST_WIDTH = Fraction(1, 10**9)


def bounded_range_bits(width: Fraction) -> Interval:
    """Enclose (z - 1 - ln z)·log2 e for a width in nats."""
    check_positive("width", width)
    exact = _DIGITS.divide(Decimal(width.numerator), Decimal(width.denominator))
    stretched = _DIGITS.divide(exact, _DIGITS.subtract(Decimal(1), _DIGITS.exp(-exact)))
    nats = _DIGITS.subtract(_DIGITS.subtract(stretched, Decimal(1)), _DIGITS.ln(stretched))
    bits, slack = _DIGITS.divide(nats, _LN2), _SLACK * (1 + stretched)
    return Interval(float_below(bits - slack), float_above(bits + slack)).at_least(0.0)
