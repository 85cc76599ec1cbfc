"""What no private estimation of shares can beat: the bounds that hold, and where the printed ones fail."""

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from reproduce import paper_b as printed_bounds
from sfumato import inference
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
from sfumato.mechanisms.binary_hadamard import binary_entropy_bits, inverse_binary_entropy
from sfumato.prob import Distribution

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "binary_hadamard.json").read_text())["bounds"]
GRID = list(itertools.product([0.1, 0.5, 1.0, 2.0, 4.0], [None, 1.0, 0.83, 0.5, 0.2, 0.02, 1e-4], [2, 3, 10, 64, 1000]))


def both_ways(size, epsilon, budget):
    """Every mechanism offered under a budget, not only the better one."""
    yield BinaryHadamard.within(size=size, epsilon=epsilon, random_bits=budget)
    if budget is not None and budget < inference.critical_random_bits(epsilon):
        yield BinaryHadamard._rarer_yes(size, epsilon, budget, 64)
        yield BinaryHadamard._silent_or_answer(size, epsilon, budget, 64)


@pytest.mark.parametrize("bits", [0.0, 1e-9, 0.02, 0.5, 0.999, 1.0])
def test_inverse_binary_entropy(bits):
    p = inverse_binary_entropy(bits)
    assert 0 <= p <= 0.5
    assert binary_entropy_bits(p) == pytest.approx(bits, rel=1e-12)
    with pytest.raises(InvalidParameter, match="bits"):
        inverse_binary_entropy(1.1)


def test_no_mechanism_is_better_than_the_floor():
    """On a grid of epsilon, budget, size and n; and the worst law is at least as bad as the uniform one."""
    for epsilon, budget, size in GRID[::2]:
        for mechanism, times in itertools.product(both_ways(size, epsilon, budget), [1, 7, 10**6]):
            n = times * mechanism.groups
            worst = mechanism.largest_risk(n)
            assert worst >= mechanism.risk(Distribution.uniform(size), n) * (1 - 1e-12)
            assert worst >= inference.risk_floor(size, n, epsilon, budget)
            assert math.sqrt(size * worst) >= inference.l1_floor(size, n, epsilon, budget)


def test_the_floor_lies_below_a_guess_that_needs_no_report():
    """Guessing uniform shares has risk 1 - 1/k and ℓ1 error 2(1 - 1/k) at worst."""
    for epsilon, budget, size in GRID:
        assert inference.risk_floor(size, 1, epsilon, budget) < 1 - 1 / size
        assert inference.l1_floor(size, 1, epsilon, budget) < 2 * (1 - 1 / size)


def test_theorem_2_holds_in_equal_groups():
    for epsilon, budget, size in GRID:
        mechanism = BinaryHadamard.within(size=size, epsilon=epsilon, random_bits=budget)
        n = 3 * mechanism.groups
        assert mechanism.largest_risk(n) <= inference.risk_ceiling(size, n, epsilon, budget) * (1 + 1e-6)


def test_erratum_equation_8_is_beaten_below_the_critical_budget():
    case = VECTORS["eq8_beaten"]
    size = n = 1 << 16
    mechanism = BinaryHadamard._rarer_yes(size, case["epsilon"], case["random_bits"], 64)
    printed = printed_bounds.eq8_lower_bound(size, n - 1, case["epsilon"], case["random_bits"])
    assert mechanism.randomness_bits().upper <= case["random_bits"]
    assert mechanism.largest_risk(n - 1) / printed == pytest.approx(case["ratio"], abs=5e-4)
    assert mechanism.largest_risk(n - 1) >= inference.risk_floor(size, n - 1, case["epsilon"], case["random_bits"])


def test_erratum_equation_8_exceeds_what_a_guess_risks():
    case = VECTORS["eq8_absurd"]
    printed = printed_bounds.eq8_lower_bound(case["size"], case["n"], case["epsilon"])
    assert printed == pytest.approx(case["value"], abs=0.05)
    # The print asks for n ≥ 4e^ε/(p_R²(e^ε-1)²), and p_R is 1/(e^ε+1) at R_c: just met.
    odds = math.exp(case["epsilon"])
    assert case["n"] - 1 < 4 * odds * (odds + 1) ** 2 / (odds - 1) ** 2 <= case["n"]
    assert printed > 1 > inference.risk_floor(case["size"], case["n"], case["epsilon"])


def test_erratum_the_order_below_the_critical_budget():
    """Users grow as 1/p_R at least, and silent-or-answer needs no more; the print says 1/p_R²."""
    epsilon, size, risk = 1.0, 8, 1e-7
    few, many = 1e-2, 1e-4
    shrink = inverse_binary_entropy(few) / inverse_binary_entropy(many)
    floors = [inference.users_floor(size, risk, epsilon, budget) for budget in (few, many)]
    printed = [printed_bounds.eq12_users_order(size, risk, epsilon, budget) for budget in (few, many)]
    reached = [BinaryHadamard.within(size=size, epsilon=epsilon, random_bits=b).largest_risk(7) for b in (few, many)]
    assert floors[1] / floors[0] == pytest.approx(shrink, rel=0.01)
    assert reached[1] / reached[0] == pytest.approx(shrink, rel=0.2)
    assert printed[1] / printed[0] == pytest.approx(shrink**2)


def test_equation_10_is_loose():
    case = VECTORS["eq10_loose"]
    law = 0.8 ** np.arange(case["size"])
    mechanism = BinaryHadamard.within(size=case["size"], epsilon=case["epsilon"], random_bits=case["random_bits"])
    exact = mechanism.risk((law / law.sum()).tolist(), case["n"])
    # The recorded number counts a group that is asked nothing: 2/K more.
    assert exact == pytest.approx(case["exact"], rel=0.003)
    printed = inference.risk_ceiling(case["size"], case["n"], case["epsilon"], case["random_bits"])
    assert printed == pytest.approx(case["eq10"], abs=5e-4)


