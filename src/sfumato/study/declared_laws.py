"""Reading a declared law of several columns: one line for each combination of values, with its probability.

The header names the columns and, last or anywhere, `probability`. Combinations that are left out have probability 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from sfumato.errors import Place, UnreadableFile
from sfumato.files.csv_tables import Record, read_records
from sfumato.files.disk import DEFAULT_LIMIT_BYTES, read_bytes
from sfumato.files.numbers import parse_number
from sfumato.files.texts import check_text
from sfumato.io.labels import in_reading_order
from sfumato.io.laws import make_distribution
from sfumato.prob import Joint

PROBABILITY = "probability"
_MOST_CELLS = 200_000


def read_declared_law(path: str | Path, columns: Sequence[str], *, limit_bytes: int = DEFAULT_LIMIT_BYTES) -> Joint:
    """Return the law of these columns, in their order, from a CSV file that has just them and their probability."""
    place = Place(file=str(path))
    header, *body = read_records(read_bytes(path, limit_bytes=limit_bytes), path)
    names = [cell.strip() for cell in header.cells]
    if sorted(names) != sorted([*columns, PROBABILITY]):
        raise UnreadableFile(
            f"the law must have the columns {', '.join([*columns, PROBABILITY])}, each once, and no others",
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
    cell = tuple(check_text(record.cells[i].strip(), "a value of the law", line) for i in places)
    if cell in found or not all(cell):
        raise UnreadableFile("a combination of values is empty or stands twice", way_out="Keep one.", place=line)
    found[cell] = parse_number(record.cells[probability], f"column {PROBABILITY}", line)


def _product(alphabets: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    cells: list[tuple[str, ...]] = [()]
    for alphabet in alphabets:
        cells = [(*cell, value) for cell in cells for value in alphabet]
    return cells
