"""The best single answer: closed forms against a dense linear program, and what is promised, to the last digit."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from recoverable.response_oracles import least_right_guess, random_masses, random_question, random_rho, seeded
from sfumato import measures, recoverable
from sfumato.errors import InvalidLaw, InvalidParameter
from sfumato.prob import Channel, Joint

PAPER = ([Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], [0, 1, 2])
INSTANCES = 500
# The program's values are sums of a few doubles at a corner.
EXACT = 1e-12


def keeps(channel, f, rho):
    return all(row[place] >= rho for row, place in zip(channel.rows, f, strict=True))


def right_by_hand(channel, prior, hidden):
    """Σ_i max_j Σ over h(x) = j of P(x)W(i|x), exactly."""
    return sum(
        max(
            sum((p * row[i] for p, row, h in zip(prior, channel.rows, hidden, strict=True) if h == j), Fraction(0))
            for j in set(hidden)
        )
        for i in range(len(channel.outputs))
    )


class TestAgainstThePrograms:
    def test_the_data(self):
        """[A, Thm 2] and W''_o, which [A, Prop 3] becomes when the predicate is the data themselves."""
        source = seeded(1)
        both_sides = set()
        for _ in range(INSTANCES):
            prior, f, rho = random_question(source)
            query = recoverable.Query.of(prior, f, rho, values=range(max(f) + 1))
            best = recoverable.best_answer(query)
            twin = recoverable.hide_predicate(query, list(range(len(prior))))
            least, _ = least_right_guess(prior, f, rho)
            assert float(best.privacy) == pytest.approx(1 - least, abs=EXACT)
            assert twin.privacy == best.privacy
            assert twin.critical_rho == best.critical_rho
            for found in (best, twin):
                assert measures.guess_error(found.channel, query.prior) == found.privacy
                assert keeps(found.channel, f, rho)
            both_sides.add(rho > best.critical_rho)
        assert both_sides == {False, True}

    def test_a_predicate(self):
        """[A, Prop 3]."""
        source = seeded(2)
        told_outright = 0
        for _ in range(INSTANCES):
            prior, f, rho = random_question(source)
            hidden = [source.randrange(source.randint(1, len(prior))) for _ in prior]
            query = recoverable.Query.of(prior, f, rho, values=range(max(f) + 1))
            found = recoverable.hide_predicate(query, hidden)
            least, _ = least_right_guess(prior, f, rho, hidden)
            assert float(found.privacy) == pytest.approx(1 - least, abs=EXACT)
            assert 1 - right_by_hand(found.channel, prior, hidden) == found.privacy
            assert measures.guess_error(found.channel, query.prior, of=dict(enumerate(hidden))) == found.privacy
            assert keeps(found.channel, f, rho)
            assert found.privacy <= recoverable.best_answer(query).privacy
            told_outright += found.critical_rho == 1
        assert told_outright > 10

    def test_something_that_goes_with_the_data(self):
        """Both readings of [A, Remark (iii)]: tell f(X) and hide Y, or tell Y and hide X, from the pair."""
        source = seeded(3)
        for _ in range(INSTANCES // 2):
            rows, columns = source.randint(2, 4), source.randint(2, 3)
            masses = random_masses(source, rows * columns)
            if source.random() < 0.3:
                masses[1] += masses[0]
                masses[0] = Fraction(0)
            table = [masses[x * columns : (x + 1) * columns] for x in range(rows)]
            joint, rho = Joint(masses, [range(rows), range(columns)]), random_rho(source)
            pairs = [(x, y) for x, y in itertools.product(range(rows), range(columns)) if table[x][y] > 0]
            prior = [table[x][y] for x, y in pairs]
            f = [x % 2 for x in range(rows)]
            for found, told, hidden in (
                (recoverable.hide_correlated(joint, f, rho), [f[x] for x, _ in pairs], [y for _, y in pairs]),
                (
                    recoverable.reveal_correlated(joint, rho),
                    [y for _, y in pairs],
                    [x for x, _ in pairs],
                ),
            ):
                least, _ = least_right_guess(prior, told, rho, hidden)
                assert float(found.privacy) == pytest.approx(1 - least, abs=EXACT)
                assert 1 - right_by_hand(found.channel, prior, hidden) == found.privacy
                own = [found.query.values.index(place) for place in told]
                assert keeps(found.channel, own, rho)

    def test_the_program_notices_a_wrong_closed_form(self):
        """With the sum of all P(x) in place of S the values part at once."""
        prior, f = [Fraction(2, 5), Fraction(1, 5), Fraction(2, 5)], [0, 0, 1]
        least, rows = least_right_guess(prior, f, Fraction(9, 10))
        assert least == pytest.approx(0.72, abs=EXACT)
        assert abs(least - 0.9) > 0.1
        assert np.all(rows[np.arange(3), f] >= 0.9 - 1e-9)


class TestTheForm:
    def test_the_example_of_the_paper(self):
        best = recoverable.recoverable(*PAPER, Fraction(3, 5))
        assert best.privacy == Fraction(2, 5)
        assert best.critical_rho == Fraction(1, 2)
        assert recoverable.recoverable([0.5, 0.3, 0.2], [0, 1, 2], 0.6).privacy == Fraction(2, 5)

    @pytest.mark.parametrize(("rho", "privacy"), [(0, "1/2"), ("1/2", "1/2"), ("3/5", "2/5"), ("4/5", "1/5"), (1, "0")])
    def test_free_up_to_the_critical_rho_and_a_line_after_it(self, rho, privacy):
        assert recoverable.recoverable(*PAPER, Fraction(rho)).privacy == Fraction(privacy)

    def test_noise_and_response_are_one_another(self):
        """[A, Lemma 1]: rows of the same value are alike; dropping or adding copies changes no guess."""
        source = seeded(4)
        for _ in range(100):
            prior, f, rho = random_question(source)
            query = recoverable.Query.of(prior, f, rho, values=range(max(f) + 1))
            best = recoverable.best_answer(query)
            for row, place in zip(best.channel.rows, f, strict=True):
                assert row == best.noise.rows[place]
            right = sum(
                max(m * row[i] for m, row in zip(query.maxima, best.noise.rows, strict=True))
                for i in range(len(query.values))
            )
            assert 1 - right == best.privacy

    def test_the_law_of_the_noise(self):
        """[A, eq. (6)]: adding the noise to f(x) modulo k gives the response back."""
        best = recoverable.recoverable([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7)
        for j in range(4):
            law = best.noise_law(j)
            assert law.fractions[0] == Fraction(7, 10)
            shifted = [Fraction(0)] * 4
            for step, mass in enumerate(law.fractions):
                shifted[(j + step) % 4] += mass
            assert tuple(shifted) == best.channel.rows[j]
        with pytest.raises(InvalidParameter, match="Give one of 0, 1, 2, 3"):
            best.noise_law(4)
        twin = recoverable.recoverable([0.4, 0.3, 0.2, 0.1], [0, 1, 2, 3], 0.7, predicate=[0, 1, 2, 3])
        with pytest.raises(InvalidLaw, match="more than f"):
            twin.noise_law(0)

    def test_it_draws_and_is_certified(self):
        best = recoverable.recoverable({"a": 0.5, "b": 0.3, "c": 0.2}, {"a": "x", "b": "y", "c": "y"}, 0.9)
        assert best.channel.outputs == ("x", "y")
        assert best.mechanism.channel() == best.channel
        assert str(best.certificate)

    def test_labels_in_another_order_are_the_same_question(self):
        one = recoverable.recoverable([0.5, 0.3, 0.2], [0, 1, 1], 0.9)
        other = recoverable.recoverable([0.2, 0.5, 0.3], [1, 0, 1], 0.9, values=[0, 1])
        assert one.privacy == other.privacy
        assert one.channel.rows[0] == other.channel.rows[1]

    def test_a_value_that_cannot_be(self):
        """Only corners of a ball of priors have such values: what is certain is told."""
        query = recoverable.Query(
            prior=recoverable.Query.of([0.5, 0.5], [0, 1], 1).prior, values=(0, 1), f=(0, 0), rho=Fraction(1, 2)
        )
        assert recoverable.best_noise(query) == ((1, 0), (0, 1))


class TestErrata:
    def test_the_largest_part_is_not_the_sum(self):
        """[A, eq. (14)] puts the largest part of the error where eq. (11) has the sum: W_o is not best for both."""
        prior = PAPER[0]
        best = recoverable.recoverable(*PAPER, 0)

        def largest_part(channel):
            return max(
                sum(p * row[i] for p, row in zip(prior, channel.rows, strict=True))
                - max(p * row[i] for p, row in zip(prior, channel.rows, strict=True))
                for i in range(3)
            )

        constant = Channel([[1, 0, 0]] * 3)
        assert largest_part(best.channel) == Fraction(3, 16)
        assert largest_part(constant) == Fraction(1, 2)
        assert best.privacy == measures.guess_error(constant, prior) == Fraction(1, 2)


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "keywords", "error", "words"),
        [
            (([0.5, 0.5], [0, 1], 0.6), {"values": [0, 1, 2]}, InvalidParameter, "never takes the value 2, .* Drop it"),
            (([0.5, 0.5], [0, 1], 0.6), {"values": [0]}, InvalidParameter, "not among `values`. Add it"),
            (([0.5, 0.5], [0, 1], 0.6), {"values": [0, 1, 1]}, InvalidParameter, "twice. List each once"),
            (([0.5, 0.5], [3, 3], 0.6), {}, InvalidParameter, "only one value, .* Give a function with at least two"),
            (([0.5, 0.5], [0, 1], 1.01), {}, InvalidParameter, r"rho=1.01 must lie in \[0, 1\].* Write 0.9, not 90"),
            (([0.5, 0.5], [0, 1], -0.1), {}, InvalidParameter, r"rho=-0.1 must lie in \[0, 1\]"),
            (([0.5, 0.5], [0, 1], float("nan")), {}, InvalidParameter, "must be finite"),
            (([0.5, 0.5, 0], [0, 1, 1], 0.6), {}, InvalidLaw, "probability 0 to 2, .* Drop the values"),
            (([0.5, 0.5], [0, 1, 1], 0.6), {}, InvalidParameter, "3 values for 2 values of the data. Give one each"),
            (([0.5, 0.5], {0: 1}, 0.6), {}, InvalidParameter, "no entry for 1. Give a value to every"),
            (([0.5, 0.4], [0, 1], 0.6), {}, InvalidLaw, "sum"),
            (([0.5, 0.5], [0, 1], 0.6, [0]), {}, InvalidParameter, "predicate has 1 values for 2"),
        ],
    )
    def test_a_sentence_and_a_way_out(self, arguments, keywords, error, words):
        with pytest.raises(error, match=words):
            recoverable.recoverable(*arguments, **keywords)

    def test_a_joint_law_has_two_parts(self):
        with pytest.raises(InvalidLaw, match="must have two"):
            recoverable.reveal_correlated(Joint([0.5, 0.5], [[0, 1]]), 0.5)
