"""The exponential channel: closed form against direct sum, calibration there and back, and any distortion table."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.measures.individual import is_data_independent
from sfumato.noise.channels import exponential, exponential_of, noise_entropy_nats
from sfumato.prob import Channel
from sfumato.sampling import InsecureSeeded


def line(size):
    return [[abs(a - b) for b in range(size)] for a in range(size)]


@st.composite
def distortions(draw):
    """Any table with 0 on the diagonal; ties are common."""
    size = draw(st.integers(2, 5))
    entry = st.integers(0, 4)
    return [[0 if a == b else draw(entry) for b in range(size)] for a in range(size)]


@pytest.mark.parametrize("size", [2, 3, 7, 40])
@pytest.mark.parametrize("rate", [1e-3, 0.2, 1.0, 3.0, 50.0])
def test_the_closed_form_is_the_sum(size, rate):
    """(82) against -Σ p ln p; 1e-10 is what λ = .001 leaves of a difference of terms near 1000."""
    weights = np.exp(-rate * np.arange(size))
    law = weights / weights.sum()
    direct = -sum(p * math.log(p) for p in law if p > 0)
    assert noise_entropy_nats(size, rate) == pytest.approx(direct, abs=1e-10)


@given(table=distortions(), ratio=st.fractions(Fraction(1, 50), 1, max_denominator=50))
def test_rows_rank_by_distortion(table, ratio):
    design = exponential_of(table, ratio=ratio)
    size = len(table)
    assert is_data_independent(design.channel)
    for truth, row in enumerate(design.channel.rows):
        assert row[truth] == max(row)
        for a, b in itertools.permutations(range(size), 2):
            if table[truth][a] < table[truth][b]:
                assert row[a] >= row[b]
        total = sum(ratio**rank for rank in range(size))
        assert sorted(row) == sorted(ratio**rank / total for rank in range(size))
    if ratio < 1:
        expected = math.log2(size) - noise_entropy_nats(size, design.rate) / math.log(2)
        assert design.printed_bits.midpoint == pytest.approx(expected, abs=1e-10)
    assert design.capacity_bits.lower <= design.printed_bits.upper


@pytest.mark.parametrize("budget", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("values", [None, 2, 3])
def test_the_calibration_keeps_the_budget_and_wastes_none(budget, values):
    design = exponential(line(6), budget_bits=budget, values=values)
    assert design.capacity_bits.upper <= budget
    sharper = exponential_of(line(6), ratio=design.ratio - Fraction(1, 1 << 16), values=values)
    assert sharper.capacity_bits.upper > budget


def test_a_record_with_two_values_may_have_sharper_answers():
    any_record = exponential(line(10), budget_bits=0.5)
    binary = exponential(line(10), budget_bits=0.5, values=2)
    assert binary.ratio < any_record.ratio
    by_loop = max(
        measures.capacity_bits(Channel([binary.channel.rows[a], binary.channel.rows[b]])).upper
        for a, b in itertools.combinations(range(10), 2)
    )
    assert by_loop == pytest.approx(binary.capacity_bits.upper, abs=2e-7)


def test_a_budget_of_the_whole_alphabet_tells_nearly_everything():
    assert exponential(line(4), budget_bits=2).ratio == Fraction(1, 1 << 16)


def test_released_answers_follow_the_row():
    """A chi-squared test that takes the row and rejects its neighbour."""
    from scipy.stats import chisquare

    design = exponential_of(line(4), ratio=Fraction(1, 2), answers=("a", "b", "c", "d"))
    with pytest.warns(UserWarning, match=r"seed|simulation"):
        bits = InsecureSeeded(7)
    drawn = [design.release("b", bits) for _ in range(4000)]
    counts = [drawn.count(label) for label in design.channel.outputs]
    right, wrong = ([float(p) * 4000 for p in design.channel.row(x)] for x in (1, 0))
    assert chisquare(counts, right).pvalue > 1e-6
    assert chisquare(counts, wrong).pvalue < 1e-9


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([[0, 1], [1]], "square"),
        ([[0]], "square"),
        ([[0, -1], [1, 0]], "negative"),
        ([[0, math.nan], [1, 0]], "finite"),
        ([[0, math.inf], [1, 0]], "finite"),
        ([[1, 0], [0, 0]], "diagonal"),
        ([[0, "far"], [1, 0]], "number"),
    ],
)
def test_bad_tables_are_refused(table, said):
    with pytest.raises(InvalidParameter, match=said):
        exponential(table, budget_bits=0.5)


@pytest.mark.parametrize(("budget", "values", "said"), [(0, None, "budget"), (-1, None, "budget"), (1, 1, "values")])
def test_bad_budgets_and_values_are_refused(budget, values, said):
    with pytest.raises(InvalidParameter, match=said):
        exponential(line(3), budget_bits=budget, values=values)


@pytest.mark.parametrize("ratio", [0, -0.1, 1.1, math.nan])
def test_bad_ratios_are_refused(ratio):
    with pytest.raises(InvalidParameter, match="ratio"):
        exponential_of(line(3), ratio=ratio)


def test_an_unknown_answer_is_refused_without_being_named():
    design = exponential(line(3), budget_bits=0.5, answers=("low", "mid", "high"))
    with pytest.raises(InvalidParameter, match="not one of the possible answers") as refused:
        design.release("secret")
    assert "secret" not in str(refused.value)
