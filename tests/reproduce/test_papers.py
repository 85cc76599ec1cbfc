"""The five papers: ours and print differ exactly where an erratum says so, every example runs, and errors are seen."""

import dataclasses
import itertools
import math
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import get_args

import pytest

from record_channels import h2
from reproduce import PAPERS, __main__, paper_a, paper_b, paper_c, paper_d, paper_e
from reproduce.helper import Entry, Erratum, ErratumKind, page_html, png_bytes, redraw, svg_bytes
from sfumato import inference, recoverable, surveys
from sfumato.errors import ClaimRefused
from sfumato.ladders.recovery import ShiftKey
from sfumato.measures.shannon import mutual_information_bits
from sfumato.mechanisms import RandomizedResponse
from sfumato.prob import Channel, Distribution

THEORY = Path(__file__).parents[2] / "docs" / "theory"
EACH = pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
# These take a second or more each; the others are drawn at every run.
SLOW_FIGURES = {
    *(("A", "responses"), ("B", "figure-4a"), ("B", "figure-4b"), ("C", "figure-4"), ("D", "figure-4")),
    *(("E", "balance"), ("E", "budgets"), ("E", "gaussian"), ("E", "utility")),
}
FIGURES = [
    pytest.param(draw, id=f"{key}-{name}", marks=[pytest.mark.slow] if (key, name) in SLOW_FIGURES else [])
    for key, paper in PAPERS.items()
    for name, draw in paper.figures.items()
]


@EACH
def test_print_and_ours_differ_exactly_where_an_erratum_says_so(paper):
    found = [entry.judge() for entry in paper.entries]
    assert [(one.entry.place, one.entry.what) for one in found if not one.is_explained] == []
    assert len({(entry.place, entry.what) for entry in paper.entries}) == len(paper.entries)
    assert {entry.place for entry in paper.entries} >= {*paper.figures, *paper.tables}
    explained = {one.entry.erratum for one in found if one.agrees is False}
    assert explained <= {erratum.where for erratum in paper.errata}
    # A gap in a proof need not show in a number; everything else does.
    assert explained >= {erratum.where for erratum in paper.errata if erratum.kind != "gap in a proof"}


@EACH
def test_every_example_of_an_erratum_shows_what_it_says(paper):
    assert [erratum.where for erratum in paper.errata if erratum.refusal()] == []


@EACH
def test_the_theory_page_has_a_box_for_each_erratum_and_no_other(paper):
    text = (THEORY / f"{paper.page}.md").read_text(encoding="utf-8")
    boxes = [
        " ".join(line.removeprefix("> ") for line in box.splitlines())
        for box in re.findall(r"(?:^> .*\n)+", text, re.MULTILINE)
    ]
    kinds = tuple(f"**{kind.capitalize()}.**" for kind in get_args(ErratumKind))
    named = [f"**{erratum.kind.capitalize()}.** *{erratum.where}.*" for erratum in paper.errata]
    assert all(sum(box.startswith(one) for box in boxes) == 1 for one in named)
    assert sum(box.startswith(kinds) for box in boxes) == len(named)


@EACH
def test_tables_are_full(paper):
    for make in paper.tables.values():
        table = make()
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.columns)}


@pytest.mark.parametrize("draw", FIGURES)
def test_figures_are_drawn(draw):
    svg = svg_bytes(draw())
    assert b"dc:date" not in svg
    assert len(svg) > 10_000


def test_a_figure_drawn_twice_is_the_same_file():
    draw = PAPERS["C"].figures["figure-3"]
    assert svg_bytes(draw()) == svg_bytes(draw())
    assert png_bytes(draw()) == png_bytes(draw())


