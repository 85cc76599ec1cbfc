"""How a sample was drawn: weights, strata, clusters, how many there were to draw from, and totals that are known.

The plan answers one question for everybody who adds up over rows: how a weighted total varies. A stratum h from which
n_h of N_h clusters were drawn adds (1 - n_h/N_h)·n_h/(n_h - 1)·Σ (t_c - t̄)(t_c - t̄)ᵀ, t_c being the weighted total of
a cluster; without N_h the first factor is 1. What happens inside a cluster, randomisation too, is in t_c.
Ref: [HT52], [SSW92]; proof: docs/theory/sampling_plans.md
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.sampling.calibrations import Calibration
from sfumato.infer.sampling.plan_columns import (
    FloatArray,
    IntArray,
    Population,
    clusters_within,
    coded,
    frozen,
    population_sizes,
    read_weights,
    row_count,
    sums_by,
)

Lonely = Literal["refused", "centred"]
"""What to do with a stratum of one cluster: refuse it, or measure it from the mean of all clusters."""

# Adjusted weights rarely add up to the population; a tenth is more than adjustment.
_FAR = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SamplingPlan:
    """How the rows of a sample were drawn. Make it with :meth:`of`, which checks."""

    weights: FloatArray
    strata: IntArray
    clusters: IntArray
    homes: IntArray
    """The stratum of each cluster."""
    fractions: FloatArray
    """For each stratum the part of its clusters that was drawn; 0 where the population is not known."""
    lonely: Lonely = "refused"
    calibrations: tuple[Calibration, ...] = ()
    base_weights: FloatArray
    """The weights before any calibration."""
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        weights: npt.ArrayLike | None = None,
        *,
        strata: npt.ArrayLike | None = None,
        clusters: npt.ArrayLike | None = None,
        population: Population | None = None,
        rows: int | None = None,
        nested: bool = False,
        lonely: Lonely = "refused",
    ) -> Self:
        """Read a plan. `weights` are one over the chance of being drawn [HT52].

        `population` counts clusters where there are clusters and rows where there are none: one number, or one for each
        stratum under its label. Without weights each row stands for N_h/n_h, or for 1. `nested` says that clusters are
        numbered anew in each stratum.
        """
        count = row_count(rows, weights=weights, strata=strata, clusters=clusters)
        layers = coded("strata", np.zeros(count, dtype=np.int64) if strata is None else strata, count)
        if clusters is None:
            groups, homes = np.arange(count), layers.codes
        else:
            groups, homes = clusters_within(layers, clusters, count, nested=nested)
        if lonely not in get_args(Lonely):
            raise InvalidParameter(
                "is not known", parameter="lonely", value=lonely, way_out="Choose 'refused' or 'centred'."
            )
        drawn = np.bincount(homes, minlength=len(layers.labels))
        fractions = np.zeros(drawn.size)
        sizes = None if population is None else population_sizes(population, layers, drawn)
        if sizes is not None:
            fractions = np.minimum(drawn / sizes, 1.0)
        if weights is not None:
            given = read_weights(weights, count)
        else:
            given = np.ones(count) if sizes is None else (sizes / drawn)[layers.codes]
        _refuse_lonely(drawn, fractions, lonely)
        return cls(
            weights=frozen(given),
            base_weights=given,
            strata=layers.codes,
            clusters=frozen(groups),
            homes=frozen(homes),
            fractions=frozen(fractions),
            lonely=lonely,
            notes=() if sizes is None or clusters is not None else _sum_notes(layers.codes, given, sizes),
        )

    @property
    def rows(self) -> int:
        """How many rows the sample has."""
        return self.weights.size

    @property
    def drawn(self) -> IntArray:
        """How many clusters were drawn from each stratum."""
        return np.bincount(self.homes, minlength=self.fractions.size)

    @property
    def degrees(self) -> int:
        """Degrees of freedom: clusters less strata, those left out that were drawn whole; at least 1."""
        drawn = self.drawn[self.fractions < 1]
        return max(int(drawn.sum()) - drawn.size, 1)

    def calibrated(self, codes: tuple[IntArray, ...], totals: tuple[FloatArray, ...], weights: FloatArray) -> Self:
        """Return the plan with weights that meet more totals; see `poststratified` and `raked`."""
        step = Calibration(codes=codes, totals=totals, weights=weights)
        return replace(self, weights=weights, calibrations=(*self.calibrations, step))

    def recalibrated(self, base: FloatArray) -> FloatArray:
        """Return other base weights after the same calibrations."""
        for step in self.calibrations:
            base = step.fitted(base)
        return base

    def influence(self, values: npt.ArrayLike) -> FloatArray:
        """Return how the weighted total of `values` moves with the part of each row in the sample, a row a row.

        That is weight·value; after a calibration it is weight·residual [DS92].
        """
        found = self.weights[:, None] * self._table(values)
        for step in reversed(self.calibrations):
            found = step.residuals(found)
        return np.asarray(found, dtype=np.float64)

    def total_covariance(self, values: npt.ArrayLike, *, finite: bool = True) -> FloatArray:
        """Return the linearised covariance of Σ weight·value, values being n×p, or n numbers.

        With `finite` the finite population correction is made. It also shrinks whatever is random within rows:
        for randomised reports add `randomisation_covariance`, or take `finite`=False, which includes all of it.
        """
        influence = self.influence(values)
        totals = sums_by(self.clusters, influence, self.homes.size)
        drawn = self.drawn
        middles = sums_by(self.homes, totals, drawn.size) / drawn[:, None]
        alone = drawn == 1
        middles[alone] = totals.mean(axis=0)
        apart = totals - middles[self.homes]
        scale = np.where(alone, 1.0, drawn / np.maximum(drawn - 1, 1))
        # A stratum that is one cluster, drawn for certain, has none to compare with and leaves nothing to chance.
        scale = scale * (1 - (self.fractions if finite else alone & (self.fractions >= 1)))
        found = apart.T @ (apart * scale[self.homes][:, None])
        return np.asarray((found + found.T) / 2, dtype=np.float64)

    def randomisation_weights(self, *, finite: bool = True) -> FloatArray:
        """Return f_h·weight²: the part of each row's own variance that the finite population correction takes away.

        Without the correction only strata that are one cluster, drawn for certain, have such a part: all of it.
        """
        parts = self.fractions if finite else (self.drawn == 1) & (self.fractions >= 1)
        found: FloatArray = parts[self.strata] * self.weights**2
        return found

    def _table(self, values: npt.ArrayLike) -> FloatArray:
        table = np.asarray(values, dtype=np.float64)
        table = table[:, None] if table.ndim == 1 else table
        if table.ndim != 2 or table.shape[0] != self.rows or not np.isfinite(table).all():
            raise InvalidParameter(
                f"must be finite numbers, a row for each of {self.rows} rows of the sample",
                parameter="values",
                way_out="Leave the same rows out of the plan and of the values.",
            )
        return table


def _sum_notes(strata: IntArray, weights: FloatArray, sizes: FloatArray) -> tuple[str, ...]:
    far = int((np.abs(sums_by(strata, weights, sizes.size) / sizes - 1) > _FAR).sum())
    if not far:
        return ()
    found = f"In {far} of {sizes.size} strata the sum of the weights is more than {_FAR:.0%} off the population."
    return (f"{found} Means and shares do not need that sum; totals do.",)


def _refuse_lonely(drawn: IntArray, fractions: FloatArray, lonely: Lonely) -> None:
    alone = int(((drawn == 1) & (fractions < 1)).sum())
    if alone and (lonely == "refused" or drawn.sum() == 1):
        raise InvalidParameter(
            f"hold one cluster, or one row, in {alone} of {drawn.size} cases, which says nothing about how they vary",
            parameter="strata",
            way_out="Merge strata, or choose `lonely`='centred', which measures them from the mean of all clusters.",
        )
