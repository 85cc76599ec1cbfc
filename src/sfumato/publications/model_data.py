"""The data of a model: randomised variables, public columns, and how people were sampled.

Published reports bring their channels. The channels of typed-in reports come from a study; those of a table that was
collected with a classic device are given with it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.disk import read_bytes
from sfumato.files.parquet import plain_text
from sfumato.files.tables import TableLike, as_arrow, places_in
from sfumato.files.texts import decode_text, no_column
from sfumato.inference.regression.columns import RandomisedColumn
from sfumato.inference.sampling import SamplingPlan, raked
from sfumato.keys.digests import NOTHING
from sfumato.measures.ldp import epsilon
from sfumato.prob.channel import Channel
from sfumato.prob.structured import AnyChannel
from sfumato.publications.reports import Reports, read_people
from sfumato.study.study import Study

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_REPORT = "report"
_NO_NUMBERS = ("", "nan", "inf", "+inf", "-inf", "infinity", "-infinity")
_WORD = re.compile(r"`([^`]+)`|([^\W\d]\w*)")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Variable:
    """A variable that was randomised: who has a report, and what these say about the answers.

    `channel` and `reports`, of those who have one, are there unless several channels were put together.
    """

    text: str
    there: BoolArray
    column: RandomisedColumn
    model: str
    """Which model suits it, unless another is asked for."""
    epsilon: float
    channel: AnyChannel | None = None
    reports: IntArray | None = None

    def taken(self, people: BoolArray) -> RandomisedColumn:
        """Return the reports of some people, who all have one."""
        return self.column.taken(people[self.there])

    def seen(self, people: BoolArray) -> tuple[AnyChannel, IntArray]:
        """Return the one channel that all reports came through, and the reports of some people."""
        if self.channel is None or self.reports is None:
            raise InvalidParameter(
                f"have {self.column.name!r} by several channels, and tables are of one",
                parameter="reports",
                way_out="Take the reports of one study, or fit a model.",
            )
        return self.channel, self.reports[people[self.there]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelData:
    """Variables and public columns by name; `NOTHING`, NaN or None where a person has no value."""

    variables: Mapping[str, Variable]
    columns: Mapping[str, npt.NDArray[Any]]
    rows: int
    known: tuple[str, ...] = ()
    """All that could have been named."""
    notes: tuple[str, ...] = ()
    """What is assumed of the reports."""

    def filled(self, names: Sequence[str]) -> BoolArray:
        """Say who has all of these."""
        there = np.ones(self.rows, dtype=np.bool_)
        for name in names:
            there &= self.variables[name].there if name in self.variables else _filled(self.columns[name])
        return there


def words_in(formula: str) -> tuple[str, ...]:
    """Return the words of a formula, each once: names of columns are among them."""
    return tuple(dict.fromkeys(quoted or plain for quoted, plain in _WORD.findall(formula)))


def data_of_reports(reports: Reports, names: Sequence[str]) -> ModelData:
    """Read what is named, of reports that were published or opened; names of neither kind are left to the formula."""
    asked = [name for name in names if name in reports.note.questions]
    kept = [name for name in names if name in reports.kept]
    if not asked:
        raise nothing_randomised(reports.note.questions)
    rows = read_people(reports, asked, kept)
    variables = {}
    for name in asked:
        question, channel = reports.note.handler(name).question, channel_seen(reports, name)
        values = None if question.values is None or question.hides else tuple(map(float, question.values))
        variables[name] = _variable(
            name,
            channel,
            rows.reports[name],
            text=question.text,
            labels=question.labels,
            values=values,
            model=question.usual_model,
        )
    columns = {name: public_values(column) for name, column in rows.columns.items()}
    known = (*reports.note.questions, *reports.kept)
    return ModelData(variables=variables, columns=columns, rows=rows.rows, known=known, notes=reports.note.assumptions)


def channel_seen(reports: Reports, name: str) -> AnyChannel:
    """Return the channel of a question at the level seen; of answers that were recovered it hides nothing."""
    column = reports.note.column(name)
    if column.level == 0:
        labels = reports.note.handler(name).question.labels
        return Channel(np.eye(len(labels)), labels, labels)
    return reports.channel(name)


def data_of_table(
    table: TableLike, channels: Mapping[str, AnyChannel], names: Sequence[str], study: Study | None = None
) -> ModelData:
    """Read what is named, of a table whose cells are reports, by the labels of their channels' outputs."""
    held = as_arrow(table)
    asked = [name for name in channels if name in names]
    if not asked:
        raise nothing_randomised(tuple(channels))
    if study is not None and len(channels) == 1 and _REPORT in held.column_names and asked[0] not in held.column_names:
        # Of one question, the column may be called what it holds; so it is where typed-in reports are estimated.
        held = held.rename_columns([asked[0] if name == _REPORT else name for name in held.column_names])
    for name in asked:
        if name not in held.column_names:
            raise no_column(name, held.column_names)
    variables = {}
    for name in asked:
        channel = channels[name]
        labels = tuple(map(str, channel.inputs))
        variables[name] = _variable(
            name,
            channel,
            _places(held, name, channel),
            text=name if study is None else study.question(name).text,
            labels=labels,
            values=_numbers(labels),
            model=("logistic" if len(labels) == 2 else "multinomial")
            if study is None
            else study.question(name).usual_model,
        )
    columns = {
        name: public_values(held.column(name)) for name in names if name in held.column_names and name not in asked
    }
    known = tuple(held.column_names)
    return ModelData(variables=variables, columns=columns, rows=held.num_rows, known=known)


