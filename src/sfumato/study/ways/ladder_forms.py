"""Questions that are asked by degrees, as a page asks them: the steps of the ladder, which the device adds up.

A report is the symbol of the answer, moved by all steps; the shift of level j is what the steps below it add up to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.refine import Ladder
from sfumato.study.ways.form_parts import FormPart, OnDevice

if TYPE_CHECKING:
    from sfumato.study.ways.ladder_questions import LadderQuestion


class LadderForm(OnDevice):
    """Hands out a ladder."""

    question: LadderQuestion

    @property
    def ladder(self) -> Ladder:
        """The ladder."""
        raise NotImplementedError

    def form(self) -> FormPart:
        """Hand out the steps, the first of them first, and where answers stand that are not their own symbols."""
        asked, ladder = self.question, self.ladder
        if ladder.by_position:
            raise InvalidParameter(
                f"question {asked.id!r} asks each row something else by its number, which no device knows",
                way_out="Ask everybody the same: leave out random_bits, ask about all options (ask), or say in "
                "[collect] that devices answer.",
            )
        nobody = {"nobody": asked.nobody} if asked.hides else {}
        places = ladder.levels[0].truths(np.arange(ladder.size)).tolist()
        moved = {} if places == list(range(ladder.size)) else {"places": places}
        draw = {
            "type": ladder.group.name,
            "modulus": ladder.modulus,
            "levels": list(ladder.key_levels),
            **moved,
            "steps": [step.document() for step in ladder.steps],
        }
        return FormPart(asks={**asked.page_asks(), **nobody}, draw=draw, odds=ladder.odds)
