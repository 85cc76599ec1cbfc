"""Sampling plans: weights, strata, clusters, calibration, raking, and weighted totals and means.

A plan computes how a weighted total varies. A stratum h from which n_h of N_h clusters were drawn adds (1 -
n_h/N_h)·n_h/(n_h - 1)·Σ (t_c - t̄)(t_c - t̄)ᵀ, where t_c is the weighted total of a cluster. Without N_h the first
factor is 1. Variation inside a cluster, including randomisation, is contained in t_c.
Ref: [HT52], [SSW92]; proof: docs/theory/sampling_plans.md
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, Refused
from sfumato.numbers.checks import check_at_least, check_integer, check_positive

# --- Columns of a sampling plan, read and checked: weights, labels as codes, population sizes
# Errors name rows and what the caller passed about the population. They never show the content of a row.


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Population = float | Mapping[Any, float]
"""How many there are to draw from: one number, or a number for each stratum."""

_ROOM = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coded:
    """A column of labels: a code for each row, and what the codes stand for."""

    codes: IntArray
    labels: tuple[Hashable, ...]


def frozen(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array as read-only."""
    array.setflags(write=False)
    return array


def coded(name: str, column: npt.ArrayLike, rows: int) -> Coded:
    """Read labels, one a row: texts, whole numbers, anything that can be sorted. Gaps are refused."""
    labels = np.asarray(column)
    if labels.shape != (rows,):
        raise InvalidParameter(
            f"must have one label for each of {rows} rows",
            parameter=name,
            way_out="Pass a column as long as the others.",
        )
    gaps = sum(label is None or label != label for label in labels.tolist())  # noqa: PLR0124  NaN is not itself
    if gaps:
        raise InvalidParameter(
            f"has no label in {gaps} of {rows} rows", parameter=name, way_out="Label them, or leave those rows out."
        )
    try:
        found, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InvalidParameter(
            "mixes kinds of labels that cannot be sorted", parameter=name, way_out="Make all of them texts."
        ) from None
    return Coded(codes=frozen(codes.reshape(-1).astype(np.int64)), labels=tuple(found.tolist()))


def sums_by(codes: npt.NDArray[np.integer], values: FloatArray, size: int) -> FloatArray:
    """Return the sums of values, or of each column of them, over the rows of each code."""
    if values.ndim == 1:
        return np.asarray(np.bincount(codes, values, size), dtype=np.float64)
    return np.stack([np.bincount(codes, column, size) for column in values.T], axis=1).astype(np.float64, copy=False)


def row_count(rows: int | None, **columns: npt.ArrayLike | None) -> int:
    """Return how many rows there are, from what was given first."""
    if rows is not None:
        check_at_least("rows", check_integer("rows", rows), 1)
        return int(rows)
    for column in columns.values():
        if column is not None:
            return int(np.asarray(column).shape[0])
    raise InvalidParameter(
        "is needed where no column is given", parameter="rows", way_out="Say how many rows the sample has."
    )


def read_weights(weights: npt.ArrayLike, rows: int) -> FloatArray:
    """Read sampling weights: finite and above 0, one a row."""
    found = np.array(weights, dtype=np.float64)
    if found.shape != (rows,):
        raise InvalidParameter(
            f"must be {rows} numbers, one a row", parameter="weights", way_out="Pass a column as long as the others."
        )
    bad = int((~(np.isfinite(found) & (found > 0))).sum())
    if bad:
        raise InvalidParameter(
            f"must be finite numbers above 0, and {bad} of {rows} are not",
            parameter="weights",
            way_out="Leave out rows that were not sampled; the weight of a row is one over its chance of being drawn.",
        )
    return found