def joined_data(several: Sequence[ModelData]) -> ModelData:
    """Put the people of several studies or waves under each other; reports keep the channel that they came through."""
    first = several[0]
    names = {*first.variables, *first.columns}
    if any(set(one.variables) != set(first.variables) or {*one.variables, *one.columns} != names for one in several):
        raise InvalidParameter(
            "must all have the questions and columns of the model",
            parameter="reports",
            way_out="Name columns alike, or leave out what only some have.",
        )
    variables = {}
    for name in first.variables:
        same = [one.variables[name] for one in several]
        variables[name] = Variable(
            text=same[0].text,
            there=np.concatenate([one.there for one in same]),
            column=RandomisedColumn.joined([one.column for one in same]),
            model=same[0].model,
            epsilon=max(one.epsilon for one in same),
        )
    columns = {name: _stacked([one.columns[name] for one in several]) for name in first.columns}
    rows = sum(one.rows for one in several)
    notes = tuple(dict.fromkeys(note for one in several for note in one.notes))
    return ModelData(variables=variables, columns=columns, rows=rows, known=first.known, notes=notes)


def public_values(column: Any) -> npt.NDArray[Any]:
    """Return a column as numbers, NaN where empty, if every cell is one; else as texts, None where empty."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return np.array([np.nan if cell is None else cell for cell in column.to_pylist()], dtype=np.float64)
    cells = [_cell(cell) for cell in column.to_pylist()]
    numbers = [_number(cell) for cell in cells]
    if any(cell is not None for cell in cells) and all(
        number is not None or cell is None for number, cell in zip(numbers, cells, strict=True)
    ):
        return np.array([np.nan if number is None else number for number in numbers], dtype=np.float64)
    return np.array(cells, dtype=object)


def nothing_randomised(known: Sequence[str]) -> InvalidParameter:
    """Return the refusal of a model of public columns alone."""
    return InvalidParameter(
        f"names nothing that was randomised; that are: {', '.join(known) or 'none'}",
        parameter="model",
        way_out="Name a question, in backticks where it is no plain word, such as the outcome left of ~; models of "
        "public columns alone any program fits.",
    )


def _variable(
    name: str,
    channel: AnyChannel,
    reports: IntArray,
    *,
    text: str,
    labels: tuple[str, ...],
    values: tuple[float, ...] | None,
    model: str,
) -> Variable:
    there = reports != NOTHING
    column = RandomisedColumn.of(channel, reports[there], name=name, labels=labels, values=values)
    return Variable(
        text=text,
        there=there,
        column=column,
        model=model,
        epsilon=epsilon(channel),
        channel=channel,
        reports=reports[there],
    )


def _places(table: Any, name: str, channel: AnyChannel) -> IntArray:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    known = tuple(map(str, channel.outputs))
    column = plain_text(table.column(name))
    reports = np.full(table.num_rows, NOTHING, dtype=np.int64)
    filled = np.array(pc.is_valid(column).to_pylist(), dtype=np.bool_)
    if filled.any():
        reports[filled] = places_in(pa.table({name: column.filter(pc.is_valid(column))}), name, known)
    return reports


def _stacked(pieces: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    if len({piece.dtype for piece in pieces}) > 1:
        pieces = [np.array([None if _is_empty(cell) else f"{cell:g}" if isinstance(cell, float) else cell
                            for cell in piece.tolist()], dtype=object) for piece in pieces]  # fmt: skip
    return np.concatenate(pieces)


def _cell(cell: object) -> str | None:
    """Return a cell as text, None where it is empty; a number that is none, or infinite, says nothing either."""
    text = "" if cell is None else str(cell).strip()
    return None if text.lower() in _NO_NUMBERS else text


def _is_empty(cell: object) -> bool:
    return cell is None or (isinstance(cell, float) and np.isnan(cell))


def _filled(column: npt.NDArray[Any]) -> BoolArray:
    if column.dtype == object:
        return np.array([cell is not None for cell in column.tolist()], dtype=np.bool_)
    found: BoolArray = np.isfinite(column)
    return found


def _numbers(labels: Sequence[str]) -> tuple[float, ...] | None:
    found = [_number(label) for label in labels]
    return None if any(one is None for one in found) else tuple(one for one in found if one is not None)


def _number(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        found = float(text)
    except ValueError:
        return None
    return found if np.isfinite(found) else None


# --- The sampling design as given by the user
# Names of public columns, or entries for each person.


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
        """Whether no sampling design is given, so that each person counts once."""
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
