"""One coin kept for life: the closed form against a program on types, against the scheme, and against [A, Thm 4]."""

import itertools
import math
from fractions import Fraction

import pytest

from recoverable.response_oracles import privacy_by_sequences, seeded
from sfumato import recoverable
from sfumato.errors import InvalidParameter
from sfumato.numbers.linear_programs import OutOfTime, Patience
from sfumato.recoverable import many_responses as type_programs
from sfumato.recoverable.many_responses import quick_converse
from sfumato.recoverable.persistent import pair_error
from sfumato.recoverable.response_search import Stakes
from sfumato.recoverable.schemes import blocks_win_at_last, exact_right_guesses, type_count

HALF = Fraction(1, 2)
# m, ρ, n, [A, Thm 4], and the program's value.
TABLE = [
    ("1/2 3/10 1/5", "3/5", 7, "0.2897920000", "0.2897920000"),
    ("3/5 3/10 1/10", "7/10", 6, "0.1630800000", "0.1445580000"),
    ("4/5 1/10 1/10", "3/5", 9, "0.2000000000", "0.1736704000"),
    ("9/20 1/5 1/20", "13/20", 8, "0.4398920141", "0.4211410482"),
    ("1/5 1/10", "7/10", 6, "0.7489240000", "0.7396630000"),
    ("1/4 1/4 1/4 1/4", "2/5", 5, "0.6000000000", "0.5788800000"),
    ("1/4 1/4 1/4 1/4", "3/10", 8, "0.7000000000", "0.6891127657"),
    ("1/3 1/3 1/3", "9/20", 10, "0.5500000000", "0.5117295461"),
]


def read(text):
    return [Fraction(word) for word in text.split()]


def question(maxima, rho):
    """A question with these m_i: what is missing from 1 lies below the first value, in parts that are no larger."""
    rest, most = 1 - sum(maxima), max(maxima)
    parts = math.ceil(rest / most)
    prior = [*maxima, *([rest / max(parts, 1)] * parts)]
    return recoverable.Query.of(prior, [*range(len(maxima)), *([0] * parts)], rho, values=range(len(maxima)))


def random_case(source, sizes=(2, 3, 4), most_n=7):
    size = source.choice(sizes)
    weights = [source.randint(1, 12) for _ in range(size)]
    total = Fraction(source.randint(6, 10), 10) if source.random() < 0.5 else Fraction(1)
    maxima = [total * w / sum(weights) for w in weights]
    rho = Fraction(source.randint(51, 98), 100)
    return maxima, rho, source.randint(1, most_n if size < 4 else 5)


def check_against_the_program(maxima, rho, n):
    closed = 1 - sum(maxima) + pair_error(maxima, rho, n)
    bounds = recoverable.type_bounds(maxima, rho, n)
    assert bounds.lower <= closed <= bounds.upper
    assert bounds.upper - bounds.lower < Fraction(1, 10**8)
    assert float(closed) == pytest.approx(bounds.solved, abs=1e-8)


