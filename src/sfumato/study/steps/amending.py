"""Amending a publication: corrected answers supersede the old ones, and those people pay again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.account.published import Role
from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter
from sfumato.files.frames import TableLike, as_arrow
from sfumato.files.tables import numbers_of, words_of
from sfumato.study.amending import Amendment, check_rows, corrections, draw_amendment, with_cover
from sfumato.study.key_folders import KeyFolder
from sfumato.study.manifests import read_manifest
from sfumato.study.notes import ReportsNote
from sfumato.study.opening import recovered_chunks
from sfumato.study.part_indexes import find_person, read_indexes
from sfumato.study.part_notes import new_part_id
from sfumato.study.publishing import Keys, PartPlan, StudyPublication, source_or_system
from sfumato.study.report_files import read_report_files
from sfumato.study.report_rows import PART, ROW
from sfumato.study.reports import Reports
from sfumato.study.steps.appending import publication_at, series_keys
from sfumato.study.steps.keys import Unlocking, keys_for, opener_of_found
from sfumato.study.steps.paying import ledger_of, source_of, study_of
from sfumato.study.steps.publishing import Protections, destination, protections_of, simulate
from sfumato.study.steps.releasing import finish, intended, release_part
from sfumato.study.steps.remembering import Memory, memory_of
from sfumato.study.steps.staged_parts import StagedPart
from sfumato.study.steps.staging import Destination
from sfumato.study.studies import Study
from sfumato.study.totals import ReaderSum, worst_sums
from sfumato.values import Guarantee


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Amended:
    """What was amended: so many cells, with so many people as cover; and what the worst person's total is now."""

    publication: StudyPublication
    cells: int
    rows: int
    covered: int
    unchanged: int
    sums: tuple[ReaderSum, ...]
    resumed: bool = False


def amend(
    study: Study | str | Path,
    data: TableLike,
    *,
    out: str | Path,
    keys: str | Path | None = None,
    protection: Protections | None = None,
    unlock: Unlocking = None,
    id_column: str | None = None,
    cover: int = 0,
    epoch: int = 0,
    guarantee: Guarantee | str = Guarantee.INFORMATION_THEORETIC,
    ledger: str | Path | None = None,
    record: str | Path | None = None,
    bits: BitSource | None = None,
    insecure_seed: int | None = None,
) -> Amended:
    """Correct answers of a publication in a folder: only amended cells are drawn again, and supersede the old ones.

    The table has a column `row` (and `part` where there are several) or, with `id_column`, ids that the indexes in
    `keys` know; and columns of questions, in which an empty cell stays as it is. Where the registrar's keys are at
    hand, cells that hold the right answer already are left alone. That a cell was amended is public. `cover` redraws so
    many people besides, chosen by chance, whose answers did not change; they pay as well.
    """
    from sfumato.study.steps.studies import guarantee_of  # noqa: PLC0415  that module imports this one's neighbours

    declared, payer = study_of(study), ledger_of(study, ledger)
    source = source_of(bits, insecure_seed, payer)
    memory = memory_of(study, record, payer)
    opener = opener_of_found(unlock, protection)
    place = destination(declared, out, keys, epoch, opener)
    if keys is not None and place.keys is None and id_column is not None:
        place = replace(place, keys=Path(keys))
    reports = publication_at(place, declared, epoch)
    plan = PartPlan(
        study=declared,
        part=new_part_id(source),
        source=source_or_system(source),
        guarantee=guarantee_of(guarantee),
        epoch=epoch,
        keep=reports.kept,
        publication=reports.note.publication,
    )
    amendment, unchanged = _what(reports, place, data, id_column, cover, plan.source)
    is_simulated = reports.note.insecure
    wanted = intended(
        declared,
        epoch,
        memory,
        plan.part,
        role=Role.AMEND,
        of=reports.note.publication,
        amends=amendment.part.id,
        questions=amendment.questions,
    )
    if not is_simulated:
        memory.check_there()
        finished = finish(place, wanted, memory)
        if finished is not None:
            made = StudyPublication(reports=finished[0], keys={}, published=finished[1], resumed=True)
            return _told(made, amendment, memory, unchanged=0, resumed=True)
    seeds = series_keys(place)
    later = replace(place, files=KeyFolder.of(declared, place.keys, epoch, later=plan.part))
    later = replace(later, files=_of_questions(later.files, amendment.questions, is_new=seeds is None))
    turn = 1 + sum(part.amends == amendment.part.id for part in reports.note.parts)
    series = None if seeds is None else _series(seeds)
    plan = replace(plan, amends=amendment.part.id, turn=turn, keys=seeds, series=series)
    if seeds is not None:
        plan = replace(plan, guarantee=Guarantee.COMPUTATIONAL)
    protections = protections_of(later.files, protection) if later.files.files else None
    kept = _kept(reports, amendment, plan.keep)

    def draw(staged: StagedPart) -> tuple[ReportsNote, Keys]:
        _check_as_read(reports, place)
        staged.kept = plan.keep
        return draw_amendment(plan, amendment, kept, staged)

    rows = amendment.numbers.size
    draws = plan.guarantee is Guarantee.INFORMATION_THEORETIC
    if is_simulated:
        simulate(later, draw, plan.part, protections, payer, rows=rows, draws=draws)
        made = StudyPublication(reports=read_report_files(place.out), keys={}, simulated=True)
    else:
        _, published = release_part(later, draw, wanted, memory, protections, rows=rows, draws=draws)
        made = StudyPublication(
            reports=read_report_files(place.out), keys={}, published=published, record=memory.record
        )
    return _told(made, amendment, memory, unchanged=unchanged)


