"""How people were drawn, as it is asked for: by the names of public columns, or by entries for each person."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.csv_tables import decode_text
from sfumato.files.disk import read_bytes
from sfumato.infer.sampling import SamplingPlan, raked
from sfumato.study.model_data import BoolArray, ModelData

_MARGINS_BYTES = 1 << 24
_EXAMPLE = "Write for instance: [region], and below it north = 41000, south = 39000."
Choice = str | Sequence[Any] | npt.NDArray[Any] | None
"""A public column by its name, or an entry for each person."""
Margins = Mapping[str, Mapping[Any, float]]
"""Known totals of the population: for each public column, how many people have each of its values."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sampled:
    """What is said of how people were drawn. Weights are made to meet `margins`: one post-stratifies, several rake."""

    weights: Choice = None
    strata: Choice = None
    clusters: Choice = None
    population: float | Mapping[Any, float] | None = None
    margins: Margins | None = None
    nested: bool = False
    lonely: Literal["refused", "centred"] = "refused"

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it names."""
        named = tuple(one for one in (self.weights, self.strata, self.clusters) if isinstance(one, str))
        return (*named, *(self.margins or ()))

    @property
    def is_plain(self) -> bool:
        """Whether nothing is said, so that everybody stands for one."""
        said = (self.weights, self.strata, self.clusters, self.population, self.margins)
        return all(one is None for one in said)

    def plan(self, data: ModelData, people: BoolArray) -> SamplingPlan:
        """Return the plan of some people."""
        parts = {
            name: self._entries(name, data)[people]
            for name in ("weights", "strata", "clusters")
            if getattr(self, name) is not None
        }
        found = SamplingPlan.of(
            parts.pop("weights", None),
            population=self.population,
            rows=int(people.sum()),
            nested=self.nested,
            lonely=self.lonely,
            **parts,
        )
        if self.margins is None:
            return found
        columns = {name: (_texts(public_column("margins", name, data)[people]), totals)
                   for name, totals in self.margins.items()}  # fmt: skip
        return raked(found, {name: (column, {_text(key): size for key, size in totals.items()})
                             for name, (column, totals) in columns.items()})  # fmt: skip

    def _entries(self, name: str, data: ModelData) -> npt.NDArray[Any]:
        chosen = getattr(self, name)
        entries = public_column(name, chosen, data) if isinstance(chosen, str) else np.asarray(chosen)
        if entries.shape != (data.rows,):
            raise InvalidParameter(
                f"must have an entry for each of {data.rows:,} rows",
                parameter=name,
                way_out="Give them in the order of the rows, also for rows that are left out.",
            )
        if name == "weights" and not np.issubdtype(entries.dtype, np.number):
            raise InvalidParameter(
                "must be numbers", parameter=name, way_out="Name a column of numbers; an empty cell leaves a row out."
            )
        return entries


def read_margins(path: str | Path) -> dict[str, dict[str, float]]:
    """Read known totals from a TOML file: a table for each column, a number for each of its values."""
    place = Place(file=str(path))
    try:
        found = tomllib.loads(decode_text(read_bytes(path, limit_bytes=_MARGINS_BYTES), path))
    except (tomllib.TOMLDecodeError, RecursionError):
        raise UnreadableFile("is no TOML", place=place, way_out=_EXAMPLE) from None
    if not found or not all(isinstance(totals, dict) and totals for totals in found.values()):
        raise UnreadableFile("must hold a table for each column", place=place, way_out=_EXAMPLE)
    for totals in found.values():
        if not all(isinstance(size, int | float) and not isinstance(size, bool) for size in totals.values()):
            raise UnreadableFile("must hold a number for each value", place=place, way_out=_EXAMPLE)
    return found


def public_column(parameter: str, name: str, data: ModelData) -> npt.NDArray[Any]:
    """Return a public column, or say which there are."""
    if name not in data.columns:
        raise InvalidParameter(
            "is no public column here",
            parameter=parameter,
            value=name,
            way_out="Columns are kept when reports are made, by `keep`; what was randomised cannot be used here.",
        )
    return data.columns[name]


def cell_texts(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the cells of a column as texts, None where empty; 3.0 is 3."""
    return _texts(column)


def _texts(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.array([_text(cell) for cell in column.tolist()], dtype=object)


def _text(cell: object) -> str | None:
    if cell is None or (isinstance(cell, float) and np.isnan(cell)):
        return None
    return f"{cell:g}" if isinstance(cell, float) else str(cell)
