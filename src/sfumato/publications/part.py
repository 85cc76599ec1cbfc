"""Making a part: from a table of answers to reports and keys, chunk by chunk.

Rows are written as they are drawn; memory does not grow with their number. A part's note and keys hold column roots.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, KeyReused, Place, UnreadableFile
from sfumato.files.columns import CHUNK_ROWS, Words
from sfumato.files.public_tables import TableWriter, plain_column, plain_rows
from sfumato.files.row_streams import RowStream, open_rows, row_source
from sfumato.files.tables import TableLike, number_column, words_of
from sfumato.keys.digests import Numbers, ReportTree, SaltOf
from sfumato.ladders.drawing import question_secret
from sfumato.ladders.keys import Binding, Draws, Key, claim_drawing
from sfumato.ledger.releases import Published
from sfumato.publications.coded_reports import described_columns, written_column
from sfumato.publications.note import PartNote, ReportsNote, Salts, column_notes
from sfumato.publications.reports import PART, ROW, Progress, Reports, rooted
from sfumato.sampling.sources import BitSource, BulkBits, Guarantee, KeyedBits, SystemBits
from sfumato.study.answers import AnswerCells, check_rules_kept, in_words_of, needed_columns, read_cells
from sfumato.study.file import fingerprint
from sfumato.study.handler import Draw, Handler, KeyStore
from sfumato.study.study import Study

# --- Where drawn rows go: into files or into memory


Keys = Mapping[str, Mapping[int, Key]]
"""Keys by question and level."""


class PartSink(Protocol):
    """Where a part goes as it is drawn: rows, and the true draws of each question."""

    def write(self, table: Any) -> None:
        """Take rows."""
        ...

    def store(self, question: str) -> KeyStore:
        """Return where true draws of a question go."""
        ...


class MemorySink:
    """A part that stays in memory."""

    def __init__(self) -> None:
        self.tables: list[Any] = []
        self.stores: dict[str, MemoryStore] = {}

    def write(self, table: Any) -> None:
        """Keep rows."""
        self.tables.append(table)

    def store(self, question: str) -> MemoryStore:
        """Keep draws."""
        return self.stores.setdefault(question, MemoryStore())

    def reports(self, note: ReportsNote) -> Reports:
        """Return the rows as reports."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        return Reports.of(described_columns(pa.concat_tables(self.tables), note), note)

    def keys(self, keys: Keys) -> Keys:
        """Return keys with what they hold."""
        return {name: self._filled(name, held) for name, held in keys.items()}

    def _filled(self, name: str, held: Mapping[int, Key]) -> Mapping[int, Key]:
        store = self.stores.get(name)
        if store is None or not store.levels:
            return held
        return {level: replace(key, material=store.draws(level)) for level, key in held.items()}


class MemoryStore:
    """True draws that stay in memory, by level."""

    def __init__(self) -> None:
        self.levels: dict[int, list[Any]] = {}

    def begin(self, blanks: Mapping[int, Key]) -> None:
        """Nothing has to be got ready."""

    def append(self, level: int, shifts: Any) -> None:
        """Keep them."""
        self.levels.setdefault(level, []).append(shifts)

    def draws(self, level: int) -> Any:
        """Return all of a level."""
        return Draws(np.concatenate(self.levels[level]))


# --- What a part is made of, before anything is drawn


@dataclass(frozen=True, kw_only=True)
class PartPlan:
    """What a part is made of: the study, its id, where its draws come from, and what it is in its publication.

    With `keys`, by question and with level 0 among them, reports are made under keys that were drawn before. `before`
    is the note of the part as it was made before, if it was. With a `secret`, draws that are not kept are made from it
    by the names of the rows, so repeated draws are the same. `rounds` are those of questions that are asked in rounds,
    `answers` the types that columns of the table have.
    """

    study: Study
    part: str
    source: BitSource
    guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC
    epoch: int = 0
    keep: tuple[str, ...] = ()
    keys: Keys | None = None
    series: str | None = None
    amends: str | None = None
    turn: int = 0
    publication: str | None = None
    before: PartNote | None = None
    secret: bytes | None = field(default=None, repr=False)
    rounds: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def bulk(self) -> BitSource:
        """The source of draws that are not kept: the same, or a cipher's stream where that guarantee suffices."""
        if self.guarantee is Guarantee.INFORMATION_THEORETIC or not isinstance(self.source, SystemBits):
            return self.source
        return BulkBits() if self.secret is None else KeyedBits(self.secret)

    def answer_type(self, handler: Handler) -> str:
        """Return the type that the answers to a question have in the table, where all its columns have one."""
        found = {self.answers.get(name, "") for name in handler.question.sources}
        return found.pop() if len(found) == 1 else ""

    @property
    def source_words(self) -> str:
        """Say where draws come from."""
        used = [self.source if handler.key_levels else self.bulk for handler in self.study.column_ways]
        return "; ".join(dict.fromkeys(source.label for source in used))


