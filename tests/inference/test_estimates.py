"""Estimates, tests and plans against brute force."""

import itertools
import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from designs import DESIGNS, THREE_CLASSES, TWO_CLASSES
from sfumato import measures
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.inference import (
    Method,
    ShareModel,
    estimate_groups,
    estimate_share,
    respondents_for_half_width,
    respondents_for_test,
    sensitivity_band,
    share_interval,
)
from sfumato.inference.exact import tail
from sfumato.inference.shares import supports_first
from sfumato.inference.shares import test_errors as errors_of_test
from sfumato.prob import Channel, power
from sfumato.surveys import share_law, survey, warner

names = st.sampled_from(list(DESIGNS))


def counts_of(model, size=200):
    length = len(model.first)
    return st.lists(st.integers(0, size), min_size=length, max_size=length).filter(any).map(tuple)


@given(name=names, data=st.data())
def test_the_estimate_maximises_the_likelihood_on_the_unit_interval(name, data):
    model = ShareModel.of(DESIGNS[name].channel)
    counts = data.draw(counts_of(model))
    best = estimate_from_classes(model, counts)
    top = model.log_likelihood(counts, best)
    for theta in np.linspace(0, 1, 101):
        assert model.log_likelihood(counts, float(theta)) <= top + 1e-9 * (1 + abs(top))


def estimate_from_classes(model, counts):
    return min(1.0, max(0.0, model.free_maximum(counts)))


@given(
    law=st.lists(st.integers(0, 9), min_size=2, max_size=3).filter(lambda w: w[0] + w[-1] > 0),
    scores=st.lists(st.fractions(-3, 3, max_denominator=4), min_size=3, max_size=3, unique=True),
    n=st.integers(1, 9),
    upper=st.booleans(),
    ties=st.booleans(),
)
def test_tails_equal_a_sum_over_all_types(law, scores, n, upper, ties):
    scores = sorted(scores)[: len(law)]
    shares = [Fraction(weight, sum(law)) for weight in law]
    expected = Fraction(0)
    for counts in itertools.product(range(n + 1), repeat=len(law)):
        if sum(counts) == n:
            value = sum(k * s for k, s in zip(counts, scores, strict=True))
            if (value > 0 if upper else value < 0) or (ties and value == 0):
                ways = math.factorial(n) // math.prod(map(math.factorial, counts))
                expected += ways * math.prod(p**k for p, k in zip(shares, counts, strict=True))
    found = tail([float(p) for p in shares], n, [float(s) for s in scores], upper=upper, ties=ties)
    assert found == pytest.approx(float(expected), rel=1e-10, abs=1e-13)


def region(n, chance, alpha=Fraction(1, 20)):
    """The acceptance region of a binomial chance, in exact arithmetic: counts by their ratio of likelihoods."""
    likelihoods = [chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]
    best = [Fraction(k, n) ** k * (1 - Fraction(k, n)) ** (n - k) for k in range(n + 1)]
    ranks = [one / most for one, most in zip(likelihoods, best, strict=True)]
    order = sorted(range(n + 1), key=ranks.__getitem__)
    dropped, spent = set(), Fraction(0)
    for _, tied in itertools.groupby(order, key=ranks.__getitem__):
        counts = list(tied)
        spent += sum(math.comb(n, k) * likelihoods[k] for k in counts)
        if spent > alpha:
            break
        dropped |= set(counts)
    held = [k for k in range(n + 1) if k not in dropped]
    return held[0], held[-1]


@pytest.mark.parametrize("n", [1, 2, 7, 25, 40])
def test_two_class_intervals_are_the_hull_of_their_acceptance_regions(n):
    """In exact arithmetic: regions have 95 %, what they accept on a grid lies inside, and both ends are accepted."""
    model = ShareModel.of(Channel([[1, 0], [0, 1]]))
    grid = [Fraction(i, 500) for i in range(1, 500)]
    regions = {chance: region(n, chance) for chance in grid}
    for chance, (low, high) in regions.items():
        inside = sum(math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(low, high + 1))
        assert inside >= Fraction(19, 20)
    for k in range(n + 1):
        interval = share_interval(model, (n - k, k))
        accepted = [chance for chance, (low, high) in regions.items() if low <= k <= high]
        assert all(interval.lower <= chance <= interval.upper for chance in accepted)
        for end, inward in ((interval.lower, 1), (interval.upper, -1)):
            if 0 < end < 1:
                low, high = region(n, Fraction(end) + Fraction(inward, 10**10))
                assert low <= k <= high


