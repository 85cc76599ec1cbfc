"""Opening a collection, exporting it as a part, and unsealing what devices sent.

The number of respondents is not known at the opening, so each person is charged the most that a report can cost. The
debit is identified by study and wave: a restarted server finds it, and a changed study pays anew.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import BudgetSpent, InvalidParameter, KeyRefused, KeyReused, ReleasedBefore, UnreadableFile
from sfumato.files.disk import write_atomically
from sfumato.files.formats import check_folder, check_free, make_private_folder
from sfumato.files.public_tables import TableWriter, write_beside_table
from sfumato.files.tables import number_column
from sfumato.keys.digests import NOTHING, ReportTree
from sfumato.keys.key_files import KeyWriter
from sfumato.keys.protection import PrivateKey, Protection
from sfumato.keys.shares import Kem, ShareKey, opened_bodies, share_infos
from sfumato.ladders.drawing import blank_key
from sfumato.ladders.keys import Key
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.releases import EarlierRelease, Published, PublishedColumn, checked_name
from sfumato.publications.coded_reports import codebook, written_column
from sfumato.publications.collected import (
    SharesNote,
    bodies_of,
    in_chunks,
    read_shares,
    reports_of,
    shares_path,
    shares_table,
)
from sfumato.publications.note import PartNote, ReportsNote, Salts, column_notes, new_part_id
from sfumato.publications.part import arrow_table, binding_of
from sfumato.publications.registry import Memory, ledger_of, memory_of, study_of
from sfumato.publications.reports import ROW, Progress, Reports, read_report_files, rooted
from sfumato.sampling.mechanism import smallest_dtype
from sfumato.sampling.sources import Guarantee, SystemBits
from sfumato.study.collect_terms import Mode
from sfumato.study.collection import (
    PANEL,
    Collection,
    StoredRow,
    certificate_path,
    collection_certificates,
    collection_of,
    collection_words,
    source_words,
)
from sfumato.study.file import write_beside
from sfumato.study.planning import release_of_reports
from sfumato.study.study import Study
from sfumato.workflows.releasing import check_admissible, intended

REPORTS = "reports.parquet"
"""What exported reports are called in their folder."""
_MOST_ROWS = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCollection:
    """A collection that is paid for; `is_new` when this call paid. `earlier` describes the releases before it about the
    same people.
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
    registry: str | Path | None = None,
    people: str | None = None,
    folder: str | Path | None = None,
) -> OpenedCollection:
    """Pay for a study before anyone is asked, once for each wave, and remember it; again it costs nothing.

    The ledger is that of the study, or `ledger`; the registry stands beside the study's file, or is `registry`. Public
    keys are found from the study's folder, or from `folder`. A study that cannot be asked over the web is refused
    before it is paid.
    """
    declared, payer = study_of(study), ledger_of(study, ledger)
    here = Path(folder) if folder is not None else None if isinstance(study, Study) else Path(study).parent
    collection = collection_of(declared, here, wave=wave)
    memory = memory_of(study, registry, payer)
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
            made |= {name: written_column(handler, reports[name]) for name, handler in asked.columns.items()}
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


# --- Unsealing: sealed bodies of a collection become ordinary key files, once
# A body that does not open, or holds what no device draws, drops its row for this reader. It is counted and reported,
# and the others are still unsealed. The key has a zero shift there. A selection of the other rows is written, to be
# opened with the key.


_Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsealedShares:
    """The key files of a receiver, how many rows they open, and which rows were dropped.

    `reports` is what to open with the keys: the reports, or where rows were dropped a selection of the others.
    """

    keys: tuple[Path, ...]
    rows: int
    dropped: tuple[int, ...]
    reports: Path


