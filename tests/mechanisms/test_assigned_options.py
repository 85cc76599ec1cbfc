"""Assigned options: who is asked what, the law of a report by enumeration, tallies and shares."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_integers as plain
from plain_integers import Reader, random_words
from sfumato import measures
from sfumato.errors import InvalidParameter
from sfumato.mechanisms.options import MOST_ASKED, AssignedOptions, assigned_options, flip_deviation
from sfumato.sampling import InsecureSeeded, RowWords, ScriptedBits

SIZES = st.integers(2, 9).flatmap(lambda k: st.tuples(st.just(k), st.integers(1, k)))


def made(options, asked, flip=Fraction(3), **rest):
    return AssignedOptions(options=options, asked=asked, odds=flip**asked, **rest)


class TestAssignment:
    @given(sizes=SIZES, start=st.integers(0, 1 << 41))
    def test_a_round_asks_each_option_of_exactly_as_many(self, sizes, start):
        options, asked = sizes
        rows = assigned_options(options, asked, options, start - start % options)
        assert Counter(rows.ravel().tolist()) == dict.fromkeys(range(options), asked)
        assert (np.diff(rows, axis=1) > 0).all()

    @given(sizes=SIZES, start=st.integers(0, 1 << 41), data=st.data())
    def test_it_depends_on_the_position_alone(self, sizes, start, data):
        """In pieces, in any order and company, twice: a position is asked the same."""
        options, asked = sizes
        whole = assigned_options(options, asked, 50, start)
        places = np.array(data.draw(st.lists(st.integers(0, 49), max_size=30)), dtype=np.int64)
        assert (assigned_options(options, asked, places.size, start + places) == whole[places]).all()
        assert (assigned_options(options, asked, 13, start + 20) == whole[20:33]).all()

    @pytest.mark.parametrize(("options", "asked"), [(8, 2), (8, 3), (5, 4), (7, 1)])
    def test_all_sets_are_asked_equally_often(self, options, asked):
        """The p-value of a chi-square test over all sets; of pairs, none is further off than five deviations."""
        from scipy.stats import chi2

        rows = assigned_options(options, asked, 40_000, 12_345)
        subsets = list(itertools.combinations(range(options), asked))
        counts = Counter(map(tuple, rows.tolist()))
        expected = len(rows) / len(subsets)
        misfit = sum((counts[some] - expected) ** 2 / expected for some in subsets)
        # Rounds are balanced, so counts vary less than those of independent draws.
        assert chi2.sf(misfit, len(subsets) - 1) > 1e-6
        pairs = Counter(pair for row in rows.tolist() for pair in itertools.combinations(row, 2))
        if asked > 1:
            mean = len(rows) * math.comb(asked, 2) / math.comb(options, 2)
            assert all(abs(pairs[p] - mean) < 5 * math.sqrt(mean) for p in itertools.combinations(range(options), 2))

    def test_the_order_of_a_round_by_plain_words(self):
        """As the page says: the option whose word under the public key is smallest comes first."""
        from hashlib import sha256

        key = sha256(b"sfumato assignment of 5 options").digest()
        for turn, number in ((7, 7 * 5), (8, 8 * 5 + 3)):
            words = RowWords(key, np.arange(5 * turn, 5 * turn + 5)).words(np.arange(5), 64)
            order = sorted(range(5), key=words.tolist().__getitem__)
            wanted = sorted(order[(number % 5 + i) % 5] for i in range(2))
            assert assigned_options(5, 2, 1, number).tolist() == [wanted]


def enumerated(mechanism, x, position):
    """Feed every sequence of words; one that leaves a coin open is counted where its continuation falls."""
    law, width = Counter(), mechanism.width
    border = mechanism.probabilities[1] * (1 << width)
    assert border.denominator == 1, "no coin is left open"
    for words in itertools.product(range(1 << width), repeat=mechanism.asked):
        law[int(mechanism.privatize([x], ScriptedBits(words), position)[0])] += 1
    total = (1 << width) ** mechanism.asked
    return tuple(Fraction(law[report], total) for report in range(mechanism.modulus))


@pytest.mark.parametrize(
    ("options", "asked", "width"),
    [(3, 1, 4), (3, 2, 4), pytest.param(4, 3, 3, marks=pytest.mark.slow), (2, 2, 5), (3, 3, 3)],
)
def test_a_report_follows_its_law_exactly(options, asked, width):
    """Every draw at a small width: the product law of the flips, whatever the position."""
    mechanism = made(options, asked, Fraction(3), width=width)
    for x, position in itertools.product(range(mechanism.size), (0, 1, 11)):
        truth = int(mechanism.truths([x], position)[0])
        product = tuple(
            math.prod(Fraction(1, 4) if (truth ^ report) >> j & 1 else Fraction(3, 4) for j in range(asked))
            for report in range(1 << asked)
        )
        assert mechanism.law(x, position) == product
        if x < 4:
            assert enumerated(mechanism, x, position) == product


@pytest.mark.parametrize(("options", "asked"), [(2, 1), (3, 2), (4, 2), (4, 4), (5, 3)])
def test_the_joint_channel_has_the_odds_that_are_stated(options, asked):
    """The options that are asked and the report together: sets of answers by sets of options, written out."""
    mechanism = made(options, asked, Fraction(7, 3))
    channel = mechanism.channel()
    assert channel.shape == (1 << options, math.comb(options, asked) << asked)
    assert all(sum(row) == 1 for row in channel.rows)
    assert measures.odds(channel) == Fraction(7, 3) ** asked == measures.odds(mechanism.channel_at(5))


@given(sizes=SIZES, seed=st.integers(0, 99))
def test_production_words_against_plain_integers(sizes, seed):
    """64 bits: the coins of all first bits, then of all second bits."""
    options, asked = sizes
    mechanism = made(options, asked, Fraction(5, 2))
    answers = [(7 * i + seed) % mechanism.size for i in range(9)]
    script = random_words(seed, 9 * asked + 40)
    reader, source = Reader(script), ScriptedBits(script)
    flips = [plain.coin(reader, Fraction(2, 7), 9) for _ in range(asked)]
    truths = mechanism.truths(answers, 3).tolist()
    expected = [t ^ sum(flips[j][i] << j for j in range(asked)) for i, t in enumerate(truths)]
    assert mechanism.privatize(answers, source, 3).tolist() == expected


def test_truths_are_the_bits_of_the_options_that_are_asked():
    mechanism = made(6, 3)
    answers = np.arange(64)
    for row, answer, truth in zip(mechanism.assigned(64, 9), answers, mechanism.truths(answers, 9), strict=True):
        assert truth == sum((int(answer) >> option & 1) << j for j, option in enumerate(row.tolist()))


class TestTallies:
    def test_counts_are_those_of_a_loop(self):
        mechanism = made(5, 3)
        reports = mechanism.privatize(np.arange(400) % 32, InsecureSeeded(4), 7)
        tally = mechanism.tally(reports, 7)
        options, pairs = np.zeros((5, 2), int), Counter()
        for row, report in zip(mechanism.assigned(400, 7).tolist(), reports.tolist(), strict=True):
            bits = [report >> j & 1 for j in range(3)]
            for option, bit in zip(row, bits, strict=True):
                options[option, bit] += 1
            for (a, x), (b, y) in itertools.combinations(zip(row, bits, strict=True), 2):
                pairs[(a, b), 2 * x + y] += 1
        assert (mechanism.option_counts(tally) == options).all()
        for pair, counts in zip(mechanism.pairs, mechanism.pair_counts(tally).tolist(), strict=True):
            assert counts == [pairs[pair, cell] for cell in range(4)]
        assert tally.total == 400
        assert options.sum() == 1200

    def test_parts_add_in_any_order_and_rows_may_stand_for_several(self):
        mechanism = made(4, 2)
        reports = mechanism.privatize(np.arange(100) % 16, InsecureSeeded(5))
        whole = mechanism.tally(reports)
        assert mechanism.tally(reports[60:], 60) + mechanism.tally(reports[:60]) == whole
        order = np.random.default_rng(1).permutation(100)
        assert mechanism.tally(reports[order], order) == whole
        assert mechanism.tally(reports, 1) != whole
        twice = mechanism.tally(reports, 0, np.full(100, 2))
        assert twice == whole + whole

    def test_shares_are_unbiased_with_their_variance(self):
        """Every column of two reports: mean and variance of raw at a known law."""
        mechanism, share = made(2, 1), Fraction(1, 5)
        other, own = Fraction(1, 4), Fraction(3, 4)
        hit = other + (own - other) * share
        deviation = flip_deviation(math.log(3), float(share)) * math.sqrt(2)
        assert mechanism.share_deviation(float(share)) == pytest.approx(deviation)
        mean = variance = 0.0
        for first, second in itertools.product(range(2), repeat=2):
            asked = mechanism.assigned(2).ravel().tolist()
            weight = math.prod(float(hit if bit else 1 - hit) for bit in (first, second))
            raw = mechanism.estimate(mechanism.tally([first, second])).raw
            assert sorted(asked) == [0, 1]
            mean += weight * raw[0]
            variance += weight * (raw[0] - float(share)) ** 2
        assert mean == pytest.approx(float(share))
        assert math.sqrt(variance * 2) == pytest.approx(deviation)

    def test_an_option_that_nobody_was_asked_about(self):
        mechanism = made(6, 1)
        found = mechanism.estimate(mechanism.tally([1]))
        known = mechanism.assigned(1)[0, 0]
        for option, interval in enumerate(found.intervals):
            assert (interval.lower, interval.upper) == (0, 1) or option == known
        assert found.intervals[known].lower > 0 or found.intervals[known].upper == 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ({"options": 1, "asked": 1}, "options=1 must lie in"),
            ({"options": 61, "asked": 1}, "options=61 must lie in"),
            ({"options": 4, "asked": 5}, "asked=5 must lie in"),
            ({"options": 20, "asked": MOST_ASKED + 1}, "asked=17 must lie in"),
            ({"options": 4, "asked": 2, "odds": Fraction(3)}, "must be a power"),
            ({"options": 4, "asked": 2, "odds": Fraction(1, 4)}, "must be at least 1"),
            ({"options": 4, "asked": 2, "odds": 4.0}, "must be exact"),
        ],
    )
    def test_parameters(self, arguments, sentence):
        with pytest.raises(InvalidParameter, match=sentence):
            AssignedOptions(**{"odds": Fraction(4), **arguments})

    def test_what_is_too_large_to_write_out(self):
        with pytest.raises(InvalidParameter, match=r"options=20 .* which is not written out"):
            made(20, 3).channel()

    def test_noise_and_strange_tallies(self):
        noise = made(3, 2, Fraction(1))
        with pytest.raises(InvalidParameter, match="pure noise"):
            noise.estimate(noise.tally([0, 1]))
        with pytest.raises(InvalidParameter, match="Estimate with the mechanism"):
            made(3, 2).estimate(noise.tally([0, 1]))