@pytest.mark.parametrize("n", [1, 2, 30, 200])
def test_intervals_mirror_each_other_and_move_with_the_count(n):
    model = ShareModel.of(Channel([[1, 0], [0, 1]]))
    intervals = [share_interval(model, (n - k, k)) for k in range(n + 1)]
    for one, other in zip(intervals, reversed(intervals), strict=True):
        assert one.lower == pytest.approx(1 - other.upper, abs=1e-11)
    for one, following in itertools.pairwise(intervals):
        assert one.lower <= following.lower
        assert one.upper <= following.upper


def pulled(model, counts):
    """The share that orders the samples: maximum of the likelihood with the pull, by golden section."""
    start, stop = model.reach()
    low, high = start, stop

    def value(t):
        law = model.law(t)
        if min(law) <= 0 or not start < t < stop:
            return -math.inf
        return math.fsum(k * math.log(p) for k, p in zip(counts, law, strict=True)) + 0.5 * math.log(
            (t - start) * (stop - t)
        )

    for _ in range(200):
        a, b = low + 0.382 * (high - low), low + 0.618 * (high - low)
        low, high = (low, b) if value(a) > value(b) else (a, high)
    return (low + high) / 2


@given(name=st.sampled_from(list(THREE_CLASSES)), data=st.data())
def test_three_class_ends_solve_their_tail_equation_by_enumeration(name, data):
    """At each end inside (0, 1), types ordered at least as high (low) have the part of 5 % that their side has."""
    model = ShareModel.of(DESIGNS[name].channel)
    n = data.draw(st.integers(1, 12))
    i = data.draw(st.integers(0, n))
    counts = (i, j := data.draw(st.integers(0, n - i)), n - i - j)
    interval = share_interval(model, counts)
    every = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
    order = {kind: pulled(model, kind) for kind in every}
    for end, side in ((interval.lower, 1), (interval.upper, -1)):
        law = np.maximum(model.law(end), 0.0)
        chance = math.fsum(
            math.factorial(n)
            / math.prod(map(math.factorial, kind))
            * math.prod(p**k for p, k in zip(law, kind, strict=True))
            for kind in every
            if side * (order[kind] - order[counts]) >= -1e-6
        )
        if 1e-9 < end < 1 - 1e-9:
            assert chance == pytest.approx(part_of_side(model, n, end, side), rel=1e-4)
        else:
            # Nothing is cut towards a bound, and all of it away from it.
            assert end == (0.0 if side == 1 else 1.0)
            assert chance >= 0.05 * (1 - 1e-9)


def part_of_side(model, n, theta, side):
    """How much of 5 % a normal estimate that knows its bounds cuts above (below) a share: found by halving."""
    deviation = 1 / math.sqrt(n * model.information(theta))
    rooms = (1 - theta) / deviation, theta / deviation
    ahead, behind = rooms if side == 1 else rooms[::-1]

    def lost(far, room):
        return far * far if far <= room else room * (2 * far - room)

    def reach(room, loss):
        return math.sqrt(loss) if loss <= room * room else (loss / room + room) / 2

    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        spent = NormalDist().cdf(-middle) + NormalDist().cdf(-reach(behind, lost(middle, ahead)))
        low, high = (middle, high) if spent > 0.05 else (low, middle)
    return NormalDist().cdf(-low)


@given(name=names, data=st.data())
def test_methods_agree_in_large_samples_and_all_hold_the_estimate(name, data):
    channel = DESIGNS[name].channel
    theta = data.draw(st.floats(0.3, 0.7))
    expected = [round(200_000 * float(p)) for p in share_law(channel, theta)]
    estimates = [estimate_share(channel, expected, method=method) for method in Method]
    for estimate in estimates:
        assert estimate.share == pytest.approx(theta, abs=1e-3)
        assert estimate.share in estimate.interval
        assert estimate.interval.width == pytest.approx(estimates[0].interval.width, rel=0.02)
        assert estimate.observed_information == pytest.approx(estimate.fisher_information * estimate.total, rel=1e-2)


def test_fisher_information_of_the_model_is_the_measure():
    for design in DESIGNS.values():
        expected = measures.fisher_information(design.channel, Fraction(1, 10))
        assert ShareModel.of(design.channel).information(0.1) == pytest.approx(float(expected), rel=1e-12)


class TestBoundaries:
    """Counts that no share explains are estimated at an end and flagged; nothing divides by zero."""

    def test_a_little_beyond(self):
        estimate = estimate_share(warner(delta=0.25).channel, {"no": 66, "yes": 34})
        assert estimate.share == 0
        assert "put at 0" in estimate.notes[0]
        assert estimate.interval.upper > 0

    def test_far_beyond(self):
        estimate = estimate_share(warner(delta=0.25).channel, {"no": 990, "yes": 10})
        assert estimate.share == estimate.interval.lower == 0
        assert 0 < estimate.interval.width < 0.01
        assert "No share explains these reports" in estimate.notes[0]

    @pytest.mark.parametrize("name", DESIGNS)
    @pytest.mark.parametrize("method", list(Method))
    def test_all_reports_alike(self, name, method):
        channel = DESIGNS[name].channel
        for place in range(channel.shape[1]):
            counts = [30 if i == place else 0 for i in range(channel.shape[1])]
            estimate = estimate_share(channel, counts, method=method)
            assert 0 <= estimate.interval.lower <= estimate.share <= estimate.interval.upper <= 1

    def test_zero_yes_of_a_proving_design(self):
        estimate = estimate_share(survey(delta=0.25).channel, {"either": 75, "no": 25})
        assert estimate.share == 0
        assert estimate.notes == ()
        # About 25 proving reports, none of them yes: between 1 - .05^(1/25) and 1 - .025^(1/25), give or take.
        assert 0.10 < estimate.interval.upper < 0.14


