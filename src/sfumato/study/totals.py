"""What a respondent spends over all questions, by who is looking: reports add up."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from sfumato.account.readers import ANSWERS, PUBLIC
from sfumato.account.readers import Seen as SeenByReader
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


def seen_by_readers(study: Study, questions: Collection[str] | None = None) -> SeenByReader:
    """Return what each reader of a study sees over all questions, or some of them, as a record keeps it."""
    totals = totals_of(study, questions)
    return tuple((one.holder, ANSWERS if one.sees_answers else repr(one.epsilon)) for one in totals)


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
