"""The discrete Gaussian: its law from the tree of its coins, without tolerance; and a wrong law is noticed."""

import functools
import heapq
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.bits import InsecureSeeded, ScriptedBits, discrete_gaussian
from sfumato.bits.discrete_gaussian import DiscreteGaussian, discrete_laplace, exponential_coins
from sfumato.errors import InvalidParameter


class UndecidedError(Exception):
    """The script of outcomes has ended: here the tree branches."""


class StartedAgainError(Exception):
    """A rejection: from here on everything is as at the beginning."""


RESTART = "restart"
# Laplace numbers beyond this are left out of the Gaussian's tree.
FAR = 9


@functools.cache
def exponential(exponent):
    """e^-g to 40 digits: the series of e^(-g/64), to the 64th power."""
    part = sum((-exponent / 64) ** k / math.factorial(k) for k in range(40))
    return Fraction(round(part**64 * 10**40), 10**40)


# Chances of exponential coins are rounded to 40 digits in some trees below, a few of them on a path.
ROUNDED = Fraction(1, 10**35)


class Tree:
    """Stands for coins and uniform numbers: outcomes come from a path, and the chance of the path is kept exactly."""

    def __init__(self, path):
        self.path, self.place, self.law, self.starts = path, 0, None, 0

    def outcome(self, law):
        if self.place == len(self.path):
            self.law = law
            raise UndecidedError
        self.place += 1
        return np.array([self.path[self.place - 1]])

    def start(self):
        self.starts += 1
        if self.starts > 1:
            raise StartedAgainError

    def coin(self, chance):
        tree = self

        class FakeCoin:
            def sample(self, bits, count):
                if count == 0:
                    return np.empty(0, dtype=np.int64)
                assert count == 1
                return np.array([int(chance)]) if chance in {0, 1} else tree.outcome((1 - chance, chance))

        return FakeCoin()

    def uniform(self, bound, *, first=False):
        tree = self

        class FakeUniform:
            def sample(self, bits, count):
                assert count == 1
                if first:
                    tree.start()
                return np.array([0]) if bound == 1 else tree.outcome((Fraction(1, bound),) * bound)

        return FakeUniform()

    def exponential_coins(self, exponent, bits, count):
        return self.coin(exponential(exponent)).sample(bits, count)

    def laplace(self, scale, bits, count):
        assert count == 1
        self.start()
        law = [exponential(Fraction(abs(z), scale)) for z in range(-FAR, FAR + 1)]
        return self.outcome(tuple(p / sum(law) for p in law)) - FAR


def explored(run, nodes, stand_ins):
    """Explore the likeliest open branch first: exact chances of outcomes found, and the chance of all that is open."""
    found, open_branches, order = {}, [(-1.0, 0, (), Fraction(1))], 0
    for _ in range(nodes):
        if not open_branches:
            break
        _, _, path, chance = heapq.heappop(open_branches)
        tree = Tree(path)
        with pytest.MonkeyPatch.context() as patch:
            for name, stand_in in stand_ins(tree).items():
                patch.setattr(discrete_gaussian, name, stand_in)
            try:
                outcome = int(run()[0])
            except StartedAgainError:
                outcome = RESTART
            except UndecidedError:
                for i, share in enumerate(tree.law):
                    order += 1
                    heapq.heappush(open_branches, (-float(chance * share), order, (*path, i), chance * share))
                continue
        found[outcome] = found.get(outcome, Fraction(0)) + chance
    return found, sum((branch[-1] for branch in open_branches), Fraction(0))


def single_coins(tree):
    return {"Coin": tree.coin, "UniformBelow": tree.uniform}


def laplace_attempt(tree):
    return {
        "Coin": tree.coin,
        "UniformBelow": lambda bound: tree.uniform(bound, first=True),
        "exponential_coins": tree.exponential_coins,
    }


def gaussian_attempt(tree):
    return {"discrete_laplace": tree.laplace, "exponential_coins": tree.exponential_coins}


@pytest.mark.parametrize("exponent", [Fraction(1, 7), Fraction(1), Fraction(5, 3), Fraction(3)])
def test_the_exponential_coin_from_its_tree(exponent):
    """Its coins are rational, so nothing is rounded but the number that it is held against."""
    found, left = explored(lambda: exponential_coins(exponent, ScriptedBits([]), 1), 150, single_coins)
    assert left < 2e-5
    chance = exponential(exponent)
    assert found[1] - ROUNDED <= chance <= found[1] + left + ROUNDED
    assert found[0] - ROUNDED <= 1 - chance <= found[0] + left + ROUNDED


def test_a_sure_exponential_coin():
    assert exponential_coins(Fraction(0), ScriptedBits([]), 3).tolist() == [1, 1, 1]


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_the_laplace_number_from_one_attempt(scale):
    """An attempt gives each number in proportion to e^(-|z|/t), exactly; after any other end it begins again."""
    found, left = explored(lambda: discrete_laplace(scale, ScriptedBits([]), 1), 300, laplace_attempt)
    assert left < 1e-6
    assert found[RESTART] > 0
    for z in range(-4, 5):
        assert abs(found[z] - found[0] * exponential(Fraction(abs(z), scale))) <= ROUNDED


