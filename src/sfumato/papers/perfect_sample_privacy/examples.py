"""The settings of [D], built once: samples that measure W through noisy channels, coins, and blocks."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import lru_cache

import numpy as np

from sfumato.disclose.asymptotics import Measurements
from sfumato.disclose.data_laws import DataLaw
from sfumato.disclose.disclosures import Disclosure
from sfumato.disclose.optimal_disclosure import optimum
from sfumato.disclose.uniformising import UniformisedChain
from sfumato.disclose.window_schemes import WindowScheme
from sfumato.errors import NotCertified
from sfumato.measures.enclosures import log2_interval
from sfumato.prob import Channel, Distribution

TENTH = Fraction(1, 10)
THIRD, HALF = Fraction(1, 3), Fraction(1, 2)


def example_2_law(alpha: Fraction) -> tuple[DataLaw, list[list[list[Fraction]]]]:
    """W a fair coin, X1 through BSC(α), X2 through BEC(1/2) with the erasure in the middle; and P(w|x1,x2)."""
    noise = [[1 - alpha, alpha], [alpha, 1 - alpha]]
    erased = [[HALF, HALF, Fraction(0)], [Fraction(0), HALF, HALF]]
    joint = [[[HALF * noise[w][a] * erased[w][b] for w in (0, 1)] for b in range(3)] for a in range(2)]
    law = [[sum(cell, Fraction(0)) for cell in row] for row in joint]
    about = [[[p / sum(cell) for p in cell] for cell in row] for row in joint]
    return DataLaw.of(law), about


def example_2(alpha: Fraction) -> Disclosure:
    """The optimum of Example 2."""
    return optimum(*example_2_law(alpha))


def through_bsc(count: int, flip: Fraction) -> Disclosure:
    """The optimum of Table I: W ~ Bern(1/3) seen `count` times."""
    noise = Channel([[1 - flip, flip], [flip, 1 - flip]])
    return optimum(*Measurements.of([1 - THIRD, THIRD], noise).data_law(count))


def blocks_law(count: int) -> DataLaw:
    """X1 and X2 in the same one of `count` 2×2 blocks; inside, they are fair coins."""
    table = np.full((2 * count, 2 * count), Fraction(0), dtype=object)
    for block, a, b in itertools.product(range(count), range(2), range(2)):
        table[2 * block + a, 2 * block + b] = Fraction(1, 4 * count)
    return DataLaw.of(table)


def sum_of_four(modulus: int) -> tuple[DataLaw, Channel]:
    """Four fair samples on `modulus` values, and their sum as a mapping and as a feature."""
    law = DataLaw.independent([Fraction(1, modulus)] * modulus, 4)
    rows = [[int(sum(cell) % modulus == y) for y in range(modulus)] for cell in law.cells.tolist()]
    return law, Channel(rows, [tuple(cell) for cell in law.cells.tolist()])


@lru_cache(maxsize=64)
def four_coins(q: Fraction) -> Disclosure:
    """The optimum for four independent samples that are 1 with probability q: a third of a second each."""
    return optimum(DataLaw.independent([1 - q, q], 4))


@lru_cache(maxsize=256)
def pairs(q: Fraction, size: int = 2) -> WindowScheme:
    """[D, Sec. V-C1]; windows share one sample."""
    return WindowScheme.best(Distribution([1 - q, q]), size)


@lru_cache(maxsize=256)
def uniformised(q: Fraction) -> UniformisedChain:
    """[D, Sec. V-C2] with the Z channel of Example 5."""
    return UniformisedChain.closest(Distribution([1 - q, q]))


def weakly_typical(flip: Fraction, count: int, epsilon: Fraction, value: int) -> tuple[int, ...]:
    """The numbers of ones among `count` samples of W = value through BSC(flip) that eq. (37) calls typical.

    -(1/n) log p(x^n) - H = (k/n - P(1))·log((1-flip)/flip) up to its sign, so these are the k near n·P(1).
    """
    ones = flip if value == 0 else 1 - flip
    slope = log2_interval((1 - flip) / flip)
    inside = [k for k in range(count + 1) if abs(float(Fraction(k, count) - ones)) * slope.upper <= epsilon]
    maybe = [k for k in range(count + 1) if abs(float(Fraction(k, count) - ones)) * slope.lower <= epsilon]
    if inside != maybe:
        raise NotCertified("a count lies on the border of the typical set", way_out="Move `epsilon` a little.")
    return tuple(inside)


def other_value(count: int, flip: Fraction = TENTH) -> Fraction:
    """P(W = 1 | x^n) for a fair W through BSC(flip), where a share of flip of the samples is 1: typical for W = 0."""
    ones = round(count * flip)
    likely = [flip**ones * (1 - flip) ** (count - ones), (1 - flip) ** ones * flip ** (count - ones)]
    return likely[1] / sum(likely)
