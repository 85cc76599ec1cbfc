"""The covariance of unbiased shares, exact in everything but float arithmetic.

`raw` is linear in the reports: it is the mean of one column of numbers for each report that came in. So its covariance
is that of a column drawn at random, divided by n.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.mechanisms import ArcResponse, CyclicResponse, HadamardResponse, RandomizedResponse, Tabulated
from sfumato.mechanisms.declared import law_of_answers
from sfumato.prob import Distribution, LawLike

MOST_REPORTS = 4096

ShiftLike = ArcResponse | CyclicResponse | HadamardResponse | RandomizedResponse | Tabulated


def raw_covariance(mechanism: ShiftLike, law: Distribution | LawLike, n: int) -> npt.NDArray[np.float64]:
    """Cov(raw) from n reports when answers are drawn from `law`: one row and column for each answer.

    For mechanisms whose reports are numbers; its diagonal is `variance`.

    Raises:
        InvalidParameter: the mechanism reports sets, or has more than 4096 different reports.

    >>> import sfumato as sf
    >>> response = sf.mechanisms.RandomizedResponse(size=3, odds=3)
    >>> sf.infer.raw_covariance(response, [0.5, 0.3, 0.2], n=1000).round(5).tolist()
    [[0.0015, -0.0008, -0.0007], [-0.0008, 0.00136, -0.00056], [-0.0007, -0.00056, 0.00126]]
    """
    if not isinstance(mechanism, ShiftLike):
        raise InvalidParameter(
            f"must report numbers, not sets or answers to a question as {type(mechanism).__name__} does",
            parameter="mechanism",
            way_out="Use its variance.",
        )
    channel = mechanism.channel()
    if channel.shape[1] > MOST_REPORTS:
        raise InvalidParameter(
            f"has {channel.shape[1]} possible reports, and a covariance over more than {MOST_REPORTS} is too large",
            parameter="mechanism",
            way_out="Use its variance, which is exact at every size.",
        )
    shares = np.array([float(p) for p in law_of_answers(law, mechanism.size, n)])
    columns = np.array([mechanism.estimate(mechanism.tally([y])).raw for y in range(channel.shape[1])])
    chances = shares @ channel.to_dense().array
    result: npt.NDArray[np.float64] = (columns.T * chances @ columns - np.outer(shares, shares)) / n
    return result
