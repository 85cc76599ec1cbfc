"""Free text in one publication: the rounds of a hunt run one after another, and again by whoever reads the reports.

The row with number n is asked in round n modulo the number of rounds, about the prefixes that the reports of the rounds
before it suggest. So the reports are all that a reader needs: counting them round by round finds the same prefixes, and
the same texts at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sfumato.errors import InvalidParameter, UnreadableFile
from sfumato.infer import FamilyCut, FoundAnswers, PrefixHunt, found_answers, key_text
from sfumato.mechanisms import CyclicResponse
from sfumato.refine.block_secrets import bits_of_block, blocks_within
from sfumato.refine.report_trees import NOTHING
from sfumato.study.ways.drawing import Draw, Drawer
from sfumato.values import Tally

IntArray = npt.NDArray[np.int64]
Prefixes = tuple[int, ...]

FIRST: tuple[Prefixes, ...] = ((0,),)
"""What the first round is asked about: the empty prefix."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundTally:
    """How often each report was given in each round, by the rows from `first` up to `last`; `empty` ones gave none."""

    counts: IntArray
    first: int
    last: int
    empty: int = 0

    @classmethod
    def of(cls, reports: IntArray, first: int, *, rounds: int, reports_known: int) -> RoundTally:
        """Count reports of rows that follow one another; `NOTHING` stands where there is none."""
        asked = np.arange(first, first + reports.size) % rounds
        there = reports != NOTHING
        found = np.bincount(asked[there] * reports_known + reports[there], minlength=rounds * reports_known)
        return cls(
            counts=found.reshape(rounds, reports_known),
            first=first,
            last=first + reports.size - 1,
            empty=int(reports.size - there.sum()),
        )

    @property
    def total(self) -> int:
        """The number of reports."""
        return int(self.counts.sum())

    @property
    def is_whole(self) -> bool:
        """Whether no row is missing, from the very first."""
        return self.first == 0 and self.last + 1 == self.total + self.empty

    def __add__(self, other: RoundTally) -> RoundTally:
        return RoundTally(
            counts=self.counts + other.counts,
            first=min(self.first, other.first),
            last=max(self.last, other.last),
            empty=self.empty + other.empty,
        )


class HuntDrawer(Drawer):
    """Makes the reports of a hunt: round after round from all answers, or from some under rounds that are known."""

    def __init__(self, hunt: PrefixHunt, draw: Draw) -> None:
        self._hunt, self._draw = hunt, draw

    def draw(self, answers: Any, numbers: IntArray, filled: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[Any]:
        """Return one report for each answer; when no prefix is left, the rest report 0."""
        numbers = numbers if filled is None else numbers[filled]
        if self._draw.rounds is not None:
            return self._under(answers, numbers, self._draw.rounds)
        self._hunt.group(len(answers), 0)  # refuses too few
        reports = np.zeros(numbers.size, dtype=np.uint32)
        asked = FIRST
        for level in range(self._hunt.levels):
            if not asked[level]:
                break
            places, drawn = self._round(answers, numbers, asked[level], level)
            if not places.size:
                raise nobody_asked(level)
            reports[places] = drawn
            mechanism = self._hunt.mechanism(asked[level], level)
            asked += (self._hunt.survivors(mechanism.estimate(mechanism.tally(drawn)), asked[level], level),)
        return reports

    def _under(self, answers: Any, numbers: IntArray, asked: Sequence[Prefixes]) -> npt.NDArray[np.uint32]:
        reports = np.zeros(numbers.size, dtype=np.uint32)
        for level, prefixes in enumerate(asked[: self._hunt.levels]):
            if prefixes:
                places, drawn = self._round(answers, numbers, prefixes, level)
                reports[places] = drawn
        return reports

    def _round(self, answers: Any, numbers: IntArray, prefixes: Prefixes, level: int) -> tuple[IntArray, Any]:
        """Return the places of the rows that are asked in a round, and their reports."""
        hunt, secret = self._hunt, self._draw.secret
        places = np.flatnonzero(numbers % hunt.levels == level)
        mechanism = hunt.mechanism(prefixes, level)
        values = self._values([answers[place] for place in places.tolist()], prefixes, level)
        if not places.size:
            return places, np.empty(0, dtype=np.uint32)
        if secret is None:
            return places, mechanism.privatize(values, self._draw.bits)
        pieces = [
            mechanism.privatize(values[start:stop], bits_of_block(secret, block, level))
            for block, start, stop in blocks_within(numbers[places])
        ]
        return places, np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint32)

    def _values(self, held: list[int | None], prefixes: Prefixes, level: int) -> IntArray:
        """Return what is reported on; who gave no text is among those whose text begins with none of the prefixes."""
        found = np.full(len(held), len(_offered(self._hunt, prefixes, level)), dtype=np.int64)
        there = [place for place, key in enumerate(held) if key is not None]
        if there:
            texts = [key for key in held if key is not None]
            found[there] = self._hunt.level_values(texts, prefixes, level)
        return found