def population_sizes(population: Population, strata: Coded, drawn: IntArray) -> FloatArray:
    """Return how many clusters, or elements, each stratum has; `drawn` of them are in the sample."""
    if isinstance(population, Mapping):
        missing = sum(label not in population for label in strata.labels)
        if missing:
            raise InvalidParameter(
                f"has no number for {missing} of {len(strata.labels)} strata",
                parameter="population",
                way_out="Give the size of every stratum under its label.",
            )
        unseen = len(population) - len(strata.labels)
        if unseen:
            raise InvalidParameter(
                f"has {unseen} strata from which nobody was drawn, so nothing can be said about them",
                parameter="population",
                way_out="Merge each with a stratum that it resembles, or leave it out and speak of the others only.",
            )
        sizes = np.array([float(population[label]) for label in strata.labels])
    elif len(strata.labels) > 1:
        raise InvalidParameter(
            f"is one number, and there are {len(strata.labels)} strata",
            parameter="population",
            way_out="Give a number for each stratum, under its label.",
        )
    else:
        sizes = np.array([float(population)])
    if not np.isfinite(sizes).all() or (sizes < drawn * (1 - _ROOM)).any():
        raise InvalidParameter(
            "must be at least as large as the sample, in every stratum",
            parameter="population",
            way_out="With clusters it counts clusters, without them rows; leave it out where it is not known.",
        )
    return sizes


def clusters_within(strata: Coded, clusters: npt.ArrayLike, rows: int, *, nested: bool) -> tuple[IntArray, IntArray]:
    """Return the code of each row's cluster and each cluster's stratum."""
    found = coded("clusters", clusters, rows)
    if nested:
        pairs = found.codes * len(strata.labels) + strata.codes
        _, codes = np.unique(pairs, return_inverse=True)
    else:
        codes = found.codes
    count = int(codes.max()) + 1
    homes = np.full(count, -1, dtype=np.int64)
    homes[codes] = strata.codes
    torn = np.unique(codes[homes[codes] != strata.codes]).size
    if torn:
        raise InvalidParameter(
            f"has {torn} clusters with rows in more than one stratum",
            parameter="clusters",
            way_out="Check the columns; if clusters are numbered anew in each stratum, say `nested`=True.",
        )
    return codes.reshape(-1).astype(np.int64), homes


# --- Weights that meet known totals, and the residuals that determine the variance
# With one column of cells every weight of a cell is multiplied by the same factor; with several columns the factors are
# found in turns until all totals hold [DS40]. Either way weights are base·exp(Σ λ), so the variance of an estimated
# total of z is that of the residuals of z after the weighted regression on the cells [DS92].
# Proof: docs/theory/sampling_plans.md


ROUNDS = 2000
TOLERANCE = 1e-12
"""How far totals may be off, as a share of themselves, when the turns stop."""
# What rounding leaves where very many rows are added.
_GOOD_ENOUGH = 1e-10
_RANK = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """Columns of cells with their totals, and the weights that meet them."""

    codes: tuple[IntArray, ...]
    totals: tuple[FloatArray, ...]
    weights: FloatArray

    def fitted(self, base: FloatArray) -> FloatArray:
        """Return other base weights, made to meet the same totals; zeros stay zeros."""
        return fitted_weights(base, self.codes, self.totals)

    def residuals(self, influence: FloatArray) -> FloatArray:
        """Return weighted values less what the totals already say of them: w·(z - x·B), of w·z."""
        if len(self.codes) == 1:
            (codes,) = self.codes
            heights = sums_by(codes, influence, self.totals[0].size) / self.totals[0][:, None]
            found: FloatArray = influence - self.weights[:, None] * heights[codes]
            return found
        sizes = [total.size for total in self.totals]
        right = np.vstack([sums_by(codes, influence, size) for codes, size in zip(self.codes, sizes, strict=True)])
        gram = self._gram(sizes)
        scale = 1 / np.sqrt(np.diag(gram))
        # One column says the total of another, so the matrix never has full rank.
        inverse = np.linalg.pinv(gram * scale * scale[:, None], rcond=_RANK, hermitian=True)
        heights = scale[:, None] * (inverse @ (scale[:, None] * right))
        starts = np.cumsum([0, *sizes])
        fit = sum((heights[start + codes] for start, codes in zip(starts, self.codes, strict=False)), start=0.0)
        return np.asarray(influence - self.weights[:, None] * fit, dtype=np.float64)

    def _gram(self, sizes: list[int]) -> FloatArray:
        blocks = [
            [
                np.bincount(first * columns + second, self.weights, rows * columns).reshape(rows, columns)
                for second, columns in zip(self.codes, sizes, strict=True)
            ]
            for first, rows in zip(self.codes, sizes, strict=True)
        ]
        return np.asarray(np.block(blocks), dtype=np.float64)


