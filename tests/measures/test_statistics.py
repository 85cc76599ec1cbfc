"""Counts, sums and histograms of many people: the pair {0, n}, the full loop beside it, households, n = 1000."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from record_channels import datasets, information_about
from sfumato import Channel, measures
from sfumato.errors import InvalidParameter
from sfumato.measures import NoisyCount, count_capacity, individual_capacity_bits, statistic_capacity, totals_of
from sfumato.measures import individual_counts as statistics
from sfumato.measures.dependence import Correlation
from sfumato.measures.individual_counts import has_monotone_ratio, ratio_slip

KINDS = ("geometric", "exponential", "responses")
# A capacity from the race is known to a gap of 1e-6.
GAP = 1e-6


def spread(channel, people, values=2, of=sum):
    """The channel on data sets that a channel on a statistic makes, the slow way."""
    place = {total: at for at, total in enumerate(sorted({of(x) for x in datasets((values,) * people)}))}
    return Channel(np.array([channel.array[place[of(x)]] for x in datasets((values,) * people)]))


def exact_noise(kind, top, odds):
    """The same three laws in Fractions, from their definitions."""
    a = 1 / Fraction(odds)
    if kind == "geometric":  # everything below 0 and above the top is summed as a geometric series
        tails = {0: 1 / (1 - a), top: 1 / (1 - a)}
        table = [
            [a ** abs(y - s) * tails.get(y, 1) * (1 - a) / (1 + a) for y in range(top + 1)] for s in range(top + 1)
        ]
    elif kind == "exponential":  # odds here are those of half a step
        table = [[a ** abs(y - s) for y in range(top + 1)] for s in range(top + 1)]
        table = [[one / sum(row) for one in row] for row in table]
    else:
        lie = 1 / (1 + Fraction(odds))
        table = []
        for s in range(top + 1):
            law = [Fraction(1)]
            for yes in [1 - lie] * s + [lie] * (top - s):
                law = [u * (1 - yes) + v * yes for u, v in zip([*law, 0], [0, *law], strict=True)]
            table.append(law)
    return Channel(table)


@pytest.mark.parametrize(
    ("kind", "top", "epsilon", "bits"),
    [
        ("geometric", 6, 0.5, 0.5730053),
        ("geometric", 9, 0.3, 0.5113724),
        ("exponential", 6, 0.5, 0.1600868),
        ("exponential", 9, 1.0, 0.7002337),
        ("exponential", 50, 1.0, 0.9999867),
    ],
)
def test_two_rows_tell_as_much_as_all_pairs(kind, top, epsilon, bits):
    noise = getattr(NoisyCount, kind)(top=top, epsilon=epsilon)
    found = count_capacity(noise)
    assert found.monotone
    assert found.totals == ((0,), (top,))
    assert found.bits.width < 1e-9
    assert round(found.bits.midpoint, 7) == bits
    rows = noise.rows(range(top + 1))
    counts = range(0, top + 1, 1 if top < 10 else 10)
    pairs = [measures.capacity_bits(Channel(rows[[i, j]])).upper for i, j in itertools.combinations(counts, 2)]
    assert max(pairs) == pytest.approx(bits, abs=1e-7)


TABLE = {
    0.1: (0.0018011, 0.0382710, 0.1280568, 0.8238292, 1.0000000),
    0.5: (0.0437135, 0.4761070, 0.8270788, 0.9999917, 1.0000000),
    1.0: (0.1600585, 0.8363390, 0.9859432, 1.0000000, 1.0000000),
}


@pytest.mark.parametrize("epsilon", TABLE)
def test_what_a_private_count_tells_if_n_are_alike(epsilon):
    for alike, bits in zip((1, 5, 10, 50, 1000), TABLE[epsilon], strict=True):
        found = count_capacity(NoisyCount.geometric(top=2000, epsilon=epsilon), correlated=alike).bits
        assert round(found.midpoint, 7) == bits
        assert found.width < 1e-9
        assert found.upper <= 1


@pytest.mark.parametrize(("epsilon", "alike"), [(0.1, 5), (0.5, 10), (1.0, 5)])
def test_folding_the_tails_changes_nothing(epsilon, alike):
    """The whole two-sided law, cut off so far out that the rest is below 1e-30, by the plain capacity."""
    reach = math.ceil(75 / epsilon)
    outputs = np.arange(-reach, alike + reach + 1)
    rows = np.exp(-epsilon * np.abs(outputs - np.array([[0], [alike]])))
    whole = measures.capacity_bits(Channel(rows / rows.sum(axis=1, keepdims=True)))
    assert count_capacity(NoisyCount.geometric(top=alike, epsilon=epsilon)).bits.widened(1e-10).overlaps(whole)


@pytest.mark.parametrize(("people", "bits", "pair"), [(2, 0.7722600, 0.7389670), (4, 1.2404761, 0.9620498)])
def test_ratings_need_three_points(people, bits, pair):
    noise = NoisyCount.geometric(top=2 * people, epsilon=1)
    found = statistic_capacity(noise, people=people, contributions=(0, 1, 2))
    assert found.bits.lower <= bits + 5e-8 <= found.bits.upper + 1e-7
    assert round(found.bits.lower, 7) == bits
    assert found.bits.width < GAP
    assert found.totals == ((0,), (people,), (2 * people,))
    assert round(count_capacity(noise).bits.midpoint, 7) == pair


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("top", [1, 2, 5, 7])
@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(4)])
class TestTheThreeLaws:
    def test_have_a_monotone_ratio_exactly(self, kind, top, odds):
        channel = exact_noise(kind, top, odds)
        assert has_monotone_ratio(channel)
        assert has_monotone_ratio(Channel([row[::-1] for row in channel.rows]))
        assert ratio_slip(channel.array) < 1e-12

    def test_are_what_the_definitions_say(self, kind, top, odds):
        channel = exact_noise(kind, top, odds)
        epsilon = math.log(odds) * (2 if kind == "exponential" else 1)
        noise = getattr(NoisyCount, kind)(top=top, epsilon=epsilon)
        ours = noise.rows(range(top + 1))
        off = np.abs(ours / channel.array - 1).max()
        # The logarithm of the odds is itself rounded, which costs as many units as there are steps.
        assert off < 2 * noise.relative_error + 1e-14
        found, other = count_capacity(noise), count_capacity(channel)
        assert other.monotone
        assert found.bits.widened(1e-12).overlaps(other.bits)
        assert measures.epsilon(channel) > 0

    def test_agree_with_the_full_search_over_data_sets(self, kind, top, odds):
        channel = exact_noise(kind, top, odds)
        slow = individual_capacity_bits(spread(channel, top), (2,) * top)
        for ours in (count_capacity(channel), count_capacity(Channel(channel.array))):
            assert ours.monotone
            assert ours.bits.overlaps(slow)
            assert ours.totals == ((0,), (top,))


@given(st.integers(0, 10**6))
def test_any_channel_on_a_count_agrees_with_the_full_search(seed):
    rng = np.random.default_rng(seed)
    people, outputs = int(rng.integers(1, 6)), int(rng.integers(2, 6))
    channel = Channel(rng.dirichlet(np.full(outputs, 0.7), size=people + 1))
    slow = individual_capacity_bits(spread(channel, people), (2,) * people)
    quick = count_capacity(channel)
    assert quick.bits.overlaps(slow)
    assert quick.bits.width <= GAP
    general = statistic_capacity(channel, people=people, contributions=(0, 1))
    assert general.bits.overlaps(slow)


@pytest.mark.parametrize("seed", range(6))
def test_histograms_and_ratings_agree_with_the_full_search(seed):
    rng = np.random.default_rng([5, seed])
    people = 3
    units = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    histogram = Channel(rng.dirichlet(np.full(4, 0.7), size=len(totals_of(people, units))))
    found = statistic_capacity(histogram, people=people, contributions=units)
    slow = individual_capacity_bits(
        spread(histogram, people, 3, of=lambda x: tuple(sum(units[a][k] for a in x) for k in range(3))), (3,) * people
    )
    assert found.bits.overlaps(slow)
    ratings = Channel(rng.dirichlet(np.full(4, 0.7), size=2 * people + 1))
    found = statistic_capacity(ratings, people=people, contributions=(0, 1, 2))
    assert found.bits.overlaps(individual_capacity_bits(spread(ratings, people, 3), (3,) * people))


class TestHouseholds:
    def test_pairs_and_a_count_of_four(self):
        """Households of two, geometric noise with ε = .5: the largest of 20 000 laws told .1362817, the bound."""
        found = count_capacity(NoisyCount.geometric(top=4, epsilon=0.5), correlated=2)
        assert round(found.bits.midpoint, 7) == 0.1362817

    @pytest.mark.parametrize("alike", [1, 2, 3])
    @pytest.mark.parametrize("kind", KINDS)
    def test_no_law_of_households_tells_more_and_one_tells_as_much(self, kind, alike):
        people = 4
        channel = spread(getattr(NoisyCount, kind)(top=people, epsilon=1).channel(), people)
        found = count_capacity(getattr(NoisyCount, kind)(top=people, epsilon=1), correlated=alike)
        rng = np.random.default_rng([alike, len(kind)])
        told = []
        for _ in range(70):
            parts = [np.ones(1)]
            left = people
            while left:
                size = min(left, alike)
                parts.append(rng.dirichlet(np.full(2**size, rng.choice([0.05, 0.3, 1.0]))))
                left -= size
            law = parts[0]
            for part in parts[1:]:
                law = np.kron(law, part)
            told.append(information_about(channel, (2,) * people, (0,), law))
        assert max(told) <= found.bits.upper
        (low,), (high,) = found.totals
        assert high - low == alike
        # The first household is all yes or all no; of the others, so many say yes that the lower count comes out.
        base = low if kind != "geometric" else 0
        rest = [1] * base + [0] * (people - alike - base)
        law = np.zeros((2,) * people)
        for value, mass in enumerate(found.law):
            law[(value,) * alike + tuple(rest)] = mass
        assert information_about(channel, (2,) * people, (0,), law.ravel()) == pytest.approx(found.bits.lower, abs=1e-9)

    def test_ratings_in_households(self):
        noise = NoisyCount.geometric(top=6, epsilon=1)
        alone, two, all_three = (
            statistic_capacity(noise, people=3, contributions=(0, 1, 2), correlated=m).bits for m in (1, 2, "anyone")
        )
        assert alone.upper < two.lower < two.upper < all_three.lower
        # A household of two in front of a fixed third person is two people, the fixed one moves the outputs only.
        same = statistic_capacity(NoisyCount.geometric(top=4, epsilon=1), people=2, contributions=(0, 1, 2)).bits
        assert two.overlaps(same)

    def test_more_people_than_there_are_is_anyone(self):
        noise = NoisyCount.exponential(top=5, epsilon=1)
        assert count_capacity(noise, correlated=9) == count_capacity(noise, correlated="anyone")


class TestWithoutAMonotoneRatio:
    # Whoever sees a 1 knows that the count is 1 or 2 of three: the ends tell less than the middle and an end.
    CHANNEL = Channel([[1, 0], [0, 1], [0, 1], [1, 0]])

    def test_the_middle_can_tell_more_than_the_ends(self):
        found = count_capacity(self.CHANNEL)
        assert not found.monotone
        assert found.bits.upper == 1
        assert found.bits.lower > 1 - GAP
        assert found.totals[0][0] in (0, 3) or found.totals[1][0] in (0, 3)
        assert measures.capacity_bits(Channel([self.CHANNEL.row(0), self.CHANNEL.row(3)])).upper < 1e-9

    def test_a_slip_in_doubles_is_no_reason_to_trust_the_ends(self):
        rows = NoisyCount.geometric(top=4, epsilon=0.2).rows(range(5))
        rows[2, 0] *= 1.5
        rows[2] /= rows[2].sum()
        assert ratio_slip(rows) > 0.1
        assert not count_capacity(Channel(rows)).monotone

    def test_zeros_are_judged_too(self):
        shifting = Channel([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
        assert has_monotone_ratio(shifting)
        assert ratio_slip(shifting.array) < 1e-14
        for rows in ([[1, 0, 1], [0, 2, 0], [1, 0, 1]], [[0, 2], [1, 1], [0, 2]]):
            channel = Channel([[Fraction(one, 2) for one in row] for row in rows])
            assert not has_monotone_ratio(channel)
            assert ratio_slip(channel.array) > 0.1

    @given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=4))
    def test_the_check_is_the_definition(self, table):
        """By every order of the outputs and every two rows, not by neighbours in one order."""
        if not all(sum(row) for row in table):
            return
        channel = Channel([[Fraction(one, sum(row)) for one in row] for row in table])

        def holds(order):
            return all(
                low[y] * high[z] >= low[z] * high[y]
                for low, high in itertools.combinations(channel.rows, 2)
                for y, z in itertools.combinations(order, 2)
            )

        truth = any(holds(order) for order in itertools.permutations(range(3)))
        assert has_monotone_ratio(channel) == truth
        assert (ratio_slip(channel.array) < 1e-9) == truth


@pytest.mark.parametrize("kind", KINDS)
def test_a_thousand_people_and_more(kind):
    """Wide tables are never written out, and a dense table of doubles says the same."""
    noise = getattr(NoisyCount, kind)(top=1000, epsilon=0.01)
    all_alike, fifty, alone = (count_capacity(noise, correlated=who).bits for who in ("anyone", 50, "nobody"))
    assert alone.lower < fifty.lower < all_alike.lower
    assert all_alike.width < 1e-8
    dense = count_capacity(noise.channel())
    assert dense.monotone
    assert dense.bits.overlaps(all_alike)
    many = count_capacity(getattr(NoisyCount, kind)(top=20_000, epsilon=0.0005)).bits
    assert many.width < 1e-7


def test_a_count_of_people_who_answer_at_random_is_two_binomial_laws():
    """Against the definition in Fractions: 40 people, odds 3/2."""
    lie = Fraction(2, 5)
    rows = [[math.comb(40, k) * p**k * (1 - p) ** (40 - k) for k in range(41)] for p in (lie, 1 - lie)]
    truth = measures.capacity_bits(Channel(rows))
    assert count_capacity(NoisyCount.responses(top=40, epsilon=math.log(1.5))).bits.widened(1e-12).overlaps(truth)


class TestRefusals:
    def test_beliefs_that_share_bits_are_another_question(self):
        with pytest.raises(InvalidParameter, match="number of people"):
            count_capacity(NoisyCount.geometric(top=3, epsilon=1), correlated=Correlation(shared_bits=Fraction(1)))

    @pytest.mark.parametrize("wrong", [{"top": 0}, {"epsilon": 0}, {"epsilon": math.nan}, {"epsilon": 701}])
    def test_noise_that_is_none(self, wrong):
        with pytest.raises(InvalidParameter):
            NoisyCount.responses(**{"top": 3, "epsilon": 1, **wrong})
        with pytest.raises(InvalidParameter, match="no noise known"):
            NoisyCount(kind="loud", top=3, epsilon=1.0)

    def test_tables_that_do_not_fit(self):
        with pytest.raises(InvalidParameter, match="counts nobody"):
            count_capacity(Channel([[1, 0]]))
        with pytest.raises(InvalidParameter, match="5 different totals"):
            statistic_capacity(NoisyCount.geometric(top=3, epsilon=1), people=2, contributions=(0, 1, 2))
        with pytest.raises(InvalidParameter, match="equally many"):
            totals_of(2, ((0, 1), (1,)))
        with pytest.raises(InvalidParameter, match="people=-1 must be at least 0"):
            totals_of(-1, (0, 1))
        with pytest.raises(InvalidParameter, match="not exact"):
            has_monotone_ratio(Channel([[0.5, 0.5], [0.25, 0.75]]))


def test_the_race_over_pairs_stops_at_one_bit(monkeypatch):
    ran = []
    monkeypatch.setattr(statistics.Race, "run", lambda self, *_: ran.append(setattr(self, "best", math.log(2))))
    channel = Channel(np.random.default_rng(1).dirichlet(np.ones(3), size=6))
    assert count_capacity(channel).bits.upper == 1
    assert len(ran) == 1
