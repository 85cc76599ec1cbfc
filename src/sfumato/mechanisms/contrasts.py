"""What the reports about public yes/no questions say of shares: scores, and the variance of what comes of them.

The contrast of question j is t_j = 2p(B_j) - 1, B_j being the answers that say yes. A report gets a score whose mean is
1 for yes and -1 for no, so the mean score of those who were asked j estimates t_j, and the shares are one transform
away. A score has E[score²] = a + b·t_j, and every share the variance Σ_j (a + b·t_j - t_j²)/n_j / K².
Proof: docs/theory/binary_hadamard.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms.walsh import exact_walsh_hadamard, power_of_two_from, walsh_hadamard
from sfumato.prob.exact import common_numerators

FloatArray = npt.NDArray[np.float64]
Law = tuple[Fraction, ...]
Moment = tuple[Fraction, Fraction]
"""a and b of E[score²] = a + b·t."""


def scores(yes: Law, no: Law) -> tuple[Fraction, ...]:
    """Return what a report counts towards a contrast, given the laws of those who say yes and of those who say no.

    Reports are yes, no and, where some stay silent, silence, which counts nothing.
    """
    if yes == no:
        raise InvalidParameter(
            "makes every report pure noise; nothing can be estimated",
            parameter="odds",
            value=1,
            way_out="Raise `odds`.",
        )
    step = 2 / (yes[0] - no[0])
    base = (1 - step * yes[0]) / (yes[0] + yes[1])
    return (base + step, base, Fraction(0))[: len(yes)]


def second_moment(yes: Law, no: Law) -> Moment:
    """Return a and b of E[score²] = a + b·t for a question with contrast t."""
    counted = scores(yes, no)
    inside, outside = (sum((p * s * s for p, s in zip(law, counted, strict=True)), Fraction(0)) for law in (yes, no))
    return (inside + outside) / 2, (inside - outside) / 2


def share_variance(shares: FloatArray, asked: FloatArray, moment: Moment) -> float:
    """Var(raw_x), the same for every x, when question j was asked of `asked[j-1]` people."""
    padded = np.zeros(asked.size + 1)
    padded[: shares.size] = shares
    found = walsh_hadamard(padded)[1:]
    constant, slope = (float(c) for c in moment)
    return math.fsum((constant + slope * found - found**2) / asked) / padded.size**2


def exact_share_variance(shares: Sequence[Fraction], asked: npt.NDArray[np.int64], moment: Moment) -> Fraction:
    """Return the same as a Fraction: questions that were asked equally often are summed together."""
    numerators, whole = common_numerators([shares])
    padded: npt.NDArray[Any] = np.zeros(asked.size + 1, dtype=object)
    padded[: len(shares)] = numerators[0]
    found = exact_walsh_hadamard(padded)[1:]
    constant, slope = moment
    total = Fraction(0)
    for times in np.unique(asked).tolist():
        some = found[asked == times]
        squares = Fraction(int((some * some).sum()), whole**2)
        total += (constant * some.size + slope * Fraction(int(some.sum()), whole) - squares) / times
    return total / padded.size**2


def largest_risk(size: int, moment: Moment) -> float:
    """max over all laws of E‖raw - p‖² with one report a question."""
    K, k = power_of_two_from(size), size
    constant, slope = (float(c) for c in moment)
    # Σ_{j≥1} t_j = K·p_0 - 1 and Σ_{j≥1} t_j² = K·Σp² - 1, so all but one share are equal at the maximum.
    head = min(1.0, max(0.0, (slope / 2 * (k - 1) + 1) / k))
    squares = head**2 + (1 - head) ** 2 / (k - 1)
    return k / K**2 * (constant * (K - 1) + slope * (K * head - 1) - (K * squares - 1))


def uniform_risk(size: int, moment: Moment) -> Fraction:
    """E‖raw - p‖² at uniform shares with one report a question, exact."""
    K, k = power_of_two_from(size), size
    constant, slope = moment
    return Fraction(k, K**2) * (constant * (K - 1) + (slope - 1) * (Fraction(K, k) - 1))


def check_everything_asked(asked: npt.NDArray[Any], total: int) -> None:
    """Refuse reports that leave a question unasked: every share needs them all."""
    missing = int(np.count_nonzero(asked == 0))
    if missing:
        raise InvalidParameter(
            f"{missing} of {asked.size} questions were asked of nobody in {total} reports, and every share needs them "
            f"all",
            way_out=f"Collect at least {asked.size} reports, at consecutive positions.",
        )
