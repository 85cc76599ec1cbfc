"""Reading reports in Spark: found by a table or by their files, and written as a folder of files."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.engines.spark import Engine, files_of_frame, frame_of_files, session_of
from sfumato.errors import InvalidParameter
from sfumato.files.disk import flush_folder
from sfumato.files.places import check_places
from sfumato.files.staging import discard, flush_staged, put_in_place, staged_afresh, staging_beside
from sfumato.files.table_writers import write_beside_table
from sfumato.files.tables import codebook_path, note_path
from sfumato.study.codebooks import codebook
from sfumato.study.report_files import Paths, read_report_files
from sfumato.study.report_rows import PART, ROW
from sfumato.study.reports import Progress, Reports
from sfumato.study.spark_reports import SparkReports
from sfumato.study.study_files import write_beside
from sfumato.study.task_files import take_file


def reports_of_frame(frame: Any, note: str | Path | None = None) -> SparkReports:
    """Return reports that are a table of Spark; the note of the whole is found by its files, or named by `note`."""
    if ROW not in frame.columns:
        raise InvalidParameter(
            f"has no column {ROW!r}, which says which row of its part each report is",
            parameter="reports",
            way_out="Keep that column when selecting rows.",
        )
    whole = read_report_files(_place_of(frame) if note is None else _place_of_note(Path(note)))
    parts = whole.note.parts
    if len(parts) > 1:
        raise InvalidParameter(
            "is a table of several parts",
            parameter="reports",
            way_out="Name their folder and the engine: `engine` spark.",
        )
    missing = [name for name in whole.note.columns if name not in frame.columns]
    columns = {name: column for name, column in whole.note.columns.items() if name not in missing}
    if not columns:
        raise InvalidParameter("has no column of reports", parameter="reports", way_out="Select them as well.")
    return SparkReports(
        frames={parts[0].id: frame}, public=replace(whole.note, columns=columns), remarks=_remarks(whole, frame)
    )


def reports_on_spark(paths: Paths | Reports, engine: Engine, note: str | Path | None = None) -> SparkReports:
    """Return reports that lie in files, as Spark reads them; amendments stay on this machine."""
    found = paths if isinstance(paths, Reports) else read_report_files(paths, note=note)
    session = session_of(engine)
    frames: dict[str, Any] = {}
    for source in found.sources:
        if not isinstance(source.rows, str | Path) or Path(source.rows).suffix == ".csv":
            raise InvalidParameter(
                "must be Parquet files for Spark", parameter="reports", way_out="Read them on one machine."
            )
        for part in source.parts:
            if part.amends is None:
                frame = frame_of_files(source.rows, session)
                frames[part.id] = frame.where(frame[PART] == part.id) if len(source.parts) > 1 else frame
    changed = tuple(one for one in found.sources if all(part.amends is not None for part in one.parts))
    if sum(part.amends is not None for part in found.note.parts) != sum(len(one.parts) for one in changed):
        raise InvalidParameter(
            "has amendments in one file with what they amend", parameter="reports", way_out="Read it on one machine."
        )
    amendments = Reports(sources=changed, note=found.note) if changed else None
    return SparkReports(frames=frames, public=found.note, amendments=amendments, remarks=found.remarks)


def write_spark_reports(reports: SparkReports, out: str | Path, progress: Progress | None = None) -> int:
    """Let executors write opened reports or answers as a folder of files, for their owner only; all of it or nothing.

    Returns how many rows there are.
    """
    check_new_folder(out)
    place = Path(os.path.realpath(out))
    with staged_afresh(staging_beside(place, "opening")) as staging:
        attempts, table = staging / "attempts", staging / place.name
        attempts.mkdir()
        table.mkdir(mode=0o700)
        note, files = reports.write_into(str(attempts), progress=progress)
        for index, several in enumerate(files):
            for file in several:
                take_file(attempts, file, table / f"{index:03d}-{file.first:013d}.parquet")
        # What is still being written there belongs to runs that nobody waits for.
        discard(attempts)
        if not reports.is_recovered:
            write_beside(note.study, place.parent)
            words = codebook(note, reports.kept)
            write_beside_table(table, note=note.to_text(), codebook=words, private=True)
        flush_folder(table)
        flush_staged(staging)
        for target in (codebook_path(place), note_path(place), place):
            put_in_place(staging / target.name, target)
    discard(staging)
    return note.rows


def check_new_folder(out: str | Path) -> None:
    """Refuse a place where a cluster cannot write: it writes many files, which only a new folder can take."""
    place = Path(out)
    if os.path.lexists(place) or place.suffix in {".parquet", ".csv", ".tsv", ".json"}:
        raise InvalidParameter(
            "must be the name of a new folder: what a cluster writes is many files",
            parameter="out",
            value=str(out),
            way_out="Give another name, without an ending.",
        )
    check_places(out=place)


def _place_of(frame: Any) -> Path:
    """Return the file or the folder that a table of Spark was read from, whatever was selected from it since."""
    files = [Path(name) for name in files_of_frame(frame)]
    folders = {file.parent for file in files}
    if len(folders) == 1 and note_path(next(iter(folders))).exists():
        return next(iter(folders))
    if len(files) == 1:
        return files[0]
    raise InvalidParameter(
        "is a table that says nothing of where its note is",
        parameter="reports",
        way_out="Name the file .about.json of the whole by `note`.",
    )


def _place_of_note(note: Path) -> Path:
    """Return what a note stands beside."""
    ending = note_path("").name
    if not note.name.endswith(ending) or not note.exists():
        raise InvalidParameter(
            "must be the file .about.json beside the whole", parameter="note", value=str(note), way_out="Look for it."
        )
    return note.with_name(note.name.removesuffix(ending))


def _remarks(whole: Reports, frame: Any) -> tuple[str, ...]:
    present, rows = whole.note.rows, frame.count()
    if rows >= present:
        return whole.remarks
    said = f"{rows:,} of {present:,} rows, selected by another tool: not checked against the digest of the reports."
    return (*whole.remarks, said)
