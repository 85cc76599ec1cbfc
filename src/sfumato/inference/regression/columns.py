"""Columns of randomised reports and the matrix of a regression.

Everything that a likelihood needs of a report is the row P(report | answer). Rows of one column may come from different
channels: the two groups of a two-sample design, several studies, several waves. Reports that say the same share one row
of a table, so a million reports through a design with three take three rows.   Theory: docs/theory/regression.md
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, NotFitted
from sfumato.inference.likelihood import LinearScores, passage_of
from sfumato.prob.structured import AnyChannel, Circulant

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

MOST_ENTRIES = 20_000_000
"""Numbers that the table of a column may have."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RandomisedColumn:
    """Reports about one variable: report i says `table[kinds[i]]`, which is P(report | answer) for each answer.

    `values` are what answers are worth and `scores` what kinds of report are worth, so that E[score | answer] is
    the answer's value; a linear model takes them.

    >>> import sfumato as sf
    >>> channel = sf.Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["no", "yes"])
    >>> RandomisedColumn.of(channel, [0, 1, 1], name="affair", values=(0, 1)).scores.round(9).tolist()
    [-0.5, 1.5]
    """

    name: str
    labels: tuple[str, ...]
    table: FloatArray
    kinds: IntArray
    values: tuple[float, ...] | None = None
    scores: FloatArray | None = None

    def __post_init__(self) -> None:
        table = np.array(self.table, dtype=np.float64, ndmin=2)
        kinds = _whole_numbers("kinds", self.kinds)
        if len(self.labels) < 2 or len(set(self.labels)) < len(self.labels):
            raise InvalidParameter(
                "must be at least two different answers", parameter="labels", way_out="Name each answer once."
            )
        if table.shape[1] != len(self.labels) or not (np.isfinite(table).all() and (table >= 0).all()):
            raise InvalidParameter(
                f"must hold a probability of the report under each of the {len(self.labels)} answers",
                parameter="likelihoods",
                way_out="Give one column an answer, with numbers from 0 to 1.",
            )
        _check_kinds(kinds, table)
        if self.values is not None and (
            len(self.values) != len(self.labels) or not np.isfinite(np.array(self.values, dtype=np.float64)).all()
        ):
            raise InvalidParameter(
                f"must be {len(self.labels)} finite numbers, one an answer",
                parameter="values",
                way_out="Say what each answer is worth, in the order of the answers.",
            )
        for array in (table, kinds):
            array.setflags(write=False)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "kinds", kinds)

    @classmethod
    def of(
        cls,
        channel: AnyChannel,
        reports: npt.ArrayLike,
        *,
        name: str,
        labels: Sequence[str] | None = None,
        values: Sequence[float] | None = None,
    ) -> RandomisedColumn:
        """Reports through a channel whose rows are answers; `reports` are numbers of its columns, from 0."""
        kinds = _whole_numbers("reports", reports)
        count, outputs = channel.shape
        if len(kinds) and not (kinds.min() >= 0 and kinds.max() < outputs):
            raise InvalidParameter(
                f"must be numbers from 0 to {outputs - 1}, as the channel has {outputs} reports",
                parameter="reports",
                way_out="Give the place of each report among the channel's outputs.",
            )
        worth = None if values is None else tuple(float(value) for value in values)
        every = _scores(channel, worth)
        if isinstance(channel, Circulant):
            seen, kinds = np.unique(kinds, return_inverse=True)
            _check_size(len(seen), count)
            law = np.array([float(level) for level in channel.levels])[channel.codes]
            table = law[(seen[:, None] - np.arange(count)) % outputs]
            scores = None if every is None else every[seen]
        else:
            _check_size(outputs, count)
            table, scores = channel.array.T, every
        names = tuple(map(str, channel.inputs if labels is None else labels))
        return cls(name=name, labels=names, table=table, kinds=kinds, values=worth, scores=scores)

    @classmethod
    def observed(
        cls, codes: npt.ArrayLike, labels: Sequence[str], *, name: str, values: Sequence[float] | None = None
    ) -> RandomisedColumn:
        """Answers that were asked for openly; `codes` are numbers of labels, from 0."""
        worth = None if values is None else tuple(float(value) for value in values)
        return cls(
            name=name,
            labels=tuple(labels),
            table=np.eye(len(labels)),
            kinds=_whole_numbers("codes", codes),
            values=worth,
            scores=None if worth is None else np.array(worth),
        )

    @classmethod
    def given(cls, likelihoods: npt.ArrayLike, labels: Sequence[str], *, name: str) -> RandomisedColumn:
        """Reports by their rows P(report | answer), n × K, whatever they were made by."""
        rows = np.array(likelihoods, dtype=np.float64, ndmin=2)
        _check_size(*rows.shape)
        table, kinds = np.unique(rows, axis=0, return_inverse=True)
        return cls(name=name, labels=tuple(labels), table=table, kinds=kinds.reshape(-1))

    @classmethod
    def joined(cls, columns: Sequence[RandomisedColumn]) -> RandomisedColumn:
        """The rows of several columns under each other: groups, studies or waves that asked for the same answers."""
        if not columns:
            raise InvalidParameter(
                "must hold at least one column", parameter="columns", way_out="Join what there is to be joined."
            )
        first = columns[0]
        if any((one.labels, one.values) != (first.labels, first.values) for one in columns):
            raise InvalidParameter(
                "must have the same answers with the same values, in the same order",
                parameter="columns",
                way_out="Order and name the answers alike before they are joined.",
            )
        starts = np.cumsum([0, *(len(one.table) for one in columns)])
        scored = [one.scores for one in columns if one.scores is not None]
        return cls(
            name=first.name,
            labels=first.labels,
            table=np.concatenate([one.table for one in columns]),
            kinds=np.concatenate([one.kinds + start for one, start in zip(columns, starts[:-1], strict=True)]),
            values=first.values,
            scores=np.concatenate(scored) if len(scored) == len(columns) else None,
        )

    @classmethod
    def together(cls, columns: Sequence[RandomisedColumn]) -> RandomisedColumn:
        """Several variables of the same people as one, over all combinations of answers; the last varies fastest.

        Each was randomised by draws of its own, so that likelihoods multiply.
        """
        combined = columns[0]
        for one in columns[1:]:
            if len(one) != len(combined):
                raise InvalidParameter(
                    f"must have as many reports each, not {len(combined)} and {len(one)}",
                    parameter="columns",
                    way_out="Keep the rows of people who have a report in every column.",
                )
            _check_size(len(combined.table) * len(one.table), len(combined.labels) * len(one.labels))
            combined = cls(
                name=f"{combined.name}, {one.name}",
                labels=tuple(", ".join(pair) for pair in itertools.product(combined.labels, one.labels)),
                table=np.kron(combined.table, one.table).astype(np.float64),
                kinds=combined.kinds * len(one.table) + one.kinds,
            )
        return combined

    def taken(self, rows: npt.NDArray[np.integer | np.bool_]) -> RandomisedColumn:
        """Some of the rows, by number or by a mask."""
        return RandomisedColumn(
            name=self.name,
            labels=self.labels,
            table=self.table,
            kinds=self.kinds[rows],
            values=self.values,
            scores=self.scores,
        )

    @property
    def likelihoods(self) -> FloatArray:
        """P(report | answer), a row a report and a column an answer."""
        _check_size(len(self.kinds), len(self.labels))
        found: FloatArray = self.table[self.kinds]
        return found

    @property
    def counts(self) -> IntArray:
        """How many reports say each row of the table."""
        return np.bincount(self.kinds, minlength=len(self.table)).astype(np.int64)

    def __len__(self) -> int:
        return len(self.kinds)

    def __repr__(self) -> str:
        return f"<RandomisedColumn {self.name!r}, {len(self)} reports about {len(self.labels)} answers>"