class TestAWrongNumberIsSeen:
    @pytest.mark.parametrize(
        ("relation", "ours", "agrees"),
        [("=", 1, True), ("=", 1.1, False), ("≤", 0.9, True), ("≤", 1.1, False), ("≥", 1.1, True), ("≥", 0.9, False)],
    )
    def test_relations(self, relation, ours, agrees):
        entry = Entry(("x", "y", "k", 1), ours=lambda _: ours, says="", printed=lambda _: 1.0, relation=relation)
        assert entry.judge().agrees is agrees

    @EACH
    def test_a_number_that_moves_needs_an_erratum(self, paper):
        for entry in paper.entries:
            if entry.printed and entry.relation == "=" and entry.place != "figure-4a":
                moved = dataclasses.replace(
                    entry, ours=lambda value, entry=entry: entry.ours(value) + 1000, erratum=None
                )
                assert not moved.judge().is_explained
        agreeing = next(entry for entry in paper.entries if entry.erratum is None and entry.printed)
        assert not dataclasses.replace(agreeing, erratum=paper.errata[0].where).judge().is_explained

    @pytest.mark.parametrize(("wrong", "code"), [("", 0), ("number", 1), ("example", 1)])
    def test_the_command_says_so(self, monkeypatch, tmp_path, capsys, wrong, code):
        def refuse():
            raise ClaimRefused("the example does not show <that>.", way_out="Look again.")

        paper = PAPERS["C"]
        entry = dataclasses.replace(paper.entries[0], erratum=None if wrong == "number" else paper.entries[0].erratum)
        errata = list(paper.errata)
        if wrong == "example":
            errata[0] = Erratum(errata[0].where, errata[0].kind, refuse)
        figures = {"figure-3": paper.figures["figure-3"]}
        small = dataclasses.replace(paper, entries=(entry,), errata=tuple(errata), figures=figures)
        monkeypatch.setitem(PAPERS, "C", small)
        monkeypatch.setattr(sys, "argv", ["reproduce", "C", "--out", str(tmp_path / "made")])
        assert __main__.main() == code
        said = capsys.readouterr().out
        assert ("[C] table-1, Warner: J at θ = 1/10" in said) == (wrong == "number")
        assert ("does not show <that>" in said) == (wrong == "example")
        assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["C-figure-3.svg", "index.html"]
        page = (tmp_path / "made" / "index.html").read_text(encoding="utf-8")
        assert ("NOT EXPLAINED" in page) == (wrong == "number")
        assert ("NOT CONFIRMED: the example does not show &lt;that&gt;." in page) == (wrong == "example")
        assert page == page_html([redraw(small)])
        assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'id="([^"]+)"', page))

    def test_unknown_papers_are_refused(self, monkeypatch, capsys):
        monkeypatch.setattr(sys, "argv", ["reproduce", "F"])
        with pytest.raises(SystemExit) as stop:
            __main__.main()
        assert stop.value.code == 2
        assert "'F' is no paper. Choose from A, B, C, D, E." in capsys.readouterr().err


def right_corners(alpha, beta, r):
    low = max(Fraction(0), alpha - beta)
    law = (alpha - r, r, beta - alpha + r, 1 - beta - r)
    moves = (r - min(alpha, 1 - beta), r - low)
    return tuple(tuple(p + move * d for p, d in zip(law, (1, -1, -1, 1), strict=True)) for move in moves)


def told_twice(flip):
    """A fair bit through two binary symmetric channels: what both reports say."""
    rows = [[p * q for p in row for q in row] for row in ((1 - flip, flip), (flip, 1 - flip))]
    return mutual_information_bits(Channel(rows), Distribution([Fraction(1, 2)] * 2))


def key_bits(size, favoured, epsilon):
    odds = math.exp(epsilon)
    total = favoured * (odds - 1) + size
    return math.log2(total) - epsilon * favoured * odds * math.log2(math.e) / total


