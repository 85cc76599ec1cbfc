"""What of a question asked by a ladder comes back to the registrar."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sfumato.files.tables import with_gaps
from sfumato.refine.report_trees import NOTHING
from sfumato.study.ways.recovering import IntArray, Recovering

if TYPE_CHECKING:
    from sfumato.refine import Ladder
    from sfumato.study.audience import Audience
    from sfumato.study.ways.ladder import LadderWay
    from sfumato.study.ways.ladder_questions import LadderQuestion
    from sfumato.study.ways.sealed import SealedWay


class LadderRecovering(Recovering):
    """A question asked by a ladder: its key of level 0 undoes the noise, and sealed answers are beside what rounds."""

    question: LadderQuestion
    audience: Audience

    @property
    def ladder(self) -> Ladder:
        """The ladder."""
        raise NotImplementedError

    @cached_property
    def sealed(self) -> SealedWay | None:
        """The column that gives rounded answers back, where there are not too many to be sealed."""
        from sfumato.study.ways.sealed import SealedWay, too_many  # noqa: PLC0415  it is a ladder itself

        count = self.unrounded if self.audience.recover else None
        if count is None or too_many(count + self.question.hides):
            return None
        return SealedWay(cast("LadderWay", self), count)

    @property
    def unrounded(self) -> int | None:
        """How many answers there are, where a report without its noise tells less; else None."""
        return self.question.unrounded

    @property
    def not_recovered(self) -> str | None:
        """Why not: there is no key, or there are too many answers to seal."""
        from sfumato.study.ways.sealed import too_many  # noqa: PLC0415  it is a ladder itself

        if not self.ladder.recover_answers:
            return super().not_recovered
        return None if self.unrounded is None else too_many(self.unrounded + self.question.hides)

    @property
    def gives_rounded(self) -> bool:
        """Unless a report is about a part of the answer."""
        return self.ladder.outline.gives_answers

    def answer_columns(self, values: IntArray, *, as_text: bool = False, kind: str = "") -> dict[str, Any]:
        """Return what reports tell without their noise, as columns of a table."""
        there = values != NOTHING
        if self.question.hides:
            there &= values != self.question.nobody
        return self._columns(np.where(there, values, 0), there, as_text=as_text, kind=kind)

    def _columns(self, places: IntArray, there: npt.NDArray[np.bool_], *, as_text: bool, kind: str) -> dict[str, Any]:
        found = self.question.rounded_back(places, as_text=as_text, kind=kind)
        return {name: with_gaps(column, there) for name, column in found.items()}
