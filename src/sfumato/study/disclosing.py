"""Disclosure of real tables: rows as samples of one data set, or columns as samples of many; and the book of releases.

Two releases of the same data can leak together although each is private, so a book beside the data remembers what was
released, and a second release is refused.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, SystemBits
from sfumato.certificates import Certificate, certify
from sfumato.disclose import DataLaw, Disclosure, optimum
from sfumato.disclose.data_laws import DataLawLike
from sfumato.disclose.disclosure_certificates import estimation_radius
from sfumato.disclose.window_schemes import WindowScheme
from sfumato.errors import InvalidParameter, KeyReused, Place, UnreadableFile
from sfumato.files import read_bytes, write_atomically
from sfumato.files.csv_tables import decode_text
from sfumato.files.locks import locked
from sfumato.files.tables import Words, words_of
from sfumato.prob import Distribution

BOOK_SCHEMA = "sfumato/releases/1"
_BOOK_LIMIT_BYTES = 2**24
_MOST_VALUES = 64


class Samples(StrEnum):
    """What the samples are."""

    ROWS = "rows"
    COLUMNS = "columns"

    @classmethod
    def of(cls, text: Samples | str) -> Samples:
        """Read what the samples are."""
        try:
            return cls(text)
        except ValueError:
            raise InvalidParameter(
                "must be rows or columns",
                parameter="samples",
                value=str(text),
                way_out="Of rows one data set is told about, of columns every row is one.",
            ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRelease:
    """Public symbols with their certificate; `disclosed_bits` is about the whole table, `efficiency` a share of 1.

    `cells` is how many different samples there can be; `out` and `sealed` are where it was written, if it was.
    """

    symbols: npt.NDArray[np.int64]
    certificate: Certificate
    cells: int
    method: str
    disclosed_bits: float
    upper_bits: float
    efficiency: float
    protects: str
    because: str = ""
    drift: str = ""
    out: Path | None = None
    sealed: Path | None = None


def disclose_columns(
    table: Any,
    protect: Sequence[str],
    about: str | None = None,
    *,
    law: DataLawLike | None = None,
    bits: BitSource | None = None,
    seconds: float = 60.0,
) -> TableRelease:
    """Release one symbol for each row: about the row as a whole, or about one column, and nothing about any other.

    Without `law`, an array over the values of the protected columns, the law is that of the table's own rows.
    """
    if len(protect) < 2:
        raise InvalidParameter(
            "names one column, and a row of one sample has no whole", parameter="protect", way_out="Name at least two."
        )
    columns = [words_of(table, name) for name in protect]
    _check_values(columns, protect)
    cells = np.stack([column.codes for column in columns], axis=1)
    shape = tuple(len(column.texts) for column in columns)
    feature = None if about is None else _feature(cells, shape, words_of(table, about))
    data = _counted(cells, shape) if law is None else DataLaw.of(law)
    if data.shape != shape:
        raise InvalidParameter(
            f"has the shape {data.shape}, and the protected columns have {shape} values",
            parameter="law",
            way_out="Give a probability to each combination of values, columns in their order.",
        )
    found = optimum(data, feature, seconds=seconds)
    symbols = np.asarray(found.release(cells.tolist(), SystemBits() if bits is None else bits), dtype=np.int64)
    certificate = certify(found, estimated_from=len(cells) if law is None else None)
    return TableRelease(
        symbols=symbols,
        certificate=certificate,
        cells=math.prod(shape),
        method=found.method,
        disclosed_bits=found.lower_bits,
        upper_bits=found.upper_bits,
        efficiency=_efficiency(found, feature),
        protects=f"each of the columns {', '.join(protect)} in every row",
        because=found.because,
    )


def disclose_rows(
    table: Any,
    protect: str,
    *,
    law: Distribution | None = None,
    bits: BitSource | None = None,
    window: int | None = None,
) -> TableRelease:
    """Release the column as a whole, nothing about any single row: windows of rows that share one row.

    Rows must be independent draws of one law. Without `law` it is that of the column itself.
    """
    column = words_of(table, protect)
    _check_values([column], [protect])
    counts = np.bincount(column.codes, minlength=len(column.texts))
    known = Distribution([Fraction(int(c), len(column)) for c in counts], column.texts) if law is None else law
    if law is not None and set(law.labels) != set(column.texts):
        raise InvalidParameter(
            "has other values than the column",
            parameter="law",
            way_out="Give a probability to each value of the column.",
        )
    ordered = Distribution([known[text] for text in column.texts], column.texts).to_exact()
    size = window or (3 if len(column.texts) == 2 else 2)
    scheme = WindowScheme.best(ordered, size)
    symbols = np.asarray(scheme.release(column.codes, SystemBits() if bits is None else bits), dtype=np.int64)
    one = optimum(DataLaw.independent(ordered, size))
    certificate = certify(_with_mapping(one, scheme))
    count = len(column)
    drift = ""
    if law is None:
        radius = estimation_radius(count, len(column.texts))
        leak = scheme.leak_within(count, radius)
        drift = (
            f"The law was estimated from these {count} rows. If the true law is within {radius:.4f} of it, all symbols "
            f"together tell at most {leak:.4g} bits about a row; pass a known law for less."
        )
    return TableRelease(
        symbols=symbols,
        certificate=certificate,
        cells=len(column.texts),
        method=f"windows of {size} rows that share one row",
        disclosed_bits=scheme.information_bits(count).lower,
        upper_bits=float("nan"),
        efficiency=scheme.efficiency(count).lower,
        protects=f"every single row of the column {protect}",
        drift=drift,
    )


def check_not_released(book: Path, columns: Sequence[str], table: Any) -> list[str]:
    """Return a digest of each column to be released; raise if the book says that one of them was released before."""
    digests = [_digest(name, table) for name in sorted(columns)]
    _refuse_twice(book, _read_book(book), digests)
    return digests


def record_release(book: Path, digests: Sequence[str], release: str) -> None:
    """Write into the book that columns are released, before they are; of two processes at it, one is refused."""
    with locked(book):
        entries = _read_book(book)
        _refuse_twice(book, entries, digests)
        entries.append({"columns": list(digests), "release": release})
        write_atomically(book, json.dumps({"schema": BOOK_SCHEMA, "releases": entries}, indent=1) + "\n")


def _refuse_twice(book: Path, entries: Sequence[Mapping[str, Any]], digests: Sequence[str]) -> None:
    if any(set(entry["columns"]) & set(digests) for entry in entries):
        raise KeyReused(
            f"the book {book} says that some of these columns were released before, and perfect sample privacy does "
            f"not add up: two private releases of the same data can leak together",
            way_out="Use the first, or protect all columns in one.",
        )


def _read_book(book: Path) -> list[dict[str, Any]]:
    if not book.exists():
        return []
    try:
        document = json.loads(decode_text(read_bytes(book, limit_bytes=_BOOK_LIMIT_BYTES), book))
        if document["schema"] == BOOK_SCHEMA and all(isinstance(e["columns"], list) for e in document["releases"]):
            return list(document["releases"])
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise UnreadableFile(
        "this is not a book of releases, or it is damaged",
        place=Place(file=str(book)),
        way_out="Restore it: it guards the data.",
    )


def _digest(name: str, table: Any) -> str:
    words = words_of(table, name)
    mark = sha256(b"sfumato/releases/1" + json.dumps(list(words.texts)).encode())
    mark.update(words.codes.tobytes())
    return mark.hexdigest()


def _counted(cells: npt.NDArray[np.int64], shape: tuple[int, ...]) -> DataLaw:
    counted = Counter(map(tuple, cells.tolist()))
    order = sorted(counted)
    masses = tuple(Fraction(counted[cell], len(cells)) for cell in order)
    return DataLaw(shape=shape, cells=np.array(order, dtype=np.int64), masses=masses)


def _feature(cells: npt.NDArray[np.int64], shape: tuple[int, ...], words: Words) -> npt.NDArray[np.float64]:
    table = np.zeros((*shape, len(words.texts)))
    np.add.at(table, (*cells.T, words.codes), 1.0)
    totals = table.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, table / np.maximum(totals, 1.0), 1.0 / len(words.texts))


def _efficiency(found: Disclosure, feature: npt.NDArray[np.float64] | None) -> float:
    """Which part of the entropy of the data, or of the feature, is told."""
    masses = found.law.array
    if feature is not None:
        masses = masses @ feature[tuple(found.law.cells.T)]
        masses = masses[masses > 0]
    whole = float(-(masses * np.log2(masses)).sum())
    return found.lower_bits / whole if whole else 0.0


def _with_mapping(disclosure: Disclosure, scheme: WindowScheme) -> Disclosure:
    """Certify the mapping that the scheme really uses."""
    from dataclasses import replace  # noqa: PLC0415

    from sfumato.prob import Channel  # noqa: PLC0415

    rows = scheme.mapping.rows
    return replace(disclosure, channel=Channel(rows, [tuple(cell) for cell in disclosure.law.cells.tolist()]))


def _check_values(columns: Sequence[Words], names: Sequence[str]) -> None:
    for column, name in zip(columns, names, strict=True):
        if not 2 <= len(column.texts) <= _MOST_VALUES:
            raise InvalidParameter(
                f"column {name} has {len(column.texts)} different values, and between 2 and {_MOST_VALUES} can be "
                f"protected",
                way_out="Merge values into cells first.",
            )
