"""One answer for many priors: the two examples, random families, and balls of priors by other methods."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from recoverable.response_oracles import random_masses, random_onto, seeded
from sfumato import measures, recoverable
from sfumato.errors import InvalidParameter
from sfumato.prob import Distribution

PAIR = ([[0.55, 0.413, 0.037], [0.455, 0.035, 0.51]], [0, 1, 2], 0.547)
PERMUTED = (sorted(set(itertools.permutations([0.6, 0.2, 0.2]))), [0, 1, 2])


def best_guarantee(priors, f, rho):
    """max over W of min over P of privacy, dense, with variables W, t_(p,i) and a level; and the priors' weights."""
    people, size, count = len(f), max(f) + 1, len(priors)
    cells = people * size
    width = cells + count * size + 1
    above, right = [], []
    for p, i, x in itertools.product(range(count), range(size), range(people)):
        row = np.zeros(width)
        row[x * size + i], row[cells + p * size + i] = float(priors[p][x]), -1
        above.append(row)
        right.append(0)
    for p in range(count):
        row = np.zeros(width)
        row[cells + p * size : cells + (p + 1) * size], row[-1] = 1, -1
        above.append(row)
        right.append(0)
    sums = np.zeros((people, width))
    for x in range(people):
        sums[x, x * size : (x + 1) * size] = 1
    bounds = [(float(rho) if f[x] == i else 0, 1) for x in range(people) for i in range(size)]
    bounds += [(0, None)] * (count * size) + [(None, None)]
    costs = np.zeros(width)
    costs[-1] = 1
    found = linprog(costs, A_ub=above, b_ub=right, A_eq=sums, b_eq=np.ones(people), bounds=bounds)
    assert found.status == 0
    return 1 - found.fun, -found.ineqlin.marginals[-count:]


def best_on_average(priors, weights, f, rho):
    """max over W of Σ_p weight_p·privacy_p: an upper bound on every guarantee, whatever the weights are."""
    people, size, count = len(f), max(f) + 1, len(priors)
    cells = people * size
    width = cells + count * size
    above = []
    for p, i, x in itertools.product(range(count), range(size), range(people)):
        row = np.zeros(width)
        row[x * size + i], row[cells + p * size + i] = float(priors[p][x]), -1
        above.append(row)
    sums = np.zeros((people, width))
    for x in range(people):
        sums[x, x * size : (x + 1) * size] = 1
    bounds = [(float(rho) if f[x] == i else 0, 1) for x in range(people) for i in range(size)]
    costs = np.concatenate([np.zeros(cells), np.repeat(weights, size)])
    found = linprog(
        costs, A_ub=above, b_ub=np.zeros(len(above)), A_eq=sums, b_eq=np.ones(people),
        bounds=bounds + [(0, None)] * (count * size),
    )  # fmt: skip
    assert found.status == 0
    return float(np.sum(weights)) - found.fun


def random_family(source):
    people = source.randint(3, 6)
    f = random_onto(source, people, source.randint(2, people))
    priors = [random_masses(source, people) for _ in range(source.randint(2, 5))]
    return priors, f, Fraction(source.randint(0, 20), 20)


class TestExamples:
    def test_what_is_printed_is_out_of_reach(self):
        found = recoverable.robust(*PAIR)
        assert float(found.printed) == pytest.approx(0.450, abs=5e-4)
        assert float(found.privacy) == pytest.approx(0.360, abs=5e-4)
        value, weights = best_guarantee(*PAIR)
        assert float(found.privacy) == pytest.approx(value, abs=1e-9)
        assert found.upper >= found.privacy
        # The dual weights make one average that no response can have more of: 0.450 is far above it.
        assert weights.sum() == pytest.approx(1)
        assert np.all(weights >= -1e-12)
        bound = best_on_average(PAIR[0], weights, *PAIR[1:])
        assert bound == pytest.approx(value, abs=1e-9)
        assert bound < float(found.printed) - 0.08

    def test_the_least_favourable_prior_alone(self):
        found = recoverable.robust(*PERMUTED, 0.6)
        assert float(found.privacy) == pytest.approx(0.40, abs=1e-9)
        assert float(found.least_favourable) == pytest.approx(0.34, abs=5e-3)
        assert found.printed == Fraction(2, 5)

    def test_prices_are_exact(self):
        found = recoverable.robust(*PAIR)
        for price, prior in zip(found.prices, PAIR[0], strict=True):
            assert price.robust == measures.guess_error(found.channel, price.prior)
            assert price.alone == recoverable.recoverable(prior, *PAIR[1:]).privacy
            assert price.price >= 0
        assert found.privacy == min(price.robust for price in found.prices)
        assert all(row[x] >= Fraction("0.547") for x, row in enumerate(found.channel.rows))


