"""Files of reports: a file, a folder with a manifest, a glob, or several; and the one way in which they are written."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.bits import SystemBits
from sfumato.errors import InvalidParameter, Place, UnreadableFile
from sfumato.files import read_bytes
from sfumato.files.csv_tables import decode_text
from sfumato.files.formats import Format, format_of
from sfumato.files.places import check_places, check_table_place
from sfumato.files.row_streams import open_rows, row_source
from sfumato.files.table_writers import TableWriter
from sfumato.files.tables import NOTE_LIMIT_BYTES, codebook_path, note_inside, note_path
from sfumato.refine.report_trees import ReportTree
from sfumato.study.codebooks import codebook
from sfumato.study.manifests import is_publication, note_digest, read_manifest
from sfumato.study.notes import ReportsNote
from sfumato.study.part_notes import PartNote, Salts
from sfumato.study.report_rows import ROW, Source, check_has_rows
from sfumato.study.reports import Progress, Reports, with_part
from sfumato.study.study_files import write_beside

Paths = str | Path | Sequence[str | Path]


def read_report_files(paths: Paths, *, note: str | Path | None = None) -> Reports:
    """Read files, folders and globs as one: their parts side by side, each part once."""
    several = [paths] if isinstance(paths, str | Path) else list(paths)
    if not several:
        raise InvalidParameter("names no file", parameter="reports", way_out="Name at least one.")
    read = [one for path in several for one in _read(path, note)]
    found = read[0] if len(read) == 1 else joined(read)
    return replace(found, remarks=(*found.remarks, *_remarks(found.note)))


def joined(several: Sequence[Reports], *, in_order: bool = False) -> Reports:
    """Return the parts of several files as one: of one study and epoch, at the same levels, no part twice.

    Amendments follow one another by their turns, unless they are `in_order` already, as a manifest has them.
    """
    first = several[0].note
    for one in several[1:]:
        note = one.note
        if note.fingerprint != first.fingerprint:
            raise _differ("are of different studies", "Give reports of one study.")
        if note.epoch != first.epoch:
            raise _differ(f"are of epochs {first.epoch} and {note.epoch}", "Read each epoch by itself.")
        if note.columns != first.columns:
            raise _differ("are at different levels, or were made in another way", "Read each by itself.")
        if (note.again, note.earlier) != (first.again, first.earlier) and not _is_later(note, first):
            raise _differ("are of different releases about the same people", "Read each release by itself.")
    parts = tuple(part for one in several for part in one.note.parts)
    known = {part.id for part in parts}
    if len(known) < len(parts):
        raise _differ(
            "hold a part twice, perhaps as it was before somebody was erased", "Leave out the older of the two."
        )
    missing = [part for part in parts if part.amends is not None and part.amends not in known]
    if missing:
        raise _differ(
            "amend a part that is not among them", "Give the file that was amended as well, or the whole folder."
        )
    sources = [source for one in several for source in one.sources]
    selected = {part.id for source in sources if not source.is_whole for part in source.parts}
    if any(part.amends in selected for part in parts):
        raise _differ(
            "are a selection and an amendment, and nobody can tell which of its rows were to be selected",
            "Estimate by group, or select from the opened reports.",
        )
    if not in_order:
        _check_turns(several)
        sources.sort(key=lambda source: source.parts[0].turn if len(source.parts) == 1 else 0)
    return Reports(
        sources=tuple(sources),
        note=replace(
            first,
            parts=tuple(part for source in sources for part in source.parts),
            source="; ".join(dict.fromkeys(one.note.source for one in several)),
            insecure=any(one.note.insecure for one in several),
            # A manifest says whether the people of its parts were compared; of files side by side it is not known.
            assumed_disjoint=any(one.note.assumed_disjoint for one in several)
            or (not in_order and len({one.note.publication for one in several}) > 1),
        ),
        remarks=tuple(dict.fromkeys(remark for one in several for remark in one.remarks)),
    )


def _check_turns(several: Sequence[Reports]) -> None:
    """Refuse amendments in several files unless it is clear which of them came last: all there, each in its turn."""
    for base in {part.amends for one in several for part in one.note.parts if part.amends is not None}:
        turns = [[part.turn for part in one.note.parts if part.amends == base] for one in several]
        found = sorted(turn for held in turns for turn in held)
        if sum(map(bool, turns)) > 1 and found != list(range(1, len(found) + 1)):
            raise _differ(
                f"lack an amendment of part {base[:8]}, or have two that do not follow one another",
                "Name the whole folder, whose manifest knows their order.",
            )


def _is_later(note: ReportsNote, first: ReportsNote) -> bool:
    """A part that was appended or amended belongs to the release it was added to."""
    return note.publication == first.publication


def _read(path: str | Path, note: str | Path | None) -> list[Reports]:
    here = Path(path)
    if here.is_dir():
        if is_publication(here):
            return [_read_publication(here)]
        if note_path(here).exists():  # one part, in several files
            return [_read_file(here, None)]
        files = [found for found in sorted(here.iterdir()) if found.suffix in {".parquet", ".csv"}]
        if not files:
            raise UnreadableFile(
                "this folder holds no publication", way_out="Name the folder of one, or its files.", place=_at(here)
            )
        return [_read_file(found, note) for found in files]
    if _is_pattern(path):
        matched = sorted(glob.glob(str(path)))  # noqa: PTH207  the pattern may be absolute
        if not matched:
            raise UnreadableFile("no file matches this", way_out="Check the name.", place=_at(here))
        return [found for one in matched for found in _read(one, note)]
    if not here.exists():
        # Whatever its ending is: a folder that is not there yet has none.
        raise UnreadableFile("the file does not exist", way_out="Check the name and the folder.", place=_at(here))
    return [_read_file(here, note)]


def _read_publication(folder: Path) -> Reports:
    manifest, found = read_manifest(folder), []
    for part in manifest.parts:
        reports = _read_file(folder / part.file, None, expected=part.note)
        (noted,) = reports.note.parts
        if noted.id != part.id or noted.amends != part.amends or reports.note.fingerprint != manifest.fingerprint:
            raise _older(folder / part.file)
        found.append(reports)
    together = joined(found, in_order=True)
    return replace(together, note=replace(together.note, assumed_disjoint=manifest.assumed_disjoint))


def _read_file(path: Path, note: str | Path | None, *, expected: str | None = None) -> Reports:
    stream = row_source(path)  # refuses what is not there, or is no table
    # A note that is given goes before the one inside: some tools carry that along to a selection of rows.
    inside = note_inside(path) if note is None else None
    beside = note_path(path) if note is None else Path(note)
    text = inside
    if inside is None and (note is not None or beside.exists()):
        text = decode_text(read_bytes(beside, limit_bytes=NOTE_LIMIT_BYTES), beside)
    noted = ReportsNote.from_text(text, path)
    if expected is not None and text is not None and note_digest(text) != expected:
        raise _older(path)
    check_has_rows(stream.names, path)
    missing = [name for name in noted.columns if name not in stream.names and name in noted.parts[0].roots]
    present = sum(part.present for part in noted.parts)
    rows = None
    if inside is None:
        # A selection keeps no footer, but has the note of the whole beside it.
        rows = stream.rows
        if rows is None:
            rows = sum(table.num_rows for table in open_rows(path, columns=[ROW]).chunks())
    if missing and (inside is not None or rows == present):
        raise UnreadableFile(
            f"lacks the column {missing[0]!r} of its note", way_out="Ask for the file again.", place=_at(path)
        )
    if rows is None or rows == present:
        return Reports.of(path, noted)
    if len(noted.parts) > 1 or rows > present:
        raise UnreadableFile(
            f"has {rows} rows, and its note speaks of {present}",
            way_out="Ask for the file again, or select from one part.",
            place=_at(path),
        )
    if not noted.parts[0].is_dense:
        raise UnreadableFile(
            "is a selection from an amendment, whose rows mean something only all together",
            way_out="Select from the part that was amended, or from the opened reports.",
            place=_at(path),
        )
    kept = {name: column for name, column in noted.columns.items() if name in stream.names}
    if not kept:
        raise UnreadableFile("has no column of its note", way_out="Select the reports as well.", place=_at(path))
    remark = f"{rows:,} of {present:,} rows, selected by another tool: not checked against the digest of the reports."
    source = Source(rows=path, parts=noted.parts, is_whole=False)
    return Reports(sources=(source,), note=replace(noted, columns=kept), remarks=(remark,))


def _remarks(note: ReportsNote) -> tuple[str, ...]:
    """Say what was erased since the keys were made."""
    gone, blocks = note.erased, sum(len(part.rewritten) for part in note.parts)
    if not gone:
        return ()
    since = f"; rewritten since the keys were made, and not covered by their record: {blocks:,} of the blocks of rows"
    return (f"erased: {gone:,} of {note.rows + gone:,} people{since if blocks else ''}.",)


def write_report_file(reports: Reports, path: str | Path, progress: Progress | None = None) -> None:
    """Write reports as one table, part after part, with codebook and note beside them; chunk by chunk."""
    note, private = reports.note, reports.is_opened
    several = len(note.parts) > 1
    source = SystemBits()
    trees: dict[str, ReportTree] = {}
    salts = {}
    # What other tools selected becomes a part of its own rows: there is nothing else to hold them against.
    selected = {part.id: 0 for one in reports.sources if not one.is_whole for part in one.parts}
    with TableWriter(path, private=private) as writer:
        for chunk in reports.chunks(list(note.columns), reports.kept):
            part = chunk.part
            if not part.roots or part.id in selected:
                if part.id not in trees:
                    salts[part.id] = Salts(part.id, source)
                    trees[part.id] = ReportTree(note.columns, salts[part.id])
                trees[part.id].add(chunk.numbers, {name: chunk.reports(note.way(name)) for name in note.columns})
            if part.id in selected:
                selected[part.id] += chunk.numbers.size
            writer.write(with_part(chunk, several=several))
            if progress is not None:
                progress(chunk.table.num_rows, note.rows)
        parts = []
        for part in note.parts:
            tree = trees.get(part.id)
            now = part if tree is None or part.id not in selected else _alone(part, selected[part.id], tree)
            parts.append(now if tree is None else rooted(now, tree, salts[part.id]))
        found = replace(note, parts=tuple(parts))
        write_beside(note.study, Path(path).parent)
        writer.finish(found.to_text(), codebook=codebook(found, reports.kept))


def _alone(part: PartNote, rows: int, tree: ReportTree) -> PartNote:
    """Return the note of selected rows as that of a part that has no others."""
    tree.finish()
    blocks = tuple(sorted(next(iter(tree.digests.values()))))
    return replace(part, rows=rows, start=0, blocks=blocks, erased=(), rewritten={})


def rooted(part: PartNote, tree: ReportTree, salt_of: object) -> PartNote:
    """Return the note of a part whose rows have all been met."""
    tree.finish(part.all_blocks)
    salts = b"".join(salt_of(block) for block in part.all_blocks)  # type: ignore[operator]
    return replace(part, roots={name: tree.root(name) for name in tree.digests}, salts=salts)


def check_reports_place(path: str | Path, parameter: str = "out") -> None:
    """Refuse a place where reports, their note or their codebook cannot be written."""
    check_table_place(parameter, path)
    for place in (codebook_path(path), note_path(path)):
        check_places(**{parameter: place})


def has_note(path: str | Path) -> bool:
    """Whether a table says what it is, inside or beside it; a folder or a pattern is asked when it is read."""
    if Path(path).is_dir() or _is_pattern(path):
        return True
    return note_path(path).exists() or (format_of(path) is Format.PARQUET and note_inside(path) is not None)


def _is_pattern(path: str | Path) -> bool:
    return glob.has_magic(str(path)) and not Path(path).exists()


def _older(path: Path) -> UnreadableFile:
    return UnreadableFile(
        "this is not the part that the manifest speaks of: perhaps an older copy, from before somebody was erased",
        way_out="Ask for the publication again; an older copy is not put back.",
        place=_at(path),
    )


def _differ(rule: str, way_out: str) -> InvalidParameter:
    return InvalidParameter(rule, parameter="reports", way_out=way_out)


def _at(path: Path) -> Place:
    return Place(file=str(path))
