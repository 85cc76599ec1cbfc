"""How many respondents: for an interval of a given half-width, or for a test of given errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.infer.intervals import Method, share_interval
from sfumato.infer.share_model import ShareModel
from sfumato.infer.testing import test_errors
from sfumato.prob import Channel
from sfumato.prob.share_screens import PRECISION, near_share_interval
from sfumato.values.checks import check_between, check_positive

MOST_RESPONDENTS = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Respondents:
    """How many are needed, and what they achieve: the half-width, or the larger of the two error probabilities.

    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(0.75).channel
    >>> needed = sf.infer.respondents_for_half_width(coin, 0.1, 0.05)
    >>> needed.n, round(needed.achieved, 4)
    (1312, 0.05)
    """

    n: int
    achieved: float


def respondents_for_half_width(
    channel: Channel, theta: float, half_width: float, *, confidence: float = 0.95, method: Method = Method.EXACT
) -> Respondents:
    """Return the least n whose interval, at the counts expected for `theta`, is at most 2·half_width wide.

    Wald's rule n = z²/(J·h²) is where the search begins; the interval itself decides.

    Raises:
        InvalidParameter: more than a hundred million respondents would be needed.

    >>> import sfumato as sf
    >>> for truth in (0.75, 0.9):  # the coin that protects more takes more people
    ...     coin = sf.design.warner_device(truth).channel
    ...     print(truth, sf.infer.respondents_for_half_width(coin, theta=0.1, half_width=0.05).n)
    0.75 1312
    0.9 371
    """
    n = number_for_half_width(channel, theta, half_width, confidence=confidence, method=method)
    model = ShareModel.of(channel)
    found = share_interval(model, expected_counts(model, theta, n), confidence=confidence, method=method)
    return Respondents(n=n, achieved=found.width / 2)


def number_for_half_width(
    channel: Channel, theta: float, half_width: float, *, confidence: float = 0.95, method: Method = Method.EXACT
) -> int:
    """Return the same number alone: the interval at it is then never worked out to its last digit."""
    check_between("theta", theta, 0, 1)
    check_between("half_width", half_width, 1e-4, 0.5)
    check_between("confidence", confidence, 0.5, 1 - 1e-12)
    model = ShareModel.of(channel)
    is_screened = method is Method.EXACT and len(model.first) == 2

    def is_enough(n: int) -> bool:
        counts = expected_counts(model, theta, n)
        if is_screened:
            low, high = near_share_interval(counts[1], n, float(model.first[1]), float(model.second[1]), confidence)
            if abs((high - low) / 2 - half_width) > PRECISION:
                return (high - low) / 2 < half_width
        return share_interval(model, counts, confidence=confidence, method=method).width / 2 <= half_width

    information = min(model.information(theta), 1e12)
    guess = max(2, math.ceil((1.96 / half_width) ** 2 / information))
    return _least(is_enough, guess, "half_width", half_width)


def respondents_for_test(channel: Channel, theta_1: float, theta_2: float, *, error: float) -> Respondents:
    """Return the least n found at which the likelihood-ratio test errs with probability at most `error`, either way.

    The error falls with n but not at every step; the n returned is reached, and at most a few smaller ones might be.

    Raises:
        InvalidParameter: more than a hundred million respondents would be needed, or the two shares are the same.

    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(0.75).channel
    >>> needed = sf.infer.respondents_for_test(coin, 0.1, 0.2, error=0.05)
    >>> needed.n, round(needed.achieved, 4)
    (969, 0.0484)
    """
    check_positive("error", error)
    check_between("error", error, 1e-12, 0.5)

    def worst(n: int) -> float:
        errors = test_errors(channel, theta_1, theta_2, n)
        return max(errors.wrong_if_first, errors.wrong_if_second)

    exponent = test_errors(channel, theta_1, theta_2, 1).exponent
    n = _least(lambda n: worst(n) <= error, max(1, math.ceil(-math.log(2 * error) / exponent)), "error", error)
    return Respondents(n=n, achieved=worst(n))


def expected_counts(model: ShareModel, theta: float, n: int) -> tuple[int, ...]:
    """n·p_θ in whole numbers that sum to n, by largest remainders."""
    shares = model.law(theta) * n
    counts = np.floor(shares).astype(int)
    order = np.argsort(-(shares - counts), kind="stable")
    counts[order[: n - int(counts.sum())]] += 1
    return tuple(counts.tolist())


def _least(enough: Callable[[int], bool], guess: int, name: str, value: float) -> int:
    """Return the least n that is enough, taking "enough" as monotone: bracket it near the guess, then bisect."""
    low, high = guess, guess
    while high > MOST_RESPONDENTS or not enough(high):
        if high > MOST_RESPONDENTS:
            raise InvalidParameter(
                f"would need more than {MOST_RESPONDENTS} respondents",
                parameter=name,
                value=value,
                way_out="Ask for less precision or less privacy.",
            )
        low, high = high, high + max(1, high // 5)
    while low == high and low > 0:
        low = high - max(1, high // 5)
        if low > 0 and enough(low):
            high = low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