class TestClosedForm:
    def test_numbers(self):
        query = recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
        found = [float(recoverable.coin_privacy(query, n)) for n in (2, 3, 5, 7, 15)]
        assert found == pytest.approx([0.4, 0.352, 0.31744, 0.289792, 0.2131031826], abs=1e-10)
        pairs = [recoverable.privacy_of_noise(query, recoverable.pair_noise(query), n).midpoint for n in (5, 7)]
        assert pairs == pytest.approx([0.24448, 0.22248448], abs=1e-12)

    @pytest.mark.parametrize(("text", "rho", "n", "fourth", "value"), TABLE)
    def test_the_table(self, text, rho, n, fourth, value):
        maxima, rho = read(text), Fraction(rho)
        bounds = recoverable.type_bounds(maxima, rho, n)
        query = question(maxima, rho)
        assert query.maxima == tuple(maxima)
        least = min(recoverable.converse(query, fewer) for fewer in range(1, n + 1))
        assert float(least) == pytest.approx(float(fourth), abs=6e-11)
        assert bounds.lower <= bounds.upper <= least + Fraction(1, 10**9)
        assert bounds.solved == pytest.approx(float(value), abs=1e-9)
        assert float(bounds.upper) == pytest.approx(float(value), abs=1e-9)
        assert recoverable.responses_converse(query, n) <= min(least, bounds.upper)
        if rho > HALF:
            assert bounds.lower <= recoverable.coin_privacy(query, n) <= bounds.upper

    def test_against_the_program_on_30_questions(self):
        source = seeded("closed form")
        for _ in range(30):
            check_against_the_program(*random_case(source))

    @pytest.mark.slow
    def test_against_the_program_on_200_questions(self):
        source = seeded("closed form, many")
        for _ in range(200):
            check_against_the_program(*random_case(source, most_n=12))

    def test_never_above_theorem_4(self):
        source = seeded("theorem 4")
        gained = 0
        for _ in range(200):
            maxima, rho, n = random_case(source, most_n=12)
            query = question(maxima, rho)
            least = min(recoverable.converse(query, fewer) for fewer in range(1, n + 1))
            assert recoverable.coin_privacy(query, n) <= least
            gained += recoverable.coin_privacy(query, n) < least
        assert gained > 20

    def test_it_gains_exactly_where_the_best_guess_is_neither_constant_nor_the_majority(self):
        """Of the heaviest value against the rest as a pair; with an even n the majority is that of n - 1."""
        source = seeded("where it gains")
        seen = set()
        for _ in range(300):
            maxima, rho, n = random_case(source, most_n=12)
            query = question(maxima, rho)
            heavy = max(*query.maxima, query.total / 2)
            other = query.total - heavy
            names_first = [
                heavy * rho**a * (1 - rho) ** (n - a) - other * rho ** (n - a) * (1 - rho) ** a for a in range(n + 1)
            ]
            constant = all(gain >= 0 for gain in names_first)
            majority = all(gain * (2 * a - n) >= 0 for a, gain in enumerate(names_first)) and (n % 2 or heavy == other)
            least = min(recoverable.converse(query, fewer) for fewer in range(1, n + 1))
            gains = recoverable.coin_privacy(query, n) < least
            assert gains == (not constant and not majority)
            if gains:
                assert heavy > other
                assert n % 2 == 0 or rho < query.critical_rho
            seen.add((gains, n % 2, rho < query.critical_rho))
        assert {(True, 0, False), (True, 1, True), (False, 1, False)} <= seen

    def test_no_gain_for_the_example_of_the_paper(self):
        for rho in (Fraction(3, 5), Fraction(4, 5)):
            query = recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], rho)
            for n in range(1, 13):
                least = min(recoverable.converse(query, fewer) for fewer in range(1, n + 1))
                assert recoverable.coin_privacy(query, n) == least

    def test_sizes_of_the_program(self):
        """kN + k variables and (k+1)N rows; it is offered while its entries are few."""
        for size, n, variables, rows, entries in ((3, 20, 696, 924, 32_571), (4, 12, 1_824, 2_275, 76_076)):
            count = type_count(n, size)
            assert (size * count + size, (size + 1) * count) == (variables, rows)
            cells = [type_programs._type_cells(n, size, j) for j in range(size)]
            assert sum(cell.ways.size for cell in cells) + size * count == entries
            assert type_programs.most_types_n(size) == n

    def test_below_a_half_there_is_none(self):
        query = recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.5)
        with pytest.raises(InvalidParameter, match=r"rho=0\.5 must be above 1/2.*block_noise"):
            recoverable.coin_privacy(query, 3)
        with pytest.raises(InvalidParameter, match="n=21 must be at most 20"):
            recoverable.type_bounds(query.maxima, query.rho, 21)


class TestTwoValues:
    def test_privacy_is_the_converse_on_100_questions(self):
        """V_1 is optimal for every ρ > 1/2, also below ρ_c, and V_2 for every other: in fractions, with no gap."""
        source = seeded("two values")
        below = 0
        for case in range(100):
            weights = [source.randint(1, 20), source.randint(1, 20)]
            total = Fraction(source.randint(8, 10), 10)
            rho = Fraction(source.randint(30, 99), 100)
            n = source.randint(1, 13)
            query = question([total * w / sum(weights) for w in weights], rho)
            exact = 1 - exact_right_guesses(query.maxima, recoverable.published_noise(query), n)
            assert exact == recoverable.responses_converse(query, n)
            if rho <= HALF:
                assert exact == 1 - max(query.maxima)
            below += HALF < rho < query.critical_rho
            if case < 20:
                found = recoverable.design_responses(query, n)
                assert found.exact == found.converse == exact
                assert found.gap == 0
                assert found.search == "not searched"
        assert below > 5


