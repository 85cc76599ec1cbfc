"""Disclosing what a table says as a whole: drawn, paid for, entered and written."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.certificates.certificate import Certificate
from sfumato.certificates.certifying import certify_subject
from sfumato.disclosure.certificate import DisclosureSubject, fresh_salt, made_subject, public_certificate
from sfumato.disclosure.data import DataLaw, can_tell, feature_of, marginal_matrix
from sfumato.disclosure.estimation import BETA, DRIFT, HISTOGRAM, Estimation, Origin
from sfumato.disclosure.held_out import disclosed_score
from sfumato.disclosure.optimal import Disclosure, optimum, told_bits
from sfumato.disclosure.schemes import WindowScheme
from sfumato.errors import InvalidParameter, KeyReused, Place, Refused, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.disk import read_bytes, write_atomically
from sfumato.files.formats import DataFile, as_file
from sfumato.files.public_tables import write_table
from sfumato.files.staging import locked
from sfumato.files.tables import TABLE_LIMIT_BYTES, TableLike, as_arrow, number_column
from sfumato.files.texts import decode_text
from sfumato.numbers.checks import Real, as_exact
from sfumato.prob.channel import Channel
from sfumato.prob.channel_files import read_prior
from sfumato.prob.distribution import Distribution
from sfumato.prob.file_entries import as_text
from sfumato.prob.operations import Joint
from sfumato.publications.part import arrow_table
from sfumato.publications.registry import ledger_of, study_of
from sfumato.sampling.sources import BitSource, SystemBits
from sfumato.study.planning import release_of_disclosure
from sfumato.study.study import Study
from sfumato.workflows.releasing import paid, probe, probe_table, source_of
from sfumato.workflows.table_distributions import (
    LawSource,
    MadeLaw,
    check_values,
    coded_column,
    counts_of,
    feature_of_counts,
    law_of_columns,
    law_of_counts,
    law_of_rows,
    noisy,
    read_declared_law,
)

# --- The result of a disclosure: symbols, certificates, and figures for the owner alone


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersFigures:
    """What only the owner of the table may know: each of these is a function of the table.

    `disclosed_bits` is what the mapping discloses under its own law, of at most `upper_bits` that any could;
    `efficiency` is that share of what there is. `scored_bits` is what is disclosed about one half of the records by
    what the other half fitted, and `proven_bits` a lower bound of that, at 95 %, 0 where nothing was shown; None where
    halves are small.
    """

    method: str
    disclosed_bits: float
    upper_bits: float
    efficiency: float
    scored_bits: float | None = None
    proven_bits: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRelease:
    """Public symbols with their certificate, and what is kept.

    Where law or mapping were made from protected records, `certificate` has neither, and `private` is the certificate
    that proves it: it is not to be shown, and neither are `figures`. `reading` says what a symbol means, P(x|y) or
    P(w|y), where the law is public. `cells` is how many different samples there can be; `out`, `sealed`, `kept` and
    `read` are where release, certificates and reading were written, if they were.
    """

    symbols: npt.NDArray[np.int64]
    certificate: Certificate
    private: Certificate | None = field(repr=False)
    cells: int
    figures: OwnersFigures = field(repr=False)
    protects: str
    reading: dict[str, list[str]] | None = field(default=None, repr=False)
    out: Path | None = None
    sealed: Path | None = None
    kept: Path | None = None
    read: Path | None = None


def reading_of(
    subject: DisclosureSubject,
    names: list[str],
    values: list[tuple[str, ...]],
    about: tuple[str, tuple[str, ...], npt.NDArray[np.float64]] | None = None,
) -> dict[str, list[str]] | None:
    """Return what each symbol says: P(x|y), or P(w|y) of a feature; None where that is a function of protected records.

    Columns are `symbol`, the names, and `probability`; `about` is the name, the values and P(w|x) of a feature.
    """
    if subject.estimation.is_private:
        return None
    law, rows = [Fraction(mass) for mass in subject.law.masses], subject.channel.rows
    cells = subject.law.cells.tolist()
    shown = [_apart(name) for name in (names if about is None else [about[0]])]
    columns: dict[str, list[str]] = {"symbol": [], **{name: [] for name in shown}, "probability": []}
    for symbol in range(subject.channel.shape[1]):
        joint = [mass * row[symbol] for mass, row in zip(law, rows, strict=True)]
        whole = sum(joint, Fraction(0))
        if about is None:
            said = [([values[i][v] for i, v in enumerate(cell)], p) for cell, p in zip(cells, joint, strict=True) if p]
        else:
            given = np.array([float(p / whole) for p in joint]) @ about[2][tuple(subject.law.cells.T)]
            said = [([text], Fraction(float(p)) * whole) for text, p in zip(about[1], given, strict=True)]
        for texts, p in said:
            columns["symbol"].append(str(symbol))
            for name, text in zip(shown, texts, strict=True):
                columns[name].append(text)
            columns["probability"].append(f"{float(p / whole):.9g}")
    return columns


def _apart(name: str) -> str:
    """A column of the table may have the name of one of ours."""
    return f"{name} (value)" if name in {"symbol", "probability"} else name


# --- Out-of-sample disclosure, for the owner, beside the in-sample figure
# The released records are cut in two at random. Where the distribution comes from them, a mapping is fitted on one
# half, under noise of its own for a private histogram, and scored on the other. Where it is declared or comes from
# other people, the mapping is known beforehand, and only the reading of its symbols is fitted.
# Theory: docs/theory/unknown_laws.md


# A half with fewer records scores nothing.
_LEAST_RECORDS = 10
Codes = npt.NDArray[np.int64]


def scored(
    figures: OwnersFigures,
    source: LawSource,
    columns: Sequence[Words],
    made: MadeLaw,
    found: Disclosure,
    *,
    seconds: float,
) -> OwnersFigures:
    """Add the out-of-sample disclosure; `columns` are the protected ones and, last, the disclosed one, if any."""
    size = len(made.law.shape)
    about = len(columns) > size
    cells = math.prod(made.law.shape)
    values = len(columns[-1].texts) if about else cells
    if found.law.size != cells or len(columns[0]) < 2 * _LEAST_RECORDS or values < 2:
        return figures
    halves = _halves(columns)
    mapping = found
    if Origin.RECORDS in (made.estimation.law, made.estimation.feature) or source.epsilon is not None:
        counts = counts_of(halves[0])
        if source.epsilon is not None:
            counts = noisy(counts, source.epsilon, SystemBits())
        law = made.law if source.law is not None else law_of_counts(counts, made.estimation, about=about)
        mapping = optimum(law, feature_of_counts(counts, made.estimation) if about else None, seconds=seconds)
    pairs = [_codes(half, size) for half in halves]
    told = disclosed_score(mapping.channel.array, fitted=pairs[0], scored=pairs[1], values=values)
    return replace(figures, scored_bits=told.score_bits, proven_bits=told.lower_bits)


def _codes(columns: Sequence[Words], size: int) -> tuple[Codes, Codes]:
    """Return the cell of each record, and its feature, which is the cell itself where no column is disclosed."""
    shape = tuple(len(column.texts) for column in columns[:size])
    cells = np.ravel_multi_index(tuple(column.codes for column in columns[:size]), shape).astype(np.int64)
    return cells, cells if len(columns) == size else columns[-1].codes


def _halves(columns: Sequence[Words]) -> list[list[Words]]:
    """Cut the records in two at random: a sorted file must not put its first half against its second."""
    order = np.argsort(SystemBits().words(len(columns[0]), 64), kind="stable")
    cut = len(order) // 2
    return [[Words(column.codes[part], column.texts) for column in columns] for part in (order[:cut], order[cut:])]


# --- Disclosure of tables: rows as samples of one data set, or columns as samples of many
# The source of the distribution has to be stated (:mod:`sfumato.workflows.table_distributions`). Where it or the
# feature is counted in protected records, the certificate for sharing is public, and the one with distribution and
# mapping is private.   Theory: docs/theory/disclosure.md


# Fewer bits are rounding errors of the solvers.
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

    `source` says where the law of the protected columns, and of the disclosed one, comes from.
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
    """Refuse a mapping that discloses nothing: under its law, or about the records as they are.

    A smoothed law has some probability where no record can be, and then a mapping may disclose only what never happens.
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
    """Return which part of the entropy of the data, or of the feature, is disclosed."""
    masses = found.law.array
    if feature is not None:
        masses = masses @ feature[tuple(found.law.cells.T)]
        masses = masses[masses > 0]
    whole = float(-(masses * np.log2(masses)).sum())
    return found.lower_bits / whole if whole else 0.0


