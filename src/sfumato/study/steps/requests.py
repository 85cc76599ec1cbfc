"""What somebody asks to be published: the study, the table wherever its rows are, and how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.bits import BitSource
from sfumato.engines.spark import (
    Engine,
    NumberedFrame,
    SparkFrame,
    frame_of_files,
    is_spark_frame,
    number_rows,
    session_of,
)
from sfumato.files.frames import TableLike
from sfumato.files.row_streams import RowStream
from sfumato.study.part_notes import PartNote
from sfumato.study.part_sinks import Keys
from sfumato.study.publishing import PartPlan, answer_columns, is_simulation, open_answers, source_or_system
from sfumato.study.reports import Progress
from sfumato.study.shuffling import shuffled
from sfumato.study.studies import Study
from sfumato.study.ways.block_bits import new_secret
from sfumato.values import Guarantee


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishRequest:
    """What is to be published, and how it is drawn."""

    study: Study
    data: TableLike | SparkFrame
    bits: BitSource | None
    guarantee: Guarantee
    epoch: int
    keep: tuple[str, ...]
    people: str | None
    again: str | None
    id_column: str | None
    shuffle: bool
    progress: Progress | None
    engine: Engine | None = None

    @property
    def is_simulation(self) -> bool:
        """Whether all of it comes from a seed that anyone can repeat."""
        return is_simulation(self.study, self.bits, None)

    def plan(self, part: str, keys: Keys | None = None, before: PartNote | None = None) -> PartPlan:
        """Return what the part is made of; on a cluster everything is drawn by the names of rows."""
        source = source_or_system(self.bits)
        return PartPlan(
            study=self.study,
            part=part,
            source=source,
            secret=new_secret(part, source) if self.is_on_spark else None,
            guarantee=self.guarantee,
            epoch=self.epoch,
            keep=self.keep,
            keys=keys,
            before=before,
        )

    @property
    def is_on_spark(self) -> bool:
        """Whether the rows are Spark's."""
        return self.engine is not None or is_spark_frame(self.data)

    def rows(self) -> RowStream | NumberedFrame:
        """Open the table wherever its rows are."""
        if not self.is_on_spark:
            return self.stream()
        held: Any = self.data
        frame = held if self.engine is None else frame_of_files(held, session_of(self.engine))
        return number_rows(frame, answer_columns(self.study, frame.columns, self.keep, self._ids), by=self.id_column)

    @property
    def _ids(self) -> tuple[str, ...]:
        return () if self.id_column is None else (self.id_column,)

    def stream(self) -> RowStream:
        """Open the table: the columns that are needed, and no others."""
        table: Any = self.data
        stream = open_answers(self.study, table, self.keep, self._ids)
        return shuffled(stream, source_or_system(self.bits)) if self.shuffle else stream
