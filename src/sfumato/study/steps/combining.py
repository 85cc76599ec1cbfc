"""Putting the parts of several offices under one manifest: nothing is renumbered, nothing is drawn or paid."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import InvalidParameter
from sfumato.files.locks import locked
from sfumato.files.places import check_folder
from sfumato.files.staging import flush_staged, staged_afresh, staging_inside
from sfumato.files.tables import note_inside, note_path
from sfumato.refine.people_indexes import PeopleIndex
from sfumato.study.key_folders import SHORT
from sfumato.study.manifests import NAME, Manifest, ManifestPart, note_digest
from sfumato.study.part_indexes import read_indexes
from sfumato.study.report_files import codebook_path, joined, read_report_files
from sfumato.study.reports import Reports
from sfumato.study.steps.keys import Unlocking, unlocker_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Combined:
    """The parts of several publications as one; `compared` is how many of the parts had an index at hand."""

    reports: Reports
    compared: int
    parts: int

    @property
    def is_compared(self) -> bool:
        """Whether somebody who is in two parts would have been found."""
        return self.compared == self.parts


def combine(
    reports: Sequence[str | Path],
    out: str | Path,
    *,
    keys: Sequence[str | Path] = (),
    unlock: Unlocking = None,
) -> Combined:
    """Put files and folders of reports of one study into a new folder, as one publication.

    People who are in two of them are found only where the index of every part lies in one of the folders `keys` and
    opens; then they are refused, by their number.
    """
    target, opener = Path(out), unlocker_of(unlock)
    several = [read_report_files(path) for path in reports]
    together = joined(several)
    if together.is_opened or not all(source.is_whole for source in together.sources):
        raise InvalidParameter(
            "are opened, or a selection", parameter="reports", way_out="Combine public reports, then open them."
        )
    if target.exists() and any(target.iterdir() if target.is_dir() else [target]):
        raise InvalidParameter(
            "is there already, and not empty", parameter="out", value=str(target), way_out="Name a new folder."
        )
    check_folder("out", target)
    bases = [part.id for part in together.note.parts if part.amends is None]
    indexes: dict[str, PeopleIndex] = {}
    for folder in keys:
        indexes |= read_indexes(Path(folder), together.note.fingerprint, bases, opener)
    people = [person for index in indexes.values() for person in index.people.rows]
    if len(set(people)) < len(people):
        raise InvalidParameter(
            f"have {len(people) - len(set(people))} people in two parts, who would be counted twice",
            parameter="reports",
            way_out="Erase them from one of the two (`sfumato erase`), and combine again.",
        )
    target.mkdir(parents=True, exist_ok=True)
    with locked(target / NAME), staged_afresh(staging_inside(target, "combining")) as staged:
        manifest = Manifest(study=together.note.study.name, fingerprint=together.note.fingerprint, parts=())
        for source in together.sources:
            (part,) = source.parts
            path = Path(str(source.rows))
            name = f"{part.id[:SHORT]}{path.suffix}"
            shutil.copyfile(path, staged / name)
            text = note_inside(path) or note_path(path).read_text(encoding="utf-8")
            note_path(staged / name).write_text(text, encoding="utf-8")
            if codebook_path(path).exists():
                shutil.copyfile(codebook_path(path), codebook_path(staged / name))
            entry = ManifestPart(id=part.id, file=name, note=note_digest(text), amends=part.amends)
            manifest = manifest.with_part(entry)
        flush_staged(staged)
        for found in sorted(staged.iterdir()):
            found.replace(target / found.name)
        manifest.write(target)
        staged.rmdir()
    return Combined(reports=read_report_files(target), compared=len(indexes), parts=len(bases))
