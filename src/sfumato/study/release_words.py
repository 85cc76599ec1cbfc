"""What several releases about the same people show together, in words: on every page that readers see."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from sfumato.account.amounts import decimal_above
from sfumato.study.notes import ReportsNote
from sfumato.study.reader_sums import ReaderSum

_PLACES = 4


def releases_words(note: ReportsNote) -> str:
    """Say what readers see of a respondent over this release and those before it; nothing where it is the first."""
    if not note.earlier:
        return ""
    named = "" if note.again is None else f", called “{note.again}”"
    return (
        f"This is release {len(note.earlier) + 1} about the same people{named}, and releases add up. Over all of them "
        f"and all questions is seen of a respondent: {sums_words(note.sums)}."
    )


def sums_words(sums: Iterable[ReaderSum]) -> str:
    """List what each reader sees over several releases, rounded up."""
    return "; ".join(f"{one.holder}: {sum_words(one.epsilon)}" for one in sums)


def sum_words(epsilon: float | None) -> str:
    """Say how much is seen: ε rounded up, the answers, or that no ε is promised."""
    if epsilon is None:
        return "the answers"
    return "no ε is promised" if math.isinf(epsilon) else f"ε = {decimal_above(Fraction(epsilon), _PLACES)}"
