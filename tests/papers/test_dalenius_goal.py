"""The paper on Dalenius' goal: its numbers by other methods, its errata, and that a right print is noticed."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from papers.dalenius_goal_methods import (
    DALENIUS,
    amplitude_bits,
    clamped_count,
    entropy,
    geometric_law,
    least_variance,
    parity_balance,
    surprise_bits,
    twice,
)
from record_channels import h2, information_about
from sfumato.errors import ClaimRefused
from sfumato.papers import PAPERS, svg_bytes
from sfumato.papers.dalenius_goal import (
    examples,
    figures,
    joint_errata,
    leak_errata,
    lemma_6,
    noise,
    noise_errata,
    noise_figures,
    printed,
)

PAPER = PAPERS["dalenius-goal"]
TENTH = Fraction(1, 10)


class TestEntries:
    @pytest.mark.parametrize("entry", PAPER.entries, ids=lambda entry: f"{entry.place}-{entry.what}"[:60])
    def test_where_the_paper_stands_too(self, entry):
        """The moved parameter is in test_gallery."""
        _, method, tolerance = DALENIUS[entry.place, entry.what]
        assert float(entry.ours(entry.value)) == pytest.approx(float(method(entry.value)), rel=tolerance, abs=1e-12)


class TestTables:
    def test_example_1(self):
        table = PAPER.tables["example-1"]()
        counts = [(row[0], int(row[2]), row[3]) for row in table.rows]
        for record, most, reaching in (("record 1", 8, 6), ("record 2", 9, 4)):
            assert sum(count for name, count, _ in counts if name == record) == most
            assert sum(count for name, count, bits in counts if name == record and bits == "0.531004") == reaching

    def test_gaussian_noise(self):
        table = PAPER.tables["gaussian-noise"]()
        assert [row[2] for row in table.rows] == ["0.50000", "1.00000", "1.50000", "2.00000"]
        assert [row[5] for row in table.rows] == ["1.00000", "0.33333", "0.14286", "0.06667"]
        assert [row[3] for row in table.rows] == ["0.48594", "0.84659", "1.16594", "1.50487"]
        assert [row[4] for row in table.rows] == ["0.48594", "0.84533", "0.98355", "0.99977"]
        assert [row[7] for row in table.rows] == ["1.044", "1.557", "2.121", "2.625"]
        assert [row[6] for row in table.rows[:3]] == [f"{least_variance(bits):.5f}" for bits in (0.5, 1.0)] + [
            "0.06735"
        ]

    def test_composition(self):
        table = PAPER.tables["composition"]()
        parity = table.rows[1]
        assert parity[1:] == ("1.0620", "2.1240", "1.0620", "1.0620")
        # Two bits told plainly: the pair of a person's values follows them, so both are told.
        assert table.rows[-1][1:] == ("1.0000", "2.0000", "2.0000", "2.0000")
        assert all(float(row[4]) <= float(row[3]) <= float(row[2]) for row in table.rows)
        assert "p = 0.1: 0.21108" in table.notes[1]

    @pytest.mark.parametrize("name", list(PAPER.tables))
    def test_rows_fit_their_columns(self, name):
        table = PAPER.tables[name]()
        assert {len(row) for row in table.rows} == {len(table.columns)}


class TestPrinted:
    @pytest.mark.parametrize(
        ("formula", "arguments", "value"),
        [
            (printed.printed_gaussian_bits, (3,), 1.0),
            (printed.printed_gaussian_variance, (math.log(2), 3.0), 3.0),
            (printed.printed_gaussian_deviation, (math.log(2) / 2, 3.0), 3.0),
            (printed.printed_laplace, (0.5, 3.0), 6.0),
            (printed.printed_gaussian_mechanism, (0.5, 1.25 * math.exp(-8), 3.0), 24.0),
            (printed.printed_miss, (math.log(2) / 2, 2.0, 3.0), 2.25),
            (printed.printed_flip_bits, (0.25,), 0.75 * math.log2(3) - 1),
            (printed.printed_symmetric_bits, ((0.5, 0.25, 0.25),), math.log2(3) - 1.5),
            (printed.printed_joint_bits, ((1.0, 2.0), (4.0, 8.0)), 15.0),
            # e^λ = 2, two answers: log2(3/2) + ln 2 - 2 ln 2/3.
            (printed.printed_noise_entropy, (2, math.log(2)), math.log2(1.5) + math.log(2) / 3),
        ],
    )
    def test_formulas_as_they_stand(self, formula, arguments, value):
        assert formula(*arguments) == pytest.approx(value)


class TestFigures:
    @pytest.mark.parametrize("record", [1, 2])
    def test_selections_by_looking(self, record):
        f = {x: int(x[0] == x[1]) for x in itertools.product(range(3), range(2))}
        values, others = ((3, 2), (2, 3))[record - 1]
        expected = []
        for rule in itertools.product(range(others), repeat=values):
            pairs = [(a, rule[a]) if record == 1 else (rule[a], a) for a in range(values)]
            answers = tuple(f[pair] for pair in pairs)
            expected.append((answers, 1 - h2(0.1) if len(set(answers)) == 2 else 0.0))
        found = examples.selections(TENTH, record)
        assert [answers for answers, _ in found] == [answers for answers, _ in expected]
        assert [bits for _, bits in found] == pytest.approx([bits for _, bits in expected], abs=1e-8)

    def test_budgets(self):
        budgets = (Fraction(1, 10), Fraction(7, 10))
        assert [1 - h2(p) for p in figures.flips(budgets)] == pytest.approx(budgets, abs=1e-8)
        for k in figures.OUTPUTS:
            for budget, rate in zip(budgets, figures.sharpest_rates(k, budgets), strict=True):
                spent = math.log2(k) - entropy(geometric_law(k, rate))
                assert spent >= float(budget) - 1e-3  # the capacity is at most the bound, so the rate is no smaller
                assert rate >= examples.rate_for(k, budget) - 1e-3

    def test_correlated(self):
        chances = (Fraction(1, 100), Fraction(1, 3))
        assert figures.independent_bits(Fraction(2), chances) == pytest.approx([surprise_bits(s) for s in chances])
        low, high = clamped_count(0, 2), clamped_count(2, 2)
        equal = [float(np.log2(high / (float(s) * high + (1 - float(s)) * low)).max()) for s in chances]
        assert figures.equal_bits(Fraction(2), chances) == pytest.approx(equal)
        assert figures.equal_bits(Fraction(2))[0] == pytest.approx(2, abs=1e-3)

    @pytest.mark.slow
    def test_balance(self):
        found = examples.balances("parity", figures.POINTS)
        for one in found:
            exact = parity_balance(one.b) if one.b > 2 else 0.0
            assert one.bits.lower - 1e-9 <= exact <= one.bits.upper + 1e-9
        lines = figures.balance().axes[0].lines
        ends = [line.get_xdata()[0] for line in lines if line.get_marker() == "o"]
        assert ends == pytest.approx([2, 2, 2, math.log2(6)])

    def test_gaussian(self):
        assert noise_figures.capacities((0.5, 2.0, 6.0)) == pytest.approx(
            [amplitude_bits(ratio) for ratio in (0.5, 2.0, 6.0)], abs=1e-4
        )
        rising = noise_figures.capacities()
        assert rising == sorted(rising)
        assert all(
            bits < printed.printed_gaussian_bits(r) for bits, r in zip(rising, noise_figures.RATIOS, strict=True)
        )

    def test_utility_curves_are_those_of_the_mechanisms(self):
        panels = noise_figures.utility().axes
        for axes, sensitivity in zip(panels, (0.02, 2.0), strict=True):
            laplace, gaussian, by_print, channel = axes.lines
            assert laplace.get_ydata()[0] == pytest.approx(math.sqrt(2) * sensitivity / 0.05)
            assert gaussian.get_xdata()[-1] <= 1
            assert by_print.get_ydata()[0] == pytest.approx(1 / math.sqrt(math.expm1(0.1)))
            spent, spread = channel.get_xdata()[20], channel.get_ydata()[20]
            assert amplitude_bits(spread**-2) * math.log(2) == pytest.approx(spent, abs=1e-4)
        # A mean of 100 records needs less Laplace noise than the Gaussian channel, a function that moves by 2T more.
        assert [axes.lines[0].get_ydata()[8] < axes.lines[2].get_ydata()[8] for axes in panels] == [True, False]

    def test_private_mean(self):
        lines = {line.get_label(): line.get_ydata() for line in noise_figures.private_mean().axes[0].lines}
        at_one = noise_figures.TAUS.index(pytest.approx(1.0))
        assert lines["limit, ε = 1 nat"][at_one] == pytest.approx(0.0115, abs=5e-5)
        assert lines["eq. (122), ε = 1 nat"][at_one] == pytest.approx(0.1565, abs=5e-5)

    @pytest.mark.parametrize("name", ["figure-1", pytest.param("correlated", marks=pytest.mark.slow)])
    def test_drawn_twice_alike(self, name):
        assert svg_bytes(PAPER.figures[name]()) == svg_bytes(PAPER.figures[name]())


class TestNoise:
    def test_more_records_bring_the_miss_towards_its_limit(self):
        limit = noise.limit_miss(1.0, 1.0)
        missed = [noise.miss(1.0, 1.0, n) for n in (10, 100, 400)]
        assert missed == sorted(missed, reverse=True)
        assert missed[-1] - limit < (missed[0] - limit) / 20

    @pytest.mark.parametrize("records", [1, 7])
    def test_sensitivity_over_all_neighbours(self, records):
        data = list(itertools.product((-1.0, 1.0), repeat=records))
        moves = [
            abs(sum(x) - sum(z)) / records
            for x, z in itertools.product(data, repeat=2)
            if sum(a != b for a, b in zip(x, z, strict=True)) == 1
        ]
        assert noise.sensitivity_of_mean(1.0, records) == pytest.approx(max(moves))


class TestLemma6:
    @pytest.mark.parametrize("seed", range(5))
    def test_the_chain_rule_is_right_for_any_law(self, seed):
        """x_1^1, x_1^2, y^1, y^2 with any law: the corrected lemma is the chain rule, and the print is not."""
        weights = np.random.default_rng(seed).integers(1, 50, size=16).tolist()
        cells = itertools.product((0, 1), repeat=4)
        law = {cell: Fraction(w, sum(weights)) for cell, w in zip(cells, weights, strict=True)}
        assert lemma_6.chain_rule_bits(law) == pytest.approx(lemma_6.joint_bits(law))
        assert abs(lemma_6.printed_lemma_6_bits(law) - lemma_6.joint_bits(law)) > 1e-6


# One question of units in three places; each alone would be noticed too.
UNITS = [
    (leak_errata.check_base, lambda epsilon: epsilon / math.log(2)),
    (
        leak_errata.check_noise_entropy,
        lambda k, rate: printed.printed_noise_entropy(k, rate, math.log) / math.log(2),
    ),
    (leak_errata.check_budget_unit, lambda bits: 1 / (4**bits - 1)),
]
RIGHT = [
    (leak_errata.check_units, tuple(right for _, right in UNITS)),
    (leak_errata.check_degenerate, lambda odds: 0.0),
    (leak_errata.check_converse, lambda bits: 7.0),
    (leak_errata.check_plateau, lambda records: records - 1.0),
    (leak_errata.check_no_law, lambda bound: math.log2(2 * bound)),
    (leak_errata.check_open_case, lambda values: 4**values - 2),
    (leak_errata.check_rate, lambda bits: math.inf),
    (noise_errata.check_amplitude, amplitude_bits),
    (noise_errata.check_variances, lambda epsilon: 2 / epsilon**2),
    (noise_errata.check_large_epsilon, lambda epsilon, delta: 1.0),
    (noise_errata.check_sensitivity, lambda bound: 2 * bound),
    (noise_errata.check_comparison, lambda epsilon: math.sqrt(2) / epsilon),
    (noise_errata.check_miss, noise.limit_miss),
    (noise_errata.check_left_over, printed.printed_gaussian_variance),
    (joint_errata.check_last_term, lemma_6.joint_bits),
    (joint_errata.check_four_terms, lambda own, other: math.fsum(own)),
    (joint_errata.check_larger, lambda own: 0.4),
    (joint_errata.check_excess, lambda flip: twice(flip) - (1 - h2(float(flip)))),
]


class TestErrata:
    @pytest.mark.parametrize(("check", "right"), [*RIGHT, *UNITS])
    def test_a_right_print_would_be_noticed(self, check, right):
        with pytest.raises(ClaimRefused, match="does not show"):
            check(right)

    def test_every_erratum_has_such_a_test(self):
        assert [erratum.check for erratum in PAPER.errata] == [check for check, _ in RIGHT]

    def test_numbers_named_in_words(self):
        words = {erratum.where: erratum.counter_example for erratum in PAPER.errata}
        unit = "The unit of ε: Theorem 1, eqs. (71)-(82), (117) and (120)"
        epsilon, bits = leak_errata.uniform_response()
        weights = [0.97, *[0.03 / 99_999] * 99_999]
        assert epsilon == pytest.approx(math.log(0.97 * 99_999 / 0.03))
        assert bits == pytest.approx(math.log2(100_000) - entropy(weights))
        # Told with chance 1/100: then a binary symmetric channel, and else nothing.
        assert f"{0.01 * (1 - h2(1 / 1001)):.4f}" in words["Abstract and Section 1, “equivalent”"]
        assert f"{math.log(1000):.4f}" in words["Abstract and Section 1, “equivalent”"]
        assert f"{1 - h2(0.1):.4f}" in words["Section 4.1, records with three or more values"]
        assert f"{entropy(geometric_law(4, 1.0)):.5f}" in words[unit]
        assert f"{1 - h2(1 / (1 + math.e)):.4f}" in words["After eq. (82), λ ≤ 1"]
        assert f"{amplitude_bits(math.expm1(2)):.4f}" in words[unit]
        assert f"{math.sqrt(8):.4f}" in words["Section 5.2, “variances”"]
        assert f"{1 / math.sqrt(math.expm1(2)):.4f}" in words["Section 5.2, the comparison at b = 0"]
        assert f"{1 / math.expm1(2):.4f}" in words["Proof of Proposition 4"]
        assert f"{16 / math.expm1(2):.1f}" in words["Proposition 4, eq. (122)"]
        law = examples.lemma_6_law(TENTH)
        assert f"{lemma_6.printed_lemma_6_bits(law):.4f}" in words["Lemma 6, eq. (161)"]
        assert f"{math.log2(3) - entropy((0.8, 0.1, 0.1)):.4f}" in words["After Proposition 6, “larger”"]
        pair = DALENIUS["Proposition 6", next(w for p, w in DALENIUS if p == "Proposition 6")][1](2)
        assert f"{pair:.4f}" in words["After Proposition 6, “larger”"]

    def test_the_equivalence_fails_though_one_record_is_independent_of_all(self):
        channel = examples.rarely_told(Fraction(1000))
        found = max(information_about(channel, (2,), (0,), [1 - p, p]) for p in np.linspace(0.01, 0.99, 99))
        assert found < 0.01

    def test_where_laplace_and_the_channel_are_even(self):
        """The bound on Δf in the erratum: equal standard deviations."""
        for epsilon in (0.1, 1.0):
            even = epsilon / math.sqrt(2 * math.expm1(2 * epsilon))
            assert noise.laplace_deviation(epsilon, even) == pytest.approx(printed.printed_gaussian_deviation(epsilon))
