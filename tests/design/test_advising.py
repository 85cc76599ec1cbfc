"""Advice: the numbers are the mechanisms' own, the demands are kept, and the reason says so."""

import pytest

from sfumato.design import advise
from sfumato.errors import InvalidParameter
from sfumato.infer import largest_information
from sfumato.mechanisms import BinaryHadamard, CyclicResponse, HadamardResponse
from sfumato.prob import Distribution
from sfumato.refine import Ladder
from sfumato.refine.ladder_advice import regrets
from sfumato.refine.rungs import CyclicRung


def test_a_thousand_answers_get_the_cyclic_response():
    advice = advise(1000, 1_000_000, 1.0)
    assert isinstance(advice.mechanism, CyclicResponse)
    assert "within 2% of the least, with the shortest reports" in advice.because
    by_name = {p.name: p for p in advice.predictions}
    assert by_name["cyclic response"].expected_squared_error == pytest.approx(
        float(sum(advice.mechanism.variance(Distribution.uniform(1000), 1_000_000))), rel=1e-9
    )
    assert by_name["cyclic response"].report_bytes == 2
    assert by_name["cyclic response"].random_bits == pytest.approx(10.244, abs=1e-3)
    assert by_name["optimised unary"].report_bytes == 125
    errors = [p.expected_squared_error for p in advice.predictions]
    assert errors == sorted(errors)


def test_a_budget_of_random_bits_leaves_binary_hadamard():
    advice = advise(1000, 1_000_000, 1.0, random_bits=0.7)
    assert isinstance(advice.mechanism, BinaryHadamard)
    assert advice.mechanism.randomness_bits().upper <= 0.7
    assert "only mechanism" in advice.because
    assert all(p.random_bits > 0.7 for p in advice.predictions if "random bits" in p.refused)


def test_recovery_needs_a_shift():
    advice = advise(1000, 1_000_000, 1.0, recoverable=True)
    assert isinstance(advice.mechanism, CyclicResponse)
    refused = {p.name for p in advice.predictions if p.refused}
    assert {"subset selection", "optimised unary", "binary Hadamard"} <= refused


def test_levels_are_advised_as_a_whole():
    """At its sharpest level alone q = 16, t = 3 is best; over both levels q = 8, t = 4 is, and flags are better."""
    advice = advise(273, 10**5, 2.708, levels=[2.708, 1.0986])
    assert advice.ladder.declaration == Ladder.of_flags(size=273, epsilons=[2.708, 1.0986]).declaration
    one_set = next(one for one in advice.predictions if one.name.startswith("cyclic response"))
    assert (one_set.rung.q, one_set.rung.t) == (8, 4)
    assert one_set.regrets == pytest.approx((1.165, 1.199), abs=2e-3)
    assert one_set.worst > 1.15 * max(advice.regrets)
    alone = CyclicResponse.within(size=273, epsilon=2.708)
    assert (alone.q, alone.t) == (16, 3)
    narrow = CyclicRung.over(alone)
    elsewhere = regrets([narrow.at(narrow.odds_for(epsilon)) for epsilon in (2.708, 1.0986)], (2.708, 1.0986))
    assert max(elsewhere) > 1.2 * one_set.worst
    for regret, rung in zip(advice.regrets, advice.ladder.levels, strict=True):
        risk = float(sum(rung.variance(Distribution.uniform(273), 10**5)))
        least = 272**2 / (10**5 * float(largest_information(273, rung.odds)))
        assert regret == pytest.approx(risk / least, rel=1e-4)
        assert regret >= 1


def test_levels_must_begin_with_epsilon():
    with pytest.raises(InvalidParameter, match=r"must begin with `epsilon`=1\.0, the sharpest level"):
        advise(1000, 1_000_000, 1.0, levels=(2.0, 1.0))
    with pytest.raises(InvalidParameter, match="must begin with"):
        advise(1000, 1_000_000, 1.0, levels=())
    with pytest.raises(InvalidParameter, match=r"random_bits=0\.5 goes with one level only"):
        advise(1000, 1_000_000, 2.0, random_bits=0.5, levels=(2.0, 1.0))


def test_recoverability_of_hadamard_response_is_tested_not_assumed():
    predictions = {k: advise(k, 100_000, 0.5).predictions for k in (3, 7)}
    for predicted in predictions.values():
        (found,) = [p for p in predicted if isinstance(p.mechanism, HadamardResponse)]
        assert found.recoverable == (found.mechanism.heaviest_output <= 1)


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1.0), (4, 3.0), (10, 5.0), (100, 0.2), (300, 2.0)])
def test_nothing_better_is_left_unsaid(k, epsilon):
    advice = advise(k, 100_000, epsilon)
    chosen = next(p for p in advice.predictions if p.mechanism == advice.mechanism)
    least = min(p.expected_squared_error for p in advice.predictions)
    assert chosen.expected_squared_error <= 1.02 * least
    assert advice.because.startswith(chosen.name)


def test_impossible_demands_and_bad_numbers():
    with pytest.raises(InvalidParameter, match=r"random_bits=0\.5 is met by no mechanism with `recoverable`=True"):
        advise(1000, 1_000_000, 1.0, random_bits=0.5, recoverable=True)
    with pytest.raises(InvalidParameter, match="size=1 must be at least 2"):
        advise(1, 10, 1.0)
    with pytest.raises(InvalidParameter, match="epsilon=0 must be a positive"):
        advise(10, 10, 0)
