"""Disclosure of real tables: rows as samples of one data set, or columns as samples of many.

Where the law or the feature is counted in the table, the mapping is made from the records that it protects: what may be
shown is a public certificate, and the one with law and mapping is private.   Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, SystemBits
from sfumato.certificates import Certificate
from sfumato.certificates.certifying import certify_subject
from sfumato.disclose import DataLaw, Disclosure, Estimation, Origin, optimum, public_certificate
from sfumato.disclose.data_laws import DataLawLike
from sfumato.disclose.disclosure_certificates import DisclosureSubject, fresh_salt, made_subject
from sfumato.disclose.law_estimates import counted_law
from sfumato.disclose.public_numbers import two_digits
from sfumato.disclose.window_schemes import WindowScheme
from sfumato.errors import InvalidParameter, Refused
from sfumato.files.tables import Words
from sfumato.io.labels import as_text
from sfumato.prob import Channel, Distribution
from sfumato.study.coded_columns import coded_column

_MOST_VALUES = 64
# What solvers leave of nothing at all.
_LEAST_BITS = 1e-9


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

    Where law or mapping were made from the table, `certificate` has neither, numbers are rounded outwards to two
    digits, and `private` is the certificate that proves them: it is not to be shown. `cells` is how many different
    samples there can be; `out`, `sealed` and `kept` are where release and certificates were written, if they were.
    """

    symbols: npt.NDArray[np.int64]
    certificate: Certificate
    private: Certificate | None = field(repr=False)
    cells: int
    method: str
    disclosed_bits: float
    upper_bits: float
    efficiency: float
    protects: str
    out: Path | None = None
    sealed: Path | None = None
    kept: Path | None = None


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

    Without `law`, an array over the values of the protected columns, each in reading order, the law is that of the
    table's own rows.
    """
    if len(protect) < 2:
        raise InvalidParameter(
            "names one column, and a row of one sample has no whole", parameter="protect", way_out="Name at least two."
        )
    columns = [coded_column(table, name) for name in protect]
    _check_values(columns, protect)
    cells = np.stack([column.codes for column in columns], axis=1)
    shape = tuple(len(column.texts) for column in columns)
    feature = None if about is None else _feature(cells, shape, coded_column(table, about))
    data = counted_law(cells, shape) if law is None else DataLaw.of(law)
    if data.shape != shape:
        raise InvalidParameter(
            f"has the shape {data.shape}, and the protected columns have {shape} values",
            parameter="law",
            way_out="Give a probability to each combination of values, columns in their order.",
        )
    found = optimum(data, feature, seconds=seconds)
    if found.lower_bits < _LEAST_BITS:
        raise Refused(
            f"the release would tell nothing. {found.because}".strip(),
            way_out="Protect other columns together, or tell about something else. Nothing was booked or written.",
        )
    estimation = Estimation(
        law=Origin.RECORDS if law is None else Origin.DECLARED,
        feature=None if feature is None else Origin.RECORDS,
        data_sets=None if law is not None and feature is None else len(cells),
    )
    symbols = np.asarray(found.release(cells.tolist(), SystemBits() if bits is None else bits), dtype=np.int64)
    return _made(
        made_subject(found, estimation),
        symbols=symbols,
        cells=math.prod(shape),
        method=found.method,
        told=(found.lower_bits, found.upper_bits, _efficiency(found, feature)),
        protects=f"each of the columns {', '.join(protect)} in every row",
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

    Rows must be independent draws of one law. Without `law` it is that of the column itself; a `law` may have values
    that never came up.
    """
    column = coded_column(table, protect, None if law is None else [as_text(label) for label in law.labels])
    _check_values([column], [protect])
    count, values = len(column), len(column.texts)
    shares = [Fraction(int(c), count) for c in np.bincount(column.codes, minlength=values)]
    known = Distribution(shares) if law is None else Distribution(law.probabilities).to_exact()
    size = window or (3 if values == 2 else 2)
    scheme = WindowScheme.best(known, size)
    symbols = np.asarray(scheme.release(column.codes, SystemBits() if bits is None else bits), dtype=np.int64)
    estimation = Estimation() if law is not None else Estimation(law=Origin.RECORDS, samples=count)
    return _made(
        _window_subject(scheme, estimation),
        symbols=symbols,
        cells=values,
        method=f"windows of {size} rows that share one row",
        told=(scheme.information_bits(count).lower, math.nan, scheme.efficiency(count).lower),
        protects=f"every single row of the column {protect}",
    )


def _made(
    subject: DisclosureSubject,
    *,
    symbols: npt.NDArray[np.int64],
    cells: int,
    method: str,
    told: tuple[float, float, float],
    protects: str,
) -> TableRelease:
    """Put a release together; `told` are the bits told, the most that could be, and the share of what there is."""
    whole = certify_subject(subject)
    is_private = subject.estimation.is_private
    lower, upper, share = told
    if is_private:
        lower, share = two_digits(lower, up=False), two_digits(share, up=False)
        upper = upper if math.isnan(upper) else two_digits(upper, up=True)
    return TableRelease(
        symbols=symbols,
        certificate=public_certificate(whole) if is_private else whole,
        private=whole if is_private else None,
        cells=cells,
        method=method,
        disclosed_bits=lower,
        upper_bits=upper,
        efficiency=share,
        protects=protects,
    )


def _window_subject(scheme: WindowScheme, estimation: Estimation) -> DisclosureSubject:
    """Return what one window's certificate is about: the mapping that the scheme really uses."""
    law = DataLaw.independent(scheme.law, scheme.size)
    channel = Channel(scheme.mapping.rows, [tuple(cell) for cell in law.cells.tolist()])
    return DisclosureSubject(
        law=law, groups=law.singles(), channel=channel, estimation=estimation, salt=fresh_salt(estimation)
    )


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


def _check_values(columns: Sequence[Words], names: Sequence[str]) -> None:
    for column, name in zip(columns, names, strict=True):
        if not 2 <= len(column.texts) <= _MOST_VALUES:
            raise InvalidParameter(
                f"column {name} has {len(column.texts)} different values, and between 2 and {_MOST_VALUES} can be "
                f"protected",
                way_out="Merge values into cells first.",
            )
