"""Cells of continuous laws: uniform, summed, private; and what a reference sample can promise."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disclosure_draws import largest_deviation
from sfumato.disclosure.schemes import leaks_interval
from sfumato.disclosure.uniformising import ColumnSums, QuantileCells
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob import Distribution
from sfumato.sampling import InsecureSeeded

NORMAL = NormalDist(100, 15)


def normal_cells(count):
    return QuantileCells.of_law(NORMAL.inv_cdf, count)


@given(count=st.integers(2, 400))
def test_cells_of_a_known_law_are_even(count):
    cells = normal_cells(count)
    assert cells.cells == count
    ends = [0.0, *map(NORMAL.cdf, cells.borders), 1.0]
    assert max(abs(width - 1 / count) for width in np.diff(ends)) < 1e-12


def test_a_value_is_in_the_cell_that_its_quantile_says():
    values = np.array([NORMAL.inv_cdf((j + 0.5) / 8) for j in range(8)])
    assert normal_cells(8).cells_of(values).tolist() == list(range(8))
    exponential = QuantileCells.of_law(lambda u: -math.log1p(-u), 4)
    assert exponential.cells_of([0.0, math.log(2), 50.0]).tolist() == [0, 2, 3]


@given(count=st.integers(2, 5), columns=st.integers(2, 4))
def test_information_grows_without_limit_and_privacy_is_exact(count, columns):
    scheme = ColumnSums(columns=(normal_cells(count),) * columns)
    scheme.certify_small()
    assert math.isclose(scheme.information_bits(7).midpoint, 7 * (columns - 1) * math.log2(count))
    assert scheme.efficiency == Fraction(columns - 1, columns)
    cells = normal_cells(count)
    cells.certify_small(columns)
    assert cells.efficiency(columns) == scheme.efficiency
    assert ColumnSums(columns=(normal_cells(1 << 16),) * 2).information_bits(1).midpoint == 16.0


def test_a_release_of_columns_is_their_sum():
    scheme = ColumnSums(columns=(normal_cells(8), QuantileCells.of_law(lambda u: u, 8)))
    table = [[NORMAL.inv_cdf(0.9), NORMAL.inv_cdf(0.1)], [0.5, 0.99]]
    assert scheme.release(table).tolist() == [[(7 + 4) % 8], [7]]


def test_released_sums_are_independent_of_values_and_those_of_a_wrong_law_are_not():
    """Values are cut into 16 for the table, twice as fine as the cells; 5 standard deviations over 128 cells."""
    generator = np.random.default_rng(41)
    scheme = ColumnSums(columns=(normal_cells(8), QuantileCells.of_law(lambda u: u, 8)))

    def worst(spread):
        left, right = generator.normal(100, spread, 400_000), generator.random(400_000) ** (15 / spread)
        sums = scheme.release([left, right])[:, 0].astype(np.int64)
        by_left = largest_deviation(normal_cells(16).cells_of(left), sums, 16, 8)
        by_right = largest_deviation((right * 16).astype(np.int64), sums, 16, 8)
        return by_left, by_right

    assert max(worst(15)) < 5
    assert min(worst(18)) > 12


def test_a_chain_of_one_column_is_its_running_sums():
    values = np.random.default_rng(42).normal(100, 15, 1000)
    cells = normal_cells(32)
    codes = cells.cells_of(values)
    assert (cells.release(values) == (codes[:-1] + codes[1:]) % 32).all()
    masked = QuantileCells(borders=cells.borders, window=1, masked=True)
    shift = (masked.release(values, InsecureSeeded(1)).astype(np.int64) - codes) % 32
    assert len(set(shift.tolist())) == 1
    assert masked.information_bits(1000).midpoint == 999 * 5


def test_cells_from_a_reference_are_even_on_average_and_bounded_for_nearly_all():
    generator = np.random.default_rng(43)
    masses = []
    for _ in range(300):
        cells = QuantileCells.from_reference(generator.exponential(size=799), 8)
        masses.append(np.diff([0.0, *(1 - np.exp(-np.array(cells.borders))), 1.0]))
    average = np.mean(masses, axis=0)
    assert np.max(np.abs(average - 1 / 8)) < 5 * np.sqrt(7 / 64 / 800 / 300)
    # Under each of these laws the sums of five leak what listing finds, and the bound covers it.
    bound = cells.reference_leak(5)
    worst = max(float(np.sum((mass - 1 / 8) ** 2) * 8) for mass in masses)
    assert 4 * math.log2(1 + worst) < bound < 3
    assert bound < 12 * math.log2(1 + worst) * 4


def test_the_leak_of_uneven_cells_keeps_its_bound():
    cells = normal_cells(3)
    uneven = Distribution([Fraction(30, 100), Fraction(36, 100), Fraction(34, 100)])
    radius = sum(abs(p - Fraction(1, 3)) for p in uneven.fractions) / 2
    for count in (2, 4):
        leak = max(found.upper for found in leaks_interval(uneven, count, cells.sums.output_law))
        assert 0 < leak <= cells.leak_within(count, radius)
    assert ColumnSums(columns=(cells, cells)).leak_within(radius) == cells.leak_within(2, radius)


def test_a_larger_reference_promises_more():
    generator = np.random.default_rng(44)
    few, many = (QuantileCells.from_reference(generator.random(n), 16) for n in (1000, 100_000))
    assert many.reference_leak(2) < few.reference_leak(2) / 50
    assert many.reference_leak(2) < 0.01
    assert few.reference_leak(10**6) == 4


def test_what_cannot_be_cut_is_refused():
    with pytest.raises(InvalidLaw, match="not continuous"):
        QuantileCells.from_reference([1, 1, 1, 1, 2, 2, 2, 2, 2, 2], 4)
    with pytest.raises(InvalidLaw, match="rise strictly"):
        QuantileCells(borders=(1.0, math.nan))
    with pytest.raises(InvalidParameter, match="cells=1"):
        QuantileCells(borders=())
    with pytest.raises(InvalidParameter, match="at least two for each cell"):
        QuantileCells.from_reference([1.0, 2.0, 3.0], 2)
    with pytest.raises(InvalidParameter, match="Use `leak_within`"):
        normal_cells(4).reference_leak(2)
    with pytest.raises(InvalidParameter, match="same number of cells"):
        ColumnSums(columns=(normal_cells(4), normal_cells(5)))
    scheme = ColumnSums(columns=(normal_cells(4), normal_cells(4)))
    with pytest.raises(InvalidParameter, match="3 columns instead of 2"):
        scheme.release([[1.0]] * 3)
    with pytest.raises(InvalidParameter, match="different lengths"):
        scheme.release([[1.0], [1.0, 2.0]])


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([1.0, math.nan], "the first at position 1"),
        ([], "at least one number"),
        (["a"], "must be numbers"),
        ([[1.0]], "one column"),
    ],
)
def test_bad_columns(values, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        normal_cells(4).cells_of(values)
