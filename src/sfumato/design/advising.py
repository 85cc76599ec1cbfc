"""advise: which mechanism for so many answers, people and so much privacy, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

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
    """The mechanism to use, the reason in words, and every candidate with its numbers, least error first."""

    mechanism: FrequencyMechanism
    because: str
    predictions: tuple[Prediction, ...]


def advise(
    size: int,
    n: int,
    epsilon: float,
    random_bits: float | None = None,
    recoverable: bool = False,
    levels: Sequence[float] | None = None,
) -> Advice:
    """Pick the mechanism with the shortest reports among those whose expected squared error is all but the least.

    Errors are at uniform shares of `size` answers from `n` people. `random_bits` limits the random bits of a report,
    `recoverable` asks that a key can turn reports back into answers, `levels` that readers can open them by degrees.
    """
    check_at_least("size", check_integer("size", size), 2)
    check_at_least("n", check_integer("n", n), 1)
    check_positive("epsilon", epsilon)
    judged = _predict(size, n, epsilon, random_bits, recoverable or levels is not None, levels is not None)
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


def _predict(
    k: int, n: int, epsilon: float, budget: float | None, recoverable: bool, layered: bool
) -> list[Prediction]:
    found = [
        _prediction("cyclic response", CyclicResponse.within(size=k, epsilon=epsilon), k, n),
        _prediction("randomised response", RandomizedResponse.within(size=k, epsilon=epsilon), k, n),
        _prediction("Hadamard response", HadamardResponse.within(size=k, epsilon=epsilon), k, n),
        _prediction("subset selection", SubsetSelection.within(size=k, epsilon=epsilon), k, n),
        _prediction("optimised unary", OptimisedUnary.within(size=k, epsilon=epsilon), k, n),
        _prediction("symmetric unary", SymmetricUnary.within(size=k, epsilon=epsilon), k, n),
    ]
    if n >= 2 * k:  # every question of binary Hadamard needs someone who answers it
        hadamard = BinaryHadamard.within(size=k, epsilon=epsilon, random_bits=budget)
        found.append(_prediction("binary Hadamard", hadamard, k, n))
    return [_judge(prediction, budget, recoverable, layered) for prediction in found]


def _judge(prediction: Prediction, budget: float | None, recoverable: bool, layered: bool) -> Prediction:
    reasons = []
    if budget is not None and prediction.random_bits > budget + 1e-9:
        reasons.append(f"needs {prediction.random_bits:.3g} random bits a report")
    if recoverable and not prediction.recoverable:
        reasons.append("cannot be undone with a key")
    if layered and not isinstance(prediction.mechanism, CyclicResponse):
        reasons.append("has no levels on any alphabet")
    return replace(prediction, refused=" and ".join(reasons))


def _prediction(name: str, mechanism: FrequencyMechanism, k: int, n: int) -> Prediction:
    # At uniform shares every answer has the same variance, so one speaks for all.
    error = (
        float(mechanism.risk(Distribution.uniform(k), n))
        if isinstance(mechanism, BinaryHadamard)
        else k * float(mechanism.variance(Distribution.uniform(k), n)[0])
    )
    probe = mechanism.privatize([0])
    return Prediction(
        name=name,
        mechanism=mechanism,
        expected_squared_error=error,
        report_bytes=probe.nbytes,
        random_bits=_random_bits(mechanism),
        recoverable=_is_recoverable(mechanism),
    )


def _random_bits(mechanism: FrequencyMechanism) -> float:
    """H(Y|X) of a report."""
    if isinstance(mechanism, CyclicResponse | RandomizedResponse):
        return measures.largest_randomness_interval(mechanism.channel()).upper
    if isinstance(mechanism, BinaryHadamard):
        return mechanism.randomness_bits().upper
    if isinstance(mechanism, SubsetSelection):
        with_answer = math.comb(mechanism.size - 1, mechanism.chosen - 1)
        without = math.comb(mechanism.size - 1, mechanism.chosen)
        return _two_level_bits(mechanism.odds, with_answer, without)
    if isinstance(mechanism, HadamardResponse):
        return _two_level_bits(mechanism.odds, mechanism.block // 2, mechanism.outputs - mechanism.block // 2)
    own, other = mechanism.probabilities
    return _coin_bits(own) + (mechanism.size - 1) * _coin_bits(other)


def _two_level_bits(odds: Fraction, favoured: int, others: int) -> float:
    """Entropy of a law that favours some outcomes by `odds`; the numbers of outcomes may be astronomical."""
    total = odds * favoured + others
    inside = float(odds * favoured / total)
    whole = math.log2(total.numerator) - math.log2(total.denominator)
    return whole - inside * (math.log2(odds.numerator) - math.log2(odds.denominator))


def _coin_bits(chance: Fraction) -> float:
    p = float(chance)
    return 0.0 if p in {0.0, 1.0} else -(p * math.log2(p) + (1 - p) * math.log2(1 - p))


def _is_recoverable(mechanism: FrequencyMechanism) -> bool:
    """Shifts always are; Hadamard response only sometimes; sets and answers to a question hide too much to undo."""
    if isinstance(mechanism, HadamardResponse):
        return mechanism.heaviest_output <= 1
    return isinstance(mechanism, CyclicResponse | RandomizedResponse)
