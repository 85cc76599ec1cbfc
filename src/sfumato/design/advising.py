"""advise: which mechanism for so many answers, people and so much privacy, and why.

Whole ladders are the affair of :mod:`sfumato.refine.ladder_advice`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, overload

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import (
    BinaryHadamard,
    CyclicResponse,
    HadamardResponse,
    OptimisedUnary,
    RandomizedResponse,
    SubsetSelection,
    SymmetricUnary,
)
from sfumato.prob import Distribution
from sfumato.values.checks import check_at_least, check_integer, check_positive

if TYPE_CHECKING:
    from sfumato.refine.ladder_advice import LadderAdvice

# Errors this close are equal for practical purposes, and the shorter report wins.
_AS_GOOD = 1.02

FrequencyMechanism = (
    BinaryHadamard
    | CyclicResponse
    | HadamardResponse
    | OptimisedUnary
    | RandomizedResponse
    | SubsetSelection
    | SymmetricUnary
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What one mechanism would do: the expected squared error over all shares, and the cost of a report.

    `refused` says why it was not considered, empty when it was.

    >>> import sfumato as sf
    >>> for one in sf.design.advise(size=10, n=10_000, epsilon=1.0).predictions[:3]:
    ...     print(one.name, round(one.expected_squared_error, 5), one.report_bytes, round(one.random_bits, 2))
    subset selection 0.0031 2 5.33
    cyclic response 0.0032 1 3.52
    optimised unary 0.00387 2 8.56
    """

    name: str
    mechanism: FrequencyMechanism
    expected_squared_error: float
    report_bytes: float
    random_bits: float
    recoverable: bool
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The mechanism to use, the reason in words, and every candidate with its numbers, least error first.

    >>> import sfumato as sf
    >>> advice = sf.design.advise(size=10, n=10_000, epsilon=1.0)
    >>> advice.mechanism
    SubsetSelection(size=10, odds=Fraction(5837465777, 2147483648), chosen=2, width=64)
    >>> advice.because
    'subset selection: expected squared error 0.0031, the least; the next best is cyclic response with 0.0032.'
    """

    mechanism: FrequencyMechanism
    because: str
    predictions: tuple[Prediction, ...]


@overload
def advise(
    size: int,
    n: int,
    epsilon: float,
    random_bits: float | None = None,
    recoverable: bool = False,
    levels: None = None,
    weights: None = None,
) -> Advice: ...


@overload
def advise(
    size: int,
    n: int,
    epsilon: float,
    random_bits: None = None,
    recoverable: bool = False,
    *,
    levels: Sequence[float],
    weights: Sequence[float] | None = None,
) -> LadderAdvice: ...


def advise(
    size: int,
    n: int,
    epsilon: float,
    random_bits: float | None = None,
    recoverable: bool = False,
    levels: Sequence[float] | None = None,
    weights: Sequence[float] | None = None,
) -> Advice | LadderAdvice:
    """Pick the mechanism with the shortest reports among those whose expected squared error is all but the least.

    Errors are at uniform shares of `size` answers from `n` people. `random_bits` limits the random bits of a report,
    `recoverable` asks that a key can turn reports back into answers. With `levels`, sharpest first and the first of
    them `epsilon`, whole ladders are compared at every level, and the advice is a ladder; `weights` say how much each
    counts.

    Returns:
        The mechanism with its reason; the whole ladder with its reason where `levels` are given.

    Raises:
        InvalidParameter: no mechanism meets the demands, or `levels` do not begin with `epsilon`.

    >>> import sfumato as sf
    >>> sf.design.advise(size=10, n=10_000, epsilon=1.0, recoverable=True).because
    'cyclic response: expected squared error 0.0032, the least; the next best is randomised response with 0.00419.'
    >>> sf.design.advise(size=10, n=10_000, epsilon=2.0, levels=[2.0, 1.0]).because
    'sets inside one another: at its worst level the squared error is 1.01 times the least that an unbiased estimate
    with as much privacy has; the next best is flags, with 1.34.'
    """
    check_at_least("size", check_integer("size", size), 2)
    check_at_least("n", check_integer("n", n), 1)
    check_positive("epsilon", epsilon)
    if levels is not None:
        return _whole_ladder(size, n, epsilon, random_bits, recoverable, levels, weights)
    judged = _predict(size, n, epsilon, random_bits, recoverable)
    fitting = [prediction for prediction in judged if not prediction.refused]
    if not fitting:
        reasons = "; ".join(f"{prediction.name} {prediction.refused}" for prediction in judged)
        raise InvalidParameter(
            f"is met by no mechanism with `recoverable`={recoverable}: {reasons}",
            parameter="random_bits",
            value=random_bits,
            way_out="Drop a demand.",
        )
    least = min(prediction.expected_squared_error for prediction in fitting)
    close = [prediction for prediction in fitting if prediction.expected_squared_error <= _AS_GOOD * least]
    best = min(close, key=lambda p: (p.report_bytes, p.random_bits, p.expected_squared_error))
    return Advice(
        mechanism=best.mechanism,
        because=_reason(best, close, fitting),
        predictions=tuple(sorted(judged, key=_rank)),
    )


def _whole_ladder(
    size: int,
    n: int,
    epsilon: float,
    random_bits: float | None,
    recoverable: bool,
    levels: Sequence[float],
    weights: Sequence[float] | None,
) -> LadderAdvice:
    from sfumato.refine.ladder_advice import advise_ladder  # noqa: PLC0415  a later room, for those who ask for levels

    wanted = tuple(levels)
    if not wanted or wanted[0] != epsilon:
        raise InvalidParameter(
            f"must begin with `epsilon`={epsilon}, the sharpest level",
            parameter="levels",
            value=wanted,
            way_out="Put the largest epsilon first, in both places.",
        )
    if random_bits is not None:
        raise InvalidParameter(
            "goes with one level only: how many random bits a ladder takes depends on its levels",
            parameter="random_bits",
            value=random_bits,
            way_out="Leave out `levels`, or ask Ladder.of_flips for its randomness_bits().",
        )
    return advise_ladder(size=size, epsilons=wanted, n=n, weights=weights, recover=recoverable)


def _reason(best: Prediction, close: list[Prediction], fitting: list[Prediction]) -> str:
    said = f"{best.name}: expected squared error {best.expected_squared_error:.3g}"
    if len(fitting) == 1:
        return f"{said}, the only mechanism that meets the demands."
    if len(close) > 1:
        others = ", ".join(p.name for p in close if p is not best)
        return f"{said}, within {_AS_GOOD - 1:.0%} of the least, with the shortest reports of those as good ({others})."
    runner_up = min((p for p in fitting if p is not best), key=lambda p: p.expected_squared_error)
    return f"{said}, the least; the next best is {runner_up.name} with {runner_up.expected_squared_error:.3g}."


def _rank(prediction: Prediction) -> tuple[bool, float, float]:
    return bool(prediction.refused), prediction.expected_squared_error, prediction.report_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A family of mechanisms: how to make one, and what is known of it. `random_bits` is H(Y|X) of a report.

    Shifts can always be undone with a key; Hadamard response only sometimes; sets, and answers to a question, hide too
    much to undo.
    """

    name: str
    make: Callable[[int, float, float | None], Any]
    random_bits: Callable[[Any], float]
    recoverable: Callable[[Any], bool] = lambda _: False
    # At uniform shares every answer has the same variance, so one speaks for all.
    risk: Callable[[Any, Distribution, int], float] = lambda made, law, n: len(law) * float(made.variance(law, n)[0])

    def predict(self, size: int, n: int, epsilon: float, random_bits: float | None) -> Prediction:
        """Say what it would do, at uniform shares."""
        made = self.make(size, epsilon, random_bits)
        return Prediction(
            name=self.name,
            mechanism=made,
            expected_squared_error=self.risk(made, Distribution.uniform(size), n),
            report_bytes=made.privatize([0]).nbytes,
            random_bits=self.random_bits(made),
            recoverable=self.recoverable(made),
        )


