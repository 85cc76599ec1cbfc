"""Parts written anew without some of their rows, all at once: the manifest, or the file itself, is the moment.

A part in a folder is written under a new name, and the manifest says from when on that is the part. A file of its own
keeps its name: it is staged whole, with its note, and once it is whole the same call puts it in place, however often
that is interrupted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.files.staging import (
    discard,
    flush_staged,
    put_in_place,
    remove_stale,
    staged_afresh,
    staging_beside,
    staging_inside,
)
from sfumato.files.table_writers import TableWriter
from sfumato.files.tables import codebook_path, note_path
from sfumato.study.codebooks import codebook
from sfumato.study.erasing import Erasure
from sfumato.study.manifests import NAME, ManifestPart, files_of_parts, is_publication, note_digest, read_manifest
from sfumato.study.part_notes import PartNote
from sfumato.study.report_files import read_report_files
from sfumato.study.report_rows import Source
from sfumato.study.reports import Progress, Reports
from sfumato.study.studies import Study
from sfumato.study.study_files import write_beside

Advance = Callable[[int], None]
_REWRITING = "rewriting"
_WHOLE = "rewritten.whole"
"""Staging that is whole is not called like what a publication may tidy away."""


def settle_rewriting(out: Path) -> None:
    """Finish what was interrupted where its moment had come, and remove what is left of it where it had not."""
    if is_publication(out):
        discard(staging_inside(out, _REWRITING))
        _tidy(out)
    elif not out.is_dir():
        discard(staging_beside(out, _REWRITING))
        _put_whole(out)


def rewrite_without(out: Path, reports: Reports, wanted: dict[str, set[int]], progress: Progress | None = None) -> None:
    """Write every part anew that has rows of these people, and then say so, all at once."""
    changes = []
    for source in reports.sources:
        (part,) = source.parts
        gone = wanted.get(part.id if part.amends is None else part.amends, set())
        left = gone - set(part.erased)
        if not part.is_dense:
            left &= numbers_of_source(reports, source)
        if left:
            changes.append((source, part, left))
    if not changes:
        return
    total = sum(part.present for _, part, _ in changes)

    def advance(rows: int) -> None:
        if progress is not None:
            progress(rows, total)

    if out.is_dir():
        _rewrite_folder(out, reports, changes, advance)
        return
    ((source, part, left),) = changes
    with staged_afresh(staging_beside(out, _REWRITING)) as folder:
        _write_part(reports, source, part, left, folder / out.name, advance)
        flush_staged(folder)
        folder.replace(staging_beside(out, _WHOLE))
    _put_whole(out)


def put_part(staged: Path, table: Path, study: Study | None = None) -> None:
    """Put a part in place that is staged, or what is still missing of it: the reports last, which say nothing alone.

    Before it come the files that its reports are read with; a pipe or a device has no place for them.
    """
    if study is not None and (table.is_file() or table.is_dir() or not table.exists()):
        write_beside(study, table.parent)
    for target in beside(table):
        put_in_place(staged / target.name, target)


def beside(table: Path) -> tuple[Path, ...]:
    """What stands beside the reports, and the reports last."""
    return codebook_path(table), note_path(table), table


def numbers_of_source(reports: Reports, source: Source) -> set[int]:
    """Return the numbers of the rows that a source has."""
    alone = Reports(sources=(source,), note=replace(reports.note, parts=source.parts))
    return {number for chunk in alone.chunks([]) for number in chunk.numbers.tolist()}


def _rewrite_folder(
    out: Path, reports: Reports, changes: list[tuple[Source, PartNote, set[int]]], advance: Advance
) -> None:
    manifest = read_manifest(out)
    files = {one.id: one.file for one in manifest.parts}
    with staged_afresh(staging_inside(out, _REWRITING)) as folder:
        for source, part, left in changes:
            name = _next_name(files[part.id])
            note = _write_part(reports, source, part, left, folder / name, advance)
            entry = ManifestPart(id=part.id, file=name, note=note_digest(note), amends=part.amends)
            manifest = manifest.with_part(entry)
        flush_staged(folder)
        for _, part, _ in changes:
            put_part(folder, out / _next_name(files[part.id]))
        manifest.write(out)
    discard(staging_inside(out, _REWRITING))
    _tidy(out)


def _put_whole(out: Path) -> None:
    """Put a file that was rewritten in place, the table last; done again, it goes on where it was interrupted."""
    whole = staging_beside(out, _WHOLE)
    if whole.exists():
        put_part(whole, out)
        discard(whole)
    remove_stale(out, note_path(out), codebook_path(out))


def _tidy(out: Path) -> None:
    """Remove the files of parts that the manifest does not name: from before somebody was erased, or never to be."""
    parts = read_manifest(out).parts
    kept = {path.name for one in parts for path in (out / one.file, note_path(one.file), codebook_path(one.file))}
    stems = {one.file.partition(".")[0] for one in parts}
    for stem, path in files_of_parts(out):
        if stem in stems and path.name not in kept:
            discard(path) if path.is_dir() else path.unlink()
    remove_stale(out / NAME)


def _write_part(reports: Reports, source: Source, part: PartNote, rows: set[int], path: Path, advance: Advance) -> str:
    alone = Reports(sources=(source,), note=replace(reports.note, parts=(part,)))
    erasure = Erasure.of(part, rows)
    with TableWriter(path) as writer:
        for chunk in alone.chunks(list(part.roots), alone.kept):
            writer.write(erasure.kept(chunk, alone))
            advance(chunk.numbers.size)
        # The note of the part as it was published, with what is left of it.
        noted = read_report_files(_path_of(source)).note
        found = replace(noted, parts=(erasure.note(),))
        text = found.to_text()
        writer.finish(text, codebook=codebook(found, alone.kept))
    return text


def _path_of(source: Source) -> Path:
    if not isinstance(source.rows, str | Path):
        raise InvalidParameter("must be files", parameter="reports", way_out="Name the file or the folder.")
    return Path(source.rows)


def _next_name(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    part, _, number = stem.partition(".")
    return f"{part}.{int(number or 0) + 1}.{ending}"