def unseal_shares(
    shares: str | Path,
    reports: str | Path,
    private_key: PrivateKey | ShareKey,
    out: str | Path,
    *,
    protection: Protection | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> UnsealedShares:
    """Open the sealed bodies of one receiver, and write ordinary key files into the folder `out`.

    They are protected by `protection`, or else under the receiver's own private key. The guarantee of the keys is
    computational: their draws have travelled under a cipher.
    """
    note = SharesNote.read(shares)
    public = read_report_files(reports)
    part = _checked(note, public)
    key = private_key if isinstance(private_key, ShareKey) else ShareKey(Kem.X25519, private_key.raw)
    if key.kem is not note.kem:
        raise KeyRefused(
            f"the bodies are sealed by {note.kem}, and the private key is of {key.kem}",
            way_out="Give the private key whose public key the study names.",
        )
    folder = Path(out)
    check_folder("out", folder)
    paths = {name: folder / f"{note.receiver}.{name}.key" for name in note.levels}
    selection = folder / f"{note.receiver}.{Path(reports).stem}.parquet"
    check_free("out", *paths.values(), selection)
    make_private_folder(folder)
    dropped: list[int] = []
    with contextlib.ExitStack() as holding:
        writers = {
            name: holding.enter_context(
                KeyWriter(_blank(public.note, part, note, name), paths[name], _kept_by(key, protection))
            )
            for name in note.levels
        }
        for numbers, shifts, is_there in _opened_rows(shares, public, note, key, processes):
            for name, writer in writers.items():
                modulus = public.note.handler(name).report_count
                writer.append(np.where(is_there, shifts[name], 0).astype(smallest_dtype(modulus)))
            dropped += numbers[~is_there].tolist()
            if progress is not None:
                progress(numbers.size, note.rows)
        if len(dropped) == note.rows:
            raise KeyRefused(
                "none of the bodies opens with this private key",
                way_out="Give the private key whose public key the study names.",
            )
        for name, writer in writers.items():
            writer.complete(part.roots[name])
        if dropped:
            _write_selection(public, frozenset(dropped), selection)
        for writer in writers.values():
            writer.put_in_place()
    return UnsealedShares(
        keys=tuple(paths.values()),
        rows=note.rows - len(dropped),
        dropped=tuple(dropped),
        reports=selection if dropped else Path(reports),
    )


def _checked(note: SharesNote, reports: Reports) -> PartNote:
    """Return the part that bodies are of; refuses other reports than they were exported with."""
    found = next((part for part in reports.note.parts if part.id == note.part), None)
    whole = all(source.is_whole for source in reports.sources)
    fits = found is not None and found.rows == note.rows and not found.erased and len(reports.note.parts) == 1
    if found is None or note.study != reports.note.fingerprint or not fits or not whole:
        raise InvalidParameter(
            "are not those that the sealed bodies were exported with",
            parameter="reports",
            way_out="Give the reports of the same export, whole and as they were.",
        )
    for name, level in note.levels.items():
        if level not in reports.note.handler(name).key_levels:
            raise InvalidParameter(
                f"says of question {name!r} what its study does not", parameter="shares", way_out="Ask for it again."
            )
    return found


def _opened_rows(shares: str | Path, reports: Reports, note: SharesNote, key: ShareKey, processes: int | None) -> Any:
    """Go through the rows: numbers, shifts by question, and which rows have draws that can have made their reports."""
    moduli = tuple(reports.note.handler(name).report_count for name in note.levels)
    read = list(read_shares(shares, note))
    pieces = ((bodies, share_infos(note.study, note.receiver, ids)) for _, ids, bodies in read)
    columns = _public_columns(reports, list(note.levels))
    for (numbers, _, _), opened in zip(
        read, opened_bodies(pieces, moduli, key, rows=note.rows, processes=processes), strict=True
    ):
        rows, is_there = opened
        shifts = {name: rows[:, place] for place, name in enumerate(note.levels)}
        for name, level in note.levels.items():
            said = columns[name][numbers]
            has_report = is_there & (said != NOTHING)
            fits = reports.note.handler(name).undone_by(said[has_report], shifts[name][has_report], level)
            is_there[np.flatnonzero(has_report)[~fits]] = False
        yield numbers, shifts, is_there


def _public_columns(reports: Reports, names: Sequence[str]) -> dict[str, _Numbers]:
    chunks = list(reports.chunks(list(names), ()))
    return {name: np.concatenate([chunk.reports(reports.note.handler(name)) for chunk in chunks]) for name in names}


def _blank(note: ReportsNote, part: PartNote, shares: SharesNote, question: str) -> Key:
    handler = note.handler(question)
    blank = blank_key(
        str(handler.declaration), part.rows, SystemBits(), binding_of(note.study, question, note.epoch), drawing=part.id
    )
    return replace(blank, level=shares.levels[question], guarantee=Guarantee.COMPUTATIONAL)


def _kept_by(key: ShareKey, protection: Protection | None) -> Protection:
    if protection is not None:
        return protection
    if key.kem is Kem.X25519:
        return PrivateKey(key.raw)
    raise InvalidParameter(
        "must say how the key files are protected: a hybrid private key protects no files",
        parameter="protection",
        way_out="Use Passphrase(…), PublicKey(…), PrivateKey(…) or Unprotected().",
    )


def _write_selection(reports: Reports, dropped: frozenset[int], path: Path) -> None:
    """Write the rows that are left, with the note of the whole beside them."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    with TableWriter(path) as writer:
        for chunk in reports.chunks(list(reports.note.columns), reports.kept):
            left = [number not in dropped for number in chunk.numbers.tolist()]
            writer.write(chunk.table.filter(pa.array(left)))
        # Not inside: it is the note of the whole.
        write_beside_table(path, note=reports.note.to_text())
        writer.finish()