class TestFamilies:
    def test_never_below_the_least_favourable_answer(self):
        source = seeded(21)
        gains = []
        for _ in range(100):
            priors, f, rho = random_family(source)
            found = recoverable.robust(priors, f, rho)
            own = min(priors, key=lambda p: recoverable.recoverable(p, f, rho).privacy)
            rival = recoverable.recoverable(own, f, rho)
            really = min(measures.guess_error(rival.channel, Distribution(p)) for p in priors)
            assert found.least_favourable == really
            assert found.privacy >= really
            assert found.printed >= found.privacy
            assert found.privacy <= found.upper
            assert float(found.privacy) == pytest.approx(best_guarantee(priors, places(f), rho)[0], abs=1e-8)
            assert all(row[found.channel.outputs.index(v)] >= rho for v, row in zip(f, found.channel.rows, strict=True))
            gains.append(float(found.privacy - really))
        assert sum(gain > 1e-4 for gain in gains) >= 20

    def test_one_prior_is_theorem_2(self):
        found = recoverable.robust([[0.5, 0.3, 0.2]], [0, 1, 2], 0.6)
        assert found.privacy == found.least_favourable == found.printed == Fraction(2, 5)

    def test_refusals(self):
        with pytest.raises(InvalidParameter, match=r"priors is empty\. Give at least one"):
            recoverable.robust([], [0, 1], 0.6)
        with pytest.raises(InvalidParameter, match="different data"):
            recoverable.robust([{"a": 0.5, "b": 0.5}, {"b": 0.5, "a": 0.5}], [0, 1], 0.6)
        with pytest.raises(InvalidParameter, match=r"at most 400 are solved for\. Merge some"):
            recoverable.robust([[0.5, 0.5]] * 401, [0, 1], 0.6)


def places(f):
    order = list(dict.fromkeys(f))
    return [order.index(value) for value in f]


def random_point(source, prior, radius):
    """A law within the radius: some mass moved from some values to others."""
    target = [source.random() ** 3 for _ in prior]
    target = [t / sum(target) for t in target]
    distance = sum(abs(t - float(p)) for t, p in zip(target, prior, strict=True)) / 2
    step = min(1.0, float(radius) / distance) * source.random() ** 0.2
    return [float(p) + step * (t - float(p)) for t, p in zip(target, prior, strict=True)]


BALLS = [
    ([Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)], [0, 1, 1, 2], "1/20"),
    ([Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)], [0, 1, 1, 2], "3/20"),
    ([Fraction(1, 4)] * 4, [0, 1, 0, 1], "1/4"),
    ([Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)], [0, 0, 1], "3/10"),
    ([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], [0, 1, 2], "1/10"),
    # Here some corners that the program need not see count for what the rival guarantees.
    ([Fraction(n, 19) for n in (1, 1, 1, 3, 5, 8)], [0, 1, 2, 1, 0, 3], "3/10"),
]


