"""From a table of answers to a part of public reports and its keys, chunk by chunk; nothing is paid for here.

Rows are written as they are drawn; memory does not grow with their number. A part's note and keys hold column roots.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sfumato.account import Published
from sfumato.bits import BitSource, SystemBits
from sfumato.errors import InvalidParameter, KeyReused, Place, UnreadableFile
from sfumato.files.frames import TableLike
from sfumato.files.row_streams import RowStream, row_source
from sfumato.files.table_writers import plain_column
from sfumato.files.tables import number_column, words_of
from sfumato.files.words import Words
from sfumato.refine import Binding
from sfumato.refine.block_secrets import question_secret
from sfumato.refine.report_trees import Numbers, ReportTree, SaltOf
from sfumato.refine.reuse import claim_drawing
from sfumato.study.answer_cells import AnswerCells, check_rules_kept, needed_columns, read_cells
from sfumato.study.codebooks import written_column
from sfumato.study.notes import ReportsNote, column_notes
from sfumato.study.part_notes import PartNote, Salts
from sfumato.study.part_plans import PartPlan
from sfumato.study.part_sinks import Keys, PartSink
from sfumato.study.report_files import rooted
from sfumato.study.report_rows import PART, ROW
from sfumato.study.reports import Progress, Reports
from sfumato.study.studies import Study
from sfumato.study.study_files import fingerprint
from sfumato.study.value_labels import in_words_of
from sfumato.study.ways import Draw, Way
from sfumato.values import Guarantee

_INSECURE_KEYS = "INSECURE keys, drawn from a seed: a simulation, not a release"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StudyPublication:
    """Public reports, and for each question the keys by level where they were not written to files.

    `simulated` reports were drawn from a seed throughout, and are no release. `published` is what a record or a ledger
    remembers, `record` the file that does. `resumed` ones were drawn by an earlier run, which was interrupted.
    """

    reports: Reports
    keys: Keys
    simulated: bool = False
    resumed: bool = False
    published: Published | None = None
    record: Path | None = None

    def __repr__(self) -> str:
        return f"<StudyPublication: {self.reports!r}, keys to {', '.join(self.keys) or 'nothing'}>"


class PeopleNote(Protocol):
    """What notes who is in which row."""

    column: str

    def add(self, words: Words, numbers: Sequence[int]) -> None:
        """Note the people of some rows."""
        ...


def open_answers(study: Study, data: TableLike, keep: Sequence[str] = (), others: Sequence[str] = ()) -> RowStream:
    """Open a table of answers: the columns that are needed, and no others."""
    source = row_source(data, needed=[*keep, *study.sources, *others])
    _check_named(study, source.names, source.place)
    columns = answer_columns(study, source.names, keep, others)
    return RowStream(in_words_of(study.questions, source), columns)


def _check_named(study: Study, names: Sequence[str], place: Place | None) -> None:
    """Refuse a table whose first line holds answers, before any sentence lists what it takes for names."""
    if study.sources <= set(names):
        return
    said = {text for question in study.questions for text in question.cells.known_texts}
    if any(name in said or name.replace(".", "", 1).isdecimal() for name in names):
        raise UnreadableFile(
            "the first line holds what may be answers, and should name the columns",
            way_out="Write a line with the names above the answers: the id of each question.",
            place=place,
        )


def answer_columns(study: Study, names: Sequence[str], keep: Sequence[str], others: Sequence[str] = ()) -> list[str]:
    """Return which columns of a table are needed; refuses to keep what cannot be kept."""
    _check_kept(names, study, keep)
    return [*dict.fromkeys((*keep, *needed_columns(study.questions), *others))]


class PartDrawing:
    """Makes the reports of a part from chunks of answers; with `only`, of one question, at no cost for the others."""

    def __init__(self, plan: PartPlan, sink: PartSink, *, only: str | None = None) -> None:
        _check_first_time(plan)
        self.plan, self.only = plan, only
        ways = [way for way in plan.study.column_ways if only in {None, way.question.id}]
        self.drawers = {way: way.drawer(draw_of(plan, way, sink)) for way in ways}
        self.salts = Salts(plan.part, plan.source, plan.before)

    def read(self, table: Any, first: int, *, without: Collection[str] = ()) -> dict[str, AnswerCells]:
        """Return the answers of a chunk by question; a refusal counts rows after `first` others."""
        names = [(way, way.question.id) for way in self.drawers if way.question.id not in without]
        return {name: read_cells(self.plan.study, way, table, first) for way, name in names}

    def drawn(self, answers: Mapping[str, AnswerCells], numbers: Numbers) -> dict[str, Any]:
        """Make one report for each answer, as numbers; who gave none in public has none."""
        drawers = {way.question.id: drawer for way, drawer in self.drawers.items()}
        return {
            name: held.spread(drawers[name].draw(held.answers, numbers, held.drawn)) for name, held in answers.items()
        }

    def written(self, table: Any, numbers: Numbers, reports: Mapping[str, Any]) -> Any:
        """Return rows as they are published."""
        made = {ROW: number_column(numbers)}
        made |= {way.question.id: written_column(way, reports[way.question.id]) for way in self.drawers}
        return arrow_table(made | {name: plain_column(table.column(name), name) for name in self.plan.keep})

    def tree(self) -> ReportTree:
        """Return what the digests of its columns are found with."""
        return ReportTree([way.question.id for way in self.drawers], self.salts)

    def finished(self, tree: ReportTree, rows: int) -> tuple[ReportsNote, Keys]:
        """Return the note and the keys, once so many rows have all been drawn."""
        if not rows:
            raise UnreadableFile("the table has no rows", way_out="Give at least one respondent.")
        keys = {way.question.id: held for way, drawer in self.drawers.items() if (held := drawer.keys(rows))}
        return finished_part(self.plan, tree, self.salts, rows=rows, blocks=None, keys=keys)


def draw_part(
    plan: PartPlan,
    stream: RowStream,
    sink: PartSink,
    progress: Progress | None = None,
    people: PeopleNote | None = None,
) -> tuple[ReportsNote, Keys]:
    """Make one report for each row and question; the columns in `keep` are copied as they are, in public.

    Returns the note, and the keys, which know what they made; of fresh true draws what they hold is in the sink.
    """
    drawing = PartDrawing(replace(plan, answers=stream.kinds()), sink)
    whole = {
        way.question.id: _drawn_whole(plan.study, way, drawer, stream)
        for way, drawer in drawing.drawers.items()
        if not way.by_row
    }
    tree, done = drawing.tree(), 0
    for table in stream.chunks():
        numbers = np.arange(done, done + table.num_rows, dtype=np.int64)
        reports = drawing.drawn(drawing.read(table, done, without=whole), numbers)
        reports |= {name: drawn[done : done + table.num_rows] for name, drawn in whole.items()}
        if people is not None:
            people.add(words_of(table, people.column, first=done), numbers.tolist())
        tree.add(numbers, reports)
        sink.write(drawing.written(table, numbers, reports))
        done += table.num_rows
        if progress is not None:
            progress(table.num_rows, stream.rows)
    return drawing.finished(tree, done)


def finished_part(
    plan: PartPlan, tree: ReportTree, salt_of: SaltOf, *, rows: int, blocks: tuple[int, ...] | None, keys: Keys
) -> tuple[ReportsNote, Keys]:
    """Return the note of a part whose rows have all been drawn, and its keys, which now know what they made."""
    blank = PartNote(
        id=plan.part,
        rows=rows,
        roots={},
        salts=b"",
        blocks=blocks,
        series=plan.series,
        amends=plan.amends,
        turn=plan.turn,
    )
    part = rooted(blank, tree, salt_of)
    marked = {}
    for name, by_level in keys.items():
        for key in by_level.values():
            claim_drawing(key, part.roots[name])
        marked[name] = {level: key.having_produced(part.roots[name]) for level, key in by_level.items()}
    insecure = plan.source.guarantee is Guarantee.NONE
    note = ReportsNote(
        study=plan.study,
        epoch=plan.epoch,
        source=plan.source_words,
        insecure=insecure,
        columns=column_notes(plan.study.column_ways),
        parts=(part,),
        publication=plan.publication or plan.part,
    )
    if not insecure and any(key.guarantee is Guarantee.NONE for held in keys.values() for key in held.values()):
        note = replace(note, source=_INSECURE_KEYS, insecure=True)
    return note, marked


def is_simulation(study: Study, source: BitSource | None, keys: Keys | None) -> bool:
    """Whether everything is drawn from a seed that anyone can repeat: no release, whatever becomes of it.

    Keys know what they were drawn from; true keys make true reports, whatever the source of the rest is.
    """
    fresh = [way for way in study.column_ways if not (keys and keys.get(way.question.id))]
    held = [key for by_level in (keys or {}).values() for key in by_level.values()]
    seeded = source is not None and source.guarantee is Guarantee.NONE
    return (seeded or not fresh) and all(key.guarantee is Guarantee.NONE for key in held)


def binding_of(study: Study, question: str, epoch: int) -> Binding:
    """What the keys of a question are for."""
    return Binding(study=fingerprint(study), question=question, column=question, epoch=epoch)


def arrow_table(columns: Mapping[str, Any]) -> Any:
    """Return an Arrow table of Arrow columns."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    return pa.table(dict(columns))


