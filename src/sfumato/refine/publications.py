"""What a ladder hands out: reports with their keys, and reports as a key shows them.

Theory: docs/theory/ladders.md
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.bits.mechanism import ReportArray
from sfumato.refine.keys import Key
from sfumato.refine.rungs import Rung


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Publication:
    """Public reports, and the keys by level. A key is a secret; hand each to one analyst.

    `Ladder.publish` returns it.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> made
    <Publication of 4 reports, keys of levels 0, 1>
    >>> ladder.recover(made.reports, made.keys[0]).tolist()
    [0, 5, 3, 3]
    """

    reports: ReportArray
    keys: Mapping[int, Key]

    def __repr__(self) -> str:
        return f"<Publication of {self.reports.size} reports, keys of levels {', '.join(map(str, self.keys))}>"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class View:
    """Reports as the key of a level shows them; `mechanism` tallies and estimates them.

    `positions` is the row of the first report, for mechanisms that ask each position another question.

    `Ladder.open` returns it.

    >>> import sfumato as sf
    >>> ladder = sf.Ladder.within(size=6, epsilons=[2, 1], recover=True)
    >>> made = ladder.publish([0, 5, 3, 3])
    >>> view = ladder.open(made.reports, made.keys[1])
    >>> view.level, view.reports.size, round(float(view.mechanism.odds), 3)
    (1, 4, 7.389)
    >>> ladder.open(made.reports).level
    2
    """

    mechanism: Rung
    reports: ReportArray
    level: int
    positions: int = 0

    def __repr__(self) -> str:
        return f"<View of level {self.level}: {self.reports.size} reports of {self.mechanism.name}>"
