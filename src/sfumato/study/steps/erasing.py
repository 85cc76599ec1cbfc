"""Erasing people from a publication: from its parts, from the keys that the office can open, from the index.

The manifest comes first: with it the rows are gone. What comes after, fresh draws in the place of theirs and the index
without them, is done again by the same call if it was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sfumato.bits import SystemBits
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.locks import locked
from sfumato.files.staging import put_in_place, remove_stale, staged_afresh, staging_beside, staging_inside
from sfumato.files.table_writers import TableWriter
from sfumato.files.tables import note_path
from sfumato.io.key_files import overwrite_draws, read_key_header
from sfumato.refine.key_boxes import Material
from sfumato.refine.key_documents import ladder_of
from sfumato.refine.key_protection import Unprotected
from sfumato.study.audience import REGISTRAR
from sfumato.study.codebooks import codebook, described_columns
from sfumato.study.erasing import Erasure
from sfumato.study.key_folders import SHORT, Unlocker
from sfumato.study.manifests import NAME, ManifestPart, note_digest, read_manifest
from sfumato.study.part_indexes import find_person, index_path, read_indexes, write_index
from sfumato.study.part_notes import PartNote
from sfumato.study.report_files import codebook_path, read_report_files
from sfumato.study.report_rows import ROW, Source
from sfumato.study.reports import Reports
from sfumato.study.steps.keys import Unlocking, unlocker_of

_ERASING = "erasing"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Erased:
    """What was erased: how many people, in how many parts with amendments; whose keys could not be opened."""

    people: int
    parts: int
    keys: tuple[Path, ...]
    closed: tuple[Path, ...]
    """Key files that hold true draws of these people and could not be opened, such as those sealed to analysts."""
    has_seeds: bool
    """Whether keys are seeds, which give the draws of every row for ever."""


def erase(
    reports: str | Path,
    *,
    rows: Sequence[tuple[str | None, int]] = (),
    ids: Sequence[str] = (),
    keys: str | Path | None = None,
    unlock: Unlocking = None,
) -> Erased:
    """Take people out of a publication, given by part and row or, where there is an index in `keys`, by id.

    Their rows leave the reports and all amendments, true draws of theirs are overwritten by fresh ones in every key
    file of `keys` that `unlock` opens, and the index forgets them. Files that were handed out before are as they were.
    """
    out, opener = Path(reports), unlocker_of(unlock)
    folder = None if keys is None else Path(keys)
    lock = out / NAME if out.is_dir() else out
    with locked(lock):
        found = read_report_files(out)
        whole = [name for name in found.note.columns if not found.note.way(name).by_row]
        if whole:
            raise InvalidParameter(
                f"cannot lose single rows: question {whole[0]!r} is read from all reports together, in rounds",
                parameter="reports",
                value=str(out),
                way_out="Withdraw the whole publication, or publish that question on its own.",
            )
        if found.is_opened or not all(source.is_whole for source in found.sources):
            raise InvalidParameter(
                "are opened, or a selection", parameter="reports", value=str(out), way_out="Name the public reports."
            )
        wanted = _wanted(found, rows, ids, folder, opener)
        _rewrite(out, found, wanted)
        found = read_report_files(out)  # as they now are: the files of before may be gone
        changed, closed, seeds = _forget_draws(found, wanted, folder, opener)
        _forget_people(found, wanted, folder, opener)
    return Erased(
        people=sum(len(numbers) for numbers in wanted.values()),
        parts=sum(part.id in wanted or part.amends in wanted for part in found.note.parts),
        keys=changed,
        closed=closed,
        has_seeds=seeds,
    )


def _wanted(
    reports: Reports, rows: Sequence[tuple[str | None, int]], ids: Sequence[str], folder: Path | None, unlock: Unlocker
) -> dict[str, set[int]]:
    """Return the rows to erase by part; those that are gone already are taken again, to finish what was begun."""
    bases = {part.id: part for part in reports.note.parts if part.amends is None}
    found: dict[str, set[int]] = {}
    for name, number in rows:
        mine = [part for part in bases if name is None or (len(name) >= SHORT and part.startswith(name))]
        if len(mine) != 1:
            raise InvalidParameter(
                "must say which part it is of, by eight digits of its id or more"
                if name is None
                else "names a part that this publication does not have",
                parameter="rows",
                value=number if name is None else name[:32],
                way_out="Write PART:ROW, as they stand in the reports.",
            )
        part = bases[mine[0]]
        if not part.start <= number < part.start + part.rows:
            raise InvalidParameter(
                f"is none of the rows {part.start} to {part.start + part.rows - 1} of part {part.id[:SHORT]}",
                parameter="rows",
                value=number,
                way_out="Take the number from the column `row` of the reports.",
            )
        found.setdefault(part.id, set()).add(number)
    if ids:
        indexes = read_indexes(folder, reports.note.fingerprint, bases, unlock)
        if not indexes:
            raise InvalidParameter(
                "needs the index of people, and there is none in `keys`", parameter="ids", way_out="Give rows instead."
            )
        for person in ids:
            part_id, number = find_person(indexes, person)
            found.setdefault(part_id, set()).add(number)
    if not found:
        raise InvalidParameter("names nobody", parameter="rows", way_out="Say whom to erase, by row or by id.")
    return found


def _rewrite(out: Path, reports: Reports, wanted: dict[str, set[int]]) -> None:
    """Write every part anew that has rows of these people, and then say so, all at once."""
    changes = []
    for source in reports.sources:
        (part,) = source.parts
        gone = wanted.get(part.id if part.amends is None else part.amends, set())
        left = gone - set(part.erased)
        if not part.is_dense:
            left &= _numbers_of(reports, source)
        if left:
            changes.append((source, part, left))
    if not changes:
        return
    if not out.is_dir():
        ((source, part, left),) = changes
        with staged_afresh(staging_beside(out, _ERASING)) as folder:
            _write_part(reports, source, part, left, folder / out.name)
            for target in (codebook_path(out), note_path(out), out):
                put_in_place(folder / target.name, target)
        staging_beside(out, _ERASING).rmdir()
        return
    manifest = read_manifest(out)
    files = {one.id: one.file for one in manifest.parts}
    with staged_afresh(staging_inside(out, _ERASING)) as folder:
        for source, part, left in changes:
            name = _next_name(files[part.id])
            note = _write_part(reports, source, part, left, folder / name)
            for target in (codebook_path(out / name), note_path(out / name), out / name):
                put_in_place(folder / target.name, target)
            entry = ManifestPart(id=part.id, file=name, note=note_digest(note), amends=part.amends)
            manifest = manifest.with_part(entry)
        manifest.write(out)
    staging_inside(out, _ERASING).rmdir()
    tidy_folder(out)


def tidy_folder(out: Path) -> None:
    """Remove the files that parts had before they were rewritten: what they hold was erased."""
    kept = {one.file.partition(".")[0]: one.file for one in read_manifest(out).parts}
    for path in out.iterdir():
        base = path.name.removesuffix(".about.json").removesuffix(".codebook.md")
        stem, *_, ending = base.split(".")
        if ending in {"parquet", "csv"} and kept.get(stem, base) != base and path.is_file():
            path.unlink()
    remove_stale(out / NAME)


def _write_part(reports: Reports, source: Source, part: PartNote, rows: set[int], path: Path) -> str:
    alone = Reports(sources=(source,), note=replace(reports.note, parts=(part,)))
    erasure = Erasure.of(part, rows)
    with TableWriter(path, ascending=ROW) as writer:
        for chunk in alone.chunks(list(part.roots), alone.kept):
            writer.write(described_columns(erasure.kept(chunk, alone), alone.note))
        # The note of the part as it was published, with what is left of it.
        noted = read_report_files(_path_of(source)).note
        found = replace(noted, parts=(erasure.note(),))
        codebook_path(path).write_text(codebook(found, alone.kept), encoding="utf-8")
        text = found.to_text()
        writer.finish(text)
    return text


def _path_of(source: Source) -> Path:
    if not isinstance(source.rows, str | Path):
        raise InvalidParameter("must be files", parameter="reports", way_out="Name the file or the folder.")
    return Path(source.rows)


def _numbers_of(reports: Reports, source: Source) -> set[int]:
    alone = Reports(sources=(source,), note=replace(reports.note, parts=source.parts))
    return {number for chunk in alone.chunks([]) for number in chunk.numbers.tolist()}


def _next_name(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    part, _, number = stem.partition(".")
    return f"{part}.{int(number or 0) + 1}.{ending}"


def _forget_draws(
    reports: Reports, wanted: dict[str, set[int]], folder: Path | None, unlock: Unlocker
) -> tuple[tuple[Path, ...], tuple[Path, ...], bool]:
    """Overwrite true draws of these people by fresh ones, in every key file that can be opened."""
    changed, closed, seeds = [], [], False
    for path in sorted(folder.glob("*.key")) if folder is not None else []:
        header = read_key_header(path)
        part = next((one for one in reports.note.parts if one.id == header.drawing), None)
        if header.material is not Material.DRAWS:
            seeds = seeds or any(header.drawing in {one.id, one.seeds} for one in reports.note.parts)
            continue
        if part is None or header.binding.study != reports.note.fingerprint:
            continue
        gone = wanted.get(part.id if part.amends is None else part.amends, set())
        places = _places(reports, part, gone)
        mine = [place for place in places if header.start <= place < header.stop]
        if not mine:
            continue
        law = ladder_of(header.ladder).key_law(header.level)
        fresh = law.draw(SystemBits(), len(mine)).tolist()
        try:
            overwrite_draws(path, unlock(path) or Unprotected(), mine, fresh)
            changed.append(path)
        except KeyRefused:
            if path.name.startswith(f"{REGISTRAR}."):
                raise
            closed.append(path)
    return tuple(changed), tuple(closed), seeds


def _places(reports: Reports, part: PartNote, gone: Iterable[int]) -> list[int]:
    """Return where the draws of rows stand in the key files of a part."""
    if part.is_dense:
        return sorted(gone)
    source = next(one for one in reports.sources if part in one.parts)
    made = sorted({*_numbers_of(reports, source), *part.erased})
    return [place for place, number in enumerate(made) if number in set(gone)]


def _forget_people(reports: Reports, wanted: dict[str, set[int]], folder: Path | None, unlock: Unlocker) -> None:
    for name, index in read_indexes(folder, reports.note.fingerprint, wanted, unlock).items():
        if folder is not None:
            path = index_path(folder, name)
            secret = unlock(path)
            write_index(index.without(wanted[name]), path, Unprotected() if secret is None else secret)
