"""Private quantiles: drawn exactly by rank, and no group of people tells more than the bound."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.measures.capacity import capacity_bits
from sfumato.measures.dependence import ANYONE, Correlation
from sfumato.noise import quantiles as private_quantiles
from sfumato.noise.certificates import rank_bits
from sfumato.noise.quantiles import private_quantile
from sfumato.sampling import InsecureSeeded

GRID = (0, 1, 2, 3)


def law(design, values):
    """The law of a release, in doubles, from the ranks alone."""
    weights = np.exp(-float(design.rate) * np.array(design.ranks_off(values)))
    return weights / weights.sum()


def test_ranks():
    design = private_quantile([0, 10, 20, 30], 0.5, 4, 1, correlated=1)
    assert design.ranks_off([5, 15, 15, 25]) == (2, 1, 1, 2)
    assert design.ranks_off([10, 10, 10, 10]) == (2, 0, 2, 2)
    low = private_quantile([0, 10, 20, 30], 0, 4, 1, correlated=1)
    assert low.ranks_off([5, 15, 15, 25]) == (0, 1, 3, 4)
    # Fractions with many denominators, decimals and whole numbers are ordered alike.
    many = private_quantile([Fraction(1, 7), Fraction(1, 3), 0.5, 1], 0.5, 100, 1, correlated=1)
    values = [Fraction(k, 100 + k) for k in range(100)]
    assert many.ranks_off(values) == tuple(
        max(0, sum(v < g for v in values) - 50, 50 - sum(v <= g for v in values)) for g in many.grid
    )


def test_one_record_changes_every_rank_by_one_at_most():
    design = private_quantile(GRID, 0.3, 5, 1, correlated=1)
    for values in itertools.product(GRID, repeat=5):
        before = design.ranks_off(values)
        for value in (-1, *GRID, 7):
            after = design.ranks_off((value, *values[1:]))
            assert max(abs(a - b) for a, b in zip(before, after, strict=True)) <= 1


@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("budget", [0.1, 0.7])
def test_no_group_tells_more_than_the_bound(people, budget):
    """The capacity from all that a group may hold to the release, for everything that the others may hold."""
    design = private_quantile(GRID, 0.5, 4, budget, correlated=people)
    assert design.capacity_bits.upper <= budget
    most = 0.0
    for others in itertools.combinations_with_replacement(GRID, 4 - people):
        rows = {tuple(law(design, (*mine, *others))) for mine in itertools.combinations_with_replacement(GRID, people)}
        most = max(most, capacity_bits(sf.Channel(np.array(sorted(rows)))).upper)
    assert most <= design.capacity_bits.upper
    assert most > 0.25 * budget  # and the bound is no empty one


def test_each_value_is_kept_with_exactly_its_weight(monkeypatch):
    """Proposals are uniform; what is kept of them has chance e^(-λ(d - least d)), as a fraction in the exponent."""
    design = private_quantile(GRID, 0.5, 9, 1, correlated=1)
    values = [0, 0, 0, 0, 0, 0, 0, 1, 2]
    seen, coins = {}, private_quantiles.exponential_coins

    def watched(exponent, bits, count):
        found = coins(exponent, bits, count)
        seen[exponent] = seen.get(exponent, 0) + count
        return found

    monkeypatch.setattr(private_quantiles, "exponential_coins", watched)
    for seed in range(40):
        design.release(values, InsecureSeeded(seed))
    off = design.ranks_off(values)
    assert set(seen) == {design.rate * (d - min(off)) for d in off}
    share = seen[Fraction(0)] / sum(seen.values())
    assert share == pytest.approx(sum(d == min(off) for d in off) / len(off), abs=0.03)


def chi_square(found, expected):
    return float(((found - expected) ** 2 / expected).sum())


def test_the_draws_follow_the_law_and_no_other():
    design = private_quantile(GRID, 0.5, 6, 1, correlated=1)
    values = [0, 1, 1, 2, 3, 3]
    count = 700
    drawn = [design.release(values, InsecureSeeded(seed)) for seed in range(count)]
    found = np.array([drawn.count(place) for place in design.grid])
    expected = law(design, values) * count
    assert chi_square(found, expected) < 22  # 3 degrees of freedom: one in ten thousand
    wrong = np.sqrt(law(design, values))
    assert chi_square(found, wrong / wrong.sum() * count) > 22


def test_calibration_and_certificate():
    design = private_quantile(range(101), 0.9, 10**6, 0.1, correlated=5)
    assert 0.0999 < design.capacity_bits.upper <= 0.1
    width = 5 * float(design.rate)
    z = width * math.exp(width) / math.expm1(width)
    assert design.capacity_bits.upper == pytest.approx((z - 1 - math.log(z)) / math.log(2), abs=1e-9)
    assert design.certificate["epsilon"].value == 2 * design.rate
    sf.verify(sf.Certificate.from_json(design.certificate.to_json()))
    assert design.bits_for(Correlation(people=1)) < 0.1 / 20
    # Anyone: as if all records were one person's; no more than the grid holds.
    assert design.bits_for(ANYONE) <= math.log2(101) + 1e-9
    anyone = private_quantile(range(101), 0.9, 10**6, 0.1, correlated="anyone")
    assert anyone.rate == pytest.approx(float(design.rate) * 5 / 10**6, rel=1e-4)
    assert rank_bits(10**6, anyone.rate, 101).upper <= 0.1


def test_with_noise_for_few_a_median_of_many_is_sharp():
    design = private_quantile(range(0, 1001, 10), 0.5, 10_001, 1, correlated="nobody")
    told = [design.release(range(10_001), InsecureSeeded(seed)) for seed in range(3)]
    assert told == [1000] * 3  # the true median 5000 lies beyond the grid: its nearest end
    inside = [Fraction(k, 10) for k in range(10_001)]
    assert all(abs(design.release(inside, InsecureSeeded(seed)) - 500) <= 10 for seed in range(3))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: private_quantile([1], 0.5, 10, 1, correlated=1),
        lambda: private_quantile([1, 1], 0.5, 10, 1, correlated=1),
        lambda: private_quantile([2, 1], 0.5, 10, 1, correlated=1),
        lambda: private_quantile(GRID, 1.5, 10, 1, correlated=1),
        lambda: private_quantile(GRID, 0.5, 0, 1, correlated=1),
        lambda: private_quantile(GRID, 0.5, 10, 2.5, correlated=1),
        lambda: private_quantile(GRID, 0.5, 10, 1, correlated=Correlation(shared_bits=Fraction(1))),
    ],
)
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        wrong()


def test_records_are_not_shown():
    design = private_quantile(GRID, 0.5, 3, 1, correlated=1)
    with pytest.raises(InvalidParameter, match="finite") as refused:
        design.release([1, 2, "77"])
    assert "77" not in str(refused.value)
    with pytest.raises(InvalidParameter, match="3 records"):
        design.release([1, 2])
