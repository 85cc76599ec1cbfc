"""How each question is asked: with a card, or by a ladder whose levels are the analysts' and the public's."""

from __future__ import annotations

from sfumato.design import SurveyDesign
from sfumato.errors import InvalidParameter
from sfumato.infer import PrefixHunt
from sfumato.mechanisms import BinaryHadamard
from sfumato.prob import Channel
from sfumato.refine import Ladder
from sfumato.study.questions import FreeText, OneOfMany, Question, Recoverable, YesNo
from sfumato.study.studies import Study, has_levels
from sfumato.values.rounding import float_below


def card_for(study: Study, question: Question) -> SurveyDesign:
    """Return the design of a question that is asked with a card."""
    if not isinstance(question, YesNo) or question.limits is None:
        raise InvalidParameter(f"question {question.id!r} is not asked with a card. It has no guess_error.")
    return question.survey(study.name).design()


def channel_for(study: Study, question: Question) -> Channel:
    """Return the channel of a question without levels: its card's, or the best response that tells part of it."""
    return question.design().channel if isinstance(question, Recoverable) else card_for(study, question).channel


def ladder_for(study: Study, question: Question) -> Ladder:
    """Return the ladder of a question: cyclic, or flips where there are two answers or few random bits."""
    if not has_levels(question):
        raise InvalidParameter(f"question {question.id!r} is asked with a card, or for free text, and has no levels.")
    epsilons = tuple(float_below(level) for level in study.levels(question))
    size = len(question.labels)
    if size == 2:
        return Ladder(BinaryHadamard.within(size=2, epsilon=epsilons[0]), epsilons, recover=study.recover)
    if isinstance(question, OneOfMany) and question.random_bits is not None:
        return _thrifty(question, size, epsilons, recover=study.recover)
    return Ladder.within(size=size, epsilons=epsilons, recover=study.recover)


def hunt_for(study: Study, question: FreeText) -> PrefixHunt:
    """Return the hunt for frequent texts: a byte a level, everybody asked once at the question's epsilon."""
    return PrefixHunt.within(
        key_bits=8 * question.longest,
        step_bits=8,
        keep=question.keep,
        epsilon=float_below(study.levels(question)[-1]),
    )


def _thrifty(question: OneOfMany, size: int, epsilons: tuple[float, ...], *, recover: bool) -> Ladder:
    if recover:
        raise InvalidParameter(
            f"question {question.id!r} limits random_bits, and then a report is one bit, from which {size} answers "
            f"cannot be recovered. Drop random_bits, or [registrar] recover."
        )
    ladder = Ladder(BinaryHadamard.within(size=size, epsilon=epsilons[0]), epsilons)
    needed = ladder.randomness_bits().upper
    if question.random_bits is not None and needed > question.random_bits:
        raise InvalidParameter(
            f"question {question.id!r} needs {needed:.4f} random bits for these levels and may use "
            f"{float(question.random_bits):g}. Raise random_bits, or drop a level."
        )
    return ladder