_INSECURE_KEYS = "INSECURE keys, drawn from a seed: a simulation, not a release"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StudyPublication:
    """Public reports, and for each question the keys by level where they were not written to files.

    `simulated` reports were drawn from a seed throughout, and are no release. `published` is what a registry or a
    ledger remembers, `registry` the file that does. `resumed` ones were drawn by an earlier run, which was interrupted.
    """

    reports: Reports
    keys: Keys
    simulated: bool = False
    resumed: bool = False
    published: Published | None = None
    registry: Path | None = None

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
        handlers = [handler for handler in plan.study.column_ways if only in {None, handler.question.id}]
        self.drawers = {handler: handler.drawer(draw_of(plan, handler, sink)) for handler in handlers}
        self.salts = Salts(plan.part, plan.source, plan.before)

    def read(self, table: Any, first: int, *, without: Collection[str] = ()) -> dict[str, AnswerCells]:
        """Return the answers of a chunk by question; a refusal counts rows after `first` others."""
        names = [(handler, handler.question.id) for handler in self.drawers if handler.question.id not in without]
        return {name: read_cells(self.plan.study, handler, table, first) for handler, name in names}

    def drawn(self, answers: Mapping[str, AnswerCells], numbers: Numbers) -> dict[str, Any]:
        """Make one report for each answer, as numbers; who gave none in public has none."""
        drawers = {handler.question.id: drawer for handler, drawer in self.drawers.items()}
        return {
            name: held.spread(drawers[name].draw(held.answers, numbers, held.drawn)) for name, held in answers.items()
        }

    def written(self, table: Any, numbers: Numbers, reports: Mapping[str, Any]) -> Any:
        """Return rows as they are published."""
        made = {ROW: number_column(numbers)}
        made |= {handler.question.id: written_column(handler, reports[handler.question.id]) for handler in self.drawers}
        return arrow_table(made | {name: plain_column(table.column(name), name) for name in self.plan.keep})

    def tree(self) -> ReportTree:
        """Return what the digests of its columns are found with."""
        return ReportTree([handler.question.id for handler in self.drawers], self.salts)

    def finished(self, tree: ReportTree, rows: int) -> tuple[ReportsNote, Keys]:
        """Return the note and the keys, once so many rows have all been drawn."""
        if not rows:
            raise UnreadableFile("the table has no rows", way_out="Give at least one respondent.")
        keys = {handler.question.id: held for handler, drawer in self.drawers.items() if (held := drawer.keys(rows))}
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
        handler.question.id: _drawn_whole(plan.study, handler, drawer, stream)
        for handler, drawer in drawing.drawers.items()
        if not handler.by_row
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
    fresh = [handler for handler in study.column_ways if not (keys and keys.get(handler.question.id))]
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


def draw_of(plan: PartPlan, handler: Handler, sink: PartSink) -> Draw:
    """Return what the reports of a question are drawn with."""
    name = handler.question.id
    return Draw(
        bits=plan.source if handler.key_levels else plan.bulk,
        guarantee=plan.guarantee,
        binding=binding_of(plan.study, name, plan.epoch),
        part=plan.part,
        amends=plan.amends,
        keys=plan.keys.get(name) if plan.keys else None,
        store=sink.store(name),
        secret=None if plan.secret is None else question_secret(plan.secret, plan.part, name),
        rounds=plan.rounds.get(name),
        answers=plan.answer_type(handler),
    )


