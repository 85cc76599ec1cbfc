"""What no survey can beat: the theorems of [C] as functions.

Each maximum is the value of the optimal pair itself; tests compare it with a linear programme over likelihood ratios.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato import measures
from sfumato.design.limits import Limits
from sfumato.design.surveys import best_design
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob import Channel, Distribution
from sfumato.values.checks import Number, as_exact, check_between
from sfumato.values.types import Real


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimalFor:
    """The only weight, and the guess error at it, for which a pair is optimal.

    >>> import sfumato as sf
    >>> found = sf.design.optimal_weight(sf.design.survey(guess_error=0.3, weight=0.4).channel)
    >>> found.weight, found.guess_error
    (Fraction(2, 5), Fraction(3, 10))
    """

    weight: Fraction
    guess_error: Fraction


def optimal_weight(channel: Channel) -> OptimalFor | None:
    """For which weight does this yes/no channel have the most Fisher information at its guess error? [C, Thm 2]

    A pair is optimal iff every report that both answers can give has the same likelihood ratio p_1/p_0 = (1-w)/w. So
    there is at most one such weight; None means that some other pair is better for every weight.

    Raises:
        InvalidLaw: the channel has not exactly two answers.

    >>> import sfumato as sf
    >>> sf.design.optimal_weight(sf.design.survey(guess_error=0.3, weight=0.4).channel)
    OptimalFor(weight=Fraction(2, 5), guess_error=Fraction(3, 10))
    >>> sf.design.optimal_weight(sf.design.warner(guess_error=0.3).channel) is None
    True
    """
    if channel.shape[0] != 2:
        raise InvalidLaw(
            f"the channel has {channel.shape[0]} inputs; a yes/no question has 2", way_out="Pick its two rows."
        )
    first, second = channel.to_exact().rows
    shared = [(Fraction(p), Fraction(q)) for p, q in zip(first, second, strict=True) if p > 0 and q > 0]
    ratios = {q / p for p, q in shared}
    if len(ratios) != 1:
        return None  # several ratios can be improved on; without a shared report the guess error is 0
    weight = 1 / (1 + ratios.pop())
    error = (1 - weight) * sum((p for p, _ in shared), Fraction(0))
    # A guess error of ½ leaves no room for any information: such a pair says nothing.
    return OptimalFor(weight=weight, guess_error=error) if error < Fraction(1, 2) else None


def largest_fisher_information(limits: Limits, theta: Real, *, outputs: int = 3) -> Fraction:
    """The maxima of [C, Thm 1] in closed form, exact; for a limit on the guess error alone.

    The print gives the right values and swaps the two-output pairs that reach them.

    Raises:
        InvalidParameter: ε is limited too, or `theta` is not strictly between 0 and 1.

    >>> import sfumato as sf
    >>> from fractions import Fraction
    >>> limits = sf.design.Limits.of(guess_error=0.375)
    >>> [str(sf.design.largest_fisher_information(limits, 0.1, outputs=outputs)) for outputs in (3, 2)]
    ['25/9', '100/39']
    >>> sf.design.survey(guess_error=0.375).fisher_information(Fraction(1, 10))
    Fraction(25, 9)
    """
    if limits.max_odds != math.inf:
        raise InvalidParameter(
            "the closed form knows no limit on `epsilon`", way_out="Ask the design for its Fisher information."
        )
    a, w, share = limits.guess_error, limits.weight, as_exact("theta", theta)
    if not 0 < share < 1:
        raise InvalidParameter(
            "must lie strictly between 0 and 1", parameter="theta", value=theta, way_out="Move it inside."
        )
    check_between("outputs", outputs, 2, 3)
    if outputs == 3:
        return (1 - a / (w * (1 - share) + (1 - w) * share)) / (share * (1 - share))
    if share <= (w - a) / limits.delta:
        return (w - a) / (share * (w * (1 - share) + a * share))
    return (1 - w - a) / ((1 - share) * (a * (1 - share) + (1 - w) * share))


def largest_f_divergence(
    limits: Limits, theta_1: Real, theta_2: Real, f: Callable[[float], float], *, slope_at_infinity: float
) -> float:
    """max D_f(p_θ1‖p_θ2) over all surveys within the limits [C, Thm 3]; one design reaches it for every f.

    With f(t) = |t - 1|/2 it is the total variation between the laws of a report.

    >>> import sfumato as sf
    >>> limits = sf.design.Limits.of(guess_error=0.375)
    >>> def half_distance(ratio):
    ...     return abs(ratio - 1) / 2
    >>> round(sf.design.largest_f_divergence(limits, 0.1, 0.9, half_distance, slope_at_infinity=0.5), 4)
    0.2
    """
    first, second = _laws(limits, theta_1, theta_2)
    return measures.f_divergence(first, second, f, slope_at_infinity=slope_at_infinity)


def largest_renyi_nats(limits: Limits, theta_1: Real, theta_2: Real, order: float) -> float:
    """max D_α(p_θ1‖p_θ2), α = 1+s in [C, Cor. 1].

    Order 1 is the Kullback-Leibler divergence.

    >>> import sfumato as sf
    >>> limits = sf.design.Limits.of(guess_error=0.375)
    >>> [round(sf.design.largest_renyi_nats(limits, 0.1, 0.9, order), 4) for order in (0.5, 1, 2)]
    [0.2107, 0.4394, 1.0217]
    """
    first, second = _laws(limits, theta_1, theta_2)
    return measures.renyi_nats(first, second, order)


def largest_chernoff_nats(limits: Limits, theta_1: Real, theta_2: Real) -> float:
    """The fastest exponent at which the error of telling θ1 from θ2 can fall [C, Sec. V].

    >>> import sfumato as sf
    >>> limits = sf.design.Limits.of(guess_error=0.375)
    >>> round(sf.design.largest_chernoff_nats(limits, 0.1, 0.9), 4)
    0.1054
    """
    first, second = _laws(limits, theta_1, theta_2)
    return measures.chernoff_information_nats(first, second)


def _laws(limits: Limits, theta_1: Real, theta_2: Real) -> tuple[Sequence[Number], Sequence[Number]]:
    channel = best_design(limits).channel
    first, second = (share_law(channel, theta) for theta in (theta_1, theta_2))
    return first, second


def share_law(channel: Channel, theta: Real) -> tuple[Number, ...]:
    """p_θ = (1-θ)p_0 + θ p_1: the law of a report when a share θ holds the second answer.

    >>> import sfumato as sf
    >>> channel = sf.design.warner(guess_error=0.25).channel
    >>> [float(p) for p in sf.design.share_law(channel, 0.1)]
    [0.7, 0.3]
    """
    share = as_exact("theta", theta)
    check_between("theta", share, 0, 1)
    return channel.output_law(Distribution([1 - share, share], channel.inputs))
