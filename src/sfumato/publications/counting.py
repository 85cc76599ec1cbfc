"""Counting reports chunk by chunk, over everyone and by groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.files.columns import Words
from sfumato.keys.digests import NOTHING, Numbers
from sfumato.publications.note import PartNote, ReportsNote
from sfumato.study.handler import Handler

MOST_GROUPS = 1000
Found = dict[str | None, Any]
"""Tallies by group; that of everybody has no name."""


def count_rows(
    found: Found,
    handler: Handler,
    level: int,
    reports: npt.NDArray[np.int64],
    part: PartNote,
    numbers: Numbers,
    kept: npt.NDArray[np.bool_] | None,
    words: Words | None = None,
) -> None:
    """Count the reports of some rows of a part, those that are `kept`; `words` are the groups that they belong to.

    People who did not answer are not counted; where all rows are read together, the handler reads empty cells.
    """
    if handler.question.has_gaps and handler.by_row:
        there = reports != NOTHING
        kept = there if kept is None else kept & there
    _count(found, None, handler, reports, level, part, numbers, slice(None) if kept is None else np.flatnonzero(kept))
    if words is not None:
        for code, text in enumerate(words.texts):
            here = words.codes == code
            _count(found, text, handler, reports, level, part, numbers, here if kept is None else here & kept)


def add_counts(found: Found, others: Found) -> None:
    """Add counts to others."""
    for label, tally in others.items():
        found[label] = found[label] + tally if label in found else tally


def in_order(found: Found, question: str) -> Iterator[tuple[str | None, Any]]:
    """Yield the tally of all people first, then those of the groups by their names."""
    if None not in found:
        raise UnreadableFile(f"no report to {question!r} is left", way_out="There is nothing to estimate from.")
    yield None, found[None]
    yield from sorted((label, tally) for label, tally in found.items() if label is not None)


def check_groups(found: Found, group: str | None) -> None:
    """Refuse a column that has as many values as people."""
    if len(found) > MOST_GROUPS + 1:
        raise InvalidParameter(
            f"has more than {MOST_GROUPS} values",
            parameter="group",
            value=group,
            way_out="An identifier is no group; name another column.",
        )


def check_group(note: ReportsNote, group: str, question: str, kept: Sequence[str] | None = None) -> None:
    """Refuse a group that is none, or a question that has none."""
    if group in note.columns:
        raise InvalidParameter(
            "is a question; its reports are noise, not groups",
            parameter="group",
            value=group,
            way_out="Name a kept column.",
        )
    if kept is not None and group not in kept:
        raise InvalidParameter(
            f"is no column that was kept beside these reports: {', '.join(kept) or 'there is none'}",
            parameter="group",
            value=group,
            way_out="Columns are kept when reports are made, by `keep`; name one of these, or publish with it.",
        )
    if note.handler(question).by_position:
        raise InvalidParameter(
            f"question {question!r} means something only in the order of all its reports, so groups cannot be "
            f"read from it",
            parameter="group",
            value=group,
            way_out="Name the other questions, or leave out `group`.",
        )


def check_together(note: ReportsNote, question: str, *, is_whole: bool) -> None:
    """Refuse to read some of the reports where only all of them together can be read."""
    if not is_whole and not note.handler(question).by_row:
        raise InvalidParameter(
            f"question {question!r} is read from all its reports together, and rows were selected from them",
            way_out="Name the other questions, or read the whole.",
        )


def _count(
    found: Found,
    label: str | None,
    handler: Handler,
    reports: npt.NDArray[np.int64],
    level: int,
    part: PartNote,
    numbers: Numbers,
    rows: Any,
) -> None:
    counted = reports[rows]
    if not counted.size:  # no one of this group is in these rows, or all were amended
        return
    tally = handler.tally(counted, level, positions=handler.placed(numbers[rows], part.base))
    found[label] = found[label] + tally if label in found else tally
