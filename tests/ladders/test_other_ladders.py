"""Ladders that were considered beside flags, and what they would lose or win: numbers that the choice rests on."""

import itertools
import math
from fractions import Fraction

import pytest

from sfumato.ladders.nested_levels import _for_length
from sfumato.mechanisms import SubsetSelection
from sfumato.mechanisms.cyclic import least_noise
from sfumato.mechanisms.flags import dimensions_for, mask_noise
from sfumato.prob import Distribution

LN15, LN3 = math.log(15), math.log(3)


@pytest.mark.parametrize(("above", "below", "ratio"), [(LN15, LN3, 2.88), (LN15, 0.5, 1.75)])
def test_two_columns_drawn_apart_cost_the_sharper_reader(above, below, ratio):
    """Two reports whose ε add up, each as good as can be and weighed best, against one report at the sum."""
    parts = [least_noise(math.exp(below)), least_noise(math.exp(above - below))]
    together = 1 / sum(1 / part for part in parts)
    assert together / least_noise(math.exp(above)) == pytest.approx(ratio, abs=6e-3)


def test_nested_subsets_are_best_at_every_level():
    """k = 63, odds 15, 3, e^.5 with 4, 16 and 24 chosen: .9686 of the least noise of many answers at each level."""
    odds = (15.0, 3.0, math.exp(0.5))
    for chosen, value in zip((4, 16, 24), odds, strict=True):
        mechanism = SubsetSelection(size=63, odds=Fraction(value), chosen=chosen)
        noise = float(mechanism.variance(Distribution.uniform(63), 1)[0])
        assert noise / least_noise(value) == pytest.approx(0.9686, abs=6e-5)
        others = (
            SubsetSelection(size=63, odds=Fraction(value), chosen=d).variance(Distribution.uniform(63), 1)[0]
            for d in range(1, 63)
        )
        assert noise == pytest.approx(float(min(others)), rel=1e-12)
    # Each level can be made from the one above it.
    for (more, less), (above, below) in zip(itertools.pairwise((4, 16, 24)), itertools.pairwise(odds), strict=True):
        assert 1 + (above - 1) * more / less >= below


@pytest.mark.parametrize(("size", "few", "many", "odds"), [(4, 1, 2, 5), (5, 2, 3, 4), (5, 1, 4, 7)])
def test_a_superset_has_the_odds_that_its_size_leaves(size, few, many, odds):
    """S_1 by subset selection, S_2 a uniform superset, in fractions: two levels, with o' = 1 + (o-1)·d_1/d_2."""
    whole = range(size)
    inside, outside = math.comb(size - 1, few - 1), math.comb(size - 1, few)
    low = Fraction(1, odds * inside + outside)
    chances = {}
    for x, kept in itertools.product(whole, itertools.combinations(whole, few)):
        first = low * (odds if x in kept else 1)
        rest = [y for y in whole if y not in kept]
        for added in itertools.combinations(rest, many - few):
            key = x, tuple(sorted(kept + added))
            chances[key] = chances.get(key, 0) + first / math.comb(size - few, many - few)
    levels = {(x in kept): p for (x, kept), p in chances.items()}
    assert all(p == levels[x in kept] for (x, kept), p in chances.items())
    assert levels[True] / levels[False] == 1 + Fraction((odds - 1) * few, many)


def test_one_level_of_flags_alone():
    """At k = 1000 the least favourable ε is .55, with 1.075 times the least noise."""
    found = {
        e / 100: min(mask_noise(10, c, math.exp(e / 100)) / least_noise(math.exp(e / 100)) for c in dimensions_for(10))
        for e in range(10, 501, 5)
    }
    worst = max(found, key=found.__getitem__)
    assert worst == 0.55
    assert found[worst] == pytest.approx(1.075, abs=5e-4)


def test_masks_as_short_as_can_be_lose_more():
    """With ten bits alone a pair of the grid has 1.129 at equal shares, where lengths that are chosen have 1.118."""
    worst = 0.0
    for i in range(2, 51):
        for j in range(1, i):
            odds = math.exp(i / 10), math.exp(j / 10)
            _, dimensions = _for_length(10, odds)
            ratios = (mask_noise(10, c, o, 1e-3) / least_noise(o) for c, o in zip(dimensions, odds, strict=True))
            worst = max(worst, *ratios)
    assert worst == pytest.approx(1.1288, abs=1e-4)
