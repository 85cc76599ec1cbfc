"""Private columns as exact totals, checks of private numbers, and the files that noise is made for.

Errors name the first row that cannot be used, and never its content.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.tables import words_of
from sfumato.files.texts import decode_text, no_column, normal, read_records
from sfumato.measures.dependence import Correlation
from sfumato.numbers.checks import Real, as_exact
from sfumato.numbers.exact import parse_number

OTHER = "other"
_MOST_GRID = 100_000
_MOST_DECIMALS = 20


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """A column of numbers: its words, and the number that each of the different texts says."""

    name: str
    words: Words
    numbers: tuple[Fraction, ...]

    def __len__(self) -> int:
        return len(self.words)

    @property
    def counts(self) -> list[int]:
        """How many rows hold each number."""
        return [int(count) for count in np.bincount(self.words.codes, minlength=len(self.numbers))]

    @property
    def values(self) -> list[Fraction]:
        """The number of each row."""
        return [self.numbers[code] for code in self.words.codes.tolist()]

    def within(self, low: Fraction, high: Fraction, *, clip: bool) -> NumberColumn:
        """Return the column with what lies outside moved to the ends; refuse it unless that is wanted."""
        outside = [place for place, number in enumerate(self.numbers) if not low <= number <= high]
        if not outside:
            return self
        if not clip:
            rows = np.flatnonzero(np.isin(self.words.codes, outside))
            raise InvalidParameter(
                f"column {self.name}, row {self.words.row(rows[0])} lies outside the range [{float(low):g}, "
                f"{float(high):g}] ({self.words.among(rows.size)} do)",
                way_out="Give `clip` to move such records to its ends, or choose a wider range without looking at the "
                "data.",
            )
        return NumberColumn(self.name, self.words, tuple(min(max(number, low), high) for number in self.numbers))

    def possible_values(self, low: Fraction, high: Fraction) -> int | None:
        """Return how many numbers of a range, its ends among them, have as many decimals as the column is written with.

        None if these are more than 20.
        """
        shares = {number.denominator for number in self.numbers}
        scale = next(
            (10**places for places in range(_MOST_DECIMALS + 1) if not any(10**places % one for one in shares)), None
        )
        # Records that are clipped lie at the ends, which may have more decimals.
        return None if scale is None else math.ceil(high * scale) - math.floor(low * scale) + 1

    def total(self) -> Fraction:
        """Return the exact sum."""
        by_denominator: dict[int, int] = {}
        for number, count in zip(self.numbers, self.counts, strict=True):
            denominator = number.denominator
            by_denominator[denominator] = by_denominator.get(denominator, 0) + count * number.numerator
        return sum((Fraction(above, below) for below, above in by_denominator.items()), Fraction(0))


def number_column(table: Any, name: str) -> NumberColumn:
    """Read a column of numbers exactly; a refusal names the first row that holds none, and not what it holds."""
    words = _words(table, name)
    numbers = [_number(text) for text in words.texts]
    broken = [place for place, number in enumerate(numbers) if number is None]
    if broken:
        rows = np.flatnonzero(np.isin(words.codes, broken))
        raise UnreadableFile(
            f"column {name}, row {words.row(rows[0])} holds no number",
            way_out="Correct it; what it holds is not repeated here.",
        )
    _check_rows(words, name)
    return NumberColumn(name, words, tuple(number for number in numbers if number is not None))


def count_cells(table: Any, name: str, value: str | None) -> tuple[int, int]:
    """Return how many rows hold a value, or anything at all, and how many rows there are."""
    counts, empty = _counts(table, name)
    rows = sum(counts.values()) + empty
    return (rows - empty if value is None else counts.get(normal(value).strip(), 0)), rows


def histogram_cells(table: Any, name: str, values: Sequence[str], *, other: bool) -> tuple[tuple[int, ...], int]:
    """Return how many rows hold each declared value, those of any other last if they are wanted, and all rows."""
    counts, empty = _counts(table, name)
    rows = sum(counts.values()) + empty
    found = [counts.get(value, 0) for value in values]
    left = rows - sum(found)
    if other:
        return (*found, left), rows
    if left:
        raise UnreadableFile(
            f"column {name} holds {'empty cells or ' if empty else ''}values that were not declared, in {left:,} of "
            f"{rows:,} rows",
            way_out="Give `other` for a cell of all others, or declare every value that the question allows.",
        )
    return tuple(found), rows


def declared_values(several: Iterable[str], *, other: bool) -> tuple[str, ...]:
    """Check a list of declared values: at least two cells, each named once."""
    values = tuple(normal(value).strip() for value in several)
    if not all(values) or len(set(values)) < len(values) or len(values) + other < 2:
        raise InvalidParameter(
            "must name at least two cells, each once",
            parameter="values",
            way_out="Write them like a,b,c; `other` counts as one.",
        )
    if other and OTHER in values:
        raise InvalidParameter(
            f"has a cell called {OTHER} already", parameter="values", way_out="Leave it out, or leave out `other`."
        )
    return values


def grid_values(text: str) -> tuple[Fraction, ...]:
    """Read low:high:step, ends included, as exact numbers in ascending order."""
    parts = [_number(part) for part in text.split(":")]
    low, high, step = (*parts, None, None, None)[:3]
    if len(parts) != 3 or low is None or high is None or step is None:
        raise InvalidParameter(
            "must be low:high:step, three numbers", parameter="grid", value=text[:60], way_out="Write 0:100:5."
        )
    if not low < high or step <= 0 or step > high - low:
        raise InvalidParameter(
            "must go up from low to high in steps above 0 that fit in between",
            parameter="grid",
            value=text[:60],
            way_out="Write 0:100:5 for 0, 5, 10 and so on to 100.",
        )
    steps, rest = divmod(high - low, step)
    if steps >= _MOST_GRID:
        raise InvalidParameter(
            f"has more than {_MOST_GRID:,} values", parameter="grid", value=text[:60], way_out="Take longer steps."
        )
    if rest:
        raise InvalidParameter(
            "must reach high in whole steps",
            parameter="grid",
            value=text[:60],
            way_out="Move high, or change the step.",
        )
    return tuple(low + place * step for place in range(int(steps) + 1))


def _counts(table: Any, name: str) -> tuple[dict[str, int], int]:
    """Count the texts of a column; empty cells apart."""
    import pyarrow.compute as pc  # noqa: PLC0415  takes a second to import

    if name not in table.column_names:
        raise no_column(name, table.column_names)
    empty = table.column(name).null_count
    words = words_of(table.filter(pc.is_valid(table.column(name))) if empty else table, name)
    if not len(words) + empty:
        _check_rows(words, name)
    found = np.bincount(words.codes, minlength=len(words.texts))
    counts = {text: int(count) for text, count in zip(words.texts, found, strict=True)}
    return counts, empty + counts.pop("", 0)


def _words(table: Any, name: str) -> Words:
    """Return the words of a column; numbers are spelled once each, however many rows hold them."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    column = table.column(name) if name in table.column_names else None
    if (
        column is None
        or column.null_count
        or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type))
    ):
        return words_of(table, name)
    encoded = pa.chunked_array([column.combine_chunks()]).dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    spelled = words_of(pa.table({name: encoded.dictionary}), name)
    return Words(spelled.codes[encoded.indices.to_numpy()] if len(encoded) else spelled.codes, spelled.texts)