# What would be right to print, for each erratum in turn: the check has to complain of that.
UNITS = (
    lambda epsilon: epsilon / math.log(2),
    lambda k, rate: paper_e.printed_noise_entropy(k, rate, math.log) / math.log(2),
    lambda bits: 1 / (4**bits - 1),
)
RIGHT = {
    "A": (
        lambda query, n: Fraction(recoverable.privacy_of_noise(query, paper_a.printed_noise(query), n).lower),
        lambda rho: -math.log2(1 - rho),
        lambda _: Fraction(1, 2),
        lambda *_: True,
        lambda priors, f, rho: recoverable.robust(priors, f, rho).privacy,
        paper_a.best_noise_privacy,
    ),
    "B": (
        inference.risk_floor,
        inference.risk_floor,
        inference.l1_floor,
        lambda epsilon, p: 2 * inference.information_per_user(epsilon, h2(p)) / math.exp(epsilon),
        paper_b.silent_contrast,
        lambda epsilon: math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1),
        lambda size, epsilon: key_bits(size, 1, epsilon),
        lambda size, epsilon: RandomizedResponse.within(size=size, epsilon=epsilon).channel(),
        lambda size, favoured, epsilon, logarithm: key_bits(size, favoured, epsilon) * logarithm(2),
        lambda size, epsilon: ShiftKey.within(size=size, epsilon=epsilon).favoured,
        lambda _: 1.766,
    ),
    "C": (
        lambda limits, theta: surveys.survey(delta=limits.delta, weight=limits.weight, outputs=2, theta=theta).channel,
        lambda delta: surveys.warner(delta=delta).channel,
        lambda p, q, s: paper_c.printed_renyi_nats(q, p, s),
        max,
        lambda level: ((1 - level) / 2, (1 + level) / 2),
        max,
    ),
    "D": (
        lambda alpha: paper_d.printed_posterior(1 - alpha),
        right_corners,
        lambda cells, rank: 2,
        lambda shape, cells: False,
        lambda n, k, m: (n - k) / n,
        lambda size: 0.2,
        lambda q, n: paper_d.uniformised(q).information_bits(n).midpoint,
        lambda counts: tuple(max(counts) + 1 + k for k in range(len(counts))),
        lambda n: 1.0,
        lambda q: paper_d.uniformised(q).information_bits(2).midpoint,
    ),
    "E": (
        UNITS,
        lambda odds: 0.0,
        lambda bits: 7.0,
        lambda records: records - 1.0,
        lambda bound: math.log2(2 * bound),
        lambda values: 4**values - 2,
        lambda bits: math.inf,
        paper_e.gaussian_bits,
        lambda epsilon: 2 / epsilon**2,
        lambda epsilon, delta: 1.0,
        lambda bound: 2 * bound,
        lambda epsilon: math.sqrt(2) / epsilon,
        paper_e.limit_miss,
        paper_e.printed_gaussian_variance,
        paper_e.joint_bits,
        lambda own, other: math.fsum(own),
        lambda own: 0.4,
        lambda flip: told_twice(flip) - (1 - h2(float(flip))),
    ),
}


@EACH
def test_a_right_print_would_be_noticed(paper):
    for erratum, right in zip(paper.errata, RIGHT[paper.key], strict=True):
        with pytest.raises(ClaimRefused, match="does not show"):
            erratum.check(right)


def test_each_of_the_three_units_would_be_noticed():
    """One question of units in three places; each alone would be noticed too."""
    checks = (paper_e.check_base, paper_e.check_noise_entropy, paper_e.check_budget_unit)
    for check, right in zip(checks, UNITS, strict=True):
        with pytest.raises(ClaimRefused, match="does not show"):
            check(right)


def test_exceptions_of_proposition_11_are_exactly_these():
    """On a grid of laws: by the limit of π(V_o^n), from which rows of V_o are equal, and by the first few n."""
    seen = 0
    for size in (2, 3, 4, 5):
        for weights in itertools.combinations_with_replacement(range(1, 5), size):
            law = [Fraction(w, sum(weights)) for w in sorted(weights, reverse=True)]
            for rho in {Fraction(1, size), law[0], *(Fraction(k, 24) for k in range(1, 13))}:
                if rho > Fraction(1, 2):
                    continue
                query = recoverable.Query.of(law, range(size), rho)
                rows, limit = recoverable.best_noise(query), Fraction(1)
                for row in set(rows):
                    limit -= max(m for m, own in zip(query.maxima, rows, strict=True) if own == row)
                gap = limit - recoverable.block_privacy(query)
                assert gap <= 0
                if gap == 0:  # only here does (80) hang on how the limit is reached
                    signs = {(found > 0) - (found < 0) for found in (paper_a.excess(query, n) for n in (1, 2, 3))}
                    assert signs == ({1} if paper_a.is_exception(query) else {0})
                else:
                    assert not paper_a.is_exception(query)
                seen += paper_a.is_exception(query)
    assert seen > 10
