"""Variances from replicates: the same estimate with other weights, many times.

The weights are made here from a plan (delete a cluster, balanced halves, bootstrap) or come as columns of a file, with
the method by which they were made. Any estimator will do that is a function of weights.
Ref: [RW88], [Wol07]; theory: docs/theory/sampling_plans.md
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.bits import KeyedBits
from sfumato.errors import InvalidParameter
from sfumato.infer.sampling.plan_columns import FloatArray, frozen
from sfumato.infer.sampling.plans import SamplingPlan
from sfumato.values.checks import check_at_least, check_between, check_integer

METHODS = ("JK1", "JKn", "BRR", "Fay", "bootstrap")
MOST_CELLS = 200_000_000
"""Weights that are held at once, rows times replicates."""

_RANK = 1e-9
_WORD = 32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReplicateWeights:
    """Columns of weights, and what the square of each replicate's deviation counts."""

    columns: FloatArray
    scales: FloatArray
    method: str
    degrees: int
    finite: bool = False
    """Whether the finite population correction is in them."""

    @classmethod
    def given(
        cls,
        columns: npt.ArrayLike,
        *,
        method: str,
        rho: float | None = None,
        scales: npt.ArrayLike | None = None,
        finite: bool = False,
    ) -> Self:
        """Read weights that came with the data, a column a replicate [Wol07].

        `JK1` counts each square (R - 1)/R, `BRR` and `bootstrap` 1/R, `Fay` 1/(R·(1 - rho)²); `JKn` needs `scales`, for
        the replicate without a cluster of stratum h (n_h - 1)/n_h. `scales`, where given, are used as they are.
        """
        table = np.array(columns, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] < 2 or not (np.isfinite(table) & (table >= 0)).all():
            raise InvalidParameter(
                "must be numbers ≥ 0, a row for each row of the sample and at least two columns",
                parameter="columns",
                way_out="Pass whole replicate weights, not factors of change.",
            )
        count = table.shape[1]
        used = _scales(method, count, rho) if scales is None else np.array(scales, dtype=np.float64)
        if used.shape != (count,) or not (np.isfinite(used) & (used >= 0)).all():
            raise InvalidParameter(
                f"must be {count} numbers ≥ 0, one for each replicate", parameter="scales", way_out="Give one a column."
            )
        # Replicates that are mixtures of others tell nothing new.
        rank = int(np.linalg.matrix_rank(table.T @ table, tol=_RANK * float((table**2).sum()), hermitian=True))
        return cls(columns=frozen(table), scales=frozen(used), method=method, degrees=max(rank - 1, 1), finite=finite)


def jackknife_weights(plan: SamplingPlan, *, finite: bool = True) -> ReplicateWeights:
    """Leave out one cluster at a time; the others of its stratum take its weight (JKn) [Wol07].

    With `finite` a stratum's squares count (1 - f_h) of themselves.
    """
    drawn, certain = plan.drawn, plan.fractions >= 1
    if (drawn[~certain] == 1).any():
        raise InvalidParameter(
            "has a stratum of one cluster, and without that nothing of it is left",
            parameter="plan",
            way_out="Merge strata.",
        )
    left_out = np.flatnonzero((~certain if finite else drawn > 1)[plan.homes])
    _refuse_large(plan.rows, left_out.size)
    growth = drawn / np.maximum(drawn - 1, 1)
    strata = plan.homes[left_out]
    factors = np.where(plan.strata[:, None] == strata, growth[strata], 1.0)
    factors[plan.clusters[:, None] == left_out] = 0.0
    scales = (drawn[strata] - 1) / drawn[strata] * ((1 - plan.fractions[strata]) if finite else 1.0)
    return _made(plan, factors, scales, "JKn", finite=finite)


def balanced_weights(plan: SamplingPlan, *, rho: float = 0.0) -> ReplicateWeights:
    """Take half of the clusters, in a balanced way; each stratum must have two of them [Wol07].

    With `rho` > 0 the other half keeps rho of its weight (Fay). The halves are rows of Sylvester's Hadamard matrix.
    """
    check_between("rho", rho, 0.0, 0.99)
    if (plan.drawn != 2).any():
        raise InvalidParameter(
            "must have two clusters in every stratum", parameter="plan", way_out="Use `jackknife_weights`."
        )
    strata = plan.drawn.size
    count = 1 << strata.bit_length()
    _refuse_large(plan.rows, count)
    signs = 1 - 2 * (np.bitwise_count(np.arange(1, strata + 1)[:, None] & np.arange(count)) & 1).astype(np.int64)
    first = np.full(strata, plan.homes.size)
    np.minimum.at(first, plan.homes, np.arange(plan.homes.size))
    side = np.where(plan.clusters == first[plan.strata], 1, -1)
    factors = 1 + (1 - rho) * side[:, None] * signs[plan.strata]
    return _made(plan, factors, _scales("Fay", count, rho), "Fay" if rho else "BRR", finite=False)


