"""Advice: the numbers are the mechanisms' own, the demands are kept, and the reason says so."""

import pytest

from sfumato.design import advise
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import BinaryHadamard, CyclicResponse, HadamardResponse
from sfumato.prob import Distribution


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


def test_recovery_and_levels_need_a_shift():
    for demand in ({"recoverable": True}, {"levels": (2.0, 1.0)}):
        advice = advise(1000, 1_000_000, 1.0, **demand)
        assert isinstance(advice.mechanism, CyclicResponse)
        refused = {p.name for p in advice.predictions if p.refused}
        assert {"subset selection", "optimised unary", "binary Hadamard"} <= refused


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
