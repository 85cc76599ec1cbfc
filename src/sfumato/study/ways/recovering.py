"""What of a question comes back to the registrar: the answers, rounded ones, or nothing, and why."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sfumato.files.tables import with_gaps
from sfumato.refine.report_trees import NOTHING
from sfumato.study.ways.answer_columns import label_column

if TYPE_CHECKING:
    from sfumato.refine import Ladder
    from sfumato.study.audience import Audience
    from sfumato.study.ways.ladder import LadderWay
    from sfumato.study.ways.ladder_questions import LadderQuestion
    from sfumato.study.ways.question import Question
    from sfumato.study.ways.sealed import SealedWay

IntArray = npt.NDArray[np.int64]


class Recovering:
    """A question as a registrar gets its answers back: not at all, unless its handler says otherwise."""

    question: Question

    @property
    def sealed(self) -> SealedWay | None:
        """The column with which rounded answers come back as they were; None where there is none."""
        return None

    @property
    def not_recovered(self) -> str | None:
        """Why the registrar's key does not give the answers back; None where it does."""
        return "its reports are made without keys"

    @property
    def gives_rounded(self) -> bool:
        """Whether its reports tell without their noise at least what answers were rounded to."""
        return False

    def answer_columns(self, values: IntArray, *, as_text: bool = False, kind: str = "") -> dict[str, Any]:
        """Return recovered answers as columns of a table, by name; a cell is empty where nobody answered.

        `kind` is the type that the table had; with `as_text` cells are canonical text.
        """
        there, labels = values != NOTHING, self.question.labels
        if self.question.hides:
            labels = labels[:-1]
            there &= values != len(labels)
        column = label_column(np.where(there, values, 0), labels, "" if as_text else kind)
        return {self.question.id: with_gaps(column, there)}


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
