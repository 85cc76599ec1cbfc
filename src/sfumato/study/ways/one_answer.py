"""What a way that asks for one answer says when it is asked about options, of which several can be chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter
from sfumato.study.ways.question import Question

if TYPE_CHECKING:
    from sfumato.study.ways.estimates import Quantity, Reading

IntArray = npt.NDArray[np.int64]


class OneAnswer:
    """Refuses what is about options; a way that has them says it instead."""

    question: Question

    def asked(self, numbers: IntArray, part: str) -> tuple[IntArray, tuple[str, ...]]:
        """Return which options the rows of a part are asked about, as places in a list, and the list."""
        del numbers, part
        raise self.without_options()

    def pairs(self, tally: Any, reading: Reading) -> tuple[Quantity, ...]:
        """Return the share of those who chose both, for each pair of options, where several can be chosen."""
        del tally, reading
        raise self.without_options()

    def without_options(self) -> InvalidParameter:
        """Return the refusal of what is about options."""
        return InvalidParameter(
            f"question {self.question.id!r} has one answer, not several",
            way_out="Name a question of which several options can be chosen.",
        )
