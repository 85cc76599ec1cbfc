"""What a respondent spends over all questions, by who is looking: reports add up."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sfumato.account.payers import Payer, worst_sum
from sfumato.account.published import ANSWERS, PUBLIC
from sfumato.account.published import Seen as SeenByReader
from sfumato.study.audience import REGISTRAR, TOGETHER
from sfumato.study.studies import Study
from sfumato.values.rounding import float_above


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a reader sees of one question: its ε at a level, or the answers themselves."""

    question: str
    level: int
    epsilon: float

    @property
    def is_answer(self) -> bool:
        """Whether the answers themselves are seen."""
        return self.level == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """The ε that one reader, or several together, sees of a respondent over all questions; never less than true."""

    holder: str
    by_question: tuple[Seen, ...]

    @property
    def sees_answers(self) -> bool:
        """Whether the answers to some question are seen."""
        return any(seen.is_answer for seen in self.by_question)

    @property
    def epsilon(self) -> float:
        """The sum over the questions, rounded up."""
        return _sum_up(seen.epsilon for seen in self.by_question)

    @property
    def as_json(self) -> float | str:
        """A number, or a word where there is none."""
        return "answers" if self.sees_answers else "inf" if math.isinf(self.epsilon) else self.epsilon


def totals_of(study: Study, questions: Collection[str] | None = None) -> tuple[Total, ...]:
    """Return the totals of the public, of each analyst, of all analysts together, and of the registrar.

    They are over all questions, or over some.
    """
    found = _totals(study)
    if questions is None:
        return found
    kept = [tuple(seen for seen in one.by_question if seen.question in questions) for one in found]
    return tuple(replace(one, by_question=some) for one, some in zip(found, kept, strict=True))


def _totals(study: Study) -> tuple[Total, ...]:
    ways = study.ways
    found = [_total(study, PUBLIC, [len(way.epsilons) for way in ways])]
    found += [_total(study, analyst.name, [way.level_of(analyst) for way in ways]) for analyst in study.analysts]
    if len(study.analysts) > 1:
        # Keys are nested, so together they see of each question what the best of them sees.
        found.append(_total(study, TOGETHER, [1 for _ in ways]))
    if study.recover:
        found.append(_total(study, REGISTRAR, [0 if 0 in way.key_levels else len(way.epsilons) for way in ways]))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSum:
    """What one reader sees of a respondent over several releases; `epsilon` is None where answers come back."""

    holder: str
    epsilon: float | None

    @property
    def as_json(self) -> float | str:
        """A number, or a word where there is none."""
        return ANSWERS if self.epsilon is None else "inf" if math.isinf(self.epsilon) else self.epsilon


def seen_by_readers(study: Study, questions: Collection[str] | None = None) -> SeenByReader:
    """Return what each reader of a study sees over all questions, or some of them, as a record keeps it."""
    totals = totals_of(study, questions)
    return tuple((one.holder, ANSWERS if one.sees_answers else repr(one.epsilon)) for one in totals)


def sums_over(releases: Sequence[SeenByReader]) -> tuple[ReaderSum, ...]:
    """Add up what each reader sees over releases about the same people, rounded up.

    Who has no key to one of them sees there what the public sees. All analysts together see of each what its best
    key shows, although the keys of one release were not handed to the readers of another: they could meet.
    """
    return worst_sums((Payer(), one) for one in releases)


def worst_sums(releases: Iterable[tuple[Payer, SeenByReader]]) -> tuple[ReaderSum, ...]:
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


def _total(study: Study, holder: str, levels: list[int]) -> Total:
    return Total(
        holder=holder,
        by_question=tuple(
            Seen(question=way.question.id, level=level, epsilon=math.inf if level == 0 else way.epsilons[level - 1])
            for way, level in zip(study.ways, levels, strict=True)
        ),
    )


def _sum_up(values: Iterable[float]) -> float:
    terms = tuple(values)
    return math.inf if math.inf in terms else float_above(sum(map(Fraction, terms), Fraction(0)))
