"""What a part is made of, before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sfumato.bits import BitSource, BulkBits, KeyedBits, SystemBits
from sfumato.study.part_notes import PartNote
from sfumato.study.part_sinks import Keys
from sfumato.study.studies import Study
from sfumato.study.ways import Way
from sfumato.values import Guarantee


@dataclass(frozen=True, kw_only=True)
class PartPlan:
    """What a part is made of: the study, its id, where its draws come from, and what it is in its publication.

    With `keys`, by question and with level 0 among them, reports are made under keys that were drawn before. `before`
    is the note of the part as it was made before, if it was. With a `secret`, what nobody keeps is drawn from that by
    the names of the rows as well: the same wherever and however often it is drawn.
    `rounds` are those of questions that are asked in rounds, `answers` the types that columns of the table have.
    """

    study: Study
    part: str
    source: BitSource
    guarantee: Guarantee = Guarantee.INFORMATION_THEORETIC
    epoch: int = 0
    keep: tuple[str, ...] = ()
    keys: Keys | None = None
    series: str | None = None
    amends: str | None = None
    turn: int = 0
    publication: str | None = None
    before: PartNote | None = None
    secret: bytes | None = field(default=None, repr=False)
    rounds: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def bulk(self) -> BitSource:
        """Where draws come from that nobody keeps: the same, or a cipher's stream where that is guarantee enough."""
        if self.guarantee is Guarantee.INFORMATION_THEORETIC or not isinstance(self.source, SystemBits):
            return self.source
        return BulkBits() if self.secret is None else KeyedBits(self.secret)

    def answer_type(self, way: Way) -> str:
        """Return the type that the answers to a question have in the table, where all its columns have one."""
        found = {self.answers.get(name, "") for name in way.question.sources}
        return found.pop() if len(found) == 1 else ""

    @property
    def source_words(self) -> str:
        """Say where draws come from."""
        used = [self.source if way.key_levels else self.bulk for way in self.study.column_ways]
        return "; ".join(dict.fromkeys(source.label for source in used))
