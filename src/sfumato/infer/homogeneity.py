"""Whether several groups, or waves, have the same shares, each seen through a channel of its own.

Groups g have unbiased shares r_g from scores s_g of n_g reports. Were all shares equal to p, r_g would vary by
V_g = Cov(s_g)/n_g under p, and T = Σ (r_g - r̄)ᵀV_g⁻¹(r_g - r̄), r̄ being their mean by precision, would follow χ².
V_g is taken at the law nearest to the mean, and where channels hide something it does not vanish even if a share is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.joint_tables import AssociationTest, scores_of
from sfumato.prob import AnyChannel
from sfumato.prob.simplex import nearest_law

FloatArray = npt.NDArray[np.float64]


def homogeneity_test(channels: Sequence[AnyChannel], counts: Sequence[npt.ArrayLike]) -> AssociationTest:
    """Test whether groups have the same shares; each has its channel, and its counts of reports in that order."""
    from scipy.special import gammaincc  # noqa: PLC0415  scipy is slow to import

    tables = [np.asarray(one, dtype=np.float64) for one in counts]
    sizes = {channel.shape[0] for channel in channels}
    if len(channels) != len(tables) or len(tables) < 2 or len(sizes) != 1:
        raise InvalidParameter(
            "must be two or more, with the same answers", parameter="groups", way_out="Name at least two groups."
        )
    if any(
        table.shape != (channel.shape[1],) or not (table >= 0).all() or not table.any()
        for channel, table in zip(channels, tables, strict=True)
    ):
        raise InvalidParameter(
            "must be counts of reports, one for each report of the channel, and not all 0",
            parameter="counts",
            way_out="Count reports in the order of the channel's outputs.",
        )
    # One answer is left out: shares sum to 1.
    scores = [scores_of(channel)[:, :-1] for channel in channels]
    totals = np.array([table.sum() for table in tables])
    means = np.stack([table @ score / table.sum() for table, score in zip(tables, scores, strict=True)])
    plain = totals @ means / totals.sum()
    law = nearest_law(np.append(plain, 1 - plain.sum()))
    precisions = [
        _precision(law @ channel.array, score) * total
        for channel, score, total in zip(channels, scores, totals.tolist(), strict=True)
    ]
    whole = np.sum(precisions, axis=0)
    centre = np.linalg.pinv(whole, hermitian=True) @ np.sum(
        [one @ mean for one, mean in zip(precisions, means, strict=True)], axis=0
    )
    statistic = float(sum((mean - centre) @ one @ (mean - centre) for one, mean in zip(precisions, means, strict=True)))
    freedom = sum(_rank(one) for one in precisions) - _rank(whole)
    if freedom <= 0:
        raise InvalidParameter(
            "all have the same report, so that they cannot differ", parameter="reports", way_out="Take more reports."
        )
    return AssociationTest(
        statistic=statistic, freedom=freedom, p_value=float(gammaincc(freedom / 2, max(statistic, 0.0) / 2))
    )


def _precision(law: FloatArray, scores: FloatArray) -> FloatArray:
    centred = scores - law @ scores
    found = np.linalg.pinv(centred.T @ (law[:, None] * centred), rcond=1e-12, hermitian=True)
    return np.asarray(found, dtype=np.float64)


def _rank(matrix: FloatArray) -> int:
    return int(np.linalg.matrix_rank(matrix, hermitian=True))
