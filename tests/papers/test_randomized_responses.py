"""The paper on randomised responses: tables, figures and errata against closed forms typed from its theorems."""

import dataclasses
import math
import re
from fractions import Fraction
from statistics import NormalDist

import pytest

from sfumato import design, measures
from sfumato.errors import ClaimRefused, InvalidParameter
from sfumato.papers import PAPERS, paper_named, png_bytes, svg_bytes
from sfumato.papers.randomized_responses import errata, figures, printed, tables

PAPER = PAPERS["randomized-responses"]
PANELS = [(figures.DELTA, weight) for weight in figures.WEIGHTS]


def closed_three(a, w, theta):
    return (1 - a / (w * (1 - theta) + (1 - w) * theta)) / (theta * (1 - theta))


def closed_two(a, w, theta):
    """[C, Thm 1]: the larger of the two is the maximum, whatever θ_0 says."""
    return max(
        (w - a) / (theta * (w * (1 - theta) + a * theta)),
        (1 - w - a) / ((1 - theta) * (a * (1 - theta) + (1 - w) * theta)),
    )


class TestRegistry:
    def test_values_are_frozen(self):
        with pytest.raises(dataclasses.FrozenInstanceError):
            PAPER.title = "another"
        with pytest.raises(TypeError):
            PAPER.figures["figure-9"] = figures.figure_2
        with pytest.raises(TypeError):
            PAPERS["another"] = PAPER

    def test_unknown_papers_are_answered_with_the_known_ones(self):
        assert paper_named("randomized-responses") is PAPER
        with pytest.raises(InvalidParameter, match="randomized-responses"):
            paper_named("randomised-responses")


class TestTable:
    def test_information_to_four_decimals(self):
        found = {row.scheme.split(" (")[0]: row for row in tables.scheme_rows()}
        values = {name: f"{float(row.information(row.recomputed)):.4f}" for name, row in found.items()}
        assert values == {
            "Warner": "0.2604",
            "unrelated question, η = 1/2": "0.2604",
            "two outputs": "2.5641",
            "three outputs": "2.7778",
        }

    def test_corrected_pairs_use_up_the_limit(self):
        for row in tables.scheme_rows():
            assert row.guess_error(row.recomputed) == Fraction(3, 8)
            assert measures.total_variation(*row.recomputed.rows) == Fraction(1, 4)

    def test_what_is_said_of_the_print(self):
        assert [(row.guess_error(row.printed), row.verdict) for row in tables.scheme_rows()] == [
            (Fraction(1, 4), "breaks the limit"),
            (Fraction(3, 8), "agrees"),
            (Fraction(3, 8), "is not the best"),
            (Fraction(3, 8), "agrees"),
        ]

    def test_warners_printed_row_is_right_at_one_third_only(self):
        """There it only names the two reports the other way round."""
        verdicts = {delta: tables.scheme_rows(Fraction(delta))[0].verdict for delta in ("1/5", "1/3", "2/5", "1/2")}
        assert verdicts == {
            "1/5": "breaks the limit",
            "1/3": "agrees",
            "2/5": "is not the best",
            "1/2": "is not the best",
        }

    def test_rows_fit_their_columns(self):
        table = PAPER.tables["table-1"]()
        assert len(set(table.columns)) == len(table.columns)
        assert {len(row) for row in table.rows} == {len(table.columns)}
        assert any("10.7 times fewer" in note for note in table.notes)


class TestFigureData:
    @pytest.mark.parametrize(("delta", "weight"), PANELS)
    def test_fisher_curves_are_the_closed_forms(self, delta, weight):
        a = (1 - delta) / 2
        assert figures.three_outputs(delta, weight) == [closed_three(a, weight, theta) for theta in figures.SHARES]
        assert figures.two_outputs(delta, weight) == [closed_two(a, weight, theta) for theta in figures.SHARES]

    def test_warners_curve(self):
        delta = Fraction(1, 4)
        yes = [Fraction(3, 8) + delta * theta for theta in figures.SHARES]
        assert figures.warner(delta) == [delta**2 / (p * (1 - p)) for p in yes]
        unrelated = design.unrelated_question(delta=delta, eta=Fraction(1, 2))
        assert figures.warner(delta) == [unrelated.fisher_information(theta) for theta in figures.SHARES]

    @pytest.mark.parametrize(("delta", "weight"), PANELS)
    def test_surfaces_are_the_closed_form(self, delta, weight):
        a, w = float((1 - delta) / 2), float(weight)
        grid = [Fraction(1, 50), Fraction(1, 4), Fraction(9, 10)]
        for row, second in zip(figures.divergence_surface(delta, weight, grid), map(float, grid), strict=True):
            for value, first in zip(row, map(float, grid), strict=True):
                shared = [(1 - t) * a / (1 - w) + t * a / w for t in (first, second)]
                expected = (
                    shared[0] * math.log(shared[0] / shared[1])
                    + (1 - first) * (1 - a / (1 - w)) * math.log((1 - first) / (1 - second))
                    + first * (1 - a / w) * math.log(first / second)
                )
                assert value == pytest.approx(expected, abs=1e-12)

    def test_both_limits(self):
        assert [f"{float(value):.4f}" for value in figures.under_both_limits(epsilons=(1.0, 4.0))] == [
            "0.5353",
            "2.3790",
        ]
        best = [float(value) for value in figures.under_both_limits()]
        coin = [float(value) for value in figures.under_both_limits(design.warner)]
        assert best == sorted(best)
        parting = math.log(5 / 3)
        for epsilon, most, warner in zip(figures.EPSILONS, best, coin, strict=True):
            assert (most > warner + 1e-9) == (epsilon > parting)
        assert best[-1] < 25 / 9

    def test_lines_are_drawn_from_the_data(self):
        axes = figures.figure_2().axes[1]
        solid, dashed = axes.lines
        assert solid.get_xydata().tolist() == [
            [float(theta), float(value)]
            for theta, value in zip(figures.SHARES, figures.three_outputs(*PANELS[1]), strict=True)
        ]
        assert dashed.get_ydata().tolist() == [float(value) for value in figures.two_outputs(*PANELS[1])]
        assert [text.get_text() for text in figures.figure_3().axes[0].get_legend().get_texts()] == [
            "2 reports, best",
            "Warner; unrelated question, η = 1/2",
        ]


