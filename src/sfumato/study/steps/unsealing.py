"""Sealed bodies of a collection turned into ordinary key files, once, by whoever has the private key.

A body that does not open, or holds what no device draws, drops its row for this reader: it is counted and reported, and
stops nothing. The key has a shift of nothing there, and a selection of the other rows is written, to be opened with it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.bits import SystemBits
from sfumato.bits.mechanism import smallest_dtype
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.places import check_folder, check_free, make_private_folder
from sfumato.files.table_writers import TableWriter, write_beside_table
from sfumato.io.key_writers import KeyWriter
from sfumato.refine import Key
from sfumato.refine.drawing import blank_key
from sfumato.refine.key_protection import PrivateKey, Protection
from sfumato.refine.report_trees import NOTHING
from sfumato.refine.sealed_shares import Kem, ShareKey, share_infos
from sfumato.refine.share_workers import opened_bodies
from sfumato.study.collected_rows import SharesNote, read_shares
from sfumato.study.notes import ReportsNote
from sfumato.study.part_notes import PartNote
from sfumato.study.publishing import binding_of
from sfumato.study.report_files import read_report_files
from sfumato.study.reports import Progress, Reports
from sfumato.values import Guarantee

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
                modulus = public.note.way(name).report_count
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
        if level not in reports.note.way(name).key_levels:
            raise InvalidParameter(
                f"says of question {name!r} what its study does not", parameter="shares", way_out="Ask for it again."
            )
    return found


def _opened_rows(shares: str | Path, reports: Reports, note: SharesNote, key: ShareKey, processes: int | None) -> Any:
    """Go through the rows: numbers, shifts by question, and which rows have draws that can have made their reports."""
    moduli = tuple(reports.note.way(name).report_count for name in note.levels)
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
            fits = reports.note.way(name).undone_by(said[has_report], shifts[name][has_report], level)
            is_there[np.flatnonzero(has_report)[~fits]] = False
        yield numbers, shifts, is_there


def _public_columns(reports: Reports, names: Sequence[str]) -> dict[str, _Numbers]:
    chunks = list(reports.chunks(list(names), ()))
    return {name: np.concatenate([chunk.reports(reports.note.way(name)) for chunk in chunks]) for name in names}


def _blank(note: ReportsNote, part: PartNote, shares: SharesNote, question: str) -> Key:
    way = note.way(question)
    blank = blank_key(
        str(way.declaration), part.rows, SystemBits(), binding_of(note.study, question, note.epoch), drawing=part.id
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