# --- The registry of releases beside the data: what was released of it, as digests of columns
# Two releases of the same data can leak together although each is private, so a second release is refused.
# Theory: docs/theory/disclosure.md


REGISTRY_SCHEMA = "sfumato/releases/1"
_REGISTRY_LIMIT_BYTES = 2**24


def check_not_released(registry: Path, columns: Sequence[str], table: Any) -> list[str]:
    """Return a digest of each column to be released; raise if the registry lists one of them."""
    digests = [_digest(name, table) for name in sorted(columns)]
    _refuse_twice(registry, _read_registry(registry), digests)
    return digests


def record_release(registry: Path, digests: Sequence[str], release: str) -> None:
    """Write into the registry that columns are released, before they are; of two processes at it, one is refused."""
    with locked(registry):
        entries = _read_registry(registry)
        _refuse_twice(registry, entries, digests)
        entries.append({"columns": list(digests), "release": release})
        text = json.dumps({"schema": REGISTRY_SCHEMA, "releases": entries}, indent=1) + "\n"
        # A small column can be guessed from its digest. Permissions that the owner gave the registry later are kept.
        write_atomically(registry, text, private=not registry.exists())


def _refuse_twice(registry: Path, entries: Sequence[Mapping[str, Any]], digests: Sequence[str]) -> None:
    if any(set(entry["columns"]) & set(digests) for entry in entries):
        raise KeyReused(
            f"the registry {registry} says that some of these columns were released before, and perfect sample privacy "
            "does not add up: two private releases of the same data can leak together",
            way_out="Use the first, or protect all columns in one.",
        )