class TestFiles:
    @pytest.mark.parametrize("name", ["both-limits", pytest.param("figure-3", marks=pytest.mark.slow)])
    def test_drawn_twice_alike(self, name):
        """tests/cli/test_papers.py compares all four across processes."""
        first, second = PAPER.figures[name](), PAPER.figures[name]()
        svg, png = svg_bytes(first), png_bytes(first)
        assert svg == svg_bytes(second)
        assert png == png_bytes(second)
        assert png.startswith(b"\x89PNG")
        assert b"<svg" in svg
        assert b"dc:date" not in svg
        assert len(svg) > 10_000

    def test_the_users_own_style_neither_counts_nor_changes(self):
        import matplotlib as mpl

        usual = svg_bytes(figures.figure_3())
        with mpl.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.hashsalt": "mine"}):
            assert svg_bytes(figures.figure_3()) == usual
            assert mpl.rcParams["font.size"] == 30
            assert mpl.rcParams["svg.hashsalt"] == "mine"


class TestErrata:
    @pytest.mark.parametrize(
        ("check", "right"),
        [
            (
                errata.check_two_outputs,
                lambda limits, theta: (
                    design.survey(delta=limits.delta, weight=limits.weight, outputs=2, theta=theta).channel
                ),
            ),
            (errata.check_warner_row, lambda delta: design.warner(delta=delta).channel),
            (errata.check_renyi_arguments, lambda p, q, s: printed.printed_renyi_nats(q, p, s)),
            (errata.check_corollary_sum, max),
            (errata.check_confidence_level, lambda level: ((1 - level) / 2, (1 + level) / 2)),
            (errata.check_objective, max),
        ],
    )
    def test_a_right_print_would_be_noticed(self, check, right):
        with pytest.raises(ClaimRefused, match="does not show"):
            check(right)

    def test_every_erratum_has_such_a_test(self):
        assert [erratum.check for erratum in PAPER.errata] == [
            errata.check_two_outputs,
            errata.check_warner_row,
            errata.check_renyi_arguments,
            errata.check_corollary_sum,
            errata.check_confidence_level,
            errata.check_objective,
        ]

    def test_numbers_named_in_words(self):
        """What the sentences say, recomputed from the printed pairs."""
        limits = design.Limits.of(delta=Fraction(1, 4), weight=Fraction(2, 5))
        said = re.findall(r"\d\.\d{4}", PAPER.errata[0].counter_example)
        found = []
        for theta in (Fraction(1, 20), Fraction(1, 2)):
            found.append(measures.fisher_information(printed.printed_two_outputs(limits, theta), theta))
            found.append(closed_two(limits.guess_error, limits.weight, theta))
        assert said == [f"{float(value):.4f}" for value in found]
        back, forth = (
            design.largest_renyi_nats(limits, first, 1 - first, 1) for first in (Fraction(9, 10), Fraction(1, 10))
        )
        assert re.findall(r"\d\.\d{4}", PAPER.errata[2].counter_example) == [f"{back:.4f}", f"{forth:.4f}"]

    def test_the_chernoff_bound_does_not_mind_the_order(self):
        """sup over -1 < s < 0 of -s D_{1+s} is symmetric in the two laws, in print and here."""
        limits = design.Limits.of(delta=Fraction(1, 4), weight=Fraction(2, 5))
        channel = design.best_design(limits).channel
        p, q = design.share_law(channel, Fraction(1, 10)), design.share_law(channel, Fraction(9, 10))
        exponent = max(k / 2000 * printed.printed_renyi_nats(p, q, -k / 2000) for k in range(1, 2000))
        assert exponent == pytest.approx(measures.chernoff_information_nats(p, q), abs=1e-6)

    def test_the_interval_of_the_corrected_sentence_covers(self):
        normal = NormalDist()
        low, high = (normal.inv_cdf(level) for level in printed.printed_normal_quantiles(0.05))
        assert normal.cdf(high) - normal.cdf(low) == pytest.approx(0.95)
