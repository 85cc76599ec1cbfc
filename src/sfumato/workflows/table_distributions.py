"""Where the distribution of a table comes from.

The sources are other people's records, a declaration, noisy counts of the released records, or those records
themselves. The last has to be requested explicitly: a mapping made from the records that it is used on protects none of
them. The values that a column can have come from the same source, because a value that only the released records have
would disclose something about them.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.disclosure.certificate import counted_estimation
from sfumato.disclosure.data import DataLaw, DataLawLike
from sfumato.disclosure.estimation import BETA, Estimation, Origin, smoothed_data_law
from sfumato.disclosure.unknown_distributions import private_counts
from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.files.tables import words_of
from sfumato.files.texts import Record, check_text, read_records
from sfumato.numbers.exact import parse_number
from sfumato.prob.distribution import Distribution
from sfumato.prob.file_entries import in_reading_order, make_distribution
from sfumato.prob.operations import Joint
from sfumato.sampling.sources import BitSource

# --- Reading a declared distribution: one line for each combination of values, with its probability
# The header names the columns and, in any place, `probability`. Combinations that are left out have probability 0.


PROBABILITY = "probability"
_MOST_CELLS = 200_000


def read_declared_law(path: str | Path, columns: Sequence[str], *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Joint:
    """Return the law of these columns, in their order, from a CSV file that has just them and their probability."""
    place = Place(file=str(path))
    header, *body = read_records(read_bytes(path, limit_bytes=limit_bytes), path)
    names = [cell.strip() for cell in header.cells]
    if sorted(names) != sorted([*columns, PROBABILITY]):
        raise UnreadableFile(
            f"the distribution must have the columns {', '.join([*columns, PROBABILITY])}, each once, and no others",
            way_out="Write one line for each combination of values, with its probability.",
            place=place,
        )
    if not body:
        raise UnreadableFile("the file has a header and no lines", way_out="Write one line a combination.", place=place)
    places = [names.index(column) for column in columns]
    found: dict[tuple[str, ...], Fraction] = {}
    for record in body:
        _add(found, record, places, names.index(PROBABILITY), str(path))
    alphabets = [tuple(map(str, in_reading_order({cell[i] for cell in found}))) for i in range(len(columns))]
    size = 1
    for alphabet in alphabets:
        size *= len(alphabet)
    if size > _MOST_CELLS:
        raise UnreadableFile(
            f"the columns have {size} combinations of values, and at most {_MOST_CELLS} are read",
            way_out="Merge values.",
            place=place,
        )
    law = make_distribution([found.get(cell, Fraction(0)) for cell in _product(alphabets)], None, place)
    return Joint(law.probabilities, alphabets)


def _add(
    found: dict[tuple[str, ...], Fraction], record: Record, places: Sequence[int], probability: int, path: str
) -> None:
    line = Place(file=path, line=record.line)
    cell = tuple(check_text(record.cells[i].strip(), "a value of the distribution", line) for i in places)
    if cell in found or not all(cell):
        raise UnreadableFile("a combination of values is empty or stands twice", way_out="Keep one.", place=line)
    found[cell] = parse_number(record.cells[probability], f"column {PROBABILITY}", line)


def _product(alphabets: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    cells: list[tuple[str, ...]] = [()]
    for alphabet in alphabets:
        cells = [(*cell, value) for cell in cells for value in alphabet]
    return cells


# --- Columns as codes whose order does not depend on the rows
# A column read from a file is coded in the order in which its values first occur, so the first row is always 0. Here
# codes follow the reading order of the values (2 before 10), or the order in which they are declared.


def coded_column(
    table: Any, name: str, declared: Sequence[str] | None = None, *, parameter: str = "distribution"
) -> Words:
    """Return a column whose code 0 is the first of its values in order, or the first that is declared."""
    words = words_of(table, name)
    order = tuple(map(str, in_reading_order(words.texts))) if declared is None else tuple(declared)
    if missing := set(words.texts) - set(order):
        raise InvalidParameter(
            f"{'has no probability for' if parameter == 'distribution' else 'leaves out'} {len(missing)} of the values "
            f"of column {name}",
            parameter=parameter,
            way_out="Declare every value that can occur, with `values` where nothing else does.",
        )
    place = {text: code for code, text in enumerate(order)}
    codes = np.array([place[text] for text in words.texts], dtype=np.int64)
    return Words(codes[words.codes] if len(words) else words.codes, order, words.first)


IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
_MOST_VALUES = 64
_MOST_COUNTED = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LawSource:
    """Where the law comes from: exactly one of `law`, `reference`, `epsilon` and `these_records`.

    `law` is declared: a Joint with its values, an array, or a Distribution for rows. `reference` is a table of other
    people; where it `is_public`, so is all that is made from it. `epsilon` is that of a private histogram of the
    released records. `values` are those that a column can have, where nothing else declares them. `beta` is the chance
    that the bound for every true law fails.
    """

    law: DataLawLike | Distribution | None = None
    reference: Any = None
    is_public: bool = False
    epsilon: Fraction | None = None
    these_records: bool = False
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    beta: Fraction = BETA

    def __post_init__(self) -> None:
        ways = [self.law is not None, self.reference is not None, self.epsilon is not None]
        # A declared law may go with a feature that only the records know.
        if sum(ways) > 1 or (self.these_records and any(ways[1:])) or not (any(ways) or self.these_records):
            said = (
                "is said twice" if any(ways) else "is not said: a mapping made for these records covers nobody in them"
            )
            raise InvalidParameter(
                f"where the distribution of the data comes from {said}",
                way_out="Give `distribution_from`, a table of other people; or `distribution`, a declared one; or "
                "`private_histogram`, an epsilon; or, knowing that, `distribution_from_these_records`.",
            )
        if self.is_public and self.reference is None:
            raise InvalidParameter(
                "is about a table of other people",
                parameter="distribution_is_public",
                way_out="Give `distribution_from` as well.",
            )
        if self.epsilon is not None and not Fraction(1, 1000) <= self.epsilon <= 16:
            raise InvalidParameter(
                "must lie between 0.001 and 16",
                parameter="private_histogram",
                value=float(self.epsilon),
                way_out="Try 1.",
            )
        if not Fraction(1, 10**15) <= self.beta <= Fraction(1, 2):
            raise InvalidParameter(
                "must lie between 1e-15 and 0.5", parameter="beta", value=float(self.beta), way_out="Try 1e-6."
            )

    @property
    def origin(self) -> Origin:
        """What the law is made from."""
        if self.law is not None:
            return Origin.DECLARED
        if self.reference is not None:
            return Origin.PUBLISHED if self.is_public else Origin.REFERENCE
        return Origin.RECORDS if self.epsilon is None else Origin.PRIVATE_HISTOGRAM

    def column(self, table: Any, name: str) -> Words:
        """Return a column of the released table, coded by values that are declared where they have to be."""
        return coded_column(table, name, self._values_of(name), parameter=self._alphabet_from(name))

    def known(self, name: str, like: Words) -> Words:
        """Return the same column of the reference table, in the same codes."""
        return coded_column(self.reference, name, like.texts, parameter="distribution_from")

    def _alphabet_from(self, name: str) -> str:
        if self.law is not None:
            return "distribution"
        return "values" if name in self.values else "distribution_from"

    def _values_of(self, name: str) -> Sequence[str] | None:
        if name in self.values:
            return self.values[name]
        if self.reference is not None:
            return coded_column(self.reference, name).texts
        if self.epsilon is not None:
            raise InvalidParameter(
                f"must say which values column {name} can have: those in the records are something they tell",
                parameter="values",
                way_out=f"Give them, as in {name}=yes,no; nothing was looked at.",
            )
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeLaw:
    """The law of the protected columns, P(w|x) where one column is disclosed, and how both were made."""

    law: DataLaw
    feature: FloatArray | None
    estimation: Estimation


def law_of_columns(
    source: LawSource, names: Sequence[str], columns: Sequence[Words], about: tuple[str, Words] | None, bits: BitSource
) -> MadeLaw:
    """Return the law of columns, each row a data set, and of the disclosed column."""
    shape = tuple(len(column.texts) for column in columns)
    told = None if about is None else len(about[1].texts)
    if source.law is not None:
        return _declared(source, columns, about)
    cells = math.prod(shape) * (1 if told is None or source.epsilon is None else told)
    if cells > _MOST_COUNTED:
        raise InvalidParameter(
            f"have {cells} combinations of values, and a distribution is counted over at most {_MOST_COUNTED}",
            parameter="protect",
            way_out="Merge values, or protect fewer columns.",
        )
    counted = list(columns) if about is None else [*columns, about[1]]
    if source.reference is not None:
        counted = [
            source.known(name, column)
            for name, column in zip([*names, *([] if about is None else [about[0]])], counted, strict=True)
        ]
    counts = counts_of(counted)
    feature_from = None if about is None else source.origin
    estimation = counted_estimation(
        source.origin, len(counted[0]), cells, beta=source.beta, feature=feature_from, epsilon=source.epsilon
    )
    if source.epsilon is not None:
        counts = noisy(counts, source.epsilon, bits)
    about_one = told is not None
    return MadeLaw(
        law=law_of_counts(counts, estimation, about=about_one),
        feature=feature_of_counts(counts, estimation) if about_one else None,
        estimation=estimation,
    )


def law_of_counts(counts: IntArray, estimation: Estimation, *, about: bool) -> DataLaw:
    """Return the law of the protected columns from counts, whose last axis is the disclosed column, if any."""
    if not about:
        return smoothed_data_law(counts, _smoothing(estimation))
    # Noise was drawn for every value of that column, and so much is added for each.
    added = _smoothing(estimation) * (1 if estimation.epsilon is None else counts.shape[-1])
    return smoothed_data_law(counts.sum(axis=-1), added)


def feature_of_counts(counts: IntArray, estimation: Estimation) -> FloatArray:
    """Return P(w|x) from counts, smoothed as the law is; even where there is nothing."""
    values = counts.shape[-1]
    table = counts + float(
        _smoothing(estimation) if estimation.epsilon is not None else _smoothing(estimation) / values
    )
    totals = table.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, table / np.where(totals > 0, totals, 1.0), 1.0 / values)


def law_of_rows(source: LawSource, name: str, column: Words, bits: BitSource) -> tuple[Distribution, Estimation]:
    """Return the law of one row of a column whose rows are independent, and how it was made."""
    if source.law is not None:
        if not isinstance(source.law, Distribution):
            raise InvalidParameter(
                "must be a Distribution for rows", parameter="distribution", way_out="Give one for the values."
            )
        return Distribution(source.law.probabilities).to_exact(), Estimation()
    counted = column if source.reference is None else source.known(name, column)
    values = len(column.texts)
    estimation = counted_estimation(
        source.origin, len(counted), values, beta=source.beta, samples=max(1, len(column)), epsilon=source.epsilon
    )
    counts = counts_of([counted])
    if source.epsilon is not None:
        counts = noisy(counts, source.epsilon, bits)
    return Distribution(smoothed_data_law(counts, _smoothing(estimation)).masses), estimation


def counts_of(columns: Sequence[Words]) -> IntArray:
    """Return how often each combination of values stands in these columns, an axis for each."""
    shape = tuple(len(column.texts) for column in columns)
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, tuple(column.codes for column in columns), 1)
    return table


def noisy(counts: IntArray, epsilon: Fraction, bits: BitSource) -> IntArray:
    """Return counts with noise that makes them differentially private, none below 0."""
    return np.array(private_counts(counts.ravel().tolist(), epsilon, bits), dtype=np.int64).reshape(counts.shape)


def check_values(columns: Sequence[Words], names: Sequence[str]) -> None:
    """Refuse columns with one value, or with more than can be protected."""
    for column, name in zip(columns, names, strict=True):
        if not 2 <= len(column.texts) <= _MOST_VALUES:
            raise InvalidParameter(
                f"column {name} has {len(column.texts)} different values, and between 2 and {_MOST_VALUES} can be "
                f"protected",
                way_out="Merge values into cells first.",
            )


def _smoothing(estimation: Estimation) -> Fraction:
    """What is added to counts; nothing where the law is declared."""
    return Fraction(0) if estimation.terms is None else estimation.terms.smoothing


def _declared(source: LawSource, columns: Sequence[Words], about: tuple[str, Words] | None) -> MadeLaw:
    shape = tuple(len(column.texts) for column in columns)
    law = source.law
    if isinstance(law, Joint) and about is not None and len(law.alphabets) == len(shape) + 1:
        joint = np.array(law.law.probabilities, dtype=object).reshape((*shape, -1))
        whole = joint.sum(axis=-1)
        floats, sums = joint.astype(np.float64), whole.astype(np.float64)[..., None]
        feature = np.where(sums > 0, floats / np.where(sums > 0, sums, 1.0), 1.0 / joint.shape[-1])
        return MadeLaw(law=DataLaw.of(whole), feature=feature, estimation=Estimation(feature=Origin.DECLARED))
    if law is None or isinstance(law, Distribution):
        raise InvalidParameter(
            "must have an axis for each protected column",
            parameter="distribution",
            way_out="Give a Joint, or an array.",
        )
    data = DataLaw.of(law)
    if data.shape != shape:
        raise InvalidParameter(
            f"has the shape {data.shape}, and the protected columns have {shape} values",
            parameter="distribution",
            way_out="Give a probability to each combination of values, columns in their order.",
        )
    if about is None:
        return MadeLaw(law=data, feature=None, estimation=Estimation())
    if not source.these_records:
        raise InvalidParameter(
            f"has no column {about[0]}, and a mapping made for what these records say of it covers nobody in them",
            parameter="distribution",
            way_out="Declare the distribution of that column as well; or, knowing that, give "
            "`distribution_from_these_records` too.",
        )
    counts = counts_of([*columns, about[1]])
    estimation = Estimation(feature=Origin.RECORDS, records=len(about[1]))
    return MadeLaw(law=data, feature=feature_of_counts(counts, estimation), estimation=estimation)
