"""Reports with the note that tells what they are: the thing that is published, opened and estimated from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.files.tables import labelled_column, with_gaps, words_of
from sfumato.prob import AnyChannel
from sfumato.refine.report_trees import NOTHING, Numbers, ReportTree
from sfumato.study.codebooks import described_columns
from sfumato.study.counting import Found, check_group, check_groups, check_together, count_rows, in_order
from sfumato.study.notes import ReportsNote
from sfumato.study.part_notes import PartNote
from sfumato.study.report_rows import PART, ROW, Chunk, Source, chunks_of, names_of
from sfumato.values.shown import Shown

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Progress = Callable[[int, int | None], None]
"""Told how many rows were done since it was last told, and how many there are in all where that is known."""
Vouch = Callable[[PartNote, ReportTree], None]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Reports(Shown):
    """Rows of reports with a column for each question, in one part or several, and their note.

    Rows stay where they lie, in files or in memory, and are read when they are asked for. `remarks` say what a reader
    should know of them: that they could not be checked, or that rows were erased.

    >>> from fractions import Fraction
    >>> import sfumato as sf
    >>> study = sf.Study(name="Rest", questions=(sf.YesNo(id="tired", text="Tired?", epsilon=Fraction(1)),))
    >>> reports = sf.publish(study, {"tired": ["no", "yes"] * 50}, insecure_seed=7).reports
    >>> len(reports), reports.channel("tired").shape
    (100, (2, 2))
    """

    sources: tuple[Source, ...]
    note: ReportsNote
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: Any, note: ReportsNote) -> Reports:
        """Return the reports of one file, or of a table in memory."""
        return cls(sources=(Source(rows=rows, parts=note.parts),), note=note)

    @classmethod
    def read(cls, path: Any, *, note: str | Path | None = None) -> Reports:
        """Read reports that `sfumato publish` or `sfumato open` wrote: a file, a folder, a glob, or several of them.

        With `note`, the file beside the whole, a selection of rows is read that another tool made.
        """
        from sfumato.study.report_files import read_report_files  # noqa: PLC0415  it returns Reports

        return read_report_files(path, note=note)

    # Rows.

    @cached_property
    def kept(self) -> tuple[str, ...]:
        """The columns that were kept as they are, in public."""
        known = {*self.note.columns, ROW, PART}
        return tuple(name for name in names_of(self.sources[0]) if name not in known)

    def chunks(
        self, questions: Sequence[str], others: Sequence[str] = (), *, vouch: Vouch | None = None
    ) -> Iterator[Chunk]:
        """Go through the rows once, part by part; at the end of a part its columns are checked against their roots.

        `vouch` is told the digests of every part that was checked.
        """
        for source in self.sources:
            wanted = [name for name in questions if any(name in part.roots or not part.roots for part in source.parts)]
            present, tree = None, None
            for chunk in chunks_of(source, [*wanted, *others]):
                if chunk.part is not present:
                    _check(present, tree, vouch)
                    present, tree = chunk.part, chunk.part.tree(wanted) if source.is_whole else None
                if tree is not None:
                    tree.add(chunk.numbers, {name: chunk.reports(self.note.way(name)) for name in tree.digests})
                yield chunk
            _check(present, tree, vouch)

    def current(self, chunk: Chunk, question: str) -> npt.NDArray[np.bool_] | None:
        """Say which rows of a chunk have a report on a question that no amendment has replaced; None is all."""
        if question not in chunk.part.roots and chunk.part.amends is not None:
            return np.zeros(chunk.numbers.size, dtype=np.bool_)
        gone = self.superseded.get((chunk.part.id, question))
        if chunk.part.amends is None:
            return None if gone is None else np.isin(chunk.numbers, gone, invert=True)
        there: npt.NDArray[np.bool_] = chunk.reports(self.note.way(question)) != NOTHING
        return there if gone is None else there & np.isin(chunk.numbers, gone, invert=True)

    @cached_property
    def amended(self) -> Mapping[str, tuple[Reports, ...]]:
        """The amendments of each part, each as reports of its own, in their order."""
        found: dict[str, list[Reports]] = {}
        for source in self.sources:
            for part in source.parts:
                if part.amends is not None:
                    alone = Reports(sources=(source,), note=replace(self.note, parts=(part,)))
                    found.setdefault(part.amends, []).append(alone)
        return {name: tuple(several) for name, several in found.items()}

    @cached_property
    def superseded(self) -> dict[tuple[str, str], Numbers]:
        """By part and question: the rows whose report a later amendment replaced."""
        found: dict[tuple[str, str], Numbers] = {}
        for name, several in self.amended.items():
            for question in self.note.columns:
                later = np.empty(0, dtype=np.int64)
                for amendment in reversed(several):
                    part = amendment.note.parts[0]
                    if later.size:
                        found[part.id, question] = later
                    if question in part.roots:
                        later = np.union1d(later, _filled(amendment, question))
                if later.size:
                    found[name, question] = later
        return found

    def column(self, question: str) -> npt.NDArray[np.int64]:
        """Return the reports of a question as numbers, checked against the note; of two answers, 1 is the second."""
        self.note.column(question)
        way = self.note.way(question)
        # An amendment has columns of the questions that it amends, and no others.
        chunks = self.chunks([question])
        found = [chunk.reports(way) for chunk in chunks if question in chunk.table.column_names]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def channel(self, question: str) -> AnyChannel:
        """Return the exact channel from answers to reports of a question, at the level that these reports show."""
        return self.note.way(question).channel(self.note.column(question).level)

    def tallies(self, question: str, group: str | None = None) -> Iterator[tuple[str | None, Any]]:
        """Count the reports of a question: over everybody first, then by the groups of a kept column."""
        return in_order(self.counts(question, group), question)

    def counts(self, question: str, group: str | None = None) -> Found:
        """Return the tallies of a question by group; none where nobody is left."""
        way, level = self.note.way(question), self.note.column(question).level
        if group is not None:
            check_group(self.note, group, question, self.kept)
        check_together(self.note, question, is_whole=all(source.is_whole for source in self.sources))
        found: Found = {}
        for chunk in self.chunks([question], [] if group is None else [group]):
            if question in chunk.table.column_names:
                words = None if group is None else words_of(chunk.table, group, first=chunk.first)
                current = self.current(chunk, question)
                count_rows(found, way, level, chunk.reports(way), chunk.part, chunk.numbers, current, words)
                check_groups(found, group)
        return found

    # Tables for other tools.

    @property
    def table(self) -> Any:
        """All rows as an Arrow table in memory, part after part."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        names = [*self.note.columns, *self.kept]
        several = len({chunk_part.id for source in self.sources for chunk_part in source.parts}) > 1
        chunks = self.chunks(list(self.note.columns), self.kept)
        found = [with_part(_labelled(chunk, self.note), several=several) for chunk in chunks]
        joined = pa.concat_tables(found, promote_options="permissive").unify_dictionaries()
        there = [name for name in names if name in joined.column_names]
        return joined.select([*([PART] if several else []), ROW, *there])

    def to_arrow(self) -> pa.Table:
        """Return the table as it is; a report that is an answer stands there by its label."""
        return described_columns(self.table, self.note)

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas DataFrame; pandas must be installed."""
        return self.table.to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return a polars DataFrame; polars must be installed."""
        import polars  # noqa: PLC0415, ICN001  only if the reader has it

        return polars.DataFrame(polars.from_arrow(self.table))

    def write(self, path: str | Path, *, progress: Progress | None = None) -> None:
        """Write reports and note, as CSV or Parquet, and a codebook beside them.

        What a key has opened is for whoever holds that key: only the owner of the file may read it.
        """
        from sfumato.study.report_files import write_report_file  # noqa: PLC0415  it takes Reports

        write_report_file(self, path, progress)

    @property
    def is_opened(self) -> bool:
        """Whether some column is sharper than the public one."""
        return any(column.level < len(self.note.way(name).epsilons) for name, column in self.note.columns.items())

    def __len__(self) -> int:
        if all(source.is_whole for source in self.sources):
            return self.note.rows
        return sum(chunk.numbers.size for chunk in self.chunks([]))

    def __repr__(self) -> str:
        columns = ", ".join(
            f"{name} at {self.note.way(name).level_words(self.note.column(name).level)}" for name in self.note.questions
        )
        return f"<Reports on {self.note.study.name!r}: {len(self):,} rows; {columns}>"


