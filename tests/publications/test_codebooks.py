"""The codebook beside reports says what each column holds, in words that can be read one way only."""

from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.publications.coded_reports import codebook
from sfumato.study import Count, OneOfMany


@pytest.fixture
def written():
    places = OneOfMany(id="place", text="Where?", answers=("Bath, Avon", "York"), epsilon=Fraction(1))
    years = Count(id="years", text="How many years?", lowest=1, highest=132, points=132, epsilon=Fraction(4))
    made = sf.publish(
        sf.Study(name="Moves", questions=(places, years)),
        {"place": ["York", "Bath, Avon"], "years": [3, 132], "region": ["south", "north"]},
        keep=["region"],
        insecure_seed=20261,
    )
    return codebook(made.reports.note, ("region",)).splitlines()


def test_a_label_with_a_comma_is_one_label(written):
    assert "- values, in order (code 0, 1, …): “Bath, Avon”, “York”" in written


def test_values_that_are_left_out_are_counted(written):
    (line,) = (line for line in written if line.startswith("- values") and " 100 " in line)
    assert line.endswith("99, 100 and 32 more, in the order of the study")


def test_every_column_has_its_place(written):
    assert [line for line in written if line.startswith("## ")] == ["## place", "## years", "## region"]
    assert "- a column that was kept as it is, in public" in written