def test_misfits_are_noted_and_chance_is_not():
    """Three classes leave one degree of freedom to test the design itself; two leave none."""
    channel = survey(delta=0.25).channel
    assert estimate_share(channel, [750, 225, 25]).notes == ()
    assert estimate_share(channel, [700, 265, 35]).notes == ()
    assert "No share explains these reports well" in estimate_share(channel, [500, 450, 50]).notes[0]
    assert "No share explains these reports well" in estimate_share(channel, [900, 90, 10]).notes[0]
    assert estimate_share(channel, [0, 20, 2]).notes == ()  # too few to tell


class TestGroupsAndSensitivity:
    CHANNEL = survey(delta=0.25).channel

    def test_each_group_is_estimated_on_its_own(self):
        groups = {"north": {"either": 60, "no": 15, "yes": 5}, "south": [30, 5, 5]}
        found = estimate_groups(self.CHANNEL, groups)
        assert found["north"] == estimate_share(self.CHANNEL, groups["north"])
        together = estimate_groups(self.CHANNEL, groups, simultaneous=True)
        assert together["south"].confidence == pytest.approx(0.975)
        assert together["south"].interval.encloses(found["south"].interval)
        with pytest.raises(InvalidParameter, match="groups is empty"):
            estimate_groups(self.CHANNEL, {})

    @given(name=names, ignoring=st.floats(0, 0.3), data=st.data())
    def test_the_band_holds_every_way_to_ignore_the_instructions(self, name, ignoring, data):
        """Random behaviour of the ignoring share: the estimate after taking it out stays in the band."""
        channel = DESIGNS[name].channel
        model = ShareModel.of(channel)
        truth = data.draw(st.floats(0.2, 0.8))
        weights = data.draw(
            st.lists(st.integers(0, 9), min_size=len(model.first), max_size=len(model.first)).filter(any)
        )
        others = np.array(weights) / sum(weights)
        n = 10_000_000
        mixed = (1 - ignoring) * model.law(truth) + ignoring * others
        counts = [0] * channel.shape[1]
        for place, kind in enumerate(model.class_of):
            if kind is not None and model.class_of.index(kind) == place:
                counts[place] = round(n * mixed[kind])
        band = sensitivity_band(channel, counts, ignoring=ignoring)
        assert band.lower - 1e-4 <= truth <= band.upper + 1e-4

    def test_nobody_ignoring_leaves_the_estimate(self):
        band = sensitivity_band(self.CHANNEL, [60, 15, 5], ignoring=0)
        assert band.width < 1e-9
        assert band.midpoint == pytest.approx(0.25)
        with pytest.raises(InvalidParameter, match="share of respondents who ignore"):
            sensitivity_band(self.CHANNEL, [60, 15, 5], ignoring=1.0)