def _what(
    reports: Reports, place: Destination, data: TableLike, id_column: str | None, cover: int, source: BitSource
) -> tuple[Amendment, int]:
    """Return the cells that are amended, and how many were given that were right already."""
    table = as_arrow(data)
    asked = [question.id for question in reports.note.study.questions if question.id in table.column_names]
    if not asked:
        raise InvalidParameter("has no column of a question", parameter="data", way_out="Name it by the question's id.")
    rows = _rows(reports, place, table, id_column)
    cells = corrections(table, asked, rows)
    for name, columns in cells.items():
        check_rows(reports.note.part(name), {number for column in columns.values() for number in column})
    held = _answers(reports, place, asked if cover else _asked(cells), set(cells))
    unchanged = 0
    if held is not None:
        cells, unchanged = _changed(cells, held)
    if cover and held is None:
        raise InvalidParameter(
            "takes the registrar's keys, which tell the answers of those who are redrawn as cover",
            parameter="cover",
            way_out="Give the folder `keys` that holds them, or leave it out.",
        )
    if not cells:
        raise InvalidParameter(
            "corrects nothing: every answer in it is the one that was published",
            parameter="data",
            way_out="Nothing has to be done.",
        )
    (name, columns), *others = cells.items()
    if others:
        raise InvalidParameter(
            f"corrects rows of {len(cells)} parts, and one is amended at a time",
            parameter="data",
            way_out=f"Give the rows of part {name[:8]} first, then the others.",
        )
    corrected = len({number for column in columns.values() for number in column})
    amendment = Amendment(part=reports.note.part(name), cells=columns, corrected=corrected)
    if cover and held is not None:
        amendment = with_cover(amendment, held[name], cover, source)
    return amendment, unchanged


def _rows(reports: Reports, place: Destination, table: Any, id_column: str | None) -> list[tuple[str, int]]:
    """Return the part and the number of each row of a table of corrections."""
    bases = [part for part in reports.note.parts if part.amends is None]
    if id_column is not None:
        indexes = read_indexes(place.keys, reports.note.fingerprint, [part.id for part in bases], place.unlock)
        words = words_of(table, id_column)
        rows = [find_person(indexes, words.texts[code]) for code in words.codes.tolist()]
    elif ROW not in table.column_names:
        raise InvalidParameter(
            f"has no column {ROW!r} that says which rows are corrected",
            parameter="data",
            way_out="Add it, or name a column of ids with `id_column`.",
        )
    else:
        numbers = numbers_of(table, ROW).tolist()
        if PART in table.column_names:
            words = words_of(table, PART)
            named = [_part_called(words.texts[code], bases) for code in words.codes.tolist()]
        elif len(bases) > 1:
            raise InvalidParameter(
                f"must say in a column {PART!r} which of the {len(bases)} parts a row is of",
                parameter="data",
                way_out="Take it from the reports, or name a column of ids with `id_column`.",
            )
        else:
            named = [bases[0].id] * len(numbers)
        rows = list(zip(named, numbers, strict=True))
    if len(set(rows)) < len(rows):
        raise InvalidParameter("names a row twice", parameter="data", way_out="Correct each row once.")
    return rows