def _check_rows(words: Words, name: str) -> None:
    if not len(words):
        raise UnreadableFile(f"column {name} has no rows", way_out="Hand in a table with records.")


def _number(text: str) -> Fraction | None:
    try:
        return parse_number(text, "a cell")
    except UnreadableFile:
        return None


# --- Files for noise: distortion tables, one private value, and noisy values
# A private value is read from a file, because a command stays in the shell's history.


SCHEMA = "sfumato/noisy/1"
_LIMIT_BYTES = 2**24
_LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DistortionTable:
    """How bad it is to say one answer for another: a row for the true answer, a column for the one said."""

    answers: tuple[str, ...] | None
    rows: tuple[tuple[Fraction, ...], ...]


def read_distortion(path: str | Path, *, limit_bytes: int = _LIMIT_BYTES) -> DistortionTable:
    """Read a CSV table of numbers, with or without a header of answers and a first column of the same answers."""
    records = read_records(read_bytes(path, limit_bytes=limit_bytes), path)
    if all(record.is_numeric for record in records):
        return DistortionTable(answers=None, rows=_numbers(path, [(r.line, r.cells) for r in records]))
    answers = tuple(cell.strip() for cell in records[0].cells[1:])
    said = tuple(record.cells[0].strip() for record in records[1:])
    if answers != said or len(set(answers)) != len(answers) or not all(answers):
        raise UnreadableFile(
            "the header and the first column must list the same answers, each once, in one order",
            way_out="Name the columns as the rows are named.",
            place=Place(file=str(path)),
        )
    return DistortionTable(answers=answers, rows=_numbers(path, [(r.line, r.cells[1:]) for r in records[1:]]))


