"""Amending a publication: corrected answers supersede the old ones, and those people pay again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.account.published import Published, Role
from sfumato.bits import BitSource
from sfumato.errors import InvalidParameter
from sfumato.files.frames import TableLike
from sfumato.refine.report_trees import NOTHING
from sfumato.study.amended_cells import check_asked_by_column
from sfumato.study.amending import Amendment, draw_amendment
from sfumato.study.key_folders import KeyFolder
from sfumato.study.notes import ReportsNote
from sfumato.study.part_plans import PartPlan
from sfumato.study.part_sinks import Keys
from sfumato.study.publishing import StudyPublication, source_or_system
from sfumato.study.reader_sums import ReaderSum, worst_sums
from sfumato.study.report_files import read_report_files
from sfumato.study.reports import Reports
from sfumato.study.steps.appending import later_part_id, publication_at, series_keys
from sfumato.study.steps.correcting import amendment_of, named_cells
from sfumato.study.steps.keys import Unlocking, opener_of_found
from sfumato.study.steps.paying import source_of
from sfumato.study.steps.publishing import Protections, destination, protections_of, simulate
from sfumato.study.steps.releasing import finish, intended, release_part
from sfumato.study.steps.remembering import Memory, memory_of
from sfumato.study.steps.staged_parts import StagedPart
from sfumato.study.steps.staging import Destination
from sfumato.study.steps.study_places import ledger_of, study_of
from sfumato.study.studies import Study
from sfumato.values import Guarantee
from sfumato.values.checks import check_at_least, check_integer


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

    Returns:
        What was drawn again, and where it was written.

    Raises:
        InvalidParameter: `out` is no folder of this study, or the table names people who are not in it.
        UnreadableFile: a file is damaged, of another kind, or not there.
        BudgetSpent: those people have nothing left to pay with.

    >>> import pathlib, tempfile
    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> made = sf.publish(study, {"tired": ["no"] * 50}, out=folder / "reports", insecure_seed=7)
    >>> sf.amend(study, {"row": [3], "tired": ["yes"]}, out=folder / "reports", insecure_seed=8).rows
    1
    """
    from sfumato.study.steps.studies import guarantee_of  # noqa: PLC0415  that module imports this one's neighbours

    check_at_least("cover", check_integer("cover", cover), 0)
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
        part=later_part_id(reports, source),
        source=source_or_system(source),
        guarantee=guarantee_of(guarantee),
        epoch=epoch,
        keep=reports.kept,
        publication=reports.note.publication,
    )

    def wanted(part: str, questions: Sequence[str]) -> Published:
        first = reports.note.publication
        return intended(declared, epoch, memory, plan.part, role=Role.AMEND, of=first, amends=part, questions=questions)

    is_simulated = reports.note.insecure
    named = named_cells(reports, place, data, id_column)
    if not is_simulated:
        memory.check_there()
        # Before the answers are compared: what was interrupted may be in place, and then they are right already.
        for name, columns in named.items():
            finished = finish(place, wanted(name, list(columns)), memory)
            if finished is not None:
                return _resumed(*finished, columns, memory)
    amendment, unchanged = amendment_of(reports, place, named, cover, plan.source)
    seeds = series_keys(place)
    later = replace(place, files=KeyFolder.of(declared, place.keys, epoch, later=plan.part))
    later = replace(
        later, files=_of_questions(later.files, declared.with_sealed(amendment.questions), is_new=seeds is None)
    )
    turn = 1 + sum(part.amends == amendment.part.id for part in reports.note.parts)
    series = None if seeds is None else _series(seeds)
    plan = replace(plan, amends=amendment.part.id, turn=turn, keys=seeds, series=series)
    if seeds is not None:
        plan = replace(plan, guarantee=Guarantee.COMPUTATIONAL)
    protections = protections_of(later.files, protection) if later.files.files else None
    kept = _kept(reports, amendment, plan.keep)
    check_asked_by_column(declared, amendment.cells, kept, amendment.numbers)

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
        _, published = release_part(
            later,
            draw,
            wanted(amendment.part.id, amendment.questions),
            memory,
            protections,
            rows=rows,
            draws=draws,
        )
        made = StudyPublication(
            reports=read_report_files(place.out), keys={}, published=published, record=memory.record
        )
    return _told(made, amendment, memory, unchanged=unchanged)


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
    now = read_report_files(place.out).note.parts
    if [(part.id, part.erased) for part in now] != [(part.id, part.erased) for part in reports.note.parts]:
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


def _resumed(reports: Reports, published: Published, named: Mapping[str, Mapping[int, str]], memory: Memory) -> Amended:
    """Tell of an amendment that was drawn by an earlier run: what it amends, not what this one names."""
    source = next(one for one in reports.sources if any(part.id == published.part for part in one.parts))
    alone = Reports(sources=(source,), note=replace(reports.note, parts=source.parts))
    given = {number for column in named.values() for number in column}
    cells, rows, covered = 0, 0, 0
    known = [one.id for one in reports.note.study.questions]
    questions = [column.question for column in published.columns if column.question in known]
    for chunk in alone.chunks(questions):
        rows += chunk.numbers.size
        covered += len(set(chunk.numbers.tolist()) - given)
        cells += sum(int((chunk.reports(alone.note.way(name)) != NOTHING).sum()) for name in questions)
    made = StudyPublication(reports=reports, keys={}, published=published, resumed=True, record=memory.record)
    return Amended(
        publication=made, cells=cells, rows=rows, covered=covered, unchanged=0, sums=_sums(made, memory), resumed=True
    )


def _told(made: StudyPublication, amendment: Amendment, memory: Memory, *, unchanged: int) -> Amended:
    return Amended(
        publication=made,
        cells=sum(len(column) for column in amendment.cells.values()),
        rows=int(amendment.numbers.size),
        covered=amendment.covered,
        unchanged=unchanged,
        sums=_sums(made, memory),
    )


def _sums(made: StudyPublication, memory: Memory) -> tuple[ReaderSum, ...]:
    seen = [
        (one.published.payer, one.published.seen)
        for one in memory.history()
        if made.published is not None and one.published.publication == made.published.publication
    ]
    return worst_sums(seen) if seen else ()
