"""Combining the parts of several offices under one manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sfumato.errors import InvalidParameter, SharedPeople
from sfumato.files.disk import writing_sentences
from sfumato.files.formats import check_folder
from sfumato.files.public_tables import TableWriter
from sfumato.files.staging import discard, flush_staged, locked, remove_stale, staged_afresh, staging_inside
from sfumato.files.tables import text_column
from sfumato.keys.sealed_files import PeopleIndex
from sfumato.publications.coded_reports import codebook
from sfumato.publications.key_folder import SHORT, read_indexes
from sfumato.publications.manifest import (
    NAME,
    Manifest,
    ManifestPart,
    files_of_parts,
    is_publication,
    note_digest,
    read_manifest,
)
from sfumato.publications.note import ReportsNote
from sfumato.publications.part import arrow_table
from sfumato.publications.place import put_part
from sfumato.publications.reports import Reports, Source, joined, names_of, read_report_files
from sfumato.study.file import write_beside
from sfumato.workflows.key_files import Unlocking, unlocker_of

_COMBINING = "combining"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Combined:
    """The parts of several publications as one; `compared` is how many of the parts had an index at hand."""

    reports: Reports
    compared: int
    parts: int

    @property
    def is_compared(self) -> bool:
        """Whether a person who is in two parts would have been found."""
        return self.compared == self.parts


def combine(
    reports: Sequence[str | Path],
    out: str | Path,
    *,
    keys: Sequence[str | Path] = (),
    unlock: Unlocking = None,
    assume_disjoint: bool = False,
) -> Combined:
    """Put files and folders of reports of one study into a new folder, as one publication.

    People who are in two of them would be counted twice. They are found only where the index of every part lies in one
    of the folders `keys` and opens; where people cannot be compared, `assume_disjoint` says that no one is in two, and
    the manifest and every estimate repeat that it was assumed.

    Returns:
        The publication as it is read from the folder.

    Raises:
        InvalidParameter: the folder is there, or parts are of different studies.
        SharedPeople: people are in two parts, or may be.
        UnreadableFile: a file is damaged, of another kind, or not there.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for seed, office in enumerate(["north", "south"]):
    ...     made = sf.publish(study, {"tired": ["no"] * 50}, out=folder / office, insecure_seed=seed)
    >>> together = sf.combine([folder / "north", folder / "south"], folder / "all", assume_disjoint=True)
    >>> len(sf.read_reports(folder / "all"))
    100
    """
    target, opener = Path(out), unlocker_of(unlock)
    several = [read_report_files(path) for path in reports]
    together = joined(several)
    if together.is_opened or not all(source.is_whole and len(source.parts) == 1 for source in together.sources):
        raise InvalidParameter(
            "are opened, or a selection, or several parts in one table",
            parameter="reports",
            way_out="Combine public reports as they were published, then open them.",
        )
    check_folder("out", target)
    bases = [part.id for part in together.note.parts if part.amends is None]
    indexes: dict[str, PeopleIndex] = {}
    for folder in keys:
        indexes |= read_indexes(Path(folder), together.note.fingerprint, bases, opener)
    people = [person for index in indexes.values() for person in index.people.rows]
    if len(set(people)) < len(people):
        raise SharedPeople(
            f"have {len(people) - len(set(people))} people in two parts, who would be counted twice",
            parameter="reports",
            way_out="Erase them from one of the two (`sfumato erase`), and combine again.",
        )
    # Their notes as each part was published, spelled anew; nothing else of the files is taken over.
    notes = {source: read_report_files(_path_of(source)).note for source in together.sources}
    is_open = len(indexes) < len(bases) and _is_of_several(notes.values(), reports)
    if is_open and not assume_disjoint:
        raise SharedPeople(
            f"may have the same person in two parts: {len(indexes)} of {len(bases)} indexes of people were opened",
            parameter="reports",
            way_out="Name the folders of all indexes with `keys`, or give `assume_disjoint` if you know that no one is "
            "in two of them.",
        )
    assumed = len(indexes) < len(bases) and (is_open or together.note.assumed_disjoint)
    with writing_sentences(target):
        target.mkdir(parents=True, exist_ok=True)
    with locked(target / NAME):
        _combine(together, notes, target, assumed=assumed)
    return Combined(reports=read_report_files(target), compared=len(indexes), parts=len(bases))


def _is_of_several(notes: Iterable[ReportsNote], paths: Sequence[str | Path]) -> bool:
    """Whether parts are of several publications that are not under one manifest yet."""
    several = {note.publication for note in notes}
    return len(several) > 1 and not (len(paths) == 1 and is_publication(paths[0]))


def _combine(together: Reports, notes: Mapping[Source, ReportsNote], target: Path, *, assumed: bool) -> None:
    """Copy the parts into a folder that holds nothing, or what an interrupted call left of the same.

    While it is being made the folder holds what is staged, which is removed last; so one that is half made is known.
    """
    place = staging_inside(target, _COMBINING)
    manifest = Manifest(
        study=together.note.study.name, fingerprint=together.note.fingerprint, parts=(), assumed_disjoint=assumed
    )
    for source, note in notes.items():
        (part,) = source.parts
        name = f"{part.id[:SHORT]}{_path_of(source).suffix}"
        digest = note_digest(note.to_text())
        manifest = manifest.with_part(ManifestPart(id=part.id, file=name, note=digest, amends=part.amends))
    if place.exists() and is_publication(target) and read_manifest(target) == manifest:
        discard(place)
        return
    others = [path for path in target.iterdir() if path.name != f".{NAME}.lock"]
    if others and (not place.exists() or is_publication(target)):
        raise InvalidParameter(
            "is there already, and not empty", parameter="out", value=str(target), way_out="Name a new folder."
        )
    for _, path in files_of_parts(target):
        if path.is_dir():
            discard(path)
        else:
            path.unlink()
    remove_stale(target / NAME)
    with staged_afresh(place) as staged:
        for (source, note), entry in zip(notes.items(), manifest.parts, strict=True):
            _write_part(source, note, staged / entry.file)
        flush_staged(staged)
    write_beside(together.note.study, target)
    for entry in manifest.parts:
        put_part(place, target / entry.file)
    manifest.write(target)
    discard(place)


def _path_of(source: Source) -> Path:
    return Path(str(source.rows))


def _write_part(source: Source, note: ReportsNote, path: Path) -> None:
    """Write a part anew: its rows, checked against their digests, its note and its codebook."""
    reports = Reports(sources=(source,), note=note)
    with TableWriter(path) as writer:
        for chunk in reports.chunks(list(note.parts[0].roots), reports.kept):
            writer.write(chunk.table)
        if not writer.rows:  # everybody was erased; the columns stay
            writer.write(arrow_table({name: text_column(np.empty(0, np.int64), ()) for name in names_of(source)}))
        writer.finish(note.to_text(), codebook=codebook(note, reports.kept))
