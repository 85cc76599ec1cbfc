"""The top answers of a long list: the cut is exact, none is false more often than allowed, and power is as planned."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from sfumato.errors import InvalidParameter
from sfumato.inference.heavy_hitters import FamilyCut, discovered_answers, found_answers, reports_to_find
from sfumato.mechanisms import CyclicResponse
from sfumato.mechanisms.cyclic import best_set
from sfumato.sampling import InsecureSeeded
from surname_laws import LEAST, MOST, TOP, drawn_names, surname_law

MILLION = 10**6


def cut_of(size, epsilon, n, **rest):
    """The cut at odds e^ε as near as floats come, not rounded down as a mechanism's are."""
    chosen = best_set(size, lambda one: one.noise(math.exp(epsilon)))
    modulus, members, repeats = chosen.parameters
    odds = Fraction(math.exp(epsilon))
    total = members * odds + modulus - members
    own, other = members * odds / total, (repeats * odds + members - repeats) / total
    return FamilyCut(size=size, n=n, own=own, other=other, **rest)


# k, ε, the least count, the share there, the power at .1, .3 and .9 %, and the share that is found 9 times of 10.
TABLE = [
    (10**5, 1, 252120, ".00941290", ("6.1e-06", "4.3e-04", ".41552548"), ".011881"),
    (10**5, 2, 126620, ".00417408", ("1.0e-04", ".08503456", ".99999999"), ".005271"),
    (10**6, 1, 252309, ".01024702", ("7.7e-07", "8.3e-05", ".25906007"), ".012716"),
    (10**6, 2, 126766, ".00454601", ("1.6e-05", ".03540784", ".99999989"), ".005644"),
]


def printed(value, like):
    """A number with the digits that another is printed with."""
    if "e" in like:
        return f"{value:.1e}"
    return f"{value:.{len(like) - 1}f}".removeprefix("0")


@pytest.mark.parametrize(("size", "epsilon", "count", "share", "powers", "found"), TABLE)
def test_the_printed_table_is_met_to_its_digits(size, epsilon, count, share, powers, found):
    """The table of the theory page, for a million reports and a family-wise error of 5 %."""
    rule = cut_of(size, epsilon, MILLION)
    assert rule.count() == count
    assert printed(rule.share, share) == share
    assert tuple(printed(rule.power(p), like) for p, like in zip((0.001, 0.003, 0.009), powers, strict=True)) == powers
    assert printed(rule.share_found(0.9), found) == found


def test_the_normal_cut_would_not_do():
    """With the normal approximation in its place the family-wise error is above 5 %, as the page says."""
    for n, error in ((MILLION, 0.05285), (10**5, 0.05828)):
        rule = cut_of(10**6, 2, n)
        chance = float(rule.other)
        reach = -float(ndtri(0.05 / 10**6))
        normal = n * chance + reach * math.sqrt(n * chance * (1 - chance))
        assert 10**6 * float(binom.sf(math.ceil(normal) - 1, n, chance)) == pytest.approx(error, rel=0.02)
        assert 10**6 * float(binom.sf(rule.count() - 1, n, chance)) <= 0.05


def largest_hits(rule, members, modulus, odds, *, runs, seed):
    """The most hits of a listed text in each of so many surveys, where everybody holds one that is not in the list."""
    law = np.ones(modulus)
    law[members] = float(odds)
    drawn = np.random.default_rng(seed).multinomial(rule.n, law / law.sum(), size=runs)
    hits = np.zeros((modulus, runs))
    for member in members:
        hits += np.roll(drawn, -member, axis=1).T
    # All hold the text at 0; the others are the list.
    return hits[1:].max(axis=0)


@pytest.mark.parametrize("people", [2000, 400])
def test_the_exact_cut_holds_where_the_normal_one_fails(people):
    """K = 993, ε = 3.5: of 2000 surveys no more than chance at 99.9 % explains by 5 %, and the normal cut far more."""
    mechanism = CyclicResponse.within(size=993, epsilon=3.5)
    assert mechanism.modulus == 993
    own, other = mechanism.probabilities
    rule = FamilyCut(size=992, n=people, own=own, other=other)
    support = mechanism.difference_set.members.tolist()
    assert len(support) == 32
    runs = 2000
    most = largest_hits(rule, support, 993, mechanism.odds, runs=runs, seed=23)
    exact = int((most >= rule.count()).sum())
    normal = people * float(other) - float(ndtri(0.05 / 992)) * math.sqrt(people * float(other * (1 - other)))
    wrong = int((most >= normal).sum())
    assert binom.sf(exact - 1, runs, 0.05) > 0.001
    assert binom.sf(wrong - 1, runs, 0.05) < 0.001
    seen = {2000: (0.032, 0.121), 400: (0.040, 0.177)}[people]
    for found, was in zip((exact, wrong), seen, strict=True):
        assert abs(found / runs - was) < 4 * math.sqrt(2 * was * (1 - was) / runs)