def bootstrap_weights(plan: SamplingPlan, *, replicates: int, seed: int, finite: bool = True) -> ReplicateWeights:
    """Draw n_h - 1 of n_h clusters with replacement in each stratum, rescaled [RW88].

    A cluster drawn m times gets 1 + √(1 - f_h)·(m·n_h/(n_h - 1) - 1) times its weight, without `finite` no √. The draws
    are AES in counter mode under a hash of `seed`, so they are the same everywhere; nothing is hidden by them.
    """
    check_at_least("replicates", check_integer("replicates", replicates), 2)
    check_at_least("seed", check_integer("seed", seed), 0)
    _refuse_large(plan.rows, replicates)
    if ((plan.drawn == 1) & (plan.fractions < 1)).any():
        raise InvalidParameter("has a stratum of one cluster", parameter="plan", way_out="Merge strata.")
    bits = KeyedBits(sha256(b"sfumato bootstrap %d" % seed).digest())
    factors = np.ones((plan.homes.size, replicates))
    for stratum, drawn in enumerate(plan.drawn.tolist()):
        if drawn == 1:
            continue
        words = bits.words((drawn - 1) * replicates, _WORD).astype(np.uint64)
        picked = ((words * np.uint64(drawn)) >> np.uint64(_WORD)).astype(np.int64).reshape(drawn - 1, replicates)
        places = picked * replicates + np.arange(replicates)
        times = np.bincount(places.reshape(-1), minlength=drawn * replicates).reshape(drawn, replicates)
        shrink = np.sqrt(1 - plan.fractions[stratum]) if finite else 1.0
        factors[plan.homes == stratum] = 1 + shrink * (times * drawn / (drawn - 1) - 1)
    return _made(plan, factors[plan.clusters], _scales("bootstrap", replicates, None), "bootstrap", finite=finite)


def replicate_covariance(
    estimator: Callable[[FloatArray], npt.ArrayLike],
    plan: SamplingPlan,
    *,
    replicates: ReplicateWeights | None = None,
) -> FloatArray:
    """Return Σ scale·(θ_r - θ)(θ_r - θ)ᵀ, where θ is `estimator(weights)`, numbers, and θ_r that with other weights.

    Without `replicates` clusters are left out one at a time and no finite population correction is made: it would also
    shrink the part that randomised reports bring in.
    """
    used = jackknife_weights(plan, finite=False) if replicates is None else replicates
    if used.columns.shape[0] != plan.rows:
        raise InvalidParameter(
            f"must have a row for each of {plan.rows} rows of the plan",
            parameter="replicates",
            way_out="Leave the same rows out of both.",
        )
    centre = np.atleast_1d(np.asarray(estimator(plan.weights), dtype=np.float64))
    found = np.stack([np.atleast_1d(np.asarray(estimator(column), dtype=np.float64)) for column in used.columns.T])
    if found.ndim != 2 or found.shape[1:] != centre.shape or not np.isfinite(found).all():
        raise InvalidParameter(
            "must return as many finite numbers for every replicate as for the sample",
            parameter="estimator",
            way_out="Merge small groups, so that each replicate has some of every group.",
        )
    apart = found - centre
    covariance = apart.T @ (apart * used.scales[:, None])
    return np.asarray((covariance + covariance.T) / 2, dtype=np.float64)


def _made(
    plan: SamplingPlan, factors: FloatArray, scales: FloatArray, method: str, *, finite: bool
) -> ReplicateWeights:
    columns = factors * plan.base_weights[:, None]
    if plan.calibrations:
        columns = np.stack([plan.recalibrated(column) for column in columns.T], axis=1)
    return ReplicateWeights(
        columns=frozen(columns), scales=frozen(scales), method=method, degrees=plan.degrees, finite=finite
    )


def _scales(method: str, count: int, rho: float | None) -> FloatArray:
    if method not in METHODS:
        raise InvalidParameter(
            "is not known", parameter="method", value=method, way_out=f"Choose one of {', '.join(METHODS)}."
        )
    if method == "JKn":
        raise InvalidParameter(
            "is needed for JKn, since strata differ",
            parameter="scales",
            way_out="Give (n_h - 1)/n_h for the stratum h of the cluster that a replicate leaves out.",
        )
    if (method == "Fay") != (rho is not None):
        raise InvalidParameter(
            "belongs to the method Fay, and only to it", parameter="rho", value=rho, way_out="Say which method it is."
        )
    if rho is not None:
        check_between("rho", rho, 0.0, 0.99)
    per = {"JK1": (count - 1) / count, "Fay": 1 / (count * (1 - (rho or 0.0)) ** 2)}.get(method, 1 / count)
    return np.full(count, per)


def _refuse_large(rows: int, count: int) -> None:
    if rows * count > MOST_CELLS:
        raise InvalidParameter(
            f"would need {rows} times {count} weights, more than {MOST_CELLS}",
            parameter="replicates",
            way_out="Use the linearised variance, or a bootstrap with fewer replicates.",
        )
