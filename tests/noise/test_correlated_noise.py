"""Noise for people who depend on few others: the numbers of the theory, and no law of such people beats it."""

import itertools
import json
import math
from dataclasses import asdict
from fractions import Fraction

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import InvalidParameter
from sfumato.measures.dependence import ANYONE, NOBODY, Correlation
from sfumato.noise.certificates import IF_FALSE, OTHERS_KNOWN, bound_noise
from sfumato.noise.gaussian_designs import gaussian, private_count, private_mean, private_sum
from sfumato.noise.reaccounting import Reaccounting, bits_of
from sfumato.sampling import InsecureSeeded

INCOMES = {
    0.1: {1: 0.0259277, 5: 0.129638, 50: 1.29638, 10**3: 25.9277, 10**6: 25927.7},
    1: {1: 0.00462634, 5: 0.0231317, 50: 0.231317, 10**3: 4.62634, 10**6: 4626.34},
}


@pytest.mark.parametrize("budget", INCOMES)
@pytest.mark.parametrize("people", INCOMES[1])
def test_the_mean_of_a_million_incomes(budget, people):
    mean = private_mean(0, 20_000, 10**6, budget, correlated=people)
    assert math.sqrt(mean.variance) == pytest.approx(INCOMES[budget][people], rel=1e-3)
    assert mean.capacity_bits.upper <= budget
    assert mean.capacity_bits.lower > 0.99999 * budget
    assert mean.correlated == Correlation(people=people)
    sf.verify(sf.Certificate.from_json(mean.certificate.to_json()))


def test_what_the_certificate_says():
    mean = private_mean(0, 20_000, 10**6, 0.1, correlated=5)
    certificate = mean.certificate
    assert (certificate.subject.people, certificate.subject.change) == (5, Fraction(1, 50))
    first = certificate.claims[0].sentence
    assert first.endswith("if at most 5 people depend on each other, whatever is known about all others.")
    assert "whole group together" in first
    assert any("nobody knows" in note and "excluded" in note for note in certificate.notes)
    # Who knows the other four: Δ instead of 5Δ, so about a 25th of the bits.
    assert certificate[OTHERS_KNOWN].value.upper == pytest.approx(0.1 / 25, rel=0.3)
    assert certificate[IF_FALSE].value.upper == pytest.approx(mean.bits_for(ANYONE), abs=1e-9)
    assert certificate[IF_FALSE].value.lower > 16
    alone = private_mean(0, 20_000, 10**6, 0.1, correlated="nobody").certificate
    assert OTHERS_KNOWN not in [claim.measure for claim in alone.claims]
    assert "nobody depends on anybody else" in alone.claims[0].sentence


def test_an_assumption_that_makes_nothing_smaller_is_not_made():
    every = gaussian(low=0, high=10, budget_bits=1)
    for design in (
        gaussian(low=0, high=10, budget_bits=1, change=2, correlated=5),
        gaussian(low=0, high=10, budget_bits=1, change=2, correlated="anyone"),
        gaussian(low=0, high=10, budget_bits=1, correlated="nobody"),
    ):
        assert design.certificate == every.certificate
        assert design.variance == every.variance
    with pytest.raises(InvalidParameter, match="shared bits"):
        gaussian(low=0, high=10, budget_bits=1, correlated=Correlation(shared_bits=Fraction(3)))
    with pytest.raises(InvalidParameter, match="positive"):
        gaussian(low=0, high=10, budget_bits=1, change=0, correlated=1)


@pytest.mark.parametrize(("steps", "bits"), [(5, 0.999989), (20, 0.999995)])
def test_a_coarse_grid_costs_next_to_nothing(steps, bits):
    found = bound_noise(Fraction("0.214034") * steps**2, steps, None).bits
    assert 0.99998 < found.lower <= found.upper <= bits


def told(joint):
    """I(X;Y) in bits of a table."""
    joint = joint / joint.sum()
    alone = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    held = joint > 1e-150  # what is less adds nothing that a double holds
    return float((joint[held] * np.log2(joint[held] / alone[held])).sum())


