"""Disclosing what a table says as a whole: drawn, paid for, booked, written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter
from sfumato.files import write_atomically
from sfumato.files.frames import TableLike, as_arrow
from sfumato.files.layouts import DataFile, as_file
from sfumato.files.table_writers import write_table
from sfumato.files.tables import TABLE_LIMIT_BYTES, number_column
from sfumato.io.priors import read_prior
from sfumato.prob import Distribution
from sfumato.study.charging import release_of_disclosure
from sfumato.study.disclosing import Samples, TableRelease, disclose_columns, disclose_rows
from sfumato.study.publishing import arrow_table
from sfumato.study.release_books import check_not_released, record_release
from sfumato.study.steps.paying import ledger_of, paid, probe, probe_table, source_of, study_of
from sfumato.study.studies import Study

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
    law: Distribution | str | Path | None = None,
    book: str | Path | None = None,
    ledger: str | Path | None = None,
    seconds: float = 60.0,
    bits: BitSource | None = None,
    insecure_seed: int | None = None,
    limit_bytes: int = TABLE_LIMIT_BYTES,
) -> TableRelease:
    """Release what a table says as a whole; its certificate is written beside it, and the book remembers it.

    What is protected is given, or declared in the [disclosure] of a study. A second release of the same columns is
    refused, and so is one that tells nothing. The book stands beside the data, `<data>.releases.json`, unless another
    is named. Unless the law is declared, law and mapping give the table away: they go to `<out>.PRIVATE.json`, for its
    owner alone, and the certificate commits to that file.

    >>> import pathlib, tempfile
    >>> import sfumato as sf
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> data = {"smokes": ["no", "yes", "yes", "no"] * 25, "drinks": ["no", "yes", "no", "yes"] * 25}
    >>> told = sf.disclose_table(
    ...     data, protect=["smokes", "drinks"], out=folder / "told.csv", book=folder / "book.json", insecure_seed=7
    ... )
    >>> told.certificate.title
    'Certificate of a disclosure whose law is private: 2 samples with 2, 2 values'
    """
    names, told_about, what = _what(protect, about, study, samples)
    payer = ledger_of(study, ledger)
    source = source_of(bits, insecure_seed, payer)
    remembered = _book_of(data, book)
    target, sealed, kept = Path(out), Path(f"{out}.certificate.json"), Path(f"{out}{PRIVATE_SUFFIX}")
    probe_table(target)
    probe(sealed, kept)
    _check_not_held(kept)
    probe(remembered, parameter="book")
    used = [*names, *([] if told_about is None else [told_about])]
    table = as_arrow(data, limit_bytes=limit_bytes, columns=used)
    digests = check_not_released(remembered, used, table)
    if what is Samples.ROWS:
        if len(names) != 1 or told_about is not None:
            raise InvalidParameter(
                "of rows protects one column and takes no `about`", parameter="samples", way_out="Name one column."
            )
        known = law if isinstance(law, Distribution) or law is None else read_prior(law)
        made = disclose_rows(table, names[0], law=known, bits=source)
    else:
        if law is not None:
            raise InvalidParameter(
                "is for samples that are rows",
                parameter="law",
                way_out="For columns, pass a law over all of them to sf.disclose.",
            )
        made = disclose_columns(table, names, told_about, seconds=seconds, bits=source)
    with paid(payer, None if payer is None else release_of_disclosure(target.name, digests, made.cells)):
        # The book first: a release that it does not know of could be followed by another.
        record_release(remembered, digests, str(target))
        if made.private is not None:
            write_atomically(kept, made.private.to_json(), private=True)
        write_atomically(sealed, made.certificate.to_json())
        write_table(arrow_table({"symbol": number_column(made.symbols)}), target)
    return replace(made, out=target, sealed=sealed, kept=None if made.private is None else kept)


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
