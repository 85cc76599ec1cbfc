"""What the best guesser gains: Bayes error, min-entropy leakage and maximal leakage.

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

from sfumato.measures.enclosures import log2_interval
from sfumato.prob import AnyChannel, ChannelLike, Distribution, DistributionLike, as_channel, as_prior, coarsen
from sfumato.prob.alphabet import Label
from sfumato.prob.exact import FEW_ENTRIES, FloatArray, are_laws, is_law
from sfumato.values.checks import Number
from sfumato.values.interval import Interval

Prior = DistributionLike | None
Function = Mapping[Label, Label] | Callable[[Label], Label]


def guess_error(channel: ChannelLike, prior: Prior = None, *, of: Function | None = None) -> Number:
    """Return how often the best guesser of X, or of a function `of` X, is wrong after seeing Y.

    1 - Σ_y max_x P(x)P(y|x); a Fraction when channel and prior are exact.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(Fraction(3, 4)).channel
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
    >>> coin = sf.design.warner_device(Fraction(3, 4)).channel
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
