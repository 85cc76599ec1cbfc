"""What no private estimation of shares can beat, held against enumeration, quadrature and every mechanism there is."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from sfumato import inference
from sfumato.errors import InvalidParameter
from sfumato.inference import limits as floor_bounds
from sfumato.inference.limits import odds_above
from sfumato.mechanisms.cyclic import least_noise

# k, n, ε, floor, what proves it, achieved over floor (printed, rounded), the same of sequential methods
FLOORS = [
    (1000, 10**6, 1.0, 5.8027299e-4, "Assouad", 6.346, 28.4),
    (100, 10**6, 1.0, 2.7969758e-4, "Dirichlet", 1.317, 3.22),
    (20, 10**6, 2.0, 1.3043974e-5, "Dirichlet", 1.110, 1.40),
    (2, 10**4, 1.0, 2.2789358e-4, "Dirichlet", 1.027, 1.36),
    (1000, 10**10, 1.0, 3.6641956e-7, "Dirichlet", 1.005, 1.31),
]
LIMITS = {(1000, 10**6): 6.4, (100, 10**6): 1.33, (20, 10**6): 1.12, (2, 10**4): 1.03, (1000, 10**10): 1.01}


def achieved(size, n, epsilon):
    """V*k/n; of two answers, what binary response has at equal shares."""
    if size == 2:
        return 1 / (2 * n * math.tanh(epsilon / 2) ** 2)
    return least_noise(math.exp(epsilon)) * size / n


@pytest.mark.parametrize(("size", "n", "epsilon", "floor", "method", "ratio", "sequential"), FLOORS)
def test_the_floors_of_the_table(size, n, epsilon, floor, method, ratio, sequential):
    found = inference.proved_floor(size, n, epsilon)
    assert found.value == pytest.approx(floor, rel=2e-7)
    assert method in found.method
    reached = achieved(size, n, epsilon)
    assert reached / found.value == pytest.approx(ratio, abs=6e-4)
    assert reached / found.value <= LIMITS[size, n]
    between = inference.interactive_risk_floor(size, n, epsilon)
    assert reached / between == pytest.approx(sequential, rel=4e-3)
    assert between <= found.value
    assert floor_over_before(size, n, epsilon) > 2


# What is achieved, and the floor of sequential methods.
PRINTED = [
    (1000, 10**6, 1.0, 3.6826944e-3, 1.29885e-4),
    (100, 10**6, 1.0, 3.6826944e-4, 1.14464e-4),
    (20, 10**6, 2.0, 1.4481233e-5, 1.03802e-5),
    (2, 10**4, 1.0, 2.3413472e-4, 1.71849e-4),
    (1000, 10**10, 1.0, 3.6826944e-7, 2.81557e-7),
]


@pytest.mark.parametrize(("size", "n", "epsilon", "reached", "sequential"), PRINTED)
def test_what_is_achieved_and_the_floor_of_sequential_methods(size, n, epsilon, reached, sequential):
    assert achieved(size, n, epsilon) == pytest.approx(reached, rel=2e-8)
    # The mixture with the uniform law is chosen a little better here than for the printed numbers.
    found = inference.interactive_risk_floor(size, n, epsilon)
    assert sequential * (1 - 1e-5) <= found <= sequential * (1 + 1e-4)


def test_with_many_people_the_floor_is_what_subset_selection_has():
    """(k-1)²/(nG), so that V*k/n is k²/(k-1)² times it where k is large."""
    for size, epsilon in ((5, 1.0), (100, 1.0), (40, 3.0)):
        n = 10**15
        least = (size - 1) ** 2 / (n * float(inference.largest_information(size, Fraction(math.exp(epsilon)))))
        assert inference.risk_floor(size, n, epsilon) == pytest.approx(least, rel=1e-6)
    over = achieved(100, 10**15, 1.0) / inference.risk_floor(100, 10**15, 1.0)
    assert over == pytest.approx((100 / 99) ** 2, rel=1e-5)


def floor_over_before(size, n, epsilon):
    """What the bound of squared cosines gave, which falls as answers are added."""
    before = size / (8 * (n * inference.information_per_user(epsilon) + (math.pi * size) ** 2))
    return inference.risk_floor(size, n, epsilon) / before


def test_the_parameters_that_prove_them():
    a_of = {case[:3]: inference.proved_floor(*case[:3]).a for case in FLOORS}
    assert a_of[100, 10**6, 1.0] == pytest.approx(3.99, abs=5e-3)
    assert a_of[20, 10**6, 2.0] == pytest.approx(20.1, abs=0.06)
    assert a_of[2, 10**4, 1.0] == pytest.approx(14.1, abs=0.06)
    assert inference.proved_floor(1000, 10**6, 1.0).c == 1.0


@pytest.mark.parametrize(("epsilon", "n"), [(1.0, 10**6), (0.3, 1000), (4.0, 10**5), (2.0, 10)])
def test_a_floor_grows_with_the_answers_and_falls_with_people(epsilon, n):
    sizes = (2, 3, 4, 7, 10, 31, 100, 173, 240, 241, 1000, 1307, 4000)
    for floor in (inference.risk_floor, inference.interactive_risk_floor, inference.largest_error_floor):
        values = [floor(size, n, epsilon) for size in sizes]
        assert values == sorted(values)
        assert [floor(31, times * n, epsilon) for times in (1, 2, 10)] == sorted(
            (floor(31, times * n, epsilon) for times in (1, 2, 10)), reverse=True
        )
    assert floor_over_before(1000, n, epsilon) > 2


def matchings(answers):
    """Every way to pair the answers."""
    if not answers:
        yield []
        return
    first, *rest = answers
    for other in rest:
        for more in matchings([x for x in rest if x != other]):
            yield [(first, other), *more]


def exact_bayes_risks(size, n, odds, c):
    """The Bayes risk of randomised response under the prior of the matching, by counts of reports: unknown, and known.

    Everything is enumerated: matchings, signs, and count vectors with their multinomial chances.
    """
    laws, pairing = [], []
    for number, pairs in enumerate(matchings(list(range(size)))):
        for signs in itertools.product((-1, 1), repeat=size // 2):
            law = np.full(size, 1 / size)
            for (x, y), sign in zip(pairs, signs, strict=True):
                law[x] += sign * c / size
                law[y] -= sign * c / size
            laws.append(law)
            pairing.append(number)
    laws, pairing = np.array(laws), np.array(pairing)
    rows = (np.ones((size, size)) + (odds - 1) * np.eye(size)) / (size - 1 + odds)
    counts = np.array([t for t in itertools.product(range(n + 1), repeat=size) if sum(t) == n])
    ways = np.array([math.factorial(n) / math.prod(map(math.factorial, t)) for t in counts])
    chances = ways[:, None] * np.exp(counts @ np.log(laws @ rows).T) / len(laws)

    def risk(chosen):
        joint, held = chances[:, chosen], laws[chosen]
        total = joint.sum(axis=1)
        means = joint @ held / total[:, None]
        return float((joint.sum(axis=0) * (held**2).sum(axis=1)).sum() - (total * (means**2).sum(axis=1)).sum())

    return risk(pairing >= 0), sum(risk(pairing == number) for number in set(pairing.tolist()))


def test_the_matching_bound_lies_below_the_exact_bayes_risk():
    bound = floor_bounds.matching_bound(4, floor_bounds.odds_above(1.0), Fraction(1, 2)).at(10)
    hidden, known = exact_bayes_risks(4, 10, math.e, 0.5)
    assert bound == pytest.approx(0.05511644, abs=5e-9)
    assert known == pytest.approx(0.05606308, abs=5e-9)
    assert hidden == pytest.approx(0.05807485, abs=5e-9)
    assert bound <= known <= hidden


@pytest.mark.parametrize(
    ("size", "n", "odds", "c"), [(2, 12, 4.0, 0.5), (4, 5, 1.5, 1.0), (4, 8, 3.5, 0.3), (6, 3, 2.0, 0.9)]
)
def test_and_at_other_parameters(size, n, odds, c):
    bound = floor_bounds.matching_bound(size, Fraction(odds), Fraction(c)).at(n)
    hidden, known = exact_bayes_risks(size, n, odds, c)
    assert 0 < bound <= known <= hidden * (1 + 1e-12)
    if odds * c < 2:
        assert bound > known / 2, "and not much below"


def test_no_floor_is_above_the_exact_minimax_risk_of_few_people():
    """The best linear shrinkage of randomised response, its sup over laws found exactly, is never below the floor."""
    for size, epsilon, n in itertools.product((2, 3, 10), (0.5, 1.0, 3.0), (1, 5, 50, 1000)):
        odds = math.exp(epsilon)
        own, other = odds / (size - 1 + odds), 1 / (size - 1 + odds)
        best = math.inf
        for shrink in np.linspace(0, 1, 101):
            # p̂ = u + s·(raw - u): bias (1-s)²‖p-u‖² and s² times the variance, both functions of ‖p‖² alone.
            risks = []
            for square in (1 / size, 1.0):
                hits = size * (other * (1 - other)) + (own - other) * (1 - 2 * other) - (own - other) ** 2 * square
                variance = hits / (n * (own - other) ** 2)
                risks.append((1 - shrink) ** 2 * (square - 1 / size) + shrink**2 * variance)
            best = min(best, max(risks))
        assert inference.risk_floor(size, n, epsilon) <= best


def test_expected_information_is_above_quadrature():
    for size, a, odds in ((2, 4.0, math.e), (2, 20.0, math.e), (6, 4.0, math.e), (6, 4.0, 20.0), (20, 10.0, 7.389)):
        exact = max(expected_by_quadrature(size, a, odds, d) for d in range(1, size))
        bound = float(floor_bounds.expected_information(size, Fraction(odds), Fraction(a)))
        assert exact <= bound < 1.5 * exact
        if (size, a, odds) == (2, 4.0, math.e):
            assert bound == pytest.approx(0.4459457, abs=5e-8)
            assert exact == pytest.approx(0.4378831, abs=5e-8)


def expected_by_quadrature(size, a, odds, d):
    mean = quad(lambda b: beta.pdf(b, a * d, a * (size - d)) / (1 + (odds - 1) * b), 0, 1, epsabs=1e-12)[0]
    return (odds - 1) ** 2 * d * (size - d) / size / (1 + d / size * (odds - 1)) * mean


def test_prior_information_by_moments():
    """1265 at k = 6, a = 4; and by the moments of 1/p, which are ratios of gamma functions."""
    assert floor_bounds.prior_information(6, Fraction(4)) == 1265
    for size, a in ((2, 3.0), (6, 4.0), (9, 2.5)):
        whole = size * a
        square = math.exp(math.lgamma(a - 2) + math.lgamma(whole) - math.lgamma(a) - math.lgamma(whole - 2))
        cross = math.exp(2 * math.lgamma(a - 1) + math.lgamma(whole) - 2 * math.lgamma(a) - math.lgamma(whole - 2))
        trace = (a - 1) ** 2 * (size * square - (size * square + size * (size - 1) * cross) / size)
        assert float(floor_bounds.prior_information(size, Fraction(a))) == pytest.approx(trace, rel=1e-9)


def test_the_best_numbers_of_favoured_answers_by_trying_all():
    for size, odds, a in itertools.product((2, 3, 17, 60), (Fraction(11, 10), Fraction(3), Fraction(40)), (3, 50)):
        each = [floor_bounds.answer_information(size, odds, d) for d in range(1, size)]
        assert floor_bounds.largest_information(size, odds) == max(each)
        means = [1 + (odds - 1) * Fraction(d, size) for d in range(1, size)]
        told = [g * (1 + v * g / (size * (size * a + 1))) for g, v in zip(each, means, strict=True)]
        assert floor_bounds.expected_information(size, odds, Fraction(a)) == max(told)


def test_no_column_tells_more_than_two_levels():
    """Fisher traces of random channels within the odds, at uniform shares, stay below G."""
    generator = np.random.default_rng(7)
    for size, odds in itertools.product((2, 5, 9), (1.5, 6.0)):
        ceiling = float(floor_bounds.largest_information(size, Fraction(odds)))
        for _ in range(50):
            columns = generator.uniform(1, odds, size=(12, size))
            columns[generator.random(12) < 0.5] = np.where(generator.random(size) < 0.4, odds, 1)
            means = columns.mean(axis=1)
            told = ((columns - means[:, None]) ** 2).sum(axis=1) / means**2  # a column by itself, scaled to mean 1
            assert told.max() <= ceiling * (1 + 1e-12)


def test_floors_are_rounded_down():
    """The search may be worse; what is evaluated is exact, and falls as odds are rounded up."""
    for epsilon in (1e-6, 0.3, 1.0, 5.0, 40.0):
        above = floor_bounds.odds_above(epsilon)
        assert float(above) == pytest.approx(math.exp(epsilon), rel=1e-14)
        assert above > Fraction(math.exp(epsilon)) * (1 - Fraction(1, 2**50))
    bound = floor_bounds.dirichlet_bound(7, Fraction(3), Fraction(5))
    exact = bound.top / (100 * bound.slope + bound.offset)
    assert Fraction(bound.at(100)) <= exact < Fraction(math.nextafter(bound.at(100), 1))
    steep = floor_bounds.matching_bound(8, Fraction(3), Fraction(1, 2))
    assert steep.at(20) == pytest.approx(float(steep.top) * math.exp(-20 * float(steep.rate)), rel=1e-14)
    assert steep.at(10**7) == 0.0


def test_users_are_the_floor_inverted():
    for size, n, epsilon, *_ in FLOORS:
        risk = inference.risk_floor(size, n, epsilon)
        users = inference.users_floor(size, risk, epsilon)
        assert abs(users - n) <= 1 + 1e-6 * n
        assert inference.risk_floor(size, max(users, 1), epsilon) <= risk * (1 + 1e-12)
        assert inference.users_floor(size, 2 * risk, epsilon) < users
    assert inference.users_floor(1000, 1.0, 1.0) == 0


def test_a_budget_of_random_bits_only_raises_it():
    for size, n in ((2, 10**4), (10, 10**5), (1000, 10**7)):
        free = inference.risk_floor(size, n, 1.0)
        few = [inference.risk_floor(size, n, 1.0, bits) for bits in (2.0, 0.5, 0.02, 1e-4)]
        assert [free, *few] == sorted([free, *few])
        assert few[-1] > free
        told = inference.information_per_user(1.0, 1e-4)
        by_hand = max(k / (8 * (n * told + (math.pi * k) ** 2)) for k in range(2, size + 1, 2))
        assert few[-1] == pytest.approx(max(by_hand, free), rel=1e-9)


@pytest.mark.parametrize(
    ("size", "n", "epsilon", "floor", "over"),
    [
        (1000, 10**6, 1.0, 1.17006946e-3, 6.4),
        (100, 10**6, 1.0, 8.76766867e-4, 7.1),
        (20, 10**6, 2.0, 2.69805859e-4, 8.6),
        (10**6, 10**6, 2.0, 7.94685897e-4, 5.8),
    ],
)
def test_floors_of_the_largest_error(size, n, epsilon, floor, over):
    found = inference.largest_error_floor(size, n, epsilon)
    assert floor * (1 - 1e-9) <= found <= floor * (1 + 1e-5)
    reached = math.sqrt(2 * math.log(2 * size) * least_noise(math.exp(epsilon)) / n)
    assert reached / found == pytest.approx(over, abs=0.05)
    sequential = inference.interactive_largest_error_floor(size, n, epsilon)
    steps = np.geomspace(1e-6, 0.5, 4000)
    told = n * steps**2 * math.expm1(epsilon) ** 2 / 4 / (1 - steps)
    looser = float((steps / 2 * (1 - (told + math.log(2)) / math.log(size))).max())
    assert looser <= sequential < found


def test_fano_by_the_exact_information_of_a_channel():
    """nI bounds the information of randomised response about the answer that is ahead, found from its law."""
    for size, odds, step in itertools.product((3, 10), (1.5, 4.0), (0.01, 0.2)):
        rows = (np.ones((size, size)) + (odds - 1) * np.eye(size)) / (size - 1 + odds)
        laws = ((1 - step) / size + step * np.eye(size)) @ rows
        exact = float((laws * np.log(laws * size)).sum() / size)
        squared, reach = (odds - 1) ** 2 / (4 * odds), step * (odds - 1)
        assert exact <= step**2 / 2 * squared * (1 + reach / (3 * (1 - reach)))
        assert exact <= step**2 * (odds - 1) ** 2 / 4


def test_of_two_answers_fano_says_nothing():
    assert inference.largest_error_floor(2, 10, 1.0) == 0.0


@pytest.mark.parametrize(
    "floor",
    [
        inference.risk_floor,
        inference.interactive_risk_floor,
        inference.largest_error_floor,
        inference.interactive_largest_error_floor,
    ],
)
@pytest.mark.parametrize(
    ("arguments", "sentence"), [((1, 10, 1.0), "size=1"), ((10, 0, 1.0), "n=0"), ((10, 10, 0.0), "epsilon=0.0")]
)
def test_bad_parameters(floor, arguments, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        floor(*arguments)


def test_bad_parameters_of_what_floors_are_made_of():
    for epsilon in (0.0, math.inf, math.nan):
        with pytest.raises(InvalidParameter, match="epsilon"):
            odds_above(epsilon)
    with pytest.raises(InvalidParameter, match="size=0 must be at least 2"):
        inference.largest_information(0, Fraction(3))