def read_private_text(path: str | Path) -> str:
    """Read the one value in a file, without the white space around it; it is in no error."""
    text = decode_text(read_bytes(path, limit_bytes=_LIMIT_BYTES), path).strip()
    if not text or len(text) > _LONGEST_VALUE or "\n" in text:
        raise UnreadableFile(
            "the file must hold one value on one line",
            way_out="Write it there, and nothing else.",
            place=Place(file=str(path)),
        )
    return text


def read_private_number(path: str | Path) -> Fraction:
    """Read the one number in a file; it is in no error."""
    return parse_number(read_private_text(path), "the value", Place(file=str(path)))


def write_noisy(path: str | Path, document: Mapping[str, Any]) -> None:
    """Write what may be given out, as JSON; several numbers as a table where the name ends in .csv."""
    if Path(path).suffix.lower() == ".csv" and isinstance(document["value"], Mapping):
        write_atomically(path, _table(document))
        return
    write_atomically(path, json.dumps({"schema": SCHEMA, **document}, ensure_ascii=False, indent=1) + "\n")


def _table(document: Mapping[str, Any]) -> str:
    """A row for each cell. A table has no place for a warning but its header, so a simulation is called one there."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("value", "simulated count" if document["insecure"] else "noisy count"))
    writer.writerows(document["exact"].items())
    return text.getvalue()


def _numbers(path: str | Path, lines: list[tuple[int, tuple[str, ...]]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(
        tuple(parse_number(cell, "a cell", Place(file=str(path), line=line)) for cell in cells) for line, cells in lines
    )


# --- Arguments of noise designs: private numbers, which no error repeats, and the dependence between people


def finite_number(value: Real) -> Fraction:
    """Read a private number exactly, or refuse it in a sentence that does not contain it."""
    try:
        return as_exact("value", value)
    except InvalidParameter:
        raise InvalidParameter(
            "the private value must be a finite number (int, Fraction or float)",
            way_out="Convert it, and check how it was computed.",
        ) from None


def private_number(value: Real, low: Fraction, high: Fraction) -> Fraction:
    """Read a private number of a range, on the same terms."""
    exact = finite_number(value)
    if not low <= exact <= high:
        raise InvalidParameter(
            f"the private value lies outside [{float(low):g}, {float(high):g}], for which the noise was made",
            way_out="Choose the range without looking at the data, or clip the value to it yourself.",
        )
    return exact


def check_counts(counts: Sequence[Fraction], records: int) -> None:
    """Refuse counts that no histogram of so many records has, without repeating them."""
    if not (all(number >= 0 and number.denominator == 1 for number in counts) and sum(counts) <= records):
        raise InvalidParameter(
            f"the private counts must be whole numbers of at least 0, of at most {records} records in all",
            way_out="Count every record in at most one cell.",
        )


def group_of(correlated: Correlation | str | int) -> Correlation:
    """Read how many people may depend on each other; beliefs that share bits need noise of another kind."""
    who = Correlation.of(correlated)
    if who.shared_bits is not None:
        raise InvalidParameter(
            "must say how many people may depend on each other: this noise is not certified for shared bits",
            parameter="correlated",
            way_out="Say anyone, nobody, or a number of people.",
        )
    return who