def _drawn_whole(study: Study, handler: Handler, drawer: Any, stream: RowStream) -> Any:
    """Draw a question that is asked of all rows together; its answers are held in memory."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    names = needed_columns([handler.question])
    column = pa.concat_tables([table.select(names) for table in stream.chunks()], promote_options="permissive")
    if not column.num_rows:
        return np.empty(0, dtype=np.uint32)
    cells = read_cells(study, handler, column.unify_dictionaries(), 0)
    return cells.spread(drawer.draw(cells.answers, np.arange(column.num_rows, dtype=np.int64), cells.drawn))


def _check_first_time(plan: PartPlan) -> None:
    """Keys make the same reports again, but a question without keys would be answered afresh."""
    used = any(key.produced is not None for by_level in (plan.keys or {}).values() for key in by_level.values())
    fresh = [handler.question.id for handler in plan.study.handlers if not handler.key_levels]
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
        if name in {*study.sources, *(handler.question.id for handler in study.column_ways)}:
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


# --- The files that a task of an engine writes
# Consecutive rows go into one file, with the digests of their blocks. A task may run several times on several machines.
# Each run writes under names of its own, and only the files that the task returned are used.


# A task of many rows writes several files of about this many rows.
_FILE_ROWS = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenFile:
    """A file of rows from the number `first` on, and the digests of its blocks by question."""

    name: str
    first: int
    blocks: tuple[int, ...]
    digests: Mapping[str, tuple[bytes, ...]]


class TaskFiles:
    """Writes the files of one task into a folder that all machines see."""

    def __init__(self, folder: str, tree: Callable[[], ReportTree | None], *, private: bool = False) -> None:
        self._folder, self._new_tree, self._private = Path(folder), tree, private
        self._written: list[WrittenFile] = []
        self._writer: TableWriter | None = None
        self._tree: ReportTree | None = None
        self._first = self._next = -1

    def add(self, numbers: Numbers, table: Any, cells: Mapping[str, Any]) -> None:
        """Write rows; `cells` are the reports that digests are made of."""
        first = int(numbers[0])
        if self._writer is not None and (first != self._next or self._writer.rows >= _FILE_ROWS):
            self._end()
        if self._writer is None:
            self._first = first
            # The name does not distinguish a file of an older run from this one.
            self._name = f"{first:013d}-{os.urandom(8).hex()}.parquet"
            self._writer = TableWriter(self._folder / self._name, private=self._private)
            self._tree = self._new_tree()
        if self._tree is not None:
            self._tree.add(numbers, cells)
        self._writer.write(table)
        self._next = int(numbers[-1]) + 1

    def finish(self) -> list[WrittenFile]:
        """Return the files, which are all on disk."""
        self._end()
        return self._written

    def close(self) -> None:
        """Remove a file that was not finished."""
        if self._writer is not None:
            self._writer.discard()

    def _end(self) -> None:
        if self._writer is None:
            return
        self._writer.finish()
        blocks, digests = ((), {}) if self._tree is None else digests_of(self._tree)
        self._written.append(WrittenFile(name=self._name, first=self._first, blocks=blocks, digests=digests))
        self._writer = self._tree = None


def digests_of(tree: ReportTree) -> tuple[tuple[int, ...], dict[str, tuple[bytes, ...]]]:
    """Return the blocks of a tree whose rows have all been met, and their digests by question."""
    tree.finish()
    blocks = tuple(sorted(next(iter(tree.digests.values()), {})))
    return blocks, {name: tuple(held[block] for block in blocks) for name, held in tree.digests.items()}


def take_file(folder: Path, file: WrittenFile, target: Path) -> None:
    """Put a file that a task wrote where it belongs."""
    try:
        (folder / file.name).replace(target)
    except FileNotFoundError:
        raise InvalidParameter(
            "lies on this machine alone: executors wrote files that are not to be seen here",
            parameter="out",
            way_out="Choose a folder that all machines of the cluster see under the same name.",
        ) from None


class Digested(Protocol):
    """Blocks with their digests by question."""

    @property
    def blocks(self) -> tuple[int, ...]:
        """The blocks."""

    @property
    def digests(self) -> Mapping[str, tuple[bytes, ...]]:
        """Their digests, in the same order."""


def add_digests(tree: ReportTree, several: Iterable[Digested]) -> None:
    """Put the digests of blocks from several tasks together."""
    for one in several:
        for name, digests in one.digests.items():
            tree.digests[name].update(zip(one.blocks, digests, strict=True))


# --- Rows in random order
# The order of a table then does not show whose report is whose.


def shuffled(stream: RowStream, source: BitSource) -> RowStream:
    """Return the same rows in another order, each order as probable as any other; they are held in memory."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    # Decoded first: a dictionary would keep the order in which its values came.
    table = pa.concat_tables([plain_rows(table) for table in stream.chunks()], promote_options="permissive")
    wide = pa.schema(
        [(one.name, pa.large_string() if pa.types.is_string(one.type) else one.type) for one in table.schema]
    )
    whole = table.cast(wide).combine_chunks()
    order = permutation(whole.num_rows, source)
    starts = range(0, order.size, CHUNK_ROWS)
    held: Any = pa.concat_tables([plain_rows(whole.take(pa.array(order[at : at + CHUNK_ROWS]))) for at in starts])
    return open_rows(held, columns=list(stream.columns))


def permutation(count: int, source: BitSource) -> npt.NDArray[np.int64]:
    """Return an order of 0..count-1, all equally probable: by independent words, drawn anew where two are equal.

    Words that are all different are in each order with the same probability, since they are exchangeable.
    """
    while True:
        words = source.words(count)
        order = np.argsort(words, kind="stable")
        ranked = words[order]
        if not np.any(ranked[1:] == ranked[:-1]):
            return order