def _part_called(name: str, bases: Sequence[Any]) -> str:
    found = [part.id for part in bases if part.id.startswith(name)] if len(name) >= 8 else []
    if len(found) != 1:
        raise InvalidParameter(
            "is not the id of a part of this publication",
            parameter=PART,
            value=name[:32],
            way_out="Take it from there.",
        )
    return str(found[0])


def _asked(cells: Mapping[str, Mapping[str, Mapping[int, str]]]) -> list[str]:
    return list(dict.fromkeys(name for columns in cells.values() for name in columns))


def _answers(
    reports: Reports, place: Destination, asked: Sequence[str], parts: set[str]
) -> dict[str, dict[str, dict[int, str]]] | None:
    """Return everybody's answers in some parts, by part and question; None without the registrar's keys."""
    if place.keys is None or not all(reports.note.way(name).key_levels[:1] == (0,) for name in asked):
        return None
    try:
        keys = keys_for(reports.note, place.keys, place.unlock, recover=True)
    except InvalidParameter:
        return None
    wanted = [key for key in keys if key.binding.question in asked]
    found: dict[str, dict[str, dict[int, str]]] = {name: {question: {} for question in asked} for name in parts}
    bases = [part.id for part in reports.note.parts if part.amends is None]
    for table in recovered_chunks(reports, wanted):
        name = str(table.column(PART)[0]) if PART in table.column_names else bases[0]
        if name in found:
            numbers = numbers_of(table, ROW).tolist()
            for question in asked:
                found[name][question].update(zip(numbers, table.column(question).to_pylist(), strict=True))
    return found


def _changed(
    cells: Mapping[str, Mapping[str, Mapping[int, str]]], held: Mapping[str, Mapping[str, Mapping[int, str]]]
) -> tuple[dict[str, dict[str, dict[int, str]]], int]:
    """Return the cells whose answer is another one now, and how many are as they were."""
    found: dict[str, dict[str, dict[int, str]]] = {}
    same = 0
    for name, columns in cells.items():
        for question, column in columns.items():
            for number, answer in column.items():
                if held[name][question].get(number) == answer:
                    same += 1
                else:
                    found.setdefault(name, {}).setdefault(question, {})[number] = answer
    return found, same


def _kept(reports: Reports, amendment: Amendment, keep: Sequence[str]) -> Any:
    """Return the kept columns of the rows that are amended, which an amendment repeats."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    if not keep:
        return None
    source = next(one for one in reports.sources if any(part.id == amendment.part.id for part in one.parts))
    alone = Reports(sources=(source,), note=replace(reports.note, parts=source.parts))
    found = []
    for chunk in alone.chunks([], list(keep)):
        if chunk.part.id == amendment.part.id:
            wanted = np.isin(chunk.numbers, amendment.numbers)
            found.append(chunk.table.filter(pa.array(wanted.tolist())))
    return pa.concat_tables(found, promote_options="permissive").unify_dictionaries()


def _check_as_read(reports: Reports, place: Destination) -> None:
    """Refuse to go on, before anything is drawn, where another process changed the publication meanwhile."""
    now = {one.id: one.file for one in read_manifest(place.out).parts}
    if now != {source.parts[0].id: Path(str(source.rows)).name for source in reports.sources}:
        raise InvalidParameter(
            "was changed by somebody else meanwhile",
            parameter="out",
            value=str(place.out),
            way_out="Run the same again; nothing was drawn.",
        )


def _of_questions(files: KeyFolder, questions: Sequence[str], *, is_new: bool) -> KeyFolder:
    """Return the key files of some questions; none where the seeds that are there open the amendment too."""
    kept = {path: held for path, held in files.files.items() if held.question in questions}
    return replace(files, files=kept if is_new else {})


def _series(seeds: Keys) -> str:
    return next(iter(next(iter(seeds.values())).values())).drawing


def _told(
    made: StudyPublication, amendment: Amendment, memory: Memory, *, unchanged: int, resumed: bool = False
) -> Amended:
    seen = [
        (one.published.payer, one.published.seen)
        for one in memory.history()
        if made.published is not None and one.published.publication == made.published.publication
    ]
    return Amended(
        publication=made,
        cells=sum(len(column) for column in amendment.cells.values()),
        rows=int(amendment.numbers.size),
        covered=amendment.covered,
        unchanged=unchanged,
        sums=worst_sums(seen) if seen else (),
        resumed=resumed,
    )
