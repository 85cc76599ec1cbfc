"""V_1 and V_2: exact privacy against every sequence, bounds on their right sides, exponents, and block sizes."""

import itertools
import math
from fractions import Fraction

import pytest

from recoverable.response_oracles import (
    accuracy_by_sequences,
    fast_privacy_by_sequences,
    privacy_by_sequences,
    random_question,
    seeded,
)
from sfumato import recoverable
from sfumato.errors import InvalidParameter
from sfumato.measures import chernoff_radius_nats
from sfumato.prob import Channel
from sfumato.recoverable.schemes import chernoff_radius_nats as radius_of_noise_nats

PAPER = ([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], [0, 1, 2])


def question(rho, prior=PAPER[0], f=PAPER[1]):
    return recoverable.Query.of(prior, f, rho, values=range(max(f) + 1))


def v_1_by_hand(size, rho):
    """[A, eq. (46)] for values that are sorted."""
    rows = [[Fraction(0)] * size for _ in range(size)]
    for j in range(size):
        rows[j][j] = rho
        rows[j][(j + 1) % size if j % 2 == 0 else j - 1] += 1 - rho
    return rows


def v_2_by_hand(size, block):
    """[A, eqs. (59), (60)] for values that are sorted."""
    rows = []
    for j in range(size):
        members = [i for i in range(size) if i // block == j // block]
        rows.append([Fraction(int(i in members), len(members)) for i in range(size)])
    return rows


class TestPrintedNumbers:
    @pytest.mark.parametrize(
        ("rho", "n", "pair", "best"),
        [
            ("3/5", 2, 0.304, 0.35886),
            ("3/5", 3, 0.280, 0.28288),
            ("3/5", 5, 0.24448, 0.22122),
            ("3/5", 7, 0.22248, 0.17567),
            ("4/5", 2, 0.136, 0.17257),
            ("4/5", 3, 0.0848, 0.08096),
            ("4/5", 5, 0.0464, 0.03679),
        ],
    )
    def test_both_schemes_at_the_papers_prior(self, rho, n, pair, best):
        query = question(Fraction(rho))
        for noise, printed in ((recoverable.pair_noise(query), pair), (recoverable.best_noise(query), best)):
            found = recoverable.privacy_of_noise(query, noise, n)
            assert found.width < 1e-15
            assert found.midpoint == pytest.approx(printed, abs=5.1e-6)

    def test_one_response(self):
        query = question(Fraction(3, 5))
        assert Fraction(19, 50) in recoverable.privacy_of_noise(query, recoverable.pair_noise(query), 1)
        assert Fraction(2, 5) in recoverable.privacy_of_noise(query, recoverable.best_noise(query), 1)
        assert recoverable.converse(query, 1) == Fraction(2, 5)

    def test_the_converse(self):
        query = question(Fraction(3, 5))
        assert [recoverable.converse(query, n) for n in (2, 3)] == [Fraction(2, 5), Fraction(44, 125)]

    def test_figure_3(self):
        query = recoverable.Query.of([Fraction(1, 8)] * 8, range(8), Fraction(1, 3))
        assert [list(row) for row in recoverable.block_noise(query)] == v_2_by_hand(8, 3)


class TestLabels:
    def test_the_order_of_the_labels_does_not_count(self):
        """Sorted and shuffled questions have the same privacy, and noise that is the same up to names."""
        source = seeded(11)
        for _ in range(60):
            prior, f, rho = random_question(source, 8, 5)
            order = list(range(max(f) + 1))
            source.shuffle(order)
            one = question(rho, prior, f)
            other = question(rho, prior, [order[place] for place in f])
            n = source.randint(1, 4)
            found = [
                recoverable.privacy_of_noise(query, recoverable.published_noise(query), n) for query in (one, other)
            ]
            assert found[0].lower == pytest.approx(found[1].lower, abs=1e-13)

    def test_without_sorting_the_theorems_fail(self):
        """[A, Thms 5 and 6] assume eq. (45); the least likely value first breaks both."""
        prior = [Fraction(1, 10), Fraction(1, 10), Fraction(3, 10), Fraction(1, 2)]
        for rho, rows, theorem in (
            (Fraction(1, 3), v_2_by_hand(4, 3), recoverable.block_privacy),
            (
                Fraction(3, 5),
                v_1_by_hand(4, Fraction(3, 5)),
                lambda q: 1 - q.total + Fraction(16, 25) * Fraction(3, 5),
            ),
        ):
            query = question(rho, prior, [0, 1, 2, 3])
            unsorted = privacy_by_sequences(prior, [rows] * 2)
            ours = privacy_by_sequences(prior, [recoverable.published_noise(query)] * 2)
            assert unsorted < theorem(query)
            assert ours >= unsorted
            bound = recoverable.pair_bound(query, 2) if rho > Fraction(1, 2) else recoverable.block_privacy(query)
            assert ours >= bound

    def test_sorted_labels_give_the_printed_matrices(self):
        for size in range(2, 8):
            prior = [Fraction(2 * (size - x), size * (size + 1)) for x in range(size)]
            pair = question(Fraction(7, 10), prior, list(range(size)))
            assert [list(row) for row in recoverable.pair_noise(pair)] == v_1_by_hand(size, Fraction(7, 10))
            for block in range(2, size + 1):
                query = question(Fraction(1, block), prior, list(range(size)))
                assert [list(row) for row in recoverable.block_noise(query)] == v_2_by_hand(size, block)


def block_size(query):
    """How many values the largest-mass value is hidden among."""
    return sum(p > 0 for p in recoverable.block_noise(query)[0])


class TestBlockSizes:
    SIZE = 1001

    def query(self, rho):
        uniform = [Fraction(1, self.SIZE)] * self.SIZE
        return recoverable.Query.of(uniform, range(self.SIZE), rho)

    @pytest.mark.parametrize("block", [93, pytest.param(1000, marks=pytest.mark.slow)])
    def test_noise_of_one_over_m(self, block):
        """In doubles ⌊1/(1/93)⌋ is 92 and ⌊1/(1/99)⌋ is 98."""
        assert block_size(self.query(Fraction(1, block))) == block

    @pytest.mark.slow
    def test_every_m_up_to_1000(self):
        """A block of m values makes ⌈1001/m⌉ blocks, and the privacy of V_2 counts them."""
        base = self.query(Fraction(1, 2))
        slips = 0
        for m in range(2, 1001):
            query = recoverable.Query(prior=base.prior, values=base.values, f=base.f, rho=Fraction(1, m))
            assert 1 - recoverable.block_privacy(query) == Fraction(-(-self.SIZE // m), self.SIZE)
            slips += math.floor(1 / (1 / m)) != m
        assert slips > 0

    def test_a_float_means_its_decimal(self):
        """1/93 as a float prints as a decimal a little above or below 1/93, and that is what is kept, exactly."""
        larger = smaller = 0
        for m in range(2, 101, 3):
            rho = recoverable.Query.of([0.5, 0.5], [0, 1], 1 / m).rho
            assert rho == Fraction(repr(1 / m))
            expected = m if rho <= Fraction(1, m) else m - 1
            query = recoverable.Query.of([Fraction(1, 101)] * 101, range(101), 1 / m)
            noise = recoverable.block_noise(query)
            assert sum(p > 0 for p in noise[0]) == expected
            assert all(row[i] >= rho for i, row in enumerate(noise))
            larger += rho > Fraction(1, m)
            smaller += rho < Fraction(1, m)
        assert larger > 0
        assert smaller > 0


class TestExactPrivacy:
    def test_against_every_sequence_in_fractions(self):
        source = seeded(12)
        for _ in range(40):
            prior, f, rho = random_question(source, 5, 3)
            query = question(rho, prior, f)
            n = source.randint(1, 4)
            for noise in (recoverable.best_noise(query), recoverable.published_noise(query)):
                channels = [[noise[place] for place in f]] * n
                expected = privacy_by_sequences(prior, channels)
                assert expected in recoverable.privacy_of_noise(query, noise, n)
                assert accuracy_by_sequences(prior, f, channels) in recoverable.accuracy_of_noise(query, noise, n)

    @pytest.mark.parametrize(
        ("size", "n"), [(2, 19), (3, 12), (4, 9), (5, 8), (6, 7), (10, 6), pytest.param(30, 4, marks=pytest.mark.slow)]
    )
    def test_against_up_to_a_million_sequences(self, size, n):
        """Σ over k^n doubles rounds by far less than 1e-12."""
        weights = [Fraction(2 * (size - x), size * (size + 1)) for x in range(size)]
        query = question(Fraction(3, 5), weights, list(range(size)))
        for noise in (recoverable.best_noise(query), recoverable.pair_noise(query)):
            expected = fast_privacy_by_sequences(weights, noise, n)
            found = recoverable.privacy_of_noise(query, noise, n)
            assert found.width < 1e-9
            assert found.midpoint == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize(("rho", "least"), [("3/5", 1e-20), ("9/10", 1e-250), ("99/100", 0.0)])
    def test_a_thousand_responses_do_not_underflow(self, rho, least):
        """Two values: a binomial sum in whole numbers."""
        rho, n = Fraction(rho), 1000
        query = question(rho, [Fraction(3, 5), Fraction(2, 5)], [0, 1])
        missed = sum(
            math.comb(n, hits)
            * min(
                Fraction(3, 5) * rho**hits * (1 - rho) ** (n - hits),
                Fraction(2, 5) * rho ** (n - hits) * (1 - rho) ** hits,
            )
            for hits in range(n + 1)
        )
        found = recoverable.privacy_of_noise(query, recoverable.pair_noise(query), n)
        assert missed in found
        assert missed > 0
        assert found.upper > 0
        assert found.lower >= least
        if least:
            assert found.width < 1e-8 * found.midpoint

    def test_a_sure_answer_leaves_nothing(self):
        query = question(1)
        for n in (1, 5, 200):
            found = recoverable.privacy_of_noise(query, recoverable.pair_noise(query), n)
            assert (found.lower, found.upper) == (0.0, 0.0)

    def test_monotone_between_its_bounds(self):
        """More responses tell more; V_1 lies between [A, Thm 5] and [A, Thm 4]; accuracy is above eq. (33)."""
        source = seeded(13)
        for _ in range(40):
            prior, f, rho = random_question(source, 6, 4)
            query = question(rho, prior, f)
            schemes = [recoverable.best_noise(query), recoverable.published_noise(query)]
            for noise in schemes:
                before = 1.0
                for n in (1, 2, 3, 4, 6, 9):
                    found = recoverable.privacy_of_noise(query, noise, n)
                    assert found.lower <= before
                    before = found.upper
                    assert found.lower <= recoverable.converse(query, n)
                    accuracy = recoverable.accuracy_of_noise(query, noise, n)
                    assert accuracy.upper >= recoverable.accuracy_floor(query, n) - 1e-15
            for n in (1, 2, 5, 8):
                found = recoverable.privacy_of_noise(query, schemes[1], n)
                if rho > Fraction(1, 2):
                    assert found.upper >= recoverable.pair_bound(query, n)
                else:
                    assert recoverable.block_privacy(query) in found

    def test_too_many_types_are_refused(self):
        query = question(Fraction(3, 5), [Fraction(1, 10)] * 10, list(range(10)))
        with pytest.raises(InvalidParameter, match=r"too many to sum\. Lower `n`, or use the bounds"):
            recoverable.privacy_of_noise(query, recoverable.pair_noise(query), 60)
        with pytest.raises(InvalidParameter, match="n=0 must be at least 1"):
            recoverable.privacy_of_noise(query, recoverable.pair_noise(query), 0)
        with pytest.raises(InvalidParameter, match="Use `block_noise`"):
            recoverable.pair_noise(question(Fraction(1, 2)))
        with pytest.raises(InvalidParameter, match="Use `pair_noise`"):
            recoverable.block_noise(question(Fraction(51, 100)))


class TestBounds:
    def test_the_chance_itself(self):
        for n, rho in itertools.product((1, 2, 5, 8), ("1/10", "1/2", "4/5", "1")):
            by_hand = sum(
                (
                    math.prod(Fraction(rho) if bit else 1 - Fraction(rho) for bit in bits)
                    for bits in itertools.product((0, 1), repeat=n)
                    if 2 * sum(bits) <= n
                ),
                Fraction(0),
            )
            assert recoverable.minority_chance(Fraction(rho), n) == by_hand

    def test_lemma_7(self):
        for n, percent in itertools.product((1, 2, 3, 10, 51, 200), range(50, 101, 5)):
            rho = Fraction(percent, 100)
            low, high = recoverable.minority_bounds(float(rho), n)
            chance = float(recoverable.minority_chance(rho, n))
            assert low * (1 - 1e-12) <= chance <= high * (1 + 1e-12)
        for n, percent in itertools.product((1, 2, 3, 10, 51), range(0, 51, 5)):
            rho = Fraction(percent, 100)
            assert recoverable.minority_chance(rho, n) >= 1 - rho
        with pytest.raises(InvalidParameter, match="Compute `minority_chance` itself"):
            recoverable.minority_bounds(0.4, 3)

    def test_proposition_8_holds_for_every_n(self):
        """Where the printed condition fails, too: no response passes the upper bound, V_1 passes the lower one."""
        source = seeded(14)
        condition_fails = 0
        for _ in range(40):
            prior, f, _ = random_question(source, 6, 4)
            query = question(Fraction(source.randint(31, 59), 60), prior, f)
            for n in (1, 2, 3, 5, 9):
                low, high = recoverable.decay_bounds(query, n)
                assert float(recoverable.converse(query, n)) <= high + 1e-12
                assert recoverable.privacy_of_noise(query, recoverable.pair_noise(query), n).upper >= low - 1e-12
                factor = recoverable.minority_bounds(float(query.rho), n)[1]
                condition_fails += factor > 1 - min(query.rho, query.critical_rho)
        assert condition_fails > 20
        with pytest.raises(InvalidParameter, match="does not fall with `n`"):
            recoverable.decay_bounds(question(Fraction(1, 2)), 3)


class TestExponents:
    @pytest.mark.parametrize("rho", ["3/5", "4/5"])
    def test_privacy_falls_as_the_chernoff_radius_says(self, rho):
        """[A, Lemma 9]: ratios over many responses, in which powers of n have little say."""
        query = question(Fraction(rho))
        for noise in (recoverable.best_noise(query), recoverable.pair_noise(query)):
            exponent, limit = radius_of_noise_nats(query, noise)
            assert limit == 0
            assert exponent == pytest.approx(chernoff_radius_nats(Channel(noise)), rel=1e-9)
            near, far = (recoverable.privacy_of_noise(query, noise, n).midpoint for n in (300, 600))
            fallen = (math.log(near) - math.log(far)) / 300
            assert fallen == pytest.approx(exponent, abs=0.5 * math.log(2) * 2 / 300)

    def test_lemma_10_from_one_half_on(self):
        for k, percent in itertools.product((2, 3, 4, 5), (51, 60, 80, 95)):
            rho = Fraction(percent, 100)
            prior = [Fraction(2 * (k - x), k * (k + 1)) for x in range(k)]
            query = question(rho, prior, list(range(k)))
            pair, _ = radius_of_noise_nats(query, recoverable.pair_noise(query))
            best, _ = radius_of_noise_nats(query, recoverable.best_noise(query))
            assert pair == pytest.approx(recoverable.decay_exponent_nats(float(rho)), rel=1e-9)
            assert pair == pytest.approx(-math.log(2 * math.sqrt(rho * (1 - rho))), rel=1e-9)
            keep = max(rho, query.critical_rho)
            floor = -math.log(2 * math.sqrt(keep * (1 - keep)))
            assert best == pytest.approx(floor, rel=1e-9) if k == 2 else best > floor + 1e-6

    def test_identical_rows_leave_something(self):
        """[A, Lemma D.2]: rows that look alike are never told apart; only the likeliest of them is guessed."""
        query = question(
            Fraction(1, 4), [Fraction(3, 10), Fraction(3, 10), Fraction(1, 5), Fraction(1, 5)], [0, 1, 2, 3]
        )
        noise = recoverable.best_noise(query)
        assert noise[0] == noise[1]
        assert noise[2] != noise[3]
        exponent, limit = radius_of_noise_nats(query, noise)
        assert limit == Fraction(3, 10)
        assert 0 < exponent < math.inf
        far = [recoverable.privacy_of_noise(query, noise, n).midpoint - float(limit) for n in (60, 120)]
        assert 0 < far[1] < far[0]
        assert (math.log(far[0]) - math.log(far[1])) / 60 == pytest.approx(exponent, abs=math.log(2) / 60)

    def test_blocks_are_told_apart_at_once(self):
        query = question(
            Fraction(1, 2), [Fraction(2, 5), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10)], [0, 1, 2, 3]
        )
        exponent, limit = radius_of_noise_nats(query, recoverable.block_noise(query))
        assert exponent == math.inf
        assert limit == recoverable.block_privacy(query) == Fraction(2, 5)

    def test_proposition_11_for_many_responses(self):
        query = question(Fraction(3, 5))
        pair, best = (
            recoverable.privacy_of_noise(query, noise, 200)
            for noise in (recoverable.pair_noise(query), recoverable.best_noise(query))
        )
        assert pair.lower > best.upper
        low = question(Fraction(2, 5))
        block, best = (
            recoverable.privacy_of_noise(low, noise, 30)
            for noise in (recoverable.block_noise(low), recoverable.best_noise(low))
        )
        assert block.lower > best.upper
