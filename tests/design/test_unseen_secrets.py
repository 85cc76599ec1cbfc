"""A responder who sees X only: known numbers, another program's values, and what seeing Y would buy."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from design.response_oracles import as_fractions, seeded
from sfumato import design, measures
from sfumato.errors import InvalidLaw
from sfumato.prob import Joint

THREE = ["3/10 1/20", "1/10 3/20", "1/20 7/20"]
NUMBERS = [
    (THREE, [0, 1, 1], "3/4", 0.35, "2/5"),
    (THREE, [0, 1, 1], "1/2", 0.45, "9/20"),
    (["2/5 0", "1/10 1/5", "0 3/10"], [0, 0, 1], "4/5", 0.34, "9/25"),
    (["1/5 1/20 1/50", "3/100 1/5 1/20", "1/50 3/100 3/20", "1/20 1/10 1/10"], [0, 1, 2, 2], "3/4", 0.4825, "41/80"),
]


def law(rows):
    table = [[Fraction(word) for word in row.split()] for row in rows]
    return table, Joint([v for row in table for v in row], [range(len(table)), range(len(table[0]))])


def least_right(table, f, rho):
    """The program, dense: variables W and t_i."""
    people, secrets, size = len(table), len(table[0]), max(f) + 1
    count = people * size
    above = []
    for i, y in itertools.product(range(size), range(secrets)):
        row = np.zeros(count + size)
        row[np.arange(people) * size + i] = [float(table[x][y]) for x in range(people)]
        row[count + i] = -1
        above.append(row)
    sums = np.hstack([np.repeat(np.eye(people), size, axis=1), np.zeros((people, size))])
    bounds = [(float(rho) if f[x] == i else 0, 1) for x in range(people) for i in range(size)] + [(0, None)] * size
    costs = np.r_[np.zeros(count), np.ones(size)]
    return linprog(costs, A_ub=above, b_ub=np.zeros(len(above)), A_eq=sums, b_eq=np.ones(people), bounds=bounds).fun


@pytest.mark.parametrize(("rows", "f", "rho", "alone", "both"), NUMBERS)
def test_known(rows, f, rho, alone, both):
    table, joint = law(rows)
    found = design.hide_unseen(joint, f, Fraction(rho))
    assert found.privacy.lower - 1e-11 <= alone <= found.privacy.upper + 1e-11
    assert found.privacy.width < 1e-11
    assert found.seeing_both == Fraction(both)
    guesses = [
        max(sum(table[x][y] * found.channel.rows[x][i] for x in range(len(table))) for y in range(len(table[0])))
        for i in range(len(found.channel.outputs))
    ]
    assert found.promise == 1 - sum(guesses)
    assert all(row[place] >= Fraction(rho) for row, place in zip(found.channel.rows, found.query.f, strict=True))
    assert found.mechanism.channel().shape == found.channel.shape


def check_random(count):
    source = seeded("unseen")
    losses = []
    for _ in range(count):
        parts = [source.expovariate(1) ** 2 for _ in range(12)]
        masses = [Fraction(part / sum(parts)).limit_denominator(10**6) for part in parts]
        masses[0] += 1 - sum(masses)
        table = [masses[3 * x : 3 * x + 3] for x in range(4)]
        found = design.hide_unseen(Joint(masses, [range(4), range(3)]), [0, 1, 2, 2], Fraction(3, 4))
        assert found.privacy.width < 1e-9
        assert found.privacy.midpoint == pytest.approx(1 - least_right(table, [0, 1, 2, 2], 0.75), abs=1e-9)
        assert found.promise <= found.seeing_both
        losses.append(float(found.seeing_both - found.promise))
    return losses


def test_a_few():
    assert max(check_random(15)) > 0.001


@pytest.mark.slow
def test_300():
    losses = check_random(300)
    assert 0 < np.mean(losses) < 0.05
    assert sum(loss > 0.001 for loss in losses) > 60


@pytest.mark.slow
def test_what_is_lost_by_not_seeing_it():
    """300 laws on 4×3: .0122 on average, .068 at most, and more than .001 in 48 of 100."""
    source, losses = np.random.default_rng(3), []
    for _ in range(300):
        joint = Joint(as_fractions(source.dirichlet(np.full(12, 0.5))), [range(4), range(3)])
        found = design.hide_unseen(joint, [0, 1, 2, 2], Fraction(3, 4))
        losses.append(float(found.seeing_both) - found.privacy.midpoint)
    assert np.mean(losses) == pytest.approx(0.0122, abs=6e-5)
    assert max(losses) == pytest.approx(0.068, abs=6e-4)
    assert sum(loss > 0.001 for loss in losses) == 144


def test_x_that_cannot_happen_is_left_out():
    _, joint = law(["1/2 1/4", "0 0", "0 1/4"])
    found = design.hide_unseen(joint, [0, 1, 1], Fraction(3, 4))
    assert found.channel.inputs == (0, 2)
    assert measures.guess_error(found.channel, found.query.prior) >= 0
    with pytest.raises(InvalidLaw, match="must have two"):
        design.hide_unseen(Joint([0.5, 0.5], [[0, 1]]), [0, 1], 0.5)
