"""The paper on perfect sample privacy: its numbers by other methods, its errata, and that a right print is noticed."""

from fractions import Fraction

import numpy as np
import pytest

from papers.sample_privacy_methods import SAMPLE_PRIVACY, chain_bits, h, pair_bits
from sfumato.disclose import optimum
from sfumato.errors import ClaimRefused
from sfumato.papers import PAPERS, svg_bytes
from sfumato.papers.perfect_sample_privacy import errata, examples, figures, printed, proof_errata, tables

PAPER = PAPERS["perfect-sample-privacy"]
EIGHTH, TWO_THIRDS = Fraction(1, 8), Fraction(2, 3)


class TestEntries:
    @pytest.mark.parametrize("entry", PAPER.entries, ids=lambda entry: f"{entry.place}-{entry.what}"[:60])
    def test_where_the_paper_stands_too(self, entry):
        _, method, tolerance = SAMPLE_PRIVACY[entry.place, entry.what]
        assert float(entry.ours(entry.value)) == pytest.approx(
            float(method(entry.value)), rel=tolerance or 1e-12, abs=1e-9
        )


class TestTables:
    def test_table_1(self):
        table = PAPER.tables["table-1"]()
        assert [row[0] for row in table.rows] == ["2", "3", "4", "5", "10", "20", "50", "100", "200"]
        assert [row[4] for row in table.rows[:3]] == ["agrees"] * 3
        assert [row[2] for row in table.rows[:4]] == ["0.0083377", "0.0487570", "0.0447107", "0.0538973"]
        for lower, upper in (tables.measured_counts(n) for n in (2, 50)):
            assert lower <= upper < lower + 1e-8
        falling = [tables.measured_counts(n)[0] for n in (5, 6, 7, 8, 9, 10, 20, 50, 100, 200)]
        assert falling == sorted(falling, reverse=True)

    def test_example_2_is_the_printed_mapping(self):
        found = examples.example_2(TWO_THIRDS)
        columns = {tuple(column) for column in zip(*found.channel.rows, strict=True)}
        third, half = Fraction(1, 3), Fraction(1, 2)
        assert columns == {
            (1, 0, half, 0, 2 * third, 0),
            (0, 2 * third, 0, half, 0, 1),
            (0, third, half, half, third, 0),
        }
        assert [mass * 12 for mass in found.law.masses] == [1, 3, 2, 2, 3, 1]

    @pytest.mark.parametrize("name", ["table-1", "example-2"])
    def test_rows_fit_their_columns(self, name):
        table = PAPER.tables[name]()
        assert {len(row) for row in table.rows} == {len(table.columns)}


