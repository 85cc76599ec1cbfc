"""Guess errors, min-entropy leakage, maximal leakage, exposure and posterior probabilities.

Refs: [A, eq. (8)] for the guess error; [Smith09] for min-entropy leakage; [IWK20] for maximal leakage. Theory:
docs/theory/guessing.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.numbers.checks import Number, as_number, check_between, check_integer
from sfumato.numbers.exact import FEW_ENTRIES, FloatArray, are_laws, is_law
from sfumato.numbers.intervals import Interval, log2_interval
from sfumato.prob.distribution import Distribution, DistributionLike, Label
from sfumato.prob.operations import as_prior, coarsen
from sfumato.prob.structured import AnyChannel, ChannelLike, as_channel

Prior = DistributionLike | None
Function = Mapping[Label, Label] | Callable[[Label], Label]


def guess_error(channel: ChannelLike, prior: Prior = None, *, of: Function | None = None) -> Number:
    """Return how often the best guesser of X, or of a function `of` X, is wrong after seeing Y.

    1 - Σ_y max_x P(x)P(y|x); a Fraction when channel and prior are exact.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    >>> sf.measures.guess_error(coin), sf.measures.guess_error(coin, [Fraction(9, 10), Fraction(1, 10)])
    (Fraction(1, 4), Fraction(1, 10))
    >>> four = sf.mechanisms.RandomizedResponse(size=4, odds=3).channel()
    >>> sf.measures.guess_error(four), sf.measures.guess_error(four, of=lambda answer: answer % 2)  # only: odd or even
    (Fraction(1, 2), Fraction(1, 3))
    """
    channel, law = _about(channel, prior, of)
    return _complement(_right_guesses(channel, law))


def worst_guess_error(channel: ChannelLike, prior: Prior = None, *, of: Function | None = None) -> Number:
    """Return how often the best guesser of X, or of a function `of` X, is wrong at least, whatever the report Y is.

    1 - max_y max_x P(x|y) over the reports that can be; the guess error is an average over reports, and never less.

    >>> import sfumato as sf
    >>> silent = sf.Channel([[0.8, 0, 0.2], [0, 0.8, 0.2]])  # the truth, or silence
    >>> round(sf.measures.guess_error(silent), 4), sf.measures.worst_guess_error(silent)
    (0.1, 0.0)
    """
    return worst_report(channel, prior, of=of)[1]


def worst_report(channel: ChannelLike, prior: Prior = None, *, of: Function | None = None) -> tuple[int, Number]:
    """Return the place of the report after which a guess is safest, the first of them, and how often it is wrong.

    >>> import sfumato as sf
    >>> place, error = sf.measures.worst_report(sf.Channel([[0.75, 0.25], [0.5, 0.5]]), [0.5, 0.5])
    >>> place, round(error, 4)  # report 1 speaks for the second answer more than report 0 does for the first
    (1, 0.3333)
    """
    channel, law = _about(as_channel(channel).to_dense(), prior, of)
    best: tuple[int, Number] | None = None
    for y, (peak, mass) in enumerate(zip(channel.weighted_maxima(law), channel.output_law(law), strict=True)):
        if mass > 0 and (best is None or peak / mass > best[1]):
            best = y, peak / mass
    place, sure = (0, 1) if best is None else best
    return place, _complement(sure)


def prior_guess_error(channel: ChannelLike, prior: Prior = None, *, of: Function | None = None) -> Number:
    """Return how often the best guesser is wrong who has not seen Y: 1 - max_x P(x).

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    >>> sf.measures.prior_guess_error(coin, [Fraction(9, 10), Fraction(1, 10)])
    Fraction(1, 10)
    """
    _, law = _about(channel, prior, of)
    return 1 - max(law.distinct)


def min_entropy_leakage_bits(channel: ChannelLike, prior: Prior = None, *, of: Function | None = None) -> float:
    """By how many bits seeing Y multiplies the chance of a right guess: log2(chance after/chance before) [Smith09].

    Rows of float64 in an array are checked and read as they are, without a channel made of them: who asks this of many
    small channels waits less.

    >>> import sfumato as sf
    >>> coin = sf.Channel([[0.75, 0.25], [0.25, 0.75]])
    >>> round(sf.measures.min_entropy_leakage_bits(coin), 4)  # log2 of 3/4 over 1/2
    0.585
    >>> round(sf.measures.min_entropy_leakage_bits(coin, [0.9, 0.1]), 4)  # the guess stays "no"
    0.0
    """
    return min_entropy_leakage_interval(channel, prior, of=of).midpoint


def min_entropy_leakage_interval(channel: ChannelLike, prior: Prior = None, *, of: Function | None = None) -> Interval:
    """Enclose the min-entropy leakage, in bits, of a channel or of its rows in an array.

    >>> import sfumato as sf
    >>> found = sf.measures.min_entropy_leakage_interval(sf.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> round(found.upper, 4), found.width < 1e-14
    (0.585, True)
    """
    if isinstance(channel, np.ndarray):
        gain = _gain_of_arrays(channel, prior) if of is None else None
        if gain is not None:
            return log2_interval(gain).at_least(0.0)
    channel, law = _about(channel, prior, of)
    return log2_interval(_right_guesses(channel, law) / max(law.distinct)).at_least(0.0)


def maximal_leakage_bits(channel: ChannelLike) -> float:
    """Return the most by which Y can help to guess any function of X under any prior: log2 Σ_y max_x P(y|x).

    >>> import sfumato as sf
    >>> round(sf.measures.maximal_leakage_bits(sf.Channel([[0.75, 0.25], [0.25, 0.75]])), 4)  # log2(3/2)
    0.585
    """
    return maximal_leakage_interval(channel).midpoint


def maximal_leakage_interval(channel: ChannelLike) -> Interval:
    """Enclose the maximal leakage, in bits.

    >>> import sfumato as sf
    >>> found = sf.measures.maximal_leakage_interval(sf.mechanisms.RandomizedResponse(size=4, odds=3).channel())
    >>> 1.0 in found, found.width < 1e-14
    (True, True)
    """
    return log2_interval(_sum_of_maxima(as_channel(channel))).at_least(0.0)


def _about(channel: ChannelLike, prior: Prior, of: Function | None) -> tuple[AnyChannel, Distribution]:
    channel = as_channel(channel)
    law = as_prior(prior, channel)
    return (channel, law) if of is None else coarsen(channel.to_dense(), law, of)


def _right_guesses(channel: AnyChannel, law: Distribution) -> Number:
    """Σ_y max_x P(x)P(y|x)."""
    if law.is_uniform:
        return law.probabilities[0] * _sum_of_maxima(channel)
    return _total(channel.weighted_maxima(law))


def _gain_of_arrays(rows: NDArray[Any], prior: Prior) -> float | None:
    """Σ_y max_x P(x)P(y|x) / max_x P(x), rounded three times; None where an array has to be looked at more closely."""
    if rows.dtype != np.float64 or rows.ndim != 2 or rows.size == 0:
        return None
    given = np.full(len(rows), 1 / len(rows)) if prior is None else prior
    if not isinstance(given, np.ndarray) or given.dtype != np.float64 or given.shape != rows.shape[:1]:
        return None
    law = cast("FloatArray", given)
    weights: list[float] = law.tolist()
    if not is_law(weights):
        return None
    if rows.size <= FEW_ENTRIES:
        table = rows.tolist()
        if not all(map(is_law, table)):
            return None
        weighted = [[weight * p for p in row] for weight, row in zip(weights, table, strict=True)]
        return math.fsum(map(max, *weighted)) / max(weights) if len(table) > 1 else 1.0
    if not are_laws(rows):
        return None
    return math.fsum(np.maximum.reduce(law[:, None] * rows, axis=0).tolist()) / max(weights)


def _sum_of_maxima(channel: AnyChannel) -> Number:
    """Σ_y max_x P(y|x), columns that share their extremes taken together."""
    return _total([high * count for high, _, count in channel.column_extremes()])


def _total(values: Sequence[Number]) -> Number:
    # fsum rounds once, which the bounds on a logarithm's error rely on.
    return math.fsum(values) if isinstance(values[0], float) else sum(values, Fraction(0))


def _complement(right: Number) -> Number:
    # In float64 the sum may pass 1 by rounding; an error below zero would be nonsense.
    error = 1 - right
    return error if error > 0 else type(error)(0)


# --- Exposure: how often a report proves the answer behind it, which is positive only if epsilon = ∞


def exposure(channel: ChannelLike) -> Number:
    """Return the largest probability over the inputs that a report is possible under that input alone.

    >>> import sfumato as sf
    >>> sf.measures.exposure(sf.Channel([[0.9, 0.1, 0], [0, 0.6, 0.4]]))
    0.9
    """
    return max(exposures(channel))


def exposures(channel: ChannelLike) -> tuple[Number, ...]:
    """For each input, the probability that its report rules out every other input.

    >>> import sfumato as sf
    >>> sf.measures.exposures(sf.Channel([[0.9, 0.1, 0], [0, 0.6, 0.4]]))  # reports 0 and 2 prove the answer
    (0.9, 0.4)
    """
    dense = as_channel(channel).to_dense()
    possible = dense.array > 0 if not dense.exact else dense.integers()[0] > 0
    revealing = possible.sum(axis=0) == 1
    return tuple(
        sum((value for value, alone in zip(row, revealing, strict=True) if alone), Fraction(0)) for row in dense.rows
    )


# --- Posteriors by Bayes' rule, and the largest posterior given the share of one answer
#
# A prior on all answers is seldom known; a share of one answer is. Then the worst case over how the others are spread
# is at one of them alone, so two probabilities of a report suffice, its largest and its smallest. Theory:
# docs/theory/posteriors.md


def posterior(channel: ChannelLike, prior: DistributionLike, report: int) -> tuple[Number, ...]:
    """P(.|y) of the report at a place, by Bayes' rule; a report that cannot occur leaves the prior as it was.

    Exact when channel and prior are.

    Raises:
        InvalidLaw: the prior has not one entry for each answer.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.surveys.warner_device(Fraction(3, 4)).channel
    >>> sf.measures.posterior(coin, sf.Distribution([Fraction(9, 10), Fraction(1, 10)]), report=1)  # after a "yes"
    (Fraction(3, 4), Fraction(1, 4))
    """
    channel = as_channel(channel)
    law = as_prior(prior, channel)
    check_between("report", check_integer("report", report), 0, channel.shape[1] - 1, way_out="Count reports from 0.")
    masses = [share * channel[x, report] for x, share in enumerate(law.probabilities)]
    total = sum(masses)
    return tuple(mass / total for mass in masses) if total else law.probabilities


def raised_share(share: Number, favoured: Number, other: Number) -> Number:
    """P(x|y) when a share holds x, x gives y with probability `favoured`, and all others with probability `other`.

    A report that neither gives leaves the share as it was.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.measures.raised_share(Fraction(1, 10), favoured=Fraction(3, 4), other=Fraction(1, 4))
    Fraction(1, 4)
    """
    hit, miss = share * favoured, (1 - share) * other
    return hit / (hit + miss) if hit + miss else share


def largest_posterior(channel: ChannelLike, share: Number) -> Number:
    """Return the most that P(x|y) is for any answer x, held by `share`, and any report y, however the others are held.

    Among the others the worst is that all hold the answer that gives y least, so no prior with that share does more.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> five = sf.mechanisms.RandomizedResponse(size=5, odds=3).channel()
    >>> sf.measures.largest_posterior(five, Fraction(1, 10))  # o·s/(o·s + 1 - s)
    Fraction(1, 4)
    """
    held = _checked(share)
    return max(raised_share(held, high, low) for high, low, _ in as_channel(channel).column_extremes())


def largest_even_posterior(channel: ChannelLike, share: Number) -> Number:
    """Return the most that P(x|y) is when all other answers are equally frequent: one prior rather than the worst.

    >>> import sfumato as sf
    >>> three = sf.Channel([[0.6, 0.2, 0.2], [0.4, 0.4, 0.2], [0.1, 0.1, 0.8]])
    >>> round(sf.measures.largest_even_posterior(three, 0.1), 4), round(sf.measures.largest_posterior(three, 0.1), 4)
    (0.3077, 0.4)
    """
    channel = as_channel(channel)
    held, others = _checked(share), channel.shape[0] - 1
    if not others:
        return Fraction(1)
    return max(raised_share(held, high, (total - high) / others) for high, total, _ in channel.column_peaks())


def _checked(share: Number) -> Number:
    found = as_number("share", share)
    check_between("share", found, 0, 1)
    return found
