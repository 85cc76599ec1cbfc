"""Questions crossed with each other, or with a public column: the joint table of the answers, and its test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.infer.joint_tables import JointTable, joint_table
from sfumato.prob import AnyChannel, Channel
from sfumato.study.model_data import BoolArray, ModelData
from sfumato.study.sampled import cell_texts, public_column
from sfumato.values.shown import Shown

MOST_VALUES = 100
"""Different values of a public column up to which it is crossed."""
_MOST_REPORTS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Axis:
    """One side of a table: a question as it was reported, or a public column, whose channel hides nothing."""

    name: str
    text: str
    labels: tuple[str, ...]
    epsilon: float
    is_public: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Crosstab(Shown):
    """The joint table of two or more questions. `table` has the numbers, `axes` say what its sides are.

    `left_out` people did not report on all of them.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> asked = tuple(sf.YesNo(id=name, text=f"{name}?", epsilon=Fraction(3)) for name in ("smokes", "drinks"))
    >>> answers = {"smokes": ["no", "no", "yes", "yes"] * 500, "drinks": ["no", "no", "no", "yes"] * 500}
    >>> made = sf.publish(sf.Study(name="Habits", questions=asked), answers, insecure_seed=7)
    >>> found = sf.crosstab(made.reports, "smokes", "drinks")
    >>> found.axes[0].labels, found.table.test.p_value < 1e-6
    (('no', 'yes'), True)
    """

    axes: tuple[Axis, ...]
    table: JointTable
    left_out: int = 0
    notes: tuple[str, ...] = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row for each combination of answers."""
        found = self.table
        return [
            {axis.name: axis.labels[place] for axis, place in zip(self.axes, cell, strict=True)}
            | {
                "share": float(found.shares[cell]),
                "raw": float(found.raw[cell]),
                "standard_error": float(found.standard_errors[cell]),
                "lower": float(found.lower[cell]),
                "upper": float(found.upper[cell]),
                "confidence": found.confidence,
                "reports": found.total,
            }
            for cell in product(*(range(len(axis.labels)) for axis in self.axes))
        ]

    def to_arrow(self) -> Any:
        """Return the rows as an Arrow table."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        return pa.Table.from_pylist(self.to_rows())

    def __repr__(self) -> str:
        names = " × ".join(axis.name for axis in self.axes)
        return f"<Crosstab of {names}: {self.table.total:,} reports, p = {self.table.test.p_value:.3g}>"


def crossed(data: ModelData, names: Sequence[str], confidence: float) -> Crosstab:
    """Cross questions, and public columns, of the same people."""
    check_names(names)
    for name in names:
        if name not in data.variables:
            public_column("questions", name, data)
    people = data.filled(names)
    if not people.any():
        raise InvalidParameter(
            "have no person who reported on all of them", parameter="questions", way_out="Name others."
        )
    sides = [_asked(data, people, name) if name in data.variables else _public(data, people, name) for name in names]
    size = math.prod(channel.shape[1] for _, channel, _ in sides)
    if size > _MOST_REPORTS:
        raise InvalidParameter(
            f"have {size:,} combinations of reports; at most {_MOST_REPORTS:,} are counted",
            parameter="questions",
            way_out="Take fewer questions, or ones with fewer answers.",
        )
    counts = np.zeros(tuple(channel.shape[1] for _, channel, _ in sides))
    np.add.at(counts, tuple(codes for _, _, codes in sides), 1)
    return Crosstab(
        axes=tuple(axis for axis, _, _ in sides),
        table=joint_table([channel for _, channel, _ in sides], counts, confidence=confidence),
        left_out=int((~people).sum()),
        notes=data.notes,
    )


def check_names(names: Sequence[str]) -> None:
    """Refuse fewer than two, and one twice."""
    if len(names) < 2 or len(set(names)) != len(names):
        raise InvalidParameter(
            "must be two or more different ones",
            parameter="questions",
            value=", ".join(names),
            way_out="Name each question once.",
        )


def _asked(data: ModelData, people: BoolArray, name: str) -> tuple[Axis, AnyChannel, npt.NDArray[np.int64]]:
    variable = data.variables[name]
    channel, reports = variable.seen(people)
    axis = Axis(name=name, text=variable.text, labels=variable.column.labels, epsilon=variable.epsilon)
    return axis, channel, reports


def _public(data: ModelData, people: BoolArray, name: str) -> tuple[Axis, AnyChannel, npt.NDArray[np.int64]]:
    texts = cell_texts(data.columns[name][people])
    labels, codes = np.unique(texts.astype(str), return_inverse=True)
    if not 2 <= labels.size <= MOST_VALUES:
        raise InvalidParameter(
            f"has {labels.size:,} different values, and a column is crossed that has 2 to {MOST_VALUES}",
            parameter="questions",
            value=name,
            way_out="Put them into groups first, or name another column.",
        )
    shown = tuple(map(str, labels))
    axis = Axis(name=name, text=name, labels=shown, epsilon=math.inf, is_public=True)
    return axis, Channel(np.eye(labels.size), shown, shown), codes.astype(np.int64)
