"""Columns of a sampling plan, read and checked: weights, labels as codes, how many of the population were drawn.

Errors speak of rows and of what the caller said about the population; they never show what stands in a row.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.values.checks import check_at_least, check_integer

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
    """Return the array, which nobody can write to any more."""
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