class TestTests:
    @pytest.mark.parametrize("name", DESIGNS)
    @pytest.mark.parametrize(("first", "second"), [(0.1, 0.3), (0.3, 0.1), (0.25, 0.75)])
    def test_errors_equal_the_sum_over_types(self, name, first, second):
        """Types from `prob.power`: another enumeration, with labels for counts."""
        channel = DESIGNS[name].channel
        laws = Channel([share_law(channel, first), share_law(channel, second)])
        n = 8
        by_types = power(laws, n)
        wrong = [0.0, 0.0]
        for kind, p, q in zip(by_types.outputs, *by_types.array, strict=True):
            pairs = zip(kind, *laws.array, strict=True)
            ratio = math.fsum(k * math.log(a / b) for k, a, b in pairs if k)
            wrong[0 if ratio <= 1e-12 else 1] += p if ratio <= 1e-12 else q
        errors = errors_of_test(channel, first, second, n)
        assert errors.wrong_if_first == pytest.approx(wrong[0], abs=1e-12)
        assert errors.wrong_if_second == pytest.approx(wrong[1], abs=1e-12)
        chernoff = measures.chernoff_information_nats(*laws.rows)
        assert errors.exponent == pytest.approx(chernoff, rel=1e-9)

    def test_the_errors_fall_at_the_chernoff_rate(self):
        channel = survey(delta=0.25).channel
        errors = [errors_of_test(channel, 0.1, 0.3, n) for n in (2000, 8000)]
        logs = [math.log(max(e.wrong_if_first, e.wrong_if_second)) for e in errors]
        assert (logs[0] - logs[1]) / 6000 == pytest.approx(errors[0].exponent, rel=0.05)

    def test_the_decision_is_the_likelier_share(self):
        channel = warner(delta=0.25).channel
        assert supports_first(channel, {"no": 60, "yes": 40}, 0.1, 0.9)
        assert not supports_first(channel, {"no": 40, "yes": 60}, 0.1, 0.9)
        assert not supports_first(channel, {"no": 50, "yes": 50}, 0.1, 0.9)  # a tie goes to the second

    @pytest.mark.parametrize(
        ("shares", "sentence"),
        [
            ((0.1, 0.1), "nothing to tell apart"),
            ((0.0, 0.5), "strictly between 0 and 1"),
            ((-0.1, 0.5), "theta_1=-0.1"),
        ],
    )
    def test_bad_shares(self, shares, sentence):
        with pytest.raises(InvalidParameter, match=sentence):
            errors_of_test(survey(delta=0.25).channel, *shares, 10)


class TestPlans:
    @pytest.mark.parametrize("name", DESIGNS)
    def test_the_half_width_is_reached_and_one_less_is_not_enough_by_much(self, name):
        channel = DESIGNS[name].channel
        plan = respondents_for_half_width(channel, 0.3, 0.05)
        assert plan.achieved <= 0.05
        fewer = plan.n * 9 // 10
        counts = [fewer * float(p) for p in share_law(channel, 0.3)]
        width = estimate_share(channel, [round(c) for c in counts]).interval.width
        assert width / 2 > 0.05

    def test_three_outputs_need_a_tenth_of_warners_respondents(self):
        best = respondents_for_half_width(survey(delta=0.25).channel, 0.1, 0.02)
        coin = respondents_for_half_width(warner(delta=0.25).channel, 0.1, 0.02)
        assert 10 < coin.n / best.n < 11

    @pytest.mark.parametrize("name", DESIGNS)
    def test_the_test_errors_are_reached(self, name):
        channel = DESIGNS[name].channel
        plan = respondents_for_test(channel, 0.2, 0.5, error=0.05)
        errors = errors_of_test(channel, 0.2, 0.5, plan.n)
        assert max(errors.wrong_if_first, errors.wrong_if_second) == plan.achieved <= 0.05
        smaller = errors_of_test(channel, 0.2, 0.5, max(1, plan.n * 8 // 10))
        assert max(smaller.wrong_if_first, smaller.wrong_if_second) > 0.05

    def test_bad_plans(self):
        with pytest.raises(InvalidParameter, match="half_width=0 must lie in"):
            respondents_for_half_width(survey(delta=0.25).channel, 0.1, 0)
        with pytest.raises(InvalidParameter, match="Ask for less precision or less privacy"):
            respondents_for_half_width(warner(delta=0.0001).channel, 0.5, 0.01)


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({"either": 1, "maybe": 2}, "does not know.*rename or drop"),
        ([1, 2], "counts has 2 entries and the design 3 reports"),
        ([1, -2, 3], "negative"),
        ([1, 2.5, 3], "must be a whole number"),
        ([1, True, 3], "must be a whole number"),
        ([0, 0, 0], "all 0"),
        ({}, "all 0"),
    ],
)
def test_bad_counts_get_a_sentence(counts, sentence):
    with pytest.raises(InvalidParameter, match=sentence):
        estimate_share(survey(delta=0.25).channel, counts)


def test_bad_channels_and_methods():
    with pytest.raises(InvalidLaw, match="nothing can be learned"):
        estimate_share(Channel([[1], [1]]), [3])
    with pytest.raises(InvalidParameter, match="the design never gives that report"):
        estimate_share(Channel([[Fraction(1, 2), Fraction(1, 2), 0], [1, 0, 0]]), [1, 1, 1])
    with pytest.raises(InvalidParameter, match="method='guess' is not known"):
        estimate_share(warner(delta=0.25).channel, [1, 1], method="guess")


def test_reports_of_equal_meaning_are_counted_together():
    split = Channel([[Fraction(1, 4)] * 2 + [Fraction(1, 2)], [Fraction(3, 8)] * 2 + [Fraction(1, 4)]])
    merged = Channel([[Fraction(1, 2)] * 2, [Fraction(3, 4), Fraction(1, 4)]])
    assert estimate_share(split, [10, 20, 20]).interval == estimate_share(merged, [30, 20]).interval
    assert len(TWO_CLASSES) + len(THREE_CLASSES) == len(DESIGNS)
