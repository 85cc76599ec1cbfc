"""Figures, tables and claims at other values: what can be set, how it is read, and what is said where it cannot be."""

import inspect
from fractions import Fraction

import pytest

from sfumato.errors import InvalidParameter
from sfumato.papers import PAPERS, paper_at, parameters_of, places_of, read_settings
from sfumato.papers.settings import read_value

MADE = [(slug, place, make) for slug, paper in PAPERS.items() for place, make in (*paper.tables.items(), *paper.figures.items())]  # noqa: E501  # fmt: skip


@pytest.mark.parametrize(("slug", "place", "make"), MADE, ids=lambda one: one if isinstance(one, str) else "")
def test_everything_takes_the_papers_values_as_defaults(slug, place, make):
    parameters = inspect.signature(make).parameters.values()
    assert parameters
    assert all(one.kind is inspect.Parameter.KEYWORD_ONLY for one in parameters)
    for default in parameters_of(make).values():
        numbers = default if isinstance(default, tuple) else (default,)
        assert numbers
        assert len({type(number) for number in numbers}) == 1
        assert type(numbers[0]) in {int, float, Fraction}


def test_a_setting_is_read_as_what_stands_there():
    assert read_value("k", "10", 3) == 10
    assert read_value("delta", "1/3", Fraction(1, 4)) == Fraction(1, 3)
    assert read_value("epsilon", "1/2", 1.0) == 0.5
    assert read_value("sizes", "2, 4,8", (1, 2)) == (2, 4, 8)
    for text, default, match in (
        ("2.5", 3, "whole number"),
        ("1,2", 1.0, "takes one value"),
        ("x", 1.0, "not a number"),
    ):
        with pytest.raises(InvalidParameter, match=match):
            read_value("epsilon", text, default)


def test_settings_are_names_and_values():
    assert read_settings(["a=1", " b = 2,3 "]) == {"a": "1", "b": "2,3"}
    for given, match in ((["a"], "= between"), (["=1"], "= between"), (["a="], "= between"), (["a=1", "a=2"], "twice")):
        with pytest.raises(InvalidParameter, match=match):
            read_settings(given)


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(InvalidParameter, match="names no parameter") as caught:
        paper_at(PAPERS["randomized-responses"], {"wieght": "1/2"})
    for name in places_of(PAPERS["randomized-responses"]):
        assert f"{name} (" in caught.value.way_out


def test_a_table_at_other_values_is_the_function_at_those():
    paper = PAPERS["successive-refinement"]
    moved = paper_at(paper, {"epsilon": "2", "sizes": "3,5"})
    assert moved.tables["storage"]() == paper.tables["storage"](epsilon=2.0, sizes=(3, 5))
    assert moved.tables["storage"]() != paper.tables["storage"]()
    assert [row[-1] for row in moved.tables["storage"]().rows] == ["", ""]  # nothing in print at these
    assert moved.figures["figure-5a"].__doc__ == paper.figures["figure-5a"].__doc__
    changed = [new for new, old in zip(moved.entries, paper.entries, strict=True) if new.value != old.value]
    assert changed
    assert all(entry.parameter == "ε" and entry.value == 2.0 for entry in changed)


def test_claims_hold_or_fail_at_other_values_too():
    """Warner's printed pair is wrong at every δ but 1/3."""
    paper = PAPERS["randomized-responses"]
    for delta, agrees in (("1/4", False), ("1/3", True), ("1/2", False)):
        first = paper_at(paper, {"delta": delta}).entries[0].judge()
        assert (first.entry.what, first.agrees) == ("Warner: J at θ = 1/10", agrees)


@pytest.mark.parametrize(
    ("slug", "place", "settings", "match"),
    [
        ("randomized-responses", "table-1", {"delta": "2"}, "delta=2 must lie strictly between 0 and 1"),
        ("perfect-sample-privacy", "example-2", {"alpha": "1"}, "alpha=1 must lie strictly between 0 and 1"),
        ("perfect-sample-privacy", "table-1", {"counts": "1"}, "counts=1 must lie in"),
        ("recoverable-functions", "examples", {"rhos": "1/3"}, "rho=0.333.* must be above 1/2"),
        ("successive-refinement", "table-1", {"epsilon": "-1"}, "epsilon"),
        ("dalenius-goal", "composition", {"flips": "3/4"}, "flips=3/4 must lie strictly between 0 and 1/2"),
        ("dalenius-goal", "gaussian-noise", {"budgets": "0"}, "budgets=0.0 must lie strictly"),
    ],
)
def test_what_cannot_be_is_refused_by_the_function_itself(slug, place, settings, match):
    with pytest.raises(InvalidParameter, match=match):
        paper_at(PAPERS[slug], settings).tables[place]()


def test_a_formula_without_a_value_is_refused_in_a_sentence():
    entry = next(one for one in PAPERS["recoverable-functions"].entries if one.place == "Lemma 10")
    moved = paper_at(PAPERS["recoverable-functions"], {"rho": "0"}).entries
    lemma = next(one for one in moved if one.place == "Lemma 10")
    assert entry.judge().agrees is False
    with pytest.raises(InvalidParameter, match="to where it has no value"):
        lemma.judge()


def test_figures_are_drawn_at_other_values():
    matrices = paper_at(PAPERS["recoverable-functions"], {"sizes": "3", "block_rho": "1/2", "size": "4"})
    assert [axes.get_title(loc="left") for axes in matrices.figures["figure-2"]().axes] == ["$V_1$, k = 3, ρ = 3/4"]
    assert "ρ = 1/2" in matrices.figures["figure-3"]().axes[0].get_title(loc="left")
