"""Local differential privacy: the odds and epsilon of a channel.

`epsilon` is in nats, `odds` = e^epsilon. Infinity is a value: it means that some report rules some input out.
Ref: [B, eq. (1)]; theory: docs/theory/ldp.md
"""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.numbers.checks import Number
from sfumato.numbers.intervals import Interval, ln_interval
from sfumato.prob.structured import ChannelLike, as_channel


def odds(channel: ChannelLike) -> Number:
    """max over y, x, x' of P(y|x)/P(y|x'): an exact Fraction for exact channels, infinity when a ratio is.

    For float64 channels the ratio is rounded up, towards less privacy.

    >>> import sfumato as sf
    >>> sf.measures.odds(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    Fraction(3, 1)
    >>> sf.measures.odds(sf.Channel([[1, 0], [0.5, 0.5]]))  # the second report rules the first answer out
    inf
    """
    worst: Number = Fraction(1)
    for high, low, _ in as_channel(channel).column_extremes():
        if low == 0 < high:
            return math.inf
        if high > low:
            ratio = high / low
            worst = max(worst, ratio if isinstance(ratio, Fraction) else math.nextafter(ratio, math.inf))
    return worst


def epsilon(channel: ChannelLike) -> float:
    """ln odds, rounded up: the channel is epsilon-LDP for the number returned.

    >>> import sfumato as sf
    >>> round(sf.measures.epsilon(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel()), 6)  # ln 3
    1.098612
    """
    return epsilon_interval(channel).upper


def epsilon_interval(channel: ChannelLike) -> Interval:
    """Enclose ln odds, in nats.

    >>> import sfumato as sf
    >>> found = sf.measures.epsilon_interval(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    >>> round(found.lower, 6), found.width < 1e-15
    (1.098612, True)
    """
    return ln_interval(odds(channel)).at_least(0.0)
