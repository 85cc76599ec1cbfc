"""Telling two shares apart: the likelihood-ratio test with its exact error probabilities.   Ref: [C, Sec. V]

The log-likelihood ratio is a weighted count of the classes of reports. For two or three its tails are exact sums over
types, grouped so that they take time linear in n; for more they are bounded from above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.infer.share_model import ShareModel
from sfumato.infer.shares import Counts
from sfumato.infer.tails import tail
from sfumato.prob import Channel
from sfumato.values.checks import check_at_least, check_between, check_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class TestErrors:
    """How often the test errs that supports the likelier of two shares, ties going to the second.

    `exponent` is the Chernoff information: both errors fall like e^(-n·exponent), no test does better.

    >>> import sfumato as sf
    >>> found = sf.infer.test_errors(sf.design.warner_device(0.75).channel, 0.1, 0.3, n=200)
    >>> round(found.wrong_if_first, 4), round(found.wrong_if_second, 4), round(found.exponent, 5)
    (0.0728, 0.0639, 0.00553)
    """

    __test__ = False  # not a test case, whatever its name looks like

    n: int
    wrong_if_first: float
    wrong_if_second: float
    exponent: float


def test_errors(channel: Channel, theta_1: float, theta_2: float, n: int) -> TestErrors:
    """Error probabilities after n reports: exact for up to three classes of reports, at most so much for more.

    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(0.75).channel
    >>> [round(sf.infer.test_errors(coin, 0.1, 0.3, n).wrong_if_first, 4) for n in (100, 200, 400)]
    [0.1629, 0.0728, 0.0177]
    """
    check_at_least("n", check_integer("n", n), 1)
    model, scores = _scores(channel, theta_1, theta_2)
    first, second = model.law(theta_1), model.law(theta_2)
    # Scores ascend with the likelihood ratio iff theta_2 > theta_1; the test supports theta_2 when they sum to ≥ 0.
    rising = theta_2 > theta_1
    ordered = scores if rising else -scores
    return TestErrors(
        n=n,
        wrong_if_first=tail(first, n, ordered, upper=rising, ties=True),
        wrong_if_second=tail(second, n, ordered, upper=not rising, ties=False),
        exponent=measures.chernoff_information_nats(first.tolist(), second.tolist()),
    )


test_errors.__test__ = False  # type: ignore[attr-defined]


def supports_first(channel: Channel, counts: Counts, theta_1: float, theta_2: float) -> bool:
    """Whether the reports support theta_1 over theta_2: Σ ln(p_θ1/p_θ2) > 0.

    >>> import sfumato as sf
    >>> coin = sf.design.warner_device(0.75).channel
    >>> [sf.infer.supports_first(coin, [100 - yes, yes], 0.1, 0.3) for yes in (30, 40)]
    [True, False]
    """
    model, scores = _scores(channel, theta_1, theta_2)
    totals = model.counts(counts)
    # Rounding must not decide a tie: what is this close to zero counts as zero.
    return float(np.dot(totals, scores)) < -1e-12 * sum(totals) * float(np.abs(scores).max())


def _scores(
    channel: Channel, theta_1: float, theta_2: float
) -> tuple[ShareModel, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    for name, theta in (("theta_1", theta_1), ("theta_2", theta_2)):
        check_between(name, theta, 0, 1)
    if theta_1 == theta_2:
        raise InvalidParameter(
            "equals `theta_1`, so there is nothing to tell apart",
            parameter="theta_2",
            value=theta_2,
            way_out="Move one of the two.",
        )
    model = ShareModel.of(channel)
    first, second = model.law(theta_1), model.law(theta_2)
    if (first <= 0).any() or (second <= 0).any():
        raise InvalidParameter(
            "at a share of 0 or 1 some report of this design is impossible, and one such report decides the test",
            way_out="Use shares strictly between 0 and 1.",
        )
    return model, np.log(second / first)
