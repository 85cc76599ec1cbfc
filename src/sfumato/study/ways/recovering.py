"""What of a question comes back to the registrar: the answers, rounded ones, or nothing, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.files.tables import with_gaps
from sfumato.refine.report_trees import NOTHING
from sfumato.study.ways.answer_columns import label_column

if TYPE_CHECKING:
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
