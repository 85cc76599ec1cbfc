"""How many options to ask about: more means more respondents for each option, and more noise in each report.

At ε/m each, the share of an option that a half chose has k/(4nm)·coth²(ε/2m) as its variance; that is least where each
flip has about ε = 2.18.   Theory: docs/theory/several.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence

MOST_ASKED = 16
"""Bits of a report."""


def choices(options: int) -> range:
    """How many options a respondent can be asked about."""
    return range(1, min(options, MOST_ASKED) + 1)


def flip_deviation(epsilon: float, share: float) -> float:
    """√n times the standard deviation of a share read from flips at epsilon, which are all asked the same."""
    gap = math.tanh(epsilon / 2)
    hit = (1 + gap * (2 * share - 1)) / 2
    return math.sqrt(hit * (1 - hit)) / gap


def option_deviation(options: int, asked: int, epsilon: float, share: float = 0.5) -> float:
    """√n times the standard deviation of the share of an option, when so many of them are asked at epsilon in all."""
    return math.sqrt(options / asked) * flip_deviation(epsilon / asked, share)


def best_asked(options: int, epsilons: Sequence[float], share: float = 0.5) -> int:
    """Return how many options to ask about: the worst ratio, over the levels, of error to least error is smallest.

    `share` is the share of those who choose an option at which errors are compared; a half is the worst.
    """
    errors = {m: [option_deviation(options, m, epsilon, share) for epsilon in epsilons] for m in choices(options)}
    least = [min(level) for level in zip(*errors.values(), strict=True)]
    return min(errors, key=lambda m: max(one / best for one, best in zip(errors[m], least, strict=True)))
