"""What correlations between people add: differential privacy holds for independent records, and only for those.

With independent records, max-information about one record is at most ε exactly when the channel is ε-differentially
private [E, Thm 1]. An adversary who knows that other records follow this one compares data sets that differ in more
places than one, and the same channel tells more: up to the odds between any two data sets that differ in this record.
Natural logarithms for ε, bits for information.   Theory: docs/theory/correlations.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.measures.enclosures import ln_interval, log2_interval
from sfumato.measures.individual.records import Places, check_shape, datasets_by_value
from sfumato.prob import Channel, ChannelLike, Distribution, as_channel
from sfumato.values.checks import Number, as_number, check_between
from sfumato.values.interval import Interval

_Entry = tuple[Number, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelatedLeak:
    """The report that tells most about one record.

    `output` is `odds` times as likely from the `surprising` data set as from the `expected` one; the two differ in
    `record`, and the adversary holds every other one for impossible.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> leak = sf.measures.worst_correlation(two_people, (2, 2))
    >>> round(leak.odds, 3), leak.expected, leak.surprising  # both say yes, or nobody: e^2
    (7.389, 3, 0)
    >>> round(leak.max_information_bits(0.01), 3), leak.prior(0.01).probabilities
    (2.796, (0.01, 0.0, 0.0, 0.99))
    """

    odds: Number
    record: int
    expected: int
    surprising: int
    output: int
    _channel: Channel

    def prior(self, surprise: Number) -> Distribution:
        """The adversary who gives the surprising data set the chance `surprise`, and the expected one the rest."""
        chance = as_number("surprise", surprise)
        check_between("surprise", chance, 0, 1)
        masses: list[Number] = [0 * chance] * self._channel.shape[0]
        masses[self.expected], masses[self.surprising] = 1 - chance, chance
        return Distribution(masses, self._channel.inputs)

    def max_information_bits(self, surprise: Number) -> float:
        """log2 P(y|x)/P(y) for the worst report, seen by that adversary; towards log2 odds as `surprise` goes to 0."""
        chance = as_number("surprise", surprise)
        check_between("surprise", chance, 0, 1)
        high, low = (self._channel.row(x)[self.output] for x in (self.surprising, self.expected))
        return math.log2(high / (chance * high + (1 - chance) * low))


def neighbour_odds(channel: ChannelLike, shape: Sequence[int]) -> Number:
    """e^ε of differential privacy: the largest P(y|x)/P(y|x') over data sets that differ in one record [E, Def. 10].

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.neighbour_odds(two_people, (2, 2)), 4), round(sf.measures.odds(two_people), 4)
    (2.7183, 7.3891)
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    dense = channel.to_dense()
    worst: Number = Fraction(1)
    for record in range(len(sizes)):
        for datasets in datasets_by_value(sizes, (record,)).T:  # one column: all others fixed
            for y in range(dense.shape[1]):
                worst = max(worst, _ratio(*_extremes(dense, datasets, y)))
    return worst


def neighbour_epsilon(channel: ChannelLike, shape: Sequence[int]) -> float:
    """ε of differential privacy in nats, rounded up: the most max-information about independent records [E, Thm 1].

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.neighbour_epsilon(two_people, (2, 2)), 4), round(sf.measures.epsilon(two_people), 4)
    (1.0, 2.0)
    """
    return ln_interval(neighbour_odds(channel, shape)).at_least(0.0).upper


def worst_correlation(channel: ChannelLike, shape: Sequence[int]) -> CorrelatedLeak:
    """Return the two data sets and the report that sets them apart most; any two data sets differ in some record.

    Raises:
        InvalidParameter: the shape means another number of data sets than the channel has rows.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> leak = sf.measures.worst_correlation(two_people, (2, 2))
    >>> leak.record, leak.expected, leak.surprising, leak.output
    (0, 3, 0, 0)
    """
    channel = as_channel(channel)
    sizes = check_shape(channel, shape)
    dense = channel.to_dense()
    everything = np.arange(dense.shape[0])
    worst = CorrelatedLeak(odds=Fraction(1), record=0, expected=0, surprising=0, output=0, _channel=dense)
    for y in range(dense.shape[1]):
        high, low = _extremes(dense, everything, y)
        odds = _ratio(high, low)
        if odds > worst.odds:
            surprising, expected = high[1], low[1]
            pairs = zip(np.unravel_index(surprising, sizes), np.unravel_index(expected, sizes), strict=True)
            record = next(i for i, (one, other) in enumerate(pairs) if one != other)
            worst = CorrelatedLeak(
                odds=odds, record=record, expected=expected, surprising=surprising, output=y, _channel=dense
            )
    return worst


def max_individual_capacity_bits(channel: ChannelLike, shape: Sequence[int]) -> Interval:
    """Enclose C_{1,∞} in bits: the largest max-information about one record over all joint laws [E, Def. 8].

    A supremum: no adversary reaches it, those for whom the surprising data set is ever less likely come close.

    >>> import sfumato as sf
    >>> counts = sf.measures.NoisyCount.geometric(top=2, epsilon=1).channel().rows
    >>> two_people = sf.Channel([counts[a + b] for a in (0, 1) for b in (0, 1)])
    >>> round(sf.measures.max_individual_capacity_bits(two_people, (2, 2)).upper, 4)  # 2·log2 e: one follows the other
    2.8854
    """
    return log2_interval(worst_correlation(channel, shape).odds).at_least(0.0)


def _extremes(dense: Channel, datasets: Places, y: int) -> tuple[_Entry, _Entry]:
    column = dense.integers()[0][datasets, y] if dense.exact else dense.array[datasets, y]
    high, low = int(datasets[int(np.argmax(column))]), int(datasets[int(np.argmin(column))])
    return (dense.row(high)[y], high), (dense.row(low)[y], low)


def _ratio(high: _Entry, low: _Entry) -> Number:
    """The ratio of two probabilities, rounded up where they are floats; 1 where neither can happen."""
    if high[0] <= low[0]:
        return Fraction(1)
    if low[0] == 0:
        return math.inf
    ratio = high[0] / low[0]
    return ratio if isinstance(ratio, Fraction) else math.nextafter(ratio, math.inf)
