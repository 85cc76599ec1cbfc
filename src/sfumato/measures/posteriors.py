"""What a report makes of a belief: Bayes' rule, and the most that it can make of the share of one answer.

A prior on all answers is seldom known. A share of one answer is: then the worst case over how the others are spread is
at one of them alone, so two probabilities of a report, its largest and its smallest, are all that counts.
Theory: docs/theory/posteriors.md
"""

from __future__ import annotations

from fractions import Fraction

from sfumato.prob import ChannelLike, DistributionLike, as_channel, as_prior
from sfumato.values.checks import Number, as_number, check_between, check_integer


def posterior(channel: ChannelLike, prior: DistributionLike, report: int) -> tuple[Number, ...]:
    """P(.|y) of the report at a place, by Bayes' rule; a report that cannot occur leaves the prior as it was.

    Exact when channel and prior are.

    Raises:
        InvalidLaw: the prior has not one entry for each answer.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(Fraction(3, 4)).channel
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
