"""Fisher information: how much one report says about the parameter that a survey wants to learn. Ref: [C, Sec. II]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.errors import InvalidLaw
from sfumato.prob import ChannelLike, DistributionLike, LawLike, as_channel, as_distribution
from sfumato.prob.exact import SupportsArray, entries_of
from sfumato.values.checks import Number, as_number, check_between


def fisher_information(channel: ChannelLike, theta: Number) -> Number:
    """J_θ of a yes/no channel when a share θ holds the second input: Σ (p_1-p_0)²/((1-θ)p_0+θp_1).

    Exact when channel and θ are; infinite where a possible change has zero probability (θ at an end).

    Raises:
        InvalidLaw: the channel has not two answers.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(Fraction(3, 4)).channel
    >>> sf.measures.fisher_information(coin, Fraction(1, 2))  # asked directly it is 4: a fourth of the people
    Fraction(1, 1)
    """
    channel = as_channel(channel)
    if channel.shape[0] != 2:
        raise InvalidLaw(
            f"has {channel.shape[0]} inputs, and the share of one of two answers needs 2",
            parameter="channel",
            way_out="Use family_information for other families.",
        )
    share = as_number("theta", theta)
    check_between("theta", share, 0, 1)
    first, second = channel.rows
    law = [(1 - share) * p + share * q for p, q in zip(first, second, strict=True)]
    return _information(law, [q - p for p, q in zip(first, second, strict=True)])


def family_information(law: DistributionLike, derivative: LawLike | SupportsArray) -> Number:
    """Σ (∂p)²/p for any one-parameter family, given the law and its derivative at one point.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> sf.measures.family_information([Fraction(1, 2), Fraction(1, 2)], [-1, 1])  # a share, asked directly
    Fraction(4, 1)
    """
    probabilities = as_distribution(law, "law").probabilities
    way_out = "Give one for each outcome."
    entries = entries_of("derivative", derivative, rule="must be a list of numbers", way_out=way_out)
    if len(entries) != len(probabilities):
        raise InvalidLaw(
            f"has {len(entries)} entries and `law` has {len(probabilities)}", parameter="derivative", way_out=way_out
        )
    return _information(probabilities, [as_number(f"derivative[{i}]", slope) for i, slope in enumerate(entries)])


def _information(law: Sequence[Number], derivative: Sequence[Number]) -> Number:
    total: Number = Fraction(0)
    for p, slope in zip(law, derivative, strict=True):
        if p > 0:
            total += slope * slope / p
        elif slope != 0:
            return math.inf
    return total
