"""The paper on successive refinement: tables, figures and errata against closed forms typed from its theorems."""

import itertools
import math
import re

import numpy as np
import pytest

from sfumato import infer, measures
from sfumato.errors import ClaimRefused
from sfumato.mechanisms import BinaryHadamard, RandomizedResponse, SymmetricUnary
from sfumato.papers import PAPERS, paper_named, png_bytes, svg_bytes
from sfumato.papers.successive_refinement import (
    errata,
    error_figures,
    figures,
    lemma_3,
    printed,
    printed_bounds,
    tables,
)
from sfumato.refine.recovery_keys import ShiftKey

PAPER = PAPERS["successive-refinement"]


def h2(p):
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


def closed_key_bits(size, favoured, epsilon):
    """[B, Thm 4] in bits."""
    total = favoured * math.exp(epsilon) + size - favoured
    return math.log2(total) - favoured * math.exp(epsilon) / total * epsilon * math.log2(math.e)


def right_rr_bits(size, epsilon):
    return closed_key_bits(size, 1, epsilon)


def right_key_objective(size, favoured, epsilon, logarithm):
    return closed_key_bits(size, favoured, epsilon) * logarithm(2)


def test_it_is_registered():
    assert paper_named("successive-refinement") is PAPER
    assert PAPER.key == "B"
    assert set(PAPER.figures) == {"figure-4a", "figure-4b", "figure-5a", "figure-5b", "figure-6", "figure-7"}