def test_a_small_family_comes_near_the_union_bound():
    """K = 13, ε = 1, n = 2000: .0417 of 20,000 surveys where the union bound allows .0420."""
    odds = Fraction(math.exp(1))
    total = 4 * odds + 9
    rule = FamilyCut(size=13, n=2000, own=4 * odds / total, other=(3 + odds) / total)
    union = 12 * binom.sf(rule.count() - 1, 2000, float(rule.other))
    assert union == pytest.approx(0.0420, abs=5e-5)
    runs = 20_000
    found = int((largest_hits(rule, [0, 1, 3, 9], 13, odds, runs=runs, seed=0) >= rule.count()).sum())
    assert found / runs == pytest.approx(0.0417, abs=4 * math.sqrt(0.0417 * 0.96 / runs))
    assert binom.sf(found - 1, runs, union) > 0.001


def test_what_no_method_finds_and_what_a_hunt_does():
    """Least shares by Fano's inequality, to leading order, beside the cut of a list and the estimate for a hunt."""
    n = MILLION
    for epsilon, dictionary, keys, hunt in ((1, 0.00930, 0.0170, 0.0293), (2, 0.00412, 0.00754, 0.0130)):
        odds = math.exp(epsilon)
        noise = 4 * odds / (odds - 1) ** 2
        for texts, share in ((1e6, dictionary), (2.0**64, keys)):
            fano = math.sqrt(2 * noise * (0.9 * math.log(texts) - math.log(2)) / n)
            assert fano == pytest.approx(share, rel=5e-3)
        # Four rounds of 16 bits that keep 32 prefixes, the users split among them, found nine times of ten in all.
        offered, rounds = 32 * 2**16, 4
        reach = -float(ndtri(0.05 / rounds / offered)) + float(ndtri(0.9 ** (1 / rounds)))
        hunted = reach * math.sqrt(noise * rounds / n)
        assert hunted == pytest.approx(hunt, rel=5e-3)
        listed = cut_of(10**6, epsilon, n).share_found(0.9)
        assert (hunted / listed) ** 2 == pytest.approx(5.3, abs=0.05)


def test_discoveries_are_those_of_benjamini_and_yekutieli():
    """Step up over exact tails, whatever the hits; as many as the plain definition by p-values says."""
    rule = FamilyCut(size=50, n=4000, own=Fraction(2, 5), other=Fraction(1, 5))
    random = np.random.default_rng(5)
    for frequent in (0, 3, 20):
        shares = np.zeros(50)
        shares[:frequent] = np.linspace(0.02, 0.14, frequent)  # some are doubtful, or every rule says the same
        hits = random.binomial(4000, 0.2 + 0.2 * shares)
        tails = np.sort(binom.sf(hits - 1, 4000, 0.2))
        harmonic = sum(1 / i for i in range(1, 51))
        passed = np.flatnonzero(tails <= 0.05 * np.arange(1, 51) / (50 * harmonic))
        wanted = 0 if not passed.size else passed[-1] + 1
        assert discovered_answers(hits, rule).places.size == wanted
    assert wanted >= found_answers(hits, rule).places.size
    with pytest.raises(InvalidParameter, match="hits"):
        discovered_answers([1, 2], rule)


def test_holms_step_down_is_that_of_p_values():
    """Against the textbook: p-values in order, each against α over those that are left."""
    rng = np.random.default_rng(5)
    rule = FamilyCut(size=40, n=300, own=Fraction(1, 2), other=Fraction(1, 4), error=Fraction(1, 5))
    steps = 0
    for _ in range(200):
        held = np.where(rng.random(40) < 0.5, 0.25, rng.uniform(0.3, 0.42, 40))
        hits = rng.binomial(300, held)
        values = binom.sf(hits - 1, 300, 0.25)
        order, found = np.argsort(values, kind="stable"), set()
        for rank, place in enumerate(order.tolist()):
            if values[place] > 0.2 / (40 - rank):
                break
            found.add(place)
        got = found_answers(hits, rule)
        assert set(got.places.tolist()) == found
        assert (np.diff(hits[got.places]) <= 0).all()
        steps += len(found) > np.count_nonzero(hits >= rule.count())
    assert steps > 20, "the step down finds more than the first cut"


def test_a_fixed_share_at_the_border_is_rarely_reported():
    """Exactly a share p_0 of n people hold an answer: a sum of unequal chances stays within its level."""
    n, held = 2000, 20
    rule = FamilyCut(size=10, n=n, own=Fraction(1, 2), other=Fraction(1, 4), at_least=Fraction(held, n))
    law = np.convolve(binom.pmf(np.arange(held + 1), held, 0.5), binom.pmf(np.arange(n - held + 1), n - held, 0.25))
    assert law[rule.count() :].sum() <= 0.005
    assert law[rule.count() - 3 :].sum() > 0.004, "and the cut is no further out than it must be"
    assert rule.count() > FamilyCut(size=10, n=n, own=rule.own, other=rule.other).count()
    assert rule.power(held / n) <= 0.005 < rule.power(0.2)


