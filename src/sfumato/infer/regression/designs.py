"""The matrix of a regression: named columns, scaled for the computation, looked through for collinearity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotFitted

FloatArray = npt.NDArray[np.float64]

CONSTANT = "Intercept"
# What is left of a column after the others, squared and relative; below it, it is their mixture up to rounding.
_NOTHING_LEFT = 1e-13
_TAKES_PART = 1e-6
_CHUNK = 1 << 11


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DesignMatrix:
    """Named columns of numbers, a row a respondent.

    >>> DesignMatrix.of({"age": [30, 40, 50]}).names
    ('Intercept', 'age')
    """

    names: tuple[str, ...]
    values: FloatArray

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64, order="C")
        names = tuple(map(str, self.names))
        if values.ndim != 2 or values.shape[1] != len(names) or len(set(names)) < len(names):
            raise InvalidParameter(
                f"must be a table with a column for each of {len(names)} different names",
                parameter="design",
                way_out="Give one name a column.",
            )
        # Sums see what is not finite, without a table of their own.
        with np.errstate(all="ignore"):
            sums = values.sum(axis=0)
        odd = [name for name, one, total in zip(names, values.T, sums, strict=True) if not _finite(one, float(total))]
        if odd:
            raise InvalidParameter(
                f"has numbers that are missing or infinite in: {', '.join(odd)}",
                parameter="design",
                way_out="Leave those rows out, of the reports as well.",
            )
        values.setflags(write=False)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "names", names)

    @classmethod
    def of(cls, columns: Mapping[str, npt.ArrayLike], *, constant: bool = True) -> DesignMatrix:
        """Columns by name, after one of ones unless `constant` is false."""
        parts = [np.asarray(one, dtype=np.float64).reshape(-1) for one in columns.values()]
        if not parts:
            raise InvalidParameter("must hold a column", parameter="columns", way_out="Use `DesignMatrix.constant(n)`.")
        if len({len(part) for part in parts}) > 1:
            raise InvalidParameter("must be equally long", parameter="columns", way_out="Give a number for each row.")
        ones = [np.ones(len(parts[0]))] if constant else []
        return cls(names=(CONSTANT,) * constant + tuple(columns), values=np.stack([*ones, *parts], axis=1))

    @classmethod
    def constant(cls, rows: int) -> DesignMatrix:
        """A column of ones."""
        return cls(names=(CONSTANT,), values=np.ones((rows, 1)))

    def without(self, dropped: Sequence[str]) -> DesignMatrix:
        """The other columns."""
        kept = [place for place, name in enumerate(self.names) if name not in dropped]
        return DesignMatrix(names=tuple(self.names[place] for place in kept), values=self.values[:, kept])

    @property
    def constants(self) -> tuple[str, ...]:
        """Columns that are the same for everybody."""
        if not len(self.values):
            return ()
        same = (self.values == self.values[0]).all(axis=0)
        return tuple(name for name, one in zip(self.names, same, strict=True) if one)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<DesignMatrix {len(self)} rows: {', '.join(self.names)}>"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standardised:
    """Columns with mean 0 and variance 1: coefficients b of them are the coefficients `back @ b` of the design's.

    Where there is no constant column nothing is centred, unless the model has one of its own (`shift` says what its
    constant gains: -shift @ b).
    """

    names: tuple[str, ...]
    parts: tuple[FloatArray, ...]
    back: FloatArray
    shift: FloatArray
    marks: dict[str, tuple[float, float]]
    """Mean and spread of each column, by which two fits notice that a column is another one."""


def standardised(designs: Sequence[DesignMatrix], *, centred: bool = False) -> Standardised:
    """Scale the columns of designs that belong to one set of coefficients, and refuse collinear ones.

    `centred` says that the model has a constant that is no column.
    """
    first = designs[0]
    shapes = {(one.names, len(one)) for one in designs}
    if len(shapes) > 1:
        raise InvalidParameter(
            "must have the same columns and rows each", parameter="designs", way_out="Build them by one formula."
        )
    size = len(first.names)
    fixed = [
        place
        for place, name in enumerate(first.names)
        if all(name in one.constants for one in designs) and len({one.values[0, place] for one in designs}) == 1
    ]
    zero = [first.names[place] for place in fixed if first.values[0, place] == 0]
    if zero or (centred and fixed):
        raise NotFitted(
            f"is the same for everybody: {', '.join(zero or [first.names[place] for place in fixed])}",
            parameter="design",
            way_out="Leave that column out.",
        )
    own = fixed[0] if fixed else None
    means = np.mean([one.values.mean(axis=0) for one in designs], axis=0)
    shift = means.copy() if own is not None or centred else np.zeros(size)
    spread = np.ones(size)
    squares = np.mean([_squares(one.values, shift) for one in designs], axis=0)
    moving = [place for place in range(size) if place != own]
    for place in moving:
        spread[place] = np.sqrt(squares[place]) or 1.0
    back = np.diag(1 / spread)
    if own is not None:
        shift[own] = 0.0
        level = float(first.values[0, own])
        back[own, moving] = -shift[moving] / spread[moving] / level
    parts = tuple((one.values - shift) / spread for one in designs)
    _check_collinear(first.names, parts)
    marks = {name: (float(means[place]), float(spread[place])) for place, name in enumerate(first.names)}
    return Standardised(names=first.names, parts=parts, back=back, shift=shift / spread, marks=marks)


def gram(left: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """XᵀWX without a second table as large as X."""
    found = np.zeros((left.shape[1], left.shape[1]))
    for at in range(0, len(left), _CHUNK):
        part = left[at : at + _CHUNK]
        found += part.T @ (part if weights is None else weights[at : at + _CHUNK, None] * part)
    return found


def _squares(values: FloatArray, shift: FloatArray) -> FloatArray:
    total = np.zeros(values.shape[1])
    for at in range(0, len(values), _CHUNK):
        part = values[at : at + _CHUNK] - shift
        total += np.einsum("ij,ij->j", part, part)
    return total / max(1, len(values))


def _check_collinear(names: tuple[str, ...], parts: tuple[FloatArray, ...]) -> None:
    """Take each column apart by those before it; the first of which nothing is left is named with what makes it up."""
    whole = sum((gram(part) for part in parts), np.zeros((len(names), len(names))))
    scale = np.sqrt(np.maximum(np.diag(whole), 1e-300))
    whole = whole / np.outer(scale, scale)
    for place in range(len(names)):
        before, beside = whole[:place, :place], whole[:place, place]
        mixture = np.linalg.solve(before, beside) if place else np.zeros(0)
        if not whole[place, place] - mixture @ beside > _NOTHING_LEFT:
            makers = [name for name, part in zip(names, mixture, strict=False) if abs(part) > _TAKES_PART]
            told = f" of {', '.join(makers)}" if makers else ""
            raise NotFitted(
                f"is collinear: {names[place]} is a mixture{told}, so that no reports tell their coefficients apart",
                parameter="design",
                way_out=f"Leave out {names[place]}, or another of these columns.",
            )


def _finite(column: FloatArray, total: float) -> bool:
    return bool(np.isfinite(total)) or bool(np.isfinite(column).all())