@pytest.mark.slow
def test_sample_sizes_invert_the_bounds():
    for epsilon, budget, size in GRID:
        risk = 1e-6 / size
        floor, enough = (f(size, risk, epsilon, budget) for f in (inference.users_floor, inference.users_enough))
        assert 1 < floor <= enough
        assert inference.risk_floor(size, floor, epsilon, budget) <= risk * (1 + 1e-9)
        assert inference.risk_floor(size, floor - 1, epsilon, budget) >= risk * (1 - 1e-9)
        assert inference.risk_ceiling(size, enough, epsilon, budget) <= risk * (1 + 1e-9)
    assert inference.users_floor(1000, 0.5, 1.0) == 0


def test_l1_floor_is_continuous_and_a_quarter_at_the_bend():
    epsilon, size = 1.0, 100
    bend = size**2 / (32 * inference.information_per_user(epsilon))
    assert inference.l1_floor(size, math.floor(bend), epsilon) == pytest.approx(0.25, abs=1e-3)
    assert inference.l1_floor(size, math.ceil(bend), epsilon) == pytest.approx(0.25, abs=1e-3)
    n = 10**6
    tau = printed_bounds.eq8_lower_bound(size, n, epsilon)
    assert inference.l1_floor(size, n, epsilon) == pytest.approx(math.sqrt(size * tau / 32))
    assert printed_bounds.eq8_l1_lower_bound(size, n, epsilon) == pytest.approx(
        2 * inference.l1_floor(size, n, epsilon)
    )


def test_information_is_what_a_search_over_channels_finds_at_most():
    """½·e^ε·Σ(Q-Q')²/(Q+Q') over pairs of rows with three reports, odds ≤ e^ε and H ≤ R, never exceeds A."""
    masses = np.concatenate([np.geomspace(1e-4, 0.05, 12), np.linspace(0.06, 0.9, 22)])
    for epsilon, budget in itertools.product([0.5, 1.0, 2.0], [0.2, 0.5, 0.8, 2.0]):
        tilts = np.exp(np.linspace(-epsilon, epsilon, 9))
        a, b, s, t = (axis.ravel() for axis in np.meshgrid(masses, masses, tilts, tilts))
        pairs = np.array([[a, b, 1 - a - b], [a * s, b * t, 1 - a * s - b * t]])
        pairs = pairs[:, :, (pairs > 1e-9).all(axis=(0, 1))]
        odds = np.abs(np.log(pairs[0] / pairs[1])).max(axis=0)
        entropy = (pairs * -np.log2(pairs)).sum(axis=1).max(axis=0)
        kept = pairs[:, :, (odds <= epsilon + 1e-12) & (entropy <= budget)]
        best = float(((kept[0] - kept[1]) ** 2 / (kept[0] + kept[1])).sum(axis=0).max()) * math.exp(epsilon) / 2
        ceiling = inference.information_per_user(epsilon, budget)
        assert 0.5 * ceiling < best <= ceiling * (1 + 1e-9), "a true bound, and not far from what is reached"


def test_equation_9_has_two_branches():
    assert printed_bounds.eq9_lower_bound(10, 100, 1.0) == pytest.approx(
        10 * (math.e + 1) ** 2 / (51200 * (math.e - 1) ** 2)
    )
    assert printed_bounds.eq9_lower_bound(10, 100, 2.0) == pytest.approx(10 / (6400 * (math.e**2 - 1)))
    assert inference.l1_ceiling(10, 100, 1.0) == pytest.approx(math.sqrt(10 * inference.risk_ceiling(10, 100, 1.0)))
    assert printed_bounds.eq11_order(10, 100, 0.5) == pytest.approx(0.4)


def test_clip_normalise():
    assert inference.clip_normalise([0.5, -0.2, 1.5]).tolist() == [0.25, 0.0, 0.75]
    for bad in ([-1.0, 0.0], [[1.0]], [math.nan, 1.0], []):
        with pytest.raises(InvalidParameter, match="one of them positive"):
            inference.clip_normalise(bad)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1, 10, 1.0), "size=1"),
        ((10, 0, 1.0), "n=0"),
        ((10, 10, 0.0), "epsilon=0.0"),
        ((10, 10, 1.0, 0.0), "random_bits=0.0"),
        ((10, 10, 1.0, -1.0), "random_bits=-1.0"),
        ((10, 1.5, 1.0), "n=1.5"),
    ],
)
@pytest.mark.parametrize(
    "bound", [inference.risk_floor, inference.l1_floor, printed_bounds.eq8_lower_bound, inference.risk_ceiling]
)
def test_bad_parameters(bound, arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        bound(*arguments)


@pytest.mark.parametrize(
    "kind",
    [CyclicResponse, HadamardResponse, OptimisedUnary, RandomizedResponse, SubsetSelection, SymmetricUnary],
    ids=lambda kind: kind.__name__,
)
def test_no_other_mechanism_falls_below_the_floor_either(kind):
    """On a grid of (ε, k, n), without a budget: the risk at uniform shares is already above the corrected bound."""
    for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0):
        for size in (2, 4, 10, 64, 300):
            mechanism = kind.within(size=size, epsilon=epsilon)
            one = float(mechanism.variance(Distribution.uniform(size), 1)[0])
            for n in (10, 1000, 100_000, 10_000_000):
                assert size * one / n >= inference.risk_floor(size, n, epsilon)
