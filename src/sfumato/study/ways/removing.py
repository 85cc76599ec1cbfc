"""Taking away the reports of a tally that may be fake: which of them move its numbers most."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.study.ways.question import Question

if TYPE_CHECKING:
    from sfumato.study.ways.estimates import QuestionEstimate

FloatArray = npt.NDArray[np.float64]

MOST_REMOVED = 40
"""Answers up to which every share is looked at by removals of its own."""


class Removing(ABC):
    """Finds, of a way of asking, the removals that move its estimates most; where reports do not stand alone, none."""

    question: Question

    @abstractmethod
    def weights(self, level: int) -> FloatArray:
        """Return what a report counts towards each answer."""

    def removals(self, tally: Any, found: QuestionEstimate, fakes: int) -> tuple[Any, ...] | None:
        """Return the tallies that are left where the fakes are those that moved a number of `found` most.

        None where that is not worked out: with very many answers, or where reports do not stand alone.
        """
        if len(found.labels) > MOST_REMOVED or found.labels != self.question.labels:
            return None
        try:
            weights = self.weights(found.level)
        except InvalidParameter:
            return None
        if weights.shape != (len(tally.counts), len(found.labels)):
            return None
        from sfumato.study.ways.fakes import weighed_removals  # noqa: PLC0415  plans estimate nothing

        return weighed_removals(tally, weights, found, fakes, self.question.values)