@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(3, 4), Fraction(5, 3), Fraction(9, 2)])
def test_the_gaussian_from_one_attempt(variance):
    """An attempt gives each number in proportion to e^(-z²/2s), exactly, and otherwise begins again."""
    noise = DiscreteGaussian(variance=variance)
    found, left = explored(lambda: noise.sample(ScriptedBits([]), 1), 400, gaussian_attempt)
    assert left == 0
    assert found[RESTART] > 0
    for z in range(-FAR, FAR + 1):
        assert abs(found.get(z, 0) - found[0] * exponential(z**2 / (2 * variance))) <= ROUNDED
    wrong = variance * Fraction(1001, 1000)
    assert abs(found[1] - found[0] * exponential(1 / (2 * wrong))) > 1e-5  # a thousandth off would be noticed


def test_the_gaussian_from_its_single_coins():
    """Restarts and all, nothing taken for granted: each chance lies within what is open of what was found."""
    noise = DiscreteGaussian(variance=Fraction(3, 4))
    found, left = explored(lambda: noise.sample(ScriptedBits([]), 1), 3_000, single_coins)
    assert left < 0.3
    for z in range(-2, 3):
        assert found[z] <= noise.probability(z).upper
        assert noise.probability(z).lower <= found[z] + left


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(61, 3)])
def test_draws_agree_with_the_parameter_and_with_no_other(variance):
    """6.2 deviations of the mean of z² happen once in 1.7e9; five percent off in s is more on either side."""
    n = 160_000
    draws = DiscreteGaussian(variance=variance).sample(InsecureSeeded(11), n).astype(float)

    def moments(s):
        z = np.arange(-200, 201)
        law = np.exp(-(z**2) / (2 * s))
        law /= law.sum()
        return float(law @ z**2), float(law @ z**4)

    def agrees(s):
        second, fourth = moments(s)
        return abs((draws**2).mean() - second) <= 6.2 * math.sqrt((fourth - second**2) / n)

    s = float(variance)
    assert agrees(s)
    assert not agrees(1.05 * s)
    assert not agrees(0.95 * s)
    assert abs(draws.mean()) <= 6.2 * math.sqrt(s / n)


def test_the_whole_histogram():
    """Each count within 6.5 deviations of its law, for eleven values; the variance is at most the parameter."""
    n, noise = 100_000, DiscreteGaussian(variance=Fraction(7, 2))
    draws = noise.sample(InsecureSeeded(12), n)
    for z in range(-5, 6):
        p = noise.probability(z).upper
        assert abs(int((draws == z).sum()) - n * p) <= 6.5 * math.sqrt(n * p * (1 - p))
    assert sum(noise.probability(z).lower * z * z for z in range(-60, 61)) <= 3.5


@settings(deadline=None)
@given(variance=st.fractions(Fraction(1, 20), 400, max_denominator=50))
def test_probabilities_enclose_a_law(variance):
    noise = DiscreteGaussian(variance=variance)
    reach = math.ceil(14 * math.sqrt(variance)) + 3
    laws = [noise.probability(z) for z in range(-reach, reach + 1)]
    assert math.fsum(law.lower for law in laws) <= 1
    assert math.fsum(law.upper for law in laws) + noise.tail(reach) >= 1
    assert all(law.width <= 1e-12 * law.upper + 1e-300 for law in laws)
    middle = reach // 4
    beyond = 2 * math.fsum(noise.probability(z).lower for z in range(middle + 1, reach + 1))
    assert beyond <= noise.tail(middle) <= 1


@pytest.mark.parametrize("variance", [Fraction(3, 10), Fraction(5), Fraction(10**14)])
def test_the_normaliser_by_poissons_formula(variance):
    """K = √(2πs)·(1 + 2Σ e^(-2π²sk²)), another series for the same number."""
    s = float(variance)
    other = math.sqrt(2 * math.pi * s) * (1 + 2 * sum(math.exp(-2 * math.pi**2 * s * k * k) for k in range(1, 30)))
    chance = DiscreteGaussian(variance=variance).probability(0)
    assert chance.lower <= (1 + 1e-14) / other
    assert (1 - 1e-14) / other <= chance.upper


def test_far_numbers_and_empty_draws():
    noise = DiscreteGaussian(variance=Fraction(1))
    assert noise.probability(10**6).lower == 0
    assert noise.tail(10**6) < 1e-290
    assert noise.probability(10**200).upper == noise.tail(10**200) > 0
    assert noise.tail(0) < 1
    assert noise.sample(ScriptedBits([]), 0).tolist() == []


@pytest.mark.parametrize(
    ("variance", "sentence"),
    [(0.5, "must be exact"), (Fraction(0), "variance=0"), (Fraction(-1), "variance=-1"), (Fraction(1 << 81), "2\\^80")],
)
def test_bad_parameters(variance, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        DiscreteGaussian(variance=variance)


def test_bad_counts():
    with pytest.raises(InvalidParameter, match="count"):
        DiscreteGaussian(variance=Fraction(1)).sample(ScriptedBits([]), -1)
