"""Reading, opening and counting reports in Spark tasks.

Complete reports are checked block by block against their note, as on one machine. A selection of rows cannot be
checked, and the result says so. Amendments are few, and are read on this machine.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from sfumato import __version__
from sfumato.engines.spark import (
    NUMBER,
    BlockSizes,
    Engine,
    NumberedFrame,
    RowPlaces,
    files_of_frame,
    frame_of_files,
    gather_batches,
    map_rows,
    run_blocks,
    session_of,
    spark_kind,
)
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.files.disk import flush_folder
from sfumato.files.formats import check_places
from sfumato.files.public_tables import write_beside_table
from sfumato.files.staging import discard, flush_staged, put_in_place, staged_afresh, staging_beside
from sfumato.files.tables import codebook_path, note_path, number_column, numbers_of, words_of
from sfumato.keys.digests import Numbers, ReportTree
from sfumato.keys.key_documents import open_key, seal_key
from sfumato.keys.protection import Unprotected
from sfumato.ladders.keys import Key, Seed
from sfumato.publications.coded_reports import codebook, written_column
from sfumato.publications.counting import (
    Found,
    add_counts,
    check_group,
    check_groups,
    check_together,
    count_rows,
    in_order,
)
from sfumato.publications.note import PartNote, ReportsNote, Salts, not_as_noted
from sfumato.publications.opening import (
    Amended,
    KeyRing,
    OpenedRows,
    Values,
    check_record,
    opened_cells,
    opening_ring,
    put_amended,
    recovering,
)
from sfumato.publications.part import TaskFiles, WrittenFile, add_digests, arrow_table, digests_of, take_file
from sfumato.publications.reports import (
    PART,
    ROW,
    Chunk,
    Paths,
    Progress,
    Reports,
    check_known,
    read_report_files,
    rooted,
    with_part,
)
from sfumato.sampling.sources import SystemBits
from sfumato.study.file import write_beside

# --- Tasks that read a part
# They check the digests of their blocks, and open, count or write rows. A task is sent the note, the one key that it
# needs, and the amended cells. Only seeds are sent as keys, because they give the draws of every row by its number.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RowReader:
    """What a task needs to read rows of a part. It holds seeds, and is never shown.

    `note` is of the reports as they will be seen, with this part alone; `amended` has cells that were amended, by
    question, and `superseded` the rows whose report another part replaces. `answers` are types that answers come in.
    """

    note: ReportsNote
    keys: Mapping[str, bytes] = field(default_factory=dict)
    amended: Mapping[str, Amended] = field(default_factory=dict)
    superseded: Mapping[str, Numbers] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    recovers: bool = False
    several: bool = False
    answers: Mapping[str, str] = field(default_factory=dict)

    @property
    def part(self) -> PartNote:
        """The part."""
        return self.note.parts[0]

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that are read: all, or those that answers are recovered of."""
        return tuple(self.keys) if self.recovers else tuple(self.note.columns)

    @cached_property
    def _opened_keys(self) -> dict[str, Key]:
        return {name: open_key(data, Unprotected()) for name, data in self.keys.items()}

    def answer_kinds(self, name: str) -> dict[str, str]:
        """Return what Spark calls the types of the columns that answers come back in."""
        nothing = np.empty(0, dtype=np.int64)
        found = self.note.handler(name).answer_columns(nothing, kind=self.answers.get(name, ""))
        return {column: spark_kind(str(_plain(held).type)) for column, held in found.items()}

    def chunk(self, numbers: Numbers, table: Any) -> Chunk:
        """Return rows as a chunk of the part."""
        return Chunk(part=self.part, numbers=numbers, table=table, first=int(numbers[0]) if numbers.size else 0)

    def public(self, chunk: Chunk) -> dict[str, Values]:
        """Return the reports as they were published."""
        return {name: chunk.reports(self.note.handler(name)) for name in self.questions}

    def seen(self, chunk: Chunk, public: Mapping[str, Values]) -> dict[str, Values]:
        """Return the reports as the keys show them, amended cells in their places; rows come with rising numbers."""
        found = {}
        for name, cells in public.items():
            key, numbers, amended = self._opened_keys.get(name), chunk.numbers, self.amended.get(name)
            values = cells if key is None else opened_cells(self.note.handler(name), cells, key, numbers, numbers)
            if amended is not None:
                values = values.copy()
                put_amended(values, numbers, amended)
            found[name] = values
        return found

    def written(self, chunk: Chunk, seen: Mapping[str, Values]) -> Any:
        """Return rows as they stand in a file."""
        columns: dict[str, Any] = {ROW: number_column(chunk.numbers)}
        for name, values in seen.items():
            handler = self.note.handler(name)
            if self.recovers:
                columns |= handler.answer_columns(values, kind=self.answers.get(name, ""))
            else:
                columns[name] = written_column(handler, values)
        table = arrow_table(columns | {name: chunk.table.column(name) for name in self.kept})
        return with_part(Chunk(part=self.part, numbers=chunk.numbers, table=table, first=0), several=self.several)

    def count(self, found: dict[str, Found], chunk: Chunk, seen: Mapping[str, Values], group: str | None) -> None:
        """Count reports, by the groups of a kept column if one is named."""
        words = None if group is None else words_of(chunk.table, group, first=chunk.first)
        for name, values in seen.items():
            if name not in self.note.questions:
                continue  # a sealed column says nothing
            gone = self.superseded.get(name)
            kept = None if gone is None else np.isin(chunk.numbers, gone, invert=True)
            handler, level = self.note.handler(name), self.note.column(name).level
            mine = found.setdefault(name, {})
            count_rows(mine, handler, level, values, chunk.part, chunk.numbers, kept, words)
            check_groups(mine, group)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReadTask:
    """Reads whole blocks. They are checked against the note, and counted if `counts`, or written into a `folder`."""

    reader: RowReader
    public: PartNote
    counts: bool = False
    group: str | None = None
    folder: str | None = None
    salts: Salts | None = None
    version: str = __version__

    def begin(self) -> ReadWork:
        """Begin one task."""
        return ReadWork(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReadBlocks:
    """What a task found: digests of its blocks, counts, files."""

    blocks: tuple[int, ...]
    digests: Mapping[str, tuple[bytes, ...]]
    counts: dict[str, Found]
    files: list[WrittenFile]


class ReadWork:
    """One task."""

    def __init__(self, task: ReadTask) -> None:
        self._task, self._reader = task, task.reader
        self._digests: dict[str, dict[int, bytes]] = {}
        self._counts: dict[str, Found] = {}
        self._files = None if task.folder is None else TaskFiles(task.folder, self._new_tree, private=True)

    def _new_tree(self) -> ReportTree | None:
        salts = self._task.salts
        return None if salts is None else ReportTree(self._reader.questions, salts)

    def take(self, numbers: Numbers, table: Any) -> None:
        """Read whole blocks."""
        chunk = self._reader.chunk(numbers, table)
        public = self._reader.public(chunk)
        tree = ReportTree(public, self._task.public.salt_of)
        tree.add(numbers, public)
        tree.finish()
        for name, digests in tree.digests.items():
            self._digests.setdefault(name, {}).update(digests)
        if not self._task.counts and self._files is None:
            return
        seen = self._reader.seen(chunk, public)
        if self._task.counts:
            self._reader.count(self._counts, chunk, seen, self._task.group)
        if self._files is not None:
            self._files.add(numbers, self._reader.written(chunk, seen), seen)

    def finish(self) -> bytes:
        """Return what was found."""
        tree = ReportTree(self._digests, self._task.public.salt_of)
        tree.digests = self._digests
        blocks, digests = digests_of(tree)
        files = [] if self._files is None else self._files.finish()
        return pickle.dumps(ReadBlocks(blocks=blocks, digests=digests, counts=self._counts, files=files))

    def close(self) -> None:
        """Remove a file that was not finished."""
        if self._files is not None:
            self._files.close()


def opened_batches(reader: RowReader, batches: Iterator[Any]) -> Iterator[Any]:
    """Open rows in whatever order and company they come; kept columns stand first."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    for batch in batches:
        chunk = _sorted_chunk(reader, batch)
        table = reader.written(chunk, reader.seen(chunk, reader.public(chunk)))
        others = [name for name in table.column_names if name not in reader.kept]
        columns = {name: table.column(name) for name in reader.kept}
        columns |= {name: _plain(table.column(name)) for name in others}
        yield from pa.table(columns).combine_chunks().to_batches()


def counted_batches(reader: RowReader, group: str | None, batches: Iterator[Any]) -> dict[str, Found]:
    """Count a selection of rows in any order; it cannot be checked."""
    found: dict[str, Found] = {}
    for batch in batches:
        chunk = _sorted_chunk(reader, batch)
        if chunk.numbers.size:
            check_known(chunk.numbers, reader.part)
            reader.count(found, chunk, reader.seen(chunk, reader.public(chunk)), group)
    return found


def _sorted_chunk(reader: RowReader, batch: Any) -> Chunk:
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    table = pa.Table.from_batches([batch])
    numbers = numbers_of(table, NUMBER)
    if np.any(numbers[1:] < numbers[:-1]):
        order = np.argsort(numbers, kind="stable")
        numbers, table = numbers[order], table.take(order)
    return reader.chunk(numbers, table)


def _plain(column: Any) -> Any:
    """Return a column without dictionaries, which Spark does not take, and of its widest numbers."""
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    kind = column.type
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type)
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    return column.cast(pa.int64()) if pa.types.is_integer(kind) else column


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SparkReports:
    """A table of Spark for each part, with the note of all of them; `ring` has the keys that they are seen with.

    `public` is the note of the reports as they were published, `note` that of what is seen here.
    """

    frames: Mapping[str, Any]
    public: ReportsNote
    amendments: Reports | None = None
    remarks: tuple[str, ...] = ()
    ring: KeyRing | None = None
    is_recovered: bool = False

    @property
    def session(self) -> Any:
        """The session of Spark that the rows lie in."""
        return next(iter(self.frames.values())).sparkSession

    @cached_property
    def note(self) -> ReportsNote:
        """What is seen: amendments have taken their places where keys open them."""
        if self.ring is None:
            return self.public
        levels = {name: replace(self.public.column(name), level=self.ring.level(name)) for name in self.ring.questions}
        parts = tuple(_unrooted(part) for part in self.public.parts if part.amends is None)
        return replace(self.public, columns={**self.public.columns, **levels}, parts=parts)

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The columns that were kept as they are, in public."""
        names = next(iter(self.frames.values())).columns
        return tuple(name for name in names if name not in {*self.public.columns, ROW, PART})

    @cached_property
    def is_whole(self) -> bool:
        """Whether every part has as many rows as its note says; otherwise they are a selection."""
        parts = [part for part in self.public.parts if part.amends is None]
        found = {part.id: self.frames[part.id].count() for part in parts}
        if any(found[part.id] > part.present for part in parts):
            raise not_as_noted(ROW)
        return all(found[part.id] == part.present for part in parts)

    def __len__(self) -> int:
        return self.note.rows if self.is_whole else sum(frame.count() for frame in self.frames.values())

    def __repr__(self) -> str:
        return f"<SparkReports on {self.note.study.name!r}: {', '.join(self.note.columns)}>"

    # Keys.

    def opened(self, keys: Iterable[Key]) -> SparkReports:
        """Return the reports as the keys show them."""
        return self._under(opening_ring(self._unopened(), keys), is_recovered=False)

    def recovered(
        self, keys: Iterable[Key], *, rounded: bool = False, wanted: Sequence[str] | None = None
    ) -> SparkReports:
        """Return the answers to the questions that a registrar's key was given for."""
        recovery = recovering(self._unopened(), keys, rounded=rounded, wanted=wanted)
        return self._under(recovery.ring, is_recovered=True)

    def _unopened(self) -> ReportsNote:
        if self.ring is not None:
            raise InvalidParameter("were opened already", parameter="reports", way_out="Use the public reports.")
        return self.public

    def _under(self, ring: KeyRing, *, is_recovered: bool) -> SparkReports:
        for (part, question), key in ring.keys.items():
            noted = self.public.part(part)
            if noted.amends is None and not isinstance(key.material, Seed):
                raise KeyRefused(
                    f"the key to {question!r} holds true draws, or opens some of the rows; executors are sent seeds of "
                    f"whole parts alone",
                    way_out="Open these reports on one machine, without the engine.",
                )
        return replace(self, ring=ring, is_recovered=is_recovered)

    # Rows.

    def _reader(self, part: PartNote) -> RowReader:
        ring, changed = self.ring, self.amendments
        keys = {}
        amended, superseded = {}, {}
        if ring is not None:
            for name in ring.questions:
                key = ring.get(part, name)
                if key is not None:
                    keys[name] = seal_key(replace(key, produced=None), Unprotected())
        if changed is not None and ring is not None:
            local = replace(changed, note=self.public)
            asked = [name for name in self.public.columns if not self.is_recovered or name in keys]
            amended = OpenedRows(reports=local, ring=ring).amended_cells(part.id, asked)
        elif changed is not None:
            gone = replace(changed, note=self.public).superseded
            superseded = {name: gone[part.id, name] for name in self.public.columns if (part.id, name) in gone}
        return RowReader(
            note=replace(self.note, parts=(part,)),
            keys=keys,
            amended=amended,
            superseded=superseded,
            kept=self.kept,
            recovers=self.is_recovered,
            several=len(self._parts) > 1,
            answers={} if ring is None else {name: ring.answers(name) for name in ring.questions},
        )

    @property
    def _parts(self) -> list[PartNote]:
        return [part for part in self.public.parts if part.amends is None]

    def _rows(self, part: PartNote) -> Any:
        """Return the columns that are read, the number of a row under a name of its own."""
        from pyspark.sql import functions as f  # noqa: PLC0415  an extra

        names = (*self.public.columns, *self.kept)
        columns = [f.col("`" + name.replace("`", "``") + "`") for name in names]
        return self.frames[part.id].select(f.col(ROW).cast("bigint").alias(NUMBER), *columns)

    @property
    def frame(self) -> Any:
        """One table of Spark with all rows as they are seen; each is opened when it is asked for.

        Whole reports are checked first, which takes a pass over them.
        """
        self._check()
        found = None
        for part in self._parts:
            reader = self._reader(part)
            made = self._opened_frame(part, reader)
            found = made if found is None else found.unionByName(made)
        return found

    def _opened_frame(self, part: PartNote, reader: RowReader) -> Any:
        kinds = {PART: "string"} if reader.several else {}
        kinds[ROW] = "long"
        for name in reader.questions:
            handler = self.public.handler(name)
            if self.is_recovered:
                kinds |= reader.answer_kinds(name)
                continue
            is_text = handler.report_labels is not None and handler.report_numbers is None
            kinds[name] = "string" if is_text else "long"
        rows = self._rows(part)
        return map_rows(rows, partial(opened_batches, reader), kinds, keep=self.kept)

    # What comes back.

    def tallies(self, question: str, group: str | None = None) -> Iterator[tuple[str | None, Any]]:
        """Count the reports of a question: over all people first, then by the groups of a kept column."""
        self.note.column(question)
        if group is not None:
            check_group(self.note, group, question)
            if group not in self.kept:
                raise InvalidParameter(
                    "is no kept column of these reports", parameter="group", value=group, way_out="Name one that is."
                )
        check_together(self.note, question, is_whole=self.is_whole)
        yield from in_order(self._counted(group).get(question, {}), question)

    def _counted(self, group: str | None) -> dict[str, Found]:
        """Count all questions in one job a part; what was counted once is remembered."""
        held: dict[str | None, dict[str, Found]] = self.__dict__.setdefault("_held_counts", {})
        if group not in held:
            held[group] = self._count(group)
        return held[group]

    def _count(self, group: str | None) -> dict[str, Found]:
        found: dict[str, Found] = {}
        for part in self._parts:
            reader = self._reader(part)
            if self.is_whole:
                counts = [one.counts for one in self._read(part, reader, counts=True, group=group)]
            else:
                counts = gather_batches(self._rows(part), partial(counted_batches, reader, group))
            for one in counts:
                for name, tallies in one.items():
                    add_counts(found.setdefault(name, {}), tallies)
                    check_groups(found[name], group)
        if self.amendments is not None and self.ring is None:
            local = replace(self.amendments, note=self.public)
            changed = {name for part in self.public.parts if part.amends is not None for name in part.roots}
            for name, tallies in found.items():
                if name in changed:
                    add_counts(tallies, local.counts(name, group))
        return found

    def _check(self) -> None:
        if self.is_whole:
            for part in self._parts:
                self._read(part, self._reader(part))

    def _read(
        self, part: PartNote, reader: RowReader, *, progress: Progress | None = None, **asked: Any
    ) -> list[ReadBlocks]:
        """Read the whole blocks of a part, and check them against its note and the record of its keys."""
        sizes = BlockSizes(start=part.start, rows=part.rows, missing=part.erased, refusal=not_as_noted(ROW))
        numbered = NumberedFrame(frame=self._rows(part), rows=part.present, places=RowPlaces(), is_in_order=True)
        task = ReadTask(reader=reader, public=part, **asked)
        results = run_blocks(numbered, sizes, task, progress=progress)
        made: list[ReadBlocks] = [pickle.loads(one) for one in results]  # noqa: S301  of our own tasks
        tree = ReportTree([name for name in reader.questions if name in part.roots], part.salt_of)
        add_digests(tree, made)
        part.check(tree)
        for name in tree.digests if self.ring is not None else ():
            key = self.ring.get(part, name) if self.ring is not None else None
            if key is not None:
                check_record(key, part, name, tree)
        return made

    def write_into(
        self, folder: str, *, progress: Progress | None = None
    ) -> tuple[ReportsNote, list[list[WrittenFile]]]:
        """Let executors write what is seen into a folder; return the note of it, and the files of each part."""
        if not self.is_whole:
            raise InvalidParameter(
                "are some of the rows, which somebody selected",
                parameter="reports",
                way_out="Open the whole, and select from that; or write `frame`, a table of Spark.",
            )
        parts, files = [], []
        for part in self._parts:
            reader, salts = self._reader(part), Salts(part.id, SystemBits())
            made = self._read(
                part, reader, folder=folder, salts=None if self.is_recovered else salts, progress=progress
            )
            written = [file for one in made for file in one.files]
            files.append(written)
            if not self.is_recovered:
                tree = ReportTree(self.note.columns, salts)
                add_digests(tree, written)
                parts.append(rooted(_unrooted(part), tree, salts))
        return replace(self.note, parts=tuple(parts) or self.note.parts), files


def _unrooted(part: PartNote) -> PartNote:
    """Return the note of a part as it is seen; its roots are found when it is written."""
    return replace(part, roots={}, salts=b"", rewritten={})


# --- Reports in Spark, found by a table or by their files, and written as a folder of files


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
        # Files that are still being written there belong to abandoned runs.
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