def test_few_reports_find_nothing_and_say_so():
    rule = cut_of(1000, 1, 5)
    assert rule.count() == 6
    assert rule.share_found() is None
    assert found_answers(np.full(1000, 5), rule).places.size == 0


def test_intervals_hold_for_all_answers_at_once():
    """In at least 95 % of draws the intervals of all answers that were found cover; one by one they would not."""
    mechanism = CyclicResponse.within(size=200, epsilon=2)
    law = surname_law(200)[:200]
    own, other = mechanism.probabilities
    rng, covered, narrow = np.random.default_rng(2), 0, 0
    rule = FamilyCut(size=200, n=50_000, own=own, other=other)
    chances = float(other) + float(own - other) * law
    for _ in range(400):
        hits = rng.binomial(50_000, chances)
        found = found_answers(hits, rule)
        truth = law[found.places]
        covered += bool(((found.lower <= truth) & (truth <= found.upper)).all())
        narrow += bool((np.abs(found.raw - truth) <= 1.96 * found.standard_errors).all())
    assert covered >= 0.95 * 400
    assert narrow < 0.9 * 400


def test_what_is_no_rule_is_refused():
    with pytest.raises(InvalidParameter, match="must lie below `own`"):
        FamilyCut(size=3, n=9, own=Fraction(1, 4), other=Fraction(1, 4))
    rule = FamilyCut(size=3, n=9, own=Fraction(1, 2), other=Fraction(1, 4))
    with pytest.raises(InvalidParameter, match="3 counts, one for each answer"):
        found_answers(np.zeros(4), rule)
    for power in (0, 1, 1.5):  # nobody is found so surely, and a search for how many would not end
        with pytest.raises(InvalidParameter, match="power"):
            reports_to_find(rule, 0.5, power)


# Through the mechanism itself.


@cache
def rule_of(size, epsilon, people):
    mechanism = CyclicResponse.within(size=size, epsilon=epsilon)
    own, other = mechanism.probabilities
    return mechanism, FamilyCut(size=size, n=people, own=own, other=other)


def run(size, epsilon, people, law, seed):
    """The answers that are found in one survey."""
    mechanism, rule = rule_of(size, epsilon, people)
    reports = mechanism.privatize(drawn_names(law, people, seed), InsecureSeeded(seed))
    hits = mechanism.hits(np.bincount(reports, minlength=mechanism.modulus).astype(np.float64))
    return found_answers(hits, rule).places


def judge(size, epsilon, people, law, seeds):
    """How many surveys had a false answer, and how often each answer was found."""
    false, found = 0, np.zeros(size, dtype=np.int64)
    for seed in range(seeds):
        places = run(size, epsilon, people, law, seed)
        false += bool((law[places] == 0).any())
        found[places] += 1
    return false, found


def check_power(size, epsilon, people, law, seeds, found):
    _, rule = rule_of(size, epsilon, people)
    powers = np.array([rule.power(float(share)) for share in law[:TOP]])
    # Four Monte Carlo errors as exact tails, since powers near 0 and 1 are far from normal.
    least = float(ndtr(-4))
    hits = found[:TOP]
    assert (np.minimum(binom.cdf(hits, seeds, powers), binom.sf(hits - 1, seeds, powers)) > least).all()
    assert ((powers > 0.05) & (powers < 0.95)).any(), "some shares are neither always found nor never"


def test_the_law_of_surnames_is_the_one_of_the_page():
    law = surname_law()
    assert law[0] == pytest.approx(MOST, rel=1e-9)
    assert law[TOP - 1] == pytest.approx(LEAST, rel=1e-9)
    assert law.sum() == pytest.approx(1)
    assert (np.diff(law) < 0).all()
    assert law[:TOP].sum() == pytest.approx(0.1117, abs=2e-3)


def test_a_small_list_is_as_right_as_planned():
    """200 surveys of a list of 2,000, all but 40 of them held by nobody."""
    law = surname_law(2000, unused=1960)
    false, found = judge(2000, 2.0, 20_000, law, 200)
    assert false <= 20
    law = surname_law(2000)
    _, found = judge(2000, 5.0, 20_000, law, 100)
    check_power(2000, 5.0, 20_000, law, 100, found)


def test_of_a_census_nearly_all_of_the_top_are_found():
    """A million people, 10⁵ names, ε = 4: at least 29 of the 32 most common, where hunting byte by byte found 2."""
    places = run(10**5, 4.0, MILLION, surname_law(), 1)
    assert np.count_nonzero(places < TOP) >= 29


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_two_hundred_surveys_of_a_million(epsilon):
    """10⁵ names of which 40 are held: no false one in at least 180 of 200; shares of the top found as planned."""
    law = surname_law(10**5, unused=10**5 - 40)
    false, _ = judge(10**5, epsilon, MILLION, law, 200)
    assert false <= 20
    law = surname_law()
    _, found = judge(10**5, epsilon, MILLION, law, 200)
    check_power(10**5, epsilon, MILLION, law, 200, found)