class TestTable:
    @pytest.mark.parametrize(("size", "epsilon"), [(1000, 1.0), (10, 2.0)])
    def test_channels_have_the_closed_forms(self, size, epsilon):
        half = math.exp(epsilon / 2)
        rappor, rr, hr, bh = tables.scheme_rows(size, epsilon)
        response = hr.mechanism
        expected = (
            size * h2(half / (half + 1)),
            right_rr_bits(size, epsilon),
            closed_key_bits(response.outputs, response.block // 2, epsilon),
            h2(half**2 / (half**2 + 1)),
        )
        assert [row.computed for row in (rappor, rr, hr, bh)] == pytest.approx(expected, rel=1e-8)

    def test_rows_agree_with_channels_written_out(self):
        for row in tables.scheme_rows(6, 1.0):
            channel = row.mechanism.channel()
            assert row.computed == pytest.approx(measures.largest_randomness_interval(channel).upper, rel=1e-9)
            assert measures.epsilon(channel) == pytest.approx(1.0, abs=1e-8)

    def test_what_is_said_of_the_print(self):
        rows = tables.scheme_rows()
        assert [row.verdict for row in rows] == ["is too low", "is too high", "is a bound", "agrees"]
        assert f"{rows[0].printed / 1000:.3f} {rows[0].computed / 1000:.3f}" == "0.840 0.956"

    def test_the_economical_sampler_draws_the_entropy(self):
        rows = tables.scheme_rows()
        assert [row.drawn() for row in rows] == [64_000, 64, 64, 64]
        for row in rows:
            assert row.drawn_recycled() == pytest.approx(row.computed, rel=0.01)

    def test_risks(self):
        risks = {row.scheme: row.risk() for row in tables.scheme_rows(8, 1.0)}
        keep = 1 / (1 + math.exp(-0.5))
        own = keep / 8 + (1 - keep) * 7 / 8
        assert risks["RAPPOR"] == pytest.approx(8 * own * (1 - own) / (2 * keep - 1) ** 2, rel=1e-6)
        assert risks["RR"] == pytest.approx(7 / 8 * ((math.e + 7) / (math.e - 1)) ** 2, rel=1e-6)

    def test_storage_gains(self):
        table = PAPER.tables["storage"]()
        assert [row[4] for row in table.rows] == ["94.20 %", "91.41 %", "85.03 %"]
        for size, favoured, bits, *_ in table.rows:
            entropies = [closed_key_bits(int(size), s, 5.0) for s in range(1, int(size))]
            assert bits == pytest.approx(min(entropies), abs=1e-9)
            assert entropies[int(favoured) - 1] == min(entropies)

    def test_levels_on_one_report_and_apart(self):
        table = PAPER.tables["ladder-randomness"]()
        assert table.rows[:3] == (
            ("0.1", "1.83149", "1.83814", "1.004"),
            ("0.5", "1.62657", "1.79623", "1.104"),
            ("0.9", "1.09812", "1.70743", "1.555"),
        )
        times = [float(row[3]) for row in table.rows]
        assert times == sorted(times)
        assert 1.98 < times[-1] < 2

    @pytest.mark.parametrize("name", list(PAPER.tables))
    def test_rows_fit_their_columns(self, name):
        table = PAPER.tables[name]()
        assert len(set(table.columns)) == len(table.columns)
        assert {len(row) for row in table.rows} == {len(table.columns)}


class TestFigureData:
    def test_the_numbers_of_section_4(self):
        """Clipping gives what the print says, 1.4 twice; the nearest law is far better, raw shares far worse."""
        first = error_figures.l1_errors(1.0, 1.0, 150_000)
        second = error_figures.l1_errors(1.0, 0.7, 850_000)
        assert [first.clipped, second.clipped] == pytest.approx([1.36, 1.42], abs=0.04)
        assert [first.projected, second.projected] == pytest.approx([0.31, 0.37], abs=0.06)
        assert [first.raw_expected, second.raw_expected] == pytest.approx([4.40, 5.03], abs=0.01)
        assert [first.raw, second.raw] == pytest.approx([4.40, 5.03], rel=0.04)

    def test_seeds_are_fixed(self):
        assert error_figures.l1_errors(1.0, 0.7, 5000, 2) == error_figures.l1_errors(1.0, 0.7, 5000, 2)

    def test_budgets_are_kept(self):
        for epsilon in error_figures.EPSILONS:
            for budget in error_figures.SCARCE_BUDGETS:
                mechanism = error_figures.mechanism_of_theorem_2(epsilon, budget)
                assert mechanism.randomness_bits().upper <= budget
                assert mechanism.silence == 0
                assert (mechanism.yes > 0.5) == (budget > infer.critical_random_bits(epsilon))

    def test_both_readings_of_figure_5b(self):
        """The print leaves a step of 0.2 after ε₁; with j - 1 for j it would not."""
        assert figures.printed_levels(4) == pytest.approx((2.0, 1.8, 1.7, 1.6))
        assert figures.even_levels(4) == pytest.approx((2.0, 1.9, 1.8, 1.7))
        assert figures.printed_levels(1) == figures.even_levels(1) == (2.0,)

    @pytest.mark.parametrize("levels", [figures.printed_levels, figures.even_levels])
    def test_the_gap_of_figure_5b_grows(self, levels):
        drawn = {line.get_label(): line.get_ydata() for line in figures.figure_5b().axes[0].lines}
        reading = "as printed" if levels is figures.printed_levels else "(j-1)"
        apart, ladder = (drawn[label] for label in drawn if label.endswith(reading))
        assert apart == pytest.approx(
            [math.fsum(h2(1 / (math.exp(e) + 1)) for e in levels(d)) for d in range(1, 11)], abs=1e-12
        )
        gaps = [a - b for a, b in zip(apart, ladder, strict=True)]
        assert gaps[0] == 0
        assert all(later > earlier for earlier, later in itertools.pairwise(gaps))

    def test_the_ends_of_figure_5a(self):
        """Alike far from ε₁; next to it one report costs what level 1 alone does."""
        apart, ladder, alone = (list(line.get_ydata()) for line in figures.figure_5a().axes[0].lines)
        assert apart[0] == pytest.approx(ladder[0], abs=1e-4)
        assert ladder[-1] == pytest.approx(alone[0], abs=2e-3)
        assert apart[-1] == pytest.approx(2 * alone[0], abs=1e-4)

    def test_figure_6_is_theorem_4(self):
        drawn = {line.get_label(): line.get_ydata() for line in figures.figure_6().axes[0].lines}
        for size in (10, 100):
            bits = [min(closed_key_bits(size, s, e) for s in range(1, size)) for e in figures.STORAGE_EPSILONS]
            assert drawn[f"key, k = {size}"] == pytest.approx(bits, abs=1e-9)

    def test_shares(self):
        shares = error_figures.geometric_shares()
        assert shares.sum() == pytest.approx(1)
        assert shares[1:20] / shares[:19] == pytest.approx(np.full(19, 0.8))

    @pytest.mark.parametrize("budget", figures.REGION_BUDGETS)
    def test_best_points_are_best_in_the_region(self, budget):
        steps = 400
        inside = figures.region(budget, 1.0, steps)
        assert inside.any()
        assert (inside == inside.T).all()
        assert (inside == inside[::-1, ::-1]).all()
        second, first = (np.argwhere(inside).T + 0.5) / steps
        contrast = (first - second) ** 2 * (1 / (first + second) + 1 / (2 - first - second))
        best = [printed.printed_contrast((p, 1 - p), (q, 1 - q)) for p, q in figures.corners(budget, 1.0)]
        assert best == pytest.approx([best[0]] * len(best))
        assert contrast.max() <= best[0]


class TestFiles:
    @pytest.mark.parametrize(
        "name", ["figure-5b", *(pytest.param(f"figure-{n}", marks=pytest.mark.slow) for n in ("5a", "6", "7"))]
    )
    def test_drawn_twice_alike(self, name):
        first, second = PAPER.figures[name](), PAPER.figures[name]()
        assert svg_bytes(first) == svg_bytes(second)
        assert png_bytes(first) == png_bytes(second)

    @pytest.mark.parametrize("name", ["figure-4a", pytest.param("figure-4b", marks=pytest.mark.slow)])
    def test_simulated_figures_are_drawn_alike(self, name):
        few = {"users": (20_000, 40_000)} if name == "figure-4a" else {"n": 20_000}
        first, second = (svg_bytes(PAPER.figures[name](repetitions=1, **few)) for _ in range(2))
        assert first == second
        assert b"<svg" in first


class TestErrata:
    RIGHT = (
        (errata.check_lower_bound, infer.risk_floor),
        (errata.check_every_n, infer.risk_floor),
        (errata.check_l1_constant, infer.l1_floor),
        (
            errata.check_best_contrast,
            lambda epsilon, p: 2 * infer.information_per_user(epsilon, h2(p)) / math.exp(epsilon),
        ),
        (lemma_3.check_two_reports, lemma_3.silent_contrast),
        (errata.check_rappor_row, lambda epsilon: math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1)),
        (errata.check_rr_bits, right_rr_bits),
        (
            errata.check_recoverable,
            lambda size, epsilon: RandomizedResponse.within(size=size, epsilon=epsilon).channel(),
        ),
        (errata.check_key_objective, right_key_objective),
        (errata.check_nearest_integer, lambda size, epsilon: ShiftKey.within(size=size, epsilon=epsilon).favoured),
        (errata.check_parting, lambda _: 1.766),
    )

    @pytest.mark.parametrize(("check", "right"), RIGHT)
    def test_a_right_print_would_be_noticed(self, check, right):
        with pytest.raises(ClaimRefused, match="does not show"):
            check(right)

    def test_every_erratum_has_such_a_test(self):
        assert [erratum.check for erratum in PAPER.errata] == [check for check, _ in self.RIGHT]

    def test_numbers_named_in_words(self):
        said = {erratum.where: re.findall(r"\d\.\d{3,4}", erratum.counter_example) for erratum in PAPER.errata}
        channel = RandomizedResponse.within(size=4, epsilon=2.0).channel()
        used = measures.largest_randomness_interval(channel).upper
        assert said["Table 1, RR and HR"] == [f"{printed.printed_rr_bits(4, 2.0):.4f}", f"{used:.4f}"]
        assert said["Table 1, RAPPOR"] == [f"{h2(1 / (1 + math.exp(-e))):.3f}" for e in (1, 0.5)]
        assert said["Section 4, Figure 4b"] == [f"{infer.critical_random_bits(e):.4f}" for e in (1.7, 0.8)]
        assert said["Section 7.1, after eq. (49)"] == [
            f"{printed.printed_key_optimum(2, 5.0):.4f}",
            f"{ShiftKey.within(size=2, epsilon=5.0).entropy_bits().midpoint:.4f}",
        ]
        assert f"{printed_bounds.eq8_lower_bound(1000, 1772, 0.1):.1f}" == "12.8"
        for parting, budget in zip(re.findall(r"ε < (\d\.\d{3})", PAPER.errata[-1].correct), (0.6, 0.9), strict=True):
            assert infer.critical_random_bits(float(parting)) == pytest.approx(budget, abs=2e-4)

    def test_two_reports_are_enough_from_the_critical_budget_on_and_not_below(self):
        """The most with two reports, by a grid over all of them that keep ε and R."""
        steps = np.linspace(0.0, 1.0, 2001)[1:-1]
        p, q = np.meshgrid(steps, steps)
        entropies = -(steps * np.log2(steps) + (1 - steps) * np.log2(1 - steps))
        for epsilon, budget, three_are_better in ((3.0, 0.25, True), (2.0, 0.4, True), (1.0, 0.8, False)):
            odds = np.exp(epsilon)
            kept = (p <= odds * q) & (q <= odds * p) & (1 - p <= odds * (1 - q)) & (1 - q <= odds * (1 - p))
            kept &= (entropies[None, :] <= budget) & (entropies[:, None] <= budget)
            most = ((p - q) ** 2 * (1 / (p + q) + 1 / (2 - p - q)))[kept].max()
            said = printed.printed_two_report_contrast(epsilon, budget)
            assert 0.93 * said <= most <= said * (1 + 1e-9)  # a grid misses a little
            assert (lemma_3.silent_contrast(epsilon, budget) > said) == three_are_better
        assert said > 0.0367
        assert f"{printed.printed_two_report_contrast(3.0, 0.25):.4f}" == "0.0367"
        for epsilon in (0.5, 1.0, 3.0):  # any number of reports: each term is at most tanh²(ε/2)·(q+q')
            best = printed.printed_largest_contrast(epsilon)
            assert best == pytest.approx(2 * math.tanh(epsilon / 2) ** 2, rel=1e-12)

    def test_merging_reports_never_raises_the_sum(self):
        rng = np.random.default_rng(3)
        for _ in range(200):
            first, second = rng.dirichlet(np.ones(4), 2)
            merged = [np.append(law[:2], law[2:].sum()) for law in (first, second)]
            assert printed.printed_contrast(*merged) <= printed.printed_contrast(first, second) + 1e-15

    def test_hadamard_response_of_the_print(self):
        """1000 answers at ε = 1 in two blocks, as [ASZ19] has them."""
        response = printed.printed_hadamard_response(1000, 1.0)
        assert response.blocks == 2
        assert f"{float(response.heaviest_output):.3f}" == "1.283"

    def test_ours_keep_the_promise(self):
        assert SymmetricUnary.within(size=1000, epsilon=1.0).sampled_odds <= math.e
        assert BinaryHadamard.within(size=1000, epsilon=1.0).odds <= math.e
