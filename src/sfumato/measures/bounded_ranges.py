"""How much can be told by answers whose log-likelihood ratios to one law lie in a range of a given width.

If ln P_x(y)/Q(y) lies within an interval of width w as y varies, for each input x and one law Q, then

    C ≤ max_x D(P_x‖Q) ≤ z - 1 - ln z nats,   z = w/(1 - e^-w).

R = Q/P_x has mean 1 under P_x and lies within some [a, a·e^w]. ln is concave, so E ln R is at least that of its chord,
ln a + w(1-a)/(a(e^w-1)), which is least at a = w/(e^w-1) = z·e^-w, where it is ln a + 1 - a = -(z - 1 - ln z).
Theory: docs/theory/correlated_noise.md
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction

from sfumato.values.checks import check_positive
from sfumato.values.interval import Interval
from sfumato.values.rounding import float_above, float_below

_DIGITS = Context(prec=60)
_LN2 = _DIGITS.ln(Decimal(2))
# Where e^-w is subtracted from 1, 60 + log10 w digits of z are left; z - 1 - ln z has a slope of about w/2 there, so
# its own error is some 10^-60 nevertheless.
_SLACK = Decimal("1e-45")


def bounded_range_bits(width: Fraction) -> Interval:
    """Enclose (z - 1 - ln z)·log2 e for a width in nats."""
    check_positive("width", width)
    exact = _DIGITS.divide(Decimal(width.numerator), Decimal(width.denominator))
    stretched = _DIGITS.divide(exact, _DIGITS.subtract(Decimal(1), _DIGITS.exp(-exact)))
    nats = _DIGITS.subtract(_DIGITS.subtract(stretched, Decimal(1)), _DIGITS.ln(stretched))
    bits, slack = _DIGITS.divide(nats, _LN2), _SLACK * (1 + stretched)
    return Interval(float_below(bits - slack), float_above(bits + slack)).at_least(0.0)