def source_or_system(bits: BitSource | None) -> BitSource:
    """Return where draws come from."""
    return SystemBits() if bits is None else bits


def draw_of(plan: PartPlan, way: Way, sink: PartSink) -> Draw:
    """Return what the reports of a question are drawn with."""
    name = way.question.id
    return Draw(
        bits=plan.source if way.key_levels else plan.bulk,
        guarantee=plan.guarantee,
        binding=binding_of(plan.study, name, plan.epoch),
        part=plan.part,
        amends=plan.amends,
        keys=plan.keys.get(name) if plan.keys else None,
        store=sink.store(name),
        secret=None if plan.secret is None else question_secret(plan.secret, plan.part, name),
        rounds=plan.rounds.get(name),
        answers=plan.answer_type(way),
    )


def _drawn_whole(study: Study, way: Way, drawer: Any, stream: RowStream) -> Any:
    """Draw a question that is asked of all rows together; its answers are held in memory."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    names = needed_columns([way.question])
    column = pa.concat_tables([table.select(names) for table in stream.chunks()], promote_options="permissive")
    if not column.num_rows:
        return np.empty(0, dtype=np.uint32)
    cells = read_cells(study, way, column.unify_dictionaries(), 0)
    return cells.spread(drawer.draw(cells.answers, np.arange(column.num_rows, dtype=np.int64), cells.drawn))


def _check_first_time(plan: PartPlan) -> None:
    """Keys make the same reports again, but a question without keys would be answered afresh."""
    used = any(key.produced is not None for by_level in (plan.keys or {}).values() for key in by_level.values())
    fresh = [way.question.id for way in plan.study.ways if not way.key_levels]
    if used and fresh:
        raise KeyReused(
            f"these keys have made reports, and question {fresh[0]!r} has none that could repeat its own: it would be "
            f"answered afresh, and two reports about one person tell more than one",
            way_out="Use the reports that were made; if none were given out, choose another folder for new keys.",
        )


def _check_kept(names: Sequence[str], study: Study, keep: Sequence[str]) -> None:
    for name in keep:
        if name not in names:
            raise InvalidParameter(
                "names a column that the table does not have",
                parameter="keep",
                value=name,
                way_out="Name one that it has, or leave it out.",
            )
        if name in {*study.sources, *(way.question.id for way in study.column_ways)}:
            raise InvalidParameter(
                "is a question: its answers are not made public", parameter="keep", value=name, way_out="Leave it out."
            )
        if name in {ROW, PART}:
            raise InvalidParameter(
                "is what the numbers of rows and parts are called in a file of reports",
                parameter="keep",
                value=name,
                way_out="Rename the column.",
            )
    check_rules_kept(study, keep)
