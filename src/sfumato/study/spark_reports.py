"""Reports whose rows lie in Spark: read, opened, recovered, counted there. Digests, counts and files come back.

Reports that are whole are checked block by block against their note, as on one machine; rows that somebody selected
cannot be, and say so. Amendments are few, and are read on this machine.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from sfumato.bits import SystemBits
from sfumato.engines.spark import NUMBER, BlockSizes, NumberedFrame, RowPlaces, gather_batches, map_rows, run_blocks
from sfumato.errors import InvalidParameter, KeyRefused
from sfumato.refine import Key
from sfumato.refine.key_documents import seal_key
from sfumato.refine.key_protection import Unprotected
from sfumato.refine.keys import Seed
from sfumato.refine.report_trees import ReportTree
from sfumato.study.counting import Found, add_counts, check_group, check_groups, check_together, in_order
from sfumato.study.key_rings import KeyRing, check_record
from sfumato.study.notes import ReportsNote
from sfumato.study.opening import OpenedRows, opening_ring, recovering
from sfumato.study.part_notes import PartNote, Salts, not_as_noted
from sfumato.study.read_tasks import ReadBlocks, ReadTask, RowReader, counted_batches, opened_batches
from sfumato.study.report_files import rooted
from sfumato.study.report_rows import PART, ROW
from sfumato.study.reports import Progress, Reports
from sfumato.study.task_files import WrittenFile, add_digests


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
        """Whether every part has as many rows as its note says; others were selected by somebody."""
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
            way = self.public.way(name)
            if self.is_recovered:
                kinds |= reader.answer_kinds(name)
                continue
            is_text = way.report_labels is not None and way.report_numbers is None
            kinds[name] = "string" if is_text else "long"
        rows = self._rows(part)
        return map_rows(rows, partial(opened_batches, reader), kinds, keep=self.kept)

    # What comes back.

    def tallies(self, question: str, group: str | None = None) -> Iterator[tuple[str | None, Any]]:
        """Count the reports of a question: over everybody first, then by the groups of a kept column."""
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
