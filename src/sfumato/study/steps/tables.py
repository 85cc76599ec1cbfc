"""Disclosing what a table says as a whole: drawn, paid for, booked, written."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.bits import BitSource
from sfumato.disclose.drift_claims import DRIFT, HISTOGRAM
from sfumato.disclose.law_estimates import BETA
from sfumato.errors import InvalidParameter, Refused
from sfumato.files import write_atomically
from sfumato.files.frames import TableLike, as_arrow
from sfumato.files.layouts import DataFile, as_file
from sfumato.files.table_writers import write_table
from sfumato.files.tables import TABLE_LIMIT_BYTES, number_column
from sfumato.io.priors import read_prior
from sfumato.prob import Distribution, Joint
from sfumato.study.charging import release_of_disclosure
from sfumato.study.declared_laws import read_declared_law
from sfumato.study.disclosing import Samples, disclose_columns, disclose_rows
from sfumato.study.law_sources import LawSource
from sfumato.study.publishing import arrow_table
from sfumato.study.release_books import check_not_released, record_release
from sfumato.study.steps.paying import paid, probe, probe_table, source_of
from sfumato.study.steps.study_places import ledger_of, study_of
from sfumato.study.studies import Study
from sfumato.study.table_releases import TableRelease
from sfumato.values.checks import as_exact
from sfumato.values.types import Real

# In capitals, so that nobody mails it by mistake.
PRIVATE_SUFFIX = ".PRIVATE.json"


def disclose_table(
    data: TableLike,
    *,
    out: str | Path,
    protect: Sequence[str] | None = None,
    about: str | None = None,
    study: Study | str | Path | None = None,
    samples: Samples | str = Samples.COLUMNS,
    law: Distribution | Joint | str | Path | None = None,
    law_from: TableLike | None = None,
    law_is_public: bool = False,
    private_histogram: Real | None = None,
    law_from_these_records: bool = False,
    values: Mapping[str, Sequence[str]] | None = None,
    beta: Real = BETA,
    book: str | Path | None = None,
    ledger: str | Path | None = None,
    seconds: float = 60.0,
    bits: BitSource | None = None,
    insecure_seed: int | None = None,
    limit_bytes: int = TABLE_LIMIT_BYTES,
    even_if_nothing: bool = False,
) -> TableRelease:
    """Release what a table says as a whole; its certificate is written beside it, and the book remembers it.

    What is protected is given, or declared in the [disclosure] of a study. A second release of the same columns is
    refused, and so is one that tells nothing, or was not shown to tell anything about records that it was not fitted
    on, unless `even_if_nothing` says that it is wanted all the same. The book stands beside the data,
    `<data>.releases.json`, unless another is named.

    Where the law comes from has to be said: `law_from` is a table of other people, whose law is private unless
    `law_is_public`; `law` is declared; `private_histogram` is an ε for noisy counts of the records; and
    `law_from_these_records` counts it in the released records, whom no bound then covers. `values` are those that a
    column can have, where neither law nor table of others says so. Where the law is private, law and mapping give the
    table away: they go to `<out>.PRIVATE.json`, for its owner alone, and the certificate commits to that file. Where it
    is public, `<out>.reading.csv` says what each symbol means.

    Returns:
        The disclosure that was released, with its certificate.

    Raises:
        InvalidParameter: columns are missing, or it was not said where the law comes from.
        Refused: the release was made before or is not paid for.

    >>> import pathlib, tempfile
    >>> import sfumato as sf
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> data = {"smokes": ["no", "yes", "yes", "no"] * 25, "drinks": ["no", "yes", "no", "yes"] * 25}
    >>> last_year = {"smokes": ["no", "no", "yes", "no"] * 50, "drinks": ["no", "yes", "no", "no"] * 50}
    >>> told = sf.disclose_table(
    ...     data, protect=["smokes", "drinks"], law_from=last_year, out=folder / "told.csv", book=folder / "book.json",
    ...     insecure_seed=7, even_if_nothing=True,
    ... )
    >>> told.certificate.title
    'Certificate of a disclosure whose law is private: 2 samples with 2, 2 values'
    """
    names, told_about, what = _what(protect, about, study, samples)
    used = [*names, *([] if told_about is None else [told_about])]
    source = _source_of(
        what,
        used,
        law=law,
        law_from=None if law_from is None else as_arrow(law_from, limit_bytes=limit_bytes, columns=used),
        is_public=law_is_public,
        epsilon=private_histogram,
        these_records=law_from_these_records,
        values=values,
        beta=beta,
    )
    payer = ledger_of(study, ledger)
    drawn = source_of(bits, insecure_seed, payer)
    remembered = _book_of(data, book)
    places = _Places.of(out)
    probe_table(places.out)
    probe(places.sealed, places.kept, places.read)
    _check_not_held(places.kept)
    probe(remembered, parameter="book")
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
        # The book first: a release that it does not know of could be followed by another.
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
    """What the ledger is told beside the charge: what is claimed whatever the true law is."""
    return [claim.sentence for claim in made.certificate.claims if claim.measure in (DRIFT, HISTOGRAM)]


def _source_of(
    samples: Samples,
    columns: Sequence[str],
    *,
    law: Distribution | Joint | str | Path | None,
    law_from: Any,
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
        reference=law_from,
        is_public=is_public,
        epsilon=None if epsilon is None else as_exact("private_histogram", epsilon),
        these_records=these_records,
        values={} if values is None else {name: list(texts) for name, texts in values.items()},
        beta=as_exact("beta", beta),
    )


def _check_shown(made: TableRelease) -> None:
    """Refuse a release of which it was not shown that it tells anything: it can be made once, and would be spent."""
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
    """Return what is protected and told about, from the parameters or from the study."""
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


def _book_of(data: TableLike, book: str | Path | None) -> Path:
    if book is not None:
        return Path(book)
    if isinstance(data, str | Path | DataFile):
        return Path(f"{as_file(data).path}.releases.json")
    raise InvalidParameter(
        "must say where releases of this table are remembered",
        parameter="book",
        way_out="Name a file that stays with the data; a second release is refused there.",
    )