class TestFigures:
    def test_curves_by_listing(self):
        shares = [EIGHTH, Fraction(2, 5)]
        assert figures.pair_efficiencies(shares) == pytest.approx(
            [3 * pair_bits(q) / (4 * h(q)) for q in shares], rel=1e-8
        )
        assert figures.chain_efficiencies(shares) == pytest.approx([chain_bits(q, 4) / (4 * h(q)) for q in shares])
        assert figures.printed_chain_efficiencies(shares, None) == pytest.approx(
            [chain_bits(q, 2) / h(q) for q in shares]
        )

    def test_schemes_stay_below_the_optimum_and_meet_it_at_a_fair_coin(self):
        shares = (Fraction(1, 5), Fraction(1, 2))
        best, pairs = figures.optimal_efficiencies(shares), figures.pair_efficiencies(shares)
        chain = figures.chain_efficiencies(shares)
        assert best[0] > pairs[0] > chain[0]
        assert [best[1], pairs[1], chain[1]] == pytest.approx([0.75] * 3)

    def test_where_the_chain_overtakes_pairs(self):
        """Below q = 0.29 or so, for many samples, though eq. (67) never shows it."""
        shares = [Fraction(k, 100) for k in (5, 15, 25, 28, 31, 40)]
        pairs, chain = figures.pair_efficiencies(shares, None), figures.chain_efficiencies(shares, None)
        ahead = [c > p for c, p in zip(chain, pairs, strict=True)]
        assert ahead == [True, True, True, True, False, False]
        said = figures.printed_chain_efficiencies(shares, None)
        assert all(s < p for s, p in zip(said, pairs, strict=True))

    @pytest.mark.parametrize(("k", "q", "value"), [(3, Fraction(3, 10), 0.5924), (3, Fraction(2, 5), 0.7195)])
    def test_windows_of_three(self, k, q, value):
        assert examples.pairs(q, k).asymptotic_efficiency.midpoint == pytest.approx(value, abs=5e-5)

    def test_drawn_twice_alike_from_the_data(self):
        first, second = figures.figure_5(), figures.figure_5()
        assert svg_bytes(first) == svg_bytes(second)
        lines = {line.get_label(): line for line in first.axes[0].lines}
        assert lines["pairs of neighbours"].get_ydata().tolist() == figures.pair_efficiencies(count=None)
        assert len(lines) == 5

    def test_figure_4(self):
        lines = {line.get_label(): line for line in figures.figure_4().axes[0].lines}
        assert lines["optimum"].get_ydata()[5] == pytest.approx(0.5080920, abs=1e-6)
        assert len(lines) == 4


def right_corners(alpha, beta, r):
    low = max(Fraction(0), alpha - beta)
    law = (alpha - r, r, beta - alpha + r, 1 - beta - r)
    moves = (r - min(alpha, 1 - beta), r - low)
    return tuple(tuple(p + move * d for p, d in zip(law, (1, -1, -1, 1), strict=True)) for move in moves)


class TestErrata:
    @pytest.mark.parametrize(
        ("check", "right"),
        [
            (errata.check_posterior, lambda alpha: printed.printed_posterior(1 - alpha)),
            (errata.check_two_binary, right_corners),
            (errata.check_fewest_outputs, lambda cells, rank: 2),
            (errata.check_one_direction, lambda shape, cells: False),
            (errata.check_running_sums, lambda n, k, m: (n - k) / n),
            (errata.check_overlap, lambda size: 0.2),
            (errata.check_uniformised, lambda q, n: examples.uniformised(q).information_bits(n).midpoint),
            (proof_errata.check_typical_sets, lambda counts: tuple(max(counts) + 1 + k for k in range(len(counts)))),
            (proof_errata.check_other_value, lambda n: 1.0),
            (proof_errata.check_third_line, lambda q: examples.uniformised(q).information_bits(2).midpoint),
        ],
    )
    def test_a_right_print_would_be_noticed(self, check, right):
        with pytest.raises(ClaimRefused, match="does not show"):
            check(right)

    def test_every_erratum_has_such_a_test(self):
        assert [erratum.check for erratum in PAPER.errata] == [
            errata.check_posterior,
            errata.check_two_binary,
            errata.check_fewest_outputs,
            errata.check_one_direction,
            errata.check_running_sums,
            errata.check_overlap,
            errata.check_uniformised,
            proof_errata.check_typical_sets,
            proof_errata.check_other_value,
            proof_errata.check_third_line,
        ]

    def test_numbers_named_in_words(self):
        assert min(printed.printed_corners(Fraction(3, 5), Fraction(2, 5), Fraction(3, 10))[1]) == Fraction(-1, 5)
        assert f"{printed.printed_running_sums(4, 2, 3):.4f}" == "0.6179"

    def test_blocks_by_hand(self):
        """Two features, each told with one bit less what the other block hides; the mapping of one fails the other."""
        law = examples.blocks_law(2)
        for turn in (0, 1):
            found = optimum(law, errata._block_feature(law, turn))
            rows = np.array([[float(p) for p in row] for row in found.channel.rows])
            assert rows.max() == pytest.approx(1)
            assert found.lower_bits == pytest.approx(1)
