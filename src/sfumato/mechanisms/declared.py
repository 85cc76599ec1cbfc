"""What mechanisms declare: exact odds, odds that keep a promised epsilon, and the shares a variance is wanted at."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.prob import Distribution, LawLike
from sfumato.values.checks import Number, as_number, check_at_least, check_integer, check_positive
from sfumato.values.rounding import fraction_below_exp

# Laws of more outcomes than this are not written out.
MOST_OUTPUTS = 4096
# Odds promised as an epsilon are rounded down to multiples of 2^-32, or coarser where words are narrow: epsilon falls
# short by less than 2.4e-10.
_ODDS_BITS = 32
# Keeping the total weight this far below 2^width makes a redraw rarer than once in 256 reports.
_SPARE_BITS = 8


def exact_odds(odds: Number, maker: str, name: str = "odds") -> Fraction:
    """Return odds that are exact and at least 1."""
    number = exact_fraction(name, odds, maker)
    check_at_least(name, number, 1)
    return number


def exact_fraction(name: str, value: Number, maker: str) -> Fraction:
    """Return a number that is exact; `maker` is the class whose `within` finds one."""
    number = as_number(name, value)
    if not isinstance(number, Fraction):
        raise InvalidParameter(
            "must be exact",
            parameter=name,
            value=value,
            way_out=f"Pass a Fraction such as Fraction(3, 1), or use {maker}.within(size=…, epsilon=…).",
        )
    return number


def nominal_odds(epsilon: float) -> float:
    """Return e^epsilon for choosing sizes with, where a little more or less does not matter."""
    check_positive("epsilon", epsilon)
    return math.exp(min(epsilon, 700.0))


def odds_keeping(epsilon: float, *, weight: float, size: int, width: int) -> Fraction:
    """Return the largest odds on a fine grid that keep the promise of `epsilon`.

    `weight` is the total weight of a report's law when the smallest weight is 1; it must fit a word many times over.
    """
    check_positive("epsilon", epsilon)
    grid = min(_ODDS_BITS, math.floor(width - _SPARE_BITS - math.log2(weight)))
    if grid < 0:
        raise InvalidParameter(
            f"over {size} answers needs finer words than width={width} bits",
            parameter="epsilon",
            value=epsilon,
            way_out="At this epsilon the answers are all but public: lower `epsilon`.",
        )
    return fraction_below_exp(epsilon, denominator=1 << grid)


def check_weight(total: int, *, odds: Fraction, size: int, width: int) -> None:
    """Refuse a law whose total weight does not fit a word."""
    if total > 1 << width:
        raise InvalidParameter(
            f"over {size} answers weigh {total} in all, more than words of width={width} bits can tell apart",
            parameter="odds",
            value=odds,
            way_out="Use `odds` with a smaller numerator and denominator.",
        )


def law_of_answers(law: Distribution | LawLike, size: int, n: int) -> tuple[Fraction, ...]:
    """Read the shares at which a variance is wanted."""
    check_at_least("n", check_integer("n", n), 1)
    shares = law if isinstance(law, Distribution) else Distribution(law)
    if len(shares) != size:
        raise InvalidParameter(
            f"has {len(shares)} entries for {size} answers", parameter="law", way_out="Give one share to each answer."
        )
    return shares.fractions