def fitted_weights(
    base: FloatArray, codes: tuple[IntArray, ...], totals: tuple[FloatArray, ...], *, rounds: int = ROUNDS
) -> FloatArray:
    """Return the weights nearest to `base` that meet the totals; refuse where there are none."""
    # Rows of the same cell in every column share a factor, so the turns are about cells and not about rows.
    joint = np.ravel_multi_index(codes, tuple(total.size for total in totals))
    kept, cells = np.unique(joint, return_inverse=True)
    cells = cells.reshape(-1)
    places = np.unravel_index(kept, tuple(total.size for total in totals))
    start = sums_by(cells, base, kept.size)
    weights = start.copy()
    missed, before = np.inf, np.inf
    for _ in range(rounds):
        for place, total in zip(places, totals, strict=True):
            sums = sums_by(place, weights, total.size)
            if (sums <= 0).any():
                raise Refused(
                    "cannot be met: a cell has no rows with any weight",
                    parameter="totals",
                    way_out="Merge cells that hold few rows, so that each has some weight.",
                )
            weights = weights * (total / sums)[place]
        before, missed = missed, _missed(places, weights, totals)
        # Rounding is reached when another turn does not help.
        if missed <= TOLERANCE or (missed <= _GOOD_ENOUGH and missed >= before):
            break
    else:
        raise Refused(
            f"were not met after {rounds} turns; they are still off by {missed:.1e} of themselves",
            parameter="margins",
            way_out="Merge cells: combinations that no row has may make the totals impossible, or nearly so.",
        )
    with np.errstate(invalid="ignore", divide="ignore"):
        factors = np.where(start > 0, weights / start, 0.0)
    found: FloatArray = base * factors[cells]
    return frozen(found)


def _missed(places: tuple[npt.NDArray[np.intp], ...], weights: FloatArray, totals: tuple[FloatArray, ...]) -> float:
    return max(
        float(np.abs(np.bincount(place, weights, total.size) / total - 1).max())
        for place, total in zip(places, totals, strict=True)
    )


Lonely = Literal["refused", "centred"]
"""What to do with a stratum of one cluster: refuse it, or measure it from the mean of all clusters."""

# Adjusted weights rarely add up to the population; a tenth is more than adjustment.
_FAR = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SamplingPlan:
    """How the rows of a sample were drawn. Make it with :meth:`of`, which checks.

    >>> import sfumato as sf
    >>> plan = sf.inference.SamplingPlan.of([10.0, 10.0, 30.0, 30.0], strata=["town", "town", "hill", "hill"])
    >>> float(plan.weights.sum())
    80.0
    """

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
        for randomised reports add `randomisation_covariance`, or take ``finite=False``, which includes all of it.
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


# --- Calibration to known totals: cells of one table, or margins of several
# Variances afterwards are those of residuals, because what the known totals explain no longer varies [DS92].
# Theory: docs/theory/sampling_plans.md


Totals = Mapping[Any, float]
# Totals of one population agree up to how they were rounded; more than that is two populations.
_AGREEING = 1e-9


def poststratified(plan: SamplingPlan, cells: npt.ArrayLike, totals: Totals) -> SamplingPlan:
    """Return the plan with the weights of each cell multiplied so that they add up to its total [HS79].

    `cells` is a label for each row, `totals` the size of each cell in the population.
    """
    codes, sizes = _margin("cells", plan, cells, totals)
    return plan.calibrated((codes,), (sizes,), fitted_weights(plan.weights, (codes,), (sizes,)))


