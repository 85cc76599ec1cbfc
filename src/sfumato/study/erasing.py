"""Taking people out of a part: their rows go, their blocks get new salts, and the record says which were rewritten.

The digest that a block had when the keys were made is kept, so that keys can still be held against the rest of the
part. Its salt is gone: without it nobody can try which report the erased one was.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.bits import SystemBits
from sfumato.refine.report_trees import ReportTree, blocks_of
from sfumato.study.part_notes import PartNote, Salts
from sfumato.study.report_files import rooted
from sfumato.study.report_rows import Chunk
from sfumato.study.reports import Reports


@dataclass(slots=True, kw_only=True, eq=False)
class Erasure:
    """A part without some of its rows: chunks go in, and come out without them; at the end there is its new note."""

    part: PartNote
    rows: frozenset[int]
    _before: ReportTree
    _after: ReportTree
    _salt_of: Any

    @classmethod
    def of(cls, part: PartNote, rows: Collection[int]) -> Erasure:
        """Prepare to take rows out of a part."""
        rewritten = set(blocks_of(sorted(rows)))
        fresh = Salts(part.id, SystemBits())

        def salt_of(block: int) -> bytes:
            return fresh(block) if block in rewritten else part.salt_of(block)

        names = list(part.roots)
        return cls(
            part=part,
            rows=frozenset(rows),
            _before=ReportTree(names, part.salt_of),
            _after=ReportTree(names, salt_of),
            _salt_of=salt_of,
        )

    def kept(self, chunk: Chunk, reports: Reports) -> Any:
        """Return the rows of a chunk that stay."""
        import pyarrow as pa  # noqa: PLC0415  takes a second to import

        values = {name: chunk.reports(reports.note.way(name)) for name in self.part.roots}
        self._before.add(chunk.numbers, values)
        stays = np.isin(chunk.numbers, np.array(sorted(self.rows), dtype=np.int64), invert=True)
        self._after.add(chunk.numbers[stays], {name: column[stays] for name, column in values.items()})
        return chunk.table if stays.all() else chunk.table.filter(pa.array(stays.tolist()))

    def note(self) -> PartNote:
        """Return the note of what is left, once all rows were met."""
        part = self.part
        self._before.finish(part.all_blocks)
        old = {block: dict(digests) for block, digests in part.rewritten.items()}
        for block in blocks_of(sorted(self.rows)):
            if block not in old:  # else the keys remember what it was before it was rewritten the first time
                old[block] = {name: self._before.digests[name][block].hex() for name in part.roots}
        erased = tuple(sorted({*part.erased, *self.rows}))
        return rooted(replace(part, erased=erased, rewritten=old), self._after, self._salt_of)
