"""The two limits of a survey with a list of answers: how often a guesser must be wrong, and the odds of a report.

For two answers, :mod:`sfumato.design.limits` says the same with one weight.   Theory: docs/theory/listed_survey.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato import measures
from sfumato.design.limits import odds_within
from sfumato.errors import InvalidParameter
from sfumato.prob import Channel
from sfumato.values.checks import Number, as_exact
from sfumato.values.types import Real


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLimits:
    """A guesser for whom answer x has the chance weights[x] beforehand is wrong at least `guess_error` of the time.

    That is Σ_y max_x w_x p(y|x) ≤ 1 - a. And no report favours an answer by more than `max_odds`, infinite when there
    is no such limit.

    >>> import sfumato as sf
    >>> limits = sf.design.AnswerLimits.of(3, guess_error=0.5, max_epsilon=2)
    >>> limits.size, float(limits.most_right), round(float(limits.max_odds), 3)
    (3, 0.5, 7.389)
    >>> ways = ("train", "car", "on foot")
    >>> limits.kept_by(sf.design.list_response(ways, limits))
    True
    """

    guess_error: Fraction
    weights: tuple[Fraction, ...]
    max_odds: Number = math.inf

    def __post_init__(self) -> None:
        if len(self.weights) < 2:
            raise InvalidParameter("must be at least two", parameter="weights", way_out="Give one for each answer.")
        if min(self.weights) <= 0 or sum(self.weights) != 1:
            raise InvalidParameter(
                "must be above 0 and sum to 1", parameter="weights", way_out="Leave `weights` out for equal ones."
            )
        most = 1 - max(self.weights)
        if not 0 < self.guess_error <= most:
            raise InvalidParameter(
                f"must lie in (0, {float(most):.6g}]: without any report a guesser is wrong {float(most):.6g} of the "
                f"time, and reports make no guess worse",
                parameter="guess_error",
                value=float(self.guess_error),
                way_out="Lower `guess_error`, or weigh the answers more evenly.",
            )

    @classmethod
    def of(
        cls,
        answers: int,
        *,
        guess_error: Real,
        weights: Sequence[Real] | None = None,
        max_epsilon: float | None = None,
    ) -> AnswerLimits:
        """Read the limits as people give them: equal weights unless told otherwise, and ε rather than odds."""
        masses = (
            (Fraction(1, answers),) * answers
            if weights is None
            else tuple(as_exact("weights", weight) for weight in weights)
        )
        if len(masses) != answers:
            raise InvalidParameter(
                f"must be {answers}, one for each answer", parameter="weights", way_out="Count the answers."
            )
        return cls(guess_error=as_exact("guess_error", guess_error), weights=masses, max_odds=odds_within(max_epsilon))

    @property
    def size(self) -> int:
        """How many answers there are."""
        return len(self.weights)

    @property
    def most_right(self) -> Fraction:
        """How often a guesser may be right."""
        return 1 - self.guess_error

    @property
    def even(self) -> bool:
        """Whether all answers weigh the same."""
        return len(set(self.weights)) == 1

    def kept_by(self, channel: Channel) -> bool:
        """Whether a channel keeps both limits, exactly."""
        return (
            measures.guess_error(channel, self.weights) >= self.guess_error and measures.odds(channel) <= self.max_odds
        )