class TestBalls:
    @pytest.mark.parametrize(("prior", "f", "radius"), BALLS)
    def test_corners(self, prior, f, radius):
        """They lie on the sphere, and no linear function is larger anywhere else in the ball."""
        radius = Fraction(radius)
        corners = list(recoverable.ball_corners(Distribution(prior), radius))
        for corner in corners:
            assert sum(abs(a - b) for a, b in zip(corner.fractions, prior, strict=True)) / 2 == radius
            assert min(corner.fractions) >= 0
        random = np.random.default_rng(1)
        table = np.array([[float(p) for p in corner.fractions] for corner in corners])
        size = len(prior)
        for _ in range(60):
            slope = random.normal(size=size)
            # Variables: what is added and what is taken away.
            found = linprog(
                np.concatenate([-slope, slope]),
                A_ub=[np.ones(2 * size)],
                b_ub=[2 * float(radius)],
                A_eq=[np.concatenate([np.ones(size), -np.ones(size)])],
                b_eq=[0],
                bounds=[(0, None)] * size + [(0, float(p)) for p in prior],
            )
            best = slope @ np.array([float(p) for p in prior]) - found.fun
            assert (table @ slope).max() == pytest.approx(best, abs=1e-9)

    @pytest.mark.parametrize(("prior", "f", "radius"), BALLS)
    @pytest.mark.parametrize("rho", ["1/2", "7/10"])
    def test_cutting_planes_are_the_whole_program(self, prior, f, radius, rho):
        found = recoverable.robust_ball(prior, f, Fraction(rho), Fraction(radius))
        corners = [corner.fractions for corner in recoverable.ball_corners(Distribution(prior), Fraction(radius))]
        value, _ = best_guarantee(corners, f, Fraction(rho))
        assert float(found.privacy) == pytest.approx(value, abs=1e-8)
        assert found.privacy <= found.upper
        assert found.privacy >= found.least_favourable
        alone = [1 - max(*c, Fraction(rho) * sum(max(p for p, v in zip(c, f, strict=True) if v == i) for i in set(f)))
                 for c in corners]  # fmt: skip
        assert found.printed == min(alone)

    @pytest.mark.parametrize(("prior", "f", "radius"), BALLS)
    def test_the_rival_is_judged_by_every_corner(self, prior, f, radius):
        """W_o of the first least favourable corner, by hand."""
        rho = Fraction(11, 20)
        found = recoverable.robust_ball(prior, f, rho, Fraction(radius))
        corners = list(recoverable.ball_corners(Distribution(prior), Fraction(radius)))
        queries = [
            recoverable.Query(prior=corner, values=tuple(range(max(f) + 1)), f=tuple(f), rho=rho) for corner in corners
        ]
        worst = min(queries, key=lambda query: 1 - max(*query.masses, rho * query.total))
        rows = [recoverable.best_noise(worst)[place] for place in f]
        assert found.least_favourable == min(
            1 - sum(max(p * row[i] for p, row in zip(law.fractions, rows, strict=True)) for i in set(f))
            for law in corners
        )

    @pytest.mark.parametrize(("prior", "f", "radius"), BALLS)
    def test_no_law_inside_has_less(self, prior, f, radius):
        found = recoverable.robust_ball(prior, f, Fraction(3, 5), Fraction(radius))
        rows = np.array([[float(p) for p in row] for row in found.channel.rows])
        source = seeded(22)
        for _ in range(500):
            law = np.array(random_point(source, prior, Fraction(radius)))
            assert 1 - (law[:, None] * rows).max(axis=0).sum() >= float(found.privacy) - 1e-12

    def test_no_radius_is_theorem_2(self):
        found = recoverable.robust_ball([0.5, 0.3, 0.2], [0, 1, 2], 0.6, 0)
        assert float(found.privacy) == pytest.approx(0.4, abs=1e-8)

    def test_refusals(self):
        with pytest.raises(InvalidParameter, match=r"could be certain\. Choose a smaller ball"):
            recoverable.robust_ball([0.5, 0.3, 0.2], [0, 1, 2], 0.6, 0.5)
        with pytest.raises(InvalidParameter, match="below the smallest probability"):
            recoverable.robust_ball([Fraction(1, 20)] * 20, [x % 2 for x in range(20)], 0.6, 0.5)