def _within(family: type[Any]) -> Callable[[int, float, float | None], Any]:
    return lambda size, epsilon, _: family.within(size=size, epsilon=epsilon)


def _shift_bits(made: CyclicResponse | RandomizedResponse) -> float:
    return measures.largest_randomness_interval(made.channel()).upper


def _set_bits(made: SubsetSelection) -> float:
    with_answer, without = (math.comb(made.size - 1, made.chosen - taken) for taken in (1, 0))
    return _two_level_bits(made.odds, with_answer, without)


def _block_bits(made: HadamardResponse) -> float:
    return _two_level_bits(made.odds, made.block // 2, made.outputs - made.block // 2)


def _unary_bits(made: OptimisedUnary | SymmetricUnary) -> float:
    own, other = made.probabilities
    return _coin_bits(own) + (made.size - 1) * _coin_bits(other)


def _predict(size: int, n: int, epsilon: float, random_bits: float | None, recoverable: bool) -> list[Prediction]:
    # Every question of binary Hadamard needs someone who answers it.
    offered = [one for one in _CANDIDATES if one is not _BINARY_HADAMARD or n >= 2 * size]
    return [_judge(one.predict(size, n, epsilon, random_bits), random_bits, recoverable) for one in offered]


def _judge(prediction: Prediction, budget: float | None, recoverable: bool) -> Prediction:
    reasons = []
    if budget is not None and prediction.random_bits > budget + 1e-9:
        reasons.append(f"needs {prediction.random_bits:.3g} random bits a report")
    if recoverable and not prediction.recoverable:
        reasons.append("cannot be undone with a key")
    return replace(prediction, refused=" and ".join(reasons))


def _two_level_bits(odds: Fraction, favoured: int, others: int) -> float:
    """Entropy of a law that favours some outcomes by `odds`; the numbers of outcomes may be astronomical."""
    total = odds * favoured + others
    inside = float(odds * favoured / total)
    whole = math.log2(total.numerator) - math.log2(total.denominator)
    return whole - inside * (math.log2(odds.numerator) - math.log2(odds.denominator))


def _coin_bits(chance: Fraction) -> float:
    p = float(chance)
    return 0.0 if p in {0.0, 1.0} else -(p * math.log2(p) + (1 - p) * math.log2(1 - p))


_BINARY_HADAMARD = _Candidate(
    name="binary Hadamard",
    make=lambda size, epsilon, few: BinaryHadamard.within(size=size, epsilon=epsilon, random_bits=few),
    random_bits=lambda made: float(made.randomness_bits().upper),
    risk=lambda made, law, n: float(made.risk(law, n)),
)
_CANDIDATES = (
    _Candidate(
        name="cyclic response",
        make=_within(CyclicResponse),
        random_bits=_shift_bits,
        recoverable=lambda _: True,
    ),
    _Candidate(
        name="randomised response",
        make=_within(RandomizedResponse),
        random_bits=_shift_bits,
        recoverable=lambda _: True,
    ),
    _Candidate(
        name="Hadamard response",
        make=_within(HadamardResponse),
        random_bits=_block_bits,
        recoverable=lambda made: bool(made.heaviest_output <= 1),
    ),
    _Candidate(name="subset selection", make=_within(SubsetSelection), random_bits=_set_bits),
    _Candidate(name="optimised unary", make=_within(OptimisedUnary), random_bits=_unary_bits),
    _Candidate(name="symmetric unary", make=_within(SymmetricUnary), random_bits=_unary_bits),
    _BINARY_HADAMARD,
)
