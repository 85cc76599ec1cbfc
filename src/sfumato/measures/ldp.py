"""Local differential privacy: by what factor one report can favour one truth over another.

`epsilon` is in nats, `odds` = e^epsilon. Infinity is a value: it says that some report rules some input out.
Ref: [B, eq. (1)]; theory: docs/theory/ldp.md
"""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.measures.enclosures import ln_interval
from sfumato.prob import AnyChannel
from sfumato.values.checks import Number
from sfumato.values.interval import Interval


def odds(channel: AnyChannel) -> Number:
    """max over y, x, x' of P(y|x)/P(y|x'): an exact Fraction for exact channels, infinity when a ratio is.

    For float64 channels the ratio is rounded up, towards less privacy.
    """
    worst: Number = Fraction(1)
    for high, low, _ in channel.column_extremes():
        if low == 0 < high:
            return math.inf
        if high > low:
            ratio = high / low
            worst = max(worst, ratio if isinstance(ratio, Fraction) else math.nextafter(ratio, math.inf))
    return worst


def epsilon(channel: AnyChannel) -> float:
    """ln odds, rounded up: the channel is epsilon-LDP for the number returned."""
    return epsilon_interval(channel).upper


def epsilon_interval(channel: AnyChannel) -> Interval:
    """Enclose ln odds."""
    return ln_interval(odds(channel)).at_least(0.0)
