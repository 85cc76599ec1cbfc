"""A promise for every answer: known numbers, bisection as another method, and the worst answer of certificates."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from recoverable.response_oracles import as_fractions, random_question, seeded
from sfumato import certify, measures, recoverable, verify
from sfumato.recoverable.worst_case import least_certainty

NUMBERS = [
    (["1/2", "3/10", "1/5"], [0, 1, 2], "3/5", 0.4, "2/5"),
    (["2/5", "3/10", "1/5", "1/10"], [0, 0, 1, 1], "4/5", 0.52, "13/25"),
    (["7/20", "1/4", "1/5", "3/25", "2/25"], [0, 0, 1, 1, 2], "7/10", 0.559, "559/1000"),
    (["7/10", "1/5", "1/10"], [0, 1, 2], "11/20", 27 / 104, "3/10"),
    (["7/10", "1/5", "1/10"], [0, 1, 2], "4/5", 0.0967741935, "1/5"),
    (["9/100"] * 10 + ["1/10"], [0] * 10 + [1], "9/10", 0.5, "829/1000"),
    (["1/2", "3/10", "1/5"], [0, 0, 1], "9/10", 0.3076923077, "37/100"),
]


def feasible(prior, f, rho, tau):
    """Whether some response has J(x,i) ≤ τ·P(answer i): one program without an objective."""
    people, size = len(prior), max(f) + 1
    above = np.zeros((people * size, people * size))
    for x in range(people):
        for i in range(size):
            above[x * size + i, np.arange(people) * size + i] -= tau
            above[x * size + i, x * size + i] += 1
    sums = np.repeat(np.eye(people), size, axis=1)
    masses = [float(p) for p in prior]
    bounds = [(float(rho) * masses[x] if f[x] == i else 0, masses[x]) for x in range(people) for i in range(size)]
    found = linprog(
        np.zeros(people * size), A_ub=above, b_ub=np.zeros(people * size), A_eq=sums, b_eq=masses, bounds=bounds
    )
    return found.status == 0


def bisected(prior, f, rho):
    low, high = float(max(prior)), 1.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if feasible(prior, f, rho, middle) else (middle, high)
    return 1 - high


class TestNumbers:
    @pytest.mark.parametrize(("prior", "f", "rho", "each", "average"), NUMBERS)
    def test_known(self, prior, f, rho, each, average):
        found = recoverable.every_answer([Fraction(p) for p in prior], f, Fraction(rho))
        assert found.privacy.lower - 1e-10 <= each <= found.privacy.upper + 1e-10
        assert found.privacy.width < 1e-10
        assert found.best_average == Fraction(average)
        assert found.promise == measures.worst_guess_error(found.channel, found.query.prior)
        assert Fraction(found.privacy.lower) <= found.promise <= found.average <= found.best_average

    def test_the_worst_answer_of_the_best_on_average(self):
        best = recoverable.recoverable([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
        assert float(measures.worst_guess_error(best.channel, best.query.prior)) == pytest.approx(0.3115, abs=5e-5)
        assert best.worst_answer == measures.worst_guess_error(best.channel, best.query.prior)

    def test_a_free_answer(self):
        found = recoverable.every_answer([0.5, 0.3, 0.2], [0, 0, 1], 0)
        assert found.promise == found.best_average == Fraction(1, 2)

    def test_certificate_and_draws(self):
        found = recoverable.every_answer([0.7, 0.2, 0.1], [0, 1, 2], 0.55)
        claim = found.certificate["worst_guess_error"]
        assert claim.value == found.promise
        verify(found.certificate)
        assert found.mechanism.size == 3


class TestAgainstBisection:
    def check(self, count):
        source = seeded("every answer")
        apart = 0
        for _ in range(count):
            prior, f, rho = random_question(source, most_people=6, most_values=6)
            rho = max(rho, Fraction(1, 20))
            found = recoverable.design_every_answer(recoverable.Query.of(prior, f, rho, values=range(max(f) + 1)))
            assert found.privacy.width < 1e-8
            # The oracle's solver takes 1e-7 as 0, of answers that may have a probability of a few percent.
            assert found.privacy.midpoint == pytest.approx(bisected(prior, f, rho), abs=1e-5)
            assert all(row[place] >= rho for row, place in zip(found.channel.rows, f, strict=True))
            apart += found.privacy.upper < found.best_average - Fraction(1, 10**6)
        return apart

    def test_a_few(self):
        assert self.check(12) >= 1

    @pytest.mark.slow
    def test_300(self):
        assert 30 < self.check(300) < 200

    @pytest.mark.slow
    def test_how_often_it_costs_nothing(self):
        """300 questions: 212 promise for every answer what they have on average, and the worst loses .289.

        Where f tells everything and ρ is at least the likeliest value's chance, 51 of 78 do.
        """
        source = np.random.default_rng(1)
        losses, full = [], []
        for _ in range(300):
            people = int(source.integers(3, 7))
            whole = source.random() < 0.5
            size = people if whole else int(source.integers(2, people))
            f = [*range(size), *source.integers(0, size, people - size).tolist()]
            prior, rho = source.dirichlet(np.ones(people)), float(source.uniform(0.1, 0.95))
            query = recoverable.Query.of(as_fractions(prior), f, Fraction(rho), values=range(size))
            found = recoverable.design_every_answer(query)
            losses.append(float(found.best_average) - found.privacy.midpoint)
            if whole and rho >= prior.max():
                full.append(losses[-1])
        assert sum(loss < 1e-8 for loss in losses) == 212
        assert max(losses) == pytest.approx(0.289, abs=6e-4)
        assert (sum(loss < 1e-8 for loss in full), len(full)) == (51, 78)

    def test_any_prices_prove_something_true(self):
        """The bound from prices is below τ of every response, whatever the prices are."""
        source = seeded("prices")
        for _ in range(30):
            prior, f, rho = random_question(source, most_people=5, most_values=4)
            query = recoverable.Query.of(prior, f, max(rho, Fraction(1, 10)), values=range(max(f) + 1))
            prices = np.array([[source.random() for _ in query.values] for _ in query.f])
            best = recoverable.best_answer(query)
            reached = 1 - measures.worst_guess_error(best.channel, query.prior)
            assert least_certainty(query, prices) <= reached


def test_every_recoverable_certificate_says_it():
    best = recoverable.recoverable([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
    claim = certify(best)["worst_guess_error"]
    assert claim.value == best.worst_answer
    assert "the worst is report" in claim.sentence
    hiding = recoverable.recoverable([0.4, 0.3, 0.2, 0.1], [0, 1, 1, 0], 0.9, predicate=[0, 1, 0, 0])
    assert hiding.worst_answer <= hiding.privacy
    assert certify(hiding)["worst_guess_error"].value <= certify(hiding)["guess_error"].value
