"""Counts with noise, row by row: what n+1 rows of n+1 entries would hold is worked out only where it is asked for.

Three classics: two-sided geometric noise (the discrete Laplace law), folded into 0..top; the exponential mechanism with
score -|y-s|; and the count of yeses after every person answered by randomized response. Folding collects outputs
whose columns are proportional (everything below 0, everything above the top), so it changes nothing of what the report
tells. All three have a monotone likelihood ratio.   Theory: docs/theory/correlations.md
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import InvalidParameter
from sfumato.measures.enclosures import UNIT_ROUNDOFF
from sfumato.prob import Channel
from sfumato.prob.exact import FloatArray
from sfumato.values.checks import Number, check_at_least, check_between, check_integer, check_positive

GEOMETRIC, EXPONENTIAL, RESPONSES = "geometric", "exponential", "randomized response"
# Below this a double loses digits; what is left out is less than 1e-270 bits of anything here.
_SMALLEST = 1e-290
_LARGEST_EXPONENT = 700


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyCount:
    """A channel from a count 0..top to a noisy count 0..top, ε-differentially private for one person.

    >>> import sfumato as sf
    >>> blurred = sf.measures.NoisyCount.geometric(top=2, epsilon=1)
    >>> [round(share, 4) for share in blurred.rows([0])[0].tolist()]
    [0.7311, 0.17, 0.0989]
    >>> round(sf.measures.count_capacity(blurred).bits.upper, 4)
    0.3925
    """

    kind: str
    top: int
    epsilon: float

    def __post_init__(self) -> None:
        check_at_least("top", check_integer("top", self.top), 1)
        check_positive("epsilon", self.epsilon)
        check_between("epsilon", self.epsilon, 0, _LARGEST_EXPONENT, way_out="No noise is left long before that.")
        if self.kind not in _ROWS:
            raise InvalidParameter(
                "is no noise known here",
                parameter="kind",
                value=self.kind,
                way_out=f"Choose one of {', '.join(_ROWS)}.",
            )

    @classmethod
    def geometric(cls, *, top: int, epsilon: Number) -> NoisyCount:
        """P(y|s) ∝ e^(-ε|y-s|) on all whole numbers, folded into 0..top: the discrete Laplace law."""
        return cls(kind=GEOMETRIC, top=top, epsilon=_as_double(epsilon))

    @classmethod
    def exponential(cls, *, top: int, epsilon: Number) -> NoisyCount:
        """P(y|s) ∝ e^(-ε|y-s|/2) on 0..top: the exponential mechanism with score -|y-s|."""
        return cls(kind=EXPONENTIAL, top=top, epsilon=_as_double(epsilon))

    @classmethod
    def responses(cls, *, top: int, epsilon: Number) -> NoisyCount:
        """How many of `top` people report yes if s would, each answering truthfully with odds e^ε."""
        return cls(kind=RESPONSES, top=top, epsilon=_as_double(epsilon))

    @property
    def relative_error(self) -> float:
        """How far an entry is from the true one at most, as a share of it; entries below 1e-290 are 0."""
        # An exponent is a product rounded once, exp and the normaliser cost a few units, a sum one for each term.
        steps = 8 * self.top if self.kind == RESPONSES else min(self.epsilon * self.top, _LARGEST_EXPONENT)
        return UNIT_ROUNDOFF * 4 * (steps + self.top + 16)

    def rows(self, counts: Sequence[int]) -> FloatArray:
        """P(·|s) for these counts, each row summing to 1 as nearly as it can."""
        found = np.stack([_ROWS[self.kind](int(count), self.top, self.epsilon) for count in counts])
        found = np.where(found < _SMALLEST, 0.0, found)
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def channel(self) -> Channel:
        """All rows, as a dense float64 channel."""
        return Channel(self.rows(range(self.top + 1)))


def _as_double(epsilon: Number) -> float:
    check_positive("epsilon", epsilon)
    return float(epsilon)


def _geometric(count: int, top: int, epsilon: float) -> FloatArray:
    powers = np.exp(-epsilon * np.abs(np.arange(top + 1, dtype=np.float64) - count))
    powers[1:-1] *= -math.expm1(-epsilon)  # 1 - e^-ε, without cancelling
    return np.asarray(powers / (1 + math.exp(-epsilon)))


def _exponential(count: int, top: int, epsilon: float) -> FloatArray:
    return np.asarray(np.exp(-epsilon / 2 * np.abs(np.arange(top + 1, dtype=np.float64) - count)))


def _responses(count: int, top: int, epsilon: float) -> FloatArray:
    return np.convolve(_binomial(count, epsilon), _binomial(top - count, -epsilon))


def _binomial(draws: int, log_odds: float) -> FloatArray:
    """Return the binomial law by its ratios from the mode outwards: only products, so each step costs a few units."""
    if draws == 0:
        return np.ones(1)
    share = 1 / (1 + math.exp(-log_odds))
    mode = min(draws, int((draws + 1) * share))
    k = np.arange(draws, dtype=np.float64)
    ratios = (draws - k) / (k + 1) * math.exp(log_odds)  # P(k+1)/P(k)
    upwards, downwards = np.cumprod(ratios[mode:]), np.cumprod(1 / ratios[:mode][::-1])
    masses = np.concatenate([downwards[::-1], [1.0], upwards])
    return np.asarray(masses / masses.sum())


_ROWS = {GEOMETRIC: _geometric, EXPONENTIAL: _exponential, RESPONSES: _responses}
