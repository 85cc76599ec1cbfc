"""The two limits of a yes/no survey: how wrong a guesser must be, and by how much a report may favour an answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sfumato.errors import InvalidParameter
from sfumato.values.checks import Number, as_exact, check_positive
from sfumato.values.rounding import fraction_below_exp
from sfumato.values.types import Real

# Odds are cut to multiples of 2^-32 below e^epsilon: the promise is kept, and epsilon falls short by less than 2.4e-10.
_ODDS_GRID = 1 << 32
# Beyond this the odds are so large that reports are public for any practical purpose.
_MOST_EPSILON = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """A guesser who weighs a wrong "yes" by 1-weight and a wrong "no" by weight errs by at least `guess_error`.

    And no report favours an answer by more than `max_odds`, infinite when there is no such limit. Refs: [C, eq. (1)]
    with a = `guess_error` and δ = 1 - 2a.

    >>> import sfumato as sf
    >>> limits = sf.design.Limits.of(guess_error=0.375, max_epsilon=2)
    >>> limits.delta, limits.weight, round(float(limits.max_odds), 3)
    (Fraction(1, 4), Fraction(1, 2), 7.389)
    >>> sf.design.meets(sf.design.warner_device(0.6).channel, limits)
    True
    """

    guess_error: Fraction
    weight: Fraction
    max_odds: Number = math.inf

    def __post_init__(self) -> None:
        a, w = self.guess_error, self.weight
        if not 0 < a < Fraction(1, 2):
            raise InvalidParameter(
                "must lie strictly between 0 and 0.5 (`delta` = 1 - 2·`guess_error` strictly between 0 and 1): at 0.5 "
                "nothing is learned, at 0 nothing is hidden",
                parameter="guess_error",
                value=float(a),
                way_out="Choose for instance 0.375.",
            )
        if not a <= w <= 1 - a:
            raise InvalidParameter(
                f"must lie in [a, 1-a] = [{_show(a)}, {_show(1 - a)}]: with this much guess error the two mistakes "
                f"cannot be weighed so unevenly",
                parameter="weight",
                value=float(w),
                way_out=f"Lower `guess_error` to at most {_show(min(w, 1 - w))} (`delta` to at least "
                f"{_show(abs(1 - 2 * w))}) or move `weight` towards 0.5.",
            )

    @classmethod
    def of(
        cls,
        *,
        guess_error: Real | None = None,
        delta: Real | None = None,
        weight: Real = Fraction(1, 2),
        max_epsilon: float | None = None,
    ) -> Limits:
        """Read the limits as people give them: a guess error or δ, and ε rather than odds."""
        if (guess_error is None) == (delta is None):
            raise InvalidParameter(
                "one of `guess_error` and `delta` = 1 - 2·`guess_error` is needed, and not both",
                way_out="Give one of the two.",
            )
        a = as_exact("guess_error", guess_error) if delta is None else (1 - as_exact("delta", delta)) / 2
        if delta is not None and not 0 < as_exact("delta", delta) < 1:
            raise InvalidParameter(
                "must lie strictly between 0 and 1", parameter="delta", value=delta, way_out="Choose for instance 0.25."
            )
        return cls(guess_error=a, weight=as_exact("weight", weight), max_odds=odds_within(max_epsilon))

    @property
    def delta(self) -> Fraction:
        """δ = 1 - 2a: the largest ‖(1-w)p_0 - w p_1‖_1."""
        return 1 - 2 * self.guess_error


def odds_within(max_epsilon: float | None) -> Number:
    """Return the odds that a limit on ε allows, never more; infinite where there is none."""
    if max_epsilon is None or max_epsilon == math.inf:
        return math.inf
    check_positive("max_epsilon", max_epsilon)
    if max_epsilon > _MOST_EPSILON:
        raise InvalidParameter(
            f"must be at most {_MOST_EPSILON}: beyond that a report is public for any practical purpose",
            parameter="max_epsilon",
            value=max_epsilon,
            way_out="Leave `max_epsilon` out to drop the limit.",
        )
    return fraction_below_exp(max_epsilon, denominator=_ODDS_GRID)


def _show(value: Fraction) -> str:
    return f"{float(value):.6g}"
