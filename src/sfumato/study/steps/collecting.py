"""Collecting over the web: a study is paid for when it opens, and what a server kept becomes an ordinary part.

Nobody knows at the opening how many will answer, so each person is charged the most that a report can cost. The debit
is known by study and wave: a server that starts again finds it, and a study that has changed pays anew.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from sfumato.account import Ledger, Published, PublishedColumn
from sfumato.account.published import EarlierRelease, checked_name
from sfumato.bits import SystemBits
from sfumato.errors import BudgetSpent, InvalidParameter, KeyReused, ReleasedBefore, UnreadableFile
from sfumato.files import write_atomically
from sfumato.files.places import check_folder, check_free
from sfumato.files.table_writers import TableWriter
from sfumato.files.tables import number_column
from sfumato.refine.report_trees import ReportTree
from sfumato.study.charging import release_of_reports
from sfumato.study.codebooks import codebook, written_column
from sfumato.study.collect_terms import Mode
from sfumato.study.collected_certificates import certificate_path, collection_certificates
from sfumato.study.collected_rows import SharesNote, bodies_of, in_chunks, reports_of, shares_path, shares_table
from sfumato.study.collection_sentences import collection_words, source_words
from sfumato.study.collections import PANEL, Collection, StoredRow, collection_of
from sfumato.study.notes import ReportsNote, column_notes
from sfumato.study.part_notes import PartNote, Salts, new_part_id
from sfumato.study.publishing import arrow_table
from sfumato.study.report_files import rooted
from sfumato.study.report_rows import ROW
from sfumato.study.reports import Progress
from sfumato.study.steps.releasing import check_admissible, intended
from sfumato.study.steps.remembering import Memory, memory_of
from sfumato.study.steps.study_places import ledger_of, study_of
from sfumato.study.studies import Study
from sfumato.study.study_files import write_beside

REPORTS = "reports.parquet"
"""What exported reports are called in their folder."""
_MOST_ROWS = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCollection:
    """A collection that is paid for; `is_new` when this call paid. `earlier` is what readers are told of releases
    before it about the same people.
    """

    collection: Collection
    published: Published
    is_new: bool
    earlier: tuple[EarlierRelease, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedPart:
    """Where a part was exported to: its reports, and the sealed bodies of each receiver."""

    reports: Path
    shares: Mapping[str, Path]
    rows: int
    note: ReportsNote


def open_collection(
    study: Study | str | Path,
    *,
    wave: int = 1,
    ledger: str | Path | None = None,
    record: str | Path | None = None,
    people: str | None = None,
    folder: str | Path | None = None,
) -> OpenedCollection:
    """Pay for a study before anybody is asked, once for each wave, and remember it; again it costs nothing.

    The ledger is that of the study, or `ledger`; the record stands beside the study's file, or is `record`. Public keys
    are found from the study's folder, or from `folder`. What cannot be asked over the web is refused before it is paid.
    """
    declared, payer = study_of(study), ledger_of(study, ledger)
    here = Path(folder) if folder is not None else None if isinstance(study, Study) else Path(study).parent
    collection = collection_of(declared, here, wave=wave)
    memory = memory_of(study, record, payer)
    memory.check_there()
    with memory.held() as held:
        history = memory.history(held)
        wanted = _wanted(collection, memory, checked_name("people", people))
        known = next((one.published for one in history if one.published.part == wanted.part), None)
        before = [
            one.published for one in history if one.published.part != wanted.part and wanted.is_about(one.published)
        ]
        if known is None:
            if any(wanted.asks_again(one) for one in before):
                wanted = replace(wanted, again=f"wave {wave} over the web, study {collection.fingerprint[:8]}")
            known = check_admissible(wanted, history)
        else:
            before = _before(known, [one.published for one in history])
        is_new = not any(one.released and one.published.id == known.id for one in history)
        noted = memory.noted(known)
        if held is not None:
            held.intend(noted)
        if payer is not None:
            bill = release_of_reports(declared, _MOST_ROWS, memory.billed(known))
            book = Ledger(payer)
            try:
                receipt = book.spend_priced(lambda _: bill, release_id=known.id)
            except (BudgetSpent, KeyReused, ReleasedBefore):
                # Nobody was asked: what was refused need not be remembered.
                if held is not None and is_new:
                    held.void(noted)
                raise
            book.settle(receipt)
        if held is not None:
            held.settle(noted)
    return OpenedCollection(
        collection=collection, published=known, is_new=is_new, earlier=tuple(one.summary for one in before)
    )


def _before(known: Published, history: list[Published]) -> list[Published]:
    """Return what was released about the same people before this one."""
    place = next(place for place, one in enumerate(history) if one.id == known.id)
    return [one for one in history[:place] if known.is_about(one)]


def _wanted(collection: Collection, memory: Memory, people: str | None) -> Published:
    """Return the release of a wave: known by study and wave, for its draws are made on devices, each once."""
    mark = sha256(
        f"sfumato/collection/1 {collection.fingerprint} {collection.wave} {people or ''}".encode()
    ).hexdigest()
    blank = intended(collection.study, 0, memory, mark[:32], people=people)
    columns = tuple(
        PublishedColumn(question=one.question, drawing=one.drawing, digest=mark)
        for one in blank.columns
        if one.question in collection.columns
    )
    return replace(blank, columns=columns)


def export_part(
    collection: Collection | OpenedCollection,
    rows: Iterable[StoredRow],
    out: str | Path,
    *,
    certified: bool = True,
    progress: Progress | None = None,
) -> ExportedPart:
    """Write the rows of a wave into the folder `out` as an ordinary part, and beside it the bodies of each receiver.

    Rows come sorted by their ids and are numbered in that order; there are no times. In a panel the pseudonym is the
    kept column `panel`. If it is `certified`, the certificate of each question stands beside it, and says how reports
    came in. Nothing is paid: that was done when the collection opened.
    """
    opened = collection if isinstance(collection, OpenedCollection) else None
    asked = collection.collection if isinstance(collection, OpenedCollection) else collection
    folder = Path(out)
    check_folder("out", folder)
    places = {one.name: shares_path(folder, one.name) for one in asked.receivers}
    check_free("out", folder / REPORTS, *places.values())
    folder.mkdir(parents=True, exist_ok=True)
    part = new_part_id(None)
    salts = Salts(part, SystemBits())
    tree = ReportTree(list(asked.columns), salts)
    done = 0
    with contextlib.ExitStack() as holding:
        holding.callback(_drop_if_empty, folder)  # last of all: where nothing came of it
        writer = holding.enter_context(TableWriter(folder / REPORTS))
        beside = {name: holding.enter_context(TableWriter(path, private=True)) for name, path in places.items()}
        for chunk in in_chunks(rows, asked.wave):
            numbers = np.arange(done, done + len(chunk), dtype=np.int64)
            reports = reports_of(asked, [row.row for row in chunk])
            tree.add(numbers, reports)
            made = {ROW: number_column(numbers)}
            made |= {name: written_column(way, reports[name]) for name, way in asked.columns.items()}
            writer.write(arrow_table(made | _kept(asked, chunk)))
            for one in asked.receivers:
                beside[one.name].write(shares_table(done, chunk, bodies_of(asked, chunk, one)))
            done += len(chunk)
            if progress is not None:
                progress(len(chunk), None)
        if not done:
            raise UnreadableFile(
                "no reports of this wave are shown yet",
                way_out="Close the study, or wait until a batch is shown; nothing was written.",
            )
        note = _note(asked, opened, rooted(PartNote(id=part, rows=done, roots={}, salts=b""), tree, salts))
        for one in asked.receivers:
            told = SharesNote(
                study=asked.fingerprint, part=part, receiver=one.name, kem=one.kem, levels=one.levels, rows=done
            )
            beside[one.name].finish(told.to_text(), beside=False)
        write_beside(asked.study, folder)
        for name, certificate in (collection_certificates(asked) if certified else {}).items():
            write_atomically(certificate_path(folder, name), certificate.to_json())
        kept = (PANEL,) if _is_panel(asked) else ()
        writer.finish(note.to_text(), codebook=codebook(note, kept, collection_words(asked)))
    return ExportedPart(reports=folder / REPORTS, shares=places, rows=done, note=note)


def _note(collection: Collection, opened: OpenedCollection | None, part: PartNote) -> ReportsNote:
    return ReportsNote(
        study=collection.study,
        epoch=0,
        source=source_words(collection),
        columns=column_notes(collection.columns.values()),
        parts=(part,),
        publication=part.id,
        again=None if opened is None else opened.published.again,
        earlier=() if opened is None else opened.earlier,
    )


def _drop_if_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()


def _is_panel(collection: Collection) -> bool:
    return collection.mode is Mode.PANEL


def _kept(collection: Collection, chunk: list[StoredRow]) -> dict[str, object]:
    """Return the pseudonyms of a panel as a column, and nothing else."""
    if not _is_panel(collection):
        return {}
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if any(row.panel is None for row in chunk):
        raise InvalidParameter(
            "has no pseudonym in some row, and the study is a panel",
            parameter="rows",
            way_out="Give rows that were collected by this study.",
        )
    return {PANEL: pa.array([(row.panel or b"").hex() for row in chunk], pa.string())}