def raked(
    plan: SamplingPlan, margins: Mapping[str, tuple[npt.ArrayLike, Totals]], *, rounds: int = ROUNDS
) -> SamplingPlan:
    """Return the plan with weights that reproduce several margins, by iterative proportional fitting [DS40].

    `margins` has for each name a column of labels and the total of each label. Of all weights that meet the totals
    these have the least Kullback-Leibler divergence from the old ones [DS92].

    >>> import sfumato as sf
    >>> plan = sf.inference.SamplingPlan.of([1.0, 1.0, 1.0])
    >>> sf.inference.raked(plan, {"place": (["town", "town", "hill"], {"town": 60, "hill": 40})}).weights.tolist()
    [30.0, 30.0, 40.0]
    """
    check_at_least("rounds", check_integer("rounds", rounds), 1)
    if not margins:
        raise InvalidParameter("is empty", parameter="margins", way_out="Give at least one column with its totals.")
    read = [_margin(name, plan, column, totals) for name, (column, totals) in margins.items()]
    sums = [math.fsum(sizes) for _, sizes in read]
    if max(sums) - min(sums) > _AGREEING * max(sums):
        shown = ", ".join(f"{name} to {total:.10g}" for name, total in zip(margins, sums, strict=True))
        raise InvalidParameter(
            f"must add up to one population, and they add up differently: {shown}",
            parameter="margins",
            way_out="Take totals of the same population on the same day, or scale them to one sum first.",
        )
    codes, totals = tuple(code for code, _ in read), tuple(sizes for _, sizes in read)
    return plan.calibrated(codes, totals, fitted_weights(plan.weights, codes, totals, rounds=rounds))


def _margin(name: str, plan: SamplingPlan, column: npt.ArrayLike, totals: Totals) -> tuple[IntArray, FloatArray]:
    found = coded(name, column, plan.rows)
    unknown = sum(label not in totals for label in found.labels)
    if unknown:
        raise InvalidParameter(
            f"has {unknown} labels in the sample that have no total",
            parameter=name,
            way_out="Give a total for each label, or merge labels.",
        )
    sizes = {label: float(total) for label, total in totals.items()}
    if not all(math.isfinite(size) and size >= 0 for size in sizes.values()):
        raise InvalidParameter(
            "has a total that is negative or not finite", parameter=name, way_out="Give sizes of groups of people."
        )
    seen = set(found.labels)
    empty = [label for label, size in sizes.items() if size > 0 and label not in seen]
    if empty:
        raise InvalidParameter(
            f"has nobody in the sample for {len(empty)} of {len(sizes)} totals, among them {str(empty[0])!r}",
            parameter=name,
            way_out="Merge those with a neighbouring label, in the column and in the totals.",
        )
    if any(sizes[label] == 0 for label in found.labels):
        raise InvalidParameter(
            "has a total of 0 for people who are in the sample",
            parameter=name,
            way_out="Leave those rows out if they do not belong to the population.",
        )
    return found.codes, np.array([sizes[label] for label in found.labels])


# --- Totals and means of the true answers, from weighted scores of randomised reports
# A score r has one number for each answer, with E[r | answer k] = e_k. An unbiased sampling variance of the scores
# contains all of the randomisation variance except the part that the finite population correction removes; that part is
# added. For a simple random sample this gives (1 - n/N)·s²/n + mean(r(r - 1))/N [CRA21].
# Proof: docs/theory/sampling_plans.md


Noise = npt.ArrayLike | None
"""Unbiased variances of the scores given the answers: n×K or n×K×K; 0 for numbers that are not randomised; None for
scores of answers, whose own variance is estimated by r·rᵀ - diag(r)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedPoint:
    """Numbers with the covariance of their errors, in its two parts."""

    point: FloatArray
    sampling: FloatArray
    """The design's formula, computed on the scores."""
    randomisation: FloatArray
    """What randomisation adds to that: the part that a finite population correction has taken away."""
    degrees: int

    @property
    def covariance(self) -> FloatArray:
        """Both parts; unbiased for a total, so a variance in it may be negative where randomisation is weak."""
        found: FloatArray = self.sampling + self.randomisation
        return found

    @property
    def standard_errors(self) -> FloatArray:
        """Roots of the variances, of which none is taken to be below its first part."""
        first = np.diag(self.sampling)
        found: FloatArray = np.sqrt(np.maximum(first, first + np.diag(self.randomisation)))
        return found


