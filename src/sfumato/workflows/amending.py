"""Amending a publication: corrected answers supersede the old ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words
from sfumato.files.tables import TableLike, numbers_of, words_of
from sfumato.keys.digests import NOTHING
from sfumato.keys.sealed_files import PeopleIndex
from sfumato.ledger.releases import Published, Role
from sfumato.numbers.checks import check_at_least, check_integer
from sfumato.publications.amendments import (
    Amendment,
    check_asked_by_column,
    check_rows,
    corrections,
    draw_amendment,
    units_of,
    with_cover,
)
from sfumato.publications.key_folder import SHORT, KeyFolder, find_person, read_indexes
from sfumato.publications.note import ReportsNote
from sfumato.publications.opening import recovered_chunks, recovering
from sfumato.publications.part import Keys, PartPlan, StudyPublication, source_or_system
from sfumato.publications.place import Destination, StagedPart
from sfumato.publications.registry import Memory, ledger_of, memory_of, study_of
from sfumato.publications.reports import PART, ROW, Reports, read_report_files
from sfumato.sampling.sources import BitSource, Guarantee
from sfumato.study.answers import answers_table
from sfumato.study.cells import NO_ANSWER
from sfumato.study.question import Question
from sfumato.study.readers import ReaderSum, worst_sums
from sfumato.study.study import Study
from sfumato.workflows.key_files import Unlocking, keys_for, opener_of_found
from sfumato.workflows.publishing import (
    Protections,
    destination,
    guarantee_of,
    later_part_id,
    protections_of,
    publication_at,
    series_keys,
    simulate,
)
from sfumato.workflows.releasing import finish, intended, release_part, source_of

# --- Changed cells
# The cells that a table of corrections names, and those of them whose answer differs from the published one.


PartCells = Mapping[str, Mapping[str, Mapping[int, str]]]
"""By part and question: the answers, by the number of the row."""


def named_cells(reports: Reports, place: Destination, data: TableLike, id_column: str | None) -> PartCells:
    """Return the cells that a table names; refuses rows that are not there, or no longer."""
    table = answers_table(data, reports.note.study.questions)
    sources = {name for question in reports.note.study.questions for name in question.sources}
    if sources.isdisjoint(table.column_names):
        raise InvalidParameter("has no column of a question", parameter="data", way_out="Name it by the question's id.")
    cells = corrections(table, reports.note.study, _rows(reports, place, table, id_column))
    for name, columns in cells.items():
        check_rows(reports.note.part(name), {number for column in columns.values() for number in column})
    return cells


def amendment_of(
    reports: Reports, place: Destination, named: PartCells, cover: int, source: BitSource
) -> tuple[Amendment, int]:
    """Return the cells that are amended, and how many were named that were right already."""
    cells, unchanged = named, 0
    held = _answers(reports, place, _asked(cells), set(cells))
    if held is not None:
        cells, unchanged = _changed(cells, held, units_of(reports.note.study))
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
        rows = [_person(indexes, words, line, id_column) for line in range(len(words))]
    elif ROW not in table.column_names:
        raise InvalidParameter(
            f"has no column {ROW!r} that says which rows are corrected",
            parameter="data",
            way_out="Add it, or name a column of ids with `id_column`.",
        )
    else:
        numbers = numbers_of(table, ROW).tolist()
        for line, number in enumerate(numbers):
            if number < 0:
                raise _at(ROW, line, "is no whole number", "Take it from the column `row` of the reports.")
        if PART in table.column_names:
            words = words_of(table, PART)
            named = [_part_called(words, line, bases) for line in range(len(words))]
        elif len(bases) > 1:
            raise InvalidParameter(
                f"must say in a column {PART!r} which of the {len(bases)} parts a row is of",
                parameter="data",
                way_out="Take it from the reports, or name a column of ids with `id_column`.",
            )
        else:
            named = [bases[0].id] * len(numbers)
        rows = list(zip(named, numbers, strict=True))
    seen: set[tuple[str, int]] = set()
    for line, row in enumerate(rows):
        if row in seen:
            column = ROW if id_column is None else id_column
            raise _at(column, line, "names somebody whom an earlier row names", "Correct each once.")
        seen.add(row)
    return rows


def _person(indexes: dict[str, PeopleIndex], words: Words, line: int, column: str) -> tuple[str, int]:
    try:
        return find_person(indexes, words.texts[words.codes[line]])
    except InvalidParameter as error:
        raise _at(column, line, error.rule, error.way_out) from None


def _part_called(words: Words, line: int, bases: Sequence[Any]) -> str:
    name = words.texts[words.codes[line]]
    found = [part.id for part in bases if part.id.startswith(name)] if len(name) >= SHORT else []
    if len(found) != 1:
        raise _at(PART, line, "is not the id of a part of this publication", "Take it from the reports.")
    return str(found[0])


def _at(column: str, line: int, rule: str, way_out: str) -> UnreadableFile:
    """Name the cell of a table of corrections, and not what stands in it."""
    return UnreadableFile(f"column {column}, row {line + 1} {rule}", way_out=way_out)


def _asked(cells: PartCells) -> list[str]:
    return list(dict.fromkeys(name for columns in cells.values() for name in columns))


def _answers(
    reports: Reports, place: Destination, asked: Sequence[str], parts: set[str]
) -> dict[str, dict[str, dict[int, str]]] | None:
    """Return all people's answers in some parts, by part and question; None without the registrar's keys."""
    if place.keys is None or not all(reports.note.handler(name).key_levels[:1] == (0,) for name in asked):
        return None
    try:
        keys = keys_for(reports.note, place.keys, place.unlock, recover=True)
    except InvalidParameter:
        return None
    columns = reports.note.study.with_sealed(asked)
    recovery = recovering(reports.note, [key for key in keys if key.binding.question in columns], rounded=True)
    if recovery.rounded.keys() & set(asked):
        return None  # a rounded answer does not tell whether one is right already
    found: dict[str, dict[str, dict[int, str]]] = {name: {question: {} for question in asked} for name in parts}
    bases = [part.id for part in reports.note.parts if part.amends is None]
    for table in recovered_chunks(reports, recovery, as_text=True):
        name = str(table.column(PART)[0]) if PART in table.column_names else bases[0]
        if name in found:
            numbers = numbers_of(table, ROW).tolist()
            for question in asked:
                # Who gave no answer has none that could be drawn again, unless that is hidden.
                none = NO_ANSWER if reports.note.study.question(question).hides else None
                texts = (
                    none if text is None else text for text in _cells(reports.note.study.question(question), table)
                )
                there = zip(numbers, texts, strict=True)
                found[name][question].update({number: text for number, text in there if text is not None})
    return found


def _cells(question: Question, table: Any) -> list[str | None]:
    """Return the cells of a question in a table of answers, as they are read; None where there is none."""
    words = question.cells.read(question.words(table))
    texts = iter([words.texts[code] for code in words.codes.tolist()])
    filled = [True] * table.num_rows if words.filled is None else words.filled.tolist()
    return [next(texts) if full else None for full in filled]


def _changed(
    cells: PartCells, held: PartCells, units: Collection[frozenset[str]]
) -> tuple[dict[str, dict[str, dict[int, str]]], int]:
    """Return the cells whose answer is another one now, and how many are as they were.

    What is amended together stays together.
    """
    found: dict[str, dict[str, dict[int, str]]] = {}
    same = 0
    for name, columns in cells.items():
        for question, column in columns.items():
            for number, answer in column.items():
                beside = next((unit for unit in units if question in unit), frozenset({question}))
                if all(held[name][other].get(number) == columns[other][number] for other in beside):
                    same += 1
                else:
                    found.setdefault(name, {}).setdefault(question, {})[number] = answer
    return found, same


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
    registry: str | Path | None = None,
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
    check_at_least("cover", check_integer("cover", cover), 0)
    declared, payer = study_of(study), ledger_of(study, ledger)
    source = source_of(bits, insecure_seed, payer)
    memory = memory_of(study, registry, payer)
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
            reports=read_report_files(place.out), keys={}, published=published, registry=memory.registry
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
    """Return an amendment that was drawn by an earlier run: what it amends, not what this one names."""
    source = next(one for one in reports.sources if any(part.id == published.part for part in one.parts))
    alone = Reports(sources=(source,), note=replace(reports.note, parts=source.parts))
    given = {number for column in named.values() for number in column}
    cells, rows, covered = 0, 0, 0
    known = [one.id for one in reports.note.study.questions]
    questions = [column.question for column in published.columns if column.question in known]
    for chunk in alone.chunks(questions):
        rows += chunk.numbers.size
        covered += len(set(chunk.numbers.tolist()) - given)
        cells += sum(int((chunk.reports(alone.note.handler(name)) != NOTHING).sum()) for name in questions)
    made = StudyPublication(reports=reports, keys={}, published=published, resumed=True, registry=memory.registry)
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
