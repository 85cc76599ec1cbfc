"""How reports are reckoned where Python does not run: plain numbers, from which a browser works out the same estimates.

A reckoning says how a report of a level is undone, the channel of that level as float64, and what is estimated. It
follows from the study alone and holds nothing that anybody reported. `browser/src/estimates` reads it; where a way has
none, a page names the command instead.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sfumato.errors import InvalidLaw
from sfumato.prob import AnyChannel, Circulant
from sfumato.refine import Ladder
from sfumato.refine.rungs.base import Rung
from sfumato.study.ways.pictures import Picture

if TYPE_CHECKING:
    from sfumato.study.ways.ladder_questions import LadderQuestion

MOST_ANSWERS = 256
"""Answers up to which shares are the likeliest ones by Newton's steps, and intervals come from scores."""
MOST_REPORTS = 4096
ROUNDED = "Shares are of {words}, not of the answers; the mean is that of the answers."
"""What is said beside shares of numbers that were rounded before they were asked."""


class Reckoned:
    """Says how its reports are reckoned elsewhere; nothing unless a way knows."""

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return how reports of a level are reckoned, as plain numbers; None where only Python does it."""
        del level
        return None


class LadderReckoning:
    """The reckoning of what is asked by a ladder."""

    question: LadderQuestion

    @property
    def ladder(self) -> Ladder:
        """The ladder."""
        raise NotImplementedError

    def reckoning(self, level: int) -> dict[str, Any] | None:
        """Return the channel of the level and what is estimated of it; None where a report needs its position."""
        ladder, question = self.ladder, self.question
        if level < 1 or ladder.by_position or ladder.size > MOST_ANSWERS or ladder.modulus > MOST_REPORTS:
            return None
        read = _two(ladder.levels[level - 1]) if ladder.size == 2 else _several(ladder.levels[level - 1])
        if read is None:
            return None
        values, words = question.values, question.shares_of
        return {
            "level": level,
            "epsilon": math.log(ladder.levels[level - 1].odds),
            "labels": list(question.labels),
            "choices": list(question.choices),
            "values": None if values is None else [float(value) for value in values],
            "hides": question.hides,
            "who": question.who_answers if question.hides else "",
            "undo": "subtract",
            "read": read,
            "order": self.order_reckoning(level),
            "picture": (Picture.ANSWERS if values is None else Picture.NUMBERS).value,
            "shares_of": "" if values is None else words,
            "only_mean": False,
            "notes": [ROUNDED.format(words=words)] if values is not None and words else [],
        }

    def order_reckoning(self, level: int) -> dict[str, Any] | None:
        """Return what order adds to the shares of a level; nothing unless answers have one."""
        del level
        return None


def options_reckoning(question: LadderQuestion, level: int, epsilon: float, own: float, other: float) -> dict[str, Any]:
    """Return how reports on all options are reckoned: each bit is a flip of its own."""
    return {
        "level": level,
        "epsilon": epsilon,
        "labels": list(question.labels),
        "choices": list(question.choices),
        "values": None,
        "hides": False,
        "who": "",
        "undo": "xor",
        "read": {"type": "options", "own": own, "other": other},
        "order": None,
        "picture": Picture.OPTIONS.value,
        "shares_of": "",
        "only_mean": False,
        "notes": [],
    }


def told_law(rung: Rung) -> dict[str, float] | None:
    """Return the lower probability of a report and how much more the true one has, where reports are answers."""
    if not rung.says_answers:
        return None
    law = [float(p) for p in rung.channel().row(0)]
    return {"low": min(law), "gap": max(law) - min(law)}


def _two(rung: Rung) -> dict[str, Any] | None:
    """Two answers, whose reports are of two kinds; of three the tails are worked out in Python alone."""
    from sfumato.infer import ShareModel, share_weights  # noqa: PLC0415  plans estimate nothing

    dense = rung.channel().to_dense()
    try:
        model = ShareModel.of(dense)
    except InvalidLaw:
        return None
    if len(model.first) != 2 or None in model.class_of:
        return None
    return {
        "type": "two",
        "first": list(model.first),
        "second": list(model.second),
        "classes": list(model.class_of),
        "weights": share_weights(dense).tolist(),
        **_numbers(dense),
    }


def _several(rung: Rung) -> dict[str, Any]:
    found = rung.hitting()
    hits = None
    if found is not None:
        own, other, members = found
        hits = {"own": float(own), "other": float(other), "members": members.tolist()}
    return {"type": "channel", "hits": hits, **_numbers(rung.channel())}


def _numbers(channel: AnyChannel) -> dict[str, Any]:
    """Return the law that moves with the answer, or all rows."""
    if isinstance(channel, Circulant):
        return {"law": channel.array[0].tolist(), "inputs": channel.shape[0]}
    return {"rows": channel.array.tolist()}
