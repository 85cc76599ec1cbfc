"""Disclosure of real tables: rows as samples of one data set, or columns as samples of many.

Where the law comes from has to be said (:mod:`sfumato.study.law_sources`). Where it or the feature is counted in
protected records, what may be shown is a public certificate, and the one with law and mapping is private.
Theory: docs/theory/disclosure.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import BitSource, SystemBits
from sfumato.certificates.certifying import certify_subject
from sfumato.disclose import DataLaw, Disclosure, Estimation, Origin, optimum, public_certificate
from sfumato.disclose.data_laws import feature_of
from sfumato.disclose.disclosure_certificates import DisclosureSubject, fresh_salt, made_subject
from sfumato.disclose.disclosures import told_bits
from sfumato.disclose.polytope import can_tell, marginal_matrix
from sfumato.disclose.window_schemes import WindowScheme
from sfumato.errors import InvalidParameter, Refused
from sfumato.files.words import Words
from sfumato.io.labels import as_text
from sfumato.prob import Channel, Distribution, Joint
from sfumato.study.law_sources import LawSource, check_values, counts_of, law_of_columns, law_of_rows
from sfumato.study.table_releases import OwnersFigures, TableRelease, reading_of
from sfumato.study.told_figures import scored

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


def disclose_columns(
    table: Any,
    protect: Sequence[str],
    about: str | None = None,
    *,
    source: LawSource,
    bits: BitSource | None = None,
    seconds: float = 60.0,
) -> TableRelease:
    """Release one symbol for each row: about the row as a whole, or about one column, and nothing about any other.

    `source` says where the law of the protected columns, and of the one that is told about, comes from.
    """
    if len(protect) < 2:
        raise InvalidParameter(
            "names one column, and a row of one sample has no whole", parameter="protect", way_out="Name at least two."
        )
    drawn = SystemBits() if bits is None else bits
    known = _with_values(source, [*protect, *([] if about is None else [about])])
    columns = [known.column(table, name) for name in protect]
    check_values(columns, protect)
    told_about = None if about is None else (about, known.column(table, about))
    made = law_of_columns(known, protect, columns, told_about, drawn)
    found = optimum(made.law, made.feature, seconds=seconds)
    cells = np.stack([column.codes for column in columns], axis=1)
    _check_tells(found, columns, told_about, known.origin)
    subject = made_subject(found, made.estimation)
    symbols = np.asarray(found.release(cells.tolist(), drawn), dtype=np.int64)
    feature = None if told_about is None or made.feature is None else (about or "", told_about[1].texts, made.feature)
    release = _made(
        subject,
        symbols=symbols,
        cells=math.prod(made.law.shape),
        figures=scored(
            OwnersFigures(
                method=found.method,
                disclosed_bits=found.lower_bits,
                upper_bits=found.upper_bits,
                efficiency=_efficiency(found, made.feature),
            ),
            known,
            [*columns, *([] if told_about is None else [told_about[1]])],
            made,
            found,
            seconds=seconds,
        ),
        protects=f"each of the columns {', '.join(protect)} in every row",
    )
    return replace(release, reading=reading_of(subject, list(protect), [column.texts for column in columns], feature))


def disclose_rows(
    table: Any,
    protect: str,
    *,
    source: LawSource,
    bits: BitSource | None = None,
    window: int | None = None,
) -> TableRelease:
    """Release the column as a whole, nothing about any single row: windows of rows that share one row.

    Rows must be independent draws of one law; `source` says where that comes from. It may have values that never came
    up.
    """
    drawn = SystemBits() if bits is None else bits
    known = _with_values(source, [protect])
    column = known.column(table, protect)
    check_values([column], [protect])
    law, estimation = law_of_rows(known, protect, column, drawn)
    count, values = len(column), len(column.texts)
    size = window or (3 if values == 2 else 2)
    scheme = WindowScheme.best(law, size)
    symbols = np.asarray(scheme.release(column.codes, drawn), dtype=np.int64)
    subject = _window_subject(scheme, estimation)
    release = _made(
        subject,
        symbols=symbols,
        cells=values,
        figures=OwnersFigures(
            method=f"windows of {size} rows that share one row",
            disclosed_bits=scheme.information_bits(count).lower,
            upper_bits=math.nan,
            efficiency=scheme.efficiency(count).lower,
        ),
        protects=f"every single row of the column {protect}",
    )
    names = [f"{protect}, row {place + 1} of the window" for place in range(size)]
    return replace(release, reading=reading_of(subject, names, [column.texts] * size))


def _with_values(source: LawSource, names: Sequence[str]) -> LawSource:
    """Add the values that a declared law knows of to those that are given."""
    law = source.law
    if isinstance(law, Joint):
        alphabets: Sequence[Sequence[Any]] = law.alphabets
    elif isinstance(law, Distribution):
        alphabets = [law.labels]
    else:
        return source
    declared = {name: [as_text(label) for label in labels] for name, labels in zip(names, alphabets, strict=False)}
    return replace(source, values={**source.values, **declared})


def _check_tells(found: Disclosure, columns: Sequence[Words], about: tuple[str, Words] | None, origin: Origin) -> None:
    """Refuse a mapping that tells nothing: under its law, or about the records as they are.

    A smoothed law has some probability where no record can be, and then a mapping tells of what never happens.
    """
    counts = counts_of(columns if about is None else [*columns, about[1]])
    whole = counts if about is None else counts.sum(axis=-1)
    shares = [Fraction(int(count), int(whole.sum())) for count in whole.ravel()]
    law = DataLaw.of(np.array(shares, dtype=object).reshape(whole.shape))
    cells = [tuple(cell) for cell in law.cells.tolist()]
    rows = dict(zip(map(tuple, found.law.cells.tolist()), found.channel.rows, strict=True))
    if any(cell not in rows for cell in cells):
        return  # the release itself says that a data set has probability 0
    feature = None
    if about is not None:
        feature = feature_of(law, counts / np.maximum(whole, 1)[..., None])
    told = told_bits(law, Channel([rows[cell] for cell in cells], cells), feature)
    # Other people's law may have cells that these records happen not to have.
    possible = origin is not Origin.RECORDS or can_tell(marginal_matrix(law, law.singles()), feature)
    if found.lower_bits < _LEAST_BITS or told.upper < _LEAST_BITS or not possible:
        unsolved = possible and found.lower_bits < _LEAST_BITS <= found.upper_bits
        other = "Give more `seconds` to the search" if unsolved else "Protect other columns together"
        raise Refused(
            f"the release would tell nothing. {found.because}".strip(),
            way_out=f"{other}, or tell about something else. Nothing was booked or written.",
        )


def _made(
    subject: DisclosureSubject,
    *,
    symbols: npt.NDArray[np.int64],
    cells: int,
    figures: OwnersFigures,
    protects: str,
) -> TableRelease:
    """Put a release together: the certificate that may be shown, and the one that may not."""
    whole = certify_subject(subject)
    is_private = subject.estimation.is_private
    return TableRelease(
        symbols=symbols,
        certificate=public_certificate(whole) if is_private else whole,
        private=whole if is_private else None,
        cells=cells,
        figures=figures,
        protects=protects,
    )


def _window_subject(scheme: WindowScheme, estimation: Estimation) -> DisclosureSubject:
    """Return what one window's certificate is about: the mapping that the scheme really uses."""
    law = DataLaw.independent(scheme.law, scheme.size)
    channel = Channel(scheme.mapping.rows, [tuple(cell) for cell in law.cells.tolist()])
    return DisclosureSubject(
        law=law, groups=law.singles(), channel=channel, estimation=estimation, salt=fresh_salt(estimation)
    )


def _efficiency(found: Disclosure, feature: npt.NDArray[np.float64] | None) -> float:
    """Which part of the entropy of the data, or of the feature, is told."""
    masses = found.law.array
    if feature is not None:
        masses = masses @ feature[tuple(found.law.cells.T)]
        masses = masses[masses > 0]
    whole = float(-(masses * np.log2(masses)).sum())
    return found.lower_bits / whole if whole else 0.0