def output_rows(design, most):
    """P(y|f) for whole numbers f from 0 to `most`, whose grid is 1, through the rounding of the design."""
    assert (design.grid, design.centre.denominator) == (1, 1)
    reach = math.ceil(12 * math.sqrt(design.noise.variance)) + 1
    noise = np.array([design.noise.probability(z).midpoint for z in range(-reach, reach + 1)])
    rows = np.zeros((most + 1, most + 2 * reach + 1))
    for f in range(most + 1):
        rows[f, f : f + len(noise)] = noise
    return rows


def first_and_sum(group, size):
    """The law of (X_1, sum) of a group whose joint law is a table of so many values in each direction."""
    found = np.zeros((size, group.ndim * (size - 1) + 1))
    for values in itertools.product(range(size), repeat=group.ndim):
        found[values[0], sum(values)] += group[values]
    return found


@pytest.mark.parametrize("people", [1, 2, 3])
def test_households_never_tell_more_and_reach_the_bound(people):
    """Records of 0 to 8, households of so many, Y = sum + noise: 334 laws of theirs, and the one that tells most."""
    size, records = 9, 6
    steps = (size - 1) * people // 2
    design = gaussian(low=0, high=(size - 1) * records, budget_bits=1, change=size - 1, correlated=people, steps=steps)
    bound = design.capacity_bits.upper
    rows = output_rows(design, (size - 1) * records)
    generator = np.random.default_rng(people)
    shape = (size,) * people
    for _ in range(1000 // 3 + 1):
        group = generator.dirichlet(np.full(size**people, generator.choice([0.002, 0.02, 0.3]))).reshape(shape)
        others = generator.dirichlet(np.full((size - 1) * (records - people) + 1, generator.choice([0.02, 1])))
        joint = first_and_sum(group, size)
        spread = np.apply_along_axis(lambda row, law=others: np.convolve(row, law), 1, joint)
        assert told(spread @ rows) <= bound
    # The witness as a law of the household: X_1 has another value at each mass point, the others make up the sum.
    subject = design.certificate.subject
    mine = np.zeros((size, rows.shape[0]))
    free = set(range(size))
    for position, weight in sorted(zip(subject.positions, subject.weights, strict=True)):
        total = position + steps
        value = min(v for v in free if 0 <= total - v <= (size - 1) * (people - 1))
        free.remove(value)
        mine[value, total] = weight
    assert told(mine @ rows) == pytest.approx(bound, abs=1e-6)
    assert told(mine @ rows) <= bound


def test_households_of_two_with_a_geometric_sum_of_four_bits():
    ratio, y = math.exp(-0.5), np.arange(-80, 85)
    rows = np.array([(1 - ratio) / (1 + ratio) * ratio ** np.abs(y - s) for s in range(5)])
    best = told(np.array([rows[0], rows[2]]))
    assert best == pytest.approx(0.1362817, abs=5.1e-8)
    generator = np.random.default_rng(7)
    for _ in range(1000):
        one, other = (generator.dirichlet(np.full(4, generator.choice([0.05, 0.3, 1]))).reshape(2, 2) for _ in "ab")
        rest = np.bincount([0, 1, 1, 2], weights=other.ravel())
        joint = np.apply_along_axis(lambda row, law=rest: np.convolve(row, law), 1, first_and_sum(one, 2))
        assert told(joint @ rows) <= best + 1e-12


def test_numbers_stay_as_close_after_rounding():
    """Whatever the place on the grid, t steps apart stay within ⌈t⌉: what the certificate counts on."""
    design = gaussian(low=0, high=10, budget_bits=1, change=Fraction(1, 3), correlated=2, steps=3)

    class Silent:
        def sample(self, _bits, count):
            return np.zeros(count, dtype=np.int64)

    object.__setattr__(design, "noise", Silent())
    generator = np.random.default_rng(2)
    for numerator in generator.integers(0, 10**6 - 10**5, 300).tolist():
        low = Fraction(numerator, 10**5)
        for far in (Fraction(2, 3), Fraction(1, 3), design.grid / 2, 3 * design.grid, design.grid):
            if low + far <= 10:
                apart = (design.release(low + far, None) - design.release(low, None)) / design.grid
                assert 0 <= apart <= math.ceil(far / design.grid)
    half = design.centre + design.grid / 2
    assert (design.release(half + design.grid, None) - design.release(half, None)) / design.grid == 1


def test_counts_and_sums():
    assert private_count(10**6, 1, correlated="nobody").variance == pytest.approx(0.25 * 0.214032, rel=1e-3)
    one, five = (private_sum(-1, 1, 1000, 0.5, correlated=m) for m in (1, 5))
    assert five.variance == pytest.approx(25 * one.variance, rel=1e-9)
    assert one.variance == pytest.approx(private_mean(-1, 1, 1000, 0.5, correlated=1).variance * 10**6, rel=1e-9)
    values = [Fraction(k % 3 - 1) for k in range(1000)]
    released = one.release(values, InsecureSeeded(1))
    assert abs(released - sum(values)) < 10
    assert (released / one.design.grid).denominator == 1
    assert sf.certify(one) == one.certificate
    with pytest.raises(InvalidParameter, match="outside") as refused:
        one.release([*values[:-1], 77.25])
    assert "77" not in str(refused.value)
    clipped = private_sum(-1, 1, 1000, 0.5, correlated=1, clip=True)
    assert clipped.total([*values[:-1], 77.25]) == sum(values[:-1]) + 1
    assert clipped.total([*values[:-1], Fraction(-77)]) == sum(values[:-1]) - 1
    with pytest.raises(InvalidParameter, match="finite number") as refused:
        clipped.release([*values[:-1], math.nan])
    assert "nan" not in str(refused.value)
    with pytest.raises(TypeError):
        private_sum(-1, 1, 1000, 0.5)  # who may depend on whom must be said


def test_decimals_are_exact():
    mean = private_mean(0, 1, 3, 1, correlated=1)
    assert mean.total([0.1, 0.2, 0.3]) == Fraction(6, 10)


DESIGNS = {
    "number": lambda: private_mean(0, 10, 1000, 0.5, correlated=5),
    "anyone": lambda: gaussian(low=0, high=10, budget_bits=0.5),
    "few": lambda: gaussian(low=0, high=10**9, budget_bits=0.5, change=1, correlated=3, values=2),
    "histogram": lambda: sf.noise.private_histogram(4, 1000, 0.5, correlated=5),
    "quantile": lambda: sf.noise.private_quantile(range(30), 0.5, 1000, 0.5, correlated=5),
    "flip": lambda: sf.noise.flip(budget_bits=0.5),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_what_is_told_under_another_assumption(name):
    design = DESIGNS[name]()
    own = design.bits_for(design.correlated)
    assert own == pytest.approx(design.capacity_bits.upper, abs=1e-12)
    bits = [design.bits_for(Correlation(people=m)) for m in (1, 2, 5, 20, 400)] + [design.bits_for(ANYONE)]
    assert bits == sorted(bits)
    assert design.bits_for(Correlation(shared_bits=Fraction(1))) == bits[-1]
    # Through a file.
    again = Reaccounting(**json.loads(json.dumps(asdict(design.reaccounting))))
    assert [bits_of(again, Correlation(people=m)) for m in (1, 2, 5)] == bits[:3]


def test_recounts_are_what_a_design_for_these_people_would_say():
    """Noise made for five, counted for ten: the capacity of twice the steps, by brute force."""
    design = gaussian(low=0, high=1000, budget_bits=0.5, change=2, correlated=5, steps=10)
    found = bound_noise(design.noise.variance, 20, None).bits
    assert design.bits_for(Correlation(people=10)) == pytest.approx(found.upper, abs=1e-9)
    assert design.bits_for(NOBODY) == pytest.approx(bound_noise(design.noise.variance, 2, None).bits.upper, abs=1e-9)


def test_what_is_certified_holds_for_fewer_on_scales_too_long_to_search():
    parameters = {"width": "9000", "grid": "1", "variance": "90000", "steps": 500, "bits": "1.0", "change": "100"}
    reaccounting = Reaccounting(kind="number", parameters=parameters)
    assert bits_of(reaccounting, Correlation(people=10)) == 1
    assert bits_of(reaccounting, Correlation(people=9)) <= 1 < bits_of(reaccounting, Correlation(people=11))


def chain(flip, count):
    """The law of a stationary chain of bits."""
    law = np.zeros((2,) * count)
    for bits in itertools.product((0, 1), repeat=count):
        law[bits] = math.prod(flip if a != b else 1 - flip for a, b in itertools.pairwise(bits)) / 2
    return law


def dependence(law, place, wide):
    """I(X_i; X_-G) for the window of so many neighbours on either side."""
    inside = set(range(place - wide, place + wide + 1)) - {place}
    rest = law.sum(axis=tuple(sorted(inside)))
    mine = np.moveaxis(rest, place - wide, 0).reshape(2, -1)
    return told(mine)


@pytest.mark.parametrize(
    ("flip", "true", "best"), [(0.05, 0.571556, 0.781352), (0.25, 0.131690, 0.338300), (0.45, 0.030780, 0.058092)]
)
def test_without_an_assumption_the_dependence_is_added(flip, true, best):
    """Nine bits in a chain, their sum with geometric noise of ε = .5; and with our own noise."""
    ratio, y, count, place = math.exp(-0.5), np.arange(-80, 90), 9, 4
    rows = np.array([(1 - ratio) / (1 + ratio) * ratio ** np.abs(y - s) for s in range(count + 1)])
    law = chain(flip, count)
    joint = np.zeros((2, count + 1))
    for bits in itertools.product((0, 1), repeat=count):
        joint[bits[place], sum(bits)] += law[bits]
    assert told(joint @ rows) == pytest.approx(true, abs=5.1e-7)
    windows = [(2 * wide + 1, dependence(law, place, wide)) for wide in range(4)] + [(9, 0.0)]
    bounds = [depends + told(np.array([rows[0], rows[people]])) for people, depends in windows]
    assert min(bounds) == pytest.approx(best, abs=5.1e-7)
    design = gaussian(low=0, high=9, budget_bits=0.2, change=1, correlated=1, steps=1, values=2)
    noise = np.zeros((count + 1, 2 * 200 + 2 * count + 1))
    for s in range(count + 1):
        for z in range(-200, 201):
            noise[s, 200 + 2 * s + z] = design.noise.probability(z).midpoint  # the grid is a half
    exact = told(joint @ noise)
    assert all(exact <= depends + design.bits_for(Correlation(people=people)) for people, depends in windows)


@pytest.mark.parametrize(
    "reaccounting",
    [
        Reaccounting(kind="vector", parameters={"dimension": 2, "records": 1, "variance": "-1"}),
        Reaccounting(kind="magic"),
        Reaccounting(kind="number"),
        Reaccounting(
            kind="number", parameters={"width": "1e99", "grid": "1", "variance": "1", "steps": 1, "bits": "1"}
        ),
        Reaccounting(kind="number", parameters={"width": "1", "grid": "0", "variance": "1", "steps": 1, "bits": "1"}),
        Reaccounting(kind="anyone", parameters={"bits": "-1"}),
        Reaccounting(kind="anyone", parameters={"bits": "nan"}),
        Reaccounting(kind="vector", parameters={"dimension": "x", "records": 1}),
    ],
)
def test_damaged_recounts_are_refused(reaccounting):
    with pytest.raises(InvalidParameter):
        bits_of(reaccounting, ANYONE)