def nobody_asked(level: int) -> InvalidParameter:
    """Return the refusal of a round without anybody."""
    return InvalidParameter(
        f"too few people gave a text: nobody is left for round {level + 1}",
        way_out="Ask more people, or shorten the texts.",
    )


def next_round(hunt: PrefixHunt, tally: RoundTally, asked: tuple[Prefixes, ...]) -> tuple[Prefixes, ...]:
    """Return what all rounds are asked about, with one more: what the reports of the last of them suggest."""
    level = len(asked) - 1
    if not tally.counts[level].any():
        raise nobody_asked(level)
    estimate = _estimate(hunt, tally, asked[level], level)
    return (*asked, hunt.survivors(estimate, asked[level], level))


def found_texts(
    hunt: PrefixHunt, tally: RoundTally, *, max_bytes: int, confidence: float
) -> tuple[tuple[str, ...], FoundAnswers | None]:
    """Return the texts found, largest share first, and what the last round says of each; nothing of nothing.

    The rounds before chose what the last one offers, and other people are asked in it: so its hits are binomial, and
    the cut and the intervals over all that it offers hold for the texts that were picked out as well.
    """
    candidates: Prefixes = (0,)
    for level in range(hunt.levels - 1):
        candidates = hunt.survivors(_estimate(hunt, tally, candidates, level), candidates, level)
        if not candidates:
            return (), None
    last = hunt.levels - 1
    offered, estimate = _offered(hunt, candidates, last), _estimate(hunt, tally, candidates, last)
    own, other = cast("CyclicResponse", hunt.mechanism(candidates, last)).probabilities
    error = Fraction(str(round(1 - hunt.confidence, 9)))
    rule = FamilyCut(size=len(offered), n=estimate.total, own=own, other=other, error=error)
    hits = np.rint(rule.n * (float(other) + float(own - other) * np.array(estimate.raw[: len(offered)])))
    found = found_answers(hits, rule, confidence=confidence, most=hunt.keep)
    return tuple(key_text(offered[place], max_bytes=max_bytes) for place in found.places.tolist()), found


def check_whole(tally: RoundTally) -> None:
    """Refuse a part of the reports."""
    if not tally.is_whole:
        raise InvalidParameter(
            "reports that are read only together do not follow one another",
            way_out="Read the whole of one part, without selecting rows.",
        )


def _estimate(hunt: PrefixHunt, tally: RoundTally, candidates: Prefixes, level: int) -> Any:
    mechanism = hunt.mechanism(candidates, level)
    counts, known = tally.counts[level], len(mechanism.tally([0]).counts)
    if counts[known:].any():
        raise UnreadableFile(
            "a report was never one of its round: reports were changed, or another study is theirs",
            way_out="Ask for the file again.",
        )
    counted = Tally(mechanism=mechanism.name, counts=tuple(counts[:known].tolist()))
    return mechanism.estimate(counted)


def _offered(hunt: PrefixHunt, candidates: Prefixes, level: int) -> list[int]:
    step = hunt.depth(level) - level * hunt.step_bits
    return [(candidate << step) | rest for candidate in candidates for rest in range(1 << step)]