def horvitz_thompson_total(scores: npt.ArrayLike, plan: SamplingPlan, *, noise: Noise = None) -> WeightedPoint:
    """Return Σ weight·score: unbiased for how many in the population hold each answer [HT52], [Cha11]."""
    table = score_table(scores, plan)
    return _found(table, plan, noise, plan.weights @ table, table)


def horvitz_thompson_mean(
    scores: npt.ArrayLike, plan: SamplingPlan, *, size: float, noise: Noise = None
) -> WeightedPoint:
    """Return Σ weight·score / N, unbiased where the population has `size` = N people [HT52].

    >>> import sfumato as sf
    >>> plan = sf.inference.SamplingPlan.of([10.0, 10.0, 30.0, 30.0])
    >>> found = sf.inference.horvitz_thompson_mean([0, 1, 1, 0], plan, size=100)
    >>> found.point.tolist()
    [0.4]
    """
    check_positive("size", size)
    table = score_table(scores, plan)
    return _found(table, plan, noise, plan.weights @ table / size, table / size, size)


def hajek_mean(scores: npt.ArrayLike, plan: SamplingPlan, *, noise: Noise = None) -> WeightedPoint:
    """Return Σ weight·score / Σ weight, with the variance of the linearised ratio [Haj71].

    It needs no N, does not move with the origin of the scores, and keeps shares adding up to 1.

    >>> import sfumato as sf
    >>> plan = sf.inference.SamplingPlan.of([10.0, 10.0, 30.0, 30.0])
    >>> found = sf.inference.hajek_mean([0, 1, 1, 0], plan)
    >>> found.point.tolist()
    [0.5]
    """
    table = score_table(scores, plan)
    size = float(plan.weights.sum())
    point = plan.weights @ table / plan.weights.sum()
    return _found(table, plan, noise, point, (table - point) / size, size)


def randomisation_covariance(
    scores: npt.ArrayLike, plan: SamplingPlan, *, noise: Noise = None, finite: bool = True
) -> FloatArray:
    """Return Σ f_h·weight²·V, V being an unbiased covariance of a row's scores given its answer.

    It belongs to the weighted total, beside `plan.total_covariance`. For scores of answers V is r·rᵀ - diag(r), because
    E[r·rᵀ] is V + diag(e) and E[r] = e.
    """
    table = score_table(scores, plan)
    parts = plan.randomisation_weights(finite=finite)
    if noise is None:
        found = table.T @ (table * parts[:, None]) - np.diag(parts @ table)
        return np.asarray((found + found.T) / 2, dtype=np.float64)
    rows, columns = table.shape
    given = np.asarray(noise, dtype=np.float64)
    if given.ndim == 0 and given == 0:
        return np.zeros((columns, columns))
    if given.shape == (rows,) and columns == 1:
        given = given[:, None]
    if given.shape not in {(rows, columns), (rows, columns, columns)} or not np.isfinite(given).all():
        raise InvalidParameter(
            "must be 0, or finite variances for each row and score, or a covariance for each row",
            parameter="noise",
            way_out="Leave it out for scores of answers.",
        )
    summed = np.tensordot(parts, given, axes=(0, 0))
    return np.diag(summed) if summed.ndim == 1 else np.asarray((summed + summed.T) / 2, dtype=np.float64)


def score_table(scores: npt.ArrayLike, plan: SamplingPlan) -> FloatArray:
    """Read scores as a table with a row for each row of the plan; one column may be given as plain numbers."""
    table = np.asarray(scores, dtype=np.float64)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[0] != plan.rows or not table.size or not np.isfinite(table).all():
        raise InvalidParameter(
            f"must be finite numbers, a row for each of {plan.rows} rows of the plan",
            parameter="scores",
            way_out="Leave rows without a report out of the plan too.",
        )
    return table


def _found(
    table: FloatArray, plan: SamplingPlan, noise: Noise, point: FloatArray, linear: FloatArray, size: float = 1.0
) -> WeightedPoint:
    added = randomisation_covariance(table, plan, noise=noise) / size**2
    sampling = plan.total_covariance(linear)
    return WeightedPoint(
        point=frozen(point), sampling=frozen(sampling), randomisation=frozen(added), degrees=plan.degrees
    )
