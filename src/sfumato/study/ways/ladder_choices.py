"""Which ladder a question is asked by: the best for its levels, or the one that its reports were made by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.errors import InvalidParameter
from sfumato.refine import Ladder, LadderAdvice, advise_ladder
from sfumato.refine.ladder_advice import FLAGS, LADDER_FAMILIES, ONE_SET, SETS, LadderFamily, set_of_within
from sfumato.study.audience import Audience
from sfumato.study.ways.no_answer import Missing
from sfumato.values.rounding import float_below

if TYPE_CHECKING:
    from sfumato.study.ways.ladder_questions import LadderQuestion

# What a study chooses from. One set is that of `Ladder.within`; no study asks by sets inside one another.
_FAMILIES = {name: family for name, family in LADDER_FAMILIES.items() if name != SETS} | {ONE_SET: set_of_within}
# A logarithm of odds of ten digits may come out so much too large.
_ROUNDING = 1e-12
# Flags are offered from so many answers on.
_MANY = 101
# Longer keys are worth this much noise at the worst level.
_PAYS = 1.15


def promised_levels(ceiling: Fraction | None, audience: Audience) -> tuple[Fraction, ...]:
    """Return the epsilons of the levels, sharpest first: the analysts' and the public's, cut at the ceiling."""
    wanted = [analyst.epsilon for analyst in audience.analysts]
    if audience.public_epsilon is not None:
        wanted.append(audience.public_epsilon)
    elif ceiling is not None:
        wanted.append(ceiling)
    return tuple(sorted({value if ceiling is None else min(value, ceiling) for value in wanted}, reverse=True))


def best_ladder(question: LadderQuestion, levels: Sequence[Fraction], audience: Audience) -> Ladder:
    """Return the ladder that serves these epsilons best, sharpest first."""
    recover = audience.recover
    epsilons = tuple(float_below(level) for level in levels)
    size = question.size
    made = question.mechanism(epsilons)
    if made is not None:
        return Ladder(made, epsilons, recover)
    if size == 2:
        return Ladder.of_flips(size=2, epsilons=epsilons, recover=recover)
    if question.thrift is None:
        advice = ladder_advice(question, levels, audience)
        return Ladder.within(size=size, epsilons=epsilons, recover=recover) if advice is None else advice.ladder
    if recover:
        raise InvalidParameter(
            f"of question {question.id!r} makes each report one bit, from which {size} answers cannot be recovered",
            parameter="random_bits",
            way_out="Drop `random_bits`, or [registrar] recover.",
        )
    ladder = Ladder.of_flips(size=size, epsilons=epsilons)
    needed = ladder.randomness_bits().upper
    if needed > question.thrift:
        raise InvalidParameter(
            f"of question {question.id!r} is too little: these levels need {needed:.4f} random bits",
            parameter="random_bits",
            value=float(question.thrift),
            way_out="Raise `random_bits`, or drop a level.",
        )
    return ladder


def ladder_advice(question: LadderQuestion, levels: Sequence[Fraction], audience: Audience) -> LadderAdvice | None:
    """Compare whole ladders for these epsilons; None where there is nothing to compare.

    Everybody is asked the same, so that groups can be read by themselves. Flags are taken where they pay: many answers
    that are only counted, on levels far apart; their keys take more bits, a report is read with the number of its row,
    and devices do not draw it.
    """
    epsilons = tuple(float_below(level) for level in levels)
    is_given = question.mechanism(epsilons) is not None or question.thrift is not None
    if len(epsilons) == 1 or question.size == 2 or is_given:
        return None

    def advice(families: Mapping[str, LadderFamily]) -> LadderAdvice:
        recover = audience.recover
        return advise_ladder(
            size=question.size, epsilons=epsilons, recover=recover, same_question=True, families=families
        )

    plain = advice({name: family for name, family in _FAMILIES.items() if name != FLAGS})
    if question.size < _MANY or question.values is not None or question.counts_hits or audience.on_devices:
        return plain
    flagged = advice(_FAMILIES)
    return flagged if max(plain.regrets) > _PAYS * max(flagged.regrets) else plain


def hidden_price(question: LadderQuestion, levels: Sequence[Fraction], audience: Audience) -> float:
    """Return the variance of a share at the last level with no answer as one more answer, over that without it."""
    without, within = (
        best_ladder(replace(question, missing=missing), levels, audience).levels[-1]
        for missing in (None, Missing.HIDDEN)
    )
    return (within.share_deviation(question.goal_share) / without.share_deviation(question.goal_share)) ** 2


def declared_ladder(question: LadderQuestion, epsilons: Sequence[float], declaration: str) -> Ladder:
    """Return the ladder that reports declare; refuses one that is not for the question, or shows more than promised."""
    found = Ladder.declared(declaration)
    keeps = len(found.odds) == len(epsilons) and all(
        math.log(odds) <= epsilon * (1 + _ROUNDING) for odds, epsilon in zip(found.odds, epsilons, strict=True)
    )
    if not question.fits(found) or not keeps:
        raise InvalidParameter(
            f"is not a ladder for question {question.id!r} and what is promised about it",
            parameter="declaration",
            way_out="Ask for the reports again.",
        )
    return found
