"""Entropies, mutual information, max-information, recovery from a report and a key, and the gap of a seed.

Refs: [Sha48]; [E, Def. 7] for max-information; [B, eq. (2)] for the randomness of a report.
Theory: docs/theory/shannon.md
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from sfumato.errors import InvalidLaw
from sfumato.measures.guessing import Prior
from sfumato.numbers.checks import Number, Real, as_exact, check_at_least, check_between, check_integer
from sfumato.numbers.exact import ROW_SUM_TOLERANCE, common_numerators
from sfumato.numbers.intervals import (
    Interval,
    entropy_interval,
    expected_log2_interval,
    float_above,
    log2_bounds,
    log2_interval,
)
from sfumato.prob.channel import Channel
from sfumato.prob.distribution import Distribution, DistributionLike, as_distribution
from sfumato.prob.operations import as_prior
from sfumato.prob.structured import AnyChannel, ChannelLike, as_channel


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
    """I(X;Y) in bits under a prior, uniform when none is given: the average information of a report [Sha48].

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


# --- Recovery: whether X follows from the report and a key independent of X. Ref: [B, Lemma 6]; Birkhoff's theorem
#
# max_y Σ_x Q(y|x) ≤ 1 is necessary and sufficient: such a channel can be padded to a doubly stochastic matrix, which
# is a mixture of permutations; the key is the permutation that was drawn.


def heaviest_output(channel: ChannelLike) -> Number:
    """max_y Σ_x Q(y|x): at most 1 exactly where some key turns reports back into data [B, Lemma 6].

    >>> import sfumato as sf
    >>> sf.measures.heaviest_output(sf.Channel([[0.5, 0.5, 0], [0.5, 0, 0.5]]))
    1.0
    >>> sf.measures.heaviest_output(sf.Channel([[0.75, 0.25], [0.75, 0.25]]))
    1.5
    """
    return max(total for total, _ in as_channel(channel).column_sums())


def is_recoverable(channel: ChannelLike) -> bool:
    """Whether a key exists that turns reports back into data. Exact for exact channels.

    >>> import sfumato as sf
    >>> sf.measures.is_recoverable(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    True
    >>> sf.measures.is_recoverable(sf.Channel([[0.75, 0.25], [0.75, 0.25]]))  # both answers give report 0 too often
    False
    """
    channel = as_channel(channel)
    return heaviest_output(channel) <= (1 if channel.exact else 1 + ROW_SUM_TOLERANCE)


# --- The gap of a seed: what keys expanded from a seed add to a leak, against readers who compute within limits
#
# Theory: docs/theory/pseudorandom_keys.md


# log2 e = 1.44269504088896340735…
_LOG2_E_UP = Fraction(1442695040888963408, 10**18)


def prf_gap_bits(advantage: Real, values: int) -> float:
    """h2(a) + a·log2(values - 1) bits, rounded up: what pseudorandom draws can add to I(X;D) for any decoder D.

    Nobody who computes as long as drawing all data, the reports and D takes must tell the draws from true ones with
    more than `advantage` = a; X has so many `values`. With a ≥ 1 - 1/values nothing but log2(values) is known.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.measures.prf_gap_bits(Fraction(1, 2**60), 10) < 1e-15
    True
    >>> round(sf.measures.prf_gap_bits(Fraction(1, 100), 10), 4)
    0.1125
    """
    a = as_exact("advantage", advantage)
    check_between("advantage", a, 0, 1)
    check_at_least("values", check_integer("values", values), 2)
    if a == 0:
        return 0.0
    most = _log2_above(Fraction(values))
    if a >= 1 - Fraction(1, values):
        return float_above(most)
    # (1-a)·ln(1/(1-a)) ≤ a, which is all but exact where a is so small that no logarithm can tell 1 - a from 1.
    other = min((1 - a) * _log2_above(1 / (1 - a)), a * _LOG2_E_UP)
    return float_above(min(most, a * _log2_above(1 / a) + other + a * _log2_above(Fraction(values - 1))))


def _log2_above(value: Fraction) -> Fraction:
    return Fraction(log2_bounds(value)[1])