def _read_registry(registry: Path) -> list[dict[str, Any]]:
    if not registry.exists():
        return []
    try:
        document = json.loads(decode_text(read_bytes(registry, limit_bytes=_REGISTRY_LIMIT_BYTES), registry))
        entries = document["releases"]
        if document["schema"] == REGISTRY_SCHEMA and isinstance(entries, list) and all(map(_is_entry, entries)):
            return entries
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise UnreadableFile(
        "this is not a registry of releases, or it is damaged",
        place=Place(file=str(registry)),
        way_out="Restore it: it guards the data.",
    )


def _is_entry(entry: Any) -> bool:
    columns = entry["columns"]
    return isinstance(columns, list) and all(isinstance(column, str) for column in columns)


def _digest(name: str, table: Any) -> str:
    # Coded by their order and not by their first appearance: the same column from another file has the same digest.
    words = coded_column(table, name)
    mark = sha256(b"sfumato/releases/1" + json.dumps(list(words.texts)).encode())
    mark.update(words.codes.tobytes())
    return mark.hexdigest()


# In capitals, so that it is not shared by mistake.
PRIVATE_SUFFIX = ".PRIVATE.json"


def disclose_table(
    data: TableLike,
    *,
    out: str | Path,
    protect: Sequence[str] | None = None,
    about: str | None = None,
    study: Study | str | Path | None = None,
    samples: Samples | str = Samples.COLUMNS,
    distribution: Distribution | Joint | str | Path | None = None,
    distribution_from: TableLike | None = None,
    distribution_is_public: bool = False,
    private_histogram: Real | None = None,
    distribution_from_these_records: bool = False,
    values: Mapping[str, Sequence[str]] | None = None,
    beta: Real = BETA,
    registry: str | Path | None = None,
    ledger: str | Path | None = None,
    seconds: float = 60.0,
    bits: BitSource | None = None,
    insecure_seed: int | None = None,
    limit_bytes: int = TABLE_LIMIT_BYTES,
    even_if_nothing: bool = False,
) -> TableRelease:
    """Release what a table says as a whole; its certificate is written beside it, and the registry lists it.

    What is protected is given, or declared in the [disclosure] of a study. A second release of the same columns is
    refused, and so is one that tells nothing, or was not shown to tell anything about records that it was not fitted
    on, unless `even_if_nothing` says that it is wanted all the same. The registry of releases
    stands beside the data, `<data>.releases.json`, unless another is named.

    The origin of the distribution must be given. `distribution_from` is a table of other people, whose distribution is
    private unless `distribution_is_public`. `distribution` is declared. `private_histogram` is an ε for noisy counts of
    the records. `distribution_from_these_records` counts the released records, and no bound then covers their people.
    `values` are those that a column can have, where neither the distribution nor a table of other people says so. If
    the distribution is private, it and the mapping give the table away: they go to `<out>.PRIVATE.json`, for the owner
    alone, and the certificate commits to that file. If it is public, `<out>.reading.csv` says what each symbol means.

    Returns:
        The disclosure that was released, with its certificate.

    Raises:
        InvalidParameter: columns are missing, or the origin of the distribution is not given.
        Refused: the release was made before or is not paid for.

    >>> import pathlib, tempfile
    >>> import sfumato as sf
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> data = {"smokes": ["no", "yes", "yes", "no"] * 25, "drinks": ["no", "yes", "no", "yes"] * 25}
    >>> last_year = {"smokes": ["no", "no", "yes", "no"] * 50, "drinks": ["no", "yes", "no", "no"] * 50}
    >>> told = sf.disclose_table(
    ...     data, protect=["smokes", "drinks"], distribution_from=last_year, out=folder / "told.csv",
    ...     registry=folder / "releases.json", insecure_seed=7, even_if_nothing=True,
    ... )
    >>> told.certificate.title
    'Certificate of a disclosure whose law is private: 2 samples with 2, 2 values'
    """
    names, told_about, what = _what(protect, about, study, samples)
    used = [*names, *([] if told_about is None else [told_about])]
    source = _source_of(
        what,
        used,
        law=distribution,
        reference=(
            None if distribution_from is None else as_arrow(distribution_from, limit_bytes=limit_bytes, columns=used)
        ),
        is_public=distribution_is_public,
        epsilon=private_histogram,
        these_records=distribution_from_these_records,
        values=values,
        beta=beta,
    )
    payer = ledger_of(study, ledger)
    drawn = source_of(bits, insecure_seed, payer)
    remembered = _registry_of(data, registry)
    places = _Places.of(out)
    probe_table(places.out)
    probe(places.sealed, places.kept, places.read)
    _check_not_held(places.kept)
    probe(remembered, parameter="registry")
    table = as_arrow(data, limit_bytes=limit_bytes, columns=used)
    digests = check_not_released(remembered, used, table)
    if what is Samples.ROWS:
        if len(names) != 1 or told_about is not None:
            raise InvalidParameter(
                "of rows protects one column and takes no `about`", parameter="samples", way_out="Name one column."
            )
        made = disclose_rows(table, names[0], source=source, bits=drawn)
    else:
        made = disclose_columns(table, names, told_about, source=source, seconds=seconds, bits=drawn)
    if not even_if_nothing:
        _check_shown(made)
    debit = None if payer is None else release_of_disclosure(places.out.name, digests, made.cells, _promises(made))
    with paid(payer, debit):
        # The registry first: a release that it does not know of could be followed by another.
        record_release(remembered, digests, str(places.out))
        if made.private is not None:
            write_atomically(places.kept, made.private.to_json(), private=True)
        write_atomically(places.sealed, made.certificate.to_json())
        if made.reading is not None:
            write_table(arrow_table(made.reading), places.read)
        write_table(arrow_table({"symbol": number_column(made.symbols)}), places.out)
    return replace(
        made,
        out=places.out,
        sealed=places.sealed,
        kept=None if made.private is None else places.kept,
        read=None if made.reading is None else places.read,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Where the files of a release are written."""

    out: Path
    sealed: Path
    kept: Path
    read: Path

    @classmethod
    def of(cls, out: str | Path) -> _Places:
        return cls(
            out=Path(out),
            sealed=Path(f"{out}.certificate.json"),
            kept=Path(f"{out}{PRIVATE_SUFFIX}"),
            read=Path(f"{out}.reading.csv"),
        )


def _promises(made: TableRelease) -> list[str]:
    """Return the notes beside the charge in the ledger: what is claimed whatever the true law is."""
    return [claim.sentence for claim in made.certificate.claims if claim.measure in (DRIFT, HISTOGRAM)]


def _source_of(
    samples: Samples,
    columns: Sequence[str],
    *,
    law: Distribution | Joint | str | Path | None,
    reference: Any,
    is_public: bool,
    epsilon: Real | None,
    these_records: bool,
    values: Mapping[str, Sequence[str]] | None,
    beta: Real,
) -> LawSource:
    """Return where the law comes from, its file read."""
    known = law
    if isinstance(known, str | Path):
        known = read_prior(known) if samples is Samples.ROWS else read_declared_law(known, columns)
    return LawSource(
        law=known,
        reference=reference,
        is_public=is_public,
        epsilon=None if epsilon is None else as_exact("private_histogram", epsilon),
        these_records=these_records,
        values={} if values is None else {name: list(texts) for name, texts in values.items()},
        beta=as_exact("beta", beta),
    )


def _check_shown(made: TableRelease) -> None:
    """Refuse a release that was not shown to disclose anything: it can be made once, and would be spent."""
    if made.figures.proven_bits == 0:
        raise Refused(
            "the release may tell nothing: scored on records that it was not fitted on, nothing was shown to be told",
            way_out="Take more records, or tell about something else; or, knowing that, give `even_if_nothing`. "
            "Nothing was booked or written.",
        )


def _check_not_held(kept: Path) -> None:
    """Refuse to write over the private certificate of an earlier release: the proof of that one would be gone."""
    if os.path.lexists(kept):
        raise InvalidParameter(
            "has the private certificate of another release beside it",
            parameter="out",
            value=str(kept),
            way_out="Choose another name, or move that file away and keep it.",
        )


def _what(
    protect: Sequence[str] | None, about: str | None, study: Study | str | Path | None, samples: Samples | str
) -> tuple[list[str], str | None, Samples]:
    """Return what is protected and disclosed, from the parameters or from the study."""
    what = Samples.of(samples)
    asked = None if study is None else study_of(study)
    declared = None if asked is None else asked.disclosure
    if protect is not None:
        if declared is not None:
            raise InvalidParameter(
                "and the [disclosure] of the study both say what to protect",
                parameter="protect",
                way_out="Leave out one of the two.",
            )
        if asked is not None:
            asked.check_not_asked([*protect, *([] if about is None else [about])])
        return list(protect), about, what
    if declared is None:
        said = "" if study is None else ": the study has no [disclosure]"
        raise InvalidParameter(
            f"must name the columns to protect{said}",
            parameter="protect",
            way_out="Name them, or give a `study` with a [disclosure].",
        )
    if about is not None or what is not Samples.COLUMNS:
        raise InvalidParameter(
            "is said by the study", parameter="samples" if about is None else "about", way_out="Leave it out."
        )
    return list(declared.protect), declared.about, what


def _registry_of(data: TableLike, registry: str | Path | None) -> Path:
    if registry is not None:
        return Path(registry)
    if isinstance(data, str | Path | DataFile):
        return Path(f"{as_file(data).path}.releases.json")
    raise InvalidParameter(
        "must say where releases of this table are remembered",
        parameter="registry",
        way_out="Name a file that stays with the data; a second release is refused there.",
    )
