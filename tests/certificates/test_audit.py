"""The auditor's arithmetic; its power is tested in tests/statistical."""

import math
from fractions import Fraction

import pytest

from sfumato.certificates import Status, audit_counts
from sfumato.certificates.auditing import audit
from sfumato.errors import InvalidParameter
from sfumato.mechanisms import RandomizedResponse, Tabulated
from sfumato.prob import Channel
from sfumato.sampling import InsecureSeeded


def binomial_tail(k, n, p):
    """Pr[Bin(n, p) ≥ k], exact."""
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


def test_bounds_are_clopper_pearson_by_exact_binomial_sums():
    """The reported bound is ln(low/high) where the exact binomial tails at low and high are failure/8."""
    result = audit_counts([[80, 20], [30, 70]], claimed_epsilon=0.1, failure=1e-3)
    favoured, disfavoured, report = result.pair
    table = [[80, 20], [30, 70]]
    hits_high, hits_low = table[favoured][report], table[disfavoured][report]
    tail = 1e-3 / 8

    def solve(function):
        low, high = Fraction(0), Fraction(1)
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if function(middle) < tail else (low, middle)
        return float(low)

    lower = solve(lambda p: binomial_tail(hits_high, 100, p))
    upper = 1 - solve(lambda p: binomial_tail(100 - hits_low, 100, p))
    assert result.epsilon_at_least == pytest.approx(math.log(lower / upper), abs=1e-7)
    assert result.contradicts_claim
    assert "contradicts the claim" in result.sentence
    assert result.claim.status is Status.ESTIMATED
    assert result.claim.confidence == 1 - 1e-3


def test_an_output_that_one_answer_never_gives_is_strong_but_finite_evidence():
    result = audit_counts([[1000, 0], [500, 500]])
    # ln(.42/.0155): half of 1000 reports against none of 1000, both at a tail of 1e-6/8.
    assert 3 < result.epsilon_at_least < 3.5
    assert not result.contradicts_claim


def test_no_evidence_gives_zero():
    assert audit_counts([[1, 0], [1, 0]]).epsilon_at_least == 0


def test_the_claim_defaults_to_the_mechanisms_own_and_the_bits_are_named():
    mechanism = RandomizedResponse(size=4, odds=Fraction(2))
    steps = []
    result = audit(mechanism, 10_002, bits=InsecureSeeded(1), progress=steps.append)
    assert result.draws == sum(steps) == 10_002
    assert result.claimed_epsilon == pytest.approx(math.log(2))
    assert "INSECURE" in result.bits


@pytest.mark.parametrize(
    ("counts", "arguments", "sentence"),
    [
        ([[1, 2]], {}, "at least two answers"),
        ([[1, -2], [1, 1]], {}, "whole numbers ≥ 0"),
        ([[1.5, 2], [1, 1]], {}, "whole numbers"),
        ([[0, 0], [1, 1]], {}, "no reports at all of answer number 0"),
        ([[1, 1], [1, 1]], {"claimed_epsilon": -1.0}, "claimed_epsilon=-1.0 must be at least 0"),
        ([[1, 1], [1, 1]], {"claimed_epsilon": math.nan}, "must be at least 0"),
        ([[1, 1], [1, 1]], {"failure": 0.0}, "failure=0.0 must lie in"),
    ],
)
def test_bad_input(counts, arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        audit_counts(counts, **arguments)


def test_too_few_draws():
    with pytest.raises(InvalidParameter, match="n=1 must be at least 2"):
        audit(RandomizedResponse(size=2, odds=Fraction(3)), 1)


@pytest.mark.parametrize(("claimed", "said"), [(0.1, "0.1"), (math.inf, "∞"), (1.0986122886681098, "1.099")])
def test_the_claim_is_repeated_as_it_was_made(claimed, said):
    found = audit_counts([[525, 475], [475, 525]], claimed_epsilon=claimed)
    assert found.sentence.endswith(f"does not contradict the claim of {said}.")


def test_a_channel_that_proves_answers_can_be_audited():
    """Its own ε is infinite, so that nothing contradicts it."""
    silent = Tabulated(Channel([[Fraction(1, 4), 0, Fraction(3, 4)], [0, Fraction(1, 4), Fraction(3, 4)]]))
    assert audit(silent, 1000).sentence.endswith("does not contradict the claim of ∞.")