class TestPartners:
    def test_partners_are_others_and_as_good_as_the_closed_form(self):
        source = seeded("partners")
        heavy = 0
        for _ in range(100):
            maxima, rho, n = random_case(source, sizes=(2, 3, 4, 5))
            query = question(maxima, rho)
            law = recoverable.persistent_secret_law(query)
            assert all(sum(row) == 1 and min(row) >= 0 and row[j] == 0 for j, row in enumerate(law))
            assert recoverable.persistent_secret_privacy(query, law, n) == recoverable.coin_privacy(query, n)
            heavy += 2 * max(maxima) > sum(maxima)
        assert 10 < heavy < 90

    def test_another_law_of_partners_hides_less(self):
        query = recoverable.Query.of([0.4, 0.35, 0.25], [0, 1, 2], 0.6)
        alone = ((0, 1, 0), (1, 0, 0), (1, 0, 0))
        law = tuple(tuple(Fraction(p) for p in row) for row in alone)
        assert recoverable.persistent_secret_privacy(query, law, 3) < recoverable.coin_privacy(query, 3)

    def test_by_every_sequence(self):
        """Responses to the pair (value, partner), summed over the partner before the guesser bets."""
        query = recoverable.Query.of([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 0], 0.7)
        made = recoverable.persistent_secret([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 0], 0.7)
        for n in (1, 2, 3, 4):
            right = Fraction(0)
            for sequence in itertools.product(range(3), repeat=n):
                right += max(
                    query.masses[x]
                    * sum(
                        made.partners.rows[x][partner]
                        * math.prod((made.answers.rows[3 * x + partner][i] for i in sequence), start=Fraction(1))
                        for partner in range(3)
                    )
                    for x in range(4)
                )
            assert 1 - right == made.privacy(n)

    def test_below_what_independent_responses_reach(self):
        """V_1 never passes it, and drawing the partner afresh loses what it promises."""
        made = recoverable.persistent_secret([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
        for n in (2, 5, 9):
            assert recoverable.privacy_of_noise(made.query, recoverable.pair_noise(made.query), n).upper < made.privacy(
                n
            )
            assert made.privacy_if_redrawn(n).upper < made.privacy(n)


class TestConverses:
    def test_the_bounds_of_stakes(self):
        query = recoverable.Query.of([0.5, 0.3, 0.2], [0, 1, 2], 0.6)
        assert quick_converse(Stakes.of_values(query), 5) == recoverable.coin_privacy(query, 5)
        assert quick_converse(Stakes.of_data(query), 5) == recoverable.coin_privacy(query, 5)

    def test_what_cannot_be_passed_is_not_passed(self):
        source = seeded("random responses")
        for _ in range(40):
            maxima, rho, _ = random_case(source, sizes=(3,))
            query = question(maxima, source.choice([rho, rho / 2]))
            n = source.randint(1, 3)
            channels = []
            for _ in range(n):
                rows = []
                for place in query.f:
                    parts = [source.randint(0, 5) for _ in range(3)]
                    rest = [Fraction(p, sum(parts) or 1) for p in parts] if sum(parts) else [1, 0, 0]
                    rows.append([query.rho * (i == place) + (1 - query.rho) * p for i, p in enumerate(rest)])
                channels.append(rows)
            assert privacy_by_sequences(query.masses, channels) <= recoverable.responses_converse(query, n)

    def test_a_program_keeps_its_time(self):
        with pytest.raises(OutOfTime):
            recoverable.type_bounds([Fraction(1, 4)] * 4, Fraction(2, 5), 5, patience=Patience.of(0))


class TestProposition11:
    """[A, Prop 11(i)] is false as printed: where V_o stays ahead of V_2 for every n."""

    def differences(self, prior, rho, counts):
        query = recoverable.Query.of(prior, range(len(prior)), rho)
        best, blocks = recoverable.best_noise(query), recoverable.block_noise(query)
        return [
            exact_right_guesses(query.maxima, blocks, n) - exact_right_guesses(query.maxima, best, n) for n in counts
        ]

    def test_the_exception(self):
        prior, rho = [Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)], Fraction(7, 20)
        query = recoverable.Query.of(prior, range(3), rho)
        assert not blocks_win_at_last(query)
        assert recoverable.block_privacy(query) == Fraction(2, 5)
        found = self.differences(prior, rho, (1, 2, 5, 10, 20))
        assert found[:2] == [Fraction(1, 5), Fraction(23, 125)]
        assert [float(d) for d in found[2:]] == pytest.approx([0.15968, 0.12480567296, 0.0846791398], abs=1e-10)
        four = self.differences([Fraction(3, 10)] * 3 + [Fraction(1, 10)], Fraction(7, 25), (1, 2, 5))
        assert four[:2] == [Fraction(1, 10), Fraction(47, 500)]
        assert float(four[2]) == pytest.approx(0.07726, abs=1e-12)

    def test_beside_it(self):
        assert self.differences([Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)], Fraction(3, 10), (2,)) == [
            Fraction(-2, 125)
        ]

    @pytest.mark.parametrize("cases", [400, pytest.param(20_000, marks=pytest.mark.slow)])
    def test_the_limits_decide_everywhere_else(self, cases):
        """V_o's limit is 1 - Σ over different rows of the largest m; limits tie there, or if all m are equal."""
        source = seeded("proposition 11")
        seen = set()
        for _ in range(cases):
            size = source.randint(2, 6)
            weights = [source.randint(1, 3) for _ in range(size)]
            prior = [Fraction(w, sum(weights)) for w in weights]
            query = recoverable.Query.of(prior, range(size), Fraction(source.randint(1, 60), 120))
            best, blocks = recoverable.best_noise(query), recoverable.block_noise(query)
            limit = _limit(query, best)
            holds = limit < _limit(query, blocks) or best == blocks or len(set(best)) == len(set(blocks)) == 1
            if limit == _limit(query, blocks) and not holds:
                difference = self.differences(prior, query.rho, (3,))[0]
                holds = difference <= 0
            assert holds == blocks_win_at_last(query)
            seen.add(holds)
        assert seen == {False, True}

    def test_refusal(self):
        with pytest.raises(InvalidParameter, match="at most 1/2"):
            blocks_win_at_last(recoverable.Query.of([0.5, 0.5], [0, 1], 0.6))


def _limit(query, rows):
    """What is left of privacy after ever so many responses: of equal rows only the likeliest is guessed."""
    best = {}
    for row, mass in zip(rows, query.maxima, strict=True):
        best[row] = max(best.get(row, 0), mass)
    return 1 - sum(best.values())
