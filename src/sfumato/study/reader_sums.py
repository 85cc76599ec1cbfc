"""What each reader sees of a respondent over several releases, for the person of whom most is seen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.account.payers import Payer, worst_sum
from sfumato.account.readers import ANSWERS, PUBLIC, Seen
from sfumato.study.audience import REGISTRAR, TOGETHER
from sfumato.values.rounding import float_above


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSum:
    """What one reader sees of a respondent over several releases; `epsilon` is None where answers come back."""

    holder: str
    epsilon: float | None

    @property
    def as_json(self) -> float | str:
        """A number, or a word where there is none."""
        return ANSWERS if self.epsilon is None else "inf" if math.isinf(self.epsilon) else self.epsilon


def sums_over(releases: Sequence[Seen]) -> tuple[ReaderSum, ...]:
    """Add up what each reader sees over releases about the same people, rounded up.

    Who has no key to one of them sees there what the public sees. All analysts together see of each what its best
    key shows, although the keys of one release were not handed to the readers of another: they could meet.
    """
    return worst_sums((Payer(), one) for one in releases)


def worst_sums(releases: Iterable[tuple[Payer, Seen]]) -> tuple[ReaderSum, ...]:
    """Add up what each reader sees over releases for the person of whom most is seen, rounded up."""
    several = [(payer, dict(one)) for payer, one in releases]
    named = list(dict.fromkeys(reader for _, one in several for reader in one))
    analysts = [reader for reader in named if reader not in {PUBLIC, TOGETHER, REGISTRAR}]
    together = [TOGETHER] if len(analysts) > 1 else []
    registrar = [REGISTRAR] if REGISTRAR in named else []
    return tuple(_sum_of(reader, several) for reader in [PUBLIC, *analysts, *together, *registrar])


def _sum_of(reader: str, several: Sequence[tuple[Payer, dict[str, str]]]) -> ReaderSum:
    found = []
    for payer, one in several:
        best = max((text for text in one.values() if text != ANSWERS), key=float)
        text = one.get(reader, best if reader == TOGETHER else one[PUBLIC])
        if text == ANSWERS:
            return ReaderSum(holder=reader, epsilon=None)
        found.append((payer, math.inf if text == "inf" else Fraction(float(text))))
    total = worst_sum(found)
    return ReaderSum(holder=reader, epsilon=float_above(total) if isinstance(total, Fraction) else math.inf)
