"""Entropies, mutual information, max-information and the randomness a channel uses.

Refs: [Sha48]; [E, Def. 7] for max-information; [B, eq. (2)] for the randomness of a report.
Theory: docs/theory/shannon.md
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from sfumato.errors import InvalidLaw
from sfumato.measures.enclosures import entropy_interval, expected_log2_interval, log2_interval
from sfumato.measures.guessing import Prior
from sfumato.prob import (
    AnyChannel,
    Channel,
    ChannelLike,
    Distribution,
    DistributionLike,
    as_channel,
    as_distribution,
    as_prior,
)
from sfumato.prob.exact import common_numerators
from sfumato.values.checks import Number
from sfumato.values.interval import Interval


def entropy_bits(law: DistributionLike) -> float:
    """H(X) = -Σ p log2 p, in bits: how much is not known of a value with this law [Sha48].

    >>> import sfumato as sf
    >>> round(sf.measures.entropy_bits(sf.Distribution([0.5, 0.25, 0.25])), 4)
    1.5
    """
    return entropy_interval((p, 1) for p in as_distribution(law, "law").probabilities).midpoint


def randomness_bits(channel: ChannelLike) -> tuple[float, ...]:
    """H(Y|X=x) for every input x: the random bits that a report about x uses at the least.

    >>> import sfumato as sf
    >>> [round(bits, 4) for bits in sf.measures.randomness_bits(sf.Channel([[1, 0], [0.5, 0.5]]))]
    [0.0, 1.0]
    """
    return tuple(
        bits
        for profile, inputs in as_channel(channel).row_profiles()
        for bits in [entropy_interval(profile).midpoint] * len(inputs)
    )


def largest_randomness_interval(channel: ChannelLike) -> Interval:
    """Enclose max_x H(Y|X=x), in bits: the random bits that a respondent needs at the least [B, eq. (2)].

    >>> import sfumato as sf
    >>> found = sf.measures.largest_randomness_interval(sf.Channel([[0.75, 0.25], [0.5, 0.5]]))
    >>> 1.0 in found, found.width < 1e-14
    (True, True)
    """
    rows = [entropy_interval(profile) for profile, _ in as_channel(channel).row_profiles()]
    return Interval(max(row.lower for row in rows), max(row.upper for row in rows))


def conditional_entropy_bits(channel: ChannelLike, prior: Prior = None) -> float:
    """H(Y|X) in bits: the randomness in a report on average, over answers drawn by the prior.

    >>> import sfumato as sf
    >>> round(sf.measures.conditional_entropy_bits(sf.Channel([[1, 0], [0.5, 0.5]]), [0.2, 0.8]), 4)
    0.8
    """
    channel = as_channel(channel)
    return _conditional_entropy_interval(channel, as_prior(prior, channel)).midpoint


def mutual_information_bits(channel: ChannelLike, prior: Prior = None) -> float:
    """I(X;Y) in bits under a prior, uniform when none is given: what a report tells of the answer on average [Sha48].

    >>> import sfumato as sf
    >>> coin = sf.Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> [round(sf.measures.mutual_information_bits(coin, prior), 4) for prior in (None, [0.9, 0.1])]
    [0.1887, 0.07]
    """
    return mutual_information_interval(channel, prior).midpoint


def mutual_information_interval(channel: ChannelLike, prior: Prior = None) -> Interval:
    """Enclose I(X;Y), in bits, with what is rounded.

    >>> import sfumato as sf
    >>> found = sf.measures.mutual_information_interval(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> round(found.upper, 4), found.width < 1e-14
    (0.1887, True)
    """
    channel = as_channel(channel)
    law = as_prior(prior, channel)
    if isinstance(channel, Channel):
        return expected_log2_interval(_information_terms(channel, law)).at_least(0.0)
    if len(channel.levels) == 1:
        return Interval(0.0, 0.0)
    if law.is_uniform:  # outputs whose columns have the same sum are equally likely
        output = entropy_interval((total / channel.shape[0], count) for total, count in channel.column_sums())
    else:
        output = entropy_interval(((p, 1) for p in channel.output_law(law)), ulps=channel.shape[0] + 8)
    noise = _conditional_entropy_interval(channel, law)
    return Interval(output.lower - noise.upper, output.upper - noise.lower).widened(0.0).at_least(0.0)


def max_information_bits(channel: ChannelLike, prior: Prior = None) -> float:
    """max over (x, y) of log2 P(y|x)/P(y), which bounds I(X;Y) pointwise [E, Def. 7].

    >>> import sfumato as sf
    >>> coin = sf.Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> round(sf.measures.max_information_bits(coin), 4)  # log2(3/2)
    0.585
    >>> round(sf.measures.max_information_bits(coin, [0.9, 0.1]), 4)  # a rare answer that is reported tells more
    1.3219
    """
    return max_information_interval(channel, prior).midpoint


def max_information_interval(channel: ChannelLike, prior: Prior = None) -> Interval:
    """Enclose the max-information. The prior must be positive: an impossible input has no information to give.

    Raises:
        InvalidLaw: the prior holds a zero.

    >>> import sfumato as sf
    >>> found = sf.measures.max_information_interval(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> round(found.upper, 4), found.width < 1e-14
    (0.585, True)
    """
    channel = as_channel(channel)
    law = as_prior(prior, channel)
    if min(law.distinct) == 0:
        raise InvalidLaw(
            "has a zero, and max-information needs every input possible", parameter="prior", way_out="Drop that input."
        )
    worst: Number = Fraction(0)
    if law.is_uniform:
        pairs = [(high, total / channel.shape[0]) for high, total, _ in channel.column_peaks()]
    else:
        pairs = list(zip(_largest_by_output(channel), channel.output_law(law), strict=True))
    for high, mass in pairs:
        if high > 0:
            worst = max(worst, high / mass)
    # In floats P(y) is a sum over the inputs, each term of which is rounded.
    return log2_interval(worst, ulps=channel.shape[0] + 8).at_least(0.0)


def _largest_by_output(channel: AnyChannel) -> list[Number]:
    """max_x P(y|x) for each y: the weighted maxima of a uniform prior, unweighted."""
    uniform = Distribution.uniform(channel.shape[0], channel.inputs)
    return [value * channel.shape[0] for value in channel.weighted_maxima(uniform)]


def _conditional_entropy_interval(channel: AnyChannel, law: Distribution) -> Interval:
    lower, upper = [], []
    for profile, inputs in channel.row_profiles():
        # The whole input set weighs exactly 1; a float sum could fall short of it.
        weight = 1.0 if len(inputs) == channel.shape[0] else math.fsum(law.array[inputs.start : inputs.stop])
        row = entropy_interval(profile)
        lower.append(weight * row.lower)
        upper.append(weight * row.upper)
    return Interval(math.fsum(lower), math.fsum(upper)).widened(1e-15 * math.fsum(upper))


def _information_terms(channel: Channel, law: Distribution) -> Iterator[tuple[float, float]]:
    """P(x)P(y|x) and P(y|x)/P(y) as correctly rounded floats, without the exact terms whose ratio is 1."""
    if channel.exact and law.exact:
        numerators, _ = channel.integers()
        weights, scale = common_numerators([law.fractions])
        masses = weights[0].dot(numerators)
        for x, row in enumerate(numerators):
            for value, entry, mass in zip(row, channel.array[x], masses, strict=True):
                if value and weights[0][x] and value * scale != mass:
                    weight = float(law.array[x] * entry)
                    # A weight too small for a double has a ratio that may be, too; it only counts as rounding.
                    yield (weight, (value * scale) / mass) if weight else (0.0, 1.0)
        return
    outputs = [math.fsum(column) for column in (law.array[:, None] * channel.array).T.tolist()]
    for share, float_row in zip(law.array.tolist(), channel.array.tolist(), strict=True):
        for entry, mass in zip(float_row, outputs, strict=True):
            if share * entry:
                yield share * entry, entry / mass
