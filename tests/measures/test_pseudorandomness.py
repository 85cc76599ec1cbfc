"""What an advantage against a cipher adds in bits: the numbers, the lemma behind them, the digits on certificates."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato_check
from sfumato.errors import InvalidParameter
from sfumato.ladders import certificate as ladder_claims
from sfumato.measures import prf_gap_bits


def gap_in_decimals(a, values):
    """h2(a) + a·log2(values - 1), to many digits."""
    with localcontext(prec=80 + 2 * len(str(a.denominator))):
        part = Decimal(a.numerator) / a.denominator
        nats = -part * part.ln() - (1 - part) * (1 - part).ln() + part * Decimal(values - 1).ln()
        return Fraction(nats / Decimal(2).ln())


@pytest.mark.parametrize(
    ("power", "values", "printed"),
    [(20, 2, "2.044935e-05"), (40, 2, "3.769191e-11"), (64, 2, "3.547656e-18"), (64, 1000, "4.087824e-18")],
)
def test_numbers(power, values, printed):
    assert f"{prf_gap_bits(Fraction(1, 1 << power), values):.6e}" == printed
    assert prf_gap_bits(2.0**-power, values) == pytest.approx(float(printed), rel=1e-6)


@given(whole=st.integers(1, 10**20), places=st.integers(20, 40), values=st.integers(2, 10**19))
def test_rounded_up_and_hardly(whole, places, values):
    a = Fraction(whole, 10**places)
    found = prf_gap_bits(a, values)
    if a >= 1 - Fraction(1, values):
        assert math.log2(values) <= found <= math.log2(values) * (1 + 1e-15)
        return
    exact = gap_in_decimals(a, values)
    assert exact <= found <= exact * (1 + Fraction(1, 10**14))


@pytest.mark.parametrize("power", range(0, 400, 23))
def test_tiny_advantages(power):
    """Where 1 - a is 1 to fifty digits."""
    a = Fraction(1, 3 << power)
    exact = gap_in_decimals(a, 7)
    assert exact <= prf_gap_bits(a, 7) <= exact * (1 + Fraction(1, 10**12))


def conditional_entropy(law):
    inside = law[law > 0]
    outputs = law.sum(axis=0)
    outputs = outputs[outputs > 0]
    return float(-(inside * np.log2(inside)).sum() + (outputs * np.log2(outputs)).sum())


@pytest.mark.parametrize("values", [2, 3, 5])
def test_no_pair_of_laws_does_more(values):
    """The lemma, on laws of every kind: near each other or not, sparse or not, with the same X or not."""
    random, closest = np.random.default_rng(values), math.inf
    for _ in range(500):
        outputs = int(random.integers(1, 5))
        one, other = (
            random.dirichlet(np.full(values * outputs, random.choice([0.05, 0.3, 1.0]))).reshape(values, outputs)
            for _ in range(2)
        )
        other = one + random.choice([1.0, 0.3, 0.01]) * (other - one)
        distance = np.abs(one - other).sum() / 2
        if distance < 1e-9:
            continue
        allowed = prf_gap_bits(min(1.0, float(distance) * (1 + 1e-12)), values)
        found = abs(conditional_entropy(one) - conditional_entropy(other))
        assert found <= allowed + 1e-9
        closest = min(closest, allowed - found)
    assert closest < 0.2


@pytest.mark.parametrize("values", [2, 3, 10])
@pytest.mark.parametrize("a", [0.001, 0.1, 0.4])
def test_a_pair_that_does_as_much(values, a):
    sure = np.eye(values) / values
    shaken = ((1 - a) * np.eye(values) + a * (1 - np.eye(values)) / (values - 1)) / values
    assert abs(sure - shaken).sum() / 2 == pytest.approx(a)
    assert conditional_entropy(shaken) - conditional_entropy(sure) == pytest.approx(prf_gap_bits(a, values), rel=1e-12)


def test_ends():
    assert prf_gap_bits(0, 5) == 0.0
    assert prf_gap_bits(1, 4) == prf_gap_bits(Fraction(3, 4), 4) == 2.0
    assert prf_gap_bits(Fraction(3, 4) - Fraction(1, 10**9), 4) <= 2.0


@pytest.mark.parametrize(("a", "values"), [(-0.1, 2), (1.5, 2), (math.nan, 2), (0.1, 1), (0.1, 2.5)])
def test_bad_parameters(a, values):
    with pytest.raises(InvalidParameter):
        prf_gap_bits(a, values)


def test_the_digits_on_certificates():
    """Never below the bound, hardly above it, and found by whole numbers alone in the checker."""
    sizes = {2, 3, 4, 5, 6, 1000, (1 << 63) - 1}
    sizes |= {(1 << power) + off for power in range(2, 63) for off in (0, 1, 2)}
    for size in sizes:
        printed = ladder_claims.seed_gap(size)
        assert printed == sfumato_check.seed_gap(size)
        bound = prf_gap_bits(Fraction(1, 1 << 64), size)
        assert Fraction(bound) <= Fraction(printed) <= Fraction(bound) * Fraction(105, 100)
    assert ladder_claims.seed_gap(2) == "3.6e-18"
    assert ladder_claims.seed_gap(1000) == "4.1e-18"