def with_part(chunk: Chunk, *, several: bool) -> Any:
    """Return the rows of a chunk, with their part where there are several."""
    if not several:
        return chunk.table
    import pyarrow as pa  # noqa: PLC0415  takes a second to import

    named = labelled_column(np.zeros(chunk.table.num_rows, dtype=np.int64), [chunk.part.id])
    rest = chunk.table.drop_columns([PART]) if PART in chunk.table.column_names else chunk.table
    return pa.table({PART: named, **{name: rest.column(name) for name in rest.column_names}})


def _labelled(chunk: Chunk, note: ReportsNote) -> Chunk:
    """Return a chunk whose labels have the codes of the study; a file knows only the labels that occur."""
    table = chunk.table
    for place, name in enumerate(table.column_names):
        way = note.way(name) if name in note.columns else None
        if way is not None and way.report_labels is not None and way.report_numbers is None:
            there = chunk.reports(way) != NOTHING
            codes = np.where(there, chunk.reports(way), 0)
            table = table.set_column(place, name, with_gaps(labelled_column(codes, way.report_labels), there))
    return replace(chunk, table=table)


def _check(part: PartNote | None, tree: ReportTree | None, vouch: Vouch | None) -> None:
    if part is not None and tree is not None:
        part.check(tree)
        if vouch is not None:
            vouch(part, tree)


def _filled(amendment: Reports, question: str) -> Numbers:
    """Return the rows that an amendment has a report of a question for."""
    way = amendment.note.way(question)
    wanted = amendment.note.parts[0].id
    found = [
        chunk.numbers[chunk.reports(way) != NOTHING]
        for chunk in amendment.chunks([question])
        if chunk.part.id == wanted
    ]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)