def _whole_numbers(parameter: str, numbers: npt.ArrayLike) -> IntArray:
    found = np.asarray(numbers)
    if found.ndim != 1 or not (found.dtype.kind in "iub" or found.size == 0):
        raise InvalidParameter(
            "must be a flat list of whole numbers", parameter=parameter, way_out="Code labels by their places, from 0."
        )
    return found.astype(np.int64)


def _check_kinds(kinds: IntArray, table: FloatArray) -> None:
    if len(kinds) and not (kinds.min() >= 0 and kinds.max() < len(table)):
        raise InvalidParameter(
            f"must be numbers from 0 to {len(table) - 1}", parameter="codes", way_out="Code labels by their places."
        )
    seen = np.bincount(kinds, minlength=len(table)) > 0
    if (table[seen].max(axis=1, initial=0.0) <= 0).any():
        raise InvalidParameter(
            "holds a report that the channel never gives, whatever the answer",
            parameter="reports",
            way_out="Check that these reports were made with this channel, and the order of its outputs.",
        )


def _check_size(rows: int, answers: int) -> None:
    if rows * answers > MOST_ENTRIES:
        raise InvalidParameter(
            f"would take a table of {rows} × {answers} likelihoods, more than {MOST_ENTRIES}",
            parameter="reports",
            way_out="Merge answers, or look at some of the rows at a time.",
        )


def _scores(channel: AnyChannel, values: tuple[float, ...] | None) -> FloatArray | None:
    """Unbiased numbers for reports; None where there are none, which only a linear model minds."""
    if values is None or len(values) != channel.shape[0]:
        return None
    worth = np.array(values)
    middle = float(worth.mean())
    try:
        found: FloatArray = LinearScores(passage_of(channel), channel.shape[0]).of(worth - middle) + middle
    except InvalidParameter:
        return None
    return found


# The matrix of a regression: named columns, scaled for the computation, looked through for collinearity.


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
